"""A process that has imported hodgerank once, and runs one command after the other.

It reads a JSON object per line (folder, arguments, width), runs the command in that folder with
standard output and standard error in the files `stdout` and `stderr` there, and answers with its
exit status. File descriptors are redirected, so that what compiled code prints is seen as well.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import traceback

from hodgerank.cli import main

MOST_MEMORY = 4 << 30
PATIENCE = 50.0  # seconds until it is written to `stderr` where the command hangs


def limit_memory() -> None:
    """Let absurd allocations fail here instead of hurting the machine.

    Of data, not of addresses: drawing charts reserves many and uses few.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(arguments: list[str]) -> int:
    """The exit status of a command; 1 after an exception that nobody foresaw."""
    try:
        main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def serve() -> None:
    """Run commands until there are no more."""
    limit_memory()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        task = json.loads(line)
        os.chdir(task["folder"])
        os.environ["COLUMNS"] = str(task["width"])
        streams = [
            os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("stdout", "stderr")
        ]
        for place, stream in enumerate(streams, start=1):
            os.dup2(stream, place)
            os.close(stream)
        faulthandler.enable()
        faulthandler.dump_traceback_later(PATIENCE)
        status = run(task["arguments"])
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.flush()
        sys.stderr.flush()
        answers.write(f"{status}\n")
        answers.flush()


if __name__ == "__main__":
    serve()
