"""The contest of samplers in `benchmarks/contest`: small ones, and what makes it fair."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise
from math import ceil, log2

import numpy as np
import pytest
from benchmarks.contest import UnknownName, chosen, contest
from benchmarks.contest.__main__ import listing
from benchmarks.contest.crowds import Archive, ImaginaryCrowd, choice
from benchmarks.contest.measuring import PROVEN, RECALL, TAU, Campaign, measure
from benchmarks.contest.players import OURS, PLAYERS, build_player, ours, plays, who_stays_out
from benchmarks.contest.regimes import (
    FEW,
    MOST_RECORDED,
    PARTS,
    SIMULATED,
    Regime,
    Setting,
    all_regimes,
    connected_part,
)
from benchmarks.contest.results import ContestResult, Entry, Paired, paired
from benchmarks.contest.rivals.asap import NOISE, VARIANCE, ApproximateASAP, ExactASAP
from benchmarks.contest.rivals.entrant import Allowed, TreeBatch
from benchmarks.contest.rivals.hybrid_mst import HybridMST, LaplacePosterior, choice_information
from benchmarks.contest.rivals.skills import Skills
from benchmarks.contest.rivals.sorting import (
    Sorter,
    knockout,
    merge_insertion,
    merge_sort,
    quicksort,
)
from benchmarks.contest.tables import as_markdown, difference, losses
from benchmarks.contest.tasks import tasks
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

import hodgerank as hr

SMALL = Setting(n_items=9)
REGIMES = {regime.name: regime for regime in SIMULATED}
ONE_AT_A_TIME = {name for name, regime in REGIMES.items() if regime.in_progress == 1}
SIZES = {"200", "1000"}  # regimes that exist with fewer items too
KINDS = {name for name in ONE_AT_A_TIME if name.rpartition("-")[2] not in SIZES}
MINDS_WHEN = {"adversaries", "random-workers", "drift"}  # who answers, or when, is a matter of turn


def tiny(**options) -> ContestResult:
    few = {"regimes": ["bt-1-30", "sparse-random"], "samplers": ["random", "swiss"], "n_items": 8}
    return contest(**{**few, "runs": 2, "per_item": (2, 4), **options})


def recorded(n: int, answers: int, seed: int) -> hr.Comparisons:
    return hr.simulate_comparisons(n, answers, spread=2, rng=seed)


def test_a_tiny_contest_gives_finite_numbers():
    result = tiny()
    assert result.players == ("auto", "random", "swiss")
    assert len(result.measures) == 6
    for measures in result.measures.values():
        assert np.isnan(measures[PROVEN]).all()
        others = [values for name, values in measures.items() if name != PROVEN]
        assert all(values.shape == (2, 2) for values in others)
        assert all(np.isfinite(values).all() for values in others)
        assert (np.abs(measures[TAU]) <= 1).all()
        assert (measures[RECALL] >= 0).all()
    written, for_docs = as_markdown(result), as_markdown(result, for_docs=True)
    assert "nan" not in written + for_docs
    assert "| sparse-random | swiss |" in written
    assert "| **auto** |" in for_docs


def test_tables_tell_proofs_and_the_price_of_pairs_in_progress():
    result = tiny(
        regimes=["perfect-30", "bt-1.5-16", "bt-1.5-16@10"],
        samplers=["trueskill", "merge-sort", "top-5"],
        per_item=(3,),
    )
    written = as_markdown(result)
    assert "### Up to 60 items" in written
    assert "### Pairs in progress" in written
    assert "| trueskill (1 of 2 regimes) |" in written
    assert "- trueskill does not play pairs in progress (it waits for every vote)." in written
    (proof,) = result.values("perfect-30", Entry("", "merge-sort", PROVEN))[:1]
    assert 1 < proof <= 17 / 8
    price = written[written.index("**Price of pairs") :]
    assert "| merge-sort | bt-1.5-16@10 |" in price
    assert "| trueskill | bt-1.5-16@10 |" not in price


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_tasks_can_be_sent_to_other_processes(name):
    (task,) = tasks([REGIMES[name]], ["swiss"], Setting(runs=2, per_item=(2,), n_items=9))
    here, there = measure(*task), measure(*pickle.loads(pickle.dumps(task)))
    np.testing.assert_array_equal(here[TAU], there[TAU])


@pytest.mark.parametrize("name", sorted(KINDS - MINDS_WHEN))
def test_the_kth_answer_to_a_pair_is_the_same_whoever_asks(name):
    first, second = (REGIMES[name].crowd(3, SMALL) for _ in range(2))
    assert first.candidates == second.candidates
    np.testing.assert_array_equal(first.truth, second.truth)
    pairs = first.candidates or [(i, j) for j in range(9) for i in range(j)]
    asked = 3 * list(pairs)
    answers = [first.answer(i, j) for i, j in asked]
    turned = [second.answer(j, i) for i, j in sorted(asked)]
    by_pair, by_pair_turned = {}, {}
    for (i, j), reply in zip(asked, answers, strict=True):
        by_pair.setdefault((i, j), []).append(reply.outcome)
    for (i, j), reply in zip(sorted(asked), turned, strict=True):
        by_pair_turned.setdefault((i, j), []).append(-reply.outcome)
    assert by_pair == by_pair_turned
    assert (REGIMES[name].crowd(4, SMALL).truth != first.truth).any()


def test_recorded_votes_wait_in_one_order_for_everybody():
    votes = recorded(5, 60, seed=1)
    one, other = (Archive(votes, np.arange(5.0), np.random.default_rng(7)) for _ in range(2))
    pair = (int(votes.left[0]), int(votes.right[0]))
    others = {(i, j) for j in range(5) for i in range(j)} - {pair, pair[::-1]}
    for i, j in others:
        other.answer(i, j)
    assert [one.answer(*pair) for _ in range(2)] == [other.answer(*pair) for _ in range(2)]


@pytest.mark.parametrize("name", PLAYERS)
def test_players_ask_only_what_they_may(name):
    sparse = REGIMES["sparse-random"].crowd(0, SMALL)
    votes = recorded(9, 60, seed=2)
    used_up = Archive(votes, np.arange(9.0), np.random.default_rng(0))
    free = REGIMES["grades"].crowd(0, SMALL)
    for crowd, answers in ((sparse, 40), (used_up, 60), (free, 40)):
        player = build_player(name, 9, seed=1, run=0)
        for _ in range(answers):
            i, j = player.ask(crowd.candidates)
            assert i != j
            assert {i, j} <= set(range(9))
            if crowd.candidates is not None:
                assert {(i, j), (j, i)} & set(crowd.candidates)
            player.tell((i, j), *crowd.answer(i, j))


@pytest.mark.parametrize("name", PLAYERS)
def test_players_ask_about_every_item(name):
    crowd, player = REGIMES["bt-1-30"].crowd(0, SMALL), build_player(name, 9, seed=1, run=0)
    asked = set()
    for _ in range(45):
        i, j = player.ask(None)
        player.tell((i, j), *crowd.answer(i, j))
        asked |= {i, j}
    assert asked == set(range(9))


def test_a_folder_of_votes_is_played_as_far_as_it_goes(tmp_path):
    recorded(6, 100, seed=3).to_frame("polars").write_csv(tmp_path / "many.csv")
    recorded(6, 30, seed=4).to_frame("polars").write_csv(tmp_path / "few.csv")
    (tmp_path / "notes.txt").write_text("nothing\n")
    result = tiny(regimes=["*.csv"], folder=tmp_path, per_item=(2, 5, 20))
    names = [regime.name for regime in result.regimes]
    assert names == ["few.csv", "many.csv"]
    assert any(note.startswith("notes.txt") for note in result.notes)
    reached = {name: np.isfinite(result.measures[name, "swiss"][TAU][0]) for name in names}
    assert reached["few.csv"].tolist() == [True, False, False]
    assert reached["many.csv"].tolist() == [True, True, False]
    written = as_markdown(result)
    assert "nan" not in written
    assert "| few.csv | swiss |" in written


def test_names_may_be_patterns():
    assert chosen(["b*", "a"], ["a", "bc", "bd", "c"]) == ["a", "bc", "bd"]
    with pytest.raises(UnknownName, match="there is no x: name some of a, b"):
        chosen(["x"], ["a", "b"])


def test_differences_are_paired():
    found = paired(np.array([0.5, 0.7, 0.9]), np.array([0.4, 0.6, 0.7]))
    assert found.mean == pytest.approx(0.4 / 3)
    assert found.stderr == pytest.approx(0.1 / 3)
    assert found.z == pytest.approx(4.0)
    assert found.is_ahead
    assert not found.is_behind
    assert found.chance == pytest.approx(0.0918, abs=1e-4)  # of t with two degrees of freedom


def test_the_same_difference_in_all_runs_has_no_error():
    found = paired(np.array([0.5, 0.7, 0.9]), np.array([0.2, 0.4, 0.6]))
    assert found.stderr == 0.0
    assert difference(found) == "+.300 ± .000"


def two_players(auto, other) -> ContestResult:
    measures = {("r", "auto"): {TAU: auto}, ("r", "x"): {TAU: other}}
    regime = Regime("r", "", 9, REGIMES["bt-1-16"].draw)
    return ContestResult(Setting(per_item=(2, 5), runs=2), (regime,), ("auto", "x"), measures)


def test_losses_are_the_cells_where_another_is_clearly_ahead():
    auto, better = np.array([[0.5, 0.5], [0.6, 0.6]]), np.array([[0.6, 0.4], [0.71, 0.7]])
    result = two_players(auto, better)
    entries = [Entry(name, name, TAU) for name in ("auto", "x")]
    said = losses(result, entries[0], entries[1:])
    assert said.startswith(
        "Losses: in 1 of 2 cells another sampler is ahead of `auto` by more than"
    )
    assert "| r | 2 | x +.105 ± .005 (+21.0) |" in said
    assert "| r | 5 |" not in said
    assert "in 0 it is behind by as much" in said
    assert losses(result, entries[0], entries[:1]).startswith("Losses: in 0 of 2 cells")
    assert "in 1 it is behind" in losses(result, entries[1], entries[:1])


def test_regimes_with_the_same_crowds_are_one_in_the_error_of_the_mean():
    one, two = (Regime("r", "", 9, REGIMES["bt-1-16"].draw, in_progress=k) for k in (1, 2))
    third = Regime("s", "", 9, REGIMES["bt-1-16"].draw)
    auto, x = np.zeros((2, 1)), np.array([[0.1], [0.3]])
    measures = {(each.name, "auto"): {TAU: auto} for each in (one, two, third)}
    measures |= {(each.name, "x"): {TAU: x} for each in (one, two, third)}
    setting = Setting(per_item=(2,), runs=2)
    entries = Entry("x", "x", TAU), Entry("auto", "auto", TAU)
    result = ContestResult(setting, (one, two, third), ("auto", "x"), measures)
    (mean,) = result.ahead_over_regimes(*entries)
    assert mean.mean == pytest.approx(0.2)
    assert mean.stderr == pytest.approx(0.1 * np.sqrt(2**2 + 1) / 3)


def test_what_was_not_played_is_missing():
    values = np.ones((2, 2))
    result = two_players(values, values)
    absent = Entry("y", "y", TAU)
    assert all(cell.is_missing for cell in result.ahead("r", absent, Entry("x", "x", TAU)))
    assert Paired(np.nan, np.nan).chance == 0.0
    assert result.n_played("y") == 0


def test_skills_have_the_exact_moments_after_one_win():
    skills = Skills(2, 1.0, 0.5)
    skills.mean[:] = 0.3, -0.2
    skills.learn(0, 1, 1.0)
    noise = np.sqrt(0.5 + 1)  # the loser's skill and both performances

    def moment(k):
        return quad(lambda x: x**k * norm.pdf(x, 0.3) * norm.cdf((x + 0.2) / noise), -10, 10)[0]

    mean = moment(1) / moment(0)
    assert skills.mean[0] == pytest.approx(mean)
    assert skills.variance[0] == pytest.approx(moment(2) / moment(0) - mean**2)


def test_choice_information_is_the_integral():
    def entropy(p):
        return -p * np.log(p) - (1 - p) * np.log1p(-p)

    def expected(function):
        return quad(lambda x: norm.pdf(x, 0.8, 1.5) * function(expit(x)), -12, 12)[0]

    exact = entropy(expected(lambda p: p)) - expected(entropy)
    found = choice_information(np.array([0.8]), np.array([1.5]))
    assert found[0] == pytest.approx(exact, rel=1e-3)


def test_hybrid_mst_starts_with_half_a_win_each_way_of_every_pair():
    posterior = LaplacePosterior(4)
    votes = [(0, 1, 1), (1, 2, 1), (0, 2, 0), (0, 1, 1), (3, 0, 1)]
    for i, j, outcome in votes:
        posterior.learn(i, j, outcome)
    posterior.settle()
    at_first = [(i, j, 0) for i, j in combinations(range(4), 2)]
    ranking = hr.bradley_terry(votes + at_first)
    scores = np.array([ranking.score_by_item[k] for k in range(4)])
    np.testing.assert_allclose(posterior.mean, scores - scores.mean(), atol=1e-4)


def play(player, crowd: ImaginaryCrowd, answers: int) -> list[tuple[int, int]]:
    asked = []
    for _ in range(answers):
        pair = player.ask(crowd.candidates)
        player.tell(pair, *crowd.answer(*pair))
        asked.append(pair)
    return asked


def perfect_crowd(n: int, seed: int = 0) -> ImaginaryCrowd:
    truth = np.random.default_rng(seed).permutation(n).astype(float)
    return ImaginaryCrowd(truth, lambda q: choice(truth[q.i] > truth[q.j]), is_perfect=True)


def test_hybrid_mst_asks_the_most_informative_pair_first_and_trees_afterwards():
    crowd, player = (
        REGIMES["bt-1-30"].crowd(0, Setting(n_items=6)),
        HybridMST(6, np.random.default_rng(0)),
    )
    for _ in range(15):
        posterior = player._posterior
        posterior.settle()
        gains = posterior.gains(Allowed(6))
        pair = player.ask(None)
        at = list(combinations(range(6), 2)).index(tuple(sorted(pair)))
        assert gains[at] == pytest.approx(gains.max())
        player.tell(pair, *crowd.answer(*pair))
    for _ in range(3):
        assert spans(play(player, crowd, 5), 6)


def spans(pairs, n: int) -> bool:
    group = list(range(n))
    for i, j in pairs:
        group = [group[i] if each == group[j] else each for each in group]
    return len(set(group)) == 1 and len(pairs) == n - 1


def test_a_batch_is_the_tree_of_largest_gain():
    rng = np.random.default_rng(3)
    allowed, tree = Allowed(5), TreeBatch()
    gains = rng.random(10)
    tree.plant(allowed, gains, rng)
    pairs = [tree.next(allowed) for _ in range(4)]
    assert tree.next(allowed) is None
    every = list(combinations(range(5), 2))
    trees = [found for found in combinations(range(10), 4) if spans([every[k] for k in found], 5)]
    best = max(trees, key=lambda found: sum(gains[k] for k in found))
    assert sorted(pairs) == [every[k] for k in best]


@pytest.mark.parametrize("name", ["hybrid-mst-trees", "asap-approximate"])
def test_batches_of_others_are_spanning_trees(name):
    player, crowd, pending = build_player(name, 7, seed=1, run=0), perfect_crowd(7), [(0, 1)]
    asked = []
    for _ in range(6):
        pair = player.ask(None, pending)
        asked.append(pair)
        pending.append(pair)
    assert spans(asked, 7)
    for pair in asked:
        player.tell(pair, *crowd.answer(*pair))


def gaussians(factors, n: int, sweeps: int, messages=None):
    """Marginals (precision, shift) by message passing, one factor at a time, and the messages."""
    messages = messages or [np.zeros((2, 2)) for _ in factors]
    marginals = np.zeros((n, 2))
    for sweep in range(sweeps + 1):
        marginals = np.tile((1 / VARIANCE, 0.0), (n, 1))
        for pair, message in zip(factors, messages, strict=True):
            marginals[list(pair)] += message
        if sweep < sweeps:
            messages = [
                new_messages(marginals[list(pair)] - message)
                for pair, message in zip(factors, messages, strict=True)
            ]
    return marginals, messages


def new_messages(cavity: np.ndarray) -> np.ndarray:
    variance, mean = 1 / cavity[:, 0], cavity[:, 1] / cavity[:, 0]
    c = np.sqrt(NOISE + variance.sum())
    t = (mean[0] - mean[1]) / c
    v = norm.pdf(t) / norm.cdf(t)
    new_mean = mean + np.array([1, -1]) * variance * v / c
    new_variance = variance * (1 - variance * v * (v + t) / c**2)
    return np.column_stack((1 / new_variance, new_mean / new_variance)) - cavity


def test_asap_gains_are_those_of_message_passing_one_factor_at_a_time():
    n, factors = 4, [(0, 1), (0, 1), (1, 2), (2, 0), (1, 0)]
    player = ExactASAP(n, np.random.default_rng(0))
    for pair in factors:
        player.tell(pair, 1.0, None)
    now, messages = gaussians(factors, n, 300)
    np.testing.assert_allclose(player.posterior.marginal.T, now, atol=1e-7)

    def told(i, j):
        after, _ = gaussians([*factors, (i, j)], n, 2, [*messages, np.zeros((2, 2))])
        (p, h), (q, g) = now.T, after.T
        difference = (now[i, 1] / now[i, 0] - now[j, 1] / now[j, 0]) / np.sqrt(
            NOISE + 1 / now[i, 0] + 1 / now[j, 0]
        )
        divergence = (p / q - 1 - np.log(p / q) + (g / q - h / p) ** 2 * p).sum() / 2
        return norm.cdf(difference) * divergence

    gains = player.gains()
    for i, j in combinations(range(n), 2):
        assert gains[i, j] == pytest.approx(told(i, j) + told(j, i))


def test_message_passing_has_the_exact_moments_of_two_items():
    player = ExactASAP(2, np.random.default_rng(0))
    player.tell((0, 1), 1.0, None)
    skills = Skills(2, VARIANCE, NOISE)
    skills.learn(0, 1, 1.0)
    precision, shift = player.posterior.marginal
    np.testing.assert_allclose(shift / precision, skills.mean)
    np.testing.assert_allclose(1 / precision, skills.variance)


def test_approximate_asap_asks_the_largest_of_all_gains():
    crowd, player = REGIMES["grades"].crowd(0, SMALL), ApproximateASAP(9, np.random.default_rng(0))
    for _ in range(60):
        skills = player._skills
        gains = {}
        for i, j in combinations(range(9), 2):
            gains[i, j] = 0.0
            for winner, loser in ((i, j), (j, i)):
                after = Skills(9, VARIANCE, NOISE)
                after.mean[:], after.variance[:] = skills.mean, skills.variance
                after.learn(winner, loser, 1.0)
                share = after.variance / skills.variance
                moved = (after.mean - skills.mean) ** 2 / skills.variance
                divergence = (share - 1 - np.log(share) + moved).sum() / 2
                spread = skills.spread(winner, loser)
                chance = norm.cdf((skills.mean[winner] - skills.mean[loser]) / spread)
                gains[i, j] += chance * divergence
        pair = player.ask(None)
        assert gains[tuple(sorted(pair))] == pytest.approx(max(gains.values()))
        player.tell(pair, *crowd.answer(*pair))


def compared(algorithm, truth) -> tuple[list[int], int]:
    """Order and number of comparisons of an algorithm with a perfect judge."""
    steps = algorithm(list(range(len(truth))))
    questions, n = next(steps), 0
    while True:
        n += len(questions)
        assert len(set(questions)) == len(questions)
        try:
            questions = steps.send([truth[i] > truth[j] for i, j in questions])
        except StopIteration as done:
            return done.value, n


@pytest.mark.parametrize("algorithm", [merge_sort, quicksort, merge_insertion])
@pytest.mark.parametrize("n", [2, 3, 5, 8, 21, 100])
def test_sorting_algorithms_sort(algorithm, n):
    for seed in range(5):
        truth = np.random.default_rng(seed).permutation(n)
        order, _ = compared(algorithm, truth)
        assert [truth[item] for item in order] == list(range(n - 1, -1, -1))


@pytest.mark.parametrize(("n", "most"), [(5, 7), (10, 22), (12, 30), (21, 66), (30, 111)])
def test_merge_insertion_needs_no_more_than_ford_and_johnson_say(n, most):
    assert sum(ceil(log2(3 * k / 4)) for k in range(1, n + 1)) == most
    counts = [
        compared(merge_insertion, np.random.default_rng(seed).permutation(n))[1]
        for seed in range(60)
    ]
    assert max(counts) <= most


def test_merge_sort_and_quicksort_need_as_many_comparisons_as_known():
    for n, most in ((8, 17), (16, 49), (64, 321)):  # n log2 n - n + 1
        counts = [
            compared(merge_sort, np.random.default_rng(k).permutation(n))[1] for k in range(9)
        ]
        assert max(counts) <= most
    n = 30
    counts = [compared(quicksort, np.random.default_rng(k).permutation(n))[1] for k in range(300)]
    expected = 2 * (n + 1) * sum(1 / k for k in range(1, n + 1)) - 4 * n
    error = np.std(counts) / np.sqrt(len(counts))
    assert abs(np.mean(counts) - expected) < 4 * error


@pytest.mark.parametrize("n", [2, 5, 8, 13])
def test_a_knockout_finds_the_best_in_n_minus_1_matches(n):
    truth = np.random.default_rng(n).permutation(n)
    assert compared(knockout, truth) == ([int(truth.argmax())], n - 1)


def test_a_sorter_begins_again_in_another_order():
    player = Sorter(6, np.random.default_rng(0), knockout)
    asked = play(player, perfect_crowd(6), 10)
    assert set(asked[:5]) != set(asked[5:])


@pytest.mark.parametrize("in_progress", [1, 3, 20])
def test_a_sorter_sorts_with_pairs_in_progress(in_progress):
    player, crowd = Sorter(12, np.random.default_rng(0), merge_sort), perfect_crowd(12)
    campaign = Campaign(crowd, player, in_progress)
    while not player.order:
        campaign.continue_to(len(campaign._votes) + 1)
    assert player.order == np.argsort(-crowd.truth).tolist()


def test_votes_of_a_perfect_judge_prove_the_order_when_all_neighbours_met():
    crowd = perfect_crowd(5)
    order = np.argsort(-crowd.truth).tolist()
    far = [(order[0], order[2]), (order[4], order[0])]
    neighbours = list(pairwise(order))

    class Script:
        def __init__(self):
            self._left = far + neighbours[::-1] + far

        def ask(self, candidates, pending):
            return self._left.pop(0)

        def tell(self, pair, outcome, worker):
            pass

    campaign = Campaign(crowd, Script())
    campaign.continue_to(5)
    assert campaign.proven_after == np.inf
    campaign.continue_to(8)
    assert campaign.proven_after == 6


def test_pairs_in_progress_are_told_to_the_player_and_arrive_in_order():
    seen = []

    class Watching:
        def ask(self, candidates, pending):
            seen.append(list(pending))
            return len(seen) % 5, 5

        def tell(self, pair, outcome, worker):
            seen.append(pair)

    campaign = Campaign(perfect_crowd(6), Watching(), in_progress=3)
    campaign.continue_to(2)
    first, second, third = (1, 5), (2, 5), (3, 5)
    assert seen[:4] == [[], [first], [first, second], first]
    assert seen[4] == [second, third]


def test_crowds_are_the_same_however_many_pairs_are_in_progress():
    one, several = REGIMES["bt-1.5-50"], REGIMES["bt-1.5-50@10"]
    assert one.crowd(3, SMALL).truth.tolist() == several.crowd(3, SMALL).truth.tolist()


def test_players_stay_out_by_rules_that_are_told():
    setting, small, large = Setting(), REGIMES["bt-1-16"], REGIMES["bt-1-1000"]
    assert plays("asap", small, setting)
    assert not plays("asap", large, setting)
    assert not plays("merge-sort", REGIMES["windows-3-of-25"], setting)
    assert not plays("trueskill", REGIMES["bt-1.5-16@10"], setting)
    assert all(plays(name, REGIMES["bt-1.5-16@10"], setting) for name in OURS)
    notes = who_stays_out(["asap", "auto", "swiss"], [small, large], setting)
    assert notes == ["asap does not play more than 16 items (it would take too long)."]


def test_a_sampler_of_ours_is_added_in_one_line():
    entrant = ours(lambda items, seed: hr.TopKSampler(items, k=2, seed=seed))
    assert play(entrant.build(5, np.random.default_rng(0)), perfect_crowd(5), 4)


def test_large_recorded_sets_are_played_in_connected_parts(tmp_path):
    votes = recorded(MOST_RECORDED + 100, 4000, seed=5)
    votes.to_frame("polars").write_csv(tmp_path / "large.csv")
    kept = connected_part(votes, 50, np.random.default_rng(0))
    assert kept.sum() == 50
    part = votes.select(kept[votes.left] & kept[votes.right]).compacted()
    assert hr.ComparisonGraph.from_comparisons(part).components.max() == 0
    (regime,) = (each for each in all_regimes(tmp_path)[0] if each.name == "large.csv")
    crowd = regime.crowd(0, Setting())
    assert len(crowd.truth) == MOST_RECORDED
    assert not regime.all_pairs
    assert "a connected part of 500 per run" in listing(tmp_path)


def test_every_part_has_regimes_and_runs_enough_for_errors():
    assert {regime.part for regime in SIMULATED} < set(PARTS)
    assert all(part.runs >= 2 for part in PARTS)
    assert FEW.looks(Setting(per_item=(3,))) == (3,)
    assert len({regime.name for regime in SIMULATED}) == len(SIMULATED)
