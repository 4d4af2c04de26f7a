"""A fake language model: a local endpoint to rehearse campaigns without key, network or cost.

It knows the texts and their true scores, finds the two texts in a prompt, and returns chat
completions: `python -m hodgerank.judges.fake_llm --help`.
"""

from __future__ import annotations

from hodgerank.judges.fake_llm.endpoint import Call, FakeLLM
from hodgerank.judges.fake_llm.faults import Faults
from hodgerank.judges.fake_llm.model_profile import ModelProfile

__all__ = ["Call", "FakeLLM", "Faults", "ModelProfile"]
