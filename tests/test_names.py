"""Names and signatures in the whole repository."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "baselines", "benchmarks", "ci_envs", "docs", "examples", "experiments", "tests")
KERNELS = {"kernel", "lean_kernel", "inline_kernel", "inlined", "operation", "implements"}
MOST_PARAMETERS = 10


def trees():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file)
    assert len(places) > 200
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
