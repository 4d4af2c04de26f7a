"""Headers and words in other languages than English."""

from __future__ import annotations

from corpus.crowd import LATIN_TOWNS, Crowd
from corpus.files import (
    CHOSEN,
    LEFT,
    LOSER,
    NUMBER,
    RIGHT,
    WINNER,
    WORKER,
    File,
    Style,
    number,
    votes_file,
    words,
)
from corpus.layout import NOT_WRONG, SUGGESTED, layout


@layout(SUGGESTED, names=LATIN_TOWNS)
def german_words(crowd: Crowd) -> File:
    """links and rechts are left and right."""
    return votes_file(crowd, {
        "Nr": NUMBER, "links": LEFT, "rechts": RIGHT, "Gewinner": words("links", "rechts",
        "unentschieden"), "Teilnehmer": WORKER,
    }, style=Style(separator=";"))  # fmt: skip


@layout(SUGGESTED, names=LATIN_TOWNS)
def german_items(crowd: Crowd) -> File:
    """Bild 1, Bild 2 and the chosen one."""
    return votes_file(crowd, {
        "Versuchsperson": WORKER, "Bild_1": LEFT, "Bild_2": RIGHT, "Auswahl": CHOSEN,
    }, style=Style(separator=";"))  # fmt: skip


@layout(NOT_WRONG, "--winner", "Sieger", "--loser", "Verlierer", names=LATIN_TOWNS)
def german_winner_and_loser(crowd: Crowd) -> File:
    """Sieger and Verlierer; the loser comes first."""
    return votes_file(crowd, {"Runde": NUMBER, "Verlierer": LOSER, "Sieger": WINNER})


@layout(SUGGESTED, "--left", "gauche", "--right", "droite", "--outcome", "choix", names=LATIN_TOWNS)
def french_words(crowd: Crowd) -> File:
    """gauche and droite are left and right."""
    return votes_file(crowd, {
        "participant": WORKER, "gauche": LEFT, "droite": RIGHT,
        "choix": words("gauche", "droite", "égalité"),
    })  # fmt: skip


@layout(NOT_WRONG, "--winner", "gagnant", "--loser", "perdant", names=LATIN_TOWNS)
def french_winner_and_loser(crowd: Crowd) -> File:
    """perdant and gagnant; the loser comes first."""
    return votes_file(crowd, {"perdant": LOSER, "gagnant": WINNER, "votant": WORKER})


@layout(SUGGESTED, names=LATIN_TOWNS)
def spanish_words(crowd: Crowd) -> File:
    """izquierda and derecha are left and right."""
    return votes_file(crowd, {
        "izquierda": LEFT, "derecha": RIGHT, "ganador": words("izquierda", "derecha", "empate"),
        "usuario": WORKER,
    })  # fmt: skip


@layout(SUGGESTED, names=LATIN_TOWNS)
def spanish_items(crowd: Crowd) -> File:
    """opción A, opción B and the preferred one."""
    return votes_file(crowd, {
        "persona": WORKER, "opción A": LEFT, "opción B": RIGHT, "preferida": words("A", "B"),
    })  # fmt: skip


@layout(SUGGESTED, names=LATIN_TOWNS)
def italian_items(crowd: Crowd) -> File:
    """The chosen of two by its name."""
    return votes_file(crowd, {
        "primo": LEFT, "secondo": RIGHT, "scelto": CHOSEN, "giudice": WORKER,
    }, style=Style(separator="\t"))  # fmt: skip


@layout(SUGGESTED, names=LATIN_TOWNS)
def german_decimal_commas(crowd: Crowd) -> File:
    """Grades from -1,0 to 1,0 of which 1,0 prefers left."""
    return votes_file(crowd, {
        "left": LEFT, "right": RIGHT, "outcome": number(lambda vote: vote.grade(4) / 4),
    }, style=Style(separator=";", decimal_comma=True))  # fmt: skip
