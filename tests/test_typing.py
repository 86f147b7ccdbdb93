"""The errors of a type checker for calls of the functions that make environments."""

import re
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from ci_envs import registered
from ci_envs.registry import games

ROOT = Path(__file__).parents[1]
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
            yield f"ci_envs.{name}({id!r}, {right}, sise=4)", False
    yield 'ci_envs.make("Quixo-v0", size="4")', False
    yield 'ci_envs.make("Nim-v0", size=4)', False
    yield 'ci_envs.make("Hex-v0", size=4)', False
    yield 'ci_envs.make("Hex-v0:size=4", max_cycles=9)', True
    yield 'ci_envs.make_vec("Hex-v0:size=4", 8, max_cycles=9)', True
    yield 'ci_envs.make_vec("Quixo-v0", 8, oponent=None)', False
    yield 'ci_envs.make_vec("Quixo-v0").position', False


def test_wrong_parameters_are_errors(tmp_path):
    pytest.importorskip("mypy")
    program = [*lines()]
    file = tmp_path / "user.py"
    file.write_text("".join(f"{line}\n" for line, _ in program))
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(file)]
    # the cache of `make style` is in this folder
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not done.stderr
    # errors of an earlier run with the same program come from the cache, with the folder of that run
    wrong = {int(number) for number in re.findall(r"\buser\.py:(\d+): error", done.stdout)}
    assert [(line, number not in wrong) for number, (line, _) in enumerate(program, start=1)] == program
