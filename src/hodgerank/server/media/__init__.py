"""Pictures, videos and sounds: recognition, storage and delivery."""
