"""Exact values of whole games and of positions: who wins with best play on both sides, and how soon."""
