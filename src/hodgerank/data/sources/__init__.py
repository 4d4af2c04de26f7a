"""Sources of votes: files, dataframes and rows, opened as raw tables."""
