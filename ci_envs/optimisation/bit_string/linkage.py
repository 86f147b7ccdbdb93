"""Learning which bits belong together, from single flips, and climbing by whole groups of them.

The idea is that of linkage identification by perturbation (Munetomo and Goldberg, "Linkage identification by
non-monotonicity detection for overlapping functions", Evolutionary Computation 7, 1999), here by the size of effects:
bits whose flips change the fitness by as much, some for the better and some for the worse, count as one group. It costs
a call a bit, where pairs of flips would cost one a pair. What a 0 or a 1 means, and the order of the bits, does not
matter.

In :class:`~ci_envs.optimisation.bit_string.problem.BitString` the groups are the interleaved strings: each has a weight
of its own, a power of ten, as long as no two of them have as many ones. Strings with as many are taken together, but
their bits that make it better and those that make it worse then have different sizes, which is how they are known to be
unclear.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.bit_string.box import EVERY, Box
from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between

_SAME = 1e-6  # relative difference between effects of the same size
_NOISE = 8 * np.finfo(np.float64).eps  # of an effect, relative to the fitness it is a difference of
_HEARD = 16  # an effect counts from so many times the noise


@dataclass(frozen=True, eq=False)
class _Group:
    """Loci that belong together, and the bits that each of them was better with."""

    loci: NDArray[np.intp]
    bits: NDArray[np.bool_]


def linkage(problem: Problem, *, calls: int = 26_000, seed: int = 0) -> Iterator[Found]:
    """Flip single bits to see which belong together, then set whole groups, all their bits one way or the other.

    Bits of unclear groups are drawn anew and seen again, beside the groups that are settled by then. It ends when every
    bit is in a group and no group makes it better, or when the calls left do not do for all unclear bits.

    Args:
        problem: what is to be solved.
        calls: that it makes at most.
        seed: of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range.
    """
    box, rng = Box(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    return _learn(box, rng)


def _learn(box: Box, rng: np.random.Generator) -> Iterator[Found]:
    genome, groups = box.random(rng), list[_Group]()
    unclear = rng.permutation(box.loci)
    fitness = box.fitness_of(genome)
    yield box.found()
    while box.left >= len(unclear):
        effects = yield from _effects(box, genome, fitness, unclear)
        noise = _NOISE * (abs(fitness) + float(np.abs(effects).max()))
        learned = _learned(genome, unclear, effects, noise)
        groups += learned
        unclear = unclear[~np.isin(unclear, [locus for group in learned for locus in group.loci])]
        yield from _climb(box, genome, fitness, groups)
        if not len(unclear) or not box.left:
            return
        genome[unclear] = rng.random(len(unclear)) < 0.5
        fitness = box.fitness_of(genome)


def _effects(
    box: Box, genome: Genome, fitness: float, loci: NDArray[np.intp]
) -> Generator[Found, None, NDArray[np.float64]]:
    """What flipping each of some bits alone adds to the fitness."""
    values = []
    for first in range(0, len(loci), EVERY):
        some = loci[first : first + EVERY]
        flipped = np.tile(genome, (len(some), 1))
        flipped[np.arange(len(some)), some] ^= True
        values.append(box.fitness(flipped))
        yield box.found()
    return np.concatenate(values) - fitness


def _learned(genome: Genome, loci: NDArray[np.intp], effects: NDArray[np.float64], noise: float) -> list[_Group]:
    """The groups that are clear: with bits that make it better and bits that make it worse, by as much.

    If there are none, those of a single bit.
    """
    order = np.argsort(np.abs(effects), kind="stable")
    order = order[np.abs(effects[order]) > _HEARD * noise]
    sizes = np.abs(effects[order])
    ends = np.flatnonzero(np.diff(sizes) > _SAME * sizes[1:] + noise) + 1
    parts = [part for part in np.split(order, ends) if len(part)]
    clear = [part for part in parts if (effects[part] > 0).any() and (effects[part] < 0).any()]
    chosen = clear or [part for part in parts if len(part) == 1]
    return [_Group(loci[part], genome[loci[part]] ^ (effects[part] > 0)) for part in chosen]


def _climb(box: Box, genome: Genome, fitness: float, groups: list[_Group]) -> Iterator[Found]:
    """Set each group, in ``genome``, to its better bits or to their opposites, until that makes nothing better."""
    better = True
    while better:
        better = False
        for group in groups:
            for bits in (group.bits, ~group.bits):
                before = genome[group.loci]
                if (bits == before).all():
                    continue
                if not box.left:
                    return
                genome[group.loci] = bits
                value = box.fitness_of(genome)
                if value > fitness:
                    fitness, better = value, True
                else:
                    genome[group.loci] = before
                if box.work % EVERY == 0:
                    yield box.found()
        yield box.found()
