"""Checks of a game object: its parameters, sizes and initial position."""

import ast
from dataclasses import fields
from typing import Any

from ci_envs.checking.error import InvalidGameError
from ci_envs.games.game import Game
from ci_envs.registry.games import check_parameter_names
from ci_envs.solver.solver import Solver, solver_of

_WORD = 1 << 64


def check_parameters(game: Game) -> None:
    """Check that a game is a frozen dataclass, that its ``repr`` recreates it, and that its sizes and start are valid.

    Raises:
        InvalidGameError: A check failed.
    """
    _check_dataclass(game)
    _check_names(game)
    _check_solver(game)
    _check_repr(game)
    _check_sizes(game)
    _check_start(game)


def _check_dataclass(game: Game) -> None:
    cls = type(game)
    if not getattr(vars(cls).get("__dataclass_params__"), "frozen", False):
        raise InvalidGameError(f"{cls.__name__} must be decorated with @dataclass(frozen=True)")
    for field in fields(game):
        value = getattr(game, field.name)
        try:
            hash(value)
        except TypeError:
            raise InvalidGameError(
                f"the parameter {field.name}={value!r} must be hashable, for example a tuple instead of a list"
            ) from None


def _check_names(game: Game) -> None:
    try:
        check_parameter_names(type(game))
    except ValueError as error:
        raise InvalidGameError(str(error)) from None


def _check_solver(game: Game) -> None:
    try:
        solver = solver_of(game)
    except Exception as error:
        raise InvalidGameError(f"solver = {vars(type(game)).get('solver')!r} cannot be used: {error}") from error
    if not isinstance(solver, Solver):
        raise InvalidGameError(f"solver must be a Solver or its name, not {vars(type(game)).get('solver')!r}")


def _check_repr(game: Game) -> None:
    """Check that the ``repr`` is a call with all parameters, because compiled code is cached under it."""
    try:
        call = ast.parse(repr(game), mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        arguments: dict[str, Any] = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        again: Any = type(game)(**arguments) if call.func.id == type(game).__name__ else None
    except Exception as error:
        raise InvalidGameError(f"repr must be the call that makes the game, with literal arguments: {error}") from None
    if again != game or hash(again) != hash(game):
        raise InvalidGameError(f"repr must be the call that makes the game, but it makes {again!r}")


def _check_sizes(game: Game) -> None:
    for name in ("action_count", "symmetry_count"):
        _check_positive(name, getattr(game, name))
    shape = game.observation_shape
    if not isinstance(shape, tuple) or len(shape) != 3:
        raise InvalidGameError(f"observation_shape must be (height, width, channels), not {shape!r}")
    for size in shape:
        _check_positive("each number of observation_shape", size)
    if not 0 < game.position_share <= 1:
        raise InvalidGameError(f"position_share must be more than 0 and at most 1, not {game.position_share!r}")


def _check_positive(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidGameError(f"{name} must be an int of 1 or more, not {value!r}")


def _check_start(game: Game) -> None:
    words = game.start()
    if not isinstance(words, tuple) or len(words) != 2:
        raise InvalidGameError(f"start() must be a tuple (own, opp), not {words!r}")
    for word in words:
        if not isinstance(word, int) or not 0 <= word < _WORD:
            raise InvalidGameError(f"start() must have two ints from 0 to 2**64 - 1, not {word!r}")
