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

import numpy as np

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.devices import torch_threads
from ci_envs.reports.alphazero_training import network_agent, parameter_count, untrained_network
from ci_envs.reports.estimates import Estimate, mean_of, measured_share, median_of
from ci_envs.reports.matches import SEATS
from ci_envs.reports.report_e.agent import trained_agent
from ci_envs.reports.report_e.experiments import measure_experiments
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.long_training import BLOCK, LOGGED_EVERY, LOGGED_GAMES, MATCHES, SETTINGS, read_long_log
from ci_envs.reports.report_e.matches import play_perfect_defender, wins_from_seat
from ci_envs.reports.report_e.self_play import game_loss, play_game
from ci_envs.reports.report_e.threats import blocked_threats
from ci_envs.reports.report_e.trainings import GAME, PLAY_OPTIONS, described_network, read_logs
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section

_MINIMAX = "minimax:depth=4"
_OPPONENTS = {"random": "random", _MINIMAX: _MINIMAX, "our alphazero": "alphazero:simulations=200,temperature=0.2"}
_LOGGED_LOSSES = (100, 200, 500, 1500, 2100, 2500)
_MEDIANS = (2.1, 2.1, 0.5, 0.6, 0.5, 0.4, 0.3, 0.6, 0.6)
"""The medians of the loss of each 3,000 games of the log of report E's author. Rows show the first and the last one."""

_MEDIAN_GAMES = 3000
_FEW = 50  # explorations
_one_thread = torch_threads(1)  # is faster for small networks


@_one_thread
def _measure_matches(run: SectionRun) -> None:
    """Add the rows on matches against the opponents, from either seat, and against perfect play."""
    seed, matches, games = run.seed, run.budget("matches"), run.budget("perfect_games")
    for (label, opponent), seat in product(_OPPONENTS.items(), (0, 1)):
        shares = (wins_from_seat(agent, opponent, seat, matches, seed + 1) for agent in _agents(seed))
        run.add(f"wins moving {SEATS[seat]} v {label}", *shares)
    records = [play_perfect_defender(agent, games, seed) for agent in _agents(seed)]
    run.add("wins moving first v perfect play", *(measured_share(one.won, one.games) for one in records))
    kept = (measured_share(one.kept, one.moves, sample="moves") for one in records)
    run.add("moves that keep the win v perfect play", *kept)


def _agents(seed: int) -> list[PositionAgent]:
    """Return the literal agent, the described one and ours."""
    ours = make_agent("alphazero:simulations=200", GAME, seed=seed)
    assert isinstance(ours, PositionAgent)
    return [trained_agent(GAME, seed), network_agent(GAME, described_network(), seed, **PLAY_OPTIONS), ours]


@_one_thread
def _measure_searches(run: SectionRun) -> None:
    """Add the rows on the search of the listing and on the repaired one, with the same network."""
    seed, matches = run.seed, run.budget("matches")
    for name, repaired in (("listing", False), ("repaired search", True)):
        agent = trained_agent(GAME, seed, repaired=repaired)
        for (label, opponent), seat in product(_OPPONENTS.items(), (0, 1) if repaired else ()):
            share = wins_from_seat(agent, opponent, seat, matches, seed + 1)
            run.add(f"{name}: wins moving {SEATS[seat]} v {label}", share)
        if repaired:
            record = play_perfect_defender(agent, run.budget("perfect_games"), seed)
            run.add(f"{name}: wins moving first v perfect play", measured_share(record.won, record.games))
        blocked, threats = blocked_threats(agent, run.budget("positions"), seed)
        run.add(f"{name}: threats blocked", measured_share(blocked, threats, sample="threats"))
        few = trained_agent(GAME, seed, repaired=repaired, explorations=_FEW)
        share = wins_from_seat(few, _MINIMAX, 0, matches, seed + 1)
        run.add(f"{name}: {_FEW} explorations, wins moving first v {_MINIMAX}", share)


@_one_thread
def _measure_trainings(run: SectionRun) -> None:
    """Add the rows on the trainings. The intervals are those of a mean, a median and shares of one run."""
    logs = [read_logs()[name] for name in ("literal", "described", "ours")]
    for last in _LOGGED_LOSSES:
        means = (mean_of(log.losses[last - LOGGED_GAMES : last], "games", least=0) for log in logs)
        run.add(f"loss after {last:,} games", *means)
    games = len(logs[0].losses)
    run.add(f"median loss of {games:,} games", *(median_of(log.losses, "games") for log in logs))
    for name, statistic in (("median", np.median), ("largest", np.max)):
        lasts = (float(statistic(log.losses[-games // 3 :])) for log in logs)
        run.add(f"{name} loss of the last third of the games", *lasts)
    for name, result in (("won by the first player", 1), ("drawn", 0)):
        shares = (measured_share(log.outcomes.count(result), len(log.outcomes)) for log in logs)
        run.add(f"self-play {name}", *shares)
    log = read_long_log()
    sample = f"1 run of {log.games:,} games"
    run.add("long training: median loss of the last games", Estimate.single(log.medians[-1], sample))
    run.add("long training: last games won by the first player", Estimate.single(log.first_wins[-1], sample))
    run.add("long training: wins moving first v perfect play", measured_share(log.perfect_wins[-1], MATCHES))
    run.add("parameters of the network", *(parameter_count(GAME, name) for name in ("unpadded", "unpadded", "32x3")))
    run.add("weights that have a gradient in a step of the listing", *_gradient_shares(run.seed))
    run.plots += _plots(run)


def _gradient_shares(seed: int) -> Iterator[float]:
    """Yield the percentages of the weights to which a step gives a gradient: by the listing, and by the text."""
    network = untrained_network(GAME, "unpadded", seed)
    played = play_game(GAME, network, ExploreSettings(explorations=10, repaired=False), seed)
    for as_listed in (True, False):
        network.zero_grad()
        loss = game_loss(network, GAME, played, as_listed=as_listed)
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        weights = list(network.parameters())
        reached = sum(one.numel() for one in weights if one.grad is not None)
        yield 100 * reached / sum(one.numel() for one in weights)


def _plots(run: SectionRun) -> Iterator[Plot]:
    """Yield the loss in the literal training, and the loss and the strength in the long one."""
    published = {float(last): run.figure(f"loss after {last:,} games") for last in _LOGGED_LOSSES}
    losses, log = read_logs()["literal"].losses, read_long_log()
    means = [
        round(float(np.mean(losses[first : first + LOGGED_GAMES])), 3) for first in range(0, len(losses), LOGGED_GAMES)
    ]
    drawn = _after("literal", LOGGED_GAMES, means), Series.marks("published elsewhere", published)
    yield Plot("loss", "Training Loss Over Episodes", "Episodes", "Loss", (Panel("", drawn),))
    medians = {_MEDIAN_GAMES * (number + 0.5): median for number, median in enumerate(_MEDIANS)}
    drawn_losses = (
        _after(f"mean of {LOGGED_GAMES}", LOGGED_EVERY, log.means),
        _after(f"median of {BLOCK:,}", BLOCK, log.medians),
        Series.marks("published means", published),
        Series.marks(f"published medians of {_MEDIAN_GAMES:,}", medians),
    )
    explorations = f"with {SETTINGS.explorations} explorations"
    yield Plot("long_loss", f"loss {explorations}", "games", "loss", (Panel("", drawn_losses),))
    first = {min(medians): run.figure("self-play won by the first player")}
    shares = (
        _after("first player in self-play", BLOCK, log.first_wins),
        _after("agent v perfect play", BLOCK, [100 * one / MATCHES for one in log.perfect_wins]),
        Series.marks("published, self-play", first),
    )
    yield Plot("long_play", f"games won, {explorations}", "games", "won, %", (Panel("", shares),))


def _after(name: str, games: int, values: list[float]) -> Series:
    """Return a line with a value after each of as many games."""
    return Series.curve(name, values, first=games, step=games)


@_one_thread
def _measure_experiments(run: SectionRun) -> None:
    if not run.quick:
        measure_experiments(run)


SECTION = section(
    __file__,
    _measure_matches,
    _measure_searches,
    _measure_trainings,
    _measure_experiments,
    agents={"E": trained_agent, "E:repaired": partial(trained_agent, repaired=True)},
)
