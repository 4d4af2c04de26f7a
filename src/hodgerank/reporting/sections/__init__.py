"""The sections of a report, one file each: from findings to words, tables and charts."""
