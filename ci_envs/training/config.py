"""Training options: frozen dataclasses. Each field has a documentation and a check."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from textwrap import fill
from typing import Any, ClassVar

from ci_envs.cluster import check_address
from ci_envs.games.openings import RandomOpenings
from ci_envs.registry.spec import option_text
from ci_envs.training.checks import AgentSpecs, Check, Integer, Number, OrNone, Text

_OPTION = "option"


@dataclass(frozen=True)
class TrainingOption:
    """The description of one field of a :class:`TrainingConfig`.

    Attributes:
        help: A description of the option.
        check: The check of its values.
        changeable: Whether a run can be resumed with another value.
        is_length: Whether the option sets the length of a run.
        default: The default, or ``MISSING`` if the option is required.
    """

    help: str
    check: Check
    changeable: bool
    is_length: bool
    default: Any

    @property
    def required(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING


def option(
    help: str, check: Check, default: Any = MISSING, *, changeable: bool = False, is_length: bool = False
) -> Any:
    """Declare a field of a :class:`TrainingConfig`.

    Args:
        help: A description of the option, for example ``games against each opponent``.
        check: The check of its values.
        default: The default. Without a default the option is required.
        changeable: Whether a run can be resumed with another value.
        is_length: Whether the option sets the length of a run. Each trainer has such an option, with a default.
    """
    described = TrainingOption(help, check, changeable, is_length, default)
    return field(default=default, metadata={_OPTION: described}, kw_only=True)


def with_default(owner: "type[Options]", name: str, default: Any, *, changeable: bool | None = None) -> Any:
    """Declare a field of a subclass that has another default than the field of the base class.

    Args:
        owner: The base class.
        name: The name of the field.
        default: The new default.
        changeable: Whether a run can be resumed with another value. None keeps the setting of ``owner``.
    """
    described = options_of(owner)[name]
    return option(
        described.help,
        described.check,
        default,
        changeable=described.changeable if changeable is None else changeable,
        is_length=described.is_length,
    )


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options whose values are checked. A subclass declares all its fields by :func:`option`.

    Raises:
        ValueError: A value is not allowed.
    """

    def __post_init__(self) -> None:
        for name, described in options_of(type(self)).items():
            object.__setattr__(self, name, described.check(name, getattr(self, name)))


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Options):
    """The options of every trainer. A trainer adds its own options in a subclass.

    ``unnamed`` is the name of the option that a spec string can set without its name. In ``sb3:ppo`` the option is
    ``algorithm``.

    Raises:
        ValueError: A value is not allowed.
    """

    unnamed: ClassVar[str | None] = None

    ladder: tuple[str, ...] = option(
        "opponents in measurements; the rating is the difference in Elo from the first opponent",
        AgentSpecs(),
        ("random", "minimax:depth=1", "minimax:depth=4"),
    )
    ladder_games: int = option("games against each opponent in a measurement", Integer(2), 200)
    ladder_random_plies: int = option("number of random plies at the start of each of these games", Integer(0), 0)
    measurements: int = option("number of measurements in the run, at equal intervals", Integer(1), 50)
    checkpoint_seconds: float = option(
        "minimum seconds between two checkpoints; writing them takes at most a tenth of the time",
        Number(0),
        10.0,
        changeable=True,
    )


@dataclass(frozen=True, kw_only=True)
class OpeningOptions(Options):
    """The options of trainers whose games can start with random plies.

    Raises:
        ValueError: A value is not allowed, or ``random_plies`` has no effect.
    """

    random_plies: int = option("maximum number of random plies at the start of a game", Integer(1), 8)
    random_share: float = option("share of games that start with random plies", Number(0, 1), 0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.random_share and self.random_plies != options_of(type(self))["random_plies"].default:
            raise ValueError(f"random_plies={self.random_plies} needs a random_share above 0")

    @property
    def openings(self) -> RandomOpenings | None:
        """The random openings of the games; None if all games start from the initial position."""
        return RandomOpenings(self.random_plies, self.random_share) if self.random_share else None


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(Options):
    """The options of trainers whose games can be played by a Ray cluster.

    Raises:
        ValueError: A value is not allowed, or an address is given without workers.
    """

    workers: int | None = option(
        "number of processes of a Ray cluster that play the games; none uses threads of this process",
        OrNone(Integer(1)),
        None,
        changeable=True,
    )
    ray_address: str | None = option(
        "address of the Ray cluster; none starts a cluster on this machine",
        OrNone(Text("an address such as host:port")),
        None,
        changeable=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_address(self.workers, self.ray_address)


def options_of(config_type: type[Options]) -> dict[str, TrainingOption]:
    """Return the options of a config by name. The options that all trainers share come last."""
    described = {item.name: item.metadata[_OPTION] for item in fields(config_type)}
    shared = {item.name for item in fields(TrainingConfig)}
    return {name: described[name] for name in sorted(described, key=shared.__contains__)}


def values_of(config: TrainingConfig) -> dict[str, Any]:
    """Return the value of each option of a config by name."""
    return {name: getattr(config, name) for name in options_of(type(config))}


def documentation(config_type: type[TrainingConfig], presets: Mapping[str, Any] | None = None) -> str:
    """Return a text that lists each option with its default, its description and its allowed values.

    Args:
        config_type: The class with the options.
        presets: Values that replace the defaults, for example the presets of a game.
    """
    lines = []
    for name, described in options_of(config_type).items():
        default = (presets or {}).get(name, described.default)
        written = "..." if default is MISSING else value_text(default)
        indent = " " * 6
        text = f"{described.help}; {described.check}"
        lines += [f"  {name}={written}", fill(text, 80, initial_indent=indent, subsequent_indent=indent)]
    return "\n".join(lines)


def value_text(value: Any) -> str:
    """Return the value of a training option as text for a spec string."""
    is_names = isinstance(value, tuple) and all(isinstance(name, str) for name in value)
    return "+".join(value) if is_names else option_text(value)
