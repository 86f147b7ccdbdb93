"""Benchmarks of ci_envs next to other libraries: ``python -m benchmarks``."""
