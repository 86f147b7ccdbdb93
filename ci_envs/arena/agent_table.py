"""The form of all tables with a row for each agent."""

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text


def agent_table(title: str, columns: Iterable[str], *, collapse_padding: bool = False, left: str = "") -> Table:
    """Return a table without rows, with a column for the labels of agents and columns of numbers.

    Args:
        title: The title.
        columns: The names of the other columns. They are not folded.
        collapse_padding: Whether the columns are close together.
        left: The column whose cells are on the left; those of the others are on the right.
    """
    table = Table(
        title=Text(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=collapse_padding,
    )
    table.add_column("Agent", overflow="fold")
    for column in columns:
        table.add_column(column, justify="left" if column == left else "right", no_wrap=True)
    return table


def counted_as_losses(first_fault: str) -> str:
    """Return the end of a note about decisions without a legal action, with the first failure if there was one."""
    return f"counted as losses; the first failure: {first_fault}." if first_fault else "counted as losses."
