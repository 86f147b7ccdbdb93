"""Draw the layers of the package: ``python docs/draw_layout.py`` writes ``docs/images/layout.svg``.

The layers are those that ``tests/test_imports.py`` checks. A test compares the file with this script.
"""

import ast
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "layout.svg"

CONTENTS = {
    "ci_envs": "the public names, and a module such as quixo_v0 for each environment",
    "ci_envs.cli": "the command line, one module per command",
    "ci_envs.web": "the page in the browser and the REST API",
    "ci_envs.reports": "the course reports, section by section, next to our results",
    "ci_envs.baselines": "Stable-Baselines3: training by self-play, and its models as agents",
    "ci_envs.agents": "random, human, exact, openspiel, search, tabular, nim, evolution, alphazero",
    "ci_envs.optimisation": "set covering and bit strings with their solvers, evolutionary algorithms",
    "ci_envs.training": "run folder, resume, learning curve and progress of all trainers",
    "ci_envs.suites": "positions with exact values in files, and grades of agents on them",
    "ci_envs.arena": "matches, tournaments, ratings, accuracy, reports",
    "ci_envs.checking": "check_game, which tests a new game",
    "ci_envs.openspiel": "registration of the games with OpenSpiel",
    "ci_envs.envs": "PettingZoo, Gymnasium and vector environments, one class each",
    "ci_envs.text": "prompts for language models, and the actions that their replies name",
    "ci_envs.picture": "pictures of positions in notebooks; texts for people",
    "ci_envs.agent_interface": "the agent interface, compiled policies, agents of any object",
    "ci_envs.solver": "exact values of games and of positions",
    "ci_envs.registry.games": "games by id",
    "ci_envs.games": "the rules of each game, and Position",
    "ci_envs.drawing": "shapes, boards and marks as SVG and as pixels",
    "ci_envs.kernels": "compiled functions: dispatch by type, cache, bits, random numbers, hash table",
    "ci_envs.cluster": "a pool of worker processes of a Ray cluster",
    "ci_envs.validation": "checks, names and options, files",
}
"""A description of each layer, by the first package of the layer in this table."""

OUTSIDE = ("tests, examples, experiments", "and benchmarks: the package imports none of them")

_WIDTH, _HEIGHT, _GAP, _MARGIN, _NAME_WIDTH = 900, 34, 6, 16, 295
_FILLS = {
    "ci_envs.cli": "#dbe8f4",
    "ci_envs.baselines": "#e3f0dc",
    "ci_envs.arena": "#f7ead2",
    "ci_envs.solver": "#f3dfdc",
}


def layers() -> list[set[str]]:
    """Return the layers from ``tests/test_imports.py``, from the lowest to the highest."""
    for node in ast.parse((ROOT / "tests" / "test_imports.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAYERS":
            found: list[set[str]] = list(ast.literal_eval(node.value))
            return found
    raise ValueError("tests/test_imports.py has no LAYERS")


def draw() -> str:
    """Return the picture as SVG, with the highest layer at the top."""
    rows = [_row(0, *OUTSIDE, fill="none", dashed=True)]
    fill = "#ece9e4"
    for number, layer in enumerate(reversed(layers()), start=1):
        first = next(package for package in CONTENTS if package in layer)
        names = ", ".join(
            name.removeprefix("ci_envs.") for name in (first, *sorted(layer - {first, "ci_envs.__main__"}))
        )
        fill = _FILLS.get(first, fill)
        rows.append(_row(number, names, CONTENTS[first], fill=fill))
    height = 2 * _MARGIN + len(rows) * (_HEIGHT + _GAP) - _GAP
    arrow_x, end = _WIDTH - 28, height - _MARGIN - 8
    arrow = (
        f'<path d="M{arrow_x} {_MARGIN + 8}V{end - 10}" stroke="#444" stroke-width="2"/>'
        f'<path d="M{arrow_x - 6} {end - 10}h12l-6 10z" fill="#444"/>'
        f'<text transform="translate({arrow_x + 18} {height / 2}) rotate(-90)" text-anchor="middle">imports</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
        ' font-family="Helvetica, Arial, sans-serif" font-size="14">'
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>{"".join(rows)}{arrow}</svg>\n'
    )


def _row(number: int, names: str, contents: str, *, fill: str, dashed: bool = False) -> str:
    y = _MARGIN + number * (_HEIGHT + _GAP)
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<rect x="{_MARGIN}" y="{y}" width="{_WIDTH - 2 * _MARGIN - 44}" height="{_HEIGHT}" rx="6"'
        f' fill="{fill}" stroke="#8a857c"{dashes}/>'
        f'<text x="{_MARGIN + 12}" y="{y + 22}" font-weight="bold">{escape(names)}</text>'
        f'<text x="{_MARGIN + _NAME_WIDTH}" y="{y + 22}" fill="#333">{escape(contents)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw())
