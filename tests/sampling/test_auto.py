"""AutoSampler: probes, vetting, sparse designs, judges that repeat themselves."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.metrics import kendall_tau
from hodgerank.sampling.samplers.registry import build_sampler

N = 20


def clear(pair):
    return 1 if pair.left < pair.right else -1


def played(sampler, n_votes, judge=clear, worker=None):
    pairs = []
    while sampler.n_votes < n_votes:
        pair = sampler.ask()
        sampler.tell(pair, judge(pair), worker)
        pairs.append(pair)
    return pairs


def distances(pairs):
    return [abs(pair.left - pair.right) for pair in pairs]


def test_every_tenth_pair_is_a_probe_from_half_an_answer_per_item_on():
    pairs = played(hr.AutoSampler(N, seed=1, probes=True), 200)
    late = slice(109, None, 10)
    assert min(distances(pairs[late])) >= 12
    rest = [pair for k, pair in enumerate(pairs) if k >= 100 and k % 10 != 9]
    assert np.mean(distances(rest)) < 8
    assert len({frozenset(pair) for pair in pairs[late]}) > 1
    without = played(hr.AutoSampler(N, seed=1), 200)
    assert pairs[:19] == without[:19]
    assert pairs != without


def test_probes_keep_to_what_may_be_asked():
    sampler = hr.AutoSampler(N, seed=1, probes=True)
    played(sampler, 109)
    sampler.retire_item(0)
    exclude = [(1, k) for k in range(2, N)]
    found = {frozenset(sampler.ask(exclude=exclude)) for _ in range(3)}
    assert all(not pair & {0, 1} for pair in found)
    neighbours = tuple((k, k + 1) for k in range(1, N - 1))
    left, right = sampler.ask(candidates=neighbours)
    assert abs(left - right) == 1
    across = (*neighbours, (2, 18))
    assert set(sampler.ask(candidates=across)) == {2, 18}


def test_a_stopping_rule_turns_probes_on_unless_they_are_off():
    for probes, rule, are_on in (
        (None, hr.ExpectedTau(0.99), True),
        (None, hr.ExpectedTau(0.99) | hr.Budget(500), True),
        (None, hr.Budget(500), False),
        (None, None, False),
        (False, hr.ExpectedTau(0.99), False),
    ):
        sampler = hr.AutoSampler(N, seed=1, probes=probes)
        hr.run(sampler, clear, 5, stop=rule)
        assert (sampler._design.easy_pairs is not None) is are_on


@pytest.mark.usefixtures("few_futures")
def test_a_forecast_leaves_probes_as_they_were():
    sampler = hr.AutoSampler(6, seed=1)
    played(sampler, 10)
    hr.forecast(sampler, 0.7)
    assert sampler._design.easy_pairs is None


def test_new_workers_are_asked_without_labels():
    sampler = hr.AutoSampler(N, seed=1, vetting=8)
    played(sampler, 60, worker="ann")
    assert sampler.strategy == "rank"
    sampler.ask(worker="ben")
    assert sampler.strategy == "d-optimal"
    sampler.ask(worker="ann")
    assert sampler.strategy == "rank"
    sampler.ask()
    assert sampler.strategy == "rank"  # the only worker there is has long been vetted
    with pytest.raises(InvalidArgument, match="vetting"):
        hr.AutoSampler(N, vetting=-1)


def test_where_only_neighbours_may_be_asked_labels_wait():
    neighbours = tuple((k, k + 1) for k in range(N - 1))
    sampler = hr.AutoSampler(N, seed=1, candidates=neighbours)
    sampler.ask()
    assert sampler.strategy == "d-optimal"
    played(sampler, 60)
    sampler.ask()
    assert sampler.strategy == "rank"
    assert hr.AutoSampler(N, seed=1).strategy == "rank"


def test_a_ranking_knows_the_candidates_however_they_were_given():
    rng = np.random.default_rng(0)
    scores = np.linspace(3, -3, 25)
    windows = tuple((a, b) for a in range(25) for b in range(a + 1, min(25, a + 4)))

    def judge(pair):
        difference = scores[pair[0]] - scores[pair[1]]
        return 1 if rng.random() < 1 / (1 + np.exp(-difference)) else -1

    built, asked = hr.AutoSampler(25, seed=1, candidates=windows), hr.AutoSampler(25, seed=1)
    for sampler, candidates in ((built, None), (asked, windows)):
        for _ in range(100):
            pair = sampler.ask(candidates=candidates)
            sampler.tell(pair, judge(pair))
        truth = dict(enumerate(scores.tolist()))
        assert kendall_tau(sampler.ranking(), truth) > 0.5
        crushed = hr.bayes_rank(sampler.votes, candidates="all")
        assert kendall_tau(crushed, truth) < 0.5


@pytest.mark.slow
def test_pairs_that_judges_repeat_are_asked_less():
    """A judge who always says the same of a pair, often wrongly where items are close."""
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1, N)
    noise = rng.logistic(0, 1, (N, N))
    noise = np.triu(noise, 1) - np.triu(noise, 1).T

    def stubborn(pair):
        a, b = pair
        return 1 if scores[a] - scores[b] + noise[a, b] > 0 else -1

    def fickle(pair):
        difference = scores[pair.left] - scores[pair.right]
        return 1 if rng.random() < 1 / (1 + np.exp(-difference)) else -1

    distinct = {}
    for judge in (stubborn, fickle):
        sampler = hr.AutoSampler(N, seed=1)
        pairs = played(sampler, 150, judge)
        distinct[judge] = len({frozenset(pair) for pair in pairs})
        assert (sampler.repetition > 0.3) is (judge is stubborn)
        noted = any("repeated votes" in note for note in sampler.ranking().notes)
        assert noted is (judge is stubborn)
    assert distinct[stubborn] > distinct[fickle]
    assert hr.AutoSampler(2_000).repetition == 0


def test_what_is_said_again_makes_nothing_more_certain():
    """Expected tau is about the scores, not about a judge who always says the same of a pair."""
    gaps = []
    for run in range(6):
        rng = np.random.default_rng((5, run))
        scores, said = rng.normal(0, 1.5, N), {}

        def stubborn(pair, scores=scores, said=said, rng=rng):
            a, b = sorted(pair)
            if (a, b) not in said:
                said[a, b] = 1 if rng.random() < 1 / (1 + np.exp(scores[b] - scores[a])) else -1
            return said[a, b] if pair.left == a else -said[a, b]

        sampler = hr.AutoSampler(N, seed=run, probes=True)
        played(sampler, 20 * N, stubborn)
        ranking = sampler.ranking()
        plain = hr.bayes_rank(sampler.votes)
        reached = kendall_tau(ranking, dict(enumerate(scores.tolist())))
        gaps.append((hr.expected_tau(ranking) - reached, hr.expected_tau(plain) - reached))
    counted, believed = np.mean(gaps, axis=0)
    assert abs(counted) < 0.05
    assert believed > 0.05


def test_answers_of_adversaries_are_turned_round():
    crowd = hr.SimulatedCrowd(12, spread=3, workers={"honest": 7, "adversarial": 3}, rng=1)
    sampler = hr.AutoSampler(crowd.items, seed=1, vetting=8)
    hr.run(sampler, crowd, 600)
    truth = dict(zip(crowd.items, crowd.truth.tolist(), strict=True))
    weighed = kendall_tau(sampler.ranking(), truth)
    assert weighed > kendall_tau(hr.bayes_rank(sampler.votes, worker_weights=False), truth)
    assert weighed > 0.8
    sampler.freeze_workers()
    assert kendall_tau(sampler.ranking(), truth) == weighed


def test_a_share_of_the_pairs_is_easy_from_half_a_vote_per_item_on():
    pairs = played(hr.AutoSampler(N, seed=1, easy_share=0.3), 200)
    plain = played(hr.AutoSampler(N, seed=1), 200)
    assert pairs[:10] == plain[:10]
    far = [np.mean(np.array(distances(found[60:])) >= 10) for found in (pairs, plain)]
    assert far[0] > far[1] + 0.2
    assert abs(far[0] - 0.3) < 0.15


@pytest.mark.parametrize("n", [12, 1_000])
def test_easy_pairs_are_a_function_of_seed_votes_and_pairs_in_progress(n):
    first = hr.AutoSampler(n, seed=4, easy_share=0.5)
    votes = []
    for _ in range(n if n < 100 else 600):
        pair = first.ask()
        votes.append((pair.left, pair.right, clear(pair)))
        first.tell(pair, clear(pair))
    again = hr.AutoSampler(n, seed=4, easy_share=0.5)
    for left, right, outcome in votes:
        again.tell((left, right), outcome)
    pending = [first.ask()]
    assert again.ask() == pending[0]
    assert first.ask(9, pending=pending) == again.ask(9, pending=pending)
    assert first.ask(9)[3:] == again.ask(9)[3:]


def test_easy_pairs_of_very_many_items_compare_good_with_bad_items():
    n = 1_200
    sampler = hr.AutoSampler(n, seed=2, easy_share=0.5)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, n, (6 * n, 2)).tolist()
    sampler.tell_many([(a, b, 1 if a < b else -1) for a, b in pairs if a != b])
    far = np.array(distances(sampler.ask(60))) > n / 3
    assert 0.25 < far.mean() < 0.75
    assert {*map(frozenset, sampler.ask(20, exclude=sampler.ask(20)))}.isdisjoint(
        map(frozenset, sampler.ask(20))
    )


def test_new_workers_are_asked_without_labels_of_very_many_items_too():
    n = 1_000
    sampler = hr.AutoSampler(n, seed=2, vetting=8)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, n, (6 * n, 2)).tolist()
    sampler.tell_many([(a, b, 1 if a < b else -1, "ann") for a, b in pairs if a != b])
    assert sampler.strategy == "bayesian"
    close, any_pair = (distances(sampler.ask(30, worker=who)) for who in ("ann", "ben"))
    assert np.mean(close) < n / 6
    assert np.mean(any_pair) > n / 4


@pytest.mark.parametrize("share", [-0.1, 0.6, True, "some"])
def test_an_easy_share_is_a_number_up_to_a_half(share):
    with pytest.raises(InvalidArgument, match="easy_share must be a share from 0 to"):
        hr.AutoSampler(N, easy_share=share)


def test_samplers_that_neither_vet_nor_mix_refuse_it_and_say_what_to_do():
    assert build_sampler("top-3", range(N), vetting=4, easy_share=0.1).easy_share == 0.1
    assert build_sampler("random", range(N), vetting=4).name == "random"
    for options in ({"vetting": 4}, {"easy_share": 0.2}):
        with pytest.raises(InvalidArgument, match="needs the sampler auto or one such as top-5"):
            build_sampler("rank", range(N), **options)


def test_consistent_answers_are_noticed_and_the_order_is_then_sorted():
    sampler = hr.AutoSampler(30, seed=1)
    strategies = []
    while not sampler._design.sorting.is_known:
        strategies.append(sampler.strategy)
        sampler.tell(sampler.ask(), clear(sampler.ask()))
    assert strategies[0] != "sort" == strategies[-1]
    assert sampler.n_votes < 4.7 * 30
    assert sampler.strategy != "sort"  # there is nothing left to prove
    assert any("established" in note for note in sampler.ranking().notes) == sampler.is_established
