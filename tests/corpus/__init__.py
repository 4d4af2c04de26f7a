"""Small files in the layouts that the field publishes, with the ranking that each must give.

The content is invented: a simulated crowd with a known order votes, and each module writes the
votes in the layouts of one part of the field. `check` runs the command and the options that its
error messages suggest, and compares the rankings with the truth.
"""

from corpus import (  # noqa: F401
    ballots,
    counts,
    formats,
    judgements,
    languages,
    lookalikes,
    models,
    not_votes,
    scores,
    sports,
    surveys,
)
from corpus.layout import LAYOUTS

__all__ = ["LAYOUTS"]
