"""Selection of the next pair.

A `Sampler` keeps items, votes, pending pairs and display order. Its design values pairs: `designs`
has those that several samplers share, `samplers` the classes that users build.
"""
