"""Where votes come from: files, dataframes and rows, as tables that are not yet understood."""
