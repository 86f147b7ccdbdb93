"""Stable-Baselines3 for the games of ci_envs: training by self-play, and trained models as agents.

>>> from ci_envs import make_agent
>>> make_agent("sb3:tictactoe", "TicTacToe-v0")  # doctest: +SKIP
"""

if __name__ == "baselines":  # the folder of the source tree, imported as a package of its own
    raise ImportError("baselines is a folder of ci_envs, not a package: write `from ci_envs import baselines`")

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
