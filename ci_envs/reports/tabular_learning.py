"""Training of our tabular learners in a section, without the files of a run."""

from collections.abc import Callable

from ci_envs.agents.tabular.training import TabularTrainer
from ci_envs.registry.games import resolve
from ci_envs.registry.spec import split_spec
from ci_envs.training.learners import make_config, read_training_options, trainer_of
from ci_envs.training.trainer import Task, TrainerState

Progress = Callable[[float], object]


def new_trainer(
    learner: str, environment: str, episodes: int, *, seed: int = 0, earlier: TabularTrainer | None = None
) -> TabularTrainer:
    """Return the trainer of a tabular learner, before its first episode.

    Args:
        learner: ``q_learning`` or ``monte_carlo`` with options, as a spec string.
        environment: The id of the environment.
        episodes: The length of the run, in games.
        seed: The seed of the run.
        earlier: A trainer. The new trainer continues with its table.

    Raises:
        ValueError: An option is not allowed.
    """
    name, text = split_spec(learner)
    _, game, env_options = resolve(environment)
    trainer_type = trainer_of(name)
    config = make_config(trainer_type, game, {**read_training_options(trainer_type, text), "episodes": episodes})
    trainer = trainer_type(Task(environment, game, env_options.get("max_cycles"), seed), config)
    assert isinstance(trainer, TabularTrainer), f"{name} is not a tabular learner"
    if earlier is not None:
        state = earlier.state()
        assert state is not None, "the earlier run ended with an error"
        trainer.restore(TrainerState({"reached": (0, seed), "scores": (0.0, 0)}, state.arrays))
    return trainer


def train_to(trainer: TabularTrainer, episodes: int, progress: Progress = lambda share: None) -> TabularTrainer:
    """Train until a number of episodes is done, and return the trainer.

    Args:
        trainer: The trainer.
        episodes: The number of episodes since the start of the run.
        progress: A function that is called with the completed share of the episodes.
    """
    while trainer.count < episodes:
        trainer.step(episodes)
        progress(trainer.count / episodes)
    return trainer


def learned(learner: str, environment: str, episodes: int, *, seed: int = 0) -> TabularTrainer:
    """Train a tabular learner, and return its trainer. :func:`new_trainer` describes the arguments."""
    return train_to(new_trainer(learner, environment, episodes, seed=seed), episodes)
