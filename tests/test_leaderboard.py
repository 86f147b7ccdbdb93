"""The entries of the leaderboard: they follow from their decisions, and fast agents decide the same again."""

import copy
import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

from ci_envs.registry.agents import runs_chosen_code
from ci_envs.solver.solution import NO_SCORE
from ci_envs.suites.folder import read_suite
from ci_envs.suites.leaderboard import check_entry, read_entry, repeat_blocks
from ci_envs.suites.parquet import packed_set
from ci_envs.suites.position_set import make_set
from docs.generators.leaderboard import entries, leaderboard_table

FOLDER = Path(__file__).parents[1] / "docs" / "leaderboard"
FAST = "random", "minimax_depth=2", "nim_expert", "report_D2"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(scope="module")
def sets():
    return read_suite("exact-v1")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_grades_of_an_entry_follow_from_its_blocks(file, sets):
    entry = read_entry(file)
    assert len(check_entry(entry, sets)) == len(entry["grades"]) > 0
    assert entry["commit"]


@pytest.mark.parametrize("name", FAST)
def test_fast_agents_decide_the_same_again(name, sets):
    repeated = repeat_blocks(read_entry(FOLDER / f"{name}.json"), sets, 1, 0)
    assert repeated
    assert [each for each in repeated if not each.is_equal] == []


def test_wrong_entries_are_refused(sets, tmp_path):
    entry = read_entry(FOLDER / "random.json")
    better, other, unknown, total, twice, undefined = (copy.deepcopy(entry) for _ in range(6))
    better["grades"][0]["skill"]["mean"] = 50.0
    other["checksum"] = "0" * 64
    unknown["grades"][0]["environment"] = "Nim-v1"
    total["total"]["mean"] = 90.0
    twice["grades"].append(twice["grades"][0])
    undefined["grades"][0]["skill"]["mean"] = math.nan
    for wrong, message in (
        (total, "has the total skill 90, but its blocks and the suite give"),
        (twice, "has two grades of TicTacToe-v0"),
        (undefined, "has the skill nan in TicTacToe-v0"),
        (better, "has the skill 50 in TicTacToe-v0, but its blocks and the suite give"),
        (other, "is of another version of the suite exact-v1"),
        (unknown, "Nim-v1"),
    ):
        with pytest.raises(ValueError, match=message):
            check_entry(wrong, sets)
    same = sets[0].at(np.flatnonzero((sets[0].regrets * (sets[0].scores != NO_SCORE)).sum(axis=1) == 0)[:3])
    with pytest.raises(ValueError, match="no legal action loses value in the 3 positions of TicTacToe-v0"):
        check_entry({**entry, "positions": None}, [same, *sets[1:]])
    easier = copy.deepcopy(entry)
    easier["agent"] = "nim_expert"
    easier["grades"] = [row for row in entry["grades"] if row["environment"].startswith("Nim")]
    easier["total"]["mean"] = sum(row["skill"]["mean"] for row in easier["grades"]) / len(easier["grades"])
    assert not any(each.is_equal for each in repeat_blocks(easier, sets, 1, 0))
    form = entry["form"]
    for text in (
        "",
        "[]",
        "{}",
        json.dumps({"form": form}),
        json.dumps({**entry, "positions": 0}),
        json.dumps({**entry, "grades": []}),
        "\xff",
    ):
        (tmp_path / "x.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(ValueError, match="is not an entry of a leaderboard"):
            read_entry(tmp_path / "x.json")


@pytest.mark.parametrize(
    "agent",
    [
        "process:touch {}",
        "text:touch {}",
        "subprocess:run:args=touch {}",
        "./mine.py",
        "sb3:{},trust=true",
        "exact:opponent='process:touch {}'",
        "exact:opponent=mine.py:agent",
        "minimax:exact=mine.py:values",
        "mcts:exact=mine:values",
        "alphazero:exact=mine.py",
    ],
)
def test_code_of_an_entry_runs_only_with_consent(agent, sets, tmp_path):
    entry = read_entry(FOLDER / "random.json")
    entry["agent"] = agent.format(tmp_path / "made")
    with pytest.raises(ValueError, match="can run any code of its author"):
        repeat_blocks(entry, sets, 1, 0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("id", ["{}.py", "{}.py:Mine-v0", "{}:Mine-v0", "TicTacToe-v0:{}.py:Mine-v0"])
def test_a_game_of_an_entry_is_imported_only_with_consent(id, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"mine_{abs(hash(id))}"  # a module is imported once
    for file in (Path(f"{name}.py"), Path(f"TicTacToe-v0:{name}.py")):
        file.write_text("open('made', 'w')")
    positions = dataclasses.replace(make_set("TicTacToe-v0", 30, 0), environment=id.format(name))
    Path("set.parquet").write_bytes(packed_set(positions))
    with pytest.raises(ValueError, match="can run any code of its author"):
        read_suite("set.parquet", trust=False)
    assert not Path("made").exists()
    with pytest.raises(ValueError, match=r"set\.parquet"):
        read_suite("set.parquet", trust=True)
    assert Path("made").exists()


def test_agents_of_this_package_need_no_consent():
    assert not [file.name for file in FILES if runs_chosen_code(read_entry(file)["agent"])]


def test_stronger_agents_have_a_higher_total():
    totals = {entry["agent"]: entry["total"]["mean"] for entry in entries().values() if entry["complete"]}
    ladder = "exact", "mcts:simulations=1000", "minimax:depth=4", "minimax:depth=2", "random"
    assert sorted(ladder, key=lambda agent: -totals[agent]) == list(ladder)
    assert totals["exact"] == 100


def test_the_table_has_a_row_for_each_entry():
    assert leaderboard_table().count("<tr>") == len(FILES) + 1
