"""Optimisation problems by id. Registering an id imports nothing of the problem."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import isfunction
from typing import TYPE_CHECKING, Any

import gymnasium

from ci_envs.registry.games import claim_id, import_object, split_id
from ci_envs.registry.options import check_options, options_of, read_options, signature_of
from ci_envs.registry.references import referred, split_reference
from ci_envs.registry.user_code import made
from ci_envs.validation import unknown_name

if TYPE_CHECKING:
    from ci_envs.optimisation.problem import Problem


@dataclass(frozen=True)
class ProblemSpec:
    """A registered optimisation problem.

    Attributes:
        id: the registered id, for example ``SetCovering-v0``.
        problem: a function or class that makes the problem, or ``"module:name"``.
        environment: the class of its environment (:class:`ci_envs.optimisation.env.ProblemEnv`), or ``"module:Class"``.
            None for a problem that is not registered.
    """

    id: str
    problem: "Callable[..., Problem] | str"
    environment: type[Any] | str | None

    def maker(self) -> "Callable[..., Problem]":
        """Return the function or class that makes the problem; import its module on the first call."""
        maker: Callable[..., Problem] = import_object(self.problem)
        return maker

    def environment_class(self) -> type[Any]:
        """Return the class of the environment; import its module on the first call."""
        cls: type[Any] = import_object(self.environment)
        return cls


_problems: dict[str, ProblemSpec] = {}


def register_problem(id: str, problem: "Callable[..., Problem] | str", environment: type[Any] | str) -> None:
    """Register an optimisation problem under ``id`` here and with Gymnasium.

    Args:
        id: a name and a version, for example ``SetCovering-v0``.
        problem: makes the problem, or ``"module:name"``; its parameters are the parameters of the id.
        environment: the class of its environment, or ``"module:Class"``.

    Raises:
        ValueError: ``id`` is malformed or already registered.
    """
    claim_id(id, problem, partial(register_problem, id, problem, environment))
    _problems[id] = ProblemSpec(id, problem, environment)
    gymnasium.register(f"ci_envs/{id}", "ci_envs.optimisation.env:make_problem_env", kwargs={"environment": id})


def registered_problems() -> tuple[str, ...]:
    """Return the ids of all optimisation problems, in the order of their registration."""
    return tuple(_problems)


def is_problem(id: str) -> bool:
    """Return whether an id or a reference, with or without parameters, names an optimisation problem."""
    try:
        return _spec_of(split_id(id)[0]) is not None
    except ValueError:  # a reference to something else
        return False


def problem_maker(id: str) -> "Callable[..., Problem]":
    """Return the function or class that makes the problem of a registered id, or that a reference names.

    Raises:
        ValueError: the id is unknown.
        OSError: the file of a reference cannot be read.
    """
    return _required_spec(id).maker()


def _required_spec(name: str) -> ProblemSpec:
    spec = _spec_of(name)
    if spec is None:
        raise unknown_name("problem", name, _problems)
    return spec


def _spec_of(name: str) -> ProblemSpec | None:
    """Return the problem of a registered id or of a reference such as ``mine.py:Knapsack``, or None."""
    if name in _problems or split_reference(name) is None:
        return _problems.get(name)
    maker = referred(name, _makes_problem, "problem")
    return None if maker is None else ProblemSpec(name, maker, None)


def _makes_problem(thing: Any) -> bool:
    """Return whether an object is a class of problems, or a function with such a class as the type of its result."""
    from ci_envs.optimisation.problem import Problem

    made = thing if isinstance(thing, type) else signature_of(thing).return_annotation if isfunction(thing) else None
    return isinstance(made, type) and issubclass(made, Problem)


def resolve_problem(id: str, **parameters: Any) -> "tuple[ProblemSpec, Problem, dict[str, Any]]":
    """Return the spec, the problem and the environment options that an id or reference with parameters stands for.

    Raises:
        ValueError: the id or a parameter is unknown, or a value is out of range.
        OSError: a file that a parameter names cannot be read.
    """
    name, text = split_id(id)
    spec = _required_spec(name)
    maker = spec.maker()
    env_options = {} if spec.environment is None else options_of(spec.environment_class(), ("problem",))
    allowed = options_of(maker)
    known = {**allowed, **env_options}
    options = check_options(name, {**read_options(name, text, known), **parameters}, known)
    given = {key: value for key, value in options.items() if key in allowed}
    problem = maker(**given) if name in _problems else made(f"the problem {name}", maker, **given)
    return spec, problem, {key: value for key, value in options.items() if key in env_options}


register_problem(
    "SetCovering-v0",
    "ci_envs.optimisation.set_covering.instances:set_covering",
    "ci_envs.optimisation.set_covering.env:SetCoveringEnv",
)
register_problem(
    "BitString-v0",
    "ci_envs.optimisation.bit_string.problem:BitString",
    "ci_envs.optimisation.bit_string.env:BitStringEnv",
)
