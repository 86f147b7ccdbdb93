"""Q-learning of tic-tac-toe by self-play in plain Python, with tuples, a dictionary and ``random``.

The algorithm is that of the agent ``q_learning`` with its default options.
"""

import random
from collections import defaultdict

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

Board = tuple[int, ...]
"""The cells: 1 for a stone of the player to move, -1 for a stone of the opponent, 0 for an empty cell."""


def learn(episodes: int, seed: int = 0) -> dict[tuple[Board, int], float]:
    """Return the values of actions after a number of games."""
    rng, values = random.Random(seed), defaultdict[tuple[Board, int], float](float)
    for episode in range(episodes):
        progress = episode / episodes
        play_game(values, 0.3 - 0.28 * progress, 1 - 0.95 * progress, rng)
    return values


def play_game(values: dict[tuple[Board, int], float], alpha: float, epsilon: float, rng: random.Random) -> None:
    """Play a game and learn from it."""
    board: Board = (0,) * 9
    last: list[tuple[Board, int]] = []  # the boards and actions so far
    while True:
        free = [cell for cell in range(9) if not board[cell]]
        known = [values[board, cell] for cell in free]
        best = max(known)
        if len(last) > 1:
            change(values, last[-2], best, alpha)
        if rng.random() < epsilon:
            action = rng.choice(free)
        else:
            action = rng.choice([cell for cell, value in zip(free, known, strict=True) if value == best])
        last.append((board, action))
        after = (*board[:action], 1, *board[action + 1 :])
        won = any(after[a] == after[b] == after[c] == 1 for a, b, c in LINES)
        if won or len(free) == 1:
            change(values, last[-1], float(won), alpha)
            if len(last) > 1:
                change(values, last[-2], -float(won), alpha)
            return
        board = tuple(-cell for cell in after)


def change(values: dict[tuple[Board, int], float], pair: tuple[Board, int], target: float, alpha: float) -> None:
    """Move a value towards its target."""
    values[pair] += alpha * (target - values[pair])
