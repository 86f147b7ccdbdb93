"""One game between two agents, shown move by move."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ci_envs.agent_interface.adapters import separate
from ci_envs.agent_interface.child_process import ProcessError
from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW
from ci_envs.games.position import Position
from ci_envs.games.truncation import ply_limit
from ci_envs.registry.user_code import short_line


class Player(NamedTuple):
    """A player of a game.

    Attributes:
        name: the name of the player.
        agent: the agent that chooses the actions.
        sees_legal_actions: whether the names of the legal actions are shown before each decision.
    """

    name: str
    agent: Agent
    sees_legal_actions: bool


def watch(
    game: Game,
    players: Sequence[Player],
    *,
    max_cycles: int | None = None,
    show: Callable[[str], object] = print,
    record: Callable[[Position, int | None], object] = lambda position, action: None,
) -> int | None:
    """Play a game between two players, and show every position, every action and the result.

    Args:
        game: the game.
        players: the two players. Player 0 moves first.
        max_cycles: plies after which the game is a draw. None means 200 for games that can go on for ever, and no limit
            for other games.
        show: a function that is called with one or more lines of text.
        record: a function that is called with each position and the action that led to it (None for the first one).

    Returns:
        The winner, 0 or 1, or None after a draw.

    Raises:
        ValueError: ``max_cycles`` is out of range.
        TypeError: an agent returns something else than an integer.
    """
    limit = ply_limit(game, max_cycles)
    names = [f"{player.name} (player {seat})" for seat, player in enumerate(players)]
    position = Position.start(game)
    agents = players[0].agent, separate(players[1].agent, players[0].agent)
    for seat, agent in enumerate(agents):
        if agent.keeps_games:
            agent.start_games(1, np.array([seat], np.int8), np.zeros(1, np.uint64))
    record(position, None)
    show(f"{names[0]} against {names[1]}\n\n{position.diagram()}")
    for _ in range(limit):
        mover, legal = position.to_move, position.legal_actions()
        if players[mover].sees_legal_actions:
            show(f"legal actions: {' '.join(map(position.action_name, legal))}")
        try:
            action = _decision(agents[mover], position)
        except ProcessError as error:  # the program of the agent has failed, not code of this process
            show(f"\n{names[mover]} {short_line(str(error))}: {names[1 - mover]} wins")
            return 1 - mover
        if action not in legal:
            show(f"\n{names[mover]} plays {action}, which is illegal: {names[1 - mover]} wins")
            return 1 - mover
        show(f"\n{names[mover]} plays {position.action_name(action)}")
        position = position.play(action)
        record(position, action)
        show(f"\n{position.diagram()}")
        if position.result is not None:
            return _announce(position, names, show)
    show(f"\na draw: nobody won in {limit} plies")
    return None


def _decision(agent: Agent, position: Position) -> int:
    words = np.array([[position.own, position.opp]], dtype=np.uint64)
    return int(decide(agent, words, np.zeros(1, np.int64)).actions[0])


def _announce(position: Position, names: Sequence[str], show: Callable[[str], object]) -> int | None:
    if position.result == DRAW:
        show("\na draw")
        return None
    winner = position.to_move if position.result == 1 else 1 - position.to_move
    show(f"\n{names[winner]} wins")
    return winner
