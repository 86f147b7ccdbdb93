"""Report E: AlphaZero for n in a row."""
