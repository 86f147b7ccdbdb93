"""The command ``ci-envs reports``, and what all sections have in common."""

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ci_envs.cli.main import main
from ci_envs.extras import missing_package
from ci_envs.reports import plots, results
from ci_envs.reports.catalog import REPORTS, section_of, sections
from ci_envs.reports.estimates import share_in_games
from ci_envs.reports.results import findings_of
from ci_envs.reports.section import (
    Claim,
    ClaimVerdict,
    Estimate,
    FigureRow,
    Findings,
    Panel,
    Plot,
    RunOptions,
    Series,
)

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def quick_results(tmp_path_factory):
    """A folder for the results of quick runs, so that a section runs once in these tests."""
    return tmp_path_factory.mktemp("quick")


def run(*arguments):
    return CliRunner().invoke(main, ["reports", *map(str, arguments)])


def kept_findings(name, folder):
    return findings_of(section_of(name), RunOptions(quick=True), folder)


# --- the command


def test_intervals_hold_95_percent_of_the_measurements():
    estimate = share_in_games(0.757, 100)
    measured = np.random.default_rng(0).binomial(100, 0.757, 20_000)
    assert 0.95 <= ((measured >= estimate.low) & (measured <= estimate.high)).mean() <= 0.98
    assert share_in_games(1.0, 100) == (100, 100, 100)


@pytest.mark.parametrize("name", sections())
def test_every_section_runs_quickly(name, quick_results, monkeypatch):
    monkeypatch.setattr(plots, "FORMATS", ("svg",))  # to draw a PNG takes as long again
    done = run(name, "--quick", "--output", quick_results, "--json", "-")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert {row["section"] for row in rows} == {name}
    assert any(row["ours"] is not None for row in rows)
    for row in rows:
        assert row["literal_low"] <= row["literal"] <= row["literal_high"]
    findings = kept_findings(name, quick_results)
    for row in findings.rows:
        if row.report is not None:
            assert None not in (row.described, row.ours), row
    conclusion = section_of(name).conclusion_of(findings)
    assert conclusion == conclusion.strip() != ""
    names = [name, *(f"{name}_{plot.name}" for plot in findings.plots)]
    assert len(set(names)) == len(names)
    for plot in names:
        assert (quick_results / f"{plot}.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("name", sections())
def test_claims_plots_and_texts_are_complete(name):
    section = section_of(name)
    assert section.name == name
    for text in (section.title, section.game, section.purpose, section.conditions):
        assert text == text.strip() != ""


@pytest.mark.parametrize("letter", REPORTS)
def test_pages_show_the_results_of_the_full_run(letter):
    """``python docs/write_reports.py`` writes the pages again."""
    script = runpy.run_path(str(ROOT / "docs" / "write_reports.py"))
    assert script["page"](letter) == (ROOT / "docs" / "reports" / f"report_{letter.lower()}.md").read_text()


@pytest.mark.parametrize("name", sections())
def test_our_result_is_better_or_a_note_says_why_not(name):
    """Chance explains differences of less than 0.3 points, as the conditions of section A4 say."""
    findings = results.kept_findings(section_of(name), RunOptions(), ROOT / "docs" / "reports")
    assert findings is not None
    for row in findings.rows:
        assert row.report is None or None not in (row.described, row.ours), row
        others = [value for value in (row.report, row.literal.value, row.described) if value is not None]
        if row.ours is None or row.note or "random wins" in row.quantity or "random starts" in row.quantity:
            continue
        if "wins" in row.quantity.split() and " at turn " not in row.quantity:
            assert row.ours >= max(others) - 0.3, row
        if row.quantity.startswith(("weight", "bloat")):
            assert row.ours <= min(others), row


def test_results_are_equal_after_writing_and_reading(tmp_path):
    findings = Findings(
        (FigureRow("wins", 1.5, Estimate(1.0, 0.5, 2.0), None, 3.0, "a note", "%"),),
        (Claim("It wins.", ClaimVerdict.FAILS, "It does not."),),
        (Plot("p", "t", "x", "y", (Panel("", (Series("", ("a", "b"), (1.0, 2.0), "bars"),)),)),),
    )
    calls = []
    section = replace(section_of("B33"), run=lambda options: calls.append(options) or findings)
    for options in (RunOptions(), RunOptions(), RunOptions(seed=1), RunOptions(quick=True)):
        assert findings_of(section, options, tmp_path) == findings
    assert calls == [RunOptions(), RunOptions(seed=1), RunOptions(quick=True)]


@pytest.mark.parametrize("name", ["B31", "B32"])
def test_printed_figures_are_explained(name, quick_results):
    for row in kept_findings(name, quick_results).rows:
        if row.report is not None and "second" not in row.quantity and "review" not in row.note:
            assert row.literal.low <= row.report <= row.literal.high


def test_a_finished_section_is_not_run_again(tmp_path):
    file = tmp_path / "B31.json"
    run("B31", "--output", tmp_path)
    written = file.read_text()
    file.write_text(written.replace("Taking the minimum", "Kept: taking the minimum"))
    assert "Kept:" in run("b31", "--output", tmp_path).stdout
    assert "Kept:" not in run("B31", "--output", tmp_path, "--again").stdout
    assert file.read_text() == written


@pytest.mark.parametrize("damage", ["", "{}", '{"quick": false, "seed": 0, "rows": [{}], "claims": []}'])
def test_a_damaged_result_is_made_again(damage, tmp_path):
    (tmp_path / "B33.json").write_text(damage)
    assert "minmax" in run("B33", "--output", tmp_path).stdout
    assert json.loads((tmp_path / "B33.json").read_text())["section"] == "B33"


def test_an_interrupt_keeps_the_finished_sections(tmp_path, monkeypatch):
    def interrupt(options):
        raise KeyboardInterrupt

    monkeypatch.setitem(sections(), "B33", replace(section_of("B33"), run=interrupt))
    done = run("B31", "B33", "--output", tmp_path)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == (
        f"Error: Interrupted in section B33. Sections that were finished before are in {tmp_path}."
    )
    assert {file.name for file in tmp_path.iterdir()} == {"B31.json", "B31.png", "B31.svg"}


def test_a_file_in_no_folder_is_refused_before_anything_runs(tmp_path):
    done = run("B33", "--output", tmp_path / "results", "--json", tmp_path / "missing" / "rows.json")
    assert done.exit_code == 2
    assert "does not exist. Create it first." in done.stderr
    assert not (tmp_path / "results").exists()


def test_the_list_and_an_unknown_section():
    listed = " ".join(run().stdout.split())
    assert all(f"ci-envs reports {name}" in listed for name in sections())
    done = run("B3")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: Unknown section 'B3'. Did you mean")
    assert done.stderr.count("\n") == 1


def test_without_matplotlib_one_line_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    done = run("B31", "--output", tmp_path, "--quick")
    assert done.exit_code == 0
    assert done.stderr.splitlines()[-1] == missing_package("a plot", "matplotlib", "plot")
