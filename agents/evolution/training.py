"""The base class of evolutionary trainers: fitness by play, the agent that is measured, and the best agent's file."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.evolution.champion import Champion, best_of, write_champion
from ci_envs.agents.evolution.config import EvolutionConfig
from ci_envs.agents.evolution.networks import stack_rows
from ci_envs.agents.evolution.opponents import make_opponents
from ci_envs.agents.evolution.play import (
    FitnessByPlay,
    GenomePolicy,
    Individual,
    Starts,
    paired_openings,
    play_population,
)
from ci_envs.agents.evolution.workers import RayPlayers
from ci_envs.cluster import check_cluster, pickled_for_workers
from ci_envs.games.game import Game
from ci_envs.optimisation.evolution.engine import Fitness
from ci_envs.optimisation.evolution.evolution import Evolution
from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.training.config import OpeningOptions, training_options, values_of
from ci_envs.training.folder import json_value
from ci_envs.training.ladder import Ladder, Measurement
from ci_envs.training.trainer import Run, Task, Trainer, TrainerState


class GenomeAgentType(Protocol):
    """The class of an agent that plays by a genome."""

    def __call__(self, game: Game, path: str | Path | Champion) -> Agent:
        """Make the agent from a champion or from the path of its file."""


class EvolutionTrainer(Trainer):
    """Base class of trainers that evolve genomes by play.

    During the run the agent is the best genome of the latest generation. At the end several candidates play new games,
    and the agent is the best of them, because the best genome in the games of the evolution is partly the luckiest one.

    Attributes:
        agent_type: the class of the agent.
        policy: the policy that plays by the genomes in the evolution.
        evolution: the evolution.
    """

    unit = "generations"
    best_file = "best.json"
    logs_every_step = True
    logs_start = True
    agent_type: ClassVar[GenomeAgentType]
    config: EvolutionConfig

    def __init__(self, task: Task, config: EvolutionConfig) -> None:
        """Prepare the evolution, without evaluating genomes.

        Raises:
            ValueError: an option does not fit the game, or an opponent cannot be made.
            ImportError: a package that the evolution needs is not installed.
            ClusterError: there are to be workers, but there is no cluster.
        """
        super().__init__(task, config)
        if config.opponents is None and not config.peers:
            raise ValueError("opponents=none needs peers: set peers to 1 or more, or give opponents")
        self.policy = self.make_policy()
        self._agents = () if config.opponents is None else make_opponents(config.opponents, task.game)
        if config.workers is not None:
            check_cluster(config.workers, config.ray_address)
            pickled_for_workers("the opponents", self._agents)
        self._players: RayPlayers | None = None
        self._play = FitnessByPlay(
            task.game,
            self.policy,
            self._agents,
            config.games,
            config.peers,
            starts=self.starts(),
            alternate_seats=True if isinstance(config, OpeningOptions) else None,
            max_cycles=self.max_plies(),
            draw_penalty=config.draw_penalty,
            play=self._play_population,
        )
        self.evolution = self.make_evolution(self.fitness(self._play))
        self._measured: Champion | None = None
        self._best: Champion | None = None

    @abstractmethod
    def make_policy(self) -> GenomePolicy:
        """Return the policy that plays by the genomes in the evolution."""

    @abstractmethod
    def make_evolution(self, fitness: Fitness) -> Evolution:
        """Return a new evolution."""

    @abstractmethod
    def latest_genome(self) -> Values:
        """Return the genome that is measured before the end of the run, float64 of shape (genes,)."""

    @abstractmethod
    def candidates(self) -> Sequence[Values]:
        """Return the genomes from which the agent is chosen at the end. Genomes of networks can differ in length."""

    @abstractmethod
    def playing_options(self) -> Mapping[str, Any]:
        """Return the options, in addition to a genome, that the agent needs to play, plain values."""

    def playing_policy(self) -> GenomePolicy:
        """Return the policy that plays by the candidates at the end, by default the policy of the evolution."""
        return self.policy

    def starts(self) -> Starts | None:
        """Return a function that draws the first positions of the games, or None for the game's initial position."""
        openings = self.config.openings if isinstance(self.config, OpeningOptions) else None
        return None if openings is None else paired_openings(self.task.game, openings)

    def max_plies(self) -> int | None:
        """Return the number of plies after which a game of the evolution is a draw. None is the game's own limit."""
        return self.task.max_cycles

    def fitness(self, play: FitnessByPlay) -> Fitness:
        """Return the fitness function, by default the mean score, from -1 to 1."""
        return play

    def final_rng(self) -> Generator:
        """Return the random number generator of the final games, which differs from those of all generations."""
        return np.random.default_rng([self.task.seed, self.total, 1])

    def result(self, score: float) -> Mapping[str, float]:
        """Return the final result of the agent by name, for the notes in its file."""
        return {"score": score}

    @property
    @override
    def count(self) -> int:
        return max(0, self.evolution.generation)

    @property
    @override
    def total(self) -> int:
        return self.config.generations

    @override
    def train(self, run: Run) -> None:
        with self._started_players():
            if self.evolution.generation < 0:
                self.evolution.advance()
            super().train(run)

    @override
    def step(self, stop: float) -> None:
        self.evolution.advance()

    @override
    def metrics(self) -> Mapping[str, float]:
        record = self.evolution.history[-1]._asdict()
        return {name: value for name, value in record.items() if name != "generation"}

    @override
    def state(self) -> TrainerState | None:
        evolution = self.evolution.state()
        if evolution is None:
            return None
        best = self._best
        if best is None:
            return TrainerState({"evolution": evolution.values}, evolution.arrays)
        notes = {"best": dict(best.notes), "evolution": evolution.values}
        return TrainerState(notes, {"best": best.genome, **evolution.arrays})

    @override
    def restore(self, state: TrainerState) -> None:
        arrays = dict(state.arrays)
        genome = arrays.pop("best", None)
        best = None if genome is None else self._champion(genome, state.values["best"])
        self.evolution.restore(TrainerState(state.values["evolution"], arrays))
        self._best = best

    @override
    def agent(self) -> Agent:
        champion = self._final_champion() if self.count >= self.total else self._latest_champion()
        self._measured = champion
        return self.agent_type(self.task.game, champion)

    @override
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        self._best = self._measured
        return True

    @override
    def write_best(self, path: Path) -> None:
        if self._best is not None:
            write_champion(path, self._best)

    @contextmanager
    def _started_players(self) -> Iterator[None]:
        """Keep the workers running, if there are any."""
        workers = self.config.workers
        if workers is None:
            yield
            return
        with closing(RayPlayers(self.task.game, self._agents, workers, self.config.ray_address)) as players:
            self._players = players
            try:
                yield
            finally:
                self._players = None

    def _play_population(self, game: Game, *arguments: Any, **options: Any) -> NDArray[np.int64]:
        """Play as :func:`~ci_envs.agents.evolution.play.play_population`, by the workers if there are any."""
        if self._players is None:
            return play_population(game, *arguments, threads=self.config.threads, **options)
        return self._players.play(*arguments, **options)

    def _latest_champion(self) -> Champion:
        return self._champion(self.latest_genome(), self._notes({}))

    def _final_champion(self) -> Champion:
        play, games, rng = self._play, self.config.last_games, self.final_rng()
        candidates, word = self.candidates(), int(rng.integers(2**64, dtype=np.uint64))
        rows, policy = stack_rows(candidates), self.playing_policy()
        best, score = best_of(
            play.game,
            policy,
            rows,
            play.opponents or [Individual(policy, row) for row in rows],
            games,
            word,
            starts=play.starts(games, rng) if play.starts else None,
            alternate_seats=play.alternate_seats,
            max_cycles=self.task.max_cycles,
            draw_penalty=play.draw_penalty,
            play=play.play,
        )
        return self._champion(candidates[best], self._notes(self.result(score)))

    def _champion(self, genome: Values, notes: Mapping[str, Any]) -> Champion:
        return Champion(self.learner, repr(self.task.game), self.playing_options(), genome, notes)

    def _notes(self, result: Mapping[str, float]) -> dict[str, Any]:
        declared = training_options(type(self.config))
        values = values_of(self.config).items()
        options = {name: json_value(value) for name, value in values if not declared[name].declared.changeable}
        task = self.task
        return {"environment": task.environment, "seed": task.seed, "generations": self.count, **result, **options}
