"""The agents by name."""

import inspect
from typing import Any

from ci_envs.registry.components import Components


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
