"""Stable-Baselines3 agents for ci_envs."""
