"""Report C: Monte Carlo tree search on tic-tac-toe."""
