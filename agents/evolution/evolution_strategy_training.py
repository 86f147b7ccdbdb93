"""Training of the agent ``evolution_strategy``: the strategies, their options, and the files of a run.

The strategies are (1+lambda) with the one-fifth rule (Rechenberg 1973), (mu, lambda) (Schwefel 1975) with the same
rule, and CMA-ES (:mod:`ci_envs.optimisation.evolution.cma_es`).
"""

from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.agents.evolution.champion import Champion, best_of, write_champion
from ci_envs.agents.evolution.evaluation import EvaluationPolicy, gene_count
from ci_envs.agents.evolution.opponents import make_opponents
from ci_envs.agents.evolution.play import FitnessByPlay
from ci_envs.optimisation.evolution.ask_tell import optimise
from ci_envs.optimisation.evolution.cma_es import CMAES
from ci_envs.optimisation.evolution.engine import Plan
from ci_envs.optimisation.evolution.initial import RandomNumbers
from ci_envs.optimisation.evolution.mutation import Gaussian
from ci_envs.optimisation.evolution.parameters import Genomes
from ci_envs.optimisation.evolution.run import run
from ci_envs.optimisation.evolution.selection import TruncationSelection
from ci_envs.optimisation.evolution.statistics import Statistics, write_curve
from ci_envs.optimisation.evolution.step_size import OneFifth
from ci_envs.optimisation.evolution.survival import Comma, Plus
from ci_envs.registry import resolve
from ci_envs.validation import integer_between, positive_number

AGENT = "evolution_strategy"
"""The agent's name, in spec strings and in champions."""

RUN, CURVE, CHAMPION = "run.npz", "curve.csv", "champion.json"
"""The files of a run: what it goes on from, its learning curve, and the agent."""

_SIZES = {"plus": (1, 10), "comma": (5, 35)}  # (mu, lambda)
_HIDDEN = 8
_FINAL = 10  # times as many games choose the champion as measure a genome's fitness
_HALL = 10


def train(
    environment: str,
    generations: int,
    *,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    strategy: str = "cma",
    evaluation: str = "linear",
    hidden: int | None = None,
    depth: int = 2,
    population: int | None = None,
    offspring: int | None = None,
    sigma: float = 0.5,
    games: int = 40,
    opponents: str = "random+minimax:depth=1",
    peers: int = 0,
    threads: int = 1,
) -> str:
    """Evolve an evaluation and keep the champion in the folder ``output``.

    The same seed makes the same champion, bit for bit, however often the run was interrupted and however many threads
    there were. A run can go on to more generations than it had.

    Args:
        environment: an id, with parameters if wanted.
        generations: of the whole run, after the first.
        output: a folder, made if need be.
        seed: of all random numbers.
        resume: go on with the run in ``output``.
        strategy: ``plus``, ``comma`` or ``cma``.
        evaluation: ``linear``, or ``mlp`` with one hidden layer.
        hidden: units of that layer, 1 to 1000; None means 8.
        depth: plies that are searched, 1 to 64.
        population: mu, parents; None means 1 (plus), 5 (comma), half of the offspring (cma).
        offspring: lambda; None means 10 (plus), 35 (comma), 4 + 3 ln genes (cma).
        sigma: standard deviation of the first mutations, above 0.
        games: of each genome against each opponent in a generation; an even number is fair to both seats.
        opponents: spec strings joined by ``+``.
        peers: how many genomes of the generation are opponents as well.
        threads: how many games are played at once.

    Returns:
        The spec string of the agent.

    Raises:
        ValueError: an option is out of range, or there is a run in ``output`` already, or none that can go on.
        ImportError: ``cma`` is not installed.
        OSError: the folder cannot be written.
    """
    options = {
        name: value
        for name, value in locals().items()
        if name not in ("generations", "output", "seed", "resume", "threads")
    }
    _, game, env_options = resolve(environment)
    units = _hidden_units(evaluation, hidden)
    genes = gene_count(game, units)
    integer_between("generations", generations, 1)
    integer_between("games", games, 1)
    integer_between("threads", threads, 1)
    positive_number("sigma", sigma)
    limits: dict[str, Any] = {"max_cycles": env_options.get("max_cycles"), "threads": threads}
    policy, against = EvaluationPolicy(depth), make_opponents(opponents, game)
    fitness = FitnessByPlay(game, policy, against, games, peers, **limits)
    folder = Path(output)
    files: dict[str, Any] = {"path": folder / RUN, "resume": resume, "notes": options}

    candidates: Genomes
    history: tuple[Statistics, ...]
    if strategy == "cma":
        optimiser = CMAES(np.zeros(genes), sigma, seed=seed, offspring=offspring, parents=population)
        history = optimise(optimiser, fitness, generations, seed=seed, **files)
        candidates = np.concatenate((optimiser.mean[np.newaxis], optimiser.genomes))
    else:
        plan = _plan(strategy, population, offspring, sigma, genes)
        done = run(plan, fitness, RandomNumbers(genes, -1, 1), generations, seed=seed, **files)
        history = done.history
        candidates = np.concatenate((done.state.genomes, done.state.hall))

    fresh = int(np.random.default_rng([seed, generations, 1]).integers(2**64, dtype=np.uint64))
    best, score = best_of(game, policy, candidates, against, _FINAL * games, fresh, **limits)
    write_curve(folder / CURVE, history)
    notes = {"environment": environment, "seed": seed, "generations": generations, "score": score, **options}
    champion = Champion(AGENT, repr(game), {"depth": depth, "hidden": units}, candidates[best], notes)
    write_champion(folder / CHAMPION, champion)
    return f"{AGENT}:{folder / CHAMPION}"


def _hidden_units(evaluation: str, hidden: int | None) -> int:
    if evaluation == "mlp":
        return _HIDDEN if hidden is None else integer_between("hidden", hidden, 1)
    if evaluation != "linear":
        raise ValueError(f"evaluation must be linear or mlp, not {evaluation!r}")
    if hidden is not None:
        raise ValueError(f"hidden={hidden} is for evaluation=mlp: a linear one has no hidden units")
    return 0


def _plan(strategy: str, population: int | None, offspring: int | None, sigma: float, genes: int) -> Plan:
    if strategy not in _SIZES:
        raise ValueError(f"strategy must be plus, comma or cma, not {strategy!r}")
    mu, lambda_ = _SIZES[strategy]
    mu = mu if population is None else integer_between("population", population, 1)
    lambda_ = lambda_ if offspring is None else integer_between("offspring", offspring, 1)
    return Plan(
        mu,
        lambda_,
        Gaussian(sigma),
        select=TruncationSelection(),
        survive=Plus() if strategy == "plus" else Comma(),
        step_rule=OneFifth(damping=1 + genes / (2 * lambda_)),
        hall_size=_HALL,
        reevaluate=True,
    )
