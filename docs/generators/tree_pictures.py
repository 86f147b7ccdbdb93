"""Generator of the pictures of search trees of ``alphazero`` in real positions."""

import re
from collections.abc import Sequence

from ci_envs import Position, make_agent
from ci_envs.agent_interface.analysis import Branch
from ci_envs.agent_interface.capabilities import as_analyst
from ci_envs.registry.games import resolve
from docs.generators.sketch import INK, SECOND, STRONG, Sketch

AGENT = "alphazero:simulations=100"
TREES: dict[str, tuple[str, Sequence[str]]] = {
    "tree_connect_four": ("ConnectFour-v0", ("d", "c", "g", "b", "g", "a")),
    "tree_tictactoe": ("TicTacToe-v0", ("a1", "b2", "c3")),
}
"""The game of each picture, and the moves that lead to its position."""

_BOARD, _WIDTH, _HEIGHT = 84, 118, 200
_RESULTS = {1: "win", 0: "draw", -1: "loss"}


def tree_pictures() -> dict[str, str]:
    """Return the pictures as SVG, by their names."""
    return {name: tree_picture(*TREES[name]) for name in TREES}


def tree_picture(environment: str, moves: Sequence[str]) -> str:
    """Return the tree of a search: the three most visited actions, and the two most visited replies to each.

    Args:
        environment: The id of the game.
        moves: The names of the actions that lead to the position.
    """
    position = Position.start(resolve(environment)[1])
    for move in moves:
        position = position.play(position.parse_action(move))
    analysis = as_analyst(make_agent(AGENT, position.game, seed=0), AGENT).analyse(position)
    assert analysis.tree is not None
    branches = analysis.tree(depth=2, width=3)
    replies = [[reply for reply in branch.children if reply.visits or reply.proven][:2] for branch in branches]
    widths = [_WIDTH * max(len(below), 1) for below in replies]
    sketch = Sketch(sum(widths) + 20, 3 * _HEIGHT)
    middle = (sketch.width - 20) / 2 + 10
    _draw(sketch, position, middle, 10, f"value {analysis.value:+.2f}")
    left = 10.0
    for number, (branch, below, width) in enumerate(zip(branches, replies, widths, strict=True)):
        after = position.play(branch.action)
        x = left + width / 2
        _branch(sketch, (middle, 0), (x, 1), chosen=number == 0)
        _draw(sketch, after, x, 10 + _HEIGHT, *_labels(position, branch))
        for column, reply in enumerate(below):
            place = left + _WIDTH * (column + 0.5)
            _branch(sketch, (x, 1), (place, 2), chosen=number == 0 and reply is below[0])
            _draw(sketch, after.play(reply.action), place, 10 + 2 * _HEIGHT, *_labels(after, reply))
        left += width
    return sketch.svg()


def _labels(position: Position, branch: Branch) -> tuple[str, str, str]:
    """Return the lines below a board: the action, its prior probability and visits, and the value for its player."""
    value = f"proven {_RESULTS[round(branch.value)]}" if branch.proven else f"value {branch.value:+.2f}"
    return position.action_name(branch.action), f"{branch.prior:.0%}, {branch.visits} visits", value


def _branch(sketch: Sketch, start: tuple[float, int], end: tuple[float, int], *, chosen: bool) -> None:
    """Draw a line from the texts below a board to a board in the next row."""
    (x, row), (place, below) = start, end
    top, bottom = 10 + row * _HEIGHT + _BOARD + 58, 10 + below * _HEIGHT - 2
    sketch.line((x, top), (place, bottom), colour=STRONG if chosen else INK, width=3 if chosen else 1.2)


def _draw(sketch: Sketch, position: Position, x: float, y: float, *lines: str) -> None:
    """Draw a board with lines of text below it; ``x`` is its middle."""
    board = re.sub(
        r'^<svg ([^>]*?)width="\d+" height="\d+"',
        rf'<svg \1x="{x - _BOARD / 2:g}" y="{y:g}" width="{_BOARD}" height="{_BOARD}"',
        position.draw().svg(),
    )
    sketch.parts.append(board)
    for number, line in enumerate(lines):
        sketch.text(x, y + _BOARD + 12 + 16 * number, line, fill=SECOND if line.startswith("proven") else INK)
