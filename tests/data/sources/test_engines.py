"""Votes that live elsewhere are reduced there: the same ranking from every engine."""

from __future__ import annotations

import math
import shutil

import duckdb
import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import hodgerank as hr
from hodgerank.data.reading import table_votes
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.errors import InvalidArgument, InvalidComparisons


@pytest.fixture(scope="module")
def votes():
    """Five thousand votes, words for outcomes, with workers."""
    workers = {"honest": 4, "adversarial": 1, "tie-happy": 1}
    crowd = hr.simulate_comparisons(30, 5000, spread=2, workers=workers, rng=1)
    names = [f"item-{k:02d}" for k in range(30)]
    return pl.DataFrame(
        {
            "model_a": [names[k] for k in crowd.left],
            "model_b": [names[k] for k in crowd.right],
            "winner": [("model_b", "tie", "model_a")[int(y) + 1] for y in crowd.outcome],
            "judge": [crowd.workers[k] for k in crowd.worker],
        }
    )


@pytest.fixture(scope="module")
def folder(votes, tmp_path_factory):
    """The same in four Parquet files."""
    folder = tmp_path_factory.mktemp("votes")
    for k in range(4):
        votes[k * 1250 : (k + 1) * 1250].write_parquet(folder / f"{k}.parquet")
    return folder


@pytest.fixture(scope="module")
def wanted(votes):
    return hr.hodge_rank(votes), hr.assess_workers(votes)


def assert_same_from(source, wanted):
    """Ranking and workers."""
    ranking, assessment = wanted
    assert_same(hr.hodge_rank(source), ranking)
    found = hr.assess_workers(source).to_frame("polars")
    assert_frame_equal(found, assessment.to_frame("polars"), abs_tol=1e-9)


def assert_same(ranking, wanted):
    assert ranking.items == wanted.items
    np.testing.assert_allclose(ranking.scores, wanted.scores, atol=1e-10)
    np.testing.assert_allclose(ranking.standard_errors, wanted.standard_errors, atol=1e-10)


def test_polars_scans_many_files(folder, wanted):
    assert_same_from(pl.scan_parquet(folder / "*.parquet"), wanted)


def test_a_pattern_of_files_is_one_table(folder, wanted, votes):
    assert_same_from(str(folder / "*.parquet"), wanted)
    assert_same_from(folder / "?.parquet", wanted)
    assert len(hr.read_comparisons(folder / "*.parquet")) == len(votes)
    with pytest.raises(InvalidComparisons, match="no file matches"):
        hr.read_comparisons(folder / "x*.parquet")


def test_groups_need_single_answers(folder, votes):
    with pytest.raises(InvalidArgument, match="name the column of groups as the worker"):
        hr.assess_workers(folder / "*.parquet", groups=votes["judge"].to_list())


def test_equal_answers_of_a_worker_are_brought_over_once(votes):
    reduced = VoteSource(votes.lazy()).distinct_answers()
    assert len(reduced) < len(votes) == reduced.n_votes == len(hr.read_comparisons(reduced))


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    pl.DataFrame({"left": ["a"], "right": ["b"], "label": [1], "worker": ["x"]}).write_parquet(
        tmp_path / "a.parquet"
    )
    pl.DataFrame({"left": ["a"], "right": ["b"], "winner": ["left"]}).write_parquet(
        tmp_path / "b.parquet"
    )
    with pytest.raises(InvalidComparisons, match="cannot be read"):
        hr.assess_workers(tmp_path / "*.parquet")
    with pytest.raises(InvalidComparisons, match="cannot be read"):
        hr.assess_workers(pl.scan_parquet(tmp_path / "gone" / "*.parquet"))


def test_bad_rows_of_a_lazy_table_are_numbered_where_they_can_be():
    frame = pl.LazyFrame({"left": ["a", "b"], "right": ["b", "c"], "label": [1, 7]})
    with pytest.raises(InvalidComparisons, match=r"row 2: b, c, 7"):
        hr.hodge_rank(frame)
    with pytest.raises(InvalidComparisons, match=r"row: b, c, 7"):
        hr.ComparisonGraph.from_frame(frame)


def test_duckdb(folder, wanted):
    assert_same_from(duckdb.read_parquet(str(folder / "*.parquet")), wanted)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Four files of half a million votes on 600 items, whose answers repeat, but not often."""
    folder, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(1)
    for k in range(4):
        left = rng.integers(0, 600, 500_000, dtype=np.int32)
        right = (left + rng.integers(1, 600, 500_000, dtype=np.int32)) % 600
        wins = rng.random(500_000) < 1 / (1 + np.exp((left - right) / 300))
        label = np.where(wins, 1, -1).astype(np.int8)
        table = pl.DataFrame({"left": left, "right": right, "label": label})
        table.write_parquet(folder / f"{k}.parquet")
    return folder


def assert_same_as_embedded(frame, folder, monkeypatch):
    """From a cluster, which counts votes, and from polars, which counts them or hands them over."""
    files = str(folder / "*.parquet")
    assert len(list(VoteSource(files).pieces())) > 1
    assert_same(hr.hodge_rank(frame), hr.hodge_rank(files))
    monkeypatch.setattr(table_votes, "MANY_DISTINCT", math.inf)
    assert len(list(VoteSource(files).pieces())) == 1
    assert_same(hr.bradley_terry(frame), hr.bradley_terry(files))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_on_a_cluster(folder, wanted, many, monkeypatch):
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(str(folder / "*.parquet"))
        assert_same_from(frame, wanted)
        assert_same_as_embedded(dd.read_parquet(str(many / "*.parquet")), many, monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java: install a JRE")
def test_spark_on_a_cluster(folder, wanted, many, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    try:
        assert_same_from(spark.read.parquet(str(folder)), wanted)
        assert_same_as_embedded(spark.read.parquet(str(many)), many, monkeypatch)
    finally:
        spark.stop()
