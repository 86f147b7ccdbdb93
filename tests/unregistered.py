"""Games of examples that are not registered for other tests of the process."""

from contextlib import contextmanager

import pytest

from ci_envs.registry import games


@contextmanager
def unregistered():
    """Remove the registrations in the ``with`` block at its end."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_specs", "_ids"):
            patch.setattr(games, name, dict(getattr(games, name)))
        yield patch
