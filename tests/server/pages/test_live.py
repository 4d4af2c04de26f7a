from __future__ import annotations

import re
import time
from collections import Counter
from html import unescape
from types import SimpleNamespace

import pytest

from hodgerank.campaign.commands.answers import NOT_SHOWN
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.views import live
from server.media.made import png
from server.pages.owning import HOSTILE, answer


def keys(html):
    return [int(key) for key in re.findall(r'data-key="(\d+)"', html)]


def test_before_the_first_answer_the_page_says_what_to_do(owned):
    campaign = owned.campaign(pages={"entrance": "e1"})
    html = owned.page("c", campaign.id)
    assert "No votes yet" in html
    assert f"http://localhost:8000/j/{campaign.id}/e1" in html
    assert "To let others in, start the server with --host and --public-url" in html


def test_before_anything_is_computed_the_page_says_that_it_looks(owned):
    campaign = owned.campaign()
    assert "Loading" in owned.page("c", campaign.id)


def test_one_sentence_stands_on_top(owned):
    campaign = owned.campaign(budget=50, stop="tau >= 0.99")
    answer(campaign, 5)
    owned.view(campaign)
    html = owned.page("c", campaign.id)
    assert "In progress: 5 votes of at most 50" in html
    assert "After 5 votes," in html
    assert html.index("In progress") < html.index("In the last minute") < html.index("Ranking</h2>")


def test_without_a_rule_the_page_says_that_nothing_can_be_enough(owned):
    campaign = owned.campaign()
    owned.view(campaign)
    assert "No target is set, so the campaign does not stop by itself" in owned.page(
        "c", campaign.id
    )


def test_three_items_are_ranked_with_their_intervals(owned):
    campaign = owned.campaign()
    answer(campaign, 6)
    view = owned.view(campaign)
    html = owned.page("c", campaign.id)
    numbers = {item.id: number for number, item in enumerate(campaign.items)}
    assert keys(html) == [numbers[row.item] for row in view.rows]
    assert f"{view.rows[0].score:+.2f}" in html
    assert 'class="interval"' in html


def test_the_part_has_what_the_page_has(owned):
    campaign = owned.campaign()
    answer(campaign, 6)
    owned.view(campaign)
    part = owned.page("c", campaign.id, "standing")
    assert '<div id="sentence">' in part
    assert "<html" not in part
    assert keys(part) == keys(owned.page("c", campaign.id))


def test_of_many_items_the_best_and_the_last_are_shown(owned):
    items = {f"item {k}": f"Words {k}" for k in range(60)}
    campaign = owned.campaign(items, ranking="plain")
    answer(campaign, 30)
    view = owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    order = [int(row.item.split()[1]) for row in view.rows]
    assert keys(html) == order[:20] + order[-5:]
    assert "35 more" in html
    assert "Show all 60" in html
    assert len(keys(owned.page("c", campaign.id, "standing", all="1"))) == 60
    assert keys(owned.page("c", campaign.id, "standing", q="WORDS 47"))[:1] != []
    assert sorted(keys(owned.page("c", campaign.id, "standing", q="words 59"))) == [59]
    assert "No match" in owned.page("c", campaign.id, "standing", q="nowhere")


def test_each_track_has_its_own_ranking(owned):
    items = [CampaignItem(f"{track}{k}", track=track) for track in ("day", "night") for k in (1, 2)]
    campaign = owned.campaign(items)
    answer(campaign, 2, ["ann", "bob"])
    owned.view(campaign, "night")
    html = owned.page("c", campaign.id, track="night")
    assert sorted(keys(html)) == [2, 3]
    assert 'href="?track=day"' in html


def test_what_is_found_out_of_the_answers_is_told(owned):
    campaign = owned.campaign(["a", "b", "c", "d"])
    answer(campaign, 6, [f"w{k}" for k in range(6)])
    owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    for words in ("Can it be trusted?", "Expected by chance", "Connected items", "<figure"):
        assert words in html


def test_every_concern_of_the_trust_report_is_on_the_page(owned):
    campaign = owned.campaign([f"i{k}" for k in range(8)])
    answer(campaign, 240, [f"w{k}" for k in range(12)])
    answer(campaign, 25, ["contrary"], {item.id: 9.0 * k for k, item in enumerate(campaign.items)})
    owned.view(campaign)
    html = unescape(owned.page("c", campaign.id, "standing"))
    concerns = [said for said in campaign.trust().statements if said.concern]
    assert "workers" in [said.about for said in concerns]
    for said in concerns:
        assert said.words[1:] in html
    assert f'href="/c/{campaign.id}/workers">See the workers' in html
    assert "No inconsistency beyond chance was found" not in html


def test_repeats_are_no_votes_but_were_seen(owned):
    campaign = owned.campaign([f"i{k}" for k in range(12)], repeat_share=0.5)
    answer(campaign, 40)
    view = owned.view(campaign)
    [bias] = [part for part in view.parts if part["part"] == "position bias"]
    assert bias["words"] == "no worker saw a pair in both orders"
    assert not any("nobody saw" in said.words for said in view.statements)


def test_groups_that_no_answers_join_are_told(owned):
    campaign = owned.campaign([f"i{k}" for k in range(8)], sampler="random")
    answer(campaign, 1)
    owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    assert "7 groups of items have not been compared" in html
    assert "The items form 7 disconnected groups: no item can be called the best" in html
    assert "ranks first" not in html


@pytest.mark.slow
def test_before_the_first_answer_the_page_and_the_status_foresee_the_same(owned):
    campaign = owned.campaign([f"i{k}" for k in range(5)], stop="tau >= 0.8")
    owned.view(campaign)
    standings = owned.client.app.state.standings
    deadline = time.monotonic() + 30
    while not (foreseen := standings.latest(campaign.id).progress.tracks[0].forecast):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert foreseen.votes > 0
    told = campaign.progress(with_forecast=True).sentence
    assert "more votes" in told
    assert told in unescape(owned.page("c", campaign.id))


def test_everybody_who_chooses_left_raises_an_alarm(owned):
    campaign = owned.campaign([f"i{k}" for k in range(10)])
    for k in range(240):
        [task] = campaign.lease(f"w{k % 12}")
        campaign.answer(task, 1, seconds=2)
    owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    assert "An attention check fails many answers" in html
    assert "12 of 12 answers fail this check" in html


def test_a_rule_that_fails_many_answers_raises_an_alarm(owned):
    campaign = owned.campaign([f"i{k}" for k in range(9)])
    for _ in range(25):
        [task] = campaign.lease("ann")
        campaign.answer(task, 1, seconds=0.01)
    owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    assert "An attention check fails many answers" in html
    assert "25 of 25 answers fail this check" in html


def test_retired_items_are_marked(owned):
    campaign = owned.campaign()
    answer(campaign, 3)
    campaign.retire("tea")
    owned.view(campaign)
    assert ">retired<" in owned.page("c", campaign.id, "standing")


def test_a_campaign_is_paused_resumed_and_closed(owned):
    campaign = owned.campaign()
    for act, status in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        reply = owned.post("c", campaign.id, "status", do=act)
        assert reply.status_code == 303
        assert reply.headers["location"] == f"/c/{campaign.id}?done={act}"
        assert campaign.counts.status == status
        assert f'data-status="{status}"' in owned.page("c", campaign.id, done=act)


def test_closing_asks_first(owned):
    html = owned.page("c", owned.campaign().id)
    assert "Close this campaign? Nobody can answer any more, and it cannot be reopened" in html


def test_no_other_act_is_done(owned):
    campaign = owned.campaign()
    assert owned.post("c", campaign.id, "status", do="explode").status_code == 422
    assert owned.post("c", campaign.id, "status").status_code == 422


def test_hostile_names_are_text_everywhere(owned):
    items = [CampaignItem(f"{HOSTILE}{k}", text=HOSTILE, track=HOSTILE) for k in range(3)]
    campaign = owned.campaign(items, title=HOSTILE, question=HOSTILE)
    answer(campaign, 4, [HOSTILE, f"{HOSTILE}b"])
    owned.view(campaign, HOSTILE)
    html = owned.page("c", campaign.id)
    assert "&lt;script&gt;alert(1)" in html
    assert keys(html)


def test_a_message_that_nobody_wrote_is_not_shown(owned):
    html = owned.page("c", owned.campaign().id, done="<b>hello</b>")
    assert "hello" not in html


def test_items_whose_files_are_missing_are_told(owned):
    name = owned.context.media.add(png(), "tea.png")
    campaign = owned.campaign([CampaignItem("tea", media=name), CampaignItem("milk")])
    assert "cannot be shown" not in owned.page("c", campaign.id)
    owned.context.media.path_of(name).unlink()
    owned.view(campaign)
    for part in ([], ["standing"]):
        assert "1 item cannot be shown: its file is missing" in owned.page("c", campaign.id, *part)
    assert "cannot be shown</span>" in owned.page("c", campaign.id, "items", "table")
    assert "This file cannot be shown" in owned.page("c", campaign.id, "items", "0")


def test_pairs_that_browsers_could_not_show_are_counted(owned):
    campaign = owned.campaign(skip_reasons=[NOT_SHOWN])
    campaign.skip(campaign.lease("ann")[0], NOT_SHOWN)
    assert "1 pair was skipped because it could not be shown" in owned.page("c", campaign.id)


def test_the_link_for_prolific_has_what_prolific_fills_in(owned):
    campaign = owned.campaign(panel={"kind": "prolific"}, pages={"entrance": "e1"})
    link = (
        f"http://localhost:8000/j/{campaign.id}/e1?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    for part in ([], ["settings"]):
        assert f'value="{link}"' in unescape(owned.page("c", campaign.id, *part))


@pytest.mark.parametrize("kind", ["none", "prolific", "connect", "link"])
def test_an_owner_can_try_what_workers_see(owned, kind):
    campaign = owned.campaign(panel={"kind": kind})
    html = unescape(owned.page("c", campaign.id))
    link = re.search(r'href="(http[^"]+)" target="_blank"', html)[1]
    assert ("under the name trial-" in html) == (kind != "none")
    assert owned.client.get(link, headers={"accept": "text/html"}).status_code == 200


def test_the_rule_is_said_and_that_the_budget_ends_before_it(owned):
    campaign = owned.campaign([f"i{k}" for k in range(6)], budget=14, stop="tau >= 0.8")
    answer(campaign, 10)
    owned.view(campaign)
    assert "Target" in owned.page("c", campaign.id)
    standings = owned.client.app.state.standings
    seq = campaign.counts.seq
    while standings.latest(campaign.id).progress.tracks[0].forecast is None:
        time.sleep(0.05)
    assert "The budget ends before that: 4 votes are left" in owned.page("c", campaign.id)
    campaign.change(budget=100_000)
    owned.client.portal.call(standings.next, campaign.id, seq)
    assert "The budget ends" not in owned.page("c", campaign.id)


@pytest.mark.parametrize(
    ("budget", "ends"), [(105, "ends_before"), (150, "may_end_before"), (300, None), (None, None)]
)
def test_the_budget_is_compared_with_both_ends_of_the_forecast(budget, ends):
    outlook = SimpleNamespace(lower=10, votes=20, upper=200)
    counts = SimpleNamespace(budget=budget, n_votes=100)
    progress = SimpleNamespace(counts=counts, tracks=[SimpleNamespace(forecast=outlook)])
    assert live._outlook(SimpleNamespace(progress=progress))["budget_ends"] == ends


def test_a_budget_that_is_used_up_is_no_cause_to_ask_for_a_rule(owned):
    campaign = owned.campaign(budget=3)
    answer(campaign, 3)
    owned.view(campaign)
    html = owned.page("c", campaign.id)
    assert "Budget used with 3 votes" in html
    assert "No target is set, so the campaign does not stop by itself" not in html
    row = owned.page("c", campaign.id, "row")
    assert "budget used up" in row
    assert ">enough<" not in row


def test_where_all_items_are_retired_the_page_says_that_nothing_can_be_asked(owned):
    campaign = owned.campaign()
    for item in ("tea", "milk"):
        campaign.retire(item)
    assert "fewer than two active items are left in every track" in owned.page("c", campaign.id)


def test_a_track_of_one_item_is_called_that(owned):
    items = [
        CampaignItem("a", track="x"),
        CampaignItem("b", track="x"),
        CampaignItem("c", track="y"),
    ]
    campaign = owned.campaign(items)
    answer(campaign, 1)
    owned.view(campaign, "y")
    assert "This track has only one item, so there is nothing to compare" in owned.page(
        "c", campaign.id, "standing", track="y"
    )


def test_a_closed_campaign_is_called_closed_before_it_is_looked_at_again(owned):
    campaign = owned.campaign()
    answer(campaign, 3)
    owned.view(campaign)
    campaign.close()
    html = owned.page("c", campaign.id)
    assert "Closed with 3 votes." in html
    assert "In progress" not in html
    assert "In progress" not in html


def test_nothing_is_a_little_less_than_zero(owned):
    campaign = owned.campaign(["a", "b"])
    for worker in ("ann", "bob"):
        [task] = campaign.lease(worker)
        campaign.answer(task, 1 if task.left == "a" and worker == "ann" else -1, seconds=2.0)
    owned.view(campaign)
    assert "-0.00" not in owned.page("c", campaign.id)


def test_answers_that_do_not_count_are_told_with_the_reasons(owned):
    campaign = owned.campaign(
        [f"i{k}" for k in range(8)],
        gold=[{"better": "i0", "worse": "i1"}, {"better": "i2", "worse": "i3"}],
        gold_share=0.4,
        attention={"fastest_seconds": 1.0, "exclude": ["too_fast"]},
    )
    for name, seconds in [("ann", 2.0)] * 12 + [("bob", 2.0)] * 6 + [("eve", 0.1)] * 6:
        [task] = campaign.lease(name)
        campaign.answer(task, 1, seconds=seconds)
    campaign.ban("bob")
    owned.view(campaign)
    html = " ".join(owned.page("c", campaign.id).split())
    why = Counter(row["why_not"] for row in campaign.answers() if not row["is_counted"])
    assert min(why["gold pair"], why["worker banned"], why["marked: too_fast"]) > 1
    assert f"{why.total()} further answers do not count: " in html
    assert f"{why['gold pair']} to gold pairs" in html
    assert f"{why['worker banned']} from banned workers" in html
    assert f"{why['marked: too_fast']} failed the check “Too fast”" in html


def test_a_budget_that_is_used_up_is_no_success(owned):
    campaign = owned.campaign(budget=4, stop="tau >= 0.99")
    answer(campaign, 4)
    owned.view(campaign)
    html = owned.page("c", campaign.id)
    assert "Budget used" in html
    assert 'class="lead enough"' not in html
    assert 'data-is-enough="0"' in html
    campaign.change(stop="tau >= 0.01")
    wait_for(lambda: 'class="lead enough" data-is-enough="1"' in owned.page("c", campaign.id))


def test_pages_have_no_words_of_command_lines(owned):
    campaign = owned.campaign([f"i{k}" for k in range(8)])
    for k in range(120):
        [task] = campaign.lease(f"w{k % 8}")
        campaign.answer(task, -1 if k % 4 == 0 and task.left > task.right else 1, seconds=2)
    view = owned.view(campaign)
    [lean] = [said for said in view.statements if said.about == "position_bias" and said.how]
    assert "--position-bias" in str(lean)
    html = unescape(owned.page("c", campaign.id))
    assert f"{lean.words[1:]}." in html
    assert lean.how not in html
    assert "--position-bias" not in html


@pytest.mark.parametrize("is_banned", [True, False])
def test_what_is_said_of_workers_says_of_which(owned, is_banned):
    campaign = owned.campaign([f"i{k}" for k in range(6)])
    answer(campaign, 12, ["ann", "bob", "eve"])
    if is_banned:
        campaign.ban("eve")
    owned.view(campaign)
    words = "Based on the 2 workers whose answers count here, of 3."
    assert (words in owned.page("c", campaign.id)) == is_banned


def wait_for(is_so):
    """Until the next look at the answers."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_scores_are_on_the_scale_of_the_campaign(owned):
    campaign = owned.campaign(["a", "b", "c"], score_scale="elo")
    answer(campaign, 6)
    view = owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    assert '<th class="right" scope="col">Elo</th>' in html
    for row in view.rows:
        assert f'<td class="right">{row.score:.0f}<span' in html
    table = owned.page("c", campaign.id, "items", "table")
    assert "data-sorts>Elo</button>" in table
    assert f"{view.rows[0].score:.0f}<span" in table
    assert "<dt>Elo</dt>" in owned.page("c", campaign.id, "items", "0")
