"""The genetic algorithm of the agent ``quarto_ga`` in plain Python, for benchmarks and as an oracle for tests.

Boards are lists of pieces, plans are lists of genes, and a recursive function searches the tree. With the same random
numbers, the plans, the fitness and the action are the same as in :mod:`ci_envs.agents.evolution.lookahead_ga`.
"""

from dataclasses import dataclass
from functools import cache

from ci_envs import Position, Quarto
from ci_envs.games.grid import lines_of

_WORD = 1 << 64
_PLIES = 8
_WIN = 1000


class SplitMix64:
    """The random number generator of :mod:`ci_envs.kernels.random_numbers`, with Python's integers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def word(self) -> int:
        """Return 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % _WORD
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % _WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB % _WORD
        return word ^ word >> 31

    def below(self, bound: int) -> int:
        """Return a random number from 0 to ``bound - 1``."""
        return (self.word() >> 32) * bound >> 32


@cache
def _lines(squares: bool) -> list[list[int]]:
    masks = list(lines_of(4, 4, 4))
    if squares:
        masks += [0x33 << 4 * row + col for row in range(3) for col in range(3)]
    return [[cell for cell in range(16) if mask >> cell & 1] for mask in masks]


@dataclass
class PlainBoard:
    """A board during a game: the pieces on the board, the piece in hand, and the pieces left."""

    pieces: list[int | None]
    hand: int | None
    left: list[int]
    squares: bool

    @classmethod
    def of(cls, position: Position) -> "PlainBoard":
        """Return the board of a position of Quarto."""
        game = position.game
        assert isinstance(game, Quarto)
        pieces, hand = game.pieces(position.own, position.opp), game.in_hand(position.opp)
        left = [piece for piece in range(16) if piece not in (*pieces, hand)]
        return cls(pieces, hand, left, game.squares)

    def threats(self) -> list[tuple[int, int, int]]:
        """Return the empty cell of each line with three pieces, the attributes that all three have, and all lack."""
        threats = []
        for line in _lines(self.squares):
            pieces = [self.pieces[cell] for cell in line]
            if pieces.count(None) == 1:
                having = lacking = 15
                for piece in pieces:
                    if piece is not None:
                        having, lacking = having & piece, lacking & ~piece
                threats.append((line[pieces.index(None)], having, lacking))
        return threats

    def wins_of(self, piece: int) -> list[int]:
        """Return the cells on which a piece wins."""
        return sorted({cell for cell, having, lacking in self.threats() if piece & having or ~piece & lacking})

    def safe(self) -> list[int]:
        """Return the pieces left that cannot complete a line."""
        threats = self.threats()
        return [p for p in self.left if not any(p & having or ~p & lacking for _, having, lacking in threats)]


def repair_and_evaluate(position: Position, genome: list[int]) -> tuple[list[int], int]:
    """Return the plan of a genome after its repair, and the value of the plan."""
    board = PlainBoard.of(position)
    plan, actor = [0] * _PLIES, 1
    for ply, gene in enumerate(genome):
        if board.hand is not None:
            wins = board.wins_of(board.hand)
            cell = _next_in(wins or [cell for cell in range(16) if board.pieces[cell] is None], gene)
            plan[ply] = cell
            if wins:
                return plan, actor * (_WIN - ply)
            board.pieces[cell], board.hand = board.hand, None
            if None not in board.pieces:
                return plan, 0
        else:
            piece = _next_in(board.safe() or board.left, gene)
            plan[ply] = piece
            board.left.remove(piece)
            board.hand = piece
            actor = -actor
    return plan, _estimate(board)


def _next_in(choices: list[int], gene: int) -> int:
    return min(choices, key=lambda choice: (choice - gene) % 16)


def _estimate(board: PlainBoard) -> int:
    safe = len(board.safe())
    if board.hand is not None and board.wins_of(board.hand):
        return _WIN - _PLIES
    if board.hand is None and not safe:
        return _PLIES - _WIN
    return 17 - safe if safe % 2 else safe - 17


def fitness_of(plans: list[list[int]], values: list[int], placing: bool) -> list[int]:
    """Return the number of plies over which the value of each plan is backed up, -1 for a copy of an earlier plan."""
    own_plies = (0, 1, 4, 5) if placing else (0, 3, 4, 7)
    fitness = [-1] * len(plans)

    def back_up(indices: list[int], ply: int) -> tuple[int, list[int]]:
        """Return the value of a node, and the indices of the plans with this value."""
        if ply == _PLIES:
            fitness[indices[0]] = 0
            return values[indices[0]], indices[:1]
        branches: dict[int, list[int]] = {}
        for index in indices:
            branches.setdefault(plans[index][ply], []).append(index)
        children = [back_up(branch, ply + 1) for branch in branches.values()]
        best = (max if ply in own_plies else min)(value for value, _ in children)
        best_indices = [index for value, indices in children if value == best for index in indices]
        for index in best_indices:
            fitness[index] += 1
        return best, best_indices

    back_up(list(range(len(plans))), 0)
    return fitness


def choose(
    position: Position,
    seed: int,
    population: int = 512,
    generations: int = 40,
    offspring: int = 100,
    selection: str = "tournament",
    tournament_size: int = 2,
    mutation_rate: float = 0.125,
) -> tuple[int, int]:
    """Return the action of the agent, and the next state of the random number generator."""
    random = SplitMix64(seed)
    placing = PlainBoard.of(position).hand is not None
    plans: list[list[int]] = []
    values: list[int] = []

    def add(genome: list[int]) -> None:
        plan, value = repair_and_evaluate(position, genome)
        plans.append(plan)
        values.append(value)

    def select() -> list[int]:
        if selection == "tournament":
            drawn = [parents[random.below(population)] for _ in range(tournament_size)]
            return plans[max(drawn, key=lambda index: fitness[index])]
        while True:
            index = parents[random.below(population)]
            if random.below(_PLIES + 1) <= fitness[index]:
                return plans[index]

    for _ in range(population):
        word = random.word() >> 32
        add([word >> 4 * (_PLIES - 1 - ply) & 15 for ply in range(_PLIES)])
    fitness = fitness_of(plans, values, placing)
    for _ in range(generations):
        parents = sorted(range(len(plans)), key=lambda index: -fitness[index])[:population]
        for _ in range(offspring):
            first, second = select(), select()
            cut = _PLIES - 1 - random.below(_PLIES - 1)
            genome = first[:cut] + second[cut:]
            for ply in reversed(range(_PLIES)):
                word = random.word()
                if (word >> 11) / 2**53 < mutation_rate:
                    genome[ply] = word & 15
            add(genome)
        fitness = fitness_of(plans, values, placing)

    means = {}
    for gene in {plan[0] for plan, reach in zip(plans, fitness, strict=True) if reach == _PLIES}:
        gene_values = [value for plan, value in zip(plans, values, strict=True) if plan[0] == gene]
        means[gene] = sum(gene_values) / len(gene_values)
    best = min(means, key=lambda gene: (-means[gene], gene))
    return (best if placing else 16 + best), random.state
