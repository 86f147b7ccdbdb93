"""The check of a game by random play, like Gymnasium's ``check_env`` for environments."""

import warnings
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import islice

import numpy as np

from ci_envs.checking.environment import check_environment
from ci_envs.checking.error import InvalidGameError
from ci_envs.checking.names import check_guide, check_names, check_pictures, check_texts
from ci_envs.checking.observations import check_observations
from ci_envs.checking.overrides import forgotten_overrides
from ci_envs.checking.parameters import check_parameters
from ci_envs.checking.play import (
    check_evaluation,
    check_first_play,
    check_play,
    check_reference,
    check_searches,
    ends_at_once,
    sample_positions,
)
from ci_envs.checking.reason import reason_of
from ci_envs.checking.symmetries import check_symmetries
from ci_envs.checking.upright import check_upright
from ci_envs.checking.views import check_views, check_winners
from ci_envs.games.game import Game
from ci_envs.games.operations import RULES, VIEWS
from ci_envs.games.position import Position
from ci_envs.validation import integer_between

Reference = Callable[[Position], Collection[int | str]]
"""A function that returns the legal actions of a position, as numbers or names; none if the game is over."""


def check_game(
    game: Game, *, seed: int = 0, games: int = 60, max_plies: int = 1000, reference: Reference | None = None
) -> None:
    """Check that a game fulfils the contract that environments, agents and solvers rely on.

    The check plays random games. It compares the results of the operations in the positions of these games: parameters,
    legal actions, results, the end of the game, the views of both players, observations and their decoding, symmetries,
    hints for searches, names, texts, pictures, and the PettingZoo environment. It cannot test whether the code follows
    the rules of the real game. So also give a slow and simple ``reference`` of the legal actions, and compare perft
    counts and some known results.

    Examples:
        >>> from ci_envs import TicTacToe, check_game
        >>> check_game(TicTacToe())

    Args:
        game: The game with its parameters. Check every combination of parameters that changes the code.
        seed: The seed of the random games; the same seed checks the same positions. 0 or more.
        games: The number of random games, at least 1.
        max_plies: The number of plies after which a random game is stopped, at least 1. A game that cannot cycle must
            end earlier.
        reference: A function that computes the legal actions of a :class:`~ci_envs.Position` a second time, in plain
            Python. It returns their numbers or names, and none if the game is over.

    Warns:
        UserWarning: The initial position has several legal actions, and each of them ends the game.

    Raises:
        TypeError: ``game`` is not a game, or lacks an operation that has no default.
        InvalidGameError: Checks failed. The message is one line with each error, its position and the expected value.
        ValueError: An argument is out of range.
    """
    if not isinstance(game, Game):
        raise TypeError(f"check_game needs a game such as Quixo(size=5), not {game!r}")
    games, max_plies = integer_between("games", games, 1), integer_between("max_plies", max_plies, 1)
    rng = np.random.default_rng(integer_between("seed", seed, 0))
    game.need(*RULES, *VIEWS)
    found, forgotten = _errors(game, games, max_plies, rng, reference), forgotten_overrides(game)
    errors = list(found if forgotten else islice(found, 1))  # a rule changed in a derived class often has several
    if errors:
        raise InvalidGameError(f"{game!r}: {'; '.join(map(str, [*errors, *forgotten]))}") from errors[0].__cause__
    if ends_at_once(game):
        warnings.warn(
            f"{game!r}: every first action ends the game. If this is not the rule, correct result, or let play return"
            " other_view(game, own, opp) and say in other_cells how the board turns",
            stacklevel=2,
        )


def _errors(
    game: Game, games: int, max_plies: int, rng: np.random.Generator, reference: Reference | None
) -> Iterator[InvalidGameError]:
    """Yield the error of each check. Wrong parameters and errors of random play end the check."""
    positions: list[Position] = []
    if error := _error_of("the parameters", partial(check_parameters, game)):
        yield error
        return
    if error := _error_of("action names", partial(check_names, game)):
        yield error
    if error := _error_of("random play", lambda: positions.extend(sample_positions(game, games, max_plies, rng))):
        yield _error_of("play", partial(check_first_play, game)) or error  # Numba can blame another operation
        return
    checks: dict[str, Callable[[list[Position]], None]] = {
        "play": check_play,
        "observations": check_observations,
        "evaluate or write_features": check_evaluation,
        "the symmetries": partial(check_symmetries, rng=rng),
        "other_view": check_views,
        "result": check_winners,
        "is_duplicate or may_end": check_searches,
        "texts": check_texts,
        "pictures": check_pictures,
        "diagram or draw": check_upright,
        "the guide": lambda positions: check_guide(game),
        "the PettingZoo environment": lambda positions: check_environment(game, max_plies, rng),
    }
    if reference is not None:
        checks["the reference"] = partial(check_reference, reference=reference)
    for name, each in checks.items():
        if error := _error_of(name, partial(each, positions)):
            yield error


def _error_of(name: str, check: Callable[[], None]) -> InvalidGameError | None:
    """Run one check. Return its error; an exception of the game becomes an error of one line, too."""
    try:
        check()
    except InvalidGameError as error:
        return error
    except Exception as error:
        found = InvalidGameError(f"{name} raised {reason_of(error)}")
        found.__cause__ = error
        return found
    return None
