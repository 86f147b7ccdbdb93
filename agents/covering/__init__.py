"""Solvers of set covering problems, for :func:`ci_envs.problems.optimise`."""
