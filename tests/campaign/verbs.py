"""Everything that changes a campaign, and how each adapter says it; a copy to try it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hodgerank.campaign import Campaign, CampaignItem, RemoteCampaign
from hodgerank.campaign.commands import answers
from hodgerank.campaign.database import Database
from hodgerank.server.api_keys import ApiKeys

ITEMS = [CampaignItem(id, f"Text of {id}") for id in "abcdef"]
RIGHT = "the better one"
QUESTIONS = [{"question": "Which?", "answers": [RIGHT, "none"], "right": RIGHT}]
SETTINGS = {
    "question": "Which one?",
    "panel": {"kind": "link"},
    "joining": {"questions": QUESTIONS},
    "stop": "tau >= 0.01",
}
PANEL = {"worker": "zoe"}
VOTES = [("a", "b", 1, "elsewhere"), ("b", "c", 1, "elsewhere")]
API = "/api/v1/campaigns/{campaign}"


class Copy:
    """A campaign in which a bit of everything has happened, and all kinds of keys.

    Attributes
    ----------
    task
        One that is out with ann.
    tokens
        What browsers of workers keep, by name.
    subject
        The campaign that is looked at in the end: another one where the verb makes one.
    token
        Of an owner's program, where one is used.
    """

    token = ""

    def __init__(self, database: Database, id: str) -> None:
        self.id = self.subject = id
        campaign = Campaign.create(database, ITEMS, SETTINGS, id=id)
        for name in ("ann", "bob", "gpt", "newt"):
            campaign.join(name, {"study": "s"})
        for name in ("ann", "bob", "gpt"):
            campaign.quiz(name, True)
        for name in ("ann", "gpt", "ann"):
            campaign.answer(campaign.lease(name)[0], 1, seconds=2.0)
        campaign.ban("eve", "tosses coins")
        campaign.retire("f")
        self.task = campaign.lease("ann", 2)[0].id
        keys = ApiKeys(database.store.keys)
        self.tokens = {
            name: keys.issue("session", "worker", name, campaign=id)
            for name in ("ann", "bob", "newt", "gpt")
        }
        keys.issue("session", "worker", "ann", campaign=f"other than {id}")
        for role, name, of in (
            ("judge", "gpt", id),
            ("judge", "gpt", None),
            ("judge", "gpt", f"other than {id}"),
            ("judge", "ann", id),
            ("reader", "ann", id),
            ("owner", "ann", id),
            ("owner", "ann", None),
        ):
            keys.issue("token", role, name, campaign=of)


@dataclass(frozen=True)
class Step:
    """A request, by the method and the path of its route; who sends it is an owner or a worker."""

    method: str
    path: str
    given: dict[str, Any] = field(default_factory=dict)
    worker: str = ""
    query: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    form: bool = True


def api(method: str, path: str, query: str = "", **given: Any) -> Step:
    return Step(method, path, given, query=query)


def form(path: str, **given: Any) -> Step:
    return Step("POST", f"/c/{{campaign}}/{path}", given)


def said(path: str, worker: str, **given: Any) -> Step:
    """What the script of a worker's page sends."""
    return Step("POST", f"/w/{{campaign}}/{path}", given, worker, form=False)


@dataclass(frozen=True)
class Verb:
    """Something that changes a campaign, and how each adapter says it.

    Attributes
    ----------
    do
        With a `Campaign` or a `RemoteCampaign`, which have the same methods.
    methods, commands
        Of `Campaign`, and of `hodgerank.campaign.commands`, that this is a test of.
    before
        What has to happen first, in every copy.
    signs_in
        Who gets a session by the page, which is what the page is for.
    """

    do: Callable[[Any, Copy], Any]
    methods: str
    commands: str = ""
    page: tuple[Step, ...] = ()
    api: tuple[Step, ...] = ()
    cli: Callable[[Copy, Path], list[object]] | None = None
    command: str = ""
    before: Callable[[Campaign], Any] = lambda campaign: None
    signs_in: str = ""
    is_remote: bool = True


def of_items(folder: Path) -> Path:
    (folder / "more.csv").write_text("id,text\ng,Text of g\nh,Text of h\n")
    return folder / "more.csv"


def of_votes(folder: Path) -> Path:
    rows = "".join(f"{left},{right},{y},{who}\n" for left, right, y, who in VOTES)
    (folder / "votes.csv").write_text("left,right,outcome,worker\n" + rows)
    return folder / "votes.csv"


def in_place(*words: object) -> Callable[[Copy, Path], list[object]]:
    """A command that names the campaign, and then these words."""
    return lambda copy, path: [words[0], path, *words[1:]]


def plain_verb(name: str, **more: Any) -> Verb:
    """One that has no arguments."""
    yes = ("--yes",) if name in ("reset", "close") else ()
    return Verb(
        lambda campaign, copy: getattr(campaign, name)(),
        methods=name,
        commands=name,
        api=(api("POST", f"{API}/{name}"),),
        cli=in_place(name, *yes),
        command=name,
        **more,
    )


def answered_all(campaign: Campaign) -> None:
    pairs = [(x, y, 1, "old") for x in "abcde" for y in "abcde" if x < y]
    campaign.import_votes(pairs * 6)


def create(*items: CampaignItem | str) -> Callable[[Any, Copy], None]:
    def do(campaign: Any, copy: Copy) -> None:
        given = {"question": "Which?", "title": copy.subject, "stop": "tau >= 0.9"}
        if isinstance(campaign, RemoteCampaign):
            where = campaign.address
            RemoteCampaign.create(where, items, token=copy.token, id=copy.subject, **given).leave()
        else:
            Campaign.create(campaign.database, items, id=copy.subject, **given)

    return do


def with_texts(*ids: str) -> list[dict[str, str]]:
    return [{"item": id, "text": f"Text of {id}"} for id in ids]


def creating(items: list[dict[str, str]]) -> Step:
    settings = {"question": "Which?", "title": "{subject}", "stop": "tau >= 0.9"}
    return api("POST", "/api/v1/campaigns", id="{subject}", items=items, settings=settings)


VERBS = {
    "join": Verb(
        lambda campaign, copy: campaign.join("zoe", PANEL),
        methods="join",
        commands="join",
        page=(Step("POST", "/j/{campaign}", query="worker=zoe"),),
        api=(api("POST", f"{API}/workers/join", worker="zoe", panel=PANEL),),
        signs_in="zoe",
    ),
    "quiz": Verb(
        lambda campaign, copy: campaign.quiz("newt", False),
        methods="quiz",
        commands="quiz",
        page=(Step("POST", "/w/{campaign}/questions", {"question-0": "none"}, "newt"),),
        api=(api("POST", f"{API}/workers/quiz", worker="newt", passed=False),),
    ),
    "finish": Verb(
        lambda campaign, copy: campaign.finish("ann"),
        methods="finish",
        commands="finish",
        page=(said("leave", "ann", wants="stop"),),
        api=(api("POST", f"{API}/workers/finish", worker="ann"),),
    ),
    "lease": Verb(
        lambda campaign, copy: campaign.lease("bob", 2),
        methods="lease",
        commands="lease",
        page=(said("tasks", "bob"),),
        api=(api("POST", f"{API}/tasks", worker="bob", n=2),),
    ),
    "answer": Verb(  # pages give the next tasks with their reply
        lambda campaign, copy: (
            campaign.answer(copy.task, -1, worker="ann", seconds=1.5, is_focused=True),
            campaign.lease("ann", 2),
        ),
        methods="answer",
        commands="answer",
        page=(said("answer", "ann", task="{task}", outcome=-1, seconds=1.5, is_focused=True),),
        api=(
            api("POST", "/api/v1/tasks/{task}/answer", outcome=-1, seconds=1.5, is_focused=True),
            api("POST", f"{API}/tasks", worker="ann", n=2),
        ),
    ),
    "skip": Verb(
        lambda campaign, copy: (
            campaign.skip(copy.task, "cannot decide"),
            campaign.lease("ann", 2),
        ),
        methods="skip",
        commands="skip",
        page=(said("skip", "ann", task="{task}", reason="cannot decide"),),
        api=(
            api("POST", "/api/v1/tasks/{task}/skip", reason="cannot decide"),
            api("POST", f"{API}/tasks", worker="ann", n=2),
        ),
    ),
    "skip what cannot be shown": Verb(
        lambda campaign, copy: (
            campaign.skip(copy.task, answers.NOT_SHOWN),
            campaign.lease("ann", 2),
        ),
        methods="skip",
        commands="skip",
        page=(said("skip", "ann", task="{task}", reason=answers.NOT_SHOWN),),
        api=(
            api("POST", "/api/v1/tasks/{task}/skip", reason=answers.NOT_SHOWN),
            api("POST", f"{API}/tasks", worker="ann", n=2),
        ),
        before=lambda campaign: campaign.change(skip_reasons=[]),
    ),
    "undo": Verb(
        lambda campaign, copy: campaign.undo("ann"),
        methods="undo",
        commands="undo",
        page=(said("undo", "ann"),),
        api=(api("POST", f"{API}/undo", worker="ann"),),
    ),
    "expire": Verb(
        lambda campaign, copy: campaign.expire(1e11),
        methods="expire",
        commands="expire",
        api=(api("POST", f"{API}/tasks/expire", by=1e11),),
    ),
    **{
        f"ban {name}": Verb(
            lambda campaign, copy, name=name: campaign.ban(name, "careless"),
            methods="ban",
            commands="ban",
            page=(form("workers/ban", worker=name, reason="careless"),),
            api=(api("POST", f"{API}/workers/ban", worker=name, reason="careless"),),
            cli=in_place("ban", name, "--reason", "careless"),
            command="ban",
        )
        for name in ("ann", "gpt", "eve", "nobody yet")
    },
    "restore": Verb(
        lambda campaign, copy: campaign.restore("eve"),
        methods="restore",
        commands="restore_worker",
        page=(form("workers/restore", worker="eve"),),
        api=(api("POST", f"{API}/workers/restore", worker="eve"),),
        cli=in_place("restore", "eve"),
        command="restore",
    ),
    "admit": Verb(
        lambda campaign, copy: campaign.admit("gpt"),
        methods="admit",
        commands="admit",
        page=(form("workers/admit", worker="gpt"),),
        api=(api("POST", f"{API}/workers/admit", worker="gpt"),),
    ),
    "forget": Verb(
        lambda campaign, copy: campaign.forget("gpt"),
        methods="forget",
        commands="forget",
        page=(form("workers/forget", worker="gpt", typed="gpt"),),
        api=(api("POST", f"{API}/workers/forget", worker="gpt"),),
    ),
    "add": Verb(
        lambda campaign, copy: campaign.add(["g", "h"]),
        methods="add",
        commands="add_items",
        page=(form("items/add", lines="g\nh"),),
        api=(api("POST", f"{API}/items", items=[{"item": "g"}, {"item": "h"}]),),
    ),
    "add items with texts": Verb(  # files on a page are looked at before, in another request
        lambda campaign, copy: campaign.add({id: f"Text of {id}" for id in "gh"}),
        methods="add",
        commands="add_items",
        api=(api("POST", f"{API}/items", items=with_texts("g", "h")),),
        cli=lambda copy, path: ["add", path, of_items(path.parent)],
        command="add",
    ),
    "edit": Verb(
        lambda campaign, copy: campaign.edit("b", text="Other words"),
        methods="edit",
        commands="edit_item",
        page=(
            Step(
                "POST",
                "/c/{campaign}/items/{number}",
                {"text": "Other words"},
                values={"number": 1},
            ),
        ),
        api=(api("PATCH", f"{API}/items", item="b", text="Other words"),),
    ),
    "retire": Verb(
        lambda campaign, copy: campaign.retire("a", "c"),
        methods="retire",
        commands="retire_items",
        page=(form("items/retire", item=["0", "2"]),),
        api=(api("POST", f"{API}/items/retire", items=["a", "c"]),),
        cli=in_place("retire", "a", "c"),
        command="retire",
    ),
    "restore_item": Verb(
        lambda campaign, copy: campaign.restore_item("f"),
        methods="restore_item",
        commands="restore_items",
        page=(form("items/restore", item=["5"]),),
        api=(api("POST", f"{API}/items/restore", items=["f"]),),
        cli=in_place("unretire", "f"),
        command="unretire",
    ),
    "pause": plain_verb("pause", page=(form("status", do="pause"),)),
    "resume": plain_verb("resume", page=(form("status", do="resume"),), before=Campaign.pause),
    "close": plain_verb("close", page=(form("status", do="close"),)),
    "reset": plain_verb("reset", page=(form("reset", typed="{campaign}"),)),
    "change": Verb(
        lambda campaign, copy: campaign.change(budget=77, title="Another title"),
        methods="change",
        commands="change_settings",
        page=(form("settings", budget="77", title="Another title"),),
        api=(api("PATCH", f"{API}/settings", budget=77, title="Another title"),),
        cli=in_place("settings", "--set", "budget=77", "--set", "title=Another title"),
        command="settings",
    ),
    "change the entrance": Verb(
        lambda campaign, copy: campaign.change(pages={"entrance": "secret-7"}),
        methods="change",
        commands="change_settings",
        page=(form("entrance"),),
        api=(api("PATCH", f"{API}/settings", pages={"entrance": "secret-7"}),),
        cli=in_place("settings", "--set", "pages.entrance=secret-7"),
        command="settings",
    ),
    "import_votes": Verb(
        lambda campaign, copy: campaign.import_votes(VOTES),
        methods="import_votes",
        api=(Step("POST", f"{API}/votes", form=False),),
        cli=lambda copy, path: ["import", of_votes(path.parent), "-o", path],
        command="import",
    ),
    "note": Verb(
        lambda campaign, copy: campaign.progress(),
        methods="note begin_noting",
        commands="note_enough",
        api=(Step("GET", f"{API}/progress"),),
        before=answered_all,
    ),
    "create": Verb(
        create("tea", "milk"),
        methods="create",
        commands="create",
        page=(
            Step(
                "POST",
                "/new",
                {"lines": "tea\nmilk", "question": "Which?", "title": "{subject}", "vetting": "0"},
            ),
        ),
        api=(creating([{"item": "tea"}, {"item": "milk"}]),),
    ),
    "create with texts": Verb(
        create(*(CampaignItem(id, f"Text of {id}") for id in "gh")),
        methods="create",
        commands="create",
        api=(creating(with_texts("g", "h")),),
        cli=lambda copy, path: [
            "new", of_items(path.parent), "-o", path, "--name", copy.subject, "-q", "Which?",
            "--stop", "tau >= 0.9", "--set", f"title={copy.subject}",
        ],
        command="new",
    ),
    "load": Verb(
        lambda campaign, copy: Campaign.load(
            campaign.database, _log_of(campaign), id=copy.subject
        ),
        methods="load",
        commands="take_over",
        cli=lambda copy, path: [
            "import", path.parent / "log.jsonl", "-o", path, "--name", copy.subject,
        ],
        command="import",
        before=lambda campaign: campaign.export(_log_of(campaign)),
        is_remote=False,
    ),
}  # fmt: skip
MAKERS = ("create", "create with texts", "load")


def _log_of(campaign: Campaign) -> Path:
    return Path(campaign.database.name).parent / "log.jsonl"


CHANGE_NOTHING = {
    # They look, or are about this object and not about the campaign.
    "answers", "counts", "export", "items", "leave", "events", "media_file",
    "new_id", "open", "progress", "ranking", "retired", "settings", "tracks", "trust", "votes",
    "wait", "workers",
}  # fmt: skip
HELPERS = {"known", "unused", "tasks_held", "tasks_out", "enough_to_note"}
"""Public functions of commands that record nothing."""
OTHER_ROUTES = {
    # Who is signed in, and with which keys: not about one campaign, or keys that owners name.
    ("POST", "/enter"),
    ("POST", "/leave"),
    ("POST", "/leave/others"),
    ("POST", "/c/{campaign}/tokens"),
    ("POST", "/c/{campaign}/tokens/revoke"),
    ("POST", "/api/v1/tokens"),
    ("DELETE", "/api/v1/tokens/{token}"),
    # Files that wait until a verb names them.
    ("POST", "/new/preview"),
    ("POST", "/c/{campaign}/items/preview"),
    ("POST", "/api/v1/media"),
    # The same function with the name of the entrance in its address.
    ("POST", "/j/{campaign}/{entrance}"),
    ("HEAD", "/media/{campaign}/{name}"),
}
OTHER_COMMANDS = {
    "answer": "asks a person, and calls join, lease, answer, skip and undo",
    "judge": "asks a model, likewise",
    "status": "looks",
    "list": "looks",
    "export": "looks",
}
