"""Columns that accompany votes and are no part of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpus.files import Cell

Maker = Callable[[Random, int], Cell]
DISTRACTORS: dict[str, Maker] = {
    "n_words": lambda rng, k: rng.randrange(40, 400),
    "prompt": lambda rng, k: rng.choice(("Describe a bridge.", "Name a bird.", "Why?")),
    "date": lambda rng, k: f"2024-05-{1 + k % 28:02d}",
    "uuid": lambda rng, k: f"{rng.getrandbits(48):012x}",
    "row": lambda rng, k: k + 1,
    "device": lambda rng, k: rng.choice(("phone", "laptop", "tablet")),
    "consent": lambda rng, k: rng.choice((-1, 1)),
    "is_duplicate": lambda rng, k: rng.choice(("True", "False")),
    "confidence": lambda rng, k: rng.randrange(1, 6),
    "page_rank": lambda rng, k: rng.randrange(1, 9),
    "rt": lambda rng, k: round(rng.uniform(0.4, 9.0), 3),
    "age": lambda rng, k: rng.randrange(18, 80),
    "country": lambda rng, k: rng.choice(("PL", "PT", "KE")),
    "block": lambda rng, k: 1 + k // 40,
    "attention_check": lambda rng, k: rng.choice((0, 1)),
    "comment": lambda rng, k: rng.choice((None, "ok", "left one was dark", "A or B, hard")),
    "notes on the outcome": lambda rng, k: rng.choice((None, "clear", "unsure")),
    "display": lambda rng, k: rng.choice(("left", "right")),
    "handedness": lambda rng, k: rng.choice(("left", "right", "both")),
    "version": lambda rng, k: rng.choice(("A", "B")),
    "sex": lambda rng, k: rng.choice((1, 2)),
    "label": lambda rng, k: rng.choice(("A", "B")),
    "position": lambda rng, k: rng.randrange(1, 5),
    "order": lambda rng, k: 1 + k % 20,
    "list": lambda rng, k: rng.choice((1, 2, 3)),
    "outcome of the call": lambda rng, k: "ok",
    "n": lambda rng, k: rng.randrange(1, 30),
}
# Columns that would be the outcome if there were no better one.
PLAUSIBLE = frozenset({"label", "display", "n", "home_wins", "n_a", "n_1"})
TWO_DISTRACTORS: tuple[tuple[str, str, Maker], ...] = (
    ("rt_left", "rt_right", lambda rng, k: round(rng.uniform(0.4, 9.0), 2)),
    ("tokens_a", "tokens_b", lambda rng, k: rng.randrange(20, 900)),
    ("flag1", "flag2", lambda rng, k: rng.choice((-1, 1))),
    ("elo_1", "elo_2", lambda rng, k: rng.randrange(1400, 1900)),
    ("response_a", "response_b", lambda rng, k: f"Answer {rng.random():.6f}"),
    ("x1", "x2", lambda rng, k: rng.randrange(1, 5)),
    ("word_count_a", "word_count_b", lambda rng, k: rng.randrange(20, 400)),
    ("n_1", "n_2", lambda rng, k: rng.randrange(3, 60)),
    ("home_wins", "away_wins", lambda rng, k: rng.randrange(12)),
    ("rank1", "rank2", lambda rng, k: rng.randrange(1, 40)),
    ("winner_odds", "loser_odds", lambda rng, k: rng.randrange(1, 9)),
)
