from __future__ import annotations

import asyncio
import pickle

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.views.done import rank_for_workers
from server.pages.visiting import worker

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}
PANEL = {
    "kind": "link",
    "completed": "DONE-7",
    "screened_out": "OUT-8",
    "withdrawn": "GONE-9",
    "return_origins": ["https://panel.example"],
}


def answer(visitor, n=1):
    for _ in range(n):
        task = visitor.turn()["tasks"][0]
        visitor.turn("answer", task=task["id"], outcome=1)


def outcomes(campaign):
    return [summary.outcome for summary in campaign.workers()]


@pytest.mark.parametrize(
    ("settings", "n_answers", "outcome"),
    [
        ({}, 0, "withdrawn"),
        ({}, 1, "completed"),
        ({"answers_per_worker": 2}, 1, "withdrawn"),
        ({"answers_per_worker": 2}, 2, "completed"),
    ],
)
def test_who_stops_has_completed_or_withdrawn(live, settings, n_answers, outcome):
    campaign = live.campaign(FOUR, **settings)
    ann = worker(live, campaign)
    answer(ann, n_answers)
    assert ann.say("leave", wants="stop").json() == {"step": "done"}
    assert outcomes(campaign) == [outcome]
    assert ann.turn()["tasks"] == []
    assert campaign.counts.n_out == 0


def test_who_waits_for_others_and_goes_has_not_withdrawn(live):
    campaign = live.campaign(FOUR, budget=3, answers_per_worker=3)
    ann, bob, cem = (worker(live, campaign) for _ in range(3))
    answer(ann)
    bob.turn()
    ann.turn("skip", task=ann.turn()["tasks"][0]["id"])
    bob.turn()
    assert cem.turn()["step"] == "wait"
    cem.say("leave", wants="stop")
    assert outcomes(campaign)[2] == "screened_out"  # there was nothing for them


def test_who_says_to_be_done_while_there_are_tasks_goes_on(live):
    campaign = live.campaign(FOUR, panel=PANEL)
    ann = worker(live, campaign, "worker=ann")
    assert ann.say("leave", wants="done").json() == {"step": "open"}
    assert outcomes(campaign) == [None]
    assert ann.see("/done").headers["location"].endswith(f"/w/{campaign.id}")


def test_the_code_is_shown_when_the_end_is_noted_and_not_before(live):
    campaign = live.campaign(FOUR, answers_per_worker=1, panel=PANEL)
    ann = worker(live, campaign, "worker=ann")
    answer(ann)
    assert ann.see("/done").status_code == 303
    for _ in range(2):
        assert ann.say("leave", wants="done").json() == {"step": "done"}
    assert outcomes(campaign) == ["completed"]
    text = ann.see("/done").text
    assert "DONE-7" in text
    assert "GONE-9" not in text
    assert "OUT-8" not in text


def test_who_came_when_all_was_done_is_screened_out(live):
    campaign = live.campaign(FOUR, budget=1, panel=PANEL)
    ann = worker(live, campaign, "worker=ann")
    answer(ann)
    bob = worker(live, campaign, "worker=bob")
    bob.say("leave", wants="done")
    assert outcomes(campaign)[1] == "screened_out"
    text = bob.see("/done").text
    assert "There are already enough answers. Thank you for coming" in text
    assert "OUT-8" in text


def test_without_a_panel_nobody_is_told_that_it_is_over_for_good(live):
    campaign = live.campaign({"a": "Tea", "b": "Milk"})
    ann = worker(live, campaign)
    answer(ann)
    assert ann.say("leave", wants="done").json() == {"step": "done"}
    assert outcomes(campaign) == [None]
    assert "You have seen every pair" in ann.see("/done").text
    campaign.add({"c": "Cola"})
    assert ann.turn()["step"] == "open"


@pytest.mark.parametrize(
    ("there", "is_allowed"),
    [
        ("https://panel.example/back?x=1", True),
        ("https://panel.example.evil.example/", False),
        ("https://panel.example@evil.example/", False),
        ("//evil.example", False),
        ("javascript:alert(1)", False),
        ("https://panel.example\\@evil.example", False),
        ("http://panel.example/", False),
    ],
)
def test_the_way_back_in_a_link_is_taken_only_where_it_is_allowed(live, there, is_allowed):
    campaign = live.campaign({"a": "Tea", "b": "Milk"}, panel=PANEL)
    ann = worker(live, campaign, f"worker=ann&return={there.replace('&', '%26')}")
    answer(ann)
    ann.say("leave", wants="done")
    text = ann.see("/done").text
    assert (f'href="{there}"' in text) == is_allowed
    assert "evil" not in text
    assert 'id="going"' not in text


def test_only_an_address_of_the_owner_sends_by_itself(live):
    panel = {**PANEL, "return_to": "https://panel.example/?cc={code}&who={worker}"}
    campaign = live.campaign({"a": "Tea", "b": "Milk"}, panel=panel)
    ann = worker(live, campaign, "worker=a%22%26b")
    answer(ann)
    ann.say("leave", wants="done")
    text = ann.see("/done").text
    assert 'href="https://panel.example/?cc=DONE-7&amp;who=a%22%26b"' in text
    assert 'id="going"' in text


@pytest.mark.parametrize("body", [{}, {"wants": "more"}, {"wants": "done", "outcome": "completed"}])
def test_nobody_says_how_it_ended_but_the_server(live, body):
    ann = worker(live, live.campaign(FOUR))
    assert ann.say("leave", **body).status_code == 422


def test_who_was_banned_is_told_without_a_code(live):
    campaign = live.campaign(FOUR, panel=PANEL, workers_see_results=True)
    ann = worker(live, campaign, "worker=ann")
    answer(ann)
    campaign.ban("ann", "secret reason")
    assert ann.say("leave", wants="stop").status_code == 401  # the session has ended with it
    assert ann.see("/done").headers["location"].endswith(f"/j/{campaign.id}")
    text = ann.knock().text
    assert "The organiser has ended your participation" in text
    assert not any(words in text for words in ("secret", "DONE-7", "ranking"))


@pytest.fixture
def analysis(live, monkeypatch):
    """Who computes at once, in this process; what was asked."""
    asked = []

    async def ask(what, id, *args):
        asked.append(id)
        return await asyncio.to_thread(
            lambda: what(Campaign.open(live.context.database, id), *args)
        )

    monkeypatch.setattr(live.context.analysis, "ask", ask)
    return asked


def test_the_ranking_is_shown_in_the_end_if_the_owner_wants_that(live, analysis):
    items = {"a": "Tea", "b": "Milk <b>"}
    campaign = live.campaign(items, workers_see_results=True)
    campaign.import_votes([("a", "b", 1)] * 9)
    ann = worker(live, campaign)
    task = ann.turn()["tasks"][0]
    ann.turn("answer", task=task["id"], outcome=1 if task["left"]["text"] == "Tea" else -1)
    for _ in range(2):
        text = ann.see("/done").text
    assert text.index("The ranking so far") < text.index("Tea") < text.index("Milk &lt;b&gt;")
    assert "From 10 answers" in text
    assert analysis == [campaign.id]  # once for all who finish


def test_items_that_share_a_rank_are_shown_with_the_same_one(live):
    campaign = live.campaign(["a", "b", "c", "d"])
    votes = [("a", "b", 1), ("a", "c", 1), ("b", "d", 1), ("c", "d", 1), ("b", "c", 0)]
    campaign.import_votes(votes * 4)
    [found] = rank_for_workers(campaign, "/media/c").tracks
    assert [(rank, one["text"]) for rank, one in found.best] == [
        (1, "a"),
        (2, "b"),
        (2, "c"),
        (4, "d"),
    ]


@pytest.mark.parametrize(
    ("votes", "language", "words"),
    [
        ([("a", "b", 1), ("c", "d", 1)], "en", "too few answers for a ranking"),
        ([("a", "b", 1), ("c", "d", 1)], "de", "zu wenige Antworten"),
        (
            [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)],
            "en",
            "There is no clear ranking yet: the answers so far could be chance",
        ),
        (
            [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)],
            "de",
            "keine klare Rangliste",
        ),
    ],
)
def test_where_the_answers_show_no_ranking_none_is_shown(live, analysis, votes, language, words):
    campaign = live.campaign(
        ["a", "b", "c", "d"], workers_see_results=True, pages={"language": language}
    )
    campaign.import_votes(votes * 3)
    ann = worker(live, campaign)
    ann.say("leave", wants="stop")
    text = ann.see("/done").text
    assert words in text
    assert "<ol" not in text


def test_the_ranking_is_not_shown_elsewhere(live, analysis):
    campaign = live.campaign({"a": "Tea", "b": "Milk"})
    ann = worker(live, campaign)
    answer(ann)
    assert "Tea" not in ann.see("/done").text
    assert analysis == []


def test_where_nobody_has_answered_there_is_no_ranking(live, analysis):
    campaign = live.campaign(FOUR, workers_see_results=True)
    ann = worker(live, campaign)
    ann.say("leave", wants="stop")
    assert "There is no ranking yet." in ann.see("/done").text


def test_a_ranking_of_several_tracks_comes_from_another_process(live):
    items = [
        CampaignItem(f"{track}{k}", f"{track} {k}", track=track) for track in "xy" for k in "123"
    ]
    campaign = live.campaign(items)
    pairs = [(f"{track}1", f"{track}{k}", 1) for track in "xy" for k in "23"]
    campaign.import_votes(pairs * 9)
    found = rank_for_workers(campaign, "/media/c")
    assert pickle.loads(pickle.dumps(found)) == found
    assert [(one.track, len(one.best), one.n_more) for one in found.tracks] == [
        ("x", 3, 0),
        ("y", 3, 0),
    ]


def retire_all(campaign):
    for item in FOUR:
        campaign.retire(item)


@pytest.mark.parametrize("panel", [{}, PANEL])
def test_who_finds_nothing_to_compare_is_not_told_to_have_seen_every_pair(live, panel):
    campaign = live.campaign(FOUR, panel=panel)
    retire_all(campaign)
    ann = worker(live, campaign, "worker=ann" if panel else "")
    assert ann.turn()["about"] is None
    ann.say("leave", wants="done")
    text = ann.see("/done").text
    assert "There is nothing to compare at the moment." in text
    assert "every pair" not in text


def test_who_has_answered_when_all_is_retired_is_told_that_there_are_no_more_pairs(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    answer(ann)
    retire_all(campaign)
    while tasks := ann.turn()["tasks"]:
        ann.turn("answer", task=tasks[0]["id"], outcome=1)
    assert "There are no more pairs to compare" in ann.see("/done").text


@pytest.mark.parametrize("panel", [{}, PANEL])
def test_who_comes_when_the_budget_is_full_is_told_so(live, panel):
    campaign = live.campaign(FOUR, budget=1, panel=panel)
    answer(worker(live, campaign, "worker=ann" if panel else ""))
    bob = worker(live, campaign, "worker=bob" if panel else "")
    bob.say("leave", wants="done")
    text = bob.see("/done").text
    assert "There are already enough answers. Thank you for coming" in text
    assert "saved" not in text


def test_who_had_no_pair_before_the_close_is_not_told_of_answers(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    campaign.close()
    text = ann.see("/done").text
    assert "This campaign has ended. Thank you for your interest." in text
    assert "saved" not in text


@pytest.mark.parametrize("given", ["-1", "x", "1e9", "99999", "\u0663", "<b>", ""])
def test_what_is_no_number_of_refused_answers_is_not_said(live, given):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    campaign.close()
    assert (
        "This campaign has ended. Some of your answers were not accepted"
        not in ann.see(f"/done?refused={given}").text
    )
