"""Operations: compiled functions that dispatch on the type of a game.

In compiled code the *type* of a game contains all its parameters. Therefore a kernel whose first argument is a game is
specialised to this game: its tables are constants, and nothing is passed at run time. An **operation** is a function of
a game that each class of games implements with its own kernel::

    @operation
    def result(game, own, opp): ...

    @implements(result, TicTacToe)
    def _(game):                       # called once, at compile time
        lines = game.lines()           # a constant of the compiled code

        def kernel(game, own, opp): ...

        return kernel

A class can pass some numbers at run time instead (:class:`Static`). Its games then share their compiled code, which
reads such a number as an attribute, for example ``game.limit``.

The type of a game contains a digest of the sources of the game's class and of the values that they use, so that
compiled code is never older than they are (:mod:`ci_envs.kernels.cache`).
"""

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import fields
from functools import cached_property, lru_cache
from inspect import signature
from typing import Any, ClassVar, TypeVar, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload,
    register_model,
    unbox,
)

from ci_envs.kernels.constants import constants_digest
from ci_envs.kernels.pipeline import KernelCompiler
from ci_envs.kernels.sources import PACKAGE, sources_digest

F = TypeVar("F", bound=Callable[..., Any])
Builder = Callable[[Any], Callable[..., Any]]

_builders: dict[Callable[..., Any], dict[type, Builder]] = {}


class GameType(types.Type):  # type: ignore[misc]
    """The Numba type of a game, or of all games of a class that differ only in their run-time numbers.

    It is pickled by name, without the game. So reading a cache index never imports the module of a game that another
    program has compiled.

    Attributes:
        numbers: the names of the numbers that are passed at run time.
        game: a game whose fields are constants of the compiled code. Its run-time fields are None.
    """

    game: Any = None

    def __init__(self, name: str, numbers: tuple[str, ...]) -> None:
        super().__init__(name)
        self.numbers = numbers

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...]]]:
        return GameType, (self.name, self.numbers)


@register_model(GameType)
class _GameModel(models.StructModel):  # type: ignore[misc]
    """The representation of a game in compiled code: a structure of its run-time numbers."""

    def __init__(self, manager: Any, typ: GameType) -> None:
        super().__init__(manager, typ, [(name, types.int64) for name in typ.numbers])


@unbox(GameType)  # type: ignore[untyped-decorator]
def _unbox(typ: GameType, obj: Any, context: Any) -> Any:
    struct = cgutils.create_struct_proxy(typ)(context.context, context.builder)
    if typ.numbers:
        numbers = context.pyapi.object_getattr(obj, _interned(context, "run_time_numbers"))
        address = context.pyapi.bytes_as_string(numbers)
        first = context.builder.bitcast(address, ir.IntType(64).as_pointer())
        for place, name in enumerate(typ.numbers):
            pointer = context.builder.gep(first, [ir.IntType(64)(place)])
            setattr(struct, name, context.builder.load(pointer, align=1))
        context.pyapi.decref(numbers)
    return NativeValue(struct._getvalue())


def _interned(context: Any, name: str) -> Any:
    """Return an interned string object. An attribute lookup with it is twice as fast as with a C string."""
    builder, pyapi = context.builder, context.pyapi
    kept = cgutils.add_global_variable(builder.module, pyapi.pyobj, f".name.{name}")
    kept.initializer, kept.linkage = pyapi.pyobj(None), "internal"
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(kept))):
        function = ir.FunctionType(pyapi.pyobj, [pyapi.cstring])
        intern = cgutils.get_or_insert_function(builder.module, function, "PyUnicode_InternFromString")
        builder.store(builder.call(intern, [context.context.insert_const_string(builder.module, name)]), kept)
    return builder.load(kept)


@infer_getattr
class _NumberType(AttributeTemplate):  # type: ignore[misc]
    """The type of a game's attributes in compiled code."""

    key = GameType

    def generic_resolve(self, typ: GameType, name: str) -> Any:
        return types.int64 if name in typ.numbers else None


@lower_getattr_generic(GameType)  # type: ignore[untyped-decorator]
def _read_number(context: Any, builder: Any, typ: GameType, value: Any, name: str) -> Any:
    return getattr(cgutils.create_struct_proxy(typ)(context, builder, value), name)


def game_type(game: Any) -> GameType:
    """Return the Numba type of ``game``. Games of one class have one type if their constant fields are equal."""
    cls = type(game)
    template = copy(game) if cls.run_time_fields else game
    for name in cls.run_time_fields:
        object.__setattr__(template, name, None)
    digest = _class_digest(cls)  # type: ignore[arg-type]
    typ = GameType(f"{cls.__module__}.{template!r}#{digest}", cls.run_time_names)
    typ.game = template
    return typ


class Static:
    """Base class of frozen dataclasses, such as games, whose fields are constants of compiled code.

    Objects that differ in a field have different compiled code. A class can name fields that are not constants
    (``run_time_fields``), and integer attributes that compiled code reads from the object (``run_time_names``).
    """

    run_time_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that are not constants of compiled code. They are None while a kernel is built."""

    run_time_names: ClassVar[tuple[str, ...]] = ()
    """The attributes that are passed to compiled code at run time, as int64."""

    @cached_property
    def _numba_type_(self) -> GameType:  # Numba's fast path for typing an argument
        _ = self.run_time_numbers  # compute them now, because compiled code cannot raise an error in reading them
        return game_type(self)

    @cached_property
    def run_time_numbers(self) -> bytes:
        """The values of the attributes ``run_time_names``, 8 bytes each, which compiled code reads quickly."""
        return b"".join((int(getattr(self, name)) % 2**64).to_bytes(8, sys.byteorder) for name in self.run_time_names)

    def __getstate__(self) -> dict[str, Any]:  # without cached attributes: the type would contain this object again
        return {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}


@lru_cache
def _class_digest(cls: type) -> str:
    """Return a digest of the sources of a class and of the operations that it implements, and of their constants.

    It omits an implementation in the same module as its operation, because the kernels that call the operation depend
    on this module anyway. So the digest of a class does not depend on the loaded modules.
    """
    builders = [
        table[base]
        for function, table in _builders.items()
        for base in cls.__mro__
        if base in table and table[base].__module__ != function.__module__
    ]
    outside = [base for base in cls.__mro__[:-1] if base.__module__.partition(".")[0] != PACKAGE]
    members = [member for base in outside for name, member in vars(base).items() if not name.startswith("__")]
    return sources_digest([*cls.__mro__[:-1], *builders]) + constants_digest([*builders, *members])


def operation(function: F, *, inlined: bool = False) -> F:
    """Declare an operation: a compiled function of a game that each class of games can implement.

    Kernels call it. Its first parameter is the game, or a tuple that begins with a game. In the second case, the
    implementation gets the whole tuple, so an operation can have additional arrays. ``inlined`` compiles it into each
    kernel that calls it, regardless of its length.
    """
    table = _builders[function] = {}

    def choose(game: Any, *_: Any) -> Callable[..., Any] | None:
        game = game[0] if isinstance(game, types.BaseTuple) and len(game) else game
        if isinstance(game, GameType):
            for cls in type(game.game).__mro__:
                if cls in table:
                    kernel = table[cls](game.game)
                    _check_parameters(function, cls, kernel)
                    # Numba distinguishes functions of one name by a number that is unique only in a process. Linked
                    # from the disk cache, two functions with the same parameters could be confused.
                    kernel.__qualname__ = f"{function.__name__} of {cls.__qualname__}"
                    return kernel
        return None

    # without _nrt, the caller's setting would apply: in a lean kernel an implementation could not make an array
    options = {"forceinline": inlined, "_nrt": True, "no_cfunc_wrapper": True, "pipeline_class": KernelCompiler}
    overload(function, strict=False, jit_options=options)(choose)
    return function


def _check_parameters(function: Callable[..., Any], cls: type, kernel: Any) -> None:
    """Raise a TypeError if an implementation is not a function with the parameters of its operation."""
    parameters = signature(function).parameters
    try:
        signature(kernel).bind(*parameters)
    except TypeError as error:
        raise TypeError(
            f"the builder of {function.__name__} of {cls.__name__} must return a function ({', '.join(parameters)}):"
            f" {error}"
        ) from None


def implements(function: Callable[..., Any], cls: type) -> Callable[[Builder], Builder]:
    """Implement the operation ``function`` for the games of ``cls`` and its subclasses.

    The decorated function takes a game and returns its kernel, a function with the operation's parameters. The first
    class in the method resolution order that has an implementation determines the kernel.

    Raises:
        ValueError: ``function`` is not an operation, or is already implemented for ``cls``.
    """
    if function not in _builders:
        raise ValueError(f"{function!r} is not an operation. Operations: {', '.join(f.__name__ for f in _builders)}")
    if cls in _builders[function]:
        raise ValueError(f"{function.__name__} is implemented for {cls.__name__} already: derive a class to change it")

    def register(build: Builder) -> Builder:
        _builders[function][cls] = build
        return build

    return register


def is_implemented(function: Callable[..., Any], cls: type) -> bool:
    """Return whether the operation ``function`` has an implementation that games of ``cls`` use."""
    return any(base in _builders[function] for base in cls.__mro__)


def implementing_class(function: Callable[..., Any], cls: type) -> type:
    """Return the class whose implementation of the operation ``function`` games of ``cls`` use."""
    return next(base for base in cls.__mro__ if base in _builders[function])


def is_overridden(function: Callable[..., Any], cls: type, base: type) -> bool:
    """Return whether games of ``cls`` use an implementation of ``function`` more specific than that of ``base``."""
    return any(issubclass(other, base) and other is not base for other in cls.__mro__ if other in _builders[function])
