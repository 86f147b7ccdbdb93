"""Section A7: Quixo by AlphaZero.

The literal version has the bugs of report A's program (:mod:`.quixo_alphazero`). The network of report A has 11.8
million parameters, which takes too long on two cores. The matches use a network with 16 channels instead of 256. Only
the size and the speed are measured for the full network.

The described version is our ``alphazero`` with the options ``DESCRIBED``. Report A does not describe the loss, the
number of games, the temperature and symmetries. These options are those of its program, or switched off.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.openings import random_openings
from ci_envs.games.quixo import Quixo
from ci_envs.reports.alphazero_training import train_alphazero
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import Estimate, mean_of_runs, measured_share, median_of
from ci_envs.reports.report_a.quixo_alphazero import (
    GAMES,
    SIMULATIONS,
    ReportAlphaZeroAgent,
    signed_inference,
    train_network,
    trained_agent,
)
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

DESCRIBED: Mapping[str, Any] = {"preset": "A7", "architecture": "16x10_pooled"}
"""The method of report A as options of ``ci-envs train alphazero``. The preset has the network of report A. As in the
program of report A, each position is used about 20 times for training."""

_GAME, _ENVIRONMENT = Quixo(), "Quixo-v0"
_SENTENCE = printed("Quixo, AlphaZero: the sentence on its results")
_WINS, _STRONG = "wins v random", "wins v random, with our trained network"
_MANY = 100  # simulations
_MORE = f"wins v random, {_MANY} simulations"
_CAPACITY = 500  # entries of the data, so few that a short training removes entries
_SUBSET, _NEWEST = (
    f"wins v random, {_CAPACITY:,} entries, {kept}" for kept in ("a random subset stays", "newest stay")
)
_OURS = f"alphazero:simulations={SIMULATIONS}"


class _A7Scale(NamedTuple):
    """The amount of computation.

    Attributes:
        matches: Games of each match.
        runs: Runs of the literal training.
        games: Games of self-play in each of them.
        more_matches: Games of each match with many simulations.
        described_games: Games of self-play in the described training.
        moves: Moves whose time is measured.
    """

    matches: int
    runs: int
    games: int
    more_matches: int
    described_games: int
    moves: int


_FULL, _QUICK = _A7Scale(100, 3, 5, 20, GAMES, 10), _A7Scale(10, 2, 1, 2, 1, 2)


def run(options: RunOptions) -> Findings:
    """Train the networks, and play the matches against random."""
    from torch import get_num_threads, set_num_threads

    threads = get_num_threads()
    set_num_threads(1)
    try:
        return _run(options, _QUICK if options.quick else _FULL)
    finally:
        set_num_threads(threads)


def _run(options: RunOptions, scale: _A7Scale) -> Findings:
    seed = options.seed

    def wins(agent: Agent, games: int = scale.matches) -> Estimate:
        opponent = make_agent("random", _GAME, seed=seed + 1)
        return measured_share(play_match(_GAME, agent, opponent, games).sides[0].total.wins, games)

    def short_trainings(**data: Any) -> Estimate:
        seeds = range(seed, seed + scale.runs)
        networks = [train_network(_GAME, "16x10_pooled", scale.games, one, **data) for one in seeds]
        shares = [wins(_literal_agent(network)).value for network in networks]
        return mean_of_runs(shares, f"runs of {scale.games} games of self-play")

    runs = {
        "cut": short_trainings(),
        _SUBSET: short_trainings(capacity=_CAPACITY),
        _NEWEST: short_trainings(capacity=_CAPACITY, removes_oldest=True),
    }
    options.report_progress(0.5)
    described = train_alphazero(_ENVIRONMENT, _GAME, DESCRIBED, scale.described_games, seed).network
    options.report_progress(0.7)
    new = _new_network("16x10_pooled", seed)
    agents = {
        "literal": trained_agent(_GAME, seed),
        "described": _described_agent(described, seed),
        "ours": make_agent(_OURS, _GAME, seed=seed),
        "untrained": _literal_agent(new),
        "described untrained": _described_agent(new, seed),
        "strong network": _literal_search_of_ours(),
    }
    found = {name: wins(agent) for name, agent in agents.items()}
    options.report_progress(0.8)
    strong = (
        trained_agent(_GAME, seed, simulations=_MANY),
        _described_agent(described, seed, _MANY),
        make_agent(f"alphazero:simulations={_MANY}", _GAME, seed=seed),
    )
    more = [wins(agent, scale.more_matches) for agent in strong]
    options.report_progress(0.9)
    return Findings(tuple(_rows(found, runs, more, scale, seed)))


def _literal_agent(network: "Network") -> ReportAlphaZeroAgent:
    return ReportAlphaZeroAgent(_GAME, signed_inference(network.eval()))


def _described_agent(network: "Network", seed: int, simulations: int = SIMULATIONS) -> PositionAgent:
    from ci_envs.agents.alphazero.agent import AlphaZeroAgent

    return AlphaZeroAgent(
        _GAME,
        network,
        simulations=simulations,
        selection="ucb",
        exploration=1.41,
        prior_temperature=1.0,
        temperature=0.0,
        contempt=0.0,
        lookahead=1,
        leaves=1,
        seed=seed,
    )


def _literal_search_of_ours() -> ReportAlphaZeroAgent:
    """Return the agent with report A's search and our trained network."""
    from ci_envs.agents.alphazero.inference import inference
    from ci_envs.agents.alphazero.model_file import read_model, shipped_model

    return ReportAlphaZeroAgent(_GAME, inference(read_model(shipped_model(_GAME), _GAME).network))


def _new_network(architecture: str, seed: int) -> "Network":
    from ci_envs.agents.alphazero.architecture import ARCHITECTURES
    from ci_envs.agents.alphazero.network import new_network

    return new_network(_GAME, ARCHITECTURES[architecture], seed)


def _rows(
    found: Mapping[str, Estimate],
    runs: Mapping[str, Estimate],
    more: Sequence[Estimate],
    scale: _A7Scale,
    seed: int,
) -> Iterator[FigureRow]:
    others = found["described"], found["ours"]
    narrow = f"With 16 channels instead of 256, and {GAMES} games of self-play."
    yield figure_row(_WINS, Figure(50, _SENTENCE), found["literal"], *others, note=narrow, unit="%")
    cut = f"With 16 channels instead of 256, and {scale.games} of {GAMES} games of self-play."
    yield figure_row("wins v random, shorter training", None, runs["cut"], *others, note=cut, unit="%")
    for quantity in (_SUBSET, _NEWEST):
        yield figure_row(quantity, None, runs[quantity], *others, note=f"{cut} {_DATA_NOTE}", unit="%")
    yield figure_row(_MORE, None, *more, note=_MORE_NOTE, unit="%")
    untrained = found["untrained"], found["described untrained"]
    yield figure_row("wins v random, untrained", None, *untrained, note=_UNTRAINED_NOTE, unit="%")
    note = "Report A's search, with the network of ours."
    yield figure_row(_STRONG, None, found["strong network"], None, found["ours"], note=note, unit="%")
    sizes = (Estimate.exact(_parameters(architecture)) for architecture in ("256x10_pooled", "256x10_pooled", "32x3"))
    yield figure_row("parameters of the network", None, *sizes)
    network = _new_network("256x10_pooled", seed)
    agents = _literal_agent(network), _described_agent(network, seed), make_agent(_OURS, _GAME, seed=seed)
    times = (_seconds_per_move(agent, scale.moves) for agent in agents)
    yield figure_row("time of a move", None, *times, note="With 256 channels, one core.", unit="s")


def _parameters(architecture: str) -> int:
    return sum(weights.numel() for weights in _new_network(architecture, 0).parameters())


def _seconds_per_move(agent: Agent, moves: int) -> Estimate:
    """Return the time of a move of an agent, in positions after 8 random plies."""
    assert isinstance(agent, PositionAgent)
    times = []
    for words in random_openings(_GAME, moves + 1, 8):
        begun = perf_counter()
        agent.act_on(words[np.newaxis])
        times.append(perf_counter() - begun)
    return median_of(times[1:], "moves")  # the first one compiles


_DATA_NOTE = (
    f"The data keep {_CAPACITY} entries instead of 10,000, which no short training reaches. By the code of report A, a"
    " random subset stays; by its text, the newest entries stay."
)
_MORE_NOTE = f"The agents of the first row with {_MANY} simulations for each move instead of {SIMULATIONS}."
_UNTRAINED_NOTE = "With 16 channels. Ours comes trained."
_CLAIMS = (
    Claim(
        "It wins half of the games because it is undertrained.",
        Cell(_STRONG) > Cell(_WINS),
        "With our trained network the same search wins {:.0f}% of the games against random instead of {:.0f}%, because"
        " it takes the values of the opponent for its own; our search wins {:.0f}% with it.",
        (Cell(_STRONG), Cell(_WINS), Cell(_WINS, "ours")),
    ),
    Claim(
        "Enough training makes it superhuman.",
        Cell("points v people", "ours") > 50,
        "Our network, after 242,176 games of self-play, wins {:.0f}% of the games against random with 10 simulations"
        " for each move; no games against people were played.",
        (Cell(_WINS, "ours"),),
    ),
)


SECTION = Section(
    name="A7",
    title="Quixo by AlphaZero",
    game=_ENVIRONMENT,
    purpose="Learn Quixo by self-play with a deep network and a tree search.",
    conclusion=Text(
        "The search ignores the priors and adds the values of the opponent as if they were its own, so a better network"
        " makes it worse: with our trained network it loses to random. Repaired, 10 simulations for each move beat"
        " random in nearly every game even with an untrained network, because the search sees wins of one ply. With"
        f" {_MANY} simulations the literal search wins {{:.0f}}% and the repaired one {{:.0f}}%. After short trainings"
        " the literal agent wins {:.0f}% if a random subset of the data stays, and {:.0f}% if the newest entries stay.",
        (Cell(_MORE), Cell(_MORE, "described"), Cell(_SUBSET), Cell(_NEWEST)),
    ),
    conditions=(
        f"The agent plays {_FULL.matches} games ({_QUICK.matches} with --quick) against random, seats alternating, with"
        f" {SIMULATIONS} simulations for each move, or {_FULL.more_matches} games with {_MANY} simulations"
        f" ({_QUICK.more_matches} with --quick). The literal agent of the first row is that of the package."
        f" Described: our alphazero after {GAMES} games of self-play with report A's options"
        f" ({_QUICK.described_games} with --quick). Ours: {_OURS} with its trained network."
    ),
    seconds=240,
    run=run,
    claims=_CLAIMS,
    agents={"A7": trained_agent},
)
