"""The quality of the results that an agent predicts, by exact results."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.suites.position_set import PositionSet

_BINS = 10


@dataclass(frozen=True)
class Bin:
    """The positions whose predictions are in one tenth of the range.

    Attributes:
        predicted: The mean prediction.
        result: The mean exact result.
        positions: The number of positions.
    """

    predicted: float
    result: float
    positions: int


@dataclass(frozen=True)
class Calibration:
    """The quality of predicted results. A prediction is the expected points, from 0 to 1.

    Attributes:
        brier: The mean squared difference of prediction and exact result (Brier, Monthly Weather Review 78, 1950).
        bins: The bins that are not empty, by their predictions.
    """

    brier: float
    bins: tuple[Bin, ...]

    def data(self) -> dict[str, Any]:
        """Return the numbers as plain data, with a list for each attribute of the bins."""
        names = [field.name for field in fields(Bin)]
        return {"brier": self.brier, **{name: [getattr(each, name) for each in self.bins] for name in names}}

    @property
    def positions(self) -> int:
        """The number of positions."""
        return sum(each.positions for each in self.bins)


def calibration(agent: Analyst, positions: PositionSet) -> Calibration:
    """Return the quality of the results that an agent predicts for each of some positions."""
    predicted = np.array([_expected_points(agent.analyse(position)) for position in positions.as_positions()])
    results = (1 + positions.values) / 2
    numbers = np.minimum((predicted * _BINS).astype(int), _BINS - 1)
    members = [numbers == number for number in np.unique(numbers)]
    bins = (Bin(float(predicted[rows].mean()), float(results[rows].mean()), int(rows.sum())) for rows in members)
    return Calibration(float(((predicted - results) ** 2).mean()), tuple(bins))


def pooled(calibrations: Sequence[Calibration]) -> Calibration:
    """Return the calibration on all positions of several sets."""
    bins = defaultdict(list)
    for each in (each for one in calibrations for each in one.bins):
        bins[min(int(each.predicted * _BINS), _BINS - 1)].append(each)
    count = sum(each.positions for each in calibrations)
    brier = sum(each.brier * each.positions for each in calibrations) / count
    return Calibration(brier, tuple(_merged(bins[number]) for number in sorted(bins)))


def _merged(bins: Sequence[Bin]) -> Bin:
    count = sum(each.positions for each in bins)
    predicted = sum(each.predicted * each.positions for each in bins) / count
    return Bin(predicted, sum(each.result * each.positions for each in bins) / count, count)


def _expected_points(analysis: Analysis) -> float:
    return (1 + (analysis.value if analysis.proven is None else analysis.proven)) / 2
