"""hodgerank serve: campaigns in a browser."""

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
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import INTERRUPTED, CommandResult
from hodgerank.errors import MissingDependency

if TYPE_CHECKING:
    from types import FrameType

    from rich.console import Console

    from hodgerank.server.api_keys import SignedOut
    from hodgerank.server.context import ServerContext

USUAL_FILE = "campaigns.db"
LOOPBACK = ("127.0.0.1", "::1")
LINK_SECONDS = 86_400
FOR_OTHERS = "For others"


@dataclass(frozen=True)
class Start:
    """What is told when the server begins.

    Attributes
    ----------
    worker_link
        Where a visitor of the demonstration votes.
    signed_out
        What was ended before; None where nobody asked for it.
    """

    address: str
    owner_link: str
    worker_link: str | None
    database: str
    media: str
    process: int
    signed_out: "SignedOut | None" = None

    def show(self, console: "Console", is_kept: bool) -> None:
        """For people: links in one piece, however narrow the terminal is."""
        from hodgerank.cli.console import count, verbatim

        ended = self.signed_out
        lines = {
            "signed out": None
            if ended is None
            else f"{count(ended.n_sessions, 'owner session')}, "
            f"{count(ended.n_links, 'unused link')}",
            "at": self.address,
            "owner": f"{self.owner_link}  (signs in once, within a day)",
            "workers": self.worker_link,
            "kept in": f"{self.database} and {self.media}" if is_kept else "nothing: it is a demo",
            "to end it": "Ctrl-C",
        }
        for what, words in lines.items():
            if words is not None:
                console.print(verbatim(f"{what:10} {words}"), soft_wrap=True)


@dataclass(frozen=True)
class ServeResult(CommandResult):
    """A server that was ended."""

    ended_by: int
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """Not 0 where Ctrl-C ended it."""
        return INTERRUPTED if self.ended_by == signal.SIGINT else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"stopped_by": signal.Signals(self.ended_by).name}

    def show(self, console: "Console") -> None:
        """That it is over."""
        console.print("stopped; every answer that was acknowledged is saved")

    def print(self) -> None:
        """As it was asked for; JSON is a line as the first one was."""
        if self.as_json:
            sys.stdout.write(json.dumps(self.to_dict()) + "\n")
        else:
            super().print()


def serve(
    *,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Show a campaign with pictures that are drawn here and simulated workers; gone in "
            "the end unless --database keeps it.",
        ),
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help=f"A file, which is made if it is not there ({USUAL_FILE} if not given), or a "
            "postgresql:// address.",
        ),
    ] = None,
    media: Annotated[
        Path | None,
        typer.Option(help="The folder of pictures and sounds; beside the file if not given."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="8000, or the next free one, if not given; 0 is any free one."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser, if there is one.")
    ] = True,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="What is told on standard error; debug tells of every request."),
    ] = "info",
    sign_out_owners: Annotated[
        bool,
        typer.Option(
            "--sign-out-owners",
            help="Before the new link is printed, end all sessions of owners, and the links that "
            "nobody has used; workers and tokens of programs are not touched.",
        ),
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            rich_help_panel=FOR_OTHERS,
            help="The address at which to listen; 0.0.0.0 lets other machines in.",
        ),
    ] = "127.0.0.1",
    public_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            rich_help_panel=FOR_OTHERS,
            help="How others reach it: https://rank.example.org/votes.",
        ),
    ] = None,
    root_path: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            rich_help_panel=FOR_OTHERS,
            help="The path under which a proxy shows it; that of --public-url if not given.",
        ),
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            rich_help_panel=FOR_OTHERS,
            help="Believe a proxy on this machine who asks, and whether over TLS "
            "(X-Forwarded-For, X-Forwarded-Proto).",
        ),
    ] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            rich_help_panel=FOR_OTHERS,
            help="Believe the proxy at this address or network instead; may be repeated.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=FOR_OTHERS, help="A PEM file: serve over TLS, without a proxy."
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=FOR_OTHERS, help="The key of the certificate, if it is another file."
        ),
    ] = None,
    as_json: AsJson = False,
) -> ServeResult:
    """Show campaigns in a browser: create them, share a link, watch the ranking settle.

    Prints the address and a link that makes the first who opens it the owner. Only this machine
    can reach it unless --host says otherwise. Ctrl-C ends it; the same command goes on.

    With --json there are two lines of JSON, one at the start and one at the end.

    Examples:
      hodgerank serve --demo

      hodgerank serve

      hodgerank serve --database campaign.db --no-browser

      hodgerank serve --database postgresql://localhost/votes --behind-proxy --public-url
      https://rank.example.org/votes
    """
    _require_server()
    from hodgerank.server.bind_options import USUAL_PORT, BindOptions, listen
    from hodgerank.server.context import ServerConfig, ServerContext
    from hodgerank.server.demo.campaign import ID as DEMO
    from hodgerank.server.demo.campaign import play_demo
    from hodgerank.server.request_log import begin_logging
    from hodgerank.server.run import do_nothing, open_browser, serve

    bind_options = BindOptions.of(
        host=host,
        public_url=public_url,
        root_path=root_path,
        proxies=proxy or (LOOPBACK if behind_proxy else ()),
        certificate=certificate,
        key=key,
    )
    with ExitStack() as stack:
        stack.enter_context(_heeding_sigterm())
        door = stack.enter_context(listen(host, port))
        abandon, place = do_nothing, USUAL_FILE if database is None else database
        if demo and database is None:
            folder = TemporaryDirectory(prefix="hodgerank-demo-")
            abandon, place = folder.cleanup, str(Path(stack.enter_context(folder), USUAL_FILE))
        context = ServerContext(ServerConfig(place, media, bind_options.public_url))
        stack.callback(context.close)
        cautions = [*bind_options.cautions(), *_prepare(context, demo)]
        if port is None and (found := door.getsockname()[1]) != USUAL_PORT:
            cautions.append(f"port {USUAL_PORT} is taken: it is {found} instead")
        address = bind_options.address(door.getsockname()[1])
        signed_out = context.keys.sign_out_owners() if sign_out_owners else None
        link = context.keys.issue("link", "owner", "owner", seconds=LINK_SECONDS)
        start = Start(
            address=address,
            owner_link=f"{address}/enter#{link}",
            worker_link=f"{address}/j/{DEMO}" if demo else None,
            database=context.database.name,
            media=str(context.rules.media_folder),
            process=os.getpid(),
            signed_out=signed_out,
        )
        _tell(start, cautions, is_kept=abandon is do_nothing, as_json=as_json)
        if browser:
            open_browser(start.owner_link)
        beside = [partial(play_demo, context)] if demo else []
        begin_logging(log_level)
        ended_by = serve(context, door, bind_options, *beside, abandon=abandon)
    return ServeResult(ended_by, as_json)


def _tell(start: Start, cautions: list[str], *, is_kept: bool, as_json: bool) -> None:
    from hodgerank.cli.console import complaints, results, show_warnings
    from hodgerank.cli.outputs import printing

    show_warnings(cautions, complaints())
    with printing():
        if as_json:
            sys.stdout.write(json.dumps(asdict(start)) + "\n")
        else:
            start.show(results(), is_kept)


def _prepare(context: "ServerContext", demo: bool) -> list[str]:
    """Have everything there before visitors come; what they will miss."""
    from hodgerank.cli.progress import doing, telling_progress
    from hodgerank.server.adopt_media import adopt_media
    from hodgerank.server.demo.campaign import begin_demo

    with telling_progress():
        if demo:
            doing("drawing pictures")
            begin_demo(context)
        return adopt_media(context, doing)


def _require_server() -> None:
    try:
        import hodgerank.server.run  # noqa: F401
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("hodgerank"):
            raise
        raise MissingDependency("hodgerank[server]", "serving campaigns") from None


@contextmanager
def _heeding_sigterm() -> Iterator[None]:
    """Whoever ends the process before it serves ends it as well."""

    def end(number: int, frame: "FrameType | None") -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
