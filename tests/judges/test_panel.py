"""ModelPanel: the models that judge, and where they are."""

from __future__ import annotations

import pytest

from hodgerank.errors import InvalidArgument
from hodgerank.judges.panel import SHORT_REPLY, ModelPanel

HERE, THERE = "http://127.0.0.1:8000/v1", "http://127.0.0.1:9000/v1"


def panel(models="m", base_url=HERE, api_key=None, parameters=None, logprobs=False, **options):
    return ModelPanel(
        models, base_url, api_key, None, None, parameters=parameters or {}, logprobs=logprobs,
        **options,
    )  # fmt: skip


def test_one_name_is_a_panel_of_one():
    assert panel("m").models == ("m",)
    assert panel(["x", "y"]).models == ("x", "y")


def test_one_address_is_that_of_all():
    found = panel(["x", "y"])
    assert [found[model].base_url for model in found.models] == [HERE, HERE]


@pytest.mark.parametrize("given", [[HERE, THERE], (HERE, THERE)])
def test_several_addresses_are_one_for_each(given):
    found = panel(["x", "y"], given)
    assert [found[model].base_url for model in found.models] == [HERE, THERE]


def test_without_an_address_a_key_is_needed():
    with pytest.raises(InvalidArgument, match="HODGERANK_API_KEY"):
        panel(base_url=None)
    assert panel(base_url=None, api_key="secret-key")["m"].base_url.startswith("https://")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": []}, "at least one model"),
        ({"models": ["x", "x"]}, "x is named twice: to ask it more often, use repeats"),
        ({"models": ["x", " "]}, "a model must be a name, not ' '"),
        ({"models": ["x", 3]}, "a model must be a name, not 3"),
        ({"models": ["x", "y", "z"], "base_url": [HERE, THERE]}, "2 addresses for 3 models"),
        ({"models": "x", "base_url": [HERE, THERE]}, "2 addresses for 1 models"),
        ({"base_url": []}, "0 addresses for 1 models"),
        ({"models": ["x", "y", "z"], "api_key": ["k1", "k2"]}, "2 keys for 3 models"),
        ({"base_url": "localhost"}, "is not an address"),
        ({"parameters": {"model": "z"}}, "model cannot be set"),
        ({"timeout": 0}, "timeout"),
        ({"retries": -1}, "retries"),
    ],
)
def test_what_is_no_panel_is_refused_in_words(options, words):
    with pytest.raises(InvalidArgument) as caught:
        panel(**options)
    assert words in str(caught.value)


def test_keys_are_not_in_what_is_said_of_wrong_numbers_of_them():
    with pytest.raises(InvalidArgument) as caught:
        panel(["x", "y", "z"], api_key=["secret-one", "secret-two"])
    assert "secret" not in str(caught.value)


def test_parameters_are_what_is_sent_with_every_call():
    assert panel(parameters={"temperature": 0.5}).parameters("m") == {"temperature": 0.5}
    asked = panel(parameters={"temperature": 0.5}, logprobs=True).parameters("m")
    assert asked == {"temperature": 0.5, "logprobs": True, "top_logprobs": 20}


@pytest.mark.parametrize(
    ("parameters", "tokens"),
    [
        ({}, SHORT_REPLY),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 7}, 7),
        ({"max_tokens": 4000}, SHORT_REPLY),  # a limit is not an expectation
        ({"max_tokens": None}, SHORT_REPLY),
    ],
)
def test_a_reply_is_expected_to_be_short_and_within_its_limit(parameters, tokens):
    assert panel(parameters=parameters).expected_reply("m") == tokens
