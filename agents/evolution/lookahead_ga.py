"""A genetic algorithm that evolves plans for the next eight plies of Quarto, compiled.

A **plan** (genome) has four positions and four pieces: where a piece is placed and which piece is given next, by both
players in turn, beginning with the action that is asked for. Its eight genes lie in a word, four bits each, in the
order of play; the first is the highest. A gene that cannot be played is repaired (:func:`follow`): who can complete a
line does, who can give a piece that completes none does, as all else loses at once.

Were a plan worth what it comes to, the plans in which the opponent errs would thrive. So all plans together are a
sampled game tree, and its values are backed up by minimax: the fitness of a plan is how many plies its value passes up
the tree, that is, for how long both players would choose it. No plan is forgotten: to back the values of all of them up
a partial game tree is the idea of Hong, Huang and Lin, "Adversarial search by evolutionary computation", Evolutionary
Computation 9(3), 2001.
"""

from typing import Any

import numpy as np

from ci_envs.games.operations import play
from ci_envs.games.quarto import completing_cells, safe_pieces, winning_cells
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.random_numbers import next_random, random_below

PLIES = 8
"""Genes of a plan. Every fourth ply the same player acts in the same way, so the player is to act after a plan."""

WIN_VALUE = 1000
"""Value of a win, less the number of plies before it; the negative of that is the value of a loss."""

TOURNAMENT, ROULETTE = 0, 1

_COPY = -1  # the fitness of a plan that is there already
_GENE_BITS = 4
_GENE = np.uint64(15)
_INDEX_BITS = 32
_INDEX = np.uint64((1 << _INDEX_BITS) - 1)
_LANE = np.uint64(0xFFFF)
_HOLDING, _HAND, _GIVEN = np.uint64(36), np.uint64(32), np.uint64(16)  # the fields of Quarto's second word
_ONE, _ZERO = np.uint64(1), np.uint64(0)
# bit i is set if ply i is the player's own, the first being a placement or a gift
_OWN_PLIES_PLACING, _OWN_PLIES_GIVING = np.uint64(0b00110011), np.uint64(0b10011001)


@kernel
def sensible_genes(game: Any, own: Any, opp: Any) -> Any:
    """``-> (genes, wins)``: the set of genes that a plan may have at a position, and whether they win at once.

    They are the winning cells, else the empty ones; or the safe pieces, which win nowhere, else all that are left.
    """
    having, lacking = completing_cells(game, own, opp)
    if opp >> _HOLDING:
        winning = winning_cells(having, lacking, (opp >> _HAND) & _GENE)
        return (winning or (~opp & _LANE)), winning != _ZERO
    left = (~opp >> _GIVEN) & _LANE
    return (safe_pieces(having, lacking, left) or left), False


@kernel
def follow(game: Any, own: Any, opp: Any, genome: Any) -> Any:
    """``-> (plan, value)``: a genome repaired, and what playing it out is worth for who acts first.

    A gene outside the :func:`sensible_genes` becomes the next higher one of them, after 15 the lowest; genes after the
    end of the game become 0. The value is :data:`WIN_VALUE` less the plies before a win, the negative of that for a
    loss, 0 for a draw, and :func:`_estimate` if the game goes on.
    """
    plan, sign = _ZERO, 1
    for ply in range(PLIES):
        place = np.uint64(_GENE_BITS * (PLIES - 1 - ply))
        genes, wins = sensible_genes(game, own, opp)
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
    """``-> int``: the value of a position for who acts in it.

    As long as the lines stay as they are, who gives from an even number of safe pieces will be the first to have none.
    The fewer there are, the less is likely to change before.
    """
    having, lacking = completing_cells(game, own, opp)
    if opp >> _HOLDING and winning_cells(having, lacking, (opp >> _HAND) & _GENE):
        return WIN_VALUE - PLIES
    safe = np.int64(popcount(safe_pieces(having, lacking, (~opp >> _GIVEN) & _LANE)))
    if not opp >> _HOLDING and safe == 0:
        return PLIES - WIN_VALUE
    return 17 - safe if safe % 2 else safe - 17


@kernel
def evolve(
    game: Any,
    own: Any,
    opp: Any,
    state: Any,
    population: Any,
    generations: Any,
    offspring: Any,
    selection: Any,
    tournament_size: Any,
    mutation_rate: Any,
    plans: Any,
    values: Any,
    keys: Any,
    backed: Any,
    fitness: Any,
    parents: Any,
) -> Any:
    """``-> (action, state)``: evolve plans at a position that is not over, and choose by the tree of them all.

    The first ``population`` plans are random. In each generation the fittest of all plans so far are the parents of
    ``offspring`` more. The action played has the best backed-up value; of several, that whose plans are worth most in
    the mean.

    Args:
        game: Quarto.
        own: first word.
        opp: second word.
        state: of the random numbers.
        population: how many plans are parents.
        generations: how many follow the first plans.
        offspring: new plans a generation.
        selection: TOURNAMENT or ROULETTE.
        tournament_size: plans that a tournament draws.
        mutation_rate: probability that a gene is drawn anew.
        plans: uint64 of at least ``population + generations * offspring``; working memory, like all that follow.
        values: int64 of that length.
        keys: uint64 of that length.
        backed: int64 of that length.
        fitness: int64 of that length.
        parents: int64 of at least ``population``.
    """
    placing = opp >> _HOLDING != _ZERO
    own_plies = _OWN_PLIES_PLACING if placing else _OWN_PLIES_GIVING
    size = 0
    for generation in range(generations + 1):
        old = size
        for _ in range(offspring if generation else population):
            if generation:
                first, state = _select(fitness, parents, population, selection, tournament_size, state)
                second, state = _select(fitness, parents, population, selection, tournament_size, state)
                genome, state = _cross(plans[first], plans[second], state)
                genome, state = _mutate(genome, mutation_rate, state)
            else:
                word, state = next_random(state)
                genome = word >> np.uint64(32)
            plans[size], values[size] = follow(game, own, opp, genome)
            keys[size] = (plans[size] << np.uint64(_INDEX_BITS)) | np.uint64(size)
            size += 1
        _merge(keys[:size], old)
        rate_plans(keys[:size], values, own_plies, backed, fitness)
        if generation < generations:
            _choose_parents(fitness[:size], parents[:population])
    gene = _best_gene(plans[:size], values, fitness)
    return (gene if placing else 16 + gene), state


@kernel
def _merge(keys: Any, old: Any) -> None:
    """Sort ``keys``, of which the first ``old`` are sorted; sorting all anew made a decision half as long again."""
    new = np.sort(keys[old:])
    last, place = old - 1, len(keys) - 1
    for i in range(len(new) - 1, -1, -1):
        while last >= 0 and keys[last] > new[i]:
            keys[place] = keys[last]
            last, place = last - 1, place - 1
        keys[place] = new[i]
        place -= 1


@kernel
def rate_plans(keys: Any, values: Any, own_plies: Any, backed: Any, fitness: Any) -> None:
    """Write the fitness of each plan: over how many plies its value is backed up by minimax, -1 for a copy.

    Args:
        keys: uint64, sorted: a plan in the upper half, its index in the lower. Plans that begin alike lie together.
        values: what the plans are worth, by index.
        own_plies: bit ``i`` says whether the value is maximised at ply ``i``, else it is minimised.
        backed: int64, working memory.
        fitness: int64, written by index.
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
            # shifting by 64 bits is undefined: at the root all plans are together
            while end < size and (ply == 0 or keys[end] >> shift == keys[begin] >> shift):
                best = max(best, backed[end]) if own else min(best, backed[end])
                end += 1
            for k in range(begin, end):
                index = keys[k] & _INDEX
                # a plan that was passed over before does not count any more
                if backed[k] == best and fitness[index] == PLIES - 1 - ply:
                    fitness[index] += 1
                backed[k] = best
            begin = end


@kernel
def _choose_parents(fitness: Any, parents: Any) -> None:
    """Write the indices of the fittest, of equals the oldest."""
    count = 0
    for level in range(PLIES, _COPY - 1, -1):
        for index in range(len(fitness)):
            if fitness[index] == level and count < len(parents):
                parents[count] = index
                count += 1


@kernel
def _select(fitness: Any, parents: Any, population: Any, selection: Any, tournament_size: Any, state: Any) -> Any:
    """``-> (index, state)``: a parent, by a tournament, or by roulette as likely as its fitness + 1."""
    drawn, state = random_below(state, population)
    index = parents[drawn]
    if selection == TOURNAMENT:
        for _ in range(tournament_size - 1):
            drawn, state = random_below(state, population)
            if fitness[parents[drawn]] > fitness[index]:
                index = parents[drawn]
        return index, state
    while True:  # stochastic acceptance: Lipowski and Lipowska, Physica A 391 (2012)
        accepted, state = random_below(state, PLIES + 1)
        if np.int64(accepted) <= fitness[index]:
            return index, state
        drawn, state = random_below(state, population)
        index = parents[drawn]


@kernel
def _cross(first: Any, second: Any, state: Any) -> Any:
    """``-> (genome, state)``: one-point crossover: the beginning of one plan and the rest of the other."""
    rest, state = random_below(state, PLIES - 1)
    mask = (_ONE << (np.uint64(_GENE_BITS) * (rest + _ONE))) - _ONE
    return (first & ~mask) | (second & mask), state


@kernel
def _mutate(genome: Any, rate: Any, state: Any) -> Any:
    """``-> (genome, state)``: each gene is drawn anew with probability ``rate``."""
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
