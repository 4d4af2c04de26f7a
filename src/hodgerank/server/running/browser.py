"""Opening the owner's browser, where there is one and somebody sits before it."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import suppress
from threading import Thread

FAR_AWAY = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "CI")
"""Set where nobody sits before this machine."""


def open_browser(address: str) -> bool:
    """Open an address if that can be done; whether it was tried. It never fails."""
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
