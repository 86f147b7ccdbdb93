"""Agents that search a game tree: minimax and Monte Carlo tree search."""
