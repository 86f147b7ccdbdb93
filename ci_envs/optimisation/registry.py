"""Optimisation problems by id. Registering an id imports nothing of the problem."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gymnasium

from ci_envs.registry.games import claim_id, import_object, split_id
from ci_envs.registry.options import check_options, options_of, read_options
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
    """

    id: str
    problem: "Callable[..., Problem] | str"
    environment: type[Any] | str

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
    claim_id(id, problem)
    _problems[id] = ProblemSpec(id, problem, environment)
    gymnasium.register(f"ci_envs/{id}", "ci_envs.optimisation.env:make_problem_env", kwargs={"environment": id})


def registered_problems() -> tuple[str, ...]:
    """Return the ids of all optimisation problems, in the order of their registration."""
    return tuple(_problems)


def is_problem(id: str) -> bool:
    """Return whether an id, with or without parameters, is that of an optimisation problem."""
    return split_id(id)[0] in _problems


def problem_maker(id: str) -> "Callable[..., Problem]":
    """Return the function or class that makes the problem of a registered id."""
    return _problems[id].maker()


def resolve_problem(id: str, **parameters: Any) -> "tuple[ProblemSpec, Problem, dict[str, Any]]":
    """Return the registered spec, the problem and the environment options that an id with parameters stands for.

    Raises:
        ValueError: the id or a parameter is unknown, or a value is out of range.
        OSError: a file that a parameter names cannot be read.
    """
    name, text = split_id(id)
    if name not in _problems:
        raise unknown_name("problem", name, _problems)
    spec = _problems[name]
    maker, env_options = spec.maker(), options_of(spec.environment_class(), ("problem",))
    allowed = options_of(maker)
    known = {**allowed, **env_options}
    options = check_options(name, {**read_options(name, text, known), **parameters}, known)
    problem = maker(**{key: value for key, value in options.items() if key in allowed})
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
