from .bit_string.problem import BitString
from .problem import Problem
from .set_covering.instances import lab_lists, set_covering
from .set_covering.or_library import read_scp, write_scp
from .set_covering.problem import SetCovering
from .solving import Found, Result, optimise

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
