"""Items to compare: their texts and images, and where they are read from."""
