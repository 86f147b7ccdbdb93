"""Games of two agents without a change of seats, as most reports play them."""

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.arena.results import Record, Side
from ci_envs.reports.estimates import Estimate, measured_share

SEATS = ("first", "second")
"""The names of the seats."""


def play_from_seat(
    agent: Agent, opponent: Agent | str, games: int, *, seat: int = 0, seed: int = 0, max_cycles: int | None = None
) -> Side:
    """Play games, and return the results of an agent in one seat.

    Args:
        agent: The agent.
        opponent: Its opponent, or the spec string of the opponent.
        games: The number of games.
        seat: The seat of the agent: 0 moves first, 1 second.
        seed: The seed of an opponent that is made from a spec string.
        max_cycles: The plies after which a game is a draw.
    """
    other = make_agent(opponent, agent.game, seed=seed) if isinstance(opponent, str) else opponent
    first, second = (agent, other) if seat == 0 else (other, agent)
    return play_match(agent.game, first, second, games, swap_seats=False, max_cycles=max_cycles).sides[seat]


def wins_of(record: Record, *, report_games: int | None = None) -> Estimate:
    """Return the percentage of games won.

    Args:
        record: The games.
        report_games: The number of games of the report's measurement, for the spread.
    """
    return measured_share(record.wins, record.games, report_games=report_games)


def points_of(record: Record) -> Estimate:
    """Return the percentage of points. A draw is half a point, rounded down in the sum."""
    return measured_share(record.wins + record.draws // 2, record.games)
