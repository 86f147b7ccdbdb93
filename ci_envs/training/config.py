"""The options of trainers: frozen dataclasses whose fields declare options."""

from dataclasses import dataclass, fields
from textwrap import fill
from typing import Annotated, Any, ClassVar

from ci_envs.cluster import check_address
from ci_envs.games.openings import RandomOpenings
from ci_envs.registry.options import NamedOption, Option, Validated, options_of


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Validated):
    """The options of every trainer. A trainer adds its own options in a subclass.

    ``unnamed`` is the name of the option that a spec string can set without its name. In ``sb3:ppo`` the option is
    ``algorithm``.
    """

    unnamed: ClassVar[str | None] = None

    ladder: Annotated[
        tuple[str, ...],
        Option(
            "opponents in measurements; the rating is the difference in Elo from the first opponent",
            allowed="agents joined by +",
        ),
    ] = ("random", "minimax:depth=1", "minimax:depth=4")
    ladder_games: Annotated[int, Option("games against each opponent in a measurement", ge=2)] = 200
    ladder_random_plies: Annotated[int, Option("number of random plies at the start of each of these games", ge=0)] = 0
    measurements: Annotated[int, Option("approximate number of measurements in the run, at equal intervals", ge=1)] = 50
    checkpoint_seconds: Annotated[
        float,
        Option(
            "minimum seconds between two checkpoints; writing them takes at most a tenth of the time",
            ge=0,
            changeable=True,
        ),
    ] = 10.0


@dataclass(frozen=True, kw_only=True)
class OpeningOptions(Validated):
    """The options of trainers whose games can start with random plies."""

    random_plies: Annotated[
        int, Option("maximum number of random plies at the start of a game", ge=1, not_with="random_share=0")
    ] = 8
    random_share: Annotated[float, Option("share of games that start with random plies", ge=0, le=1)] = 0.5

    @property
    def openings(self) -> RandomOpenings | None:
        """The random openings of the games; None if all games start from the initial position."""
        return RandomOpenings(self.random_plies, self.random_share) if self.random_share else None


WORKERS = Option(
    "number of processes of a Ray cluster that play the games; none uses threads of this process",
    ge=1,
    changeable=True,
)


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(Validated):
    """The options of trainers whose games can be played by a Ray cluster.

    Raises:
        ValueError: A value is not allowed, or an address is given without workers.
    """

    workers: Annotated[int | None, WORKERS] = None
    ray_address: Annotated[
        str | None,
        Option(
            "address of the Ray cluster; none starts a cluster on this machine",
            allowed="an address such as host:port",
            changeable=True,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_address(self.workers, self.ray_address)


def training_options(config_type: type[TrainingConfig]) -> dict[str, NamedOption]:
    """Return the options of a config by name. The options that all trainers share come last."""
    options = options_of(config_type)
    shared = {item.name for item in fields(TrainingConfig)}
    return {name: options[name] for name in sorted(options, key=shared.__contains__)}


def values_of(config: TrainingConfig) -> dict[str, Any]:
    """Return the value of each option of a config by name."""
    return {name: getattr(config, name) for name in training_options(type(config))}


def documentation(config_type: type[TrainingConfig]) -> str:
    """Return a text that lists each option with its default, its description and its allowed values."""
    lines = []
    for name, option in training_options(config_type).items():
        indent = " " * 6
        lines.append(f"  {name}={'...' if option.is_required else option.default_text}")
        lines.append(fill(option.meaning, 80, initial_indent=indent, subsequent_indent=indent))
    return "\n".join(lines)
