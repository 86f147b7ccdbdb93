"""Operations: compiled functions that dispatch on the type of a game.

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

The type of a game carries a digest of the sources of the game's class, so that compiled code is never older than its
source (:mod:`ci_envs.kernels.cache`).
"""

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from numba import types
from numba.extending import NativeValue, models, overload, register_model, unbox

from ci_envs.kernels.sources import sources_digest

F = TypeVar("F", bound=Callable[..., Any])
Builder = Callable[[Any], Callable[..., Any]]

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


@unbox(GameType)  # type: ignore[untyped-decorator]
def _unbox(typ: Any, obj: Any, context: Any) -> Any:
    return NativeValue(context.context.get_dummy_value())


def game_type(game: Any) -> GameType:
    """The Numba type of ``game``: equal games of one class have one type."""
    cls = type(game)
    typ = GameType(f"{cls.__module__}.{game!r}#{_class_digest(cls)}")  # type: ignore[arg-type]
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
    """Return a digest of the sources of a class and of the operations that it implements.

    An implementation beside its operation is left out: the kernels that call the operation depend on that module. So
    the digest of a class does not depend on which modules are loaded.
    """
    builders = [
        table[base]
        for function, table in _builders.items()
        for base in cls.__mro__
        if base in table and table[base].__module__ != function.__module__
    ]
    return sources_digest([*cls.__mro__[:-1], *builders])


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
    """Return whether the operation ``function`` has an implementation that games of ``cls`` use."""
    return any(base in _builders[function] for base in cls.__mro__)


def is_overridden(function: Callable[..., Any], cls: type, base: type) -> bool:
    """Return whether games of ``cls`` use an implementation of ``function`` more specific than that of ``base``."""
    return any(issubclass(other, base) and other is not base for other in cls.__mro__ if other in _builders[function])
