"""Whether several populations rank the same items differently."""
