"""The preparation of child processes of a process that has imported the package. The import of this module does it.

* A forked child of a process that has used PyTorch would wait for ever for OpenMP threads, because a fork copies only
  the thread that forks. So PyTorch uses one thread in a forked child.
* A child that was started by ``spawn`` or ``forkserver`` imports the package before it runs its function, and registers
  what its parent has registered. So it knows the ids of the environments, also if it does not import the main module,
  as in a notebook, or the module of a user's game.
"""

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import current_process
from typing import Any, cast

_registrations: dict[str, Callable[[], None]] = {}


def register_in_children(id: str, register: Callable[[], None]) -> None:
    """Let a function that registers an id be called in child processes that do not know the id."""
    _registrations[id] = register


class ImportInChild:
    """An object of this package. A process that receives it imports the package, and registers ids of its parent."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[dict[str, bytes]]]:
        return _import_in_child, (_pickled_registrations(),)


def _pickled_registrations() -> dict[str, bytes]:
    """Return the functions that can be pickled. A class of the main module is pickled as a whole."""
    pickled = dict[str, bytes]()
    if not _registrations:
        return pickled
    import cloudpickle

    for id, function in _registrations.items():
        with suppress(Exception):  # a class of a user can refer to anything; then the child does not know its id
            pickled[id] = cloudpickle.dumps(function)
    return pickled


def _import_in_child(pickled: dict[str, bytes]) -> ImportInChild:
    for id, function in pickled.items():
        if id in _registrations:
            continue
        with suppress(Exception):
            register = pickle.loads(function)  # from the parent; it imports the module of the game
            if id not in _registrations:
                register()
    return ImportInChild()


def _use_one_thread_of_torch() -> None:
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_use_one_thread_of_torch)

# the attributes of a process object are sent to the child, and this dictionary is copied to all process objects
cast(Any, current_process())._config["ci_envs"] = ImportInChild()
