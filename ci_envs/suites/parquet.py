"""Sets of positions as Parquet files, which pandas, Polars and Hugging Face datasets read without this package.

The columns are described in ``docs/exact_grades.md``. They contain only what a reader can use without this package.
So a position is read back from its text.
"""

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.extras import missing_package
from ci_envs.games.batch import observe_batch
from ci_envs.games.position import Position
from ci_envs.registry.games import check_registered, resolve
from ci_envs.solver.solution import HORIZON, NO_SCORE
from ci_envs.storage.files import read_whole
from ci_envs.suites.candidates import ORIGINS, PHASES, UNKNOWN_PLY, Candidates
from ci_envs.suites.position_set import PositionSet

if TYPE_CHECKING:
    import pyarrow

_FORM = "ci-envs positions 1"
_COLUMNS = "text", "ply", "player", "origin", "phase", "planes", "mask", "value", "keeping_share"
_ACTION_COLUMNS = "action_values", "action_distances"


def packed_set(positions: PositionSet) -> bytes:
    """Return the content of the file of a set of positions.

    Raises:
        ImportError: PyArrow is not installed.
    """
    arrow, parquet = _arrow()
    about = {
        "form": _FORM,
        "environment": positions.environment,
        "seed": str(positions.seed),
        "limit": str(positions.limit),
        "digest": digest(positions),
        "actions": "\n".join(positions.game.action_name(action) for action in range(positions.game.action_count)),
    }
    table = arrow.table(_columns(arrow, positions)).replace_schema_metadata(about)
    content = io.BytesIO()
    parquet.write_table(table, content, compression="zstd", compression_level=19)
    return content.getvalue()


def read_set(path: Path, trust: bool = True) -> PositionSet:
    """Read a set of positions from a file. ``trust`` is that of :func:`unpacked_set`.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: The file cannot be read.
        ValueError: It is not a set of positions of this package, or it is damaged.
    """
    return unpacked_set(read_whole(path), path, trust)


def unpacked_set(content: bytes, path: Path, trust: bool = True) -> PositionSet:
    """Return the set of positions of the content of a file.

    Args:
        content: The content.
        path: The path of the file, for messages.
        trust: Whether the content can name the file or module of a game, which is then imported.

    Raises:
        ImportError: PyArrow is not installed.
        ValueError: It is not a set of positions of this package, it is damaged, or ``trust`` is false and its game is
            not registered.
    """
    arrow, parquet = _arrow()
    damages = arrow.ArrowException, KeyError, ValueError
    try:
        table = parquet.read_table(io.BytesIO(content))
        about = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    except damages as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from error
    if about.get("form") != _FORM:
        raise ValueError(f"{str(path)!r} is not a set of positions that ci-envs suite has made")
    if not trust:
        check_registered(about.get("environment", ""))
    try:
        positions = _positions(table, about)
    except damages as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from error
    if digest(positions) != about["digest"]:
        raise ValueError(f"{str(path)!r} is damaged: its positions do not have the digest {about['digest']}")
    return positions


def digest(positions: PositionSet) -> str:
    """Return a hexadecimal SHA-256 digest of the positions and scores, which does not depend on the file's format."""
    sha = hashlib.sha256(f"{positions.environment} {positions.seed} {positions.limit} ".encode())
    found = positions.positions
    for column in (found.words, found.plies, found.phases, found.players, found.origins, positions.scores):
        sha.update(column.astype(column.dtype.newbyteorder("<")).tobytes())
    return sha.hexdigest()


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(missing_package("a suite", "PyArrow", "suites"), name=error.name) from error
    return pyarrow, pyarrow.parquet


def _columns(arrow: Any, positions: PositionSet) -> dict[str, "pyarrow.Array"]:
    game, found = positions.game, positions.positions
    planes = np.empty((len(found), *game.observation_shape), np.int8)
    masks = np.empty((len(found), game.action_count), np.int8)
    observe_batch(game, found.words, planes, masks)
    texts = [position.to_text() for position in positions.as_positions()]
    legal, scores = positions.scores != NO_SCORE, positions.scores
    distances = HORIZON - np.abs(scores)
    columns = (
        arrow.array(texts),
        arrow.array(found.plies, mask=found.plies == UNKNOWN_PLY),
        arrow.array(found.players),
        arrow.array([ORIGINS[number] for number in found.origins]),
        arrow.array([PHASES[number] for number in found.phases]),
        _lists(arrow, planes),
        _lists(arrow, legal),
        arrow.array(positions.values.astype(np.int8)),
        arrow.array(positions.keeping_shares.astype(np.float32)),
        _lists(arrow, np.sign(scores).astype(np.int8), ~legal),
        _lists(arrow, distances.astype(np.int16), (np.abs(scores) <= 1) | ~legal),
    )
    return dict(zip((*_COLUMNS, *_ACTION_COLUMNS), columns, strict=True))


def _lists(arrow: Any, rows: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> "pyarrow.Array":
    """Return an array as nested lists of fixed lengths, with null where ``missing``."""
    values = arrow.array(rows.reshape(-1), mask=None if missing is None else missing.reshape(-1))
    for length in rows.shape[:0:-1]:
        values = arrow.FixedSizeListArray.from_arrays(values, length)
    return values


def _positions(table: "pyarrow.Table", about: dict[str, str]) -> PositionSet:
    environment = about["environment"]
    _, game, _ = resolve(environment)
    read = [Position.from_text(game, text) for text in table["text"].to_pylist()]
    words = np.array([[position.own, position.opp] for position in read], np.uint64).reshape(-1, 2)
    origins = np.array([ORIGINS.index(text) for text in table["origin"].to_pylist()], np.int8)
    plies, players = _numbers(table["ply"], UNKNOWN_PLY), _numbers(table["player"], 0)
    phases = np.array([PHASES.index(text) for text in table["phase"].to_pylist()], np.int8)
    candidates = Candidates(words, plies.astype(np.int16), phases, players.astype(np.int8), origins)
    values, distances = (_rows(table[name], game.action_count) for name in _ACTION_COLUMNS)
    signs = np.nan_to_num(values).astype(np.int16)
    scores = np.where(np.isnan(distances), signs, signs * (HORIZON - np.nan_to_num(distances))).astype(np.int16)
    scores[np.isnan(values)] = NO_SCORE
    return PositionSet(environment, game, int(about["seed"]), int(about["limit"]), candidates, scores)


def _numbers(column: "pyarrow.ChunkedArray", missing: int) -> NDArray[np.int64]:
    return np.array([missing if number is None else number for number in column.to_pylist()], np.int64)


def _rows(column: "pyarrow.ChunkedArray", length: int) -> NDArray[np.float64]:
    """Return a column of lists as rows of floats, with nan for null."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, np.float64).reshape(-1, length)
