"""Training of ``alphazero``: self-play, learning, measurement and a checkpoint, in turn."""

import copy
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import cos, pi
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress

from ci_envs.agents.alphazero.config import Config, preset
from ci_envs.agents.alphazero.learner import Learner, Loss
from ci_envs.agents.alphazero.model_file import ModelFile, read_model, write_model
from ci_envs.agents.alphazero.network import ARCHITECTURES, Network, device_named, new_network
from ci_envs.agents.alphazero.players import Players, RayWorkers, Threads
from ci_envs.agents.alphazero.replay import Replay
from ci_envs.agents.alphazero.search import SELECTIONS, SearchSettings
from ci_envs.agents.alphazero.self_play import SelfPlay
from ci_envs.games.game import Game
from ci_envs.registry import resolve
from ci_envs.storage.files import write_csv
from ci_envs.validation import integer_between, positive_number

BEST, CHECKPOINT, CURVE = "best.safetensors", "checkpoint.safetensors", "curve.csv"
"""The files of a run: the best network, what it takes to go on, and the learning curve."""

COLUMNS = (
    "iteration",
    "seconds",
    "games",
    "positions",
    "policy loss",
    "value loss",
    "draw loss",
    "rating",
    "opponent",
    "won",
    "drawn",
    "lost",
)
"""Of a learning curve: a line for each opponent of each measurement. The rating is Elo above the first opponent."""

_LOSSES = ("loss/policy", "loss/value", "loss/draw")
_SHARE = 20  # of the run between two measurements


@dataclass
class _Run:
    """How far a run has come.

    Attributes:
        iteration: how many are done.
        seconds: of the clock, in all sittings.
        games: of self-play.
        measured: how much was done at the last measurement (:meth:`done`).
        best_rating: of the best network, when it became that.
        curve: lines of the learning curve, of :data:`COLUMNS`.
    """

    iteration: int = 0
    seconds: float = 0.0
    games: int = 0
    measured: float = 0.0
    best_rating: float = 0.0
    curve: list[list[Any]] = field(default_factory=list)

    def done(self, by_clock: bool) -> float:
        """How much of the run is done, in seconds or iterations."""
        return self.seconds if by_clock else self.iteration


def train(
    environment: str,
    *,
    output: str | Path,
    iterations: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    resume: bool = False,
    threads: int = 1,
    workers: int | None = None,
    ray_address: str | None = None,
    architecture: str | None = None,
    selection: str | None = None,
    simulations: int | None = None,
    games: int | None = None,
    random_plies: int | None = None,
    discount: float | None = None,
    contempt: float | None = None,
    learning_rate: float | None = None,
    symmetries: bool | None = None,
    kept: float | None = None,
    device: str | None = None,
) -> str:
    """Train a network by self-play and keep the best in the folder ``output``.

    With ``iterations`` the same seed makes the same network, however often the run was interrupted, on one machine and
    with as many threads; with ``minutes`` the clock has its say.

    Args:
        environment: an id, with parameters if wanted.
        output: a folder, made if need be.
        iterations: rounds of self-play and learning of the whole run.
        minutes: of the whole run instead; an iteration that has begun is brought to its end.
        seed: of all random numbers.
        resume: go on with the run in ``output``: at most the iteration it was in is lost.
        threads: of self-play, each with games of its own, and of learning.
        workers: of self-play instead, on a Ray cluster (``pip install ci-envs[ray]``).
        ray_address: of the cluster; None means one on this machine.
        architecture: as this and all that follows, None takes that of the game's preset
            (:class:`~ci_envs.agents.alphazero.config.Config`).
        selection: ``gumbel``, ``puct`` or ``ucb``.
        simulations: a position in self-play.
        games: of self-play in an iteration.
        random_plies: up to so many begin a game of self-play.
        discount: of the result of a game, for each ply to its end.
        contempt: by how much a draw is worse than even for a player.
        learning_rate: at first.
        symmetries: learn from images of the positions too.
        kept: share of the replay buffer that stays when it is full and pruned at random; 0 forgets the oldest first.
        device: of the network, a name that PyTorch knows; None means ``cuda`` where there is one, else ``cpu``.

    Returns:
        The spec string of the best network.

    Raises:
        ValueError: an option is out of range, or there is a run in ``output`` already, or none that can go on.
        FloatingPointError: the loss is no number; the last checkpoint is kept.
        ImportError: there are to be workers, but Ray is not installed.
        OSError: the folder cannot be written.
    """
    options: dict[str, Any] = {
        "architecture": architecture,
        "selection": selection,
        "simulations": simulations,
        "games": games,
        "random_plies": random_plies,
        "discount": discount,
        "contempt": contempt,
        "learning_rate": learning_rate,
        "symmetries": symmetries,
        "kept": kept,
    }
    _, game, env_options = resolve(environment)
    config = preset(game, **{name: value for name, value in options.items() if value is not None})
    if (iterations is None) == (minutes is None):
        raise ValueError(f"give iterations or minutes: iterations={iterations}, minutes={minutes}")
    length = integer_between("iterations", iterations, 1) if iterations else positive_number("minutes", minutes) * 60
    if workers is None and ray_address is not None:
        raise ValueError(f"ray_address={ray_address!r} is for workers: give workers too")
    name, parts = ("threads", threads) if workers is None else ("workers", workers)
    integer_between(name, parts, 1, config.games)
    fixed = {"environment": environment, "seed": integer_between("seed", seed, 0, 2**64 - 1), "threads": parts}
    folder, device = Path(output), device_named(device)
    trainer = _Trainer(game, config, env_options.get("max_cycles"), folder, fixed, device)
    trainer.begin(resume)
    plan = trainer.plan
    players = Threads(plan, threads, device) if workers is None else RayWorkers(plan, workers, ray_address)
    try:
        with _torch_threads(min(parts, os.cpu_count() or 1)):
            trainer.work(players, length, by_clock=iterations is None)
    finally:
        players.close()
    return f"alphazero:{folder / BEST}"


class _Trainer:
    """A run of training."""

    def __init__(
        self, game: Game, config: Config, max_cycles: int | None, folder: Path, fixed: Mapping[str, Any], device: str
    ) -> None:
        from ci_envs.agents.alphazero.measurement import NetworkLadder  # and matches, which who plays has no need of

        self.game, self.config, self.folder, self.device = game, config, folder, device
        self.seed, self.threads = fixed["seed"], fixed["threads"]
        self.notes = {**fixed, "config": config.to_dict()}
        network = new_network(game, ARCHITECTURES[config.architecture], self.seed % 2**63)
        self.learner = Learner(network, config.weight_decay, device)
        self.best: Network | None = None
        self.replay = Replay(game, config.capacity, config.kept)
        self.run = _Run()
        settings = SearchSettings(
            SELECTIONS[config.selection], config.exploration, config.simulations, config.considered
        )
        limit = config.max_plies if max_cycles is None else min(max_cycles, config.max_plies)
        self.plan = SelfPlay(
            game,
            settings,
            config.noise,
            lanes=config.lanes,
            max_plies=limit,
            random_plies=config.random_plies,
            discount=config.discount,
            value_mix=config.value_mix,
            contempt=config.contempt,
        )
        self.ladder = NetworkLadder(game, config, max_cycles, self.seed)

    def begin(self, resume: bool) -> None:
        """See to the folder, and go on with the run in it if asked to."""
        path = self.folder / CHECKPOINT
        if resume:
            self._read(path)
        elif path.exists():
            raise ValueError(f"there is a run in {str(self.folder)!r} already: resume it, or choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.best is not None:
            self._write_best(self.best)

    def work(self, players: Players, length: float, by_clock: bool) -> None:
        """Go through the iterations that are left."""
        from torch.utils.tensorboard import SummaryWriter  # slow to import

        with (
            Progress(console=Console(stderr=True), transient=True) as progress,
            SummaryWriter(str(self.folder), purge_step=self.run.iteration + 1) as board,
        ):
            task = progress.add_task("alphazero", total=length)
            while (done := self.run.done(by_clock)) < length:
                numbers = self._iterate(players, done / length)
                done = self.run.done(by_clock)
                if done >= min(length, self.run.measured + length / _SHARE):
                    self.run.measured = done
                    numbers |= self._measure(numbers)
                self._write(self.folder / CHECKPOINT)
                for name, number in numbers.items():
                    board.add_scalar(name, number, self.run.iteration)
                progress.update(task, completed=done, description=self._words(numbers))

    def _iterate(self, players: Players, share: float) -> dict[str, float]:
        """Play and learn once, and return numbers to show."""
        began = monotonic()
        samples, games = players.play(self.learner.network, self.config.games, [self.seed, self.run.iteration])
        played = monotonic() - began
        self.run.games += games
        self.replay.add(samples, np.random.default_rng([self.seed, self.run.iteration, self.threads + 1]))
        loss = self._learn(len(samples), share)
        self.run.iteration += 1
        self.run.seconds += monotonic() - began
        return {
            "loss/policy": loss.policy,
            "loss/value": loss.value,
            "loss/draw": loss.draw,
            "self-play/games a second": games / played,
            "self-play/positions a second": len(samples) / played,
        }

    def _words(self, numbers: Mapping[str, float]) -> str:
        rating = f", rating {self.run.curve[-1][COLUMNS.index('rating')]:+.0f}" if self.run.curve else ""
        return (
            f"{self.run.games:,} games, {numbers['self-play/games a second']:.1f}/s, "
            f"{numbers['self-play/positions a second']:,.0f} positions/s, "
            f"loss {' + '.join(f'{numbers[name]:.3f}' for name in _LOSSES)}{rating}"
        )

    def _learn(self, positions: int, share: float) -> Loss:
        config = self.config
        rng = np.random.default_rng([self.seed, self.run.iteration, self.threads])
        rate = config.learning_rate * (0.01 + 0.99 * (1 + cos(pi * min(1.0, share))) / 2)
        steps = max(1, round(positions * config.reuse / config.batch))
        return self.learner.learn(self.replay, steps, config.batch, rate, rng, symmetries=config.symmetries)

    def _measure(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """Play against the ladder and the best network, whose place it takes if it is as good; return the numbers."""
        results, rating = self.ladder.climb(self.learner.network, self.run.iteration)
        if self.best is None or self.ladder.is_as_good(self.learner.network, self.best, self.run.iteration):
            self.best, self.run.best_rating = copy.deepcopy(self.learner.network), rating
            self._write_best(self.best)
        counted = [self.run.iteration, round(self.run.seconds, 1), self.run.games, self.replay.added]
        losses = [round(numbers[name], 5) for name in _LOSSES]
        for spec, record in results.items():
            self.run.curve.append([*counted, *losses, round(rating, 1), spec, record.wins, record.draws, record.losses])
        write_csv(self.folder / CURVE, [COLUMNS, *self.run.curve])
        return {"ladder/rating": rating} | {f"ladder/{spec}": record.score for spec, record in results.items()}

    def _write_best(self, network: Network) -> None:
        write_model(self.folder / BEST, network, self.game, {**self.notes, "rating": self.run.best_rating})

    def _write(self, path: Path) -> None:
        state = self.learner.optimizer.state_dict()["state"]
        tensors = {f"optimizer.{i}.{name}": value for i, values in state.items() for name, value in values.items()}
        if self.best is not None:
            tensors |= {f"best.{name}": value for name, value in self.best.state_dict().items()}
        samples = self.replay.samples[: self.replay.size]
        tensors["replay"] = torch.from_numpy(np.frombuffer(samples.tobytes(), np.uint8).copy())
        notes = {**self.notes, "run": vars(self.run), "added": self.replay.added, "next": self.replay.next}
        write_model(path, self.learner.network, self.game, notes, tensors)

    def _read(self, path: Path) -> None:
        file = read_model(path, self.game)
        try:
            self._take_up(file)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{str(path)!r} is no checkpoint of a run: it has no {error}") from None

    def _take_up(self, file: ModelFile) -> None:
        for name, value in self.notes.items():
            if file.notes.get(name) != _plain(value):
                raise ValueError(f"the run in {str(self.folder)!r} has another {name}: {file.notes.get(name)}")
        self.learner.network.load_state_dict(file.network.state_dict())
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, tensor in file.tensors.items():
            if key.startswith("optimizer."):
                _, number, name = key.split(".")
                state.setdefault(int(number), {})[name] = tensor
        best = {key.removeprefix("best."): tensor for key, tensor in file.tensors.items() if key.startswith("best.")}
        if best:
            self.best = copy.deepcopy(self.learner.network)
            self.best.load_state_dict(best)
        optimizer = self.learner.optimizer
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
        samples = np.frombuffer(file.tensors["replay"].numpy().tobytes(), self.replay.samples.dtype)
        self.replay.samples[: len(samples)] = samples
        self.replay.size, self.replay.next = len(samples), file.notes["next"]
        self.replay.added = file.notes["added"]
        self.run = _Run(**file.notes["run"])


def _plain(value: Any) -> Any:
    """As JSON brings it back."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


@contextmanager
def _torch_threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
