"""Meaning of column names: their words, the side they refer to, and the winner they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hodgerank.data.vote_columns import MOST_WORDS, SIDES
from hodgerank.data.vote_columns import base_word as base_word
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
# Columns of a pair that decide a vote: the item with the higher, or the lower, number is better.
HIGHER = frozenset({
    "score", "scores", "points", "pts", "goals", "mos", "runs", "sets",
})  # fmt: skip
LOWER = frozenset({"rank", "ranks", "place"})
# Columns of a pair that measure something and name no item.
MEASURES = HIGHER | LOWER | frozenset({
    "grade", "marks", "wins", "win", "won", "winner", "votes", "vote", "count", "counts", "n",
    "time", "seconds", "ms", "rt", "duration", "rating", "elo", "tokens", "length",
    "position", "x", "y", "width", "height", "prob", "probability", "weight", "price", "cost",
    "date", "conversation", "turn", "turns", "selected", "chosen", "preferred", "picked",
    "better", "ties", "value", "values", "quality", "error", "errors", "loss", "losses", "odds",
    "age", "level", "size",
})  # fmt: skip
TALLIES = frozenset({
    "wins", "win", "won", "winner", "votes", "count", "counts", "n", "selected", "chosen",
    "preferred",
})  # fmt: skip
_COUNTED = frozenset({
    "of", "for", "number", "num", "total", "item", "model", "option", "candidate", "player", "team",
    "system", "image", "side",
})  # fmt: skip
TIES = frozenset({
    "tie", "ties", "tied", "draw", "draws", "equal", "same",
})  # fmt: skip
VERDICTS = frozenset({
    "selected", "chosen", "preferred", "picked", "won", "wins", "win", "winner", "better",
    "best", "chose", "prefers", "prefer", "pick", "picks", "choice",
})  # fmt: skip
_PARTICLES = frozenset({
    "is", "was", "did", "were", "has", "id",
})  # fmt: skip
_WON = frozenset({
    "winner", "won", "chosen", "preferred", "better", "selected", "best", "picked", "win",
    "winning", "sieger", "gewinner", "gagnant", "vainqueur", "ganador",
})  # fmt: skip
_LOST = frozenset({
    "loser", "lost", "rejected", "worse", "worst", "unchosen", "unselected", "losing", "lose",
    "verlierer", "perdant", "perdedor",
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


def named_pair(left: str, right: str) -> SidedPair:
    """Return two columns as a pair, with the words by which their names differ as sides.

    >>> named_pair("skater_inner", "skater_outer").sides
    ('inner', 'outer')
    """
    one, other = words_of(left), words_of(right)
    sides = {(a, b) for a, b in zip(one, other, strict=False) if a != b}
    if len(one) == len(other) and len(sides) == 1:
        (words,) = sides
        stem = tuple(a for a, b in zip(one, other, strict=True) if a == b)
        return SidedPair(left, right, words, stem)
    return SidedPair(left, right, (left.lower(), right.lower()), ())


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
        elif not MEASURES.intersection(words):
            unknown.append(pair)
    return [pair for _, pair in sorted(known, key=lambda rated: rated[0])], unknown


def tally_pairs(columns: Sequence[str]) -> list[SidedPair]:
    """Return pairs of columns that count the wins of each side: `wins_left, wins_right`.

    A number of words or tokens is a count of something else.
    """
    return [
        pair
        for pair in sided_pairs(columns)
        if TALLIES.intersection(pair.stem) and TALLIES.union(_COUNTED).issuperset(pair.stem)
    ]


def _pairs_by(columns: Sequence[str], sides: tuple[str, str]) -> list[SidedPair]:
    """Return pairs of columns whose names differ only in these two words."""
    by_words = {words_of(name): name for name in reversed(columns)}
    found = []
    for words, name in by_words.items():
        for place in (k for k, word in enumerate(words) if word == sides[0]):
            other = (*words[:place], sides[1], *words[place + 1 :])
            if other in by_words:
                found.append(
                    SidedPair(name, by_words[other], sides, words[:place] + words[place + 1 :])
                )
    return found[::-1]


def is_measure(words: Iterable[str]) -> bool:
    """Return whether words name a measurement, not an item."""
    return not MEASURES.isdisjoint(words)


class ComparedMeasures(NamedTuple):
    """Two columns that hold a number for each item of a pair, and what it says.

    `sign` is +1 if the higher number is better, -1 if the lower is, 0 if the name does not say.
    """

    left: str
    right: str
    sign: int


def compared_measures(columns: Sequence[str], sides: tuple[str, str]) -> list[ComparedMeasures]:
    """Return pairs of columns that may hold a number for each side, the telling ones first.

    >>> compared_measures(["system1Id", "system1rank", "system2rank"], ("1", "2"))
    [ComparedMeasures(left='system1rank', right='system2rank', sign=-1)]
    """
    found = []
    for pair in _pairs_by(columns, sides):
        sign = bool(HIGHER.intersection(pair.stem)) - bool(LOWER.intersection(pair.stem))
        found.append(ComparedMeasures(pair.left, pair.right, sign))
    return sorted(found, key=lambda measures: measures.sign == 0)


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


def decided_pairs(columns: Iterable[str]) -> list[tuple[str, str]]:
    """Return columns of winners and of losers whose names otherwise agree.

    >>> decided_pairs(["judge", "candidate_chosen", "candidate_not_chosen"])
    [('candidate_chosen', 'candidate_not_chosen')]
    """
    won: dict[tuple[str, ...], list[str]] = {}
    lost: dict[tuple[str, ...], list[str]] = {}
    for name in columns:
        words = words_of(name)
        stem = tuple(word for word in words if word not in _WON | _LOST | {"not"})
        if len(words) - len(stem) == 1 and _WON.intersection(words):
            won.setdefault(stem, []).append(name)
        elif _LOST.intersection(words) or ("not" in words and _WON.intersection(words)):
            lost.setdefault(stem, []).append(name)
    # Points and ratings of winner and loser are not their names.
    stems = [stem for stem in won if not is_measure(stem)]
    return [(w, loser) for stem in stems for w in won[stem] for loser in lost.get(stem, ())]


_ID_WORDS = frozenset({"id", "ids", "no", "nr", "number", "index", "key", "code", "uid"})
_LABEL_WORDS = frozenset({"text", "name", "title", "label", "caption"})


def label_columns(columns: Sequence[str], left: str, right: str) -> tuple[tuple[str, str], ...]:
    """Return columns of ids with the columns beside them that name the items.

    The ids are those of `left` and `right`, or of the winner and loser where these are given too.

    >>> label_columns(["idA", "textA", "idB", "textB"], "idA", "idB")
    (('idA', 'textA'), ('idB', 'textB'))
    """
    ids, labels = _by_role(columns, _ID_WORDS), _by_role(columns, _LABEL_WORDS)
    role_of = {name: role for role, name in ids.items()}
    if left not in role_of or right not in role_of:
        return ()
    decided = [role for role in ids if role and _WON.union(_LOST).issuperset(role)]
    for roles in ([role_of[left], role_of[right]], decided):
        if len(roles) == 2 and all(role in labels for role in roles):
            return tuple((ids[role], labels[role]) for role in roles)
    return ()


def _by_role(columns: Sequence[str], kind: frozenset[str]) -> dict[tuple[str, ...], str]:
    """Return the columns whose names have one word of a kind, by their other words."""
    found: dict[tuple[str, ...], str] = {}
    for name in columns:
        words = words_of(name)
        role = tuple(word for word in words if word not in kind)
        if len(words) - len(role) == 1:
            found.setdefault(role, name)
    return found
