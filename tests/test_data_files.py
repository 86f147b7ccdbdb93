"""The options ``--json`` and ``--csv``: the results of the tables as numbers, in atomically written files."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ci_envs.cli.main import main

ACCURACY = ("accuracy", "Nim-v0:heaps=1,2,3", "random", "nim_expert", "--positions", "100")
ANALYSIS = ("analyse", "TicTacToe-v0", "XX./OO./... X", "minimax:depth=9")
COMMANDS = (
    ACCURACY,
    ANALYSIS,
    ("solve", "TicTacToe-v0"),
    ("solve", "SetCovering-v0:n=5", "greedy"),
    ("list", "problems"),
    ("compare", "Nim-v0:heaps=1,2,3", "random", "nim_expert", "--games", "4"),
    ("exam", "Nim-v0:heaps=1,2,3", "random", "--positions", "6"),
    ("reports",),
)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("command", ["compare --games 4", "accuracy --positions 20", "exam --positions 6", "exploit"])
@pytest.mark.parametrize("option", ["--json", "--csv"])
def test_what_an_agent_prints_is_no_part_of_the_data(command: str, option: str, tmp_path: Path) -> None:
    (tmp_path / "talks.py").write_text(
        "def agent(seen):\n    print('thinking')\n    return int(seen['action_mask'].argmax())\n"
    )
    name, *others = command.split()
    done = run(
        name, "Nim-v0:heaps=1,2,3", str(tmp_path / "talks.py"), *["random"] * (name == "compare"), *others, option, "-"
    )
    assert "thinking" in done.stderr
    assert "thinking" not in done.stdout
    rows = json.loads(done.stdout) if option == "--json" else csv_rows(done.stdout)
    assert rows


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_files_have_the_same_content_as_standard_output(command: tuple[str, ...], tmp_path: Path) -> None:
    files = {"--json": tmp_path / "results.json", "--csv": tmp_path / "results.csv"}
    table = run(*command, *(text for option, file in files.items() for text in (option, str(file)))).stdout
    assert set(tmp_path.iterdir()) == set(files.values())
    printed = {option: run(*command, option, "-").stdout for option in files}
    assert table not in printed.values()
    data, rows = json.loads(printed["--json"]), csv_rows(printed["--csv"])
    assert type(data) is type(json.loads(files["--json"].read_text()))
    assert rows[0].keys() == csv_rows(files["--csv"].read_text())[0].keys()
    if isinstance(data, list):
        assert len(rows) == len(data)


def test_the_data_of_accuracy_are_the_numbers_of_its_table() -> None:
    table = [line.split() for line in run(*ACCURACY).stdout.splitlines()]
    data, rows = json.loads(run(*ACCURACY, "--json", "-").stdout), csv_rows(run(*ACCURACY, "--csv", "-").stdout)
    for agent, row in zip(data, rows, strict=True):
        [cells] = [line[1:] for line in table if line[:1] == [agent["agent"]]]
        everywhere = agent["everywhere"]
        shares = [100 * everywhere[name] for name in ("keeps", "keeps_low", "keeps_high", "best")]
        assert [float(cells[index]) for index in (0, 1, 2, 4, 5)] == pytest.approx(
            [everywhere["positions"], *shares], abs=0.005
        )
        assert float(row["critical_keeps"]) == agent["critical"]["keeps"]
        assert float(row["everywhere_points_lost"]) == everywhere["points_lost"]


def test_the_data_of_an_analysis_separate_the_exact_value_and_the_distance() -> None:
    rows = csv_rows(run(*ANALYSIS, "--csv", "-").stdout)
    assert [(row["action"], float(row["value"]), row["exact"], row["distance"]) for row in rows[:3]] == [
        ("c1", 0.999999, "1", "1"),
        ("c2", 0, "0", ""),
        ("a3", -0.999998, "-1", "2"),
    ]
    data = json.loads(run(*ANALYSIS, "--json", "-").stdout)
    assert (data["value"], data["draw"], data["best_play"]) == (0.999999, None, ["c1"])
    assert [row["action"] for row in data["actions"]] == [row["action"] for row in rows]


def test_the_data_of_solved_states_are_the_published_ones() -> None:
    solved = json.loads(run("solve", "TicTacToe-v0", "--json", "-").stdout)
    assert (solved["value"], solved["distance"], len(solved["best_actions"])) == (0, None, 9)
    assert sum(solved["states"].values()) == 5_478
    assert solved["states_by_distance"]["loss"]["0"] == 942  # 626 lines of X and 316 of O


def test_a_solver_without_a_bound_has_an_empty_cell() -> None:
    command = ("solve", "SetCovering-v0:n=5", "greedy:rule=overlap")
    [row] = csv_rows(run(*command, "--csv", "-").stdout)
    [data] = json.loads(run(*command, "--json", "-").stdout)
    assert row["bound"] == ""
    assert data["bound"] is None
    assert data["cost"] == float(row["cost"]) == 5


def test_data_replace_a_file(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    file.write_text("old")
    run("list", "environments", "--json", str(file))
    assert json.loads(file.read_text())[0]["name"] == "Quixo-v0"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("second", ["--csv {}/data", "--csv {}/./data", "--plot {}/data", "--report {}/data"])
def test_two_options_write_two_files(tmp_path, second) -> None:
    command = f"compare TicTacToe-v0 random exact --json {tmp_path}/data {second.format(tmp_path)}"
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert "both write" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", ["compare TicTacToe-v0 random --report -", "book ConnectFour-v0 --output -", "convert a b -o -"]
)
def test_only_data_is_printed(command) -> None:
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert "cannot be printed" in result.stderr
    assert not Path("-").exists()


def test_only_one_format_is_printed() -> None:
    result = CliRunner().invoke(main, ["list", "--json", "-", "--csv", "-"])
    assert result.exit_code == 2
    assert result.stderr == "Error: --json - and --csv - both print the results: write one of them to a file.\n"
