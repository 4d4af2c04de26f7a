"""Language models as judges of texts, images or whole systems.

`ChatJudge` asks any OpenAI-compatible endpoint, and is a judge for `run_async`. `judge_items` runs
it until a budget is used and makes a report; `judge_campaign` lets it answer in a `Campaign`,
beside people. A judge of another kind is an async function from a pair to an outcome. Needs the
extra `llm`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hodgerank.data.items.judged_items import JudgedItems as JudgedItems
    from hodgerank.data.items.judged_items import read_items as read_items
    from hodgerank.data.items.samples import Sample as Sample
    from hodgerank.judges.behaviour import JudgeBehaviour as JudgeBehaviour
    from hodgerank.judges.chat_judge import ChatJudge as ChatJudge
    from hodgerank.judges.chat_judge import Judged as Judged
    from hodgerank.judges.ledger import Caps as Caps
    from hodgerank.judges.panel import PanelJudge as PanelJudge
    from hodgerank.judges.panel_agreement import PanelAgreement as PanelAgreement
    from hodgerank.judges.panel_file import read_panel as read_panel
    from hodgerank.judges.prices import Price as Price
    from hodgerank.judges.prices import Prices as Prices
    from hodgerank.judges.prompts.template import Template as Template
    from hodgerank.judges.prompts.template import load_template as load_template
    from hodgerank.judges.run_on_campaign import CampaignRun as CampaignRun
    from hodgerank.judges.run_on_campaign import ModelRun as ModelRun
    from hodgerank.judges.run_on_campaign import judge_campaign as judge_campaign
    from hodgerank.judges.run_on_campaign import judge_for as judge_for
    from hodgerank.judges.run_on_items import JudgedRun as JudgedRun
    from hodgerank.judges.run_on_items import judge_items as judge_items

_HOMES = {
    "ChatJudge": "judges.chat_judge",
    "Judged": "judges.chat_judge",
    "judge_items": "judges.run_on_items",
    "JudgedRun": "judges.run_on_items",
    "JudgeBehaviour": "judges.behaviour",
    "judge_for": "judges.run_on_campaign",
    "judge_campaign": "judges.run_on_campaign",
    "CampaignRun": "judges.run_on_campaign",
    "ModelRun": "judges.run_on_campaign",
    "read_items": "data.items.judged_items",
    "JudgedItems": "data.items.judged_items",
    "Sample": "data.items.samples",
    "Template": "judges.prompts.template",
    "load_template": "judges.prompts.template",
    "PanelJudge": "judges.panel",
    "PanelAgreement": "judges.panel_agreement",
    "read_panel": "judges.panel_file",
    "Caps": "judges.ledger",
    "Price": "judges.prices",
    "Prices": "judges.prices",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hodgerank.judges' has no attribute {name!r}")
    return getattr(import_module(f"hodgerank.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
