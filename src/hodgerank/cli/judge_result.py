"""Output of `hodgerank judge`: the prompt before a run, the conclusion and the judges after it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    count,
    plain_table,
    show_table,
    show_warnings,
    verbatim,
)
from hodgerank.cli.result import BAD_INPUT, INTERRUPTED, NOT_UNIQUE, CommandResult
from hodgerank.collecting.call_loop import StopReason
from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.judges.expected_cost import ExpectedCost
from hodgerank.judges.prompts.images import logged
from hodgerank.judges.run_on_items import JudgedRun
from hodgerank.reporting.report import Report
from hodgerank.types import Pair


@dataclass(frozen=True)
class DryRunResult(CommandResult):
    """A prompt, and the expected cost of the campaign."""

    items: JudgedItems
    pair: Pair
    messages: list[dict[str, Any]]
    costs: list[ExpectedCost]
    currency: str
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "items": list(self.items.items),
            "left_out": list(self.items.left_out),
            "pair": list(self.pair),
            "messages": logged(self.messages),
            "expected": [asdict(cost) for cost in self.costs],
            "currency": self.currency,
        }

    def show(self, console: Console) -> None:
        """Print the prompt as it would be sent, and the costs as a table."""
        show_items(self.items, console)
        console.print(verbatim(f"prompt for {self.pair.left} and {self.pair.right}:"))
        for message in logged(self.messages):
            for line in _as_text(message["content"]).strip().splitlines():
                console.print(verbatim(line, "dim"), soft_wrap=True)
        table = plain_table()
        add_names(table, "model")
        add_numbers(table, "calls", "prompt tokens", "reply tokens", "cost")
        for cost in self.costs:
            table.add_row(
                verbatim(cost.model),
                f"{cost.calls:,}",
                f"{cost.prompt_tokens:,}",
                f"{cost.completion_tokens:,}",
                money(cost.cost, self.currency) or "unknown (--prices)",
            )
        console.print()
        show_table(table, console)
        words = (
            "Estimate: four letters per token and short replies. Reasoning models use many more "
            "tokens, and calls without a usable reply are not included."
        )
        console.print(verbatim(words, "dim"))


def _as_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = (part.get("text") or f"[image {part['image_url']['url']}]" for part in content)
    return "".join(parts)


@dataclass(frozen=True)
class JudgeResult(CommandResult):
    """A judged campaign and its files; without a report if it was interrupted."""

    run: JudgedRun
    report: Report | None
    n_before: int
    items: JudgedItems
    files: list[Path]
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 if it was interrupted, failed, has no votes, or has no unique ranking."""
        if self.report is None:
            return INTERRUPTED if self.run.result.reason == "interrupted" else BAD_INPUT
        if StopReason(self.run.result.reason).code == "failed":
            return BAD_INPUT
        found = self.report.findings
        return NOT_UNIQUE if getattr(found, "n_parts", 1) > 1 else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        run = self.run
        return {
            "question": run.question,
            "votes": run.result.n_votes,
            "stopped_by": run.result.reason,
            "stop_code": StopReason(run.result.reason).code,
            "judges": [
                {**asdict(judge), "cost": None if judge.cost is None else asdict(judge.cost)}
                for judge in run.judges
            ],
            "retired": dict(run.retired),
            "notes": list(run.notes),
            "suspicious": list(run.suspicious),
            "files": [str(path) for path in self.files],
            "report": None if self.report is None else self.report.to_dict(),
        }

    def show(self, console: Console) -> None:
        """Print the conclusion, then the judges, then the files."""
        result = self.run.result
        show_items(self.items, console)
        earlier = f", {self.n_before:,} replies from earlier runs" if self.n_before else ""
        words = f"{count(result.n_votes, 'vote')}{earlier}; stopped: {result.reason}"
        console.print(verbatim(words))
        console.print()
        if self.report is not None:
            for text in self.report.answer:
                console.print(verbatim(text, "bold"))
            show_warnings(map(str, self.report.concerns), console)
            if n := len(self.run.unjudged):
                words = f"{count(n, 'item')} without votes not ranked"
                show_warnings([words], console)
        elif self.exit_status == INTERRUPTED:
            console.print(verbatim("Run the same command again to resume.", "bold"))
        show_warnings(
            [f"{judge} was retired: {why}" for judge, why in self.run.retired.items()], console
        )
        show_warnings(self.run.notes, console)
        if n := len(self.run.suspicious):
            names = ", ".join(map(str, self.run.suspicious[:5])) + (" ..." if n > 5 else "")
            words = f"{count(n, 'item')} may address the judge, so check the ranks: {names}"
            show_warnings([words], console)
        self._show_judges(console)
        console.print(verbatim("written: " + ", ".join(map(str, self.files))))

    def _show_judges(self, console: Console) -> None:
        table = plain_table()
        add_names(table, "judge")
        names = ("votes", "abstained", "refused", "unparsable", "failed", "tokens", "cost")
        add_numbers(table, *names)
        for judge in self.run.judges:
            statuses, cost = judge.statuses, judge.cost
            tokens = f"{cost.prompt_tokens + cost.completion_tokens:,}"
            table.add_row(
                verbatim(judge.model),
                *(f"{count:,}" for count in statuses.values()),
                f"~{tokens}" if cost.estimated_calls else tokens,
                money(cost.cost, cost.currency),
            )
        console.print()
        show_table(table, console, spare=("cost", "tokens", "failed"))
        console.print()


def show_items(items: JudgedItems, console: Console) -> None:
    """Print how many items there are, and which were left out."""
    console.print(verbatim(items._headline()))
    if (n := items.n_groups) > 1:
        words = (
            f"! the items form {n:,} groups that share no context, so they cannot be ranked "
            "together"
        )
        console.print(verbatim(words, "yellow"))
    if items.left_out:
        names = ", ".join(items.left_out[:5]) + (" ..." if len(items.left_out) > 5 else "")
        console.print(verbatim(f"left out: {names}", "yellow"))


def money(amount: float | None, currency: str) -> str:
    """Return an amount with its currency, or nothing if unknown."""
    return "" if amount is None else f"{amount:,.4g} {currency}".rstrip()
