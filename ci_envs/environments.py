"""The functions that make environments. The stub beside this file states their parameters for each id."""

from ci_envs.envs.make import make
from ci_envs.envs.vector import make_vec

__all__ = ["make", "make_vec"]
