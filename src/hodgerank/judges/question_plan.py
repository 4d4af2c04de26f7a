"""QuestionPlan: questions that are decided before a sampler is asked.

They are listed, such as those that people answered, or a share that every judge of a panel gets.
Which ones are shared depends on a hash of the question. So a resumed run shares the same ones, and
the choice does not depend on replies. Each further judge sees the items in a random order, since a
position bias that judges have in common would look like agreement.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from hodgerank.collecting.call_loop import StopReason
from hodgerank.collecting.run_async import Turn
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.items.judged_items import JudgedItems
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.types import Item, Pair

MOST_NAMED = 3


class Question(NamedTuple):
    """Two items, in the order of their names, and their context; "" without contexts."""

    first: str
    second: str
    context: str

    @classmethod
    def of(cls, one: Item, other: Item, context: str) -> Question:
        """Return the question about two items in any order."""
        first, second = sorted((str(one), str(other)))
        return cls(first, second, context)


class ListedQuestions(NamedTuple):
    """Different questions of a file of votes, and the column of our votes that names prompts."""

    questions: tuple[Question, ...]
    prompt_column: str


class QuestionPlan:
    """Turns that come before those of a sampler.

    Parameters
    ----------
    judge
        The judge with its earlier replies, which are not asked again.
    listed
        Questions to ask, and no others; None if a sampler chooses pairs.
    both_orders
        Whether each listed question is asked in both orders.
    overlap
        Share of questions that every judge gets.
    seed
        Of the order of questions and sides, and of the choice of shared ones.
    """

    def __init__(
        self,
        judge: ChatJudge,
        listed: Sequence[Question] | None,
        *,
        both_orders: bool,
        overlap: float,
        seed: int,
    ) -> None:
        if not 0 <= overlap <= 1:
            raise InvalidArgument(f"overlap must be a share of questions, 0 to 1, not {overlap}")
        if overlap and len(judge.panel.models) < 2:
            raise InvalidArgument(
                "overlap sends questions to every judge of a panel, but there is only one judge: "
                "name another model, or leave it out"
            )
        self._judge, self._both, self._overlap, self._seed = judge, both_orders, overlap, seed
        self._n_listed = None if listed is None else len(listed)
        self._due: deque[Turn] = deque()
        self._planned: set[Turn] = set()
        asked = {(call.pair, call.context) for call in judge.judged}
        for question in _shuffled(listed or (), seed):
            for pair in self._orders(question, ""):
                is_asked = (pair, question.context) in asked
                if not both_orders:
                    is_asked |= (Pair(pair.right, pair.left), question.context) in asked
                if not is_asked:
                    self._plan(Turn(pair, None, question.context))
        self._answered_by = Counter(
            (Question.of(*call.pair, call.context), call.model) for call in judge.judged
        )
        started = dict.fromkeys(question for question, _ in self._answered_by)
        for question in started:
            self._share(question)

    @property
    def n_due(self) -> int:
        """Number of calls that listed questions need, with those to further judges."""
        if self._n_listed is None:
            return 0
        questions = {
            Question.of(*turn.pair, turn.context or "") for turn in self._due if turn.worker is None
        }
        further = len(self._judge.panel.models) - 1
        shared = sum(map(self.is_shared, questions)) * further * (1 + self._both)
        return len(self._due) + shared

    @property
    def reason_to_end(self) -> str:
        """Why the sampler is not asked for pairs; empty if it is."""
        if self._n_listed is None:
            return ""
        return StopReason(f"all {self._n_listed:,} questions were asked", "no_pair")

    def next(self) -> Turn | None:
        """Return the next turn; None if none is due."""
        while self._due:
            turn = self._due.popleft()
            if turn.worker is None or turn.worker in self._judge.models:
                return turn
        return None

    def follow(self, call: Judged) -> None:
        """Plan a question for the other judges if it is one that they share."""
        self._answered_by[Question.of(*call.pair, call.context), call.model] += 1
        self._share(Question.of(*call.pair, call.context))

    @property
    def shared_calls(self) -> tuple[Judged, ...]:
        """Calls about questions that every judge gets."""
        return tuple(
            call
            for call in self._judge.judged
            if self.is_shared(Question.of(*call.pair, call.context))
        )

    def is_shared(self, question: Question) -> bool:
        """Return whether every judge gets a question."""
        return Random(f"{self._seed} shared {question}").random() < self._overlap

    def _share(self, question: Question) -> None:
        if not self.is_shared(question):
            return
        for judge in self._judge.models:
            if not self._answered_by[question, judge]:
                for pair in self._orders(question, judge):
                    self._plan(Turn(pair, judge, question.context))

    def _plan(self, turn: Turn) -> None:
        if turn not in self._planned:
            self._planned.add(turn)
            self._due.append(turn)

    def _orders(self, question: Question, judge: str) -> Iterator[Pair]:
        """Yield the pair as shown: in a random order, or in both."""
        pair = Pair(question.first, question.second)
        if Random(f"{self._seed} order {question} {judge}").random() < 0.5:
            pair = Pair(question.second, question.first)
        yield pair
        if self._both:
            yield Pair(pair.right, pair.left)


def _shuffled(questions: Sequence[Question], seed: int) -> list[Question]:
    """Return questions in random order, so that those asked until a limit are a random sample."""
    found = sorted(set(questions))
    Random(f"{seed} questions").shuffle(found)
    return found


def listed_questions(votes: Comparisons, items: JudgedItems, name: str) -> ListedQuestions:
    """Return the different questions that votes are about; raises an error for unknown ones.

    The prompts of the votes are their units, or the column whose values are contexts of the items
    or values of a column that names each context.
    """
    contexts, column = [""] * len(votes), "context"
    if not items.has_one_sample_each:
        contexts, column = _contexts(votes, items, name)
    ends = zip(votes.left.tolist(), votes.right.tolist(), contexts, strict=True)
    known = [str(item) for item in votes.items]
    found = dict.fromkeys(Question.of(known[a], known[b], c) for a, b, c in ends)
    missing = sorted({item for q in found for item in q[:2] if item not in items})
    if missing:
        raise InvalidComparisons(
            f"{name}: people compared {_some(missing)}, which the items do not include: add "
            "them to the items, or remove these rows"
        )
    lost = [q for q in found if not any(s.key == q.context for s in items.showings(*q[:2]))]
    if lost:
        first = lost[0]
        where = f" for the prompt {short(first.context)}" if first.context else ""
        raise InvalidComparisons(
            f"{name}: {len(lost):,} of {len(found):,} questions cannot be shown, such as "
            f"{short(first.first)} and {short(first.second)}{where}: add the samples to the items, "
            "or remove these rows"
        )
    return ListedQuestions(tuple(found), column)


def _contexts(votes: Comparisons, items: JudgedItems, name: str) -> tuple[list[str], str]:
    """Return the context of each vote, and the column of our votes with the same names."""
    ours = {"context": {context: context for context in items.contexts}}
    for column in items.column_names:
        values = {values[column]: key for key, values in items.prompt_columns.items()}
        if len(values) == len(items.contexts) and None not in values:
            ours[column] = {str(value): key for value, key in values.items()}
    theirs: dict[str, list[str]] = {}
    if votes.units and votes.ballot is not None:
        units = [*map(str, votes.units)]
        theirs["unit"] = [units[k] if k < len(units) else "" for k in votes.ballot.tolist()]
    else:
        for column, series in votes.extra.items():
            theirs[column] = ["" if v is None else str(v) for v in series.to_list()]
    matches = [
        (len(here & known.keys()) / len(here), their, our)
        for their, values in theirs.items()
        for our, known in ours.items()
        if (here := set(values))
    ]
    best = max((share for share, _, _ in matches), default=0.0)
    if best <= 0.5:
        raise InvalidComparisons(
            f"{name}: no column has the prompts of the items: add one with their texts, or with "
            "the values of a column that names each prompt, such as prompt_id"
        )
    _, their, our = next(match for match in matches if match[0] == best)
    unknown = sorted(set(theirs[their]) - ours[our].keys())
    if unknown:
        raise InvalidComparisons(
            f"{name}: the items do not include the prompts {_some(unknown)} of column {their}: "
            "add them to the items, or remove these rows"
        )
    return [ours[our][value] for value in theirs[their]], our


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(short(name) for name in listed[:MOST_NAMED])
    more = len(listed) - MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown
