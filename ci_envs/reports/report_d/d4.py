"""Section D4: Quixo by Q-learning with rewards for runs.

:mod:`~ci_envs.reports.report_d.quixo_q_learning` contains the literal version. The rewards in the text of report D are
1.25 for each event, which is more than the reward for a win. The rewards that its authors published elsewhere are at
most 1, and only for the first event. The described version is our ``q_learning`` with ``shaping=longest_run``.
"""

from ci_envs.games.game import Game
from ci_envs.reports.literal_agent import LiteralAgent
from ci_envs.reports.matches import SEATS
from ci_envs.reports.report_d.quixo_q_learning import ADDED, FIRST_THAT_APPLIES, action_table_agent, learn_actions
from ci_envs.reports.report_d.quixo_rows import QUIXO, share_by_seat, shares_of_table
from ci_envs.reports.section_run import SectionRun, section

_AGENT_EPISODES = 50_000  # episodes of the training of the agent
_REWARDS = {"published elsewhere": FIRST_THAT_APPLIES, "of the text": ADDED}
_PLACES = {"both": "both seats", "first": "moving first", "second": "moving second"}
_OURS = (
    "q_learning:opponent=random,discount=0.95,shaping=potential,symmetries=true,initial_spread=0.001,"
    "learning_rate_end=0.1,epsilon=0.1,epsilon_end=0"
)


def _measure(run: SectionRun) -> None:
    """Train by both versions of report D and by our trainer, and play against random from both seats."""
    others = [shares_of_table(run, learner, "our_episodes") for learner in ("q_learning:preset=D4", _OURS)]
    for name, rewards in _REWARDS.items():
        agent = action_table_agent(QUIXO, learn_actions(rewards, run.budget("episodes"), run.seed))
        for seat, share in share_by_seat(run, dict.fromkeys(SEATS, agent)).items():
            run.add(f"rewards {name}, {_PLACES[seat]}, wins", share, *(each[seat] for each in others))


def _agent(game: Game, seed: int | None) -> LiteralAgent:
    """Make report D's agent. It learns from 50,000 episodes with the rewards of the text, which takes some seconds."""
    return action_table_agent(game, learn_actions(ADDED, _AGENT_EPISODES, seed or 0), seed=seed)


SECTION = section(__file__, _measure, agents={"D4": _agent})
