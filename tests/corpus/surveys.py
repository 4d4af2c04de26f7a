"""Wikisurveys, forms and survey platforms; one row per answer or one per respondent."""

from __future__ import annotations

from itertools import combinations

from corpus.crowd import DRINKS, IDEAS, Crowd
from corpus.files import (
    CHOSEN,
    LEFT,
    LOSER,
    MOMENT,
    NUMBER,
    RIGHT,
    SECONDS,
    WINNER,
    WORKER,
    Cell,
    File,
    constant,
    grid,
    other,
    votes_file,
    words,
)
from corpus.layout import NOT_WRONG, RANKED, SUGGESTED, layout

SOME = DRINKS[:6]


@layout(RANKED, "--where", "Valid = 'TRUE'", names=IDEAS)
def wikisurvey(crowd: Crowd) -> File:
    """Winner and loser by id and by text; some votes are no longer valid."""
    ids = {name: 310 + k for k, name in enumerate(sorted(crowd.order))}
    file = votes_file(crowd, {
        "Vote ID": other(lambda vote: 70001 + vote.number), "Session ID": WORKER,
        "Wikisurvey ID": constant(1187),
        "Winner ID": other(lambda vote: ids[vote.winner]), "Winner Text": WINNER,
        "Loser ID": other(lambda vote: ids[vote.loser]), "Loser Text": LOSER,
        "Prompt ID": other(lambda vote: 5000 + int(900 * vote.chance)),
        "Created at": MOMENT, "Response Time (s)": SECONDS,
        "Valid": other(lambda vote: "FALSE" if vote.chance < 0.1 else "TRUE"),
        "Tracking": constant(""),
    })  # fmt: skip
    file.aliases = {str(number): name for name, number in ids.items()}
    return file


@layout(RANKED, names=IDEAS)
def winner_loser_and_tie(crowd: Crowd) -> File:
    """Winner and loser, and whether it was a tie after all."""
    return votes_file(crowd, {
        "winner": WINNER, "loser": LOSER, "is_tie": other(lambda vote: str(vote.is_near).upper()),
        "voter": WORKER,
    })  # fmt: skip


@layout(SUGGESTED, names=IDEAS)
def answers_a_and_b(crowd: Crowd) -> File:
    """A better, B better, neutral."""
    return votes_file(crowd, {
        "Respondent": WORKER, "Option A": LEFT, "Option B": RIGHT,
        "Answer": words("A better", "B better", "neutral"),
    })  # fmt: skip


@layout(SUGGESTED, names=IDEAS)
def answers_in_sentences(crowd: Crowd) -> File:
    """I prefer A, I prefer B, both are similar."""
    said = words("I prefer option A", "I prefer option B", "Both are similar")
    return votes_file(crowd, {
        "user": WORKER, "option_a": LEFT, "option_b": RIGHT, "answer": said,
    })  # fmt: skip


@layout(SUGGESTED, names=IDEAS)
def answers_unsure(crowd: Crowd) -> File:
    """Left, Right, and not sure for close pairs."""
    return votes_file(crowd, {
        "left": LEFT, "right": RIGHT, "answer": words("Left", "Right", "not sure"),
    })  # fmt: skip


@layout(RANKED, names=IDEAS)
def answers_first_and_second(crowd: Crowd) -> File:
    """first and second."""
    return votes_file(crowd, {
        "first_idea": LEFT, "second_idea": RIGHT, "preferred": words("first", "second"),
        "voter_id": WORKER,
    })  # fmt: skip


def sheet_of_people(crowd: Crowd, n_people: int) -> list[dict[tuple[str, str], str]]:
    """For every respondent the preferred item of every pair."""
    people = []
    for _ in range(n_people):
        order = crowd.ranking()
        people.append({pair: min(pair, key=order.index) for pair in combinations(SOME, 2)})
    return people


@layout(NOT_WRONG, names=SOME)
def form_questions(crowd: Crowd) -> File:
    """A question for each pair, answered with the name of the preferred item."""
    people = sheet_of_people(crowd, 30)
    header = ["Timestamp", *(f"Which is better: {a} or {b}?" for a, b in people[0])]
    rows = [[f"2024/03/{k + 1:02d} 10:00", *said.values()] for k, said in enumerate(people)]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=SOME)
def survey_platform(crowd: Crowd) -> File:
    """Three header rows: short names, questions, and import ids."""
    people = sheet_of_people(crowd, 30)
    pairs = list(people[0])
    header = ["StartDate", "ResponseId", "Finished", *(f"Q{k + 1}" for k in range(len(pairs)))]
    rows: list[list[Cell]] = [
        ["Start Date", "Response ID", "Finished", *(f"{a} or {b}?" for a, b in pairs)],
        [f'{{"ImportId":"{name}"}}' for name in header],
    ]
    rows += [["2024-03-01", f"R_{k}", "True", *said.values()] for k, said in enumerate(people)]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=SOME)
def survey_platform_votes(crowd: Crowd) -> File:
    """A row per vote, below three header rows."""
    header = ["ResponseId", "left", "right", "choice"]
    rows: list[list[Cell]] = [
        ["Response ID", "Left item", "Right item", "Which do you prefer?"],
        [f'{{"ImportId":"{name}"}}' for name in header],
    ]
    rows += [[f"R_{v.worker}", v.left, v.right, v.winner] for v in crowd.votes]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=SOME)
def pair_columns(crowd: Crowd) -> File:
    """A column for each pair: 1 prefers the first of it, -1 the second."""
    people = sheet_of_people(crowd, 30)
    header = [f"{a}:{b}" for a, b in people[0]]
    rows = [[1 if best == a else -1 for (a, _), best in said.items()] for said in people]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=SOME)
def numbered_pair_columns(crowd: Crowd) -> File:
    """The same with names that do not say which pair is meant."""
    people = sheet_of_people(crowd, 30)
    header = ["id", *(f"V{k + 1}" for k in range(len(people[0]))), "SEX"]
    rows = [
        [k, *(1 if best == a else -1 for (a, _), best in said.items()), 1 + k % 2]
        for k, said in enumerate(people)
    ]
    return File(None, grid(header, rows))


@layout(SUGGESTED, names=IDEAS)
def answered_pairs(crowd: Crowd) -> File:
    """Question numbers, texts of both options and the text of the answer."""
    return votes_file(crowd, {
        "Q#": NUMBER, "Text of option 1": LEFT, "Text of option 2": RIGHT,
        "Text of answer": CHOSEN, "IP": constant("-"),
    })  # fmt: skip


@layout(SUGGESTED, "--left", "this", "--right", "that", "--outcome", "pick", names=IDEAS)
def columns_this_and_that(crowd: Crowd) -> File:
    """Names that say nothing of sides; the pick names one of the two."""
    return votes_file(crowd, {
        "who": WORKER, "this": LEFT, "that": RIGHT, "pick": CHOSEN,
    })  # fmt: skip
