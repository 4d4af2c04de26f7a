"""What samplers value: a design learns answers and says which pair is best."""
