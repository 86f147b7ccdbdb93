"""Whole files: written either completely or not at all, and never read from a device."""

import csv
import errno
import io
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, cast

_MAX_LINKS = 40  # as in Linux
_MAX_STEM = 200  # bytes; with its ending and that of a temporary file, a name can have 255

_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV, errno.EINVAL)
"""Errors of the replacement of a file that can perhaps be written in place, for example in a read-only folder."""


def write_whole(path: Path, *parts: bytes | memoryview, durable: bool = False) -> None:
    """Write a file atomically. After a crash the file has its previous content.

    Links are followed, and an existing file keeps its mode and its owner. The function writes in place if the file
    cannot be replaced: a device, a pipe, an open file such as ``/dev/stdout``, a file with several hard links, and a
    file in a folder that is read-only.

    Args:
        path: The path of the file.
        parts: The content.
        durable: Whether to wait until the content is on the disk.

    Raises:
        OSError: The file cannot be written.
    """
    with named_errors(path):  # without the name of a temporary file
        if (descriptor := _descriptor(path)) is not None:
            print(end="", flush=True)  # earlier output comes first
            _write(os.fdopen(os.dup(descriptor), "wb"), parts)
        elif not _replace(Path(os.path.realpath(path)), parts, durable):
            _write(_open(path, "wb", without=os.O_CREAT), parts)  # Linux refuses this flag for a pipe of another user


def file_stem(text: str) -> str:
    """Return the name of a file, without its ending, that shows a text. A long text is shortened.

    Examples:
        >>> from ci_envs.storage.files import file_stem
        >>> file_stem("mcts:simulations=1000")
        'mcts_simulations=1000'
    """
    stem = "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in text)
    return stem if len(stem.encode()) <= _MAX_STEM else f"{stem[:50]}_{sha256(text.encode()).hexdigest()[:16]}"


def encodable(text: str) -> str:
    """Return a text that can be written. A name of a file need not be text: its other bytes are escaped."""
    return text.encode(errors="backslashreplace").decode()


def folder_path(name: str | Path) -> Path:
    """Return the path of a folder of a user.

    Raises:
        TypeError: The name is not a text or a path.
        ValueError: The name is empty, for example that of an unset variable, which is not the current folder.
    """
    if not isinstance(name, str | Path):
        raise TypeError(f"the name of a folder must be a text or a path, not {name!r}")
    if name == "":
        raise ValueError("the name of a folder is empty; '.' is the current folder")
    return Path(name)


def read_whole(path: Path) -> bytes:
    """Return the content of a file or a pipe.

    Raises:
        OSError: It cannot be read, or it is a device, such as ``/dev/zero``, whose content may have no end.
    """
    with named_errors(path), path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise OSError(errno.EINVAL, "A device is not a file")
        return file.read()


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Give the errors of a file its name, which those of a failed read or write do not have.

    Raises:
        OSError: The error in the ``with`` block, with the name.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _descriptor(path: Path) -> int | None:
    """Return N if a path is ``/dev/fd/N`` or a link to it, for example ``/dev/stdout``. Otherwise return None."""
    folder = os.path.realpath("/dev/fd")
    for _ in range(_MAX_LINKS):
        if os.path.realpath(path.parent) == folder:
            return int(path.name) if path.name.isdecimal() else None
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None


def _replace(target: Path, parts: Iterable[bytes | memoryview], durable: bool) -> bool:
    """Write a temporary file and give it the name of the target. Return False if the target cannot be replaced."""
    try:
        old = target.stat()
    except FileNotFoundError:
        old = None
    if old and not (stat.S_ISREG(old.st_mode) and old.st_nlink == 1 and os.access(target, os.W_OK)):
        return False
    temporary = target.with_name(temporary_name(target.name, secrets.token_hex(4)))
    try:
        file = _open(temporary, "xb", mode=0o666 if old is None else stat.S_IMODE(old.st_mode))
        if old is not None:
            _copy_status(target, old, temporary)
        _write(file, parts, durable)
        temporary.replace(target)
    except OSError as error:
        if old is None or error.errno not in _IN_PLACE:
            raise
        return False
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _copy_status(source: Path, status: os.stat_result, target: Path) -> None:
    new = target.stat()
    if (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
        os.chown(target, status.st_uid, status.st_gid)
    shutil.copystat(source, target)  # includes access control lists


def _open(path: Path, how: str, mode: int = 0o666, without: int = 0) -> BinaryIO:
    return cast(BinaryIO, open(path, how, opener=lambda name, flags: os.open(name, flags & ~without, mode)))


def _write(file: BinaryIO, parts: Iterable[bytes | memoryview], durable: bool = False) -> None:
    """Write and close a file."""
    with file:
        file.writelines(parts)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def temporary_name(name: str, token: str) -> str:
    """Return a temporary name of a file while it is written. A killed process leaves such a file behind.

    Args:
        name: The name of the file. A long name is shortened, because the length of names is limited.
        token: A text that no other writer uses.
    """
    return f".{name[:50]}.{token}.tmp"


def write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV atomically. The folder is created if necessary.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, csv_text(rows).encode())


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV. None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def shipped_files(folder: Path, prefix: str, suffix: str) -> dict[str, Path]:
    """Return the files in ``folder`` that are included in the package, by their names for :func:`shipped_file`."""
    found = sorted(folder.glob(f"{prefix}*{suffix}"))
    return {file.name.removeprefix(prefix).removesuffix(suffix): file for file in found}


def shipped_file(path: str | Path, folder: Path, prefix: str, suffix: str) -> Path:
    """Return the file of a path or of the name of an included file in ``folder``.

    ``name`` means ``folder/{prefix}name{suffix}``, unless a file ``name`` exists.

    Raises:
        ValueError: ``path`` is not a text.
        FileNotFoundError: there is neither a file nor an included file of this name, which has no suffix.
    """
    if not isinstance(path, str | Path):
        raise ValueError(f"the path of a file must be a text, not {path!r}")
    own, included = Path(path), shipped_files(folder, prefix, suffix)
    if own.exists():
        return own
    if str(path) in included:
        return included[str(path)]
    if own.name == str(path) and not own.suffix:
        reason = f"No such file or included name ({', '.join(included)})"
        raise FileNotFoundError(errno.ENOENT, reason, str(path))
    return own
