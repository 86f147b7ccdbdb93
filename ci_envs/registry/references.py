"""References to objects of any module or file: ``module:Name``, ``file.py:Name`` and ``file.py``."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ci_envs.registry.user_code import UserCode, UserCodeError

_FILES = dict[str, str]()  # that were loaded, by the names of their modules
_FOLDERS = set[Path]()  # of the files that were loaded
_NAME = r"[^\W\d]\w*"
_FILE = re.compile(rf"(?P<place>.+?\.py)(?::(?P<name>{_NAME})(?=:|$))?(?::(?P<rest>.*))?", re.DOTALL)
_MODULE = re.compile(rf"(?P<place>{_NAME}(?:\.\w+)*):(?P<name>{_NAME})(?=:|$)(?::(?P<rest>.*))?", re.DOTALL)


class ObjectReference(NamedTuple):
    """A reference to an object.

    Attributes:
        place: a module, or the path of a file that ends in ``.py``.
        name: the name of the object in the module. Empty for the only suitable object of a file.
    """

    place: str
    name: str

    def __str__(self) -> str:
        return f"{self.place}:{self.name}" if self.name else self.place


def split_reference(text: str) -> tuple[ObjectReference, str | None] | None:
    """Return the reference at the beginning of a spec string and its options, or None if there is no reference."""
    match = _FILE.fullmatch(text) or _MODULE.fullmatch(text)
    return match and (ObjectReference(match["place"], match["name"] or ""), match["rest"])


def exists(reference: ObjectReference) -> bool:
    """Return whether there is a module of a reference, without running it.

    Raises:
        FileNotFoundError: there is no such file.
    """
    if reference.place.endswith(".py"):
        _file(reference.place)
        return True
    _search_current_folder()
    try:
        return find_spec(reference.place) is not None
    except ModuleNotFoundError:
        return False


def load(reference: ObjectReference, suits: Callable[[Any], bool], kind: str) -> Any:
    """Return the object of a reference. Modules are also searched in the current folder.

    Args:
        reference: the reference.
        suits: whether an object is of the wanted kind. It selects the object of a file without a name.
        kind: the wanted kind for messages, for example ``agent``.

    Raises:
        ModuleNotFoundError: there is no such module.
        OSError: the file cannot be read.
        ValueError: the module cannot be imported, or has no such object.
    """
    module = module_at(reference.place)
    public = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    own = {name: value for name, value in public.items() if suits(value)}
    if reference.name:
        if not hasattr(module, reference.name):  # a misspelt name does not tell the wanted kind
            available = ", ".join(own or public) or "(none)"
            raise ValueError(f"{reference.place} has no {reference.name!r}. Available: {available}")
        return getattr(module, reference.name)
    if len(own) != 1:
        example = f"; choose one, for example {reference.place}:{next(iter(own))}" if own else ""
        raise ValueError(f"{reference.place} defines {len(own)} {kind}s ({', '.join(own) or 'none'}), not one{example}")
    return next(iter(own.values()))


def referred(name: str, suits: Callable[[Any], bool], kind: str) -> Any:
    """Return the object of a kind that a name refers to, or None if the name is no reference, or not to a module.

    Raises:
        OSError: the file cannot be read.
        ValueError: the module cannot be imported, or its object is not of this kind.
    """
    found = split_reference(name)
    if found is None:
        return None
    try:
        thing = load(found[0], suits, kind)
    except ModuleNotFoundError:
        return None
    if not suits(thing):
        raise ValueError(f"{name} is not a {kind}: it is {thing!r}")
    return thing


def module_at(place: str) -> ModuleType:
    """Return the module of a name or of a file that ends in ``.py``. A name is also searched in the current folder.

    Raises:
        ModuleNotFoundError: there is no such module.
        OSError: the file cannot be read.
        ValueError: the module raises an error.
    """
    return _module_of_file(place) if place.endswith(".py") else _import_named(place)


def _import_named(name: str) -> ModuleType:
    _search_current_folder()
    try:
        with UserCode():
            return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise
        raise _import_error(name, error) from error
    except Exception as error:
        raise _import_error(name, error) from error


def _module_of_file(path: str) -> ModuleType:
    """Return the module of a file. It has the name of the file, unless another module has this name."""
    file = _file(path)
    known = sys.modules.get(file.stem)
    taken = known is not None and getattr(known, "__file__", None) != str(file)
    name = f"{file.stem}_{sha256(bytes(file)).hexdigest()[:8]}" if taken else file.stem
    return sys.modules[name] if name in sys.modules else _load_file(name, file, path)


def _load_file(name: str, file: Path, place: str) -> ModuleType:
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        with _folder_first(file.parent), UserCode():
            spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _import_error(place, error) from error
    _FILES[name] = str(file)
    return module


def loaded_files() -> dict[str, str]:
    """Return the files that were loaded as modules, by the names of the modules."""
    return dict(_FILES)


def load_files(files: Mapping[str, str]) -> None:
    """Load the modules of files that another process has loaded, so that their objects can be unpickled here.

    A file that is not on this machine, or that cannot be loaded, is left out.
    """
    for name, file in files.items():
        if name not in sys.modules:
            with suppress(Exception):  # the object of the module is missed where it is needed
                _load_file(name, Path(file), file)


@contextmanager
def _folder_first(folder: Path) -> Iterator[None]:
    """Search a folder before all others, as Python does for a script, and before the modules of other scripts.

    Afterwards modules that were imported before have their names again, and the folder is the last one.
    """
    _FOLDERS.add(folder)
    elsewhere = (_FOLDERS | {Path.cwd()}) - {folder}
    names = {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}
    hidden = {name for name in names & sys.modules.keys() if _folder_of(sys.modules[name]) in elsewhere}
    others = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in hidden}
    for name in others:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # for what the code imports later
        sys.modules.update(others)


def _folder_of(module: ModuleType) -> Path:
    """Return the folder in which a module or a package is."""
    file = Path(getattr(module, "__file__", None) or "")
    return (file.parent if file.name == "__init__.py" else file).parent


def _file(path: str) -> Path:
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return file


def _search_current_folder() -> None:
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())  # the script ci-envs does not search it, but python -m ci_envs does


def _import_error(place: str, error: Exception) -> ValueError:
    cause = error.__cause__ if isinstance(error, UserCodeError) else error
    trace, line = None if cause is None else cause.__traceback__, None
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).stem == Path(place.replace(".", "/")).stem or place.endswith(
            Path(trace.tb_frame.f_code.co_filename).name
        ):
            line = trace.tb_lineno
        trace = trace.tb_next
    where = place if line is None else f"{place}, line {line}"
    kind = "" if isinstance(error, UserCodeError) else f"{type(error).__name__}: "
    return ValueError(f"{where} cannot be imported: {kind}{error}")
