"""Exact values of whole games and of positions: the result under optimal play, and the distance to the end."""
