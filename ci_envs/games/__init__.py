"""Rules of the games: no learning, no input or output."""
