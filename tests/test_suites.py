"""Sets of positions with exact values, and the grades of agents on them."""

import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from ci_envs import make_agent
from ci_envs.agents import as_agent
from ci_envs.cli.main import main
from ci_envs.games.batch import canonical_batch
from ci_envs.suites.folder import make_suite, planned, read_suite
from ci_envs.suites.grade import grade_agent, grade_suite, total_skill
from ci_envs.suites.leaderboard import Conditions, read_entry, write_entry
from ci_envs.suites.parquet import packed_set, read_set
from ci_envs.suites.position_set import make_set

ALL_BUT_ENDED = 627
"""The 765 classes of positions of tic-tac-toe under symmetry, without the 138 in which the game is over."""

LINES = [tuple(range(3 * row, 3 * row + 3)) for row in range(3)]
LINES += [tuple(range(column, 9, 3)) for column in range(3)] + [(0, 4, 8), (2, 4, 6)]


@pytest.fixture(scope="module")
def tictactoe():
    return make_set("TicTacToe-v0", 1000, 0)


@pytest.fixture(scope="module")
def file(tictactoe, tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "tictactoe.parquet"
    path.write_bytes(packed_set(tictactoe))
    return path


def plain_value(own, opp):
    """Return the value of a position of tic-tac-toe, given as sets of cells, and the plies to the end."""
    if any(set(line) <= opp for line in LINES):
        return -1, 0
    free = set(range(9)) - own - opp
    if not free:
        return 0, 0
    after = [plain_value(opp, own | {cell}) for cell in free]
    wins, losses = [plies for value, plies in after if value < 0], [plies for value, plies in after if value > 0]
    if wins:
        return 1, 1 + min(wins)
    return (-1, 1 + max(losses)) if len(losses) == len(free) else (0, None)


@pytest.mark.extended
def test_the_file_of_tictactoe_has_all_positions_with_the_values_of_plain_minimax(file):
    """Only PyArrow reads the file, and the values are computed again from its planes."""
    rows = pq.read_table(file).to_pylist()
    assert len(rows) == ALL_BUT_ENDED
    for row in rows:
        cells = list(itertools.chain(*row["planes"]))
        own, opp = ({number for number, cell in enumerate(cells) if cell[player]} for player in (0, 1))
        assert row["ply"] == len(own | opp)
        assert row["player"] == len(own | opp) % 2
        assert row["mask"] == [cell not in own | opp for cell in range(9)]
        for cell, (value, distance) in enumerate(zip(row["action_values"], row["action_distances"], strict=True)):
            if not row["mask"][cell]:
                assert value is None
                assert distance is None
                continue
            after, plies = plain_value(opp, own | {cell})
            assert value == -after
            assert distance == (None if after == 0 else plies + 1)
        legal = [value for value in row["action_values"] if value is not None]
        assert row["value"] == max(legal)
        assert row["keeping_share"] == pytest.approx(legal.count(max(legal)) / len(legal))


def test_a_set_is_read_as_it_was_written(tictactoe, file):
    read = read_set(file)
    assert read.environment == "TicTacToe-v0"
    np.testing.assert_array_equal(read.scores, tictactoe.scores)
    for name in ("words", "plies", "phases", "players", "origins"):
        np.testing.assert_array_equal(getattr(read.positions, name), getattr(tictactoe.positions, name))


def test_positions_of_a_larger_game_are_different_and_of_all_kinds():
    positions = make_set("ConnectFour-v0:rows=4,cols=5,n=3", 90, 3)
    words = canonical_batch(positions.game, positions.positions.words)
    assert len(np.unique(words, axis=0)) == len(positions) == 90
    assert set(positions.values) == {-1, 0, 1}
    assert 0.4 < np.mean(positions.keeping_shares < 1) < 0.9
    again, other = (make_set("ConnectFour-v0:rows=4,cols=5,n=3", 90, seed) for seed in (3, 4))
    np.testing.assert_array_equal(again.scores, positions.scores)
    assert not np.array_equal(other.positions.words, positions.positions.words)


def test_two_fresh_sets_give_skills_within_their_intervals():
    sets = [make_set("ConnectFour-v0:rows=4,cols=5,n=3", 90, seed) for seed in (3, 4)]
    skills = [grade_agent(make_agent("minimax:depth=1", each.game, seed=0), each, 2, 0).skill for each in sets]
    assert abs(skills[0].mean - skills[1].mean) < np.hypot(*(skill.margin for skill in skills))
    assert all(3 < skill.margin < 20 for skill in skills)


def test_environments_of_a_game_share_its_weight(tictactoe):
    nims = [make_set(f"Nim-v0:heaps=1,2,3,misere={misere}", 100, 0) for misere in (False, True)]
    agents = "random", "exact", "exact"  # in tic-tac-toe, and in both environments of Nim
    grades = [
        grade_agent(make_agent(spec, each.game, seed=1), each, 2, 0)
        for spec, each in zip(agents, (tictactoe, *nims), strict=True)
    ]
    assert total_skill(grades).mean == pytest.approx((grades[0].skill.mean + 100) / 2)
    assert total_skill(grades).margin == pytest.approx(grades[0].skill.margin / 2)


def test_exact_play_has_skill_100_and_the_skill_of_random_play_is_near_0(tictactoe):
    exact, chance = (
        grade_agent(make_agent(spec, tictactoe.game, seed=1), tictactoe, 4, 0) for spec in ("exact", "random")
    )
    assert exact.skill.mean == 100
    assert exact.regret.mean == 0
    assert exact.converted.right == exact.converted.cases == 8
    assert exact.held.right == exact.held.cases == 8
    assert abs(chance.skill.mean) < 2 * chance.skill.margin < 25
    assert chance.random_regret == exact.random_regret
    assert total_skill([exact, chance]).mean == pytest.approx((100 + chance.skill.mean) / 2)


def test_the_regret_is_the_mean_of_the_points_given_away(tictactoe):
    first = as_agent(lambda observation: int(observation["action_mask"].argmax()), tictactoe.game)
    expected, uniform = [], []
    for scores in tictactoe.scores:
        points = [(1 + int(np.sign(score))) / 2 for score in scores if score > -30000]
        expected.append(max(points) - points[0])
        uniform.append(max(points) - sum(points) / len(points))
    grade = grade_agent(first, tictactoe, 2, 0)
    assert grade.regret.mean == pytest.approx(np.mean(expected))
    assert grade.random_regret == pytest.approx(np.mean(uniform))
    assert grade.calibration is None
    assert sum(tally.everywhere.decisions for tally in grade.phases.values()) == ALL_BUT_ENDED


def test_an_illegal_action_loses(tictactoe):
    grade = grade_agent(as_agent(lambda observation: 9, tictactoe.game), tictactoe.evenly(50), 2, 0)
    lost = (1 + tictactoe.evenly(50).values) / 2
    assert grade.regret.mean == pytest.approx(lost.mean())
    assert grade.accuracy.illegal == 50
    assert grade.converted.right == 0


def test_positions_without_a_possible_mistake_are_refused(tictactoe):
    easy = tictactoe.at(np.flatnonzero(tictactoe.keeping_shares == 1)[:3])
    with pytest.raises(ValueError, match="no legal action loses value in the 3 positions of TicTacToe-v0"):
        grade_agent(make_agent("random", easy.game, seed=0), easy, 2, 0)


def test_predictions_are_compared_with_the_exact_results(tictactoe):
    some = tictactoe.evenly(60)
    perfect = grade_agent(make_agent("minimax:depth=9", some.game), some, 2, 0).calibration
    assert perfect.brier == 0
    assert {each.predicted for each in perfect.bins} == {0, 0.5, 1}
    assert perfect.positions == 60


def test_an_agent_is_graded_where_it_plays(tictactoe):
    nim = make_set("Nim-v0:heaps=1,2,3", 100, 0)
    graded = {spec: grade_suite(spec, [tictactoe.evenly(20), nim], 2, 0) for spec in ("random", "nim_expert")}
    assert [grade.environment for grade in graded["random"]] == ["TicTacToe-v0", "Nim-v0:heaps=1,2,3"]
    assert [grade.environment for grade in graded["nim_expert"]] == ["Nim-v0:heaps=1,2,3"]
    with pytest.raises(ValueError, match="nim_expert"):
        grade_suite("nim_expert", [tictactoe], 2, 0)


def test_a_suite_is_continued_and_never_mixed(tmp_path):
    plan = planned(["Nim-v0:heaps=1,2,3", "Nim-v0:heaps=1,2"], 10, 0)
    folder = tmp_path / "suite"
    made = make_suite(folder, plan)
    assert [entry.positions for entry in made.sets] == [10, 4]
    assert made.plan(0) == plan
    path = folder / made.sets[0].file
    before = path.stat().st_mtime_ns
    assert make_suite(folder, plan) == made
    assert path.stat().st_mtime_ns == before
    for other in (plan.plan(1), planned(["Nim-v0:heaps=1,2,3", "Nim-v0:heaps=1,2"], 9, 0)):
        with pytest.raises(ValueError, match="has another suite"):
            make_suite(folder, other)
    assert [len(positions) for positions in read_suite(folder)] == [10, 4]
    assert len(read_suite(path)) == 1
    with pytest.raises(ValueError, match="named twice"):
        planned(["Nim-v0", "Nim-v0"], 10, 0)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes() + b"x")])
def test_a_lost_or_damaged_set_is_made_again(tmp_path, damage):
    plan = planned(["Nim-v0:heaps=1,2,3", "Nim-v0:heaps=1,2"], 10, 0)
    made = make_suite(tmp_path, plan)
    path = tmp_path / made.sets[0].file
    whole = path.read_bytes()
    damage(path)
    assert make_suite(tmp_path, plan) == made
    assert path.read_bytes() == whole


@pytest.mark.parametrize("agents", [("x/y.py", "x_y.py"), ("x/y.py", "x:y.py")])
def test_an_entry_does_not_replace_that_of_another_agent(tmp_path, tictactoe, agents):
    grades = [grade_agent(make_agent("random", tictactoe.game), tictactoe, 2, 0)]
    conditions = Conditions("exact-v1", None, 2, 0)
    path = write_entry(tmp_path, agents[0], grades, conditions, 1.0)
    before = path.read_bytes()
    assert write_entry(tmp_path, agents[0], grades, conditions, 1.0) == path
    with pytest.raises(ValueError, match=f"is the entry of '{agents[0]}': choose another folder for '{agents[1]}'"):
        write_entry(tmp_path, agents[1], grades, conditions, 1.0)
    assert path.read_bytes() == before
    long = f"process:./player {'x' * 400}"
    assert read_entry(write_entry(tmp_path, long, grades, conditions, 1.0))["agent"] == long


def test_the_command_refuses_two_agents_for_one_entry_before_it_grades(tmp_path):
    folder = tmp_path / "suite"
    make_suite(folder, planned(["Nim-v0:heaps=1,2"], 10, 0))
    agents = [f"{tmp_path}/x_y.py", f"{tmp_path}/x/y.py"]
    done = CliRunner().invoke(main, ["exam", "--suite", str(folder), *agents, "--submit", str(tmp_path / "board")])
    assert done.exit_code == 2
    assert "two of these agents need the same file in --submit" in done.stderr
    assert not (tmp_path / "board").exists()


def test_an_interrupted_suite_is_refused_until_it_is_complete(tmp_path, monkeypatch):
    plan = planned(["Nim-v0:heaps=1,2", "Nim-v0:heaps=1,3"], 10, 0)
    with monkeypatch.context() as patched:
        patched.setattr("ci_envs.suites.folder.make_set", interrupted_at("Nim-v0:heaps=1,3"))
        with pytest.raises(KeyboardInterrupt):
            make_suite(tmp_path, plan)
    with pytest.raises(ValueError, match="has no positions of Nim-v0:heaps=1,3 yet: run ci-envs suite again"):
        read_suite(tmp_path)
    make_suite(tmp_path, plan)
    assert len(read_suite(tmp_path)) == 2


def interrupted_at(environment):
    def make(*arguments):
        if arguments[0] == environment:
            raise KeyboardInterrupt
        return make_set(*arguments)

    return make


def test_other_files_are_refused(tmp_path, file):
    text, table = tmp_path / "text.parquet", tmp_path / "table.parquet"
    text.write_text("no table")
    pq.write_table(pq.read_table(file).replace_schema_metadata(None), table)
    changed, schema = pq.read_table(file), pq.read_schema(file)
    pq.write_table(changed.slice(1).replace_schema_metadata(schema.metadata), tmp_path / "cut.parquet")
    for name, message in (("text", "is damaged"), ("table", "is not a set"), ("cut", "is damaged")):
        with pytest.raises(ValueError, match=message):
            read_set(tmp_path / f"{name}.parquet")
    with pytest.raises(ValueError, match="missing' is not a suite: give exact-v1, or a folder"):
        read_suite(tmp_path / "missing")
    made = make_suite(tmp_path / "made", planned(["Nim-v0:heaps=1,2"], 10, 0))
    text.rename(tmp_path / "made" / made.sets[0].file)
    with pytest.raises(ValueError, match="is damaged: its SHA-256 checksum is not"):
        read_suite(tmp_path / "made")
    (tmp_path / "made" / "suite.json").write_text("{}")
    with pytest.raises(ValueError, match="is not the manifest of a suite"):
        read_suite(tmp_path / "made")


def test_without_pyarrow_the_message_names_the_extra(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="suites"):
        read_set(file)


@pytest.mark.extended
def test_the_commands_make_a_suite_and_grade_a_function_of_a_file(tmp_path):
    mine, folder = tmp_path / "mine.py", tmp_path / "made"
    mine.write_text("def first(observation):\n    return int(observation['action_mask'].argmax())\n")
    made = CliRunner().invoke(main, ["suite", "Nim-v0:heaps=1,2,3", "--output", str(folder)], catch_exceptions=False)
    assert "13 positions" in made.output
    args = ["exam", "--suite", str(folder), "exact", f"{mine}:first", "--games", "2"]
    shown = CliRunner().invoke(main, args, catch_exceptions=False)
    assert "100.0 ±0.0" in shown.output
    rows = json.loads(CliRunner().invoke(main, [*args, "--json", "-"], catch_exceptions=False).stdout)
    assert [row["skill"]["mean"] < 100 for row in rows] == [False, True]
    files = {name: tmp_path / f"grades.{name}" for name in ("md", "tex", "svg")}
    drawn = [*args, "--plot", str(files["svg"]), "--table", str(files["md"]), "--submit", str(tmp_path / "board")]
    CliRunner().invoke(main, [*drawn, "--csv", "-"], catch_exceptions=False)
    assert files["svg"].read_text().count("mine.py:first") >= 1
    header, _, best, _ = files["md"].read_text().splitlines()
    assert header == "| agent | total | Nim-v0:heaps=1,2,3 |"
    assert best == "| exact | 100.0 ±0.0 | 100.0 ±0.0 |"
    CliRunner().invoke(main, [*args, "--table", str(files["tex"]), "--csv", "-"], catch_exceptions=False)
    assert r"exact & 100.0 $\pm$0.0 & 100.0 $\pm$0.0 \\" in files["tex"].read_text()
    [entry] = (tmp_path / "board").glob("*first*.json")
    assert "1 of 1 blocks are repeated exactly" in CliRunner().invoke(main, ["verify", str(entry), "--trust"]).output
    assert "can run any code of its author" in CliRunner().invoke(main, ["verify", str(entry)]).output
    wrong = CliRunner().invoke(main, [*args, "--table", "grades.doc"])
    assert "must end in .md or .tex" in wrong.output
    assert "need --suite" in CliRunner().invoke(main, ["exam", "Nim-v0", "random", "--submit", "board"]).output
    refused = CliRunner().invoke(main, ["exam", "--suite", str(folder), "random", "--tables", "included"])
    assert "--suite has its own" in refused.output
