"""Who imports whom, and what importing costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# what the modules of a folder may import of the project; the longest matching name decides
ALLOWED = {
    "ci_envs.games": {"ci_envs.games"},
    "ci_envs.files": set(),
    "ci_envs.plugins": set(),
    "ci_envs.picture": {"ci_envs.games"},
    "ci_envs.solver": {"ci_envs.games", "ci_envs.solver", "ci_envs.files"},
    "ci_envs.spec": set(),
    "ci_envs.problems": {"ci_envs.problems", "ci_envs.games", "ci_envs.files", "ci_envs.plugins", "ci_envs.spec"},
    "ci_envs.registration": {"ci_envs.spec", "ci_envs.games", "ci_envs.envs", "ci_envs.problems"},
    "ci_envs.policy": {"ci_envs.games"},
    "ci_envs.agent": {"ci_envs.games", "ci_envs.plugins", "ci_envs.policy", "ci_envs.registration", "ci_envs.spec"},
    "ci_envs.envs": {
        "ci_envs.games",
        "ci_envs.policy",
        "ci_envs.agent",
        "ci_envs.envs",
        "ci_envs.problems",
        "ci_envs.registration",
    },
    "ci_envs": {"ci_envs"},
    "agents": {"ci_envs", "agents"},
    "agents.tabular_training": {"ci_envs", "agents"},  # which plays matches to measure what is learned
    "agents.alphazero.measurement": {"ci_envs", "agents"},
    "baselines": {"ci_envs", "agents", "baselines"},
}
FORBIDDEN = {
    "agents": {"ci_envs.cli", "ci_envs.arena"},
    "baselines": {"ci_envs.cli"},
}


def is_below(module, package):
    return module == package or module.startswith(f"{package}.")


def imports_of(file):
    """Absolute names of the modules that a file imports, at the top or inside a function."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide the direction"
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names if node.module in ("ci_envs", "agents"))


def modules():
    for package in ("ci_envs", "agents", "baselines"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield pytest.param(name, file, id=name)


@pytest.mark.parametrize(("name", "file"), list(modules()))
def test_imports_point_down(name, file):
    owner = max((package for package in ALLOWED if is_below(name, package)), key=len)
    allowed, forbidden = ALLOWED[owner], FORBIDDEN.get(owner, set())
    for imported in imports_of(file):
        if not any(is_below(imported, package) for package in ("ci_envs", "agents", "baselines")):
            continue
        if imported == "ci_envs":  # its names are checked one by one
            continue
        assert any(is_below(imported, package) for package in allowed), f"{name} imports {imported}"
        assert not any(is_below(imported, package) for package in forbidden), f"{name} imports {imported}"


@pytest.mark.parametrize(("name", "file"), list(modules()))
def test_one_module_owns_numba(name, file):
    if name != "ci_envs.games.compiled":
        assert not any(is_below(imported, "numba") for imported in imports_of(file))


def loaded_by(code):
    program = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    return set(json.loads(printed))


HEAVY = {"torch", "pygame", "matplotlib", "fastapi", "nicegui", "stable_baselines3", "ray", "scipy.stats", "choix"}


def test_importing_the_package_is_light():
    loaded = loaded_by("import ci_envs")
    assert not loaded & (HEAVY | {"numba", "rich", "click"})
    assert "gymnasium" in loaded


def test_playing_loads_nothing_heavy():
    loaded = loaded_by("import ci_envs; env = ci_envs.make('TicTacToe-v0'); env.reset(); env.step(0)")
    assert not loaded & HEAVY
    assert "numba" in loaded


def test_every_export_is_there_and_listed():
    import ci_envs

    stub = ast.parse((ROOT / "ci_envs" / "__init__.pyi").read_text())
    listed = next(ast.literal_eval(n.value) for n in stub.body if isinstance(n, ast.Assign))
    assert sorted(listed) == listed
    for name in listed:
        assert getattr(ci_envs, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        ci_envs.no_such_name  # noqa: B018
