"""The command ``ci-envs train``."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from ci_envs.cli.errors import flag_of, usage_errors
from ci_envs.cli.options import OUTPUT_FOLDER, ray_options, seed_option
from ci_envs.registry.games import resolve
from ci_envs.registry.spec import split_spec

_COUNT = click.IntRange(min=1)


def _list_options(context: click.Context, parameter: click.Parameter, learner: str | None) -> None:
    """Print the options of a learner, and exit."""
    if learner is None or context.resilient_parsing:
        return
    from ci_envs.registry.presets import presets_of
    from ci_envs.training.config import documentation
    from ci_envs.training.learners import trainer_of

    with usage_errors():
        trainer = trainer_of(learner)
    click.echo(f"Options of ci-envs train {learner}:\n{documentation(trainer.config_type)}")
    presets = presets_of(learner)
    if presets:
        click.echo("\nPresets, the settings of sections of the course reports:")
    for name, options in presets.items():
        click.echo(f"  preset={name}: {options}")
    context.exit()


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="AGENT ENV [--NAME VALUE]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--steps", type=_COUNT, help="Length of the training in actions of the agent.  [default: 300000]")
@click.option("--episodes", type=_COUNT, help="Length of the training in games.  [default: 1000000]")
@click.option(
    "--generations",
    type=_COUNT,
    help="Length of the training in generations of evolution."
    "  [default: 60 for evolution_strategy, 120 for neat, 60 for nim_evolved, 30 for nim_ga]",
)
@click.option(
    "--iterations", type=_COUNT, help="Length of the training in rounds of self-play and learning.  [default: 50]"
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Length of the training in minutes. Only alphazero has this option; it replaces --iterations.",
)
@ray_options("play the games")
@seed_option
@click.option(
    "--output",
    metavar="DIR",
    type=OUTPUT_FOLDER,
    help="Folder for the trained agent, the checkpoints and the logs.  [default: runs/AGENT-ENV]",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR.")
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="Set an option of AGENT, as --NAME VALUE does."
)
@click.option(
    "--options",
    metavar="AGENT",
    is_eager=True,
    expose_value=False,
    callback=_list_options,
    help="List the options of AGENT, and exit.",
)
def train(
    *,
    words: tuple[str, ...],
    seed: int,
    output: Path | None,
    resume: bool,
    settings: tuple[str, ...],
    **given: float | str | None,
) -> None:
    """Train AGENT in ENV.

    AGENT can also be a trainer of a Python file or module. The length of the training has a default, and so has every
    option of AGENT, which --options AGENT lists. Set an option by --NAME VALUE, or write it after the name of AGENT:

    \b
    ci-envs train q_learning TicTacToe-v0
    ci-envs train q_learning:symmetries=true TicTacToe-v0 --episodes 100000 --output runs/tictactoe
    ci-envs train mine.py:MyTrainer Nim-v0 --minutes 3
    """
    from ci_envs.training.folder import CONFIG
    from ci_envs.training.learners import train as train_learner

    with usage_errors():
        (learner, environment), flags = _split(words)
        flags |= {key: value for key, value in given.items() if value is not None}
        resolve(environment)  # its module can register the agent
        folder = output or Path("runs") / re.sub(r"[^\w.-]+", "-", f"{split_spec(learner)[0]}-{environment}")
        options = _options(learner, dict(map(_setting, settings)), flags)
        try:
            trained = train_learner(learner, environment, output=folder, seed=seed, resume=resume, **options)
        except KeyboardInterrupt:
            flag = " with --resume" if (folder / CONFIG).exists() else ""
            click.echo(f"Interrupted. Run the same command{flag} to continue in {str(folder)!r}.", err=True)
            raise
    click.echo(f"trained: {trained}")


def _split(words: Sequence[str]) -> tuple[tuple[str, str], dict[str, Any]]:
    """Return AGENT and ENV, and the values of the flags by the names of their options.

    Raises:
        click.UsageError: an argument is missing, there are more arguments, or a flag has no value.
    """
    names, flags, rest = list[str](), dict[str, Any](), iter(words)
    for word in rest:
        if not word.startswith("--"):
            names.append(word)
            continue
        flag, equals, value = word.partition("=")
        text = value if equals else next(rest, None)
        if text is None:
            raise click.UsageError(f"Option {flag!r} requires an argument.")
        flags[flag[2:].replace("-", "_")] = text
    if len(names) < 2:
        raise click.UsageError(f"Missing argument {'ENV' if names else 'AGENT'!r}.")
    if len(names) > 2:
        raise click.UsageError(f"Got unexpected extra argument ({' '.join(names[2:])})")
    return (names[0], names[1]), flags


def _options(learner: str, settings: Mapping[str, str], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a learner by name, in their types, from ``--set`` and the flags.

    Raises:
        ValueError: The learner has no such option, or no learner has this name.
        ImportError: A package that the learner needs is not installed.
    """
    from ci_envs.training.config import training_options
    from ci_envs.training.learners import learners, lengths_of, trainer_of

    trainer = trainer_of(learner)
    known = training_options(trainer.config_type)
    for flag in flags:
        if flag in known or flag == "preset":
            continue
        is_length = any(flag in lengths_of(trainer_of(name)) for name in learners())
        similar = lengths_of(trainer) if is_length else get_close_matches(flag, known, n=1)
        fix = f"Use {' or '.join(map(flag_of, similar))}" if similar else f"Remove {flag_of(flag)}"
        raise ValueError(f"{trainer.learner} has no option {flag_of(flag)}. {fix}.")
    given = {**settings, **flags}.items()
    return {name: known[name].parse(text) if name in known and isinstance(text, str) else text for name, text in given}


def _setting(text: str) -> tuple[str, str]:
    """Return the name and the text of the value of a ``--set``."""
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise ValueError(f"--set must be NAME=VALUE, not {text!r}")
    return name, value
