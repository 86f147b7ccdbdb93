"""Training of ``neat``: options, fitness by play, learning curve and champion.

The defaults were chosen on Quixo. After 70 s of processor time and from one seed each, the champions won, drew and lost
of 200 games against random, minimax of depth 1 and of depth 2: with random and depth 1 on the ladder and two peers
199-0-1, 100-100-0 and 0-169-31; the same with a temperature of 0.05 197-0-3, 0-200-0 and 0-177-23; with
outputs=actions, 60 networks and no symmetries 171-0-29, 0-0-200 and 0-1-199. With depth 1 and 2 on the ladder and no
peers, which makes generations less than half as long, it was 195-0-5, 169-31-0 and 0-195-5.
"""

import math
from pathlib import Path

import numpy as np

from ci_envs.agents.evolution.champion import Champion, best_of, write_champion
from ci_envs.agents.evolution.layers import LayerEvolution, Limits
from ci_envs.agents.evolution.neat import Neat
from ci_envs.agents.evolution.networks import MOST_SYMMETRIES, NetworkPolicy, stack_rows
from ci_envs.agents.evolution.opponents import make_opponents
from ci_envs.agents.evolution.play import FitnessByPlay
from ci_envs.games.game import Game
from ci_envs.games.truncation import ply_limit
from ci_envs.optimisation.evolution.ask_tell import optimise
from ci_envs.optimisation.evolution.statistics import write_curve
from ci_envs.registry import resolve
from ci_envs.validation import integer_between, nonnegative_number, one_of, true_or_false

METHOD = "neat"

RUN, CURVE, CHAMPION = "run.npz", "curve.csv", "champion.json"
"""The files of a run: what it goes on from, the learning curve, and the agent."""

OUTPUTS = {"value": True, "actions": False}
"""What networks say, and whether that is one value."""

_FREE = ("output", "resume", "generations", "threads")  # a run can go on with others
_ENCODINGS = ("graph", "layers")
_SHAPE = ("species", "hidden", "connections")
_CYCLING_PLIES = 60
_LAST_GAMES = 100  # against each opponent, to choose the champion


def train(
    environment: str,
    *,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    generations: int = 120,
    encoding: str = "graph",
    population: int = 100,
    games: int = 10,
    opponents: str = "random+minimax:depth=1+minimax:depth=2",
    peers: int = 1,
    max_plies: int | None = None,
    outputs: str = "value",
    symmetries: bool | None = None,
    temperature: float = 0,
    species: int = 8,
    activation: str = "tanh",
    max_layers: int = 3,
    max_neurons: int = 32,
    threads: int = 1,
) -> str:
    """Evolve networks that play, and keep the best in the folder ``output``.

    The same seed makes the same champion, bit for bit, however often the run was interrupted and on however many
    threads it ran. A run that is over can go on for more generations.

    Args:
        environment: an id, with parameters if wanted.
        output: a folder, made if need be.
        seed: of all random numbers.
        resume: go on with the run in ``output``.
        generations: of the whole run, after the first.
        encoding: ``graph``, NEAT proper (:mod:`ci_envs.agents.evolution.neat`), or ``layers``, lists of layers
            (:mod:`ci_envs.agents.evolution.layers`).
        population: networks, at least 4.
        games: of each network against each opponent in a generation; an even number is fair to both seats.
        opponents: spec strings joined by ``+``: the fixed ladder.
        peers: so many random members of the population are opponents besides.
        max_plies: after which a game of the evolution is drawn; None means 60 where play can go on for ever, else no
            limit, and never more than the environment has.
        outputs: ``value`` has a network judge the positions after the legal actions, ``actions`` the actions.
        symmetries: a network is averaged over the symmetric images; None does so if there are at most 64.
        temperature: of the softmax over the legal actions by which networks play in the evolution; 0 takes the best,
            as the champion does.
        species: of ``graph``, how many there should be.
        activation: of ``graph``, of all nodes: ``tanh``, ``sigmoid``, ``relu`` or ``identity``.
        max_layers: of ``layers``, hidden ones.
        max_neurons: of ``layers``, in a hidden layer.
        threads: how many work at once.

    Returns:
        The spec string of the champion.

    Raises:
        ValueError: an option is out of range, an opponent plays an illegal action, or there is a run in ``output`` that
            cannot go on.
        OSError: the folder cannot be written.
    """
    options = {name: value for name, value in locals().items() if name not in _FREE}
    _, game, env_options = resolve(environment)
    integer_between("seed", seed, 0, 2**64 - 1)
    integer_between("generations", generations, 0)
    by_value = OUTPUTS[one_of("outputs", outputs, OUTPUTS)]
    softmax = nonnegative_number("temperature", temperature)
    policy = NetworkPolicy(by_value, _averaged(game, symmetries), softmax)
    ladder = make_opponents(opponents, game)
    limit = env_options.get("max_cycles")
    fitness = FitnessByPlay(
        game, policy, ladder, games, peers, max_cycles=_plies(game, max_plies, limit), threads=threads
    )
    sizes = math.prod(game.observation_shape), policy.outputs(game)
    optimiser: Neat | LayerEvolution
    if one_of("encoding", encoding, _ENCODINGS) == "graph":
        optimiser = Neat(*sizes, population, seed=seed, species=species, activation=activation)
    else:
        optimiser = LayerEvolution(*sizes, population, seed=seed, limits=Limits(max_layers, max_neurons))
    folder = Path(output)
    history = optimise(
        optimiser, fitness, generations, seed=seed, path=folder / RUN, resume=resume, notes=options | {"method": METHOD}
    )
    write_curve(folder / CURVE, history, dict(zip(_SHAPE, zip(*optimiser.shapes, strict=True), strict=True)))
    player = NetworkPolicy(by_value, policy.symmetries)
    hall = stack_rows(optimiser.hall)
    word = int(np.random.default_rng([seed, 0, 1]).integers(2**64, dtype=np.uint64))  # generations have [seed, number]
    best, score = best_of(game, player, hall, ladder, _LAST_GAMES, word, max_cycles=limit, threads=threads)
    notes = {**options, "generations": history[-1].generation, "score": score}
    playing = {"encoding": encoding, "outputs": outputs, "symmetries": policy.symmetries}
    genome = optimiser.hall[best]
    write_champion(folder / CHAMPION, Champion(METHOD, repr(game), playing, genome, notes))
    return f"{METHOD}:{folder / CHAMPION}"


def _averaged(game: Game, symmetries: bool | None) -> bool:
    if symmetries is None:
        return game.symmetry_count <= MOST_SYMMETRIES
    if true_or_false("symmetries", symmetries) and game.symmetry_count > MOST_SYMMETRIES:
        raise ValueError(f"symmetries=true is for games with up to {MOST_SYMMETRIES}; {game} has {game.symmetry_count}")
    return symmetries


def _plies(game: Game, max_plies: int | None, max_cycles: int | None) -> int:
    limit = ply_limit(game, max_cycles)
    if max_plies is not None:
        return min(limit, integer_between("max_plies", max_plies, 1))
    return min(limit, _CYCLING_PLIES) if game.can_cycle else limit
