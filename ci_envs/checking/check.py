"""The check of a game by random play, like Gymnasium's ``check_env`` for environments."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from ci_envs.checking.environment import check_environment
from ci_envs.checking.error import InvalidGameError
from ci_envs.checking.names import check_names, check_pictures, check_texts
from ci_envs.checking.observations import check_observations
from ci_envs.checking.parameters import check_parameters
from ci_envs.checking.play import check_evaluation, check_play, check_searches, sample_positions
from ci_envs.checking.symmetries import check_symmetries
from ci_envs.games.game import Game
from ci_envs.games.operations import RULES, VIEWS
from ci_envs.validation import integer_between

T = TypeVar("T")


def check_game(game: Game, *, seed: int = 0, games: int = 20, max_plies: int = 1000) -> None:
    """Check that a game fulfils the contract that environments, agents and solvers rely on.

    The check plays random games. It compares the results of the operations in the positions of these games: parameters,
    legal actions, results, the end of the game, observations and their decoding, symmetries, hints for searches, names,
    texts, pictures, and the PettingZoo environment. It cannot test whether the code follows the rules of the real game.
    So also compare perft counts and some known results.

    Examples:
        >>> from ci_envs import TicTacToe, check_game
        >>> check_game(TicTacToe())

    Args:
        game: The game with its parameters. Check every combination of parameters that changes the code.
        seed: The seed of the random games; the same seed checks the same positions. 0 or more.
        games: The number of random games, at least 1.
        max_plies: The number of plies after which a random game is stopped, at least 1. A game that cannot cycle must
            end earlier.

    Raises:
        TypeError: ``game`` is not a game, or lacks an operation that has no default.
        InvalidGameError: A check failed. The message is one line with the error, the position and the expected value.
        ValueError: An argument is out of range.
    """
    if not isinstance(game, Game):
        raise TypeError(f"check_game needs a game such as Quixo(size=5), not {game!r}")
    games, max_plies = integer_between("games", games, 1), integer_between("max_plies", max_plies, 1)
    rng = np.random.default_rng(integer_between("seed", seed, 0))
    game.need(*RULES, *VIEWS)
    _run("the parameters", game, partial(check_parameters, game))
    _run("action names", game, partial(check_names, game))
    positions = _run("random play", game, partial(sample_positions, game, games, max_plies, rng))
    for name, check in (
        ("play", check_play),
        ("observations", check_observations),
        ("is_duplicate or may_end", check_searches),
        ("evaluate or write_features", check_evaluation),
        ("texts", check_texts),
        ("pictures", check_pictures),
    ):
        _run(name, game, partial(check, positions))
    _run("the symmetries", game, partial(check_symmetries, positions, rng))
    _run("the PettingZoo environment", game, partial(check_environment, game, max_plies, rng))


def _run(name: str, game: Game, check: Callable[[], T]) -> T:
    """Run one check. Convert an exception of the game into an error of one line, too."""
    try:
        return check()
    except InvalidGameError as error:
        raise InvalidGameError(f"{game!r}: {error}") from None
    except Exception as error:
        reason = " ".join(str(error).split())[:300]
        raise InvalidGameError(f"{game!r}: {name} raised {type(error).__name__}: {reason}") from error
