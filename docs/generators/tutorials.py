"""Conversion of the tutorials to HTML, in several processes while MkDocs makes the other pages."""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from inspect import signature
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from mkdocs_jupyter import convert
from mkdocs_jupyter.nbconvert2 import nb2html

# the folder of jupyter_nbconvert_config.json
os.environ["JUPYTER_CONFIG_PATH"] = str(Path(__file__).parent)


def convert_tutorials(paths: Iterable[str], settings: Mapping[str, Any]) -> None:
    """Start to convert all tutorials, and replace the conversion by mkdocs-jupyter, which runs one tutorial at a time.

    Args:
        paths: The files of the tutorials.
        settings: The settings of mkdocs-jupyter.
    """
    options = {name: settings[name] for name in signature(nb2html).parameters if name in settings}
    # the tutorials run in kernels of Jupyter; a process for each, because nb2html has global variables
    pool = ProcessPoolExecutor(os.cpu_count(), get_context("spawn"))
    pages = {path: pool.submit(_converted, path, options) for path in paths}
    pool.shutdown(wait=False)
    convert.nb2html = lambda path, **_: pages[path].result()


def _converted(path: str, options: Mapping[str, Any]) -> str:
    html: str = nb2html(path, **options)
    return html
