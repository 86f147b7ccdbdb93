"""Tables on disk that a solver computes level by level, from the last positions of a game back to the first."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ci_envs.games.game import Game
    from ci_envs.solver.solution import Progress


class Requirements(NamedTuple):
    """The resources that a computation needs.

    Attributes:
        states: The number of states to compute.
        disk: The number of bytes of the new tables, plus those of the largest temporary files.
        memory: The number of bytes of memory that the largest step needs.
    """

    states: int
    disk: int
    memory: int


class Resources(NamedTuple):
    """The threads that compute tables, or workers or a device that do most of the work instead.

    Attributes:
        threads: The number of threads, or None for all cores.
        workers: The number of workers of a Ray cluster, or None.
        ray_address: The address of the cluster, or None.
        device: The name of a device of PyTorch, or None.
    """

    threads: int | None = None
    workers: int | None = None
    ray_address: str | None = None
    device: str | None = None


class LevelStore(Protocol):
    """The tables of a game in a folder. A **level** is the number of pieces on the board."""

    @property
    def game(self) -> "Game":
        """The game."""

    def requirements(self, level: int = 0) -> Requirements:
        """Return the resources that :meth:`compute_level` needs for the tables that are missing."""

    def compute_level(self, level: int, resources: Resources, progress: "Progress | None" = None) -> None:
        """Compute the tables of the positions from the last level back to ``level``.

        Raises:
            ValueError: ``level`` is out of range, the resources cannot be used together, or another process computes
                tables in the same folder.
            ImportError: A package is not installed.
            OSError: A file cannot be written.
        """

    def rows(self, level: int) -> list[dict[str, int]]:
        """Return the numbers of states ``win``, ``draw`` and ``loss`` of each table from ``level`` on, with its level.

        The column ``level`` is the level of the table. A solver can add columns.
        """
