"""hodgerank plan: the pairs to ask next."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.plan_groups import plan_each
from hodgerank.cli.plan_result import PlanResult
from hodgerank.cli.planning import planned
from hodgerank.cli.votes import VOTES, answers_or_items, reads_votes

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons

LIST = "one per line in a .txt, or a table with a column item"


@partial(
    reads_votes,
    reader=answers_or_items,
    on_groups=plan_each,
    about_files=f"{VOTES} Or a list of items: {LIST}.",
)
def plan(
    votes: "Comparisons",
    budget: Annotated[
        int, typer.Option("--budget", "-n", min=1, max=1_000_000, help="How many pairs.")
    ] = 20,
    strategy: Annotated[
        str,
        typer.Option(
            help="auto, rank, bayesian, d-optimal, fiedler, crowd-bt, rounds or random.",
        ),
    ] = "auto",
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Aim at which items are the N best, not at the order of all."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="List of all items, if some have no votes yet: .txt, or column item."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="An item not to ask, or a file of pairs not to ask; may be repeated."),
    ] = None,
    pending: Annotated[
        Path | None, typer.Option(help="File of pairs that are out and not answered yet.")
    ] = None,
    for_worker: Annotated[
        str | None, typer.Option("--for", help="Leave out what this worker has answered.")
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Expected Kendall's tau to forecast for, or with --top how certain the best are "
            "to be; 0.9 up to 200 items, 0 for none."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Breaks ties.")] = 0,
    show: Annotated[int, typer.Option(min=0, help="Show N pairs, 0 shows all.")] = 50,
    output: Annotated[
        Path | None,
        output_option(
            "Write a sheet to be filled in (pair, left, right, answer, worker, note, asked_by): "
            ".csv, .parquet, .json"
        ),
    ] = None,
    as_json: AsJson = False,
) -> PlanResult:
    """Plan the next pairs to ask, best first, from the votes so far or from a list of items.

    Each pair is chosen as if those before it were already out, so the whole list can be handed out
    at once. Left and right are balanced over what was shown before. In the sheet that --output
    writes, a survey team fills in the answer (left, right, tie, or the name) and the worker; a pair
    that is asked twice is for another person. Filled in as far as it is, it is read like any votes;
    by the column asked_by it is known that earlier answers led to the pairs.

    Examples:
      hodgerank plan items.txt --budget 50 -o pairs.csv

      hodgerank plan votes.csv --budget 50 --top 5

      hodgerank plan votes.csv sheet.csv --exclude item-07 --pending sheet.csv
    """
    return planned(
        votes,
        budget=budget,
        strategy=strategy,
        top=top,
        items=items,
        exclude=exclude,
        pending=pending,
        for_worker=for_worker,
        target=target,
        seed=seed,
        show=show,
        output=output,
        as_json=as_json,
    )
