"""`python -m hodgerank.judges.fake_llm`: serve a fake language model until interrupted."""

from __future__ import annotations

import json
import signal
import sys
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from hodgerank.errors import HodgeRankError
from hodgerank.judges.fake_llm import Call, FakeLLM, Faults, ModelProfile
from hodgerank.judges.fake_llm.prompt import read_known
from hodgerank.judges.prompts.template import load_template

TEMPER = {
    "acuity": "sensitivity to scores; 0 answers at random",
    "position_bias": "bias towards the left item, on the logit scale",
    "verbosity_bias": "bias towards the longer text, per 100 characters, on the logit scale",
    "lapse": "share of random answers",
    "ties": "width of the band of ties, if the prompt offers them",
    "abstain": "share of abstentions, if the prompt offers them",
    "refuse": "share of refusals",
    "ramble": "share of replies without a label",
}
FAULTS = {
    "too_many": "share of requests with status 429",
    "server_error": "share with status 500",
    "broken_json": "share with an incomplete response",
    "closed": "share with a connection closed without a response",
}


def arguments() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog="python -m hodgerank.judges.fake_llm",
        formatter_class=RawDescriptionHelpFormatter,
        description="A fake language model to rehearse with: a local chat completions endpoint "
        "that\nknows the true scores of the items and answers by them. It prints its "
        "base URL\nand runs until it is interrupted. Any model name works.",
        epilog="example:\n  python -m hodgerank.judges.fake_llm items.csv --position-bias 1 "
        '--port 8808 &\n  hodgerank judge items.csv --question "Which is clearer?" '
        "--model fake \\\n      --base-url http://127.0.0.1:8808/v1 --budget 200 -o "
        "rehearsal/",
    )
    add = parser.add_argument
    add("items", type=Path, help="file or folder of the items")
    add(
        "--score-column", metavar="COLUMN",
        help="with the true scores, on the logit scale (score; without one, scores are drawn "
        "and printed)",
    )  # fmt: skip
    for part in ("id", "text", "image"):
        add(f"--{part}", metavar="COLUMN", help=f"with the {part}, as for the judge command")
    add("--template", help="whose labels are replied (those that the prompt offers)")
    add("--seed", type=int, default=0, metavar="N", help="of all that is drawn (%(default)s)")
    add("--port", type=_port, default=8808, metavar="N", help="0: one that is free (%(default)s)")
    add(
        "--answer-log",
        type=Path,
        metavar="FILE",
        help=("file to which a JSON line is appended for each reply"),
    )
    profile = parser.add_argument_group("behaviour")
    for name, about in TEMPER.items():
        profile.add_argument(
            _option(name), type=float, default=getattr(ModelProfile, name), metavar="X",
            help=f"{about} (%(default)g)",
        )  # fmt: skip
    faults = parser.add_argument_group("faults")
    for name, about in FAULTS.items():
        faults.add_argument(_option(name), type=float, default=0.0, metavar="X", help=about)
    faults.add_argument(
        "--retry-after", type=float, metavar="SECONDS", help="that status 429 asks to wait"
    )
    faults.add_argument(
        "--latency", type=_latency, default=0.0, metavar="SECONDS",
        help="until the response: a number, or a range such as 0.1-0.5 (0)",
    )  # fmt: skip
    return parser


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number < 1 << 16:
        raise ArgumentTypeError(f"must be between 0 and 65535, not {number}")
    return number


def _latency(text: str) -> float | tuple[float, float]:
    low, dash, high = text.partition("-")
    return (float(low), float(high)) if dash else float(low)


def main(words: Sequence[str] | None = None) -> None:
    """Read the items, serve until interrupted."""
    parser = arguments()
    options = parser.parse_args(words)
    try:
        known = read_known(
            options.items,
            id=options.id,
            text=options.text,
            image=options.image,
            score=options.score_column,
            seed=options.seed,
        )
        with _stand_in(known.scores, options) as fake_llm:
            stopped = threading.Event()
            for number in (signal.SIGINT, signal.SIGTERM):  # not before: reading takes SIGINT over
                signal.signal(number, lambda *_: stopped.set())
            print(fake_llm.base_url)
            for item, score in sorted((known.drawn or {}).items(), key=lambda each: -each[1]):
                print(f"{score:+.2f}  {item}")
            sys.stdout.flush()
            stopped.wait()
    except (HodgeRankError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


def _stand_in(scores: Mapping[str, float], options: Namespace) -> FakeLLM:
    chosen = vars(options)
    log: Path | None = options.answer_log

    def write(call: Call) -> None:
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(call), ensure_ascii=False) + "\n")

    return FakeLLM(
        scores,
        labels=None if options.template is None else load_template(options.template).labels,
        profiles=ModelProfile(**{name: chosen[name] for name in TEMPER}),
        faults=Faults(
            **{name: chosen[name] for name in FAULTS},
            retry_after=options.retry_after,
            latency=options.latency,
        ),
        seed=options.seed,
        port=options.port,
        on_call=write,
    )


if __name__ == "__main__":
    main()
