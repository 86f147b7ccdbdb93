"""The options of training: frozen dataclasses whose fields carry their documentation and their check."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from textwrap import fill
from typing import Any, ClassVar

from ci_envs.cluster import check_address
from ci_envs.games.openings import RandomOpenings
from ci_envs.spec import option_text
from ci_envs.training.checks import AgentSpecs, Check, Integer, Number, OrNone, Text

LENGTHS = ("steps", "episodes", "generations", "iterations", "minutes")
"""The options that set the length of a run. Each trainer has at least one of them, with a default."""

_OPTION = "option"


@dataclass(frozen=True)
class TrainingOption:
    """The description of one field of a :class:`TrainingConfig`.

    Attributes:
        help: what the option does.
        check: which values it allows.
        changeable: whether a run can be resumed with another value.
        default: the value if none is given; ``MISSING`` if a value is required.
    """

    help: str
    check: Check
    changeable: bool
    default: Any

    @property
    def required(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING


def option(help: str, check: Check, default: Any = MISSING, *, changeable: bool = False) -> Any:
    """Declare a field of a :class:`TrainingConfig`.

    Args:
        help: what the option does, for example ``games against each opponent``.
        check: which values it allows.
        default: the value if none is given; the option is required without it.
        changeable: whether a run can be resumed with another value.
    """
    return field(default=default, metadata={_OPTION: TrainingOption(help, check, changeable, default)}, kw_only=True)


def with_default(owner: "type[Options]", name: str, default: Any, *, changeable: bool | None = None) -> Any:
    """Declare a field of a subclass that differs from the field of ``owner`` in its default.

    Args:
        owner: the class that has the field.
        name: of the field.
        default: the value if none is given.
        changeable: whether a run can be resumed with another value; None is as in ``owner``.
    """
    described = options_of(owner)[name]
    return option(
        described.help,
        described.check,
        default,
        changeable=described.changeable if changeable is None else changeable,
    )


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options whose values are checked; all fields of a subclass are declared by :func:`option`.

    Raises:
        ValueError: a value is not allowed.
    """

    def __post_init__(self) -> None:
        for name, described in options_of(type(self)).items():
            object.__setattr__(self, name, described.check(name, getattr(self, name)))


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Options):
    """The options that every trainer has; a trainer adds its own in a subclass.

    ``unnamed`` is the option whose value a spec string gives without its name, as in ``sb3:ppo``.

    Raises:
        ValueError: a value is not allowed.
    """

    unnamed: ClassVar[str | None] = None

    ladder: tuple[str, ...] = option(
        "opponents that the agent is measured against; its rating is in Elo above the first",
        AgentSpecs(),
        ("random", "minimax:depth=1", "minimax:depth=4"),
    )
    ladder_games: int = option("games against each opponent in a measurement", Integer(2), 200)
    ladder_random_plies: int = option("random plies at the start of each of these games", Integer(0), 0)
    measurements: int = option("number of measurements in the run, at equal distances", Integer(1), 50)
    checkpoint_seconds: float = option(
        "least time between two checkpoints; writing them never takes more than a tenth of the time",
        Number(0),
        10.0,
        changeable=True,
    )


@dataclass(frozen=True, kw_only=True)
class OpeningOptions(Options):
    """The options of trainers whose games can begin with random plies.

    Raises:
        ValueError: A value is not allowed, or ``random_plies`` has no effect.
    """

    random_plies: int = option("greatest number of random plies that a game begins with", Integer(1), 8)
    random_share: float = option("share of the games that begin with random plies", Number(0, 1), 0.5)

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
        ValueError: A value is not allowed, or there is an address without workers.
    """

    workers: int | None = option(
        "processes of a Ray cluster that play the games, instead of threads",
        OrNone(Integer(1)),
        None,
        changeable=True,
    )
    ray_address: str | None = option(
        "address of the Ray cluster; none starts one on this machine",
        OrNone(Text("an address such as host:port")),
        None,
        changeable=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_address(self.workers, self.ray_address)


def options_of(config_type: type[Options]) -> dict[str, TrainingOption]:
    """Return the options of a config by their names, those that all trainers share last."""
    described = {item.name: item.metadata[_OPTION] for item in fields(config_type)}
    shared = {item.name for item in fields(TrainingConfig)}
    return {name: described[name] for name in sorted(described, key=shared.__contains__)}


def values_of(config: TrainingConfig) -> dict[str, Any]:
    """Return the values of a config by the names of the options."""
    return {name: getattr(config, name) for name in options_of(type(config))}


def documentation(config_type: type[TrainingConfig], presets: Mapping[str, Any] | None = None) -> str:
    """Return a text that lists each option with its default, the values that it allows and what it does.

    Args:
        config_type: whose options.
        presets: defaults that replace those of the config, for example those of a game.
    """
    lines = []
    for name, described in options_of(config_type).items():
        default = (presets or {}).get(name, described.default)
        written = "..." if default is MISSING else written_value(default)
        indent = " " * 6
        text = f"{described.help}; {described.check}"
        lines += [f"  {name}={written}", fill(text, 80, initial_indent=indent, subsequent_indent=indent)]
    return "\n".join(lines)


def written_value(value: Any) -> str:
    """Return the value of an option of training as a user writes it."""
    is_names = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    return "+".join(value) if is_names else option_text(value)
