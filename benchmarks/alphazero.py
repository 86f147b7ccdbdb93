"""Benchmarks of AlphaZero: the search tree, self-play, one action, and the design of report A.

A search caches the outputs of a network function, so each run makes a new function.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ci_envs import Quixo
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.config import AlphaZeroConfig
from ci_envs.agents.alphazero.inference import TorchInference, inference
from ci_envs.agents.alphazero.network import Network, new_network
from ci_envs.agents.alphazero.result import SearchResult
from ci_envs.agents.alphazero.search import Evaluate, Forest, NetworkOutput
from ci_envs.agents.alphazero.settings import PUCT, UCB, SearchSettings
from ci_envs.checking.play import sample_positions
from ci_envs.devices import device_named
from ci_envs.games.batch import start_words
from ci_envs.registry.games import resolve

_GAME = Quixo()
_POSITIONS, _SIMULATIONS, _PLIES, _DECISIONS = 64, 200, 16, 21


def tree_simulations(id: str) -> Callable[[int], int]:
    """Return a function that runs simulations with a constant network, 200 simulations for each position."""
    _, game, _ = resolve(id)
    forest = Forest(game, SearchSettings(PUCT, simulations=_SIMULATIONS), _POSITIONS)
    logits, zeros = np.zeros((_POSITIONS, game.action_count), np.float32), np.zeros(_POSITIONS, np.float32)

    def evaluate(planes: NDArray[np.int8]) -> NetworkOutput:
        return logits[: len(planes)], zeros[: len(planes)], zeros[: len(planes)]

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            done += int(_search(forest, evaluate, seed=done).visits.sum())
        return done

    return work


def self_play_simulations(threads: int) -> Callable[[int], int]:
    """Return a function that runs simulations of self-play of Quixo, by ONNX Runtime with convolutions of integers.

    The network is a new network of size 32x3, and the options are those of ``ci-envs train``. The function plays only
    the first plies of the games.
    """
    return _self_play(threads, partial(inference, game=_GAME), AlphaZeroConfig(iterations=1, max_plies=_PLIES))


def batched_simulations() -> Callable[[int], int]:
    """Return a function for 2,048 games of one thread at the same time, by PyTorch, on a GPU if there is one."""
    config = AlphaZeroConfig(iterations=1, max_plies=_PLIES // 2, lanes=2048)
    torch.set_num_threads(1)
    return _self_play(1, partial(TorchInference, device=device_named(None)), config)


def _self_play(
    threads: int, new_inference: Callable[[Network], Evaluate], config: AlphaZeroConfig
) -> Callable[[int], int]:
    plan = config.self_play(_GAME)
    network = new_network(_GAME, ARCHITECTURES["32x3"], 0)

    def work(amount: int) -> int:
        evaluate, done = new_inference(network), 0
        with ThreadPoolExecutor(threads) as pool:
            while done < amount:
                rngs = [np.random.default_rng([done, thread]) for thread in range(threads)]
                played = pool.map(lambda rng: len(plan.play(evaluate, config.lanes, rng)), rngs)
                done += sum(played) * (config.simulations + 1)
        return done

    return work


def report_simulations(amount: int) -> int:
    """Run simulations with the design of report A: its network, its formula, and one leaf at a time."""
    torch.set_num_threads(1)
    network = new_network(_GAME, ARCHITECTURES["256x10_pooled"], 0).eval()
    forest, done = Forest(_GAME, SearchSettings(UCB, simulations=min(amount, _SIMULATIONS)), 1), 0

    def evaluate(planes: NDArray[np.int8]) -> NetworkOutput:
        with torch.inference_mode():
            logits, values, draws = network(torch.from_numpy(planes).permute(0, 3, 1, 2).float())
        return logits.numpy(), values.numpy(), draws.sigmoid().numpy()

    while done < amount:
        done += int(_search(forest, evaluate, seed=done).visits.sum())
    return done


class DecisionTime(NamedTuple):
    """The seconds of a decision, and the seconds of its calls of the network."""

    total: float
    network: float


def decision() -> Callable[[], DecisionTime]:
    """Return a function that times the next of many decisions of Quixo, each in another position of random games.

    The search has one board, a 32x3 network with convolutions of integers, and 200 simulations.
    """
    forest = Forest(_GAME, SearchSettings(PUCT, simulations=_SIMULATIONS, lookahead=3, leaves=4), 1)
    evaluate = inference(new_network(_GAME, ARCHITECTURES["32x3"], 0), game=_GAME)
    positions = cycle(sample_positions(_GAME, _DECISIONS, _PLIES // 2, np.random.default_rng(0)))
    network = 0.0

    def timed(planes: NDArray[np.int8]) -> NetworkOutput:
        nonlocal network
        begin = perf_counter()
        outputs = evaluate(planes)
        network += perf_counter() - begin
        return outputs

    def work() -> DecisionTime:
        nonlocal network
        position, network = next(positions), 0.0
        words = np.array([[position.own, position.opp]], np.uint64)
        begin = perf_counter()
        forest.search(words, np.zeros(1, np.uint64), timed)
        return DecisionTime(perf_counter() - begin, network)

    work()  # compiles
    return work


def network_seconds() -> float:
    """Return the median of the seconds that the network takes in :func:`decision`."""
    work = decision()
    return median(work().network for _ in range(_DECISIONS))


def _search(forest: Forest, evaluate: Evaluate, seed: int) -> SearchResult:
    seeds = np.arange(seed, seed + forest.positions, dtype=np.uint64)
    return forest.search(start_words(forest.game, forest.positions), seeds, partial(evaluate))
