"""Report D: Quixo by a team."""
