"""The command ``ci-envs reports``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import OUTPUT_FOLDER, seed_option
from ci_envs.cli.progress import count_progress

if TYPE_CHECKING:
    from ci_envs.reports.section import Findings, RunOptions, Section


@click.command()
@click.argument("names", metavar="[SECTION... | all]", nargs=-1)
@click.option("--quick", is_flag=True, help="Run in seconds, with fewer games and wider intervals.")
@seed_option
@click.option(
    "--output",
    default="reports",
    show_default=True,
    type=OUTPUT_FOLDER,
    help="Folder for the results and plots.",
)
@data_options("the figures")
@click.option("--again", is_flag=True, help="Run a section again if the folder contains its results already.")
def reports(
    *, names: tuple[str, ...], quick: bool, seed: int, output: Path, data_files: DataFiles, again: bool
) -> None:
    """Run each SECTION of the course reports, or list the sections.

    Each section compares the published figures of a report with three results: those of a literal re-implementation,
    of the method as the report describes it, and of our best method.

    \b
    ci-envs reports
    ci-envs reports B31
    ci-envs reports all --quick
    """
    from rich.console import Console

    from ci_envs.reports.catalog import section_of, sections
    from ci_envs.reports.results import json_rows
    from ci_envs.reports.section import RunOptions
    from ci_envs.reports.tables import catalog_rows, catalog_table, findings_table

    console = Console(highlight=False)
    if not names:
        if not data_files.on_stdout:
            console.print(catalog_table(sections().values()))
        data_files.write(catalog_rows(sections().values()))
        return
    with usage_errors():
        named = {name.upper(): section_of(name) for name in names if name != "all"}
        chosen = list((sections() if "all" in names else named).values())
    if not quick:
        seconds = sum(section.description.seconds for section in chosen)
        click.echo(f"The full run takes about {_duration(seconds)}.", err=True)
    rows: list[dict[str, Any]] = []
    with usage_errors():
        for section in chosen:
            try:
                findings = _findings(section, RunOptions(quick, seed), output, again)
            except KeyboardInterrupt:
                message = f"Interrupted in section {section.name}. Sections that were finished before are in {output}."
                raise click.ClickException(message) from None
            rows += json_rows(section, findings)
            if not data_files.on_stdout:
                console.print(findings_table(section, findings))
            _save_plots(section, findings, output)
    data_files.write(rows)


def _findings(section: "Section", options: "RunOptions", output: Path, again: bool) -> "Findings":
    from dataclasses import replace

    from ci_envs.reports.results import findings_of

    with count_progress(f"{section.name}, percent done:") as report:
        shown = replace(options, report_progress=lambda share: report(round(100 * share), 100))
        return findings_of(section, shown, output, again=again)


def _save_plots(section: "Section", findings: "Findings", output: Path) -> None:
    from ci_envs.reports.plots import save_plots

    try:
        save_plots(section, findings, output)
    except ImportError as error:
        click.echo(error, err=True)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
