"""Write docs/reference/metrics.md from what a server says of itself.

python -m tests.docs.metrics_reference
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.testclient import TestClient
from tests.docs.pages import DOCS

from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext

PAGE = DOCS / "reference" / "metrics.md"
FAMILY = re.compile(r"^# HELP (\w+) (.*)\n# TYPE \1 (\w+)$", re.MULTILINE)
ON_LINUX_ONLY = ("process_resident_memory_bytes", "In memory; on Linux.", "gauge")
INTRODUCTION = """\
# Metrics

<!-- Written by `make transcripts` from the server itself; changes here are lost. -->

What [`hodgerank serve`](commands.md#serve) counts, at `/metrics`, in the text format of Prometheus.
It takes a [token](../guides/programs.md#a-token) with the role reader or owner; one that is good
for a single campaign sees the numbers of that campaign and of the process.
[Put it on a server](../guides/deploy.md#watch-over-it) shows how Prometheus is told.

Requests carry the labels `method`, `route` (a row of [the table](http.md)) and `status`; numbers of
a campaign carry its id as `campaign`, and those of rules `rule` and `verdict`. Numbers of campaigns
are counted from the log, so that a restart does not reset them; all others are of one process since
it began.

| name | kind | meaning |
|---|---|---|
"""


def metrics_reference() -> str:
    """The page."""
    families = [family for family in _families() if family[0] != ON_LINUX_ONLY[0]]
    rows = [f"| `{name}` | {kind} | {words} |" for name, words, kind in [*families, ON_LINUX_ONLY]]
    return INTRODUCTION + "\n".join(sorted(rows)) + "\n"


def _families() -> list[tuple[str, str, str]]:
    """Name, meaning and kind of each."""
    with TemporaryDirectory() as folder:
        context = ServerContext(ServerConfig(str(Path(folder, "campaigns.db"))))
        token = context.keys.issue("token", "reader", "prometheus")
        with TestClient(create_app(context), base_url="http://localhost") as client:
            answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
            answer.raise_for_status()
    return FAMILY.findall(answer.text)


if __name__ == "__main__":
    PAGE.write_text(metrics_reference(), encoding="utf-8")
