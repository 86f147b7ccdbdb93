"""Checks that a new game keeps the contract of :class:`~ci_envs.games.game.Game` and of the operations."""
