"""Prompts: the rules, the position and the legal actions in words, from template files.

A version of the templates is a folder ``templates/VERSION`` of this package, or a folder of the user, with the files of
:data:`FILES`. They are texts of :class:`string.Template`: ``$legal`` is replaced by the names of the legal actions. All
files can use the names of :data:`NAMES`, and each file can also use its own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template

from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.validation import one_of, unknown_name

LATEST = "1"
"""The latest version of the templates."""

FILES: Mapping[str, tuple[str, ...]] = {
    "start": ("turn",),
    "turn": ("events", "history"),
    "illegal": ("name",),
    "unreadable": (),
    "end": ("events", "result"),
}
"""The templates, without ``.txt``, with the names that only they can use."""

NAMES: Mapping[str, Callable[[Position], str]] = {
    "rules": lambda position: guide_of(position.game).how_to_play(),
    "player": lambda position: position.game.player_name(position.to_move),
    "format": lambda position: guide_of(position.game).action_format(),
    "example": lambda position: position.action_name(next(iter(position.legal_actions()), 0)),
    "diagram": Position.diagram,
    "position": Position.to_text,
    "legal": lambda position: " ".join(map(position.action_name, position.legal_actions())),
}
"""The names in all templates, and their texts in a position. The example of an action is the first legal one."""

_FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Prompts:
    """The prompts of one version of the templates.

    Attributes:
        version: a version in this package such as ``1``, or the path of a folder with templates.

    Examples:
        >>> from ci_envs import Position, TicTacToe
        >>> from ci_envs.text.prompts import Prompts
        >>> print(Prompts().turn(Position.start(TicTacToe()).play("b2")))
          a b c
        1 . . .
        2 . X .
        3 . . .
        O to move
        Position: .../.X./... O
        Legal actions: a1 b1 c1 a2 c2 a3 b3 c3
    """

    version: str | Path = LATEST

    def __post_init__(self) -> None:
        """Read all templates.

        Raises:
            TypeError: ``version`` is no text and no path.
            ValueError: there is no such version, or a file has an unknown name or is not a text.
            OSError: a file of the folder cannot be read.
        """
        if not isinstance(self.version, str | Path):
            raise TypeError(f"template must be a version such as {LATEST!r} or a folder, not {self.version!r}")
        self._templates  # noqa: B018 - errors before the first prompt

    @cached_property
    def _templates(self) -> dict[str, Template]:
        """The templates by name. A folder with the name of a version does not hide the version."""
        versions = sorted(path.name for path in _FOLDER.iterdir())
        is_own = str(self.version) not in versions and str(self.version) and Path(self.version).is_dir()
        folder = Path(self.version) if is_own else _FOLDER / one_of("template", str(self.version), versions)
        return {name: _read(folder / f"{name}.txt", {*NAMES, *own}) for name, own in FILES.items()}

    def start(self, position: Position, events: Sequence[str] = (), history: Sequence[str] = ()) -> str:
        """Return the prompt with the rules, which needs no other prompt before it.

        Args:
            position: the position, in which the reader is to move.
            events: sentences about what happened since the reader's last turn.
            history: the names of all actions of the game so far. An empty one is not mentioned.
        """
        return self._fill("start", position, turn=self.turn(position, events, history))

    def turn(self, position: Position, events: Sequence[str] = (), history: Sequence[str] = ()) -> str:
        """Return the prompt for a turn after the first one. The arguments are those of :meth:`start`."""
        moves = f"Actions so far: {' '.join(history)}\n" if history else ""
        return self._fill("turn", position, events=_lines(events), history=moves)

    def problem(self, position: Position, action: int | None) -> str:
        """Return the answer to a reply that named an illegal action, or no action (None)."""
        if action is None:
            return self._fill("unreadable", position)
        return self._fill("illegal", position, name=position.action_name(action))

    def end(self, position: Position, events: Sequence[str], result: str) -> str:
        """Return the last message of a game, with its result as a sentence."""
        return self._fill("end", position, events=_lines(events), result=result)

    def _fill(self, file: str, position: Position, **texts: str) -> str:
        template = self._templates[file]
        used = {name: NAMES[name](position) for name in template.get_identifiers() if name in NAMES}
        return template.substitute(used, **texts)


def _read(path: Path, allowed: Collection[str]) -> Template:
    """Return the template in a file, which can use the allowed names."""
    try:
        template = Template(path.read_text(encoding="utf-8-sig").rstrip("\n"))
    except UnicodeDecodeError as error:
        raise ValueError(f"the template {str(path)!r} is not a text in UTF-8: {error.reason}") from None
    if not template.is_valid():
        raise ValueError(f"the template {str(path)!r} has a $ without a name: write $$ for the character itself")
    for name in template.get_identifiers():
        if name not in allowed:
            raise unknown_name(
                "name", f"${name}", [f"${each}" for each in allowed], owner=f"the template {str(path)!r}"
            )
    return template


def _lines(sentences: Sequence[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)
