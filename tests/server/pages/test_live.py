from __future__ import annotations

import re

from hodgerank.campaign.items import CampaignItem
from server.pages.owning import HOSTILE, answer


def keys(html):
    return [int(key) for key in re.findall(r'data-key="(\d+)"', html)]


def test_before_the_first_answer_the_page_says_what_to_do(owned):
    campaign = owned.campaign(pages={"entrance": "e1"})
    html = owned.page("c", campaign.id)
    assert "Nobody has answered yet" in html
    assert f"http://localhost:8000/j/{campaign.id}/e1" in html
    assert "This address works on this machine only" in html


def test_before_anything_is_computed_the_page_says_that_it_looks(owned):
    campaign = owned.campaign()
    assert "Looking at the answers" in owned.page("c", campaign.id)


def test_one_sentence_stands_on_top(owned):
    campaign = owned.campaign(budget=50, stop="tau >= 0.99")
    answer(campaign, 5)
    owned.view(campaign)
    html = owned.page("c", campaign.id)
    assert "Not yet: 5 answers of at most 50" in html
    assert "As of 5 answers," in html
    assert html.index("Not yet") < html.index("In the last minute") < html.index("Ranking</h2>")


def test_without_a_rule_the_page_says_that_nothing_can_be_enough(owned):
    campaign = owned.campaign()
    owned.view(campaign)
    assert "There is no stopping rule" in owned.page("c", campaign.id)


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


def test_of_a_thousand_items_the_best_and_the_last_are_shown(owned):
    campaign = owned.campaign({f"item {k}": f"Words {k}" for k in range(1000)})
    answer(campaign, 30)
    view = owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    order = [int(row.item.split()[1]) for row in view.rows]
    assert keys(html) == order[:20] + order[-5:]
    assert "975 others" in html
    assert "Show all 1,000" in html
    assert len(keys(owned.page("c", campaign.id, "standing", all="1"))) == 1000
    assert keys(owned.page("c", campaign.id, "standing", q="WORDS 77"))[:1] != []
    assert sorted(keys(owned.page("c", campaign.id, "standing", q="words 999"))) == [999]
    assert "Nothing found" in owned.page("c", campaign.id, "standing", q="nowhere")


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
    for words in ("Can it be trusted?", "Noise gives", "How the items hang together", "<figure"):
        assert words in html


def test_groups_that_no_answers_join_are_told(owned):
    campaign = owned.campaign([f"i{k}" for k in range(8)], sampler="random")
    answer(campaign, 1)
    owned.view(campaign)
    assert "7 groups of items are not joined" in owned.page("c", campaign.id, "standing")


def test_a_rule_that_fails_many_answers_raises_an_alarm(owned):
    campaign = owned.campaign([f"i{k}" for k in range(9)])
    for _ in range(25):
        [task] = campaign.lease("ann")
        campaign.answer(task, 1, seconds=0.01)
    owned.view(campaign)
    html = owned.page("c", campaign.id, "standing")
    assert "A rule fails many answers" in html
    assert "25 of 25 answers fail it" in html


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
    assert "Close for good? Nobody can answer any more" in html


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
