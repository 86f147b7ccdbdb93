"""The Gymnasium environment of all board games: one agent acts, and an opponent plays inside the environment."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.policy_agent import compiled_policy
from ci_envs.envs import boards as compiled
from ci_envs.envs.aec import checked_action
from ci_envs.envs.boards import BEGIN, BOARD, BOTH, GOING, TERMINATED, TRUNCATED
from ci_envs.envs.keys import keys_of_actions
from ci_envs.envs.opponent import Opponent, check_reset_options, checked_seat, replies
from ci_envs.envs.opponent_boards import OpponentBoards
from ci_envs.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from ci_envs.envs.rules_module import rules_module
from ci_envs.envs.spaces import MaskedDiscrete
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.operations import VIEWS
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import specialised
from ci_envs.kernels.seeds import next_seed
from ci_envs.registry.games import resolve
from ci_envs.validation import checked_seed

_INT8 = np.dtype(np.int8)  # faster than np.int8, which would be converted in each call
_INTEGERS = frozenset((int, np.int64, np.int32))
_BOARD = np.zeros(1, dtype=np.int64)  # the index of the only board


class SingleAgentEnv(OpponentBoards, gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat of a board game. ``gymnasium.make("ci_envs/Quixo-v0", opponent="minimax:depth=2")`` makes one.

    The observation is the planes from the agent's point of view. The legal actions are in ``info["action_mask"]``
    (int8) and ``action_masks()`` (bool). The reward comes at the end: 1, 0 or -1. An illegal action ends the game with
    -1, without a warning. ``info["illegal_action"]`` (bool) reports it. After :meth:`reset` it is the agent's turn,
    unless the opponent has already ended the game, as it can with a single heap of Nim. Then the mask is zero, and the
    first step returns the reward for any action.

    With ``opponent=None`` the agent plays both sides. Every step is then one ply of the player to move, and the reward
    is for the player who acted: a winning action has the reward 1. ``info["to_move"]`` is the next player to move, and
    the observation is from the point of view of that player. The value of a position to a learner is then minus its
    value to the next player (unless the same player moves again, as after placing a piece in Quarto).

    Attributes:
        game: the game.
        seat: the agent's seat in this episode, 0 or 1; -1 if it plays both sides.
    """

    # as the base class declares it
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        *,
        opponent: Opponent | None = "random",
        seat: int | None = None,
        max_cycles: int | None = None,
        openings: RandomOpenings | None = None,
        render_mode: str | None = None,
        name: str | None = None,
    ) -> None:
        """Make the environment of ``game``.

        Args:
            game: the game with its parameters.
            opponent: any object that :func:`~ci_envs.agent_interface.making.as_agent` accepts, for example a spec
                string (``"minimax:depth=2"``), a function of ``{"observation": planes, "action_mask": mask}``, or a
                model of Stable-Baselines3. With None the agent plays both sides.
            seat: 0 to move first, 1 to move second. None draws the seat at each reset, or plays both sides.
            max_cycles: see :class:`ci_envs.envs.aec.BoardEnv`.
            openings: see :class:`ci_envs.envs.vector.VectorBoardEnv`.
            render_mode: see :class:`ci_envs.envs.aec.BoardEnv`.
            name: see :class:`ci_envs.envs.aec.BoardEnv`.

        Raises:
            TypeError: ``opponent`` is not an agent.
            ValueError: an argument has another value, or the opponent plays another game.
        """
        seat = checked_seat(seat)
        if opponent is None and seat is not None:
            raise ValueError(f"with opponent=None the agent plays both sides: seat must be None, not {seat}")
        self._renderer = Renderer(render_mode)
        game.need(*VIEWS)
        self.game = game
        self.name = name or type(game).__name__.lower()
        self.__module__ = rules_module(self.name, game)
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 1, game.observation_shape, np.int8)
        self.action_space: MaskedDiscrete = MaskedDiscrete(game.action_count)
        self._set_rules(seat, max_cycles, openings)
        self._boards = np.zeros(1, BOARD)
        self._is_seeded = False
        self._is_expected = False  # whether a step is allowed: not after a failure of the opponent
        self._mask = np.zeros(game.action_count, _INT8)
        self.opponent = opponent

    @property
    def opponent(self) -> Agent | None:
        """The agent that plays the other seat, or None.

        It can be replaced between steps. If there was no opponent before, a new opponent plays from the next game on.
        A class or a spec string gets the seed of the last :meth:`reset` that had one. An opponent with a memory of each
        game needs a :meth:`reset` before the next step.
        """
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Opponent | None) -> None:
        self._opponent = self._agent_of(opponent)
        self._choose_settings()
        if opponent is None:
            self._boards["seat"] = BOTH
        elif self._opponent is not None and self._opponent.keeps_games:
            self._is_expected = False
        self._compile()

    def _compile(self) -> None:
        """Prepare the compiled call of a step. If ``_is_ply_by_ply``, Python code plays the opponent's replies."""
        self._policy = compiled_policy(self._opponent)
        at_once = None if self.render_mode == "human" else self._policy
        self._is_ply_by_ply = self.render_mode == "human" or (self._opponent is not None and self._policy is None)
        policy, memory = at_once or (None, ())
        fixed, arrays = (policy, self.game, memory), self._new_arrays()
        entry = specialised(compiled.step_one, *fixed, self._boards, self._settings, BEGIN, *arrays)
        self._advance: Callable[..., tuple[int, float, bool]] = partial(entry, *fixed)

    def _new_arrays(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        return np.empty(self.game.observation_shape, _INT8), np.empty(self.game.action_count, _INT8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start a new game. The opponent moves first if it has seat 0.

        Args:
            seed: the seed of the draw of seats, and of the opponent if it is an agent, 0 to 2^64 - 1.
            options: no options exist.

        Raises:
            ValueError: the seed is out of range, or an option is given.

        Returns:
            The planes and ``{"action_mask": mask, "illegal_action": False}``, with ``to_move`` if there is no opponent.
        """
        check_reset_options(options)
        seed = checked_seed(seed)
        super().reset(seed=seed)
        if seed is not None or not self._is_seeded:
            word = self.np_random.integers(2**64, dtype=np.uint64) if seed is None else seed
            compiled.seed_boards(self._boards, _BOARD, np.array([word], dtype=np.uint64))
            self._is_seeded = True
        if seed is not None:
            self._seed_opponent(seed, is_compiled=self._policy is not None)
        self._is_expected = False
        planes, self._mask = self._new_arrays()
        self._advance(self._boards, self._settings, BEGIN, planes, self._mask)
        if self._opponent is not None and self._opponent.keeps_games:
            self._opponent.start_games(
                1, 1 - self._boards["seat"], self.np_random.integers(2**63, size=1, dtype=np.uint64)
            )
        if self._is_ply_by_ply:
            self._reply(planes, self._mask)
        self._is_expected = True
        return planes, self._info(False)

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play ``action``, then the opponent's actions until it is the agent's turn again.

        Returns:
            The planes, the reward, terminated, truncated, and ``{"action_mask": mask, "illegal_action": illegal}``,
            where ``illegal`` is whether an illegal ``action`` ended the game. Without an opponent the info also
            contains ``to_move``, the player to move (int8).

        Raises:
            InvalidActionError: ``action`` is not in the action space. The environment has not changed.
            gymnasium.error.ResetNeeded: there is no game, the game is over, or the opponent has failed in it.
        """
        self.check_running()
        if type(action) not in _INTEGERS or not 0 <= action < len(self._mask):
            action = checked_action(action, len(self._mask))
        self._is_expected = False
        planes, mask = self._new_arrays()
        ended, reward, illegal = self._advance(self._boards, self._settings, action, planes, mask)
        if self._is_ply_by_ply:
            ended, reward = self._reply(planes, mask)
        self._mask = mask
        self._is_expected = ended == GOING
        return planes, reward, ended == TERMINATED, ended == TRUNCATED, self._info(illegal)

    def resign(self) -> None:
        """Lose the game, as an illegal action does. The position stays.

        Raises:
            gymnasium.error.ResetNeeded: see :meth:`step`.
        """
        self.check_running()
        self._is_expected = False
        board = self._boards[0]
        board["ended"], board["reward"] = TERMINATED, -1.0
        self._mask = np.zeros_like(self._mask)

    def check_running(self) -> None:
        """Check that a step is allowed.

        Raises:
            gymnasium.error.ResetNeeded: there is no game, the game is over, or the opponent has failed in it.
        """
        if not self._is_expected:
            raise gymnasium.error.ResetNeeded(
                "call reset() first: there is no game, it is over, or the opponent has failed"
            )

    def _info(self, illegal: bool) -> dict[str, Any]:
        info = {"action_mask": self._mask, "illegal_action": illegal}
        if self._opponent is None:
            info["to_move"] = self._boards[0]["to_move"]
        return info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool of shape (actions,). SB3-contrib calls this method."""
        return self._mask.astype(np.bool_)

    def get_keys_to_action(self) -> dict[tuple[str], int]:
        """Return the action of each key. ``gymnasium.utils.play.play`` calls this method.

        ``play(gymnasium.make("ci_envs/TicTacToe-v0", render_mode="rgb_array"), fps=8, wait_on_player=True)`` plays with
        these keys. It reads the keyboard 8 times per second, so press each key briefly: a key that is held acts again.
        :func:`~ci_envs.envs.keys.keys_of_actions` describes the keys. They are those of the agent's seat in this
        episode, so choose a ``seat`` if the picture shows an action of the second player elsewhere, as in Hex.

        Raises:
            ValueError: the game has more actions than there are keys.
        """
        seat = self.seat if self._is_seeded else self._seat or 0
        return {(key,): action for action, key in keys_of_actions(self.game, max(seat, 0)).items()}

    @property
    def seat(self) -> int:
        """The agent's seat in this episode, 0 or 1; -1 if it plays both sides.

        Raises:
            AttributeError: ``reset`` was not called yet.
        """
        if not self._is_seeded:
            raise AttributeError("seat cannot be accessed before reset")
        return int(self._boards[0]["seat"])

    @property
    def position(self) -> Position:
        """The position on the board.

        Raises:
            AttributeError: ``reset`` was not called yet.
        """
        if not self._is_seeded:
            raise AttributeError("position cannot be accessed before reset")
        board = self._boards[0]
        own, opp = board["words"].tolist()
        return Position(self.game, own, opp, int(board["to_move"]))

    def render(self) -> Any:
        """Return an RGB array (uint8, height x width x 3) or text, or None after drawing in a window.

        Raises:
            gymnasium.error.ResetNeeded: ``reset`` was not called yet.
        """
        if not self._is_seeded:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no board to show")
        position = self.position
        return self._renderer.show(position.diagram, position.draw, self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window if it is open."""
        self._renderer.close()

    def _draw(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _reply(self, planes: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[int, float]:
        """Play the opponent's actions until it is the agent's turn, and return the state of the game and the reward."""
        board = self._boards[0]
        self._draw()
        while board["ended"] == GOING and board["seat"] == 1 - board["to_move"]:
            self._advance(self._boards, self._settings, self._opponents_action(), planes, mask)
            self._draw()
        return int(board["ended"]), float(board["reward"])

    def _opponents_action(self) -> int:
        words = self._boards["words"]
        if self._policy is None:
            opponent = cast(Agent, self._opponent)  # without an opponent it is always the agent's turn
            return int(replies(opponent, self.game, words)[0])
        seed, self._boards[0]["seeds"] = next_seed(self._boards[0]["seeds"])
        return int(self._policy.choose(self.game, words, np.array([seed], dtype=np.uint64))[0])

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_advance", "_policy")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()


def make_single_agent(
    environment: str,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    openings: RandomOpenings | None = None,
    **parameters: Any,
) -> SingleAgentEnv:
    """Make the single-agent environment of a registered id. This is Gymnasium's entry point.

    Args:
        environment: a registered id, optionally with parameters. The name ``id`` is used by ``gymnasium.make``.
        opponent: see :class:`SingleAgentEnv`.
        seat: see :class:`SingleAgentEnv`.
        openings: see :class:`SingleAgentEnv`.
        **parameters: parameters of the game, ``max_cycles`` and ``render_mode``.

    Raises:
        ValueError: the id or a parameter is unknown, or a value is out of range.
    """
    own = {"opponent": opponent, "seat": seat, "openings": openings}
    spec, game, options = resolve(environment, tuple(own), **own, **parameters)
    return SingleAgentEnv(game, name=spec.name, **options)


cast(Any, make_single_agent).metadata = SingleAgentEnv.metadata  # where Gymnasium looks for the render modes
