"""q."""

from functools import partial

from ci_envs.registration import make

env = partial(make, "Quarto-v0")
raw_env = partial(make, "Quarto-v0")
