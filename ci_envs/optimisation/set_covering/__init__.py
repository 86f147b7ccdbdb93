"""Solvers of set covering problems, for :func:`ci_envs.optimisation.optimise`."""
