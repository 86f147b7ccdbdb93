"""The command ``ci-envs train``."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ci_envs.cli.errors import flag_of, usage_errors
from ci_envs.cli.options import ray_options, seed_option
from ci_envs.registry.spec import option_value, split_spec

_COUNT = click.IntRange(min=1)


def _list_options(context: click.Context, parameter: click.Parameter, learner: str | None) -> None:
    """Print the options of a learner, and exit."""
    if learner is None or context.resilient_parsing:
        return
    from ci_envs.training.config import documentation
    from ci_envs.training.learners import trainer_of

    with usage_errors():
        trainer = trainer_of(learner)
    click.echo(f"Options of ci-envs train {learner}:\n{documentation(trainer.config_type)}")
    if trainer.named_presets:
        click.echo("\nPresets, the settings of sections of the course reports:")
    for name, options in trainer.named_presets.items():
        click.echo(f"  preset={name}: {options}")
    context.exit()


@click.command()
@click.argument("learner", metavar="AGENT")
@click.argument("environment", metavar="ENV")
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
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the trained agent, the checkpoints and the logs.  [default: runs/AGENT-ENV]",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR.")
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set an option of AGENT. You can repeat this; --options lists the options.",
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
    learner: str,
    environment: str,
    seed: int,
    output: Path | None,
    resume: bool,
    settings: tuple[str, ...],
    **given: float | str | None,
) -> None:
    """Train AGENT in ENV.

    The length of the training has a default. Write options of AGENT after its name or after --set:

    \b
    ci-envs train q_learning TicTacToe-v0
    ci-envs train q_learning:symmetries=true TicTacToe-v0 --episodes 100000 --output runs/tictactoe
    ci-envs train q_learning TicTacToe-v0 --set episodes=100000 --set symmetries=true --output runs/tictactoe
    """
    from ci_envs.training.learners import train as train_learner

    flags = {key: value for key, value in given.items() if value is not None}
    with usage_errors():
        name = split_spec(learner)[0]
        _check_flags(name, flags)
        folder = output or Path("runs") / re.sub(r"[^\w.-]+", "-", f"{name}-{environment}")
        options = dict(map(_setting, settings)) | flags
        try:
            trained = train_learner(learner, environment, output=folder, seed=seed, resume=resume, **options)
        except KeyboardInterrupt:
            click.echo(f"Interrupted. Run the same command with --resume to continue in {str(folder)!r}.", err=True)
            raise
    click.echo(f"trained: {trained}")


def _check_flags(name: str, flags: Iterable[str]) -> None:
    """Check that a learner has the options that the flags set.

    Raises:
        ValueError: The learner has no such option, or no learner has this name.
        ImportError: A package that the learner needs is not installed.
    """
    from ci_envs.training.config import LENGTHS, options_of
    from ci_envs.training.learners import lengths_of, trainer_of

    trainer = trainer_of(name)
    for flag in flags:
        if flag not in options_of(trainer.config_type):
            instead = " or ".join(map(flag_of, lengths_of(trainer))) if flag in LENGTHS else ""
            fix = f"Use {instead}" if instead else f"Remove {flag_of(flag)}"
            raise ValueError(f"{name} has no option {flag_of(flag)}. {fix}.")


def _setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of a ``--set``."""
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise ValueError(f"--set must be NAME=VALUE, not {text!r}")
    return name, option_value(value)
