"""Training of agents: options, run folders, checkpoints, measurements and progress, the same for all that learn."""

from ci_envs.training.learners import train

__all__ = ["train"]
