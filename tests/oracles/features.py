"""Slow reference implementations of the features of positions and of the evaluation by a genome."""

import numpy as np

from ci_envs import ConnectN, Nim, Quarto
from ci_envs.games import GridGame


def slow_features(position):
    game = position.game
    if isinstance(game, GridGame):
        return slow_grid(position)
    if isinstance(game, Nim):
        return slow_nim(position)
    return slow_quarto(position) if isinstance(game, Quarto) else slow_any(position)


def slow_any(position):
    legal = len(position.legal_actions())
    return {"constant": 1, "mobility": legal / position.game.action_count, "mobility odd": legal % 2}


def slow_grid(position):
    """The features of a board as text. X is the player to move."""
    rows, cols, n = position.game.shape
    text = position.game.to_text(position.own, position.opp, 0).split()[0].split("/")
    found = {}
    for row in range(rows):
        for col in range(cols):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * down, col + k * right) for k in range(n)]
                if all(0 <= r < rows and 0 <= c < cols for r, c in cells):
                    symbols = [text[r][c] for r, c in cells]
                    mine, theirs = symbols.count("X"), symbols.count("O")
                    if mine != theirs:
                        name = f"lines {max(mine, theirs)}:{min(mine, theirs)}"
                        found[name] = found.get(name, 0) + (1 if mine > theirs else -1)
                        found[f"{name}, anyone's"] = found.get(f"{name}, anyone's", 0) + 1
    upright = isinstance(position.game, ConnectN) and position.game.gravity
    for row in range(rows):
        for col in range(cols):
            images = {(row, cols - 1 - col), (row, col)}
            if not upright:
                images |= {(rows - 1 - r, c) for r, c in images}
                images |= {(c, r) for r, c in images} if rows == cols else set()
            name = f"cells like {min(r * cols + c for r, c in images)}"
            found[name] = found.get(name, 0) + {"X": 1, "O": -1, ".": 0}[text[row][col]]
    return found


def slow_nim(position):
    heaps = position.game.sizes(position.own)
    found = {"constant": 1, **{f"heaps of {size}": heaps.count(size) for size in range(1, 256)}}
    for digit in (1, 2, 4):
        found[f"nim-sum {digit}"] = sum(heap % (position.game.limit + 1) // digit % 2 for heap in heaps) % 2
    return found


def slow_quarto(position):
    board = position.game.pieces(position.own, position.opp)
    fours = [[4 * row + k for k in range(4)] for row in range(4)] + [
        [4 * k + col for k in range(4)] for col in range(4)
    ]
    fours += [[0, 5, 10, 15], [3, 6, 9, 12]]
    if position.game.squares:
        fours += [[4 * r + c, 4 * r + c + 1, 4 * r + c + 4, 4 * r + c + 5] for r in range(3) for c in range(3)]

    def alike(pieces):
        return sum(len({piece >> attribute & 1 for piece in pieces}) == 1 for attribute in range(4))

    def wins(piece):
        threes = [[board[cell] for cell in four if board[cell] is not None] for four in fours]
        return any(len(three) == 3 and alike([*three, piece]) for three in threes)

    hand = position.game.in_hand(position.opp)
    left = [piece for piece in range(16) if piece not in (*board, hand)]
    safe = [piece for piece in left if not wins(piece)]
    found = {"constant": 1, "safe pieces": len(safe) / 16, "safe pieces odd": len(safe) % 2}
    found |= {"pieces": len(left) / 16, "pieces odd": len(left) % 2}
    found["piece in hand wins, or all do"] = not safe if hand is None else wins(hand)
    for count in (1, 2, 3):
        filled = [[board[cell] for cell in four if board[cell] is not None] for four in fours]
        found[f"fours with {count} alike"] = sum(alike(pieces) for pieces in filled if len(pieces) == count) / 4
    phase = "giving" if hand is None else "placing"
    return {f"{phase}: {name}": value for name, value in found.items()}


def softsign(x):
    return x / (1 + abs(x))


def slow_value(position, genome):
    found = slow_features(position)
    values = [found.get(name, 0) for name in position.game.feature_names]

    def weighted(weights):
        return sum(weight * value for weight, value in zip(weights, values, strict=True))

    size = len(values)
    if len(genome) == size:
        total = weighted(genome)
    else:
        units = np.reshape(genome, (-1, size + 1))
        total = sum(unit[size] * softsign(weighted(unit[:size])) for unit in units)
    return 999_999 * softsign(total)
