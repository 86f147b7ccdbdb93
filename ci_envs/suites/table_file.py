"""Tables of cells as files for Markdown and LaTeX."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ci_envs.storage.files import encodable, write_whole

_LATEX = {"\\": r"\textbackslash{}", "±": r"$\pm$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def write_table(path: Path, cells: Sequence[Sequence[str]]) -> None:
    """Write a table in the format of a file's ending, ``.md`` or ``.tex``. LaTeX needs the package booktabs.

    Args:
        path: The path of the file.
        cells: The header, and the cells of each row.

    Raises:
        ValueError: The file has another ending.
        OSError: The file cannot be written.
    """
    check_table_ending(path)
    write_whole(path, encodable(TABLE_FORMATS[path.suffix](cells)).encode())


def check_table_ending(path: Path) -> None:
    """Raise a ValueError if a file name does not end in one of :data:`TABLE_FORMATS`."""
    if path.suffix not in TABLE_FORMATS:
        raise ValueError(f"the file name {path.name!r} must end in {' or '.join(TABLE_FORMATS)}")


def markdown_table(cells: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, with the first column on the left and the others on the right.

    Examples:
        >>> from ci_envs.suites.table_file import markdown_table
        >>> print(markdown_table([["agent", "total"], ["exact", "100.0"]]))
        | agent | total |
        |:---|---:|
        | exact | 100.0 |
        <BLANKLINE>
    """
    header, *rows = ([cell.replace("|", r"\|") for cell in row] for row in cells)
    lines = [_markdown_line(header), "|:---" + "|---:" * (len(header) - 1) + "|", *map(_markdown_line, rows)]
    return "\n".join(lines) + "\n"


def latex_table(cells: Sequence[Sequence[str]]) -> str:
    r"""Return a table in LaTeX, with the rules of the package booktabs.

    Examples:
        >>> from ci_envs.suites.table_file import latex_table
        >>> print(latex_table([["agent", "total"], ["first_legal", "12.0 ±1.5"]]))
        \begin{tabular}{lr}
        \toprule
        agent & total \\
        \midrule
        first\_legal & 12.0 $\pm$1.5 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
    """
    header, *rows = (_latex_line(row) for row in cells)
    begin = rf"\begin{{tabular}}{{l{'r' * (len(cells[0]) - 1)}}}"
    return "\n".join([begin, r"\toprule", header, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]) + "\n"


TABLE_FORMATS: Mapping[str, Callable[[Sequence[Sequence[str]]], str]] = {".md": markdown_table, ".tex": latex_table}
"""The functions that write a table, by the ending of the file."""


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(_SPECIAL.sub(lambda found: _LATEX[found[0]], cell) for cell in cells) + r" \\"
