"""Experiments that take minutes to hours, run as ``python -m experiments.NAME``."""
