"""Which pair to ask next.

A `Sampler` keeps items, answers, pairs in progress and display order. What a pair is worth is
decided by its design: `designs` has those that several samplers share, `samplers` the classes that
users build.
"""
