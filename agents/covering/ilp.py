"""The least covering as an integer linear program, by HiGHS (``pip install ci-envs[ilp]``).

Huangfu and Hall, "Parallelizing the dual revised simplex method", Mathematical Programming Computation 10, 2018.
"""

from collections.abc import Iterator
from typing import Any

import highspy
import numpy as np

from agents.covering.branch_and_bound import lower_bound
from agents.covering.cover import greedy_cover
from ci_envs.problems.set_covering import SetCovering
from ci_envs.problems.solving import Found

_REPORT_SECONDS = 0.1


def ilp(problem: SetCovering, *, seed: int = 0) -> Iterator[Found]:
    """HiGHS, an integer linear program's branch and cut, until the best is proven; the work is the nodes.

    Args:
        problem: the instance.
        seed: of HiGHS.

    Raises:
        RuntimeError: HiGHS fails.
    """
    solver = _Solver(problem, seed)
    yield solver.found
    solver.highs.startSolve()
    try:
        while not solver.highs.wait(_REPORT_SECONDS)[0]:
            yield solver.found
    finally:
        solver.highs.cancelSolve()
        solver.highs.wait()
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
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("random_seed", seed % 2**31)
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.HandleUserInterrupt = True
        self.highs.passModel(_model(problem))
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


def _model(problem: SetCovering) -> Any:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = problem.loci, problem.size
    model.col_cost_ = problem.costs
    model.col_lower_, model.col_upper_ = np.zeros(problem.loci), np.ones(problem.loci)
    model.integrality_ = [highspy.HighsVarType.kInteger] * problem.loci
    model.row_lower_, model.row_upper_ = np.ones(problem.size), np.full(problem.size, highspy.kHighsInf)
    rows, columns = problem.incidence.T.nonzero()
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.searchsorted(rows, np.arange(problem.size + 1))
    model.a_matrix_.index_ = columns
    model.a_matrix_.value_ = np.ones(len(columns))
    return model
