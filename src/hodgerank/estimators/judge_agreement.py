"""agreement: how well a judge agrees with people on the same questions.

A question is a pair of items, within a prompt where votes have units. Votes y of people and z of
the judge are +1, 0 or -1, for the same item of the pair first. With averages over questions of

    c = E[y y'] / E[y^2]   for two people,   a = E[y z] / sqrt(E[y^2] E[z^2])   for a person and
    the judge,

the squared correlation of z with the mean vote of people is a^2 / c, and that of the mean of k
people is 1 / (1 + (1 - c) / (k c)). They are equal if one call is worth k human votes:

    k = a^2 (1 - c) / (c^2 - a^2 c),   infinite if a^2 >= c.

Intervals are percentiles of a bootstrap over prompts, or over questions if votes have no units. The
percentiles are those of Student's t, which widens the intervals of few prompts [Hesterberg15].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.display import Displayed, Preview, short
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.position_bias.bias_test import measure_position_bias
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import source_of
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import BoolArray, FloatArray, IntArray, Item, VotesLike

N_SAMPLES = 2000  # of the bootstrap
ENOUGH = 200  # shared questions from which the worth of a call is stated
FEWEST_CLUSTERS, MOST_CLUSTERS = 10, 1000  # prompts of an interval, and of the bootstrap
JOINT_ITEMS = 400  # up to which the correlation of the two rankings is estimated
N_DRAWS, N_PAIRS = 1000, 4000  # of scores, and of pairs of items that tau is taken over
CORRELATIONS = np.tanh(np.linspace(-2.5, 2.5, 25))  # of the scores; a uniform prior has weights
MOST_NAMED = 3


class Estimate(NamedTuple):
    """A value with its confidence interval; the ends are None if there are too few prompts."""

    value: float
    lower: float | None
    upper: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return plain values, ready for JSON; infinite ones are None."""
        return {
            name: None if value is None or not np.isfinite(value) else float(value)
            for name, value in self._asdict().items()
        }


@dataclass(frozen=True)
class SharedQuestions:
    """Agreement on the questions that people and a judge both answered.

    Attributes
    ----------
    name
        A judge, a category, or 'all'.
    n_questions, n_prompts
        Number of shared questions, and of their prompts.
    n_repeated
        Number of shared questions that at least two people answered.
    agreement
        Share of equal votes of a person and the judge; a tie equals only a tie.
    kappa
        Cohen's kappa: agreement beyond chance. Either item is equally likely by chance.
    human_agreement
        Share of equal votes of two people. None if no question was repeated.
    ratio
        Correlation of a person with the judge over that of two people: 1 if the judge is as close
        to a person as another person.
    worth
        Number of human votes that are as good as one call of the judge; infinite if the judge is
        closer to people's mean vote than any number of people seems to be.
    """

    name: str
    n_questions: int
    n_prompts: int
    n_repeated: int
    agreement: Estimate
    kappa: Estimate | None
    human_agreement: Estimate | None
    ratio: Estimate | None
    worth: Estimate | None

    @property
    def is_enough(self) -> bool:
        """Whether there are enough questions to state the worth of a call."""
        return self.n_repeated >= ENOUGH and self.worth is not None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            name: value.to_dict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAgreement(Displayed):
    """How well a judge agrees with people.

    Attributes
    ----------
    total
        All shared questions: their numbers (`n_questions`, `n_prompts`, `n_repeated`) and the
        estimates `agreement`, `kappa`, `human_agreement`, `ratio` and `worth`, each with its
        interval.
    judges, categories
        The same by judge, if there are several, and by category, if one was named.
    tau
        Kendall's tau between the true scores by the judge and by people. Draws from the joint
        posterior of both rankings are averaged over the unknown correlation of the scores. None
        with fewer than three or more than 400 shared items.
    n_items
        Number of shared items.
    position_bias
        Position bias of the judge minus that of people; votes are from -1 (right) to +1 (left).
        None if the display order of one of them is unknown.
    has_prompts
        Whether questions are distinguished by prompt.
    confidence
        Confidence level of all intervals.
    notes
        Limits of the numbers that a reader should know.
    """

    total: SharedQuestions
    judges: tuple[SharedQuestions, ...]
    categories: tuple[SharedQuestions, ...]
    tau: Estimate | None
    n_items: int
    position_bias: Estimate | None
    has_prompts: bool
    confidence: float
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[SharedQuestions]:
        """Iterate over the rows: all, judges, categories."""
        return iter((self.total, *self.judges, *self.categories))

    @property
    def statements(self) -> tuple[str, ...]:
        """Sentences on the judge: agreement, worth of a call, rankings, position bias."""
        said = [_agreement_sentence(self.total), _worth_sentence(self.total)]
        if self.tau is not None:
            said.append(f"Kendall's tau between the two rankings: {_tau(self.tau)}.")
        bias = self.position_bias
        if bias is not None and bias.lower is not None and bias.upper is not None:
            is_clear = bias.lower > 0 or bias.upper < 0
            side = "first" if bias.value > 0 else "second"
            what = (
                f"The judge prefers the item shown {side} more than people do"
                if is_clear
                else "The position bias of the judge does not differ significantly from people's"
            )
            said.append(f"{what} ({bias.value:+.2f}, {bias.lower:+.2f} to {bias.upper:+.2f}).")
        return tuple(said)

    def _headline(self) -> str:
        return self.statements[0]

    def _preview(self) -> Preview:
        header = ("", "questions", "agreement", "kappa", "two people")
        rows = (
            (
                row.name,
                row.n_questions,
                percentages(row.agreement),
                decimals(row.kappa),
                percentages(row.human_agreement),
            )
            for row in self
        )
        return Preview(header, rows, 1 + len(self.judges) + len(self.categories))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row for all questions, each judge and each category."""
        from hodgerank.data.sources.frames import build_frame

        columns: dict[str, list[Any]] = {"of": [], "name": []}
        kinds = ["all", *["judge"] * len(self.judges), *["category"] * len(self.categories)]
        for kind, row in zip(kinds, self, strict=True):
            columns["of"].append(kind)
            for name, value in row.to_dict().items():
                parts = {"value": value} if name in ("name", *_COUNTS) else value
                ends = parts or dict.fromkeys(Estimate._fields)
                for end, number in ends.items():
                    column = name if end == "value" else f"{name}_{end}"
                    columns.setdefault(column, []).append(number)
        return build_frame(columns, backend or "auto")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            **self.total.to_dict(),
            "n_items": self.n_items,
            "tau": None if self.tau is None else self.tau.to_dict(),
            "position_bias": None if self.position_bias is None else self.position_bias.to_dict(),
            "has_prompts": self.has_prompts,
            "confidence": self.confidence,
            "judges": [row.to_dict() for row in self.judges],
            "categories": [row.to_dict() for row in self.categories],
            "statements": list(self.statements),
            "notes": list(self.notes),
        }


_COUNTS = ("n_questions", "n_prompts", "n_repeated")


def agreement(
    human: VotesLike,
    judge: VotesLike,
    *,
    by: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgeAgreement:
    """Compare the votes of a judge with those of people on the same questions.

    Questions should be a random sample: pairs that were chosen adaptively are close, and both
    people and judges agree less on them.

    Parameters
    ----------
    human, judge
        Comparisons, or anything `read_comparisons` accepts. If questions belong to prompts, read
        both with `unit=`. Several judges are also assessed one by one.
    by
        Column of the human votes, such as a category or language of the prompts; agreement is also
        computed for each of its values.
    confidence
        Confidence level of the intervals.
    seed
        Of the bootstrap and the draws of scores.

    Examples
    --------
    >>> people = [("a", "b", 1, "ann"), ("a", "b", 1, "bob"), ("b", "c", 1, "ann")]
    >>> found = agreement(people, [("b", "a", -1), ("b", "c", -1)])
    >>> found.total.n_questions, round(found.total.agreement.value, 2)
    (2, 0.5)
    """
    if not 0.5 <= confidence < 1:
        raise InvalidArgument(f"confidence {confidence} must be between 0.5 and 1")
    people = source_of(human).answers().repeated()
    model = source_of(judge).answers().repeated()
    shared = _Shared.of(people, model)
    rng = np.random.default_rng(seed)
    notes = []
    if people.report.adaptive:
        notes.append(
            "the pairs that people answered were chosen adaptively: they are close, which lowers "
            "all agreement"
        )
    n_judges = np.unique(model.worker[model.worker != NO_WORKER])
    judges = [
        (str(model.workers[k]), shared.of_judge(model.worker == k)) for k in n_judges.tolist()
    ]
    categories = [] if by is None else shared.categories(people, by)
    total = shared.summary("all", confidence, rng)
    if total.n_prompts < FEWEST_CLUSTERS:
        what = "prompts" if shared.has_prompts else "questions"
        notes.append(
            f"with fewer than {FEWEST_CLUSTERS} {what}, agreement, kappa, ratio and worth have no "
            "intervals"
        )
    tau, n_items = _tau_between(people, model, confidence, rng)
    return JudgeAgreement(
        total=total,
        judges=_summaries(judges, confidence, rng) if len(judges) > 1 else (),
        categories=_summaries(categories, confidence, rng),
        tau=tau,
        n_items=n_items,
        position_bias=_bias_difference(people, model, confidence),
        has_prompts=shared.has_prompts,
        confidence=confidence,
        notes=tuple(notes),
    )


def _summaries(
    parts: list[tuple[str, _Shared]], confidence: float, rng: np.random.Generator
) -> tuple[SharedQuestions, ...]:
    return tuple(part.summary(name, confidence, rng) for name, part in parts if part.n_questions)


@dataclass(frozen=True, eq=False)
class _Shared:
    """The votes of people and a judge, with the question of each.

    Attributes
    ----------
    question, vote, worker
        Of people: the question of each vote, from 0, its sign, and a number for each person.
        Votes without a worker count as votes of different people.
    asked, its_vote
        Of the judge: the question and sign of each vote.
    prompt
        The prompt of each question; the question itself if votes have no units.
    """

    question: IntArray
    vote: FloatArray
    worker: IntArray
    asked: IntArray
    its_vote: FloatArray
    prompt: IntArray
    has_prompts: bool

    @classmethod
    def of(cls, people: Comparisons, judge: Comparisons) -> _Shared:
        """Number the questions of both."""
        if bool(people.units) != bool(judge.units):
            with_units, without = ("people", "judge") if people.units else ("judge", "people")
            raise InvalidArgument(
                f"the votes of the {with_units} name prompts, those of the {without} do not: read "
                "both with unit= (--unit COLUMN), or neither"
            )
        names: dict[str, int] = {}
        units: dict[str, int] = {}
        keys, votes = [], []
        for source in (people, judge):
            code = np.array([names.setdefault(str(k), len(names)) for k in source.items], np.int64)
            left, right = code[source.left], code[source.right]
            low, high = np.minimum(left, right), np.maximum(left, right)
            unit = np.zeros(len(source), np.int64)
            if source.units and source.ballot is not None:
                known = [units.setdefault(str(unit), 1 + len(units)) for unit in source.units]
                is_known = source.ballot < len(known)
                unit[is_known] = np.array(known, np.int64)[source.ballot[is_known]]
                low[~is_known] = -1  # belongs to no question
            keys.append((low, high, unit))
            votes.append(np.where(left < right, 1.0, -1.0) * np.sign(source.outcome))
        n, n_units = np.int64(len(names) + 1), np.int64(len(units) + 1)
        theirs, its = (
            np.where(low < 0, np.int64(-1), (low * n + high) * n_units + unit)
            for low, high, unit in keys
        )
        shared = np.intersect1d(theirs[theirs >= 0], its[its >= 0])
        if not len(shared):
            prompts = " within the same prompt" if units else ""
            raise InvalidComparisons(
                f"people and the judge answered no question in common (the same pair{prompts}): "
                f"people compared {_some(people.items)}, the judge {_some(judge.items)}"
            )
        of_people, of_judge = np.isin(theirs, shared), np.isin(its, shared)
        worker = people.worker.astype(np.int64)
        worker = np.where(worker == NO_WORKER, people.n_workers + np.arange(len(worker)), worker)
        return cls(
            np.where(of_people, np.searchsorted(shared, theirs), -1),
            votes[0],
            worker,
            np.where(of_judge, np.searchsorted(shared, its), -1),
            votes[1],
            shared % n_units if units else np.arange(len(shared)),
            bool(units),
        )

    def of_judge(self, rows: BoolArray) -> _Shared:
        """Return the questions of some of the judge's votes."""
        return self._with(np.ones(len(self.question), bool), rows)

    def categories(self, people: Comparisons, by: str) -> list[tuple[str, _Shared]]:
        """Return the questions of each value of a column of the human votes."""
        values = np.array(
            ["" if value is None else str(value) for value in people.extra.require(by).to_list()],
            dtype=object,
        )
        is_shared = self.question >= 0
        found = []
        for value in sorted(set(values[is_shared])):
            rows = is_shared & (values == value)
            asked = np.isin(self.asked, self.question[rows])
            found.append((f"{by} {value}" if value else f"no {by}", self._with(rows, asked)))
        return found

    def _with(self, rows: BoolArray, calls: BoolArray) -> _Shared:
        return _Shared(
            self.question[rows], self.vote[rows], self.worker[rows], self.asked[calls],
            self.its_vote[calls], self.prompt, self.has_prompts,
        )  # fmt: skip

    @cached_property
    def n_questions(self) -> int:
        """Number of questions that both answered."""
        return int(self._counts.sum(axis=0)[0])

    @cached_property
    def _counts(self) -> FloatArray:
        """One row per question: shared, repeated, and the moments, 0 where undefined."""
        q = len(self.prompt)
        mine, its = self.question >= 0, self.asked >= 0
        y, question = self.vote[mine], self.question[mine]
        z, asked = self.its_vote[its], self.asked[its]
        n = np.bincount(question, minlength=q).astype(float)
        m = np.bincount(asked, minlength=q).astype(float)
        n_workers = np.int64(self.worker.max(initial=0) + 1)
        keys, cell = group_rows(question * n_workers + self.worker[mine], int(q * n_workers))
        of_person = keys // n_workers
        in_cell = np.bincount(cell, minlength=len(keys)).astype(float)

        def mean(values: FloatArray, where: IntArray, count: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(where, values, q) / np.maximum(count, 1))

        def two_people(values: FloatArray) -> FloatArray:
            """Return the mean product of the values of two people, by question."""
            by_person = np.bincount(cell, values, len(keys))
            squares = np.bincount(of_person, by_person**2, q)
            pairs = n**2 - np.bincount(of_person, in_cell**2, q)
            return np.asarray(
                (np.bincount(question, values, q) ** 2 - squares) / np.where(pairs > 0, pairs, 1)
            )

        shared = (n > 0) & (m > 0)
        several = shared & (np.bincount(of_person, minlength=q) > 1)
        equal, alike = np.zeros(q), np.zeros(q)
        for k in (-1, 0, 1):
            equal += mean((y == k) * 1.0, question, n) * mean((z == k) * 1.0, asked, m)
            alike += two_people((y == k) * 1.0)
        columns = [
            np.ones(q), equal, mean(y, question, n) * mean(z, asked, m), mean(y**2, question, n),
            mean(z**2, asked, m), several, several * alike, several * two_people(y),
            several * mean(y**2, question, n),
        ]  # fmt: skip
        return np.asarray(shared[:, None] * np.column_stack(columns))

    def summary(self, name: str, confidence: float, rng: np.random.Generator) -> SharedQuestions:
        """Return all estimates with bootstrap intervals over prompts."""
        counts = self._counts
        shared = counts[:, 0] > 0
        prompts, place = np.unique(self.prompt[shared], return_inverse=True)
        n = n_clusters = len(prompts)
        if n > MOST_CLUSTERS:  # of several prompts each, at random
            n_clusters, place = MOST_CLUSTERS, rng.integers(MOST_CLUSTERS, size=n)[place]
        sums = np.column_stack(
            [np.bincount(place, column, n_clusters) for column in counts[shared].T]
        )
        equal = np.full(n_clusters, 1 / n_clusters)
        n_samples = N_SAMPLES if n >= FEWEST_CLUSTERS else 0
        samples = np.asarray(rng.multinomial(n_clusters, equal, n_samples) @ sums)
        values, drawn = _estimates(sums.sum(axis=0)[None]), _estimates(samples)
        # Of Student's t with n - 1 degrees of freedom, as percentiles of a normal distribution.
        quantile = float(stdtrit(max(n - 1, 1), (1 - confidence) / 2)) * np.sqrt(n / max(n - 1, 1))
        tail = 100 * float(ndtr(quantile))

        def estimate(name: str) -> Estimate | None:
            value = float(values[name][0])
            if np.isnan(value):
                return None
            known = drawn[name][~np.isnan(drawn[name])]
            if len(known) < 0.9 * N_SAMPLES:
                return Estimate(value, None, None)
            low, high = np.percentile(known, [tail, 100 - tail], method="nearest")
            return Estimate(value, float(low), float(high))

        found = estimate("agreement")
        assert found is not None  # there is a shared question
        return SharedQuestions(
            name=name,
            n_questions=self.n_questions,
            n_prompts=n,
            n_repeated=int(counts[:, 5].sum()),
            agreement=found,
            kappa=estimate("kappa"),
            human_agreement=estimate("human"),
            ratio=estimate("ratio"),
            worth=estimate("worth"),
        )


def _estimates(sums: FloatArray) -> dict[str, FloatArray]:
    """Return the estimates from sums over questions, one per row."""
    shared, equal, judge, y2, z2, several, alike, people, y2_several = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        share = equal / shared
        ties = (1 - y2 / shared, 1 - z2 / shared)
        chance = ties[0] * ties[1] + (1 - ties[0]) * (1 - ties[1]) / 2
        a = judge / np.sqrt(y2 * z2)
        c = people / y2_several
        c = np.where((several > 0) & (y2_several > 0), c, np.nan)
        # Where two people do not agree beyond chance there is no common opinion to be close to.
        usable = c > 0
        worth = np.where(a**2 >= c, np.inf, a**2 * (1 - c) / (c**2 - a**2 * c))
        return {
            "agreement": share,
            "kappa": (share - chance) / (1 - chance),
            "human": np.where(several > 0, alike / several, np.nan),
            "ratio": np.where(usable, a / c, np.nan),
            "worth": np.where(usable, np.where(a > 0, worth, 0.0), np.nan),
        }


def _tau_between(
    people: Comparisons, judge: Comparisons, confidence: float, rng: np.random.Generator
) -> tuple[Estimate | None, int]:
    """Return tau between the true scores by people and by the judge, and the number of items.

    The scores of an item have prior correlation r. The posterior of r, from the marginal
    likelihood of both rankings, is averaged over: the correlation of two noisy rankings would be
    too small.
    """
    names = {str(item) for item in people.items} & {str(item) for item in judge.items}
    n = len(names)
    if not 3 <= n <= JOINT_ITEMS:
        return None, n
    means, precisions, ridges = [], [], []
    for votes in (people, judge):
        ranking = bayes_rank(votes)
        known = bayes_rank(votes, ridge=min(max(ranking.ridge, 1e-4), 1e4))
        part = known.posterior_parts[0]
        if part.covariance is None:
            return None, n
        rows = [k for _, k in sorted((str(v), k) for k, v in enumerate(known.items))]
        rows = [k for k in rows if str(known.items[k]) in names]
        # Votes say nothing of the mean score, whose variance is that of the prior.
        covariance = part.covariance + 1 / (known.ridge * len(known))
        inverse = np.linalg.inv(covariance[np.ix_(rows, rows)])
        means.append(inverse @ part.scores[rows])
        # The likelihood alone is the posterior without the prior; rounding may make it negative.
        values, vectors = np.linalg.eigh(inverse - known.ridge * np.eye(n))
        precisions.append((vectors * np.maximum(values, 0)) @ vectors.T)
        ridges.append(known.ridge)
    with few_threads(2 * n):
        draws = _joint_draws(means, precisions, ridges, rng)
    i, j = np.triu_indices(n, 1)
    if len(i) > N_PAIRS:
        some = rng.choice(len(i), N_PAIRS, replace=False)
        i, j = i[some], j[some]
    first, second = (np.sign(x[:, i] - x[:, j]) for x in (draws[:, :n], draws[:, n:]))
    taus = (first * second).mean(axis=1)
    tail = 50 * (1 - confidence)
    low, high = np.percentile(taus, [tail, 100 - tail])
    return Estimate(float(taus.mean()), float(low), float(high)), n


def _joint_draws(
    means: list[FloatArray],
    precisions: list[FloatArray],
    ridges: list[float],
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of both vectors of scores, averaged over their correlation."""
    n = len(means[0])
    linear = np.concatenate(means)
    root = np.sqrt(ridges)
    fits, evidence = [], []
    for r in CORRELATIONS.tolist():
        prior = np.outer(root, root) * np.array([[1, -r], [-r, 1]]) / (1 - r * r)
        A = np.kron(prior, np.eye(n))
        A[:n, :n] += precisions[0]
        A[n:, n:] += precisions[1]
        factor = np.linalg.cholesky(A)
        half = np.linalg.solve(factor, linear)
        log_prior = n * (np.log(ridges).sum() - np.log1p(-r * r)) / 2
        # The density of r that is uniform on (-1, 1), on a grid uniform in artanh r.
        evidence.append(
            log_prior - np.log(np.diag(factor)).sum() + half @ half / 2 + np.log1p(-r * r)
        )
        fits.append((factor, half))
    weights = np.exp(np.array(evidence) - max(evidence))
    counts = rng.multinomial(N_DRAWS, weights / weights.sum())
    parts = []
    for (factor, half), count in zip(fits, counts.tolist(), strict=True):
        if count:
            noise = rng.standard_normal((2 * n, count))
            parts.append(np.linalg.solve(factor.T, half[:, None] + noise).T)
    return np.concatenate(parts)


def _bias_difference(people: Comparisons, judge: Comparisons, confidence: float) -> Estimate | None:
    """Return the position bias of the judge minus that of people."""
    its, theirs = (measure_position_bias(AnsweredGraph.of(v), "everybody") for v in (judge, people))
    difference = float(its.bias[0] - theirs.bias[0])
    error = float(np.hypot(its.stderr[0], theirs.stderr[0]))
    if not np.isfinite(error):
        return None
    half = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return Estimate(difference, difference - half, difference + half)


def percentages(estimate: Estimate | None) -> str:
    """Return '70% (65 to 75)'."""
    if estimate is None:
        return "-"
    ends = ""
    if estimate.lower is not None and estimate.upper is not None:
        ends = f" ({100 * estimate.lower:.0f} to {100 * estimate.upper:.0f})"
    return f"{100 * estimate.value:.0f}%{ends}"


def decimals(estimate: Estimate | None, digits: int = 2) -> str:
    """Return '0.70 (0.21 to 1.80)'."""
    if estimate is None:
        return "-"
    ends = ""
    if estimate.lower is not None and estimate.upper is not None:
        ends = f" ({_number(estimate.lower, digits)} to {_number(estimate.upper, digits)})"
    return f"{_number(estimate.value, digits)}{ends}"


def _number(value: float, digits: int) -> str:
    return "unlimited" if np.isinf(value) else f"{value:.{digits}f}"


def _tau(estimate: Estimate) -> str:
    return decimals(estimate).replace("0.", ".")


def _agreement_sentence(row: SharedQuestions) -> str:
    what = (
        f"The judge agrees with a person on {percentages(row.agreement)} of "
        f"{row.n_questions:,} shared questions"
    )
    if row.human_agreement is None:
        return (
            f"{what}. No question was answered by two people, so it is unknown how far people "
            "agree with each other."
        )
    return f"{what}, two people with each other on {percentages(row.human_agreement)}."


def _worth_sentence(row: SharedQuestions) -> str:
    if row.human_agreement is None:
        return "Ask two people each question to learn how many human votes one call is worth."
    if row.n_repeated < ENOUGH:
        return (
            f"{row.n_repeated:,} questions answered by two people are too few to say how many "
            f"human votes one call is worth: at least {ENOUGH} are needed."
        )
    if row.worth is None:
        return (
            "People do not agree with each other beyond chance, so the worth of a call is unknown."
        )
    worth = row.worth
    said = f"One call is worth {decimals(worth, 1)} human votes"
    if np.isinf(worth.value):
        ends = decimals(worth, 1).removeprefix("unlimited")
        said = f"One call is worth an unlimited number of human votes{ends}"
    if worth.lower is None or worth.upper is None:
        return f"{said}."
    if worth.lower >= 1:
        return f"{said}: it is at least as good as a person."
    if worth.upper < 1:
        return f"{said}: it is worse than a person."
    return f"{said}: too few questions to say whether it is as good as a person."


def _some(items: tuple[Item, ...]) -> str:
    names = ", ".join(short(str(item)) for item in items[:MOST_NAMED])
    return names if len(items) <= MOST_NAMED else f"{names}, ..."
