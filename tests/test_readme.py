"""The README, the pages of the site and CONTRIBUTING.md: their examples run, and their tables are complete.

test_packaging.py runs the Python blocks of the README.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import gymnasium
import pytest
from click.testing import CliRunner
from conftest import free_memory
from sb3_contrib import MaskablePPO
from serving import served

import ci_envs
from ci_envs.cli.main import main
from ci_envs.optimisation.registry import registered_problems
from ci_envs.optimisation.solving import SOLVERS
from ci_envs.registry import games
from ci_envs.registry.agents import AGENTS
from docs.generators.agent_pictures import PICTURES, agent_picture

ROOT = Path(__file__).parents[1]
README, CONTRIBUTING = ((ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md"))
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if "reports" not in path.relative_to(ROOT).parts  # test_reports.py runs their commands
}
NAVIGATION = (ROOT / "mkdocs.yml").read_text()
COMMAND_LINE = PAGES["docs/reference/command_line.md"]


def console_lines(program):
    """The commands of a program in blocks of the README and of the pages, each once and without comments."""
    blocks = [
        block for text in (README, *PAGES.values()) for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    ]
    lines = [line.partition("  #")[0].strip() for block in blocks for line in block.replace("\\\n", "").splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith(f"{program} ")))


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```python" in text])
def test_python_blocks_of_pages_run(page, capsys, monkeypatch):
    for attribute in ("_specs", "_ids"):  # registrations are removed
        monkeypatch.setattr(games, attribute, dict(getattr(games, attribute)))
    if page == "docs/adding_a_game.md":  # its blocks are parts of examples/new_game.py
        example = (ROOT / "examples" / "new_game.py").read_text()
        assert all(block in example for block in re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL))
        return
    for block in re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL):
        exec(block, {"__name__": "page"})


def test_the_game_of_the_path_is_that_of_the_tutorial():
    [block] = re.findall(r"```python\n(.*?)```", PAGES["docs/paths/own_game.md"], re.DOTALL)
    tutorial = (ROOT / "docs" / "tutorials" / "own_game.py").read_text()
    rules = [part for part in block.split("\n\n\n") if part.startswith("@")]
    assert len(rules) == 5
    assert all(part in tutorial for part in rules)


def with_quick_training(agent):
    """Return an agent with options with which its training takes seconds."""
    agent = re.sub(r"(?<=[:,])(games|lanes|threads)=\d\d+", r"\1=8", agent)
    agent = re.sub(r"(?<=[:,])batch=\d+", "batch=64", agent)
    agent += {"alphazero": ":games=8", "neat": ":population=10,games=2"}.get(agent, "")
    return f"{agent},measurements=1,ladder_games=2" if agent.startswith("alphazero") else agent


def test_command_lines_are_accepted(tmp_path, monkeypatch, pytestconfig):
    commands = [re.fullmatch(r"ci-envs (\w+)(.*)", line).groups() for line in console_lines("ci-envs")]
    assert {name for name, _ in commands} == {*main.commands}
    monkeypatch.chdir(tmp_path)
    [agent] = re.findall(r"```python\n(def agent.*?)```", PAGES["docs/your_agent.md"], re.DOTALL)
    [game] = re.findall(r"```python\n(.*?)```", PAGES["docs/paths/own_game.md"], re.DOTALL)
    # in the same folder in each run, because compiled code of a file at another path is not used again
    kept = pytestconfig.cache.mkdir("my_game") / "my_game.py"
    kept.write_text(game)
    Path("my_game.py").symlink_to(kept)
    for file in (Path("mine.py"), Path("submissions/first.py"), Path("students/mine.py")):
        file.parent.mkdir(exist_ok=True)
        file.write_text(agent)
    Path("other.py").write_text("import mine\n\n\nclass Agent:\n    act = staticmethod(mine.agent)\n")
    MaskablePPO("MlpPolicy", gymnasium.make("ci_envs/TicTacToe-v0")).save("ppo.zip")
    MaskablePPO("MlpPolicy", gymnasium.make("ci_envs/Quixo-v0")).save("quixo_ppo.zip")
    for name, rest in commands:
        if name == "serve":  # until it is stopped: test_web.py starts it
            continue
        arguments = shlex.split(rest)
        if name == "train":
            short = {"--steps": "100", "--episodes": "100", "--generations": "1", "--minutes": "0.01"}
            [length] = short.keys() & {*arguments}
            arguments[arguments.index(length) + 1] = short[length]
            if arguments[0].startswith("sb3"):
                arguments += ["--set", "boards=2", "--set", "ladder_games=2"]
            arguments[0] = with_quick_training(arguments[0])
        if name == "book":
            arguments = [arguments[0], "--minutes", "0.01", "--output", "some.book"]
        if name == "solve":
            free_memory()  # the tables of earlier commands
        if name == "reports":  # test_reports.py runs all sections
            arguments = ["B33" if argument == "all" else argument for argument in arguments]
        if name == "exam" and "exact-v1" in arguments:
            arguments = [*arguments, "--positions", "20", "--games", "2"]
        arguments += {"compare": ["--games", "2"], "accuracy": ["--positions", "100"]}.get(name, [])
        if "--level" in arguments:  # of Quixo, where lower levels take minutes
            arguments[arguments.index("--level") + 1] = "25"
        if "--seconds" in arguments:
            arguments[arguments.index("--seconds") + 1] = "0.1"
        result = CliRunner().invoke(main, [name, *arguments], input="a1\n")
        assert result.exit_code == (1 if "human" in arguments else 0), result.output  # the input of a game ends early


def test_make_has_the_documented_targets():
    """CI and people run the targets themselves; this makes sure that no page names one that does not exist."""
    lines = [line.split() for line in console_lines("make")]
    assert ["make", "demo"] in lines
    assert ["make", "test"] in lines
    for line in lines:
        subprocess.run([line[0], "--dry-run", *line[1:]], cwd=ROOT, capture_output=True, check=True)


def test_pip_lines_install_the_pinned_torch_and_existing_extras():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    lines = console_lines("pip")
    assert len(lines) >= 3
    for line in lines:
        arguments = shlex.split(line)[2:]
        named = re.fullmatch(r"\.\[(.*)\]", arguments[-1])
        assert named[1] in extras if named else arguments[-1] in pins, line


def test_the_quoted_speed_is_that_of_the_benchmarks():
    measured = {row["name"]: row for row in json.loads((ROOT / "docs" / "results" / "speed.json").read_text())["rows"]}
    steps, ratio, searches = re.search(
        r"([\d.]+) million steps .* ([\d.]+) times as many .* (\d+) times", README
    ).groups()
    rows = [row for row in measured.values() if row["group"] == "vector steps, Connect Four"]
    assert (float(steps), ratio) == (round(rows[0]["value"] / 1e6, 1), rows[0]["ratio"])
    assert int(searches) == round(float(measured["ConnectFour-v0, 1,000 simulations"]["ratio"]))


def test_the_shell_completion_works_as_documented(monkeypatch):
    shells = dict(
        re.findall(r"^\| (\w+) \| `~/.*` \| `.*_CI_ENVS_COMPLETE=(\w+) ci-envs.*` \|$", COMMAND_LINE, re.MULTILINE)
    )
    assert shells.keys() == {"bash", "zsh", "fish"}
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    for shell, instruction in shells.items():
        script = CliRunner().invoke(main, env={"_CI_ENVS_COMPLETE": instruction}, prog_name="ci-envs").stdout
        assert f"_CI_ENVS_COMPLETE={shell}_complete" in script
    [line] = re.findall(r"`(eval .*bash_source ci-envs.*)` \|", COMMAND_LINE)
    typed = 'COMP_WORDS=(ci-envs sol); COMP_CWORD=1; _ci_envs_completion ci-envs; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", f"{line}; {typed}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["solve"]


def test_tables_list_every_environment_and_agent():
    assert len(README.splitlines()) <= 150
    listed = dict(re.findall(r"^\| `([\w-]+)` \| .*\| (\([\d, ]+\) \| \d+) \|$", README, re.MULTILINE))
    for id in ci_envs.registered():
        game = ci_envs.make(id).game
        if type(game).__module__.startswith("ci_envs."):  # not one that another test registered
            assert listed.pop(id) == f"{game.observation_shape} | {game.action_count}"
            page = f"{games.resolve(id)[0].name.removesuffix('_v0')}.md"  # the generator of the site writes it
            assert f"[`{id}`]({page})" in PAGES["docs/environments/index.md"]
            assert f": environments/{page}\n" in NAVIGATION
    assert not listed
    problems = PAGES["docs/optimisation/index.md"]
    assert all(f"| [`{name}`](" in problems and f"`{name}`" in README for name in registered_problems())
    listed_solvers = re.findall(r"<!-- options of the solvers (.*?) -->", "".join(PAGES.values()))
    assert sorted(" ".join(listed_solvers).split()) == sorted(SOLVERS.names())
    assert f"with {len(SOLVERS.names())} solvers" in README
    for name in entry_points(group=AGENTS.group).names:
        assert f"\n| [`{name}`]({name}.md) | " in PAGES["docs/agents/index.md"]
        assert f": agents/{name}.md\n" in NAVIGATION


def test_each_agent_has_a_page_with_all_parts():
    measured = " ".join(path.read_text() for path in (ROOT / "docs" / "strength").glob("*.json"))
    for name in entry_points(group=AGENTS.group).names:
        page = PAGES[f"docs/agents/{name}.md"]
        assert all(f"**{part}.**" in page for part in ("Idea", "Train", "When not to use it")), name
        assert "**Strength.**" in page or re.search(rf'"agent": "{name}[":]', measured), name
        assert re.search(r"\*\*(Papers?|Source)\.\*\*", page) or name in {"human", "random", "report"}, name


def test_each_agent_has_a_picture():
    assert PICTURES.keys() == set(entry_points(group=AGENTS.group).names)
    for name in PICTURES:
        picture = ElementTree.fromstring(agent_picture(name))
        width, height = (float(picture.get(side)) for side in ("width", "height"))
        places = [
            (float(text.get("x")), float(text.get("y"))) for text in picture.iter("{http://www.w3.org/2000/svg}text")
        ]
        assert places, name
        assert all(0 < x < width and 0 < y < height for x, y in places), name


def test_contributing_names_every_folder():
    folders = {file.parent for file in (ROOT / "ci_envs").glob("*/__init__.py") if not file.parent.is_symlink()}
    folders |= {file.parent for name in ("agents", "examples", "tests") for file in (ROOT / name).glob("*.py")}
    folders |= {file.parent for file in ROOT.glob("*/__init__.py")} - {ROOT / "ci_envs"}
    listed = set(re.findall(r"^\| `([\w/]+)/` \|", CONTRIBUTING, re.MULTILINE))
    assert {folder.relative_to(ROOT).as_posix() for folder in folders} == listed


TRACE = """
import os, sys
from ci_envs.cli.main import main
remaining = {steps!r}
def trace(frame, event, argument):
    code = frame.f_code
    if event == "call" and remaining and code.co_qualname == remaining[0][1]:
        if os.path.relpath(os.path.realpath(code.co_filename), {root!r}) == remaining[0][0]:
            del remaining[0]
sys.setprofile(trace)
main("compare TicTacToe-v0 random minimax:depth=2 --games 4".split(), standalone_mode=False)
sys.setprofile(None)
print("not called:", remaining)
"""


def test_a_compare_runs_as_contributing_says():
    """The functions that CONTRIBUTING.md lists are called in its order."""
    section = CONTRIBUTING.partition("## How a `compare` runs")[2].partition("\n## ")[0]
    steps = [(file, name) for name, file in re.findall(r"`([\w.]+)` in `([\w/]+\.py)`", section)]
    assert len(steps) > 15
    if sys.version_info >= (3, 12):  # Numba reports no calls of compiled functions to sys.setprofile there
        steps.remove(("ci_envs/games/batch.py", "play_batch"))
    program = TRACE.format(root=str(ROOT), steps=steps)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "not called: []"


def test_the_requests_of_the_server_page_are_answered(tmp_path):
    [block] = re.findall(r"```bash\n(.*?)```", PAGES["docs/reference/server.md"], re.DOTALL)
    with served(tmp_path / "games.sqlite") as (client, _):
        game = {}
        for line in block.splitlines():
            words = shlex.split(
                line.replace("ID", game.get("id", "")).replace("TOKEN", game.get("seat_tokens", [""])[0])
            )
            address = next(word for word in words if word.startswith("127.0.0.1:8080")).removeprefix("127.0.0.1:8080")
            body = words[words.index("--json") + 1] if "--json" in words else None
            headers = dict([words[words.index("-H") + 1].split(": ")]) if "-H" in words else {}
            headers["Content-Type"] = "application/json"
            answer = client.request("GET" if body is None else "POST", address, content=body, headers=headers)
            assert answer.is_success, f"{line}: {answer.text}"
            game = game or answer.json()
        assert '"value"' in answer.text  # of the last, which streams a search
