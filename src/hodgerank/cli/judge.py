"""hodgerank judge: rank anything with language models as judges."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.judge_folder import CALLS, RANKING, VOTES, JudgeFolder
from hodgerank.cli.judge_options import (
    Answers,
    BaseUrls,
    Concurrency,
    KeyVariables,
    MaxCalls,
    MaxCost,
    MaxTokens,
    MaxTotalTokens,
    Models,
    Parameters,
    PerMinute,
    PriceFile,
    Probabilities,
    Retries,
    Temperature,
    TemplateFile,
    Timeout,
    keys_of,
    money_of,
    parameters_of,
)
from hodgerank.cli.judge_result import DryRunResult, JudgeResult
from hodgerank.cli.outputs import AsJson
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from hodgerank.judges.chat_judge import ChatJudge

COLUMNS = "Columns of ITEMS"


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
    model: Models,
    budget: Annotated[int, typer.Option(min=1, help="Answers, earlier ones included.")] = 400,
    stop: Annotated[
        str | None,
        typer.Option(help="Stop sooner: 'tau >= 0.9', 'top 3 >= 0.95', 'ranks <= 2'; and, or."),
    ] = None,
    answers: Answers = "choice",
    template: TemplateFile = None,
    probabilities: Probabilities = False,
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
    base_url: BaseUrls = None,
    key_variable: KeyVariables = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    parameter: Parameters = None,
    concurrency: Concurrency = 16,
    timeout: Timeout = 60.0,
    retries: Retries = 6,
    requests_per_minute: PerMinute = None,
    tokens_per_minute: PerMinute = None,
    prices: PriceFile = None,
    max_calls: MaxCalls = None,
    max_total_tokens: MaxTotalTokens = None,
    max_cost: MaxCost = None,
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
    from hodgerank.collecting.stopping import read_rule
    from hodgerank.data.items.judged_items import read_items
    from hodgerank.judges.chat_judge import ChatJudge
    from hodgerank.sampling.samplers.registry import build_sampler

    parameters = parameters_of(parameter, temperature, max_tokens)
    rule = None if stop is None else read_rule(stop)
    columns: dict[str, Any] = {
        "id": id_column, "text": text_column, "context": context_column, "image": image_column,
        "track": "",  # one ranking of all: what is ranked apart takes a campaign
    }  # fmt: skip
    shown = read_items(items, encoding=encoding, **columns)
    how = {
        "models": model,
        "base_url": base_url or None,
        "api_key": "nobody is called" if dry_run else keys_of(key_variable),
        "template": template or answers,
        "probabilities": probabilities,
        "parameters": parameters,
        "repeats": repeats,
        "timeout": timeout,
        "retries": retries,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        **money_of(prices, max_calls, max_total_tokens, max_cost),
        "seed": seed,
    }
    if dry_run:
        return _dry_run(ChatJudge(shown, question, **how), budget, seed, as_json)
    if output is None:
        raise InvalidArgument("name a folder for calls, votes and report: -o run/")
    sampler = build_sampler(
        strategy, shown.items, seed=seed, candidates=shown.comparable, position_bias="worker"
    )
    folder = JudgeFolder(output, form)
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
