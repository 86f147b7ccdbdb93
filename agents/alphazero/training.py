"""Training of ``alphazero``: self-play, learning, measurement and a checkpoint, in turn."""

import csv
import io
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from agents.alphazero.config import Config, preset
from agents.alphazero.learner import Learner, Loss
from agents.alphazero.model_file import read_model, write_model
from agents.alphazero.network import ARCHITECTURES, Inference, new_network
from agents.alphazero.replay import Replay
from agents.alphazero.search import SELECTIONS, Settings
from agents.alphazero.self_play import SelfPlay
from ci_envs.agent import make as make_agent
from ci_envs.files import write_whole
from ci_envs.games.game import Game
from ci_envs.games.parameters import integer_between, positive_number
from ci_envs.registration import resolve

BEST, CHECKPOINT, CURVE = "best.safetensors", "checkpoint.safetensors", "curve.csv"
"""The files of a run: the network that did best on the ladder, what it takes to go on, and the learning curve."""

_SHARE = 20  # of the run between two measurements
_GAMES = 100
_COLUMNS = (
    "iteration",
    "seconds",
    "games",
    "positions",
    "policy loss",
    "value loss",
    "opponent",
    "won",
    "drawn",
    "lost",
)


@dataclass
class _Run:
    """How far a run has come.

    Attributes:
        iteration: how many are done.
        seconds: of the clock, in all sittings.
        games: of self-play.
        best: the best mean score on the ladder.
        measured: share of the run at the last measurement.
        curve: lines of the learning curve.
    """

    iteration: int = 0
    seconds: float = 0.0
    games: int = 0
    best: float = -2.0
    measured: float = 0.0
    curve: list[list[Any]] | None = None


def train(
    environment: str,
    *,
    output: str | Path,
    iterations: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    resume: bool = False,
    threads: int = 1,
    architecture: str | None = None,
    selection: str | None = None,
    simulations: int | None = None,
    games: int | None = None,
    learning_rate: float | None = None,
    symmetries: bool | None = None,
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
        threads: of self-play, each with games of its own.
        architecture: as this and all that follows, None takes that of the game's preset
            (:class:`~agents.alphazero.config.Config`).
        selection: ``gumbel``, ``puct`` or ``ucb``.
        simulations: a position in self-play.
        games: of self-play in an iteration.
        learning_rate: at first.
        symmetries: learn from images of the positions too.

    Returns:
        The spec string of the best network.

    Raises:
        ValueError: an option is out of range, or there is a run in ``output`` already, or none that can go on.
        FloatingPointError: the loss is no number; the last checkpoint is kept.
        OSError: the folder cannot be written.
    """
    options: dict[str, Any] = {
        "architecture": architecture,
        "selection": selection,
        "simulations": simulations,
        "games": games,
        "learning_rate": learning_rate,
        "symmetries": symmetries,
    }
    _, game, env_options = resolve(environment)
    config = preset(game, **{name: value for name, value in options.items() if value is not None})
    if (iterations is None) == (minutes is None):
        raise ValueError(f"give iterations or minutes: iterations={iterations}, minutes={minutes}")
    length = integer_between("iterations", iterations, 1) if iterations else positive_number("minutes", minutes) * 60
    fixed = {"environment": environment, "seed": integer_between("seed", seed, 0, 2**64 - 1), "threads": threads}
    integer_between("threads", threads, 1, config.games)
    folder = Path(output)
    trainer = _Trainer(game, config, env_options.get("max_cycles"), folder, fixed)
    trainer.begin(resume)
    with _one_torch_thread():
        trainer.work(length, by_clock=iterations is None)
    return f"alphazero:{folder / BEST}"


class _Trainer:
    """A run of training."""

    def __init__(
        self, game: Game, config: Config, max_cycles: int | None, folder: Path, fixed: Mapping[str, Any]
    ) -> None:
        self.game, self.config, self.max_cycles, self.folder = game, config, max_cycles, folder
        self.seed, self.threads = fixed["seed"], fixed["threads"]
        self.notes = {**fixed, "config": config.to_dict()}
        network = new_network(game, ARCHITECTURES[config.architecture], self.seed % 2**63)
        self.learner = Learner(network, config.weight_decay)
        self.replay = Replay(game, config.capacity)
        self.run = _Run(curve=[])
        self.ladder = [make_agent(spec, game) for spec in config.ladder]
        settings = Settings(SELECTIONS[config.selection], config.exploration, config.simulations, config.considered)
        limit = config.max_plies if max_cycles is None else min(max_cycles, config.max_plies)
        self.self_play = SelfPlay(game, settings, config.noise, config.lanes, limit, config.value_mix)

    def begin(self, resume: bool) -> None:
        """See to the folder, and go on with the run in it if asked to."""
        path = self.folder / CHECKPOINT
        if resume:
            self._read(path)
        elif path.exists():
            raise ValueError(f"there is a run in {str(self.folder)!r} already: resume it, or choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)

    def work(self, length: float, by_clock: bool) -> None:
        """Go through the iterations that are left."""
        with (
            Progress(console=Console(stderr=True), transient=True) as progress,
            ThreadPoolExecutor(self.threads) as pool,
        ):
            task = progress.add_task("alphazero", total=length)
            while (done := self.run.seconds if by_clock else self.run.iteration) < length:
                progress.update(task, completed=done, description=f"{self.run.games:,} games")
                began = monotonic()
                share = done / length
                samples = self._play(pool)
                self.replay.add(samples)
                loss = self._learn(len(samples), share)
                self.run.iteration += 1
                self.run.seconds += monotonic() - began
                share = (self.run.seconds if by_clock else self.run.iteration) / length
                if share >= 1 or share >= self.run.measured + 1 / _SHARE:
                    self.run.measured = share
                    self._measure(loss)
                self._write(self.folder / CHECKPOINT)

    def _play(self, pool: ThreadPoolExecutor) -> NDArray[np.void]:
        evaluate = Inference(self.learner.network)
        games = [
            self.config.games // self.threads + (t < self.config.games % self.threads) for t in range(self.threads)
        ]
        rngs = [np.random.default_rng([self.seed, self.run.iteration, t]) for t in range(self.threads)]
        played = pool.map(lambda part: self.self_play.play(evaluate, *part), zip(games, rngs, strict=True))
        self.run.games += self.config.games
        return np.concatenate(list(played))

    def _learn(self, positions: int, share: float) -> Loss:
        config = self.config
        rng = np.random.default_rng([self.seed, self.run.iteration, self.threads])
        rate = config.learning_rate * (0.01 + 0.99 * (1 + cos(pi * min(1.0, share))) / 2)
        steps = max(1, round(positions * config.reuse / config.batch))
        return self.learner.learn(self.replay, steps, config.batch, rate, rng, symmetries=config.symmetries)

    def _measure(self, loss: Loss) -> None:
        """Play against the ladder, and keep the network if it never did better."""
        from agents.alphazero.agent import AlphaZeroAgent  # which has this training
        from ci_envs.arena.match import play_match  # which who plays has no need of

        agent = AlphaZeroAgent(
            self.game, self.learner.network, simulations=self.config.ladder_simulations, seed=self.run.iteration
        )
        scores = []
        assert self.run.curve is not None
        for number, (spec, opponent) in enumerate(zip(self.config.ladder, self.ladder, strict=True)):
            opponent.reseed(number)
            total = play_match(self.game, agent, opponent, _GAMES, max_cycles=self.max_cycles).sides[0].total
            scores.append((total.wins - total.losses) / _GAMES)
            counted = [self.run.iteration, round(self.run.seconds, 1), self.run.games, self.replay.added]
            losses = [round(loss.policy, 5), round(loss.value, 5)]
            self.run.curve.append([*counted, *losses, spec, total.wins, total.draws, total.losses])
        text = io.StringIO()
        csv.writer(text).writerows([_COLUMNS, *self.run.curve])
        write_whole(self.folder / CURVE, text.getvalue().encode())
        if (mean := float(np.mean(scores))) >= self.run.best:
            self.run.best = mean
            write_model(self.folder / BEST, self.learner.network, self.game, {**self.notes, "score": mean})

    def _write(self, path: Path) -> None:
        state = self.learner.optimizer.state_dict()["state"]
        tensors = {f"optimizer.{i}.{name}": value for i, values in state.items() for name, value in values.items()}
        samples = self.replay.samples[: self.replay.size]
        tensors["replay"] = torch.from_numpy(np.frombuffer(samples.tobytes(), np.uint8).copy())
        notes = {**self.notes, "run": vars(self.run), "added": self.replay.added}
        write_model(path, self.learner.network, self.game, notes, tensors)

    def _read(self, path: Path) -> None:
        file = read_model(path, self.game)
        for name, value in self.notes.items():
            if file.notes.get(name) != _plain(value):
                raise ValueError(f"the run in {str(self.folder)!r} has another {name}: {file.notes.get(name)}")
        self.learner.network.load_state_dict(file.network.state_dict())
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, tensor in file.tensors.items():
            if key.startswith("optimizer."):
                _, number, name = key.split(".")
                state.setdefault(int(number), {})[name] = tensor
        optimizer = self.learner.optimizer
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
        samples = np.frombuffer(file.tensors["replay"].numpy().tobytes(), self.replay.samples.dtype)
        self.replay.samples[: len(samples)] = samples
        self.replay.size, self.replay.added = len(samples), file.notes["added"]
        self.run = _Run(**file.notes["run"])


def _plain(value: Any) -> Any:
    """As JSON brings it back."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """On networks as small as these one thread is quicker than several, and self-play has its own."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
