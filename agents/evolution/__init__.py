"""Evolution: populations of genomes as arrays, operators on them, runs that go on, and fitness by play.

>>> import numpy as np
>>> from agents.evolution import BitFlip, Plan, RandomBits, Tournament, Uniform, run
>>> plan = Plan(population=50, offspring=50, select=Tournament(3), crossover=Uniform(), mutate=BitFlip(0.02))
>>> done = run(plan, lambda genomes, seed: genomes.sum(axis=1), RandomBits(50), generations=100, target=50)
>>> done.state.record
50.0
"""

from agents.evolution.ask_tell import Optimiser, optimise
from agents.evolution.champion import Champion, best_of, read_champion, write_champion
from agents.evolution.cma_es import CMAES
from agents.evolution.crossover import Blend, Crossover, OnePoint, Uniform
from agents.evolution.engine import Fitness, Plan, State, evolve, first_generation, next_generation
from agents.evolution.initial import Initial, RandomBits, RandomIntegers, RandomNumbers, RandomOrders
from agents.evolution.mutation import BitFlip, Gaussian, Mutation, Swap, UniformReset
from agents.evolution.opponents import make_opponents
from agents.evolution.play import FitnessByPlay, GenomePolicy, Individual, Opponent, mean_scores, play_population
from agents.evolution.run import Run, read_run, run, write_run
from agents.evolution.selection import ByKey, Roulette, Selection, Tournament, Truncation
from agents.evolution.statistics import Statistics, diversity, write_curve
from agents.evolution.step_size import OneFifth
from agents.evolution.survival import Comma, Elitism, Immigration, Plus, Survival

__all__ = [
    "CMAES",
    "BitFlip",
    "Blend",
    "ByKey",
    "Champion",
    "Comma",
    "Crossover",
    "Elitism",
    "Fitness",
    "FitnessByPlay",
    "Gaussian",
    "GenomePolicy",
    "Immigration",
    "Individual",
    "Initial",
    "Mutation",
    "OneFifth",
    "OnePoint",
    "Opponent",
    "Optimiser",
    "Plan",
    "Plus",
    "RandomBits",
    "RandomIntegers",
    "RandomNumbers",
    "RandomOrders",
    "Roulette",
    "Run",
    "Selection",
    "State",
    "Statistics",
    "Survival",
    "Swap",
    "Tournament",
    "Truncation",
    "Uniform",
    "UniformReset",
    "best_of",
    "diversity",
    "evolve",
    "first_generation",
    "make_opponents",
    "mean_scores",
    "next_generation",
    "optimise",
    "play_population",
    "read_champion",
    "read_run",
    "run",
    "write_champion",
    "write_curve",
    "write_run",
]
