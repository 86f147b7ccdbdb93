"""The agents by name."""

import inspect
from typing import Any

from ci_envs.registry.components import Components
from ci_envs.registry.spec import split_spec


def _is_agent(thing: Any) -> bool:
    """Return whether an object of a user's file is an agent, also if nobody names it."""
    if inspect.isfunction(thing):
        return not thing.__name__.startswith("make_")
    return any(callable(getattr(thing, method, None)) for method in ("act", "act_batch", "predict"))


def _can_be_agent(thing: Any) -> bool:
    """Return whether an object that a user names can be an agent. Any object that can be called is a function."""
    return callable(thing) or _is_agent(thing)


AGENTS = Components("agent", "ci_envs.agents", ("game", "seed"), _is_agent, _can_be_agent)
"""The agents by name."""

RUN_PROGRAMS = frozenset({"process", "text"})
"""The registered agents whose options contain a command."""


def runs_chosen_code(spec: str) -> bool:
    """Return whether the agent of a spec string can run code that the writer of the spec string has chosen.

    This is a file, a module or a program. It can also be named by an option that strangers cannot set, or only to some
    values.

    Raises:
        ValueError: an option has an unknown name or an invalid value.
        ImportError: the agent needs a package that is not installed.

    Examples:
        >>> from ci_envs.registry.agents import runs_chosen_code
        >>> runs_chosen_code("minimax:depth=4"), runs_chosen_code("process:./player")
        (False, True)
        >>> runs_chosen_code("subprocess:run:args=ls"), runs_chosen_code("sb3:model.zip,trust=true")
        (True, True)
        >>> runs_chosen_code("minimax:exact=included"), runs_chosen_code("minimax:exact=mine.py:solve")
        (False, True)
    """
    if not AGENTS.is_registered(spec):
        return True
    name, text = split_spec(spec)
    factory = AGENTS.find(name)
    options = AGENTS.options(factory)
    return name in RUN_PROGRAMS or any(
        options[given].can_name_code(value) for given, value in AGENTS.read(name, factory, text).items()
    )
