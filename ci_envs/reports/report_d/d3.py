"""Section D3: Quixo by a Monte Carlo table.

:mod:`~ci_envs.reports.report_d.quixo_monte_carlo` contains the literal version and lists its bugs. The described
version is our ``monte_carlo`` with the same games and the same step. In it a lost game counts -1.
"""

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.game import Game
from ci_envs.reports.claims import Cell, Text
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.report_d.quixo_monte_carlo import GAMES, PositionTableAgent, learn_positions
from ci_envs.reports.report_d.quixo_rows import QUIXO, SEATS, require_quixo, share_by_seat
from ci_envs.reports.rows import figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, published
from ci_envs.reports.tabular_learning import learned

_MATCHES, _QUICK_MATCHES = 1000, 100  # from each seat
_QUICK_GAMES = 1000
_OUR_GAMES, _OUR_QUICK_GAMES = 100_000, 1000
_TABLE_MB, _QUICK_TABLE_MB = 900, 32
_FIGURES = {"first": 24, "second": 20}
_LEARNER = "monte_carlo:symmetries=true,opponent=random"
_DESCRIBED = "monte_carlo:preset=D3"
_OURS = f"{_LEARNER},shaping=potential,discount=0.95,initial_spread=0.001,epsilon=0.1,epsilon_end=0"
_PUBLISHED = published("the results of the Monte Carlo table in a later version of the report, by one of its authors")
_NOTE = "Described and ours differ by less than chance explains when they move second."


def run(options: RunOptions) -> Findings:
    """Train by report D's code and by our trainer, and play against random from both seats."""
    games = _QUICK_GAMES if options.quick else GAMES
    literal: dict[str, Agent] = {
        seat: PositionTableAgent(QUIXO, learn_positions(colour, games, options.seed))
        for colour, seat in enumerate(SEATS)
    }
    options.report_progress(0.3)
    shares = [_shares(literal, options)]
    for spec, length, done in (
        (_DESCRIBED, games, 0.6),
        (_OURS, _OUR_QUICK_GAMES if options.quick else _OUR_GAMES, 0.9),
    ):
        megabytes = _QUICK_TABLE_MB if options.quick else _TABLE_MB
        agent = learned(f"{spec},table_mb={megabytes}", "Quixo-v0", length, seed=options.seed).agent()
        agent.reseed(options.seed)
        shares.append(_shares(dict.fromkeys(SEATS, agent), options))
        options.report_progress(done)
    random = _shares(dict.fromkeys(SEATS, make_agent("random", QUIXO, seed=options.seed + 2)), options)
    rows = []
    for seat in SEATS:
        figure, estimates = Figure(_FIGURES[seat], _PUBLISHED), (each[seat] for each in shares)
        rows.append(figure_row(_v_random(seat), figure, *estimates, note=_NOTE, unit="%"))
        note = "A random player in the place of the agent."
        rows.append(figure_row(f"random v random, moving {seat}, wins", None, random[seat], note=note, unit="%"))
    return Findings(tuple(rows))


def _v_random(seat: str) -> str:
    return f"v random, moving {seat}, wins"


def _shares(agents: dict[str, Agent], options: RunOptions) -> dict[str, Estimate]:
    return share_by_seat(agents, _QUICK_MATCHES if options.quick else _MATCHES, options.seed)


def _agent(game: Game, seed: int | None) -> PositionTableAgent:
    """Make report D's agent. Its constructor learns the table of one colour, which takes some seconds."""
    require_quixo("report:D3", game)
    return PositionTableAgent(game, learn_positions(0, seed=seed or 0), seed=seed)


SECTION = Section(
    name="D3",
    title="Quixo by a Monte Carlo table",
    game="Quixo-v0",
    purpose="Play Quixo by a table of the values of positions that random games give.",
    conclusion=Text(
        "The table makes the agent worse than random: it wins {:.1f}% and {:.1f}% moving first and second, and a random"
        " player {:.1f}% and {:.1f}%. It rewards what was seen often in won games, and knows hardly any position after"
        " the first moves.",
        (*(Cell(_v_random(seat)) for seat in SEATS), *(Cell(f"random {_v_random(seat)}") for seat in SEATS)),
    ),
    conditions=(
        f"{GAMES:,} random games, with coins for the agent's colour and for who starts; {_MATCHES:,} games from each"
        f" seat against random ({_QUICK_GAMES:,} and {_QUICK_MATCHES} with --quick). The agent plays by the table of"
        " the first colour when it moves first, and by that of the second colour when it moves second. Ours learns"
        f" from {_OUR_GAMES:,} games against random ({_OUR_QUICK_GAMES} with --quick), in which it plays by its table."
        " The interval holds 95% of the measurements of 100 games."
    ),
    seconds=180,
    run=run,
    agents={"D3": _agent},
)
