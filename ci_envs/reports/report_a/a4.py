"""Section A4: tic-tac-toe by Q-learning and by Monte Carlo.

:mod:`~ci_envs.reports.report_a.tictactoe_tables` contains the literal version and lists its bugs. The described version
is our ``q_learning`` and ``monte_carlo`` with the rates of report A. In it the value of the next move has an effect,
and the return of a position is the final reward.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import median_of
from ci_envs.reports.report_a.tictactoe_pairings import (
    MONTE_CARLO,
    Q_LEARNING,
    RANDOM,
    mistakes,
    percentages,
    play_pairings,
    plots,
)
from ci_envs.reports.report_a.tictactoe_players import (
    BestTablePolicy,
    TicTacToeTableAgent,
    WeightedTablePolicy,
    monte_carlo_agent,
    q_agent,
)
from ci_envs.reports.report_a.tictactoe_tables import EPISODES, TICTACTOE, learn_monte_carlo, learn_q
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, published
from ci_envs.reports.tabular_learning import learned
from ci_envs.solver.reachable import sample_positions

_GAMES, _QUICK_GAMES = 100_000, 4_000
_RUNS, _QUICK_RUNS = 20, 2
_QUICK_EPISODES = 100_000
_OUR_EPISODES = 4_000_000
_POSITIONS, _EXACT_GAMES = 20_000, 2_000
_SEEDS = 10  # number of seeds of a run; the seeds of the next run differ by this number

_DESCRIBED = {
    Q_LEARNING: "q_learning:preset=A4",
    MONTE_CARLO: "monte_carlo:preset=A4",
}
_OURS = {
    Q_LEARNING: "q_learning:random_plies=8,epsilon=0.45,epsilon_end=0.45,learning_rate_end=0.001",
    MONTE_CARLO: "monte_carlo:values=state,epsilon=0.3,learning_rate_end=0.001",
}
_REPORT = {
    "Monte Carlo v Q-learning: Monte Carlo wins": 0,
    "Monte Carlo v Q-learning: Q-learning wins": 51.5,
    "Monte Carlo v Q-learning: draws": 48.5,
    "Monte Carlo v random: Monte Carlo wins": 83.7,
    "Monte Carlo v random: random wins": 3.9,
    "Monte Carlo v random: draws": 12.4,
    "Q-learning v random: Q-learning wins": 95.1,
    "Q-learning v random: random wins": 0,
    "Q-learning v random: draws": 4.9,
    **{
        f"Monte Carlo v random: wins at turn {turn}": wins
        for turn, wins in zip(range(5, 10), (3.7, 19.5, 11.6, 23.8, 25.1), strict=True)
    },
    **{
        f"Q-learning v random: wins at turn {turn}": wins
        for turn, wins in zip(range(5, 10), (41.6, 38.7, 7.3, 7.0, 0.54), strict=True)
    },
}
_PLOTS = published("read off the plots in the repository of the author of report A")
_BOTH_PERFECT = "Ours are two perfect players, so every game is drawn."

Figures = dict[str, float]


def run(options: RunOptions) -> Findings:
    """Train by report A's code and by our trainers, and play the three pairings."""
    games, runs = (_QUICK_GAMES, _QUICK_RUNS) if options.quick else (_GAMES, _RUNS)
    words = sample_positions(TICTACTOE, _POSITIONS, np.random.default_rng(options.seed))
    literal, drawn = [], None
    episodes, our_episodes = (_QUICK_EPISODES,) * 2 if options.quick else (EPISODES, _OUR_EPISODES)
    for number in range(runs):
        seed = (options.seed * runs + number) * _SEEDS
        agents, final_reward = _literal_agents(episodes, seed)
        matches = play_pairings(agents, games)
        drawn = drawn or plots(matches, _REPORT)
        figures = percentages(matches) | _mistakes(agents, words, seed)
        literal.append(figures | _final_reward(final_reward, agents[RANDOM], games))
        options.report_progress(0.7 * (number + 1) / runs)
    described = _ours(_DESCRIBED, episodes, games, words, options, 0.7)
    ours = _ours(_OURS, our_episodes, games, words, options, 0.9)
    columns = (literal, episodes), ([described], episodes), ([ours], our_episodes)
    rows = [_row(quantity, columns, games) for quantity in described]
    return Findings(tuple(rows), drawn or ())


def _row(quantity: str, columns: Sequence[tuple[Sequence[Figures], int]], games: int) -> FigureRow:
    """Return the row of a quantity.

    Args:
        quantity: The quantity.
        columns: The figures of each training, and the number of its episodes, for each column.
        games: The number of games of a match.
    """
    estimates = [
        median_of([figures[quantity] for figures in found], f"trainings of {episodes:,} episodes, {games:,} games each")
        for found, episodes in columns
    ]
    figure = Figure(_REPORT[quantity], _PLOTS) if quantity in _REPORT else None
    note = _BOTH_PERFECT if quantity.startswith(f"{MONTE_CARLO} v {Q_LEARNING}") else ""
    return figure_row(quantity, figure, *estimates, note=note, unit="%")


def _literal_agents(episodes: int, seed: int) -> tuple[dict[str, Agent], Agent]:
    """Return the agents of a run, and a Monte Carlo agent that learned from the final reward."""

    def monte_carlo(offset: int, summed: bool) -> Agent:
        table = learn_monte_carlo(episodes, seed + offset, summed=summed)
        return TicTacToeTableAgent(TICTACTOE, WeightedTablePolicy(), table, seed=seed)

    table = learn_q(episodes, seed)
    agents = {
        Q_LEARNING: TicTacToeTableAgent(TICTACTOE, BestTablePolicy(), table, seed=seed),
        MONTE_CARLO: monte_carlo(1, True),
        RANDOM: make_agent("random", TICTACTOE, seed=seed + 3),
    }
    return agents, monte_carlo(2, False)


def _ours(
    specs: Mapping[str, str], episodes: int, games: int, words: NDArray[np.uint64], options: RunOptions, begin: float
) -> Figures:
    """Return the figures of two of our learners."""
    agents = {RANDOM: make_agent("random", TICTACTOE, seed=options.seed + 3)}
    for name, spec in specs.items():
        agents[name] = learned(spec, "TicTacToe-v0", episodes, seed=options.seed).agent()
        agents[name].reseed(options.seed)
        begin += 0.05
        options.report_progress(begin)
    figures = percentages(play_pairings(agents, games)) | _mistakes(agents, words, options.seed)
    return figures | _final_reward(agents[MONTE_CARLO], agents[RANDOM], games)


def _mistakes(agents: Mapping[str, Agent], words: NDArray[np.uint64], seed: int) -> Figures:
    figures: Figures = {}
    for name in (MONTE_CARLO, Q_LEARNING):
        kept, lost = mistakes(agents[name], words, _EXACT_GAMES, seed)
        figures |= {f"{name}: moves that keep the exact value": kept, f"{name} v exact: losses": lost}
    return figures


def _final_reward(monte_carlo: Agent, random: Agent, games: int) -> Figures:
    """Return the outcomes of Monte Carlo without the summed reward. This agent starts all games."""
    record = play_match(TICTACTOE, monte_carlo, random, games // 2, swap_seats=False).sides[0].total
    counts = ("wins", record.wins), ("loses", record.losses), ("draws", record.draws)
    name = "Monte Carlo without the summed reward v random: Monte Carlo starts"
    return {f"{name}, {what}": 100 * count / record.games for what, count in counts}


_FEW = 1  # percent of the games
_CLAIMS = (
    Claim(
        "Q-learning is effective.",
        (Cell("Q-learning v random: random wins") < _FEW) & (Cell("Q-learning v exact: losses") < _FEW),
        f"It loses {{:.3g}}% of its games to random and {{:.3g}}% to exact play; we call less than {_FEW}% effective.",
    ),
    Claim(
        "Monte Carlo is effective.",
        (Cell("Monte Carlo v random: random wins") < _FEW) & (Cell("Monte Carlo v exact: losses") < _FEW),
        "It loses {:.1f}% of its games to random and {:.0f}% to exact play; as the starter against random it wins"
        " {:.1f}%, and {:.1f}% if the return is the final reward.",
        tuple(
            map(
                Cell,
                (
                    "Monte Carlo v random: random wins",
                    "Monte Carlo v exact: losses",
                    "Monte Carlo v random: Monte Carlo starts, wins",
                    "Monte Carlo without the summed reward v random: Monte Carlo starts, wins",
                ),
            )
        ),
    ),
)


SECTION = Section(
    name="A4",
    title="Tic-tac-toe by Q-learning and Monte Carlo",
    game="TicTacToe-v0",
    purpose="Compare Q-learning with a Monte Carlo method, against each other and against random play.",
    conclusion=Text(
        "Q-learning hardly ever loses to random, and beats Monte Carlo in nearly every game that it starts. Monte Carlo"
        " sums the reward over the positions of a game and so prefers late wins; our learners play perfectly."
    ),
    conditions=(
        f"{EPISODES:,} episodes of each method, {_GAMES:,} games of each pairing, by turns starting"
        f" ({_QUICK_EPISODES:,} and {_QUICK_GAMES:,} with --quick). The interval holds the middle 95% of {_RUNS} runs,"
        f" each with new tables ({_QUICK_RUNS} with --quick). Ours: {_OUR_EPISODES:,} episodes. Exact play:"
        f" {_EXACT_GAMES:,} games, seats swapped, and {_POSITIONS:,} positions drawn from all that play can reach."
        " Described and ours are single runs, and chance explains differences of less than 0.3 points between them."
    ),
    seconds=240,
    run=run,
    claims=_CLAIMS,
    agents={"A4:q_learning": q_agent, "A4:monte_carlo": monte_carlo_agent},
)
