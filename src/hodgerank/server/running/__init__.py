"""Running the server: where it listens, what it tells at its start, and how it ends."""
