"""The PettingZoo AEC environment of all board games, with PettingZoo's checks built in."""

from typing import Any, Literal, TypeAlias, overload

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv, AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ci_envs.envs.limited_plies import LimitedPlies
from ci_envs.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from ci_envs.envs.rules_module import rules_module
from ci_envs.envs.spaces import MaskedDiscrete
from ci_envs.envs.warn_once import warn_once
from ci_envs.games.batch import ILLEGAL, play_checked
from ci_envs.games.game import Game
from ci_envs.games.observation import observe_with_mask
from ci_envs.games.operations import ONGOING, VIEWS
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel, specialised
from ci_envs.validation import checked_seed, exact_integer, unknown_name

Observation: TypeAlias = dict[str, NDArray[np.int8]]

AGENTS = ("player_0", "player_1")
_NOTHING, _NO, _YES = dict.fromkeys(AGENTS, 0.0), dict.fromkeys(AGENTS, False), dict.fromkeys(AGENTS, True)

_empty = np.empty
_INT8 = np.dtype(np.int8)  # faster than np.int8, which would be converted in each call
_INTEGERS = frozenset((int, np.int64, np.int32))


class InvalidActionError(ValueError, AssertionError):
    """An action outside the action space. It is also an AssertionError, as PettingZoo's own wrapper raises."""


def checked_action(action: object, count: int) -> int:
    """Return an action as an int (:func:`~ci_envs.validation.exact_integer`).

    Raises:
        InvalidActionError: the action is not one of the numbers from 0 to ``count - 1``.
    """
    number = exact_integer(action)
    if number is None or not 0 <= number < count:
        raise InvalidActionError(f"an action must be a whole number from 0 to {count - 1}, not {action!r}")
    return number


def checked_agent(agent: str) -> str:
    """Return ``agent``, or raise a ValueError if the environment has no such agent."""
    if agent not in AGENTS:
        raise unknown_name("agent", agent, AGENTS)
    return agent


_KEPT = 16  # added to the outcome if the same player moves again; returning one small integer is fastest


@kernel
def _advance(game: Any, words: Any, action: Any, planes: Any, mask: Any) -> Any:
    outcome, keeps_turn = play_checked(game, words, action)
    observe_with_mask(game, words, planes, mask)
    return outcome + _KEPT if keeps_turn else outcome


class _FromReset:
    """An attribute that exists after the first reset. ``__getattr__`` would slow down all other attributes."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, env: object, owner: type) -> Any:
        if env is None:
            return self
        raise AttributeError(f"{self._name} cannot be accessed before reset")


class BoardEnv(LimitedPlies, AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """The PettingZoo AEC environment of any game. ``ci_envs.make`` makes one.

    It behaves as if it were wrapped in PettingZoo's TerminateIllegalWrapper (reward -1), AssertOutOfBoundsWrapper and
    OrderEnforcingWrapper, but it is faster. An illegal action ends the game with the reward -1 for the player who
    played it and 0 for the opponent. The first illegal action in a process prints a warning. An action outside the
    action space raises InvalidActionError and changes nothing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as the base class declares it
        "name": "ci_envs",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    agents: Any = _FromReset()
    agent_selection: Any = _FromReset()
    rewards: Any = _FromReset()
    terminations: Any = _FromReset()
    truncations: Any = _FromReset()
    infos: Any = _FromReset()

    def __init__(
        self, game: Game, *, max_cycles: int | None = None, render_mode: str | None = None, name: str | None = None
    ) -> None:
        """Make the environment of ``game``.

        Args:
            game: the game with its parameters.
            max_cycles: plies after which an undecided game is truncated. None means 200 for games that can go on for
                ever (Quixo), and no limit for other games.
            render_mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.
            name: the text of ``str(env)``, for example ``quixo_v0``.

        Raises:
            ValueError: ``max_cycles`` or ``render_mode`` has another value.
            TypeError: the game lacks an operation.
        """
        super().__init__()
        self._renderer = Renderer(render_mode)
        game.need(*VIEWS)
        self.game = game
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "name": name or type(game).__name__.lower()}
        self.__module__ = rules_module(self.metadata["name"], game)
        self.possible_agents = list(AGENTS)
        shape, actions = game.observation_shape, game.action_count
        planes, mask = (spaces.Box(0, 1, dims, np.int8) for dims in (shape, (actions,)))
        self.observation_spaces = {agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in AGENTS}
        self.action_spaces = {agent: MaskedDiscrete(actions) for agent in AGENTS}
        self.max_cycles = max_cycles
        self._words = np.zeros(2, dtype=np.uint64)
        self._planes_shape, self._action_count = shape, actions
        self._compile()

    def _compile(self) -> None:
        planes, mask = self._empty_observation()
        self._write_observation = self.game.rules.observe
        self._advance = specialised(_advance, self.game, self._words, 0, planes, mask)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the planes and the mask of ``agent``, the same object in every call.

        Raises:
            ValueError: there is no such agent.
        """
        return self.observation_spaces[checked_agent(agent)]

    def action_space(self, agent: str) -> MaskedDiscrete:
        """Return the action space, with a fast ``sample(mask)``, the same object in every call.

        Raises:
            ValueError: there is no such agent.
        """
        return self.action_spaces[checked_agent(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. Nothing is random, so ``seed`` has no effect. There are no ``options``.

        Raises:
            ValueError: ``seed`` is neither None nor an integer of 64 bits.
        """
        checked_seed(seed)
        self._begin(*self.game.start(), to_move=0)
        if self.render_mode == "human":
            self.render()

    @property
    def words(self) -> NDArray[np.uint64]:
        """The position on the board as the row ``(own, opp)``, uint64 of shape (2,). The next step changes it.

        Raises:
            AttributeError: ``reset`` was not called yet.
        """
        self._check_begun("words")
        return self._words

    @property
    def position(self) -> Position:
        """The position on the board. Assigning a position starts a game there, with a ply count of 0.

        Raises:
            AttributeError: ``reset`` was not called yet.
            ValueError: the assigned position is of another game.
        """
        self._check_begun("position")
        own, opp = self._words.tolist()
        return Position(self.game, own, opp, self._to_move)

    @position.setter
    def position(self, position: Position) -> None:
        if not isinstance(position, Position):
            raise TypeError(f"position must be a Position, for example Position.from_text(game, ...), not {position!r}")
        if position.game != self.game:
            raise ValueError(f"this environment is for {self.game}, not for {position.game}")
        self._begin(position.own, position.opp, position.to_move)
        outcome = position.result
        if outcome is not None:
            self._terminate(outcome)

    def _check_begun(self, name: str) -> None:
        if not hasattr(self, "infos"):
            raise AttributeError(f"{name} cannot be accessed before reset")

    def _begin(self, own: int, opp: int, to_move: int) -> None:
        self.agents = list(AGENTS)
        self.rewards, self._cumulative_rewards = _NOTHING.copy(), _NOTHING.copy()
        self.terminations, self.truncations = _NO.copy(), _NO.copy()
        self._skip_agent_selection = None
        self._plies = 0
        self._has_updated = True
        self._idle_info = {"action_mask": np.zeros(self._action_count, dtype=_INT8)}
        self._words[0], self._words[1] = own, opp
        self._planes, self._mask = self._empty_observation()
        self._write_observation(self.game, self._words, self._planes, self._mask)
        self._give_turn(to_move)

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play ``action`` for ``agent_selection``. It must be None for an agent whose game is over.

        Raises:
            AssertionError: ``reset`` was not called yet.
            InvalidActionError: ``action`` is not in the action space.
            ValueError: the agent's game is over and ``action`` is not None.
        """
        try:
            agent = self.agent_selection
        except AttributeError:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            warn_once(EnvLogger.warn_step_after_terminated_truncated)
            return
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                action = self.check(action)
            self._was_dead_step(action)
            return
        if type(action) not in _INTEGERS:
            action = self.check(action)
        planes, mask = _empty(self._planes_shape, _INT8), _empty(self._action_count, _INT8)
        try:
            outcome = self._advance(self.game, self._words, action, planes, mask)
        except OverflowError:  # more than 64 bits
            outcome = ILLEGAL
        if outcome == ILLEGAL:
            self.check(action)
            self._end_by_illegal()
            return
        self._planes, self._mask = planes, mask
        self._plies += 1
        if outcome < _KEPT - 1:
            self._give_turn(1 - self._to_move)
        else:
            outcome -= _KEPT
            self._give_turn(self._to_move)
        if outcome != ONGOING:
            self._terminate(outcome)
        elif self._plies >= self._limit:
            self.truncations = _YES.copy()
            mask[:] = 0
        if self.render_mode == "human":
            self.render()

    def _empty_observation(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        return _empty(self._planes_shape, _INT8), _empty(self._action_count, _INT8)

    def _give_turn(self, to_move: int) -> None:
        self._to_move = to_move
        agent = self.agent_selection = AGENTS[to_move]
        self.infos = {agent: {"action_mask": self._mask}, AGENTS[1 - to_move]: self._idle_info}

    def _terminate(self, outcome: int) -> None:
        self.terminations = _YES.copy()
        self.rewards = {AGENTS[self._to_move]: float(outcome), AGENTS[1 - self._to_move]: float(-outcome)}
        self._accumulate_rewards()

    def check(self, action: object) -> int:
        """Return ``action`` as an int, or raise InvalidActionError if it is not in the action space."""
        return checked_action(action, self._action_count)

    def _end_by_illegal(self) -> None:
        # observations, infos and masks do not change, as with PettingZoo's wrapper
        warn_once(EnvLogger.warn_on_illegal_move)
        self.terminations = _YES.copy()
        self.truncations = _YES.copy()
        self.rewards = {self.agent_selection: -1.0, AGENTS[1 - self._to_move]: 0.0}
        self._accumulate_rewards()
        self._deads_step_first()

    @overload
    def last(self, observe: Literal[True] = True) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...
    @overload
    def last(self, observe: bool) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]: ...
    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return the observation of ``agent_selection``, its cumulative reward, terminated, truncated, and info.

        The cumulative reward is the reward since the agent's last action.

        The arrays belong to this turn: they are not changed later. ``infos`` contains the same mask.
        """
        agent = self.agent_selection
        if not observe:
            observation = None
        elif agent == AGENTS[self._to_move]:
            observation = {"observation": self._planes, "action_mask": self._mask}
        else:
            observation = self._observe_idle()
        return (
            observation,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """Return the observation of ``agent``: ``observation`` planes and ``action_mask`` (int8 arrays).

        The mask is zero if the agent is not to move.

        Raises:
            AssertionError: ``reset`` was not called yet.
            ValueError: there is no such agent.
        """
        if not hasattr(self, "infos"):
            EnvLogger.error_observe_before_reset()
        if agent != AGENTS[self._to_move]:
            checked_agent(agent)
            return self._observe_idle()
        return {"observation": self._planes, "action_mask": self._mask}

    def _observe_idle(self) -> Observation:
        planes = _empty(self._planes_shape, _INT8)
        self.game.rules.observe_idle(self.game, self._words, planes)
        return {"observation": planes, "action_mask": np.zeros(self._action_count, _INT8)}

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """Yield ``agent_selection`` until all agents are done.

        Raises:
            AssertionError: ``reset`` was not called yet, or the loop continues without a call of ``step``.
        """
        if not hasattr(self, "infos"):
            EnvLogger.error_agent_iter_before_reset()
        return _OrderedIterable(self, max_iter)

    def render(self) -> NDArray[np.uint8] | str | None:
        """Return an RGB array (uint8, height x width x 3) or text, or None after drawing in a window.

        Raises:
            AssertionError: ``reset`` was not called yet.
        """
        if not hasattr(self, "infos"):
            EnvLogger.error_render_before_reset()
        position = self.position
        return self._renderer.show(position.diagram, position.draw, self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def __getstate__(self) -> dict[str, Any]:  # without compiled functions, which a copy compiles again
        return {key: value for key, value in self.__dict__.items() if key not in ("_advance", "_write_observation")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()


class _OrderedIterable(AECIterable[str, Observation, int | None]):  # type: ignore[misc]
    def __iter__(self) -> AECIterator[str, Observation, int | None]:
        return _OrderedIterator(self.env, self.max_iter)


class _OrderedIterator(AECIterator[str, Observation, int | None]):  # type: ignore[misc]
    env: BoardEnv

    def __next__(self) -> str:
        agent: str = super().__next__()
        if not self.env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        self.env._has_updated = False
        return agent
