"""The command ``ci-envs convert``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option
from ci_envs.extras import optional_import
from ci_envs.registry.games import resolve


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("environment", metavar="ENV")
@file_option("--output", "-o", required=True, help="Write the model to FILE, by convention *.safetensors.")
@click.option("--trust", is_flag=True, help="You know the origin of MODEL. Its pickled objects can run any code.")
def convert(model: Path, environment: str, output: Path, *, trust: bool) -> None:
    """Convert MODEL, a zip file of Stable-Baselines3, to a file for the agent sb3 that is safe to load.

    MODEL was trained for the game of ENV with an MlpPolicy, on the planes or on the observations of FlatMaskObs.

    ci-envs convert ppo.zip TicTacToe-v0 --output ppo.safetensors --trust
    """
    with usage_errors():
        _, game, _ = resolve(environment)
        with optional_import("the conversion of models", "sb3"):
            from ci_envs.baselines import save_model
            from ci_envs.baselines.model_file import check_ending
            from ci_envs.baselines.model_zip import load_zip
            from ci_envs.baselines.policies import check_spaces, has_preferences
        check_ending(output)
        loaded = load_zip(model, trust=trust)
        check_spaces(loaded, game)
        try:
            save_model(loaded, game, output)
        except ValueError as error:
            play = f"; sb3:{model},trust=true can still play" if has_preferences(loaded.policy) else ""
            raise ValueError(f"{error}{play}") from None
    click.echo(f"sb3:{output}")
