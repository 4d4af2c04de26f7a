"""Votes remember that pairs were chosen in the chosen adaptively."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.data.reading.decode import FOLLOWS_LABELS, IGNORES_LABELS
from hodgerank.graph.edge_file import EdgeFile, edge_file
from hodgerank.sampling.samplers.registry import STRATEGIES, build_sampler

ROWS = [("a", "b", 1), ("b", "c", 1), ("c", "a", -1), ("a", "b", -1)]


def table(asked_by: list[str | None], **more: list) -> pl.DataFrame:
    left, right, outcome = zip(*ROWS, strict=True)
    return pl.DataFrame(
        {"left": left, "right": right, "outcome": outcome, "asked_by": asked_by, **more}
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_sampler_is_known_by_its_name(strategy, tmp_path):
    sampler = build_sampler(strategy, ["a", "b", "c"])
    assert sampler.name == strategy
    hr.run(sampler, lambda _: 1, budget=4, log=tmp_path / "log.jsonl")
    follows = strategy in FOLLOWS_LABELS
    assert follows != (strategy in IGNORES_LABELS)
    assert sampler.votes.report.adaptive == follows == sampler.follows_labels
    votes = hr.read_comparisons(tmp_path / "log.jsonl")
    assert votes.report.adaptive == follows
    assert "asked_by" not in votes.report.unused


def test_files_without_the_column_are_not_adaptive():
    assert not hr.read_comparisons(ROWS).report.adaptive
    assert not hr.simulate_comparisons(4, 20).report.adaptive


def test_people_are_no_samplers():
    """A column of interviewers plays no part, whatever one of them is called."""
    votes = hr.read_comparisons(table(["Mary", "auto", "Mary", None]))
    assert not votes.report.adaptive
    assert votes.report.unused == ("asked_by",)
    assert not hr.read_comparisons(table([None] * 4)).report.adaptive


def test_spelling_of_names(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome,Asked_By\na,b,1, Auto\nb,c,1,\n")
    assert hr.read_comparisons(path).report.adaptive


def test_only_answered_pairs_count(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("left,right,answer,worker,asked_by\na,b,left,ann,design\nb,c,,,auto\n")
    assert not hr.read_comparisons(path).report.adaptive
    path.write_text("left,right,answer,worker,asked_by\na,b,left,ann,design\nb,c,left,,auto\n")
    assert hr.read_comparisons(path).report.adaptive
    votes = hr.read_comparisons(path, where="asked_by = 'design'")
    assert not votes.report.adaptive


@pytest.mark.parametrize("lazy", [False, True])
def test_dataframes_have_it_too(lazy):
    frame = table(["auto", "auto", "rank", "rounds"])
    source = frame.lazy() if lazy else frame
    assert hr.read_comparisons(source).report.adaptive
    assert hr.ComparisonGraph.from_frame(source).report.adaptive
    assert "chosen adaptively" in " ".join(hr.hodge_rank(source).notes)


def test_the_column_may_be_named_as_something_else():
    votes = hr.read_comparisons(table(["auto"] * 4), worker="asked_by")
    assert votes.workers == ("auto",)
    assert not votes.report.adaptive
    groups = hr.read_comparisons(table(["auto", "auto", "random", "random"]), group="asked_by")
    assert groups.report.adaptive
    assert set(groups) == {"auto", "random"}


def test_whatever_is_made_of_the_votes_remembers():
    votes = hr.read_comparisons(
        table(["auto"] * 4, worker=["w", "v", "w", "v"], scene=["x", "x", "y", "y"])
    )
    graph = hr.ComparisonGraph.from_comparisons(votes)
    plain = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(ROWS))
    assert graph.report.adaptive
    assert plain.merge(graph).report.adaptive
    assert votes.select([0, 1]).report.adaptive
    assert hr.exclude_workers(votes, ["v"]).report.adaptive
    assert hr.keep_items_with(votes, 2).report.adaptive
    assert votes.to_frame("polars")["asked_by"].unique().to_list() == ["adaptive"]
    assert hr.read_comparisons(votes.to_frame("polars")).report.adaptive
    assert "asked_by" not in hr.read_comparisons(ROWS).to_frame("polars").columns
    groups = hr.read_comparisons(table(["auto"] * 4, scene=["x", "x", "y", "y"]), group="scene")
    assert all(part.report.adaptive for part in groups.values())
    assert groups.together().report.adaptive


def test_files_read_together_and_states_remember(tmp_path):
    table(["auto"] * 4).write_csv(tmp_path / "a.csv")
    table(["auto"] * 4).drop("asked_by").write_csv(tmp_path / "b.csv")
    both = hr.read_comparisons([tmp_path / "b.csv", tmp_path / "a.csv"])
    assert both.report.adaptive
    plain = edge_file(hr.read_comparisons(tmp_path / "b.csv"))
    plain.write(tmp_path / "plain.parquet")
    assert not EdgeFile.read(tmp_path / "plain.parquet").graph.report.adaptive
    plain.add(hr.read_comparisons(tmp_path / "a.csv"), again=True).write(tmp_path / "state.parquet")
    state = EdgeFile.read(tmp_path / "state.parquet")
    assert state.graph.report.adaptive
    state.write(tmp_path / "again.parquet")
    assert EdgeFile.read(tmp_path / "again.parquet").graph.report.adaptive


def test_samplers_remember_what_they_are_told(tmp_path):
    log = tmp_path / "log.jsonl"
    hr.run(hr.AutoSampler(["a", "b", "c"]), lambda _: 1, budget=5, log=log)
    resumed = hr.RandomSampler(["a", "b", "c"])
    hr.run(resumed, lambda _: 1, budget=8, log=log)
    assert resumed.votes.report.adaptive
    told = hr.RandomSampler(["a", "b", "c"])
    told.tell_many(hr.read_comparisons(log))
    assert told.votes.report.adaptive


def test_old_logs_can_be_resumed(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"left": "a", "right": "b", "outcome": 1.0, "worker": "ann"}\n')
    sampler = hr.RandomSampler(["a", "b", "c"])
    hr.run(sampler, lambda _: 1, budget=3, log=log)
    assert sampler.n_votes == 3
    assert not sampler.votes.report.adaptive
    assert len(hr.read_comparisons(log)) == 3


@pytest.mark.parametrize(
    "rank", [hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller, hr.robust_rank]
)
def test_estimators_without_a_prior_say_so(rank):
    votes = hr.simulate_comparisons(6, 200, rng=1)
    followed = replace(votes, report=replace(votes.report, adaptive=True))
    assert any("chosen adaptively" in note for note in rank(followed).notes)
    assert not any("chosen adaptively" in note for note in rank(votes).notes)


def test_a_prior_allows_for_it():
    votes = hr.simulate_comparisons(6, 200, rng=1)
    followed = replace(votes, report=replace(votes.report, adaptive=True))
    assert not any("chosen adaptively" in note for note in hr.bayes_rank(followed).notes)
    names, codes = ("x", "y"), np.arange(len(votes)) % 2
    groups = hr.VoteGroups.split(followed, names, codes, "scene")
    assert {ranking.model for ranking in hr.rank_groups(groups).values()} == {"posterior mean"}
    for options in ({"model": "hodgerank"}, {"fit": hr.hodge_rank}):
        assert hr.rank_groups(groups, **options)["x"].model == "least squares"
