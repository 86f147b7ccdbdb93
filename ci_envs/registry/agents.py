"""The agents by name."""

import inspect
from typing import Any

from ci_envs.registry.components import Components


def _is_agent(thing: Any) -> bool:
    """Return whether an object of a user's file can be an agent."""
    if inspect.isfunction(thing):
        return not thing.__name__.startswith("make_")
    return any(callable(getattr(thing, method, None)) for method in ("act", "act_batch", "predict"))


AGENTS = Components("agent", "ci_envs.agents", ("game", "seed"), _is_agent)
"""The agents by name."""
