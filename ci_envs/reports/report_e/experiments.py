"""The experiments that report E announces: another c, a deeper network, and a larger board.

The literal column is the training of report E with fewer explorations. The other columns are our training, which takes
a step after 50 games instead of one: "described" with the network of report E, and "ours" with 3 residual blocks.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.alphazero_training import train_alphazero
from ci_envs.reports.estimates import measured_share
from ci_envs.reports.report_e.agent import PLAY, ExploringAgent
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.matches import alphazero_agent, play_perfect_defender, wins_from_seat
from ci_envs.reports.report_e.trainings import ENVIRONMENT, GAME, GAMES_OF_STEP, OURS, train_from_start
from ci_envs.reports.rows import FigureRow, figure_row

EXPLORATIONS = 300
"""The explorations for each move in the literal trainings of the experiments."""

CONSTANT, GROWING, LARGER, DEEPER = (
    f"experiment: {name}"
    for name in (
        "constant c, wins moving first v minimax:depth=4",
        "c grows with the visits, wins moving first v minimax:depth=4",
        "larger board, wins moving first v minimax:depth=2",
        "deeper network, wins moving first v perfect play",
    )
)
"""The quantities of the rows."""

_OPPONENT, _LARGER_OPPONENT = "minimax:depth=4", "minimax:depth=2"
_GROWTH = 100.0
_SHALLOW, _DEEP = "unpadded", "32x3"


class ExperimentScale(NamedTuple):
    """The amount of computation.

    Attributes:
        literal_games: The number of games of a literal training.
        our_games: The number of games of our training, a multiple of 50.
        matches: The number of games of a match, 2 or more.
        larger_size: The number of rows and columns of the larger board.
    """

    literal_games: int
    our_games: int
    matches: int
    larger_size: int = 8


def experiment_rows(scale: ExperimentScale, seed: int, progress: Callable[[float], object]) -> Iterator[FigureRow]:
    """Yield the rows of the experiments.

    Args:
        scale: The amount of computation.
        seed: The seed of all random numbers.
        progress: A function that is called with the share of the work that is done.
    """
    shallow, deep = (_our_agent(GAME, ENVIRONMENT, name, scale, seed) for name in (_SHALLOW, _DEEP))
    progress(0.2)
    constant = ExploreSettings(explorations=EXPLORATIONS)
    note = (
        f"Literal: {scale.literal_games:,} games with {EXPLORATIONS} explorations for each move. Described: our"
        f" training with {scale.our_games:,} games, a step after {GAMES_OF_STEP} games, and the network of report E."
        " Ours: the same with 3 residual blocks of 32 channels."
    )
    yield _row(CONSTANT, _literal_agent(GAME, constant, scale, seed), [shallow, deep], scale, seed, note)
    progress(0.4)
    growing = _literal_agent(GAME, constant._replace(growth=_GROWTH), scale, seed)
    yield _row(GROWING, growing, [], scale, seed, "As with a constant c, but c grows by log((N + 101) / 100).")
    progress(0.6)
    size = scale.larger_size
    board, environment = ConnectN(size, size, 4), f"ConnectN-v0:rows={size},cols={size}"
    larger = [_our_agent(board, environment, name, scale, seed) for name in (_SHALLOW, _DEEP)]
    board_note = (
        f"Four in a row on {size} x {size} cells. {note} Our training has 32 simulations for each move, about a"
        " tenth of the explorations of the literal training."
    )
    yield _row(LARGER, _literal_agent(board, constant, scale, seed), larger, scale, seed, board_note)
    progress(0.9)
    shallow_record, deep_record = (play_perfect_defender(agent, scale.matches, seed) for agent in (shallow, deep))
    small, large = (measured_share(record.won, record.games) for record in (shallow_record, deep_record))
    deeper_note = "Literal and described: our training with the network of report E. Ours: with 3 residual blocks."
    yield figure_row(DEEPER, None, small, small, large, note=deeper_note, unit="%")


def _row(
    quantity: str, literal: PositionAgent, others: list[PositionAgent], scale: ExperimentScale, seed: int, note: str
) -> FigureRow:
    """Return the row on an agent of the literal training, and on two agents of our training if there are any."""
    opponent = _LARGER_OPPONENT if quantity == LARGER else _OPPONENT
    shares = (wins_from_seat(agent, opponent, 0, scale.matches, seed + 1) for agent in (literal, *others))
    return figure_row(quantity, None, *shares, note=note, unit="%")


def _literal_agent(game: Game, settings: ExploreSettings, scale: ExperimentScale, seed: int) -> PositionAgent:
    network, _ = train_from_start(game, scale.literal_games, settings, seed)
    play = settings._replace(explorations=PLAY.explorations, temperature=PLAY.temperature)
    return ExploringAgent(game, network, play, seed=seed)


def _our_agent(game: Game, environment: str, architecture: str, scale: ExperimentScale, seed: int) -> PositionAgent:
    options = {**OURS, "architecture": architecture}
    iterations = scale.our_games // GAMES_OF_STEP
    return alphazero_agent(game, train_alphazero(environment, game, options, iterations, seed).network, seed)
