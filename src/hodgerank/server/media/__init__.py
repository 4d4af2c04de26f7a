"""Pictures, videos and sounds: what a file is, where it is kept, how it is served."""
