"""Evolutionary algorithms: populations of genomes as arrays, operators on them, and runs that can be resumed.

>>> import numpy as np
>>> from ci_envs.optimisation.evolution import BitFlip, Plan, RandomBits, TournamentSelection, Uniform, run
>>> plan = Plan(population=50, offspring=50, select=TournamentSelection(3), crossover=Uniform(), mutate=BitFlip(0.02))
>>> done = run(plan, lambda genomes, seed: genomes.sum(axis=1), RandomBits(50), generations=100, target=50)
>>> done.state.record
50.0
"""

from ci_envs.optimisation.evolution.ask_tell import Optimiser, OptimiserEvolution
from ci_envs.optimisation.evolution.cma_es import CMAES
from ci_envs.optimisation.evolution.crossover import Blend, Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Fitness, Plan, State, evolve, first_generation, next_generation
from ci_envs.optimisation.evolution.evolution import Evolution, PopulationEvolution
from ci_envs.optimisation.evolution.initial import Initial, RandomBits, RandomIntegers, RandomNumbers, RandomOrders
from ci_envs.optimisation.evolution.mutation import BitFlip, FlipOne, Gaussian, Mutation, Swap, UniformReset
from ci_envs.optimisation.evolution.run import EvolutionRun, optimise, read_run, run
from ci_envs.optimisation.evolution.selection import (
    ByKey,
    MatingPool,
    RouletteSelection,
    Selection,
    TournamentSelection,
    TruncationSelection,
)
from ci_envs.optimisation.evolution.statistics import Statistics, diversity
from ci_envs.optimisation.evolution.step_size import OneFifth
from ci_envs.optimisation.evolution.survival import Comma, Elitism, Immigration, Plus, Survival

__all__ = [
    "CMAES",
    "BitFlip",
    "Blend",
    "ByKey",
    "Comma",
    "Crossover",
    "Elitism",
    "Evolution",
    "EvolutionRun",
    "Fitness",
    "FlipOne",
    "Gaussian",
    "Immigration",
    "Initial",
    "MatingPool",
    "Mutation",
    "OneFifth",
    "OnePoint",
    "Optimiser",
    "OptimiserEvolution",
    "Plan",
    "Plus",
    "PopulationEvolution",
    "RandomBits",
    "RandomIntegers",
    "RandomNumbers",
    "RandomOrders",
    "RouletteSelection",
    "Selection",
    "State",
    "Statistics",
    "Survival",
    "Swap",
    "TournamentSelection",
    "TruncationSelection",
    "Uniform",
    "UniformReset",
    "diversity",
    "evolve",
    "first_generation",
    "next_generation",
    "optimise",
    "read_run",
    "run",
]
