"""The Gymnasium environment of every board game: one agent acts, its opponent plays inside."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.interface import Agent, PositionAgent
from ci_envs.agent.policy_agent import compiled_policy
from ci_envs.agent.registry import make_agent
from ci_envs.envs.aec import AGENTS, RENDER_MODES, BoardEnv
from ci_envs.envs.boards import draw_seat, seat_state
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.kernels.seeds import SeedSequence
from ci_envs.registry import resolve

Opponent = str | Agent | Callable[[dict[str, NDArray[np.int8]]], int]
"""A spec string, an agent, or a function from an AEC observation to an action."""


class SingleAgentEnv(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat of a board game; ``gymnasium.make("ci_envs/Quixo-v0", opponent="minimax:depth=2")`` makes one.

    The observation is the planes, seen by the agent; the legal actions are in ``info["action_mask"]`` (int8) and
    ``action_masks()`` (bool). The reward comes at the end: 1, 0 or -1. An illegal action ends the game with -1. When
    :meth:`reset` returns it is the agent's turn. Only where the opponent has ended the game before, as it can with a
    single heap of Nim, the mask is zero and the first step, whatever its action, tells the reward.

    Attributes:
        game: the game.
        seat: the player that the agent is in this episode, 0 or 1.
        opponent: the agent or function that plays the other.
    """

    # as the base class declares it
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        *,
        opponent: Opponent = "random",
        seat: int | None = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        name: str | None = None,
    ) -> None:
        """Make the environment of ``game``.

        Args:
            game: the game with its parameters.
            opponent: a spec string (``"minimax:depth=2"``), an agent of this game, or a function that takes
                ``{"observation": planes, "action_mask": mask}`` and returns an action.
            seat: 0 to move first, 1 to move second, None to draw it at each reset.
            max_cycles: as in :class:`ci_envs.envs.aec.BoardEnv`.
            render_mode: as in :class:`ci_envs.envs.aec.BoardEnv`.
            name: as in :class:`ci_envs.envs.aec.BoardEnv`.

        Raises:
            TypeError: ``opponent`` is nothing that can play.
            ValueError: an argument is none of the above, or the opponent plays another game.
        """
        if seat not in (None, 0, 1):
            raise ValueError(f"seat must be 0, 1 or None, not {seat!r}")
        self._board = BoardEnv(game, max_cycles=max_cycles, render_mode=render_mode, name=name)
        self._given_seat = seat
        self._seeds: SeedSequence | None = None
        self._is_expected = False  # whether a step may be made
        self.game = game
        self.render_mode = render_mode
        self.opponent = as_opponent(opponent, game)
        self._compiled = compiled_policy(self.opponent)
        self.observation_space = self._board.observation_spaces[AGENTS[0]]["observation"]
        self.action_space = self._board.action_space(AGENTS[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a new game; the opponent moves first if it has seat 0.

        Args:
            seed: of the draw of seats and of the opponent, if it is an agent; 0 to 2^64 - 1.
            options: none are known.

        Returns:
            The planes and ``{"action_mask": mask}``.
        """
        super().reset(seed=seed, options=options)
        if seed is not None or self._seeds is None:
            word = int(self.np_random.integers(2**64, dtype=np.uint64)) if seed is None else seed
            self._seeds = SeedSequence(word)
            self._seats = seat_state(np.uint64(word))
        if seed is not None and isinstance(self.opponent, Agent) and self._compiled is None:
            self.opponent.reseed(seed)
        self.seat = self._draw_seat() if self._given_seat is None else self._given_seat
        self._board.reset()
        self._let_opponent_play()
        self._is_expected = True
        return self._observe()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play ``action``, then the opponent until it is the agent's turn again.

        Raises:
            InvalidActionError: ``action`` is not in the action space; nothing has changed.
            gymnasium.error.ResetNeeded: there is no game, or it is over.
        """
        if not self._is_expected:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no game, or it is over")
        agent = AGENTS[self.seat]
        if self._is_over():
            self._board.check(action)
        else:
            self._board.step(action)
            self._let_opponent_play()
        self._is_expected = not self._is_over()
        terminated = self._board.terminations[agent]
        truncated = self._board.truncations[agent] and not terminated
        planes, info = self._observe()
        return planes, self._board.rewards[agent], terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool of shape (actions,): where SB3-contrib looks for them."""
        mask: NDArray[np.int8] = self._observe()[1]["action_mask"]
        return mask.astype(np.bool_)

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self._board.position

    def render(self) -> Any:
        """As :meth:`ci_envs.envs.aec.BoardEnv.render`."""
        return self._board.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._board.close()

    def _draw_seat(self) -> int:
        seat, self._seats = draw_seat(np.uint64(self._seats))
        return int(seat)

    def _let_opponent_play(self) -> None:
        opponent = AGENTS[1 - self.seat]
        while self._board.agent_selection == opponent and not self._is_over():
            self._board.step(self._reply(opponent))

    def _reply(self, seat: str) -> int:
        if not isinstance(self.opponent, Agent):
            return self.opponent(self._board.observe(seat))
        words = self._board.words[np.newaxis]
        if self._compiled is not None and self._seeds is not None:
            return int(self._compiled.choose(self.game, words, self._seeds.take(1))[0])
        if isinstance(self.opponent, PositionAgent):
            return int(self.opponent.act_on(words)[0])
        return self.opponent.act(self._board.observe(seat))

    def _is_over(self) -> bool:
        return bool(self._board.terminations[AGENTS[0]] or self._board.truncations[AGENTS[0]])

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        seen = self._board.observe(AGENTS[self.seat])
        mask = np.zeros_like(seen["action_mask"]) if self._is_over() else seen["action_mask"].copy()
        return seen["observation"].copy(), {"action_mask": mask}


def make_single_agent(
    environment: str, opponent: Opponent = "random", seat: int | None = None, **parameters: Any
) -> SingleAgentEnv:
    """Make the single-agent environment of a registered id; Gymnasium's entry point.

    Args:
        environment: a registered id, with parameters if wanted. An ``id`` would be ``gymnasium.make``'s own.
        opponent: as in :class:`SingleAgentEnv`.
        seat: as in :class:`SingleAgentEnv`.
        **parameters: parameters of the game, ``max_cycles`` and ``render_mode``.

    Raises:
        ValueError: no such id, no such parameter, or one of its values is refused.
    """
    spec, game, options = resolve(environment, **parameters)
    return SingleAgentEnv(game, opponent=opponent, seat=seat, name=spec.name, **options)


def as_opponent(opponent: Opponent, game: Game) -> Agent | Callable[[dict[str, NDArray[np.int8]]], int]:
    """The agent or function that ``opponent`` means.

    Raises:
        TypeError: it is nothing that can play.
        ValueError: it plays another game, or names no agent.
    """
    if isinstance(opponent, str):
        return make_agent(opponent, game)
    if isinstance(opponent, Agent) and opponent.game != game:
        raise ValueError(f"the opponent plays {opponent.game}, not {game}")
    if not isinstance(opponent, Agent) and not callable(opponent):
        raise TypeError(f"the opponent must be a spec string, an agent or a function, not {opponent!r}")
    return opponent
