"""Section A7: Quixo by AlphaZero.

The literal version has the bugs of report A's program (:mod:`.quixo_alphazero`). The network of report A has 11.8
million parameters, which takes too long on two cores. The matches use a network with 16 channels instead of 256. Only
the size and the speed are measured for the full network.

The described version is our ``alphazero`` with the options ``DESCRIBED``. Report A does not describe the loss, the
number of games, the temperature and symmetries. These options are those of its program, or switched off.
"""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.arena.timing import decision_times
from ci_envs.devices import torch_threads
from ci_envs.games.openings import random_openings
from ci_envs.games.quixo import Quixo
from ci_envs.reports.alphazero_training import (
    network_agent,
    parameter_count,
    train_alphazero,
    untrained_network,
)
from ci_envs.reports.estimates import Estimate, mean_of_runs, median_of
from ci_envs.reports.matches import wins_of
from ci_envs.reports.report_a.quixo_alphazero import (
    SIMULATIONS,
    ReportAlphaZeroAgent,
    signed_inference,
    train_network,
    trained_agent,
)
from ci_envs.reports.section_run import SectionRun, section

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

DESCRIBED: Mapping[str, Any] = {"preset": "A7", "architecture": "16x10_pooled"}
"""The method of report A as options of ``ci-envs train alphazero``. The preset has the network of report A. As in the
program of report A, each position is used about 20 times for training."""

_DESCRIBED_SEARCH: Mapping[str, Any] = {
    "selection": "ucb",
    "exploration": 1.41,
    "prior_temperature": 1.0,
    "temperature": 0.0,
    "contempt": 0.0,
}
_GAME, _ENVIRONMENT = Quixo(), "Quixo-v0"
_MANY = 100  # simulations
_CAPACITY = 100  # entries of the data, which even a short training exceeds
_OURS = f"alphazero:simulations={SIMULATIONS}"


@torch_threads(1)  # is faster for small networks
def _measure(run: SectionRun) -> None:
    """Train the networks, and play the matches against random."""
    seed, matches = run.seed, run.budget("matches")

    def wins(agent: Agent, games: int = matches) -> Estimate:
        opponent = make_agent("random", _GAME, seed=seed + 1)
        return wins_of(play_match(_GAME, agent, opponent, games).sides[0].total)

    def short_trainings(**data: Any) -> Estimate:
        games = run.budget("games")
        networks = (train_network(_GAME, "16x10_pooled", games, one, **data) for one in run.steps(run.seeds("runs")))
        shares = [wins(_literal_agent(network)).value for network in networks]
        return mean_of_runs(shares, f"runs of {games} games of self-play")

    described = train_alphazero(_ENVIRONMENT, DESCRIBED, run.budget("described_games"), seed).network
    ours = make_agent(_OURS, _GAME, seed=seed)
    others = wins(_described_agent(described, seed)), wins(ours)
    run.add("wins v random", wins(trained_agent(_GAME, seed)), *others)
    run.add("wins v random, shorter training", short_trainings(), *others)
    for kept, removes_oldest in (("a random subset stays", False), ("newest stay", True)):
        shares = short_trainings(capacity=_CAPACITY, removes_oldest=removes_oldest)
        run.add(f"wins v random, {_CAPACITY:,} entries, {kept}", shares, *others)
    strong = (
        trained_agent(_GAME, seed, simulations=_MANY),
        _described_agent(described, seed, _MANY),
        make_agent(f"alphazero:simulations={_MANY}", _GAME, seed=seed),
    )
    more = (wins(agent, run.budget("more_matches")) for agent in strong)
    run.add(f"wins v random, {_MANY} simulations", *more)
    new = untrained_network(_GAME, "16x10_pooled", seed)
    run.add("wins v random, untrained", wins(_literal_agent(new)), wins(_described_agent(new, seed)))
    run.add("wins v random, with our trained network", wins(_literal_search_of_ours()), None, others[1])
    sizes = (parameter_count(_GAME, name) for name in ("256x10_pooled", "256x10_pooled", "32x3"))
    run.add("parameters of the network", *sizes)
    network = untrained_network(_GAME, "256x10_pooled", seed)
    agents = _literal_agent(network), _described_agent(network, seed), make_agent(_OURS, _GAME, seed=seed)
    run.add("time of a move", *(_seconds_per_move(agent, run.budget("moves")) for agent in agents))


def _literal_agent(network: "Network") -> ReportAlphaZeroAgent:
    return ReportAlphaZeroAgent(_GAME, signed_inference(network.eval()))


def _described_agent(network: "Network", seed: int, simulations: int = SIMULATIONS) -> PositionAgent:
    return network_agent(_GAME, network, seed, simulations=simulations, **_DESCRIBED_SEARCH)


def _literal_search_of_ours() -> ReportAlphaZeroAgent:
    """Return the agent with report A's search and our trained network."""
    from ci_envs.agents.alphazero.inference import inference
    from ci_envs.agents.alphazero.model_file import read_model, shipped_model

    return ReportAlphaZeroAgent(_GAME, inference(read_model(shipped_model(_GAME), _GAME).network))


def _seconds_per_move(agent: Agent, moves: int) -> Estimate:
    """Return the time of a move of an agent, in positions after 8 random plies."""
    times = decision_times(agent, random_openings(_GAME, moves + 1, 8)[:, np.newaxis], inf)
    return median_of(times[1:], "moves")  # the first one compiles


SECTION = section(__file__, _measure, agents={"A7": trained_agent})
