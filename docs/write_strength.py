"""Write the page of strength and its pictures: ``python docs/write_strength.py``, from the files in ``docs/strength``.

``python -m experiments.ladder`` and :data:`EXAM_COMMAND` play the games first. A test compares the tables with this
script.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markdown.extensions.toc import slugify

from ci_envs.arena.plot import draw_strength
from ci_envs.arena.proportion import Proportion
from ci_envs.arena.ratings import Rating, wilson_interval
from ci_envs.drawing.figure_file import write_figure
from experiments.ladder import LADDERS, LEAST_MS, RANDOM_PLIES, file_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "strength"

_RESULTS = "wins", "draws", "losses"
"""The keys of the numbers of games in a match."""

_FAST_MS = 0.1
"""Maximum time of a decision of a fast agent on one board, in milliseconds."""

_INTRODUCTION = """\
# Strength of the agents

## Recommendation

| environment | strong | fast | for beginners |
|---|---|---|---|
{recommendations}

*Strong* is the agent with the highest rating after four random plies, *fast* the best one of those that take at most
{fast:g} ms for an action on one board, and *for beginners* the weakest one except for `random`. Ratings are in
brackets. Where `exact` can play, it never loses the exact value of a position.

## Columns of the tables

In each environment each pair of agents plays a match from the initial position and a match after four random plies. The
agents swap seats, and each pair of games has the same random plies.

- *Elo*: the Bradley-Terry rating with its 95% interval. The mean of all agents is 0, and a draw is half a win. A match
  from the initial position shows little about agents with few random decisions, because they repeat the same games.
- *score*: points divided by games, in per cent.
- *keeps value*: the share of actions that keep the exact value of the position, with its 95% interval (Wilson) and the
  number of graded actions, if the game is solved. The positions are those of the games, and many of them are easy. The
  [grades by exact answers](../exact_grades.md) use the same positions for all agents.
- *critical*: the same share, only for positions in which at least one legal action loses value.
- *equal time*: the share of the points against `mcts` with the same CPU time for an action on one board, with its 95%
  interval (Wilson). The number after the comma is the number of simulations of `mcts`. The games begin after
  {equal_plies} random plies. Agents that take less than {least:g} ms do not play them.
- *ms, one board*: milliseconds for an action in a single game.
- *ms, many boards*: milliseconds for an action when many games are played at once and the agent decides on all boards
  together.
"""

_COMMANDS = """\
## Commands

`python -m experiments.ladder` plays the games, and `python docs/write_strength.py` writes this page. Accuracy and time
are from the games after 4 random plies.

"""

EXAM_FILE = "docs/results/exam_Quixo-v0.json"
EXAM_COMMAND = f"ci-envs exam Quixo-v0 alphazero mcts:simulations=10000 minimax:depth=6 --games 10 --json {EXAM_FILE}"
"""The command that wrote the results of the exam."""

_EXAM = """\
## Exam of Quixo-v0

Three positions of Quixo on 5 x 5 have published values (Tanaka, Bonnet, Tixeuil, Tamura, "Quixo Is Solved", 2021). X is
to move in each of them: the initial position is drawn, X wins `XX..O/...../...../...../.....`, and X loses
`OOOO./...../...X./...../..XXX`.

- *correct values*: positions whose value the analysis of the agent predicts correctly.
- *won games*: games that the agent won against `minimax:depth=6` as the side that can win, 10 from each of the two
  positions that are not drawn. In brackets: 95% intervals (Wilson).

"""


def page() -> str:
    """Return the page of all environments in Markdown."""
    parts = [
        _INTRODUCTION.format(
            recommendations="\n".join(map(recommendation, LADDERS)),
            fast=_FAST_MS,
            equal_plies=RANDOM_PLIES[-1],
            least=LEAST_MS,
        ),
        *map(_section, LADDERS),
        exam_section(),
        _COMMANDS + "\n".join(map(_command, LADDERS)) + f"\n- Exam: `{EXAM_COMMAND}`\n",
    ]
    return "\n".join(parts)


def recommendation(environment: str) -> str:
    """Return a row with a strong agent, a fast one, and one for beginners."""
    agents = _by_agent(results(environment)["tournaments"][1])
    names = sorted(agents, key=lambda name: -agents[name]["elo"])
    fast = next(name for name in names if agents[name]["ms_one_board"] <= _FAST_MS)
    weakest = next(name for name in reversed(names) if name != "random")
    cells = [f"`{name}` ({agents[name]['elo']:+.0f})" for name in (names[0], fast, weakest)]
    return f"| [{environment}](#{_anchor(environment)}) | {' | '.join(cells)} |"


def _anchor(environment: str) -> str:
    """Return the anchor of a section, as Python-Markdown makes it."""
    return str(slugify(environment, "-"))


def pictures() -> Iterator[tuple[Path, "Figure"]]:
    """Yield the pictures of the page with their files."""
    for environment in LADDERS:
        for tournament in results(environment)["tournaments"]:
            ratings = {row["agent"]: Rating(row["elo"], *row["elo_interval"]) for row in tournament["agents"]}
            scores = {tuple(pair["agents"]): _score(pair) for pair in tournament["pairs"]}
            plies = tournament["random_plies"]
            start = f"after {plies} random plies" if plies else "from the initial position"
            title = f"{environment} {start}, {tournament['games']} games a pair"
            yield FOLDER / f"{file_name(environment)}_{plies}.png", draw_strength(title, ratings, scores)


def _score(pair: dict[str, Any]) -> float:
    """Return the share of the points of the first agent of a pair."""
    wins, draws, losses = (first + second for first, second in zip(pair["first"], pair["second"], strict=True))
    return float((wins + draws / 2) / (wins + draws + losses))


def results(environment: str) -> dict[str, Any]:
    """Return the results of an environment.

    Raises:
        FileNotFoundError: There are no results of the environment.
    """
    path = FOLDER / f"{file_name(environment)}.json"
    return dict(json.loads(path.read_text()))


def write() -> None:
    """Write the page and its pictures."""
    (FOLDER / "README.md").write_text(page())
    for path, figure in pictures():
        write_figure(figure, path)


def table(found: dict[str, Any]) -> str:
    """Return a table with a row for each agent, sorted by the rating from the initial position."""
    start, later = (_by_agent(tournament) for tournament in found["tournaments"])
    graded = all("accuracy" in row for row in start.values())  # not if only late positions have known values
    heads = ["agent", "Elo from the initial position", "score", "Elo after 4 random plies", "score"]
    if graded:
        heads += ["keeps value", "critical"]
    equal_time = found.get("equal_time", {}).get("matches")
    if equal_time:
        heads.append("equal time")
    heads += ["ms, one board", "ms, many boards"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for label in sorted(start, key=lambda label: -start[label]["elo"]):
        cells = [f"`{label}`", *_strength(start[label]), *_strength(later[label])]
        if graded:
            cells += _accuracy(later[label])
        if equal_time:
            cells.append(_points(equal_time.get(label)))
        cells += [f"{later[label][time]:.2g}" for time in ("ms_one_board", "ms_per_move")]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def exam_section() -> str:
    """Return the results of the exam of :data:`EXAM_COMMAND` in Markdown."""
    rows = json.loads((ROOT / EXAM_FILE).read_text())
    lines = ["| agent | correct values | won games |", "|---|---|---|"]
    lines += [f"| `{row['agent']}` | {_ratio(row['values'])} | {_ratio(row['conversions'])} |" for row in rows]
    return _EXAM + "\n".join(lines) + "\n"


def _ratio(share: dict[str, int]) -> str:
    return Proportion(share["right"], share["cases"]).counted_text()


def _section(environment: str) -> str:
    found, name = results(environment), file_name(environment)
    return f"""\
## {environment}

{table(found)}

{_ungraded(found)}{_equal_time(found)}[All results]({name}.json).

![Ratings and scores from the initial position]({name}_0.png)

![Ratings and scores after 4 random plies]({name}_4.png)
"""


def _command(environment: str) -> str:
    """Return the command of an environment with the date and the machine."""
    found = results(environment)
    games, seed = (found["tournaments"][0][key] for key in ("games", "seed"))
    return (
        f"- {environment}: {games} games for each pair, seed {seed}, {found['date']}, {found['machine']}:"
        f" `{found['command']}`{_one_board(found)}"
    )


def _one_board(found: dict[str, Any]) -> str:
    """Return where the times on one board come from, if they were not measured with the games."""
    measured = found.get("one_board_measured")
    return f"; times on one board: {measured['date']}, {measured['machine']}" if measured else ""


def _ungraded(found: dict[str, Any]) -> str:
    """Return how many actions of the last tournament are graded, if the values of some were not found."""
    graded = [row["accuracy"] for row in found["tournaments"][-1]["agents"] if "accuracy" in row]
    unknown = sum(row.get("unknown", 0) for row in graded)
    if not unknown:
        return ""
    known = sum(row["everywhere"]["decisions"] for row in graded)
    return (
        f"{known:,} of {known + unknown:,} actions are graded. The values of the others were not found within the "
        "[limit](../how_it_works/exact_values.md#grading-within-a-limit). "
    )


def _equal_time(found: dict[str, Any]) -> str:
    """Return the number of games of each match in equal time, or why there are none, if they were played."""
    measured = found.get("equal_time")
    if measured is None:
        return ""
    source = f"({measured['date']}, {measured['machine']}). "
    if not measured["matches"]:
        return f"All agents except `mcts` take less than {LEAST_MS:g} ms, so there are no games in equal time {source}"
    games = sum(next(iter(measured["matches"].values()))[key] for key in _RESULTS)
    return f"Each agent played {games} games in equal time {source}"


def _points(match: dict[str, int] | None) -> str:
    """Return the share of the points of a match with its interval."""
    if match is None:
        return "-"
    games, points = sum(match[key] for key in _RESULTS), match["wins"] + match["draws"] / 2
    low, high = wilson_interval(points, games)
    return f"{100 * points / games:.0f}% ({100 * low:.0f} to {100 * high:.0f}), {match['simulations']:,}"


def _by_agent(tournament: dict[str, Any]) -> dict[str, dict[str, Any]]:
    names = [name for name in ("ms_one_board", "ms_per_move") if name in tournament]
    return {
        row["agent"]: {**row, **{name: tournament[name][row["agent"]] for name in names}}
        for row in tournament["agents"]
    }


def _strength(row: dict[str, Any]) -> list[str]:
    low, high = row["elo_interval"]
    return [f"{row['elo']:+.0f} ({low:+.0f} to {high:+.0f})", f"{100 * row['score']:.0f}%"]


def _accuracy(row: dict[str, Any]) -> list[str]:
    shares = (row["accuracy"][where] for where in ("everywhere", "critical"))
    return [Proportion(share["keeping"], share["decisions"]).counted_text(digits=1) for share in shares]


if __name__ == "__main__":
    write()
