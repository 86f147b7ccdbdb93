"""The functions that make environments. The stub file ``environments.pyi`` declares their parameters for each id."""

from ci_envs.envs.make import make
from ci_envs.envs.vector import make_vec

__all__ = ["make", "make_vec"]
