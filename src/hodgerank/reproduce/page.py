"""One page for a reviewer: the claims of the paper, charts, verdicts, and differences."""

from __future__ import annotations

import platform
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

from hodgerank.atomic_write import write_file
from hodgerank.plotting.charts import SUFFIXES
from hodgerank.reproduce.experiment import Effort
from hodgerank.reproduce.verdict import Report, Status, Table, Verdict

TITLE = "HodgeRank with Information Maximization, regenerated"
PAPER = (
    "Q. Xu, J. Xiong, X. Chen, Q. Huang, Y. Yao: <i>HodgeRank with Information Maximization for "
    "Crowdsourced Pairwise Ranking Aggregation</i>, AAAI 2018"
)
COLOURS = {
    Status.HOLDS: "good",
    Status.IN_PART: "part",
    Status.FAILS: "bad",
    Status.UNDECIDED: "open",
}
ENLARGED = 1.25  # charts are sized for print
EFFORTS = {
    "smoke": "A few runs of reduced size, as a test that decides nothing",
    "quick": "Fewer runs than published where those take long, as the intervals show",
    "full": "As many runs as published, or more",
}
STYLE = """
:root { --ink: #1d2430; --soft: #5b6676; --line: #dde2ea; --paper: #fff; --ground: #f5f6f9; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 20px 80px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 21px; line-height: 1.3; margin: 4px 0 6px; }
h3 { font-size: 15px; margin: 20px 0 6px; }
p { margin: 6px 0; }
a { color: #0b5fa5; }
.soft { color: var(--soft); font-size: 14px; }
section, nav { background: var(--paper); border: 1px solid var(--line); border-radius: 10px;
  padding: 22px 26px; margin: 24px 0; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
td, th { text-align: left; padding: 7px 10px 7px 0; border-top: 1px solid var(--line);
  vertical-align: top; }
tr:first-child td, tr:first-child th { border-top: 0; }
th { font-weight: 600; color: var(--soft); font-size: 13px; }
.source { color: var(--soft); font-size: 14px; font-weight: 600; white-space: nowrap; }
figure { margin: 18px 0; overflow-x: auto; }
figure img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.badge { display: inline-block; border-radius: 5px; padding: 1px 9px; font-size: 13px;
  font-weight: 600; white-space: nowrap; }
.good { background: #dff3e6; color: #10613a; } .part { background: #fdf0d5; color: #7a4b00; }
.bad { background: #fbe1de; color: #8f1d10; } .open { background: #e8ebf1; color: #434d5c; }
.ours { border: 1px solid var(--soft); border-radius: 5px; padding: 0 6px; font-size: 12px;
  color: var(--soft); }
.claim { border-left: 3px solid var(--line); padding: 2px 0 2px 14px; margin: 12px 0; }
.numbers { overflow-x: auto; margin: 14px 0; }
.numbers td, .numbers th { text-align: right; font-variant-numeric: tabular-nums; }
.numbers td:first-child, .numbers th:first-child { text-align: left; }
.claim .evidence { font-variant-numeric: tabular-nums; }
ul { margin: 4px 0; padding-left: 20px; }
@media (max-width: 700px) { section, nav { padding: 16px; } .source { white-space: normal; }
  figure img { max-width: none; } }
"""


def write_page(folder: Path, reports: Sequence[Report], effort: Effort) -> Path:
    """Write `index.html`, which needs no other file; its links lead to the files beside it."""
    path = folder / "index.html"
    sections = "\n".join(_section(report, folder) for report in reports)
    html = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{TITLE}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{TITLE}</h1>
<p>{PAPER}. {_tally(reports)}</p>
<p class="soft">Every verdict below is computed from the runs: “above” is a paired difference
with its 95% CI. Bands in the charts are two standard errors. Claims and baselines marked “ours” are
not in the paper, and do not count in the verdict on a figure; those that fail are named beside it.
{escape(EFFORTS[effort.name])}{_overridden(effort)}. Seed {effort.seed}. {_versions()}</p>
<nav>
<table>
<tr><th>in the paper</th><th>what</th><th>verdict</th></tr>
{"".join(_row(report) for report in reports)}
</table>
</nav>
{sections}
</main>
</body>
</html>
"""
    write_file(path, html.encode())
    return path


def _overridden(effort: Effort) -> str:
    return "" if effort.n_runs is None else f"; number of runs set to {effort.n_runs:,}"


def _versions() -> str:
    names = ("hodgerank", "numpy", "scipy", "numba")
    listed = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{listed}, Python {platform.python_version()} on {platform.machine()}."


def _tally(reports: Sequence[Report]) -> str:
    """Count the verdicts on parts of the paper, and on questions beyond it."""
    sentences = []
    for is_paper, what in ((True, "parts of the paper"), (False, "questions beyond the paper")):
        kinds = Counter(
            report.verdict for report in reports if report.published.is_from_paper is is_paper
        )
        if kinds:
            counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            sentences.append(f"Of {kinds.total()} {what}: {counted}.")
    return " ".join(sentences)


def _row(report: Report) -> str:
    is_restricted = report.status is Status.HOLDS and report.caveat
    colour = COLOURS[Status.IN_PART if is_restricted else report.status]
    remarks = "; ".join(filter(None, (report.tally, report.caveat)))
    return (
        f'<tr><td class="source">{escape(report.published.source)}</td>'
        f'<td><a href="#{report.name}">{escape(report.published.title)}</a></td>'
        f'<td><span class="badge {colour}">{report.verdict}</span><br>'
        f'<span class="soft">{escape(remarks)}</span></td></tr>\n'
    )


def _section(report: Report, folder: Path) -> str:
    published = report.published
    claims = "".join(map(_claim, report.verdicts))
    differences = _list(published.differences, "Differences from the paper")
    picture = f"<p>{escape(report.obstacle)}</p>" if report.obstacle else _picture(report, folder)
    return f"""<section id="{report.name}">
<div class="source">{escape(published.source)}</div>
<h2>{escape(published.title)}</h2>
<p class="soft">{escape(published.setting)}</p>
{picture}
{_table(report.table)}
{claims}
{differences}
</section>"""


def _picture(report: Report, folder: Path) -> str:
    name = report.name
    svg = (folder / f"{name}.svg").read_text(encoding="utf-8")
    width = round(ENLARGED * float(re.search(r'width="([\d.]+)"', svg)[1]))  # type: ignore[index]
    encoded = b64encode(svg.encode()).decode()
    files = [*(f"{name}{suffix}" for suffix in SUFFIXES), f"{name}.csv"]
    links = " · ".join(f'<a href="{file}">{file}</a>' for file in files)
    alt = escape(f"{report.published.source}: {report.published.title}", quote=True)
    return (
        f'<figure><img alt="{alt}" width="{width}" '
        f'src="data:image/svg+xml;base64,{encoded}"></figure>\n'
        f'<p class="soft">{links}</p>'
    )


def _table(rows: Table) -> str:
    if not rows:
        return ""
    heading = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[1:]
    )
    return f'<div class="numbers"><table><tr>{heading}</tr>{body}</table></div>'


def _claim(verdict: Verdict) -> str:
    colour = COLOURS[verdict.status]
    reason = ""
    if verdict.status in (Status.FAILS, Status.IN_PART) and verdict.claim.otherwise:
        reason = f'<p class="soft">{escape(verdict.claim.otherwise)}</p>'
    ours = '<span class="ours">ours</span> ' if verdict.claim.is_ours else ""
    return (
        f'<div class="claim" id="{verdict.claim.id}"><p>{ours}{escape(verdict.claim.text)} '
        f'<span class="badge {colour}">{verdict.status}</span></p>'
        f'<p class="evidence soft">{escape(verdict.evidence)}</p>{reason}</div>\n'
    )


def _list(lines: Iterable[str], heading: str) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<h3>{heading}</h3><ul class="soft">{items}</ul>' if items else ""
