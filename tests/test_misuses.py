"""Mistakes of users, in Python and on the command line: each message is one line with the fix."""

import sys

import gymnasium
import pytest
from click.testing import CliRunner

import ci_envs
from ci_envs.agents import as_agent
from ci_envs.agents import register as register_agent
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena import compare
from ci_envs.cli.main import main
from ci_envs.optimisation import optimise, set_covering
from ci_envs.training import train

QUIXO = ci_envs.Quixo()


class TwoArguments:
    def act(self, seen, mask):
        return 0


def started(id):
    env = ci_envs.make(id)
    env.reset()
    return env


IN_PYTHON = {
    "a misspelt id": (lambda: ci_envs.make("Quxo-v0"), "Did you mean 'Quixo-v0'?"),
    "an id in lower case": (lambda: ci_envs.make("quixo-v0"), "Did you mean 'Quixo-v0'?"),
    "an id of Gymnasium": (lambda: ci_envs.make("ci_envs/Quixo-v0"), "Did you mean 'Quixo-v0'?"),
    "a misspelt parameter": (lambda: ci_envs.make("Quixo-v0", sise=4), "Did you mean 'size'?"),
    "a misspelt parameter in an id": (lambda: ci_envs.make("Quixo-v0:sise=4"), "Did you mean 'size'?"),
    "a game that is None": (lambda: ci_envs.register("Mine-v0", None), "as its class, or as 'module:Class', not None"),
    "a game that is another class": (lambda: ci_envs.register("Mine-v0", int), "a game is registered as its class"),
    "a game in place of its class": (
        lambda: ci_envs.register("Mine-v0", QUIXO),
        "as 'module:Class', not Quixo(size=5)",
    ),
    "a module in place of a class": (lambda: ci_envs.register("Mine-v0", "module"), "'module:Class', not 'module'"),
    "no id": (lambda: ci_envs.register(None, ci_envs.Quixo), "an id must be a name and a version such as Quixo-v0"),
    "an agent that is a number": (lambda: register_agent("five", 5), "5 cannot be used as an agent"),
    "an agent without a name": (lambda: register_agent(None, TwoArguments), "must be an identifier, not None"),
    "the id of a position": (lambda: ci_envs.Position.from_text("Nim-v0", "1"), "a position needs a game such as"),
    "a solution of a text": (lambda: ci_envs.solve(ci_envs.TicTacToe()).value("x"), "a solution needs a position"),
    "a picture of a text": (lambda: ci_envs.show("x"), "a picture needs a position such as"),
    "an agent of an id": (lambda: MinimaxAgent("TicTacToe-v0"), "MinimaxAgent needs a game such as TicTacToe()"),
    "a value out of range": (lambda: ci_envs.make("Quixo-v0", size=9), "size must be a whole number from 2 to 7"),
    "an unknown render mode": (lambda: ci_envs.make("Nim-v0", render_mode="rgb"), "human, rgb_array, ansi"),
    "a parameter in an id of Gymnasium": (
        lambda: gymnasium.make("ci_envs/Quixo-v0:size=4"),
        "No module named 'ci_envs/Quixo-v0'",  # by Gymnasium; the FAQ explains it
    ),
    "a misspelt option of Gymnasium": (
        lambda: gymnasium.make("ci_envs/Quixo-v0", oponent="random"),
        "Did you mean 'opponent'?",
    ),
    "a misspelt option of many boards": (
        lambda: ci_envs.make_vec("Quixo-v0", 8, autoreset="SameStep"),
        "Did you mean 'autoreset_mode'?",
    ),
    "a seat without an opponent": (
        lambda: gymnasium.make("ci_envs/Quixo-v0", opponent=None, seat=1),
        "the agent plays both sides",
    ),
    "a misspelt agent": (lambda: ci_envs.make_agent("mimimax", QUIXO), "Did you mean 'minimax'?"),
    "a misspelt option of an agent": (lambda: ci_envs.make_agent("minimax:dept=4", QUIXO), "Did you mean 'depth'?"),
    "an agent of another game": (lambda: ci_envs.make_agent("nim_expert", QUIXO), "plays Nim"),
    "a missing extra": (lambda: optimise(set_covering(10), "ilp"), "install the extra 'ilp', for example pip install"),
    "a misspelt solver": (lambda: optimise(set_covering(10), "gredy"), "Did you mean 'greedy'?"),
    "an agent that cannot be trained": (
        lambda: train("minimax", "Nim-v0", output="no"),
        "cannot be trained. Available: alphazero,",
    ),
    "a trainer without its algorithm": (
        lambda: train("sb3", "Nim-v0", output="no"),
        "one of maskable_ppo, ppo, a2c",
    ),
    "steps of an episode of many boards": (
        lambda: gymnasium.make_vec("ci_envs/TicTacToe-v0", num_envs=2, max_episode_steps=5),
        "use max_cycles=5, the plies of both players, or gymnasium.make_vec(..., vectorization_mode='sync')",
    ),
    "steps of an episode": (lambda: ci_envs.make("Quixo-v0", max_episode_steps=5), "use max_cycles=5"),
    "the class of a game": (lambda: ci_envs.make(ci_envs.Quixo), "a game such as Quixo(size=5), not <class"),
    "a parameter of a game that is made": (lambda: ci_envs.make(QUIXO, size=3), "Available: max_cycles, render_mode"),
    "a misspelt parameter of a game": (lambda: ci_envs.Quixo(sise=4), "Did you mean 'size'?"),
    "a width": (lambda: ci_envs.ConnectFour(width=7), "Available: rows, cols, n, gravity"),
    "a misspelt option of a class": (lambda: MinimaxAgent(QUIXO, dept=3), "Did you mean 'depth'?"),
    "exchanged arguments": (
        lambda: ci_envs.make_agent(QUIXO, "minimax"),
        "a text such as 'minimax:depth=4'",
    ),
    "a function instead of a name": (lambda: ci_envs.make_agent(len, QUIXO), "use as_agent for objects"),
    "one agent instead of a list": (lambda: compare("TicTacToe-v0", "random"), "a list such as ['random', "),
    "an agent instead of a list": (lambda: compare(QUIXO, as_agent("random", QUIXO)), "a list such as ['random', "),
    "a list of one agent": (lambda: compare("Nim-v0", [lambda seen: 0]), "for example ['<lambda>', 'random']"),
    "a misspelt option of a comparison": (lambda: compare("Nim-v0", ["random"] * 2, game=3), "Did you mean 'games'?"),
    "half a game": (lambda: compare("Nim-v0", ["random"] * 2, games=2.5), "games must be 2 or more"),
    "no seed": (lambda: compare("Nim-v0", ["random"] * 2, seed=None), "seed must be 0 or more, not None"),
    "a function of two arguments": (lambda: as_agent(lambda seen, mask: 0, QUIXO), "change <lambda>(seen, mask)"),
    "a function without arguments": (lambda: as_agent(lambda: 0, QUIXO), "change <lambda>()"),
    "a method of two arguments": (lambda: as_agent(TwoArguments(), QUIXO), "change TwoArguments.act(seen, mask)"),
    "another name of a game": (lambda: ci_envs.make("Connect4-v0"), "Did you mean 'ConnectFour-v0'?"),
    "another name of a game in lower case": (lambda: ci_envs.make("connect_4-v1"), "Did you mean 'ConnectFour-v0'?"),
    "a misspelt agent of PettingZoo": (
        lambda: started("TicTacToe-v0").observe("player_O"),
        "Available: player_0, player_1",
    ),
    "the number of an agent of PettingZoo": (lambda: started("Nim-v0").action_space(0), "Unknown agent 0."),
    "an agent without observations": (lambda: started("Nim-v0").observation_space("x"), "Unknown agent 'x'."),
    "an agent of flat observations": (
        lambda: ci_envs.FlatMaskObsAEC(started("Nim-v0")).observation_space("player_2"),
        "Unknown agent 'player_2'.",
    ),
    "a misspelt option of a reset": (
        lambda: ci_envs.make_vec("Nim-v0", 2).reset(options={"reset_masks": None}),
        "Did you mean 'reset_mask'?",
    ),
    "an option of a reset": (
        lambda: gymnasium.make("ci_envs/Nim-v0").reset(options={"seat": 1}),
        "Unknown option 'seat' for reset.",
    ),
    "an option of a reset of a problem": (
        lambda: gymnasium.make("ci_envs/SetCovering-v0").reset(options={"n": 5}),
        "Unknown option 'n' for reset.",
    ),
    "a seed of a problem that is true": (
        lambda: gymnasium.make("ci_envs/SetCovering-v0").unwrapped.reset(seed=True),
        "seed must be a whole number from 0 to 18446744073709551615, not True",
    ),
    "a seed of a game that is true": (
        lambda: gymnasium.make("ci_envs/Nim-v0").unwrapped.reset(seed=True),
        "seed must be a whole number from 0 to 18446744073709551615, not True",
    ),
    "a folder of a comparison without a name": (
        lambda: compare("Nim-v0", ["random"] * 2, games=2, output=""),
        "the name of a folder is empty; '.' is the current folder",
    ),
    "a folder of a run without a name": (
        lambda: train("q_learning", "Nim-v0", output=""),
        "the name of a folder is empty; '.' is the current folder",
    ),
    "an unknown action": (lambda: ci_envs.Position.start(ci_envs.TicTacToe()).play("z9"), "legal are a1 (0)"),
}
ON_THE_COMMAND_LINE = {
    "compare Quixo-v0 random mimimax": "Did you mean 'minimax'?",
    "compare Quixo-v0 random minimax --gmes 3": "--games",
    "compare Quixo-v0 random minimax --games 1": "'--games': 1 is not in the range x>=2",
    "compare TicTacToe-v0 random random --random-plies 9": "--random-plies 9 is too large",
    "compare Nim-v0 random random --ray-address x:1": "give --workers too",
    "solve SetCovering-v0 gredy": "Did you mean 'greedy'?",
    "train q_learning Nim-v0 --steps 9": "Use --episodes.",
    "train q_learning Nim-v0 --workers 2": "no option --workers. Remove --workers.",
    "train q_learning Nim-v0 --episodes 0": "'--episodes': 0 is not in the range x>=1",
    "train alphazero Nim-v0 --minutes 1 --iterations 2": "give either iterations or minutes, not --iterations 2",
    "info tabo": "Did you mean 'tabu'?",
    "render Quixo-v0 -o no/such/board.png": "Create it first.",
    "compare Nim-v0 random random --csv=": "--csv: '.' is a folder",
    "compare Nim-v0 random random --json /proc/1/x": "--json: '/proc/1/x' cannot be written",
    f"accuracy Nim-v0 random --json {'x' * 300}": "cannot be written: File name too long",
}


@pytest.mark.parametrize("mistake", IN_PYTHON)
def test_an_error_is_one_line_with_the_fix(mistake, monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)  # as if the package were not installed
    monkeypatch.delitem(sys.modules, "ci_envs.optimisation.set_covering.ilp", raising=False)  # imported before
    do, fix = IN_PYTHON[mistake]
    with pytest.raises(Exception, match=r"^[^\n]+$") as caught:
        do()
    assert fix in str(caught.value)


@pytest.mark.parametrize("command", ON_THE_COMMAND_LINE)
def test_wrong_usage_is_one_line_with_the_fix(command):
    done = CliRunner().invoke(main, command.split())
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert ON_THE_COMMAND_LINE[command] in done.stderr
