from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest
from benchmarks.calibration.judges import Judges

from campaign.trial import Trial
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.results import TrackStanding, ranking_command
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.summaries import not_counted

pytestmark = pytest.mark.usefixtures("few_futures")


def test_a_worker_in_numbers():
    trial = Trial(range(10))
    for outcome, seconds in ((1, 2.0), (1, 4.0), (-1, 9.0)):
        trial.answer_all("ann", 1, outcome, seconds=seconds)
    trial.campaign.skip(trial.campaign.lease("ann")[0])
    trial.campaign.lease("ann", 2)
    trial.answer_all("bob", 1)
    ann, bob = trial.campaign.workers()
    assert (ann.worker, ann.n_answers, ann.n_counted) == ("ann", 3, 3)
    assert (ann.n_out, ann.n_skipped, ann.n_expired) == (2, 1, 0)
    assert ann.median_seconds == 4.0
    assert ann.left_share == pytest.approx(2 / 3)
    assert (bob.median_seconds, bob.left_share) == (None, 1.0)
    trial.clock.move(1e6)
    trial.campaign.expire()
    assert trial.campaign.workers()[0].n_expired == 2
    trial.campaign.join("cy", {"session": "s"})
    trial.campaign.finish("cy", "withdrawn")
    told = json.loads(json.dumps([one.to_dict() for one in trial.campaign.workers()]))
    assert [one["last_at"] for one in told] == [ann.last_at, bob.last_at, None]
    assert told[2]["joined_at"] == trial.clock.now
    assert (told[2]["outcome"], told[2]["panel"]) == ("withdrawn", {"session": "s"})


def test_answers_that_were_taken_back_are_not_a_workers():
    trial = Trial(range(10))
    trial.answer_all("ann", 2, seconds=0.1)
    trial.campaign.undo("ann")
    [ann] = trial.campaign.workers()
    assert (ann.n_answers, ann.marks) == (1, {"too_fast": 1})


def test_a_campaign_in_numbers():
    trial = Trial("abcd", budget=10)
    trial.answer_all("ann", 3)
    trial.campaign.lease("bob")
    trial.campaign.ban("cy")
    trial.campaign.retire("d")
    counts = trial.campaign.counts
    assert (counts.n_items, counts.n_retired, counts.n_workers, counts.n_banned) == (4, 1, 3, 1)
    assert (counts.n_votes, counts.n_given, counts.n_out, counts.budget) == (3, 3, 1, 10)
    assert counts.at == trial.clock.now
    assert counts.seq == max(event.seq for event in trial.campaign.events())


def tossed(stop, outcome, n_workers=40, **settings):
    trial = Trial(range(5), stop=stop, ranking="plain", **settings)
    for number in range(n_workers):
        for _ in range(3):
            [task] = trial.campaign.lease(f"w{number}")
            trial.campaign.answer(task, outcome(task))
    return trial.campaign.progress(with_forecast=True)


@pytest.mark.slow
def test_no_forecast_is_made_of_coin_tosses_without_saying_so():
    coin = Random(5)
    found = tossed("tau >= 0.9", lambda task: coin.choice([-1, 1]))
    assert found.tracks[0].is_doubtful
    assert "no significant ranking yet; if there is one, expected" in found.sentence
    found = tossed("tau >= 0.999", lambda task: 1 if task.left < task.right else -1)
    assert not found.tracks[0].is_doubtful
    assert "shows" not in found.sentence


def test_a_lean_that_the_ranking_knows_of_does_not_hide_it():
    judges, doubts = Judges(leans=(2.5,), answers=130, spread=1.2), {None: 0, "worker": 0}
    for seed in range(8):
        votes = judges.votes(np.random.default_rng([seed, 1]))
        for position in doubts:
            settings = CampaignSettings("?", position_bias=position)
            doubts[position] += TrackStanding("", votes, votes.items, settings).is_doubtful
    assert doubts["worker"] < doubts[None]


def test_before_the_first_answer_nothing_is_doubted(few_futures):
    progress = Trial("abc", stop="tau >= 0.9").campaign.progress(with_forecast=True)
    assert not progress.tracks[0].is_doubtful
    assert "more votes to reach 0.9" in progress.sentence


def test_progress_says_whether_it_is_enough():
    trial = Trial("ab", budget=2)
    assert "In progress: 0 votes of at most 2" in trial.campaign.progress().sentence
    for worker in ("ann", "bob"):
        trial.answer_all(worker, 1)
    progress = trial.campaign.progress()
    assert progress.is_enough
    assert (progress.sentence, progress.code) == ("Budget used with 2 votes.", "budget_used")
    json.dumps(progress.to_dict())
    assert "Budget used" in repr(progress)
    trial.campaign.close()
    assert trial.campaign.progress().sentence == "Closed with 2 votes."


def test_progress_is_by_track(few_futures):
    items = [CampaignItem(f"{t}{k}", track=t) for t in "xy" for k in range(3)]
    trial = Trial(items, stop="tau >= 0.6")
    trial.answer_all("ann", 4)
    tracks = trial.campaign.progress(with_forecast=True).tracks
    assert [(track.track, track.n_items, track.n_votes) for track in tracks] == [
        ("x", 3, 2),
        ("y", 3, 2),
    ]
    assert all(track.forecast is not None for track in tracks)


def test_a_campaign_without_answers_has_progress_and_a_ranking(few_futures):
    trial = Trial("abc", stop="tau >= 0.6")
    assert not trial.campaign.progress(with_forecast=True).is_enough
    assert set(trial.campaign.ranking().items) == set("abc")
    assert len(trial.campaign.votes()) == 0


def test_a_campaign_whose_items_are_all_retired_has_progress():
    trial = Trial("abc", stop="tau >= 0.9")
    trial.answer_all("ann", 2)
    for item in "abc":
        trial.campaign.retire(item)
    trial.campaign.progress(with_forecast=True)
    assert len(trial.campaign.ranking().items) == 3


def test_answers_that_are_no_votes_are_counted_by_the_reason():
    trial = Trial(range(10), attention={"fastest_seconds": 1.0, "exclude": ["too_fast"]})
    trial.answer_all("ann", 3, seconds=2.0)
    trial.answer_all("bob", 2, seconds=2.0)
    trial.answer_all("eve", 2, seconds=0.1)
    trial.campaign.undo("eve")
    trial.campaign.ban("bob")
    found = trial.campaign.log.read(lambda state, now: not_counted(state))
    assert found == {"worker banned": 2, "marked: too_fast": 1}
    counts = trial.campaign.counts
    assert sum(found.values()) == counts.n_given - counts.n_votes


def test_the_ranking_and_the_command_that_repeats_it_are_on_the_scale_of_the_settings():
    trial = Trial(range(3), score_scale="elo")
    for name in "abc":
        [task] = trial.campaign.lease(name)
        trial.campaign.answer(task, 1)
    ranking = trial.campaign.ranking()
    assert ranking.scale.name == "elo"
    assert ranking.scores.mean() == pytest.approx(1000)
    command = trial.campaign.log.read(lambda state, now: ranking_command(state))
    assert command == "hodgerank rank votes.csv --score-scale elo"
