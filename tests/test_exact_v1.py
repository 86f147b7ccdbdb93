"""The suite in the package: its files, and the grades of known agents on it."""

import hashlib
import json
import re

import numpy as np
import pyarrow
import pyarrow.parquet as pq
import pytest

from ci_envs.suites.folder import make_suite, planned, read_manifest, read_suite, suite_path
from ci_envs.suites.grade import (
    BLOCK,
    block_actions,
    chosen_regrets,
    graded_agent,
    random_regrets,
    skill_of,
)

FOLDER = suite_path("exact-v1")
MOST_BYTES = 8_000_000


@pytest.fixture(scope="module")
def sets():
    return read_suite("exact-v1")


def decided(spec, positions):
    """Return the regret of the decision of an agent in each position."""
    agent = graded_agent(spec, positions, 0)
    blocks = range(-(-len(positions) // BLOCK))
    return chosen_regrets(positions, np.concatenate([block_actions(agent, positions, block, 0) for block in blocks]))


def test_the_files_have_their_checksums_and_fit_into_the_package():
    manifest = read_manifest(FOLDER)
    for entry in manifest.sets:
        assert hashlib.sha256((FOLDER / entry.file).read_bytes()).hexdigest() == entry.sha256
        assert pq.read_metadata(FOLDER / entry.file).num_rows == entry.positions <= entry.limit
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES


def test_the_data_card_has_the_numbers_of_the_files(sets):
    rows = dict(re.findall(r"^\| `(.*?)` \| (.*) \|$", (FOLDER / "README.md").read_text(), re.MULTILINE))
    for positions in sets:
        counts = " / ".join(f"{np.count_nonzero(positions.values == value):,}" for value in (1, 0, -1))
        known = (np.abs(positions.scores.astype(int)) % 2**15 > 1).any(axis=1).mean()
        critical = (positions.keeping_shares < 1).mean()
        expected = f"{len(positions):,} | {counts} | {100 * critical:.0f}% | {100 * known:.0f}%"
        assert rows.pop(positions.environment) == expected
    assert not rows


def test_quick_games_are_made_again_bit_for_bit(tmp_path):
    plan = planned(["TicTacToe-v0", "Nim-v0"], 5000, 0)
    made, shipped = make_suite(tmp_path, plan), read_manifest(FOLDER)
    [written] = {pq.read_metadata(FOLDER / entry.file).created_by for entry in made.sets}
    for entry in made.sets:
        content = [pq.read_schema(folder / entry.file).metadata for folder in (tmp_path, FOLDER)]
        assert content[0][b"digest"] == content[1][b"digest"]
        if pyarrow.__version__ in written:  # other versions write the same positions in other bytes
            assert entry in shipped.sets


@pytest.mark.slow
def test_all_games_are_made_again(tmp_path):
    shipped = read_manifest(FOLDER)
    assert make_suite(tmp_path, shipped.plan(0)) == shipped


def test_random_play_has_the_expected_regret(sets):
    """The expectation and the variance follow from the values of the actions in the data set alone."""
    for positions in sets:
        found, points = decided("random", positions), (1 + np.sign(positions.scores)) / 2
        legal = positions.scores > np.iinfo(np.int16).min
        lost = points.max(axis=1, where=legal, initial=0)[:, np.newaxis] - points
        mean = lost.mean(axis=1, where=legal)
        np.testing.assert_allclose(mean, random_regrets(positions))
        error = np.sqrt(lost.var(axis=1, where=legal).sum()) / len(positions)
        assert abs(found.mean() - mean.mean()) < 4 * error


@pytest.mark.extended
def test_exact_play_loses_nothing(sets):
    for positions in sets:
        assert decided("exact", positions.evenly(20)).sum() == 0


def test_the_interval_of_the_skill_covers_the_skill_on_all_positions(sets):
    """Of 200 random samples of 200 positions, about 190 have an interval that contains the skill on all positions."""
    [positions] = [each for each in sets if each.environment == "Quixo-v0:size=4"]
    regrets, chance = decided("minimax:depth=2", positions), random_regrets(positions)
    truth, covered = 1 - regrets.mean() / chance.mean(), 0
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows = rng.choice(len(positions), 200, replace=False)
        skill = skill_of(regrets[rows], chance[rows])
        covered += abs(skill.mean - 100 * truth) <= skill.margin
    assert 180 <= covered <= 198


def test_other_programs_read_the_planes_and_the_mask():
    table = pq.read_table(FOLDER / "ConnectFour-v0.parquet")
    assert json.loads(json.dumps(table.slice(0, 1).to_pylist()))[0]["text"]
    planes = np.array(table["planes"].to_pylist())
    assert planes.shape == (len(table), 6, 7, 2)
    full = planes.any(axis=3)[:, 0, :]
    np.testing.assert_array_equal(np.array(table["mask"].to_pylist()), ~full)
