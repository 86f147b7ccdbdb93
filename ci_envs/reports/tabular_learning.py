"""Training our tabular learners inside a section, without the files of a run."""

from collections.abc import Callable

from ci_envs.agents.tabular.training import TabularTrainer
from ci_envs.registry import resolve
from ci_envs.spec import split_spec
from ci_envs.training.learners import make_config, trainer_of
from ci_envs.training.trainer import Task

Progress = Callable[[float], object]


def learned(
    learner: str, environment: str, episodes: int, *, seed: int = 0, progress: Progress = lambda share: None
) -> TabularTrainer:
    """Train a tabular learner, and return its trainer at the end of the run.

    Args:
        learner: ``q_learning`` or ``monte_carlo`` with options, as a spec string.
        environment: The id of the environment.
        episodes: The length of the run, in games.
        seed: The seed of the run, and of the agent that plays by the table.
        progress: Called with the share of the episodes that is done.

    Raises:
        ValueError: An option is not allowed.
    """
    name, options = split_spec(learner)
    _, game, env_options = resolve(environment)
    trainer_type = trainer_of(name)
    config = make_config(trainer_type, game, {**options, "episodes": episodes})
    trainer = trainer_type(Task(environment, game, env_options.get("max_cycles"), seed), config)
    assert isinstance(trainer, TabularTrainer), f"{name} is not a tabular learner"
    while trainer.count < episodes:
        trainer.step(episodes)
        progress(trainer.count / episodes)
    return trainer
