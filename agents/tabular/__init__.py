"""Agents that play by a table of values, and the learning methods that fill it."""
