"""Every figure and table of [Xu18] from the public API, and what lies beyond, with verdicts.

reproduction   runs experiments and writes the pages
figures        the experiments, one module each; their claims are in published/*.json
experiment     pure pieces of work, in parallel, kept on disk
schemes        a sampler asks a crowd, and how near the truth it is
curves, verdict     from runs to means, paired differences and sentences
page           one HTML page for a reviewer
"""

from hodgerank.reproduce.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
