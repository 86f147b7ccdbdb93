"""Benchmark of the genetic algorithm for Quarto."""

from benchmarks import plain_quarto_ga
from ci_envs import Position, Quarto, make
from ci_envs.agents.evolution.quarto_ga import QuartoGAAgent

_POSITION = Position.from_text(Quarto(), "0.../.5../..../...e 9 0")


def decisions(amount: int) -> int:
    """Choose placements with the default options of the agent."""
    env = make("Quarto-v0")
    env.reset()
    env.position = _POSITION
    observation = env.last()[0]
    agent = QuartoGAAgent(Quarto(), seed=0)
    for _ in range(amount):
        agent.act(observation)
    return amount


def plain_decisions(amount: int) -> int:
    """Choose placements in plain Python."""
    for seed in range(amount):
        plain_quarto_ga.choose(_POSITION, seed)
    return amount
