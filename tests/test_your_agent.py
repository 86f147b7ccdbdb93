"""The table of docs/your_agent.md: what a user brings, and where it can be used. Each cell that is not empty is run."""

import json
import sys
from pathlib import Path

import gymnasium
import pytest
from click.testing import CliRunner
from foreign import agents as foreign
from sb3_contrib import MaskablePPO

from ci_envs import TicTacToe, make_agent, make_vec, solve
from ci_envs.arena import compare
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.exam import Exam
from ci_envs.baselines import save_model
from ci_envs.cli.main import main
from ci_envs.games.batch import start_words
from ci_envs.registry.games import resolve
from ci_envs.training.ladder import Ladder
from ci_envs.web.catalog import Catalog

FOLDER = Path(foreign.__file__).parent
ENVIRONMENT, GAME = "TicTacToe-v0", TicTacToe()
OWN_GAME = f"{FOLDER}/trainer.py:Own:rows=3,cols=3,n=3"
TABLE = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in (Path(__file__).parents[1] / "docs" / "your_agent.md").read_text().splitlines()
    if line.count("|") == 9 and "---" not in line
]
COLUMNS = TABLE[0][1:]
EMPTY = "not an agent", "not a game", "if it is registered"
OTHERS = "trainer", "game", "solver", "problem"
CELLS = [
    (row[0], column, cell)
    for row in TABLE[1:]
    for column, cell in zip(COLUMNS, row[1:], strict=True)
    if cell not in EMPTY
]


def run(*arguments):
    done = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """Return what a user brings: each as an object and by its name on the command line."""
    folder = tmp_path_factory.mktemp("models")
    model = MaskablePPO("MlpPolicy", gymnasium.make(f"ci_envs/{ENVIRONMENT}"), n_steps=8, seed=0)
    model.save(folder / "model.zip")
    save_model(model, GAME, folder / "model.safetensors")
    program = f"process:{sys.executable} {FOLDER / 'program.py'}"
    zipped = f"sb3:{folder / 'model.zip'},trust=true"
    return {
        "function": (foreign.lowest, f"{FOLDER}/agents.py:lowest"),
        "class": (foreign.Chooser, f"{FOLDER}/agents.py:Chooser"),
        "object": (foreign.chooser, f"{FOLDER}/agents.py:chooser"),
        "model of Stable-Baselines3": (model, f"sb3:{folder / 'model.safetensors'}"),
        "zip file of Stable-Baselines3": (zipped, zipped),
        "file of a trained agent": (folder / "model.safetensors", str(folder / "model.safetensors")),
        "name of a module": ("foreign.agents:lowest", "foreign.agents:lowest"),
        "name of a file": (f"{FOLDER}/agents.py:lowest", f"{FOLDER}/agents.py:lowest"),
        "`process:COMMAND`": (program, program),
    }


def in_compare(thing, name):
    match = compare(ENVIRONMENT, ["random", thing], games=2).pairings[0].match
    assert match.sides[1].faults == 0
    assert match.sides[0].total.games == 2


def on_the_command_line(thing, name):
    rows = json.loads(run("compare", ENVIRONMENT, "random", name, "--games", 2, "--json", "-"))
    assert {row["agent"] for row in rows["agents"]} == {"random", name}


def as_opponent(thing, name):
    env = gymnasium.make(f"ci_envs/{ENVIRONMENT}", opponent=thing, seat=0)
    env.reset(seed=0)
    env.step(8)
    assert str(env.unwrapped.position).count("O") >= 1


def in_accuracy(thing, name):
    accuracy = measure_accuracy(GAME, thing, start_words(GAME, 3), solve(GAME))
    assert (accuracy.everywhere.decisions, accuracy.illegal) == (3, 0)


def in_an_exam(thing, name):
    assert Exam(GAME, 4).take(thing, "minimax:depth=2", 2).actions


def on_a_ladder(thing, name):
    results = Ladder(GAME, [thing], 2).measure(make_agent("exact", GAME, seed=0)).results
    assert next(iter(results.values())).games == 2


def on_the_page(thing, name):
    agent = Catalog({"brought": name}).agent("brought", GAME)
    assert agent.game == GAME
    with pytest.raises(ValueError, match=r"Unknown agent|must be one of|Only the owner|cannot be set"):
        Catalog().agent(name, GAME)


USES = {
    "`compare` in Python": in_compare,
    "command line": on_the_command_line,
    "`opponent=`": as_opponent,
    "accuracy": in_accuracy,
    "exam": in_an_exam,
    "ladder of a training": on_a_ladder,
    "page": on_the_page,
}


@pytest.mark.extended
@pytest.mark.parametrize(
    ("row", "column"),
    [(row, column) for row, column, _ in CELLS if row not in OTHERS],
)
def test_an_agent_of_a_user_is_used(row, column, brought, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    USES[column](*brought[row])


def test_the_table_names_everything(brought):
    assert {*brought, *OTHERS} == {row[0] for row in TABLE[1:]}
    assert {*USES} == {*COLUMNS}


def test_a_trainer_of_a_user_is_used(tmp_path):
    trainer = f"{FOLDER}/trainer.py:Rounds"
    run("train", trainer, ENVIRONMENT, "--rounds", 2, "--set", "ladder=random", "--output", tmp_path / "run")
    assert (tmp_path / "run" / "best.txt").read_text() == "2"


GAMES = {
    "`compare` in Python": lambda: compare(OWN_GAME, ["random", "exact"], games=2),
    "command line": lambda: run("compare", OWN_GAME, "random", "exact", "--games", 2),
    "`opponent=`": lambda: make_vec(OWN_GAME, 2, opponent="minimax:depth=2").reset(seed=0),
    "accuracy": lambda: run("accuracy", OWN_GAME, "random", "--positions", 5),
    "exam": lambda: Exam(resolve(OWN_GAME)[1], 4).take("random", "minimax:depth=2", 2),
    "ladder of a training": lambda: Ladder(resolve(OWN_GAME)[1], ["random"], 2),
}


@pytest.mark.parametrize("column", [column for row, column, _ in CELLS if row == "game"])
def test_a_game_of_a_user_is_used(column):
    assert repr(resolve(OWN_GAME)[1]) == "Own(rows=3, cols=3, n=3, gravity=False)"
    GAMES[column]()


def test_a_solver_and_a_problem_of_a_user_are_used():
    names = f"{FOLDER}/problem.py:Knapsack", f"{FOLDER}/solver.py:everything"
    [row] = json.loads(run("solve", *names, "--json", "-"))
    assert row["solver"] == names[1]
