"""What an owner uploads becomes items: tables, zips, folders, loose files."""
