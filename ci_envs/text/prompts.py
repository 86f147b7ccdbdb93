"""Prompts: the rules, the position and the legal actions in words, from template files.

A version of the templates is a folder ``templates/VERSION`` of this package, or a folder of the user, with the files of
:data:`FILES`. They are texts of :class:`string.Template`: ``$legal`` is replaced by the names of the legal actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template

from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.validation import one_of

LATEST = "1"
"""The latest version of the templates."""

FILES = "start", "turn", "illegal", "unreadable", "end"
"""The names of the templates, without ``.txt``."""

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

    version: str = LATEST

    def __post_init__(self) -> None:
        """Read all templates.

        Raises:
            ValueError: there is no such version, or a file lacks a name or has an unknown one.
            OSError: a file of the folder cannot be read.
        """
        self._templates  # noqa: B018 - errors before the first prompt

    @cached_property
    def _templates(self) -> dict[str, Template]:
        folder = Path(self.version)
        if not folder.is_dir():
            versions = sorted(path.name for path in _FOLDER.iterdir())
            folder = _FOLDER / one_of("template", self.version, versions)
        return {name: Template((folder / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")) for name in FILES}

    def start(self, position: Position, events: Sequence[str] = (), history: Sequence[str] = ()) -> str:
        """Return the prompt with the rules, which needs no other prompt before it.

        Args:
            position: the position, in which the reader is to move.
            events: sentences about what happened since the reader's last turn.
            history: the names of all actions of the game so far. An empty one is not mentioned.
        """
        guide = guide_of(position.game)
        example = position.action_name(position.legal_actions()[0])
        return self._fill(
            "start",
            position,
            rules=guide.how_to_play(),
            player=position.game.player_name(position.to_move),
            format=guide.action_format(),
            example=example,
            turn=self.turn(position, events, history),
        )

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
        legal = " ".join(map(position.action_name, position.legal_actions()))
        texts = {"diagram": position.diagram(), "position": position.to_text(), "legal": legal, **texts}
        try:
            return self._templates[file].substitute(texts)
        except (KeyError, ValueError) as error:
            raise ValueError(f"the template {file}.txt of {self.version!r} has a wrong name: {error}") from None


def _lines(sentences: Sequence[str]) -> str:
    return "".join(f"{sentence}\n" for sentence in sentences)
