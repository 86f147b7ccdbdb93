"""The experiments that report E announces: another c, symmetries, openings, a deeper network, and a larger board.

The literal column is the training of report E with fewer explorations. The other columns are our training, which takes
a step after 50 games instead of one: "described" with the network of report E, and "ours" with 3 residual blocks. One
training says little, because self-play amplifies every difference, so each figure is a median of several trainings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from ci_envs.reports.rows import FigureRow, figure_row

_OPPONENT, _LARGER_OPPONENT = "minimax:depth=4", "minimax:depth=2"
_GROWTH = 100.0
_PLAY_EXPLORATIONS = 200  # in the matches
_OPENING_PLIES, _COUNTED_PLIES, _COUNTED_GAMES = 2, 4, 100
_SHALLOW, _DEEP = "unpadded", "32x3"

_AnyAgent = TypeVar("_AnyAgent", bound=PositionAgent)


class Variant(NamedTuple):
    """A change of the training of report E.

    Attributes:
        note: The description of the change.
        settings: The settings of the search, whose number of explorations is replaced.
        opening_plies: The number of random plies at the start of each game of self-play.
    """

    note: str
    settings: ExploreSettings = ExploreSettings()
    opening_plies: int = 0


CONSTANT, GROWING, UNTURNED, OPENINGS = "constant c", "c grows with the visits", "no symmetries", "random openings"
VARIANTS: Mapping[str, Variant] = {
    CONSTANT: Variant(""),
    GROWING: Variant("c grows by log((N + 101) / 100).", ExploreSettings(growth=_GROWTH)),
    UNTURNED: Variant("The network sees each board as it is.", ExploreSettings(symmetries=False)),
    OPENINGS: Variant("Games of self-play begin after 2 random plies.", opening_plies=_OPENING_PLIES),
}
"""The trainings by name. All are literal, with the search repaired as the text says."""


def wins_of_variant(name: str) -> str:
    """Return the quantity of the games that a variant wins."""
    return f"experiment: {name}, wins moving first v {_OPPONENT}"


def openings_of_variant(name: str) -> str:
    """Return the quantity of the different openings in the self-play of a variant."""
    return f"experiment: {name}, different positions after {_COUNTED_PLIES} plies in {_COUNTED_GAMES} games"


LARGER = f"experiment: larger board, wins moving first v {_LARGER_OPPONENT}"
"""The quantity of the row on the larger board."""

DEEPER = "experiment: deeper network, wins moving first v perfect play"
"""The quantity of the row on the deeper network."""


class ExperimentScale(NamedTuple):
    """The amount of computation.

    Attributes:
        literal_games: The number of games of a literal training.
        our_games: The number of games of our training, a multiple of 50.
        matches: The number of games of a match, 2 or more.
        runs: The number of literal trainings of each kind.
        our_runs: The number of our trainings of each kind, and of all trainings on the larger board.
        explorations: The number of explorations for each move in a literal training.
        larger_size: The number of rows and columns of the larger board.
    """

    literal_games: int
    our_games: int
    matches: int
    runs: int
    our_runs: int
    explorations: int = 50
    larger_size: int = 8


def experiment_rows(scale: ExperimentScale, seed: int, progress: Callable[[float], object]) -> Iterator[FigureRow]:
    """Yield the rows of the experiments.

    Args:
        scale: The amount of computation.
        seed: The seed of all random numbers.
        progress: A function that is called with the share of the work that is done.
    """
    trainings = _Trainings(scale, seed)
    ours = [trainings.ours(GAME, ENVIRONMENT, name) for name in (_SHALLOW, _DEEP)]
    progress(0.2)
    for done, (name, variant) in enumerate(VARIANTS.items(), 1):
        yield from _variant_rows(trainings, name, variant, ours if name == CONSTANT else [])
        progress(0.2 + 0.15 * done)
    size = scale.larger_size
    board, environment = ConnectN(size, size, 4), f"ConnectN-v0:rows={size},cols={size}"
    larger = [trainings.ours(board, environment, name) for name in (_SHALLOW, _DEEP)]
    literal = trainings.literal(board, VARIANTS[CONSTANT], scale.our_runs)
    wins = trainings.wins(literal, _LARGER_OPPONENT), *(trainings.wins(each, _LARGER_OPPONENT) for each in larger)
    yield figure_row(LARGER, None, *wins, note=f"Four in a row on {size} x {size} cells. {trainings.note}", unit="%")
    small, large = (trainings.wins_v_perfect_play(agents) for agents in ours)
    note = f"Literal and described: our training with the network of report E. {trainings.note}"
    yield figure_row(DEEPER, None, small, small, large, note=note, unit="%")


def _variant_rows(
    trainings: "_Trainings", name: str, variant: Variant, ours: Sequence[Sequence[PositionAgent]]
) -> Iterator[FigureRow]:
    """Yield the rows on the strength and on the openings of a variant."""
    agents = trainings.literal(GAME, variant, trainings.scale.runs)
    wins = trainings.wins(agents, _OPPONENT), *(trainings.wins(each, _OPPONENT) for each in ours)
    note = f"{variant.note} {trainings.note if ours else _LITERAL_ONLY}".strip()
    yield figure_row(wins_of_variant(name), None, *wins, note=note, unit="%")
    openings = trainings.openings(agents, variant)
    note = f"{variant.note} {_OPENINGS_NOTE}".strip()
    yield figure_row(openings_of_variant(name), None, openings, note=note, unit="positions")


_LITERAL_ONLY = "A change of the training of report E. Ours is in the row with a constant c."
_OPENINGS_NOTE = "Of the self-play of the trained networks; images by symmetries are equal. No number is better."


class _Trainings:
    """The trainings of the experiments, and the matches of their agents."""

    def __init__(self, scale: ExperimentScale, seed: int) -> None:
        self.scale, self.seed = scale, seed
        self.note = (
            f"Literal: {scale.literal_games:,} games with {scale.explorations} explorations for each move, and"
            f" {_PLAY_EXPLORATIONS} in the matches. Described: our training with {scale.our_games:,} games, a step"
            f" after {GAMES_OF_STEP} games, and the network of report E. Ours: the same with 3 residual blocks of 32"
            " channels."
        )

    def literal(self, game: Game, variant: Variant, runs: int) -> list[ExploringAgent]:
        """Return the agents of some literal trainings."""
        settings = variant.settings._replace(explorations=self.scale.explorations)
        play = settings._replace(explorations=_PLAY_EXPLORATIONS, temperature=PLAY.temperature)
        seeds = range(self.seed, self.seed + runs)
        trained = (
            train_from_start(game, self.scale.literal_games, settings, seed, opening_plies=variant.opening_plies)
            for seed in seeds
        )
        return [
            ExploringAgent(game, network, play, seed=seed) for seed, (network, _) in zip(seeds, trained, strict=True)
        ]

    def ours(self, game: Game, environment: str, architecture: str) -> list[PositionAgent]:
        """Return the agents of some trainings of ours."""
        options, iterations = {**OURS, "architecture": architecture}, self.scale.our_games // GAMES_OF_STEP
        seeds = range(self.seed, self.seed + self.scale.our_runs)
        networks = (train_alphazero(environment, game, options, iterations, seed).network for seed in seeds)
        return [alphazero_agent(game, network, seed) for network, seed in zip(networks, seeds, strict=True)]

    def wins(self, agents: Sequence[PositionAgent], opponent: str) -> Estimate:
        """Return the median percentage of games that the agents win moving first."""
        matches = self.scale.matches
        return self._median(agents, lambda agent: wins_from_seat(agent, opponent, 0, matches, self.seed + 1).value)

    def wins_v_perfect_play(self, agents: Sequence[PositionAgent]) -> Estimate:
        """Return the median percentage of games that the agents win moving first against perfect play."""
        matches = self.scale.matches
        return self._median(agents, lambda agent: 100 * play_perfect_defender(agent, matches, self.seed).won / matches)

    def openings(self, agents: Sequence[ExploringAgent], variant: Variant) -> Estimate:
        """Return the median number of different openings in games of self-play as in the training."""
        settings, plies = variant.settings._replace(explorations=self.scale.explorations), variant.opening_plies

        def different(agent: ExploringAgent) -> int:
            played = (
                play_game(GAME, agent.network, settings, seed, opening_plies=plies) for seed in range(_COUNTED_GAMES)
            )
            return different_openings(played, GAME, _COUNTED_PLIES - plies)

        return self._median(agents, different)

    def _median(self, agents: Sequence[_AnyAgent], measure: Callable[[_AnyAgent], float]) -> Estimate:
        games = self.scale.literal_games if isinstance(agents[0], ExploringAgent) else self.scale.our_games
        return median_of([measure(agent) for agent in agents], f"runs of {games:,} games")
