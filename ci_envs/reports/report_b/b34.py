"""Section B34: Nim by Q-learning.

The literal version is in :mod:`~ci_envs.reports.report_b.nim_q_learning`, with the bugs that it keeps. The described
version is our ``q_learning`` with the same rates: it explores by epsilon instead of by its complement, here never, and
credits the winning move.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.nim import Nim
from ci_envs.reports.estimates import spread_of_runs
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
from ci_envs.reports.section import Claim, ClaimVerdict, FigureRow, Findings, RunOptions, Section
from ci_envs.reports.tabular_learning import new_trainer, train_to

_RUNS, _QUICK_RUNS = 200, 10
_QUICK_GAMES = 300  # of our learners
_LAST = 0.1  # the share of the games that is counted alone
_SEARCH_GAMES, _QUICK_SEARCH_GAMES = 400, 10
_SEARCH = "mcts:simulations=10000"
_STARTING_SEARCH = "mcts:simulations=100,proofs=false"
_COMBINED_NOTE = (
    f"A review proposes MCTS without saying how. Here the first values of a position are those of {_STARTING_SEARCH}."
    " Our learner begins without them. Against the optimal opponent such a start is worse, because values from games of"
    " random moves are too high there."
)
_ENVIRONMENT = f"Nim-v0:heaps={','.join(map(str, REPORT_ROWS))}"
_AGENTS = {"random": "report:B:row_random", "optimal": "report:B:nim_optimal"}
_SESSIONS = ("random", "optimal", "random", "optimal")

_PUBLISHED = "From what the author published elsewhere."
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
        report: Report B's figure.
        note: The note of the row.
    """

    quantity: str
    opponents: tuple[str, ...]
    rates: _Rates = _PRINTED
    session: int = 0
    last: bool = False
    seat: str = "second"
    report: float | None = None
    note: str = ""


_MEAN = "mean of the four"
_CASES = (
    _Case("v random", _SESSIONS, report=94.65, note=_PUBLISHED),
    _Case("then v optimal, table kept", _SESSIONS, session=1, report=93.17, note=_PUBLISHED),
    _Case("then v random again", _SESSIONS, session=2),
    _Case("then v optimal again", _SESSIONS, session=3),
    _Case("v optimal, empty table", ("optimal",)),
    _Case("v random, learning rate 0.5, discount 0.9", ("random",), _SLOWER),
    _Case("v optimal, learning rate 0.5, discount 0.9", ("optimal",), _SLOWER),
    _Case("v random, learning rate 0.5, discount 0.9, last tenth of the games", ("random",), _SLOWER, last=True),
    _Case("v optimal, learning rate 0.5, discount 0.9, last tenth of the games", ("optimal",), _SLOWER, last=True),
    _Case("v optimal, moving first", ("optimal",), seat="first", note=_LOST),
    _Case("v random, nine of ten moves random", ("random",), _EXPLORING, note="Report B's epsilon of 0.1."),
    _Case("v optimal, nine of ten moves random", ("optimal",), _EXPLORING, note="Report B's epsilon of 0.1."),
    _Case("review, better start: values from 1, v random", ("random",), _HIGH_START),
    _Case("review, better start: values from 1, v optimal", ("optimal",), _HIGH_START),
    _Case("review, tuned rates: 0.7 and 0.7, v random", ("random",), _TUNED),
    _Case("review, tuned rates: 0.7 and 0.7, v optimal", ("optimal",), _TUNED),
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

    rows = []
    for number, case in enumerate(_CASES, 1):
        place = case.session, int(case.last)
        rows.append(
            FigureRow(
                f"{case.quantity}, wins",
                case.report,
                spread_of_runs(literal(case.opponents, case.rates, case.seat)[:, *place].tolist()),
                float(ours(case.opponents, case.rates.described, case.seat)[place]),
                float(ours(case.opponents, _OURS, case.seat)[place]),
                case.note,
                "%",
            )
        )
        options.report_progress(0.9 * number / len(_CASES))
    together = literal(_SESSIONS, _PRINTED, "second")[:, :, 0].mean(axis=1).tolist()
    described, best = (float(ours(_SESSIONS, rates, "second")[:, 0].mean()) for rates in (_PRINTED.described, _OURS))
    rows.insert(4, FigureRow(f"{_MEAN}, wins", 97, spread_of_runs(together), described, best, unit="%"))
    return Findings((*rows, *_search_rows(rows, options)), _claims(rows))


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


def _search_rows(rows: list[FigureRow], options: RunOptions) -> list[FigureRow]:
    """Return the review's Monte Carlo tree search, which learns nothing, next to report B's learner."""
    game, games = Nim(REPORT_ROWS), _QUICK_SEARCH_GAMES if options.quick else _SEARCH_GAMES
    found = _combined_rows(rows, options)
    for row, (name, spec) in zip((rows[0], rows[5]), _AGENTS.items(), strict=True):
        opponent, search = (make_agent(one, game, seed=options.seed) for one in (spec, _SEARCH))
        record = play_match(game, opponent, search, games, swap_seats=False).sides[1].total
        note = f"Ours is {_SEARCH}: it learns nothing, and a first mistake against optimal play loses."
        quantity = f"review, MCTS alone, v {name}, wins"
        found.append(FigureRow(quantity, None, row.literal, row.described, 100 * record.wins / games, note, "%"))
    return found


def _combined_rows(rows: list[FigureRow], options: RunOptions) -> list[FigureRow]:
    """Return the rows on report B's learner with a table that begins with the values of a search."""
    runs, rng = _QUICK_RUNS if options.quick else _RUNS, np.random.default_rng(options.seed)
    start = searched_q_table(make_agent(_STARTING_SEARCH, Nim(REPORT_ROWS), seed=options.seed))
    found = []
    for row, (name, strategy) in zip(
        (rows[0], rows[5]), {"random": row_random, "optimal": nim_optimal}.items(), strict=True
    ):
        opponent = opponent_table(strategy)
        shares = [100 * float(play_games(start.copy(), opponent, rng, _PRINTED.literal).mean()) for _ in range(runs)]
        quantity = f"review, table that begins with MCTS, v {name}, wins"
        found.append(FigureRow(quantity, None, spread_of_runs(shares), row.described, row.ours, _COMBINED_NOTE, "%"))
    return found


def _claims(rows: list[FigureRow]) -> tuple[Claim, ...]:
    figures = {row.quantity.removesuffix(", wins"): row.literal.value for row in rows}
    return (
        Claim(
            "The agent wins 97% of its games on average.",
            ClaimVerdict.HOLDS,
            f"The mean of two runs against each opponent is {figures[_MEAN]:.1f}%, because the table is kept from run"
            f" to run; a new table wins {figures['v random']:.1f}% against random and"
            f" {figures['v optimal, empty table']:.1f}% against optimal.",
        ),
        Claim(
            "A high epsilon explores more.",
            ClaimVerdict.FAILS,
            "The code does the reverse: with an epsilon of 1 it never plays a random move, and with 0.1 it wins"
            f" {figures['v random, nine of ten moves random']:.0f}% against random.",
        ),
        Claim(
            "Once the learner plays right, the optimal opponent is lost and plays at random.",
            ClaimVerdict.HOLDS,
            "The opponent moves first from a lost start, so against right play it never meets a won position; against"
            f" the optimal opponent the second run wins {figures['then v optimal again']:.2f}%.",
        ),
    )


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    mean, first, second = (
        rows[f"{name}, wins"].literal.value for name in (_MEAN, "v random", "then v optimal, table kept")
    )
    return (
        f"The printed 97% is the mean of four runs that keep the table of the runs before ({mean:.0f}% here). The first"
        f" two runs win {first:.0f}% and {second:.0f}%. Our learner, whose table is shared by symmetric positions,"
        " learns faster."
    )


SECTION = Section(
    name="B34",
    title="Nim by Q-learning",
    game=_ENVIRONMENT,
    purpose="Learn Nim by Q-learning against a random and against an optimal opponent.",
    conclusion=_conclusion,
    conditions=(
        f"Rows 1, 3, 5, 7; the opponent moves first, so a perfect agent wins all games. {GAMES:,} games a run, learning"
        " included. The opponent draws a row, then a number of objects (random), or plays the nim-sum (optimal). The"
        f" interval holds the middle 95% of {_RUNS} repetitions ({_QUICK_RUNS} with --quick). Described and ours are"
        f" one run each (of {_QUICK_GAMES} games with --quick)."
    ),
    seconds=150,
    run=run,
    agents={"B34": learned_agent},
)
