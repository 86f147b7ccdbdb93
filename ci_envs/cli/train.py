"""The command ``ci-envs train``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import seed_option
from ci_envs.spec import check_options, option_names, split_spec, unnamed_option


@click.command()
@click.argument("learner", metavar="AGENT")
@click.argument("environment", metavar="ENV")
@click.option("--steps", type=click.IntRange(min=1), help="Length of the training in actions of the agent.")
@click.option("--episodes", type=click.IntRange(min=1), help="Length of the training in games.")
@click.option("--generations", type=click.IntRange(min=1), help="Length of the training in generations of evolution.")
@click.option(
    "--iterations", type=click.IntRange(min=1), help="Length of the training in rounds of self-play and learning."
)
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Length of the training in minutes.")
@click.option("--workers", type=click.IntRange(min=1), help="Number of self-play processes of a Ray cluster.")
@click.option("--ray-address", metavar="ADDRESS", help="Address of the Ray cluster.  [default: one on this machine]")
@seed_option
@click.option(
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the trained agent, the checkpoints and the logs.",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR.")
def train(learner: str, environment: str, seed: int, output: Path, resume: bool, **given: float | str | None) -> None:
    """Train AGENT in ENV.

    ci-envs train sb3:maskable_ppo TicTacToe-v0 --steps 200000 --output runs/tictactoe
    """
    from ci_envs.agent.registry import trainer_of

    fixed = ("environment", "output", "seed", "resume")
    with usage_errors():
        name, options = split_spec(learner)
        trainer = trainer_of(name)
        options |= {key: value for key, value in given.items() if value is not None}
        required = option_names(trainer, without=fixed, required=True)
        allowed, unnamed = option_names(trainer, without=fixed), unnamed_option(trainer, fixed)
        named = check_options(f"training of {name}", options, allowed, required, unnamed)
        try:
            trained = trainer(environment, output=output, seed=seed, resume=resume, **named)
        except KeyboardInterrupt:
            click.echo(f"Interrupted. Run the same command with --resume to continue in {str(output)!r}.", err=True)
            raise
    click.echo(f"trained: {trained}")
