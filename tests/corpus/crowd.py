"""A simulated crowd whose true order is known, strong enough that a right reading finds it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from random import Random

MOST_TAU_OF_SIDES = 0.25  # taking the left item for the winner must not look right by chance
NEAR = 0.3  # a vote with a smaller margin is a tie where the layout has ties

IMAGES = ("harbour", "meadow", "tunnel", "market", "orchard", "glacier", "library", "viaduct")
SYSTEMS = ("onlineK", "babelbox", "uni-nord", "tlx-3", "parrot", "glossa", "wordloom", "cadmus")
MODELS = ("kestrel-7b", "otter-13b", "basalt-2", "quill-mini", "tundra-xl", "ember-1", "pipit",
          "sable-70b", "vole-3")  # fmt: skip
TEAMS = ("Norhaven", "Ostrava Vale", "Quillmouth", "Tarn United", "Lowick", "Petersgate",
         "Dunmere", "Ashby Rovers")  # fmt: skip
PLAYERS = ("Ilse Varga", "Noor Haddad", "Pia Lindqvist", "Tomas Okafor", "Rui Teles", "Jana Kruse",
           "Emil Sato", "Cleo Marchetti", "Aron Weiss")  # fmt: skip
ESSAYS = ("S-1041", "S-1187", "S-1203", "S-1316", "S-1420", "S-1533", "S-1609", "S-1774", "S-1851")
DRINKS = ("tea", "cocoa", "cider", "lemonade", "tonic", "kefir", "mate", "horchata")
IDEAS = ("more bike lanes", "longer library hours", "plant street trees", "free swimming lessons",
         "open the old mill", "repair the bridge", "a night bus", "a skate park")  # fmt: skip
PHOTOS = ("p03.png", "p11.png", "p18.png", "p24.png", "p37.png", "p42.png", "p56.png", "p61.png")
TOWNS = ("Köpenick", "Añasco", "Orléans", "Łomża", "Šibenik", "Førde", "Açores", "Zürich")
LATIN_TOWNS = ("Köpenick", "Añasco", "Orléans", "Mâcon", "Évora", "Førde", "Açores", "Zürich")
NUMBERS = ("104", "117", "123", "131", "148", "152", "166", "175", "189")


@dataclass(frozen=True)
class Vote:
    """One vote; the margin is positive if left was preferred."""

    left: str
    right: str
    margin: float
    worker: int
    number: int
    chance: float  # for cells that mean nothing

    @property
    def winner(self) -> str:
        return self.left if self.margin > 0 else self.right

    @property
    def loser(self) -> str:
        return self.right if self.margin > 0 else self.left

    @property
    def is_near(self) -> bool:
        return abs(self.margin) < NEAR

    def grade(self, most: int) -> int:
        """A whole number from -most (right) to most (left), rarely 0."""
        size = min(most, round(abs(self.margin) * most / 4 + 0.3))
        return size if self.margin > 0 else -size


class Crowd:
    """Items in their true order, and votes on random pairs of them."""

    def __init__(self, seed: str, names: tuple[str, ...], n_votes: int = 240) -> None:
        self.rng = rng = Random(seed)
        self.order = tuple(rng.sample(names, len(names)))
        self.score = {name: 1.2 * (len(names) - k) for k, name in enumerate(self.order)}
        self.votes = [self._vote(rng, number) for number in range(n_votes)]
        while abs(self._tau_of_sides()) > MOST_TAU_OF_SIDES:
            self.votes = [self._vote(rng, number) for number in range(n_votes)]

    def _vote(self, rng: Random, number: int) -> Vote:
        left, right = rng.sample(self.order, 2)
        margin = self.score[left] - self.score[right] + rng.gauss(0, 1)
        return Vote(left, right, margin, rng.randrange(12), number, rng.random())

    def _tau_of_sides(self) -> float:
        """Kendall's tau of the truth with the ranking in which left always wins."""
        shown = Counter(vote.left for vote in self.votes)
        shown.subtract(vote.right for vote in self.votes)
        pairs = list(combinations(self.order, 2))
        signs = ((shown[a] > shown[b]) - (shown[a] < shown[b]) for a, b in pairs)
        return sum(signs) / len(pairs)

    def ranking(self) -> list[str]:
        """The order that one voter would give, best first."""
        noisy = {name: score + self.rng.gauss(0, 0.8) for name, score in self.score.items()}
        return sorted(noisy, key=noisy.__getitem__, reverse=True)

    def wins(self, per_pair: int) -> dict[tuple[str, str], int]:
        """How often each item beat each other one, of that many votes."""
        counts = {}
        for a, b in combinations(sorted(self.order), 2):
            difference = self.score[a] - self.score[b]
            won = sum(difference + self.rng.gauss(0, 1) > 0 for _ in range(per_pair))
            counts[a, b], counts[b, a] = won, per_pair - won
        return counts
