"""The least covering as an integer linear program, by HiGHS (``pip install ci-envs[ilp]``).

Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming Computation 10, 2018.

HiGHS branches on a list: to take it or to leave it. To leave one of very many says almost nothing, so on the lab's
instances, where a list costs what it covers, its bound does not move. There it is better to branch on a number, by
whose lists it is covered (:func:`~ci_envs.optimisation.set_covering.branch_and_bound.by_numbers`); what HiGHS solves
then is the linear relaxation of each node.
"""

from collections.abc import Iterator
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.set_covering.branch_and_bound import by_numbers, lower_bound
from ci_envs.optimisation.set_covering.cover import greedy_cover
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found
from ci_envs.validation import one_of

_REPORT_SECONDS = 0.1
_PATIENCE = 1.0  # seconds; HiGHS may see an interruption minutes late, and its thread, a daemon, keeps no process alive


def ilp(problem: SetCovering, *, branching: str = "list", seed: int = 0) -> Iterator[Found]:
    """An integer linear program, until the best is proven; the work is the nodes.

    Args:
        problem: the instance.
        branching: on a ``list``, which is HiGHS's own branch and cut, or on a ``number``, with relaxations by HiGHS.
        seed: of HiGHS, or of the local search that comes before.

    Raises:
        ValueError: there is no such branching.
        RuntimeError: HiGHS fails.
    """
    one_of("branching", branching, ("list", "number"))
    return _by_lists(problem, seed) if branching == "list" else by_numbers(problem, LinearRelaxation(problem), seed)


def _by_lists(problem: SetCovering, seed: int) -> Iterator[Found]:
    solver = _Solver(problem, seed)
    yield solver.found
    solver.highs.startSolve()
    try:
        while not solver.highs.wait(_REPORT_SECONDS)[0]:
            yield solver.found
    finally:
        solver.highs.cancelSolve()
        solver.highs.wait(_PATIENCE)
    solver.read_end()
    yield solver.found


class _Solver:
    """HiGHS at work in a thread of its own.

    Attributes:
        highs: the solver.
        bound: what every covering costs at least, known from the beginning.
        found: the best so far.
    """

    def __init__(self, problem: SetCovering, seed: int) -> None:
        self.problem = problem
        taken = greedy_cover(problem).taken
        self.bound = lower_bound(problem)
        self.found = Found(taken, problem.cost(taken), 0, self.bound)
        self.highs = _silent()
        self.highs.setOptionValue("random_seed", seed % 2**31)
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.HandleUserInterrupt = True
        model = _model(problem)
        model.integrality_ = [highspy.HighsVarType.kInteger] * problem.loci
        self.highs.passModel(model)
        start = highspy.HighsSolution()
        start.col_value = taken.astype(float).tolist()
        self.highs.setSolution(start)
        self.highs.cbMipImprovingSolution.subscribe(self._improve)
        self.highs.cbMipInterrupt.subscribe(self._note)

    def read_end(self) -> None:
        """What HiGHS says when it has stopped by itself."""
        status = self.highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self.highs.modelStatusToString(status)}")
        info = self.highs.getInfo()
        genome = np.array(self.highs.getSolution().col_value) > 0.5
        self.found = Found(genome, self.problem.cost(genome), int(info.mip_node_count), float(info.mip_dual_bound))

    def _improve(self, event: Any) -> None:
        genome = np.array(event.data_out.mip_solution) > 0.5
        cost = self.problem.cost(genome)
        if cost < self.found.value:
            self.found = Found(genome, cost, self.found.work, self.found.bound)

    def _note(self, event: Any) -> None:
        bound = max(self.bound, float(event.data_out.mip_dual_bound))
        self.found = Found(self.found.genome, self.found.value, int(event.data_out.mip_node_count), bound)


class LinearRelaxation:
    """What the rest costs if it may be covered by parts of lists: a :class:`Relaxation`, by the simplex method.

    Each begins where the one before has ended.
    """

    def __init__(self, problem: SetCovering) -> None:
        self.slack = np.zeros(problem.loci)
        self._incidence = problem.incidence
        lists, size = self._incidence.shape
        self._columns, self._rows = np.arange(lists, dtype=np.int32), np.arange(size, dtype=np.int32)
        self._highs = _silent()
        self._highs.setOptionValue("presolve", "off")
        self._highs.passModel(_model(problem))

    def bound(self, bare: NDArray[np.uint64], numbers: NDArray[np.int64], purse: float) -> float:
        """As in :meth:`Relaxation.bound`.

        Raises:
            RuntimeError: HiGHS fails.
        """
        lists, size = self._incidence.shape
        wanted = np.unpackbits(bare.view(np.uint8), count=size, bitorder="little")
        share = np.zeros(lists)
        share[numbers] = 1
        self._highs.changeColsBounds(lists, self._columns, np.zeros(lists), share)
        free = np.full(size, highspy.kHighsInf)
        self._highs.changeRowsBounds(size, self._rows, wanted.astype(float), free)
        self._highs.setOptionValue("objective_bound", purse)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kObjectiveBound):
            return float("inf")
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with {self._highs.modelStatusToString(status)}")
        reduced_costs = np.maximum(self._highs.getSolution().col_dual, 0)
        self.slack = np.where(self._incidence @ wanted.astype(bool), reduced_costs, np.inf)
        return float(self._highs.getInfo().objective_function_value)


def _silent() -> Any:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs


def _model(problem: SetCovering) -> Any:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = problem.loci, problem.size
    model.col_cost_ = problem.costs
    model.col_lower_, model.col_upper_ = np.zeros(problem.loci), np.ones(problem.loci)
    model.row_lower_, model.row_upper_ = np.ones(problem.size), np.full(problem.size, highspy.kHighsInf)
    rows, columns = problem.incidence.T.nonzero()
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.searchsorted(rows, np.arange(problem.size + 1))
    model.a_matrix_.index_ = columns
    model.a_matrix_.value_ = np.ones(len(columns))
    return model
