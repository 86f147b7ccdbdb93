"""The one module that compiles: operations that dispatch on a game's type, and Numba's disk cache.

In compiled code the *type* of a game carries all its parameters. A kernel that takes a game as its first argument is
therefore specialised to that game, with its tables as constants, and nothing is passed at run time. An
**operation** is a function of a game that each game implements with a kernel of its own::

    @operation
    def result(game, own, opp): ...

    @implements(result, TicTacToe)
    def _(game):                       # called once, while compiling
        lines = game.lines()           # a constant of the compiled code
        def kernel(game, own, opp): ...
        return kernel

Numba's disk cache watches the file of the outermost function alone, so an edited rule would leave stale compiled search
behind. Here the cache lies in a folder named by a digest of all the project's sources, and the type of a game defined
elsewhere carries a digest of that game's sources.
"""

import ctypes
import hashlib
import os
import shutil
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import NativeValue, intrinsic, models, overload, register_model, unbox
from platformdirs import user_cache_path

from ci_envs.games.sources import foreign_digest, project_digest

F = TypeVar("F", bound=Callable[..., Any])
Builder = Callable[[Any], Callable[..., Any]]

_KEPT_SECONDS = 7 * 24 * 3600

_builders: dict[Callable[..., Any], dict[type, Builder]] = {}


class GameType(types.Opaque):  # type: ignore[misc]
    """The Numba type of one game with its parameters; it has no run-time content.

    It is pickled by name, without the game, so that reading a cache index never imports the module of a game that
    another program once compiled for.
    """

    game: Any = None

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return GameType, (self.name,)


register_model(GameType)(models.OpaqueModel)

warnings.filterwarnings("ignore", "First-class function type", NumbaExperimentalFeatureWarning)  # Callback is one


@unbox(GameType)  # type: ignore[untyped-decorator]
def _unbox(typ: Any, obj: Any, context: Any) -> Any:
    return NativeValue(context.context.get_dummy_value())


def game_type(game: Any) -> GameType:
    """The Numba type of ``game``: equal games of one class have one type."""
    cls = type(game)
    typ = GameType(f"{cls.__module__}.{game!r}{_class_digest(cls)}")  # type: ignore[arg-type]
    typ.game = game
    return typ


class Static:
    """Base of frozen dataclasses, such as games, whose fields are constants of the code compiled for them."""

    @cached_property
    def _numba_type_(self) -> GameType:  # Numba's fast path for typing an argument
        return game_type(self)

    def __getstate__(self) -> dict[str, Any]:  # without what is cached: the type would hold this object in turn
        return {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}


@lru_cache
def _class_digest(cls: type) -> str:
    builders = [table[base] for table in _builders.values() for base in cls.__mro__ if base in table]
    digest = foreign_digest([*cls.__mro__[:-1], *builders])
    return digest and f"#{digest}"


def operation(function: F, *, inlined: bool = False) -> F:
    """Declare an operation: a compiled function of a game, implemented a class of games at a time.

    It is called from kernels. Its first parameter is the game, or a tuple that begins with one, whose implementation
    gets the whole tuple: so an operation can have arrays of its own. ``inlined`` compiles it into each kernel that
    calls it, however long it is.
    """
    table = _builders[function] = {}

    def choose(game: Any, *_: Any) -> Callable[..., Any] | None:
        game = game[0] if isinstance(game, types.BaseTuple) and len(game) else game
        if isinstance(game, GameType):
            for cls in type(game.game).__mro__:
                if cls in table:
                    kernel = table[cls](game.game)
                    # Numba numbers functions of one name, from 1 in each process: linked from the disk cache, two with
                    # the same parameters could pass for each other
                    kernel.__qualname__ = f"{function.__name__} of {cls.__qualname__}"
                    return kernel
        return None

    # _nrt would be as in the kernel that calls it: in a lean one an implementation could not make an array
    overload(function, strict=False, jit_options={"forceinline": inlined, "_nrt": True})(choose)
    return function


def implements(function: Callable[..., Any], cls: type) -> Callable[[Builder], Builder]:
    """Implement the operation ``function`` for the games of ``cls`` and its subclasses.

    The decorated function takes a game and returns its kernel, a function with the operation's parameters. The nearest
    class in the method resolution order decides.

    Raises:
        ValueError: ``function`` is no operation, or has an implementation for ``cls`` already.
    """
    if function not in _builders:
        raise ValueError(f"{function!r} is not an operation: {', '.join(f.__name__ for f in _builders)}")
    if cls in _builders[function]:
        raise ValueError(f"{function.__name__} is implemented for {cls.__name__} already: derive a class to change it")

    def register(build: Builder) -> Builder:
        _builders[function][cls] = build
        return build

    return register


def is_implemented(function: Callable[..., Any], cls: type) -> bool:
    """Whether the operation ``function`` has an implementation that games of ``cls`` use."""
    return any(base in _builders[function] for base in cls.__mro__)


def kernel(function: F) -> F:
    """Compile ``function`` on first use, without the GIL, and keep the result on disk.

    The cache is below ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache directory; where neither can be
    written, every process compiles for itself.
    """
    return _compiled(function, counts=True)


def lean_kernel(function: F) -> F:
    """As :func:`kernel`, for a function that makes no array.

    It does not count references to the arrays it is given, which can take longer than what it does with them.
    """
    return _compiled(function, counts=False)


def inline_kernel(function: F) -> F:
    """As :func:`lean_kernel`, for a short function of an innermost loop: its code is put into what calls it.

    What is constant there, such as the number of actions, is then constant in it too, and its loops are unrolled.
    """
    return _compiled(function, counts=False, forceinline=True)


def _compiled(function: F, counts: bool, **options: bool) -> F:
    folder = _cache_folder(foreign_digest([function]))
    saved, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
    try:
        return cast(
            F, njit(cache=folder is not None, nogil=True, error_model="numpy", _nrt=counts, **options)(function)
        )
    finally:
        config.CACHE_DIR = saved


def inlined(function: F) -> F:
    """Compile ``function`` into each kernel that calls it.

    Needed where two kernels would call each other: Numba cannot cache mutual recursion. It saves a second where a short
    kernel stands between two that are compiled for every game.
    """
    return cast(F, njit(inline="always", error_model="numpy")(function))


def specialised(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments like these, without Numba's dispatch (0.1 us a call instead of 0.7).

    It trusts its caller: numbers are converted, and of an array only the size of an item is checked.
    """
    entry: Callable[..., Any] = cast(Any, function).compile(tuple(numba.typeof(argument) for argument in arguments))
    return entry


@lru_cache
def _cache_folder(digest: str) -> Path | None:
    base = Path(config.CACHE_DIR) if config.CACHE_DIR else user_cache_path("ci_envs")
    name = "-".join(filter(None, (numba.__version__, llvmlite.__version__, project_digest(), digest)))
    folder = base / "kernels" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    _remove_unused(folder.parent)
    return folder


def _remove_unused(base: Path) -> None:
    oldest = time.time() - _KEPT_SECONDS
    for folder in base.iterdir():
        with suppress(OSError):  # another process may have removed it just now
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _lasting_name(record: Any) -> tuple[str, tuple[str]]:
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest(),)


# Numba names the kernels of a record by a number that each process counts anew: linked from the disk cache, those of
# different records could pass for each other (numba/numba#7654)
types.Record.mangling_args = property(_lasting_name)


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(context: Any, word: Any) -> Any:
    return types.uint64(types.uint64), lambda c, builder, signature, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros(context: Any, word: Any) -> Any:
    def generate(c: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], c.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


popcount: Callable[[Any], Any] = _popcount
"""Number of ones in a 64-bit word, as one machine instruction (uint64 -> uint64)."""

trailing_zeros: Callable[[Any], Any] = _trailing_zeros
"""Index of the lowest one in a 64-bit word, 64 if there is none (uint64 -> uint64)."""


@intrinsic  # type: ignore[untyped-decorator]
def _deposit_bits(context: Any, source: Any, mask: Any) -> Any:
    def generate(c: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), generate


def _nth_one_pdep(word: Any, n: Any) -> Any:
    return trailing_zeros(_deposit_bits(np.uint64(1) << n, word))


def _nth_one_loop(word: Any, n: Any) -> Any:
    for _ in range(n):
        word &= word - np.uint64(1)
    return trailing_zeros(word)


_has_pdep = config.CPU_NAME is None and llvmlite.binding.get_host_cpu_features().get("bmi2", False)
nth_one = kernel(_nth_one_pdep if _has_pdep else _nth_one_loop)
"""Index of the one in ``word`` that has ``n`` ones below it; it must exist (uint64, uint64 -> uint64)."""


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A Python function from two 64-bit words to a number that kernels can call; a call takes some microseconds.

    What it raises cannot pass through compiled code. It is kept, and the kernel gets -1.

    Attributes:
        error: what the function raised last, None if it raised nothing.
    """

    def __init__(self, function: Callable[[int, int], int]) -> None:
        self.error: BaseException | None = None

        def guarded(own: int, opp: int) -> int:
            try:
                return function(own, opp)
            except BaseException as error:
                self.error = error
                return -1

        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(guarded)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        """As Numba asks for it."""
        return types.int64(types.uint64, types.uint64)
