from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.trial import QUESTION, Trial
from hodgerank.campaign.attention import RULES, Attention
from hodgerank.campaign.settings import CampaignSettings, GoldPair
from hodgerank.errors import InvalidArgument

words = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["none", "None", "\r\n"]
)
named = words.filter(str.strip)
lists = st.lists(named, unique=True, max_size=3)
shares = st.floats(0, 0.5)
most = st.none() | st.integers(1, 10**9)
items = st.integers() | named
golds = st.lists(
    st.tuples(items, items).filter(lambda pair: pair[0] != pair[1]).map(lambda p: GoldPair(*p)),
    max_size=3,
    unique_by=lambda gold: frozenset((gold.better, gold.worse)),
).map(tuple)
rules = st.builds(
    Attention,
    fastest_seconds=st.none() | st.floats(0, 1e6),
    same_side=st.none() | st.integers(2, 1000),
    most_gold_misses=st.none() | st.floats(0, 1),
    most_contradictions=st.none() | st.floats(0, 1),
    focus=st.booleans(),
    exclude=st.lists(st.sampled_from(list(RULES)), unique=True).map(tuple),
    alarm_share=st.floats(0, 1),
)
any_settings = st.builds(
    CampaignSettings,
    question=named,
    title=words,
    instructions=words,
    ties=st.booleans(),
    grades=st.integers(0, 50),
    skip_reasons=lists.map(tuple),
    budget=most,
    stop=st.sampled_from([None, "tau >= 0.9", "tau >= 0.8 and top 3"]),
    sampler=st.sampled_from(["auto", "random", "rank"]),
    display=st.sampled_from(["balanced", "random", "fixed"]),
    seed=st.integers(0, 2**63 - 1),
    ranking=st.sampled_from(["robust", "plain"]),
    answers_per_worker=most,
    open_per_worker=st.integers(1, 10**9),
    open_per_item=most,
    lease_seconds=st.floats(1, 1e8),
    repeat_share=shares,
    gold_share=shares,
    gold=golds,
    attention=rules,
    workers_see_results=st.booleans(),
)


@example(CampaignSettings(QUESTION, title="none"))
@example(CampaignSettings("none", instructions="none", skip_reasons=("none",)))
@given(any_settings)
def test_settings_go_to_toml_and_back(settings):
    text = settings.to_toml()
    assert CampaignSettings.of(tomllib.loads(text)) == settings
    assert CampaignSettings.of(settings.to_dict()) == settings
    assert settings.changed({}) == settings


def test_a_file_of_settings_is_read_with_or_without_a_mark_of_its_encoding(tmp_path):
    settings = CampaignSettings("Größer?", budget=5, gold=(GoldPair("ä", 2),))
    for name, encoding in (("plain.toml", "utf-8"), ("marked.toml", "utf-8-sig")):
        (tmp_path / name).write_bytes(settings.to_toml().encode(encoding))
        assert CampaignSettings.from_toml(tmp_path / name) == settings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question = ", "not TOML"),
        ("[" * 5000, "not TOML"),
        (b"question = '\xff'", "not TOML"),
        ("question = ''", "question is empty"),
        ("question = 3", "question is a text"),
        ("qestion = 'x'", "did you mean question"),
        ("question = 'x'\n[attention]\nsameside = 3", "attention.sameside"),
        ("question = 'x'\nattention = 3", "attention is a table"),
        ("question = 'x'\nversion = 2", "newer hodgerank"),
        ("question = 'x'\nversion = 0", "version is 1"),
        ("question = 'x'\nversion = '1'", "version is 1"),
        ("question = 'x'\ngold = 3", "gold is a list"),
        ("question = 'x'\ngold = [{better = 'a'}]", "a gold pair is"),
        ("question = 'x'\ngold = [{better = 'a', worse = 'a'}]", "twice"),
        ("question = 'x'\ngold = [{better = 1.5, worse = 'a'}]", "names two items"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_words(tmp_path, text, words):
    path = tmp_path / "settings.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidArgument, match=words) as told:
        CampaignSettings.from_toml(path)
    assert str(path) in str(told.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidArgument, match="cannot be read"):
        CampaignSettings.from_toml(tmp_path / "none.toml")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        CampaignSettings.from_toml(tmp_path)


NONSENSE = [-1, 1.5, "x", [], {}, True, float("nan"), float("inf"), 10**400, None, "none", b"x"]


def taken_or_told(make) -> tuple[Any, str]:
    """What is made, or else the words of the refusal."""
    try:
        return make(), ""
    except InvalidArgument as refusal:
        return None, str(refusal)


@pytest.mark.parametrize("name", [one.name for one in fields(CampaignSettings)])
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: repr(value)[:10])
def test_every_value_is_taken_or_refused_in_words_that_name_it(name, value):
    given = {"question": QUESTION, name: value}
    settings, told = taken_or_told(lambda: CampaignSettings.of(given))
    if told:
        assert name in told or name == "sampler"
    else:
        assert CampaignSettings.of(settings.to_dict()) == settings


@pytest.mark.parametrize("name", [one.name for one in fields(Attention)])
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: repr(value)[:10])
def test_every_value_of_attention_is_taken_or_refused_in_words(name, value):
    rules, told = taken_or_told(lambda: Attention(**{name: value}))
    if told:
        assert f"attention.{name}" in told
    else:
        proper = tuple(value) if name == "exclude" else None if value == "none" else value
        assert getattr(rules, name) == proper


@pytest.mark.parametrize(
    "wrong",
    [
        {"gold": [("a", "b")]},
        {"gold": "ab"},
        {"gold": None},
        {"attention": None},
        {"attention": 3},
        {"question": " "},
        {"question": "\ud800"},
        {"stop": "when it is good"},
        {"stop": ""},
        {"sampler": "best"},
        {"skip_reasons": ["a", "a"]},
        {"skip_reasons": [""]},
        {"skip_reasons": "why"},
        {"lease_seconds": 10**400},
        {"lease_seconds": 0.5},
        {"repeat_share": 0.6},
        {"position": "left"},
        {"budget": 2.0},
    ],
    ids=str,
)
def test_settings_that_are_wrong_are_refused_however_they_are_made(wrong):
    with pytest.raises(InvalidArgument):
        CampaignSettings(**{"question": QUESTION, **wrong})
    with pytest.raises(InvalidArgument):
        CampaignSettings.of({"question": QUESTION, **wrong})


def test_attention_may_be_given_as_an_object():
    trial = Trial(attention=Attention(same_side=5))
    assert trial.campaign.settings.attention.same_side == 5
    trial.campaign.change(attention=Attention(same_side=6))
    assert trial.campaign.settings.attention.same_side == 6


def test_there_is_a_question():
    with pytest.raises(InvalidArgument, match="question is empty"):
        CampaignSettings()
