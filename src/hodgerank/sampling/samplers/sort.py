"""SortSampler: prove the order of items for a judge who does not contradict himself."""

from __future__ import annotations

from hodgerank.errors import InvalidArgument
from hodgerank.sampling.designs.adaptive import AdaptiveDesign
from hodgerank.sampling.designs.sort import MOST_ITEMS
from hodgerank.sampling.samplers.auto import AutoSampler


class SortSampler(AutoSampler):
    """Sorts by insertion: the fewest questions that prove the order of a consistent judge.

    For judges who would answer every question alike again, and never in a circle: a measuring
    instrument, one expert, a language model at temperature 0. The order of 10, 30 and 100 items
    follows from about 2.2, 3.7 and 5.3 answers per item. Questions whose answer follows from
    earlier ones are not asked, whoever chose those. A tie makes two items equal.

    When the order is known, neighbours are compared again, and items next to them, until
    enough answers agreed to say that it is established, if answers are consistent; see
    `is_established`. After an answer that contradicts others, and then for good, it chooses as
    `AutoSampler` does. Before the order is known, items not yet inserted have no place: with
    less than the votes above, `AutoSampler` finds the better ranking.

    Parameters
    ----------
    items
        At most 1,000.
    seed, probes, vetting, display, candidates, position_bias
        As in `AutoSampler`.

    Examples
    --------
    >>> sampler = SortSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell_many([("tea", "milk", 1), ("milk", "cola", 1)])
    >>> sampler.strategy
    'sort'
    """

    def _new_design(self, n: int) -> AdaptiveDesign:
        if n > MOST_ITEMS:
            raise InvalidArgument(
                f"sorting keeps what is known of every pair: at most {MOST_ITEMS:,} items, not "
                f"{n:,}; use AutoSampler"
            )
        return AdaptiveDesign(n, position_bias=self.position_bias, sort_from=0.0)

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return "sort"
