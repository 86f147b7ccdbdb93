"""The command ``ci-envs plot``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@file_option("--output", "-o", required=True, help="Save the picture to a file that ends in .png, .svg or .pdf.")
@click.option(
    "--column", "columns", metavar="NAME", multiple=True, help="Draw only this column. You can repeat the option."
)
@click.option("--x", metavar="NAME", help="The column of the x axis.  [default: the first column]")
def plot(*, runs: tuple[Path, ...], output: Path, columns: tuple[str, ...], x: str | None) -> None:
    """Draw the learning curves of each RUN, which is a folder of ci-envs train or a CSV file.

    \b
    ci-envs plot runs/a runs/b -o curves.png
    ci-envs plot runs/a --column rating -o rating.png
    """
    from ci_envs.drawing.figure_file import check_figure_ending, write_figure
    from ci_envs.training.curves import draw_curves, read_curve

    with usage_errors():
        check_figure_ending(output)
        write_figure(draw_curves({str(run): read_curve(run) for run in runs}, columns, x=x), output)
