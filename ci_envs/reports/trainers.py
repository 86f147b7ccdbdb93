"""Training of our learners in a section, without the files of a run."""

from typing import Any

from ci_envs.agents.evolution.training import EvolutionTrainer
from ci_envs.agents.tabular.training import TabularTrainer
from ci_envs.registry.games import resolve
from ci_envs.registry.spec import split_spec
from ci_envs.training.learners import make_config, read_training_options, trainer_of
from ci_envs.training.trainer import Task, TrainerState


def new_trainer(learner: str, environment: str, seed: int, **options: Any) -> Any:
    """Return the trainer of a learner, before it begins.

    Args:
        learner: The learner with options, as a spec string.
        environment: The id of the environment.
        seed: The seed of the run.
        options: More options, which replace those of the spec string.

    Raises:
        ValueError: An option is not allowed.
    """
    name, text = split_spec(learner)
    _, game, env_options = resolve(environment)
    trainer = trainer_of(name)
    config = make_config(trainer, game, {**read_training_options(trainer, text), **options})
    return trainer(Task(environment, game, env_options.get("max_cycles"), seed), config)


def evolved(learner: str, environment: str, generations: int, seed: int, **options: Any) -> EvolutionTrainer:
    """Run one of our evolutions, and return its trainer.

    Args:
        learner: For example ``neat``, as for :func:`new_trainer`, like the other arguments.
        environment: The id of the environment.
        generations: The number of populations that play, of which the first one is random.
        seed: The seed of the run.
        options: More options.
    """
    trainer = new_trainer(learner, environment, seed, generations=generations - 1, **options)
    assert isinstance(trainer, EvolutionTrainer), f"{learner} is not an evolution"
    for _ in range(generations):
        trainer.evolution.advance()
    return trainer


def new_tabular_trainer(
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
    trainer = new_trainer(learner, environment, seed, episodes=episodes)
    assert isinstance(trainer, TabularTrainer), f"{learner} is not a tabular learner"
    if earlier is not None:
        state = earlier.state()
        assert state is not None, "the earlier run ended with an error"
        trainer.restore(TrainerState({"reached": (0, seed), "scores": (0.0, 0)}, state.arrays))
    return trainer


def train_to(trainer: TabularTrainer, episodes: int) -> TabularTrainer:
    """Train until a number of episodes since the start of the run is done, and return the trainer."""
    while trainer.count < episodes:
        trainer.step(episodes)
    return trainer


def learned(learner: str, environment: str, episodes: int, *, seed: int = 0) -> TabularTrainer:
    """Train a tabular learner, and return its trainer. :func:`new_tabular_trainer` describes the arguments."""
    return train_to(new_tabular_trainer(learner, environment, episodes, seed=seed), episodes)
