"""Models of settings, made of the classes that check them: a new setting is there at once."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, create_model

from hodgerank.campaign.setting_values import NO_LIMIT
from hodgerank.campaign.settings import VERSION, CampaignSettings
from hodgerank.server.api.values import LONGEST_TEXT, WHOLE, Body, ItemId, example

MOST_ENTRIES = 500


def _no_default(schema: dict[str, Any]) -> None:
    """What is not given has no value, not even null."""
    schema.pop("default", None)


LEFT_OUT: Any = Field(None, json_schema_extra=_no_default)


def _model(kind: type[Any], prefix: str, *, is_whole: bool) -> type[BaseModel]:
    """A model with the fields of a class of settings: all of them, or those that are given."""
    hints = get_type_hints(kind)
    parts: dict[str, Any] = {}
    for one in fields(kind):
        value = _type(hints[one.name], prefix, is_whole=is_whole)
        parts[one.name] = (value, ... if is_whole or one.default is MISSING else LEFT_OUT)
    words = (kind.__doc__ or "").partition("\n")[0]
    return create_model(f"{prefix}{kind.__name__}", __base__=Body, __doc__=words, **parts)


def _type(hint: Any, prefix: str, *, is_whole: bool) -> Any:
    """What JSON has in the place of a type."""
    if is_dataclass(hint):
        return _model(hint, prefix, is_whole=is_whole)  # type: ignore[arg-type]
    if hint is str:
        return Annotated[str, Field(max_length=LONGEST_TEXT)]
    if hint is int:
        return Annotated[int, Field(ge=0, lt=10**18), WHOLE]
    if get_origin(hint) is tuple:
        entry = _type(get_args(hint)[0], prefix, is_whole=is_whole)
        return Annotated[list[entry], Field(max_length=MOST_ENTRIES)]  # type: ignore[valid-type]
    if get_origin(hint) in (Union, UnionType):
        if set(get_args(hint)) == {int, str}:
            return ItemId
        kinds = [one for one in get_args(hint) if one is not NoneType]
        nothing: list[Any] = [Literal[NO_LIMIT]]
        if not is_whole:
            nothing.append(NoneType)
        return Union[*(_type(one, prefix, is_whole=is_whole) for one in kinds), *nothing]
    return hint


class SomeSettings(_model(CampaignSettings, "Some", is_whole=False)):  # type: ignore[misc]
    """Settings that are to be different; no limit is null or "none"."""

    model_config = example(budget=400, stop="tau >= 0.9", attention={"focus": False})

    version: Annotated[int, Field(ge=1, le=VERSION), WHOLE] = LEFT_OUT


class AllSettings(_model(CampaignSettings, "", is_whole=True)):  # type: ignore[misc]
    """Everything that the owner has decided; no limit is "none"."""

    version: Annotated[int, Field(ge=1, le=VERSION), WHOLE]
