"""Section D3: Quixo by a Monte Carlo table.

:mod:`~ci_envs.reports.report_d.quixo_monte_carlo` contains the literal version and lists its bugs. The described
version is our ``monte_carlo`` with the same games and the same step. In it a lost game counts -1.
"""

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.game import Game
from ci_envs.reports.literal_agent import LiteralAgent
from ci_envs.reports.matches import SEATS
from ci_envs.reports.report_d.quixo_monte_carlo import learn_positions, position_table_agent
from ci_envs.reports.report_d.quixo_rows import QUIXO, share_by_seat, shares_of_table
from ci_envs.reports.section_run import SectionRun, section

_OURS = (
    "monte_carlo:symmetries=true,opponent=random,shaping=potential,discount=0.95,initial_spread=0.001,epsilon=0.1,"
    "epsilon_end=0"
)


def _measure(run: SectionRun) -> None:
    """Train by report D's code and by our trainer, and play against random from both seats."""
    agents: dict[str, Agent] = {
        seat: position_table_agent(QUIXO, learn_positions(colour, run.budget("games"), run.seed))
        for colour, seat in enumerate(SEATS)
    }
    literal = share_by_seat(run, agents)
    described = shares_of_table(run, "monte_carlo:preset=D3", "games")
    ours = shares_of_table(run, _OURS, "our_games")
    random = share_by_seat(run, dict.fromkeys(SEATS, make_agent("random", QUIXO, seed=run.seed + 2)))
    for seat in SEATS:
        run.add(f"v random, moving {seat}, wins", literal[seat], described[seat], ours[seat])
        run.add(f"random v random, moving {seat}, wins", random[seat])


def _agent(game: Game, seed: int | None) -> LiteralAgent:
    """Make report D's agent. It learns the table of one colour, which takes some seconds."""
    return position_table_agent(game, learn_positions(0, seed=seed or 0), seed=seed)


SECTION = section(__file__, _measure, agents={"D3": _agent})
