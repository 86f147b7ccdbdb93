"""The common style of all plots: colours that colour-blind readers can tell apart, and little ink."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ci_envs.extras import optional_import
from ci_envs.storage.files import encodable

Parameters = ParamSpec("Parameters")
Drawn = TypeVar("Drawn")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""The colours of lines, in the order of their use (Okabe and Ito, "Color universal design", 2008)."""

SHARES = "PuOr"
"""The colour map of shares from 0 (orange) over one half (white) to 1 (purple)."""

_STYLE: Any = {  # matplotlib knows the type of its keys only as literals
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": f"cycler(color={[*COLOURS]})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.titlesize": "medium",
    "font.size": 9.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
_LONGEST_NAME = 26  # characters


def styled(draw: Callable[Parameters, Drawn]) -> Callable[Parameters, Drawn]:
    """Return a drawing function that draws in the common style.

    The function that it returns raises an ``ImportError`` if matplotlib is not installed.
    """

    @wraps(draw)
    def draw_with_style(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Drawn:
        with optional_import("a plot", "plot"):
            from matplotlib import rc_context
        with rc_context(_STYLE):
            return draw(*args, **kwargs)

    return draw_with_style


def short_names(specs: Sequence[str]) -> list[str]:
    """Return short names of agents for the axes of a plot.

    A long spec string keeps only its first option. If two names would be equal, all agents
    keep their spec strings.

    Examples:
        >>> from ci_envs.drawing.plot_style import short_names
        >>> short_names(["minimax:depth=4", "alphazero:simulations=800,temperature=0.2,contempt=1"])
        ['minimax:depth=4', 'alphazero:simulations=800…']
    """
    names = [_short_name(spec) for spec in specs]
    return [*map(literal, names if len({*names}) == len(names) else specs)]


def literal(text: str) -> str:
    """Return a text that matplotlib shows as it is: ``$`` begins a formula, and a first ``_`` hides a line's label."""
    shown = encodable(text).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _short_name(spec: str) -> str:
    first, comma, _ = spec.partition(",")
    return f"{first}…" if comma and len(spec) > _LONGEST_NAME else spec
