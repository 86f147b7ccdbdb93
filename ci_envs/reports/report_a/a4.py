"""Section A4: tic-tac-toe by Q-learning and by Monte Carlo.

:mod:`~ci_envs.reports.report_a.tictactoe_tables` contains the literal version. The described version is our
``q_learning`` and ``monte_carlo`` with the rates of report A. In it the value of the next move has an effect, and the
return of a position is the final reward.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.reports.estimates import median_of
from ci_envs.reports.matches import play_from_seat
from ci_envs.reports.report_a.tictactoe_pairings import (
    MONTE_CARLO,
    OUTCOMES,
    Q_LEARNING,
    RANDOM,
    mistakes,
    percentages,
    play_pairings,
    plots,
    shares_of,
)
from ci_envs.reports.report_a.tictactoe_players import table_agent
from ci_envs.reports.report_a.tictactoe_tables import TICTACTOE, learn_monte_carlo, learn_q
from ci_envs.reports.section_run import SectionRun, section
from ci_envs.reports.trainers import learned
from ci_envs.solver.reachable import sample_positions

_SEEDS = 10  # number of seeds of a run; the seeds of the next run differ by this number
_DESCRIBED = {Q_LEARNING: "q_learning:preset=A4", MONTE_CARLO: "monte_carlo:preset=A4"}
_OURS = {
    Q_LEARNING: "q_learning:random_plies=8,epsilon=0.45,epsilon_end=0.45,learning_rate_end=0.001",
    MONTE_CARLO: "monte_carlo:values=state,epsilon=0.3,learning_rate_end=0.001",
}

Figures = dict[str, float]


def _measure(run: SectionRun) -> None:
    """Train by report A's code and by our trainers, and play the three pairings."""
    games, episodes, our_episodes = (run.budget(name) for name in ("games", "episodes", "our_episodes"))
    words = sample_positions(TICTACTOE, run.budget("positions"), np.random.default_rng(run.seed))
    literal, runs = [], run.budget("runs")
    for number in run.steps(range(runs)):
        seed = (run.seed * runs + number) * _SEEDS
        agents, final_reward = _literal_agents(episodes, seed)
        matches = play_pairings(agents, games)
        run.plots = run.plots or [*plots(matches, run.figure)]
        figures = percentages(matches) | _mistakes(run, agents, words, seed)
        literal.append(figures | _final_reward(final_reward, agents[RANDOM], games))
    columns = (
        (literal, episodes),
        ([_ours(run, _DESCRIBED, episodes, words)], episodes),
        ([_ours(run, _OURS, our_episodes, words)], our_episodes),
    )
    for quantity in literal[0]:
        estimates = (
            median_of([one[quantity] for one in found], f"trainings of {length:,} episodes, {games:,} games each")
            for found, length in columns
        )
        run.add(quantity, *estimates)


def _literal_agents(episodes: int, seed: int) -> tuple[dict[str, Agent], Agent]:
    """Return the agents of a run, and a Monte Carlo agent that learned from the final reward."""
    agents = {
        Q_LEARNING: table_agent(TICTACTOE, seed, "q_learning", learn_q(episodes, seed)),
        MONTE_CARLO: table_agent(TICTACTOE, seed, "monte_carlo", learn_monte_carlo(episodes, seed + 1)),
        RANDOM: make_agent("random", TICTACTOE, seed=seed + 3),
    }
    final_reward = learn_monte_carlo(episodes, seed + 2, summed=False)
    return agents, table_agent(TICTACTOE, seed, "monte_carlo", final_reward)


def _ours(run: SectionRun, specs: Mapping[str, str], episodes: int, words: NDArray[np.uint64]) -> Figures:
    """Return the figures of two of our learners."""
    games, agents = run.budget("games"), {RANDOM: make_agent("random", TICTACTOE, seed=run.seed + 3)}
    for name, spec in specs.items():
        agents[name] = learned(spec, "TicTacToe-v0", episodes, seed=run.seed).agent()
        agents[name].reseed(run.seed)
    figures = percentages(play_pairings(agents, games)) | _mistakes(run, agents, words, run.seed)
    return figures | _final_reward(agents[MONTE_CARLO], agents[RANDOM], games)


def _mistakes(run: SectionRun, agents: Mapping[str, Agent], words: NDArray[np.uint64], seed: int) -> Figures:
    figures: Figures = {}
    for name in (MONTE_CARLO, Q_LEARNING):
        kept, lost = mistakes(agents[name], words, run.budget("exact_games"), seed)
        figures |= {f"{name}: moves that keep the exact value": kept, f"{name} v exact: losses": lost}
    return figures


def _final_reward(monte_carlo: Agent, random: Agent, games: int) -> Figures:
    """Return the outcomes of Monte Carlo without the summed reward. This agent starts all games."""
    record = play_from_seat(monte_carlo, random, games // 2).total
    name = "Monte Carlo without the summed reward v random: Monte Carlo starts"
    return shares_of(record, [f"{name}, {what}" for what in OUTCOMES])


SECTION = section(
    __file__,
    _measure,
    agents={f"A4:{method}": partial(table_agent, method=method) for method in ("q_learning", "monte_carlo")},
)
