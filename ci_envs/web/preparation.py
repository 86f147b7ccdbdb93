"""The preparation of the usual games: their code is compiled in the background, before the first player needs it."""

from contextlib import suppress
from threading import Event

from ci_envs.games.position import Position
from ci_envs.web.agent_pool import AgentPool
from ci_envs.web.agent_process import AgentError, AgentProcess
from ci_envs.web.catalog import Catalog
from ci_envs.web.levels import LEVELS, agents_of_level
from ci_envs.web.rules_page import example_pictures


def prepare(catalog: Catalog, pool: AgentPool, stopped: Event) -> None:
    """Let the opponents of the first page decide once, all of a level before those of the next level.

    One worker process keeps them, and Numba keeps their code on the disk. The preparation ends if the process fails.

    Args:
        catalog: The environments and agents.
        pool: The jobs of agents.
        stopped: Ends the preparation after the current agent.
    """
    environments = [entry.name for entry in catalog.environments()]
    games = {environment: catalog.game(environment)[0] for environment in environments}
    for game in games.values():
        example_pictures(game)
    with suppress(AgentError), pool.process(next(iter(games.values())), "random") as process:
        for level in LEVELS:
            for environment, game in games.items():
                for spec in agents_of_level(environment, level):
                    if stopped.is_set():
                        return
                    if _decides(process, Position.start(game), spec, stopped):
                        break


def _decides(process: AgentProcess, position: Position, spec: str, stopped: Event) -> bool:
    """Return whether an agent decides in a position, so that no other one must replace it.

    Raises:
        AgentError: The process has failed.
    """
    try:
        process.decide(position, spec, 0, stopped)
    except (ImportError, ValueError):
        return False
    return True
