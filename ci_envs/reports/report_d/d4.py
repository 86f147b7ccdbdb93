"""Section D4: Quixo by Q-learning with rewards for runs.

:mod:`~ci_envs.reports.report_d.quixo_q_learning` contains the literal version. The rewards in the text of report D are
1.25 for each event, which is more than the reward for a win. The rewards that its authors published elsewhere are at
most 1, and only for the first event. The described version is our ``q_learning`` with ``shaping=longest_run``.
"""

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.reports.claims import Cell, Text
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.report_d.quixo_q_learning import (
    ADDED,
    EPISODES,
    FIRST_THAT_APPLIES,
    ActionTableAgent,
    learn_actions,
)
from ci_envs.reports.report_d.quixo_rows import QUIXO, SEATS, require_quixo, share_by_seat
from ci_envs.reports.rows import figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, published
from ci_envs.reports.tabular_learning import learned

_MATCHES, _QUICK_MATCHES = 1000, 100  # from each seat
_QUICK_EPISODES, _OUR_EPISODES, _OUR_QUICK_EPISODES = 5000, 300_000, 1000
_AGENT_EPISODES = 50_000  # episodes of the training in the constructor of the agent
_REWARDS = {"published elsewhere": FIRST_THAT_APPLIES, "of the text": ADDED}
_LEARNER = "q_learning:opponent=random,discount=0.95"
_TABLE_MB, _QUICK_TABLE_MB = 1600, 32
_DESCRIBED = "q_learning:preset=D4"
_OURS = (
    f"{_LEARNER},shaping=potential,symmetries=true,initial_spread=0.001,learning_rate_end=0.1,epsilon=0.1,epsilon_end=0"
)
_PUBLISHED = published("the results of Q-learning, 100 games, in a later version of the report, by one of its authors")
_PRINTED = {("published elsewhere", "both"): Figure(72, _PUBLISHED)}


def run(options: RunOptions) -> Findings:
    """Train by both versions of report D and by our trainer, and play against random from both seats."""
    episodes = _QUICK_EPISODES if options.quick else EPISODES
    literal = {}
    for name, rewards in _REWARDS.items():
        literal[name] = _shares(ActionTableAgent(QUIXO, learn_actions(rewards, episodes, options.seed)), options)
        options.report_progress(0.3 * len(literal))
    ours = []
    length, megabytes = (_OUR_QUICK_EPISODES, _QUICK_TABLE_MB) if options.quick else (_OUR_EPISODES, _TABLE_MB)
    for spec in (_DESCRIBED, _OURS):
        agent = learned(f"{spec},table_mb={megabytes}", "Quixo-v0", length, seed=options.seed).agent()
        agent.reseed(options.seed)
        ours.append(_shares(agent, options))
        options.report_progress(0.6 + 0.2 * len(ours))
    rows = []
    for name, shares in literal.items():
        for seat, share in shares.items():
            printed = _PRINTED.get((name, seat))
            estimates = share, *(each[seat] for each in ours)
            rows.append(figure_row(_wins(name, seat), printed, *estimates, unit="%"))
    return Findings(tuple(rows))


def _wins(rewards: str, seat: str) -> str:
    return f"rewards {rewards}, {_PLACES[seat]}, wins"


_PLACES = {"both": "both seats", "first": "moving first", "second": "moving second"}


def _shares(agent: Agent, options: RunOptions) -> dict[str, Estimate]:
    shares = share_by_seat(dict.fromkeys(SEATS, agent), _QUICK_MATCHES if options.quick else _MATCHES, options.seed)
    return {seat: shares[seat] for seat in _PLACES}


def _agent(game: Game, seed: int | None) -> ActionTableAgent:
    """Make report D's agent. It learns from 50,000 episodes with the rewards of the text, which takes some seconds."""
    require_quixo("report:D4", game)
    return ActionTableAgent(game, learn_actions(ADDED, _AGENT_EPISODES, seed or 0), seed=seed)


SECTION = Section(
    name="D4",
    title="Quixo by Q-learning",
    game="Quixo-v0",
    purpose="Learn Quixo by Q-learning with rewards for longer runs.",
    conclusion=Text(
        "The agent wins {:.1f}% with the rewards published elsewhere and {:.1f}% with those of the text, because it"
        " repeats what it tried first and so comes to know some positions well. Most positions that it meets are still"
        " new to it, and there it plays the first legal move.",
        tuple(Cell(_wins(name, "both")) for name in _REWARDS),
    ),
    conditions=(
        f"{EPISODES:,} episodes against random, a coin for who starts ({_QUICK_EPISODES:,} with --quick); learning rate"
        f" 0.1, discount 0.95, epsilon 0.1. {_MATCHES:,} games from each seat against random ({_QUICK_MATCHES} with"
        f" --quick). Described and ours learn from {_OUR_EPISODES:,} episodes ({_OUR_QUICK_EPISODES} with --quick),"
        f" because their tables have all actions of a position. The agent report:D4 learns from {_AGENT_EPISODES:,}."
        " The interval holds 95% of the measurements of 100 games."
    ),
    seconds=200,
    run=run,
    agents={"D4": _agent},
)
