"""Section B34: Nim by Q-learning.

The literal version is in :mod:`~ci_envs.reports.report_b.nim_q_learning`. The described version is our ``q_learning``
with the same rates: it explores by epsilon instead of by its complement, here never, and credits the winning move.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.making import make_agent
from ci_envs.games.nim import Nim
from ci_envs.reports.estimates import Estimate, mean_of_runs, measured_share
from ci_envs.reports.matches import play_from_seat
from ci_envs.reports.nim_strategies import REPORT_ROWS
from ci_envs.reports.report_b.nim_q_learning import (
    GAMES,
    QLearningRates,
    learned_agent,
    new_q_table,
    opponent_table,
    play_games,
    searched_q_table,
)
from ci_envs.reports.report_b.nim_shares import OPPONENTS
from ci_envs.reports.section_run import SectionRun, section
from ci_envs.reports.trainers import new_tabular_trainer, train_to

_LAST = 0.1  # the share of the games that is counted alone
_SEARCH, _STARTING_SEARCH = "mcts:simulations=10000", "mcts:simulations=100,proofs=false"
_ENVIRONMENT = f"Nim-v0:heaps={','.join(map(str, REPORT_ROWS))}"
_AGENTS = {"random": "report:B:row_random", "optimal": "report:B:nim_optimal"}
_SESSIONS = ("random", "optimal", "random", "optimal")


def _described(rates: QLearningRates) -> str:
    """Return the parameters of report B's code as options of our learner."""
    rate, random = rates.learning_rate, 1 - rates.epsilon
    return (
        f"learning_rate={rate},learning_rate_end={rate},discount={rates.discount},epsilon={random:g},"
        f"epsilon_end={random:g},initial={rates.start + 0.005},initial_spread=0.005"
    )


_PRINTED, _SLOWER, _EXPLORING = QLearningRates(), QLearningRates(0.5, 0.9), QLearningRates(0.5, 0.9, epsilon=0.1)
_HIGH_START, _TUNED = QLearningRates(start=1.0), QLearningRates(0.7, 0.7)
_OURS = _described(QLearningRates(0.5, 1.0, start=0.5)) + ",symmetries=true"


class _Case(NamedTuple):
    """A figure: the games won in one session of a run.

    Attributes:
        quantity: What is measured.
        opponents: The opponents of the sessions of a run, which begins with an empty table.
        rates: The parameters.
        session: The session that counts, or None for the mean of all sessions.
        last: Whether only the last games of the session count.
        seat: The learner's seat.
    """

    quantity: str
    opponents: tuple[str, ...]
    rates: QLearningRates = _PRINTED
    session: int | None = 0
    last: bool = False
    seat: str = "second"

    def select(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the percentages that count, of those of all sessions, float64 (..., sessions, 2)."""
        counted: NDArray[np.float64] = shares[..., int(self.last)]
        return counted.mean(axis=-1) if self.session is None else counted[..., self.session]


def _cases(name: str, rates: QLearningRates, last: bool = False) -> tuple[_Case, ...]:
    """Return a case for each opponent. ``name`` has a place for the name of the opponent."""
    return tuple(_Case(name.format(opponent), (opponent,), rates, last=last) for opponent in OPPONENTS)


_CASES = (
    _Case("v random, wins", _SESSIONS),
    _Case("then v optimal, table kept, wins", _SESSIONS, session=1),
    _Case("then v random again, wins", _SESSIONS, session=2),
    _Case("then v optimal again, wins", _SESSIONS, session=3),
    _Case("v optimal, empty table, wins", ("optimal",)),
    *_cases("v {}, learning rate 0.5, discount 0.9, wins", _SLOWER),
    *_cases("v {}, learning rate 0.5, discount 0.9, last tenth of the games, wins", _SLOWER, last=True),
    _Case("v optimal, moving first, wins", ("optimal",), seat="first"),
    *_cases("v {}, nine of ten moves random, wins", _EXPLORING),
    *_cases("review, better start: values from 1, v {}, wins", _HIGH_START),
    *_cases("review, tuned rates: 0.7 and 0.7, v {}, wins", _TUNED),
    _Case("mean of the four, wins", _SESSIONS, session=None),
)


def _measure_cases(run: SectionRun) -> None:
    """Repeat report B's runs, and train our learner under the same conditions."""
    rng, games = np.random.default_rng(run.seed), run.budget("games")

    @cache
    def literal(names: tuple[str, ...], rates: QLearningRates, seat: str) -> NDArray[np.float64]:
        tables = [opponent_table(OPPONENTS[name]) for name in names]
        return np.array([_literal_run(tables, rates, seat, rng) for _ in run.seeds("runs")])

    @cache
    def ours(names: tuple[str, ...], rates: str, seat: str) -> NDArray[np.float64]:
        return np.array(_our_run(names, f"q_learning:seat={seat},{rates}", games, run.seed))

    for case in run.steps(_CASES):
        names, rates, seat = case.opponents, case.rates, case.seat
        repeated = mean_of_runs(case.select(literal(names, rates, seat)), f"runs of {GAMES:,} games a session")
        trained = (float(case.select(ours(names, one, seat))) for one in (_described(rates), _OURS))
        sample = f"1 run of {games:,} games a session"
        run.add(case.quantity, repeated, *(Estimate.single(one, sample) for one in trained))


def _literal_run(
    opponents: list[NDArray[np.float64]], rates: QLearningRates, seat: str, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Return the percentages that report B's learner wins in each session: of all games, and of the last ones."""
    table = new_q_table(rng, rates.start)
    sessions = [play_games(table, one, rng, rates, moves_first=seat == "first") for one in opponents]
    return [(100 * float(won.mean()), 100 * float(won[-round(_LAST * GAMES) :].mean())) for won in sessions]


def _our_run(opponents: tuple[str, ...], learner: str, games: int, seed: int) -> list[tuple[float, float]]:
    """Return the percentages that our learner wins in each session: of all games, and of the last ones."""
    trainer, shares = None, []
    last = round(_LAST * games)
    for opponent in opponents:
        spec = f"{learner},opponent={_AGENTS[opponent]}"
        trainer = new_tabular_trainer(spec, _ENVIRONMENT, games, seed=seed, earlier=trainer)
        before = train_to(trainer, games - last).metrics()["won"]
        won = train_to(trainer, games).metrics()["won"]
        shares.append((100 * won / games, 100 * (won - before) / last))
    return shares


def _measure_search(run: SectionRun) -> None:
    """Add the rows on what a review proposes: Monte Carlo tree search alone, and as the start of the table."""
    game, rng = Nim(REPORT_ROWS), np.random.default_rng(run.seed)
    start = searched_q_table(make_agent(_STARTING_SEARCH, game, seed=run.seed))
    for versus, quantity in (("random", "v random, wins"), ("optimal", "v optimal, empty table, wins")):
        ours = run.row(quantity).ours
        search = make_agent(_SEARCH, game, seed=run.seed)
        record = play_from_seat(search, _AGENTS[versus], run.budget("search_games"), seat=1, seed=run.seed).total
        run.add(f"review, MCTS alone, v {versus}, wins", measured_share(record.wins, record.games), None, ours)
        table = opponent_table(OPPONENTS[versus])
        shares = [100 * play_games(start.copy(), table, rng, _PRINTED).mean() for _ in run.seeds("runs")]
        begun = mean_of_runs(shares, f"runs of {GAMES:,} games")
        run.add(f"review, table that begins with MCTS, v {versus}, wins", begun, None, ours)


SECTION = section(__file__, _measure_cases, _measure_search, agents={"B34": learned_agent})
