"""Environments with the standard APIs, one class each for all games."""
