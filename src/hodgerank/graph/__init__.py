"""The graph of comparisons and its shape.

`build` makes a `ComparisonGraph` of any votes; `AnsweredGraph` keeps the single votes beside it.
`decomposition` splits the votes into position bias, disagreement, gradient, curl and harmonic part,
next to the shares expected by chance (`expected_shares`). `consistency` tests for misfit and cycles
against crowds with one ranking (`transitive_crowd`), `topology` counts components and loops.
"""
