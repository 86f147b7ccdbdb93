"""The function :func:`train`, which trains an agent by name, and the trainer of each agent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ci_envs.agent_interface.capabilities import Trainable
from ci_envs.extras import optional_import
from ci_envs.games.game import Game
from ci_envs.generators import restored_generators
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.games import import_object, resolve
from ci_envs.registry.options import PRESET, check_options, read_options, with_defaults, with_preset
from ci_envs.registry.presets import presets_of
from ci_envs.registry.spec import quoted
from ci_envs.storage.files import folder_path
from ci_envs.training.config import TrainingConfig, training_options
from ci_envs.training.folder import RunFolder
from ci_envs.training.run import TrainingRun
from ci_envs.training.trainer import Task, Trainer
from ci_envs.validation import integer_between, true_or_false


def _can_be_trained(thing: Any) -> bool:
    return isinstance(thing, Trainable) or (isinstance(thing, type) and issubclass(thing, Trainer))


def load_learner(learner: str) -> tuple[str, Any, str | None]:
    """Return the name, the agent or trainer, and the text of the options of a spec string (:meth:`Components.load`)."""
    return AGENTS.load(learner, _can_be_trained)


def train(
    learner: str, environment: str, *, output: str | Path, seed: int = 0, resume: bool = False, **options: Any
) -> str:
    """Train an agent, and write the run to a folder.

    The folder contains ``config.json`` (all options, the environment, the seed and the versions), ``checkpoint.npz``,
    ``curve.csv`` (the learning curve), the best agent in ``best.*``, and TensorBoard events if ``tensorboard`` is
    installed. The global random number generators of Python, NumPy and PyTorch are left as they were.

    Args:
        learner: The name of an agent that can be trained, optionally with options: ``q_learning:symmetries=true``. Or a
            reference to a trainer or to an agent with a trainer, for example ``mine.py:MyTrainer``.
        environment: The id of an environment, optionally with parameters.
        output: The folder of the run. It is made if it does not exist.
        seed: The seed of all random numbers.
        resume: Whether to continue the run in ``output``.
        options: Further options of the learner. ``ci-envs train --options AGENT`` lists the options.

    Returns:
        The spec string of the best agent.

    Raises:
        TypeError: ``learner`` or ``environment`` is not a text, or ``output`` is not a path.
        ValueError: The agent cannot be trained, an option is not allowed, ``output`` contains a run and ``resume`` is
            false, ``resume`` is true and ``output`` contains no run or a run with other options, or the training
            fails.
        FloatingPointError: The training diverged. The last checkpoint is kept, if there is one.
        RuntimeError: The training failed in another package. The last checkpoint is kept.
        ImportError: A package that the learner needs is not installed.
        OSError: The folder cannot be written.

    Examples:
        >>> from ci_envs.training import train
        >>> train("q_learning", "TicTacToe-v0", episodes=100_000, output="runs/q_learning")  # doctest: +SKIP
    """
    if not isinstance(learner, str):
        raise TypeError(f"learner must be a text, not {learner!r}")
    _, game, env_options = resolve(environment)  # first, because its module can register the agent
    trainer_type = trainer_of(learner)
    name, component, text = load_learner(learner)
    options = {**read_training_options(trainer_type, text), **options}
    config = make_config(trainer_type, game, options)
    if not isinstance(environment, str):
        raise TypeError(f"environment must be a text, because the run is resumed with it, not {environment!r}")
    seed, path = integer_between("seed", seed, 0, 2**64 - 1), folder_path(output)
    resume = true_or_false("resume", resume)
    with restored_generators():
        trainer = trainer_type(Task(environment, game, env_options.get("max_cycles"), seed), config)
        folder = RunFolder(path.absolute(), trainer.best_file)  # an agent can change the current folder
        TrainingRun(trainer, folder).execute(resume=resume, remark=_default_length(trainer, options))
    agent = trainer.learner if isinstance(component, type) and issubclass(component, Trainer) else name
    return f"{agent}:{quoted(str(path / trainer.best_file))}"


def trainer_of(learner: str) -> type[Trainer]:
    """Return the trainer of an agent by its spec string, or the trainer that a reference such as ``mine.py:T`` names.

    Raises:
        ValueError: No agent has this name, or the agent cannot be trained.
        ImportError: A package that the agent needs is not installed.
        OSError: The file of a reference cannot be read.
    """
    name, factory, _ = load_learner(learner)
    if isinstance(factory, type) and issubclass(factory, Trainer):
        return factory
    if not isinstance(factory, Trainable):
        raise ValueError(f"Agent {name!r} cannot be trained. Available: {', '.join(learners()) or '(none)'}")
    with optional_import(f"training of {name}", preferred=name):
        trainer: type[Trainer] = import_object(factory.trainer)
    return trainer


def training_command(learner: str) -> str:
    """Return the command that trains an agent, with capital letters for the parts that the user chooses.

    Raises:
        ValueError: No agent has this name, or the agent cannot be trained.
        ImportError: A package that the agent needs is not installed.
    """
    config = trainer_of(learner).config_type
    unnamed = training_options(config)[config.unnamed] if config.unnamed else None
    required = f":{unnamed.name.upper()}" if unnamed and unnamed.is_required else ""
    return f"ci-envs train {learner}{required} ENV --output DIR"


def learners() -> list[str]:
    """Return the names of the agents that can be trained."""
    return [name for name in AGENTS.names() if _is_trainable(name)]


def make_config(trainer: type[Trainer], game: Game, options: Mapping[str, Any]) -> TrainingConfig:
    """Make the config of a trainer.

    The given options replace the presets of the game, and these replace the defaults.

    Args:
        trainer: The trainer.
        game: The game.
        options: The values by name. ``preset`` selects options of
            :func:`~ci_envs.registry.presets.presets_of`; the other given options replace them.

    Raises:
        ValueError: An option or a preset is unknown, a required option is missing, or a value is not allowed.
    """
    declared = training_options(trainer.config_type)
    values = with_defaults(_with_preset(trainer, options), trainer.presets(game), declared)
    return trainer.config_type(**check_options(_owner(trainer), values, declared))


def read_training_options(trainer: type[Trainer], text: str | None) -> dict[str, Any]:
    """Return the options of a trainer in a spec string by name. They are not checked.

    Raises:
        ValueError: An option is unknown, or the text is malformed.
    """
    options = {**training_options(trainer.config_type), "preset": PRESET}
    return read_options(_owner(trainer), text, options, trainer.config_type.unnamed)


def _with_preset(trainer: type[Trainer], options: Mapping[str, Any]) -> dict[str, Any]:
    presets = presets_of(trainer.learner) if options.get("preset") is not None else {}  # reads files
    return with_preset(_owner(trainer), options, training_options(trainer.config_type), presets)


def _owner(trainer: type[Trainer]) -> str:
    return f"training of {trainer.learner}"


def lengths_of(trainer: type[Trainer]) -> list[str]:
    """Return the names of the options that set the length of a run."""
    return [name for name, one in training_options(trainer.config_type).items() if one.declared.is_length]


def _default_length(trainer: Trainer, options: Mapping[str, Any]) -> str | None:
    """Return a remark on the default length of a run, or None if the options or their preset set the length."""
    names = lengths_of(type(trainer))
    if not _with_preset(type(trainer), options).keys().isdisjoint(names):
        return None
    lengths = [f"{value:,} {name}" for name in names if (value := getattr(trainer.config, name)) is not None]
    return f"Default length: {', '.join(lengths)}. The option {' or '.join(names)} changes it."


def _is_trainable(name: str) -> bool:
    try:
        return isinstance(AGENTS.find(name), Trainable)
    except Exception:  # an agent whose package is broken does not hide the others
        return False
