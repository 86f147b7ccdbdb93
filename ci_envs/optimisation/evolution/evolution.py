"""Evolutions that advance by generations. After each generation their state can be saved, and restored later."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.optimisation.evolution.engine import Fitness, Plan, State, first_generation, first_genomes, next_generation
from ci_envs.optimisation.evolution.initial import Initial
from ci_envs.optimisation.evolution.statistics import Statistics
from ci_envs.training.trainer import TrainerState
from ci_envs.validation import integer_between

_ARRAYS = ("genomes", "fitness", "hall", "hall_fitness")
_SHOWN = 20  # numbers of an array
_MOST_DEPTH = 8  # of objects in objects
_NUMBERS = tuple(item.name for item in fields(State) if item.name not in _ARRAYS)


class Evolution(ABC):
    """An evolution that advances by generations.

    Attributes:
        seed: the seed of all random numbers, 0 to 2^64 - 1.
        history: the statistics of all generations, the initial population first.
    """

    def __init__(self, seed: int) -> None:
        """Prepare an evolution, without evaluating genomes.

        Raises:
            ValueError: the seed is out of range.
        """
        self.seed = integer_between("seed", seed, 0, 2**64 - 1)
        self.history: tuple[Statistics, ...] = ()

    @property
    def generation(self) -> int:
        """The number of the last complete generation: 0 for the initial population, -1 before it."""
        return len(self.history) - 1

    @property
    def settings(self) -> Mapping[str, int | str]:
        """The arguments that a run needs to continue with the same results, as plain values by name."""
        return {"seed": self.seed}

    @abstractmethod
    def advance(self) -> None:
        """Make and evaluate the next generation.

        Raises:
            ValueError: an operator or the fitness returns a wrong shape or dtype.
        """

    @abstractmethod
    def state(self) -> TrainerState | None:
        """Return the state after the last complete generation, or None before the initial population."""

    @abstractmethod
    def restore(self, state: TrainerState) -> None:
        """Continue from the state of another evolution with the same arguments.

        Raises:
            ValueError: the state does not fit the arguments.
            KeyError: a part of the state is missing.
        """


class PopulationEvolution(Evolution):
    """A population that evolves according to a :class:`~ci_envs.optimisation.evolution.engine.Plan`."""

    def __init__(self, plan: Plan, fitness: Fitness, initial: Initial, seed: int) -> None:
        """Prepare an evolution, without evaluating genomes.

        Args:
            plan: the evolutionary algorithm.
            fitness: evaluates genomes.
            initial: makes the initial population and immigrants.
            seed: the seed of all random numbers, 0 to 2^64 - 1.

        Raises:
            ValueError: the seed is out of range.
        """
        super().__init__(seed)
        self._plan, self._fitness, self._initial = plan, fitness, initial
        self._population: State | None = None

    @property
    def population(self) -> State:
        """The population after the last complete generation.

        Raises:
            ValueError: no generation is complete.
        """
        if self._population is None:
            raise ValueError("the evolution has no population yet: advance it first")
        return self._population

    @property
    @override
    def settings(self) -> Mapping[str, int | str]:
        """The seed, the operators and the parameters of the plan, and what makes genomes."""
        arguments = {item.name: getattr(self._plan, item.name) for item in fields(self._plan)}
        return {
            **super().settings,
            **{name: _text(value) for name, value in arguments.items()},
            "initial": _text(self._initial),
        }

    @override
    def advance(self) -> None:
        if self._population is None:
            population = first_generation(self._plan, self._fitness, self._initial, self.seed)
        else:
            population = next_generation(self._plan, self._fitness, self._initial, self._population)
        history = (*self.history, population.statistics)
        self._population, self.history = population, history

    @override
    def state(self) -> TrainerState | None:
        population = self._population
        if population is None:
            return None
        arrays = {name: getattr(population, name) for name in _ARRAYS}
        history = np.array(self.history[: population.generation + 1], dtype=np.float64)
        return TrainerState(
            {name: getattr(population, name) for name in _NUMBERS},
            arrays | {"history": history},
        )

    @override
    def restore(self, state: TrainerState) -> None:
        population, history = parse_population(state)
        first = first_genomes(self._plan, self._initial, self.seed)
        ours = self.seed, first.shape, first.dtype
        theirs = population.seed, population.genomes.shape, population.genomes.dtype
        if ours != theirs:
            raise ValueError("it is of the seed {}, {} genomes of {}, not {}, {} of {}".format(*theirs, *ours))
        self._population, self.history = population, history


def _text(argument: Any, depth: int = 0) -> str:
    """Return a text of an argument: equal for equal values, also in another process.

    An object at a ``depth`` above the limit, which can contain itself, has only the name of its type.
    """
    if argument is None or isinstance(argument, str):
        return repr(argument)
    if isinstance(argument, int | float | np.generic | list | tuple | np.ndarray):
        return _text_of_numbers(argument, depth)
    if hasattr(argument, "__qualname__"):
        return f"{argument.__module__}.{argument.__qualname__}"
    if depth > _MOST_DEPTH:
        return type(argument).__qualname__
    parts = argument if isinstance(argument, Mapping) else getattr(argument, "__dict__", {})
    if isinstance(argument, partial):
        parts = {"func": argument.func, "args": argument.args, **argument.keywords}
    named = [f"{name}={_text(value, depth + 1)}" for name, value in parts.items()]
    return f"{type(argument).__qualname__}({', '.join(named)})"


def _text_of_numbers(argument: Any, depth: int) -> str:
    try:
        numbers = np.asarray(argument, dtype=np.float64)
    except (TypeError, ValueError):  # a list of other objects
        parts = argument if depth <= _MOST_DEPTH else ()
        return f"[{', '.join(_text(part, depth + 1) for part in parts)}]"
    if numbers.size > _SHOWN:
        return f"{numbers.shape} {sha256(numbers.tobytes()).hexdigest()}"
    return re.sub(r"\.0(?!\d)", "", str(numbers.tolist()))


def parse_population(state: TrainerState) -> tuple[State, tuple[Statistics, ...]]:
    """Return the population and the statistics of all generations from a state of :meth:`PopulationEvolution.state`.

    Raises:
        ValueError: the state is not of a population.
        KeyError: a part of the state is missing.
    """
    numbers = {name: state.values[name] for name in _NUMBERS}
    population = State(**{**numbers, **{name: state.arrays[name] for name in _ARRAYS}})
    history = tuple(Statistics(int(row[0]), int(row[1]), *row[2:]) for row in state.arrays["history"].tolist())
    _check(population, history)
    return population, history


def _check(state: State, history: tuple[Statistics, ...]) -> None:
    for genomes, fitness in ((state.genomes, state.fitness), (state.hall, state.hall_fitness)):
        if genomes.ndim != 2 or fitness.shape != (len(genomes),) or fitness.dtype != np.float64:
            raise ValueError(f"the arrays have the shapes {genomes.shape} and {fitness.shape}")
        if genomes.shape[1] != state.genomes.shape[1] or genomes.dtype != state.genomes.dtype or not len(genomes):
            raise ValueError(f"the genomes have the dtype {genomes.dtype} and the shape {genomes.shape}")
        if not np.isfinite(fitness).all():
            raise ValueError("the fitness is not finite")
    if len(history) != state.generation + 1:
        raise ValueError(f"the history has {len(history)} generations, not {state.generation + 1}")
