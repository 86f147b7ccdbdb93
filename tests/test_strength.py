"""The results of ``python -m experiments.ladder``, and the tables of strength in the documentation."""

import json
import re
import runpy
from pathlib import Path

import pytest
from scipy.stats import binomtest

from ci_envs.arena.tournament import compare
from experiments.ladder import FOLDER, LADDERS, RANDOM_PLIES, file_name, play_in_equal_time, write_results

ROOT = Path(__file__).parents[1]


def test_the_page_shows_the_results():
    script = runpy.run_path(str(ROOT / "docs" / "write_strength.py"))
    assert (FOLDER / "README.md").read_text() == script["page"]()


def test_the_exam_has_the_agents_of_its_command():
    script = runpy.run_path(str(ROOT / "docs" / "write_strength.py"))
    rows = json.loads((ROOT / script["EXAM_FILE"]).read_text())
    assert script["EXAM_COMMAND"].split()[3:6] == [row["agent"] for row in rows]
    assert all(f"`{row['agent']}`" in script["exam_section"]() for row in rows)


def test_the_readme_quotes_the_results():
    sentence = (
        r"[Oo]n Quixo 4 x 4, `alphazero` keeps the exact value with ([\d.]+)% of its actions"
        r" \(([\d.]+) to ([\d.]+), of ([\d,]+)\)"
    )
    [said] = re.findall(sentence, (ROOT / "README.md").read_text())
    found = json.loads((FOLDER / "Quixo-v0_size=4.json").read_text())
    [accuracy] = [
        row["accuracy"]["everywhere"] for row in found["tournaments"][1]["agents"] if row["agent"] == "alphazero"
    ]
    keeping, decisions = accuracy["keeping"], accuracy["decisions"]
    interval = binomtest(keeping, decisions).proportion_ci(method="wilson")
    shares = (f"{100 * each:.1f}" for each in (keeping / decisions, interval.low, interval.high))
    assert said == (*shares, f"{decisions:,}")


@pytest.mark.parametrize("environment", LADDERS)
def test_results_are_those_of_the_agents_of_today(environment):
    found = json.loads((FOLDER / f"{file_name(environment)}.json").read_text())
    assert [tournament["random_plies"] for tournament in found["tournaments"]] == list(RANDOM_PLIES)
    for tournament in found["tournaments"]:
        assert [row["agent"] for row in tournament["agents"]] == list(LADDERS[environment])
        assert (FOLDER / f"{file_name(environment)}_{tournament['random_plies']}.png").is_file()


def test_agents_play_against_mcts_in_equal_time(tmp_path, monkeypatch):
    """The agent that plays at random is too fast, and mcts is not its own opponent."""
    file = tmp_path / "TicTacToe-v0.json"
    file.write_text("{}")

    def cpu_ms(_, agent):
        """Return 0.01 ms for a decision, and as much for each simulation."""
        return 0.01 + 0.01 * int(agent.rpartition("=")[2]) if agent.startswith("mcts") else times[agent]

    times = {"random": 0.001, "exact": 2.0}
    monkeypatch.setitem(LADDERS, "TicTacToe-v0", ("random", "exact", "mcts:simulations=100"))
    monkeypatch.setattr("experiments.ladder.cpu_ms", cpu_ms)
    play_in_equal_time("TicTacToe-v0", file, games=4, seed=0)
    found = json.loads(file.read_text())
    script = runpy.run_path(str(ROOT / "docs" / "write_strength.py"))
    [[agent, match]] = found["equal_time"]["matches"].items()
    assert (agent, match["ms"], match["losses"] + match["wins"] + match["draws"]) == ("exact", 2.0, 4)
    assert match["simulations"] == 199
    assert script["_points"]({"wins": 2, "draws": 2, "losses": 0, "simulations": 1500}) == "75% (30 to 95), 1,500"
    assert "Each agent played 4 games in equal time" in script["_equal_time"](found)


def test_the_games_of_the_pairs_are_those_of_the_agents(tmp_path):
    agents = ("random", "minimax:depth=2", "exact")
    comparisons = [compare("TicTacToe-v0", agents, games=20, random_plies=plies) for plies in RANDOM_PLIES]
    write_results(comparisons, tmp_path)
    found = json.loads((tmp_path / "TicTacToe-v0.json").read_text())
    assert {file.name for file in tmp_path.iterdir()} == {
        "TicTacToe-v0.json",
        "TicTacToe-v0_0.png",
        "TicTacToe-v0_4.png",
    }
    for tournament in found["tournaments"]:
        for row in tournament["agents"]:
            wins = draws = 0
            for pair in tournament["pairs"]:
                if row["agent"] in pair["agents"]:
                    won = 0 if pair["agents"][0] == row["agent"] else 2
                    wins += pair["first"][won] + pair["second"][won]
                    draws += pair["first"][1] + pair["second"][1]
            assert (wins, draws) == (row["wins"], row["draws"])
            assert row["games"] == 40
