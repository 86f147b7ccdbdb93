"""Properties that are computed once, also in a process that was forked while another thread computed them."""

import functools
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property"]

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - the same name, because it is the same
        """Python's cached property without the lock that it has in Python 3.11.

        A child that is forked while a thread holds this lock would wait for it for ever.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Return the value, which the instance keeps from then on."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
