"""What answers are worth that are about the same contexts."""

from __future__ import annotations

import numpy as np
from benchmarks.calibration.judges import Judges

import hodgerank as hr
from hodgerank.judges.design_effect import effective_share


def shares(text_noise, prompts=20, runs=12):
    """Of systems whose outputs vary so much by prompt, both orders of each pair."""
    judges = Judges(
        n_items=5, answers=300, spread=0.7, prompts=prompts, text_noise=text_noise, orders="both"
    )
    votes = (judges.votes(np.random.default_rng([seed, 2])) for seed in range(runs))
    return np.array([1.0 if each.weight is None else each.weight[0] for each in votes])


def test_answers_are_worth_less_where_outputs_vary_by_prompt():
    assert shares(1.0).mean() < shares(0.0).mean() - 0.15


def test_they_are_worth_about_as_many_where_outputs_do_not():
    assert shares(0.0).mean() > 0.75


def test_few_contexts_do_not_tell():
    rows = [("a", "b", 1, "x"), ("b", "a", 1, "x")] * 5
    votes = hr.read_comparisons(rows)
    assert effective_share(votes, ["1", "2", "3", "1", "2"] * 2) == 1.0
