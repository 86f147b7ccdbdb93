"""The scripts for other libraries, compared with their description. ``make integrations`` runs the scripts."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "integrations"
REQUIREMENTS = {path.stem: path for path in (FOLDER / "requirements").glob("*.txt")}
SCRIPTS = {path.stem.split("_")[0]: path for path in FOLDER.glob("*_*.py")}


TUTORIAL = ROOT / "docs" / "tutorials" / "other_libraries.py"


def tutorial_row(name):
    """Return the single row of the tutorial's table with the command for ``name``."""
    rows = [line for line in TUTORIAL.read_text().splitlines() if f"`make integration-{name}`" in line]
    assert len(rows) == 1
    return rows[0]


def pins(name):
    """Return the versions by package. Every line is an exact pin or a comment."""
    lines = [line for line in REQUIREMENTS[name].read_text().splitlines() if not line.startswith("#")]
    return dict(re.fullmatch(r"([\w-]+)(?:\[\w+\])?==([\d.]+)", line).groups() for line in lines)


def test_every_script_has_its_requirements():
    assert (
        SCRIPTS.keys()
        == REQUIREMENTS.keys()
        >= {"tianshou", "torchrl", "rllib", "agilerl", "sb3", "cleanrl", "rlzoo3", "minari"}
    )
    assert len(SCRIPTS) == len(list(FOLDER.glob("*_*.py")))


@pytest.mark.parametrize("name", REQUIREMENTS)
class TestEachIntegration:
    def test_the_tutorial_links_its_script(self, name):
        assert f"](../../{SCRIPTS[name].relative_to(ROOT)})" in tutorial_row(name)

    def test_the_tutorial_states_the_pinned_versions(self, name):
        stated = dict(re.findall(r"([\w-]+) (\d+(?:\.\d+)+)", tutorial_row(name)))
        assert stated
        assert stated.items() <= pins(name).items()

    def test_torch_is_pinned_where_it_is_needed(self, name):
        assert ("torch" in pins(name)) == (name != "minari")  # the first package, by its exact version (Makefile)

    def test_the_script_says_how_to_run_it(self, name):
        source = SCRIPTS[name].read_text()
        compile(source, SCRIPTS[name], "exec")
        assert f"``make integration-{name}``" in source.partition('"""\n\n')[0]

    def test_make_runs_it(self, name):
        command = ["make", "--no-print-directory", "--dry-run", f"integration-{name}"]
        recipe = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        assert recipe[-1].startswith(f".venv-{name}/bin/python examples/integrations/{name}_")
