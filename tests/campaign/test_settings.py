from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.trial import QUESTION, Trial
from hodgerank.campaign.attention_checks import RULES, AttentionChecks, GoldPair
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.page_settings import (
    PARAMETERS,
    JoinSettings,
    PageSettings,
    PracticePair,
    QuizQuestion,
    RecruitmentPanel,
)
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.errors import InvalidArgument, UnknownItem

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
    AttentionChecks,
    fastest_seconds=st.none() | st.floats(0, 1e6),
    same_side=st.none() | st.integers(2, 1000),
    most_gold_misses=st.none() | st.floats(0, 1),
    most_contradictions=st.none() | st.floats(0, 1),
    focus=st.booleans(),
    exclude=st.lists(st.sampled_from(list(RULES)), unique=True).map(tuple),
    alarm_share=st.floats(0, 1),
)
practice = st.lists(
    st.tuples(items, items, words)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: PracticePair(*pair)),
    max_size=3,
    unique_by=lambda pair: frozenset((pair.better, pair.worse)),
).map(tuple)
questions = st.lists(
    st.tuples(named, st.lists(named, unique=True, min_size=2, max_size=3)).map(
        lambda made: QuizQuestion(made[0], tuple(made[1]), made[1][-1])
    ),
    max_size=2,
).map(tuple)
lines = st.text(st.characters(codec="ascii", exclude_categories=["C"]))
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
    joining=st.builds(
        JoinSettings,
        consent=words,
        practice=practice,
        questions=questions,
        tries=st.integers(1, 100),
    ),
    panel=st.builds(
        RecruitmentPanel,
        kind=st.sampled_from(list(PARAMETERS)),
        return_to=st.sampled_from(["", "https://example.org/?cc={code}"]),
        return_origins=st.sampled_from([(), ("https://example.org", "http://localhost:8000")]),
        completed=lines,
        screened_out=lines,
        withdrawn=lines,
    ),
    pages=st.builds(
        PageSettings,
        language=st.sampled_from(["en", "de"]),
        entrance=st.from_regex(r"\A[A-Za-z0-9_-]{0,9}\Z"),
        markdown=st.booleans(),
        hear_both=st.booleans(),
        start_together=st.booleans(),
        keys=st.booleans(),
    ),
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
        ("question = 3", "question must be a text"),
        ("qestion = 'x'", "did you mean question"),
        ("question = 'x'\n[attention]\nsameside = 3", "attention.sameside"),
        ("question = 'x'\nattention = 3", "attention must be a table"),
        ("question = 'x'\nversion = 3", "newer hodgerank"),
        ("question = 'x'\nversion = 0", "version is 2"),
        ("question = 'x'\nversion = '1'", "version is 2"),
        ("question = 'x'\npanel = 3", "panel must be a table"),
        ("question = 'x'\n[pages]\nlanguages = 'de'", "did you mean language"),
        ("question = 'x'\n[pages]\nlanguage = 'fr'", "pages.language"),
        ("question = 'x'\ngold = 3", "gold must be a list"),
        ("question = 'x'\ngold = [{better = 'a'}]", "gold: a pair must be"),
        ("question = 'x'\ngold = [{better = 'a', worse = 'a'}]", "twice"),
        ("question = 'x'\ngold = [{better = 1.5, worse = 'a'}]", "needs two items"),
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


GROUPS = {
    "attention": AttentionChecks,
    "joining": JoinSettings,
    "panel": RecruitmentPanel,
    "pages": PageSettings,
}


@pytest.mark.parametrize(
    ("group", "name"),
    [(group, one.name) for group, kind in GROUPS.items() for one in fields(kind)],
)
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: repr(value)[:10])
def test_every_value_of_a_group_is_taken_or_refused_in_words(group, name, value):
    made, told = taken_or_told(lambda: GROUPS[group](**{name: value}))
    if told:
        assert f"{group}.{name}" in told
    else:
        taken = getattr(made, name)
        assert taken == (tuple(value) if isinstance(value, list) else value) or taken is None


@pytest.mark.parametrize("group", GROUPS)
def test_some_values_of_a_group_change_alone(group):
    trial = Trial()
    for one in fields(GROUPS[group]):
        if isinstance(one.default, bool):
            changed = {one.name: not one.default}
            trial.campaign.change(**{group: changed})
            assert getattr(getattr(trial.campaign.settings, group), one.name) is not one.default
    before = trial.campaign.settings
    trial.campaign.change(**{group: {}})
    assert trial.campaign.settings == before
    with pytest.raises(InvalidArgument, match=rf"there is no setting {group}\.colour"):
        trial.campaign.change(**{group: {"colour": "red"}})


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
        {"position_bias": "left"},
        {"budget": 2.0},
        {"joining": {"tries": 0}},
        {"joining": {"practice": [{"better": "a", "worse": "a"}]}},
        {"joining": {"practice": [{"better": "a", "because": "b"}]}},
        {"joining": {"practice": [{"better": "a", "worse": "b", "why": "c"}]}},
        {"joining": {"practice": [{"better": "a", "worse": "b", "because": 3}]}},
        {"joining": {"practice": [["a", "b"]]}},
        {"joining": {"practice": [GoldPair("a", "b")]}},
        {"joining": {"questions": ["Which?"]}},
        {"joining": {"questions": [{"question": "Which?"}]}},
        {"joining": {"questions": [{"question": "", "answers": ["a", "b"], "right": "a"}]}},
        {"joining": {"questions": [{"question": "Which?", "answers": ["a"], "right": "a"}]}},
        {"joining": {"questions": [{"question": "Which?", "answers": ["a", "b"], "right": "c"}]}},
        {"joining": {"questions": [{"question": "Which?", "answers": ["a", "b"], "right": 0}]}},
        {"gold": [PracticePair("a", "b")]},
        {"panel": {"kind": "mturk"}},
        {"panel": {"return_origins": "https://example.org"}},
        {"pages": {"entrance": "a b"}},
        {"pages": {"entrance": "../a"}},
        {"pages": {"entrance": "a" * 101}},
        {"pages": {"entrance": "ä"}},
        {"pages": {"entrance": "a\n"}},
        {"pages": RecruitmentPanel()},
    ],
    ids=str,
)
def test_settings_that_are_wrong_are_refused_however_they_are_made(wrong):
    with pytest.raises(InvalidArgument):
        CampaignSettings(**{"question": QUESTION, **wrong})
    with pytest.raises(InvalidArgument):
        CampaignSettings.of({"question": QUESTION, **wrong})


def test_attention_may_be_given_as_an_object():
    trial = Trial(attention=AttentionChecks(same_side=5))
    assert trial.campaign.settings.attention.same_side == 5
    trial.campaign.change(attention=AttentionChecks(same_side=6))
    assert trial.campaign.settings.attention.same_side == 6


def test_pairs_to_practise_with_are_of_known_items_in_one_track():
    items = ["a", "b", CampaignItem("y", track="t"), CampaignItem("z", track="t")]
    trial = Trial(items, joining={"practice": [{"better": "a", "worse": "b", "because": "c"}]})
    with pytest.raises(UnknownItem):
        trial.campaign.change(joining={"practice": [{"better": "a", "worse": "c"}]})
    with pytest.raises(InvalidArgument, match="practice pair y, b is in two tracks"):
        trial.campaign.change(joining={"practice": [{"better": "y", "worse": "b"}]})
    with pytest.raises(UnknownItem):
        Trial(items, joining={"practice": [{"better": "q", "worse": "c"}]})
    [pair] = trial.campaign.settings.joining.practice
    assert (pair.better, pair.worse, pair.because) == ("a", "b", "c")


def test_settings_of_before_there_were_some_groups_are_read():
    settings = CampaignSettings(QUESTION, budget=5)
    old = settings.to_dict()
    for group in ("joining", "panel", "pages"):
        del old[group]
    assert CampaignSettings.of(old) == settings


def test_there_is_a_question():
    with pytest.raises(InvalidArgument, match="question is empty"):
        CampaignSettings()


@pytest.mark.parametrize("sampler", ["auto", "rank", "top-5", "bayesian"])
def test_workers_are_chosen_only_where_pairs_show_how_good_they_are(sampler):
    with pytest.raises(InvalidArgument, match="choose_workers needs easy_share"):
        CampaignSettings("Which?", sampler=sampler, choose_workers=True)
    for fitting in ({"sampler": "d-optimal"}, {"easy_share": 0.2}):
        assert CampaignSettings("Which?", choose_workers=True, **fitting).choose_workers
