"""Numerical kernels: arrays in, arrays out; no validation of input, no reading, no printing.

`linalg` solves Laplacian systems, `links`, `huber` and `hypothesis_tests` are the statistics,
`posterior` and `expectation_propagation` update beliefs about scores, `selection` finds the best
next pair, and `matrix_free` does both for many thousands of items. Hot loops are compiled
(`compilation`).
"""
