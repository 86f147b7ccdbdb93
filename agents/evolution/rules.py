"""A policy that plays Quixo by weighted rules: each rule allows some actions, and a rule is drawn by weight.

There are fourteen rules. A genome has one number for each of the first rules.
The weight of a rule is the exponential of its number. The policy draws a rule by weight from the rules that allow an
action, and plays a random action that it allows. If no rule allows an action, the policy plays a random legal action.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import choose
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.games import ONGOING, action_count, implements, kernel, legal, play, result
from ci_envs.games.game import Game
from ci_envs.games.grid import lines_of
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.random_draws import draw_by_weight
from ci_envs.kernels.random_numbers import random_index_from

RULES = (
    "push a cube into a row without own cubes",
    "push a cube into a column without own cubes",
    "complete a row",
    "complete a column",
    "complete a diagonal",
    "block the opponent's row",
    "block the opponent's column",
    "leave the opponent a win",
    "block the opponent's diagonal",
    "add a cube to a row of three own cubes or more",
    "add a cube to a column of three own cubes or more",
    "take a cube from the opponent's row of three or more",
    "take a cube from the opponent's column of three or more",
    "any legal action",
)
"""The description of each rule, in the order of the genes."""

_ENTER, _COMPLETE, _BLOCK, _LEAVE, _ADD, _DISTURB, _ANY = range(7)
_ROWS, _COLUMNS, _DIAGONALS, _LINES = range(4)
# the kind of each rule, and the lines that it examines
_KINDS = (
    (_ENTER, _ROWS),
    (_ENTER, _COLUMNS),
    (_COMPLETE, _ROWS),
    (_COMPLETE, _COLUMNS),
    (_COMPLETE, _DIAGONALS),
    (_BLOCK, _ROWS),
    (_BLOCK, _COLUMNS),
    (_LEAVE, _LINES),
    (_BLOCK, _DIAGONALS),
    (_ADD, _ROWS),
    (_ADD, _COLUMNS),
    (_DISTURB, _ROWS),
    (_DISTURB, _COLUMNS),
    (_ANY, _LINES),
)
_TABLE = np.array(_KINDS, dtype=np.int64)
_MIN_CUBES = 3  # the minimum number of cubes in a line for rules that add or take a cube


@dataclass(frozen=True)
class RulesPolicy(GenomePolicy):
    """Policy that plays Quixo by the weighted rules :data:`RULES`. Its genomes have 1 to 14 numbers."""

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """Return new memory for one thread: a copy of ``genome``, the lines, and buffers for weights and actions.

        Raises:
            ValueError: the game is not Quixo.
        """
        quixo = require_game("a policy of rules", game, Quixo)
        lines = np.array(_lines_by_direction(quixo), dtype=np.uint64)
        return np.array(genome, dtype=np.float64), lines, np.zeros(len(RULES)), np.zeros(game.action_count)


def _lines_by_direction(game: Quixo) -> list[int]:
    """Return the rows, then the columns, then the two diagonals."""
    lines = lines_of(*game.shape)
    rows = [((1 << game.size) - 1) << game.size * row for row in range(game.size)]
    columns = [sum(1 << game.size * row + column for row in range(game.size)) for column in range(game.size)]
    return [*rows, *columns, *(line for line in lines if line not in rows and line not in columns)]


@implements(choose, RulesPolicy)
def _(policy: RulesPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, lines, weights, marks = memory
        number, state = len(genome), seed
        highest = genome.max()
        for rule in range(number):
            weights[rule] = math.exp(genome[rule] - highest)
        # if the drawn rule allows no action, draw another: this has the same probabilities as excluding it first
        for _ in range(number):
            rule, state = draw_by_weight(weights, number, state)
            if write_allowed_actions(game, rule, own, opp, lines, marks):
                return random_index_from(marks, action_count(game), 1.0, state)[0]
            weights[rule] = 0.0
        write_allowed_actions(game, len(_KINDS) - 1, own, opp, lines, marks)
        return random_index_from(marks, action_count(game), 1.0, state)[0]

    return kernel


@kernel
def write_allowed_actions(game: Any, rule: Any, own: Any, opp: Any, lines: Any, marks: Any) -> Any:
    """Write 1 for each legal action that a rule allows and 0 for the others, and return whether it allows any.

    Args:
        game: Quixo.
        rule: the index of the rule in :data:`RULES`.
        own: first word of the position.
        opp: second word of the position.
        lines: uint64, the rows, the columns and the diagonals as bit boards.
        marks: float64 of shape (actions,), written.
    """
    kind, lying = _TABLE[rule, 0], _TABLE[rule, 1]
    size = (len(lines) - 2) // 2
    begin = size * min(lying, 2) if lying != _LINES else 0
    looked_at = lines[begin : len(lines) if lying >= _DIAGONALS else begin + size]
    allows = False
    is_answer = kind in (_BLOCK, _LEAVE)
    possible = not is_answer or _can_complete(game, opp, own, looked_at, size)
    for number in range(action_count(game)):
        action = np.uint64(number)
        allowed = possible and legal(game, own, opp, action)
        if allowed and kind != _ANY:
            theirs, ours = play(game, own, opp, action)
            if is_answer:
                allowed = _can_complete(game, theirs, ours, looked_at, size) == (kind == _LEAVE)
            else:
                allowed = _changes(kind, own, opp, ours, theirs, looked_at, size)
        marks[number] = allowed
        allows |= allowed
    return allows


@kernel
def _changes(kind: Any, own: Any, opp: Any, ours: Any, theirs: Any, lines: Any, size: Any) -> Any:
    """Return whether an action changes a line as a rule requires; ``ours`` and ``theirs`` are the cubes after it."""
    for line in lines:
        before, after = np.int64(popcount(own & line)), np.int64(popcount(ours & line))
        if kind == _ENTER:
            found = before == 0 and after > 0
        elif kind == _COMPLETE:
            found = after == size
        elif kind == _ADD:
            found = before >= _MIN_CUBES and after > before
        else:
            before, after = np.int64(popcount(opp & line)), np.int64(popcount(theirs & line))
            found = before >= _MIN_CUBES and after < before
        if found:
            return True
    return False


@kernel
def _can_complete(game: Any, own: Any, opp: Any, lines: Any, size: Any) -> Any:
    """Return whether the player to move, with the cubes ``own``, has a complete line or can complete one."""
    nearly = False
    for line in lines:
        count = np.int64(popcount(own & line))
        if count == size:
            return True
        nearly |= count == size - 1  # an action adds at most one cube to a line
    if not nearly or result(game, own, opp) != ONGOING:
        return False
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action):
            _, ours = play(game, own, opp, action)
            for line in lines:
                if ours & line == line:
                    return True
    return False
