"""The Quixo search of reports A and D, in which one player makes all moves.

The agent values each of its moves by a minimax of further plies, which alternately takes the least and the greatest
value, the least first. The searches keep these bugs:

* After the first move every ply is a move of the same player: of the agent in section A5 and in alpha-beta of report
  D, of the opponent in minimax of report D. Only :attr:`Mover.ALTERNATING` is a correct minimax.
* Each ply goes through the moves that are legal for the agent, also where the cubes of the opponent move. Such a move
  can turn a cube of the agent.
* A line is tested by :func:`~ci_envs.reports.first_line.first_line`.
* Each first move is searched with an infinite window, so alpha-beta cannot prune with 1 further ply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.games.game import Game
from ci_envs.games.grid import longest_run
from ci_envs.games.operations import ONGOING, action_count, legal, play, result
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.first_line import first_line
from ci_envs.reports.literal_agent import LiteralPolicy
from ci_envs.reports.section import AgentMaker


class Mover(IntEnum):
    """The player who makes the moves after the first one."""

    AGENT = 0
    OPPONENT = 1
    ALTERNATING = 2


class Leaf(IntEnum):
    """The value of a leaf without a line.

    ``LONGEST_RUN`` is the longest run of adjacent cubes of the agent in a line. ``RANDOM_GAME`` is the result of one
    random game, in which the agent moves first.
    """

    ZERO = 0
    LONGEST_RUN = 1
    RANDOM_GAME = 2


ADAPTIVE = 0
"""The depth that grows as the legal moves become fewer: max(1, floor(5 (44 - n) / 44)) for n legal moves of 44."""


@dataclass(frozen=True)
class QuixoSearch:
    """The options that distinguish the searches.

    Attributes:
        depth: The plies after the first move, 1 or more, or :data:`ADAPTIVE`.
        mover: The player who makes the moves after the first one.
        leaf: The value of a leaf without a line.
        pruning: Whether to prune by alpha-beta.
        shuffled: Whether the moves are tried in random order; else they are tried in the order of their numbers.
    """

    depth: int
    mover: Mover
    leaf: Leaf = Leaf.ZERO
    pruning: bool = True
    shuffled: bool = False


_DEPTH, _MOVER, _LEAF, _PRUNING, _SHUFFLED = range(5)  # places in the options
_NODES, _STATE, _ORDER = range(3)  # places in the working memory; an order of the moves for each depth
_MAX_DEPTH = 5  # also of the adaptive depth
_WIN, _INFINITY = 1000, 10_000  # of a line; a run counts its length
_LONGEST_GAME = 1000  # plies of a random game, of which hardly any has 200


class QuixoSearchAgent(PolicyAgent):
    """Plays the first of its best moves by a :class:`QuixoSearch`."""

    def __init__(self, game: Game, search: QuixoSearch, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Quixo.
            search: The search.
            seed: The seed of the order of the moves and of random games.

        Raises:
            ValueError: The game is not Quixo.
        """
        require_game("report", game, Quixo)
        self._search = search
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        search = self._search
        options = np.array([search.depth, search.mover, search.leaf, search.pruning, search.shuffled], dtype=np.int64)
        work = np.zeros(_ORDER + (_MAX_DEPTH + 1) * self.game.action_count, dtype=np.uint64)
        return CompiledPolicy(QuixoSearchPolicy(), (options, work))

    @property
    def nodes(self) -> int:
        """The nodes that the last search visited, the root not counted."""
        latest = self._memory.latest
        return 0 if latest is None else int(latest.memory[1][_NODES])

    def action_values(self, position: Position) -> Mapping[int, int]:
        """Return the value of each legal action: 1000 for a win, -1000 for a loss, else the value of a leaf.

        Raises:
            ValueError: The game is over, or it is another game.
        """
        values = np.empty(self.game.action_count, dtype=np.int64)
        own, opp = self.words_of(position)
        with self._memory.use(self._new_policy) as (_, (options, work)):
            _best_action(self.game, own, opp, self._seeds.take(1)[0], options, work, values)
        return {action: int(values[action]) for action in position.legal_actions()}


def quixo_searcher(search: QuixoSearch) -> AgentMaker:
    """Return what makes the agent of a search."""
    return lambda game, seed: QuixoSearchAgent(game, search, seed=seed)


class QuixoSearchPolicy(LiteralPolicy):
    """:class:`QuixoSearchAgent` in compiled code; its memory is the options and the working memory."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        options, work = memory
        return _best_action(game, own, opp, seed, options, work, np.empty(action_count(game), np.int64))


@kernel
def _best_action(game: Any, own: Any, opp: Any, seed: Any, options: Any, work: Any, values: Any) -> Any:
    """Return the first best action in the search order, and write the ``values`` of legal actions."""
    work[_NODES], work[_STATE] = 0, seed
    depth = options[_DEPTH] if options[_DEPTH] != ADAPTIVE else _adaptive_depth(game, own, opp)
    order = _set_order(game, depth + 1, options, work)
    best, best_value = np.int64(-1), -2 * _INFINITY
    for place in range(order, order + action_count(game)):
        action = work[place]
        if legal(game, own, opp, action):
            opponent, agent = play(game, own, opp, action)
            value = _value(game, agent, opponent, depth, False, -_INFINITY, _INFINITY, options, work)
            values[action] = value
            if value > best_value:
                best, best_value = np.int64(action), value
    return best


@inlined
def _adaptive_depth(game: Any, own: Any, opp: Any) -> Any:
    moves = 0
    for number in range(action_count(game)):
        moves += legal(game, own, opp, np.uint64(number))
    return max(1, 5 * (action_count(game) - moves) // action_count(game))


@kernel
def _set_order(game: Any, depth: Any, options: Any, work: Any) -> Any:
    """Write the order in which a node of this depth tries the actions, and return the place of the order."""
    first = _ORDER + (depth - 1) * action_count(game)
    for number in range(action_count(game)):
        work[first + number] = number
    if options[_SHUFFLED]:
        state = work[_STATE]
        for number in range(action_count(game) - 1, 0, -1):
            other, state = random_below(state, number + 1)
            other += np.uint64(first)
            work[first + number], work[other] = work[other], work[first + number]
        work[_STATE] = state
    return first


@kernel
def _value(
    game: Any,
    agent: Any,
    opponent: Any,
    depth: Any,
    maximises: Any,
    alpha: Any,
    beta: Any,
    options: Any,
    work: Any,
) -> Any:
    """Return the value of a position for the agent.

    Args:
        game: Quixo.
        agent: The cubes of the agent.
        opponent: The cubes of the opponent.
        depth: The plies to search, 0 or more.
        maximises: Whether this ply takes the greatest value.
        alpha: The value that the maximising plies have already.
        beta: The value that the minimising plies have already.
        options: Of the search.
        work: The working memory.
    """
    work[_NODES] += 1
    line = first_line(game, agent, opponent)
    if line != 0:
        return line * _WIN
    if depth == 0:
        return _leaf_value(game, agent, opponent, options, work)
    opponent_moves = options[_MOVER] == Mover.OPPONENT or (options[_MOVER] == Mover.ALTERNATING and not maximises)
    best = -_INFINITY if maximises else _INFINITY
    order = _set_order(game, depth, options, work)
    for place in range(order, order + action_count(game)):
        action = work[place]
        if options[_MOVER] == Mover.ALTERNATING and opponent_moves:
            is_listed = legal(game, opponent, agent, action)
        else:
            is_listed = legal(game, agent, opponent, action)
        if not is_listed:
            continue
        if opponent_moves:
            next_agent, next_opponent = play(game, opponent, agent, action)
        else:
            next_opponent, next_agent = play(game, agent, opponent, action)
        value = _value(game, next_agent, next_opponent, depth - 1, not maximises, alpha, beta, options, work)
        if maximises:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if options[_PRUNING] and beta <= alpha:
            break
    return best


@inlined
def _leaf_value(game: Any, agent: Any, opponent: Any, options: Any, work: Any) -> Any:
    if options[_LEAF] == Leaf.LONGEST_RUN:
        return np.int64(longest_run(game, agent))
    if options[_LEAF] == Leaf.RANDOM_GAME:
        return _random_game(game, agent, opponent, work)
    return np.int64(0)


@kernel
def _random_game(game: Any, own: Any, opp: Any, work: Any) -> Any:
    """Return the value of the result of a random game for the player to move."""
    sign, state, outcome = 1, work[_STATE], ONGOING
    for _ in range(_LONGEST_GAME):
        action, state = random_action(game, own, opp, state)
        own, opp = play(game, own, opp, action)
        sign = -sign
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            break
    work[_STATE] = state
    return sign * outcome * _WIN if outcome != ONGOING else 0
