"""Training of agents: options, run folders, checkpoints, measurements and progress, which all trainers share."""

from ci_envs.training.learners import train
from ci_envs.training.presets import training_presets

__all__ = ["train", "training_presets"]
