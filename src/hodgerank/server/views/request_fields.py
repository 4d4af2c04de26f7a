"""What requests are made of: names, items, numbers, each within its bounds."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.requests import Request

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import LARGEST_ID, LONGEST_NAME
from hodgerank.server.context import campaign_of

LONGEST_TEXT = 100_000
MOST_ITEMS = 2000


def _whole(value: Any) -> Any:
    """2.0 is a whole number in JSON, which does not tell it from 2."""
    return int(value) if type(value) is float and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""Of a campaign, worker, track or token; the campaign itself refuses what cannot be shown."""
ItemId: TypeAlias = Annotated[int, Field(gt=-LARGEST_ID, lt=LARGEST_ID), WHOLE] | Name
"""Integers and strings stay what they are."""
Text: TypeAlias = Annotated[str, Field(max_length=LONGEST_TEXT)]
Seq: TypeAlias = Annotated[int, Field(ge=0, lt=10**18), WHOLE]
"""A place in the log."""


class Body(BaseModel):
    """What a request brings, or an answer holds: nothing that is not named, and no guessing.

    A number is finite and never true or false, a text is never a number.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def example(**values: Any) -> ConfigDict:
    """What one of them may look like, for the schema."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class Query(BaseModel):
    """What an address says behind its question mark; there everything is text."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


async def _named(
    request: Request,
    campaign: Annotated[
        str, Path(min_length=1, max_length=LONGEST_NAME, description="Its id.", examples=["demo"])
    ],
) -> Campaign:
    return await campaign_of(request)


Named: TypeAlias = Annotated[Campaign, Depends(_named)]
"""The campaign that the address names."""
