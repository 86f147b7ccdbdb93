"""Problems of optimisation: set covering, and a bit string in a black box."""

from ci_envs.problems.bit_string import BitString
from ci_envs.problems.or_library import read_scp, write_scp
from ci_envs.problems.problem import Problem
from ci_envs.problems.set_covering import SetCovering, lab_lists, set_covering
from ci_envs.problems.solving import Found, Result, optimise

__all__ = [
    "BitString",
    "Found",
    "Problem",
    "Result",
    "SetCovering",
    "lab_lists",
    "optimise",
    "read_scp",
    "set_covering",
    "write_scp",
]
