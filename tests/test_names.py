"""Names and signatures in the whole repository."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "baselines", "benchmarks", "ci_envs", "docs", "examples", "experiments", "tests")
KERNELS = {"kernel", "lean_kernel", "inline_kernel", "inlined", "operation", "implements"}
MOST_PARAMETERS = 10


@cache
def trees():
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    return [(str(file.relative_to(ROOT)), ast.parse(file.read_text())) for file in files]


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file)
    assert len(places) > 200
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def parameters_of(function):
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def is_compiled(function, parents):
    """Return whether a function is a kernel, or is inside the function that builds a kernel."""
    outer = function
    while outer is not None:
        decorators = {
            name.id
            for one in getattr(outer, "decorator_list", ())
            for name in ast.walk(one)
            if isinstance(name, ast.Name)
        }
        if decorators & KERNELS:
            return True
        outer = parents.get(outer)
    return False


def test_no_function_outside_kernels_has_many_parameters():
    long, counted = {}, 0
    for file, tree in trees():
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_compiled(node, parents):
                counted += 1
                if len(parameters_of(node)) > MOST_PARAMETERS:
                    long[f"{file}: {node.name}"] = len(parameters_of(node))
    assert counted > 2000
    assert long == {}


def test_kernels_call_transform_action_by_the_function_that_fixes_its_types():
    places = {
        file
        for file, tree in trees()
        if not file.startswith("tests/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "transform_action"
    }
    assert places == {"ci_envs/games/operations.py"}  # in image_of_action
