"""The interface of an agent, and making one from its spec string."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.batch import decode_batch, observe_batch
from ci_envs.games.compiled import Callback, implements
from ci_envs.games.game import Game
from ci_envs.games.operations import VIEWS
from ci_envs.games.position import Position
from ci_envs.plugins import plugins
from ci_envs.policy import Policy, choose
from ci_envs.registration import resolve
from ci_envs.spec import check_options, option_names, split_spec, unnamed_option

Observation = Mapping[str, NDArray[np.int8]]
"""``{"observation": planes, "action_mask": mask}``, of one board or, with a leading axis, of several."""

AgentFactory = Callable[..., "Agent"]
"""Called as ``factory(game, seed=seed, **options)``."""

ENTRY_POINT_GROUP = "ci_envs.agents"

GIVEN = ("game", "seed")
"""The parameters of a factory that are no options."""

_registered: dict[str, AgentFactory] = {}


class Agent(ABC):
    """A policy for one game: observations in, actions out.

    Attributes:
        game: the game it plays.
        rng: its own random numbers, the only ones it uses.
    """

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        game.need(*VIEWS)
        self.game = game
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Start the random numbers anew: from here on the same seed and observations give the same actions."""
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Observation) -> int:
        """The action on one board, on which it is this agent's turn.

        Args:
            observation: as the AEC environment gives it: ``observation`` int8 planes, ``action_mask`` int8.
        """
        return int(self.act_batch({key: value[np.newaxis] for key, value in observation.items()})[0])

    @abstractmethod
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """The actions on n boards, on all of which it is this agent's turn.

        Args:
            observations: ``observation`` int8 (n, height, width, channels), ``action_mask`` int8 (n, actions).

        Returns:
            int64 of shape (n,).
        """

    def policy(self) -> tuple[Policy, tuple[Any, ...]] | None:
        """The agent in compiled code, with new memory for one thread; None, as here, if it plays in Python alone.

        Environments prefer it to :meth:`act_batch`. Its random numbers are those of each board, not :attr:`rng`.
        """
        return None

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """What was trained and comes with the package, by the names that the option ``path`` takes: here nothing."""
        return {}

    def positions_of(self, observations: Observation) -> NDArray[np.uint64]:
        """The positions that n observations show, as rows ``(own, opp)`` of an array of shape (n, 2)."""
        planes = np.ascontiguousarray(observations["observation"])
        words = np.empty((len(planes), 2), dtype=np.uint64)
        decode_batch(self.game, planes, words)
        return words

    def words_of(self, position: Position) -> NDArray[np.uint64]:
        """A position to be analysed, as the row ``(own, opp)``, shape (2,).

        Raises:
            ValueError: it is of another game, or over.
        """
        if position.game != self.game:
            raise ValueError(
                f"this agent was made for {self.game}, not for {position.game}: need a position of it that is not over"
            )
        if position.result is not None:
            raise ValueError(f"the game is over in {position.to_text()!r}: need a position that is not over")
        return np.array([position.own, position.opp], dtype=np.uint64)

    def any_of(self, choices: NDArray[Any]) -> NDArray[np.int64]:
        """A random one of the actions that each row of ``choices`` (n, actions) marks, uniformly; int64 (n,)."""
        actions: NDArray[np.int64] = (choices * self.rng.random(choices.shape)).argmax(axis=1)
        return actions


def observations_of(game: Game, words: NDArray[np.uint64]) -> Observation:
    """What the players to move see on the boards ``words`` (shape (n, 2)), as :meth:`Agent.act_batch` takes it."""
    planes = np.empty((len(words), *game.observation_shape), dtype=np.int8)
    masks = np.empty((len(words), game.action_count), dtype=np.int8)
    observe_batch(game, words, planes, masks)
    return {"observation": planes, "action_mask": masks}


@dataclass(frozen=True)
class PythonPolicy(Policy):
    """An agent that plays in Python alone, called from compiled code; its memory is a callback."""


@implements(choose, PythonPolicy)
def _(policy: PythonPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, state: Any, memory: Any) -> Any:
        return memory[0](own, opp), state

    return kernel


def policy_of(agent: Agent) -> tuple[Policy, tuple[Any, ...]]:
    """The policy of an agent, of one that plays in Python alone a callback to it, which plays -1 where it raises."""

    def act(own: int, opp: int) -> int:
        return int(agent.act_batch(observations_of(agent.game, np.array([[own, opp]], dtype=np.uint64)))[0])

    return agent.policy() or (PythonPolicy(), (Callback(act),))


def register(name: str, factory: AgentFactory) -> None:
    """Register an agent of this process under ``name``; an installed package can use an entry point instead.

    Args:
        name: what spec strings call it.
        factory: called as ``factory(game, seed=seed, **options)``; its other parameters are its options.

    Raises:
        ValueError: ``name`` is taken or cannot stand in a spec string.
    """
    if not name.isidentifier():
        raise ValueError(f"an agent's name is an identifier, not {name!r}")
    if name in registered():
        raise ValueError(f"an agent {name!r} is registered already")
    _registered[name] = factory


def registered() -> tuple[str, ...]:
    """The names of all agents: those of the entry-point group ``ci_envs.agents``, then those of this process."""
    return (*plugins(ENTRY_POINT_GROUP), *_registered)


def factory_of(name: str) -> AgentFactory:
    """The factory registered under ``name``.

    Raises:
        ValueError: there is none.
        ImportError: it needs a package that is not installed.
    """
    if name in _registered:
        return _registered[name]
    found = plugins(ENTRY_POINT_GROUP).get(name)
    if found is None:
        raise ValueError(f"unknown agent {name!r}; choose from: {', '.join(registered())}")
    try:
        return cast(AgentFactory, found.load())
    except ImportError as error:
        raise ImportError(f"agent {name!r} needs what is not installed: {error}") from error


def option_names_of(factory: AgentFactory) -> tuple[str, ...]:
    """The names of the options of an agent."""
    return option_names(factory, without=GIVEN)


def trainer_of(name: str) -> Callable[..., object]:
    """The ``train`` of the agent registered under ``name``, which ``ci-envs train`` calls.

    It is called as ``train(environment, output=..., seed=..., resume=..., **options)``, and leaves in the folder
    ``output`` what the agent's spec string can name.

    Raises:
        ValueError: there is no such agent, or it does not learn.
    """
    train: Callable[..., object] | None = getattr(factory_of(name), "train", None)
    if train is None:
        learners = [other for other in registered() if _learns(other)]
        raise ValueError(f"agent {name!r} does not learn; those that do: {', '.join(learners) or '(none)'}")
    return train


def _learns(name: str) -> bool:
    try:
        return hasattr(factory_of(name), "train")
    except Exception:  # whatever is wrong with one package, the others are named
        return False


def make(spec: str, env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Make an agent from its spec string: ``make("minimax:depth=4", env, seed=0)``.

    Args:
        spec: a name and options.
        env_or_game: what it is to play: an environment of ours (wrapped or not), a game, or an environment's id.
        seed: makes it deterministic.

    Raises:
        ValueError: no such agent, no such option, one is missing or its value refused, or the agent does not play
            this game.
    """
    name, options = split_spec(spec)
    return make_named(name, options, env_or_game, seed=seed)


def make_named(name: str, options: Mapping[str, Any], env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Make an agent from its name and options, as :func:`make` does.

    Args:
        name: under which it is registered.
        options: by their names; the one named ``""`` is the one that a spec string need not name.
        env_or_game: what it is to play.
        seed: makes it deterministic.

    Raises:
        ValueError: as :func:`make`.
    """
    factory = factory_of(name)
    required = option_names(factory, without=GIVEN, required=True)
    unnamed = unnamed_option(factory, GIVEN)
    named = check_options(f"agent {name}", options, option_names_of(factory), required, unnamed)
    return factory(game_of(env_or_game), seed=seed, **named)


def game_of(env_or_game: Any) -> Game:
    """The game of an environment (wrapped or not), of an id, or the game itself.

    Raises:
        TypeError: there is no game in it.
    """
    if isinstance(env_or_game, str):
        return resolve(env_or_game)[1]
    game = getattr(getattr(env_or_game, "unwrapped", None), "game", env_or_game)
    if not isinstance(game, Game):
        raise TypeError(f"need an environment of ci_envs, its id, or a game, not {env_or_game!r}")
    return game
