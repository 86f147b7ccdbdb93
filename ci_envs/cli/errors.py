"""One-line errors of the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from typing_extensions import override

from ci_envs.cluster import ClusterError


class OneLineErrorGroup(click.Group):
    """A group of commands that reports wrong usage in one line, without repeating the usage of the command."""

    @override
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = None
            raise


@contextmanager
def usage_errors() -> Iterator[None]:
    """Report an error that the arguments of a command cause in one line, and exit with status 2."""
    try:
        yield
    except (ValueError, OSError, ImportError, FloatingPointError) as error:
        raise click.UsageError(str(error)) from None


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Report in one line that workers cannot start or were lost too often, and exit with status 1."""
    try:
        yield
    except ClusterError as error:
        raise click.ClickException(str(error)) from None
