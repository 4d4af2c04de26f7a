"""Files in which a familiar column means something else than it mostly does."""

from __future__ import annotations

from corpus.crowd import DRINKS, MODELS, PLAYERS, TEAMS, Crowd, Vote
from corpus.files import (
    CHOSEN,
    LEFT,
    LOSER,
    NUMBER,
    RIGHT,
    WINNER,
    WORKER,
    Cell,
    File,
    Made,
    grid,
    other,
    sheet_of,
    votes_file,
    words,
)
from corpus.layout import ERROR, NOT_WRONG, RANKED, SUGGESTED, layout


def lengths(vote: Vote) -> int:
    """A number of words."""
    return 20 + int(400 * vote.chance)


@layout(SUGGESTED, names=PLAYERS)
def rank1_and_rank2(crowd: Crowd) -> File:
    """Places of two players in numbered columns: no ranking of several items."""
    return votes_file(crowd, {
        "race": NUMBER, "player1": LEFT, "player2": RIGHT,
        "rank1": Made("lower", lambda vote: 1 + int(4 * vote.chance) + 3 * (vote.margin < 0)),
        "rank2": Made("lower", lambda vote: 2 + int(4 * vote.chance)),
    })  # fmt: skip


@layout(RANKED, names=TEAMS)
def points_of_winner_and_loser(crowd: Crowd) -> File:
    """Points of the winner and the loser stand before their names."""
    return votes_file(crowd, {
        "winner_points": other(lambda vote: 70 + int(30 * vote.chance)),
        "loser_points": other(lambda vote: 60 + int(9 * vote.chance)),
        "winner_team": WINNER, "loser_team": LOSER,
    })  # fmt: skip


@layout(RANKED, names=MODELS)
def word_counts_beside_winner(crowd: Crowd) -> File:
    """Numbers of words of both answers are no votes for them."""
    return votes_file(crowd, {
        "model_a": LEFT, "model_b": RIGHT, "winner": words("model_a", "model_b", "tie"),
        "word_count_a": other(lengths), "word_count_b": other(lambda vote: 430 - lengths(vote)),
    })  # fmt: skip


@layout(RANKED, names=MODELS)
def token_numbers_beside_winner(crowd: Crowd) -> File:
    """n_a and n_b are numbers of tokens."""
    return votes_file(crowd, {
        "judge": WORKER, "model_a": LEFT, "model_b": RIGHT, "n_a": other(lengths),
        "n_b": other(lambda vote: 430 - lengths(vote)), "winner": words("A", "B", "tie"),
    })  # fmt: skip


@layout(RANKED, names=MODELS)
def label_of_the_test(crowd: Crowd) -> File:
    """The label is the arm of an experiment; the winner is in a column of its own."""
    return votes_file(crowd, {
        "label": other(lambda vote: "A" if vote.chance < 0.5 else "B"), "model_a": LEFT,
        "model_b": RIGHT, "winner": CHOSEN,
    })  # fmt: skip


@layout(RANKED, names=MODELS)
def result_of_the_call(crowd: Crowd) -> File:
    """The outcome is that of the request; the preferred side is in `preferred`."""
    return votes_file(crowd, {
        "model_a": LEFT, "model_b": RIGHT, "outcome": other(lambda vote: "ok"),
        "preferred": words("model_a", "model_b"),
    })  # fmt: skip


def sets_of_four(crowd: Crowd) -> list[tuple[list[str], int]]:
    """Four items, and the place of the best among them from 0."""
    found = []
    for _ in range(300):
        order = crowd.ranking()
        shown = crowd.rng.sample(order, 4)
        found.append((shown, shown.index(min(shown, key=order.index))))
    return found


@layout(SUGGESTED, names=DRINKS)
def choice_by_place(crowd: Crowd) -> File:
    """The chosen of four options by its number."""
    rows: list[list[Cell]] = [[*shown, best + 1] for shown, best in sets_of_four(crowd)]
    return File((crowd.order,), grid(["option1", "option2", "option3", "option4", "choice"], rows))


@layout(SUGGESTED, names=DRINKS)
def choice_by_letter(crowd: Crowd) -> File:
    """The chosen of four options by its letter."""
    rows: list[list[Cell]] = [[*shown, "ABCD"[best]] for shown, best in sets_of_four(crowd)]
    header = ["option_a", "option_b", "option_c", "option_d", "answer"]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=DRINKS)
def position_on_the_screen(crowd: Crowd) -> File:
    """The position is where an item was shown; more stars are better."""
    return shown_and_rated(crowd, ["participant", "item", "position", "rating"])


@layout(NOT_WRONG, names=DRINKS)
def order_of_presentation(crowd: Crowd) -> File:
    """The order is when an item was shown; a higher score is better."""
    return shown_and_rated(crowd, ["subject", "stimulus", "order", "score"])


def shown_and_rated(crowd: Crowd, header: list[str]) -> File:
    """Single items with a random place of presentation and a rating."""
    rows: list[list[Cell]] = []
    for person in range(40):
        order = crowd.ranking()
        shown = crowd.rng.sample(order, len(order))
        rows += [[person, name, k + 1, 9 - order.index(name)] for k, name in enumerate(shown)]
    return File((crowd.order,), grid(header, rows))


@layout(ERROR, names=DRINKS)
def confusion_matrix(crowd: Crowd) -> File:
    """What was shown and what was recognised: the diagonal is full, and nothing won."""
    names = sorted(crowd.order)
    rows: list[list[Cell]] = [
        [a, *(60 if a == b else int(9 * crowd.rng.random()) for b in names)] for a in names
    ]
    return File(None, grid(["true \\ predicted", *names], rows))


@layout(ERROR)
def square_of_measurements(crowd: Crowd) -> File:
    """As many people as measurements, by chance."""
    rows = [[20 + vote.worker, 150 + vote.number, 60 + vote.worker, int(9 * vote.chance)]
            for vote in crowd.votes[:4]]  # fmt: skip
    return File(None, grid(["age", "height", "weight", "visits"], rows))


@layout(ERROR)
def two_ages(crowd: Crowd) -> File:
    """Ages of couples and an answer about something else."""
    sheet = sheet_of(crowd.votes, {
        "couple": NUMBER, "age_1": other(lambda vote: 20 + int(40 * vote.chance)),
        "age_2": other(lambda vote: 22 + vote.number % 35), "answer": words("yes", "no"),
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def before_and_after(crowd: Crowd) -> File:
    """Answers of one person on two days."""
    sheet = sheet_of(crowd.votes, {
        "person": NUMBER, "answer_1": other(lambda vote: "ABCD"[int(4 * vote.chance)]),
        "answer_2": other(lambda vote: "ABCD"[vote.number % 4]),
        "same": other(lambda vote: int(vote.chance < 0.3)),
    })  # fmt: skip
    return File(None, sheet)


@layout(RANKED, names=TEAMS)
def wins_before_the_match(crowd: Crowd) -> File:
    """Wins of both teams so far; the result is in a column of its own."""
    return votes_file(crowd, {
        "home": LEFT, "away": RIGHT, "home_wins": other(lambda vote: int(12 * vote.chance)),
        "away_wins": other(lambda vote: 11 - int(12 * vote.chance)), "result": words("H", "A", "D"),
    })  # fmt: skip


@layout(NOT_WRONG, names=DRINKS)
def loser_only(crowd: Crowd) -> File:
    """Two items and the one that lost."""
    lost = Made("worse", lambda vote: vote.loser)
    return votes_file(crowd, {"left": LEFT, "right": RIGHT, "loser": lost, "judge": WORKER})


@layout(NOT_WRONG, names=DRINKS)
def least_preferred(crowd: Crowd) -> File:
    """Two items and the one that was preferred less."""
    least = Made("worse", lambda vote: "B" if vote.margin > 0 else "A")
    return votes_file(crowd, {"option_a": LEFT, "option_b": RIGHT, "least_preferred": least})


@layout(NOT_WRONG, names=DRINKS)
def rejected_side(crowd: Crowd) -> File:
    """Two items and the side that was rejected."""
    rejected = Made("worse", lambda vote: "right" if vote.margin > 0 else "left")
    return votes_file(crowd, {"left": LEFT, "right": RIGHT, "rejected": rejected})


def alternatives(crowd: Crowd) -> list[tuple[Vote, str, int, int]]:
    """For both items of each vote: the item, where it was shown, and whether it was chosen."""
    found = []
    for vote in crowd.votes:
        shown = crowd.rng.sample((vote.left, vote.right), 2)
        found += [(vote, name, k + 1, int(name == vote.winner)) for k, name in enumerate(shown)]
    return found


@layout(NOT_WRONG, names=DRINKS)
def alternatives_with_position(crowd: Crowd) -> File:
    """A row for each alternative: where it was shown, and whether it was chosen."""
    header = ["participant", "trial", "item", "position", "chosen"]
    rows: list[list[Cell]] = [
        [f"p{vote.worker}", vote.number, name, place, chosen]
        for vote, name, place, chosen in alternatives(crowd)
    ]
    return File((crowd.order,), grid(header, rows))


@layout(NOT_WRONG, names=DRINKS)
def alternatives_and_choice(crowd: Crowd) -> File:
    """A row for each alternative of an observation, and whether it was chosen."""
    rows: list[list[Cell]] = [
        [vote.number, place, name, chosen == 1] for vote, name, place, chosen in alternatives(crowd)
    ]
    return File((crowd.order,), grid(["obsID", "altID", "alternative", "choice"], rows))


@layout(NOT_WRONG)
def features_and_label(crowd: Crowd) -> File:
    """Two features of an example, and its class."""
    sheet = sheet_of(crowd.votes, {
        "feature_1": other(lambda vote: int(10 * vote.chance)),
        "feature_2": other(lambda vote: vote.number % 10), "label": words(1, -1),
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def sentence_pairs(crowd: Crowd) -> File:
    """Whether two sentences mean the same."""
    sheet = sheet_of(crowd.votes[:60], {
        "sentence1": other(lambda vote: f"A dog with {vote.number} spots runs."),
        "sentence2": other(lambda vote: f"An animal moves, {vote.chance:.5f}."),
        "label": other(lambda vote: int(vote.chance < 0.5)),
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def duplicate_questions(crowd: Crowd) -> File:
    """Whether two questions are the same."""
    sheet = sheet_of(crowd.votes, {
        "qid1": other(lambda vote: int(40 * vote.chance)), "qid2": other(lambda v: v.number % 40),
        "question1": LEFT, "question2": RIGHT,
        "is_duplicate": other(lambda vote: int(vote.chance < 0.4)),
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def weighted_edges(crowd: Crowd) -> File:
    """Edges of a graph with weights."""
    sheet = sheet_of(crowd.votes, {
        "node1": LEFT, "node2": RIGHT, "weight": other(lambda vote: round(vote.chance, 2)),
    })  # fmt: skip
    return File(None, sheet)


@layout(ERROR)
def odd_one_out(crowd: Crowd) -> File:
    """Which of three items differs from the others: nothing is better."""
    rows: list[list[Cell]] = []
    for vote in crowd.votes:
        shown = crowd.rng.sample(crowd.order, 3)
        rows.append([*shown, shown[int(3 * vote.chance)], f"w{vote.worker}"])
    return File(None, grid(["image1", "image2", "image3", "odd_one", "worker"], rows))


@layout(NOT_WRONG)
def agreement_of_two_raters(crowd: Crowd) -> File:
    """Labels that two raters gave to the same text, and the final one."""
    kinds = ("toxic", "neutral", "friendly", "spam")
    rows: list[list[Cell]] = []
    for vote in crowd.votes:
        one, two = kinds[int(4 * vote.chance)], kinds[vote.number % 4]
        rows.append([vote.number, one, two, one if vote.worker < 5 else two])
    return File(None, grid(["text_id", "rater_1", "rater_2", "final"], rows))
