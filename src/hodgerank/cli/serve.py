"""hodgerank serve: campaigns in a browser."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.errors import MissingDependency

USUAL_FILE = "campaigns.db"
LOOPBACK = ("127.0.0.1", "::1")
FOR_OTHERS = "For others"

Demo = Annotated[
    bool,
    typer.Option(
        "--demo",
        help="Show a campaign with pictures that are drawn here and simulated workers; gone in "
        "the end unless --database keeps it.",
    ),
]
DatabasePlace = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help=f"A file, which is made if it is not there ({USUAL_FILE} if not given), or a "
        "postgresql:// address.",
    ),
]
Media = Annotated[
    Path | None,
    typer.Option(help="The folder of pictures and sounds; beside the file if not given."),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="8000, or the next free one, if not given; 0 is any free one."
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the browser, if there is one.")
]
LogLevel = Annotated[
    Literal["debug", "info", "warning", "error"],
    typer.Option(help="What is told on standard error; debug tells of every request."),
]
SignOutOwners = Annotated[
    bool,
    typer.Option(
        "--sign-out-owners",
        help="Before the new link is printed, end all sessions of owners, and the links that "
        "nobody has used; workers and tokens of programs are not touched.",
    ),
]
Host = Annotated[
    str,
    typer.Option(
        rich_help_panel=FOR_OTHERS,
        help="The address at which to listen; 0.0.0.0 lets other machines in.",
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        rich_help_panel=FOR_OTHERS,
        help="How others reach it: https://rank.example.org/votes.",
    ),
]
RootPath = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=FOR_OTHERS,
        help="The path under which a proxy shows it; that of --public-url if not given.",
    ),
]
BehindProxy = Annotated[
    bool,
    typer.Option(
        "--behind-proxy",
        rich_help_panel=FOR_OTHERS,
        help="Believe a proxy on this machine who asks, and whether over TLS "
        "(X-Forwarded-For, X-Forwarded-Proto).",
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        rich_help_panel=FOR_OTHERS,
        help="Believe the proxy at this address or network instead; may be repeated.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(rich_help_panel=FOR_OTHERS, help="A PEM file: serve over TLS, without a proxy."),
]
Key = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=FOR_OTHERS, help="The key of the certificate, if it is another file."
    ),
]


def serve(
    *,
    demo: Demo = False,
    database: DatabasePlace = None,
    media: Media = None,
    port: Port = None,
    browser: Browser = True,
    log_level: LogLevel = "info",
    sign_out_owners: SignOutOwners = False,
    host: Host = "127.0.0.1",
    public_url: PublicUrl = None,
    root_path: RootPath = None,
    behind_proxy: BehindProxy = False,
    proxy: Proxies = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> CommandResult:
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
    try:  # the server is an extra
        from hodgerank.cli.server_session import run_server
        from hodgerank.server.bind_options import BindOptions
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("hodgerank"):
            raise
        raise MissingDependency("hodgerank[server]", "serving campaigns") from None

    bind_options = BindOptions.of(
        host=host,
        public_url=public_url,
        root_path=root_path,
        proxies=proxy or (LOOPBACK if behind_proxy else ()),
        certificate=certificate,
        key=key,
    )
    return run_server(
        bind_options,
        port,
        place=USUAL_FILE if database is None and not demo else database,
        media=media,
        demo=demo,
        browser=browser,
        log_level=log_level,
        sign_out_owners=sign_out_owners,
        as_json=as_json,
    )
