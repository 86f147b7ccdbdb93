"""Generator of the pages of the environments: the documentation of the class, pictures, and statistics."""

import inspect
import re
from typing import NamedTuple

import numpy as np

from ci_envs import Position, make_vec, solve
from ci_envs.cli.docstrings import documented_object
from ci_envs.registry.games import registered, resolve
from ci_envs.web.rules_page import example_pictures

BOARDS = 256
GAMES = 20_000
"""The number of random games for the statistics of an environment."""

SOLVED = {
    "Quixo-v0": ("Quixo-v0:size=2", "Quixo-v0:size=3", "Quixo-v0:size=4"),
    "TicTacToe-v0": ("TicTacToe-v0",),
    "ConnectN-v0": ("ConnectN-v0:rows=4,cols=4", "ConnectN-v0"),
    "ConnectFour-v0": ("ConnectFour-v0:rows=4,cols=5", "ConnectFour-v0"),
    "Nim-v0": ("Nim-v0", "Nim-v0:misere=true", "Nim-v0:heaps=1,3,5,7,9"),
    "Quarto-v0": ("Quarto-v0",),
}
"""The environments in the table of exact results. The generator solves their initial positions."""

PUBLISHED = {
    "Quixo-v0": "With `size=5` neither player can force a win (Tanaka, Bonnet, Tixeuil and Tamura 2021).",
}
"""Published results that the solver of this package cannot compute."""

_VALUES = {1: "The first player wins", 0: "Neither player can force a win", -1: "The second player wins"}


class RandomPlay(NamedTuple):
    """Statistics of games between two random players.

    Attributes:
        plies: The mean number of plies of a game.
        legal: The mean number of legal actions in a position.
        first: The share of games that the first player wins, from 0 to 1.
        second: The share of games that the second player wins.
        drawn: The share of games without a winner.
    """

    plies: float
    legal: float
    first: float
    second: float
    drawn: float


def pages() -> dict[str, str]:
    """Return the content of the pages of the environments and of their pictures, by path in the site."""
    files = {}
    for id in registered():
        spec, game, _ = resolve(id)
        if not type(game).__module__.startswith("ci_envs."):
            continue  # another package registered the environment
        name = spec.name.removesuffix("_v0")
        files[f"environments/{name}.md"] = page(id, name)
        before, after, _, _ = example_pictures(game)
        files[f"environments/{name}_before.svg"] = before
        files[f"environments/{name}_after.svg"] = after
    return files


def page(id: str, name: str) -> str:
    """Return the page of an environment.

    Args:
        id: The id of the environment.
        name: The name of the page and of its pictures.
    """
    spec, game, _ = resolve(id)
    title, _, text = (inspect.getdoc(documented_object(spec)) or "").partition("\n")
    _, _, action, outcome = example_pictures(game)
    pictures = f"""
<figure markdown="span">
![A position before the move {action}]({name}_before.svg){{ .pair }}
![The position after the move {action}]({name}_after.svg){{ .pair }}
<figcaption>Before and after the move <code>{action}</code>: {outcome}.</figcaption>
</figure>
"""
    head, _, rest = text.replace("\n### ", "\n## ").partition("\n## ")
    rest, _, versions = rest.partition("\n## Version History\n")
    generated = f"{random_play(id)}\n{exact_results(id)}\n## Version History\n{versions}"
    return f"# {id}\n\n{title}\n{pictures}\n{head}\n## {_as_code(rest)}\n{generated}"


def random_play(id: str) -> str:
    """Return the section on random play."""
    statistics = measure_random_play(id)
    return f"""
## Random play

These are statistics of {GAMES:,} games (seed 0) between two players that choose uniformly among the legal actions:

| plies of a game | legal actions in a position | first player wins | second player wins | draws |
|---|---|---|---|---|
| {statistics.plies:.1f} | {statistics.legal:.1f} | {statistics.first:.1%} | {statistics.second:.1%} \
| {statistics.drawn:.1%} |
"""


def measure_random_play(id: str) -> RandomPlay:
    """Play random games and return their statistics."""
    envs = make_vec(id, BOARDS, opponent=None, autoreset_mode="SameStep")
    envs.action_space.seed(0)
    _, info = envs.reset(seed=0)
    legal = steps = 0
    wins, draws = np.zeros(2, dtype=int), 0
    while wins.sum() + draws < GAMES:
        mask, mover = info["action_mask"], info["to_move"].copy()
        legal += int(mask.sum())
        steps += BOARDS
        _, rewards, terminated, truncated, info = envs.step(envs.action_space.sample(mask))
        over = terminated | truncated
        for player in range(2):
            wins[player] += (over & (rewards * np.where(mover == player, 1, -1) > 0)).sum()
        draws += int((over & (rewards == 0)).sum())
    games = int(wins.sum()) + draws
    return RandomPlay(steps / games, legal / steps, wins[0] / games, wins[1] / games, draws / games)


def exact_results(id: str) -> str:
    """Return the section on exact results."""
    lines = ["## Exact results", ""]
    if id in PUBLISHED:
        lines += [PUBLISHED[id], ""]
    if SOLVED[id]:
        lines += ["`ci-envs solve ENV` computes the value of the initial position under optimal play:", ""]
        lines += ["| environment | value | plies |", "|---|---|---|"]
        lines += [_solved_row(environment) for environment in SOLVED[id]]
    return "\n".join(lines) + "\n"


def _solved_row(environment: str) -> str:
    _, game, _ = resolve(environment)
    start = Position.start(game)
    solution = solve(start)
    value = solution.value(start)
    return f"| `{environment}` | {_VALUES[value]} | {solution.distance(start) if value else '-'} |"


def _as_code(text: str) -> str:
    """Return a docstring in which the examples are code blocks."""
    return re.sub(r"((?:^(?:>>>|\.\.\.).*\n(?:^[^\n#].*\n)*)+)", r"```pycon\n\1```\n", text, flags=re.MULTILINE)
