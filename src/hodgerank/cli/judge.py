"""hodgerank judge: rank texts, images or model outputs with language models as judges."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hodgerank.cli.campaign.arguments import (
    ContextColumn,
    Encoding,
    IdColumn,
    ImageColumn,
    StopRule,
    TextColumn,
)
from hodgerank.cli.judge_folder import CALLS, CAMPAIGN, RANKING, VOTES, JudgeFolder
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
    PanelFile,
    Parameters,
    PerMinute,
    PriceFile,
    Probabilities,
    Retries,
    Temperature,
    TemplateFile,
    Timeout,
    judges_of,
    keys_of,
    money_of,
    parameters_of,
)
from hodgerank.cli.judge_result import DryRunResult, JudgeResult
from hodgerank.cli.outputs import AsJson
from hodgerank.collecting.stopping import read_rule
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.items.judged_items import JudgedItems, read_items
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.data.vote_columns import written_names
from hodgerank.errors import InvalidArgument
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.expected_cost import expected_costs, some_pairs
from hodgerank.judges.question_plan import listed_questions
from hodgerank.judges.run_on_items import DEFAULT_BUDGET
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import MOST_EASY
from hodgerank.sampling.samplers.registry import build_sampler

Items = Annotated[
    str,
    typer.Argument(
        metavar="ITEMS",
        help="CSV, JSON lines, Parquet or Excel with the columns id, text and perhaps context "
        "(the prompt that the text answers) or image; or a folder of texts or images.",
    ),
]
Question = Annotated[
    str,
    typer.Option(
        "--question", "-q", help=("Question asked about every pair, e.g. 'Which is clearer?'.")
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of votes, including those of earlier runs. "
        f"[default: {DEFAULT_BUDGET}, or as many as --pairs needs]",
    ),
]
PairsFile = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        metavar="FILE",
        help="Votes of people: ask exactly the questions that they answered, pairs and prompts, to "
        "compare the judge with them (see agree).",
    ),
]
Overlap = Annotated[
    float,
    typer.Option(
        min=0, max=1,
        help="Share of questions that every judge gets, e.g. 0.1, to report how far judges agree.",
    ),
]  # fmt: skip
Orders = Annotated[
    Literal["single", "both"],
    typer.Option(
        help=("Show each pair in one order, balanced over all pairs, or in both (two calls).")
    ),
]
Repeats = Annotated[
    int,
    typer.Option(
        min=1, help="How often a model may get the same prompt; its replies count as one."
    ),
]
Strategy = Annotated[
    str,
    typer.Option(
        help="How pairs are chosen: auto, top-5, rounds, random ... (see plan); sort for one model "
        "at temperature 0 that keeps its choice when sides are swapped."
    ),
]
Vetting = Annotated[
    int,
    typer.Option(
        min=0,
        help="First votes per model on pairs that show random replies; 8 for models you do not "
        "know.",
    ),
]
EasyShare = Annotated[
    float,
    typer.Option(
        min=0, max=MOST_EASY, help="Share of easy pairs, good against bad, e.g. 0.2; see --vetting."
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help=("Print a prompt and the expected cost without calling any model.")
    ),
]
Title = Annotated[str | None, typer.Option(help="Title of the report.")]
Format = Annotated[Literal["html", "md"], typer.Option("--format", help="Format of the report.")]
Forecast = Annotated[
    bool, typer.Option("--forecast/--no-forecast", help="Forecast what more votes would add.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random choices.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help=f"Folder for the calls ({CALLS}), the campaign ({CAMPAIGN}), {VOTES}, {RANKING} and "
        "the report. If interrupted, run the same command again: it resumes.",
    ),
]


def judge(
    context: typer.Context,
    items: Items,
    question: Question,
    model: Models = None,
    panel: PanelFile = None,
    budget: Budget = None,
    pairs: PairsFile = None,
    overlap: Overlap = 0.0,
    stop: StopRule = None,
    answers: Answers = "choice",
    template: TemplateFile = None,
    probabilities: Probabilities = False,
    orders: Orders = "single",
    repeats: Repeats = 1,
    strategy: Strategy = "auto",
    vetting: Vetting = 0,
    easy_share: EasyShare = 0.0,
    dry_run: DryRun = False,
    title: Title = None,
    form: Format = "html",
    forecast: Forecast = True,
    id_column: IdColumn = None,
    text_column: TextColumn = None,
    context_column: ContextColumn = None,
    image_column: ImageColumn = None,
    encoding: Encoding = None,
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
    seed: Seed = 0,
    output: Output = None,
    as_json: AsJson = False,
) -> JudgeResult | DryRunResult:
    """Rank texts, images or model outputs with language models as judges.

    Pairs are chosen so that few calls suffice. The judges' position bias is estimated and
    corrected. Every reply is saved before it is used: if interrupted, run the same command again,
    and saved replies are not paid for twice. Calls in progress when the process is killed are made
    again, at most as many as --concurrency. Items may be texts, images, or the outputs of several
    systems for the same prompts. The API key comes from the environment.

    Examples:
      hodgerank judge summaries.csv -q "Which summary is more faithful?" -m NAME -o run/ --dry-run

      hodgerank judge summaries.csv -q "Which summary is more faithful?" -m NAME -o run/

      hodgerank judge outputs.jsonl -q "Which answer is better?" -m ONE -m OTHER --budget 800
      --stop "tau >= 0.9" --prices prices.csv --max-cost 5 -o run/

      hodgerank judge outputs.jsonl -q "Which answer is better?" --panel panel.toml --overlap 0.1
      -o run/

      hodgerank judge outputs.jsonl -q "Which answer is better?" -m NAME --pairs human.csv -o run/

      hodgerank judge images/ -q "Which is sharper?" -m NAME --base-url http://localhost:8000/v1
      -o run/
    """
    rule = None if stop is None else read_rule(stop)
    shown = read_items(
        items, encoding=encoding, id=id_column, text=text_column, context=context_column,
        image=image_column, track="",  # one ranking of all items; separate tracks need a campaign
    )  # fmt: skip
    judges = partial(
        ChatJudge, shown, question, models=judges_of(model, panel, base_url, key_variable),
        base_url=base_url or None, seed=seed,
        api_key="no model is called" if dry_run else keys_of(key_variable), repeats=repeats,
        template=template or answers, probabilities=probabilities, timeout=timeout, retries=retries,
        parameters=parameters_of(parameter, temperature, max_tokens),
        requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute,
        **money_of(prices, max_calls, max_total_tokens, max_cost, panel),
    )  # fmt: skip
    human = None
    if pairs is not None:
        if strategy != "auto" or vetting or easy_share:
            raise InvalidArgument(
                "--pairs names the questions, so nothing is chosen: leave out --strategy, "
                "--vetting and --easy-share"
            )
        strategy = "random"
        human = HumanQuestions.read(pairs, shown)
    if dry_run:
        log = None if output is None else output / CALLS
        if human is not None and budget is None:
            budget = human.n_questions * (2 if orders == "both" else 1)
        return _dry_run(judges(), budget or DEFAULT_BUDGET, seed, log, as_json)
    campaign = {
        "budget": budget, "stop": rule, "concurrency": concurrency, "orders": orders,
        "sampler": _sampler(strategy, shown, seed, vetting, easy_share), "overlap": overlap,
        "questions": None if human is None else human.votes, "seed": seed,
    }  # fmt: skip
    page = {"title": title or question, "with_forecast": forecast, "seed": seed}
    return _run(context, judges, campaign, page, _folder(output, form), human, as_json)


@dataclass(frozen=True)
class HumanQuestions:
    """Votes of people whose questions are asked."""

    path: Path
    votes: Comparisons
    n_questions: int
    prompt_column: str

    @classmethod
    def read(cls, path: Path, items: JudgedItems) -> HumanQuestions:
        """Read the votes of people; raises an error for questions that cannot be asked."""
        votes = VoteSource(path, ReadOptions()).answers()
        listed = listed_questions(votes, items, str(path))
        return cls(path, votes, len(listed.questions), listed.prompt_column)

    def command(self, votes: Path) -> str:
        """Return the command that compares the judge with people."""
        words = ["hodgerank", "agree", str(self.path), str(votes)]
        if self.prompt_column != "context":
            own = ("left", "right", "outcome", "worker", "context", "asked_by")
            written = written_names([self.prompt_column], own)
            words += ["--judge-unit", written[self.prompt_column]]
        return shlex.join(words)


def _sampler(
    strategy: str, items: JudgedItems, seed: int, vetting: int, easy_share: float
) -> Sampler:
    return build_sampler(
        strategy, items.items, seed=seed, candidates=items.comparable, position_bias="worker",
        vetting=vetting, easy_share=easy_share,
    )  # fmt: skip


def _folder(output: Path | None, form: str) -> JudgeFolder:
    if output is None:
        raise InvalidArgument("a folder for calls, votes and report is needed: -o run/")
    return JudgeFolder(output, form)


def _run(
    context: typer.Context,
    make_judge: Callable[..., ChatJudge],
    campaign: dict[str, Any],
    page: dict[str, Any],
    folder: JudgeFolder,
    human: HumanQuestions | None,
    as_json: bool,
) -> JudgeResult:
    """Run or resume the campaign in its folder, and write the report."""
    judge = make_judge(log=folder.calls)
    n_before = len(judge.judged)
    run = folder.run(judge, **campaign)
    command = shlex.join(["hodgerank", *context.find_root().obj])
    report = folder.report(run, command=command, **page)
    compare = "" if human is None else human.command(folder.votes)
    return JudgeResult(run, report, n_before, judge.items, folder.files, compare, as_json)


def _dry_run(
    judge: ChatJudge, budget: int, seed: int, log: Path | None, as_json: bool
) -> DryRunResult:
    pair = some_pairs(judge, seed)[0]
    costs, currency = expected_costs(judge, budget, seed, log), judge.ledger.prices.currency
    return DryRunResult(judge.items, pair, judge.messages(pair), costs, currency, as_json)
