"""ci_envs: board games for reinforcement learning and computational intelligence, with agents and exact solutions.

Importing the package registers the environments, also in child processes. It does not import Numba or torch, because
the names in ``__init__.pyi`` are loaded on first use.
"""

import lazy_loader

from ci_envs import child_processes as _child_processes  # noqa: F401 - prepares child processes
from ci_envs.optimisation import registry as _problems  # noqa: F401 - registers the optimisation problems
from ci_envs.registry import games as _games  # noqa: F401 - registers the games

_get, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name != "__version__":
        return _get(name)
    from importlib.metadata import version  # takes a twentieth of the time of `import ci_envs`

    return version("ci-envs")
