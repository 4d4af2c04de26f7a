"""A local endpoint that plays a judge: campaigns are rehearsed without key, network or bill.

It knows the texts and their true scores, finds in a prompt which two of them stand there, and
answers in the shape of chat completions: `python -m hodgerank.judges.fake_llm --help`.
"""

from __future__ import annotations

from hodgerank.judges.fake_llm.endpoint import Call, FakeLLM
from hodgerank.judges.fake_llm.faults import Faults
from hodgerank.judges.fake_llm.model_profile import ModelProfile

__all__ = ["Call", "FakeLLM", "Faults", "ModelProfile"]
