"""Which pair to ask next."""
