"""The check of the figures of the documentation (docs/check_figures.py): each has a source."""

import dataclasses
import json
import re
import runpy
from pathlib import Path

import pytest

from ci_envs.arena.ratings import wilson_interval
from ci_envs.web import agent_process
from ci_envs.web.limits import ClientLimits
from docs.generators.results import FOLDER, measured_table

ROOT = Path(__file__).parents[1]
CHECK = runpy.run_path(str(ROOT / "docs" / "check_figures.py"))
PAGE = (ROOT / "docs" / "how_it_works" / "quixo_tables.md").read_text()


def findings(text, sources=None):
    return [finding.message for finding in CHECK["page_findings"]("page.md", text, sources or {}, {})]


def test_every_figure_of_the_documentation_has_a_source():
    assert list(CHECK["findings"]()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It wins 99.5% of\n1,200 million games.", ["99.5%", "1,200 million"]),
        ("It takes 0.6 ms or 2\nminutes, and is 4.1 times as fast.", ["0.6 ms", "2\nminutes", "4.1 times"]),
        ("The result is 393/7/0.", ["393/7/0"]),
        ("`time=0.1 s` [a](b%20c) https://a.org/3% <!-- 5% -->\n```\n7 s\n```", []),
        (
            "It takes two\nminutes, twice as long, or half an hour for 697 of 700.",
            ["two\nminutes", "twice as long", "half an hour", "697 of 700"],
        ),
        ("The result is 79 / 21 / 0, and a quarter of the games.", ["79 / 21 / 0", "a quarter of the games"]),
        ("| a | 1,200 | b 5 |\n|---|---|---|\n| c | - | 16 |", ["1,200", "16"]),
        ("Version 1.2.3 has 5 x 5 boards, 44 actions, two players and 3 seeds.", []),
    ],
)
def test_figures_are_numbers_with_units_outside_code_and_links(text, expected):
    assert [figure.text for figure in CHECK["figures"](text)] == expected


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({}, "3 s has no source"),
        ({"13 s": "reason: x"}, "3 s has no source"),
        ({"3 s": "x"}, "must begin with"),
        ({"3 s": "test: test_figures.py::test_of_nothing"}, "there is no test"),
        ({"3 s": "constant: ci_envs.web.timed_protocol.NOTHING"}, "there is no constant"),
        ({"3 s": "constant: ci_envs.web.timed_protocol.REQUEST_SECONDS"}, "which is 20.0"),
        ({"3 s": "reason: x", "4 s": "reason: x"}, "no figure of the page"),
    ],
)
def test_missing_and_wrong_sources_are_found(sources, message):
    assert any(message in finding for finding in findings("It ends within 3 s.", sources))


def test_a_source_covers_the_figures_in_its_part_of_the_text():
    assert findings("between 3 and\n20 s", {"3 and 20 s": "constant: ci_envs.web.timed_protocol.REQUEST_SECONDS"}) == []


def test_only_the_comments_of_tutorials_are_text(tmp_path):
    tutorial = tmp_path / "tutorial.py"
    tutorial.write_text('# It takes 3 s.\nprint("5 s")  # 7 s\n')
    assert [figure.text for figure in CHECK["figures"](CHECK["page_text"](tutorial))] == ["3 s"]


def test_every_measured_table_is_on_a_page_and_can_be_shown():
    pages = "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    names = {path.stem for path in FOLDER.glob("*.json")}
    assert {*re.findall(r"<!-- table (\w+) -->", pages)} == names
    for name in names:
        head, _, *rows = measured_table(name).partition("\n\n")[0].splitlines()
        assert rows
        assert {row.count("|") for row in rows} == {head.count("|")}, name


GENOMES = "agents/evolution/champions/README.md"
RUNS = {
    "`evolution_strategy:quixo`": (GENOMES, "`evolution_strategy:quixo`", r"run took (\d+\s+minutes)"),
    "`neat:quixo`": (GENOMES, "`neat:quixo`", r"and took (\d+ minutes)"),
    "`sb3:quixo`": ("baselines/models/README.md", "Quixo", r"took ([\d, and]+ minutes)"),
    "`alphazero`": (
        "agents/alphazero/CHECKPOINTS.md",
        "`quixo5`",
        r"--(minutes \d+) --output runs/quixo5 --resume\n```",
    ),
}
"""The file, the heading and the times of the training runs of each agent.

The last command of ``quixo5`` states the sum.
"""


@pytest.mark.parametrize("agent", RUNS)
def test_the_trainings_for_quixo_took_the_stated_times(agent):
    path, heading, pattern = RUNS[agent]
    text = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)[1]
    times = " ".join(re.findall(pattern, text))
    page = (ROOT / "docs" / "results" / "learning.md").read_text()
    stated, unit = re.search(rf"^\| {agent} \| (\d+) (\w+), ", page, re.MULTILINE).groups()
    assert int(stated) == sum(map(int, re.findall(r"\d+", times)))
    assert unit in times


def test_the_options_against_draws_win_the_stated_shares():
    rows = json.loads((FOLDER / "alphazero_against_draws.json").read_text())["rows"]
    games = [[sum(parts) for parts in zip(*map(numbers, filter(None, row[1:3])), strict=True)] for row in rows]
    before, default, without_temperature = games
    page = " ".join((ROOT / "docs" / "results" / "learning.md").read_text().split())
    assert f"wins {won_text(default, '; 95% interval')} with a temperature, {without_temperature[0]} without" in page
    assert f"and {won_text(before, ';')} with the options before" in page


def won_text(games, interval):
    low, high = wilson_interval(games[0], sum(games))
    share = games[0] / sum(games)
    return f"{games[0]} of {sum(games)} games ({share:.0%}{interval} {100 * low:.0f} to {high:.0%})"


def numbers(text):
    return [int(number) for number in text.split(" / ")]


def test_the_table_of_a_comparison_has_its_scores():
    """The score of the second agent is the rest of the score of the first one."""
    rows = [line.split(" | ") for line in measured_table("sb3_quixo").splitlines() if line.startswith("| `")]
    size = len(rows)
    for row in range(size):
        for column in range(row):
            shares = (float(rows[one][2 + other].rstrip("|% ")) for one, other in ((row, column), (column, row)))
            assert abs(sum(shares) - 100) <= 1


def test_the_included_tables_have_the_stated_size():
    size = (ROOT / "ci_envs" / "solver" / "tables" / "quixo5.tables").stat().st_size
    assert f"a file of {size:,} bytes" in PAGE


def test_a_worker_process_has_the_stated_memory():
    limit = agent_process._LIMITS.memory_mb
    assert f"more than {limit} MiB is killed" in (ROOT / "docs" / "server_security.md").read_text()


def test_the_limits_of_clients_are_those_of_the_server():
    page = " ".join((ROOT / "docs" / "server_security.md").read_text().split())
    stated = [int(number.replace(",", "")) for number in re.findall(r"(?<=\| )[\d,]+(?= \|)", page)]
    *numbers_of_requests, share = dataclasses.astuple(ClientLimits())
    assert stated == numbers_of_requests
    assert (1 / share, 1 / share - 1) == (4, 3)
    assert "waits three times as long as the page took" in page
    assert "a quarter of the time of the server" in page
