"""q."""

from functools import partial

from ci_envs.registration import make

env = partial(make, "TicTacToe-v0")
raw_env = partial(make, "TicTacToe-v0")
