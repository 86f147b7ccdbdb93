"""The agents of the reports by name: ``report:B31:max_lowest``."""

from typing import Annotated

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, Untrusted
from ci_envs.reports.catalog import agent_makers
from ci_envs.validation import unknown_name


def report_agent(
    game: Game,
    name: Annotated[str, Option("name of the agent, for example B31:max_lowest", untrusted=Untrusted())],
    *,
    seed: int | None = None,
) -> Agent:
    """Make an agent of a report. The agent has the bugs of the report, but plays only legal actions.

    Args:
        game: The game.
        seed: The seed of the random numbers.

    Raises:
        ValueError: No agent has this name, or the agent does not play this game.
    """
    makers = agent_makers()
    if name not in makers:
        raise unknown_name("agent", name, makers, owner="report")
    return makers[name](game, seed)
