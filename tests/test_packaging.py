"""What is installed, and that other packages of the same names do no harm."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder_of_a_user(tmp_path):
    """A working directory with packages named as our folders are, which refuse to be imported."""
    for name in ("agents", "baselines"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the package of the user was imported')")
    return tmp_path


@pytest.mark.parametrize(
    "code",
    [
        "import ci_envs, gymnasium; gymnasium.make('ci_envs/Quixo-v0', opponent='minimax:depth=1').reset(seed=0)",
        "import ci_envs; ci_envs.make('Nim-v0').reset()",
        "import ci_envs; ci_envs.make_vec('TicTacToe-v0', 4, opponent='random').reset(seed=0)",
        "from ci_envs import agents, make_agent, register_agent; make_agent('nim_ga:rows4', 'Nim-v0')",
        "from ci_envs import make_agent; make_agent('sb3:tictactoe', 'TicTacToe-v0')",
        "from ci_envs.optimisation import optimise, set_covering; optimise(set_covering(20), 'greedy')",
        "from ci_envs.cli.main import main; main(['list'])",
    ],
)
def test_a_folder_of_the_same_name_does_no_harm(code, folder_of_a_user):
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, cwd=folder_of_a_user, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "cannot be loaded" not in done.stdout


@pytest.mark.parametrize("name", ["agents", "baselines"])
def test_importing_a_folder_by_its_bare_name_says_what_to_import(name):
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"from ci_envs import {name}" in done.stderr.splitlines()[-1]


def files_of_packages(names):
    """The Python files among some paths, without the first folder of an sdist and without what is not imported."""
    return {name for name in names if name.endswith(".py") and name.partition("/")[0] not in NOT_INSTALLED}


NOT_INSTALLED = {"tests", "examples", "experiments", "benchmarks", "docs"}


def test_builds_contain_the_single_package(tmp_path):
    sources = {
        str(Path("ci_envs", *([] if folder == "ci_envs" else [folder]), file.relative_to(ROOT / folder)))
        for folder in ("ci_envs", "agents", "baselines")
        for file in (ROOT / folder).rglob("*.py")
    }
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)], cwd=ROOT, check=True)
    [wheel], [sdist] = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ci_envs"}
    assert files_of_packages(names) == sources
    assert "ci_envs/agents/alphazero/models/quixo5.safetensors" in names
    with tarfile.open(sdist) as file:
        names = [name.partition("/")[2] for name in file.getnames()]
    assert files_of_packages(names) == sources
    assert len(names) == len(set(names))


def test_the_version_is_that_of_the_installed_package():
    import ci_envs

    assert ci_envs.__version__ == "0.1.0"
