"""Section B34: Nim by Q-learning.

The literal version is in :mod:`~ci_envs.reports.report_b.nim_q_learning`, with the bugs that it keeps. The described
version is our ``q_learning`` with the same rates: it explores by epsilon instead of by its complement, here never, and
credits the winning move.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.nim import Nim
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import Estimate, mean_of_runs, measured_share
from ci_envs.reports.nim_strategies import REPORT_ROWS, nim_optimal, row_random
from ci_envs.reports.report_b.nim_q_learning import (
    GAMES,
    QLearningRates,
    learned_agent,
    new_q_table,
    opponent_table,
    play_games,
    searched_q_table,
)
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed, published
from ci_envs.reports.tabular_learning import new_trainer, train_to

_RUNS, _QUICK_RUNS = 200, 10
_QUICK_GAMES = 300  # of our learners
_LAST = 0.1  # the share of the games that is counted alone
_SEARCH_GAMES, _QUICK_SEARCH_GAMES = 400, 10
_SEARCH = "mcts:simulations=10000"
_STARTING_SEARCH = "mcts:simulations=100,proofs=false"
_COMBINED_NOTE = (
    f"A review proposes MCTS without saying how. Here the first values of a position are those of {_STARTING_SEARCH}."
    " Ours is our learner, which begins without them. Against the optimal opponent such a start is worse, because"
    " values from games of random moves are too high there."
)
_ENVIRONMENT = f"Nim-v0:heaps={','.join(map(str, REPORT_ROWS))}"
_AGENTS = {"random": "report:B:row_random", "optimal": "report:B:nim_optimal"}
Select = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SESSIONS = ("random", "optimal", "random", "optimal")

_ALONE_NOTE = (
    f"Literal is {_SEARCH}, which learns nothing: a first mistake against optimal play loses. Ours is our learner,"
    " which loses games while it learns."
)
_SENTENCE = printed("lab 3.4, the sentence on the results")
_LOG = published("the results in the repository of the author of report B")
_ONE_RUN = "Report B has one run, without its sessions."
_LOST = "The start is lost for the first player."


class _Rates(NamedTuple):
    """The parameters of one experiment, for report B's code and for our learner.

    Attributes:
        literal: The parameters of report B's code.
        described: The same as options of our learner.
        start: The lower end of the first values.
    """

    literal: QLearningRates
    described: str
    start: float = 0.0


def _rates(learning_rate: float, discount: float, random: float = 0.0, start: float = 0.0) -> _Rates:
    """Return the parameters for both; ``random`` is the probability of a random move."""
    described = (
        f"learning_rate={learning_rate},learning_rate_end={learning_rate},discount={discount},epsilon={random},"
        f"epsilon_end={random},initial={start + 0.005},initial_spread=0.005"
    )
    return _Rates(QLearningRates(learning_rate, discount, 1 - random), described, start)


_PRINTED, _SLOWER, _EXPLORING = _rates(1.0, 1.0), _rates(0.5, 0.9), _rates(0.5, 0.9, random=0.9)
_HIGH_START, _TUNED = _rates(1.0, 1.0, start=1.0), _rates(0.7, 0.7)
_OURS = _rates(0.5, 1.0, start=0.5).described + ",symmetries=true"


class _Case(NamedTuple):
    """A figure: the games won in one session of a run.

    Attributes:
        quantity: What is measured.
        opponents: The opponents of the sessions of a run, which begins with an empty table.
        rates: The parameters.
        session: The session that counts.
        last: Whether only the last games of the session count.
        seat: The learner's seat.
        report: Report B's figure, or None.
        note: The note of the row.
    """

    quantity: str
    opponents: tuple[str, ...]
    rates: _Rates = _PRINTED
    session: int = 0
    last: bool = False
    seat: str = "second"
    report: Figure | None = None
    note: str = ""

    def select(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the percentages that count, of those of all sessions, float64 (..., sessions, 2)."""
        counted: NDArray[np.float64] = shares[..., self.session, int(self.last)]
        return counted


_MEAN = "mean of the four, wins"
_FIRST, _SECOND, _FOURTH, _EMPTY, _EPSILON_1, _EPSILON_01 = (
    "v random, wins",
    "then v optimal, table kept, wins",
    "then v optimal again, wins",
    "v optimal, empty table, wins",
    "v random, learning rate 0.5, discount 0.9, wins",
    "v random, nine of ten moves random, wins",
)
_CASES = (
    _Case(_FIRST, _SESSIONS, report=Figure(94.65, _LOG)),
    _Case(_SECOND, _SESSIONS, session=1, report=Figure(93.17, _LOG)),
    _Case("then v random again, wins", _SESSIONS, session=2),
    _Case(_FOURTH, _SESSIONS, session=3),
    _Case(_EMPTY, ("optimal",)),
    _Case(_EPSILON_1, ("random",), _SLOWER),
    _Case("v optimal, learning rate 0.5, discount 0.9, wins", ("optimal",), _SLOWER),
    _Case("v random, learning rate 0.5, discount 0.9, last tenth of the games, wins", ("random",), _SLOWER, last=True),
    _Case(
        "v optimal, learning rate 0.5, discount 0.9, last tenth of the games, wins", ("optimal",), _SLOWER, last=True
    ),
    _Case("v optimal, moving first, wins", ("optimal",), seat="first", note=_LOST),
    _Case(_EPSILON_01, ("random",), _EXPLORING, note="Report B's epsilon of 0.1."),
    _Case("v optimal, nine of ten moves random, wins", ("optimal",), _EXPLORING, note="Report B's epsilon of 0.1."),
    _Case("review, better start: values from 1, v random, wins", ("random",), _HIGH_START),
    _Case("review, better start: values from 1, v optimal, wins", ("optimal",), _HIGH_START),
    _Case("review, tuned rates: 0.7 and 0.7, v random, wins", ("random",), _TUNED),
    _Case("review, tuned rates: 0.7 and 0.7, v optimal, wins", ("optimal",), _TUNED),
)


def run(options: RunOptions) -> Findings:
    """Repeat report B's runs, and train our learner under the same conditions."""
    runs = _QUICK_RUNS if options.quick else _RUNS
    games = _QUICK_GAMES if options.quick else GAMES
    rng = np.random.default_rng(options.seed)
    opponents = {"random": opponent_table(row_random), "optimal": opponent_table(nim_optimal)}

    @cache
    def literal(names: tuple[str, ...], rates: _Rates, seat: str) -> NDArray[np.float64]:
        tables = [opponents[name] for name in names]
        return np.array([_literal_run(tables, rates, seat, rng) for _ in range(runs)])

    @cache
    def ours(names: tuple[str, ...], rates: str, seat: str) -> NDArray[np.float64]:
        return np.array(_our_run(names, f"q_learning:seat={seat},{rates}", games, options.seed))

    def columns(names: tuple[str, ...], rates: _Rates, seat: str, select: Select) -> list[Estimate]:
        """Return the estimates of a figure that ``select`` takes from the percentages, float64 (..., sessions, 2)."""
        runs = mean_of_runs(select(literal(names, rates, seat)), f"runs of {GAMES:,} games a session")
        trained = (ours(names, one, seat) for one in (rates.described, _OURS))
        return [runs, *(Estimate.single(float(select(one)), f"1 run of {games:,} games a session") for one in trained)]

    rows = {}
    for number, case in enumerate(_CASES, 1):
        estimates = columns(case.opponents, case.rates, case.seat, case.select)
        rows[case.quantity] = figure_row(case.quantity, case.report, *estimates, note=case.note, unit="%")
        options.report_progress(0.9 * number / len(_CASES))
    together = columns(_SESSIONS, _PRINTED, "second", lambda shares: shares[..., 0].mean(axis=-1))
    rows[_MEAN] = figure_row(_MEAN, Figure(97, _SENTENCE), *together, note=_ONE_RUN, unit="%")
    return Findings((*rows.values(), *_search_rows(rows, options)))


def _literal_run(
    opponents: list[NDArray[np.float64]], rates: _Rates, seat: str, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Return the percentages that report B's learner wins in each session: of all games, and of the last ones."""
    table = new_q_table(rng, rates.start)
    sessions = [play_games(table, one, rng, rates.literal, moves_first=seat == "first") for one in opponents]
    return [(100 * float(won.mean()), 100 * float(won[-round(_LAST * GAMES) :].mean())) for won in sessions]


def _our_run(opponents: tuple[str, ...], learner: str, games: int, seed: int) -> list[tuple[float, float]]:
    """Return the percentages that our learner wins in each session: of all games, and of the last ones."""
    trainer, shares = None, []
    last = round(_LAST * games)
    for opponent in opponents:
        spec = f"{learner},opponent={_AGENTS[opponent]}"
        trainer = new_trainer(spec, _ENVIRONMENT, games, seed=seed, earlier=trainer)
        before = train_to(trainer, games - last).metrics()["won"]
        won = train_to(trainer, games).metrics()["won"]
        shares.append((100 * won / games, 100 * (won - before) / last))
    return shares


def _search_rows(rows: Mapping[str, FigureRow], options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows on what a review proposes: Monte Carlo tree search alone, and as the start of the table."""
    game, games = Nim(REPORT_ROWS), _QUICK_SEARCH_GAMES if options.quick else _SEARCH_GAMES
    runs, rng = _QUICK_RUNS if options.quick else _RUNS, np.random.default_rng(options.seed)
    start = searched_q_table(make_agent(_STARTING_SEARCH, game, seed=options.seed))
    for versus, strategy, quantity in (("random", row_random, _FIRST), ("optimal", nim_optimal, _EMPTY)):
        learners = rows[quantity]
        opponent, search = (make_agent(one, game, seed=options.seed) for one in (_AGENTS[versus], _SEARCH))
        record = play_match(game, opponent, search, games, swap_seats=False).sides[1].total
        alone = measured_share(record.wins, record.games)
        name = f"review, MCTS alone, v {versus}, wins"
        yield figure_row(name, None, alone, None, learners.ours, note=_ALONE_NOTE, unit="%")
        table = opponent_table(strategy)
        shares = [100 * float(play_games(start.copy(), table, rng, _PRINTED.literal).mean()) for _ in range(runs)]
        begun = mean_of_runs(shares, f"runs of {GAMES:,} games")
        name = f"review, table that begins with MCTS, v {versus}, wins"
        yield figure_row(name, None, begun, None, learners.ours, note=_COMBINED_NOTE, unit="%")


_ALWAYS = 99.5  # percent
_CLAIMS = (
    Claim(
        "The agent wins 97% of its games on average.",
        (Cell(_MEAN) >= 96.5) & (Cell(_MEAN) < 97.5),
        "Two sessions against each opponent win {:.2f}% on average, because the table is kept from session to session;"
        " a new table wins {:.1f}% against random and {:.1f}% against optimal. Report B's figure is one run.",
        (Cell(_MEAN), Cell(_FIRST), Cell(_EMPTY)),
    ),
    Claim(
        "A high epsilon explores more.",
        Cell(_EPSILON_1) < Cell(_EPSILON_01),
        "The code does the reverse: with an epsilon of 0.1, which plays nine of ten moves at random, it wins {:.0f}%"
        " against random, and with 1 {:.0f}%.",
    ),
    Claim(
        "Once the learner plays right, the optimal opponent is lost and plays at random.",
        Cell(_FOURTH) >= _ALWAYS,
        "The opponent moves first from a lost start, so against right play it never meets a won position; against"
        f" the optimal opponent the second session wins {{:.2f}}%, and we take {_ALWAYS}% as always.",
    ),
)


SECTION = Section(
    name="B34",
    title="Nim by Q-learning",
    game=_ENVIRONMENT,
    purpose="Learn Nim by Q-learning against a random and against an optimal opponent.",
    conclusion=Text(
        "The printed 97% is one run. It agrees with the mean of four sessions that keep the table of the sessions"
        " before ({:.1f}% here). The first two sessions win {:.0f}% and {:.0f}%. Our learner, whose table is shared by"
        " symmetric positions, learns faster.",
        (Cell(_MEAN), Cell(_FIRST), Cell(_SECOND)),
    ),
    conditions=(
        f"Rows 1, 3, 5, 7; the opponent moves first, so a perfect agent wins all games. {GAMES:,} games a run, learning"
        " included. The opponent draws a row, then a number of objects (random), or plays the nim-sum (optimal). The"
        f" interval holds the middle 95% of {_RUNS} repetitions ({_QUICK_RUNS} with --quick). Described and ours are"
        f" one run each (of {_QUICK_GAMES} games with --quick)."
    ),
    seconds=150,
    run=run,
    claims=_CLAIMS,
    agents={"B34": learned_agent},
)
