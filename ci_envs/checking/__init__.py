"""Checks that a new game fulfils the contract of :class:`~ci_envs.games.game.Game` and of the operations."""
