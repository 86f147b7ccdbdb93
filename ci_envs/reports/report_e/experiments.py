"""The experiments that report E announces: another c, symmetries, openings, a deeper network, and a larger board.

The literal column is the training of report E with fewer explorations. The other columns are our training, which takes
a step after 50 games instead of one: "described" with the network of report E, and "ours" with 3 residual blocks. One
training says little, because self-play amplifies every difference, so each figure is a median of several trainings.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.alphazero_training import train_alphazero
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.report_e.agent import PLAY, ExploringAgent
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.matches import alphazero_agent, play_perfect_defender, wins_from_seat
from ci_envs.reports.report_e.self_play import different_openings, play_game
from ci_envs.reports.report_e.trainings import ENVIRONMENT, GAME, GAMES_OF_STEP, OURS, train_from_start
from ci_envs.reports.section_run import SectionRun

_PLAY_EXPLORATIONS = 200  # in the matches
_COUNTED_PLIES, _COUNTED_GAMES = 4, 100
_ARCHITECTURES = ("unpadded", "32x3")

_AnyAgent = TypeVar("_AnyAgent", bound=PositionAgent)


class TrainingVariant(NamedTuple):
    """A change of the training of report E.

    Attributes:
        settings: The settings of the search, whose number of explorations is replaced.
        opening_plies: The number of random plies at the start of each game of self-play.
    """

    settings: ExploreSettings = ExploreSettings()
    opening_plies: int = 0


_OPPONENT = "minimax:depth=2"  # a stronger one wins all games against agents of such short trainings

VARIANTS: Mapping[str, TrainingVariant] = {
    "constant c": TrainingVariant(),
    "c grows with the visits": TrainingVariant(ExploreSettings(growth=100.0)),
    "no symmetries": TrainingVariant(ExploreSettings(symmetries=False)),
    "random openings": TrainingVariant(opening_plies=2),
}
"""The trainings by name. All are literal, with the search repaired as the text says."""


def measure_experiments(run: SectionRun) -> None:
    """Add the rows of the experiments."""
    trainings = _Trainings(run)
    for name in run.steps(VARIANTS):
        variant = VARIANTS[name]
        agents = trainings.literal(GAME, variant, "experiment_runs")
        run.add(f"experiment: {name}, wins moving first v {_OPPONENT}", trainings.wins(agents, _OPPONENT))
        quantity = f"experiment: {name}, different positions after {_COUNTED_PLIES} plies in {_COUNTED_GAMES} games"
        run.add(quantity, trainings.openings(agents, variant))
    size = run.budget("larger_size")
    board, environment = ConnectN(size, size, 4), f"ConnectN-v0:rows={size},cols={size}"
    larger: list[Sequence[PositionAgent]] = [
        trainings.literal(board, TrainingVariant(), "our_runs", "larger_explorations"),
        *(trainings.ours(board, environment, name) for name in _ARCHITECTURES),
    ]
    wins = (trainings.wins(each, _OPPONENT) for each in larger)
    run.add(f"experiment: larger board, wins moving first v {_OPPONENT}", *wins)
    small, large = (trainings.wins_v_perfect_play(trainings.ours(GAME, ENVIRONMENT, name)) for name in _ARCHITECTURES)
    run.add("experiment: deeper network, wins moving first v perfect play", small, small, large)


class _Trainings:
    """The trainings of the experiments, and the matches of their agents."""

    def __init__(self, run: SectionRun) -> None:
        self._run, self._seed, self._matches = run, run.seed, run.budget("experiment_matches")

    def literal(
        self, game: Game, variant: TrainingVariant, runs: str, explorations: str = "explorations"
    ) -> list[ExploringAgent]:
        """Return the agents of literal trainings. ``runs`` and ``explorations`` are the names of their numbers."""
        settings = variant.settings._replace(explorations=self._run.budget(explorations))
        play = settings._replace(explorations=_PLAY_EXPLORATIONS, temperature=PLAY.temperature)
        games, plies, agents = self._run.budget("literal_games"), variant.opening_plies, []
        for seed in self._run.seeds(runs):
            network, _ = train_from_start(game, games, settings, seed, opening_plies=plies)
            agents.append(ExploringAgent(game, network, play, seed=seed))
        return agents

    def ours(self, game: Game, environment: str, architecture: str) -> list[PositionAgent]:
        """Return the agents of some trainings of ours."""
        options, iterations = {**OURS, "architecture": architecture}, self._run.budget("our_games") // GAMES_OF_STEP
        seeds = self._run.seeds("our_runs")
        networks = (train_alphazero(environment, options, iterations, seed).network for seed in seeds)
        return [alphazero_agent(game, network, seed) for network, seed in zip(networks, seeds, strict=True)]

    def wins(self, agents: Sequence[PositionAgent], opponent: str) -> Estimate:
        """Return the median percentage of games that the agents win moving first."""
        return self._median(
            agents, lambda agent: wins_from_seat(agent, opponent, 0, self._matches, self._seed + 1).value
        )

    def wins_v_perfect_play(self, agents: Sequence[PositionAgent]) -> Estimate:
        """Return the median percentage of games that the agents win moving first against perfect play."""
        matches = self._matches
        return self._median(agents, lambda agent: 100 * play_perfect_defender(agent, matches, self._seed).won / matches)

    def openings(self, agents: Sequence[ExploringAgent], variant: TrainingVariant) -> Estimate:
        """Return the median number of different openings in games of self-play as in the training."""
        settings, plies = (
            variant.settings._replace(explorations=self._run.budget("explorations")),
            variant.opening_plies,
        )

        def different(agent: ExploringAgent) -> int:
            played = (
                play_game(GAME, agent.network, settings, seed, opening_plies=plies) for seed in range(_COUNTED_GAMES)
            )
            return different_openings(played, GAME, _COUNTED_PLIES - plies)

        return self._median(agents, different)

    def _median(self, agents: Sequence[_AnyAgent], measure: Callable[[_AnyAgent], float]) -> Estimate:
        games = self._run.budget("literal_games" if isinstance(agents[0], ExploringAgent) else "our_games")
        return median_of([measure(agent) for agent in agents], f"runs of {games:,} games")
