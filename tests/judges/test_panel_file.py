"""Panels of judges in TOML files."""

from __future__ import annotations

import pytest

from campaigns import QUESTION, SCORES, TEXTS, few, records, run
from hodgerank.errors import InvalidArgument, JudgeFailed, UnknownItem
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.ledger import Caps
from hodgerank.judges.panel import PanelJudge
from hodgerank.judges.panel_file import read_panel

HERE = "http://127.0.0.1:9/v1"
FULL = """
base_url = "http://127.0.0.1:9/v1"
max_tokens = 50
[parameters]
seed = 7

[[judge]]
model = "m"
name = "strict"
temperature = 0
template = "tie"
price = { input = 2.5, output = 10 }
family = ["item-01"]

[[judge]]
model = "m"
name = "azure"
base_url = "https://x.openai.azure.com/openai/deployments/m"
key_variable = "AZURE_KEY"
key_header = "api-key"
query = { api-version = "2024-10-21" }
headers = { x-team = 7 }
max_completion_tokens = 900
parameters = { reasoning_effort = "low" }
requests_per_minute = 60
timeout = 5
retries = 1
"""


def written(tmp_path, text):
    path = tmp_path / "panel.toml"
    path.write_text(text)
    return path


def test_judges_are_read_with_what_they_share(tmp_path, monkeypatch):
    monkeypatch.setenv("AZURE_KEY", "secret-key")
    strict, azure = read_panel(written(tmp_path, FULL))
    assert (strict.name, strict.model, strict.base_url) == ("strict", "m", HERE)
    assert strict.parameters == {"temperature": 0, "max_tokens": 50, "seed": 7}
    assert strict.template.name == "tie"
    assert (strict.price.input, strict.price.output) == (2.5, 10)
    assert strict.family == ("item-01",)
    assert azure.api_key == "secret-key"
    assert "secret-key" not in repr(azure)
    assert (azure.key_header, azure.query, azure.headers) == (
        "api-key", {"api-version": "2024-10-21"}, {"x-team": "7"},
    )  # fmt: skip
    assert azure.parameters == {
        "max_tokens": 50, "max_completion_tokens": 900, "seed": 7, "reasoning_effort": "low",
    }  # fmt: skip
    assert (azure.requests_per_minute, azure.timeout, azure.retries) == (60, 5, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no judges"),
        ("judge = 3", "names no judges"),
        ("[[judge]]\nname = 'x'", "judge 1 has no model"),
        ("[[judge]]\nmodel = 3", "model must be a text"),
        ("[[judge]]\nmodel = 'm'\ntemprature = 0", "did you mean temperature"),
        ("[[judge]]\nmodel = 'm'\ntemperature = 'low'", "temperature must be a number"),
        ("[[judge]]\nmodel = 'm'\nretries = 1.5", "whole number"),
        ("[[judge]]\nmodel = 'm'\nprice = 3", "price must be a table"),
        ("[[judge]]\nmodel = 'm'\nprice = { input = 1 }", "is not a price"),
        ("[[judge]]\nmodel = 'm'\nfamily = 'x'", "family must be a list"),
        ("[[judge]]\nmodel = 'm'\nheaders = { Authorization = 'x' }", "must not hold a key"),
        ("[[judge]]\nmodel = 'm'\nheaders = { x-a = [1] }", "must be a text"),
        ("[[judge]]\nmodel = 'm'\nkey_variable = 'NOT_SET'", "is not set"),
        ("[[judge]]\nmodel = 'm'\ntemplate = 'nothing'", "there is no template"),
        ("model = 'm'\n[[judge]]\nmodel = 'm'", "before the first"),
        ("[[judge", "not readable as TOML"),
    ],
)
def test_what_is_no_panel_is_refused_in_words(tmp_path, text, words):
    with pytest.raises(InvalidArgument) as caught:
        read_panel(written(tmp_path, text))
    assert words.casefold() in str(caught.value).casefold()


def test_a_panel_that_is_not_there():
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read_panel("nowhere.toml")


def panel_of(fake_llm, *judges, items=TEXTS, **options):
    return ChatJudge(items, QUESTION, judges, base_url=fake_llm.base_url, **options)


def test_one_model_may_judge_with_two_prompts(tmp_path):
    log = tmp_path / "calls.jsonl"
    tie = read_panel(written(tmp_path, "[[judge]]\nmodel='m'\nname='tie'\ntemplate='tie'"))[0]
    with FakeLLM(SCORES) as fake_llm:
        found = run(panel_of(fake_llm, PanelJudge("m"), tie, log=log), 40)
        again = run(panel_of(fake_llm, PanelJudge("m"), tie, log=log), 40)
        assert len(fake_llm.calls) == 40
    calls = {judge.model: judge.cost.calls for judge in found.judges}
    assert calls.keys() == {"m", "tie"}
    assert sum(calls.values()) == 40
    assert min(calls.values()) >= 15
    assert again.judged == found.judged
    assert {record.get("judge") for record in records(log)} == {None, "tie"}
    assert {record["model"] for record in records(log)} == {"m"}


def test_judges_that_would_say_the_same_are_refused():
    judges = [PanelJudge("m", "one", HERE), PanelJudge("m", "other", HERE)]
    with pytest.raises(InvalidArgument, match="same model, address, parameters"):
        ChatJudge(TEXTS, QUESTION, judges)
    with pytest.raises(InvalidArgument, match="give each judge a name of its own"):
        ChatJudge(TEXTS, QUESTION, [PanelJudge("m", "one"), PanelJudge("n", "one")])


def test_prices_of_the_panel_count(tmp_path):
    text = "[[judge]]\nmodel='m'\nprice = { input = 1000, output = 0 }"
    with FakeLLM(SCORES) as fake_llm:
        judge = panel_of(fake_llm, *read_panel(written(tmp_path, text)), caps=Caps(cost=3))
        found = run(judge, 500, concurrency=4)
    assert found.result.reason.startswith("limit on the cost of 3 reached")


def test_an_item_of_a_family_must_be_there():
    with pytest.raises(UnknownItem):
        ChatJudge(TEXTS, QUESTION, PanelJudge("m", base_url=HERE, family=("nobody",)))


def test_an_item_with_the_name_of_a_judge_is_its_own():
    items = {"m": "A cat.", "n": "A dog.", "o": "A cow."}
    judge = ChatJudge(items, QUESTION, [PanelJudge("m", base_url=HERE, family=("n",))])
    assert judge.families == {"m": ("n", "m")}


# Judges that are retired


def test_a_judge_with_a_wrong_key_is_retired_and_the_others_go_on(tmp_path):
    log, place = tmp_path / "calls.jsonl", tmp_path / "campaign.db"
    with FakeLLM(SCORES, key="right-key") as fake_llm:
        judges = PanelJudge("x", api_key="right-key"), PanelJudge("y", api_key="wrong-key")
        found = run(panel_of(fake_llm, *judges, log=log), 40, campaign=place)
        assert len(fake_llm.calls) == found.result.n_votes == 40
    assert list(found.retired) == ["y"]
    assert "HTTP 401" in found.retired["y"]
    assert set(found.result.votes.workers) == {"x"}
    assert "“y” was retired" in found.report(with_forecast=False).to_markdown()


def test_a_judge_that_never_answers_is_retired_after_twenty_pairs():
    with FakeLLM(SCORES, profiles={"x": ModelProfile(), "y": ModelProfile(ramble=1)}) as fake_llm:
        found = run(panel_of(fake_llm, PanelJudge("x"), PanelJudge("y")), 60, concurrency=1)
    assert found.result.n_votes == 60
    assert "y gave no answer to 20 pairs in a row" in found.retired["y"]


def test_when_all_judges_are_gone_the_votes_so_far_are_reported():
    class Broke(FakeLLM):
        """Has no credit left after 30 calls."""

        @property
        def key(self):
            return "paid" if len(self._calls) >= 30 else None

        @key.setter
        def key(self, value):
            pass

    with Broke(SCORES) as fake_llm:
        found = run(panel_of(fake_llm, PanelJudge("x"), PanelJudge("y")), 100, concurrency=1)
        assert len(fake_llm.calls) == 30
        assert found.result.n_votes == 30
        assert found.result.reason.code == "failed"
        assert "HTTP 401" in found.result.reason
        assert set(found.retired) == {"x", "y"}
        assert found.report(with_forecast=False).to_markdown()
    with FakeLLM(SCORES, key="k") as fake_llm, pytest.raises(JudgeFailed, match="HTTP 401"):
        run(panel_of(fake_llm, PanelJudge("x"), PanelJudge("y"), items=few(4)), 10)
