"""The agents of files: their spec strings."""

import warnings
from io import BytesIO
from pathlib import Path
from zipfile import is_zipfile

from ci_envs.registry.agents import AGENTS
from ci_envs.storage.files import read_whole
from ci_envs.storage.formats import plain_values

_ENDINGS = (".json", ".npz", ".py", ".safetensors", ".zip")


def agents_of(folder: Path) -> list[str]:
    """Return the spec string of the agent of each file of a folder, in the order of their names.

    A file that a training could have written but that has no agent, for example because it is damaged, gives a warning.

    Raises:
        ValueError: the folder has no file of an agent.
        OSError: a file cannot be read.
    """
    files = sorted(
        file
        for file in folder.iterdir()
        if file.suffix in _ENDINGS and not file.name.startswith(("_", ".")) and not file.is_dir()
    )
    found = list[str]()
    for file in files:
        try:
            found.append(spec_of_file(file))
        except ValueError as error:
            warnings.warn(f"{error}: it does not play", stacklevel=2)
    if not found:
        raise ValueError(f"{str(folder)!r} has no agent in a file that ends in {', '.join(_ENDINGS)}")
    return found


def as_spec(agent: str | Path) -> str:
    """Return the spec string of an agent: ``agent`` itself, or that of the agent of a file that a training wrote.

    Raises:
        ValueError: the file has no agent.
        OSError: the file cannot be read.
    """
    file = Path(agent)
    is_file = isinstance(agent, Path) or (":" not in agent and file.suffix in _ENDINGS and file.suffix != ".py")
    return spec_of_file(file) if is_file else str(agent)


def spec_of_file(file: Path) -> str:
    """Return the spec string of the agent of a file: a Python file, or a file that a training wrote.

    Raises:
        ValueError: the file has no agent.
        OSError: the file cannot be read.
    """
    if file.suffix == ".py":
        return str(file)
    if file.suffix == ".zip":
        if not is_zipfile(BytesIO(read_whole(file))):
            raise ValueError(f"{str(file)!r} is not a zip file of Stable-Baselines3")
        return f'sb3:"{file}"'
    try:
        about = plain_values(read_whole(file))
        name = next(word for word in (about.get("agent"), about.get("method"), about["format"].split()[1]) if word)
    except OSError:
        raise
    except Exception:  # a damaged file can raise any exception of NumPy or zipfile
        name = ""
    if name not in AGENTS.names():
        raise ValueError(f"{str(file)!r} is not the file of an agent")
    return f'{name}:"{file}"'
