"""The three pairings of report A's tic-tac-toe agents, and their statistics."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.match import play_match
from ci_envs.arena.results import MatchResult, Record
from ci_envs.reports.report_a.tictactoe_tables import TICTACTOE
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.solver.solve import solve

MONTE_CARLO, Q_LEARNING, RANDOM = "Monte Carlo", "Q-learning", "random"
PAIRINGS = ((MONTE_CARLO, Q_LEARNING), (MONTE_CARLO, RANDOM), (Q_LEARNING, RANDOM))
"""The first agent of a pairing starts in the first game. Then the agents alternate."""

TURNS = (5, 6, 7, 8, 9)
"""The turns at which a game of tic-tac-toe can end."""

OUTCOMES = ("wins", "loses", "draws")
"""The outcomes of a game for an agent, in the order of :func:`shares_of`."""

Matches = Mapping[tuple[str, str], MatchResult]


def play_pairings(agents: Mapping[str, Agent], games: int) -> Matches:
    """Play the three pairings.

    Args:
        agents: The agents by name: :data:`MONTE_CARLO`, :data:`Q_LEARNING` and :data:`RANDOM`.
        games: The number of games of each pairing.
    """
    return {(one, other): play_match(TICTACTOE, agents[one], agents[other], games) for one, other in PAIRINGS}


def percentages(matches: Matches) -> dict[str, float]:
    """Return the statistics of report A as percentages of the games, by the name of the quantity.

    The outcomes by starting agent are percentages of the games that this agent starts.
    """
    found: dict[str, float] = {}
    for (one, other), match in matches.items():
        name = f"{one} v {other}: "
        found |= shares_of(match.sides[0].total, [f"{name}{label}" for label in _labels(one, other)])
        for starter, record in _of_starters(one, other, match).items():
            found |= shares_of(record, [f"{name}{starter} starts, {what}" for what in OUTCOMES])
        if other == RANDOM:
            games = match.sides[0].total.games
            turns = _by_turn(match).items()
            found |= {f"{name}wins at turn {turn}": 100 * record.wins / games for turn, record in turns}
    return found


def shares_of(record: Record, names: Sequence[str]) -> dict[str, float]:
    """Return the percentages of the wins, the losses and the draws, by three names."""
    return {name: 100 * count / record.games for name, count in zip(names, _counts(record), strict=True)}


def mistakes(agent: Agent, words: NDArray[np.uint64], games: int, seed: int) -> tuple[float, float]:
    """Return two percentages: positions in which the agent keeps the exact value, and losses against exact play.

    Args:
        agent: An agent for tic-tac-toe.
        words: The positions, uint64 (n, 2).
        games: The number of games against exact play, with swapped seats.
        seed: The seed of the exact opponent, which chooses among the best moves at random.
    """
    graded = measure_accuracy(TICTACTOE, agent, words, solve(TICTACTOE)).everywhere
    lost = play_match(TICTACTOE, agent, make_agent("exact", TICTACTOE, seed=seed), games).sides[0].total.losses
    return 100 * graded.keeping / graded.decisions, 100 * lost / games


def plots(matches: Matches, figure_of: Callable[[str], float | None]) -> Iterator[Plot]:
    """Yield report A's three plots of each pairing, with the published percentages of some quantities."""
    for (one, other), match in matches.items():
        yield from _plots(one, other, match, figure_of)


def _plots(one: str, other: str, match: MatchResult, figure_of: Callable[[str], float | None]) -> tuple[Plot, ...]:
    name, files = f"{one} v {other}", f"{one}_{other}".lower().replace(" ", "_").replace("-", "_")
    total = match.sides[0].total

    def marks(names: Mapping[str, str]) -> Series:
        """Return the published numbers of games. ``names`` are the names of the bars by quantity."""
        shares = {bar: figure_of(f"{name}: {quantity}") for quantity, bar in names.items()}
        games = {bar: None if share is None else share * total.games / 100 for bar, share in shares.items()}
        return Series.marks("published", games)

    labels = _labels(one, other)
    outcomes = _bars("", labels, _counts(total)), marks({label: label for label in labels})
    starters = [
        Panel(f"{starter} starts", (_bars("", ("win", "loss", "draw"), _counts(record)),))
        for starter, record in _of_starters(one, other, match).items()
    ]
    turns, counts = tuple(map(str, TURNS)), zip(*map(_counts, _by_turn(match).values()), strict=True)
    by_turn = [_bars(label, turns, numbers) for label, numbers in zip(labels, counts, strict=True)]
    by_turn.append(marks({f"wins at turn {turn}": turn for turn in turns}))
    return (
        Plot(f"{files}_outcomes", f"{name}: total outcomes", "outcome", "games", (Panel("", outcomes),)),
        Plot(f"{files}_starter", f"{name}: outcomes by who starts", "of the starter", "games", tuple(starters)),
        Plot(f"{files}_turns", f"{name}: wins and draws by turn", "turn", "games", (Panel("", tuple(by_turn)),)),
    )


def _bars(label: str, x: tuple[str, ...], y: tuple[int, ...]) -> Series:
    return Series(label, x, tuple(map(float, y)), "bars")


def _labels(one: str, other: str) -> tuple[str, str, str]:
    return f"{one} wins", f"{other} wins", "draws"


def _counts(record: Record) -> tuple[int, int, int]:
    return record.wins, record.losses, record.draws


def _of_starters(one: str, other: str, match: MatchResult) -> dict[str, Record]:
    """Return the record of each agent in the games that it starts."""
    return {one: match.sides[0].seats[0], other: match.sides[1].seats[0]}


def _by_turn(match: MatchResult) -> dict[int, Record]:
    """Return the record of the first agent in the games that end at each turn."""
    return {turn: sum(match.by_length.get(turn, ()), Record()) for turn in TURNS}
