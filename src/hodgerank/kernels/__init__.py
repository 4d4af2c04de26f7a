"""Numerical kernels: arrays in, arrays out; no validation of input, no reading, no printing."""
