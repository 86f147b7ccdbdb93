"""The Monte Carlo tree search of report C.

Each iteration selects children by UCB1 until it reaches a node without children or with an untried move. It adds a node
for the last untried move, plays a random game from this node, and adds the result to all nodes up to the root, with
alternating sign. The agent plays the most visited move; of equal moves it plays the first. ``c.toml`` lists the bugs of
the search. The winner of a position after the end of the game is the owner of the first line that the line test finds.

Options repair each bug. Report C's agent always plays X. Our version also plays O, in the same way.
"""

from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.operations import action_count
from ci_envs.kernels.bits import nth_one, popcount, trailing_zeros
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.first_line import first_line
from ci_envs.reports.literal_agent import LiteralAgent, LiteralPolicy

ITERATIONS = 1000
"""The number of iterations for each move."""

_EXPLORATION, _SMALL = 1.41, 1e-6
_PARENT, _FIRST, _LAST, _NEXT, _VISITS = range(5)  # columns of the links between nodes; -1 is no node
_AGENT, _OPPONENT, _UNTRIED = range(3)  # columns of the words of nodes


def literal_mcts(
    game: Game, seed: int | None, *, signs_repaired: bool = False, ends_repaired: bool = False
) -> LiteralAgent:
    """Make report C's agent for games in which stones stay where they are placed.

    Args:
        game: Tic-tac-toe on any board, without gravity.
        seed: The seed of the random games.
        signs_repaired: Whether the result has the sign of the player who moved to a node.
        ends_repaired: Whether finished positions have no untried moves.

    Raises:
        ValueError: The game is another one.
    """
    if not isinstance(game, ConnectN) or game.gravity:
        raise ValueError(f"report:C plays ConnectN without gravity, not {game}")
    nodes = ITERATIONS + 1

    def new_policy() -> CompiledPolicy:
        repairs = np.array((signs_repaired, ends_repaired), dtype=np.int64)
        words, links = np.zeros((nodes, 3), dtype=np.uint64), np.zeros((nodes, 5), dtype=np.int64)
        return CompiledPolicy(LiteralMCTSPolicy(), (repairs, words, links, np.zeros(nodes)))

    return LiteralAgent(game, new_policy, seed=seed)


class LiteralMCTSPolicy(LiteralPolicy):
    """The compiled policy of report C.

    Its memory contains the two repairs, and the words, the links and the value of each node.
    """

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        repairs, words, links, values = memory
        return _search(game, own, opp, seed, repairs[0] != 0, repairs[1] != 0, words, links, values)


@kernel
def _search(
    game: Any, own: Any, opp: Any, state: Any, signs: Any, ends: Any, words: Any, links: Any, values: Any
) -> Any:
    """Return the most visited move. ``signs`` and ``ends`` select the repaired bugs."""
    _set_node(game, 0, -1, own, opp, ends, words, links, values)
    size = 1
    for _ in range(ITERATIONS):
        node, agent_moves = 0, True
        while links[node, _FIRST] >= 0 and words[node, _UNTRIED] == np.uint64(0):
            node = _best_child(node, links, values)
            agent_moves = not agent_moves
        untried = words[node, _UNTRIED]
        if untried != np.uint64(0):
            stone = nth_one(untried, popcount(untried) - np.uint64(1))
            stone = np.uint64(1) << stone
            words[node, _UNTRIED] = untried ^ stone
            agent, opponent = words[node, _AGENT], words[node, _OPPONENT]
            if agent_moves:
                agent |= stone
            else:
                opponent |= stone
            _set_node(game, size, node, agent, opponent, ends, words, links, values)
            _append_child(node, size, links)
            node, size = size, size + 1
            agent_moves = not agent_moves
        result, state = _random_game(game, words[node, _AGENT], words[node, _OPPONENT], agent_moves, state)
        if signs and agent_moves:  # the opponent moved to this node
            result = -result
        while node >= 0:
            links[node, _VISITS] += 1
            values[node] += result
            result = -result
            node = links[node, _PARENT]
    return _most_visited_move(own, words, links)


@kernel
def _set_node(
    game: Any, node: Any, parent: Any, agent: Any, opponent: Any, ends: Any, words: Any, links: Any, values: Any
) -> None:
    """Write a new node."""
    words[node, _AGENT], words[node, _OPPONENT] = agent, opponent
    is_finished = first_line(game, agent, opponent) != 0
    words[node, _UNTRIED] = np.uint64(0) if ends and is_finished else _free(game, agent, opponent)
    links[node, _PARENT], links[node, _VISITS] = parent, 0
    links[node, _FIRST] = links[node, _LAST] = links[node, _NEXT] = -1
    values[node] = 0


@inlined
def _free(game: Any, agent: Any, opponent: Any) -> Any:
    """Return the free cells as a bitboard."""
    return ~(agent | opponent) & (~np.uint64(0) >> np.uint64(64 - action_count(game)))


@inlined
def _append_child(parent: Any, child: Any, links: Any) -> None:
    if links[parent, _FIRST] < 0:
        links[parent, _FIRST] = child
    else:
        links[links[parent, _LAST], _NEXT] = child
    links[parent, _LAST] = child


@inlined
def _best_child(parent: Any, links: Any, values: Any) -> Any:
    """Return the child with the greatest upper confidence bound. Of equal children return the first."""
    logarithm = np.log(links[parent, _VISITS] + 1)
    child = best = links[parent, _FIRST]
    best_bound = -np.inf
    while child >= 0:
        visits = links[child, _VISITS] + _SMALL
        bound = values[child] / visits + _EXPLORATION * np.sqrt(logarithm / visits)
        if bound > best_bound:
            best, best_bound = child, bound
        child = links[child, _NEXT]
    return best


@inlined
def _most_visited_move(own: Any, words: Any, links: Any) -> Any:
    child = best = links[0, _FIRST]
    while child >= 0:
        if links[child, _VISITS] > links[best, _VISITS]:
            best = child
        child = links[child, _NEXT]
    return np.int64(trailing_zeros(words[best, _AGENT] ^ own))


@kernel
def _random_game(game: Any, agent: Any, opponent: Any, agent_moves: Any, state: Any) -> Any:
    """Play at random to the first line. Return the result for the agent (1 win, -1 loss, 0 draw) and the state."""
    while True:
        line = first_line(game, agent, opponent)
        free = _free(game, agent, opponent)
        if line != 0 or free == np.uint64(0):
            return line, state
        number, state = random_below(state, popcount(free))
        stone = np.uint64(1) << nth_one(free, number)
        if agent_moves:
            agent |= stone
        else:
            opponent |= stone
        agent_moves = not agent_moves
