"""Joining: what workers meet before their first pair."""

from __future__ import annotations

from dataclasses import dataclass

from hodgerank.campaign import setting_values as values
from hodgerank.campaign.gold import GoldPair, known_pairs
from hodgerank.campaign.setting_values import check_all, setting
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short


@dataclass(frozen=True)
class PracticePair(GoldPair):
    """A pair to try before the first task, and in words why one item is better."""

    because: str = setting("", values.text)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_all(self, "joining.practice.")


@dataclass(frozen=True)
class QuizQuestion:
    """What who has read the instructions can answer."""

    question: str = setting("", values.text)
    answers: tuple[str, ...] = setting((), values.texts)
    right: str = setting("", values.text)

    def __post_init__(self) -> None:
        check_all(self, "joining.questions.")
        if not self.question.strip():
            raise InvalidArgument("joining.questions.question is empty: write what is asked")
        if len(self.answers) < 2:
            raise InvalidArgument(
                "joining.questions.answers are two or more, of which one is right, not "
                f"{short(repr(list(self.answers)))}"
            )
        values.one_of(*self.answers)(self.right, "joining.questions.right")


@dataclass(frozen=True)
class Joining:
    """What comes before the first task; what is empty is left out.

    Attributes
    ----------
    consent
        What workers agree to before anything else.
    practice
        Pairs to try, with an explanation; the answers to them are not kept.
    questions
        What workers are asked about the instructions: all have to be answered rightly.
    tries
        How often a worker may try that before they are screened out.
    """

    consent: str = setting("", values.text)
    practice: tuple[PracticePair, ...] = setting((), known_pairs(PracticePair))
    questions: tuple[QuizQuestion, ...] = setting((), values.tables(QuizQuestion, "a question"))
    tries: int = setting(2, values.whole(1, 100))

    def __post_init__(self) -> None:
        check_all(self, "joining.")
