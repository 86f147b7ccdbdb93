"""The preparation of the usual games: their code is compiled in the background, before the first player needs it."""

from threading import Event

from ci_envs.games.position import Position
from ci_envs.web.agent_pool import AgentPool
from ci_envs.web.agent_process import AgentError
from ci_envs.web.catalog import Catalog
from ci_envs.web.levels import LEVELS, agents_of_level
from ci_envs.web.rules_page import example_pictures


def prepare(catalog: Catalog, pool: AgentPool, stopped: Event) -> None:
    """Let the opponents of the first page decide once, all of a level before those of the next level.

    Numba keeps their code on the disk, from which a worker process reads it in less than 0.1 s.

    Args:
        catalog: The environments and agents.
        pool: The jobs of agents.
        stopped: Ends the preparation after the current agent.
    """
    environments = [entry.name for entry in catalog.environments()]
    games = {environment: catalog.game(environment)[0] for environment in environments}
    for game in games.values():
        example_pictures(game)
    for level in LEVELS:
        for environment, game in games.items():
            for spec in agents_of_level(environment, level):
                if stopped.is_set():
                    return
                if _decides(pool, Position.start(game), spec, stopped):
                    break


def _decides(pool: AgentPool, position: Position, spec: str, stopped: Event) -> bool:
    """Return whether an agent decides in a position, so that no other one must replace it."""
    try:
        with pool.process(position.game, spec) as process:
            process.decide(position, spec, 0, stopped)
            process.kill()  # its agent waits for no player
    except (AgentError, ImportError, ValueError):
        return False
    return True
