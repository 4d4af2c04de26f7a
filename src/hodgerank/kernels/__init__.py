"""Numerical kernels: arrays in, arrays out; no classes, no validation, no input or output."""
