"""Words for an outcome: 'left', 'Model A is better', 'A>>B', 'about the same', 'not sure'.

A label is looked up as a whole first. Otherwise it is a phrase whose words must all be known: one
names a side, others grade the preference ('much', 'slightly') or add nothing ('the', 'is'). A label
with an unknown word has no meaning, and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from hodgerank.data.reading.column_names import ITEM_WORDS
from hodgerank.data.reading.options import plain_word
from hodgerank.data.vote_columns import SIDES

Meaning: TypeAlias = Literal["left", "right", "tie", "both bad", "skip", "unanswered"]
WEAK, PLAIN, STRONG = 1, 2, 3


class Word(NamedTuple):
    """Meaning of a label, and how strong the preference is."""

    meaning: Meaning
    strength: int = PLAIN


LEFT = frozenset({
    "left", "model_a", "model_1", "item_a", "option_a", "a", "l", "first", "true",
    "links", "gauche", "izquierda", "1-0", "win", "won", "victory",
})  # fmt: skip
RIGHT = frozenset({
    "right", "model_b", "model_2", "item_b", "option_b", "b", "r", "second", "false",
    "rechts", "droite", "derecha", "0-1", "loss", "lose", "lost", "defeat",
})  # fmt: skip
TIE = frozenset({
    "tie", "tied", "draw", "drawn", "equal", "equals", "same", "both", "similar", "neutral",
    "indifferent", "no preference", "no difference", "no winner", "no clear winner", "d",
    "tie (inconsistent)", "tie (bothgood)", "bothgood", "both_good", "both good",
    "1/2-1/2", "½-½", "0.5-0.5", "=",
    "unentschieden", "gleich", "gleich gut", "gleichstand", "égalité", "egalité", "egalite", "nul",
    "match nul", "empate", "igual",
})  # fmt: skip
BOTH_BAD = frozenset({
    "tie (bothbad)", "tie (both bad)", "bothbad", "both_bad", "both bad", "neither",
})  # fmt: skip
SKIP = frozenset({
    "skip", "skipped", "ignore", "ignored", "unknown", "unsure", "not sure", "notsure", "not_sure",
    "undecided", "can't decide", "cant decide", "can't_decide", "cannot decide", "cannot say",
    "can't say", "can't tell", "cannot tell", "don't know", "dont know", "do not know",
    "i don't know", "pass", "none", "error", "invalid", "weiß nicht", "weiss nicht", "keine angabe",
    "ne sait pas", "no sé",
})  # fmt: skip

_EQUAL = frozenset({"tie", "tied", "draw", "equal", "equally", "same", "similar", "comparable"})
_BETTER = frozenset({
    "better", "best", "prefer", "prefers", "preferred", "win", "wins", "won", "winner", "chosen",
    "choose", "chose", "selected", "picked", "superior", "good", "beats",
    "besser", "gewinnt", "mieux", "meilleur", "mejor", "gana",
})  # fmt: skip
_WORSE = frozenset({"worse", "worst", "inferior", "loses", "lost", "loser"})
_BAD = frozenset({"bad", "poor", "wrong", "unacceptable"})
_STRONG = frozenset({
    "much", "far", "strongly", "significantly", "substantially", "considerably", "clearly", "lot",
    "way", "greatly", "definitely", "very", "deutlich", "viel", "nettement", "mucho",
})  # fmt: skip
_WEAK = frozenset({
    "slightly", "somewhat", "marginally", "bit", "little", "barely", "weakly", "etwas", "leicht",
    "légèrement", "ligeramente",
})  # fmt: skip
_FILLERS = frozenset({
    "the", "is", "are", "was", "were", "i", "it", "of", "to", "one", "side", "key", "arrow",
    "button", "on", "about", "roughly", "approximately", "almost", "nearly", "they", "this",
    "that", "more", "and", "assistant", "generation", "und", "ist", "est", "es", "el", "la",
    "le", "die", "der", "das",
}) | frozenset(ITEM_WORDS)  # fmt: skip
_ARTICLE = re.compile(r"\ba (?=(bit|little|lot|tie|draw)\b)")
_RELATION = re.compile(r"(\w+)\s*(>>|>|==|=|≈|~|<<|<)\s*(\w+)")
_SCORE = re.compile(r"(\d{1,3})\s*[-:–]\s*(\d{1,3})")  # of a game, left first: 3-1, 3:1
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # ArrowLeft
_MOST_WORDS = 9
# A label is decorated like this by language models: [[A>>B]], "A".
_DECORATION = " \t\"'`*[](){}.!:"


class Vocabulary:
    """Meaning of labels in one outcome column.

    Parameters
    ----------
    given
        Words whose meaning the caller gave.
    known
        Further words of this table: names of columns, yes and no, ...
    sides
        Words that stand for left and right in this table, beside the usual ones.
    """

    def __init__(
        self,
        given: Mapping[str, Meaning],
        known: Mapping[str, Meaning],
        sides: tuple[str, str] | None = None,
    ) -> None:
        self._words, self._sides = dict(_USUAL), dict(_SIDES_IN_PHRASES)
        if sides is not None:
            left, right = sides
            if left[0] != right[0] and not left.isdecimal():
                self._words |= {left[0]: "left", right[0]: "right"}
            self._sides |= {left: "left", right: "right"}
        self._words |= {**known, **given}

    def word(self, label: str, *, as_phrase: bool = True) -> Word | None:
        """Return the meaning of a label, as a whole or also as a phrase; None if not known."""
        whole = plain_word(label)
        if whole in self._words:
            return Word(self._words[whole])
        if not as_phrase:
            return None
        if score := _SCORE.fullmatch(whole):
            first, second = (int(points) for points in score.groups())
            return Word("left" if first > second else "right" if first < second else "tie")
        bare = whole.strip(_DECORATION)
        if bare in self._words:
            return Word(self._words[bare])
        if relation := _RELATION.fullmatch(bare):
            return self._related(*relation.groups())
        return self._phrase(plain_word(_CAPITAL.sub(" ", label)).strip(_DECORATION))

    def _related(self, first: str, sign: str, second: str) -> Word | None:
        """Return the meaning of A>B, A>>B, A=B and the like."""
        one, other = self._sides.get(first), self._sides.get(second)
        if one is None or other is None or one == other:
            return None
        if sign in ("=", "==", "~", "≈"):
            return Word("tie")
        meaning = one if sign[0] == ">" else other
        return Word(meaning, STRONG if len(sign) == 2 else PLAIN)

    def _phrase(self, text: str) -> Word | None:
        words = re.findall(r"[^\W_]+", _ARTICLE.sub("", text))
        if not 2 <= len(words) <= _MOST_WORDS:
            return None
        sides: list[Meaning] = [self._sides[word] for word in words if word in self._sides]
        others = {word for word in words if word not in self._sides}
        if "than" in others and len(sides) != 2:
            return None
        others -= {"than"}
        known = _FILLERS | _EQUAL | _BETTER | _WORSE | _BAD | _STRONG | _WEAK
        if not others <= known | {"both", "neither"}:
            return None
        if others & {"both", "neither"}:
            return None if sides else Word(_of_both(others))
        if others & _EQUAL:
            is_one = len(set(sides)) == 1
            if is_one or others & (_WORSE | _BETTER - {"good"}):
                return None
            return Word("both bad" if others & _BAD else "tie")
        if not sides or len(sides) > 2 or (len(sides) == 2 and "than" not in words):
            return None
        is_worse = bool(others & (_WORSE | _BAD))
        if is_worse and others & _BETTER:
            return None
        meaning = sides[0]
        if is_worse:
            meaning = "right" if meaning == "left" else "left"
        strength = STRONG if others & _STRONG else WEAK if others & _WEAK else PLAIN
        return Word(meaning, strength)


def _of_both(words: set[str]) -> Meaning:
    """Return what is said of both: they are bad, or they are equal."""
    if "neither" in words:  # neither is good, but: neither is better
        return "tie" if words & (_BAD | _WORSE | _BETTER - {"good"}) else "both bad"
    return "both bad" if words & _BAD else "tie"


def graded(words: Sequence[Word | None]) -> dict[int, float]:
    """Return the outcome of each strength: the strengths of a column are equally spaced.

    >>> graded([Word("left", STRONG), Word("left", PLAIN), Word("tie")])
    {2: 0.5, 3: 1.0}
    """
    found = sorted({w.strength for w in words if w is not None and w.meaning in ("left", "right")})
    return {strength: (k + 1) / len(found) for k, strength in enumerate(found)}


_USUAL: dict[str, Meaning] = {
    **dict.fromkeys(LEFT, "left"),
    **dict.fromkeys(RIGHT, "right"),
    **dict.fromkeys(TIE, "tie"),
    **dict.fromkeys(BOTH_BAD, "both bad"),
    **dict.fromkeys(SKIP, "skip"),
}
# In a phrase 'option 1' is a side, while a number by itself may be a grade.
_SIDES_IN_PHRASES: dict[str, Meaning] = {
    word: meaning  # type: ignore[misc]
    for pair in SIDES
    for word, meaning in zip(pair, ("left", "right"), strict=True)
    if pair not in (("0", "1"), ("i", "j"), ("one", "two"))
}
