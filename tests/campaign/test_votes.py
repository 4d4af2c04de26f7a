from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

from campaign.folded import plain
from campaign.trial import Trial
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.results import rank_votes
from hodgerank.data.reading.vote_source import read_comparisons
from hodgerank.errors import (
    CampaignError,
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
    UnknownItem,
)

VOTES = [("a", "b", 1, "ann"), ("b", "c", -1, "bob"), ("a", "c", 1, "ann")]


def test_imported_votes_count_and_say_where_they_come_from():
    trial = Trial("abc")
    assert trial.campaign.import_votes(VOTES) == 3
    rows = trial.campaign.answers()
    assert [(r["left"], r["right"], r["outcome"], r["worker"]) for r in rows] == VOTES
    assert {row["purpose"] for row in rows} == {"imported"}
    assert {row["asked_by"] for row in rows} == {None}
    assert trial.campaign.counts.n_votes == trial.campaign.counts.n_given == 3


def test_votes_without_workers_are_given_answers_too():
    trial = Trial("abc")
    trial.campaign.import_votes([vote[:3] for vote in VOTES])
    assert trial.campaign.counts.n_votes == trial.campaign.counts.n_given == 3
    assert trial.campaign.workers() == []


def test_the_same_votes_are_refused_twice_unless_they_are_others():
    trial = Trial("abc")
    trial.campaign.import_votes(VOTES)
    with pytest.raises(CampaignError, match="again"):
        trial.campaign.import_votes(VOTES)
    trial.reopen()
    with pytest.raises(CampaignError, match="again"):
        trial.campaign.import_votes(VOTES)
    with pytest.raises(CampaignError, match="2 of these votes are already in the campaign"):
        trial.campaign.import_votes(VOTES[1::-1])
    assert trial.campaign.import_votes(VOTES, again=True) == 3
    assert trial.campaign.counts.n_votes == 6


def test_votes_of_the_campaign_itself_are_refused(tmp_path):
    trial = Trial(["0", "1", "2"])
    trial.answer_all("ann", 2)
    trial.campaign.export(tmp_path / "votes.csv")
    with pytest.raises(CampaignError, match="2 of these votes are already in the campaign"):
        trial.campaign.import_votes(tmp_path / "votes.csv")
    assert trial.campaign.import_votes(tmp_path / "votes.csv", again=True) == 2


def test_all_answers_are_read_as_the_votes_among_them(tmp_path):
    trial = worked()
    trial.campaign.export(tmp_path / "all.csv", everything=True)
    votes = read_comparisons(tmp_path / "all.csv")
    assert len(votes) == trial.campaign.counts.n_votes < len(trial.campaign.answers())
    assert votes.report.unanswered == len(trial.campaign.answers()) - len(votes)


def test_a_crowd_on_one_side_keeps_its_sides(tmp_path):
    trial = Trial("abcdef")
    for worker in ("ann", "bob", "cy"):
        trial.answer_all(worker, 10)
    trial.campaign.export(tmp_path / "votes.csv")
    assert read_comparisons(tmp_path / "votes.csv").display_known.all()


def test_who_asked_is_who_asked_at_the_time(tmp_path):
    trial = Trial("abcdef")
    trial.answer_all("ann", 3)
    trial.campaign.change(sampler="random")
    trial.answer_all("bob", 2)
    asked_by = [row["asked_by"] for row in trial.campaign.answers()]
    assert asked_by == ["auto"] * 3 + ["random"] * 2
    assert trial.campaign.votes().report.adaptive


@pytest.mark.parametrize("name", ["NA", "null", "nan", "-", "?", "n/a", " a", "a "])
def test_names_that_tables_do_not_give_back_are_refused(name):
    trial = Trial("ab")
    with pytest.raises(InvalidArgument):
        trial.campaign.add([name])
    with pytest.raises(InvalidArgument):
        trial.campaign.lease(name)


def test_nobody_is_asked_what_they_have_said_elsewhere():
    trial = Trial("abc")
    trial.campaign.import_votes(VOTES)
    asked = [frozenset(task.pair) for task in trial.campaign.lease("ann", 5)]
    assert asked == [frozenset("bc")]


@pytest.mark.parametrize(
    ("votes", "error"),
    [
        ([("a", "z", 1)], UnknownItem),
        ([("a", "b", 1), ("x", "y", 1)], UnknownItem),
        ([("a", "other", 1)], InvalidArgument),
        ([("a", "b", 7)], (InvalidComparisons, InvalidArgument)),
        ([("a", "b", 1, "\0")], (InvalidComparisons, InvalidArgument)),
        ("missing.csv", InvalidComparisons),
    ],
)
def test_votes_that_do_not_fit_leave_everything_as_it_was(votes, error):
    trial = Trial(["a", "b", CampaignItem("other", track="t")])
    seq = trial.campaign.counts.seq
    with pytest.raises(error):
        trial.campaign.import_votes(votes)
    assert trial.campaign.counts.seq == seq


def worked(**options) -> Trial:
    """Some answers of every kind."""
    trial = Trial("abcdef", ties=True, lease_seconds=10, **options)
    for k, worker in enumerate(("ann", "=bob()", "-cy", "@dan", "+eve", "'fay")):
        for step in range(6):
            [task] = trial.campaign.lease(worker)
            trial.campaign.answer(task, (1, -1, 0, 1)[(k + step) % 4], weight=1 + step % 2)
    trial.campaign.undo("ann")
    trial.campaign.ban("-cy")
    return trial


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_votes_are_read_again_to_the_same_ranking(tmp_path, ending):
    trial = worked()
    path = tmp_path / f"votes.{ending}"
    trial.campaign.export(path)
    votes = read_comparisons(path)
    again = rank_votes(votes, trial.campaign.settings).score_by_item
    assert again == pytest.approx(trial.campaign.ranking().score_by_item, abs=1e-9)
    workers = {votes.workers[k] for k in votes.worker}
    assert workers == {"ann", "=bob()", "@dan", "+eve", "'fay"}


@pytest.mark.parametrize("outcomes", [(1, 0), (0, 0), (1, 1), (-1, 0)])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_exported_votes_mean_the_same_whatever_answers_were_given(tmp_path, outcomes, ending):
    trial = Trial("abc", ties=True)
    for outcome in outcomes:
        trial.answer_all("ann", 1, outcome)
    path = tmp_path / f"votes.{ending}"
    trial.campaign.export(path)
    votes = read_comparisons(path)
    ours = trial.campaign.votes()

    def rows(votes):
        return Counter(
            (votes.items[i], votes.items[j], y)
            for i, j, y in zip(votes.left, votes.right, votes.outcome, strict=True)
        )

    assert rows(votes) == rows(ours)


def test_everything_says_what_became_of_each_answer(tmp_path):
    import polars

    trial = worked()
    trial.campaign.export(tmp_path / "all.csv", everything=True)
    table = polars.read_csv(tmp_path / "all.csv")
    assert len(table) == 36
    assert set(table["why_not"].fill_null("")) == {"", "taken back", "worker banned"}


def test_the_log_is_exported_and_becomes_the_same_campaign(tmp_path):
    trial = worked(gold=[{"better": "a", "worse": "b"}], repeat_share=0.2)
    trial.campaign.add([CampaignItem("half \N{SNOWMAN}", text="a\u2028b\r\n", track="new")])
    path = tmp_path / "log.jsonl"
    trial.campaign.export(path)
    again = Campaign.load(tmp_path / "again.db", path, clock=trial.clock)
    assert list(again.events()) == list(trial.campaign.events())
    assert plain(again.log.state) == plain(trial.campaign.log.state)
    assert again.ranking("").score_by_item == trial.campaign.ranking("").score_by_item
    assert again.lease("new")[0].pair == trial.campaign.lease("new")[0].pair
    with pytest.raises(CampaignError, match="already"):
        Campaign.load(again.database, path)
    again.leave()


def test_a_text_with_half_a_character_is_refused_or_exported(tmp_path):
    try:
        trial = Trial([CampaignItem("a", text="\ud800"), CampaignItem("b")])
    except InvalidArgument:
        return
    trial.campaign.export(tmp_path / "log.jsonl")
    again = Campaign.load(None, tmp_path / "log.jsonl")
    assert again.items == trial.campaign.items


@pytest.mark.parametrize("cut", [1, 40, 200, -2, -30])
def test_a_log_that_was_cut_is_refused_in_words(tmp_path, cut):
    trial = worked()
    path = tmp_path / "log.jsonl"
    trial.campaign.export(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises((InvalidComparisons, InvalidArgument)):
        Campaign.load(None, path)


def test_a_log_without_one_of_its_lines_is_refused(tmp_path):
    trial = worked()
    path = tmp_path / "log.jsonl"
    trial.campaign.export(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for gone in (0, 1, 5, 30, len(lines) // 2):
        path.write_bytes(b"".join(lines[:gone] + lines[gone + 1 :]))
        with pytest.raises((InvalidComparisons, InvalidArgument)):
            Campaign.load(None, path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match=r"\.csv"):
        worked().campaign.export(tmp_path / "votes.doc")


@pytest.mark.parametrize("seed", range(8))
def test_a_log_with_another_value_is_refused_in_words_or_makes_sense(tmp_path, seed):
    rng, path = Random(seed), tmp_path / "log.jsonl"
    worked().campaign.export(path)
    lines = path.read_text().splitlines()
    for _ in range(25):
        place = rng.randrange(len(lines))
        record = json.loads(lines[place])
        inner = [value for value in record.values() if isinstance(value, dict) and value]
        part = rng.choice([record, *inner])
        part[rng.choice(list(part))] = rng.choice(
            [None, {}, [], "x", -1, 1e30, True, "", 3.5, 10**400]
        )
        changed = [*lines[:place], json.dumps(record), *lines[place + 1 :]]
        path.write_text("\n".join(changed))
        try:
            again = Campaign.load(None, path)
        except HodgeRankError:
            continue
        with again:
            assert len(again.answers()) >= again.counts.n_votes
            again.workers()


@pytest.mark.parametrize("change", ["twice", "gone", "swapped"])
def test_a_log_whose_lines_were_moved_is_refused_in_words(tmp_path, change):
    path = tmp_path / "log.jsonl"
    worked().campaign.export(path)
    lines = path.read_text().splitlines()
    place = next(k for k, line in enumerate(lines) if '"answered"' in line)
    one, other = lines[place : place + 2]
    middle = {"twice": [one, one, other], "gone": [other], "swapped": [other, one]}[change]
    path.write_text("\n".join([*lines[:place], *middle, *lines[place + 2 :]]))
    with pytest.raises(InvalidComparisons):
        Campaign.load(None, path)
