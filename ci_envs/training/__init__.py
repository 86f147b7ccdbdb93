"""Training of agents: options, run folders, checkpoints, measurements and progress, which all trainers share."""

from ci_envs.training.learners import train

__all__ = ["train"]
