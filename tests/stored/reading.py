"""What stored files say, and how work goes on from them.

`make` notes what the commit that wrote the files makes of them, and the tests compare what the
present code makes of copies. All that is returned is made of values without the names that the
library gives them, so that names may change. All functions work in the current folder, which is a
copy: they may change it.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import hodgerank as hr
from hodgerank.campaign import Campaign, Database
from hodgerank.cli import main
from hodgerank.errors import CampaignError, HodgeRankError, NoTask
from hodgerank.judges import judge_campaign, judge_for
from stored.endpoint import BASE_URL, stand_in_at_base_url

QUESTION = "Which text is better?"
DATABASE, IMPORTED = "campaigns.db", "imported.csv"
CAMPAIGNS = ("posters", "drinks", "ended")
STATES = {"names": [], "traits": ["--unit", "page"]}
NOON = 1_750_000_000.0
LATER = NOON + 90_000  # after everything that make does, before some leases end
SCORES = {"juice": 1.0, "tea": 0.6, "milk": 0.1, "cola": -0.4, "water": -1.0}


# What may happen in one process after the other


@dataclass
class Clock:
    """A time that goes on when it is told to."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


def command(*words: object, status: int = 0) -> str:
    """What a command prints, which ends with this exit status."""
    printed, ended = io.StringIO(), 0
    with redirect_stdout(printed):
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            ended = int(end.code or 0)
    assert ended == status, printed.getvalue()
    return printed.getvalue()


def is_refused(work: Callable[[], Any]) -> bool:
    """Whether the library refuses to do it."""
    try:
        work()
    except HodgeRankError:
        return True
    return False


def ranked(ranking: hr.Ranking) -> list[Any]:
    """Items with scores, ranks, intervals of ranks and numbers of answers, best first."""
    columns = (ranking.scores, ranking.ranks, ranking.rank_intervals, ranking.votes)
    return [list(row) for row in zip(ranking.items, *(c.tolist() for c in columns), strict=True)]


def ranked_in(table: Path) -> list[Any]:
    """The same of a file that a command wrote."""
    with table.open(newline="", encoding="utf-8") as file:
        return [
            [row["item"], float(row["score"]), int(row["rank"]), int(row["votes"])]
            for row in csv.DictReader(file)
        ]


# Campaigns


def described(campaign: Campaign) -> dict[str, Any]:
    """All that a campaign, open for reading only, tells of itself."""
    counts, progress = campaign.counts, campaign.progress()
    return {
        "counts": [
            counts.status, counts.seq, counts.at, counts.n_items, counts.n_retired,
            counts.n_votes, counts.n_given, counts.n_out, counts.n_workers, counts.n_banned,
            counts.budget, [[rule.n_passed, rule.n_failed] for rule in counts.rules],
        ],
        "progress": [
            progress.is_enough,
            [[t.track, t.n_items, t.n_votes, t.expected_tau, t.is_enough]
             for t in progress.tracks],
        ],
        "items": [[item.id, item.text, item.media, item.track] for item in campaign.items],
        "retired": campaign.retired,
        "workers": [
            [
                one.worker, one.n_answers, one.n_counted, one.n_out, one.n_skipped, one.n_expired,
                one.median_seconds, one.left_share, one.gold_right, one.gold_seen,
                one.repeats_agreeing, one.repeats_seen, sorted(one.marks.values()), one.is_banned,
                one.ban_reason, one.joined_at, one.last_at, one.outcome, sorted(one.panel.values()),
            ]
            for one in campaign.workers()
        ],
        "answers": [
            [
                row["left"], row["right"], row["outcome"], row["worker"], row["weight"],
                row["time"], row["seconds"], row["track"], row["is_counted"],
                len(row["marks"].split()), row["is_late"], row["is_display_known"],
            ]
            for row in campaign.answers()
        ],
        "rankings": {track: ranked(campaign.ranking(track)) for track in campaign.tracks},
    }  # fmt: skip


def values_of_settings(campaign: Campaign) -> list[str]:
    """What is set, whatever it is called."""
    return sorted(_leaves(campaign.settings.to_dict()))


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in _leaves(each)]
    return [repr(value)]


def campaigns() -> dict[str, Any]:
    """The campaigns of the database."""
    with Database(DATABASE):  # which is upgraded where that is needed
        pass
    with Database(DATABASE, read_only=True) as database:
        return {id: described(Campaign(database, id)) for id in database.campaigns()}


def settings() -> dict[str, list[str]]:
    """Their settings."""
    with Database(DATABASE) as database:
        return {id: values_of_settings(Campaign(database, id)) for id in database.campaigns()}


def campaigns_of_logs() -> dict[str, Any]:
    """The campaigns that are made again of their logs, by the command."""
    for id in CAMPAIGNS:
        command("campaign", "import", f"{id}.log.jsonl", "-o", "again.db")
    with Database("again.db", read_only=True) as database:
        return {id: described(Campaign(database, id)) for id in database.campaigns()}


def continued(name: str = DATABASE) -> dict[str, Any]:
    """The campaigns of a database after some more has happened in each."""
    with Database(name) as database:
        happened = {id: _go_on(database, id, IMPORTED) for id in CAMPAIGNS}
    with Database(name, read_only=True) as database:
        said = {id: described(Campaign(database, id)) for id in CAMPAIGNS}
    return {
        id: {"happened": happened[id], **{what: said[id][what] for what in ("counts", "rankings")}}
        for id in CAMPAIGNS
    }


def continued_from_logs() -> dict[str, Any]:
    """The same from their logs."""
    with Database("again.db") as database:
        for id in CAMPAIGNS:
            Campaign.load(database, f"{id}.log.jsonl")
    return continued("again.db")


def _go_on(database: Database, id: str, votes: Path) -> list[Any]:
    clock = Clock(LATER)
    campaign = Campaign(database, id, clock=clock, random=Random(id))
    happened: list[Any] = [is_refused(lambda: campaign.import_votes(votes))]
    for worker in ("open", "ann", "newcomer", "banned"):
        for turn in range(3):
            clock.now += 5
            try:
                tasks = campaign.lease(worker, 2)
            except NoTask:
                happened.append([worker, "has no task"])
                break
            happened.append([[t.id, t.left, t.right, t.track, t.expires] for t in tasks])
            try:
                receipt = campaign.answer(tasks[0], 1 if turn else -1, worker=worker, seconds=2.5)
            except CampaignError:
                happened.append("refused")
                break
            happened.append([receipt.is_counted, receipt.is_late, len(receipt.marks)])
            if turn == 2:
                campaign.undo(worker)
            if len(tasks) > 1:
                campaign.skip(tasks[1], worker=worker)
    return happened


# Votes and rankings in files


def votes() -> dict[str, Any]:
    """The rankings of exported votes."""
    found: dict[str, Any] = {}
    for name in ("posters.votes.csv", "posters.answers.csv", "posters.answers.parquet"):
        groups = hr.read_comparisons(name, group="track")
        found[name] = {
            str(track): [len(one), ranked(hr.bayes_rank(one, position_bias="worker"))]
            for track, one in groups.items()
        }
    for name, model in (
        ("drinks.votes.csv", ("-m", "hodgerank")),
        ("ended.votes.csv", ("--equal-weights",)),
    ):
        command("rank", name, *model, "-o", "ranking.csv")
        found[name] = ranked_in(Path("ranking.csv"))
    return found


def states() -> dict[str, Any]:
    """What states of rank say with one more file, and that they know those they have."""
    found = {}
    for state in STATES:
        for earlier in ("first", "second"):
            command(*state_words(state, earlier), status=2)
        command(*state_words(state, "third"), "-o", "ranking.csv")
        command(*state_words(state, "third"), status=2)
        found[state] = ranked_in(Path("ranking.csv"))
    return found


def state_words(state: str, votes: str) -> list[object]:
    """The command that adds votes to a state."""
    words = ["rank", f"states/{votes}.csv", "--state", f"states/{state}.parquet"]
    return [*words, *STATES[state]]


# Runs


def judged_by_score(pair: hr.Pair) -> Any:
    """A judge of drinks who is sometimes undecided, and one in three times somebody else."""
    gap = SCORES[str(pair.left)] - SCORES[str(pair.right)]
    outcome = 0.0 if abs(gap) < 0.45 else 1.0 if gap > 0 else -1.0
    who = "even" if (len(str(pair.left)) + len(str(pair.right))) % 3 else "odd"
    return hr.Answer(outcome, who, 1.0 if outcome else 0.5)


def runs() -> dict[str, Any]:
    """Runs that go on from their files of answers, and who was asked meanwhile."""
    found = {}
    for name, n in (("run", 18), ("run_async", 17)):
        asked: list[hr.Pair] = []

        def judge(pair: hr.Pair, asked: list[hr.Pair] = asked) -> Any:
            asked.append(pair)
            return judged_by_score(pair)

        result = run(name, Path(f"{name}.answers.jsonl"), n, judge)
        found[name] = [list(map(list, asked)), result.n_votes, ranked(result.ranking)]
    return found


def run(name: str, log: Path, budget: int, judge: Callable[[hr.Pair], Any]) -> hr.RunResult:
    """One that keeps its answers in a file."""
    if name == "run":
        sampler = hr.AutoSampler(SCORES, seed=4, position_bias="worker")
        return hr.run(sampler, judge, budget, log=log, progress=False)

    async def later(pair: hr.Pair) -> Any:
        return judge(pair)

    sampler = hr.RandomSampler(SCORES, seed=5)
    work = hr.run_async(sampler, later, budget, log=log, concurrency=1, progress=False)
    return asyncio.run(work)


# Judges


def scores_of(name: str) -> dict[str, float]:
    """What the stand-in knows of the texts or images that are judged."""
    place = Path("judged")
    if name == "pictures":
        images = sorted((place / "images").iterdir())
        names = [f"sha256:{sha256(image.read_bytes()).hexdigest()}" for image in images]
        return {name: float(k) for k, name in enumerate(names)}
    table = place / ("outputs.csv" if name == "interrupted" else "items.csv")
    with table.open(newline="", encoding="utf-8") as file:
        return {row["text"]: float(row["score"]) for row in csv.DictReader(file)}


def judge_words(name: str) -> list[object]:
    """The command that wrote a judge folder."""
    place = Path("judged")
    ways: dict[str, list[object]] = {
        "finished": [
            place / "items.csv", "-m", "small", "-m", "large", "--answers", "tie", "--budget", 24,
            "--repeats", 2, "--max-tokens", 40, "--prices", place / "prices.csv",
        ],
        "interrupted": [
            place / "outputs.csv", "-m", "large", "--orders", "both", "--budget", 20,
            "--parameter", "reasoning_effort=low",
        ],
        "pictures": [
            place / "images", "-m", "large", "--probabilities", "--budget", 8,
            "--strategy", "rounds",
        ],
    }  # fmt: skip
    usual = ["-q", QUESTION, "--format", "md", "--no-forecast", "--concurrency", 1, "--retries", 0]
    return ["judge", *ways[name], *usual, "--base-url", BASE_URL, "-o", place / name]


def judged(name: str) -> dict[str, Any]:
    """A judge folder when its command is given again, and the calls that it made then."""
    with stand_in_at_base_url(scores_of(name)) as fake_llm:
        command(*judge_words(name))
        calls = [[call.model, call.body["messages"]] for call in fake_llm.calls]
    place = Path("judged", name)
    with (place / "votes.csv").open(newline="", encoding="utf-8") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    return {"calls": calls, "votes": rows, "ranking": ranked_in(place / "ranking.csv")}


def finished() -> dict[str, Any]:
    """The one that was run to its end."""
    return judged("finished")


def interrupted() -> dict[str, Any]:
    """The one that reached a cap half way."""
    return judged("interrupted")


def pictures() -> dict[str, Any]:
    """The one that shows images, and takes probabilities for answers."""
    return judged("pictures")


def models_at_the_end() -> dict[str, Any]:
    """A campaign whose budget a model has used up, when the command is given again."""
    place = Path("models")
    with stand_in_at_base_url(scores_of("models")) as fake_llm:
        command("campaign", "judge", place / "ended.db", "-m", "large", "--base-url", BASE_URL)
        calls = [[call.model, call.body["messages"]] for call in fake_llm.calls]
    with Campaign.open(place / "ended.db", read_only=True) as campaign:
        return {"calls": calls, "rankings": described(campaign)["rankings"]}


def models_that_broke_off() -> dict[str, Any]:
    """A campaign in which replies were not handed in, and tasks are out, when it goes on."""
    place, clock = Path("models"), Clock(LATER)
    with (
        stand_in_at_base_url(scores_of("models")) as fake_llm,
        Campaign.open(place / "broken.db", clock=clock, random=Random(2)) as campaign,
    ):
        judge_on(campaign, place / "broken.calls.jsonl", budget=20)
        calls = [[call.model, call.body["messages"]] for call in fake_llm.calls]
    with Campaign.open(place / "broken.db", read_only=True) as campaign:
        said = described(campaign)
    return {"calls": calls, **{what: said[what] for what in ("counts", "rankings")}}


def judge_on(campaign: Campaign, log: Path, budget: int) -> None:
    """Let a model work on a campaign."""

    async def work() -> None:
        judge = judge_for(campaign, "large", base_url=BASE_URL, log=log, retries=0)
        try:
            await judge_campaign(judge, campaign, budget=budget, concurrency=1)
        finally:
            await judge.close()

    asyncio.run(work())


PARTS: Mapping[str, Callable[[], Any]] = {
    part.__name__: part
    for part in (
        campaigns,
        settings,
        continued,
        votes,
        states,
        runs,
        finished,
        interrupted,
        pictures,
        models_at_the_end,
        models_that_broke_off,
    )
}
"""What is noted in expected.json; each is called in a copy of the folder."""


def plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))
