"""Numerical kernels: arrays in, arrays out; no validation, no reading, no printing.

`linalg` solves Laplacian systems. `links`, `huber` and `hypothesis_tests` hold the statistics.
`posterior` and `expectation_propagation` compute posteriors of scores, `selection` finds the best
next pair, and `matrix_free` does both for many thousands of items. Hot loops are compiled
(`compilation`).
"""
