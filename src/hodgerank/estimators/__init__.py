"""From a graph of comparisons to a ranking and its uncertainty.

Every estimator (`least_squares`, `likelihood`, `bayes`, `robust`, `crowd_bt`) returns a `Ranking`;
`covariance` and `certainty` say how sure it is. `outliers`, `workers`, `reliability`,
`position_bias` and `consistency` in `graph` examine the votes, and `trust` brings them together.
"""
