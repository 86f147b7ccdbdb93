"""Agents that play by a table of values, and the files that store such tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agents.tabular.episodes import Rule, action_values
from ci_envs.agents.tabular.value_table import MAX_LOAD_FACTOR, find, mask_illegal, new_table, row_type
from ci_envs.games import action_count, implements, kernel
from ci_envs.games.game import Game
from ci_envs.kernels.random_numbers import random_index_from
from ci_envs.registry.options import Option, Untrusted, validated
from ci_envs.storage.arrays import read_arrays, write_arrays

_FORMAT = "ci_envs table 1"


@dataclass(frozen=True)
class TableFile:
    """The contents of a table file.

    Attributes:
        method: ``q_learning`` or ``monte_carlo``.
        game: the ``repr`` of the game that was learned.
        rule: the meaning of the values.
        notes: additional plain values, for example the seed.
        keys: the positions, uint64 of shape (positions, 2).
        values: the values, float32 of shape (positions, columns); 0 for illegal actions.
    """

    method: str
    game: str
    rule: Rule
    notes: Mapping[str, Any]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]

    def table(self, game: Game, megabytes: float | None = None) -> NDArray[np.void]:
        """Return the hash table of this game.

        Args:
            game: the game of the file.
            megabytes: memory of the table in MiB. None means as much as the positions need.

        Raises:
            ValueError: ``megabytes`` is too small for the positions.
        """
        columns = self.values.shape[1]
        rows = 2 * max(16, int(len(self.keys) / MAX_LOAD_FACTOR))
        table = new_table(columns, rows * row_type(columns).itemsize / 2**20 if megabytes is None else megabytes)
        if len(self.keys) > MAX_LOAD_FACTOR * len(table):
            raise ValueError(f"table_mb={megabytes:g} is too small for {len(self.keys):,} positions: increase it")
        _fill(game, table, self.rule.by_state, self.keys, self.values)
        return table


def table_arrays(table: NDArray[np.void]) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Return the positions and the values of a table as in :class:`TableFile`, sorted by position."""
    rows = table[table["taken"]]
    rows = rows[np.lexsort((rows["own"], rows["opp"]))]
    keys = np.stack((rows["own"], rows["opp"]), axis=1)
    return keys, np.where(np.isneginf(rows["values"]), np.float32(0), rows["values"])


def write_table(
    path: Path, method: str, game: Game, rule: Rule, table: NDArray[np.void], notes: Mapping[str, Any]
) -> None:
    """Write a table file atomically. Tables with the same contents give the same file, in any order of their rows."""
    about = {"method": method, "game": repr(game), "rule": rule._asdict(), "notes": dict(notes)}
    keys, values = table_arrays(table)
    write_arrays(path, _FORMAT, about, {"keys": keys, "values": values})


def read_table(path: str | Path, game: Game, method: str) -> TableFile:
    """Read a table file, without unpickling.

    Raises:
        ValueError: the file is damaged, is not a table, or is of another version, game or method.
        OSError: the file cannot be read.
    """
    try:
        about, arrays = read_arrays(Path(path), _FORMAT)
        found = about["method"], about["game"]
        if found != (method, repr(game)):
            raise ValueError(f"it is a table of {found[0]} for {found[1]}, not of {method} for {game}")
        file = TableFile(*found, Rule(**about["rule"]), about["notes"], arrays["keys"], arrays["values"])
        check_table(file, game)
    except OSError:
        raise
    except Exception as error:  # NumPy and zipfile raise many types of exceptions for damaged files
        raise ValueError(f"{str(path)!r} is not a valid table file: {error}") from None
    return file


def check_table(file: TableFile, game: Game) -> None:
    """Check the arrays of a table.

    Raises:
        ValueError: an array has another type or shape than those of the game, or a value is not finite.
    """
    shapes = (len(file.keys), 2), (len(file.keys), 1 if file.rule.by_state else game.action_count)
    if (file.keys.dtype.name, file.values.dtype.name) != ("uint64", "float32"):
        raise ValueError(f"its arrays are {file.keys.dtype} and {file.values.dtype}, not uint64 and float32")
    if (file.keys.shape, file.values.shape) != shapes:
        raise ValueError(f"its arrays have the shapes {file.keys.shape} and {file.values.shape}")
    if not np.isfinite(file.values).all():
        raise ValueError("it contains values that are not finite")


class TabularAgent(PolicyAgent):
    """Agent that plays the action with the highest value, at random if several are equal.

    Attributes:
        method: the learning method that filled the table.
    """

    method: ClassVar[str]

    @validated
    def __init__(
        self,
        game: Game,
        path: Annotated[
            str | Path | tuple[NDArray[np.void], Rule],
            Option("file of a table that ci-envs train wrote", untrusted=Untrusted(included=True)),
        ],
        *,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: the file is not a table file, or is for another game.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        if isinstance(path, tuple):
            self._table, self._rule = path
        else:
            file = read_table(path, game, self.method)
            self._table, self._rule = file.table(game), file.rule

    def action_values(self, own: int, opp: int) -> NDArray[np.float64]:
        """Return the values of the actions in a position, float64 of shape (actions,); -inf for illegal actions."""
        values = np.empty(self.game.action_count)
        action_values(self.game, self._table, self._rule, np.uint64(own), np.uint64(opp), values)
        return values

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(TabularPolicy(), (self._table, self._rule, np.empty(self.game.action_count)))


@dataclass(frozen=True)
class TabularPolicy(Policy):
    """:class:`TabularAgent` as a compiled policy. Its memory is the table, the rule and a buffer for action values."""


@implements(choose, TabularPolicy)
def _(policy: TabularPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        table, rule, values = memory
        best = action_values(game, table, rule, own, opp, values)
        return random_index_from(values, action_count(game), best, seed)[0]

    return kernel


@kernel
def _fill(game: Any, table: Any, by_state: Any, keys: Any, values: Any) -> None:
    for i in range(len(keys)):
        row = find(table, keys[i, 0], keys[i, 1])
        table[row].own, table[row].opp, table[row].taken = keys[i, 0], keys[i, 1], True
        for column in range(values.shape[1]):
            table[row].values[column] = values[i, column]
        if not by_state:
            mask_illegal(game, table[row])
