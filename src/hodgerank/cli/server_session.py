"""A server from start to end: what `hodgerank serve` prints, and how it cleans up."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from rich.console import Console

from hodgerank.cli.console import complaints, count, results, show_warnings, verbatim
from hodgerank.cli.outputs import printing
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.result import INTERRUPTED, CommandResult
from hodgerank.private_files import exposed
from hodgerank.server.adopt_media import adopt_media
from hodgerank.server.api_keys import SignedOut
from hodgerank.server.bind_options import USUAL_PORT, BindOptions, listen
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.demo.campaign import ID as DEMO
from hodgerank.server.demo.campaign import begin_demo, play_demo
from hodgerank.server.request_log import begin_logging
from hodgerank.server.run import do_nothing, open_browser, serve

LINK_SECONDS = 86_400


@dataclass(frozen=True)
class Start:
    """Links and paths that are printed when the server starts.

    Attributes
    ----------
    worker_link
        Link where visitors of the demo vote; None without a demo.
    signed_out
        Sessions and links that were ended before; None without --sign-out-owners.
    """

    address: str
    owner_link: str
    worker_link: str | None
    database: str
    media: str
    process: int
    signed_out: SignedOut | None = None

    def show(self, console: Console, is_kept: bool) -> None:
        """Print the links, each in one piece even in a narrow terminal."""
        ended = self.signed_out
        lines = {
            "signed out": None
            if ended is None
            else f"{count(ended.n_sessions, 'owner session')}, "
            f"{count(ended.n_links, 'unused link')}",
            "at": self.address,
            "owner": f"{self.owner_link}  (works once, within 24 hours)",
            "workers": self.worker_link,
            "saved in": f"{self.database} and {self.media}" if is_kept else "nowhere (demo)",
            "stop": "Ctrl-C",
        }
        for what, words in lines.items():
            if words is not None:
                console.print(verbatim(f"{what:10} {words}"), soft_wrap=True)


@dataclass(frozen=True)
class ServeResult(CommandResult):
    """A server that has stopped."""

    ended_by: int
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 if Ctrl-C stopped it."""
        return INTERRUPTED if self.ended_by == signal.SIGINT else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"stopped_by": signal.Signals(self.ended_by).name}

    def show(self, console: Console) -> None:
        """Print that the server has stopped."""
        console.print("stopped; all acknowledged votes are saved")

    def print(self) -> None:
        """Print as requested; JSON on one line, like the first."""
        if self.as_json:
            sys.stdout.write(json.dumps(self.to_dict()) + "\n")
        else:
            super().print()


def run_server(
    bind_options: BindOptions,
    port: int | None,
    *,
    place: str | None,
    media: Path | None,
    demo: bool,
    browser: bool,
    log_level: str,
    sign_out_owners: bool,
    group_readable: bool,
    as_json: bool,
) -> ServeResult:
    """Serve campaigns until a signal stops it.

    `place` is the database; None uses a temporary folder.
    """
    with ExitStack() as stack:
        stack.enter_context(_heeding_sigterm())
        door = stack.enter_context(listen(bind_options.host, port))
        abandon = do_nothing
        if place is None:
            folder = TemporaryDirectory(prefix="hodgerank-demo-")
            abandon = folder.cleanup
            place = str(Path(stack.enter_context(folder), "campaigns.db"))
        rules = ServerConfig(place, media, bind_options.public_url, group_readable=group_readable)
        context = ServerContext(rules)
        stack.callback(context.close)
        cautions = [*bind_options.cautions(), *_prepare(context, demo)]
        if command := exposed(rules.places):
            cautions.append(f"all users of this machine can read votes and names: run {command}")
        found = door.getsockname()[1]
        if port is None and found != USUAL_PORT:
            cautions.append(f"port {USUAL_PORT} is in use; using {found}")
        start = _start(context, bind_options.address(found), demo, sign_out_owners)
        _tell(start, cautions, is_kept=abandon is do_nothing, as_json=as_json)
        if browser:
            open_browser(start.owner_link)
        beside = [partial(play_demo, context)] if demo else []
        begin_logging(log_level)
        ended_by = serve(context, door, bind_options, *beside, abandon=abandon)
    return ServeResult(ended_by, as_json)


def _start(context: ServerContext, address: str, demo: bool, sign_out_owners: bool) -> Start:
    """Create the owner's link, and collect the links to print."""
    signed_out = context.keys.sign_out_owners() if sign_out_owners else None
    link = context.keys.issue("link", "owner", "owner", seconds=LINK_SECONDS)
    return Start(
        address=address,
        owner_link=f"{address}/enter#{link}",
        worker_link=f"{address}/j/{DEMO}" if demo else None,
        database=context.database.name,
        media=str(context.rules.media_folder),
        process=os.getpid(),
        signed_out=signed_out,
    )


def _tell(start: Start, cautions: list[str], *, is_kept: bool, as_json: bool) -> None:
    show_warnings(cautions, complaints())
    with printing():
        if as_json:
            sys.stdout.write(json.dumps(asdict(start)) + "\n")
        else:
            start.show(results(), is_kept)


def _prepare(context: ServerContext, demo: bool) -> list[str]:
    """Prepare the demo before visitors come; return warnings."""
    with telling_progress():
        if demo:
            doing("drawing pictures")
            begin_demo(context)
        return adopt_media(context, doing)


@contextmanager
def _heeding_sigterm() -> Iterator[None]:
    """Let a signal before the start end the process too."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
