"""Speed of ci_envs on this machine, next to other libraries in the same run: ``python -m benchmarks``."""
