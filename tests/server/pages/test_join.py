from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from server.pages.visiting import Visitor, worker

HOSTILE = "</script><script>alert(1)</script>\"'&{{ 7 * 7 }}"
QUESTIONS = [
    {"question": "What do you choose?", "answers": ["The best", "Any"], "right": "The best"},
    {"question": "How fast?", "answers": ["Fast", "As I like"], "right": "As I like"},
]
RIGHT = {"question-0": "The best", "question-1": "As I like"}
WRONG = {"question-0": "The best", "question-1": "Fast"}
LINK = {"kind": "link"}
PROLIFIC = {"kind": "prolific"}


def names(campaign):
    return [summary.worker for summary in campaign.workers()]


def test_who_brings_no_name_gets_one(live):
    campaign = live.campaign()
    for _ in range(2):
        worker(live, campaign)
    first, second = names(campaign)
    assert re.fullmatch("w-[a-z]{8}", first)
    assert first != second


def test_the_page_says_what_it_is_about(live):
    campaign = live.campaign(title="Tea", question="Which is stronger?", instructions="One\n\nTwo")
    text = Visitor(live, campaign).knock().text
    assert all(words in text for words in ("Tea", "Which is stronger?", "One\n\nTwo", "Start"))


def test_what_the_owner_writes_is_shown_as_it_is(live):
    campaign = live.campaign(
        title=HOSTILE,
        question=HOSTILE,
        instructions=HOSTILE,
        skip_reasons=[HOSTILE, "other"],
        joining={
            "consent": HOSTILE,
            "questions": [{"question": HOSTILE, "answers": [HOSTILE, "no"], "right": HOSTILE}],
            "practice": [{"better": "item-0", "worse": "item-1", "because": HOSTILE}],
        },
    )
    visitor = Visitor(live, campaign)
    pages = [visitor.knock().text]
    visitor.join(consent="yes")
    pages.append(visitor.see("/questions").text)
    visitor.http.post(f"{visitor.inside}/questions", data={"question-0": HOSTILE})
    pages.append(visitor.see().text)
    assert not any("<script>alert" in page for page in pages)
    assert all("alert(1)" in page and "{{ 7 * 7 }}" in page for page in pages)
    assert visitor.data()["practice"][0]["because"] == HOSTILE


def test_markdown_of_instructions_is_cleaned(live):
    campaign = live.campaign(
        instructions="**Read** <script>alert(1)</script>", pages={"markdown": True}
    )
    text = Visitor(live, campaign).knock().text
    assert "<strong>Read</strong>" in text
    assert "<script>alert" not in text


@pytest.mark.parametrize("end", ["", "/", "/wrong", "/Secret-7", "/secret-7x", "/secret-7/x"])
def test_who_does_not_know_the_entrance_finds_nothing(live, end):
    campaign = live.campaign(pages={"entrance": "secret-7"})
    visitor = Visitor(live, campaign)
    assert visitor.knock().status_code == 200
    other = Visitor(live, campaign)
    other.door = f"{live.url}/j/{campaign.id}{end}"
    assert other.http.get(other.door, follow_redirects=True).status_code == 404
    assert other.join().status_code in (307, 404)
    assert names(campaign) == []


def test_a_campaign_that_does_not_exist_looks_like_a_wrong_entrance(live):
    campaign = live.campaign(title="Secret title", pages={"entrance": "secret-7"})
    visitor = Visitor(live, campaign)
    visitor.door = f"{live.url}/j/{campaign.id}/wrong"
    wrong = visitor.knock().text
    visitor.door = f"{live.url}/j/nothing/wrong"
    assert visitor.knock().text == wrong
    german = visitor.knock(**{"Accept-Language": "de-DE,de;q=0.9"}).text
    assert "Bitte öffnen Sie den vollständigen Link, den Sie bekommen haben" in german


def test_consent_is_checked_by_the_server(live):
    campaign = live.campaign(joining={"consent": "We keep your answers."})
    visitor = Visitor(live, campaign)
    answer = visitor.join()
    assert answer.status_code == 422
    assert "Please agree first." in answer.text
    assert names(campaign) == []
    assert visitor.join(consent="yes").status_code == 303


def test_a_link_can_name_its_worker(live):
    campaign = live.campaign(panel=LINK)
    worker(live, campaign, "worker=ann%20b")
    assert names(campaign) == ["ann b"]


def test_a_name_in_the_link_is_not_asked_for_where_that_is_not_set(live):
    campaign = live.campaign()
    worker(live, campaign, "worker=ann")
    assert names(campaign)[0].startswith("w-")


@pytest.mark.parametrize("name", ["%20", "a%00b", "a" * 501, "NaN", "%E2%80%AEann"])
def test_a_name_that_no_table_could_hold_is_refused_in_words(live, name):
    campaign = live.campaign(panel=LINK)
    visitor = Visitor(live, campaign, f"worker={name}")
    assert visitor.knock().status_code == visitor.join().status_code == 403
    assert "Please open the link exactly as you received it" in visitor.knock().text
    assert names(campaign) == []


def test_a_panel_has_to_say_who_comes(live):
    campaign = live.campaign(panel=PROLIFIC)
    visitor = Visitor(live, campaign)
    assert "Please open it from the site where you found this task" in visitor.knock().text
    assert visitor.join().status_code == 403


def test_what_a_panel_says_is_kept(live):
    campaign = live.campaign(panel=PROLIFIC)
    worker(live, campaign, "PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1&other=y")
    [summary] = campaign.workers()
    assert summary.panel == {"worker": "p1", "study": "s1", "session": "x1"}


def test_who_has_joined_goes_straight_on(live):
    campaign = live.campaign(panel=LINK)
    ann = worker(live, campaign, "worker=ann")
    for door in (ann.door, ann.door.partition("?")[0]):
        ann.door = door
        assert ann.knock().headers["location"].endswith(f"/w/{campaign.id}")
        assert ann.join().status_code == 303
    assert names(campaign) == ["ann"]


def test_one_browser_can_have_two_workers_one_after_the_other(live):
    campaign = live.campaign(panel=LINK)
    ann = worker(live, campaign, "worker=ann")
    ann.door = live.join_link(campaign, "worker=bob")
    assert ann.knock().status_code == 200
    assert ann.join().status_code == 303
    assert names(campaign) == ["ann", "bob"]


def test_a_name_that_is_taken_opens_nothing(live):
    campaign = live.campaign(panel=LINK)
    worker(live, campaign, "worker=ann")
    thief = Visitor(live, campaign, "worker=ann")
    assert thief.knock().status_code == thief.join().status_code == 403
    assert (
        "If it was you, return to the browser you used, or ask the organiser to let you in again"
        in thief.knock().text
    )
    assert not thief.http.cookies


def test_who_was_let_in_again_can_come_from_another_browser(live):
    campaign = live.campaign(panel=LINK)
    worker(live, campaign, "worker=ann")
    live.context.keys.revoke(kind="session", role="worker", campaign=campaign.id, holder="ann")
    worker(live, campaign, "worker=ann")
    assert names(campaign) == ["ann"]


def test_the_same_session_of_a_panel_is_the_same_person(live):
    campaign = live.campaign(panel=PROLIFIC)
    worker(live, campaign, "PROLIFIC_PID=p1&SESSION_ID=x1")
    worker(live, campaign, "PROLIFIC_PID=p1&SESSION_ID=x1")
    for query in ("PROLIFIC_PID=p1&SESSION_ID=x2", "PROLIFIC_PID=p1"):
        assert Visitor(live, campaign, query).join().status_code == 403
    [summary] = campaign.workers()
    assert summary.panel["session"] == "x1"


def test_of_many_who_take_a_name_at_once_one_gets_it(live):
    campaign = live.campaign(panel=LINK)
    visitors = [Visitor(live, campaign, "worker=ann") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda visitor: visitor.join().status_code, visitors))
    keys = live.context.keys.all(campaign=campaign.id, holder="ann")
    assert answers.count(303) == len(keys) <= 1


def test_a_link_that_says_too_much_does_not_take_the_name(live):
    campaign = live.campaign(panel=LINK)
    damaged = Visitor(live, campaign, "worker=ann&return=" + "x" * 3000)
    assert damaged.join().status_code == 422
    worker(live, campaign, "worker=ann")


def test_who_is_banned_is_told(live):
    campaign = live.campaign(panel=LINK)
    campaign.ban("ann", "secret reason")
    visitor = Visitor(live, campaign, "worker=ann")
    assert visitor.join().status_code == 403
    text = visitor.knock().text
    assert "The organiser has ended your participation" in text
    assert "secret reason" not in text


def test_a_closed_campaign_takes_nobody_new(live):
    campaign = live.campaign()
    early = worker(live, campaign)
    campaign.close()
    late = Visitor(live, campaign)
    assert "This campaign has ended. Thank you for your interest" in late.knock().text
    assert late.join().status_code == 403
    assert early.knock().status_code == 303


def test_a_pause_is_told_at_the_door(live):
    campaign = live.campaign()
    campaign.pause()
    assert (
        "The campaign is paused. You can start now; it continues by itself"
        in Visitor(live, campaign).knock().text
    )


def test_who_was_forgotten_is_a_stranger(live):
    campaign = live.campaign(panel=LINK)
    ann = worker(live, campaign, "worker=ann")
    ann.turn()
    campaign.forget("ann")
    assert ann.say("tasks").status_code == 401
    assert "ann" not in names(campaign)


def test_questions_come_before_tasks(live):
    campaign = live.campaign(joining={"questions": QUESTIONS})
    ann = worker(live, campaign)
    assert ann.see().headers["location"].endswith("/questions")
    assert (ann.turn()["step"], ann.turn()["tasks"]) == ("questions", [])
    assert ann.see("/done").status_code == 303
    assert campaign.counts.n_out == 0


def test_answers_to_questions_are_checked_by_the_server(live):
    campaign = live.campaign(joining={"questions": QUESTIONS, "tries": 2}, instructions="Read!")
    ann = worker(live, campaign)
    ask = f"{ann.inside}/questions"
    assert "The best" in ann.see("/questions").text
    missing = ann.http.post(ask, data={"question-0": "The best"})
    assert "Please answer all questions." in missing.text
    wrong = ann.http.post(ask, data=WRONG)
    assert (wrong.status_code, "Please read the instructions again" in wrong.text) == (422, True)
    assert ann.http.post(ask, data=RIGHT).status_code == 303
    assert len(ann.turn()["tasks"]) == 2
    assert ann.see("/questions").status_code == 303
    assert ann.http.post(ask, data=WRONG).status_code == 303


def test_who_has_no_more_tries_is_out(live):
    campaign = live.campaign(joining={"questions": QUESTIONS, "tries": 2})
    ann = worker(live, campaign)
    for _ in range(2):
        answer = ann.http.post(f"{ann.inside}/questions", data=WRONG)
    assert answer.status_code == 303
    assert (ann.turn()["step"], ann.turn()["why"]) == ("done", "left")
    assert ann.http.post(f"{ann.inside}/questions", data=RIGHT).status_code == 303
    assert ann.turn()["tasks"] == []
    assert "you cannot take part this time" in ann.see("/done").text


def test_where_there_are_no_instructions_nobody_is_sent_to_read_them(live):
    ann = worker(live, live.campaign(joining={"questions": QUESTIONS, "tries": 2}))
    text = ann.http.post(f"{ann.inside}/questions", data=WRONG).text
    assert "You have one more attempt" in text
    assert "instructions" not in text


def banned_without_session(live, **settings):
    campaign = live.campaign(**settings)
    ann = worker(live, campaign)
    [name] = names(campaign)
    campaign.ban(name)
    return campaign, ann


def test_who_was_banned_does_not_come_in_again_by_the_plain_link(live):
    campaign, ann = banned_without_session(live)
    for reply in (ann.knock(), ann.join()):
        assert reply.status_code == 403
        assert "The organiser has ended your participation" in reply.text
    assert len(names(campaign)) == 1
    worker(live, campaign)  # from another browser


def test_who_was_restored_comes_in_again(live):
    campaign, ann = banned_without_session(live)
    campaign.restore(names(campaign)[0])
    assert ann.join().status_code == 303


def test_only_who_was_banned_is_told_so_without_the_entrance(live):
    campaign, ann = banned_without_session(live, pages={"entrance": "secret-7"})
    inner = ann.see()
    assert inner.headers["location"].endswith(f"/j/{campaign.id}")
    there = f"{live.url}/j/{campaign.id}"
    assert "The organiser has ended your participation" in ann.http.get(there).text
    assert Visitor(live, campaign).http.get(there).status_code == 404
