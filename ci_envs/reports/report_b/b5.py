"""Section B5: Quarto by the "wandering" genetic algorithm, which runs an evolution for each placement and each piece.

:mod:`ci_envs.reports.report_b.quarto_wandering` contains the literal version.
"""

from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator

from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.results import Record
from ci_envs.games.quarto import Quarto
from ci_envs.reports.estimates import Estimate, measured_share
from ci_envs.reports.matches import SEATS, play_from_seat, wins_of
from ci_envs.reports.report_b.quarto_wandering import VARIANTS, rule_agent, wandering_agent
from ci_envs.reports.section_run import SectionRun, section

_LITERAL, _OURS, _RANDOM = "report:B5", "quarto_ga", "random"
_DESCRIBED = "quarto_ga:algorithm=wandering,selection=roulette,tournament_size=5"
_STRONG = tuple(f"minimax:depth={depth}" for depth in (2, 3, 4))
_EQUAL = "minimax:depth=2,evaluation=false"  # as strong as the algorithm, so that small differences are seen
_CHANGES = {
    "": ("roulette and uniform crossover", _DESCRIBED),
    "tournament": ("tournaments instead of the roulette", _DESCRIBED.replace("roulette", "tournament")),
    "pairs": ("the crossover that keeps piece and cell together", f"{_DESCRIBED},operators=one+pairs+restart"),
    "swap": ("the mutation that swaps pieces and cells", f"{_DESCRIBED},operators=swap+uniform+restart"),
}
"""A description of each variant, and the described version of the variant as a spec string."""


def _measure(run: SectionRun) -> None:
    """Play report B's matches, and the matches that test its claims."""
    rng = np.random.default_rng(run.seed)

    def shares(agents: tuple[str, ...], opponent: str, seat: int, budget: str = "games") -> list[Estimate]:
        records = [_record(agent, opponent, seat, run.budget(budget), rng) for agent in agents]
        return list(map(wins_of, records))

    for seat in (1, 0):
        records = [_record(agent, _RANDOM, seat, run.budget("games"), rng) for agent in (_LITERAL, _DESCRIBED, _OURS)]
        run.add(_v(_RANDOM, seat), *map(wins_of, records))
        run.add(f"v random, {SEATS[seat]}, loses", *(measured_share(one.losses, one.games) for one in records))
        run.add(f"the rule alone, {_v(_RANDOM, seat)}", *shares(("report:B5:rule",), _RANDOM, seat, "rule_games"))
    for opponent, seat in run.steps(product(_STRONG, (0, 1))):
        run.add(_v(opponent, seat), *shares((_LITERAL, _DESCRIBED, _OURS), opponent, seat))
    for opponent, seat in product((_RANDOM, *_STRONG), (0, 1)):
        run.add(f"working re-start, {_v(opponent, seat)}", *shares(("report:B5:restart",), opponent, seat))
    run.add(f"two pairs a genome, {_v(_RANDOM, 1)}", *shares(("report:B5:two_pairs",), _RANDOM, 1))
    for variant, (name, described) in _CHANGES.items():
        specs = f"{_LITERAL}:{variant}".rstrip(":"), described
        run.add(f"{name}, wins", *shares(specs, _EQUAL, 1, "variant_games"))


def _record(agent: str, opponent: str, seat: int, games: int, rng: Generator) -> Record:
    """Play a match, and return the record of ``agent`` from a seat."""
    player, other = (make_agent(spec, Quarto(), seed=int(rng.integers(2**63))) for spec in (agent, opponent))
    return play_from_seat(player, other, games, seat=seat).total


def _v(opponent: str, seat: int) -> str:
    return f"v {opponent}, {SEATS[seat]}, wins"


SECTION = section(
    __file__,
    _measure,
    agents={
        **{f"B5:{name}".rstrip(":"): partial(wandering_agent, variant=name) for name in VARIANTS},
        "B5:rule": rule_agent,
    },
)
