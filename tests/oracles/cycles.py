"""Exact values of games that can cycle, by value iteration over Python positions, and reference rules of pop-out."""

from collections import deque


def cyclic_values(start, after, outcome):
    """Return ``{position: (value, distance)}`` for all positions that play can reach; draws have the distance None.

    Args:
        start: A hashable position.
        after: A function from a position to its successors, each with whether the same player moves again.
        outcome: A function from a position to +1, 0 or -1 for the player to move, or None if the game goes on.
    """
    successors, waiting = {}, deque([start])
    while waiting:
        position = waiting.popleft()
        if position not in successors:
            successors[position] = [] if outcome(position) is not None else list(after(position))
            waiting.extend(follower for follower, _ in successors[position])
    values = {position: (outcome(position), 0) for position in successors if outcome(position)}
    for plies in range(1, 10_000):
        found = {}
        for position in successors.keys() - values.keys():
            known = [
                (values[follower][0] if again else -values[follower][0]) if follower in values else 0
                for follower, again in successors[position]
            ]
            if 1 in known:
                found[position] = 1, plies
            elif known and set(known) == {-1}:
                found[position] = -1, plies
        if not found:
            break
        values |= found
    return {position: values.get(position, (0, None)) for position in successors}


def pop_out_successors(columns, height):
    """Return the positions after each action of pop-out, from the point of view of the next player.

    A position is a tuple of columns. A column is a text with ``X`` for each stone of the player to move and ``O`` for
    each stone of the opponent, from the bottom.
    """
    played = []
    for number, column in enumerate(columns):
        changed = [f"{column}X"] if len(column) < height else []
        changed += [column[1:]] if column.startswith("X") else []
        played += [(*columns[:number], new, *columns[number + 1 :]) for new in changed]
    return [tuple(column.translate(str.maketrans("XO", "OX")) for column in position) for position in played]


def pop_out_outcome(columns, height, n):
    """Return +1, 0 or -1 for the player to move in pop-out, or None if the game goes on."""
    cells = {(col, row): stone for col, column in enumerate(columns) for row, stone in enumerate(column)}
    lined = {
        stone
        for (col, row), stone in cells.items()
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
        if all(cells.get((col + k * right, row + k * up)) == stone for k in range(n))
    }
    if "O" in lined:  # the player who moved, even if the move completed a line of the other player too
        return -1
    if "X" in lined:
        return 1
    return None if pop_out_successors(columns, height) else 0
