"""Games of Quixo against the random opponent, as rows of a section."""

from ci_envs.agent.interface import Agent
from ci_envs.agent.registry import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import measured_share
from ci_envs.reports.section import Estimate

SEATS = ("first", "second")
_LONGEST_GAME = 1000  # plies; report D has no limit, and games against random play are far shorter


def wins_against_random(agent: Agent, seat: str, games: int, seed: int) -> int:
    """Return how many games of Quixo an agent wins against random play from one seat.

    Args:
        agent: The agent, for Quixo on 5 x 5 cubes.
        seat: ``first`` or ``second``.
        games: The number of games.
        seed: The seed of the random opponent.
    """
    game = Quixo()
    opponent = make_agent("random", game, seed=seed)
    players = (agent, opponent) if seat == "first" else (opponent, agent)
    match = play_match(game, *players, games, swap_seats=False, max_cycles=_LONGEST_GAME)
    return match.sides[SEATS.index(seat)].total.wins


def share_by_seat(agents: dict[str, Agent], games: int, seed: int) -> dict[str, Estimate]:
    """Return the percentages of games won against random play, from each seat and from both.

    Args:
        agents: The agent for each seat.
        games: The number of games from each seat.
        seed: The seed of the random opponent.
    """
    won = {seat: wins_against_random(agents[seat], seat, games, seed + place) for place, seat in enumerate(SEATS)}
    shares = {seat: measured_share(wins, games) for seat, wins in won.items()}
    return shares | {"both": measured_share(sum(won.values()), 2 * games)}
