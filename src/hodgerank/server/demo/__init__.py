"""The demonstration: pictures that the program draws, and workers that it plays."""
