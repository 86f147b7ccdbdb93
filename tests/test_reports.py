"""The command ``ci-envs reports``, and what all sections have in common."""

import json
import re
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
from ci_envs.reports.claims import Cell, Claim, Text, Verdict
from ci_envs.reports.description import KeptBug, description_of, read_condition
from ci_envs.reports.descriptions import descriptions
from ci_envs.reports.estimates import Estimate, mean_of, measured_share, median_of, share_in_games
from ci_envs.reports.results import findings_of
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Series
from ci_envs.reports.sources import Figure, Source, SourceKind
from ci_envs.reports.tables import footnotes, table_cells

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def quick_results(tmp_path_factory):
    """A folder for the results of quick runs, so that a section runs once in these tests."""
    return tmp_path_factory.mktemp("quick")


@pytest.fixture(scope="module")
def write_reports():
    return runpy.run_path(str(ROOT / "docs" / "write_reports.py"))


def run(*arguments):
    return CliRunner().invoke(main, ["reports", *map(str, arguments)])


def kept_findings(name, folder):
    return findings_of(section_of(name), RunOptions(quick=True), folder)


def test_every_section_says_what_is_printed_and_which_lines_keep_the_bugs():
    assert descriptions().keys() == sections().keys()
    for name, section in sections().items():
        box = section.description.as_printed
        assert min(len(box.method), len(box.parameters)) > 10, name
        assert all(bug.line > 0 and bug.text.endswith(".") for bug in box.bugs)
    with pytest.raises(ValueError, match=r"0 lines of report_c/c.py contain 'no such code', not 1"):
        _ = KeptBug("wrong", "report_c/c.py", "no such code").line


# --- the command


def test_intervals_hold_95_percent_of_the_measurements():
    estimate = share_in_games(0.757, 100)
    measured = np.random.default_rng(0).binomial(100, 0.757, 20_000)
    inside = (measured >= estimate.spread_low) & (measured <= estimate.spread_high)
    assert 0.95 <= inside.mean() <= 0.98
    assert share_in_games(1.0, 100) == Estimate.exact(100)


@pytest.mark.parametrize(
    ("estimate", "truth", "draw"),
    [
        (lambda sample: measured_share(int((sample < 0.3).sum()), len(sample)), 30.0, lambda rng: rng.random(40)),
        (median_of, 0.5, lambda rng: rng.random(15)),
        (mean_of, 1.0, lambda rng: rng.exponential(size=40)),
    ],
)
def test_confidence_intervals_hold_the_truth_in_95_percent_of_the_samples(estimate, truth, draw):
    rng = np.random.default_rng(0)
    found = [estimate(draw(rng)) for _ in range(1000)]
    assert 0.91 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.99


def test_few_runs_have_no_confidence_interval():
    assert median_of([1.0, 2.0, 3.0, 4.0, 5.0])[1:3] == mean_of([1.0])[1:3] == (-np.inf, np.inf)
    assert median_of(range(6))[1:4] == (0, 5, "6 runs")
    assert (mean_of([3.0]).sample, measured_share(1, 1500).sample) == ("1 run", "1,500 games")


# --- sources and verdicts


def test_a_figure_without_a_source_cannot_be_entered():
    with pytest.raises(TypeError):
        Figure(90)
    with pytest.raises(TypeError, match="the source of the figure 90 must be a Source, not 'section 3'"):
        Figure(90, "section 3")
    with pytest.raises(ValueError, match="a figure that is printed needs the place where it stands, not ' '"):
        Figure(90, Source(SourceKind.PRINTED, " "))
    with pytest.raises(ValueError, match="a figure must be a finite number, not nan"):
        Figure(float("nan"), Source(SourceKind.PRINTED, "section 3"))
    with pytest.raises(TypeError, match="the published figure of 'wins' must be a Figure, not 90"):
        FigureRow("wins", 90, Estimate.exact(1))


def test_a_quantity_has_one_row():
    row = FigureRow("wins", None, Estimate.exact(1))
    with pytest.raises(ValueError, match="each quantity has one row; these have several: wins"):
        Findings((row, row))


def estimate_of(value, error, sample="9 games"):
    return Estimate(value, value - error, value + error, sample, value, value)


def rows_with(*estimates):
    return {name: FigureRow(name, None, one) for name, one in zip("abc", estimates, strict=False)}


def test_verdicts_follow_from_intervals():
    claim = Claim("A is better.", read_condition("[a] > [b]"), Text("{:.0f} and {:.0f}.", (Cell("a"), Cell("b"))))
    for a, verdict in ((20, "holds"), (0, "does not hold"), (11, "not decided by 9 games and 5 runs")):
        decision = claim.verdict(rows_with(estimate_of(a, 4), estimate_of(10, 4, "5 runs")))
        assert (decision.text, decision.explanation) == (verdict, f"{a} and 10.")
    decision = claim.verdict(rows_with(estimate_of(1, 0)))
    assert (decision.text, decision.explanation) == ("not decided by this run", "This run does not measure it.")
    equal = rows_with(Estimate.exact(1), Estimate.exact(1))
    assert [read_condition(f"[a] {sign} [b]").decide(equal) for sign in (">", ">=")] == [False, True]
    assert read_condition("[a] * 2 <= 1.5").decide(equal) is False


@pytest.mark.parametrize(
    ("values", "every", "some"),
    [((3, 3), True, True), ((3, 0), False, True), ((0, 0), False, False), ((3, 1), None, True), ((1, 0), False, None)],
)
def test_joined_conditions(values, every, some):
    rows = rows_with(*(estimate_of(value, 1) for value in values))
    found = [read_condition(f"[a] > 1 {word} [b] > 1").decide(rows) for word in ("and", "or")]
    assert found == [every, some]


CLAIMS = [(name, number) for name, section in sections().items() for number in range(len(section.description.claims))]


@pytest.mark.parametrize(("name", "number"), CLAIMS)
def test_every_verdict_changes_with_the_rows(name, number):
    """Random rows around the numbers of the claim give both verdicts, and wide intervals none."""
    claim = section_of(name).description.claims[number]
    comparisons = list(claim.condition.comparisons())
    assert all(list(comparison.cells()) for comparison in comparisons)  # none compares two numbers
    cells = {cell for comparison in comparisons for cell in comparison.cells()} | set(claim.why.cells)
    limits = [one for pair in comparisons for one in (pair.larger, pair.smaller) if not isinstance(one, Cell)]
    rng = np.random.default_rng(0)
    found = set()
    for number_of_rows in range(3000):
        if number_of_rows >= 100 and len(found) > 1:
            break
        found.add(claim.verdict(random_rows(cells, limits or [1.0], rng)).verdict)
    assert found == {Verdict.HOLDS, Verdict.FAILS}
    wide = {cell.quantity: undecided_row(cell.quantity) for cell in cells}
    assert claim.verdict(wide).text == "not decided by 7 games"


def random_rows(cells, limits, rng):
    """Return rows with exact figures next to the numbers of a claim, or between them."""

    def estimate():
        return Estimate.exact(float(rng.choice(limits)) + rng.choice([-0.01, 0, 0.01]) * rng.integers(1, 10_000))

    return {cell.quantity: FigureRow(cell.quantity, None, *(estimate() for _ in range(3))) for cell in cells}


def undecided_row(quantity):
    return FigureRow(quantity, None, *[estimate_of(0.0, np.inf, "7 games")] * 3)


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
    section, quick = section_of(name), findings.by_quantity
    conclusion = section.description.conclusion.fill(quick)
    assert conclusion == conclusion.strip() != ""
    assert "does not measure" not in conclusion
    assert all(row["sample"] for row in rows)
    names = [name, *(f"{name}_{plot.name}" for plot in findings.plots)]
    assert len(set(names)) == len(names)
    for plot in names:
        assert (quick_results / f"{plot}.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("name", sections())
def test_claims_plots_and_texts_are_complete(name):
    section = section_of(name)
    assert section.name == name
    for text in (
        section.description.title,
        section.description.game,
        section.description.purpose,
        section.description.conditions,
    ):
        assert text == text.strip() != ""


def test_a_long_sample_of_several_rows_is_a_footnote():
    long, other = (
        "20 trainings of 10,000,000 episodes and 100,000 games",
        "3 trainings of 4,000,000 episodes and 100 games",
    )
    estimates = [estimate_of(1.0, 0.5, sample) for sample in (long, "9 games", long, other)]
    rows = tuple(FigureRow(str(number), None, one) for number, one in enumerate(estimates))
    assert [cells[-1] for cells in table_cells(rows)] == ["[a]", "9 games", "[a]", other]
    assert footnotes(rows) == [f"[a] Sample: {long}."]


def test_points_that_are_not_known_have_no_marks():
    assert Series.marks("printed", {1.0: 2.0, 3.0: None}) == Series("printed", (1.0,), (2.0,), "marks")
    assert Series.curve("loss", [3, 2], first=20, step=10) == Series("loss", (20, 30), (3.0, 2.0))


@pytest.mark.parametrize("letter", REPORTS)
def test_pages_show_the_results_of_the_full_run(letter, write_reports):
    """``python docs/write_reports.py`` writes the pages again."""
    assert write_reports["page"](letter) == (ROOT / "docs" / "reports" / f"report_{letter.lower()}.md").read_text()


def test_the_index_counts_the_figures_by_source(write_reports):
    assert write_reports["index"]() == (ROOT / "docs" / "reports" / "index.md").read_text()


_MORE = re.compile(
    r"\b(wins?|won|points|fewest|keep|(?<!by )(?<!scalar )fitness|blocked|same moves|fewer nodes|share|gradient)\b"
)
"""Quantities of which more is better."""

_LESS = re.compile(
    r"\b(loses?|losses|lost|weight|bloat|time|nodes of|calls|generations?|visited|steps|tiles|states|parameters|loss)\b"
    r"|longest move|a move$|100 games$|^draws that abort"
)
"""Quantities of which less is better, unless more is."""


@pytest.mark.parametrize("name", sections())
def test_our_result_is_better_or_a_note_says_why_not(name):
    section = section_of(name)
    findings = results.kept_findings(section, RunOptions(), ROOT / "docs" / "reports")
    assert findings is not None
    for row in findings.rows:
        if section.description.why_not_better(row.quantity):
            continue
        others = [estimate.value for column, estimate in row.columns.items() if column != "ours"]
        others += [] if row.report is None else [row.report.value]
        assert row.ours is not None, row
        sign = 1 if _MORE.search(row.quantity) else -1
        assert sign == 1 or _LESS.search(row.quantity), row
        is_best = row.ours.value == (100 if sign == 1 else 0)
        assert is_best or all(sign * row.ours.value > sign * other for other in others), row


def test_the_figures_marked_as_printed_are_those_of_the_reports():
    """``printed_figures.json`` is the list of the figures of the reports, by section and place."""
    listed = json.loads((ROOT / "tests" / "printed_figures.json").read_bytes())
    for name, section in sections().items():
        findings = results.kept_findings(section, RunOptions(), ROOT / "docs" / "reports")
        assert findings is not None
        figures = [row.report for row in findings.rows if row.report is not None]
        marked = [figure for figure in figures if figure.source.kind is SourceKind.PRINTED]
        places = listed.get(name, {})
        assert sorted(figure.value for figure in marked) == sorted(value for each in places.values() for value in each)
        for figure in marked:
            assert any(figure.source.place.startswith(place) for place in places), figure


def test_marks_lie_over_the_first_bars_or_at_their_coordinates():
    bars = [Series(label, ("a", "b"), (1.0, 2.0), "bars") for label in ("one", "other")]
    assert plots._places(("b",), bars[:1], 0) == pytest.approx([1.0])
    assert plots._places(("b", "a"), bars, 0) == pytest.approx([0.8, -0.2])
    assert plots._places((3.0, 5.0), [], 0) == [3.0, 5.0]


def test_results_are_equal_after_writing_and_reading(tmp_path):
    single, quantity = Estimate.single(3.0), "states in the queue of Dijkstra's algorithm, N = 20"
    described = description_of("B1")
    assert described.note(quantity) != ""
    findings = Findings(
        (
            FigureRow("wins", None, Estimate.exact(1.0), None, single, "a note"),
            described.row(quantity, single),
            described.row("bloat, N = 5", single, Estimate.exact(1.0)),
        ),
        (Plot("p", "t", "x", "y", (Panel("", (Series("", ("a", "b"), (1.0, 2.0), "bars"),)),)),),
    )
    calls = []
    section = replace(section_of("B1"), run=lambda options: calls.append(options) or findings)
    for options in (RunOptions(), RunOptions(), RunOptions(seed=1), RunOptions(quick=True)):
        assert findings_of(section, options, tmp_path) == findings
    assert calls == [RunOptions(), RunOptions(seed=1), RunOptions(quick=True)]


@pytest.mark.parametrize("name", ["B31", "B32"])
def test_printed_figures_are_explained(name, quick_results):
    for row in kept_findings(name, quick_results).rows:
        if row.report is not None and "second" not in row.quantity and "review" not in row.report.source.place:
            assert row.literal.spread_low <= row.report.value <= row.literal.spread_high


def test_a_wrong_name_beside_all_is_refused():
    assert "Unknown section 'nonsense'" in run("all", "nonsense", "--quick").stderr


def test_a_finished_section_is_not_run_again(tmp_path):
    file = tmp_path / "B31.json"
    run("B31", "--output", tmp_path)
    written = file.read_text()
    file.write_text(written.replace("Report B gives no figure", "Kept: report B gives no figure"))
    assert "Kept:" in run("b31", "--output", tmp_path).stdout
    assert "Kept:" not in run("B31", "--output", tmp_path, "--again").stdout
    assert file.read_text() == written


@pytest.mark.parametrize("damage", ["", "{}", '{"quick": false, "seed": 0, "rows": [{}], "plots": []}'])
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
