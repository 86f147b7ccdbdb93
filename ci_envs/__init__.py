"""ci_envs: board games for reinforcement learning and computational intelligence, behind the standard APIs.

Importing it registers the environments and loads neither Numba nor torch; what it exports, which ``__init__.pyi``
lists, is loaded on first use.
"""

import lazy_loader

from ci_envs import registration as registration

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
