"""The "wandering" genetic algorithm for Quarto, compiled.

A genome has up to four pairs of a piece and a cell: the pieces that are played next, in turn, and the cell of each. It
is stored in a word of eight bytes: first the four pieces, from the lowest byte, then the four cells. 255 means an
unused gene. The first piece is the piece in hand. If a piece is to be given, no piece is in hand, and the first pair is
ignored. Fitness is an integer number of quarters, from -4 to 4 (:func:`pairs_fitness`).

The algorithm wanders: mutants that are not fitter than their parents are discarded, and new random genomes replace all
genomes if every genome loses (``restart``).
"""

from typing import Any

import numpy as np

from ci_envs.agents.evolution.lookahead_ga import ROULETTE
from ci_envs.games.operations import play
from ci_envs.games.quarto import completing_cells, winning_cells
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.compiler import kernel, lean_kernel
from ci_envs.kernels.random_draws import random_share
from ci_envs.kernels.random_numbers import next_random, random_below

EACH, ONE, SWAP = 0, 1, 2
"""The mutations: draw each gene again with probability 1/2, draw one gene again, or swap two pieces and two cells."""

UNIFORM, PAIRS = 0, 1
"""The crossovers: each gene from either parent, or the first pairs of one parent and the other pairs of the second."""

MAX_PAIRS = 4

_MUTANTS, _CROSSED = 0.9, 0.6  # the probabilities of a mutation and of a crossover in a round
_MAX_FITNESS, _MIN_FITNESS = 4, -4
_BYTE, _BYTE_BITS = np.uint64(255), 8
_EMPTY = np.uint64(2**64 - 1)  # as a genome: no piece and no cell
_LANE, _PIECE = np.uint64(0xFFFF), np.uint64(15)
_HOLDING, _HAND, _GIVEN = np.uint64(36), np.uint64(32), np.uint64(16)  # the fields of Quarto's second word
_ONE = np.uint64(1)


@kernel
def evolve_pairs(game: Any, own: Any, opp: Any, state: Any, options: Any, buffers: Any) -> Any:
    """Evolve pairs in a position, and choose the first action of the best genome.

    Each generation has ``offspring`` rounds. A round adds, with probability 0.9, the mutant of a parent, or the parent
    again if the mutant is not fitter. With probability 0.6 it adds a child of two parents. Duplicates are removed, and
    the best genomes survive.

    Args:
        game: Quarto.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        state: the state of the random number generator.
        options: a :class:`~ci_envs.agents.evolution.wandering_policy.WanderingOptions`.
        buffers: the buffers that its method ``new_buffers`` returns, written.

    Returns:
        The action and the new state of the random number generator.
    """
    words, fitness, spare, table, sums = buffers
    population, tournament = options.population, options.tournament_size
    placing = opp >> _HOLDING != np.uint64(0)
    cells, pieces = ~opp & _LANE, (~opp >> _GIVEN) & _LANE
    used = min(options.max_pairs, np.int64(popcount(cells)))
    if used == 1 and not placing:  # a genome of one pair has no piece to give
        drawn, state = random_below(state, popcount(pieces))
        return np.int64(16 + nth_one(pieces, drawn)), state
    first = (opp >> _HAND) & _PIECE if placing else _BYTE
    board = game, own, opp, placing, used, options.is_sequential
    size, state = _random_genomes(board, first, pieces, cells, population, words, fitness, state)
    for _ in range(options.generations):
        end = size
        total = _cumulate(fitness, size, options.shift, sums)
        is_roulette = options.selection == ROULETTE and total != 0
        for _ in range(options.offspring):
            chance, state = random_share(state)
            if chance < _MUTANTS:
                parent, state = _select(fitness, sums, size, is_roulette, tournament, state)
                mutant, state = _mutate(words[parent], options.mutation, used, pieces, cells, state)
                value = pairs_fitness(board, mutant)
                is_fitter = value > fitness[parent]
                words[end] = mutant if is_fitter else words[parent]
                fitness[end] = value if is_fitter else fitness[parent]
                end += 1
            chance, state = random_share(state)
            if chance < _CROSSED:
                parent, state = _select(fitness, sums, size, is_roulette, tournament, state)
                other, state = _select(fitness, sums, size, is_roulette, tournament, state)
                words[end], state = _cross(words[parent], words[other], options.crossover, used, state)
                fitness[end] = pairs_fitness(board, words[end])
                end += 1
        size = _survive(words, fitness, end, population, spare, table)
        if options.restart and fitness[0] < 0:
            end, state = _random_genomes(board, first, pieces, cells, 2 * population, words, fitness, state)
            size = _survive(words, fitness, end, population, spare, table)
    if placing:
        return np.int64(_gene(words[0], MAX_PAIRS)), state
    return np.int64(16 + _gene(words[0], 1)), state


@lean_kernel
def pairs_fitness(board: Any, word: Any) -> Any:
    """Return the fitness of a genome in quarters, from -4 to 4.

    A pair wins if its piece completes a line on its cell. It can win if its piece completes a line on any cell. If the
    player to move places a piece, the fitness is 4 if the first pair wins and 2 if it can win. If the player to move
    gives a piece, the fitness is -4 if the second pair wins, and -2 if it can win. Otherwise the fitness is 1 for a
    gift and 0 for a placement, plus 1 if the third pair can win, minus 1 if the fourth pair can win.

    Args:
        board: ``(game, own, opp, placing, used, ahead)``: the position, whether the player to move places a piece, the
            number of pairs of a genome, and whether each pair is evaluated after the pairs before it are placed. If
            ``ahead`` is false, all pairs are evaluated on the present board.
        word: the genome.
    """
    game, own, opp, placing, used, ahead = board
    having, lacking = completing_cells(game, own, opp)
    fitness = 0
    for pair in range(0 if placing else 1, used):
        piece, cell = _gene(word, pair), _gene(word, MAX_PAIRS + pair)
        winning = winning_cells(having, lacking, piece)
        wins, can_win = (winning >> cell) & _ONE != np.uint64(0), winning != np.uint64(0)
        if pair == (0 if placing else 1):
            if can_win:
                outcome_value = 4 if wins else 2
                return outcome_value if placing else -outcome_value
            fitness += 0 if placing else 1
        elif pair == 2:
            fitness += can_win
        elif pair == 3:
            fitness -= can_win
        if ahead and (opp >> cell) & _ONE == np.uint64(0):
            if pair > 0:
                own, opp = play(game, own, opp, piece + np.uint64(16))
            own, opp = play(game, own, opp, cell)
            having, lacking = completing_cells(game, own, opp)
    return fitness


@lean_kernel
def _gene(word: Any, place: Any) -> Any:
    return (word >> np.uint64(_BYTE_BITS * place)) & _BYTE


@lean_kernel
def _with_gene(word: Any, place: Any, gene: Any) -> Any:
    shift = np.uint64(_BYTE_BITS * place)
    return (word & ~(_BYTE << shift)) | (gene << shift)


@lean_kernel
def _random_bool(state: Any) -> Any:
    word, state = next_random(state)
    return word >> np.uint64(63) != np.uint64(0), state


@lean_kernel
def _redraw(word: Any, place: Any, pieces: Any, cells: Any, state: Any) -> Any:
    """Replace a gene by a random free value that is not in the genome, if there is one.

    Returns:
        The genome and the new state of the random number generator.
    """
    first = 0 if place < MAX_PAIRS else MAX_PAIRS
    values = pieces if place < MAX_PAIRS else cells
    for other in range(first, first + MAX_PAIRS):
        gene = _gene(word, other)
        if gene != _BYTE:
            values &= ~(_ONE << gene)
    if values == np.uint64(0):
        return word, state
    drawn, state = random_below(state, popcount(values))
    return _with_gene(word, place, np.uint64(nth_one(values, drawn))), state


@lean_kernel
def _random_genomes(
    board: Any, first: Any, pieces: Any, cells: Any, number: Any, words: Any, fitness: Any, state: Any
) -> Any:
    """Write random genomes whose pieces and cells are free and different.

    Returns:
        The number of genomes and the new state of the random number generator.
    """
    used = board[4]
    for index in range(number):
        word = _with_gene(_EMPTY, 0, first)
        for pair in range(1, used):
            word, state = _redraw(word, pair, pieces, cells, state)
        for pair in range(used):
            word, state = _redraw(word, MAX_PAIRS + pair, pieces, cells, state)
        words[index], fitness[index] = word, pairs_fitness(board, word)
    return number, state


@lean_kernel
def _mutate(word: Any, mutation: Any, used: Any, pieces: Any, cells: Any, state: Any) -> Any:
    if mutation == ONE:
        drawn, state = random_below(state, 2 * used - 1)
        place = 1 + np.int64(drawn)
        return _redraw(word, place if place < used else place - used + MAX_PAIRS, pieces, cells, state)
    if mutation == SWAP:
        word, state = _swap(word, 1, used - 1, state)
        return _swap(word, MAX_PAIRS, used, state)
    for pair in range(1, used):
        chosen, state = _random_bool(state)
        if chosen:
            word, state = _redraw(word, pair, pieces, cells, state)
    for pair in range(used):
        chosen, state = _random_bool(state)
        if chosen:
            word, state = _redraw(word, MAX_PAIRS + pair, pieces, cells, state)
    return word, state


@lean_kernel
def _swap(word: Any, first: Any, number: Any, state: Any) -> Any:
    """Swap two random genes of ``number`` genes with probability 1/2.

    Returns:
        The genome and the new state of the random number generator.
    """
    chosen, state = _random_bool(state)
    if not chosen or number < 2:
        return word, state
    drawn, state = random_below(state, number)
    step, state = random_below(state, number - 1)
    one, other = np.int64(drawn), (np.int64(drawn) + 1 + np.int64(step)) % number
    gene = _gene(word, first + one)
    word = _with_gene(word, first + one, _gene(word, first + other))
    return _with_gene(word, first + other, gene), state


@lean_kernel
def _cross(mother: Any, father: Any, crossover: Any, used: Any, state: Any) -> Any:
    """Return a child, which can contain a value twice, and the new state of the random number generator."""
    kept = np.int64(0)
    if crossover == PAIRS and used > 1:
        drawn, state = random_below(state, used - 1)
        kept = 1 + np.int64(drawn)
    for place in range(2 * MAX_PAIRS):
        if place % MAX_PAIRS >= used:
            continue
        if crossover == PAIRS:
            from_mother = place % MAX_PAIRS < kept
        else:
            from_mother, state = _random_bool(state)
        if not from_mother:
            mother = _with_gene(mother, place, _gene(father, place))
    return mother, state


@lean_kernel
def _cumulate(fitness: Any, size: Any, shift: Any, sums: Any) -> Any:
    """Write the cumulative shares of the fitness plus ``shift``, and return the total.

    If the fitness can be negative, a cumulative share can be smaller than the one before it. The roulette selects the
    first genome whose cumulative share is at least the random number, so the kernel writes the running maximum.
    """
    total = 0
    for index in range(size):
        total += fitness[index] + shift
    end = highest = 0.0
    for index in range(size):
        end += (fitness[index] + shift) / total
        highest = max(highest, end)
        sums[index] = highest
    return total


@lean_kernel
def _select(fitness: Any, sums: Any, size: Any, is_roulette: Any, tournament: Any, state: Any) -> Any:
    """Select a parent. Return its index and the new state of the random number generator."""
    if is_roulette:
        share, state = random_share(state)
        low, high = 0, size - 1  # rounding errors can make the last cumulative share smaller than the random number
        while low < high:
            middle = (low + high) // 2
            if sums[middle] >= share:
                high = middle
            else:
                low = middle + 1
        return low, state
    drawn, state = random_below(state, size)
    best = np.int64(drawn)
    for _ in range(tournament - 1):
        drawn, state = random_below(state, size)
        if fitness[drawn] > fitness[best]:
            best = np.int64(drawn)
    return best, state


@lean_kernel
def _survive(words: Any, fitness: Any, size: Any, population: Any, spare: Any, table: Any) -> Any:
    """Remove duplicates, sort by fitness (the older first among equals), keep the best, and return their number."""
    mask = np.uint64(len(table) - 1)
    for slot in range(len(table)):
        table[slot] = _EMPTY
    different = 0
    for index in range(size):
        word = words[index]
        slot = next_random(word)[0] & mask
        while table[slot] != _EMPTY and table[slot] != word:
            slot = (slot + _ONE) & mask
        if table[slot] == _EMPTY:
            table[slot] = word
            words[different], fitness[different] = word, fitness[index]
            different += 1
    kept = 0
    for level in range(_MAX_FITNESS, _MIN_FITNESS - 1, -1):
        for index in range(different):
            if fitness[index] == level and kept < population:
                spare[kept] = words[index]
                # the lookups in the table are done, so it can store the sorted fitness
                table[kept] = np.uint64(level - _MIN_FITNESS)
                kept += 1
    copy_items(spare, words, kept)
    for index in range(kept):
        fitness[index] = np.int64(table[index]) + _MIN_FITNESS
    return kept
