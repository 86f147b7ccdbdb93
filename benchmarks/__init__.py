"""How fast ci_envs is here, beside its peers in the same run: ``python -m benchmarks``."""
