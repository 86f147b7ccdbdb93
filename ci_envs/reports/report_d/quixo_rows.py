"""Games of Quixo against the random opponent."""

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.arena.match import play_match
from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import Estimate, measured_share

QUIXO = Quixo()
SEATS = ("first", "second")
_MATCHES = 100  # games of a measurement of report D
_LONGEST_GAME = 1000  # plies; report D has no limit, and games against a random player are far shorter


def require_quixo(name: str, game: Game) -> None:
    """Check that a game is Quixo on 5 x 5 cubes.

    Args:
        name: The name of the agent for the message.
        game: The game.

    Raises:
        ValueError: The game is another one.
    """
    if require_game(name, game, Quixo) != QUIXO:
        raise ValueError(f"{name} plays {QUIXO}, not {game}")


def wins_against_random(agent: Agent, seat: str, games: int, seed: int) -> int:
    """Return the number of games of Quixo that an agent wins against a random player from one seat.

    Args:
        agent: The agent, for Quixo on 5 x 5 cubes.
        seat: ``first`` or ``second``.
        games: The number of games.
        seed: The seed of the random opponent.
    """
    opponent = make_agent("random", QUIXO, seed=seed)
    players = (agent, opponent) if seat == "first" else (opponent, agent)
    match = play_match(QUIXO, *players, games, swap_seats=False, max_cycles=_LONGEST_GAME)
    return match.sides[SEATS.index(seat)].total.wins


def share_by_seat(agents: dict[str, Agent], games: int, seed: int) -> dict[str, Estimate]:
    """Return the percentages of games won against a random player, from each seat and from both seats.

    The intervals contain 95% of measurements with 100 games, which is the number of games of report D.

    Args:
        agents: The agent for each seat.
        games: The number of games from each seat.
        seed: The seed of the random opponent.
    """
    wins = {seat: wins_against_random(agents[seat], seat, games, seed + place) for place, seat in enumerate(SEATS)}
    shares = {seat: measured_share(won, games, report_games=_MATCHES) for seat, won in wins.items()}
    both = measured_share(sum(wins.values()), 2 * games, report_games=_MATCHES)
    return {**shares, "both": both}
