"""Options of commands with language models as judges: models, endpoint, limits and prices."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hodgerank.errors import InvalidArgument
from hodgerank.judges.ledger import Caps
from hodgerank.judges.panel import PanelJudge
from hodgerank.judges.panel_file import read_panel
from hodgerank.judges.prices import Prices

ENDPOINT, LIMITS = "Endpoint", "Limits"

Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help=("Model that judges; several models take turns.")),
]
PanelFile = Annotated[
    Path | None,
    typer.Option(
        help="TOML file with judges, instead of --model: each with its own endpoint, parameters, "
        "prompt and price."
    ),
]
Answers = Annotated[
    Literal["choice", "tie", "grade"],
    typer.Option(help="Allowed replies: a choice, a choice or a tie, or five grades."),
]
TemplateFile = Annotated[
    Path | None, typer.Option(help="TOML file with your own prompt, instead of --answers.")
]
Probabilities = Annotated[
    bool,
    typer.Option(help="Use the probabilities of the reply's tokens, if the endpoint returns them."),
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        help="Address of an OpenAI-compatible server; once, or once per model.",
    ),
]
KeyVariables = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        metavar="NAME",
        help="Environment variable with the API key, if not HODGERANK_API_KEY or OPENAI_API_KEY; "
        "once, or once per model.",
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        min=0, rich_help_panel=ENDPOINT, help=("Sampling temperature; sent only if given.")
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=2, rich_help_panel=ENDPOINT, help=("Maximum length of a reply; sent only if given.")
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=ENDPOINT,
        metavar="NAME=VALUE",
        help="Another request parameter, e.g. reasoning_effort=low; values may be numbers or JSON.",
    ),
]
Concurrency = Annotated[
    int,
    typer.Option(
        min=1,
        rich_help_panel=LIMITS,
        help="Calls in progress at the same time. If there are more than items, pairs are chosen "
        "a little worse.",
    ),
]
Timeout = Annotated[
    float, typer.Option(rich_help_panel=LIMITS, help=("Seconds until a call times out."))
]
Retries = Annotated[
    int, typer.Option(min=0, rich_help_panel=LIMITS, help="Retries of a failed call.")
]
PerMinute = Annotated[
    float | None, typer.Option(rich_help_panel=LIMITS, help=("Limit for each model."))
]
PriceFile = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=LIMITS,
        help="Price of a million tokens: CSV with the columns model, input, output; or TOML.",
    ),
]
MaxCalls = Annotated[
    int | None, typer.Option(rich_help_panel=LIMITS, help="Maximum number of calls with a reply.")
]
MaxTotalTokens = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=LIMITS,
        help=(
            "Maximum number of tokens of all calls, assuming that no reply is longer than those "
            "before."
        ),
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=LIMITS, help=("Maximum cost, on the same assumption; needs --prices.")
    ),
]


def judges_of(
    models: list[str] | None,
    panel: Path | None,
    base_urls: list[str] | None,
    key_variables: list[str] | None,
) -> list[str] | tuple[PanelJudge, ...]:
    """Return the judges: names of models, or those of a panel file."""
    if panel is None:
        if not models:
            raise InvalidArgument("no judge: name a model (--model) or a file of them (--panel)")
        return models
    given = {"--model": models, "--base-url": base_urls, "--key-variable": key_variables}
    if named := [option for option, values in given.items() if values]:
        raise InvalidArgument(f"{', '.join(named)} cannot be used with --panel: set it in {panel}")
    return read_panel(panel)


def parameters_of(
    given: list[str] | None, temperature: float | None, max_tokens: int | None
) -> dict[str, Any]:
    """Return the parameters sent with every call."""
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
    """Return the keys in the environment variables; None where no variable is named."""
    if not variables:
        return None
    if not all(
        os.environ.get(name) for name in variables
    ):  # the value is not shown, since it may be a key
        raise InvalidArgument(
            "the environment variable named by --key-variable is not set: give the name of a "
            "variable, not the key itself"
        )
    return [os.environ[name] for name in variables]


def money_of(
    prices: Path | None,
    calls: int | None,
    tokens: int | None,
    cost: float | None,
    panel: Path | None,
) -> dict[str, Any]:
    """Return prices and limits as options of a `ChatJudge`; a panel may have its own prices."""
    if cost is not None and prices is None and panel is None:
        raise InvalidArgument("--max-cost needs the prices of tokens: add --prices FILE")
    known = None if prices is None else Prices.read(prices)
    return {"prices": known, "caps": Caps(calls, tokens, cost)}
