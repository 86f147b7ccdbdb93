"""Opponents of an evolution, as an option names them: ``random+minimax:depth=1``."""

from ci_envs.agent.interface import Agent
from ci_envs.agent.registry import make_agent
from ci_envs.games.game import Game


def make_opponents(specs: str, game: Game) -> tuple[Agent, ...]:
    """The agents whose spec strings are joined by ``+``.

    Raises:
        ValueError: there is none, or one cannot be made.
    """
    if not isinstance(specs, str):
        raise ValueError(f"opponents are spec strings joined by +, not {specs!r}")
    return tuple(make_agent(spec, game) for spec in specs.split("+"))
