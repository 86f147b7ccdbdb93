"""The command line."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image
from toy_agents import Broken, Illegal

from ci_envs import Position, Quixo, TicTacToe, show
from ci_envs.cli.main import main
from ci_envs.drawing.raster import rgb_array
from ci_envs.optimisation.solving import SOLVERS
from ci_envs.registry.agents import AGENTS
from ci_envs.training.config import training_options
from ci_envs.training.curves import draw_curves, read_curve
from ci_envs.training.learners import learners, trainer_of


@pytest.fixture(autouse=True)
def _toy_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AGENTS, "registered", {"broken": Broken, "illegal": Illegal})


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, arguments, input=typed)


def test_compare_prints_both_tables() -> None:
    result = run("compare", "Quixo-v0:size=4", "random", "minimax:depth=2", "--games", "20")
    assert result.exit_code == 0
    assert "Elo" in result.stdout
    assert "Win %" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = [line.split() for line in result.stdout.splitlines()]
    either = next(row for row in rows if row[:2] == ["random", "either"])
    first = next(row for row in rows if row[:3] == ["vs", "minimax:depth=2", "first"])
    second = next(row for row in rows if row[:1] == ["second"])
    assert [int(a) + int(b) for a, b in zip(first[3:6], second[1:4], strict=True)] == [int(n) for n in either[2:5]]
    assert sum(map(int, either[2:5])) == 20


def test_compare_counts_illegal_actions_and_notes_deterministic_agents() -> None:
    result = run("compare", "TicTacToe-v0", "random", "illegal", "--games", "10")
    assert "Faults" in result.stdout
    assert "illegal first, random second: all games were equal" in result.stdout
    assert "random first, illegal second" not in result.stdout


def test_compare_with_one_agent_plays_it_against_random() -> None:
    one, two = run("compare", "Nim-v0", "nim_expert"), run("compare", "Nim-v0", "random", "nim_expert")
    assert one.exit_code == 0
    times = re.compile(r"\d\.\d{4}")  # milliseconds, the only numbers with four digits
    assert times.sub("", one.stdout) == times.sub("", two.stdout)


def test_json_alone_on_stdout() -> None:
    arguments = ("compare", "Nim-v0", "random", "nim_expert", "--games", "10", "--seed", "4", "--json", "-")
    first, second = (json.loads(run(*arguments).stdout) for _ in range(2))
    assert first.pop("timing").keys() == second.pop("timing").keys()
    assert first == second
    assert first["seed"] == 4


def test_json_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    result = run("compare", "TicTacToe-v0", "random", "random", "--games", "4", "--json", str(path))
    assert result.exit_code == 0
    assert "Elo" in result.stdout
    assert [agent["agent"] for agent in json.loads(path.read_text())["agents"]] == ["random", "random#2"]


@pytest.mark.extended
@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        ("compare Quixo-v9 random random", ("'Quixo-v9'", "Quixo-v0", "Nim-v0")),
        ("compare Quixo-v0:width=4 random random", ("'width'", "size")),
        ("compare Quixo-v0:size=9 random random", ("size", "9")),
        ("compare Quixo-v0:max_cycles=0 random random", ("max_cycles", "0")),
        ("compare Quixo-v0:size random random", ("'size'", "key=value")),
        ("compare nowhere:Hex-v0 random random", ("nowhere",)),
        ("compare Quixo-v0 random nobody", ("'nobody'", "random", "minimax")),
        ("compare Quixo-v0 random minimax:deep=4", ("'deep'", "depth")),
        ("compare Quixo-v0 random minimax:depth=x", ("depth", "'x'")),
        ("compare Quixo-v0 random minimax:depth=0", ("depth", "0")),
        ("compare Quixo-v0 random nim_expert", ("Nim",)),
        ("compare Quixo-v0", ("AGENT", "--agents-from")),
        ("compare", ("'ENV'",)),
        ("compare Quixo-v0 random random --games 0", ("'--games'", "0")),
        ("compare Quixo-v0 random random --games many", ("'--games'", "'many'")),
        ("compare Quixo-v0 random random --seed -1", ("'--seed'", "-1")),
        ("compare Quixo-v0 random random --max-cycles 0", ("'--max-cycles'", "0")),
        ("compare Quixo-v0 random random --json no/such/folder.json", ("'no/such'",)),
        ("compare Quixo-v0 random random --json .", ("'.'",)),
        ("compare Quixo-v0 random random --gmes 3", ("--gmes", "--games")),
        ("play Quixo-v0 random", ("'agents'", "2")),
        ("play Quixo-v0 random nobody", ("'nobody'", "random", "minimax")),
        ("play Quixo random random", ("'Quixo'", "Quixo-v0")),
        ("compare Quixo-v0 random mimimax", ("'mimimax'", "Did you mean 'minimax'?", "Available: ")),
        ("compare Quixo-v0 random minimax:dept=4", ("Unknown option 'dept' for agent minimax.", "'depth'?", "time")),
        ("compare Quxo-v0 random random", ("Unknown environment 'Quxo-v0'.", "Did you mean 'Quixo-v0'?", "Nim-v0")),
        ("solve SetCovering-v0:n=5 gredy", ("Unknown solver 'gredy'.", "Did you mean 'greedy'?", "tabu")),
        ("compare Nim-v0 random --resume", ("--resume needs the folder of the tournament: give --output",)),
        ("serve --agent random=minimax", ("'random'", "already")),
        ("serve --agent deep=minimax:dept=4", ("'dept'", "Did you mean 'depth'?")),
        ("serve --agent deep=minimax:depth=0", ("depth", "not 0")),
        ("serve --agent me=human", ("'human'", "people play on the page without it")),
        ("serve --agent a=random --agent a=exact", ("a name is given twice",)),
        ("serve --agent \u00e9=random", ("letters, digits and _",)),
        ("serve --game Nim-v0:heaps=1,2", ("'Nim-v0:heaps=1,2'", "leave out the parameters")),
        ("info minimax:depth=99", ("depth", "from 1 to 64", "99")),
        ("info minimax:foo=1", ("'foo'", "table_mb")),
        ("info greedy:width=0", ("width", "0")),
        ("compare TicTacToe-v0 random process:ls,memory_mb=9999999999", ("memory_mb", "1 to 1000000000")),
        ("compare TicTacToe-v0 random random --memory-mb 9999999999", ("--memory-mb", "1 to 1000000000")),
        ("serve --agent mine=examples/custom_agent.py:CarefulAgent:no=1", ("'no'",)),
        ("plai", ("'plai'",)),
        ("compare Nim-v0 random nim --plot plot.jpg", ("'plot.jpg'", ".png, .svg, .pdf")),
        ("plot no/such/run -o curves.png", ("'no/such/run'",)),
        ("plot tests -o curves.png", ("curve.csv",)),
        ("list agnts", ("'agnts'", "agents", "solvers")),
        ("info tabo", ("Unknown environment, agent or solver 'tabo'.", "Did you mean 'tabu'?", "Quixo-v0", "minimax")),
        ("info Quixo-v0:size=9", ("size", "9")),
        ("compare ci_envs/Quixo-v0 random", ("Unknown environment 'ci_envs/Quixo-v0'.", "Did you mean 'Quixo-v0'?")),
        ("compare quixo-v0 random", ("Unknown environment 'quixo-v0'.", "Did you mean 'Quixo-v0'?")),
        ("render Quixo-v0", ("'--output'",)),
        ("render Quixo-v0 -o board.jpg", ("'board.jpg'", ".svg or .png")),
        ("render Quixo-v0 -o no/such/board.png", ("--output", "'no/such'")),
        ("render TicTacToe-v0 X.. -o board.svg", ("'X..'",)),
        ("play Quixo-v0 random random -o game.png", ("'game.png'", ".svg or .gif")),
        ("compare Nim-v0 random random --ray-address=x", ("--ray-address 'x' is for workers: give --workers too",)),
        ("compare TicTacToe-v0 random random --random-plies 9", ("--random-plies 9 is too large for ConnectN",)),
        ("solve BitString-v0 umda --ray-address=x", ("--ray-address 'x' is for workers: give --workers too",)),
        ("solve Quixo-v0:size=3 --workers 2", ("for a game,", "--workers and --ray-address need --store")),
        ("solve Quixo-v0:size=3 --seconds 2", ("Quixo-v0:size=3 is a game", "no --seconds")),
        ("play Quixo-v0 random random -o no/such/game.gif", ("--output", "'no/such'")),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: str, mentions: tuple[str, ...]) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert all(mention in result.stderr for mention in mentions), result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "train q_learning TicTacToe-v0 --output",
        "compare TicTacToe-v0 random random --output",
        "suite Nim-v0 --output",
        "solve Quixo-v0:size=3 --store",
        "exam --suite exact-v1 random --submit",
        "reports B1 --output",
    ],
)
def test_an_empty_name_is_not_the_current_folder(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [*command.split(), ""])
    assert done.exit_code == 2
    assert "the name of a folder is empty" in done.stderr
    assert not [*tmp_path.iterdir()]


def test_a_bug_in_an_agent_keeps_its_traceback() -> None:
    result = run("play", "TicTacToe-v0", "random", "broken")
    assert isinstance(result.exception, ValueError)
    assert str(result.exception) == "a bug, seen on 1 boards"


def test_a_bug_in_an_agent_loses_the_games_of_a_tournament() -> None:
    result = run("compare", "TicTacToe-v0", "random", "broken", "--games", "4", "--json", "-")
    random, broken = json.loads(result.stdout)["agents"]
    assert (random["wins"], random["faults"]) == (4, 0)
    assert (broken["losses"], broken["faults"]) == (4, 4)
    assert re.fullmatch(r"ValueError: a bug, seen on \d boards", broken["first_fault"])


def test_play_shows_the_game() -> None:
    result = run("play", "TicTacToe-v0", "random", "minimax:depth=9", "--seed", "1")
    assert result.exit_code == 0
    assert "random (player 0) plays" in result.stdout
    assert "legal actions" not in result.stdout
    assert result.stdout.splitlines()[-1] in {"minimax:depth=9 (player 1) wins", "a draw"}
    assert result.stdout == run("play", "TicTacToe-v0", "random", "minimax:depth=9", "--seed", "1").stdout


def test_play_writes_an_animation_of_the_game(tmp_path: Path) -> None:
    plies = []
    for name in ("game.gif", "game.svg"):
        result = run("play", "TicTacToe-v0", "random", "random", "--seed", "3", "--output", str(tmp_path / name))
        assert result.exit_code == 0
        plies.append(result.stdout.count(" plays "))
    assert plies[0] == plies[1]
    with Image.open(tmp_path / "game.gif") as animation:
        frames = []
        for number in range(animation.n_frames):
            animation.seek(number)
            frames.append(animation.convert("RGB").tobytes())
    assert len(set(frames)) == len(frames) == plies[0] + 1
    assert (tmp_path / "game.svg").read_text().count("@keyframes") == plies[0] + 1


def test_render_draws_a_position(tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    assert run("render", "TicTacToe-v0", "X../.O./... X", "--output", str(svg)).exit_code == 0
    position = Position.from_text(TicTacToe(), "X../.O./... X")
    assert svg.read_text() == show(position).drawing().svg()
    assert run("render", "Quixo-v0", "-o", str(png)).exit_code == 0
    with Image.open(png) as picture:
        np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), rgb_array(Position.start(Quixo()).draw()))


@pytest.mark.extended
def test_compare_draws_the_ratings_and_scores(tmp_path: Path) -> None:
    for name in ("plot.png", "plot.svg"):
        result = run(
            "compare", "Nim-v0", "random", "nim_expert", "random", "--games", "10", "--plot", str(tmp_path / name)
        )
        assert result.exit_code == 0, result.output
    with Image.open(tmp_path / "plot.png") as picture:
        assert min(picture.size) > 200
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")


def test_plot_draws_learning_curves(tmp_path: Path) -> None:
    for name, rows in (("a", "1,10,2,0.5\n2,,2,0.25\n"), ("b", "1,5,2,1\n3,20,2,0.5\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "curve.csv").write_text(f"episodes,rating,random won,loss\n{rows}")
    curves = {name: read_curve(tmp_path / name) for name in "ab"}
    assert curves["a"]["rating"] == (10.0, None)
    figure = draw_curves(curves)
    assert [axes.get_ylabel() for axes in figure.axes] == ["rating", "loss"]
    assert [line.get_xydata().tolist() for line in figure.axes[0].lines] == [[[1, 10]], [[1, 5], [3, 20]]]
    path = tmp_path / "curves.svg"
    result = run("plot", str(tmp_path / "a"), str(tmp_path / "b" / "curve.csv"), "--column", "loss", "-o", str(path))
    assert result.exit_code == 0, result.output
    assert path.read_text().startswith("<?xml")
    (tmp_path / "marked.csv").write_text("episodes,loss\n1,2\n", encoding="utf-8-sig")  # as spreadsheets write it
    assert read_curve(tmp_path / "marked.csv") == {"episodes": (1.0,), "loss": (2.0,)}
    assert "Unknown column ''" in run("plot", str(tmp_path / "a"), "--x", "", "-o", str(path)).stderr
    refused = run("plot", str(tmp_path / "a"), "--column", "los", "-o", str(path))
    assert refused.exit_code == 2
    assert "Unknown column 'los' for run" in refused.stderr
    assert "Did you mean 'loss'?" in refused.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("episodes,rating\n", "has no measurements yet"),
        ("a,b\n1,x\n", "is not a learning curve"),
        ("a,b\n1\n2,3\n", "line 2 has not the 2"),
        ("a,b\n1,2,3\n", "line 2"),
        ("a\n1\n", "no column to draw besides 'a'"),
        ("a,b,b\n1,2,3\n", "two columns are named 'b'"),
    ],
)
def test_plot_refuses_files_other_than_learning_curves(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text(text)
    result = run("plot", str(tmp_path), "-o", str(tmp_path / "curve.png"))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_play_shows_the_legal_moves_to_a_person() -> None:
    result = run("play", "Nim-v0:heaps=1,2", "human", "random", typed="9-9\n2-1\n1-1\n2-1\n")
    assert result.exit_code == 0
    assert "legal actions: 1-1 2-1 2-2" in result.stdout
    assert "human (player 0) plays 2-1" in result.stdout
    assert result.stdout.splitlines()[-1] == "human (player 0) wins"


def test_play_ends_politely_when_the_input_does() -> None:
    result = run("play", "TicTacToe-v0", "human", "random", typed="a1\n")
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "Aborted!" in result.stderr


def test_list_names_everything_even_beside_a_broken_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "rotten-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: rotten\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[ci_envs.agents]\nrotten = no_such_module:Agent\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    result = run("list", "--options")
    assert result.exit_code == 0
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert "TicTacToe-v0:rows=3,cols=3,n=3,gravity=false" in lines
    assert "Nim-v0:heaps=1,3,5,7,max_take=none,misere=false" in lines
    assert "sb3:path=...,deterministic=true,lookahead=none,trust=false" in lines
    assert "Agent that plays a uniformly random legal action." in lines
    assert "An agent that always raises an error." in lines
    assert lines[lines.index("rotten") + 1].startswith("cannot be loaded: ImportError")
    assert lines[lines.index("rotten") + 1].endswith("No module named 'no_such_module'")
    [short] = [line.split() for line in run("list", "agents").stdout.splitlines() if line.startswith("  minimax ")]
    assert short[:2] == ["minimax", "Alpha-beta"]


def test_list_as_json_and_of_some_kinds() -> None:
    entries = json.loads(run("list", "solvers", "environments", "--json", "-").stdout)
    kinds = [entry["kind"] for entry in entries]
    assert set(kinds) == {"environments", "solvers"}
    assert [entry["name"] for entry in entries if entry["kind"] == "solvers"] == list(SOLVERS.names())
    described = {entry["name"]: entry for entry in entries}
    assert described["TicTacToe-v0"]["description"].startswith("Tic-tac-toe")
    assert described["tabu"]["options"]["moves"] == "20000"
    assert "Agents:" not in run("list", "problems").stdout


def test_the_specs_of_list_are_valid() -> None:
    entries = json.loads(run("list", "environments", "--json", "-").stdout)
    for entry in entries:
        options = ",".join(f"{name}={value}" for name, value in entry["options"].items())
        result = run("play", f"{entry['name']}:{options}", "random", "random", "--max-cycles", "2")
        assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("name", "mentions"),
    [
        ("Nim-v0:heaps=1,2", ("Nim", "misere", "First to move")),
        ("SetCovering-v0", ("unit_cost", "whether every set costs 1")),
        ("minimax", ("Agent minimax", "depth", "none", "plies, 1 to 64", "table_mb")),
        ("q_learning", ("Agent q_learning", "1000000", "ci-envs train q_learning", "learning_rate_end", "0.02")),
        ("tabu", ("Solver tabu", "tenure", "20000")),
        ("report", ("Agent report", "Solver report")),
        ("illegal", ("Agent illegal",)),
        ("mcts:exact=mine.py:Source", ("Agent mcts",)),
        ("minimax:table_mb=3", ("Agent minimax",)),
        ("nim:even=take_row", ("Agent nim",)),
    ],
)
def test_info_describes_everything_that_has_a_name(name: str, mentions: tuple[str, ...]) -> None:
    result = run("info", name)
    assert result.exit_code == 0, result.output
    assert all(mention in result.stdout for mention in mentions), result.stdout
    assert not re.search(r"``|:\w+:`", result.stdout)


@pytest.mark.extended
def test_info_has_every_option_of_every_agent_solver_and_trainer() -> None:
    for names, find, options_of in (
        (AGENTS.names(), AGENTS.find, AGENTS.options),
        (SOLVERS.names(), SOLVERS.find, SOLVERS.options),
        (learners(), trainer_of, lambda trainer: training_options(trainer.config_type)),
    ):
        for name in names:
            shown = run("info", name).stdout
            assert all(re.search(rf"^ +{option} ", shown, re.MULTILINE) for option in options_of(find(name)))


def test_version() -> None:
    assert run("--version").stdout == f"ci-envs, version {version('ci-envs')}\n"


@pytest.mark.parametrize("command", [*main.commands])
def test_help_shows_examples_each_on_a_line_of_its_own(command: str) -> None:
    text = CliRunner().invoke(main, [command, "--help"]).output
    assert "\\b" not in text
    examples = [line for line in text.splitlines() if "ci-envs" in line and "Usage" not in line]
    assert all(line.count("ci-envs ") <= 1 for line in examples)


def test_help_loads_nothing_slow() -> None:
    slow = {"numba", "torch", "scipy", "choix", "rich", "pygame"}
    code = f"import sys, ci_envs.cli.main; print(sorted({slow} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_python_m() -> None:
    done = subprocess.run([sys.executable, "-m", "ci_envs", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: ci-envs ")
