"""A comparison as tables for a terminal, and as plain data."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.arena.agent_table import agent_table
from ci_envs.arena.graded_table import SHARE_NOTES, graded_table
from ci_envs.arena.grading import Accuracy, Tally
from ci_envs.arena.ratings import Rating, wilson_interval
from ci_envs.arena.results import Pairing, Record, Side
from ci_envs.arena.tournament import Comparison


def tables(comparison: Comparison) -> RenderableType:
    """Return the tables of ratings and pairs, and notes on how to read them.

    Examples:
        >>> import rich
        >>> from ci_envs.arena import compare, tables
        >>> rich.print(tables(compare("TicTacToe-v0", ["random", "exact"])))  # doctest: +SKIP
    """
    accuracy = [_accuracy_table(comparison)] if _is_graded(comparison) else []
    return Group(_ratings_table(comparison), _pairs_table(comparison), *accuracy, *map(Text, notes(comparison)))


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data. Only the values under ``timing`` differ from run to run."""
    totals = {label: comparison.total(label) for label in comparison.ratings}
    return {
        "environment": comparison.environment,
        "game": repr(comparison.game),
        "games": comparison.games,
        "seed": comparison.seed,
        "max_cycles": comparison.max_cycles,
        "random_plies": comparison.random_plies,
        "agents": [
            {"agent": label, **_rating_json(rating), **_side_json(totals[label])}
            for label, rating in comparison.ratings.items()
        ],
        "pairs": [_pairing_json(pairing) for pairing in comparison.pairings],
        "timing": {
            "ms_one_board": {label: _or_none(timing.ms) for label, timing in comparison.one_board.items()},
            "ms_per_move": {label: _or_none(side.ms_per_move) for label, side in totals.items()},
            "seconds": {label: side.seconds for label, side in totals.items()},
        },
    }


def agent_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the rating and the record of each agent as plain data."""
    rows = []
    for label, rating in comparison.ratings.items():
        side = comparison.total(label)
        record = asdict(side.total)
        rating_columns = {"elo": rating.elo, "elo_low": rating.low, "elo_high": rating.high}
        times = {"ms_one_board": _or_none(comparison.one_board[label].ms), "ms_per_move": _or_none(side.ms_per_move)}
        counts = {"score": side.total.score, **_grades(side), "faults": side.faults, "first_fault": side.first_fault}
        rows.append({"agent": label, **rating_columns, "games": side.total.games, **record, **counts, **times})
    return rows


def _grades(side: Side) -> dict[str, float | None]:
    """Return the numbers of graded actions, the shares that keep the exact value, and the points lost per game."""
    everywhere, critical = side.accuracy.everywhere, side.accuracy.critical
    return {
        "graded": everywhere.decisions,
        **everywhere.keeps.columns("keep"),
        "graded_critical": critical.decisions,
        **critical.keeps.columns("critical"),
        **everywhere.best.columns("optimal"),
        "lost_per_game": _lost_per_game(side),
    }


def _lost_per_game(side: Side) -> float | None:
    """Return the points lost per game, or None if no action was graded."""
    everywhere = side.accuracy.everywhere
    return everywhere.points / side.total.games if everywhere.decisions else None


def _ratings_table(comparison: Comparison) -> Table:
    totals = {label: comparison.total(label) for label in comparison.ratings}
    any_faults = any(side.faults for side in totals.values())
    columns = ["Elo", "95% interval", "Score %", "Games", *(["Faults"] if any_faults else [])]
    table = agent_table(f"{comparison.environment}: ratings", [*columns, "ms", "batch"])
    for label, rating in sorted(comparison.ratings.items(), key=lambda item: -item[1].elo):
        side = totals[label]
        table.add_row(
            Text(label),
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} to {rating.high:+.0f}",
            f"{100 * side.total.score:.1f}",
            str(side.total.games),
            *([str(side.faults)] if any_faults else []),
            *map(_milliseconds, (comparison.one_board[label].ms, side.ms_per_move)),
        )
    return table


def _milliseconds(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.{4 if value < 1 else 1}f}"


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _pairs_table(comparison: Comparison) -> Table:
    title = f"{comparison.environment}: {comparison.games} games per pair, from the view of the first agent"
    table = agent_table(title, ("Moves", "Win", "Draw", "Loss", "Win %", "95% interval"), left="Moves")
    for pairing in comparison.pairings:
        first, second = pairing.labels
        side = pairing.match.sides[0]
        table.add_row(Text(first), "either", *_record_cells(side.total))
        table.add_row(Text(f"vs {second}"), "first", *_record_cells(side.seats[0]))
        table.add_row("", "second", *_record_cells(side.seats[1]), end_section=True)
    return table


def _is_graded(comparison: Comparison) -> bool:
    return any(side.accuracy.everywhere.decisions for pairing in comparison.pairings for side in pairing.match.sides)


def _accuracy_table(comparison: Comparison) -> Table:
    rows = []
    for label in sorted(comparison.ratings, key=lambda label: -comparison.ratings[label].elo):
        side = comparison.total(label)
        lost = _lost_per_game(side)
        rows.append((label, side.accuracy, ("-" if lost is None else f"{lost:.3f}", "")))
    return graded_table(f"{comparison.environment}: actions compared with the exact solution", rows, "Lost")


def _record_cells(record: Record) -> list[str]:
    low, high = wilson_interval(record.wins, record.games)
    return [
        *map(str, (record.wins, record.draws, record.losses)),
        f"{100 * record.wins / record.games:.1f}",
        f"{100 * low:.1f} to {100 * high:.1f}",
    ]


def notes(comparison: Comparison) -> list[str]:
    """Return sentences on the meaning of the tables, on faults, and on what limits the results."""
    texts = [
        "Elo: Bradley-Terry, mean 0; a draw is half a win. Win %: Wilson interval.",
        "ms: milliseconds for a decision on one board. batch: for each of many boards at once.",
    ]
    if _is_graded(comparison):
        texts += [
            *SHARE_NOTES,
            "Lost: points per game; a win has 1 point and a draw 1/2.",
            *_coverage_note(comparison),
        ]
    for label in comparison.ratings:
        if (side := comparison.total(label)).faults:
            games = f"{side.faults:,} game{'s' if side.faults > 1 else ''}"
            texts.append(f"{label} lost {games} by faults; the first: {side.first_fault}")
    if equal := list(_equal_games(comparison)):
        which = equal[0] if len(equal) == 1 else f"{equal[0]}, and {len(equal) - 1} more pairs of seats"
        texts.append(
            f"{which}: all games were equal, so these intervals are not valid; use --random-plies to get different "
            "games."
        )
    return texts


def _equal_games(comparison: Comparison) -> Iterator[str]:
    """Yield the seats of two agents whose games were all equal."""
    for pairing in comparison.pairings:
        for starter, different in enumerate(pairing.match.different):
            if different == 1 < pairing.match.sides[0].seats[starter].games:
                yield f"{pairing.labels[starter]} first, {pairing.labels[1 - starter]} second"


def _coverage_note(comparison: Comparison) -> list[str]:
    """Return a note if some actions were not compared with the exact solution, else an empty list."""
    sides = [side for pairing in comparison.pairings for side in pairing.match.sides]
    compared = sum(side.accuracy.everywhere.decisions for side in sides)
    decisions = sum(side.decisions for side in sides)
    if compared == decisions:
        return []
    return [
        f"{compared:,} of {decisions:,} actions were compared. The values of the others were not found within the"
        " limit, or not requested."
    ]


def _rating_json(rating: Rating) -> dict[str, Any]:
    return {"elo": rating.elo, "elo_interval": [rating.low, rating.high]}


def _record_json(record: Record) -> dict[str, Any]:
    return {
        "games": record.games,
        "wins": record.wins,
        "draws": record.draws,
        "losses": record.losses,
        "score": record.score,
        "win_share": record.wins / record.games,
        "win_share_interval": list(wilson_interval(record.wins, record.games)),
    }


def _side_json(side: Side) -> dict[str, Any]:
    return {
        **_record_json(side.total),
        "first": _record_json(side.seats[0]),
        "second": _record_json(side.seats[1]),
        "faults": side.faults,
        "first_fault": side.first_fault,
        "decisions": side.decisions,
        **({"accuracy": _accuracy_json(side.accuracy)} if side.accuracy.everywhere.decisions else {}),
    }


def _accuracy_json(accuracy: Accuracy) -> dict[str, Any]:
    tallies = {"everywhere": accuracy.everywhere, "critical": accuracy.critical}
    return {**asdict(accuracy), **{name: _tally_json(tally) for name, tally in tallies.items()}}


def _tally_json(tally: Tally) -> dict[str, Any]:
    return {**asdict(tally), **tally.keeps.columns("keeps"), **tally.best.columns("best")}


def _pairing_json(pairing: Pairing) -> dict[str, Any]:
    sides = zip(pairing.labels, pairing.match.sides, strict=True)
    return {
        "sides": [{"agent": label, **_side_json(side)} for label, side in sides],
        "plies": pairing.match.plies,
        "different_games": list(pairing.match.different),
    }
