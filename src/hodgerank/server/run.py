"""Run the server until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Coroutine
from contextlib import suppress
from multiprocessing import active_children
from threading import Thread
from time import monotonic
from types import FrameType
from typing import Any

import uvicorn

from hodgerank.server.app import create_app
from hodgerank.server.bind_options import BindOptions, Prefix
from hodgerank.server.bounded_http import BoundedHttp
from hodgerank.server.context import ServerContext
from hodgerank.server.garbage_collection import spare_collector
from hodgerank.server.open_streams import Streams

logger = logging.getLogger("hodgerank.server")

PATIENCE_SECONDS = 3
"""Seconds for requests in progress when the server stops."""
KEEP_ALIVE_SECONDS = 75
"""Seconds of keep-alive, longer than that of usual proxies."""
SAME_SECONDS = 0.3
"""Seconds within which a repeated signal counts as one."""
AT_ONCE = 130


def do_nothing() -> None:
    """Do nothing."""


def serve(
    context: ServerContext,
    listening: socket.socket,
    bind_options: BindOptions,
    *beside: Callable[[], Coroutine[Any, Any, None]],
    abandon: Callable[[], None] = do_nothing,
) -> int:
    """Serve until a signal comes; close the context, and return the signal.

    Parameters
    ----------
    context, listening, bind_options
        Campaigns, sockets and options.
    beside
        Coroutine that runs beside the server.
    abandon
        Cleanup if a second Ctrl-C ends it at once.
    """
    app = create_app(context)
    config = uvicorn.Config(
        Prefix(app, bind_options.prefix) if bind_options.prefix else app,
        http=BoundedHttp,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(bind_options.proxies),
        forwarded_allow_ips=list(bind_options.proxies),
        ssl_certfile=bind_options.certificate,
        ssl_keyfile=bind_options.key,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=PATIENCE_SECONDS,
    )

    def end_at_once() -> None:
        for process in active_children():
            process.kill()
        abandon()
        os._exit(AT_ONCE)  # what was acknowledged is on disk

    server = _Server(config, app.state.streams, end_at_once)
    spare_collector()
    logger.info("listening on %s", bind_options.address(listening.getsockname()[1]))
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        runner.run(_serve(server, listening, beside))
    logger.info("stopped")
    return server.ended_by


async def _serve(
    server: _Server,
    listening: socket.socket,
    beside: tuple[Callable[[], Coroutine[Any, Any, None]], ...],
) -> None:
    tasks = [asyncio.create_task(_run_beside(work)) for work in beside]
    try:
        await server.serve([listening])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run_beside(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        await work()
    except Exception:
        logger.exception("a background task failed; the server continues")


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


class _Server(uvicorn.Server):
    """Server that a signal stops, with its streams; a second Ctrl-C stops it at once."""

    def __init__(
        self, config: uvicorn.Config, streams: Streams, end_at_once: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._streams, self._end_at_once = streams, end_at_once
        self.ended_by: int = signal.SIGTERM
        self._ending_since = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if not self.should_exit:
            self.ended_by, self.should_exit, self._ending_since = sig, True, monotonic()
        elif sig == signal.SIGINT and monotonic() - self._ending_since > SAME_SECONDS:
            self._end_at_once()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting requests, and end streams."""
        logger.info("stopping; press Ctrl-C again to abandon requests in progress")
        self._streams.end()
        await super().shutdown(sockets)


FAR_AWAY = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "CI")
"""Environment variables of sessions without a desktop."""


def open_browser(address: str) -> bool:
    """Open an address in a browser if possible; return whether it was tried."""
    if not _has_browser():
        return False

    def work() -> None:
        with suppress(Exception):  # whatever the desktop is like, the address has been printed
            webbrowser.open(address)

    Thread(target=work, daemon=True).start()
    return True


def _has_browser() -> bool:
    if any(os.environ.get(name) for name in FAR_AWAY) or not sys.stderr.isatty():
        return False
    is_desktop = sys.platform in ("win32", "darwin")
    if not is_desktop and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
