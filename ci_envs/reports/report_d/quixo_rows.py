"""Games of Quixo by tables against the random opponent."""

from collections.abc import Mapping

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import Estimate, measured_share
from ci_envs.reports.matches import SEATS, play_from_seat
from ci_envs.reports.section_run import SectionRun
from ci_envs.reports.trainers import learned

QUIXO = Quixo()
_MATCHES = 100  # games of a measurement of report D
_LONGEST_GAME = 1000  # plies; report D has no limit, and games against a random player are far shorter


def shares_of_table(run: SectionRun, learner: str, games: str) -> dict[str, Estimate]:
    """Train one of our tabular learners, and return the shares that its agent wins.

    Args:
        run: The run of the section.
        learner: The learner with options, as a spec string.
        games: The name of the number of games of the training in the description.
    """
    spec = f"{learner},table_mb={run.budget('table_mb')}"
    agent = learned(spec, "Quixo-v0", run.budget(games), seed=run.seed).agent()
    agent.reseed(run.seed)
    return share_by_seat(run, dict.fromkeys(SEATS, agent))


def share_by_seat(run: SectionRun, agents: Mapping[str, Agent]) -> dict[str, Estimate]:
    """Return the percentages of games won against a random player, from both seats and from each seat.

    The intervals contain 95% of measurements with 100 games, which is the number of games of report D.

    Args:
        run: The run of the section.
        agents: The agent for each seat.
    """
    games, wins = run.budget("matches"), {}
    for place, seat in enumerate(SEATS):
        side = play_from_seat(
            agents[seat], "random", games, seat=place, seed=run.seed + place, max_cycles=_LONGEST_GAME
        )
        wins[seat] = side.total.wins
    both = measured_share(sum(wins.values()), 2 * games, report_games=_MATCHES)
    return {"both": both} | {seat: measured_share(won, games, report_games=_MATCHES) for seat, won in wins.items()}
