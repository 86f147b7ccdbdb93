"""The programs of the documentation: examples, the game that they add, and the docstrings of the environments."""

import dataclasses
import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ci_envs
from ci_envs import Position, make
from ci_envs.registry import games
from ci_envs.registry.agents import AGENTS

ROOT = Path(__file__).parents[1]
MODULES = {
    "quixo_v0": "Quixo-v0",
    "tictactoe_v0": "TicTacToe-v0",
    "connect_n_v0": "ConnectN-v0",
    "connect_four_v0": "ConnectFour-v0",
    "nim_v0": "Nim-v0",
    "quarto_v0": "Quarto-v0",
}
RESULTS = ("+1", "-1"), ("-1", "+1"), ("+0", "+0")

# with a stopped clock no solver reaches its time limit, so each one ends by itself on any machine
STOPPED_SOLVERS = """
import runpy, sys
from ci_envs.optimisation import solving
from ci_envs.registry import games
from ci_envs.registry.agents import AGENTS
solving.perf_counter = lambda: 0.0
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*command):
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT / "examples", capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def example(monkeypatch):
    """Import an example by name. It is imported only while a test runs, because it can register an environment."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return import_module


class TestExamplesRun:
    @pytest.mark.parametrize("id", ["Nim-v0", "Quarto-v0"])
    def test_aec_loop(self, id):
        output = run("aec_loop.py", id)
        assert output.startswith(make(id).game.diagram(*make(id).game.start(), 0))
        assert re.findall(r"player_[01]: reward ([+-]\d)", output) in map(list, RESULTS)

    def test_aec_loop_plays_tictactoe_where_nothing_is_named_and_is_repeatable(self):
        assert run("aec_loop.py") == run("aec_loop.py", "TicTacToe-v0")

    def test_custom_agent(self):
        ratings, _, pairs = run("custom_agent.py").partition("ConnectFour-v0: 100 games per pair")
        order = re.findall(r"^ ?(minimax:depth=4|careful:block=false|careful|random) ", ratings, re.MULTILINE)
        assert order == ["minimax:depth=4", "careful", "careful:block=false", "random"]
        assert "vs minimax:depth=4" in pairs

    def test_new_game(self):
        output = run("new_game.py")
        assert output.startswith("4 x 4 squares: minimax begins with b2\n")
        assert "player_0: +1\nplayer_1: -1\n" in output
        against_itself = output[output.index("vs minimax:depth=20#2", output.index("minimax:depth=20   ")) :]
        assert re.search(r"first +50 +0 +0 +100\.0 .*\n +second +0 +0 +50 +0\.0 ", against_itself)

    def test_nim_evolution(self, tmp_path):
        output = run("nim_evolution.py", "--generations", "2", "--output", str(tmp_path / "run"))
        evolved, mapping, each = (float(share) / 100 for share in re.findall(r": ([\d.]+)%", output))
        assert 0.05 < evolved < mapping
        assert (mapping, each) == (0.488, 0.624)
        assert output.endswith("no rule always wins: (0, 1, 2, 1)\n")

    def test_set_covering(self):
        output = run("-c", STOPPED_SOLVERS, "set_covering.py", "--n", "20", "--seconds", "5")
        rows = {
            cells[0]: cells[1:3] for cells in (re.split(r" *│ *", line)[1:] for line in output.splitlines()) if cells
        }
        assert rows["greedy:rule=overlap"] == ["24", ""]
        assert rows["branch_and_bound"] == ["23", "optimal"]
        assert 23 <= int(rows["your own solver"][0]) <= 26

    @pytest.mark.extended
    def test_cleanrl_ppo(self):
        output = run("cleanrl_ppo.py", "TicTacToe-v0", "--total-timesteps", "49152")
        rows = re.findall(r"^ (random|PPO) +[+-]\d+ .* ([\d.]+) +600 ", output, re.MULTILINE)
        assert float(dict(rows)["PPO"]) > float(dict(rows)["random"]) + 20

    def test_openspiel_mcts(self):
        pytest.importorskip("pyspiel")
        output = run("openspiel_mcts.py")
        assert output.startswith(
            "The first player can force a win within 6 plies: False\n"
            "The first player can force a win within 7 plies: True\n.../.../... X 0/200 plays "
        )
        assert output.splitlines()[-1] in (f"OpenSpiel's MCTS: {mcts}, minimax: {minimax}" for mcts, minimax in RESULTS)

    def test_the_game_is_found_by_the_name_of_its_module(self):
        bar = "new_game:Chomp-v0:rows=3,cols=3"
        assert "minimax:depth=9 (player 0) plays b2" in run("-m", "ci_envs", "play", bar, "minimax:depth=9", "random")


class TestCarefulAgent:
    @pytest.mark.parametrize(
        ("text", "block", "names"),
        [
            ("XX./OO./... X", True, {"c1"}),  # the agent wins before it blocks
            ("XX./O../X.O O", True, {"c1"}),  # the only action that does not lose
            ("XX./O../X.O O", False, {"c1", "b2", "c2", "b3"}),
            ("X.X/.O./X.O O", True, {"b1", "a2", "c2", "b3"}),  # two threats: the player cannot block both
        ],
    )
    def test_choices(self, example, text, block, names):
        agent = example("custom_agent").CarefulAgent(ci_envs.ConnectN(3, 3, 3), block=block, seed=0)
        position = Position.from_text(agent.game, text)
        assert {position.action_name(agent.choose(position)) for _ in range(200)} == names

    @pytest.mark.parametrize("id", ["Quixo-v0:size=3", "Nim-v0:heaps=2,3", "Quarto-v0"])
    def test_it_plays_every_game(self, example, id):
        env = make(id)
        env.reset()
        observation = env.observe("player_0")
        agent = example("custom_agent").CarefulAgent(env.game, seed=0)
        assert observation["action_mask"][agent.act(observation)]

    def test_it_gives_no_winning_piece(self, example):
        game = ci_envs.Quarto()
        agent = example("custom_agent").CarefulAgent(game, seed=0)
        position = Position.from_text(game, "137./..../..../.... - 1")  # all tall, none hollow
        given = {position.action_name(agent.choose(position)) for _ in range(300)}
        assert given == {f"give{piece:x}" for piece in (8, 10, 12, 14)}


GUIDE_PROGRAM = """
import doctest, shlex
from click.testing import CliRunner
from ci_envs.cli.main import main
test = doctest.DocTestParser().get_doctest({session!r}, {{}}, "guide", None, 0)
results = doctest.DocTestRunner().run(test)
print("session", results.failed, "of", results.attempted, "failed")
for command in {commands!r}:
    result = CliRunner().invoke(main, shlex.split(command), input="a1\\n")
    print(command.split()[0], result.exit_code)
"""


class TestGuide:
    def test_its_code_is_that_of_the_example(self):
        source = (ROOT / "examples" / "new_game.py").read_text()
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adding_a_game.md").read_text(), re.DOTALL)
        assert len(blocks) >= 5
        assert [block for block in blocks if block not in source] == []

    def test_its_session_and_commands_run(self):
        """test_new_game.py trains AlphaZero and starts the server."""
        guide = (ROOT / "docs" / "adding_a_game.md").read_text()
        [session] = re.findall(r"```pycon\n(.*?)```", guide, re.DOTALL)
        commands = re.findall(r"^\$ python -m ci_envs (?!serve|train)(.*)$", guide, re.MULTILINE)
        commands = [f"{command} --games 2" if command.startswith("compare") else command for command in commands]
        program = GUIDE_PROGRAM.format(session=session, commands=commands)
        # the person eats the poisoned square at once
        assert run("-c", program) == "session 0 of 3 failed\nplay 0\ncompare 0\nsolve 0\n"

    def test_its_links(self):
        guide = ROOT / "docs" / "adding_a_game.md"
        links = re.findall(r"\]\(([^)#]+)\)", guide.read_text())
        assert [link for link in links if not (guide.parent / link).exists()] == []


def table_of(doc, heading):
    """Return the rows under the table row ``heading``, as a dictionary from the first cell to the other cells."""
    lines = doc[doc.index(f"| {heading} ") :].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in rows if not set(row[0]) <= {"-"}}


@pytest.mark.parametrize("name", MODULES)
class TestModules:
    def test_doctest(self, name):
        result = doctest.testmod(import_module(f"ci_envs.{name}"))
        assert result.attempted >= 4
        assert result.failed == 0

    def test_env_and_raw_env_make_the_environment(self, name):
        module = getattr(ci_envs, name)
        for factory in (module.env, module.raw_env):
            assert str(factory()) == str(make(MODULES[name]))
            assert factory().game == make(MODULES[name]).game

    def test_the_first_table_is_correct(self, name):
        env = make(MODULES[name])
        planes = env.observation_space("player_0")["observation"]
        table = {key: cells[0] for key, cells in table_of(import_module(f"ci_envs.{name}").__doc__, "Creation").items()}
        assert table == {
            "Creation": f'`make("{MODULES[name]}")` or `{name}.env()`',
            "Actions": type(env.action_space("player_0")).__mro__[1].__name__,
            "Parallel API": "Yes" if env.metadata["is_parallelizable"] else "No",
            "Manual Control": f"Yes: `ci-envs play {MODULES[name]} human random`",
            "Agents": f"{len(env.possible_agents)}: {' and '.join(f'`{agent}`' for agent in env.possible_agents)}",
            "Action Shape": str(env.action_space("player_0").shape),
            "Action Values": f"[0, {env.action_space('player_0').n - 1}]",
            "Observation Shape": str(planes.shape),
            "Observation Values": f"[{planes.low.min()}, {planes.high.max()}]",
        }

    def test_the_parameters_are_all_there(self, name):
        game = make(MODULES[name]).game
        table = table_of(import_module(f"ci_envs.{name}").__doc__, "Name")
        defaults = {field.name: repr(getattr(game, field.name)) for field in dataclasses.fields(game)}
        stated = {key: cells[0] for key, cells in table.items() if key != "Name"}
        assert stated == {**defaults, "max_cycles": "None", "render_mode": "None"}

    def test_the_truncation_it_states(self, name):
        meaning = table_of(import_module(f"ci_envs.{name}").__doc__, "Name")["max_cycles"][2]
        assert meaning.endswith("200" if make(MODULES[name]).game.can_cycle else "never")


PUBLIC = {
    f"{module}.{name}": getattr(import_module(module), name)
    for module in ("ci_envs", "ci_envs.arena", "ci_envs.optimisation", "ci_envs.training")
    for name in import_module(module).__all__
    if not inspect.ismodule(getattr(import_module(module), name))
}
POSITION = {
    f"Position.{name}": getattr(ci_envs.Position, name)
    for name, member in vars(ci_envs.Position).items()
    if not name.startswith("_") and name not in ("game", "to_move", "own", "opp")
}


@pytest.mark.parametrize("name", [*PUBLIC, *POSITION])
def test_public_functions_and_classes_have_examples_that_run(name, monkeypatch):
    for owner, attribute in ((games, "_specs"), (games, "_ids"), (AGENTS, "registered")):  # registrations are removed
        monkeypatch.setattr(owner, attribute, dict(getattr(owner, attribute)))
    documentation = inspect.getdoc({**PUBLIC, **POSITION}[name])
    test = doctest.DocTestParser().get_doctest(documentation, {}, name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
