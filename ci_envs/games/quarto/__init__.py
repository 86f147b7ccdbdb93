"""Quarto, with the rules, lines, symmetries, features and evaluation in one module each."""

from ci_envs.games.quarto import evaluation, features, rules, symmetries  # noqa: F401 - they implement the operations
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.lines import completing_cells, safe_pieces, winning_cells

__all__ = ["Quarto", "completing_cells", "safe_pieces", "winning_cells"]
