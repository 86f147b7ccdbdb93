"""The values that code outside this package uses.

Compiled code contains values of global names as constants. They can come from a data file or from an environment
variable, so they can change while all sources are unchanged.
"""

import hashlib
import sysconfig
from collections.abc import Collection, Iterator
from functools import cached_property
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

from ci_envs.kernels.sources import PACKAGE

_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
_WRAPPERS: dict[type, str] = {
    CPUDispatcher: "py_func",
    property: "fget",
    cached_property: "func",
    classmethod: "__func__",
    staticmethod: "__func__",
    MethodType: "__func__",
}
_PLAIN = bool | int | float | complex | str | bytes | np.generic | None


def constants_digest(objects: Collection[Any]) -> str:
    """Return a hexadecimal digest of the values that some objects outside this package contain or use.

    The values are arrays, numbers, strings, and lists, tuples and dictionaries of them. A function uses those of global
    names, those that it reads from modules, and those that the functions use which it calls.

    Args:
        objects: Values, functions, kernels and properties. Functions of this package are ignored, because their values
            follow from sources, and so are functions of other libraries that are called.
    """
    digest, seen = hashlib.sha256(), set[FunctionType]()
    packages = {_package(function) for function in map(_function_of, objects) if function is not None}
    waiting = [("", item) for item in objects]
    while waiting:
        name, value = waiting.pop()
        function = _function_of(value)
        if function is None:
            _add(digest, name, value)
        elif function not in seen and _package(function) not in (PACKAGE, ""):
            seen.add(function)
            if _package(function) in packages or not function.__code__.co_filename.startswith(_LIBRARIES):
                waiting += _values(function)
    return digest.hexdigest()[:16]


def _package(function: FunctionType) -> str:
    return (function.__module__ or "").partition(".")[0]


def _function_of(value: Any) -> FunctionType | None:
    """Return the function of a kernel, a property or a method, a function itself, or None."""
    for wrapper, name in _WRAPPERS.items():
        if isinstance(value, wrapper):
            value = getattr(value, name)
    return value if isinstance(value, FunctionType) else None


def _is_of_user(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and not file.startswith(_LIBRARIES) and module.__name__.partition(".")[0] != PACKAGE


def _values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    names = sorted(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield name, value
        if isinstance(value, ModuleType) and _is_of_user(value):
            yield from ((f"{name}.{member}", getattr(value, member, None)) for member in names)


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names, inner))


def _add(digest: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(f"{name} {value.dtype} {value.shape} ".encode())
        digest.update(value.tobytes())
    elif isinstance(value, _PLAIN):
        digest.update(f"{name} {value!r} ".encode())
    elif isinstance(value, tuple | list):
        for place, member in enumerate(value):
            _add(digest, f"{name}[{place}]", member)
    elif isinstance(value, dict):
        for key in sorted(value, key=repr):
            _add(digest, f"{name}[{key!r}]", value[key])
