"""Items from uploads: tables, zips, folders, single files."""
