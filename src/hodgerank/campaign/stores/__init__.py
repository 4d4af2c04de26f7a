"""Where campaigns are kept: in memory, in a file, in a database of several processes."""
