"""The "wandering" genetic algorithm of report B for Quarto, compiled.

A genome has up to four pairs of a piece and a cell: the pieces that are played next, in turn, and where each is placed.
It lies in a word of eight bytes, the four pieces first, the lowest byte the first one; 255 means none. The first piece
is the one in hand. While a piece is to be given there is none in hand, and the first pair is not judged. Fitness is an
integer number of quarters, from -4 to 4 (:func:`pairs_fitness`).

The algorithm wanders: mutants that are not fitter than their parents are dropped, and new random genomes replace all
genomes when every one of them loses (``restart``).
"""

from typing import Any

import numpy as np

from ci_envs.agents.evolution.lookahead_ga import ROULETTE
from ci_envs.games.operations import play
from ci_envs.games.quarto import completing_cells, winning_cells
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.compiler import kernel, lean_kernel
from ci_envs.kernels.random_numbers import next_random, random_below

EACH, ONE, SWAP = 0, 1, 2
"""The mutations: draw each gene again with probability 1/2, draw one gene again, or swap two pieces and two cells."""

UNIFORM, PAIRS = 0, 1
"""The crossovers: each gene of either parent, or the first pairs of one parent and the others of the second."""

MOST_PAIRS = 4

_MUTANTS, _CROSSED = 0.9, 0.6  # the share of rounds with a mutation and of rounds with a crossover
_MOST_FITNESS, _LEAST_FITNESS = 4, -4
_BYTE, _BYTE_BITS = np.uint64(255), 8
_EMPTY = np.uint64(2**64 - 1)  # as a genome: no piece and no cell
_LANE, _PIECE = np.uint64(0xFFFF), np.uint64(15)
_HOLDING, _HAND, _GIVEN = np.uint64(36), np.uint64(32), np.uint64(16)  # the fields of Quarto's second word
_ONE = np.uint64(1)


@kernel
def evolve_pairs(
    game: Any, own: Any, opp: Any, state: Any, options: Any, words: Any, fitness: Any, spare: Any, table: Any, sums: Any
) -> Any:
    """``-> (action, state)``: evolve pairs at a position that is not over, and play the first of the best genome.

    In each generation there are ``offspring`` rounds. A round adds, with probability 0.9, the mutant of a parent, or
    the parent again if the mutant is not fitter, and, with probability 0.6, a child of two parents. Doubles are removed
    and the best survive.

    Args:
        game: Quarto.
        own: first word.
        opp: second word.
        state: of the random numbers.
        options: int64: the population, the generations, the offspring; TOURNAMENT or ROULETTE; the genomes in a
            tournament; EACH, ONE or SWAP; UNIFORM or PAIRS; whether the evolution restarts when every genome loses;
            whether each pair is judged after those before it are placed; what is added to the fitness for the roulette;
            the pairs of a genome at most.
        words: uint64 working memory of :func:`room` items.
        fitness: int64 working memory of that size.
        spare: as ``words``.
        table: uint64 working memory of a power of two of items, at least twice that size.
        sums: float64 working memory of that size.
    """
    population, generations, offspring, selection, tournament, mutation, crossover, restart, ahead, shift, most = (
        options
    )
    placing = opp >> _HOLDING != np.uint64(0)
    cells, pieces = ~opp & _LANE, (~opp >> _GIVEN) & _LANE
    used = min(most, np.int64(popcount(cells)))
    if used == 1 and not placing:  # no genome has a piece to give, and one piece is left
        drawn, state = random_below(state, popcount(pieces))
        return np.int64(16 + nth_one(pieces, drawn)), state
    first = (opp >> _HAND) & _PIECE if placing else _BYTE
    board = game, own, opp, placing, used, ahead
    size, state = _random_genomes(board, first, pieces, cells, population, words, fitness, state)
    for _ in range(generations):
        end = size
        total = _sum_up(fitness, size, shift, sums)
        is_roulette = selection == ROULETTE and total != 0
        for _ in range(offspring):
            chance, state = _random_share(state)
            if chance < _MUTANTS:
                parent, state = _select(fitness, sums, size, is_roulette, tournament, state)
                mutant, state = _mutate(words[parent], mutation, used, pieces, cells, state)
                value = pairs_fitness(board, mutant)
                is_fitter = value > fitness[parent]
                words[end] = mutant if is_fitter else words[parent]
                fitness[end] = value if is_fitter else fitness[parent]
                end += 1
            chance, state = _random_share(state)
            if chance < _CROSSED:
                parent, state = _select(fitness, sums, size, is_roulette, tournament, state)
                other, state = _select(fitness, sums, size, is_roulette, tournament, state)
                words[end], state = _cross(words[parent], words[other], crossover, used, state)
                fitness[end] = pairs_fitness(board, words[end])
                end += 1
        size = _survive(words, fitness, end, population, spare, table)
        if restart and fitness[0] < 0:
            end, state = _random_genomes(board, first, pieces, cells, 2 * population, words, fitness, state)
            size = _survive(words, fitness, end, population, spare, table)
    if placing:
        return np.int64(_gene(words[0], MOST_PAIRS)), state
    return np.int64(16 + _gene(words[0], 1)), state


def room(population: int, offspring: int) -> int:
    """Return the number of genomes that the working memory must hold."""
    return 2 * population + 2 * offspring


@lean_kernel
def pairs_fitness(board: Any, word: Any) -> Any:
    """``-> quarters``: the fitness of a genome.

    A pair wins if its piece completes a line on its cell, and can win if the piece completes one anywhere. To place:
    the first pair is worth 4 if it wins, 2 if it can win, and nothing else counts then. To give: the second pair is
    worth -4 if it wins, -2 if it can win, and nothing else counts then; otherwise 1. If the third pair can win this
    adds 1, and if the fourth can win this subtracts 1.

    Args:
        board: ``(game, own, opp, placing, used, ahead)``: the position, whether a piece is to be placed, the pairs of
            a genome, and whether each pair is judged after those before it are placed; otherwise all of them are judged
            on the present board.
        word: the genome.
    """
    game, own, opp, placing, used, ahead = board
    having, lacking = completing_cells(game, own, opp)
    fitness = 0
    for pair in range(0 if placing else 1, used):
        piece, cell = _gene(word, pair), _gene(word, MOST_PAIRS + pair)
        winning = winning_cells(having, lacking, piece)
        wins, can_win = (winning >> cell) & _ONE != np.uint64(0), winning != np.uint64(0)
        if pair == (0 if placing else 1):
            if can_win:
                worth = 4 if wins else 2
                return worth if placing else -worth
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
def _random_share(state: Any) -> Any:
    """``-> (share, state)``: a number from 0 to 1."""
    word, state = next_random(state)
    return np.float64(word >> np.uint64(11)) * 2.0**-53, state


@lean_kernel
def _coin(state: Any) -> Any:
    word, state = next_random(state)
    return word >> np.uint64(63) != np.uint64(0), state


@lean_kernel
def _redraw(word: Any, place: Any, pieces: Any, cells: Any, state: Any) -> Any:
    """``-> (word, state)``: a gene becomes one of the free values that are not in the genome, if there is one."""
    first = 0 if place < MOST_PAIRS else MOST_PAIRS
    values = pieces if place < MOST_PAIRS else cells
    for other in range(first, first + MOST_PAIRS):
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
    """``-> (number, state)``: write random genomes, whose pieces and cells are free and different."""
    used = board[4]
    for index in range(number):
        word = _with_gene(_EMPTY, 0, first)
        for pair in range(1, used):
            word, state = _redraw(word, pair, pieces, cells, state)
        for pair in range(used):
            word, state = _redraw(word, MOST_PAIRS + pair, pieces, cells, state)
        words[index], fitness[index] = word, pairs_fitness(board, word)
    return number, state


@lean_kernel
def _mutate(word: Any, mutation: Any, used: Any, pieces: Any, cells: Any, state: Any) -> Any:
    if mutation == ONE:
        drawn, state = random_below(state, 2 * used - 1)
        place = 1 + np.int64(drawn)
        return _redraw(word, place if place < used else place - used + MOST_PAIRS, pieces, cells, state)
    if mutation == SWAP:
        word, state = _swap(word, 1, used - 1, state)
        return _swap(word, MOST_PAIRS, used, state)
    for pair in range(1, used):
        chosen, state = _coin(state)
        if chosen:
            word, state = _redraw(word, pair, pieces, cells, state)
    for pair in range(used):
        chosen, state = _coin(state)
        if chosen:
            word, state = _redraw(word, MOST_PAIRS + pair, pieces, cells, state)
    return word, state


@lean_kernel
def _swap(word: Any, first: Any, number: Any, state: Any) -> Any:
    """``-> (word, state)``: swap two different genes of ``number`` genes with probability 1/2."""
    chosen, state = _coin(state)
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
    """``-> (word, state)``: a child, whose values may double."""
    kept = np.int64(0)
    if crossover == PAIRS and used > 1:
        drawn, state = random_below(state, used - 1)
        kept = 1 + np.int64(drawn)
    for place in range(2 * MOST_PAIRS):
        if place % MOST_PAIRS >= used:
            continue
        if crossover == PAIRS:
            from_mother = place % MOST_PAIRS < kept
        else:
            from_mother, state = _coin(state)
        if not from_mother:
            mother = _with_gene(mother, place, _gene(father, place))
    return mother, state


@lean_kernel
def _sum_up(fitness: Any, size: Any, shift: Any, sums: Any) -> Any:
    """``-> total``: of the fitness plus ``shift``, and write where the share of each genome ends.

    If the fitness can be negative an end can lie before an earlier one. The roulette takes the first genome whose end
    is not below the number drawn, so the largest end so far is written.
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
    """``-> (index, state)``: a parent."""
    if is_roulette:
        share, state = _random_share(state)
        low, high = 0, size - 1  # rounding can leave the last end below the share
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
    """``-> size``: remove doubles, sort by fitness, of equals the older first, and keep the best."""
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
    for level in range(_MOST_FITNESS, _LEAST_FITNESS - 1, -1):
        for index in range(different):
            if fitness[index] == level and kept < population:
                spare[kept] = words[index]
                # the table is not searched any more, so it can hold the sorted fitness
                table[kept] = np.uint64(level - _LEAST_FITNESS)
                kept += 1
    copy_items(spare, words, kept)
    for index in range(kept):
        fitness[index] = np.int64(table[index]) + _LEAST_FITNESS
    return kept
