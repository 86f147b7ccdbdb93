"""q."""

from functools import partial

from ci_envs.registration import make

env = partial(make, "Quixo-v0")
raw_env = partial(make, "Quixo-v0")
