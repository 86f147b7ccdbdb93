"""The matches of section E, also against perfect play."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.games.position import Position
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.matches import play_from_seat, wins_of
from ci_envs.solver.solution import Solution
from ci_envs.solver.solve import solve


def wins_from_seat(agent: Agent, opponent: str, seat: int, games: int, seed: int) -> Estimate:
    """Return the percentage of games that an agent wins from a seat.

    Args:
        agent: The agent.
        opponent: The spec string of the opponent.
        seat: 0 if the agent moves first, 1 if it moves second.
        games: The number of games.
        seed: The seed of the opponent.
    """
    return wins_of(play_from_seat(agent, opponent, games, seat=seat, seed=seed).total)


class PerfectPlayRecord(NamedTuple):
    """The games of an agent that moves first in a won game against perfect play.

    Attributes:
        games: The number of games.
        won: The number of games that the agent won.
        moves: The number of moves of the agent in won positions.
        kept: The number of these moves after which the agent can still force a win.
    """

    games: int
    won: int
    moves: int
    kept: int


def play_perfect_defender(agent: PositionAgent, games: int, seed: int) -> PerfectPlayRecord:
    """Let an agent move first against perfect play, which delays its loss as long as possible.

    A game ends with the first move of the agent that gives the win away, because perfect play never loses after that.

    Args:
        agent: The agent. The first player must have a forced win in its game.
        games: The number of games.
        seed: The seed of the choice among the best moves of the opponent.
    """
    solution, rng = solve(Position.start(agent.game)), np.random.default_rng(seed)
    kept = [list(_moves_kept(agent, solution, rng)) for _ in range(games)]
    won = sum(all(game) for game in kept)
    return PerfectPlayRecord(games, won, sum(map(len, kept)), sum(map(sum, kept)))


def _moves_kept(agent: PositionAgent, solution: Solution, rng: np.random.Generator) -> Iterator[bool]:
    """Yield whether each move of the agent keeps the win, up to the first one that does not."""
    position, keeps = Position.start(agent.game), True
    while keeps and position.result is None:
        (action,) = agent.act_on(np.array([[position.own, position.opp]], dtype=np.uint64))
        position = position.play(int(action))
        keeps = _is_lost(solution, position)
        yield keeps
        if keeps and position.result is None:
            position = position.play(int(rng.choice(solution.best_actions(position))))


def _is_lost(solution: Solution, position: Position) -> bool:
    """Return whether the player to move has lost or must lose. A position that takes too long to solve is not lost."""
    if position.result is not None:
        return position.result < 0
    try:
        return solution.value(position) < 0
    except ValueError:
        return False
