"""Battles of language models, judges' verdicts and sets of preferred answers."""

from __future__ import annotations

import json

from corpus.crowd import MODELS, Crowd, Vote
from corpus.files import (
    CHOSEN,
    LEFT,
    LOSER,
    NUMBER,
    PROMPT,
    RIGHT,
    SECONDS,
    WINNER,
    WORKER,
    Cell,
    File,
    Made,
    constant,
    number,
    other,
    sheet_of,
    votes_file,
    words,
)
from corpus.layout import ERROR, NOT_WRONG, RANKED, SUGGESTED, layout

ANSWER = other(lambda vote: f"It is a thing of {int(1000 * vote.chance)} parts.\nIt hums.")
REPLY = other(lambda vote: f"Look: {vote.number} pieces, of which some hum.")
STAMP = other(lambda vote: 1700000000.5 + 60 * vote.number)


def talk(vote: Vote) -> list:
    """A conversation, as a list of turns."""
    return [{"role": "user", "content": "What is this?"},
            {"role": "assistant", "content": f"A thing, {vote.number}."}]  # fmt: skip


ARENA = {
    "question_id": NUMBER, "model_a": LEFT, "model_b": RIGHT,
    "winner": words("model_a", "model_b", "tie"), "judge": WORKER, "turn": constant(1),
    "anony": constant(True), "language": other(lambda vote: "English" if vote.chance < 0.7 else
    "Polish"), "tstamp": STAMP,
}  # fmt: skip


@layout(RANKED, names=MODELS)
def arena_table(crowd: Crowd) -> File:
    """Battles with the winning side."""
    return votes_file(crowd, ARENA)


@layout(RANKED, names=MODELS)
def arena_lines(crowd: Crowd) -> File:
    """The same as an object per line."""
    return votes_file(crowd, ARENA, name="battles.jsonl")


@layout(RANKED, names=MODELS)
def arena_nested(crowd: Crowd) -> File:
    """The same with conversations inside."""
    nested = {
        **ARENA,
        "conversation_a": other(talk),
        "conversation_b": other(talk),
        "moderation": other(lambda vote: {"flagged": False, "score": vote.chance}),
    }
    return votes_file(crowd, nested, name="battles.json")


@layout(RANKED, names=MODELS)
def arena_both_bad(crowd: Crowd) -> File:
    """With answers that both were bad."""
    said = words("model_a", "model_b", "tie (bothbad)")
    return votes_file(crowd, {**ARENA, "winner": said})


def won(kind: str) -> Made:
    """1 in the one column that says how it ended."""

    def cell(vote: Vote) -> int:
        ended = "tie" if vote.is_near else "a" if vote.margin > 0 else "b"
        return int(ended == kind)

    return Made("flag", cell)


@layout(RANKED, names=MODELS)
def winner_flags(crowd: Crowd) -> File:
    """A column of 0 and 1 for each way that it can end."""
    return votes_file(crowd, {
        "id": NUMBER, "model_a": LEFT, "model_b": RIGHT, "prompt": PROMPT, "response_a": ANSWER,
        "response_b": REPLY, "winner_model_a": won("a"), "winner_model_b": won("b"),
        "winner_tie": won("tie"),
    })  # fmt: skip


@layout(
    SUGGESTED, "--left", "model_1", "--right", "model_2", "--outcome", "g1_winner", names=MODELS
)
def bench_games(crowd: Crowd) -> File:
    """Two games with the order swapped; the winners are already those of model_1 and model_2."""
    said = words("model_1", "model_2", "tie")
    return votes_file(crowd, {
        "question_id": NUMBER, "model_1": LEFT, "model_2": RIGHT, "g1_winner": said,
        "g2_winner": said, "judge": constant(["grader-4", "pair-v2"]),
        "g1_user_prompt": PROMPT, "g1_judgment": ANSWER, "g2_user_prompt": PROMPT,
        "g2_judgment": REPLY, "turn": constant(1), "tstamp": STAMP,
    }, name="pairs.jsonl")  # fmt: skip


@layout(RANKED, names=MODELS)
def bench_people(crowd: Crowd) -> File:
    """People's judgments of two conversations."""
    return votes_file(crowd, {
        "question_id": NUMBER, "model_a": LEFT, "model_b": RIGHT,
        "winner": words("model_a", "model_b", "tie"), "judge": WORKER,
        "conversation_a": other(talk), "conversation_b": other(talk), "turn": constant(2),
    }, name="human.jsonl")  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "generator_1",
    "--right",
    "generator_2",
    "--outcome",
    "preference",
    "--scale",
    "2",
    "1",
    names=MODELS,
)
def annotated_generators(crowd: Crowd) -> File:
    """Preference 1 is for the first generator, 2 for the second."""
    return votes_file(crowd, {
        "instruction": PROMPT, "output_1": ANSWER, "generator_1": LEFT, "dataset": constant("mix"),
        "output_2": REPLY, "generator_2": RIGHT, "annotator": constant("grader_pairs"),
        "preference": words(1.0, 2.0, 1.5),
    }, name="annotations.json")  # fmt: skip


@layout(
    NOT_WRONG,
    "--left",
    "generator_1",
    "--right",
    "generator_2",
    "--outcome",
    "preference",
    "--scale",
    "2",
    "1",
    names=MODELS,
)
def graded_generators(crowd: Crowd) -> File:
    """Preferences between 1 (the first generator) and 2 (the second)."""
    return votes_file(crowd, {
        "instruction": PROMPT, "output_1": ANSWER, "output_2": REPLY, "generator_1": LEFT,
        "generator_2": RIGHT,
        "preference": number(lambda vote: round(1.5 - max(-0.5, min(0.5, vote.margin / 8)), 3)),
    }, name="annotations.json")  # fmt: skip


SHOWN = {2: "A>>B", 1: "A>B", 0: "A=B", -1: "B>A", -2: "B>>A"}


@layout(NOT_WRONG, names=MODELS)
def games_against_baseline(crowd: Crowd) -> File:
    """Each model against a baseline that only the documentation names; A is the baseline first."""
    base = crowd.order[4]
    lines = []
    for vote in crowd.votes:
        if base not in (vote.left, vote.right):
            continue
        grade = vote.grade(2) if vote.left == base else -vote.grade(2)
        games = [{"judgment": "...", "score": SHOWN[grade]},
                 {"judgment": "...", "score": SHOWN[-grade]}]  # fmt: skip
        model = vote.right if vote.left == base else vote.left
        lines.append(json.dumps({"question_id": vote.number, "model": model, "judge": "grader",
                                 "games": games}))  # fmt: skip
    return File((crowd.order,), raw="\n".join(lines).encode() + b"\n", name="games.jsonl")


@layout(SUGGESTED, names=MODELS)
def verdict_signs(crowd: Crowd) -> File:
    """A>>B, A>B, A=B, B>A and B>>A."""
    return votes_file(crowd, {
        "uid": NUMBER, "model_a": LEFT, "model_b": RIGHT,
        "verdict": Made("words", lambda vote: SHOWN[vote.grade(2)], ("A>B", "B>A", "A=B")),
    })  # fmt: skip


@layout(SUGGESTED, names=MODELS)
def verdict_marks(crowd: Crowd) -> File:
    """[[A]], [[B]] and [[C]] for a tie, as judges are told to answer."""
    return votes_file(crowd, {
        "model_a": LEFT, "model_b": RIGHT, "judge": constant("grader-4"),
        "verdict": words("[[A]]", "[[B]]", "[[C]]"),
    })  # fmt: skip


@layout(SUGGESTED, names=MODELS)
def verdict_sentences(crowd: Crowd) -> File:
    """Model A is better, Model B is better, About the same."""
    said = words("Model A is better", "Model B is better", "About the same")
    return votes_file(crowd, {
        "prompt": PROMPT, "Model A": LEFT, "Model B": RIGHT, "Which is better?": said,
        "Annotator": WORKER,
    })  # fmt: skip


@layout(SUGGESTED, names=MODELS)
def verdict_levels(crowd: Crowd) -> File:
    """Much better, better and slightly better, of either side."""
    levels = ("slightly better", "better", "much better")

    def said(vote: Vote) -> Cell:
        grade = vote.grade(3)
        return f"{'A' if grade > 0 else 'B'} is {levels[abs(grade) - 1]}" if grade else "equal"

    return votes_file(crowd, {
        "system_a": LEFT, "system_b": RIGHT, "preference": Made("words", said), "rater": WORKER,
    })  # fmt: skip


@layout(RANKED, "--winner", "chosen_model", "--loser", "rejected_model", names=MODELS)
def chosen_and_rejected_models(crowd: Crowd) -> File:
    """The models of the chosen and the rejected answer beside the answers."""
    return votes_file(crowd, {
        "prompt": PROMPT, "chosen": ANSWER, "chosen_model": WINNER,
        "chosen_score": other(lambda vote: round(9 * vote.chance, 1)),
        "rejected": REPLY, "rejected_model": LOSER,
    }, name="train.jsonl")  # fmt: skip


@layout(ERROR, n_votes=60)
def chosen_and_rejected_texts(crowd: Crowd) -> File:
    """Every answer occurs once: there is nothing to rank."""
    sheet = sheet_of(crowd.votes, {
        "prompt": PROMPT,
        "chosen": other(lambda vote: f"Human: why?\n\nAssistant: Because of {vote.chance:.6f}."),
        "rejected": other(lambda vote: f"Human: why?\n\nAssistant: No idea {vote.margin:.6f}."),
    })  # fmt: skip
    return File(None, sheet, name="train.jsonl")


@layout(ERROR, n_votes=60)
def preferred_texts(crowd: Crowd) -> File:
    """Two answers of unknown models, every one shown once."""
    sheet = sheet_of(crowd.votes, {
        "prompt": PROMPT, "response_a": other(lambda vote: f"Answer {vote.chance:.7f}"),
        "response_b": other(lambda vote: f"Answer {vote.margin:.7f}"),
        "preference": words("a", "b", "tie"), "annotator_id": WORKER,
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def rated_answers(crowd: Crowd) -> File:
    """Scores of single answers, one per row: no comparison of two."""
    sheet = sheet_of(crowd.votes, {
        "prompt": PROMPT, "response": other(lambda vote: f"Answer {vote.chance:.7f}"),
        "helpfulness": other(lambda vote: int(5 * vote.chance)),
        "verbosity": other(lambda vote: int(3 * vote.chance)),
    })  # fmt: skip
    return File(None, sheet, name="train.jsonl")


@layout(NOT_WRONG, names=MODELS)
def annotation_records(crowd: Crowd) -> File:
    """Records of an annotation tool: fields, responses and metadata inside each other."""
    found = [
        {"id": f"r{vote.number}", "status": "completed",
         "fields": {"prompt": "What is this?", "response-1": "A.", "response-2": "B."},
         "metadata": {"model-1": vote.left, "model-2": vote.right},
         "responses": {"preference": [
             {"value": "response-1" if vote.margin > 0 else "response-2", "user": "u1"}]}}
        for vote in crowd.votes
    ]  # fmt: skip
    return File((crowd.order,), raw=json.dumps(found).encode(), name="records.json")


@layout(SUGGESTED, "--left", "system_x", "--right", "system_y", "--outcome", "pick", names=MODELS)
def prompt_beside_pick(crowd: Crowd) -> File:
    """The pick is in `pick`; `prompt` and `outcome_note` are texts."""
    return votes_file(crowd, {
        "prompt": other(lambda vote: "short" if vote.chance < 0.5 else "long"),
        "system_x": LEFT, "system_y": RIGHT, "pick": CHOSEN, "seconds": SECONDS,
    })  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "left_model",
    "--right",
    "right_model",
    "--outcome",
    "left_better_by",
    "--scale",
    "-3",
    "3",
    names=MODELS,
)
def side_by_side_rating(crowd: Crowd) -> File:
    """How much better the left answer is, in a column whose name says so."""
    return votes_file(crowd, {
        "task_id": NUMBER, "left_model": LEFT, "right_model": RIGHT,
        "left_better_by": number(lambda vote: vote.grade(3)), "rater_id": WORKER,
    })  # fmt: skip
