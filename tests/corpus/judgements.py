"""Comparative judgement, psychology and image quality: forced choices of single people."""

from __future__ import annotations

import json

from corpus.crowd import ESSAYS, IMAGES, NUMBERS, PHOTOS, Crowd, Vote
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
    Made,
    Style,
    constant,
    grid,
    other,
    sheet_of,
    votes_file,
    words,
)
from corpus.layout import NOT_WRONG, RANKED, SUGGESTED, layout

MILLISECONDS = other(lambda vote: 300 + int(2000 * vote.chance))


@layout(RANKED, names=ESSAYS)
def chosen_and_not_chosen(crowd: Crowd) -> File:
    """The script that a judge chose and the one that was not chosen."""
    return votes_file(crowd, {
        "Judge ID": WORKER, "Candidate Chosen": WINNER, "Candidate Not Chosen": LOSER,
        "Exam": constant("Writing Y6"), "Time Taken": SECONDS, "Created At": MOMENT,
    })  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "Left Script",
    "--right",
    "Right Script",
    "--outcome",
    "Selected Script",
    names=ESSAYS,
)
def scripts_and_selected(crowd: Crowd) -> File:
    """Left and right script, and the selected one."""
    return votes_file(crowd, {
        "Judgement": NUMBER, "Judge": WORKER, "Left Script": LEFT, "Right Script": RIGHT,
        "Selected Script": CHOSEN, "Left Marks": other(lambda vote: int(30 * vote.chance)),
        "Right Marks": other(lambda vote: int(28 * vote.chance)), "Duration (s)": SECONDS,
    })  # fmt: skip


@layout(SUGGESTED, names=ESSAYS)
def winning_representation(crowd: Crowd) -> File:
    """Assessor, representations and the title of the selected one."""
    return votes_file(crowd, {
        "assessor": WORKER, "representation 1": LEFT, "representation 2": RIGHT,
        "selected position": words("1", "2"), "comparison title": NUMBER,
    })  # fmt: skip


def psychology(crowd: Crowd, left: str, right: str, column: str = "key") -> File:
    """A keyboard experiment; the key on the left chooses left."""
    return votes_file(crowd, {
        "participant": WORKER, "trial": NUMBER, "stim_left": LEFT, "stim_right": RIGHT,
        column: words(left, right), "rt": MILLISECONDS, "correct": constant("NA"),
    })  # fmt: skip


@layout(NOT_WRONG, names=PHOTOS)
def keys_f_and_j(crowd: Crowd) -> File:
    """f lies left of j on the keyboard."""
    return psychology(crowd, "f", "j", "key_press")


@layout(NOT_WRONG, names=PHOTOS)
def keys_z_and_m(crowd: Crowd) -> File:
    """z lies left of m."""
    return psychology(crowd, "z", "m", "resp.keys")


@layout(SUGGESTED, names=PHOTOS)
def arrow_keys(crowd: Crowd) -> File:
    """ArrowLeft and ArrowRight."""
    return psychology(crowd, "ArrowLeft", "ArrowRight", "response")


@layout(RANKED, names=PHOTOS)
def left_and_right_words(crowd: Crowd) -> File:
    """left and right."""
    return psychology(crowd, "left", "right", "response")


@layout(NOT_WRONG, names=PHOTOS)
def stimuli_in_a_list(crowd: Crowd) -> File:
    """Both stimuli in one cell, and the number of the button, which counts from 0."""
    return votes_file(crowd, {
        "rt": MILLISECONDS, "trial_type": constant("html-button-response"),
        "stimuli": other(lambda vote: [vote.left, vote.right]),
        "response": words(0, 1), "subject": WORKER,
    })  # fmt: skip


@layout(SUGGESTED, "--left", "option_0", "--right", "option_1", "--outcome", "choice", names=PHOTOS)
def options_from_zero(crowd: Crowd) -> File:
    """Options 0 and 1, and which of them was chosen."""
    return votes_file(crowd, {
        "subject": WORKER, "option_0": LEFT, "option_1": RIGHT, "choice": words(0, 1),
    })  # fmt: skip


@layout(RANKED, names=PHOTOS)
def options_from_one(crowd: Crowd) -> File:
    """Images 1 and 2, and which of them was chosen."""
    return votes_file(crowd, {
        "observer": WORKER, "image1": LEFT, "image2": RIGHT, "response": words(1, 2),
    })  # fmt: skip


@layout(NOT_WRONG, names=PHOTOS)
def chosen_without_suffix(crowd: Crowd) -> File:
    """The choice is the name of the picture without .png."""
    return votes_file(crowd, {
        "left_image": LEFT, "right_image": RIGHT,
        "choice": Made("item", lambda vote: vote.winner.removesuffix(".png")),
    })  # fmt: skip


# Types of distortion, each with levels of which 1 is the mildest.
KINDS = ("blur", "noise", "jpeg")
LEVELS = (1, 3, 5)
STIMULI = tuple(f"{kind} {level}" for kind in KINDS for level in LEVELS)


def part(side: str, place: int) -> Made:
    """Type or level of the stimulus on one side."""

    def cell(vote: Vote) -> Cell:
        found = (vote.left if side == "left" else vote.right).split()[place]
        return int(found) if place else found

    return Made(f"part of {side}", cell)


def worse(named: Made) -> Made:
    """A column that names the worse of two: another name would change its meaning."""
    return Made("worse", named.cell)


@layout(
    SUGGESTED,
    "--left",
    "dist_type1+dist_level1",
    "--right",
    "dist_type2+dist_level2",
    "--outcome",
    "response",
    names=STIMULI,
    n_votes=360,
)
def type_and_level(crowd: Crowd) -> File:
    """An item is a distortion and its level; the response is the better one."""
    return votes_file(crowd, {
        "ref_img": other(lambda vote: f"I{1 + int(4 * vote.chance):02d}"),
        "dist_type1": part("left", 0), "dist_level1": part("left", 1),
        "dist_type2": part("right", 0), "dist_level2": part("right", 1),
        "response": words(1, 2), "worker_id": WORKER,
    })  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "codec_left+qp_left",
    "--right",
    "codec_right+qp_right",
    "--outcome",
    "winner",
    names=STIMULI,
    n_votes=360,
)
def codec_and_quality(crowd: Crowd) -> File:
    """An item is a codec and its quality setting; the winner is left or right."""
    return votes_file(crowd, {
        "scene": other(lambda vote: f"scene{1 + int(3 * vote.chance)}"),
        "codec_left": part("left", 0), "qp_left": part("left", 1),
        "codec_right": part("right", 0), "qp_right": part("right", 1),
        "winner": words("left", "right", "tie"), "observer": WORKER,
    })  # fmt: skip


@layout(NOT_WRONG, names=STIMULI, n_votes=360)
def type_and_level_more_distorted(crowd: Crowd) -> File:
    """The response is the more distorted of the two: the best item was never that."""
    return votes_file(crowd, {
        "dist_type1": part("left", 0), "dist_level1": part("left", 1),
        "dist_type2": part("right", 0), "dist_level2": part("right", 1),
        "more_distorted": worse(words(2, 1)), "worker_id": WORKER,
    })  # fmt: skip


@layout(NOT_WRONG, names=PHOTOS)
def more_distorted_side(crowd: Crowd) -> File:
    """The side that looks worse: the best item is never named."""
    return votes_file(crowd, {
        "image_a": LEFT, "image_b": RIGHT, "more_distorted": worse(words("B", "A")),
        "observer": WORKER,
    })  # fmt: skip


@layout(NOT_WRONG, names=PHOTOS)
def worse_item(crowd: Crowd) -> File:
    """The worse of two pictures by its name."""
    return votes_file(crowd, {
        "image_1": LEFT, "image_2": RIGHT, "worse": worse(Made("item", lambda vote: vote.loser)),
    })  # fmt: skip


@layout(NOT_WRONG, names=NUMBERS, n_votes=40)
def votes_in_a_cell(crowd: Crowd) -> File:
    """No header: scene, two items, and a list of votes of which 1 prefers the first."""
    return votes_of_pairs(crowd, Style(separator=";", header=False))


@layout(NOT_WRONG, names=NUMBERS, n_votes=40)
def votes_in_a_cell_with_header(crowd: Crowd) -> File:
    """The same with a header."""
    return votes_of_pairs(crowd, Style(separator=";"))


def votes_of_pairs(crowd: Crowd, style: Style) -> File:
    """A row for each pair, with the votes of five observers as -1 and 1."""
    rows = []
    for vote in crowd.votes:
        difference = crowd.score[vote.left] - crowd.score[vote.right]
        votes = ["1" if difference + crowd.rng.gauss(0, 1) > 0 else "-1" for _ in range(5)]
        rows.append([1 + int(3 * vote.chance), vote.left, vote.right, ",".join(votes)])
    header = ["scene", "stimulus1", "stimulus2", "votes"]
    return File((crowd.order,), grid(header, rows), style=style, name="observers.txt")


@layout(SUGGESTED, names=IMAGES)
def task_input_and_output(crowd: Crowd) -> File:
    """Inputs and outputs of a crowdsourcing platform, as tabs."""
    return votes_file(crowd, {
        "INPUT:image_left": LEFT, "INPUT:image_right": RIGHT,
        "OUTPUT:result": words("left", "right"), "GOLDEN:result": constant(""),
        "ASSIGNMENT:task_id": NUMBER, "ASSIGNMENT:worker_id": WORKER,
        "ASSIGNMENT:status": constant("APPROVED"),
    }, name="assignments.tsv", style=Style(separator="\t"))  # fmt: skip


@layout(RANKED, names=IMAGES)
def crowd_labels(crowd: Crowd) -> File:
    """The label is the chosen item."""
    return votes_file(crowd, {"worker": WORKER, "left": LEFT, "right": RIGHT, "label": CHOSEN})


@layout(SUGGESTED, names=IMAGES)
def batch_results(crowd: Crowd) -> File:
    """Inputs and answers of a marketplace, all quoted."""
    return votes_file(crowd, {
        "HITId": other(lambda vote: f"3X{int(1e6 * vote.chance)}"), "WorkerId": WORKER,
        "AssignmentStatus": constant("Approved"), "WorkTimeInSeconds": MILLISECONDS,
        "Input.image_a": LEFT, "Input.image_b": RIGHT, "Answer.choice": words("A", "B"),
    }, style=Style(quote=True))  # fmt: skip


@layout(SUGGESTED, names=IMAGES)
def batch_flags(crowd: Crowd) -> File:
    """A column true or false for each answer."""
    return votes_file(crowd, {
        "HITId": NUMBER, "WorkerId": WORKER, "Input.image_a": LEFT, "Input.image_b": RIGHT,
        "Answer.pick.A": Made("flag", lambda vote: str(vote.margin > 0).lower()),
        "Answer.pick.B": Made("flag", lambda vote: str(vote.margin < 0).lower()),
    })  # fmt: skip


@layout(RANKED, names=IMAGES)
def panel_export(crowd: Crowd) -> File:
    """With the ids of a panel."""
    return votes_file(crowd, {
        "PROLIFIC_PID": other(lambda vote: f"5f{vote.worker:022x}"),
        "STUDY_ID": constant("64b0"), "SESSION_ID": other(lambda vote: f"s{vote.worker}"),
        "left_stimulus": LEFT, "right_stimulus": RIGHT, "chosen_stimulus": CHOSEN,
        "attention_check": constant("passed"), "Age": other(lambda vote: 20 + vote.worker),
    })  # fmt: skip


@layout(SUGGESTED, names=IMAGES)
def labelled_pairs(crowd: Crowd) -> File:
    """The short export of a labelling tool."""
    return votes_file(crowd, {
        "id": NUMBER, "image_one": LEFT, "image_two": RIGHT, "comparison": words("left", "right"),
        "annotator": WORKER, "lead_time": SECONDS,
    }, name="export.json")  # fmt: skip


@layout(NOT_WRONG, names=IMAGES)
def labelled_pairs_nested(crowd: Crowd) -> File:
    """The long export of a labelling tool."""
    found = [
        {"id": vote.number, "data": {"left": vote.left, "right": vote.right},
         "annotations": [{"completed_by": vote.worker, "result": [
             {"type": "pairwise", "value": {"selected": "left" if vote.margin > 0 else "right"}}
         ]}]}
        for vote in crowd.votes
    ]  # fmt: skip
    return File((crowd.order,), raw=json.dumps(found).encode(), name="export.json")


@layout(RANKED, names=IMAGES)
def better_flag(crowd: Crowd) -> File:
    """Whether A was selected."""
    return votes_file(crowd, {
        "condition_A": LEFT, "condition_B": RIGHT,
        "is_A_selected": Made("flag", lambda vote: int(vote.margin > 0)), "observer": WORKER,
    })  # fmt: skip


@layout(
    SUGGESTED,
    "--left",
    "left",
    "--right",
    "right",
    "--outcome",
    "left_better",
    "--scale",
    "0",
    "1",
    names=IMAGES,
)
def one_column_for_each_answer(crowd: Crowd) -> File:
    """left_better, right_better and same, of which one is 1."""

    def flag(kind: str) -> Made:
        return Made("flag", lambda vote: int(kind == (
            "same" if vote.is_near else "left" if vote.margin > 0 else "right")))  # fmt: skip

    sheet = sheet_of(crowd.votes, {
        "left": LEFT, "right": RIGHT, "left_better": flag("left"), "right_better": flag("right"),
        "same": flag("same"),
    })  # fmt: skip
    return File((crowd.order,), sheet)
