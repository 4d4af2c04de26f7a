"""Every sampler keeps the contract."""

from __future__ import annotations

import hodgerank as hr
from contracts.sampler import ITEMS, GaussianContract, SamplerContract


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


class TestBayesian(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, **options)


class TestBayesianAsPrinted(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, paper=True, ridge=0.1, **options)


class TestBayesianOnAnotherLink(GaussianContract):
    def build(self, items=ITEMS, **options):
        return hr.BayesianSampler(items, link="thurstone-mosteller", **options)


class TestRank(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.RankSampler(items, **options)


class TestAuto(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.AutoSampler(items, **options)


class TestCrowdBT(SamplerContract):
    def build(self, items=ITEMS, **options):
        return hr.CrowdBTSampler(items, **options)
