"""Stable-Baselines3 on the games of ci_envs: training by self-play, and trained models as agents.

>>> import agents
>>> agents.make("sb3:maskable_ppo_tictactoe.safetensors", "TicTacToe-v0")  # doctest: +SKIP
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
