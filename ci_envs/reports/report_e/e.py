"""Section E: AlphaZero for four in a row on 6 x 6.

The literal search is the listing of report E. The listing cannot train: its ``next`` returns the visit shares in the
place of the priors, and it never stores the value of the network, so the loss does not depend on the network. The
literal training therefore repairs the search as the text of report E says (:mod:`.exploration`), takes the priors and
the value of the network, and changes nothing else: one game of self-play after another, the tree kept from move to
move, and a step of Adam after each game on the sum of the losses of its moves.

The described version is our ``alphazero`` with ``preset=E``, for as many games. It differs from the literal one in
three points: its search proves wins and losses as our other searches do, the optimiser is AdamW, and symmetries are
applied to the positions of the step, not to those of the search.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.reports.estimates import measured_share
from ci_envs.reports.report_e.agent import trained_agent
from ci_envs.reports.report_e.experiments import (
    CONSTANT,
    DEEPER,
    GROWING,
    ExperimentScale,
    experiment_rows,
)
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.matches import (
    alphazero_agent,
    play_perfect_defender,
    wins_from_seat,
)
from ci_envs.reports.report_e.self_play import PlayedGame, game_loss, play_game
from ci_envs.reports.report_e.threats import blocked_threats
from ci_envs.reports.report_e.trainings import GAME, TrainingLog, described_network, read_logs
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
from ci_envs.reports.tables import format_whole

_OURS, _STRONG = "alphazero:simulations=200", "alphazero:simulations=200,temperature=0.2"
_OPPONENTS = {"random": "random", "minimax:depth=4": "minimax:depth=4", "our alphazero": _STRONG}
_LOGGED = 20  # games whose mean loss report E prints
_PUBLISHED = {100: 11.1, 200: 3.6, 500: 0.6, 1500: 0.2}
_MEDIAN_LOSS, _FIRST_WINS = 2.1, 93  # of the first 3,000 games
_PUBLISHED_NOTE = "From what the author published elsewhere, about the first 3,000 games. Each column is one run."
_LOSS_NOTE = (
    "From what the author published elsewhere: the mean of 20 games of one run. Such means differ much from run to run."
    " In a position that the described search has proven, the target is a single action, so the loss is larger. Ours"
    " has a larger network, a step after 50 games, and the targets of another search, so its loss cannot be compared"
    " with the others."
)
_SECOND_NOTE = "The first player can force a win, so nobody wins here unless the opponent errs."
_WON_PERFECTLY, _KEPT = "wins moving first v perfect play", "moves that keep the win v perfect play"
_PERFECT_NOTE = "The first player can force a win in 11 plies. Perfect play delays its loss as long as possible."
_FEW = 50  # explorations


class _EScale(NamedTuple):
    """The amount of computation.

    Attributes:
        matches: The number of games of each match.
        perfect: The number of games against perfect play.
        experiments: The amount of the experiments that report E announces; None for no experiments.
        positions: The number of random positions of each length that are searched for threats.
    """

    matches: int
    perfect: int
    experiments: ExperimentScale | None
    positions: int


_FULL, _QUICK = _EScale(30, 20, ExperimentScale(1000, 1500, 30), 40), _EScale(4, 2, None, 10)


def run(options: RunOptions) -> Findings:
    """Let the agents of the three trainings play, train with other settings, and test the claims."""
    from torch import get_num_threads, set_num_threads

    threads = get_num_threads()
    set_num_threads(1)
    try:
        return _run(options, _QUICK if options.quick else _FULL)
    finally:
        set_num_threads(threads)


def _run(options: RunOptions, scale: _EScale) -> Findings:
    rows = [*_match_rows(scale, options.seed), *_perfect_rows(scale, options.seed)]
    options.report_progress(0.3)
    rows += [*_training_rows(), _parameter_row()]
    if scale.experiments is not None:
        progress = options.report_progress
        rows += experiment_rows(scale.experiments, options.seed, lambda share: progress(0.3 + 0.6 * share))
    literal = read_logs()["literal"]
    claims = _claims({row.quantity: row for row in rows}, literal, scale, options.seed)
    options.report_progress(1.0)
    return Findings(tuple(rows), tuple(claims), (_loss_plot(literal),))


def _agents(seed: int) -> list[PositionAgent]:
    """Return the literal agent, the described one and ours."""
    ours = make_agent(_OURS, GAME, seed=seed)
    assert isinstance(ours, PositionAgent)
    return [trained_agent(GAME, seed, repaired=False), alphazero_agent(GAME, described_network(), seed), ours]


def _match_rows(scale: _EScale, seed: int) -> list[FigureRow]:
    """Return the rows on matches against the opponents, from either seat."""
    rows, agents = [], _agents(seed)
    for label, opponent in _OPPONENTS.items():
        for seat, name in enumerate(("first", "second")):
            shares = [wins_from_seat(agent, opponent, seat, scale.matches, seed + 1) for agent in agents]
            note = _SECOND_NOTE if seat == 1 and label != "random" else ""
            quantity = f"wins moving {name} v {label}"
            rows.append(FigureRow(quantity, None, shares[0], shares[1].value, shares[2].value, note, "%"))
    return rows


def _perfect_rows(scale: _EScale, seed: int) -> list[FigureRow]:
    """Return the rows on games against perfect play."""
    records = [play_perfect_defender(agent, scale.perfect, seed) for agent in _agents(seed)]

    shares = {
        _WON_PERFECTLY: [measured_share(record.won, record.games) for record in records],
        _KEPT: [measured_share(record.kept, record.moves) for record in records],
    }
    return [
        FigureRow(quantity, None, literal, described.value, ours.value, _PERFECT_NOTE, "%")
        for quantity, (literal, described, ours) in shares.items()
    ]


def _training_rows() -> list[FigureRow]:
    """Return the rows on the trainings. The intervals are those of a mean, a median and shares of one run."""
    literal, described, ours = (read_logs()[name] for name in ("literal", "described", "ours"))
    rows = []
    for last, figure in _PUBLISHED.items():
        means = [_mean(log.losses[last - _LOGGED : last]) for log in (literal, described, ours)]
        quantity = f"loss after {last:,} games"
        rows.append(FigureRow(quantity, figure, means[0], means[1].value, means[2].value, _LOSS_NOTE))
    medians = [_median(log.losses) for log in (literal, described, ours)]
    quantity = f"median loss of {len(literal.losses):,} games"
    rows.append(FigureRow(quantity, _MEDIAN_LOSS, medians[0], medians[1].value, medians[2].value, _PUBLISHED_NOTE))
    for name, printed, result in (("won by the first player", _FIRST_WINS, 1), ("drawn", None, 0)):
        shares = [measured_share(log.outcomes.count(result), len(log.outcomes)) for log in (literal, described, ours)]
        others = shares[1].value, shares[2].value
        note = _PUBLISHED_NOTE if printed else ""
        rows.append(FigureRow(f"self-play {name}", printed, shares[0], *others, note, "%"))
    return rows


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
    from ci_envs.agents.alphazero.architecture import ARCHITECTURES
    from ci_envs.agents.alphazero.network import new_network

    return sum(weights.numel() for weights in new_network(GAME, ARCHITECTURES[architecture], 0).parameters())


def _loss_plot(log: TrainingLog) -> Plot:
    ends = range(_LOGGED, len(log.losses) + 1, _LOGGED)
    means = tuple(round(float(np.mean(log.losses[end - _LOGGED : end])), 3) for end in ends)
    series = Series("", tuple(map(float, ends)), means)
    return Plot("loss", "Training Loss Over Episodes", "Episodes", "Loss", (Panel("", (series,)),))


def _claims(rows: Mapping[str, FigureRow], log: TrainingLog, scale: _EScale, seed: int) -> list[Claim]:
    def share(quantity: str) -> float:
        return rows[quantity].literal.value

    first = [share(f"wins moving first v {label}") for label in _OPPONENTS]
    second = share("wins moving second v minimax:depth=4")
    typical, largest = _spikes(log)
    blocked, threats = blocked_threats(trained_agent(GAME, seed), scale.positions, seed)
    few = trained_agent(GAME, seed, repaired=False, explorations=_FEW)
    less = wins_from_seat(few, "minimax:depth=4", 0, scale.matches, seed + 1).value
    return [
        Claim(
            "The agent is unbeatable when it moves first.",
            _verdict(min(*first, share(_WON_PERFECTLY)) == 100),
            f"Moving first it won {first[0]:.0f}% of the games against random, {first[1]:.0f}% against minimax:depth=4,"
            f" {first[2]:.0f}% against our alphazero and {share(_WON_PERFECTLY):.0f}% against perfect play.",
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
            "The first player can force a win in 11 plies, and won"
            f" {share('self-play won by the first player'):.0f}% of the games of self-play.",
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
        _limits_claim(rows),
        _listing_claim(seed),
    ]


def _limits_claim(rows: Mapping[str, FigureRow]) -> Claim:
    """Return the claim about the limits of the agent, which only the experiments of the full run can test."""
    claim = "A fixed c, a small network and little diversity are the limits of the agent."
    if DEEPER not in rows:
        return Claim(claim, ClaimVerdict.UNKNOWN, "Only the full run trains with another c and another network.")
    constant, growing, deeper = (rows[name] for name in (CONSTANT, GROWING, DEEPER))
    return Claim(
        claim,
        ClaimVerdict.UNKNOWN,
        "They make the training slower: after as many games, in one run each, a c that grows won"
        f" {growing.literal.value:.0f}% against minimax:depth=4 instead of {constant.literal.value:.0f}%, and a deeper"
        f" network {format_whole(deeper.ours)}% against perfect play instead of {deeper.literal.value:.0f}%. But with"
        " more games and explorations the agent of report E, with a fixed c and the small network, won"
        f" {rows[_WON_PERFECTLY].literal.value:.0f}% against perfect play. Diversity was not measured.",
    )


def _verdict(holds: bool) -> ClaimVerdict:
    return ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS


def _spikes(log: TrainingLog) -> tuple[float, float]:
    """Return the median and the largest loss in the last third of the games."""
    last = log.losses[-len(log.losses) // 3 :]
    return float(np.median(last)), max(last)


def _listing_claim(seed: int) -> Claim:
    from ci_envs.agents.alphazero.architecture import ARCHITECTURES
    from ci_envs.agents.alphazero.network import new_network

    network = new_network(GAME, ARCHITECTURES["e"], seed)
    played: PlayedGame = play_game(GAME, network, ExploreSettings(explorations=10, repaired=False), seed)
    trains = game_loss(network, GAME, played, as_listed=True).requires_grad
    return Claim(
        "The printed listing trains the network.",
        _verdict(trains),
        "It compares the visit shares with themselves and never stores the value of the network, so the divergence is"
        " 0 or not a number and the loss has no gradient.",
    )


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    share = min(rows[f"wins moving first v {label}"].literal.value for label in _OPPONENTS)
    perfect = rows[_WON_PERFECTLY]
    return (
        "The listing cannot train, because its loss has no gradient. Repaired as the text says, it learns in 3,000"
        f" games of self-play, instead of 50,000, to win at least {share:.0f}% of the games that it begins against our"
        f" agents, and {perfect.literal.value:.0f}% against perfect play (our alphazero {format_whole(perfect.ours)}%)."
        " Moving second it loses, as it must, to an opponent that searches four plies deep."
    )


SECTION = Section(
    name="E",
    title="AlphaZero for four in a row on 6 x 6",
    game="ConnectN-v0",
    purpose="Learn four in a row by self-play alone, with a small network and the search of AlphaZero.",
    conclusion=_conclusion,
    conditions=(
        "The package contains the results of three trainings, where report E has 50,000 games. Literal: 3,000 games"
        " with 2,000 explorations for each move, 19 minutes. The literal agent plays by this network and the listing,"
        " with 1,000 explorations for each move and a temperature of 0.1. Described: as many games of our alphazero"
        " with preset=E, 5 minutes. Its agent plays with 200 simulations. Ours: the losses are those of 3,000 games of"
        f" our training. Our agent is {_OURS}. Matches have {_FULL.matches} games from each seat ({_QUICK.matches} with"
        f" --quick), or {_FULL.perfect} games against perfect play ({_QUICK.perfect}). The experiments need the full"
        " run."
    ),
    seconds=250,
    run=run,
    agents={
        "E": partial(trained_agent, repaired=False),
        "E:repaired": partial(trained_agent, repaired=True),
    },
)
