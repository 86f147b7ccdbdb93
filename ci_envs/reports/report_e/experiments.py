"""The experiments that report E announces: another c, symmetries, openings, a deeper network, and a larger board.

The literal column is the training of report E with fewer explorations. The other columns are our training, which takes
a step after 50 games instead of one: "described" with the network of report E, and "ours" with 3 residual blocks. One
training says little, because self-play amplifies every difference, so each figure is a median of several trainings.
"""

from collections.abc import Mapping, Sequence

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.alphazero_training import network_agent, train_alphazero
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.report_e.agent import PLAY, ExploringAgent
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.matches import play_perfect_defender, wins_from_seat
from ci_envs.reports.report_e.self_play import different_openings, play_game
from ci_envs.reports.report_e.trainings import ENVIRONMENT, GAME, GAMES_OF_STEP, OURS, PLAY_OPTIONS, train_from_start
from ci_envs.reports.section_run import SectionRun

_PLAY_EXPLORATIONS = 200  # in the matches
_COUNTED_PLIES, _COUNTED_GAMES = 4, 100
_ARCHITECTURES = ("unpadded", "32x3")
_OPPONENT = "minimax:depth=2"  # a stronger one wins all games against agents of such short trainings

VARIANTS: Mapping[str, ExploreSettings] = {
    "constant c": ExploreSettings(),
    "c grows with the visits": ExploreSettings(growth=100.0),
    "no symmetries": ExploreSettings(symmetries=False),
    "random openings": ExploreSettings(opening_plies=2),
}
"""The trainings by name. All are literal, with the search repaired as the text says."""


def measure_experiments(run: SectionRun) -> None:
    """Add the rows of the experiments."""
    for name in run.steps(VARIANTS):
        settings = VARIANTS[name]._replace(explorations=run.budget("explorations"))
        agents = _literal(run, GAME, settings, "experiment_runs")
        run.add(f"experiment: {name}, wins moving first v {_OPPONENT}", _wins(run, agents))
        quantity = f"experiment: {name}, different positions after {_COUNTED_PLIES} plies in {_COUNTED_GAMES} games"
        run.add(quantity, _openings(run, agents, settings))
    size = run.budget("larger_size")
    board, environment = ConnectN(size, size, 4), f"ConnectN-v0:rows={size},cols={size}"
    larger: list[Sequence[PositionAgent]] = [
        _literal(run, board, ExploreSettings(explorations=run.budget("larger_explorations")), "larger_runs"),
        *(_ours(run, board, environment, name, "larger_runs") for name in _ARCHITECTURES),
    ]
    wins = (_wins(run, agents) for agents in larger)
    run.add(f"experiment: larger board, wins moving first v {_OPPONENT}", *wins)
    networks = (_ours(run, GAME, ENVIRONMENT, name, "experiment_runs") for name in _ARCHITECTURES)
    small, large = (_wins_v_perfect_play(run, agents) for agents in networks)
    run.add("experiment: deeper network, wins moving first v perfect play", small, small, large)


def _literal(run: SectionRun, game: Game, settings: ExploreSettings, runs: str) -> list[ExploringAgent]:
    """Return the agents of literal trainings. ``runs`` is the name of their number."""
    play = settings._replace(explorations=_PLAY_EXPLORATIONS, temperature=PLAY.temperature)
    games, seeds = run.budget("literal_games"), run.seeds(runs)
    networks = [train_from_start(game, games, settings, seed)[0] for seed in seeds]
    return [ExploringAgent(game, network, play, seed=seed) for network, seed in zip(networks, seeds, strict=True)]


def _ours(run: SectionRun, game: Game, environment: str, architecture: str, runs: str) -> list[PositionAgent]:
    """Return the agents of trainings of ours. ``runs`` is the name of their number."""
    options, iterations = {**OURS, "architecture": architecture}, run.budget("our_games") // GAMES_OF_STEP
    seeds = run.seeds(runs)
    networks = [train_alphazero(environment, options, iterations, seed).network for seed in seeds]
    return [network_agent(game, network, seed, **PLAY_OPTIONS) for network, seed in zip(networks, seeds, strict=True)]


def _wins(run: SectionRun, agents: Sequence[PositionAgent]) -> Estimate:
    """Return the median percentage of games that the agents win moving first."""
    games, seed = run.budget("experiment_matches"), run.seed + 1
    return _median(run, agents, [wins_from_seat(agent, _OPPONENT, 0, games, seed).value for agent in agents])


def _wins_v_perfect_play(run: SectionRun, agents: Sequence[PositionAgent]) -> Estimate:
    """Return the median percentage of games that the agents win moving first against perfect play."""
    games = run.budget("experiment_matches")
    return _median(run, agents, [100 * play_perfect_defender(agent, games, run.seed).won / games for agent in agents])


def _openings(run: SectionRun, agents: Sequence[ExploringAgent], settings: ExploreSettings) -> Estimate:
    """Return the median number of different openings in games of self-play as in the training."""

    def different(agent: ExploringAgent) -> int:
        played = (play_game(GAME, agent.network, settings, seed) for seed in range(_COUNTED_GAMES))
        return different_openings(played, GAME, _COUNTED_PLIES - settings.opening_plies)

    return _median(run, agents, [different(agent) for agent in agents])


def _median(run: SectionRun, agents: Sequence[PositionAgent], values: Sequence[float]) -> Estimate:
    games = run.budget("literal_games" if isinstance(agents[0], ExploringAgent) else "our_games")
    return median_of(values, f"runs of {games:,} games")
