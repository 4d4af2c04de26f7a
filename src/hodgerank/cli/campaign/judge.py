"""hodgerank campaign judge: language models answer as workers."""

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.summaries import CampaignProgress
from hodgerank.cli.campaign.arguments import Name, Where
from hodgerank.cli.console import (
    add_names,
    add_numbers,
    count,
    plain_table,
    show_table,
    show_warnings,
    verbatim,
)
from hodgerank.cli.judge_folder import INTERRUPTED, heeding_interrupts
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
from hodgerank.cli.judge_result import money
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.result import BAD_INPUT, CommandResult
from hodgerank.cli.result import INTERRUPTED as INTERRUPTED_STATUS
from hodgerank.collecting.call_loop import StopReason
from hodgerank.errors import InvalidArgument
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.run_on_campaign import CampaignRun, judge_campaign, judge_for
from hodgerank.judges.run_on_items import notes_on


@dataclass(frozen=True)
class CampaignJudgeResult(CommandResult):
    """Run of the models, and the progress of the campaign."""

    campaign: str
    database: str
    run: CampaignRun
    progress: CampaignProgress
    calls: Path
    trouble: str
    notes: tuple[str, ...]
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 if it was interrupted, or a model failed."""
        if self.run.reason == INTERRUPTED:
            return INTERRUPTED_STATUS
        return BAD_INPUT if any(model.is_failed for model in self.run.models) else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        run = self.run
        costs = {judge.model: asdict(judge.cost) for judge in run.judges}
        return {
            "campaign": self.campaign,
            "database": self.database,
            "answers": run.n_answers,
            "counted": run.n_counted,
            "skipped": run.n_skipped,
            "stopped_by": run.reason,
            "stop_code": StopReason(run.reason).code,
            "models": [{**asdict(model), "cost": costs[model.model]} for model in run.models],
            "notes": list(self.notes),
            "calls": str(self.calls),
            "progress": self.progress.to_dict(),
        }

    def show(self, console: Console) -> None:
        """Print the answers, then the models, then the progress."""
        run = self.run
        skipped = f", {run.n_skipped:,} skipped" if run.n_skipped else ""
        words = f"{count(run.n_answers, 'answer')}{skipped}; stopped: {run.reason}"
        console.print(verbatim(words))
        failures = [model.reason for model in run.models if model.is_failed]
        if run.n_skipped and not failures:
            failures = [f"last skipped task: {self.trouble}"]
        show_warnings([*failures, *self.notes], console)
        if run.reason == INTERRUPTED:
            console.print(verbatim("Run the same command again to resume.", "bold"))
        self._show_models(console)
        console.print(verbatim(self.progress.sentence, "bold"))
        console.print(verbatim(f"calls saved in {self.calls}"))

    def _show_models(self, console: Console) -> None:
        costs = {judge.model: judge.cost for judge in self.run.judges}
        table = plain_table()
        add_names(table, "model")
        add_numbers(table, "answers", "counted", "skipped", "from earlier runs", "tokens", "cost")
        for model in self.run.models:
            cost = costs[model.model]
            tokens = f"{cost.prompt_tokens + cost.completion_tokens:,}"
            table.add_row(
                verbatim(model.model),
                f"{model.n_answers:,}",
                f"{model.n_counted:,}",
                f"{model.n_skipped:,}",
                f"{model.n_known:,}",
                f"~{tokens}" if cost.estimated_calls else tokens,
                money(cost.cost, cost.currency),
            )
        console.print()
        show_table(table, console, spare=("cost", "tokens", "from earlier runs"))
        console.print()


def judge(
    where: Where,
    model: Models = None,
    panel: PanelFile = None,
    name: Name = None,
    budget: Annotated[
        int | None,
        typer.Option(min=1, help="Answers in this run. Default: as many as the campaign takes."),
    ] = None,
    answers: Answers = "choice",
    template: TemplateFile = None,
    probabilities: Probabilities = False,
    calls: Annotated[
        Path | None,
        typer.Option(help="File for every call. Default: beside the campaign file."),
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
    as_json: AsJson = False,
) -> CampaignJudgeResult:
    """Let language models answer as workers of a campaign.

    Each model is a worker under its own name. It gets the question of the campaign with the texts
    and images. Every reply is saved before it is used: if interrupted, run the same command again,
    and saved replies are not paid for twice. Calls in progress when the process is killed are made
    again, at most as many as --concurrency. A reply without a usable answer skips the task. The
    campaign must allow the answers: ties for --answers tie, grades = 0 for grades and
    probabilities. The API key comes from the environment.

    Examples:
      hodgerank campaign judge campaign.db -m NAME --budget 200

      hodgerank campaign judge campaign.db -m ONE -m OTHER --prices prices.csv --max-cost 5

      hodgerank campaign judge campaign.db -m NAME --base-url http://localhost:8000/v1
    """
    how: dict[str, Any] = {
        "base_url": base_url or None,
        "api_key": keys_of(key_variable),
        "template": template or answers,
        "probabilities": probabilities,
        "parameters": parameters_of(parameter, temperature, max_tokens),
        "timeout": timeout,
        "retries": retries,
        "requests_per_minute": requests_per_minute,
        "tokens_per_minute": tokens_per_minute,
        **money_of(prices, max_calls, max_total_tokens, max_cost, panel),
    }
    with Campaign.open(where, name) as campaign:
        log = _beside(where) if calls is None else calls
        who = judges_of(model, panel, base_url, key_variable)
        judges = judge_for(campaign, who, log=log, **how)
        run = asyncio.run(_run(judges, campaign, budget, concurrency))
        return CampaignJudgeResult(
            campaign=campaign.id,
            database=campaign.database.name,
            run=run,
            progress=campaign.progress(),
            calls=log,
            trouble=judges.trouble,
            notes=tuple(notes_on(judges)),
            as_json=as_json,
        )


async def _run(
    judges: ChatJudge, campaign: Campaign, budget: int | None, concurrency: int
) -> CampaignRun:
    with telling_progress():
        advance = doing("judging", budget)
        work = judge_campaign(
            judges,
            campaign,
            budget=budget,
            concurrency=concurrency,
            on_answer=lambda pair, answer: advance(),
        )
        return await heeding_interrupts(judges, work)


def _beside(where: str) -> Path:
    """Return the file for calls: campaign.calls.jsonl for campaign.db."""
    if "://" in where:
        raise InvalidArgument("a file for the calls is needed: --calls calls.jsonl")
    return Path(where).with_suffix(".calls.jsonl")
