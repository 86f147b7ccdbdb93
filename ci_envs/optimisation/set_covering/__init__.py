"""Set covering problems and their solvers, for :func:`ci_envs.optimisation.optimise`."""
