"""Entries of a leaderboard: the grade of one agent on a suite as a JSON file that anybody can repeat."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple, TypedDict

import msgspec
import numpy as np

from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.machine import machine, source_commit
from ci_envs.registry.agents import runs_chosen_code
from ci_envs.solver.solution import Progress
from ci_envs.storage.files import file_stem, read_whole, write_whole
from ci_envs.suites.folder import MANIFEST, suite_path
from ci_envs.suites.grade import (
    BLOCK,
    Grade,
    block_actions,
    block_rows,
    by_game,
    chosen_regrets,
    graded_agent,
    random_regrets,
    total_skill,
)
from ci_envs.suites.position_set import PositionSet
from ci_envs.suites.report import grade_row
from ci_envs.validation import unknown_name

_FORM = "ci-envs leaderboard 1"
_TOLERANCE = 1e-9


class _RecordedMean(TypedDict):
    mean: float


class _RecordedGrade(TypedDict):
    environment: str
    skill: _RecordedMean
    regret: _RecordedMean
    random_regret: float
    blocks: list[Annotated[float, msgspec.Meta(ge=0)]]


class _RecordedEntry(TypedDict):
    agent: str
    suite: str
    positions: Annotated[int, msgspec.Meta(ge=1)] | None
    seed: Annotated[int, msgspec.Meta(ge=0)]
    checksum: str
    total: _RecordedMean
    grades: Annotated[list[_RecordedGrade], msgspec.Meta(min_length=1)]


class Conditions(NamedTuple):
    """The arguments of a grading.

    Attributes:
        suite: The name of the suite.
        positions: The number of positions of each environment, or None for all.
        games: The number of positions from which the agent played.
        seed: The seed.
    """

    suite: str
    positions: int | None
    games: int
    seed: int


class Repetition(NamedTuple):
    """The repeated decisions of an agent in one block of positions.

    Attributes:
        environment: The id of the environment.
        block: The number of the block.
        recorded: The points that its decisions lose by the entry.
        found: The points that its decisions lose now.
    """

    environment: str
    block: int
    recorded: float
    found: float

    @property
    def is_equal(self) -> bool:
        """Whether the decisions lose the recorded points."""
        return self.recorded == self.found


def write_entry(
    folder: Path,
    spec: str,
    grades: Sequence[Grade],
    conditions: Conditions,
    seconds: float,
    checksum: str | None = None,
) -> Path:
    """Write the entry of an agent, and return its path.

    Args:
        folder: The folder of the leaderboard, which is made if it does not exist.
        spec: The spec string of the agent.
        grades: The grades of the agent.
        conditions: The arguments of the grading.
        seconds: The processor time of the grading in seconds.
        checksum: The checksum of the suite (:func:`suite_checksum`). None computes it.

    Raises:
        OSError: The file cannot be written.
        ValueError: See :func:`entry_path`.
    """
    content = {
        "form": _FORM,
        "agent": spec,
        **conditions._asdict(),
        "checksum": suite_checksum(conditions.suite) if checksum is None else checksum,
        "commit": source_commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "processor_seconds": round(seconds, 1),
        "total": asdict(total_skill(grades)),
        "grades": [grade_row(grade) for grade in grades],
    }
    path = entry_path(folder, spec)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
    return path


def entry_path(folder: Path, spec: str) -> Path:
    """Return the path of the entry of an agent, where no entry of another agent is.

    Raises:
        OSError: The entry that is there cannot be read.
        ValueError: The folder has the entry of another agent there, or another file.

    Examples:
        >>> from ci_envs.suites.leaderboard import entry_path
        >>> from pathlib import Path
        >>> entry_path(Path("leaderboard"), "minimax:depth=4,exact=included").name
        'minimax_depth=4_exact=included.json'
    """
    path = folder / f"{file_stem(spec)}.json"
    if path.exists() and (other := read_entry(path)["agent"]) != spec:
        raise ValueError(f"{str(path)!r} is the entry of {other!r}: choose another folder for {spec!r}")
    return path


def read_entry(path: Path) -> dict[str, Any]:
    """Return an entry of a leaderboard.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not an entry.
    """
    content = read_whole(path)
    try:
        entry = json.loads(content)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not an entry of a leaderboard: {error}") from error
    if not isinstance(entry, dict) or entry.get("form") != _FORM:
        raise ValueError(f"{str(path)!r} is not an entry of a leaderboard that ci-envs exam --submit has written")
    try:
        msgspec.convert(entry, _RecordedEntry)
    except msgspec.ValidationError as error:
        raise ValueError(f"{str(path)!r} is not an entry of a leaderboard: {error}") from error
    return entry


def check_entry(entry: dict[str, Any], sets: Sequence[PositionSet]) -> list[PositionSet]:
    """Check that the grades of an entry follow from its blocks and its suite, and return the graded positions.

    Args:
        entry: The entry.
        sets: The sets of positions of its suite.

    Raises:
        ValueError: They do not, or the entry is of another version of the suite.
    """
    if entry["checksum"] != suite_checksum(entry["suite"]):
        raise ValueError(f"the entry of {entry['agent']} is of another version of the suite {entry['suite']}")
    every = {positions.environment: positions for positions in sets}
    graded = list[PositionSet]()
    for row in entry["grades"]:
        if row["environment"] not in every:
            raise unknown_name("environment", row["environment"], every, owner=entry["suite"])
        if any(row["environment"] == positions.environment for positions in graded):
            raise ValueError(f"the entry of {entry['agent']} has two grades of {row['environment']}")
        positions = every[row["environment"]].evenly(entry["positions"] or len(every[row["environment"]]))
        regret, chance = sum(row["blocks"]) / len(positions), float(random_regrets(positions).mean())
        claims = (
            ("regret", row["regret"]["mean"], regret),
            ("random_regret", row["random_regret"], chance),
            ("skill", row["skill"]["mean"], 100 * (1 - regret / chance)),
            ("number of blocks", len(row["blocks"]), -(-len(positions) // BLOCK)),
        )
        for name, claimed, right in claims:
            _check_equal(f"the entry of {entry['agent']} has the {name}", claimed, right, f" in {row['environment']}")
        graded.append(positions)
    skills = by_game((row["environment"], row["skill"]["mean"]) for row in entry["grades"])
    total = fmean(map(fmean, skills.values()))
    _check_equal(f"the entry of {entry['agent']} has the total skill", entry["total"]["mean"], total)
    return graded


def _check_equal(text: str, claimed: float, right: float, where: str = "") -> None:
    if not abs(claimed - right) <= _TOLERANCE * max(1, abs(right)):
        raise ValueError(f"{text} {claimed:g}{where}, but its blocks and the suite give {right:g}")


def repeat_blocks(
    entry: dict[str, Any],
    sets: Sequence[PositionSet],
    blocks: int,
    seed: int,
    progress: Progress | None = None,
    *,
    trust: bool = False,
) -> list[Repetition]:
    """Let the agent of an entry decide again in some random blocks of each environment.

    An agent that is not registered decides in a process of its own, because somebody else may have written it.

    Args:
        entry: The entry.
        sets: The sets of positions of its suite.
        blocks: The number of blocks of each environment.
        seed: The seed of the choice of the blocks.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts environments.
        trust: Whether the entry can name code to run (:func:`~ci_envs.registry.agents.runs_chosen_code`).

    Raises:
        ValueError: See :func:`check_entry`, the agent cannot be made, or ``trust`` is false and it names code to run.
    """
    rng, repetitions = np.random.default_rng(seed), []
    graded = check_entry(entry, sets)
    if blocks and not trust and runs_chosen_code(entry["agent"]):
        raise ValueError(
            f"the agent {entry['agent']!r} can run any code of its author. Read this code first, then add --trust (in"
            " Python, trust=True)"
        )
    for number, (row, positions) in enumerate(zip(entry["grades"], graded, strict=True)):
        if progress:
            progress(number, len(graded))
        agent = graded_agent(entry["agent"], positions, entry["seed"], ProcessLimits())
        recorded = row["blocks"]
        for block in np.sort(rng.permutation(len(recorded))[:blocks]).tolist():
            actions = block_actions(agent, positions, block, entry["seed"])
            rows = np.arange(len(positions))[block_rows(block)]
            found = float(chosen_regrets(positions.at(rows), actions).sum())
            repetitions.append(Repetition(positions.environment, block, recorded[block], found))
    return repetitions


def suite_checksum(name: str) -> str:
    """Return the SHA-256 checksum of the manifest of a suite, which contains those of its files.

    Raises:
        ValueError: There is no such suite.
    """
    path = suite_path(name)
    return hashlib.sha256(read_whole(path / MANIFEST if path.is_dir() else path)).hexdigest()
