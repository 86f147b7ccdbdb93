"""The built and installed package. Other packages with the names of our folders do not interfere."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder_of_a_user(tmp_path):
    """Make a working directory with packages that have the names of our folders and refuse to be imported."""
    for name in ("agents", "baselines"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the package of the user was imported')")
    return tmp_path


USES = """
import ci_envs, gymnasium; gymnasium.make('ci_envs/Quixo-v0', opponent='minimax:depth=1').reset(seed=0)
import ci_envs; ci_envs.make('Nim-v0').reset()
import ci_envs; ci_envs.make_vec('TicTacToe-v0', 4, opponent='random').reset(seed=0)
from ci_envs import agents, make_agent, register_agent; make_agent('nim_ga:rows4', 'Nim-v0')
from ci_envs import make_agent; make_agent('sb3:tictactoe', 'TicTacToe-v0')
from ci_envs.optimisation import optimise, set_covering; optimise(set_covering(20), 'greedy')
from ci_envs.cli.main import main; main(['list'])
"""


def test_a_folder_of_the_same_name_does_no_harm(folder_of_a_user):
    """Each line is the first one that imports some modules, in one process."""
    done = subprocess.run(
        [sys.executable, "-c", USES], check=False, cwd=folder_of_a_user, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Quixo-v0" in done.stdout
    assert "cannot be loaded" not in done.stdout


@pytest.mark.parametrize("name", ["agents", "baselines"])
def test_the_error_of_importing_a_folder_by_its_short_name_names_the_package(name):
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"from ci_envs import {name}" in done.stderr.splitlines()[-1]


def files_of_packages(names):
    """Return the Python files among some paths, without the first folder of an sdist and without unimported files."""
    return {name for name in names if name.endswith(".py") and name.partition("/")[0] not in NOT_INSTALLED}


NOT_INSTALLED = {"tests", "examples", "experiments", "benchmarks", "docs"}


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """Build the sdist, and the wheel from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [sdist], [wheel] = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def test_builds_contain_the_single_package(builds):
    sdist, wheel = builds
    sources = {
        str(Path("ci_envs", *([] if folder == "ci_envs" else [folder]), file.relative_to(ROOT / folder)))
        for folder in ("ci_envs", "agents", "baselines")
        for file in (ROOT / folder).rglob("*.py")
    }
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ci_envs"}
    assert files_of_packages(names) == sources
    included = {
        "ci_envs/agents/alphazero/models/quixo5.safetensors",
        "ci_envs/baselines/rl_zoo3/ppo.yml",
        "ci_envs/environments.pyi",
        "ci_envs/py.typed",
        "ci_envs/solver/tables/quixo5.tables",
        "ci_envs/suites/exact-v1/TicTacToe-v0.parquet",
        "ci_envs/suites/exact-v1/suite.json",
    }
    assert included <= {*names}
    with tarfile.open(sdist) as file:
        names = [name.partition("/")[2] for name in file.getnames()]
    assert files_of_packages(names) - {"hatch_build.py"} == sources
    assert len(names) == len(set(names))
    assert {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"} <= set(names)


def test_the_builds_can_be_uploaded(builds):
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *builds], check=True)


def test_the_page_on_pypi_has_absolute_links_to_files_of_the_repository(builds):
    with zipfile.ZipFile(builds[1]) as file:
        metadata = BytesParser().parsebytes(file.read("ci_envs-0.1.0.dist-info/METADATA"))
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL"))
    assert urls.keys() == {"Changelog", "Documentation", "Issues", "Repository"}
    repository = urls["Repository"]
    assert all(urls[name].startswith(repository) for name in ("Changelog", "Issues"))
    page = metadata.get_payload()
    links = re.findall(r"\]\(([^)\s]+)\)", page) + re.findall(r'src="([^"]+)"', page)
    files = [re.sub(rf"^{repository}/(blob|raw)/main/", "", link) for link in links if link.startswith(repository)]
    assert {"CONTRIBUTING.md", "docs/images/quixo.gif"} < set(files)
    assert all((ROOT / file).exists() for file in files)
    assert all(link.startswith(("https://", "#")) for link in links)
    assert not re.search(r"^pip install [^\n]*ci-envs", page, re.MULTILINE)  # the package is not on PyPI yet


def test_the_installed_wheel_runs_the_blocks_of_the_readme(builds, tmp_path):
    """The blocks run in a new virtual environment with the packages of this one, without the sources of ci_envs."""
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", builds[1]]
    subprocess.run(install, check=True)
    [packages] = (tmp_path / "venv").glob("lib/python*/site-packages")
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    program = f"import ci_envs; print(ci_envs.__file__)\nfor block in {blocks}: exec(block, {{}})"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", program], check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == str(packages / "ci_envs" / "__init__.py")


def test_the_citation_has_the_version_and_license_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])


def test_the_version_is_that_of_the_installed_package():
    import ci_envs

    assert ci_envs.__version__ == "0.1.0"
