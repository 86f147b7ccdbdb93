"""A genetic algorithm that evolves plans for the next eight plies of Quarto, compiled.

A **plan** (genome) has eight genes: four cells and four pieces, alternately the cell where a piece is placed and the
piece that is given next, by both players in turn. The first gene is the action to choose. The genes are stored in a
word, four bits each, in the order of play, the first one highest. Infeasible genes are repaired
(:func:`repair_and_evaluate`): a player who can complete a line does so, and a player who can give a piece that
completes no line does so, because any other action loses at once.

If the fitness of a plan were its result, plans in which the opponent errs would win. Therefore all plans together form
a sampled game tree whose values are backed up by minimax. The fitness of a plan is the number of plies that its value
is backed up, that is, for how many plies both players would choose it. The algorithm keeps all plans. Backing up the
values of all plans in a partial game tree is the idea of Hong, Huang and Lin, "Adversarial search by evolutionary
computation", Evolutionary Computation 9(3), 2001.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.operations import play
from ci_envs.games.quarto import completing_cells, safe_pieces, winning_cells
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.random_numbers import next_random, random_below

PLIES = 8
"""Number of genes of a plan. Roles repeat every four plies, so the same player acts before and after a plan."""

WIN_VALUE = 1000
"""Value of a win, reduced by the number of plies before it. A loss has the negative value."""

TOURNAMENT, ROULETTE = 0, 1

_COPY = -1  # the fitness of a plan that exists already
_GENE_BITS = 4
_GENE = np.uint64(15)
_INDEX_BITS = 32
_INDEX = np.uint64((1 << _INDEX_BITS) - 1)
_LANE = np.uint64(0xFFFF)
_HOLDING, _HAND, _GIVEN = np.uint64(36), np.uint64(32), np.uint64(16)  # the fields of Quarto's second word
_ONE, _ZERO = np.uint64(1), np.uint64(0)
# bit i is set if the player chooses gene i, if the first gene is a placement or a gift
_OWN_PLIES_PLACING, _OWN_PLIES_GIVING = np.uint64(0b00110011), np.uint64(0b10011001)


@kernel
def candidate_genes(game: Any, own: Any, opp: Any) -> Any:
    """Return the genes that a plan may have in a position, as a bit set, and whether they win at once.

    For a placement they are the winning cells, or all empty cells if no cell wins. For a gift they are the safe pieces,
    which complete no line, or all remaining pieces if no piece is safe.
    """
    having, lacking = completing_cells(game, own, opp)
    if opp >> _HOLDING:
        winning = winning_cells(having, lacking, (opp >> _HAND) & _GENE)
        return (winning or (~opp & _LANE)), winning != _ZERO
    left = (~opp >> _GIVEN) & _LANE
    return (safe_pieces(having, lacking, left) or left), False


@kernel
def repair_and_evaluate(game: Any, own: Any, opp: Any, genome: Any) -> Any:
    """Repair a genome and evaluate the plan for the player who acts first.

    A gene outside :func:`candidate_genes` becomes the next higher gene in the set, cyclically. Genes after the end of
    the game become 0. The value is :data:`WIN_VALUE` minus the plies before a win, the negative of this for a loss, 0
    for a draw, and :func:`_estimate` if the game is not over.

    Returns:
        The plan and its value.
    """
    plan, sign = _ZERO, 1
    for ply in range(PLIES):
        place = np.uint64(_GENE_BITS * (PLIES - 1 - ply))
        genes, wins = candidate_genes(game, own, opp)
        gene = _next_in(genes, (genome >> place) & _GENE)
        plan |= gene << place
        if wins:
            return plan, sign * (WIN_VALUE - ply)
        if opp >> _HOLDING:
            own, opp = play(game, own, opp, gene)
            if opp & _LANE == _LANE:
                return plan, 0
        else:
            own, opp = play(game, own, opp, gene + np.uint64(16))
            sign = -sign
    return plan, _estimate(game, own, opp)


@kernel
def _next_in(genes: Any, gene: Any) -> Any:
    ahead = genes >> gene
    return gene + trailing_zeros(ahead) if ahead else trailing_zeros(genes)


@kernel
def _estimate(game: Any, own: Any, opp: Any) -> Any:
    """Return a heuristic value of a position for the player to act.

    As long as the lines do not change, the player who gives from an even number of safe pieces runs out of safe pieces
    first. The fewer safe pieces there are, the more certain this is.
    """
    having, lacking = completing_cells(game, own, opp)
    if opp >> _HOLDING and winning_cells(having, lacking, (opp >> _HAND) & _GENE):
        return WIN_VALUE - PLIES
    safe = np.int64(popcount(safe_pieces(having, lacking, (~opp >> _GIVEN) & _LANE)))
    if not opp >> _HOLDING and safe == 0:
        return PLIES - WIN_VALUE
    return 17 - safe if safe % 2 else safe - 17


class PlanSettings(NamedTuple):
    """The settings of :func:`evolve`.

    Attributes:
        population: number of random plans, and of parents.
        generations: number of generations after the random plans.
        offspring: new plans per generation.
        selection: TOURNAMENT or ROULETTE.
        tournament_size: number of plans in a tournament.
        mutation_rate: probability that a gene is drawn again.
    """

    population: int
    generations: int
    offspring: int
    selection: int
    tournament_size: int
    mutation_rate: float


class PlanBuffers(NamedTuple):
    """The buffers of :func:`evolve`, each with an item for each plan, and one for each parent.

    Attributes:
        plans: uint64: the plans.
        values: int64: their values.
        keys: uint64: their sorted keys.
        backed: int64: the values that minimax backs up.
        fitness: int64: the fitness of the plans.
        parents: int64: the indices of the parents.
    """

    plans: NDArray[np.uint64]
    values: NDArray[np.int64]
    keys: NDArray[np.uint64]
    backed: NDArray[np.int64]
    fitness: NDArray[np.int64]
    parents: NDArray[np.int64]


def new_buffers(settings: PlanSettings) -> PlanBuffers:
    """Return new buffers. Each thread needs its own."""
    size = settings.population + settings.generations * settings.offspring
    plans, keys = (np.empty(size, dtype=np.uint64) for _ in range(2))
    values, backed, fitness = (np.empty(size, dtype=np.int64) for _ in range(3))
    return PlanBuffers(plans, values, keys, backed, fitness, np.empty(settings.population, dtype=np.int64))


@kernel
def evolve(game: Any, own: Any, opp: Any, state: Any, settings: Any, buffers: Any) -> Any:
    """Evolve plans in a position, and choose an action from the tree of all plans.

    The first ``population`` plans are random. In each generation the fittest of all plans so far are the parents of
    ``offspring`` new plans. The kernel chooses the action with the best backed-up value; of several, the action whose
    plans have the highest mean value.

    Args:
        game: Quarto.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        state: the state of the random number generator.
        settings: a :class:`PlanSettings`.
        buffers: a :class:`PlanBuffers`, written.

    Returns:
        The action and the new state of the random number generator.
    """
    plans, values, keys, backed, fitness, parents = buffers
    population = settings.population
    placing = opp >> _HOLDING != _ZERO
    own_plies = _OWN_PLIES_PLACING if placing else _OWN_PLIES_GIVING
    size = 0
    for generation in range(settings.generations + 1):
        old = size
        for _ in range(settings.offspring if generation else population):
            if generation:
                first, state = _select(fitness, parents, settings, state)
                second, state = _select(fitness, parents, settings, state)
                genome, state = _cross(plans[first], plans[second], state)
                genome, state = _mutate(genome, settings.mutation_rate, state)
            else:
                word, state = next_random(state)
                genome = word >> np.uint64(32)
            plans[size], values[size] = repair_and_evaluate(game, own, opp, genome)
            keys[size] = (plans[size] << np.uint64(_INDEX_BITS)) | np.uint64(size)
            size += 1
        _merge(keys[:size], old)
        write_fitness(keys[:size], values, own_plies, backed, fitness)
        if generation < settings.generations:
            _choose_parents(fitness[:size], parents[:population])
    gene = _best_gene(plans[:size], values, fitness)
    return (gene if placing else 16 + gene), state


@kernel
def _merge(keys: Any, old: Any) -> None:
    """Sort ``keys``, whose first ``old`` items are sorted. Sorting all keys would make a decision 1.5 times as slow."""
    new = np.sort(keys[old:])
    last, place = old - 1, len(keys) - 1
    for i in range(len(new) - 1, -1, -1):
        while last >= 0 and keys[last] > new[i]:
            keys[place] = keys[last]
            last, place = last - 1, place - 1
        keys[place] = new[i]
        place -= 1


@kernel
def write_fitness(keys: Any, values: Any, own_plies: Any, backed: Any, fitness: Any) -> None:
    """Write the fitness of each plan: the number of plies that minimax backs up its value, or -1 for a copy.

    Args:
        keys: uint64, sorted: a plan in the upper half and its index in the lower half, so that plans with the same
            first genes are contiguous.
        values: the values of the plans, by index.
        own_plies: bit ``i`` is set if the value is maximised at ply ``i``, and not set if it is minimised.
        backed: int64 buffer, written.
        fitness: int64 array, written, by index.
    """
    size = len(keys)
    for k in range(size):
        index = keys[k] & _INDEX
        backed[k] = values[index]
        copy = k > 0 and keys[k] >> np.uint64(_INDEX_BITS) == keys[k - 1] >> np.uint64(_INDEX_BITS)
        fitness[index] = _COPY if copy else 0
    for ply in range(PLIES - 1, -1, -1):
        shift = np.uint64(_INDEX_BITS + _GENE_BITS * (PLIES - ply))
        own = (own_plies >> np.uint64(ply)) & _ONE
        begin = 0
        while begin < size:
            best, end = backed[begin], begin + 1
            # a shift by 64 bits is undefined: at the root all plans belong together
            while end < size and (ply == 0 or keys[end] >> shift == keys[begin] >> shift):
                best = max(best, backed[end]) if own else min(best, backed[end])
                end += 1
            for k in range(begin, end):
                index = keys[k] & _INDEX
                # a plan that was not chosen at a later ply no longer counts
                if backed[k] == best and fitness[index] == PLIES - 1 - ply:
                    fitness[index] += 1
                backed[k] = best
            begin = end


@kernel
def _choose_parents(fitness: Any, parents: Any) -> None:
    """Write the indices of the fittest plans, the oldest first among equals."""
    count = 0
    for level in range(PLIES, _COPY - 1, -1):
        for index in range(len(fitness)):
            if fitness[index] == level and count < len(parents):
                parents[count] = index
                count += 1


@kernel
def _select(fitness: Any, parents: Any, settings: Any, state: Any) -> Any:
    """Select a parent by a tournament, or by roulette with probabilities proportional to fitness + 1.

    Returns:
        The index of the parent and the new state of the random number generator.
    """
    drawn, state = random_below(state, settings.population)
    index = parents[drawn]
    if settings.selection == TOURNAMENT:
        for _ in range(settings.tournament_size - 1):
            drawn, state = random_below(state, settings.population)
            if fitness[parents[drawn]] > fitness[index]:
                index = parents[drawn]
        return index, state
    while True:  # stochastic acceptance: Lipowski and Lipowska, Physica A 391 (2012)
        accepted, state = random_below(state, PLIES + 1)
        if np.int64(accepted) <= fitness[index]:
            return index, state
        drawn, state = random_below(state, settings.population)
        index = parents[drawn]


@kernel
def _cross(first: Any, second: Any, state: Any) -> Any:
    """Return the one-point crossover of two plans, and the new state of the random number generator."""
    rest, state = random_below(state, PLIES - 1)
    mask = (_ONE << (np.uint64(_GENE_BITS) * (rest + _ONE))) - _ONE
    return (first & ~mask) | (second & mask), state


@kernel
def _mutate(genome: Any, rate: Any, state: Any) -> Any:
    """Draw each gene again with probability ``rate``. Return the genome and the state of the random numbers."""
    for gene in range(PLIES):
        word, state = next_random(state)
        if (word >> np.uint64(11)) * 2.0**-53 < rate:
            place = np.uint64(_GENE_BITS * gene)
            genome = (genome & ~(_GENE << place)) | ((word & _GENE) << place)
    return genome, state


@kernel
def _best_gene(plans: Any, values: Any, fitness: Any) -> Any:
    totals, counts = np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.int64)
    reached = np.zeros(16, dtype=np.bool_)
    for i in range(len(plans)):
        gene = plans[i] >> np.uint64(_GENE_BITS * (PLIES - 1))
        totals[gene] += values[i]
        counts[gene] += 1
        reached[gene] |= fitness[i] == PLIES
    best, best_mean = -1, -np.inf
    for gene in range(16):
        if reached[gene] and totals[gene] / counts[gene] > best_mean:
            best, best_mean = gene, totals[gene] / counts[gene]
    return best
