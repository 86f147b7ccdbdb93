"""Experiments that take minutes to hours: training curves, an ablation, a ladder of all agents."""
