"""Messages about missing packages."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from ci_envs import extras
from ci_envs.cluster import check_cluster
from ci_envs.extras import extras_with, install_command, missing_module, missing_package

ROOT = Path(__file__).parents[1]


class Distribution:
    """Make an installed distribution with the given origin (``direct_url.json``)."""

    def __init__(self, origin):
        self._origin = origin
        self.requires = metadata.distribution("ci-envs").requires

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._origin


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (
            '{"dir_info": {"editable": true}, "url": "file:///home/me/ci%20envs"}',
            'pip install -e "/home/me/ci envs[sb3]"',
        ),
        ('{"dir_info": {}, "url": "file:///home/me/ci_envs"}', 'pip install "ci-envs[sb3] @ file:///home/me/ci_envs"'),
        (
            '{"archive_info": {}, "url": "file:///tmp/ci_envs-0.1.0-py3-none-any.whl"}',
            'pip install "ci-envs[sb3] @ file:///tmp/ci_envs-0.1.0-py3-none-any.whl"',
        ),
        (
            '{"vcs_info": {"vcs": "git", "commit_id": "a1b2c3"}, "url": "https://example.org/ci_envs"}',
            'pip install "ci-envs[sb3] @ git+https://example.org/ci_envs"',
        ),
        (None, 'pip install "ci-envs[sb3]"'),  # the package came from a package index
    ],
)
def test_the_command_fits_how_the_package_was_installed(origin, command, monkeypatch):
    monkeypatch.setattr(extras, "distribution", lambda name: Distribution(origin))
    assert install_command("sb3") == command
    assert missing_package("agent 'sb3'", "torch", "sb3") == (
        f"agent 'sb3' needs torch: install the extra 'sb3', for example {command}"
    )


def test_the_extra_is_found_by_the_missing_module():
    assert extras_with("highspy")[0] == "ilp"  # and not the extra that contains everything
    assert {"alphazero", "sb3", "torch"} <= set(extras_with("torch"))
    error = ImportError("No module named 'torch'", name="torch")
    assert "install the extra 'sb3'" in missing_module("agent 'sb3'", error, "sb3")
    assert "install the extra 'alphazero'" in missing_module("agent 'alphazero'", error, "alphazero")
    assert "install the extra 'openspiel'" in missing_module("ci_envs.openspiel", ImportError(name="pyspiel"))
    assert "install the extra 'render'" in missing_module("a GIF", ImportError(name="PIL.Image"))
    assert missing_module("agent 'x'", ImportError("No module named 'y'", name="y")) == (
        "agent 'x' needs a package that is not installed: No module named 'y'"
    )


def test_without_metadata_the_plain_message_is_left(monkeypatch):
    def fail(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", fail)
    assert missing_module("agent 'x'", ImportError("No module named 'torch'", name="torch")).endswith("'torch'")
    assert install_command("sb3") == f'pip install -e "{ROOT}[sb3]"'


WITHOUT_OPTIONAL_PACKAGES = """
import json, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
from click.testing import CliRunner
from gymnasium.error import DependencyNotInstalled
from ci_envs.cli.main import main

def messages(program):
    try:
        exec(program, {{}})
    except (ImportError, DependencyNotInstalled) as error:
        return str(error)

def ran(command):
    done = CliRunner().invoke(main, command)
    return [done.exit_code, done.stdout, done.stderr]

print(json.dumps([*map(messages, {programs}), *map(ran, {commands})]))
"""
OPTIONAL_PACKAGES = {
    *("cma", "fastapi", "highspy", "matplotlib", "neat", "nicegui", "onnxruntime", "PIL", "pygame", "ray"),
    "safetensors",
    *("sb3_contrib", "sqlalchemy", "sse_starlette", "stable_baselines3", "tensorboard", "torch", "uvicorn"),
}
PROGRAMS = {  # the feature, the package that it needs, and the extra of the package
    "from ci_envs import make_agent; make_agent('sb3:quixo', 'Quixo-v0')": ("agent 'sb3'", "stable_baselines3", "sb3"),
    "from ci_envs import make_agent; make_agent('alphazero', 'TicTacToe-v0')": (
        "agent 'alphazero'",
        "onnxruntime",
        "alphazero",
    ),
    "from ci_envs.training.learners import trainer_of; trainer_of('alphazero')": (
        "agent 'alphazero'",
        "onnxruntime",
        "alphazero",
    ),
    "from ci_envs.optimisation.solving import SOLVERS; SOLVERS.find('ilp')": ("solver 'ilp'", "highspy", "ilp"),
    "from ci_envs.optimisation.evolution import CMAES; CMAES([0, 0], 1, seed=0)": ("CMA-ES", "cma", "evolution"),
    "from ci_envs.training import train; train('neat', 'TicTacToe-v0', output='no')": (
        "encoding=graph",
        "neat",
        "evolution",
    ),
    "from ci_envs import Position, TicTacToe; Position.start(TicTacToe()).save('x.png')": (
        "rendering",
        "pygame",
        "render",
    ),
    "from ci_envs.drawing.figure_file import figure_type; figure_type()": ("a plot", "matplotlib", "plot"),
    "from ci_envs.agents.evolution.layers import torch_module; torch_module([])": (
        "a network as a module of PyTorch",
        "torch",
        "torch",
    ),
}
COMPLETE = (  # programs that need no optional package
    "from ci_envs import make_agent; make_agent('neat:quixo', 'Quixo-v0')",
    "from ci_envs.training.learners import make_config, trainer_of; from ci_envs.training.trainer import Task; "
    "from ci_envs import TicTacToe; neat = trainer_of('neat'); "
    "neat(Task('', TicTacToe(), None, 0), make_config(neat, TicTacToe(), {'encoding': 'layers'}))",
)
COMMANDS = (
    ("solve", "SetCovering-v0:n=5", "ilp", "greedy"),
    ("solve", "SetCovering-v0:n=5", "ilp"),
    ("serve",),
    ("compare", "TicTacToe-v0", "random", "--plot", "x.png"),
    ("info", "neat"),
    ("list",),
)


@pytest.fixture(scope="module")
def without_optional_packages():
    """Return the messages of the programs and commands above without any optional package."""
    programs = (*PROGRAMS, *COMPLETE)
    program = WITHOUT_OPTIONAL_PACKAGES.format(packages=OPTIONAL_PACKAGES, programs=programs, commands=COMMANDS)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return dict(zip((*programs, *COMMANDS), json.loads(done.stdout), strict=True))


@pytest.mark.extended
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_missing_package_is_named_with_its_extra(program, without_optional_packages):
    assert without_optional_packages[program] == missing_package(*PROGRAMS[program])


@pytest.mark.extended
def test_playing_with_neat_and_lists_of_layers_need_no_optional_package(without_optional_packages):
    assert [without_optional_packages[program] for program in COMPLETE] == [None, None]


def test_ray_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"^workers=2 needs ray: install the extra 'ray', for example pip install "):
        check_cluster(2, None)


def test_solvers_run_if_another_solver_lacks_its_package(without_optional_packages):
    status, table, error = without_optional_packages["solve", "SetCovering-v0:n=5", "ilp", "greedy"]
    assert status == 1
    assert "greedy" in table
    assert "ilp" not in table
    assert error.strip() == "Error: " + missing_package("solver 'ilp'", "highspy", "ilp")


def test_commands_that_cannot_run_name_the_missing_package(without_optional_packages):
    for command, needed in (
        (("solve", "SetCovering-v0:n=5", "ilp"), ("solver 'ilp'", "highspy", "ilp")),
        (("serve",), ("the server", "uvicorn", "web")),
        (("compare", "TicTacToe-v0", "random", "--plot", "x.png"), ("a plot", "matplotlib", "plot")),
    ):
        assert without_optional_packages[command] == [2, "", f"Error: {missing_package(*needed)}\n"]


def test_a_trainer_without_its_package_lists_its_options(without_optional_packages):
    status, text, _ = without_optional_packages["info", "neat"]
    assert status == 0
    assert "compatibility_threshold" in text


def test_the_list_contains_everything_that_can_be_loaded(without_optional_packages):
    status, listed, _ = without_optional_packages["list",]
    assert status == 0
    assert "minimax" in listed
    assert "tabu" in listed
