"""Reproduction of every figure and table of [Xu18], and experiments beyond it, with verdicts.

reproduction     runs experiments and writes the pages
figures          the experiments, one module each; their claims are in published/*.json
experiment       tasks that run in parallel, with results on disk
schemes          a sampler asks a crowd, and its accuracy is measured
curves, verdict  from runs to means, paired differences and verdicts
page             one HTML page for a reviewer
"""

from hodgerank.reproduce.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
