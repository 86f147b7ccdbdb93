"""The grade of an agent on a set of positions with exact values.

The **regret** of a decision is the points that it gives away: a win has 1 point, a draw 1/2. The **skill** of an agent
is ``100 (1 - r / u)``, where r is its mean regret and u that of uniformly random legal actions on the same positions.
So exact play has 100 and random play 0 in every game, whatever the number of its actions or of its hard positions. This
is the form of a skill score in the verification of forecasts (Murphy, "Skill scores based on the mean square error and
their relationships to the correlation coefficient", Monthly Weather Review 116, 1988). The interval of r / u is that of
a ratio of two means (Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6).

An agent decides on :data:`BLOCK` positions at a time, and gets a new seed before each block. So anybody can repeat the
decisions of a block without the other blocks.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent, isolated, make_agent
from ci_envs.arena.grading import Accuracy, grade
from ci_envs.arena.match import play_match
from ci_envs.arena.proportion import Proportion
from ci_envs.arena.ratings import CONFIDENCE
from ci_envs.arena.timing import decision_times
from ci_envs.arena.tournament import derived_seed
from ci_envs.solver.solution import NO_SCORE, Progress
from ci_envs.solver.solver import solver_of
from ci_envs.suites.calibration import Calibration, calibration
from ci_envs.suites.candidates import PHASES
from ci_envs.suites.position_set import PositionSet

T = TypeVar("T")

BLOCK = 200
"""The number of positions on which an agent decides with one seed."""

_TIMED = 20  # decisions on one board
_TIMED_SECONDS = 2.0
_ANALYSED = 100  # positions whose value an agent predicts
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

    def text(self, digits: int) -> str:
        """Return the mean and the margin as text, with a number of decimal places.

        Examples:
            >>> from ci_envs.suites.grade import Mean
            >>> Mean(97.31, 0.44).text(1)
            '97.3 ±0.4'
        """
        return f"{self.mean:.{digits}f} ±{self.margin:.{digits}f}"


@dataclass(frozen=True)
class Grade:
    """The grade of one agent on one set of positions.

    Attributes:
        environment: The id of the environment.
        skill: The skill: 100 for exact play, 0 for random play.
        phases: The accuracy of its decisions in each phase of the game.
        regret: The mean regret of a decision.
        random_regret: The expected regret of a uniformly random legal action.
        blocks: The points that the decisions of each block of positions lose.
        converted: The games from won positions that it won against the defender.
        held: The games from drawn positions that it did not lose against the defender.
        milliseconds: The wall-clock time of a decision on one board, or None if the agent fails.
        calibration: How well it predicts results, or None if it does not analyse.
    """

    environment: str
    skill: Mean
    phases: Mapping[str, Accuracy]
    regret: Mean
    random_regret: float
    blocks: tuple[float, ...]
    converted: Proportion
    held: Proportion
    milliseconds: Mean | None
    calibration: Calibration | None

    @property
    def accuracy(self) -> Accuracy:
        """The accuracy in all phases."""
        return sum(self.phases.values(), Accuracy())


def grade_suite(
    spec: str,
    sets: Sequence[PositionSet],
    games: int,
    seed: int,
    *,
    limits: ProcessLimits | None = None,
    progress: Progress | None = None,
) -> list[Grade]:
    """Return the grades of an agent on the sets of the environments that it plays.

    Args:
        spec: The spec string of the agent.
        sets: The sets of positions.
        games: See :func:`grade_agent`.
        seed: The seed of the agent.
        limits: The limits of the agent's process, if it is not registered. None runs it in this process.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts sets.

    Raises:
        ValueError: The spec string is invalid, the agent plays none of the environments, or no legal action of a set
            loses value.
    """
    grades, reasons = [], []
    for place, positions in enumerate(sets):
        if progress:
            progress(place, len(sets))
        try:
            agent = graded_agent(spec, positions, seed, limits)
        except ValueError as error:  # for example an agent of another game
            reasons.append(error)
            continue
        grades.append(grade_agent(agent, positions, games, seed))
    if not grades:
        raise reasons[0]
    return grades


def graded_agent(spec: str, positions: PositionSet, seed: int, limits: ProcessLimits | None = None) -> Agent:
    """Make the agent of a spec string for the game of a set of positions.

    Raises:
        ValueError: The spec string is invalid, or the agent does not play the game.
    """
    own = derived_seed(seed, spec)
    game = positions.game
    return as_agent(spec, game, seed=own) if limits is None else isolated(spec, game, limits, own)


def total_skill(grades: Sequence[Grade]) -> Mean:
    """Return the mean skill of all games. Environments of a game, such as ``Nim-v0:misere=True``, share its weight.

    Examples:
        >>> from ci_envs import make_agent
        >>> from ci_envs.suites.grade import grade_agent, total_skill
        >>> from ci_envs.suites.position_set import make_set
        >>> positions = make_set("Nim-v0:heaps=1,2,3", 100, 0)
        >>> total_skill([grade_agent(make_agent("exact", positions.game), positions, 2, 0)]).mean
        100.0
    """
    games = by_game((each.environment, each.skill) for each in grades)
    return _mean_of([_mean_of(skills) for skills in games.values()])


def by_game(values: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Return the values of environments by the game: those of ``Nim-v0`` and ``Nim-v0:misere=True`` are together.

    Args:
        values: The id of an environment and a value, for each value.

    Examples:
        >>> from ci_envs.suites.grade import by_game
        >>> by_game([("Nim-v0", 1), ("Quarto-v0", 2), ("Nim-v0:misere=True", 3)])
        {'Nim-v0': [1, 3], 'Quarto-v0': [2]}
    """
    games = defaultdict[str, list[T]](list)
    for environment, value in values:
        games[environment.partition(":")[0]].append(value)
    return dict(games)


def grade_agent(agent: Agent, positions: PositionSet, games: int, seed: int) -> Grade:
    """Grade an agent on a set of positions.

    Args:
        agent: The agent, for the game of the set.
        positions: The positions.
        games: The number of won and of drawn positions from which it plays two games each against the defender.
        seed: The seed of the agent's decisions and of the defender.

    Raises:
        ValueError: No legal action of the positions loses value, so that there is nothing to grade.
    """
    chance = random_regrets(positions)
    blocks = range(math.ceil(len(positions) / BLOCK))
    actions = np.concatenate([block_actions(agent, positions, block, seed) for block in blocks])
    regrets, phases = chosen_regrets(positions, actions), positions.positions.phases
    accuracies = {
        name: grade(positions.scores[phases == number], actions[phases == number])
        for number, name in enumerate(PHASES)
        if (phases == number).any()
    }
    agent.reseed(seed)
    defender = make_agent(defender_of(positions), positions.game, seed=seed)
    return Grade(
        positions.environment,
        skill_of(regrets, chance),
        accuracies,
        _mean(regrets),
        float(chance.mean()),
        tuple(float(regrets[block_rows(block)].sum()) for block in blocks),
        _played(agent, defender, positions, 1, games),
        _played(agent, defender, positions, 0, games),
        _milliseconds(agent, positions.evenly(_TIMED).positions.words[:, np.newaxis]),
        calibration(agent, positions.evenly(_ANALYSED)) if isinstance(agent, Analyst) else None,
    )


def block_rows(block: int) -> slice:
    """Return the rows of the positions of a block."""
    return slice(block * BLOCK, (block + 1) * BLOCK)


def block_actions(agent: Agent, positions: PositionSet, block: int, seed: int) -> NDArray[np.int64]:
    """Return the actions of an agent in the positions of a block, legal or not."""
    agent.reseed(derived_seed(seed, positions.environment, str(block)))
    return decide_or_fail(agent, positions.positions.words[block_rows(block)]).actions


def defender_of(positions: PositionSet) -> str:
    """Return the spec string of the agent against which won positions must be won, and drawn ones held."""
    quick = solver_of(positions.game).plays_quickly(positions.game)
    return "exact" if quick else "minimax:depth=4,exact=included"


def chosen_regrets(positions: PositionSet, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the regret of one action in each position, legal or not."""
    regrets = positions.regrets
    within = (actions >= 0) & (actions < regrets.shape[1])
    lost = (positions.values + 1) / 2
    chosen: NDArray[np.float64] = np.where(within, regrets[np.arange(len(regrets)), np.where(within, actions, 0)], lost)
    return chosen


def random_regrets(positions: PositionSet) -> NDArray[np.float64]:
    """Return the expected regret of a uniformly random legal action in each position.

    Raises:
        ValueError: No legal action of the positions loses value.
    """
    legal = positions.scores != NO_SCORE
    means: NDArray[np.float64] = (positions.regrets * legal).sum(axis=1) / legal.sum(axis=1)
    if not means.any():
        raise ValueError(
            f"no legal action loses value in the {len(positions)} positions of {positions.environment}: take more"
        )
    return means


def skill_of(regrets: NDArray[np.float64], chance: NDArray[np.float64]) -> Mean:
    """Return the skill of decisions with some regrets, from the expected regrets of random play, both of shape (n,)."""
    ratio = regrets.mean() / chance.mean()
    return Mean(float(100 * (1 - ratio)), 100 * _mean((regrets - ratio * chance) / chance.mean()).margin)


def _mean(values: NDArray[np.float64]) -> Mean:
    margin = _NORMAL * float(values.std()) / math.sqrt(len(values))
    return Mean(float(values.mean()), margin)


def _mean_of(means: Sequence[Mean]) -> Mean:
    """Return the mean of independent means, each of equal weight."""
    margin = math.sqrt(sum(each.margin**2 for each in means)) / len(means)
    return Mean(sum(each.mean for each in means) / len(means), margin)


def _milliseconds(agent: Agent, words: NDArray[np.uint64]) -> Mean | None:
    decision_times(agent, words[:1], 0)  # the first decision can include compilation
    times = decision_times(agent, words, _TIMED_SECONDS)
    return _mean(1000 * np.array(times)) if times else None


def _played(agent: Agent, defender: Agent, positions: PositionSet, value: int, count: int) -> Proportion:
    """Return the games from positions of a value in which the agent got at least this result, and their number.

    A mistake is possible in these positions. If some distances are known, they are known there, so that the defender
    resists as long as possible.
    """
    suitable = (positions.values == value) & (positions.keeping_shares < 1)
    known = ((np.abs(positions.scores) > 1) & (positions.scores != NO_SCORE)).any(axis=1)
    rows = np.flatnonzero(suitable & known if known.any() else suitable)
    starts = positions.at(rows).evenly(count).positions.words
    if len(starts) == 0:
        return Proportion()
    match = play_match(
        positions.game, agent, defender, 2 * len(starts), openings=starts, swap_seats=False, count_faults=True
    )
    total = match.sides[0].total
    return Proportion(total.wins + (total.draws if value == 0 else 0), total.games)
