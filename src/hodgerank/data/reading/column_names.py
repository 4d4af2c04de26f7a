"""Meaning of column names: their words, the side they refer to, and the winner they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hodgerank.data.vote_columns import IDS, MOST_WORDS, SIDES
from hodgerank.data.vote_columns import words_of as words_of

# Words for the items compared, the likeliest first.
ITEM_WORDS = (
    "item", "items", "model", "candidate", "option", "stimulus", "stim", "stimuli", "alternative",
    "object", "system", "method", "algorithm", "condition", "image", "img", "picture", "photo",
    "video", "clip", "audio", "sound", "player", "team", "choice", "id", "name", "product",
    "entity", "element", "concept", "word", "essay", "script", "summary", "translation",
    "sample", "design",
    "file", "text", "sentence", "document", "passage", "output", "answer", "completion", "response",
)  # fmt: skip
# Columns of a pair that measure something and name no item.
_MEASURES = frozenset({
    "score", "scores", "wins", "win", "won", "winner", "votes", "vote", "count", "counts", "n",
    "time", "seconds", "ms", "rt", "duration", "rating", "elo", "tokens", "length", "rank",
    "position", "x", "y", "width", "height", "prob", "probability", "weight", "price", "cost",
    "url", "date", "conversation", "turn", "turns", "selected", "chosen", "preferred", "picked",
    "better", "ties",
})  # fmt: skip
TALLIES = frozenset({
    "wins", "win", "won", "winner", "votes", "count", "counts", "n", "selected", "chosen",
    "preferred",
})  # fmt: skip
TIES = frozenset({
    "tie", "ties", "tied", "draw", "draws", "equal", "same",
})  # fmt: skip
VERDICTS = frozenset({
    "selected", "chosen", "preferred", "picked", "won", "wins", "win", "winner", "better",
    "best", "chose", "prefers", "prefer",
})  # fmt: skip
_PARTICLES = frozenset({
    "is", "was", "did", "were", "has", "id",
})  # fmt: skip
_WON = frozenset({
    "winner", "won", "chosen", "preferred", "better", "selected", "best", "picked", "win",
    "winning",
})  # fmt: skip
_LOST = frozenset({
    "loser", "lost", "rejected", "worse", "worst", "unchosen", "unselected", "losing", "lose",
})  # fmt: skip


class SidedPair(NamedTuple):
    """Two columns whose names differ only in their side."""

    left: str
    right: str
    sides: tuple[str, str]
    stem: tuple[str, ...]


def sided_pairs(columns: Sequence[str]) -> list[SidedPair]:
    """Return pairs of columns that differ only in the word for the side, in column order.

    >>> [pair[:2] for pair in sided_pairs(["stimulus_b", "rt", "stimulus_a"])]
    [('stimulus_a', 'stimulus_b')]
    """
    by_words: dict[tuple[str, ...], str] = {}
    for name in columns:
        by_words.setdefault(words_of(name), name)
    found = []
    for words, name in by_words.items():
        if len(words) > MOST_WORDS:  # a text, not a name
            continue
        for place, word in enumerate(words):
            for left, right in SIDES:
                other = (*words[:place], right, *words[place + 1 :])
                if word == left and other in by_words:
                    stem = words[:place] + words[place + 1 :]
                    found.append(SidedPair(name, by_words[other], (left, right), stem))
    return found


def item_pairs(columns: Sequence[str]) -> tuple[list[SidedPair], list[SidedPair]]:
    """Return pairs of columns that may name the two items: by known names first, then others."""
    known: list[tuple[int, SidedPair]] = []
    unknown = []
    for pair in sided_pairs(columns):
        words = [word for word in pair.stem if word != "id"] or list(pair.stem)
        if not words:
            known.append((-1, pair))
        elif all(word in ITEM_WORDS for word in words):
            known.append((max(ITEM_WORDS.index(word) for word in words), pair))
        elif not _MEASURES.intersection(words):
            unknown.append(pair)
    return [pair for _, pair in sorted(known, key=lambda rated: rated[0])], unknown


def tally_pairs(columns: Sequence[str]) -> list[SidedPair]:
    """Return pairs of columns that count the wins of each side: `wins_left, wins_right`."""
    return [pair for pair in sided_pairs(columns) if TALLIES.intersection(pair.stem)]


def favoured_side(name: str, sides: tuple[str, str]) -> int:
    """Return +1 for a column that states whether left was chosen, -1 for right, else 0.

    >>> favoured_side("is_A_selected", ("a", "b")), favoured_side("right_won", ("left", "right"))
    (1, -1)
    """
    words = [word for word in words_of(name) if word not in _PARTICLES]
    rest = [word for word in words if word not in VERDICTS and word not in ITEM_WORDS]
    if len(rest) != 1 or rest[0] not in sides or not VERDICTS.intersection(words):
        return 0
    return 1 if rest[0] == sides[0] else -1


def decided_pair(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return a column of winners and one of losers whose names otherwise agree.

    >>> decided_pair(["judge", "candidate_chosen", "candidate_not_chosen"])
    ('candidate_chosen', 'candidate_not_chosen')
    """
    won: dict[tuple[str, ...], str] = {}
    lost: dict[tuple[str, ...], str] = {}
    for name in columns:
        words = words_of(name)
        stem = tuple(word for word in words if word not in _WON | _LOST | {"not"})
        if len(words) - len(stem) == 1 and _WON.intersection(words):
            won.setdefault(stem, name)
        elif _LOST.intersection(words) or ("not" in words and _WON.intersection(words)):
            lost.setdefault(stem, name)
    return next(((name, lost[stem]) for stem, name in won.items() if stem in lost), None)


def base_word(name: str) -> str:
    """Return the name without an id or number word: `worker` for WorkerID, worker_id, worker_no.

    >>> base_word("participant_id"), base_word("workerid"), base_word("Judge")
    ('participant', 'worker', 'judge')
    """
    words = [word for word in words_of(name) if word not in IDS]
    name = "_".join(words)
    return name.removesuffix("id") if len(name) > len("pid") else name
