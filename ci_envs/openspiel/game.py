"""One game class and one state class of OpenSpiel for all games of ci_envs."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ci_envs.games.game import Game
from ci_envs.games.plane_text import planes_of
from ci_envs.games.position import Position
from ci_envs.games.truncation import DEFAULT_MAX_CYCLES
from ci_envs.openspiel.parameters import OpenSpielValue
from ci_envs.validation import integer_between

MAX_PLIES = "max_plies"
"""The parameter that all games have in addition in OpenSpiel."""

ENDLESS_LENGTH = 1_000_000
"""The maximum length that a game without a limit reports to OpenSpiel if it can go on for ever."""


def default_max_plies(game: Game) -> int:
    """Return the default of ``max_plies``: 200 if a game can go on for ever, as in the environments, else 0."""
    return DEFAULT_MAX_CYCLES if game.can_cycle else 0


def game_type(name: str, title: str, parameters: Mapping[str, OpenSpielValue]) -> pyspiel.GameType:
    """Return the OpenSpiel type of a game.

    Args:
        name: The name under which OpenSpiel loads the game.
        title: The name for people.
        parameters: The default value of each parameter.
    """
    kinds = pyspiel.GameType
    return kinds(
        short_name=name,
        long_name=title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(parameters),
    )


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc] # pyspiel has no types
    """A game of ci_envs as a game of OpenSpiel.

    Attributes:
        game: The game of ci_envs.
        max_plies: The ply after which an undecided game is a draw; 0 means no limit.
    """

    def __init__(
        self,
        game: Game,
        max_plies: int | None = None,
        type: pyspiel.GameType | None = None,
        parameters: Mapping[str, OpenSpielValue] | None = None,
    ) -> None:
        """Make the game. ``pyspiel.load_game`` makes a registered game by its name.

        Args:
            game: Any game of ci_envs, registered or not.
            max_plies: The ply after which an undecided game is a draw, at least 1, or 0 for no limit. None means 200 if
                a game can go on for ever, else 0.
            type: The registered type. None makes a type without a registered name.
            parameters: The parameters in OpenSpiel's form.

        Raises:
            ValueError: ``max_plies`` is negative or not an integer.
        """
        limit = default_max_plies(game) if max_plies is None else max_plies
        self.game = game
        self.max_plies = integer_between(MAX_PLIES, limit, 0)
        self._start = Position.start(game)
        information = pyspiel.GameInfo(
            num_distinct_actions=game.action_count,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self._longest_game(),
        )
        super().__init__(type or game_type("ci_envs_game", str(game), {}), information, dict(parameters or {}))

    def _longest_game(self) -> int:
        """Return an upper bound on the number of plies of a game, which OpenSpiel requires."""
        if self.max_plies:
            return self.max_plies
        # if the game cannot cycle, each ply permanently changes at least one cell of the planes
        return ENDLESS_LENGTH if self.game.can_cycle else math.prod(self.game.observation_shape)

    def new_initial_state(self, state: Position | str | None = None) -> "OpenSpielState":
        """Return the initial state.

        Args:
            state: A position of the game or its text; None means the start of the game.

        Raises:
            ValueError: The text is malformed, or the position is of another game.
        """
        if state is None:
            return OpenSpielState(self, self._start)
        position = Position.from_text(self.game, state) if isinstance(state, str) else state
        if position.game != self.game:
            raise ValueError(f"need a position of {self.game}, not of {position.game}")
        return OpenSpielState(self, position)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer of the planes, or of the history if ``iig_obs_type`` asks for perfect recall.

        Args:
            iig_obs_type: ``pyspiel.IIGObservationType``, or None for the planes.
            params: None or empty: an observer has no parameters.

        Raises:
            ValueError: ``params`` has parameters.
        """
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Callable[[str], pyspiel.Game], tuple[str]]:
        return _load, (str(self),)


def _load(text: str) -> pyspiel.Game:
    """Return the registered game. Unpickling imports this module first, which registers the games."""
    return pyspiel.load_game(text)


class OpenSpielState(pyspiel.State):  # type: ignore[misc] # pyspiel has no types
    """A position with the number of plies since the initial state.

    OpenSpiel copies and pickles a state by its attributes.

    Attributes:
        position: The position.
        plies: The plies since the initial state.
    """

    def __init__(self, game: OpenSpielGame, position: Position) -> None:
        """Make the initial state of ``game`` at ``position``. Call :meth:`OpenSpielGame.new_initial_state` instead."""
        super().__init__(game)
        self.position = position
        self.plies = 0
        self._max_plies = game.max_plies

    def current_player(self) -> int:
        """Return the player to move, 0 or 1, or ``pyspiel.PlayerId.TERMINAL``."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.position.legal_actions())

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)
        self.plies += 1

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.action_name(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over or has reached ``max_plies``."""
        return self.position.result is not None or (self._max_plies > 0 and self.plies >= self._max_plies)

    def returns(self) -> list[float]:
        """Return the results of players 0 and 1: 1, 0 or -1 each."""
        result = self.position.result or 0
        first = result if self.position.to_move == 0 else -result
        return [float(first), float(-first)]

    def __str__(self) -> str:
        """Return the text of the position.

        If the game can go on for ever and has a limit, the text ends with the number of plies. The number of plies left
        is then part of the state, and algorithms of OpenSpiel take states with the same text as the same state.
        """
        limited = self._max_plies > 0 and self.position.game.can_cycle
        return f"{self.position} {self.plies}/{self._max_plies}" if limited else str(self.position)


class PlanesObserver:
    """The observer of a position: the planes that player 0 sees, and a plane with the number of the player to move.

    Both players observe the same, as in most games of OpenSpiel. The AlphaZero of OpenSpiel learns the value for player
    0, which the planes of the player to move do not determine. The channels are first, as elsewhere in OpenSpiel.

    Attributes:
        tensor: The observation, float32 of shape ((channels + 1) * height * width,).
        dict: The same array as ``observation``, of shape (channels + 1, height, width).
    """

    def __init__(self, game: Game, params: Any = None) -> None:
        """Make the observer.

        Args:
            game: The game to observe.
            params: None or empty: an observer has no parameters.

        Raises:
            ValueError: ``params`` has parameters.
        """
        if params:
            raise ValueError(f"observations of {game} have no parameters, but these were given: {params}")
        height, width, channels = game.observation_shape
        self.tensor = np.zeros((channels + 1) * height * width, dtype=np.float32)
        self.dict = {"observation": self.tensor.reshape(channels + 1, height, width)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write the observation of ``state``, the same for both players."""
        position = state.position
        planes = planes_of(position.game, position.own, position.opp, position.to_move)
        observation = self.dict["observation"]
        observation[:-1] = planes.transpose(2, 0, 1)
        observation[-1] = position.to_move

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the text of ``state``, the same for both players."""
        return str(state)
