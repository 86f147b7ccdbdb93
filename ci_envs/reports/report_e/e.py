"""Section E: AlphaZero for four in a row on 6 x 6.

The literal search is the listing of report E. The listing cannot train: its ``next`` returns the visit shares in the
place of the priors, and it never stores the value of the network, so the loss does not depend on the network. The
literal training therefore repairs the search as the text of report E says (:mod:`.exploration`), takes the priors and
the value of the network, and changes nothing else: one game of self-play after another, the tree kept from move to
move, and a step of Adam after each game on the sum of the losses of its moves.

The described version is our ``alphazero`` with the options ``DESCRIBED``. It differs from the literal one in four
points: its search begins a new tree for each move, it proves wins and losses as our other searches do, the optimiser is
AdamW, and symmetries are applied to the positions of the step, not to those of the search.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ci_envs.agent.interface import Agent
from ci_envs.agent.registry import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.alphazero_training import TrainedNetwork, train_alphazero
from ci_envs.reports.estimates import measured_share
from ci_envs.reports.report_e.agent import PLAY, ExploringAgent, trained_agent
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.self_play import PlayedGame, game_loss, play_game, train
from ci_envs.reports.report_e.threats import blocked_threats
from ci_envs.reports.section import (
    Claim,
    ClaimVerdict,
    Estimate,
    FigureRow,
    Findings,
    Panel,
    Plot,
    RunOptions,
    Section,
    Series,
)

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

DESCRIBED: Mapping[str, Any] = {"preset": "E"}
"""Report E's training as options of ``ci-envs train alphazero``, with 2,000 simulations and 50,000 games."""

_GAME = ConnectN()
_ENVIRONMENT, _LARGER_GAME = "ConnectN-v0", ConnectN(8, 8, 4)
_OURS, _STRONG = "alphazero:simulations=200", "alphazero:simulations=200,temperature=0.2"
_LOGGED = 20  # games whose mean loss report E prints
_PUBLISHED = {100: 11.1, 200: 3.6, 500: 0.6, 1500: 0.2}
_MEDIAN_LOSS, _FIRST_WINS = 2.1, 93  # of the first 3,000 games
_PUBLISHED_NOTE = "From what the author published elsewhere, of the first 3,000 games."
_LOSS_NOTE = (
    "From what the author published elsewhere: means of 20 games of one run, which differ much from run to run. The"
    " described figure is of 100 simulations for each move."
)
_LOG = Path(__file__).with_name("training_log.json")
_GROWTH = 100.0


class _EScale(NamedTuple):
    """The amount of computation.

    Attributes:
        described_games: Games in the described training.
        matches: Games of each match.
        experiment_games: Games of training in each experiment that report E announces; 0 for none.
        positions: Random positions of each length that are searched for threats.
    """

    described_games: int
    matches: int
    experiment_games: int
    positions: int


_FULL, _QUICK = _EScale(3000, 30, 3000, 40), _EScale(2, 4, 0, 10)
_EXPLORATIONS = 100  # of the trainings that are part of a run


class TrainingLog(NamedTuple):
    """The games of a run of the literal training.

    Attributes:
        losses: The loss of each game.
        outcomes: 1 for each game that the first player won, -1 for each that the second won, 0 for each draw.
    """

    losses: list[float]
    outcomes: list[int]


def run(options: RunOptions) -> Findings:
    """Train as report E does, let the agents play, and test the claims."""
    from torch import get_num_threads, set_num_threads

    threads = get_num_threads()
    set_num_threads(1)
    try:
        return _run(options, _QUICK if options.quick else _FULL)
    finally:
        set_num_threads(threads)


def _run(options: RunOptions, scale: _EScale) -> Findings:
    log = read_log()
    described = _train_described(scale, options.seed)
    options.report_progress(0.2)
    matches = _Matches(scale.matches, options.seed, described.network)
    rows = [*matches.rows(), *_training_rows(log, described), _parameter_row()]
    options.report_progress(0.6)
    rows += _experiment_rows(scale, options.seed, described.network, matches)
    options.report_progress(0.95)
    return Findings(tuple(rows), tuple(_claims(rows, log, matches, scale.positions, options.seed)), (_loss_plot(log),))


def read_log() -> TrainingLog:
    """Return the log of the training of the package's network: 3,000 games with 2,000 explorations for each move.

    It is what ``train_from_start(ConnectN(), 3000, ExploreSettings(explorations=2000), 0)`` returned.
    """
    content = json.loads(_LOG.read_bytes())
    return TrainingLog(content["losses"], content["outcomes"])


def train_from_start(game: Game, games: int, settings: ExploreSettings, seed: int) -> "tuple[Network, TrainingLog]":
    """Train a new network by the literal training.

    Args:
        game: The game.
        games: Games of self-play.
        settings: Those of the search.
        seed: Of the weights and of the games.
    """
    from ci_envs.agents.alphazero.network import ARCHITECTURES, new_network

    network = new_network(game, ARCHITECTURES["e"], seed)
    log = TrainingLog([], [])
    for loss, played in islice(train(network, game, settings, seed), games):
        log.losses.append(loss)
        log.outcomes.append(played.outcome)
    return network, log


def _train_described(scale: _EScale, seed: int, architecture: str = "e") -> TrainedNetwork:
    options = {**DESCRIBED, "architecture": architecture, "simulations": _EXPLORATIONS}
    return train_alphazero(_ENVIRONMENT, _GAME, options, scale.described_games, seed)


class _Matches:
    """Matches of the agents: 1,000 explorations for each move in the literal search, 200 simulations in ours."""

    def __init__(self, games: int, seed: int, described: "Network") -> None:
        self._games, self._seed, self._described = games, seed, described

    def rows(self) -> list[FigureRow]:
        opponents = {"random": "random", "minimax:depth=4": "minimax:depth=4", "our alphazero": _STRONG}
        return [self._row(label, spec, seat) for label, spec in opponents.items() for seat in (0, 1)]

    def _row(self, label: str, opponent: str, seat: int) -> FigureRow:
        literal = self.wins(trained_agent(_GAME, self._seed, repaired=False), opponent, seat)
        described = self.wins(self.described_agent(self._described), opponent, seat)
        ours = self.wins(make_agent(_OURS, _GAME, seed=self._seed), opponent, seat)
        quantity = f"wins moving {('first', 'second')[seat]} v {label}"
        note = "The first player can force a win, so nobody wins here unless the opponent errs." if seat else ""
        return FigureRow(quantity, None, literal, described.value, ours.value, note if label != "random" else "", "%")

    def described_agent(self, network: "Network") -> Agent:
        from ci_envs.agents.alphazero.agent import AlphaZeroAgent

        return AlphaZeroAgent(_GAME, network, simulations=200, exploration=1.0, lookahead=1, seed=self._seed)

    def wins(self, agent: Agent, opponent: str, seat: int, games: int | None = None) -> Estimate:
        """Return the percentage of games that an agent wins from a seat: 0 moves first, 1 second."""
        other = make_agent(opponent, agent.game, seed=self._seed + 1)
        games = games or self._games
        first, second = (agent, other) if seat == 0 else (other, agent)
        result = play_match(agent.game, first, second, games, swap_seats=False)
        return measured_share(result.sides[seat].total.wins, games)


def _training_rows(log: TrainingLog, described: TrainedNetwork) -> list[FigureRow]:
    """Return the rows on the training; the intervals are those of a mean, a median and shares of one run."""
    rows = []
    for last, figure in _PUBLISHED.items():
        known = float(np.mean(described.losses[last - _LOGGED : last])) if last <= len(described.losses) else None
        literal = _mean(log.losses[last - _LOGGED : last])
        rows.append(FigureRow(f"loss after {last:,} games", figure, literal, known, note=_LOSS_NOTE))
    games, won, drawn = len(log.outcomes), log.outcomes.count(1), log.outcomes.count(0)
    return [
        *rows,
        FigureRow(f"median loss of {games:,} games", _MEDIAN_LOSS, _median(log.losses), note=_PUBLISHED_NOTE),
        FigureRow(
            "self-play won by the first player",
            _FIRST_WINS,
            measured_share(won, games),
            note=_PUBLISHED_NOTE,
            unit="%",
        ),
        FigureRow("self-play drawn", None, measured_share(drawn, games), unit="%"),
    ]


def _mean(losses: Sequence[float]) -> Estimate:
    mean, error = float(np.mean(losses)), 1.96 * float(np.std(losses, ddof=1)) / len(losses) ** 0.5
    return Estimate(mean, max(0.0, mean - error), mean + error)


def _median(losses: Sequence[float]) -> Estimate:
    from scipy.stats import binom

    low, high = (int(place) for place in binom.interval(0.95, len(losses), 0.5))
    ordered = sorted(losses)
    return Estimate(float(np.median(losses)), ordered[low], ordered[high])


def _parameter_row() -> FigureRow:
    literal, ours = (_parameters(architecture) for architecture in ("e", "32x3"))
    return FigureRow("parameters of the network", None, Estimate.exact(literal), literal, ours)


def _parameters(architecture: str) -> int:
    from ci_envs.agents.alphazero.network import ARCHITECTURES, new_network

    return sum(weights.numel() for weights in new_network(_GAME, ARCHITECTURES[architecture], 0).parameters())


def _experiment_rows(scale: _EScale, seed: int, described: "Network", matches: _Matches) -> list[FigureRow]:
    """Return the experiments that report E announces: a c that changes, a larger board, a deeper network."""
    if not scale.experiment_games:
        return []
    constant = ExploreSettings(explorations=_EXPLORATIONS)
    note = f"Trained in {scale.experiment_games} games, with {_EXPLORATIONS} explorations in training and play."
    rows = []
    for label, game, settings in (
        ("constant c", _GAME, constant),
        ("c grows with the visits", _GAME, constant._replace(growth=_GROWTH)),
        ("8 x 8 board", _LARGER_GAME, constant),
    ):
        network, _ = train_from_start(game, scale.experiment_games, settings, seed)
        agent = ExploringAgent(game, network, settings._replace(temperature=PLAY.temperature), seed=seed)
        literal = matches.wins(agent, "minimax:depth=2", 0)
        quantity = f"experiment: {label}, wins moving first v minimax:depth=2"
        rows.append(FigureRow(quantity, None, literal, note=note, unit="%"))
    deeper = _train_described(scale, seed, "32x3").network
    shallow, deep = (matches.wins(matches.described_agent(one), "minimax:depth=4", 0) for one in (described, deeper))
    quantity = "experiment: deeper network, wins moving first v minimax:depth=4"
    note = (
        f"Both columns are our alphazero with the options of report E after {scale.described_games} games: literal with"
        " the network of report E, ours with 3 residual blocks of 32 channels."
    )
    return [*rows, FigureRow(quantity, None, shallow, shallow.value, deep.value, note, "%")]


def _loss_plot(log: TrainingLog) -> Plot:
    ends = range(_LOGGED, len(log.losses) + 1, _LOGGED)
    means = tuple(round(float(np.mean(log.losses[end - _LOGGED : end])), 3) for end in ends)
    series = Series("", tuple(map(float, ends)), means)
    return Plot("loss", "Training Loss Over Episodes", "Episodes", "Loss", (Panel("", (series,)),))


def _claims(rows: Sequence[FigureRow], log: TrainingLog, matches: _Matches, positions: int, seed: int) -> list[Claim]:
    literal = {row.quantity: row.literal.value for row in rows}
    first = [literal[f"wins moving first v {label}"] for label in ("random", "minimax:depth=4", "our alphazero")]
    second = literal["wins moving second v minimax:depth=4"]
    share = literal["self-play won by the first player"]
    typical, largest = _spikes(log)
    blocked, threats = blocked_threats(trained_agent(_GAME, seed), positions, seed)
    few = trained_agent(_GAME, seed, repaired=False, explorations=_FEW)
    less = matches.wins(few, "minimax:depth=4", 0).value
    return [
        Claim(
            "The agent is unbeatable when it moves first.",
            _verdict(min(first) == 100),
            f"Moving first it won {first[0]:.0f}% of the games against random, {first[1]:.0f}% against minimax:depth=4"
            f" and {first[2]:.0f}% against our alphazero.",
        ),
        Claim(
            "The agent is hard to beat when it moves second.",
            _verdict(second > 50),
            f"Moving second it won {second:.0f}% of the games against minimax:depth=4, because the first player can"
            " force a win.",
        ),
        Claim(
            "The first player has the advantage.",
            ClaimVerdict.HOLDS,
            f"The first player can force a win in 11 plies, and won {share:.0f}% of the games of self-play.",
        ),
        Claim(
            "The loss falls steadily.",
            _verdict(largest < 2 * typical),
            f"In the last third of the games the median loss was {typical:.2g}, and the largest {largest:.3g}.",
        ),
        Claim(
            "The agent blocks the opponent while it builds threats of its own.",
            _verdict(blocked >= 0.95 * threats),
            f"It blocked a threat to complete a line in {blocked} of {threats} positions; whether it built threats by"
            " that was not measured.",
        ),
        Claim(
            "Thousands of simulations are overkill for such a simple game.",
            _verdict(less >= first[1]),
            f"Moving first against minimax:depth=4, the same network won {less:.0f}% of the games with {_FEW}"
            f" explorations for each move, and {first[1]:.0f}% with 1,000.",
        ),
        Claim(
            "A fixed c, a small network and little diversity are the limits of the agent.",
            ClaimVerdict.UNKNOWN,
            "Against perfect play it can win only the games in which it moves first, so more strength would"
            " hardly show.",
        ),
        _listing_claim(seed),
    ]


_FEW = 50  # explorations


def _verdict(holds: bool) -> ClaimVerdict:
    return ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS


def _spikes(log: TrainingLog) -> tuple[float, float]:
    """Return the median and the largest loss in the last third of the games."""
    last = log.losses[-len(log.losses) // 3 :]
    return float(np.median(last)), max(last)


def _listing_claim(seed: int) -> Claim:
    from ci_envs.agents.alphazero.network import ARCHITECTURES, new_network

    network = new_network(_GAME, ARCHITECTURES["e"], seed)
    played: PlayedGame = play_game(_GAME, network, ExploreSettings(explorations=10, repaired=False), seed)
    trains = game_loss(network, _GAME, played, as_listed=True).requires_grad
    return Claim(
        "The printed listing trains the network.",
        _verdict(trains),
        "It compares the visit shares with themselves and never stores the value of the network, so the divergence is"
        " 0 or not a number and the loss has no gradient.",
    )


SECTION = Section(
    name="E",
    title="AlphaZero for four in a row on 6 x 6",
    game="ConnectN-v0",
    purpose="Learn four in a row by self-play alone, with a small network and the search of AlphaZero.",
    conclusion=(
        "The listing cannot train, because its loss has no gradient. Repaired as the text says, it learns to win nearly"
        " every game that it begins, and 3,000 games of self-play are enough instead of 50,000. Moving second it loses,"
        " as it must, to an opponent that searches four plies deep."
    ),
    conditions=(
        "The literal training is that of the network of the package: one run of 3,000 games with 2,000 explorations for"
        " each move, 19 minutes, where report E has 50,000 games. The literal agent plays by this network and the"
        " listing, with 1,000 explorations for each move and a temperature of 0.1. Described: our alphazero with report"
        " E's"
        f" options after {_FULL.described_games} games ({_QUICK.described_games} with --quick) with {_EXPLORATIONS}"
        f" simulations, playing with 200. Ours: {_OURS}. Matches: {_FULL.matches} games from each seat"
        f" ({_QUICK.matches} with --quick)."
    ),
    seconds=750,
    run=run,
    agents={
        "E": partial(trained_agent, repaired=False),
        "E:repaired": partial(trained_agent, repaired=True),
    },
)
