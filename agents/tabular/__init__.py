"""Agents that play by a table of values, and the methods that learn it."""
