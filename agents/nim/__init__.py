"""Agents that play Nim."""
