"""The preparation of child processes of a process that has imported the package. The import of this module does it.

* A forked child of a process that has used PyTorch would wait for ever for OpenMP threads, because a fork copies only
  the thread that forks. So PyTorch uses one thread in a forked child.
* A child that was started by ``spawn`` or ``forkserver`` imports the package before it runs its function. So it knows
  the ids of the environments, also if it does not import the main module, as in a notebook.
"""

import os
import sys
from multiprocessing import current_process
from typing import Any, cast


class ImportInChild:
    """An object of this package. A process that receives it imports the package."""


def _use_one_thread_of_torch() -> None:
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_use_one_thread_of_torch)

# the attributes of a process object are sent to the child, and this dictionary is copied to all process objects
cast(Any, current_process())._config["ci_envs"] = ImportInChild()
