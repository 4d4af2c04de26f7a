"""A Gaussian posterior of many scores without its covariance: O(n + m) memory, local updates.

    A = L + g I,   S = A^-1,   mean = S (b + g m)

L is the Laplacian of the votes, b their forces, m the prior mean, g the prior strength. S is never
stored: with a prior, the effect of a pair on other items decays within a few steps.

    state    the arrays and their columns, neighbour lists, and a journal to undo pending pairs
    solve    variances by belief propagation, responses and means by local relaxation
    grid     items by mean and variance, so that the best pairs are found among few
    search   the best pair, and the updates when it becomes pending and is answered
"""
