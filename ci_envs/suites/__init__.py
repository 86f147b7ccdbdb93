"""Suites: sets of positions with the exact value of every action, and the grades of agents on them."""
