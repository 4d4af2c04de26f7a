"""Every sampler keeps the contract."""

from __future__ import annotations

import pytest

import hodgerank as hr
from contracts.sampler import ITEMS, GaussianContract, SamplerContract
from hodgerank.sampling.samplers import auto, random, top_k
from hodgerank.sampling.samplers.registry import STRATEGIES, build_sampler


class TestRounds(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.RandomSampler(items, **options)


class TestIndependent(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.RandomSampler(items, order="independent", **options)


class TestDOptimal(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.FisherSampler(items, **options)


class TestFiedler(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.FisherSampler(items, criterion="fiedler", **options)


class TestAOptimal(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.FisherSampler(items, criterion="a-optimal", **options)


def third_power(eigenvalues):
    return eigenvalues**-3.0


class TestAnySpectralCriterion(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.FisherSampler(items, criterion=third_power, **options)


class TestBayesian(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, **options)


class TestBayesianAsPrinted(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, paper=True, ridge=0.1, **options)


class TestBayesianOnAnotherLink(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, link="thurstone-mosteller", **options)


class TestBayesianWithAnyPrior(GaussianContract):
    """The bigger the estimated noise, the less pairs are worth; items that join are independent."""

    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, link="bradley-terry", noise="estimate", **options)


class TestRank(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.RankSampler(items, **options)


class TestAuto(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, **options)


class TestAutoWithSides(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, position_bias="worker", **options)


class TestTopK(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.TopKSampler(items, 2, **options)


class KnockoutSampler(hr.TopKSampler):
    """Plays a tournament also with a few items."""

    def _prepare(self, worker, allowed):
        super()._prepare(worker, allowed)
        self._design.plays_knockout = True


class TestTopKAfterAKnockout(SamplerContract):
    def build(self, items=ITEMS, **options):
        return KnockoutSampler(items, 2, **options)


class TestTopKOfManyAfterAKnockout(SamplerContract):
    BEST = 0.0
    REORDERED = 0.2

    def build(self, items=ITEMS, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(top_k, "EXACT_ORDER", 0)
            patch.setattr(top_k, "FEWEST", 3)
            return KnockoutSampler(items, 1, **options)


class TestSort(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.SortSampler(items, **options)


class TestAutoWithProbes(SamplerContract):
    """A probe is not the pair of largest gain."""

    BEST = 0.0

    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, probes=True, **options)


class TestAutoWithEasyPairs(SamplerContract):
    """An easy pair is not the pair of largest gain."""

    BEST = 0.0

    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, easy_share=0.3, **options)


class TestAutoForCrowdsNobodyVetted(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, vetting=8, **options)


class TestCrowdBT(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.CrowdBTSampler(items, **options)


class OfMany(SamplerContract):
    """Designs for 1,000 items and more, which the same answers lead to the same state.

    Their variances are approximate, and graphs of seven items are full of short cycles, the worst
    there is for them: of thousands of logs one leads to a pair worth 7 % less than the best, or
    15 % where labels do not count, and to gains that change by 16 % with the order of pairs out.
    """

    BEST = 0.8
    REORDERED = 0.2


class TestBayesianOfMany(OfMany):
    BEST = 0.9

    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, engine="matrix-free", **options)


class TestDOptimalOfMany(OfMany):
    def build(self, items=ITEMS, **options):
        return hr.FisherSampler(items, engine="matrix-free", **options)


class TestAutoOfMany(OfMany):
    """Probes are worth little."""

    BEST = 0.0

    def build(self, items=ITEMS, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(auto, "MANY_ITEMS", 0)
            return hr.AutoSampler(items, **options)


class TestTopKOfMany(OfMany):
    """Where few items are left to choose from, the best of them may be worth little."""

    BEST = 0.0

    def build(self, items=ITEMS, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(top_k, "EXACT_ORDER", 0)
            patch.setattr(top_k, "FEWEST", 3)
            return hr.TopKSampler(items, 1, **options)


class TestRoundsOfMany(SamplerContract):
    def build(self, items=ITEMS, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(random, "MANY_ITEMS", 0)
            return hr.RandomSampler(items, **options)


class TestIndependentOfMany(SamplerContract):
    def build(self, items=ITEMS, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(random, "MANY_ITEMS", 0)
            return hr.RandomSampler(items, order="independent", **options)


@pytest.mark.parametrize("name", [*STRATEGIES, "top-3"])
def test_samplers_know_whether_many_answers_take_long(name):
    filters = name in ("auto", "sort", "rank", "top-3")
    few, more = (build_sampler(name, range(2)).seconds_per_answer(n) for n in (30, 300))
    assert (more >= 50 * few > 0) if filters else (few == more)
    assert (few > 0) == (filters or name == "crowd-bt")


@pytest.mark.parametrize(("name", "n"), [("auto", 1000), ("top-3", 401)])
def test_with_very_many_items_answers_are_learned_all_at_once(name, n):
    seconds = build_sampler(name, range(2)).seconds_per_answer
    assert seconds(n - 1) > 0 == seconds(n)
