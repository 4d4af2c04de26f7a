"""What every sampler promises; inherit it and say how to build one."""

from __future__ import annotations

import pickle
from copy import copy
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hodgerank import Comparisons, Pair, simulate_comparisons
from hodgerank.errors import InvalidArgument, InvalidComparisons, NothingToAsk, UnknownItem

ITEMS = tuple("abcdefg")
pairs = st.sampled_from(list(combinations(ITEMS, 2)) + [(b, a) for a, b in combinations(ITEMS, 2)])
answers = st.lists(st.tuples(pairs, st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])), max_size=14)

SETTINGS = settings(suppress_health_check=[HealthCheck.differing_executors])


def unordered(found):
    return [frozenset(pair) for pair in found]


class SamplerContract:
    """Subclasses set `build`.

    `BEST` is the share of the largest gain that the pair asked has. Gains that should be the same
    are, up to rounding; `REORDERED` is how far they may differ if pairs went out in another order.
    """

    BEST = 1 - 1e-9
    REORDERED = 1e-8

    def build(self, items=ITEMS, **options):
        raise NotImplementedError

    def told(self, log, **options):
        sampler = self.build(**options)
        for pair, outcome in log:
            sampler.tell(pair, outcome)
        return sampler

    @SETTINGS
    @given(log=answers, out=st.lists(pairs, max_size=3))
    def test_asking_twice_gives_the_same(self, log, out):
        sampler = self.told(log)
        first = sampler.ask(3, pending=out)
        sampler.ask(5)
        sampler.gain(("a", "b"), pending=out[:1])
        assert sampler.ask(3, pending=out) == first
        assert self.told(log).ask(3, pending=out) == first

    @SETTINGS
    @given(log=answers)
    def test_a_batch_is_chosen_as_if_the_earlier_pairs_were_out(self, log):
        sampler = self.told(log)
        batch = sampler.ask(4)
        one_by_one = []
        for _ in range(4):
            one_by_one.append(sampler.ask(pending=one_by_one))
        assert batch == one_by_one

    @SETTINGS
    @given(log=answers, out=st.lists(pairs, max_size=3))
    def test_gains_are_those_of_pairs_that_go_out_in_turn(self, log, out):
        sampler = self.told(log)
        batch = sampler.ask(4, pending=out)
        gains = sampler.gains(batch, pending=out)
        one_by_one = [sampler.gain(pair, [*out, *batch[:k]]) for k, pair in enumerate(batch)]
        np.testing.assert_allclose(gains, one_by_one, rtol=self.REORDERED)
        assert sampler.ask(4, pending=out) == batch

    @SETTINGS
    @given(log=answers)
    def test_a_new_sampler_told_the_same_asks_the_same(self, log):
        sampler = self.build()
        for pair, outcome in log:
            sampler.ask(2, pending=[("a", "b")])
            sampler.tell(pair, outcome)
        replayed = self.build()
        replayed.tell_many(sampler.votes)
        assert replayed.ask(3) == sampler.ask(3)
        assert replayed.n_votes == len(log)

    @SETTINGS
    @given(log=answers)
    def test_the_pair_asked_has_the_largest_gain(self, log):
        sampler = self.told(log)
        chosen = sampler.gain(sampler.ask())
        others = [sampler.gain(pair) for pair in combinations(ITEMS, 2)]
        assert chosen >= max(others) * self.BEST
        assert min(others) >= 0

    @SETTINGS
    @given(log=answers)
    def test_a_pair_and_its_reverse_are_one(self, log):
        turned = [((b, a), -y) for (a, b), y in log]
        here, there = self.told(log, display="fixed"), self.told(turned, display="fixed")
        assert here.ask(3) == there.ask(3)

    @SETTINGS
    @given(log=answers)
    def test_new_names_change_nothing_else(self, log):
        """Positions decide ties, so the items keep their order."""
        names = dict(zip(ITEMS, range(100, 107), strict=True))
        here = self.told(log)
        there = self.build(list(names.values()))
        for (a, b), y in log:
            there.tell((names[a], names[b]), y)
        assert [(names[a], names[b]) for a, b in here.ask(3)] == there.ask(3)

    @SETTINGS
    @given(log=answers, out=pairs)
    def test_a_lapsed_pair_leaves_no_trace(self, log, out):
        sampler = self.told(log)
        before = [sampler.gain(pair) for pair in combinations(ITEMS, 2)]
        sampler.ask(3, pending=[out, out])
        after = [sampler.gain(pair) for pair in combinations(ITEMS, 2)]
        np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)

    @SETTINGS
    @given(log=answers, out=pairs)
    def test_the_order_in_which_pairs_go_out_does_not_matter(self, log, out):
        one, other = self.told(log), self.told(log)
        one.ask(pending=[out])
        one.ask(pending=[out, ("a", "g"), ("c", "d")])
        other.ask(pending=[("c", "d")])
        there = [other.gain(p, pending=[("c", "d"), ("a", "g"), out]) for p in [("a", "b"), out]]
        here = [one.gain(p, pending=[out, ("a", "g"), ("c", "d")]) for p in [("a", "b"), out]]
        np.testing.assert_allclose(here, there, rtol=self.REORDERED, atol=1e-12)

    @SETTINGS
    @given(log=answers, late=answers)
    def test_answers_to_pending_pairs_are_as_good_as_others(self, log, late):
        asked, plain = self.told(log), self.told(log)
        asked.ask(pending=[pair for pair, _ in late])
        for pair, outcome in late:
            asked.tell(pair, outcome)
            plain.tell(pair, outcome)
        gains = [[s.gain(pair) for pair in combinations(ITEMS, 2)] for s in (asked, plain)]
        np.testing.assert_allclose(*gains, rtol=1e-8, atol=1e-12)

    def test_many_answers_at_once_are_as_good_as_one_by_one(self):
        votes = simulate_comparisons(list(ITEMS), 200, spread=2, rng=3)
        one, other = self.build(), self.build()
        for k in range(len(votes)):
            pair = (votes.items[votes.left[k]], votes.items[votes.right[k]])
            one.tell(pair, votes.outcome[k], votes.workers[votes.worker[k]])
        other.tell_many(votes)
        gains = [[s.gain(pair) for pair in combinations(ITEMS, 2)] for s in (one, other)]
        np.testing.assert_allclose(*gains, rtol=1e-7)
        np.testing.assert_allclose(one.posterior.mean, other.posterior.mean, atol=1e-9)

    def test_a_tuple_of_candidates_can_be_given_again(self):
        allowed = (("a", "b"), ("c", "d"), ("d", "e"))
        sampler, fresh = self.build(), self.build()
        for worker in ("ann", "ben", "ann"):
            pair = sampler.ask(candidates=allowed, worker=worker)
            assert pair == fresh.ask(candidates=list(allowed), worker=worker)
            for each in (sampler, fresh):
                each.tell(pair, 1, worker)
        sampler.retire_item("d")
        assert unordered([sampler.ask(candidates=allowed)]) == unordered([("a", "b")])

    def test_candidates_may_be_known_from_the_beginning(self):
        candidates = [("b", "a"), ("c", "d"), ("d", "e")]
        sampler = self.build(candidates=candidates)
        allowed = {frozenset(pair) for pair in candidates}
        for _ in range(8):
            pair = sampler.ask()
            assert frozenset(pair) in allowed
            sampler.tell(pair, 1)
        assert sampler.ask(candidates=[("f", "g")]) in {("f", "g"), ("g", "f")}
        matrix = np.zeros((len(ITEMS), len(ITEMS)), bool)
        matrix[0, 3] = True
        assert set(self.build(candidates=matrix).ask()) == {"a", "d"}
        matrix[0, 3] = False  # the sampler has its own
        late = self.build(candidates=matrix | matrix.T | (np.arange(7) == 1)[:, None])
        late.add_item("late")
        assert any("late" in pair for pair in late.ask(30))
        with pytest.raises(UnknownItem):
            self.build(candidates=[("a", "z")])
        with pytest.raises(InvalidArgument, match="wanted is said to `ask`"):
            self.build(candidates={("a", "b"): 2})
        with pytest.raises(NothingToAsk, match="none of the candidates"):
            self.build(candidates=[]).ask()

    def test_candidates_limit_the_choice(self):
        sampler = self.build()
        allowed = [("a", "b"), ("c", "d"), ("e", "a")]
        assert {*unordered(sampler.ask(9, candidates=allowed))} <= {*unordered(allowed)}
        mask = np.zeros((7, 7), bool)
        mask[2, 5] = True
        assert unordered([sampler.ask(candidates=mask)]) == unordered([("c", "f")])

    def test_excluded_pairs_are_not_asked(self):
        sampler = self.build()
        names = list(sampler.items)
        pairs = [(b, a) for k, a in enumerate(names) for b in names[k + 1 :]]
        left = unordered([pairs.pop(3), pairs.pop(8)])
        assert {*unordered(sampler.ask(6, exclude=pairs))} <= {*left}
        assert sampler.ask(candidates=[("a", "b"), ("c", "d")], exclude=[("b", "a")]) in (
            ("c", "d"),
            ("d", "c"),
        )
        with pytest.raises(NothingToAsk, match="excluded"):
            sampler.ask(candidates=[("a", "b")], exclude=[("a", "b")])

    def test_remaining_votes_are_used_up(self):
        sampler = self.build()
        wanted = {("a", "b"): 2, ("c", "d"): 1, ("e", "f"): 0}
        found = unordered(sampler.ask(10, candidates=wanted))
        assert sorted(map(sorted, found)) == [["a", "b"], ["a", "b"], ["c", "d"]]
        with pytest.raises(NothingToAsk):
            sampler.ask(candidates={("a", "b"): 1}, pending=[("b", "a")])

    def test_a_worker_does_not_see_a_pair_again(self):
        sampler = self.build(ITEMS[:3])
        sampler.tell(("a", "b"), 1, worker="ann")
        sampler.tell(("c", "b"), 1, worker="ann")
        assert unordered([sampler.ask(worker="ann")]) == unordered([("a", "c")])
        sampler.tell(("a", "c"), 1, worker="ann")
        with pytest.raises(NothingToAsk, match="'ann' has answered"):
            sampler.ask(worker="ann")
        assert len(sampler.ask(9, worker="ben")) == 3

    def test_asking_for_a_worker_leaves_no_trace(self):
        sampler = self.build()
        for _ in range(20):
            sampler.tell(("a", "b"), 1, "ann")
            sampler.tell(("a", "b"), -1, "bob")
        before = sampler.gain(("c", "d"))
        sampler.ask(worker="bob")
        assert sampler.gain(("c", "d")) == before

    @pytest.mark.parametrize("weight", [1e-3, 30.0, 1e6])
    def test_weights_of_any_size_leave_numbers(self, weight):
        sampler = self.build()
        for _ in range(4):
            for pair in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "e")):
                sampler.tell(pair, 1, weight=weight)
        assert np.isfinite(sampler.posterior.mean).all()
        assert np.isfinite([sampler.gain(pair) for pair in combinations(ITEMS, 2)]).all()
        fresh = self.build()
        fresh.tell_many(sampler.votes)
        assert fresh.ask(2) == sampler.ask(2)

    def test_items_join_and_retire(self):
        sampler = self.told([(("a", "b"), 1.0), (("c", "d"), -1.0)])
        sampler.add_item("new")
        assert sampler.items == (*ITEMS, "new")
        sampler.tell(("new", "a"), 1)
        sampler.retire_item("a")
        sampler.retire_item("b")
        shown = {item for pair in sampler.ask(20) for item in pair}
        assert "a" not in shown
        assert "b" not in shown
        sampler.tell(("a", "c"), 1)  # late answers count
        sampler.restore_item("a")
        assert sampler.retired == ("b",)
        assert len(sampler.ranking()) == 8
        with pytest.raises(InvalidArgument, match="already"):
            sampler.add_item("c")

    def test_an_item_that_joins_late_is_like_one_that_was_there(self):
        log = [(("a", "b"), 1.0), (("c", "d"), -1.0), (("a", "c"), 0.5)]
        late = self.build(ITEMS[:-1])
        for pair, outcome in log:
            late.tell(pair, outcome)
        late.add_item("g")
        there = self.told(log)
        gains = [[s.gain(pair) for pair in combinations(ITEMS, 2)] for s in (late, there)]
        np.testing.assert_allclose(*gains, rtol=1e-8, atol=1e-12)

    def test_a_copy_goes_on_as_the_original_does(self):
        sampler = self.told([(("a", "b"), 1), (("b", "c"), 1), (("a", "d"), -1)])
        sampler.ask()
        other = copy(sampler)
        restored = pickle.loads(pickle.dumps(sampler))
        for _ in range(25):
            pair = sampler.ask()
            assert other.ask() == restored.ask() == pair
            for each in (sampler, other, restored):
                each.tell(pair, 1 if pair.left < pair.right else -1)

    def test_a_copy_goes_its_own_way(self):
        log = [(("a", "b"), 1.0), (("c", "d"), -1.0), (("a", "c"), 0.5)]
        sampler, twin = self.told(log), self.told(log)
        other = copy(sampler)
        assert type(other) is type(sampler)
        assert other.ask(3) == twin.ask(3)
        for _ in range(5):
            other.tell(("e", "f"), -1, "ann")
        other.add_item("new")
        other.retire_item("a")
        assert sampler.items == ITEMS
        assert sampler.n_votes == len(log)
        assert sampler.ask(3, worker="ann") == twin.ask(3, worker="ann")

    def test_too_few_items_cannot_be_asked(self):
        sampler = self.build(["a"])
        with pytest.raises(NothingToAsk, match="two items"):
            sampler.ask()
        sampler.add_item("b")
        assert sorted(sampler.ask()) == ["a", "b"]

    def test_weights_ties_and_grades_count(self):
        sampler = self.build()
        sampler.tell(("a", "b"), 0)
        sampler.tell(("a", "c"), 0.3, "ann", weight=2.5)
        sampler.tell(("a", "d"), True)
        assert isinstance(sampler.votes, Comparisons)
        assert sampler.votes.outcome.tolist() == [0, 0.3, 1]
        assert sampler.votes.weight.tolist() == [1, 2.5, 1]
        assert isinstance(sampler.ask(), Pair)

    def test_bad_input_says_what_is_wrong(self):
        sampler = self.build()
        with pytest.raises(UnknownItem, match="did you mean"):
            sampler.tell(("a", "bb"), 1)
        for outcome in (2, float("nan"), "left", None):
            with pytest.raises(InvalidComparisons, match="from -1"):
                sampler.tell(("a", "b"), outcome)
        for weight in (0, 1e300, float("nan"), None):
            with pytest.raises(InvalidComparisons, match="weight"):
                sampler.tell(("a", "b"), 1, weight=weight)
        with pytest.raises(InvalidComparisons, match="worker"):
            sampler.tell(("a", "b"), 1, ["ann"])
        with pytest.raises(InvalidArgument, match="number of pairs"):
            sampler.ask(-1)
        for candidates in (5, "ab", {("a", "b"): "2"}):
            with pytest.raises(InvalidArgument):
                sampler.ask(candidates=candidates)
        with pytest.raises(InvalidArgument, match="list of pairs"):
            sampler.ask(pending=5)
        with pytest.raises(InvalidArgument, match="must be a list"):
            self.build("abc")
        with pytest.raises(InvalidArgument, match="itself"):
            sampler.tell(("a", "a"), 1)
        with pytest.raises(InvalidArgument, match="left, right"):
            sampler.tell("a", 1)
        with pytest.raises(InvalidArgument, match="twice"):
            self.build(["a", "a"])
        with pytest.raises(InvalidArgument, match="seed"):
            self.build(seed=-1)
        with pytest.raises(InvalidArgument, match="7 x 7"):
            sampler.ask(candidates=np.ones((2, 2), bool))
        assert sampler.n_votes == 0

    def test_display_is_balanced(self):
        sampler = self.build(ITEMS[:4])
        rng = np.random.default_rng(0)
        for _ in range(80):
            sampler.tell(sampler.ask(), rng.choice([-1, 1]))
        votes = sampler.votes
        for a, b in combinations(range(4), 2):
            ab = int(((votes.left == a) & (votes.right == b)).sum())
            ba = int(((votes.left == b) & (votes.right == a)).sum())
            assert abs(ab - ba) <= 1

    def test_ranking_finds_a_clear_order(self):
        sampler = self.build()
        for _ in range(150):
            left, right = sampler.ask()
            sampler.tell((left, right), 1 if left < right else -1, "ann")
        assert sampler.ranking().items == ITEMS

    def test_an_untold_sampler_has_a_ranking_and_a_posterior(self):
        sampler = self.build()
        assert len(sampler.ranking()) == 7
        assert not sampler.posterior.mean.any()


class GaussianContract(SamplerContract):
    """Whose posterior depends on the multiset of answers alone."""

    @SETTINGS
    @given(log=answers, seed=st.integers(0, 100))
    def test_the_order_of_answers_does_not_matter(self, log, seed):
        shuffled = [log[k] for k in np.random.default_rng(seed).permutation(len(log))]
        here, there = self.told(log).posterior, self.told(shuffled).posterior
        np.testing.assert_allclose(here.mean, there.mean, atol=1e-10)
        np.testing.assert_allclose(here.covariance, there.covariance, atol=1e-10)
