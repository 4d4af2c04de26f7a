"""Names that the field gives to the columns of votes, and the words it uses for outcomes."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """Names of the two item columns, words for their sides, and codes for left, right and tie."""

    left: str
    right: str
    sides: tuple[str, str]
    codes: tuple[tuple[str, str, str], ...]


LEFT_RIGHT = (("left", "right", "tie"), ("L", "R", "="), ("Left", "Right", "no preference"))
A_B = (
    ("A", "B", "tie"), ("a", "b", "same"), ("A>B", "B>A", "A=B"), ("A better", "B better", "equal"),
    ("prefer A", "prefer B", "neutral"), ("A is better", "B is better", "about the same"),
)  # fmt: skip
ONE_TWO = (("1", "2", "0"), ("first", "second", "equal"), ("1", "2", "tie"))
PAIRS = (
    Pair("left", "right", ("left", "right"), LEFT_RIGHT),
    Pair("stim_left", "stim_right", ("left", "right"), LEFT_RIGHT),
    Pair("LeftImage", "RightImage", ("left", "right"), LEFT_RIGHT),
    Pair("Left option", "Right option", ("left", "right"), LEFT_RIGHT),
    Pair("img_l", "img_r", ("l", "r"), (*LEFT_RIGHT, ("l", "r", "t"))),
    Pair("model_a", "model_b", ("a", "b"), (("model_a", "model_b", "tie"), *A_B)),
    Pair("Model A", "Model B", ("A", "B"), (("Model A", "Model B", "Tie"), *A_B)),
    Pair("systemA", "systemB", ("A", "B"), A_B),
    Pair("response_a_model", "response_b_model", ("a", "b"), A_B),
    Pair("Option A", "Option B", ("A", "B"), (("Option A", "Option B", "Neither"), *A_B)),
    Pair("image1", "image2", ("1", "2"), (("image1", "image2", "same"), *ONE_TWO)),
    Pair("item_1", "item_2", ("1", "2"), (("item_1", "item_2", "tie"), *ONE_TWO)),
    Pair("system1Id", "system2Id", ("1", "2"), ONE_TWO),
    Pair("generator_1", "generator_2", ("1", "2"), ONE_TWO),
    Pair("player1_name", "player2_name", ("1", "2"), ONE_TWO),
    Pair("First", "Second", ("first", "second"), ONE_TWO[1:2]),
    Pair("home", "away", ("home", "away"), (("home", "away", "draw"), ("H", "A", "D"))),
    Pair("HomeTeam", "AwayTeam", ("home", "away"), (("H", "A", "D"),)),
    Pair("White", "Black", ("white", "black"), (("1-0", "0-1", "1/2-1/2"), ("white", "black",
         "draw"))),
    Pair("item_i", "item_j", ("i", "j"), (("i", "j", "tie"),)),
    Pair("links", "rechts", ("links", "rechts"), (("links", "rechts", "unentschieden"),)),
    Pair("Bild A", "Bild B", ("A", "B"), (("A", "B", "gleich"),)),
    Pair("gauche", "droite", ("gauche", "droite"), (("gauche", "droite", "égalité"),)),
    Pair("izquierda", "derecha", ("izquierda", "derecha"), (("izquierda", "derecha", "empate"),)),
)  # fmt: skip
# Columns whose values name the preferred side or item.
OUTCOMES = (
    "winner", "Winner", "choice", "chosen", "preferred", "preference", "answer", "response",
    "result", "judgment", "judgement", "vote", "selected", "pick", "decision", "label", "verdict",
    "Which is better?", "user_choice", "preferred_item", "WINNER", "outcome", "Answer.choice",
    "OUTPUT:result", "Auswahl", "Gewinner", "choix", "ganador",
)  # fmt: skip
DECIDED = (
    ("winner", "loser"), ("Winner", "Loser"), ("winner_name", "loser_name"), ("better", "worse"),
    ("chosen", "rejected"), ("preferred", "not_preferred"), ("winning_item", "losing_item"),
    ("Candidate Chosen", "Candidate Not Chosen"), ("Winner Text", "Loser Text"), ("won", "lost"),
    ("Sieger", "Verlierer"), ("gagnant", "perdant"), ("ganador", "perdedor"), ("W", "L"),
)  # fmt: skip
WORKERS = (
    "worker", "WorkerId", "annotator", "judge_id", "participant", "Observer", "rater", "user_id",
    "PROLIFIC_PID", "Teilnehmer", "votant", "subject_nr",
)  # fmt: skip
HIGHER = ("score", "points", "goals", "rating", "mos", "accuracy", "quality", "pts")
LOWER = ("rank", "wer", "error", "time", "loss", "place", "position", "cost", "strokes")
MEASURED = ("{stem}_{side}", "{side}_{stem}", "{stem} {side}", "{stem}{side}")
