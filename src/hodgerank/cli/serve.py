"""hodgerank serve: campaigns in the browser."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.errors import MissingDependency

USUAL_FILE = "campaigns.db"
LOOPBACK = ("127.0.0.1", "::1")
FOR_OTHERS = "Network"

Demo = Annotated[
    bool,
    typer.Option(
        "--demo",
        help="Run a demo campaign with generated pictures and simulated workers; deleted at the "
        "end unless --database is given.",
    ),
]
DatabasePlace = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help=f"File, created if it does not exist (default: {USUAL_FILE}), or postgresql:// "
        "address.",
    ),
]
Media = Annotated[
    Path | None,
    typer.Option(help="Folder for pictures and sounds. Default: beside the database file."),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        help=("Port; 0 chooses any free port. Default: 8000, or the next free port."),
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the owner's link in a browser.")
]
LogLevel = Annotated[
    Literal["debug", "info", "warning", "error"],
    typer.Option(help="Messages on standard error; debug logs every request."),
]
SignOutOwners = Annotated[
    bool,
    typer.Option(
        "--sign-out-owners",
        help="First end all sessions of owners and revoke unused owner links. Workers and API "
        "tokens are not affected.",
    ),
]
GroupReadable = Annotated[
    bool,
    typer.Option(
        "--group-readable",
        help="Let the group of the files read database and media, for backups and proxies; by "
        "default only their owner can.",
    ),
]
Host = Annotated[
    str,
    typer.Option(
        rich_help_panel=FOR_OTHERS,
        help="Address to listen on; 0.0.0.0 accepts connections from other machines.",
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        rich_help_panel=FOR_OTHERS,
        help="Public address, e.g. https://rank.example.org/votes.",
    ),
]
RootPath = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=FOR_OTHERS,
        help="Path under which a proxy serves it. Default: the path of --public-url.",
    ),
]
BehindProxy = Annotated[
    bool,
    typer.Option(
        "--behind-proxy",
        rich_help_panel=FOR_OTHERS,
        help="Trust X-Forwarded-For and X-Forwarded-Proto from a proxy on this machine.",
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        rich_help_panel=FOR_OTHERS,
        help="Trust a proxy at this address or network instead; may be repeated.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=FOR_OTHERS,
        help=("PEM file with the certificate, to serve over TLS without a proxy."),
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=FOR_OTHERS,
        help=("PEM file with the key, if it is not in the certificate file."),
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
    group_readable: GroupReadable = False,
    host: Host = "127.0.0.1",
    public_url: PublicUrl = None,
    root_path: RootPath = None,
    behind_proxy: BehindProxy = False,
    proxy: Proxies = None,
    certificate: Certificate = None,
    key: Key = None,
    as_json: AsJson = False,
) -> CommandResult:
    """Run voting campaigns in the browser.

    Prints the address and a link; whoever opens the link first becomes the owner. Only this machine
    can connect unless --host is given. Stop it with Ctrl-C; run the same command again to resume.

    With --json, one line of JSON is printed at the start and one at the end.

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
        group_readable=group_readable,
        as_json=as_json,
    )
