"""Evaluation of leaves by the tables of a store (:mod:`ci_envs.solver.quixo_store`)."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.agents.search.evaluators import Evaluator
from ci_envs.games import evaluate, implements
from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import popcount
from ci_envs.solver.quixo_classes import DRAWN, WON, unpacked
from ci_envs.solver.quixo_ranking import rank
from ci_envs.solver.quixo_store import LoadedTables, QuixoStore

_KNOWN_WIN = 500_000  # above the evaluations of all positions, and below the values of wins that a search finds


@dataclass(frozen=True)
class TableEvaluator(Evaluator):
    """Evaluator that returns the value in a table, or the evaluation of the game for positions without a table.

    A search gets the tuple (evaluator, game, tables). Won positions are 500,000 better, and lost positions 500,000
    worse, than their evaluation, so that a search makes progress from one won position to the next. Draws have the
    value 0.
    """


@implements(evaluate, TableEvaluator)
def _(evaluator: TableEvaluator) -> Any:
    def kernel(evaluator: Any, own: Any, opp: Any) -> Any:
        _, game, tables = evaluator
        a, b = popcount(own), popcount(opp)
        if a + b < np.uint64(tables.cubes):
            return evaluate(game, own, opp)
        cls = a * np.uint64(tables.columns.shape[1]) + b
        place = rank(tables.ranking, tables.columns[a, b], tables.offsets[cls], tables.full, own, opp)
        value = unpacked(tables.packed, np.uint64(4) * np.uint64(tables.starts[a, b]) + place)
        if value == DRAWN:
            return 0
        return evaluate(game, own, opp) + (_KNOWN_WIN if value == WON else -_KNOWN_WIN)

    return kernel


@lru_cache(maxsize=2)
def table_evaluator(game: Game, folder: str) -> tuple[TableEvaluator, Quixo, LoadedTables]:
    """Return the evaluator for the tables in a folder, with its arguments. It loads all tables into memory.

    Raises:
        ValueError: The game cannot have tables, the folder has none, or a table is damaged.
    """
    if not isinstance(game, Quixo):
        raise ValueError(f"tables={folder} is for Quixo, not for {game}")
    return TableEvaluator(), game, QuixoStore(game, Path(folder)).load()
