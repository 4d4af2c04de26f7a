"""Read a panel of judges from a TOML file.

Options before the first [[judge]] are those of all judges. No key is written into the file: it
names the environment variable that holds it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, did_you_mean
from hodgerank.judges.panel import PanelJudge
from hodgerank.judges.prices import Price, price_in
from hodgerank.judges.prompts.template import load_template

TEXTS = ("model", "name", "base_url", "key_variable", "key_header", "template")
NUMBERS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout",
    "retries",
)
TABLES = ("parameters", "headers", "query", "price")
KNOWN = (*TEXTS, *NUMBERS, *TABLES, "family")
SHARED = tuple(name for name in KNOWN if name not in ("model", "name", "family"))
PARAMETERS = ("temperature", "max_tokens", "max_completion_tokens")
SECRET_HEADERS = (
    "authorization",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
    "ocp-apim-subscription-key",
)
FORM = (
    'write [[judge]] and model = "NAME" for each judge, and perhaps name, base_url, key_variable, '
    "parameters, template, price"
)


def read_panel(path: Path | str) -> tuple[PanelJudge, ...]:
    r"""Read judges from a TOML file, for `ChatJudge(..., models=read_panel("panel.toml"))`.

    Each [[judge]] has a `model`, and perhaps `name`, `base_url`, `key_variable`, `key_header`,
    `headers`, `query`, `temperature`, `max_tokens`, `max_completion_tokens`, `parameters`,
    `template` (a built-in name, or a file beside the panel), `price` (`input` and `output` for a
    million tokens), `family` (items of its own family), `requests_per_minute`,
    `tokens_per_minute`, `timeout` and `retries`.
    All but `model`, `name` and `family` may stand before the first judge, for all.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "panel.toml"
    >>> _ = path.write_text('[[judge]]\nmodel = "m"\nname = "strict"\ntemperature = 0')
    >>> [(judge.name, judge.model, dict(judge.parameters)) for judge in read_panel(path)]
    [('strict', 'm', {'temperature': 0})]
    """
    path = Path(path)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"{path} is not readable as TOML: {error}") from None
    judges = found.pop("judge", None)
    if not isinstance(judges, list) or not all(isinstance(judge, dict) for judge in judges):
        raise InvalidArgument(f"{path} names no judges: {FORM}")
    _check(found, SHARED, f"{path}, before the first [[judge]]")
    return tuple(
        _judge(judge, found, path, f"{path}, judge {place}")
        for place, judge in enumerate(judges, 1)
    )


def _judge(own: Mapping[str, Any], shared: Mapping[str, Any], path: Path, where: str) -> PanelJudge:
    _check(own, KNOWN, where)
    if "model" not in own:
        raise InvalidArgument(f"{where} has no model: {FORM}")
    merged = {**shared, **own}
    for name in ("parameters", "headers", "query"):
        merged[name] = {**shared.get(name, {}), **own.get(name, {})}
    parameters = {name: merged[name] for name in PARAMETERS if name in merged}
    limits = ("requests_per_minute", "tokens_per_minute", "timeout", "retries")
    return PanelJudge(
        merged["model"],
        merged.get("name", ""),
        merged.get("base_url"),
        _key(merged.get("key_variable"), where),
        merged.get("key_header", ""),
        _texts(merged["headers"], f"headers of {where}"),
        _texts(merged["query"], f"query of {where}"),
        {**parameters, **merged["parameters"]},
        _template(merged, path),
        _price(merged, where),
        tuple(merged.get("family", ())),
        **{name: merged[name] for name in limits if name in merged},
    )


def _check(found: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name, value in found.items():
        if name not in known:
            raise InvalidArgument(
                f"{where}: {short(name)} is not one of {', '.join(known)}"
                f"{did_you_mean(name, known)}; other request parameters belong into parameters"
            )
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if name in TEXTS and not (isinstance(value, str) and value.strip()):
            raise InvalidArgument(f"{where}: {name} must be a text in quotes")
        if name in NUMBERS and not is_number:
            raise InvalidArgument(f"{where}: {name} must be a number, not {short(repr(value))}")
        if name == "retries" and not isinstance(value, int):
            raise InvalidArgument(f"{where}: retries must be a whole number, not {value}")
        if name == "family" and not _are_texts(value):
            raise InvalidArgument(
                f'{where}: family must be a list of items, such as ["one", "two"]'
            )
        if name in TABLES and not isinstance(value, dict):
            raise InvalidArgument(f"{where}: {name} must be a table, such as {{ input = 1 }}")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _texts(values: Mapping[str, Any], what: str) -> dict[str, str]:
    for name, value in values.items():
        if name.lower() in SECRET_HEADERS:
            raise InvalidArgument(
                f"{what}: the file must not hold a key: name its variable with key_variable, and "
                f'the header with key_header = "{name}"'
            )
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        if not is_plain or not (str(value).isascii() and str(value).isprintable()):
            raise InvalidArgument(f"{what}: {name} must be a text, not {short(repr(value))}")
    return {name: str(value) for name, value in values.items()}


def _key(variable: str | None, where: str) -> str | None:
    if variable is None:
        return None
    if not os.environ.get(variable):  # the value is not shown, since it may be a key
        raise InvalidArgument(
            f"{where}: the environment variable named by key_variable is not set: give the name of "
            "a variable, not the key itself"
        )
    return os.environ[variable]


def _template(merged: Mapping[str, Any], path: Path) -> Any:
    if "template" not in merged:
        return None
    beside = path.parent / merged["template"]
    return load_template(beside if beside.is_file() else merged["template"])


def _price(merged: Mapping[str, Any], where: str) -> Price | None:
    if "price" not in merged:
        return None
    try:
        return price_in(merged["model"], merged["price"])
    except InvalidArgument as error:
        raise InvalidArgument(f"{where}: {error}") from None
