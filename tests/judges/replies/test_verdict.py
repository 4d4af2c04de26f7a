"""From a reply to a verdict: what is no answer never becomes one."""

from __future__ import annotations

import json
from math import inf, log, nan
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.judges.endpoint.completion import Reply, TokenChoice
from hodgerank.judges.prompts.template import load_template
from hodgerank.judges.replies import Verdict, read_reply

CHOICE = {"A": 1.0, "B": -1.0, "X": None}
TIE = {"A": 1.0, "B": -1.0, "T": 0.0, "X": None}
GRADE = {"1": 1.0, "2": 0.5, "3": 0.0, "4": -0.5, "5": -1.0, "X": None}
ARENA = {"A>>B": 1.0, "A>B": 0.5, "A=B": 0.0, "B>A": -0.5, "B>>A": -1.0}
WORDS = {"first": 1.0, "second": -1.0, "tie": 0.0}


def reply(text="", *, refusal=None, finish="stop", tokens=()) -> Reply:
    return Reply(text, refusal, finish, tuple(tokens), 10, 1, "model", 0.1, 1)


def verdict(text, labels=CHOICE, **options) -> Verdict:
    return read_reply(reply(text, **options), labels)


NAMES_B = [
    "B",
    "b",
    " B \n",
    "B.",
    "B!",
    "**B**",
    "*B*",
    "__B__",
    "`B`",
    '"B"',
    "'B'",
    "“B”",
    "«B»",
    "「B」",
    "(B)",
    "[B]",
    "[[B]]",
    "<B>",
    "{B}",
    "### B",
    "```\nB\n```",
    "```text\nB\n```",
    "Ｂ",
    "\ufeffB\u200b",
    r"\boxed{B}",
    r"$\boxed{\text{B}}$",
    "Answer: B",
    "answer:b",
    "ANSWER: B.",
    "Answer: **B**",
    "**Answer:** B",
    "**Answer**: B",
    "**Answer: B**",
    "Answer - B",
    "Answer = B",
    "Final answer: **B**",
    "Final Answer: [[B]]",
    "My final answer is: B",
    "The answer is B.",
    "So, the answer is B",
    "Therefore, my verdict: B",
    "Verdict: item B",
    "The final answer is $\\boxed{B}$.",
    "Item B",
    "Text B.",
    "Answer B",
    "Option B",
    "Answer: Option B",
    "The better text is B.",
    "The better one is B",
    "The best answer is: B",
    "The winner is item B.",
    "Winner: B",
    "My choice: B",
    "I choose B.",
    "I'd pick B",
    "I’d go with B.",
    "I would choose the text B.",
    "I prefer item B.",
    "B is better.",
    "Item B is the better one.",
    "Text B is clearly better",
    "Option B wins.",
    "<answer>B</answer>",
    "<answer>\nB\n</answer>",
    "<think>A is short. So A? No, A lacks detail.</think>\n\nB",
    "<THINK>A</THINK>B",
    "A is what I thought first.</think>\nAnswer: B",
    "<think>A</think><think>A again</think>\nB",
    '{"answer": "B"}',
    '{"answer": "b."}',
    '{"Answer": "Item B"}',
    '{"reason": "A is vague", "answer": "B"}',
    '```json\n{\n  "reason": "A is vague",\n  "answer": "B"\n}\n```',
    'A is vague.\n{\n"winner": "B"\n}',
    '{"winner": "B", "answer": "B"}',
    "Item A is vague. Item B names the cause.\n\nFinal answer: B",
    "Both are good, but A lacks sources.\n\nB",
    "1. A is short.\n2. B is long.\n\n**Final answer: B**\n",
    "Let me compare them step by step.\n\n- A: vague\n- B: exact\n\nThe better text is B.",
    "B\n\nExplanation: Item B is more faithful than item A.",
    "B\n\nA misses the main point.",
    "B\n\nNo further explanation is needed.",
    "**B**\n\nIt gives a better account of the events.",
    "Answer: B\nConfidence: high",
    "Answer: B\n\nReason: A better summary would have named the cause.",
    "B\n\nFinal answer: B",
    "Antwort: B",
    "Meine Antwort: B",
    "Die Antwort ist B.",
    "Réponse : B",
    "La réponse est B.",
    "Respuesta: B",
    "La respuesta es B.",
    "Risposta: B",
    "A resposta é B.",
    "Ответ: B",
    "答案：B",
    "答案是B。",
    "我的答案是 B",
    "最终答案：B",
    "答え：B",
    "답: B",
    "الجواب: B",
]


@pytest.mark.parametrize("text", NAMES_B)
def test_a_plainly_named_label_is_the_answer(text):
    assert verdict(text) == Verdict("answered", -1.0)
    assert verdict(text, TIE) == Verdict("answered", -1.0)


NO_ANSWER = [
    "",
    " \n\t",
    ".",
    "**",
    "```\n```",
    "?",
    "A or B",
    "A/B",
    "A, B",
    "A and B",
    "A&B",
    "AB",
    "BA",
    "A B",
    "A\nB",
    "A\n\nB",
    "B?",
    "Answer: A?",
    "Answer: A or B?",
    "Answer: A/B",
    "Answer: A and B",
    "Answer: A, B",
    "Answer:",
    "Answer: not A",
    "Answer: neither",
    "Answer: C",
    "Answer: A...",
    "A…",
    "The answer is not A.",
    "Not A",
    "~~A~~",
    "❌ A",
    "-A",
    "!A",
    "A)B",
    "Both are good",
    "Both",
    "Both A and B are good.",
    "Both items are equally good.",
    "Neither",
    "Neither A nor B.",
    "It's a tie.",
    "Tie",
    "Equal",
    "It depends.",
    "I don't know",
    "I cannot decide between A and B.",
    "Yes",
    "1",
    "I prefer A over B",
    "A is better than B",
    "B is worse.",
    "The worse text is B.",
    "Worse: B",
    "The less faithful text is B.",
    "Loser: B",
    "B is not better.",
    "B is better?",
    "Is B better?",
    "A summary should be short.",
    "A summary should name the cause, and B",
    "A good answer names the cause.",
    "A better summary is B.",
    "A, answer: B",
    "I choose a summary that is short.",
    "The answer is a matter of taste.",
    "I think A",
    "Probably B, but A is close.",
    "B, because it is shorter.",
    "B: it is shorter.",
    "B - shorter",
    "B. It is shorter.",
    "A: vague\nB: exact",
    "A. Clear.\nB. Muddled.",
    "A) Clear\nB) Muddled",
    "**A**\nClear.\n\n**B**\nMuddled.",
    "Item A\nClear.\nItem B\nMuddled.",
    "- A\n- B",
    "- A (clear)\n- B",
    "* B",
    "> B",
    "[x] A\n[ ] B",
    "[ ] A\n[x] B",
    "Plan B",
    "Vitamin B",
    "B12",
    "Text A: good. Text B: good.",
    "Answer: A\nAnswer: B",
    "A\n\nFinal answer: B",
    "A\n\nWait, B is what I mean.",
    "A\n\nActually, B is the one.",
    "A\n\nNo, B.",
    "A\n\nHowever, B is better overall.",
    "A\n\nOn second thought I am not sure.",
    "A\n\nThe better text is clearly B, though.",
    'Answer: A\n{"answer": "B"}',
    "<answer>A</answer> or <answer>B</answer>",
    "Reply with <answer>A</answer> or <answer>B</answer>, please",
    "<think>The answer is A.\nA",
    "<think>A</think>",
    "B <think>hm</think>",
    '{"answer": "A or B"}',
    '{"answer": null}',
    '{"answer": ["A", "B"]}',
    '{"answer": "A", "answer": "B"}',
    '{"answer": "A", "winner": "B"}',
    '{"answer": "A", "winner": "both"}',
    '{"result": {"answer": "A"}}',
    '{"A": 3, "B": 7}',
    '{"score_a": 1, "score_b": 2}',
    '{"loser": "A"}',
    '{"answer": "A"',
    '{"answer": "A"}\n{"answer": "B"}',
    '["A", "B"]',
    "{" * 5000,
    '{"answer":' * 5000,
    "I compared A with B. Then B with A. I have no preference",
    "Please provide the two items, A and B.",
    "A\u0430",
    "\u0410",  # a Cyrillic letter that looks like A
    "\x00",
    "Ambas son buenas.",
    "Beide sind gut.",
    "Les deux sont bonnes.",
    "A ou B",
    "A oder B?",
    "Ни A, ни B",
    "两个都好",
    "A和B都很好",
    "どちらも良い",
]


@pytest.mark.parametrize("text", NO_ANSWER)
def test_what_is_no_plain_answer_is_none(text):
    found = verdict(text)
    assert found.status == "unparsable"
    assert found.outcome is None
    assert found.detail
    assert verdict(text, finish="length").status == "unparsable"


@pytest.mark.parametrize(
    ("text", "status", "outcome"),
    [
        ("T", "answered", 0.0),
        ("Answer: T", "answered", 0.0),
        ('{"answer": "T"}', "answered", 0.0),
        ("Tie", "unparsable", None),
        ("Both are equal.", "unparsable", None),
        ("Item T is better", "unparsable", None),
        ("X", "abstained", None),
        ("Answer: **X**", "abstained", None),
        ("x.", "abstained", None),
        ("X\n\nThe items cannot be compared.", "abstained", None),
        ("A\nX", "unparsable", None),
    ],
)
def test_a_tie_is_an_answer_and_an_abstention_is_none(text, status, outcome):
    found = verdict(text, TIE)
    assert (found.status, found.outcome) == (status, outcome)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("2", 0.5),
        ("2.", 0.5),
        ("**4**", -0.5),
        ("Answer: 2", 0.5),
        ("Grade: 5", -1.0),
        ("The final grade is 1.", 1.0),
        ('{"grade": 2}', 0.5),
        ('{"answer": "2"}', 0.5),
        ("A is vague.\n\n4", -0.5),
        ("Item 2", None),
        ("Text 2 is better.", None),
        ("2 is better", None),
        ("I choose 2", None),
        ("The better text is 2.", None),
        ("Winner: 2", None),
        ("Answer 2", None),
        ("Option 2", None),
        ('{"winner": 2}', None),
        ('{"grade": 2.5}', None),
        ("Answer: -1", None),
        ("Answer -1", None),
        ("-1", None),
        ("2/5", None),
        ("2 out of 5", None),
        ("2.5", None),
        ("2-3", None),
        ("25", None),
        ("Score: 4", None),
        ("Confidence: 4", None),
        ("Item A\nGrade: 2\nItem B\nGrade: 4", None),
        ("1. A is vague.\n2. B is exact.", None),
        ("1\n2\n3", None),
        ("A", None),
        ("B is better", None),
    ],
)
def test_a_digit_is_a_grade_only_where_no_item_can_be_meant(text, outcome):
    found = verdict(text, GRADE)
    assert found == (Verdict("answered", outcome) if outcome is not None else found)
    assert found.status == ("unparsable" if outcome is None else "answered")


@pytest.mark.parametrize(
    ("text", "labels", "outcome"),
    [
        ("[[A>>B]]", ARENA, 1.0),
        ("My final verdict is: [[A>B]]", ARENA, 0.5),
        ("a=b", ARENA, 0.0),
        ("A", ARENA, None),
        ("A>B>A", ARENA, None),
        ("A > B", ARENA, None),
        ("First.", WORDS, 1.0),
        ("The better text is second", WORDS, -1.0),
        ("Answer: tie", WORDS, 0.0),
        ("First, I look at the facts.", WORDS, None),
        ("At first sight second", WORDS, None),
        ("甲", {"甲": 1.0, "乙": -1.0}, 1.0),
        ("答案：乙", {"甲": 1.0, "乙": -1.0}, -1.0),
        ("甲和乙", {"甲": 1.0, "乙": -1.0}, None),
    ],
)
def test_labels_may_be_words_and_signs(text, labels, outcome):
    found = verdict(text, labels)
    assert found.outcome == outcome
    assert found.status == ("unparsable" if outcome is None else "answered")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", None),
        ("A", None),  # may go on: "A summary should ..."
        ("B", None),  # may go on: "Both"
        ("A ", None),
        ("**A**", None),
        ("The better text is a", None),
        ("Answer: A", None),
        ("**A**\n\nThe text", None),  # may be the heading of what is said of A
        ("Item A\nThe text", None),
        ("<think>A is", None),
        ("I compare.\nAnswer: A", None),
        ("A\n", 1.0),
        ("A\n\nExplanation: the", 1.0),
        ("A.\n\nItem A is", 1.0),
        ("Answer: A\n\nBecause", 1.0),
        ("**Answer: A**\n\nBecause", 1.0),
    ],
)
def test_a_reply_that_was_cut_off_counts_only_where_a_line_is_complete(text, outcome):
    found = verdict(text, finish="length")
    assert found.outcome == outcome
    if outcome is None:
        assert found.status == "unparsable"
        assert "raise --max-tokens" in found.detail


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "I am very sorry, but I cannot compare these.",
        "Sorry, I can't do that.",
        "I cannot assist with this request.",
        "I can't help with comparing A and B.",
        "I won't engage with this.",
        "I'm unable to provide a judgement.",
        "Unfortunately, I am unable to judge this content.",
        "I must decline.",
        "I apologize, but I cannot judge people by their looks.",
        "As an AI language model, I cannot have an opinion.",
        "As an AI, I don't have personal preferences.",
        "**I'm sorry**, but I can't.",
        "<think>This is harmful.</think>I'm sorry, but I can't help with that.",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Je suis désolé, mais je ne peux pas répondre.",
        "Lo siento, pero no puedo ayudar con eso.",
        "Mi dispiace, ma non posso aiutarti.",
        "Desculpe, mas não posso ajudar.",
        "Извините, но я не могу с этим помочь.",
        "很抱歉,我无法回答。",
        "抱歉，我不能协助。",
        "申し訳ありませんが、お手伝いできません。",
    ],
)
def test_a_text_that_declines_is_a_refusal(text):
    found = verdict(text)
    assert (found.status, found.outcome) == ("refused", None)
    assert found.detail


@pytest.mark.parametrize(
    "text",
    [
        "I cannot tell them apart.",
        "I can't say that A is better.",
        "I'm sorry to say that both are poor.",
        "Item A refuses: I'm sorry, but I can't help with that.",
        "Both items say: I cannot assist with this.",
        "The author says sorry. I cannot choose.",
    ],
)
def test_a_text_about_refusing_is_not_a_refusal(text):
    assert verdict(text).status == "unparsable"


def test_a_refusal_of_the_endpoint_counts_before_the_text():
    assert verdict("A", refusal="I can't.") == Verdict("refused", detail="I can't.")
    assert verdict("A", finish="content_filter").status == "refused"
    assert verdict("A", refusal=" ").status == "answered"


def test_an_apology_with_an_answer_is_an_answer():
    text = "I'm sorry, but I can't open links. From the texts alone:\n\nAnswer: B"
    assert verdict(text) == Verdict("answered", -1.0)


def test_the_detail_quotes_a_long_reply_briefly_and_without_control_characters():
    found = verdict("\x1b[31m" + "word " * 10_000)
    assert len(found.detail) < 200
    assert "\x1b" not in found.detail


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 50_000,
        "</think>" * 50_000,
        "<" * 300_000,
        "{" * 300_000,
        "}" * 300_000,
        "\n" * 300_000,
        " " * 300_000 + "or",
        "the " * 80_000,
        "answer " * 50_000,
        "A\n" + "better than " * 30_000 + "B",
        "I'm sorry " * 30_000,
        "(" * 100 + "A or" + ")" * 100,
        "B " * 100_000,
        "\n".join(f"answer {n}" for n in range(50_000)),
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_long_replies_are_read_in_no_time(text):
    start = perf_counter()
    assert verdict(text).status in ("unparsable", "answered")
    assert perf_counter() - start < 2


@given(st.text())
def test_any_text_gives_a_verdict(text):
    for labels in (CHOICE, GRADE):
        found = verdict(text, labels)
        assert (found.outcome is None) == (found.status != "answered")


@given(st.lists(st.sampled_from([*"AB \n.,:?", "or", "and", "not", "Answer"]), max_size=8))
def test_what_names_both_labels_and_no_line_alone_is_no_answer(pieces):
    text = " ".join(pieces)
    found = verdict(text)
    lines = [line.strip() for line in text.splitlines()]
    if found.status == "answered":
        assert any(line.count("A") + line.count("B") - line.count("Answer") == 1 for line in lines)


@pytest.mark.parametrize("name", ["choice", "tie", "grade"])
def test_every_label_of_the_shipped_templates_is_read(name):
    labels = load_template(name).labels
    for label, outcome in labels.items():
        for text in (label, f"Answer: {label}", f"**{label}**", json.dumps({"answer": label})):
            found = verdict(text, labels)
            assert found.outcome == outcome
            assert found.status == ("abstained" if outcome is None else "answered")


def places(*choices: tuple[str, dict[str, float]]) -> list[TokenChoice]:
    """Tokens with the probabilities of their alternatives."""
    return [
        TokenChoice(token, {other: log(p) if p else -9999.0 for other, p in others.items()})
        for token, others in choices
    ]


def graded(text, tokens, labels=CHOICE, finish="stop") -> Verdict:
    return read_reply(reply(text, finish=finish, tokens=tokens), labels, by_probability=True)


def test_the_outcome_is_the_mean_by_the_probabilities_of_the_labels():
    found = graded("A", places(("A", {"A": 0.6, "B": 0.2, " A": 0.1, "The": 0.1})))
    assert found.status == "answered"
    assert found.outcome == pytest.approx((0.7 - 0.2) / 0.9)
    assert found.probabilities == pytest.approx({"A": 0.7, "B": 0.2, "X": 0.0})


def test_case_and_spaces_of_tokens_add_up():
    tokens = places((" b", {"B": 0.3, " B": 0.2, "b": 0.1, "ĠB": 0.1, "**A": 0.1, "Bo": 0.2}))
    assert graded("b", tokens).probabilities == pytest.approx({"A": 0.1, "B": 0.7, "X": 0.0})


def test_what_was_drawn_does_not_decide():
    assert graded("B", places(("B", {"A": 0.8, "B": 0.2}))).outcome == pytest.approx(0.6)


def test_grades_give_a_mean_grade():
    found = graded("2", places(("2", {"1": 0.25, "2": 0.5, "3": 0.25})), GRADE)
    assert found.outcome == pytest.approx(0.5)


def test_abstaining_is_left_out_until_it_is_the_likeliest():
    assert graded("X", places(("X", {"A": 0.3, "B": 0.3, "X": 0.4}))).outcome == pytest.approx(0)
    found = graded("A", places(("A", {"A": 0.3, "B": 0.1, "X": 0.6})))
    assert (found.status, found.outcome) == ("abstained", None)
    assert found.probabilities == pytest.approx({"A": 0.3, "B": 0.1, "X": 0.6})
    assert graded("X", places(("X", {"A": 0.15, "B": 0.0, "X": 0.45}))).status == "abstained"


def test_labels_need_half_of_the_probability():
    found = graded("A", places(("A", {"A": 0.3, "B": 0.1, "The": 0.6})))
    assert (found.status, found.outcome) == ("unparsable", None)
    assert "0.40" in found.detail


def test_probabilities_of_more_than_one_are_not_believed():
    assert graded("A", places(("A", {"A": 0.9, "B": 0.9}))).status == "unparsable"
    assert graded("A", [TokenChoice("A", {"A": 5.0, "B": nan})]).outcome == 1.0
    assert graded("A", [TokenChoice("A", {"A": nan})]).status == "unparsable"
    assert graded("A", [TokenChoice("A", {"A": -inf, "B": 0.0})]).outcome == -1.0


def test_without_log_probabilities_there_is_no_answer():
    for tokens in ([], [TokenChoice("A", {})]):
        found = graded("A", tokens)
        assert (found.status, found.outcome) == ("unparsable", None)
        assert "no log-probabilities" in found.detail


SURE = {"A": 0.9, "B": 0.1}
UNSURE = {"A": 0.5, "B": 0.5}


@pytest.mark.parametrize(
    ("tokens", "text", "outcome"),
    [
        ([("**", {"**": 1}), ("A", SURE), ("**", {"**": 1})], None, 0.8),
        ([("Answer", {}), (":", {}), (" A", SURE)], None, 0.8),
        ([("[[", {}), ("A", SURE), ("]]", {})], None, 0.8),
        ([('{"answer": "', {}), ("A", SURE), ('"}', {})], None, 0.8),
        ([("A", SURE), ("\n\n", {}), ("Item ", {}), ("B", UNSURE), (" is long.", {})], None, 0.8),
        ([("Item ", {}), ("B", UNSURE), (" is long.\n", {}), ("A", SURE)], None, 0.8),
        ([("<think>", {}), ("A", UNSURE), ("</think>\n", {}), ("A", SURE)], None, 0.8),
        ([("A", SURE), ("<|im_end|>", {})], "A", 0.8),
        ([("A", SURE), ("", {})], "A", 0.8),
        ([("<think>", {}), ("A", UNSURE), ("</think>", {}), ("A", SURE), ("</s>", {})], "A", 0.8),
        ([("A", SURE), ("\n", {})], "A\n\nA long reason of which no more tokens came.", 0.8),
        # where the place of the answer is not among the tokens
        ([("Item ", {}), ("A", UNSURE)], "Item A is long.\n\nAnswer: A", None),
        ([("<think>", {}), ("A", UNSURE)], "A", None),
        ([("B", SURE)], "A", None),
        ([("Answer: A", SURE)], None, None),
        ([("A summary", SURE)], None, None),
        ([("A", SURE), (" summary should be short.", {})], None, None),
    ],
)
def test_the_place_is_where_the_reply_names_its_answer(tokens, text, outcome):
    told = [TokenChoice(token, {k: log(p) for k, p in others.items()}) for token, others in tokens]
    whole = "".join(choice.token for choice in told) if text is None else text
    found = graded(whole, told)
    assert found.outcome == (None if outcome is None else pytest.approx(outcome))
    assert found.status == ("unparsable" if outcome is None else "answered")


def test_a_first_token_that_may_go_on_is_no_answer():
    assert graded("A", places(("A", SURE)), finish="length").status == "unparsable"


def test_a_refusal_is_one_by_probability_too():
    text = "I'm sorry, but I can't help with that."
    assert graded(text, places(("I", {"I": 1.0}))).status == "refused"
