"""Options of the commands that let models judge: whom to ask, how, and what it may cost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hodgerank.errors import InvalidArgument
from hodgerank.judges.ledger import Caps
from hodgerank.judges.prices import Prices

ENDPOINT, LIMITS = "Endpoint", "Limits"

Models = Annotated[list[str], typer.Option("--model", "-m", help="Who judges; several take turns.")]
Answers = Annotated[
    Literal["choice", "tie", "grade"],
    typer.Option(help="What may be answered: a choice, a choice or tie, five grades."),
]
TemplateFile = Annotated[
    Path | None, typer.Option(help="A prompt of your own (TOML) instead of --answers.")
]
Probabilities = Annotated[
    bool,
    typer.Option(help="Take the probability of the answer, where the endpoint gives it."),
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        help="Address of an OpenAI-compatible server; once, or once for each model.",
    ),
]
KeyVariables = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        metavar="NAME",
        help="Environment variable with the key, if not HODGERANK_API_KEY or OPENAI_API_KEY; "
        "once, or once for each model.",
    ),
]
Temperature = Annotated[
    float | None, typer.Option(min=0, rich_help_panel=ENDPOINT, help="Sent if given.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=2, rich_help_panel=ENDPOINT, help="Of a reply; sent if given."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        metavar="NAME=VALUE",
        help="Anything else to send, e.g. reasoning_effort=low; numbers and JSON as such.",
    ),
]
Concurrency = Annotated[
    int, typer.Option(min=1, rich_help_panel=LIMITS, help="Calls that are out at once.")
]
Timeout = Annotated[float, typer.Option(rich_help_panel=LIMITS, help="Seconds for one try.")]
Retries = Annotated[
    int, typer.Option(min=0, rich_help_panel=LIMITS, help="Further tries of a call.")
]
PerMinute = Annotated[float | None, typer.Option(rich_help_panel=LIMITS, help="Of each model.")]
PriceFile = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=LIMITS,
        help="What a million tokens cost: CSV with model, input, output, or TOML.",
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option(rich_help_panel=LIMITS, help="Calls with a reply, at most.")
]
MaxTotalTokens = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=LIMITS,
        help="Of all calls, if no reply is longer than those before.",
    ),
]
MaxCost = Annotated[
    float | None, typer.Option(rich_help_panel=LIMITS, help="Money, likewise; needs --prices.")
]


def parameters_of(
    given: list[str] | None, temperature: float | None, max_tokens: int | None
) -> dict[str, Any]:
    """What is sent with every call."""
    found: dict[str, Any] = {}
    if temperature is not None:
        found["temperature"] = temperature
    if max_tokens is not None:
        found["max_tokens"] = max_tokens
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidArgument(f"--parameter {text}: write NAME=VALUE")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found


def keys_of(variables: list[str] | None) -> list[str] | None:
    """The keys that environment variables hold; None where none is named."""
    if not variables:
        return None
    if not all(os.environ.get(name) for name in variables):  # it may be a key: it is not shown
        raise InvalidArgument(
            "an environment variable that --key-variable names is not set: it takes the name of "
            "one that holds the key, not the key"
        )
    return [os.environ[name] for name in variables]


def money_of(
    prices: Path | None, calls: int | None, tokens: int | None, cost: float | None
) -> dict[str, Any]:
    """Prices and caps, as options of a `ChatJudge`."""
    if cost is not None and prices is None:
        raise InvalidArgument("--max-cost needs to know what tokens cost: --prices FILE")
    known = None if prices is None else Prices.read(prices)
    return {"prices": known, "caps": Caps(calls, tokens, cost)}
