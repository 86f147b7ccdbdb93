"""The allowed imports between modules, and the cost of importing the package."""

import ast
import json
import runpy
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A module imports only from its own layer and from the layers above it in this list. CONTRIBUTING.md has a picture.
LAYERS = (
    {
        "ci_envs.validation",
        "ci_envs.storage",
        "ci_envs.registry",
        "ci_envs.extras",
        "ci_envs.devices",
        "ci_envs.generators",
        "ci_envs.machine",
        "ci_envs.child_processes",
    },
    {"ci_envs.cluster"},
    {"ci_envs.kernels"},
    {"ci_envs.drawing"},
    {"ci_envs.games"},
    {"ci_envs.registry.games"},
    {"ci_envs.solver"},
    {"ci_envs.agent_interface"},
    {"ci_envs.picture", "ci_envs.guides"},
    {"ci_envs.text"},
    {"ci_envs.envs"},
    {"ci_envs.openspiel"},
    {"ci_envs.checking"},
    {"ci_envs.arena"},
    {"ci_envs.suites"},
    {"ci_envs.training"},
    {"ci_envs.optimisation"},
    {"ci_envs.agents"},
    {"ci_envs.baselines"},
    {"ci_envs.reports"},
    {"ci_envs.web"},
    {"ci_envs.cli"},
    {"ci_envs", "ci_envs.__main__"},  # the public names, and the modules such as quixo_v0
)


def modules():
    for folder in ("ci_envs", "agents", "baselines"):
        prefix = () if folder == "ci_envs" else ("ci_envs",)
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = ".".join((*prefix, *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
            yield name, file


FILES = dict(modules())


@cache
def imports_of(name):
    """Return the modules of the project that a module imports anywhere, also inside functions and for type checks."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import hides the direction"
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module if module in FILES else node.module for module in named}
    return {module for module in found if module.partition(".")[0] in ("ci_envs", "agents", "baselines")}


def external_imports_of(name):
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def layer_of(module):
    """Return the number of the layer with the longest package name that contains the module."""
    matches = [
        (len(package), number)
        for number, layer in enumerate(LAYERS)
        for package in layer
        if module == package or module.startswith(f"{package}.")
    ]
    return max(matches)[1]


@pytest.mark.parametrize("name", FILES)
def test_no_module_imports_from_a_higher_layer(name):
    for imported in imports_of(name):
        assert imported in FILES, f"{name} imports {imported}, which does not exist"
        assert layer_of(imported) <= layer_of(name), f"{name} imports {imported} from a higher layer"


@pytest.mark.parametrize("package", ["arena", "web", "cli", "agents.exact", "agents.search"])
def test_what_uses_exact_values_knows_no_solver_of_a_game(package):
    games = tuple(f"ci_envs.games.{game}" for game in ("connect_n", "nim", "quarto", "quixo"))
    solvers = {name: imports_of(name) for name in FILES if name.startswith("ci_envs.solver.")}
    special = {name for name, imports in solvers.items() if any(module.startswith(games) for module in imports)}
    assert {"ci_envs.solver.quarto", "ci_envs.solver.quixo", "ci_envs.solver.gravity"} < special
    for name in FILES:
        if f"{name}.".startswith(f"ci_envs.{package}."):
            assert not imports_of(name) & special, name


def test_no_module_imports_itself_through_others():
    try:
        TopologicalSorter({name: imports_of(name) for name in FILES}).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_a_circle_would_be_found():
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()


def test_the_picture_shows_the_layers():
    """``python docs/draw_layout.py`` draws the picture again."""
    script = runpy.run_path(str(ROOT / "docs" / "draw_layout.py"))
    assert script["layers"]() == list(LAYERS)
    assert script["draw"]() == (ROOT / "docs" / "images" / "layout.svg").read_text()


@pytest.mark.parametrize("name", FILES)
def test_only_the_kernels_import_numba(name):
    if not name.startswith("ci_envs.kernels."):
        assert not any(module.partition(".")[0] in ("numba", "llvmlite") for module in external_imports_of(name))


def loaded_by(code):
    program = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    return set(json.loads(printed))


HEAVY = {"torch", "pygame", "matplotlib", "fastapi", "nicegui", "stable_baselines3", "ray", "scipy.stats", "choix"}


def test_importing_the_package_is_light():
    finders = "[*sys.meta_path, *sys.path_hooks]"
    loaded = loaded_by(f"import gymnasium, sys; before = {finders}; import ci_envs; assert {finders} == before")
    assert not loaded & (HEAVY | {"numba", "rich", "click"})
    assert "gymnasium" in loaded


@pytest.mark.extended
def test_playing_loads_nothing_heavy():
    loaded = loaded_by("import ci_envs; env = ci_envs.make('TicTacToe-v0'); env.reset(); env.step(0)")
    assert not loaded & HEAVY
    assert "numba" in loaded


@pytest.mark.extended
def test_the_list_of_agents_loads_no_library_for_learning():
    from ci_envs.registry.agents import AGENTS

    loaded = loaded_by(
        "from ci_envs.registry.agents import AGENTS\nfor name in AGENTS.names(): AGENTS.options(AGENTS.find(name))"
    )
    assert {AGENTS.find(name).__module__ for name in AGENTS.names()} <= loaded
    assert not loaded & (HEAVY - {"scipy.stats"})


@pytest.mark.extended
def test_a_trained_policy_plays_without_the_compiler_of_torch():
    loaded = loaded_by(
        "import ci_envs; env = ci_envs.make('TicTacToe-v0'); env.reset(); "
        "ci_envs.make_agent('sb3:tictactoe', env).act(env.observe(env.agent_selection))"
    )
    assert "stable_baselines3" in loaded
    assert "torch._dynamo" not in loaded


def test_every_export_is_there_and_listed():
    import ci_envs

    stub = ast.parse((ROOT / "ci_envs" / "__init__.pyi").read_text())
    listed = next(ast.literal_eval(n.value) for n in stub.body if isinstance(n, ast.Assign))
    assert sorted(listed) == listed
    for name in listed:
        assert getattr(ci_envs, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        ci_envs.no_such_name  # noqa: B018
