"""The models that are included in the package."""

from pathlib import Path

from ci_envs.storage.files import shipped_file, shipped_files

_FOLDER = Path(__file__).with_name("models")
_SUFFIX = ".safetensors"


def shipped_models() -> dict[str, Path]:
    """Return the files of the included models, by name."""
    return shipped_files(_FOLDER, "", _SUFFIX)


def model_path(path: str | Path) -> Path:
    """Return the file of a path or of the name of an included model.

    Raises:
        ValueError: ``path`` is not a text.
        FileNotFoundError: there is no such file or model.
    """
    return shipped_file(path, _FOLDER, "", _SUFFIX)
