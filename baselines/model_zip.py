"""Zip files of Stable-Baselines3. They have pickled objects, so only trusted files are loaded."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sb3_contrib
import stable_baselines3
from stable_baselines3.common.base_class import BaseAlgorithm

from ci_envs.generators import restored_generators

_MODULES = {
    "sb3_contrib.common.maskable.policies": ("MaskablePPO",),
    "sb3_contrib.common.recurrent.policies": ("RecurrentPPO",),
    "sb3_contrib.qrdqn.policies": ("QRDQN",),
    "sb3_contrib.ars.policies": ("ARS",),
    "stable_baselines3.dqn.policies": ("DQN",),
    "stable_baselines3.common.policies": ("PPO", "TRPO", "A2C"),
}
"""The names of the algorithms by the module of their policies."""

_KEYS = {"PPO": "clip_range", "TRPO": "target_kl", "A2C": "gae_lambda"}
"""Attributes that only this algorithm or the earlier ones have."""


def load_zip(path: str | Path, *, trust: bool) -> BaseAlgorithm:
    """Return the model of a zip file of Stable-Baselines3 or sb3-contrib.

    Args:
        path: the path of the file.
        trust: whether its pickled objects can be loaded, which can run any code.

    Raises:
        ValueError: ``trust`` is false, the file is not the file of a known algorithm, or the observations of its
            training were normalised by statistics that are not in the file.
        OSError: the file cannot be read.
    """
    algorithm = algorithm_of(path)
    if not trust:
        raise ValueError(
            f"{str(path)!r} has pickled objects, and loading these can run any code. If you know its origin, use "
            f"sb3:{path},trust=true or ci-envs convert --trust"
        )
    try:
        with restored_generators():  # Stable-Baselines3 seeds them with the seed of the model
            model: BaseAlgorithm = algorithm.load(path, device="cpu")
    except OSError:
        raise
    except Exception as error:  # objects in the file can raise anything
        raise ValueError(f"{str(path)!r} cannot be loaded as {algorithm.__name__}: {error}".splitlines()[0]) from error
    seen = model._last_obs  # the last observation of the training
    if isinstance(seen, np.ndarray) and not np.isin(seen, (0, 1)).all():
        raise ValueError(
            f"the model of {str(path)!r} was trained with normalised observations (VecNormalize), whose statistics are "
            f"not in the file. Load them in Python, call {algorithm.__name__}.load(..., env=...) with that "
            "environment, and give the model to compare or as_agent"
        )
    return model


def algorithm_of(path: str | Path) -> type[BaseAlgorithm]:
    """Return the class of the model in a zip file. Nothing is unpickled.

    Raises:
        ValueError: the file is not the file of a known algorithm.
        OSError: the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            data: Mapping[str, Any] = json.loads(archive.read("data"))
        module = data["policy_class"]["__module__"]
    except OSError:
        raise
    except Exception:  # damaged archives raise errors of several kinds
        raise ValueError(f"{str(path)!r} is not a zip file of Stable-Baselines3") from None
    candidates = _MODULES.get(module, ())
    name = next((name for name in candidates if _KEYS.get(name, "policy_class") in data), None)
    if name is None:
        known = ", ".join(name for names in _MODULES.values() for name in names)
        raise ValueError(f"{str(path)!r} has a policy of {module}, not of one of {known}")
    algorithm: type[BaseAlgorithm] = getattr(stable_baselines3, name, None) or getattr(sb3_contrib, name)
    return algorithm
