"""The command line on terminals and files that lack characters or space, without docstrings, and after an interrupt."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_envs.cli.main import main
from ci_envs.registry.agents import AGENTS


def run(*arguments, output=subprocess.PIPE, **variables):
    command = [sys.executable, "-m", "ci_envs", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, stdout=output, stderr=subprocess.PIPE, env=environment, check=False, timeout=120)


@pytest.mark.parametrize("encoding", ["ascii", "ascii:strict", "cp850", "cp1252"])
def test_characters_that_a_terminal_lacks_are_replaced(encoding):
    done = run("info", "Quarto-v0", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding.partition(":")[0])
    assert ("\n \N{BULLET} " if encoding == "cp1252" else "\n * ") in text
    assert ("M\\xfcller" if encoding.startswith("ascii") else "M\N{LATIN SMALL LETTER U WITH DIAERESIS}ller") in text


def test_a_file_name_that_is_not_text_can_be_printed():
    name = os.fsdecode(b"\xff.py:Agent")
    for encoding in ("ascii", "utf-8"):
        done = run("compare", "TicTacToe-v0", name, PYTHONIOENCODING=encoding)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert b"\\udcff" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("list",), ("info", "minimax"), ("--help",), ("--version",), ("list", "problems", "--json", "-")]
)
def test_a_full_disk_is_reported_in_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        done = run(*arguments, output=full)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(b"Error: ")
    assert b"No space left on device" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_progress_that_cannot_be_written_does_not_end_a_training(tmp_path):
    command = [sys.executable, "-m", "ci_envs", "train", "q_learning", "TicTacToe-v0", "--episodes", "2000"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*command, "--output", tmp_path], stdout=subprocess.PIPE, stderr=full, check=False)
    assert done.returncode == 0
    assert (tmp_path / "best.npz").is_file()
    assert str(tmp_path).encode() in done.stdout


def test_a_reader_that_leaves_early_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = run("list", output=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_without_docstrings_there_is_no_description():
    code = (
        "import sys\n"
        "from ci_envs.cli.main import main\n"
        "for name in ('minimax', 'Quixo-v0', 'tabu'):\n"
        "    main(['info', name], standalone_mode=False)\n"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("the option -OO of Python removes it") == 3
    assert "search depth" in done.stdout


def test_the_end_of_a_file_is_not_the_end_of_the_input(monkeypatch):
    def end(*_, **__):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(AGENTS, "registered", {"ends": end})
    result = CliRunner().invoke(main, ["play", "TicTacToe-v0", "ends", "random"])
    assert "Aborted!" not in result.output
    assert isinstance(result.exception, RuntimeError)
    assert "Ran out of input" in str(result.exception)
    result = CliRunner().invoke(main, ["play", "TicTacToe-v0", "human", "random"], input="")
    assert (result.exit_code, "Aborted!" in result.output) == (1, True)


INTERRUPTS = {
    "train q_learning TicTacToe-v0 --output runs/a": (
        "ci_envs.training.run.TrainingRun.update",
        "Run the same command with --resume to continue in 'runs/a'.",
    ),
    "train q_learning Nim-v0 --output runs/a": (
        "ci_envs.training.run.TrainingRun.execute",
        "Run the same command to continue in 'runs/a'.",
    ),
    "compare TicTacToe-v0 random random --output games": (
        "ci_envs.arena.tournament.Tournament.play",
        "Run the same command with --resume to continue in 'games'.",
    ),
    "compare TicTacToe-v0 random random": (
        "ci_envs.arena.tournament.Tournament.play",
        "With --output DIR, DIR keeps the finished matches.",
    ),
    "solve Quixo-v0:size=3 --store tables": (
        "ci_envs.solver.quixo_store.QuixoStore.compute",
        "Run the same command again to continue.",
    ),
    "book ConnectN-v0:rows=3,cols=4,n=3,gravity=true": (
        "ci_envs.solver.book_solver.extend_book",
        "Run the same command again to continue.",
    ),
    "solve TicTacToe-v0": ("ci_envs.solver.solve.solve", "the same command starts again"),
    "exam TicTacToe-v0 random": ("ci_envs.arena.exam.Exam.take", "the same command starts again"),
    "accuracy TicTacToe-v0 random": ("ci_envs.arena.accuracy.measure_accuracies", "the same command starts again"),
}


@pytest.mark.parametrize("command", INTERRUPTS)
def test_an_interrupt_says_how_to_continue(command, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    target, advice = INTERRUPTS[command]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(target, interrupt)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 1
    lines = result.stderr.strip().splitlines()
    assert lines[-1] == "Aborted!"
    assert lines[-2].startswith("Interrupted. ") or lines[-3].startswith("Interrupted. ")
    assert advice in result.stderr


def test_a_person_without_standard_input_ends_the_game():
    command = [sys.executable, "-m", "ci_envs", "play", "TicTacToe-v0", "human", "random"]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("Aborted!")
    assert "Traceback" not in done.stderr
