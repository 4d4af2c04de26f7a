"""Position bias of answers whose sides are dealt anew."""

from __future__ import annotations

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


@compiled
def shuffled_energy(
    starts: IntArray,
    n_first: IntArray,
    turned: FloatArray,
    weight: FloatArray,
    chances: FloatArray,
) -> float:
    """Energy of the position part when each group's sides are dealt at random among its answers.

    Group g has rows starts[g] to starts[g + 1], of which n_first[g] are shown one way round;
    `chances` are uniform random numbers, one per row. Every choice of so many rows is as likely
    as any other: a row is taken with the chance (still to take) / (still to come).
    """
    energy = 0.0
    for g in range(len(n_first)):
        to_take, to_come = n_first[g], starts[g + 1] - starts[g]
        r, s, sum_r, sum_s = 0.0, 0.0, 0.0, 0.0
        for row in range(starts[g], starts[g + 1]):
            if chances[row] * to_come < to_take:
                to_take -= 1
                r += weight[row]
                sum_r += weight[row] * turned[row]
            else:
                s += weight[row]
                sum_s += weight[row] * turned[row]
            to_come -= 1
        energy += (sum_r / r - sum_s / s) ** 2 * r * s / (r + s)
    return energy
