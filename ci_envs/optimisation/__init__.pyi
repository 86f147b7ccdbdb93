from .bit_string.problem import BitString
from .problem import Problem
from .set_covering.instances import lab_sets, set_covering
from .set_covering.or_library import read_scp, write_scp
from .set_covering.problem import SetCovering
from .solving import Incumbent, Result, optimise

__all__ = [
    "BitString",
    "Incumbent",
    "Problem",
    "Result",
    "SetCovering",
    "lab_sets",
    "optimise",
    "read_scp",
    "set_covering",
    "write_scp",
]
