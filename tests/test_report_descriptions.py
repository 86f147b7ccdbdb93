"""The descriptions of the sections of the reports, and the runs that fill them."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from ci_envs.reports.catalog import section_of
from ci_envs.reports.claims import Cell, CellComparison, JoinedConditions, Verdict
from ci_envs.reports.description import Budget, Description, read_condition
from ci_envs.reports.descriptions import descriptions
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.results import kept_findings
from ci_envs.reports.section import RunOptions, Series
from ci_envs.reports.section_run import SectionRun
from ci_envs.reports.sources import Figure, Source, SourceKind

RESULTS = Path(__file__).parents[1] / "docs" / "reports"
NOT_MEASURED = {Cell("points v people", "ours")}
"""What a claim of a report is about, but nobody has measured."""

CONTENT = {
    "title": "Games",
    "game": "TicTacToe-v0",
    "purpose": "Play.",
    "conditions": "All games are against random.",
    "seconds": 5,
    "as_printed": {"method": "A table.", "parameters": "None.", "bugs": []},
    "conclusion": "Ours wins [wins; ours:.0f]% of {games} games.",
    "budget": {"games": [1000, 20], "runs": 3},
    "sources": [{"kind": "printed", "place": "lab 1", "figures": {"wins": 90, "v random, wins": 80.5}}],
    "notes": [{"note": "{games} games.", "rows": ["v *, wins"]}, {"note": "All others.", "rows": ["points*"]}],
    "not_better": [{"note": "Ours is new in {games} games.", "rows": ["points"]}],
    "units": {"%": ["*wins"]},
    "claims": [
        {"claim": "It is strong.", "holds_if": "[wins] > 50", "why": "It wins [wins:.1f]% of {games.quick} games."}
    ],
}


def more(larger, smaller):
    return CellComparison(larger, smaller, strict=True)


def no_less(larger, smaller):
    return CellComparison(larger, smaller, strict=False)


def run_of(**options):
    return SectionRun(Description("X", CONTENT), RunOptions(**options))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("[a] > 5", more(Cell("a"), 5)),
        ("5 <= [a, b = 3; ours]", no_less(Cell("a, b = 3", "ours"), 5)),
        ("[a] * 1.5 < [b; described]", more(Cell("b", "described"), Cell("a", factor=1.5))),
        ("[a] >= -2", no_less(Cell("a"), -2)),
        (
            "[x and y] > 1 and\n  [y] < 2 and [z] <= 3",
            JoinedConditions((more(Cell("x and y"), 1), more(2, Cell("y")), no_less(3, Cell("z"))), True),
        ),
        ("[a] > 1 or [b or c] > 2", JoinedConditions((more(Cell("a"), 1), more(Cell("b or c"), 2)), False)),
        (
            "[a] > 1 and [b] > 2 or [c] > 3",
            JoinedConditions(
                (JoinedConditions((more(Cell("a"), 1), more(Cell("b"), 2)), True), more(Cell("c"), 3)), False
            ),
        ),
    ],
)
def test_conditions_are_read_as_in_python(text, condition):
    assert read_condition(text) == condition


@pytest.mark.parametrize("text", ["", "[a]", "[a] = 5", "[a] > five", "[a; best] > 5", "5 > [a] and"])
def test_a_wrong_condition_is_refused(text):
    with pytest.raises(ValueError, match="is no comparison of figures, for example"):
        read_condition(text)


def test_a_row_gets_its_figure_its_note_and_its_unit():
    run = run_of()
    row = run.add("v random, wins", Estimate.exact(70), None, 81)
    assert row.report == Figure(80.5, Source(SourceKind.PRINTED, "lab 1"))
    assert (row.note, row.unit) == ("1,000 games.", "%")
    assert (row.literal, row.described, row.ours) == (Estimate.exact(70), None, Estimate.exact(81))
    assert run.row("v random, wins") is run.rows[0] is row
    other = run.add("time", 3.5, note="Measured once.")
    assert (other.report, other.note, other.unit) == (None, "Measured once.", "")
    assert run.add("points", 3.5, note="Measured once.").note == "All others. Ours is new in 1,000 games."
    assert run.description.why_not_better("wins") == ""
    assert run.figure("wins") == 90
    assert run.figure("time") is None


def test_texts_contain_the_budget_and_the_figures():
    run = run_of(quick=True, seed=7)
    assert (run.budget("games"), run.budget("runs"), run.seeds("runs")) == (20, 3, range(7, 10))
    assert run_of().budget("games") == 1000
    assert run.add("v random, wins", 1).note == "20 games."  # a quick run states its own budget
    rows = {"wins": run.add("wins", 60, 70, 99.6)}
    assert run.description.conclusion.fill(rows) == "Ours wins 100% of 1,000 games."
    [claim] = run.description.claims
    assert claim.verdict(rows) == (Verdict.HOLDS, "", "It wins 60.0% of 20 games.")
    assert f"{Budget(1500, 2)} and {Budget(1500, 2):.1e}" == "1,500 and 1.5e+03"


@pytest.mark.parametrize(("joined", "wins"), [("and", 30), ("or", 70)])
def test_there_is_no_verdict_without_the_figures_of_its_reason(joined, wins):
    """Also if the figures of the run decide the condition."""
    claim = {"holds_if": f"[wins] > 50 {joined} [v random, wins] > 50", "why": "[wins:.0f]% and [v random, wins:.0f]%."}
    run = SectionRun(Description("X", {**CONTENT, "claims": [{"claim": "It is strong.", **claim}]}), RunOptions())
    rows = {"wins": run.add("wins", wins)}
    [claim] = run.description.claims
    assert claim.verdict(rows)[::2] == (Verdict.UNDECIDED, "This run does not measure it.")
    rows["v random, wins"] = run.add("v random, wins", 40)
    assert claim.verdict(rows) == (Verdict.HOLDS if wins == 70 else Verdict.FAILS, "", f"{wins}% and 40%.")


def test_nested_steps_report_the_whole_progress():
    shares = []
    run = run_of(report_progress=shares.append)
    done = [(part, step) for part in run.steps("ab") for step in run.steps(range(2))]
    assert done == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert shares == pytest.approx([0.25, 0.5, 0.5, 0.75, 1.0, 1.0])


def test_bars_show_the_rows_and_the_published_figures():
    run = run_of()
    run.add("wins", 60, 70, 80)
    run.add_bars("depth", "Wins", "depth", "%", {"wins": "1", "v random, wins": "2"}, "printed")
    assert run.plots[0].panels[0].series == (
        Series("literal", ("1",), (60.0,), "bars"),
        Series("described", ("1",), (70.0,), "bars"),
        Series("ours", ("1",), (80.0,), "bars"),
        Series("printed", ("1",), (90.0,), "marks"),
    )


@pytest.mark.parametrize("name", descriptions())
def test_descriptions_fit_the_rows_of_the_full_run(name):
    """A misspelt quantity would lose a figure, a note or a verdict without an error."""
    findings = kept_findings(section_of(name), RunOptions(), RESULTS)
    assert findings is not None
    content, rows = descriptions()[name], findings.by_quantity
    texts = Description(name, content)
    for row in findings.rows:
        assert (row.report, row.unit) == (texts.figures.get(row.quantity), texts.unit(row.quantity)), row.quantity
    assert texts.figures.keys() <= rows.keys()
    parts = (*content.get("notes", ()), *content.get("not_better", ()))
    notes = [pattern for one in parts for pattern in one["rows"]]
    units = [pattern for patterns in content.get("units", {}).values() for pattern in patterns]
    unused = [one for one in notes + units if not any(fnmatchcase(quantity, one) for quantity in rows)]
    assert unused == []
    compared = [one for claim in texts.claims for one in claim.condition.comparisons()]
    cells = {cell for one in compared for cell in one.cells()} | set(texts.conclusion.cells)
    cells |= {cell for claim in texts.claims for cell in claim.why.cells}
    assert {cell for cell in cells if cell.estimate(rows) is None} <= NOT_MEASURED
