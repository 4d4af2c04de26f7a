"""Agreement of a judge with people: by definition, intervals, and what cannot be said."""

from itertools import product

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.estimators.judge_agreement import ENOUGH


def votes(rows, unit="prompt"):
    names = ("left", "right", "outcome", "worker", "prompt", "language")
    table = [dict(zip(names, row, strict=False)) for row in rows]
    return hr.read_comparisons(table, **({"unit": unit} if len(rows[0]) > 4 else {}))


def crowd(seed=1, questions=300, people=2, slope=2.0, ties=0.0, prompts=40):
    """Return random votes of people and a judge; items differ in quality, and by prompt."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(-1, 1, 8) + rng.normal(0, 0.3, (prompts, 8))
    human, judge = [], []
    for k in range(questions):
        prompt = int(rng.integers(prompts))
        i, j = rng.choice(8, 2, replace=False)
        for who, times, by in ((human, people, 1.0), (judge, 1, slope)):
            for _ in range(times):
                a, b = (i, j) if rng.random() < 0.5 else (j, i)
                chance = 1 / (1 + np.exp(-2 * by * (quality[prompt, a] - quality[prompt, b])))
                outcome = 0 if rng.random() < ties else 1 if rng.random() < chance else -1
                worker = "judge" if who is judge else f"w{rng.integers(12)}"
                language = ("de", "en")[k % 2] if who is human else None
                who.append((f"i{a}", f"i{b}", outcome, worker, f"p{prompt}", language))
    return human, judge


def by_definition(human, judge):
    """Return agreement, kappa, agreement of two people, ratio and worth, from pairs of votes."""

    def questions(rows):
        found = {}
        for left, right, outcome, worker, prompt, _ in rows:
            y = outcome if left < right else -outcome
            found.setdefault((*sorted((left, right)), prompt), []).append((y, worker))
        return found

    theirs, its = questions(human), questions(judge)
    shared = sorted(set(theirs) & set(its))
    mean = lambda values: float(np.mean(list(values)))  # noqa: E731
    both = {q: list(product(theirs[q], its[q])) for q in shared}
    equal = mean(mean(y == z for (y, _), (z, _) in both[q]) for q in shared)
    y2 = mean(mean(y * y for y, _ in theirs[q]) for q in shared)
    z2 = mean(mean(z * z for z, _ in its[q]) for q in shared)
    chance = (1 - y2) * (1 - z2) + y2 * z2 / 2
    two = {q: [(y, w) for (y, a), (w, b) in product(theirs[q], repeat=2) if a != b] for q in shared}
    repeated = [q for q in shared if two[q]]
    people = mean(mean(y == w for y, w in two[q]) for q in repeated)
    a = mean(mean(y * z for (y, _), (z, _) in both[q]) for q in shared) / np.sqrt(y2 * z2)
    c = mean(mean(y * w for y, w in two[q]) for q in repeated)
    c /= mean(mean(y * y for y, _ in theirs[q]) for q in repeated)
    worth = np.inf if a * a >= c else a * a * (1 - c) / (c * c - a * a * c)
    return equal, (equal - chance) / (1 - chance), people, a / c, worth


@pytest.mark.parametrize("ties", [0.0, 0.3])
@pytest.mark.parametrize("people", [2, 4])
def test_it_is_what_the_formulas_say(ties, people):
    human, judge = crowd(seed=people, ties=ties, people=people)
    found = hr.agreement(votes(human), votes(judge)).total
    parts = (found.agreement, found.kappa, found.human_agreement, found.ratio, found.worth)
    assert [part.value for part in parts] == pytest.approx(by_definition(human, judge))


def test_by_hand():
    """The judge agrees on the first question, half on the second, and never on the third."""
    people = [("a", "b", 1, "ann"), ("a", "b", 1, "bob"), ("b", "c", 1, "ann"),
              ("b", "c", -1, "bob"), ("a", "c", 1, "ann")]  # fmt: skip
    found = hr.agreement(people, [("b", "a", -1), ("b", "c", 1), ("c", "a", 1)])
    assert found.total.agreement.value == pytest.approx(0.5)
    assert found.total.human_agreement.value == pytest.approx(0.5)
    assert (found.total.n_questions, found.total.n_repeated) == (3, 2)
    assert found.total.kappa.value == pytest.approx(0)
    assert "fewer than 10 questions" in found.notes[0]


def test_a_pair_is_another_question_in_another_prompt():
    people = [("a", "b", 1, "ann", "p"), ("a", "b", -1, "ann", "q")]
    judge = [("a", "b", 1, "m", "p"), ("a", "b", -1, "m", "q")]
    assert hr.agreement(votes(people), votes(judge)).total.agreement.value == 1
    plain = [row[:4] for row in people], [row[:4] for row in judge]
    assert hr.agreement(*plain).total.agreement.value == 0.5


def test_votes_of_one_person_do_not_tell_how_far_people_agree():
    found = hr.agreement([("a", "b", 1, "ann"), ("a", "b", 1, "ann")], [("a", "b", 1)])
    assert found.total.human_agreement is None
    assert "unknown how far people" in found.statements[0]
    assert "Ask two people" in found.statements[1]


def test_display_order_and_types_of_names_do_not_matter():
    human, judge = crowd()
    turned = [(b, a, -y, *rest) for a, b, y, *rest in judge]
    one, two = (hr.agreement(votes(human), votes(rows)) for rows in (judge, turned))
    assert one.total == two.total
    numbers = [(1, 2, 1, "ann"), (2, 3, 1, "ann")]
    texts = [("1", "2", 1, "m"), ("2", "3", 1, "m")]
    assert hr.agreement(numbers, texts).total.agreement.value == 1


def test_worth_is_stated_from_200_questions_on():
    human, judge = crowd(questions=600)
    found = hr.agreement(votes(human), votes(judge))
    assert found.total.n_repeated >= ENOUGH
    assert "One call is worth" in found.statements[1]
    few = hr.agreement(votes(human[:300]), votes(judge[:150]))
    assert "too few to say how many human votes" in few.statements[1]


def test_judges_and_categories_are_assessed_one_by_one():
    human, judge = crowd(questions=400)
    second = [(a, b, -y, "contrarian", *rest) for a, b, y, _, *rest in judge]
    found = hr.agreement(votes(human), votes(judge + second), by="language")
    bad, good = found.judges
    assert (bad.name, good.name) == ("contrarian", "judge")
    assert good.agreement.value == pytest.approx(1 - bad.agreement.value)
    assert bad.worth.value == 0
    assert [row.name for row in found.categories] == ["language de", "language en"]
    table = found.to_frame("polars")
    assert table["of"].to_list() == ["all", "judge", "judge", "category", "category"]
    assert table["agreement_lower"].dtype == pl.Float64


def test_the_two_rankings_are_as_alike_as_they_are():
    same, same_judge = crowd(questions=900, seed=3)
    found = hr.agreement(votes(same), votes(same_judge)).tau
    assert found.lower > 0.6
    reversed_judge = [(a, b, -y, *rest) for a, b, y, *rest in same_judge]
    found = hr.agreement(votes(same), votes(reversed_judge)).tau
    assert found.upper < -0.6


def test_a_position_bias_of_the_judge_is_found():
    human, judge = crowd(questions=600, slope=0.5)
    rng = np.random.default_rng(0)
    biased = [(a, b, 1 if rng.random() < 0.5 else y, *rest) for a, b, y, *rest in judge]
    found = hr.agreement(votes(human), votes(biased))
    assert found.position_bias.lower > 0
    assert "prefers the item shown first more than people do" in " ".join(found.statements)


def test_what_cannot_be_compared_is_an_error():
    rows = [("a", "b", 1, "ann", "p"), ("b", "c", 1, "ann", "p")]
    with pytest.raises(InvalidComparisons, match="no question in common"):
        hr.agreement([("a", "b", 1)], [("x", "y", 1)])
    with pytest.raises(InvalidComparisons, match="within the same prompt"):
        hr.agreement(votes(rows), votes([("a", "b", 1, "m", "other")]))
    with pytest.raises(InvalidArgument, match="no column names the same prompts"):
        hr.agreement(votes(rows), [("a", "b", 1)])
    with pytest.raises(InvalidArgument, match="confidence"):
        hr.agreement(rows, rows, confidence=95)
    with pytest.raises(InvalidArgument, match="no extra column 'topic'"):
        hr.agreement(votes(rows), votes(rows), by="topic")


def test_prompts_of_one_side_are_found_by_their_values():
    human, judge = crowd()
    named, unnamed = votes(human), votes(human, unit=None)
    expected = hr.agreement(named, votes(judge))
    for pair in ((unnamed, votes(judge)), (named, votes(judge, unit=None))):
        found = hr.agreement(*pair)
        assert found.total == expected.total
        assert "in column prompt" in found.notes[0].replace("'", "")


def test_prompts_that_no_column_or_several_have_must_be_named():
    human, judge = crowd(questions=30)
    other = [(*row[:4], f"q{row[4]}", row[5]) for row in human]
    with pytest.raises(InvalidArgument, match="no column names the same prompts"):
        hr.agreement(votes(other, unit=None), votes(judge))
    twice = [(*row[:4], row[4], row[4]) for row in human]
    with pytest.raises(InvalidArgument, match="columns prompt, language name the same prompts"):
        hr.agreement(votes(twice, unit=None), votes(judge))


def test_categories_may_be_those_of_the_judge():
    human, judge = crowd()
    of = {row[4]: ("de", "en")[int(row[4][1:]) % 2] for row in human}
    here = [(*row[:5], of[row[4]]) for row in human]
    there = [(*row[:5], of[row[4]]) for row in judge]
    plain = [row[:5] for row in human]
    ours = hr.agreement(votes(here), votes(judge), by="language").categories
    theirs = hr.agreement(votes(plain), votes(there), by="language").categories
    assert ours == theirs
    assert [part.name for part in ours] == ["language de", "language en"]
