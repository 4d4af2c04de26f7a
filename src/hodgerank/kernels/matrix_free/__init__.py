"""A Gaussian posterior of many scores without its covariance: O(n + m) memory, local updates.

    A = L + g I,   S = A^-1,   mean = S (b + g m)

L is the Laplacian of the answers, b their forces, m the prior mean, g the prior strength. No row of
S is ever stored: with a prior, what a pair says about a third item dies out within a few steps.

    state      the arrays, and what their columns are
    adjacency  neighbours and weights, in chunks of one cache line
    solve      variances by belief propagation, responses and means by local relaxation
    journal    what pairs that are out have changed, so that it can be undone
    grid       items by mean and variance, so that the best pairs are found among few
    search     the pair worth asking, and what changes when it goes out and is answered
"""
