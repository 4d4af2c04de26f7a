"""Two measurements per row, or a signed difference: which direction is better must be known."""

from __future__ import annotations

from corpus.crowd import MODELS, SYSTEMS, Crowd, Vote
from corpus.files import (
    LEFT,
    NUMBER,
    RIGHT,
    SECONDS,
    WORKER,
    Cell,
    File,
    Made,
    constant,
    grid,
    number,
    other,
    votes_file,
)
from corpus.layout import ERROR, NOT_WRONG, SUGGESTED, layout


def measured(side: int, best: float, step: float, digits: int = 1) -> Made:
    """A measurement of one side; a negative step means that lower is better."""

    def cell(vote: Vote) -> Cell:
        value = best + step * (side * vote.margin / 2 + 6 * vote.chance)  # and what both share
        return round(value, digits) if digits else round(value)

    return Made("higher" if step > 0 else "lower", cell)


def place(side: int) -> Made:
    """1 for the better side, 2 for the other; near votes share place 1."""
    return Made("lower", lambda vote: 1 if vote.is_near or side * vote.margin > 0 else 2)


@layout(SUGGESTED, names=SYSTEMS)
def wmt_pairs(crowd: Crowd) -> File:
    """Ranks of two translation systems: the lower rank is better."""
    return votes_file(crowd, {
        "srclang": constant("eng"), "trglang": constant("ces"),
        "srcIndex": other(lambda vote: 100 + vote.number // 3), "segmentId": NUMBER,
        "judgeId": WORKER, "system1Id": LEFT, "system2Id": RIGHT,
        "system1rank": place(1), "system2rank": place(-1),
    })  # fmt: skip


@layout(NOT_WRONG, names=SYSTEMS, n_votes=60)
def wmt_five(crowd: Crowd) -> File:
    """Ranks of five systems in one row: the lower rank is better."""
    header = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    header += [f"system{k}{what}" for k in range(1, 6) for what in ("Number", "Id")]
    header += [f"system{k}rank" for k in range(1, 6)]
    rows = []
    for vote in crowd.votes:
        order = crowd.ranking()
        shown = crowd.rng.sample(order, 5)
        placed = sorted(shown, key=order.index)
        row = ["eng", "ces", vote.number, "doc-3", vote.number, f"j{vote.worker}"]
        row += [cell for name in shown for cell in (1 + sorted(order).index(name), name)]
        rows.append([*row, *(1 + placed.index(name) for name in shown)])
    return File((crowd.order,), grid(header, rows))


@layout(SUGGESTED, names=MODELS)
def score_columns(crowd: Crowd) -> File:
    """Scores of two models: higher is better, as scores are."""
    return votes_file(crowd, {
        "prompt_id": NUMBER, "model_a": LEFT, "model_b": RIGHT,
        "score_a": measured(1, 5, 1), "score_b": measured(-1, 5, 1),
    })  # fmt: skip


@layout(SUGGESTED)
def rank_columns(crowd: Crowd) -> File:
    """Ranks of two items: lower is better, as ranks are."""
    return votes_file(crowd, {
        "rater": WORKER, "item_a": LEFT, "item_b": RIGHT, "rank_a": place(1), "rank_b": place(-1),
    })  # fmt: skip


@layout(SUGGESTED)
def opinion_scores(crowd: Crowd) -> File:
    """Mean opinion scores of two stimuli: higher is better."""
    return votes_file(crowd, {
        "stimulus1": LEFT, "stimulus2": RIGHT,
        "mos1": measured(1, 3, 0.4, 2), "mos2": measured(-1, 3, 0.4, 2),
    })  # fmt: skip


@layout(SUGGESTED)
def rating_columns(crowd: Crowd) -> File:
    """Ratings of two designs on a scale: higher is better."""
    return votes_file(crowd, {
        "participant": WORKER, "design_left": LEFT, "design_right": RIGHT,
        "rating_left": measured(1, 50, 8, 0), "rating_right": measured(-1, 50, 8, 0),
        "rt": SECONDS,
    })  # fmt: skip


@layout(NOT_WRONG, names=MODELS)
def error_rates(crowd: Crowd) -> File:
    """Word error rates: lower is better."""
    return votes_file(crowd, {
        "utterance": NUMBER, "system_1": LEFT, "system_2": RIGHT,
        "wer_1": measured(1, 14, -1.5), "wer_2": measured(-1, 14, -1.5),
    })  # fmt: skip


@layout(NOT_WRONG, names=MODELS)
def losses(crowd: Crowd) -> File:
    """Losses of two models: lower is better, and nobody lost a game."""
    return votes_file(crowd, {
        "batch": NUMBER, "model_a": LEFT, "model_b": RIGHT,
        "loss_a": measured(1, 3, -0.3, 3), "loss_b": measured(-1, 3, -0.3, 3),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "1", "7")
def likert_more_is_left(crowd: Crowd) -> File:
    """Grades from 1 to 7 where 7 prefers left, which the file does not say."""
    return votes_file(crowd, {
        "participant": WORKER, "left": LEFT, "right": RIGHT,
        "rating": number(lambda vote: 4 + vote.grade(3)),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "7", "1")
def likert_more_is_right(crowd: Crowd) -> File:
    """Grades from 1 to 7 where 7 prefers right, which the file does not say."""
    return votes_file(crowd, {
        "participant": WORKER, "left": LEFT, "right": RIGHT,
        "rating": number(lambda vote: 4 - vote.grade(3)),
    })  # fmt: skip


@layout(SUGGESTED)
def likert_header_says(crowd: Crowd) -> File:
    """Grades from 1 to 7 where 1 prefers A: the header says so."""
    return votes_file(crowd, {
        "rater": WORKER, "video A": LEFT, "video B": RIGHT,
        "Rating (1 = A much better, 7 = B much better)": number(lambda vote: 4 - vote.grade(3)),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "-3", "3")
def signed_more_is_left(crowd: Crowd) -> File:
    """Grades from -3 to 3 where 3 prefers the first, which the file does not say."""
    return votes_file(crowd, {
        "observer": WORKER, "stim_a": LEFT, "stim_b": RIGHT,
        "preference": number(lambda vote: vote.grade(3)),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "3", "-3")
def signed_more_is_right(crowd: Crowd) -> File:
    """Comparison category ratings: 3 says that the second is much better than the first."""
    return votes_file(crowd, {
        "observer": WORKER, "stim_a": LEFT, "stim_b": RIGHT,
        "preference": number(lambda vote: -vote.grade(3)),
    })  # fmt: skip


@layout(
    NOT_WRONG, "--left", "reference", "--right", "test", "--outcome", "cmos", "--scale", "3", "-3"
)
def comparison_category_rating(crowd: Crowd) -> File:
    """CMOS of a test beside a reference: positive prefers the test."""
    return votes_file(crowd, {
        "listener": WORKER, "reference": LEFT, "test": RIGHT,
        "cmos": number(lambda vote: -vote.grade(3)),
    })  # fmt: skip


@layout(SUGGESTED, "--left", "imageA", "--right", "imageB", "--outcome", "pA", "--scale", "0", "1")
def share_that_prefers_a(crowd: Crowd) -> File:
    """The share of people who preferred A."""
    return votes_file(crowd, {
        "imageA": LEFT, "imageB": RIGHT,
        "pA": number(lambda vote: round(min(0.99, max(0.01, 0.5 + vote.margin / 12)), 2)),
    })  # fmt: skip


@layout(SUGGESTED)
def plain_numbers(crowd: Crowd) -> File:
    """-1, 0 and 1, where 1 prefers left as the documentation says."""
    return votes_file(crowd, {
        "left": LEFT, "right": RIGHT,
        "outcome": number(lambda vote: 0 if vote.is_near else 1 if vote.margin > 0 else -1),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "0", "1")
def zero_or_one(crowd: Crowd) -> File:
    """1 if left was chosen, 0 if right; the file does not say so."""
    return votes_file(crowd, {
        "left": LEFT, "right": RIGHT, "response": number(lambda vote: int(vote.margin > 0)),
    })  # fmt: skip


@layout(NOT_WRONG, "--scale", "1", "0")
def zero_or_one_is_right(crowd: Crowd) -> File:
    """1 if right was chosen, 0 if left; the file does not say so."""
    return votes_file(crowd, {
        "left": LEFT, "right": RIGHT, "response": number(lambda vote: int(vote.margin < 0)),
    })  # fmt: skip


@layout(NOT_WRONG, "--left", "img_x", "--right", "img_y", "--outcome", "pick")
def flags_beside_items(crowd: Crowd) -> File:
    """Columns of -1 and 1 are qualities of a vote; the chosen item is in `pick`."""
    flag = other(lambda vote: -1 if vote.chance < 0.5 else 1)
    return votes_file(crowd, {
        "flag_1": flag, "flag_2": other(lambda vote: -1 if vote.chance < 0.3 else 1),
        "img_x": LEFT, "img_y": RIGHT, "pick": Made("item", lambda vote: vote.winner),
        "catch": flag,
    })  # fmt: skip


@layout(ERROR, names=MODELS)
def scores_without_items(crowd: Crowd) -> File:
    """Scores of two answers, and nothing that says whose answers they are."""
    file = votes_file(crowd, {
        "prompt_id": NUMBER, "score_a": measured(1, 5, 1), "score_b": measured(-1, 5, 1),
        "judge": WORKER,
    })  # fmt: skip
    file.truth = None
    return file
