"""The folder of a tournament: its settings, and a file for each finished match."""

import json
from binascii import crc32
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ci_envs.arena.results import Pairing
from ci_envs.storage.files import read_whole, write_whole
from ci_envs.storage.json_text import parse_json

_SETTINGS, _MATCH = "tournament.json", "match_{}_{}.json"


class _MatchFile(msgspec.Struct):
    """The content of the file of a match: the pairing, and the checksum of its text, which finds a damaged number."""

    crc32: int
    pairing: msgspec.Raw


class TournamentFolder:
    """The files of a tournament. Each file is written atomically, so that an interrupted tournament can be resumed."""

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """Begin a tournament in a folder, or check that it has a tournament with the same settings.

        Args:
            path: the folder, which exists unless ``resume`` is true.
            settings: the settings of the tournament, as JSON values.
            resume: whether to continue the tournament in the folder.

        Raises:
            ValueError: the folder has a tournament and ``resume`` is false, or ``resume`` is true and it has none or
                one with other settings.
            OSError: the folder cannot be written.
        """
        self._path = path.absolute()  # an agent can change the current folder while it plays
        file = path / _SETTINGS
        if not resume:
            if file.exists():
                raise ValueError(f"{str(path)!r} has a tournament: resume it, or choose another folder")
            if found := sorted(match.name for match in path.glob(_MATCH.format("*", "*"))):
                raise ValueError(f"{str(path)!r} contains {found[0]} that no tournament wrote: choose another folder")
            write_whole(file, json.dumps(settings, indent=1).encode())
            return
        try:
            old = parse_json(read_whole(file))
        except FileNotFoundError:
            raise ValueError(f"{str(path)!r} has no tournament to resume") from None
        except ValueError:
            old = None
        if not isinstance(old, dict):
            raise ValueError(f"{str(file)!r} is not the file of a tournament")
        for name, value in settings.items():
            if old.get(name) != value:
                raise ValueError(f"the tournament in {str(path)!r} has {name}={old.get(name)!r}, not {value!r}")

    def read(self, first: int, second: int, labels: tuple[str, str], games: int) -> Pairing | None:
        """Return the finished match of two agents by their numbers, or None.

        Args:
            first: the number of the first agent.
            second: the number of the second agent.
            labels: the labels of the agents.
            games: the number of games of a match.

        Raises:
            ValueError: the file is damaged, or has another match.
        """
        file = self._file(first, second)
        try:
            content = msgspec.json.decode(read_whole(file), type=_MatchFile)
            if content.crc32 != crc32(content.pairing):
                raise msgspec.ValidationError("its checksum is wrong")
            pairing = msgspec.json.decode(content.pairing, type=Pairing)
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise ValueError(f"{str(file)!r} is damaged: {error}; delete it to play this match again") from None
        found = pairing.labels, {side.total.games for side in pairing.match.sides}
        if found != (labels, {games}):
            raise ValueError(f"{str(file)!r} has not the {games} games of {' and '.join(labels)}: delete it")
        return pairing

    def write(self, first: int, second: int, pairing: Pairing) -> None:
        """Write the match of two agents."""
        text = msgspec.Raw(msgspec.json.encode(pairing))
        write_whole(self._file(first, second), msgspec.json.encode(_MatchFile(crc32(text), text)))

    def _file(self, first: int, second: int) -> Path:
        return self._path / _MATCH.format(first + 1, second + 1)
