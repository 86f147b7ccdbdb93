"""Evolutionary algorithms: populations of genomes as arrays, operators on them, and runs that can be resumed.

>>> from ci_envs.optimisation.evolution import BitFlip, Plan, PopulationEvolution, RandomBits, Uniform, run
>>> plan = Plan(population=50, offspring=50, mutate=BitFlip(0.02), crossover=Uniform())
>>> evolution = PopulationEvolution(plan, lambda genomes, seed: genomes.sum(axis=1), RandomBits(50), seed=0)
>>> run(evolution, generations=100, target=50)
>>> evolution.population.record
50.0
"""

from ci_envs.optimisation.evolution.ask_tell import Optimiser, OptimiserEvolution
from ci_envs.optimisation.evolution.cma_es import CMAES
from ci_envs.optimisation.evolution.crossover import Blend, Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Fitness, Plan, State, evolve, first_generation, next_generation
from ci_envs.optimisation.evolution.evolution import Evolution, PopulationEvolution
from ci_envs.optimisation.evolution.initial import Initial, RandomBits, RandomIntegers, RandomNumbers, RandomOrders
from ci_envs.optimisation.evolution.mutation import BitFlip, FlipOne, Gaussian, Mutation, Swap, UniformReset
from ci_envs.optimisation.evolution.run import EvolutionRun, read_run, run
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
    "read_run",
    "run",
]
