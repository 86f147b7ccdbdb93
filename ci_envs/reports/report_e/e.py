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

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.estimates import Estimate, mean_of, measured_share, median_of
from ci_envs.reports.report_e.agent import trained_agent
from ci_envs.reports.report_e.experiments import (
    CONSTANT,
    DEEPER,
    GROWING,
    OPENINGS,
    UNTURNED,
    ExperimentScale,
    experiment_rows,
    openings_of_variant,
    wins_of_variant,
)
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.long_training import (
    BLOCK,
    LOGGED_EVERY,
    LOGGED_GAMES,
    MATCHES,
    SETTINGS,
    LongTrainingLog,
    read_long_log,
)
from ci_envs.reports.report_e.matches import alphazero_agent, play_perfect_defender, wins_from_seat
from ci_envs.reports.report_e.self_play import game_loss, play_game
from ci_envs.reports.report_e.threats import blocked_threats
from ci_envs.reports.report_e.trainings import GAME, TrainingLog, described_network, read_logs
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, published

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

_OURS, _STRONG = "alphazero:simulations=200", "alphazero:simulations=200,temperature=0.2"
_MINIMAX = "minimax:depth=4"
_OPPONENTS = {"random": "random", _MINIMAX: _MINIMAX, "our alphazero": _STRONG}
_LOSSES = {100: 11.1, 200: 3.6, 500: 0.6, 1500: 0.2, 2100: 22.0, 2500: 10.0}
_MEDIANS = (2.1, 2.1, 0.5, 0.6, 0.5, 0.4, 0.3, 0.6, 0.6)
_MEDIAN_GAMES = 3_000  # games of each of these medians of the loss
_FIRST_WINS = 93  # percent of the first 3,000 games
_LOG = published("the log of a training of 27,000 games in the repository of the author of report E")
_ONE_RUN_NOTE = "About the first 3,000 games of the log. Each column is one run."
_LOSS_NOTE = (
    "The mean of 20 games of one run. Such means differ much from run to run. In a position that the described search"
    " has proven, the target is a single action, so the loss is larger. Ours has a larger network, a step after 50"
    " games, and the targets of another search, so its loss cannot be compared with the others."
)
_SECOND_NOTE = "The first player can force a win, so nobody wins here unless the opponent errs."
_SEARCH_NOTE = "The network of report E with this search. The rows above show described and ours."
_DRAWS_NOTE = "Of the runs of which the package has the logs. No number of draws is better."
_PERFECT_NOTE = "The first player can force a win in 11 plies. Perfect play delays its loss as long as possible."
_WON_PERFECTLY, _KEPT = "wins moving first v perfect play", "moves that keep the win v perfect play"
_FIRST_WON, _DRAWN = "self-play won by the first player", "self-play drawn"
_LAST_MEDIAN, _LAST_LARGEST = (
    "median loss of the last third of the games",
    "largest loss of the last third of the games",
)
_LONG = "long training: "
_LONG_NOTE = (
    f"The literal training for as many games as time allowed, with {SETTINGS.explorations} explorations instead of"
    f" 2,000. The last games are {BLOCK:,}; the published median is that of"
    f" the {_MEDIAN_GAMES:,} games around them. The rows above compare described and ours after 3,000 games."
)
_TRAINED = "weights that have a gradient in a step of the listing"
_FEW = 50  # explorations
_SEARCHES = {"listing": False, "repaired search": True}
"""The searches of the network of report E: that of the listing, and that of the text."""


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


_FULL_EXPERIMENTS = ExperimentScale(literal_games=1000, our_games=1500, matches=20, runs=6, our_runs=2)
_FULL, _QUICK = _EScale(60, 40, _FULL_EXPERIMENTS, 150), _EScale(4, 2, None, 10)


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
    rows += _search_rows(scale, options.seed)
    options.report_progress(0.3)
    rows += [*_training_rows(), *_long_rows(read_long_log()), _parameter_row(), _gradient_row(options.seed)]
    if scale.experiments is not None:
        progress = options.report_progress
        rows += experiment_rows(scale.experiments, options.seed, lambda share: progress(0.3 + 0.6 * share))
    options.report_progress(1.0)
    return Findings(tuple(rows), (_loss_plot(read_logs()["literal"]), *_long_plots(read_long_log())))


def _agents(seed: int) -> list[PositionAgent]:
    """Return the literal agent, the described one and ours."""
    ours = make_agent(_OURS, GAME, seed=seed)
    assert isinstance(ours, PositionAgent)
    return [trained_agent(GAME, seed, repaired=False), alphazero_agent(GAME, described_network(), seed), ours]


def _match_rows(scale: _EScale, seed: int) -> Iterator[FigureRow]:
    """Yield the rows on matches against the opponents, from either seat."""
    for label, opponent in _OPPONENTS.items():
        for seat in (0, 1):
            shares = (wins_from_seat(agent, opponent, seat, scale.matches, seed + 1) for agent in _agents(seed))
            note = _SECOND_NOTE if seat == 1 and label != "random" else ""
            yield figure_row(_wins(label, seat), None, *shares, note=note, unit="%")


def _perfect_rows(scale: _EScale, seed: int) -> Iterator[FigureRow]:
    """Yield the rows on games against perfect play."""
    records = [play_perfect_defender(agent, scale.perfect, seed) for agent in _agents(seed)]
    won = (measured_share(record.won, record.games) for record in records)
    kept = (measured_share(record.kept, record.moves, sample="moves") for record in records)
    for quantity, shares in ((_WON_PERFECTLY, won), (_KEPT, kept)):
        yield figure_row(quantity, None, *shares, note=_PERFECT_NOTE, unit="%")


def _search_rows(scale: _EScale, seed: int) -> Iterator[FigureRow]:
    """Yield the rows on the search of the listing and on the repaired one, with the same network."""
    for name, repaired in _SEARCHES.items():
        agent = trained_agent(GAME, seed, repaired=repaired)
        if repaired:
            for label, seat in product(_OPPONENTS, (0, 1)):
                share = wins_from_seat(agent, _OPPONENTS[label], seat, scale.matches, seed + 1)
                note = _SECOND_NOTE if seat == 1 and label != "random" else _SEARCH_NOTE
                yield figure_row(_of(name, _wins(label, seat)), None, share, note=note, unit="%")
            record = play_perfect_defender(agent, scale.perfect, seed)
            share = measured_share(record.won, record.games)
            yield figure_row(_of(name, _WON_PERFECTLY), None, share, note=_PERFECT_NOTE, unit="%")
        blocked, threats = blocked_threats(agent, scale.positions, seed)
        share = measured_share(blocked, threats, sample="threats")
        yield figure_row(_of(name, _BLOCKED), None, share, note=_SEARCH_NOTE, unit="%")
        few = trained_agent(GAME, seed, repaired=repaired, explorations=_FEW)
        share = wins_from_seat(few, _MINIMAX, 0, scale.matches, seed + 1)
        yield figure_row(_of(name, _WITH_FEW), None, share, note=_SEARCH_NOTE, unit="%")


def _wins(label: str, seat: int) -> str:
    return f"wins moving {('first', 'second')[seat]} v {label}"


def _of(search: str, quantity: str) -> str:
    return f"{search}: {quantity}"


def _training_rows() -> Iterator[FigureRow]:
    """Yield the rows on the trainings. The intervals are those of a mean, a median and shares of one run."""
    logs = [read_logs()[name] for name in ("literal", "described", "ours")]
    for last, figure in _LOSSES.items():
        means = (mean_of(log.losses[last - LOGGED_GAMES : last], "games", least=0) for log in logs)
        yield figure_row(f"loss after {last:,} games", Figure(figure, _LOG), *means, note=_LOSS_NOTE)
    games = len(logs[0].losses)
    medians = (median_of(log.losses, "games") for log in logs)
    yield figure_row(f"median loss of {games:,} games", Figure(_MEDIANS[0], _LOG), *medians, note=_ONE_RUN_NOTE)
    for quantity, statistic in ((_LAST_MEDIAN, np.median), (_LAST_LARGEST, np.max)):
        lasts = (Estimate.exact(float(statistic(log.losses[-games // 3 :]))) for log in logs)
        yield figure_row(quantity, None, *lasts, note="Of the runs of which the package has the logs.")
    for quantity, printed, result in ((_FIRST_WON, Figure(_FIRST_WINS, _LOG), 1), (_DRAWN, None, 0)):
        shares = (measured_share(log.outcomes.count(result), len(log.outcomes)) for log in logs)
        yield figure_row(quantity, printed, *shares, note=_ONE_RUN_NOTE if printed else _DRAWS_NOTE, unit="%")


def _long_rows(log: LongTrainingLog) -> Iterator[FigureRow]:
    """Yield the rows on the long training."""
    sample = f"1 run of {log.games:,} games"
    loss = Estimate.single(log.medians[-1], sample)
    logged = _MEDIANS[min((log.games - 1) // _MEDIAN_GAMES, len(_MEDIANS) - 1)]
    yield figure_row(f"{_LONG}median loss of the last games", Figure(logged, _LOG), loss, note=_LONG_NOTE)
    first = Estimate.single(log.first_wins[-1], sample)
    yield figure_row(f"{_LONG}last games won by the first player", None, first, note=_LONG_NOTE, unit="%")
    won = measured_share(log.perfect_wins[-1], MATCHES)
    yield figure_row(f"{_LONG}{_WON_PERFECTLY}", None, won, note=_LONG_NOTE, unit="%")


def _parameter_row() -> FigureRow:
    sizes = (Estimate.exact(_parameters(architecture)) for architecture in ("unpadded", "unpadded", "32x3"))
    note = "Ours has 3 residual blocks. It is larger, and plays better with fewer simulations."
    return figure_row("parameters of the network", None, *sizes, note=note)


def _parameters(architecture: str) -> int:
    return sum(weights.numel() for weights in _new_network(architecture, 0).parameters())


def _gradient_row(seed: int) -> FigureRow:
    """Return the row on the share of the weights to which a step of the listing gives a gradient."""
    network = _new_network("unpadded", seed)
    played = play_game(GAME, network, ExploreSettings(explorations=10, repaired=False), seed)
    shares = []
    for as_listed in (True, False):
        network.zero_grad()
        loss = game_loss(network, GAME, played, as_listed=as_listed)
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        weights = list(network.parameters())
        reached = sum(one.numel() for one in weights if one.grad is not None)
        shares.append(Estimate.exact(100 * reached / sum(one.numel() for one in weights)))
    note = "Literal: the listing. Described: with the priors and the value of the network."
    return figure_row(_TRAINED, None, *shares, note=note, unit="%")


def _new_network(architecture: str, seed: int) -> "Network":
    from ci_envs.agents.alphazero.architecture import ARCHITECTURES
    from ci_envs.agents.alphazero.network import new_network

    return new_network(GAME, ARCHITECTURES[architecture], seed)


def _loss_plot(log: TrainingLog) -> Plot:
    ends = range(LOGGED_GAMES, len(log.losses) + 1, LOGGED_GAMES)
    means = tuple(round(float(np.mean(log.losses[end - LOGGED_GAMES : end])), 3) for end in ends)
    series = Series("literal", tuple(map(float, ends)), means)
    read = Series("published elsewhere", tuple(map(float, _LOSSES)), tuple(_LOSSES.values()), "marks")
    return Plot("loss", "Training Loss Over Episodes", "Episodes", "Loss", (Panel("", (series, read)),))


def _long_plots(log: LongTrainingLog) -> Iterator[Plot]:
    """Yield the loss and the strength in the long training."""
    blocks = tuple(float(BLOCK * number) for number in range(1, len(log.medians) + 1))
    ends = tuple(float(LOGGED_EVERY * number) for number in range(1, len(log.means) + 1))
    middles = tuple(_MEDIAN_GAMES * (number + 0.5) for number in range(len(_MEDIANS)))
    losses = (
        Series(f"mean of {LOGGED_GAMES}", ends, tuple(log.means)),
        Series(f"median of {BLOCK:,}", blocks, tuple(log.medians)),
        Series("published means", tuple(map(float, _LOSSES)), tuple(_LOSSES.values()), "marks"),
        Series(f"published medians of {_MEDIAN_GAMES:,}", middles, _MEDIANS, "marks"),
    )
    yield Plot("long_loss", f"loss with {SETTINGS.explorations} explorations", "games", "loss", (Panel("", losses),))
    shares = (
        Series("first player in self-play", blocks, tuple(log.first_wins)),
        Series("agent v perfect play", blocks, tuple(100 * won / MATCHES for won in log.perfect_wins)),
        Series("published, self-play", middles[:1], (float(_FIRST_WINS),), "marks"),
    )
    yield Plot(
        "long_play", f"games won, with {SETTINGS.explorations} explorations", "games", "won, %", (Panel("", shares),)
    )


def _both(quantity: str) -> tuple[Cell, Cell]:
    """Return the cells of a quantity for the repaired search and for the listing."""
    listing = quantity if quantity in _SHARED else _of("listing", quantity)
    return Cell(_of("repaired search", quantity)), Cell(listing)


def _variant_wins(name: str) -> Cell:
    return Cell(wins_of_variant(name))


_BLOCKED, _WITH_FEW = "threats blocked", f"{_FEW} explorations, wins moving first v {_MINIMAX}"
_SHARED = {_WON_PERFECTLY, *(_wins(label, seat) for label in _OPPONENTS for seat in (0, 1))}
_UNBEATABLE, _BLOCKS = 90, 95  # percent
_AT_LEAST = f"We take at least {_UNBEATABLE}% as unbeatable."
_FIRST = (*(_wins(label, 0) for label in _OPPONENTS), _WON_PERFECTLY)
_CLAIMS = (
    Claim(
        "The agent is unbeatable when it moves first.",
        all_of(*(_both(quantity)[0] >= _UNBEATABLE for quantity in _FIRST)),
        "Moving first the repaired search wins {:.0f}% of the games against random, {:.0f}% against minimax:depth=4,"
        " {:.0f}% against our alphazero and {:.0f}% against perfect play; the search of the listing wins {:.0f}%,"
        f" {{:.0f}}%, {{:.0f}}% and {{:.0f}}%. {_AT_LEAST}",
        tuple(_both(quantity)[search] for search in (0, 1) for quantity in _FIRST),
    ),
    Claim(
        "The agent is hard to beat when it moves second.",
        _both(_wins(_MINIMAX, 1))[0] > 50,
        "Moving second the repaired search wins {:.0f}% of the games against minimax:depth=4, and that of the listing"
        " {:.0f}%, because the first player can force a win.",
        _both(_wins(_MINIMAX, 1)),
    ),
    Claim(
        "The first player has the advantage.",
        Cell(_FIRST_WON) > 50,
        "The first player can force a win in 11 plies, and won {:.0f}% of the games of self-play.",
    ),
    Claim(
        "The loss falls steadily.",
        Cell(_LAST_LARGEST) < Cell(_LAST_MEDIAN, factor=2),
        "In the last third of the games the median loss was {:.2g}, and the largest {:.3g}.",
        (Cell(_LAST_MEDIAN), Cell(_LAST_LARGEST)),
    ),
    Claim(
        "The agent blocks the opponent while it builds threats of its own.",
        _both(_BLOCKED)[0] >= _BLOCKS,
        "The repaired search blocks {:.0f}% of the threats to complete a line, and that of the listing {:.0f}%; whether"
        f" it builds threats by that was not measured. We take at least {_BLOCKS}% as blocking.",
        _both(_BLOCKED),
    ),
    Claim(
        "Thousands of simulations are overkill for such a simple game.",
        _both(_WITH_FEW)[0] >= _both(_wins(_MINIMAX, 0))[0] * 0.9,
        f"Moving first against {_MINIMAX}, the repaired search wins {{:.0f}}% of the games with {_FEW} explorations for"
        " each move and {:.0f}% with 1,000; that of the listing {:.0f}% and {:.0f}%.",
        tuple(_both(quantity)[search] for search in (0, 1) for quantity in (_WITH_FEW, _wins(_MINIMAX, 0))),
    ),
    Claim(
        "A fixed c, a small network and little diversity are the limits of the agent.",
        all_of(
            _variant_wins(GROWING) > _variant_wins(CONSTANT),
            _variant_wins(OPENINGS) > _variant_wins(CONSTANT),
            Cell(DEEPER, "ours") > Cell(DEEPER),
        ),
        f"After as many games a c that grows wins {{:.0f}}% against {_MINIMAX} instead of {{:.0f}}%, games that begin"
        " after random plies {:.0f}%, and no symmetries {:.0f}%. The games of self-play then have {:.0f} different"
        " positions after 4 plies instead of {:.0f}. A deeper network wins {:.0f}% against perfect play instead of"
        " {:.0f}% (medians).",
        (
            *map(_variant_wins, (GROWING, CONSTANT, OPENINGS, UNTURNED)),
            *(Cell(openings_of_variant(name)) for name in (OPENINGS, CONSTANT)),
            Cell(DEEPER, "ours"),
            Cell(DEEPER),
        ),
    ),
    Claim(
        "The printed listing trains the network.",
        Cell(_TRAINED) > 0,
        "A step gives a gradient to {:.0f}% of the weights: the listing compares the visit shares with themselves and"
        " never stores the value of the network, so the divergence is 0 or not a number.",
    ),
)


SECTION = Section(
    name="E",
    title="AlphaZero for four in a row on 6 x 6",
    game="ConnectN-v0",
    purpose="Learn four in a row by self-play alone, with a small network and the search of AlphaZero.",
    conclusion=Text(
        "The listing cannot train, because its loss has no gradient. Repaired as the text says, it learns in 3,000"
        " games of self-play, instead of 50,000, to win {:.0f}% of the games that it begins against minimax:depth=4"
        " and {:.0f}% against perfect play. With the search of the listing the same network wins {:.0f}% and {:.0f}%,"
        " and our alphazero {:.0f}% and {:.0f}%. Moving second it loses, as it must, to an opponent that searches four"
        " plies deep.",
        (
            *(_both(quantity)[search] for search in (0, 1) for quantity in (_wins(_MINIMAX, 0), _WON_PERFECTLY)),
            Cell(_wins(_MINIMAX, 0), "ours"),
            Cell(_WON_PERFECTLY, "ours"),
        ),
    ),
    conditions=(
        "The package contains the results of three trainings, where report E has 50,000 games. Literal: 3,000 games"
        " with 2,000 explorations for each move, 19 minutes. The literal agent plays by this network and the listing,"
        " with 1,000 explorations for each move and a temperature of 0.1; the repaired search has the same network."
        " Described: as many games of our alphazero"
        " with preset=E, 5 minutes. Its agent plays with 200 simulations. Ours: the losses are those of 3,000 games of"
        f" our training. Our agent is {_OURS}. Matches have {_FULL.matches} games from each seat ({_QUICK.matches} with"
        f" --quick), or {_FULL.perfect} games against perfect play ({_QUICK.perfect}). The experiments need the full"
        f" run. They are medians of {_FULL_EXPERIMENTS.runs} literal trainings or {_FULL_EXPERIMENTS.our_runs} of ours,"
        " because self-play amplifies every difference: if PyTorch rounds a sum otherwise, with another number of"
        " threads or on another processor, all later games are others."
    ),
    seconds=700,
    run=run,
    claims=_CLAIMS,
    agents={
        "E": partial(trained_agent, repaired=False),
        "E:repaired": partial(trained_agent, repaired=True),
    },
)
