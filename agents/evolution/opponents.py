"""Opponents of an evolution from an option such as ``random+minimax:depth=1``."""

from collections.abc import Sequence

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.game import Game


def make_opponents(specs: str | Sequence[str], game: Game) -> tuple[Agent, ...]:
    """Make agents from spec strings. A text can join several spec strings by ``+``.

    Raises:
        ValueError: the list is empty, or an agent cannot be made.
    """
    texts = specs.split("+") if isinstance(specs, str) else specs
    if not texts or not isinstance(texts, Sequence):
        raise ValueError(f"opponents must be agents joined by +, not {specs!r}")
    return tuple(make_agent(spec, game) for spec in texts)
