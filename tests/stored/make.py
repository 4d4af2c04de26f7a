"""Write stored files with the hodgerank of some commit, to be opened by all later ones.

Each folder beside this file is called by the commit that wrote it, and `test_stored_data.py` opens
them all. To add one, say for a release, let the code of that commit write it in a worktree::

    git worktree add --detach /tmp/old COMMIT
    cd /tmp/old/tests
    PYTHONPATH=/tmp/old/src python -m stored.make stored/COMMIT

and copy the new folder here. Never write a folder anew with later code: what it is for would be
lost. This file and `reading.py` go with the library as it is now. bb9a080 came before both: its
folder was written by their first version (`git log --diff-filter=A tests/stored/make.py`), run in
`tests` with PYTHONPATH set to the `src` of a worktree of bb9a080.

Ids, times and answers of campaigns are always the same; logs of calls have the time of the run.
"""

from __future__ import annotations

import csv
import json
import secrets
import shutil
import struct
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import chdir
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import hodgerank as hr
from hodgerank.campaign import Campaign, CampaignItem, Database
from hodgerank.campaign.events import KINDS
from hodgerank.errors import NoTask
from hodgerank.judges.fake_llm import Faults
from hodgerank.server.api_keys import ApiKeys
from hodgerank.server.media.library import MediaLibrary
from stored.endpoint import BASE_URL, stand_in_at_base_url
from stored.reading import (
    CAMPAIGNS,
    DATABASE,
    IMPORTED,
    LATER,
    PARTS,
    QUESTION,
    STATES,
    Clock,
    command,
    judge_on,
    judge_words,
    judged_by_score,
    plain,
    run,
    scores_of,
    state_words,
)

SAMPLERS = ("rank", "bayesian", "d-optimal", "fiedler", "crowd-bt", "rounds", "random", "top-2")
DAY = {f"day {k}": f"A poster of day {k}." for k in range(1, 7)}
NIGHT = {f"night {k}": f"A poster of night {k}." for k in range(1, 5)}
TRUTH = {name: -float(k) for names in (DAY, NIGHT) for k, name in enumerate(names)}
TEXTS = {
    "plain": ("The cat sat on the mat.", 0.0),
    "same": ("The cat sat on the mat.", 0.0),
    "short": ("A cat sat.", -1.0),
    "lively": ("The cat leapt, purring, upon its mat.", 1.5),
    "long": ("There was once a cat, and it sat upon a mat that lay there.", 0.5),
    "dull": ("Cat, mat: sitting.", -2.0),
}
PANEL = {
    "kind": "prolific",
    "return_to": "https://panel.example/done?cc={code}&who={worker}",
    "return_origins": ["https://panel.example"],
    "completed": "CODE-C",
    "screened_out": "CODE-S",
    "withdrawn": "CODE-W",
}
POSTERS: dict[str, Any] = {
    "question": "Which poster is clearer?",
    "title": "Posters",
    "instructions": "Look at both before you *decide*.",
    "ties": True,
    "grades": 2,
    "skip_reasons": ["cannot decide", "broken picture"],
    "budget": 301,
    "sampler": "auto",
    "position_bias": "worker",
    "vetting": 2,
    "display": "random",
    "seed": 11,
    "answers_per_worker": 41,
    "open_per_worker": 3,
    "open_per_item": 4,
    "lease_seconds": 121.5,
    "repeat_share": 0.22,
    "gold_share": 0.16,
    "gold": [{"better": "day 1", "worse": "day 5"}, {"better": "night 1", "worse": "night 4"}],
    "workers_see_results": True,
    "attention": {
        "fastest_seconds": 0.35,
        "same_side": 7,
        "most_gold_misses": 0.26,
        "most_contradictions": 0.61,
        "focus": True,
        "exclude": ["too_fast"],
        "alarm_share": 0.27,
    },
    "joining": {
        "consent": "I take part of my own will.",
        "practice": [{"better": "day 1", "worse": "day 4", "because": "Its letters are larger."}],
        "questions": [
            {"question": "What is asked?", "answers": ["clarity", "beauty"], "right": "clarity"}
        ],
        "tries": 3,
    },
    "panel": PANEL,
    "pages": {
        "language": "de",
        "entrance": "door-7",
        "markdown": True,
        "hear_both": True,
        "start_together": False,
        "keys": False,
    },
}


class Crowd:
    """Workers of a campaign, whose time goes on with everything they do."""

    def __init__(self, campaign: Campaign, clock: Clock, truth: Any) -> None:
        self.campaign, self.clock, self.truth = campaign, clock, truth
        self._random = Random(5)

    def answer(self, worker: str, n: int = 1, noise: float = 1.5, **options: Any) -> None:
        """So many answers of a worker."""
        grades, ties = self.campaign.settings.grades, self.campaign.settings.ties
        for _ in range(n):
            self.clock.now += 7
            [task] = self.campaign.lease(worker)
            gap = self.truth[task.left] - self.truth[task.right] + self._random.gauss(0, noise)
            step = 1.0 if grades == 1 or abs(gap) > 1.5 else 0.5
            outcome = 0.0 if ties and abs(gap) < 0.4 else step if gap > 0 else -step
            given = {"seconds": round(1 + self._random.random(), 3), "is_focused": True}
            self.clock.now += 2
            self.campaign.answer(task, outcome, worker=worker, **given | options)

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.clock.now += seconds


def make(folder: Path) -> None:
    """All of it; the folder is new."""
    folder.mkdir(parents=True)
    with chdir(folder):  # files remember where others were read
        make_campaigns()
        make_exports()
        make_states()
        make_runs()
        make_judged()
        make_models()
        for lock in Path().rglob("*.lock"):
            lock.unlink()
    note_expected(folder)


# Campaigns


def make_campaigns() -> None:
    """One database with three campaigns, media and keys."""
    clock = Clock()
    write_table(
        Path(IMPORTED),
        ("left", "right", "outcome", "worker", "weight"),
        [
            ("day 1", "day 2", 1, "elsewhere", 1.0),
            ("day 3", "day 2", -1, "elsewhere", 0.5),
            ("day 3", "day 4", 0, "", 2.0),
            ("night 1", "night 2", 1, "", 1.0),
        ],
    )
    media = MediaLibrary(f"{DATABASE}-media").add(picture(200, 40, 40), "red.png")
    with Database(DATABASE) as database:
        make_posters(database, clock, media)
        make_drinks(database, clock)
        make_ended(database, clock)
        make_keys(database, clock)
        kinds = Counter(event.kind for id in CAMPAIGNS for event in Campaign(database, id).events())
        assert set(kinds) == set(KINDS), set(KINDS) - set(kinds)
    assert clock.now < LATER


def make_posters(database: Database, clock: Clock, media: str) -> None:
    """Everything that settings know, and workers of all kinds."""
    items = [CampaignItem(id, text, track="day") for id, text in list(DAY.items())[:5]]
    items += [CampaignItem(id, text, track="night") for id, text in NIGHT.items()]
    items[0] = CampaignItem("day 1", DAY["day 1"], media, "day")
    random = Random(1)
    campaign = Campaign.create(database, items, POSTERS, id="posters", clock=clock, random=random)
    crowd = Crowd(campaign, clock, TRUTH)
    for name in ("ann", "bob", "forgotten", "completed"):
        campaign.join(name, {"worker": f"p-{name}", "study": "s1", "session": f"x-{name}"})
        campaign.quiz(name, name != "bob")
    campaign.quiz("bob", True)
    for name in ("screened", "withdrawn"):
        campaign.join(name)
    while campaign.quiz("screened", False):
        crowd.wait(3)
    for _ in range(6):
        for name in ("ann", "bob", "completed"):
            crowd.answer(name, 2)
    crowd.answer("ann", 3, seconds=0.1)
    crowd.answer("bob", seconds=None, is_focused=None, weight=0.5)
    crowd.answer("ann", is_focused=False)
    for _ in range(8):  # of somebody who looks at nothing but the left
        campaign.answer(campaign.lease("sided")[0], 1, worker="sided", seconds=1.5)
    crowd.answer("forgotten", 4)
    campaign.forget("forgotten")
    crowd.answer("banned", 5, noise=9)
    campaign.ban("banned", "answers at random")
    crowd.answer("restored", 3)
    campaign.ban("restored")
    campaign.restore("restored")
    crowd.answer("ann")
    campaign.undo("ann")
    crowd.answer("ann", 2)
    campaign.skip(campaign.lease("bob")[0], "broken picture", worker="bob")
    campaign.skip(campaign.lease("bob")[0], worker="bob")
    [late] = campaign.lease("late")
    campaign.lease("gone", 2)
    crowd.wait(400)
    campaign.expire()
    campaign.answer(late, 0.5, worker="late", seconds=300.0)
    campaign.finish("completed", "completed")
    campaign.finish("withdrawn", "withdrawn")
    campaign.edit("night 2", text="Another poster of night 2.")
    campaign.edit("day 2", media="posters/day-2.png")
    campaign.add([CampaignItem("day 6", DAY["day 6"], track="day")])
    for name in ("ann", "bob", "late"):
        crowd.answer(name, 3)
    campaign.retire("night 3")
    campaign.retire("day 4")
    campaign.restore_item("day 4")
    campaign.import_votes(IMPORTED)
    campaign.pause()
    crowd.wait(60)
    campaign.resume()
    campaign.change(budget=203, attention={"exclude": ["too_fast", "focus"]}, lease_seconds=99_999)
    crowd.answer("ann", 4)
    crowd.wait(10)
    campaign.lease("open", 2)


def make_drinks(database: Database, clock: Clock) -> None:
    """Numbers as items, and a stopping rule that is reached, and then no more."""
    truth = {1: 2.0, 2: 0.5, 3: 0.0}
    random = Random(2)
    campaign = Campaign.create(
        database, list(truth), id="drinks", clock=clock, random=random, question="Which one?",
        stop="tau >= 0.7", ranking="plain", sampler="rounds", lease_seconds=500,
    )  # fmt: skip
    crowd, contrary = (
        Crowd(campaign, clock, truth),
        Crowd(campaign, clock, {1: 0.0, 2: 9.0, 3: 5.0}),
    )
    others = [f"contrary {k}" for k in range(5)]
    for name in others:
        campaign.lease(name, 3)
    displaced = campaign.lease("displaced", 3)
    crowd.wait(501)
    for name in others:  # whose leases have ended: they get the pairs once more
        campaign.lease(name, 3)
    for task in displaced:
        campaign.answer(task, 1, worker="displaced")
    for k in count():
        crowd.answer(f"worker {k}", 3, noise=0)
        if campaign.progress().is_enough:
            break
    for name in others:
        contrary.answer(name, 3, noise=0)
    assert not campaign.progress().is_enough
    campaign.change(budget=500, stop="tau >= 0.99 and top 1 >= 0.99")
    crowd.answer("ann", 2)
    campaign.lease("open", 1)


def make_ended(database: Database, clock: Clock) -> None:
    """One whose pairs were chosen in every way, that was begun anew, and is closed."""
    names = {"a": 1.0, "b": 0.4, "c": 0.0, "d": -1.0}
    random = Random(3)
    campaign = Campaign.create(
        database, list(names), id="ended", clock=clock, random=random, question="Which one?",
        grades=0, skip_reasons=[], answers_per_worker=30,
    )  # fmt: skip
    crowd = Crowd(campaign, clock, names)
    crowd.answer("ann", 2)
    campaign.lease("bob")
    campaign.reset()
    for sampler in SAMPLERS:
        campaign.change(sampler=sampler)
        for name in ("ann", "bob", "cleo"):
            try:
                crowd.answer(name)
            except NoTask:  # who has seen every pair
                continue
    campaign.close()


def make_keys(database: Database, clock: Clock) -> None:
    """Tokens of programs, a session and a link; what they are is `token-1` and so on."""
    numbers = count(1)
    keys = ApiKeys(database.store.keys, clock)
    with patch.object(secrets, "token_urlsafe", lambda _: f"token-{next(numbers)}"):
        keys.issue("token", "owner", "all")
        keys.issue("token", "judge", "gpt", campaign="posters")
        keys.issue("token", "reader", "eve", campaign="drinks")
        keys.issue("token", "owner", "over", seconds=60)
        keys.issue("session", "worker", "ann", campaign="posters")
        keys.issue("link", "owner", "link")


def make_exports() -> None:
    """Logs, votes and settings, by commands."""
    for id in CAMPAIGNS:
        words = ["campaign", "export", DATABASE, "--name", id, "-o"]
        command(*words, f"{id}.log.jsonl")
        command(*words, f"{id}.votes.csv")
    for form in ("csv", "parquet"):
        words = ["campaign", "export", DATABASE, "--name", "posters", "--everything"]
        command(*words, "-o", f"posters.answers.{form}")
    words = ["campaign", "settings", DATABASE, "--name", "posters", "-o"]
    command(*words, "settings.toml")


# States and runs


def make_states() -> None:
    """Statistics of two files of votes; in the second those are rankings, chosen adaptively."""
    folder = Path("states")
    folder.mkdir()
    names = [f"item {k}" for k in range(7)]
    random = Random(6)
    for file in ("first", "second", "third"):
        rows = []
        for _ in range(30):
            left, right = random.sample(range(7), 2)
            outcome = 1 if right - left + random.gauss(0, 3) > 0 else -1
            rows.append((names[left], names[right], outcome, "auto", random.randrange(6)))
        header = ("left", "right", "outcome", "asked_by", "page")
        write_table(folder / f"{file}.csv", header, rows)
    for file in ("first", "second"):
        for state in STATES:
            command(*state_words(state, file))


def make_runs() -> None:
    """Files of answers of runs that are to go on."""
    for name, n in (("run", 13), ("run_async", 12)):
        run(name, Path(f"{name}.answers.jsonl"), n, judged_by_score)


# Judges


def make_judged() -> None:
    """Judge folders: with all that may happen to a call, one that reached a cap, one of images."""
    place = Path("judged")
    place.mkdir()
    items = [(name, text, score) for name, (text, score) in TEXTS.items()]
    write_table(place / "items.csv", ("id", "text", "score"), items)
    outputs = [
        (f"system {s}", f"prompt {p}", f"System {s} says so to prompt {p}.", round(s - p / 5, 1))
        for s in range(3)
        for p in range(3)
    ]
    write_table(place / "outputs.csv", ("id", "context", "text", "score"), outputs)
    prices = [("small", 1.0, 4.0), ("large", 2.5, 10.0)]
    write_table(place / "prices.csv", ("model", "input", "output"), prices)
    (place / "images").mkdir()
    for k in range(4):
        (place / "images" / f"shade-{k}.png").write_bytes(picture(60 * k, 40, 90))
    with stand_in_at_base_url(scores_of("finished"), faults=Faults(server_error=0.15)):
        command(*judge_words("finished"))
    with stand_in_at_base_url(scores_of("interrupted")):
        command(*judge_words("interrupted"), "--max-calls", 9)
    with stand_in_at_base_url(scores_of("pictures")):
        command(*judge_words("pictures"))


class Killed(Exception):
    """What ends a process between a reply and its answer."""


def make_models() -> None:
    """Campaigns on which a model worked: to the end, and until it broke off."""
    place, texts = Path("models"), {name: text for name, (text, _) in TEXTS.items()}
    place.mkdir()
    how = {"question": QUESTION, "ties": False, "seed": 4}
    with Campaign.create(place / "ended.db", texts, how, budget=9, clock=Clock()):
        pass
    with stand_in_at_base_url(scores_of("models")):
        words = ["campaign", "judge", place / "ended.db", "-m", "large", "--concurrency", 1]
        command(*words, "--base-url", BASE_URL)
        with Campaign.create(
            place / "broken.db", texts, how, lease_seconds=99_999, clock=Clock(), random=Random(1)
        ) as campaign:
            campaign.lease("large", 4)
            numbers, answer = count(1), campaign.answer

            def kill(*given: Any, **options: Any) -> Any:
                if next(numbers) > 8:
                    raise Killed("between a reply and its answer")
                return answer(*given, **options)

            try:
                with patch.object(campaign, "answer", kill):
                    judge_on(campaign, place / "broken.calls.jsonl", budget=12)
            except Killed:
                pass


# What came of it


def note_expected(folder: Path) -> None:
    """What the code that wrote the files makes of them."""
    found = {}
    for name, part in PARTS.items():
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / folder.name
            shutil.copytree(folder, copy)
            with chdir(copy):
                found[name] = plain(part())
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]
    (folder / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def write_table(path: Path, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """A CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def picture(red: int, green: int, blue: int) -> bytes:
    """A PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        content = kind + data
        return struct.pack(">I", len(data)) + content + struct.pack(">I", zlib.crc32(content))

    rows = (b"\0" + bytes((red, green, blue)) * 8) * 8
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


if __name__ == "__main__":
    print(f"written by {hr.__file__}")
    make(Path(sys.argv[1]))
