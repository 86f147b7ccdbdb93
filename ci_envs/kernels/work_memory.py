"""Work memory of compiled code, for objects that several threads use at the same time.

Kernels run without the GIL. If two threads let kernels write into the same arrays, the results are wrong.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class WorkMemory(Generic[T]):
    """Work memory that is used again, by one call at a time.

    A call uses memory that no other call is using. If there is none, it makes new memory. So there is as much memory as
    there were calls at the same time. A copy or pickle has no memory yet.
    """

    def __init__(self) -> None:
        self._idle: list[T] = []  # the methods pop and append are atomic

    @contextmanager
    def use(self, make: Callable[[], T]) -> Iterator[T]:
        """Return memory that only the caller uses until the end of the ``with`` block.

        Args:
            make: a function that makes new memory. The results of a call must not depend on earlier uses of the memory.
                It is not stored: the method of an object would keep the object and its memory in a reference cycle.
        """
        try:
            memory = self._idle.pop()
        except IndexError:
            memory = make()
        try:
            yield memory
        finally:
            self._idle.append(memory)

    @property
    def latest(self) -> T | None:
        """The memory of the call that ended last, or None while there is no unused memory."""
        return self._idle[-1] if self._idle else None

    def __reduce__(self) -> tuple[type["WorkMemory[T]"], tuple[()]]:
        return WorkMemory, ()
