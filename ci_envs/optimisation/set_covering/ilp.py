"""A minimum-cost cover as an integer linear program, by HiGHS (the package ``highspy``, extra ``ilp``).

Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming Computation 10, 2018.

HiGHS branches on a set: select it or exclude it. Excluding one of very many sets hardly changes the LP relaxation, so
on the lab's instances, where a set costs its size, the bound of HiGHS does not improve. There it is better to branch on
an element, by the sets that have it
(:func:`~ci_envs.optimisation.set_covering.branch_and_bound.branch_on_elements`); HiGHS then solves the LP relaxation of
each node.
"""

from collections.abc import Iterator
from math import floor, ldexp, log2
from typing import Annotated, Any

import highspy
import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.set_covering.branch_and_bound import branch_on_elements, lower_bound
from ci_envs.optimisation.set_covering.cover import greedy_cover
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

_REPORT_SECONDS = 0.1
_CANCEL_SECONDS = 1.0  # HiGHS may react to a cancellation minutes later; its daemon thread does not block the process


@validated
def ilp(
    problem: SetCovering,
    *,
    branching: Annotated[
        str,
        Option(
            "set: branch and cut of HiGHS; element: branching on elements with LP relaxations by HiGHS",
            choices=("set", "element"),
        ),
    ] = "set",
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Integer linear programming, until a cover is proven optimal; the work is the number of nodes.

    Raises:
        ValueError: the branching is unknown.
        RuntimeError: HiGHS fails.
    """
    if branching == "set":
        return _branch_and_cut(problem, seed)
    return branch_on_elements(problem, LinearRelaxation(problem), seed)


def _branch_and_cut(problem: SetCovering, seed: int) -> Iterator[Incumbent]:
    solver = _BranchAndCut(problem, seed)
    yield solver.incumbent
    solver.highs.startSolve()
    try:
        while not solver.highs.wait(_REPORT_SECONDS)[0]:
            yield solver.incumbent
    finally:
        solver.highs.cancelSolve()
        solver.highs.wait(_CANCEL_SECONDS)
    solver.read_solution()
    yield solver.incumbent


class _BranchAndCut:
    """A run of HiGHS's branch and cut in a thread of its own.

    Attributes:
        highs: the HiGHS object.
        bound: a lower bound on the cost of every cover, known before the run.
        incumbent: the best cover so far.
    """

    def __init__(self, problem: SetCovering, seed: int) -> None:
        self.problem, self._unit = problem, _unit(problem)
        selected = greedy_cover(problem).selected
        self.bound = lower_bound(problem)
        self.incumbent = Incumbent(selected, problem.cost(selected), 0, self.bound)
        self.highs = _silent_highs()
        self.highs.setOptionValue("random_seed", seed % 2**31)
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.setOptionValue("mip_abs_gap", 0.0)
        self.highs.HandleUserInterrupt = True
        model = _model(problem, self.incumbent.value, self._unit)
        model.integrality_ = [highspy.HighsVarType.kInteger] * problem.loci
        self.highs.passModel(model)
        start = highspy.HighsSolution()
        start.col_value = selected.astype(float).tolist()
        self.highs.setSolution(start)
        self.highs.cbMipImprovingSolution.subscribe(self._update_solution)
        self.highs.cbMipInterrupt.subscribe(self._update_bound)

    def read_solution(self) -> None:
        """Read the optimal solution after HiGHS has stopped by itself.

        Raises:
            RuntimeError: HiGHS has stopped without an optimal solution.
        """
        status = self.highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self.highs.modelStatusToString(status)}")
        info = self.highs.getInfo()
        genome = np.array(self.highs.getSolution().col_value) > 0.5
        cost, nodes = self.problem.cost(genome), int(info.mip_node_count)
        best = self.incumbent
        if cost < best.value:  # otherwise it differs by less than the tolerance of HiGHS
            best = Incumbent(genome, cost, nodes)
        self.incumbent = Incumbent(best.genome, best.value, nodes, best.value)

    def _update_solution(self, event: Any) -> None:
        genome = np.array(event.data_out.mip_solution) > 0.5
        cost = self.problem.cost(genome)
        if cost < self.incumbent.value:
            self.incumbent = Incumbent(genome, cost, self.incumbent.work, self.incumbent.bound)

    def _update_bound(self, event: Any) -> None:
        bound = max(self.bound, min(float(event.data_out.mip_dual_bound) * self._unit, self.incumbent.value))
        nodes = int(event.data_out.mip_node_count)
        self.incumbent = Incumbent(self.incumbent.genome, self.incumbent.value, nodes, bound)


class LinearRelaxation:
    """The LP relaxation as a :class:`~ci_envs.optimisation.set_covering.branch_and_bound.Relaxation`.

    The simplex method starts from the basis of the previous call.

    Attributes:
        reduced_costs: see :class:`~ci_envs.optimisation.set_covering.branch_and_bound.Relaxation`.
    """

    def __init__(self, problem: SetCovering) -> None:
        self.reduced_costs = np.zeros(problem.loci)
        self._incidence, self._unit = problem.incidence, _unit(problem)
        sets, size = self._incidence.shape
        self._columns, self._rows = np.arange(sets, dtype=np.int32), np.arange(size, dtype=np.int32)
        self._highs = _silent_highs()
        self._highs.setOptionValue("presolve", "off")
        self._highs.passModel(_model(problem, problem.cost(greedy_cover(problem).selected), self._unit))

    def bound(self, uncovered: NDArray[np.uint64], open_sets: NDArray[np.int64], budget: float) -> float:
        """Return the value of the LP relaxation; the arguments are those of ``Relaxation.bound``.

        Raises:
            RuntimeError: HiGHS fails.
        """
        sets, size = self._incidence.shape
        required = np.unpackbits(uncovered.view(np.uint8), count=size, bitorder="little")
        upper = np.zeros(sets)
        upper[open_sets] = 1
        self._highs.changeColsBounds(sets, self._columns, np.zeros(sets), upper)
        unbounded = np.full(size, highspy.kHighsInf)
        self._highs.changeRowsBounds(size, self._rows, required.astype(float), unbounded)
        self._highs.setOptionValue("objective_bound", budget / self._unit)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kObjectiveBound):
            return float("inf")
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self._highs.modelStatusToString(status)}")
        reduced_costs = np.maximum(self._highs.getSolution().col_dual, 0) * self._unit
        self.reduced_costs = np.where(self._incidence @ required.astype(bool), reduced_costs, np.inf)
        return float(self._highs.getInfo().objective_function_value) * self._unit


def _silent_highs() -> Any:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs


def _unit(problem: SetCovering) -> float:
    """Return the unit of the costs in HiGHS, a power of two.

    The tolerances of HiGHS are absolute, 1e-6 or less. So this is 1 if all costs are whole numbers, and otherwise about
    a millionth of the cost of a cover, so that the tolerances are rounding errors of this cost.
    """
    if problem.has_whole_costs:
        return 1.0
    return max(ldexp(1.0, floor(log2(problem.weight_bound)) - 20), float(np.finfo(np.float64).tiny))


def _model(problem: SetCovering, most: float, unit: float) -> Any:
    """Return the linear program for covers that cost at most ``most``, with the costs in units of ``unit``."""
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = problem.loci, problem.size
    model.col_cost_ = np.minimum(problem.costs, most) / unit
    model.col_lower_, model.col_upper_ = np.zeros(problem.loci), (problem.costs <= most).astype(float)
    model.row_lower_, model.row_upper_ = np.ones(problem.size), np.full(problem.size, highspy.kHighsInf)
    rows, columns = problem.incidence.T.nonzero()
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.searchsorted(rows, np.arange(problem.size + 1))
    model.a_matrix_.index_ = columns
    model.a_matrix_.value_ = np.ones(len(columns))
    return model
