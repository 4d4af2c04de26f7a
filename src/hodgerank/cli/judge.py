"""hodgerank judge: rank anything with language models as judges."""

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.campaign_folder import CALLS, RANKING, VOTES, CampaignFolder
from hodgerank.cli.judge_result import DryRunResult, JudgeResult
from hodgerank.cli.outputs import AsJson
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.judges.chat_judge import ChatJudge

COLUMNS, ENDPOINT, LIMITS = "Columns of ITEMS", "Endpoint", "Limits"


def judge(
    context: typer.Context,
    items: Annotated[
        str,
        typer.Argument(
            metavar="ITEMS",
            help="CSV, JSON lines, Parquet or Excel with id, text and perhaps context (the prompt "
            "that is answered) or image; or a folder of texts or images.",
        ),
    ],
    question: Annotated[
        str, typer.Option("--question", "-q", help="Which of the two? Asked of every pair.")
    ],
    model: Annotated[
        list[str], typer.Option("--model", "-m", help="Who judges; several take turns.")
    ],
    budget: Annotated[int, typer.Option(min=1, help="Answers, earlier ones included.")] = 400,
    stop: Annotated[
        str | None,
        typer.Option(help="Stop sooner: 'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2'; and, or."),
    ] = None,
    answers: Annotated[
        Literal["choice", "tie", "grade"],
        typer.Option(help="What may be answered: a choice, a choice or tie, five grades."),
    ] = "choice",
    template: Annotated[
        Path | None, typer.Option(help="A prompt of your own (TOML) instead of --answers.")
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(help="Take the probability of the answer, where the endpoint gives it."),
    ] = False,
    orders: Annotated[
        Literal["single", "both"],
        typer.Option(help="Show a pair in one order, balanced over all, or in both: two calls."),
    ] = "single",
    repeats: Annotated[
        int,
        typer.Option(
            min=1, help="How often a model may be asked the very same; its replies count as one."
        ),
    ] = 1,
    strategy: Annotated[
        str, typer.Option(help="How pairs are chosen, as in plan: auto, top-5, rounds, random ...")
    ] = "auto",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print a prompt and the expected cost; call nobody.")
    ] = False,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    form: Annotated[
        Literal["html", "md"], typer.Option("--format", help="Of the report.")
    ] = "html",
    forecast: Annotated[
        bool,
        typer.Option("--forecast/--no-forecast", help="Foresee what more answers would buy."),
    ] = True,
    id_column: Annotated[
        str | None, typer.Option("--id", rich_help_panel=COLUMNS, help="If not found by name.")
    ] = None,
    text_column: Annotated[
        str | None, typer.Option("--text", rich_help_panel=COLUMNS, help="Likewise.")
    ] = None,
    context_column: Annotated[
        str | None,
        typer.Option("--context", rich_help_panel=COLUMNS, help="Likewise; '' leaves it out."),
    ] = None,
    image_column: Annotated[
        str | None,
        typer.Option("--image", rich_help_panel=COLUMNS, help="Likewise; paths beside ITEMS."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(rich_help_panel=COLUMNS, help="Of ITEMS, if not UTF-8.")
    ] = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=ENDPOINT,
            help="Address of an OpenAI-compatible server; once, or once for each model.",
        ),
    ] = None,
    key_variable: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=ENDPOINT,
            metavar="NAME",
            help="Environment variable with the key, if not HODGERANK_API_KEY or OPENAI_API_KEY; "
            "once, or once for each model.",
        ),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, rich_help_panel=ENDPOINT, help="Sent if given.")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=2, rich_help_panel=ENDPOINT, help="Of a reply; sent if given."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=ENDPOINT,
            metavar="NAME=VALUE",
            help="Anything else to send, e.g. reasoning_effort=low; numbers and JSON as such.",
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, rich_help_panel=LIMITS, help="Calls that are out at once.")
    ] = 16,
    timeout: Annotated[
        float, typer.Option(rich_help_panel=LIMITS, help="Seconds for one try.")
    ] = 60.0,
    retries: Annotated[
        int, typer.Option(min=0, rich_help_panel=LIMITS, help="Further tries of a call.")
    ] = 6,
    requests_per_minute: Annotated[
        float | None, typer.Option(rich_help_panel=LIMITS, help="Of each model.")
    ] = None,
    tokens_per_minute: Annotated[
        float | None, typer.Option(rich_help_panel=LIMITS, help="Of each model.")
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=LIMITS,
            help="What a million tokens cost: CSV with model, input, output, or TOML.",
        ),
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option(rich_help_panel=LIMITS, help="Calls with a reply, at most.")
    ] = None,
    max_total_tokens: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=LIMITS,
            help="Of all calls, if no reply is longer than those before.",
        ),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(rich_help_panel=LIMITS, help="Money, likewise; needs --prices.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Makes the choice of pairs repeatable.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"A folder that gets every call ({CALLS}), {VOTES}, {RANKING} and the report. The "
            "same command goes on where it was interrupted.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> JudgeResult | DryRunResult:
    """Rank anything with language models as judges: a few hundred calls, and a report.

    Pairs are chosen so that few calls go far, judges' leaning to the first or second item is
    measured and allowed for, and every reply is on disk before it is used: whatever interrupts it,
    the same command goes on, and what is on disk is not paid for again. Items may be texts,
    images, or the outputs of several systems to the same prompts. The key comes from the
    environment.

    Examples:
      hodgerank judge summaries.csv -q "Which summary is more faithful?" -m NAME -o run/ --dry-run

      hodgerank judge summaries.csv -q "Which summary is more faithful?" -m NAME -o run/

      hodgerank judge outputs.jsonl -q "Which answer is better?" -m ONE -m OTHER --budget 800
      --stop "tau >= 0.9" --prices prices.csv --max-cost 5 -o run/

      hodgerank judge images/ -q "Which is sharper?" -m NAME --base-url http://localhost:8000/v1
      -o run/
    """
    from hodgerank.collecting.rule_text import read_rule
    from hodgerank.data.items.judged_items import read_items
    from hodgerank.judges.chat_judge import ChatJudge
    from hodgerank.sampling.samplers.by_name import build_sampler

    parameters = _parameters(parameter, temperature, max_tokens)
    rule = None if stop is None else read_rule(stop)
    columns: dict[str, Any] = {
        "id": id_column, "text": text_column, "context": context_column, "image": image_column
    }  # fmt: skip
    shown = read_items(items, encoding=encoding, **columns)
    how = {
        "models": model,
        "base_url": base_url or None,
        "api_key": _keys(key_variable, dry_run),
        "template": template or answers,
        "probabilities": probabilities,
        "parameters": parameters,
        "repeats": repeats,
        "timeout": timeout,
        "retries": retries,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        **_money(prices, max_calls, max_total_tokens, max_cost),
        "seed": seed,
    }
    if dry_run:
        return _dry_run(ChatJudge(shown, question, **how), budget, seed, as_json)
    if output is None:
        raise InvalidArgument("name a folder for calls, votes and report: -o run/")
    sampler = build_sampler(
        strategy, shown.items, seed=seed, candidates=shown.comparable, position="worker"
    )
    folder = CampaignFolder(output, form)
    judges = ChatJudge(shown, question, log=folder.calls, **how)
    n_before = len(judges.judged)
    run = folder.run(
        judges,
        budget=budget,
        sampler=sampler,
        stop=rule,
        concurrency=concurrency,
        orders=orders,
    )
    report = folder.report(
        run,
        title=title or question,
        with_forecast=forecast,
        seed=seed,
        command=shlex.join(["hodgerank", *context.find_root().obj]),
    )
    return JudgeResult(run, report, n_before, shown, folder.files, as_json)


def _dry_run(judge: "ChatJudge", budget: int, seed: int, as_json: bool) -> DryRunResult:
    from hodgerank.judges.expected_cost import expected_costs, some_pairs

    pair = some_pairs(judge, seed)[0]
    costs, currency = expected_costs(judge, budget, seed), judge.ledger.prices.currency
    return DryRunResult(judge.items, pair, judge.messages(pair), costs, currency, as_json)


def _parameters(
    given: list[str] | None, temperature: float | None, max_tokens: int | None
) -> dict[str, Any]:
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


def _keys(variables: list[str] | None, dry_run: bool) -> list[str] | str | None:
    if dry_run or not variables:
        return "nobody is called" if dry_run else None
    if not all(os.environ.get(name) for name in variables):  # it may be a key: it is not shown
        raise InvalidArgument(
            "an environment variable that --key-variable names is not set: it takes the name of "
            "one that holds the key, not the key"
        )
    return [os.environ[name] for name in variables]


def _money(
    prices: Path | None, calls: int | None, tokens: int | None, cost: float | None
) -> dict[str, Any]:
    from hodgerank.judges.ledger.ledger import Caps
    from hodgerank.judges.ledger.prices import Prices

    if cost is not None and prices is None:
        raise InvalidArgument("--max-cost needs to know what tokens cost: --prices FILE")
    known = None if prices is None else Prices.read(prices)
    return {"prices": known, "caps": Caps(calls, tokens, cost)}
