"""The grade of an agent on a set of positions with exact values.

The **regret** of a decision is the points that it gives away: a win has 1 point, a draw 1/2. The **skill** of an agent
is ``100 (1 - r / u)``, where r is its mean regret and u that of uniformly random legal actions on the same positions.
So exact play has 100 and random play 0 in every game, whatever the number of its actions or of its hard positions. This
is the form of a skill score in the verification of forecasts (Murphy, "Skill scores based on the mean square error and
their relationships to the correlation coefficient", Monthly Weather Review 116, 1988).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent, make_agent
from ci_envs.arena.grading import Accuracy, grade
from ci_envs.arena.match import play_match
from ci_envs.arena.proportion import Proportion
from ci_envs.arena.ratings import CONFIDENCE
from ci_envs.arena.timing import Timing, time_decisions
from ci_envs.arena.tournament import derived_seed
from ci_envs.solver.solution import NO_SCORE, Progress
from ci_envs.solver.solver import solver_of
from ci_envs.suites.candidates import PHASES
from ci_envs.suites.position_set import PositionSet

_TIMED = 20  # decisions on one board
_ANALYSED = 100  # positions whose value an agent predicts
_BINS = 10
_NORMAL = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Mean:
    """A mean with half the width of its 95% interval.

    Attributes:
        mean: The mean.
        margin: Half the width of the interval, from the normal approximation.
    """

    mean: float
    margin: float


@dataclass(frozen=True)
class Calibration:
    """The quality of predicted results. A prediction is the expected points, from 0 to 1.

    Attributes:
        brier: The mean squared difference of prediction and exact result (Brier, Monthly Weather Review 78, 1950).
        bins: For each tenth of the predictions that occurs: mean prediction, mean exact result, number of positions.
    """

    brier: float
    bins: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True)
class Grade:
    """The grade of one agent on one set of positions.

    Attributes:
        environment: The id of the environment.
        phases: The accuracy of its decisions in each phase of the game.
        regret: The mean regret of a decision.
        random_regret: The expected regret of a uniformly random legal action.
        converted: The games from won positions that it won against the defender.
        held: The games from drawn positions that it did not lose against the defender.
        timing: The time of decisions on one board.
        calibration: How well it predicts results, or None if it does not analyse.
    """

    environment: str
    phases: Mapping[str, Accuracy]
    regret: Mean
    random_regret: float
    converted: Proportion
    held: Proportion
    timing: Timing
    calibration: Calibration | None

    @property
    def accuracy(self) -> Accuracy:
        """The accuracy in all phases."""
        return sum(self.phases.values(), Accuracy())

    @property
    def skill(self) -> Mean:
        """The skill: 100 for exact play, 0 for random play."""
        return Mean(100 * (1 - self.regret.mean / self.random_regret), 100 * self.regret.margin / self.random_regret)


def grade_suite(
    agents: Sequence[str], sets: Sequence[PositionSet], games: int, seed: int, progress: Progress | None = None
) -> list[tuple[str, list[Grade]]]:
    """Return the grades of agents, each with its label.

    Args:
        agents: Spec strings, each of an agent that plays at least one environment.
        sets: The sets of positions.
        games: See :func:`grade_agent`.
        seed: The seed of the agents.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts pairs of an agent and a set.

    Raises:
        ValueError: A spec string is invalid, an agent plays none of the environments, or no legal action of a set loses
            value.
    """
    graded = []
    for number, spec in enumerate(agents):
        grades, reasons = [], []
        for place, positions in enumerate(sets):
            if progress:
                progress(number * len(sets) + place, len(agents) * len(sets))
            try:
                agent = as_agent(spec, positions.game, seed=derived_seed(seed, spec))
            except ValueError as error:  # for example an agent of another game
                reasons.append(error)
                continue
            grades.append(grade_agent(agent, positions, games, seed))
        if not grades:
            raise reasons[0]
        graded.append((spec, grades))
    return graded


def total_skill(grades: Sequence[Grade]) -> Mean:
    """Return the mean skill on several sets, each of equal weight."""
    skills = [each.skill for each in grades]
    margin = math.sqrt(sum(skill.margin**2 for skill in skills)) / len(skills)
    return Mean(sum(skill.mean for skill in skills) / len(skills), margin)


def grade_agent(agent: Agent, positions: PositionSet, games: int, seed: int) -> Grade:
    """Grade an agent on a set of positions.

    Args:
        agent: The agent, for the game of the set.
        positions: The positions.
        games: The number of won and of drawn positions from which it plays two games each against the defender.
        seed: The seed of the defender.

    Raises:
        ValueError: No legal action of the positions loses value, so that there is nothing to grade.
    """
    random_regret = float(_random_regrets(positions).mean())
    if random_regret == 0:
        raise ValueError(
            f"no legal action loses value in the {len(positions)} positions of {positions.environment}: take more"
        )
    words, phases = positions.positions.words, positions.positions.phases
    actions = decide_or_fail(agent, words).actions
    accuracies = {
        name: grade(positions.scores[phases == number], actions[phases == number])
        for number, name in enumerate(PHASES)
        if (phases == number).any()
    }
    defender = make_agent(defender_of(positions), positions.game, seed=seed)
    return Grade(
        positions.environment,
        accuracies,
        _mean(_chosen_regrets(positions, actions)),
        random_regret,
        _played(agent, defender, positions, 1, games),
        _played(agent, defender, positions, 0, games),
        time_decisions(agent, positions.evenly(_TIMED).positions.words[:, np.newaxis]),
        _calibration(agent, positions.evenly(_ANALYSED)) if isinstance(agent, Analyst) else None,
    )


def defender_of(positions: PositionSet) -> str:
    """Return the spec string of the agent against which won positions must be won, and drawn ones held."""
    quick = solver_of(positions.game).plays_quickly(positions.game)
    return "exact" if quick else "minimax:depth=4,exact=included"


def _chosen_regrets(positions: PositionSet, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the regret of one action in each position, legal or not."""
    regrets = positions.regrets
    within = (actions >= 0) & (actions < regrets.shape[1])
    lost = (positions.values + 1) / 2
    chosen: NDArray[np.float64] = np.where(within, regrets[np.arange(len(regrets)), np.where(within, actions, 0)], lost)
    return chosen


def _random_regrets(positions: PositionSet) -> NDArray[np.float64]:
    """Return the expected regret of a uniformly random legal action in each position."""
    legal = positions.scores != NO_SCORE
    means: NDArray[np.float64] = (positions.regrets * legal).sum(axis=1) / legal.sum(axis=1)
    return means


def _mean(values: NDArray[np.float64]) -> Mean:
    margin = _NORMAL * float(values.std()) / math.sqrt(len(values))
    return Mean(float(values.mean()), margin)


def _played(agent: Agent, defender: Agent, positions: PositionSet, value: int, count: int) -> Proportion:
    """Return the games from positions of a value in which the agent got at least this result, and their number."""
    hard = np.flatnonzero((positions.values == value) & (positions.keeping_shares < 1))
    starts = positions.at(hard).evenly(count).positions.words
    if len(starts) == 0:
        return Proportion()
    match = play_match(
        positions.game, agent, defender, 2 * len(starts), openings=starts, swap_seats=False, count_faults=True
    )
    total = match.sides[0].total
    return Proportion(total.wins + (total.draws if value == 0 else 0), total.games)


def _calibration(agent: Any, positions: PositionSet) -> Calibration:
    predicted = np.array([_expected_points(agent.analyse(position)) for position in positions.as_positions()])
    results = (1 + positions.values) / 2
    bins = np.minimum((predicted * _BINS).astype(int), _BINS - 1)
    found = [bins == number for number in np.unique(bins)]
    return Calibration(
        float(((predicted - results) ** 2).mean()),
        tuple((float(predicted[rows].mean()), float(results[rows].mean()), int(rows.sum())) for rows in found),
    )


def _expected_points(analysis: Analysis) -> float:
    return (1 + (analysis.value if analysis.proven is None else analysis.proven)) / 2
