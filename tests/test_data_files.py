"""The options ``--json`` and ``--csv``: the results of the tables as numbers, in atomically written files."""

import csv
import io
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ci_envs.cli.main import main
from ci_envs.storage.locks import locked, locked_file
from ci_envs.suites.folder import make_suite, planned

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


def refused(*arguments: str) -> str:
    """Return the only line that a refused command prints on standard error."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2, result.output
    assert not isinstance(result.exception, OSError)
    return result.stderr


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="the system has no links")
def test_links_are_checked_before_the_work(tmp_path: Path) -> None:
    loop, lost = tmp_path / "loop", tmp_path / "lost"
    loop.symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(loop)
    lost.symlink_to(tmp_path / "no folder" / "file")
    for arguments in (
        ["solve", "Nim-v0", "--json"],
        ["compare", "Nim-v0", "random", "--report"],
        ["book", "Quarto-v0", "--output"],
    ):
        assert "cannot be written: Too many levels" in refused(*arguments, str(loop))
        assert "no folder' does not exist. Create it first." in refused(*arguments, str(lost))


def test_a_file_that_cannot_be_written_loses_no_other_results(tmp_path: Path) -> None:
    """Each result is written, also if the disk of another one is full."""
    if not Path("/dev/full").exists():
        pytest.skip("the system has no /dev/full")
    plot, page = tmp_path / "plot.svg", tmp_path / "page.html"
    plot.symlink_to("/dev/full")
    page.symlink_to("/dev/full")
    data, rows = tmp_path / "data.json", tmp_path / "rows.csv"
    arguments = ["compare", "Nim-v0:heaps=1,2", "random", "nim_expert", "--games", "2", "--plot", str(plot)]
    result = CliRunner().invoke(main, [*arguments, "--report", str(page), "--json", str(data), "--csv", str(rows)])
    assert result.exit_code == 2
    assert "nim_expert" in result.stdout
    assert result.stderr.splitlines()[-1].count("No space left on device") == 2
    assert json.loads(data.read_text())
    assert csv_rows(rows.read_text())


MOVES_AWAY = """
import os
os.chdir("/")
def agent(observation):
    os.chdir("/")
    return int(observation["action_mask"].argmax())
"""


def test_files_of_grades_stay_in_the_folder_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("away.py").write_text(MOVES_AWAY)
    make_suite(Path("few"), planned(["Nim-v0:heaps=1,2"], 10, 0))
    files = {"--plot": "grades.svg", "--table": "grades.md", "--json": "grades.json", "--csv": "grades.csv"}
    result = run(
        "exam", "--suite", "few", "away.py", "--games", "2", "--submit", "board", *itertools.chain(*files.items())
    )
    assert result.exit_code == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {*files.values(), "board", "few"} <= names
    assert len(list((tmp_path / "board").iterdir())) == 1


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_equal_results_have_equal_plots(ending: str, tmp_path: Path) -> None:
    for number in (1, 2):
        plot = str(tmp_path / f"{number}.{ending}")
        run("compare", "Nim-v0:heaps=1,2", "random", "nim_expert", "--games", "2", "--plot", plot)
    assert (tmp_path / f"1.{ending}").read_bytes() == (tmp_path / f"2.{ending}").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files must be text")
def test_names_that_are_not_text_are_kept_in_files(tmp_path: Path) -> None:
    agent = tmp_path / os.fsdecode(b"n\xff.py")
    agent.write_text("def agent(seen):\n    return int(seen['action_mask'].argmax())\n")
    solver = tmp_path / os.fsdecode(b"s\xff.py")
    solver.write_text("from ci_envs.optimisation.set_covering.greedy import greedy\n")
    make_suite(tmp_path / "few", planned(["Nim-v0:heaps=1,2"], 10, 0))
    rows, table = tmp_path / "rows.csv", tmp_path / "table.md"
    run("exam", "--suite", str(tmp_path / "few"), str(agent), "--games", "2", "--csv", str(rows), "--table", str(table))
    assert "n\\udcff.py" in rows.read_text()
    assert "n\\udcff.py" in table.read_text()
    run("solve", "SetCovering-v0:n=5", f"{solver}:greedy", "--csv", str(rows))
    assert "s\\udcff.py" in rows.read_text()


def test_closed_standard_output_is_named() -> None:
    command = [sys.executable, "-m", "ci_envs", *ACCURACY, "--csv", "-"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, ["Error: standard output is closed"])


@pytest.mark.parametrize(
    "command", ["suite Nim-v0 --output", "exam --suite exact-v1 random --submit", "compare Nim-v0 random --output"]
)
def test_folders_are_checked_before_the_work(command: str) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("the system has no folder that root cannot write")
    assert "cannot be written" in refused(*command.split(), "/proc/self/new")


def test_two_processes_cannot_make_one_suite(tmp_path: Path) -> None:
    with locked(tmp_path, "tests"):
        assert "another process makes a suite" in refused("suite", "Nim-v0", "--output", str(tmp_path))
    assert not any(tmp_path.iterdir())


def test_two_processes_cannot_extend_one_book(tmp_path: Path) -> None:
    book = tmp_path / "small.book"
    with locked_file(book, "tests"):
        assert "another process extends the book" in refused("book", "ConnectFour-v0", "--output", str(book))
    assert not book.exists()
