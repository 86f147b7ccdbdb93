"""The errors of type checkers for the examples, and for calls of the functions that make environments."""

import re
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from ci_envs import registered
from ci_envs.registry import games

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
# the scripts of libraries without types, or that are not installed
UNTYPED = {"agilerl", "cleanrl", "rllib", "rlzoo3", "textarena", "tianshou", "torchrl", "verifiers"}
IDS = registered()  # before other tests register games
ENVIRONMENTS = {"max_cycles": 9, "render_mode": "ansi"}
VECTORS = {"opponent": None, "autoreset_mode": "SameStep", "copy": False, "threads": 2, "openings": None}


def lines():
    """Yield lines of a user's program, each with whether the line is correct."""
    yield "import ci_envs", True
    for id in IDS:
        cls = games.resolve(id)[0].game_class()
        parameters = {item.name: item.default for item in fields(cls) if item.init and item.default is not MISSING}
        for name, options in (("make", ENVIRONMENTS), ("make_vec", {**ENVIRONMENTS, **VECTORS})):
            right = ", ".join(f"{key}={value!r}" for key, value in {**parameters, **options}.items())
            yield f"ci_envs.{name}({id!r}, {right}).close()", True
            yield f"ci_envs.{name}({id!r}, {right}, sise=4).close()", False
    yield 'ci_envs.make("Quixo-v0", size="4").close()', False
    yield 'ci_envs.make("Nim-v0", size=4).close()', False
    yield 'ci_envs.make("Hex-v0", size=4).close()', True
    yield 'ci_envs.make_vec("Hex-v0", 8, size=4).close()', True
    yield 'ci_envs.make("Hex-v0:size=4", max_cycles=9)', True
    yield 'ci_envs.make_vec("Hex-v0:size=4", 8, max_cycles=9)', True
    yield 'ci_envs.make_vec("Quixo-v0", 8, oponent=None).close()', False
    yield 'ci_envs.make_vec("Quixo-v0").position', False


@pytest.fixture(scope="module")
def output_of_mypy(tmp_path_factory):
    """Return the output of ``mypy --strict`` for the program above and for the examples."""
    pytest.importorskip("mypy")
    file = tmp_path_factory.mktemp("user") / "user.py"
    file.write_text("".join(f"{line}\n" for line, _ in lines()))
    typed = [path for path in EXAMPLES if path.stem.partition("_")[0] not in UNTYPED]
    # the cache of `make style` is in this folder
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", file, *typed]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.stdout


def test_wrong_parameters_are_errors(output_of_mypy):
    # errors of an earlier run with the same program come from the cache, with the folder of that run
    wrong = {int(number) for number in re.findall(r"\buser\.py:(\d+): error", output_of_mypy)}
    program = [*lines()]
    assert [(line, number not in wrong) for number, (line, _) in enumerate(program, start=1)] == program


def test_mypy_accepts_the_examples(output_of_mypy):
    assert not re.findall(r"^examples.*: error.*", output_of_mypy, re.MULTILINE)


def test_pyright_accepts_the_examples():
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *EXAMPLES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.search(r"^\d+ errors?, ", done.stdout, re.MULTILINE), done.stdout + done.stderr
    # most libraries of the integrations are not installed
    assert not re.findall(r".* - error: (?!.*\(reportMissingImports\)).*", done.stdout)
