"""Fields of requests: names, items and numbers within their bounds."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import getdoc
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from fastapi import Depends, Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
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
    """Body of a request or response: unknown fields are refused, and types are not converted.

    A number is finite and never true or false, a text is never a number.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def model_of(kind: type[Any]) -> type[Body]:
    """A model with the fields of a dataclass, all of them given, in the words of its docstring."""
    hints, words = get_type_hints(kind), _attributes(kind)
    parts: dict[str, Any] = {}
    for one in fields(kind):
        hint = hints[one.name]
        if get_origin(hint) is tuple:  # which is a list in JSON
            entry = get_args(hint)[0]
            hint = list[entry]  # type: ignore[valid-type]
        least = 0 if hint is int else None
        parts[one.name] = (hint, Field(ge=least, description=words.get(one.name)))
    return create_model(kind.__name__, __base__=Body, **parts)


def _attributes(kind: type[Any]) -> dict[str, str]:
    """Read descriptions of attributes from a docstring; those listed together share one."""
    _, _, text = (getdoc(kind) or "").partition("Attributes\n----------\n")
    found: dict[str, str] = {}
    for names, words in re.findall(r"^(\w[\w, ]*)\n((?:    .*\n?)+)", text, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), " ".join(words.split()))
    return found


def example(**values: Any) -> ConfigDict:
    """Return a model configuration with an example for the schema."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class Query(BaseModel):
    """Parameters in the query string of an address, where every value is text."""

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
