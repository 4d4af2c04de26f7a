"""A local endpoint that plays a judge: campaigns are rehearsed without key, network or bill.

It knows the texts and their true scores, finds in a prompt which two of them stand there, and
answers in the shape of chat completions: `python -m hodgerank.judges.stand_in --help`.
"""

from hodgerank.judges.stand_in.endpoint import Call, StandIn
from hodgerank.judges.stand_in.faults import Faults
from hodgerank.judges.stand_in.temper import Temper

__all__ = ["Call", "Faults", "StandIn", "Temper"]
