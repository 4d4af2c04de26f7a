"""Agreement of the judges of a panel: planted judges, chance, and prompts as questions."""

import numpy as np
import pytest

from campaigns import judge_of, run
from hodgerank.data.items.samples import Sample
from hodgerank.errors import InvalidArgument
from hodgerank.judges.chat_judge import Judged
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.panel_agreement import panel_agreement
from hodgerank.judges.replies import Verdict
from hodgerank.types import Pair

SYSTEMS, PROMPTS = 5, 30


def outputs(seed):
    """Outputs of systems whose order is another one for each prompt, and their scores."""
    rng = np.random.default_rng(seed)
    scores = {f"s{s} says {p}": rng.normal(0, 2) for s in range(SYSTEMS) for p in range(PROMPTS)}
    items = {
        f"s{s}": [Sample(f"s{s} says {p}", context=f"Prompt {p}?") for p in range(PROMPTS)]
        for s in range(SYSTEMS)
    }
    return items, scores


@pytest.mark.parametrize(
    ("profile", "lowest", "highest"),
    [
        (ModelProfile(acuity=20), 0.8, 1.0),
        (ModelProfile(acuity=0), -0.35, 0.35),
        (ModelProfile(acuity=0, position_bias=3), -0.35, 0.35),
    ],
)
def test_planted_judges_agree_as_they_should(profile, lowest, highest):
    items, scores = outputs(3)
    with FakeLLM(scores, profiles=profile) as fake_llm:
        judge = judge_of(fake_llm, items, models=["m", "n"])
        found = run(judge, 260, overlap=0.5, seed=4)
    agreement = found.panel_agreement
    assert agreement.n_judges == 2
    assert 50 < agreement.n_questions < 130
    assert lowest < agreement.alpha <= highest
    assert agreement.lower < agreement.alpha <= agreement.upper
    page = str(found.report(with_forecast=False).to_markdown())
    assert f"alpha {agreement.alpha:.2f} ({agreement.lower:.2f} to" in page


def test_the_same_pair_is_another_question_in_each_prompt():
    calls = [
        Judged(Pair("a", "b"), f"p{p}", judge, Verdict("answered", 1.0 if p % 2 else -1.0))
        for p in range(8)
        for judge in "xy"
    ]
    found = panel_agreement(calls)
    assert (found.alpha, found.n_questions, found.lower) == (1.0, 8, None)
    assert panel_agreement(calls[::2]) is None
    assert panel_agreement([]) is None


def test_an_overlap_is_a_share():
    items, scores = outputs(3)
    with FakeLLM(scores) as fake_llm, pytest.raises(InvalidArgument, match="a share"):
        run(judge_of(fake_llm, items, models=["m", "n"]), 5, overlap=1.5)
