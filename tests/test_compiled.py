"""Compiled code is kept on disk and is never older than its source. Operations find the kernels of a game."""

import ctypes
import ctypes.util
import importlib
import inspect
import os
import pkgutil
import shutil
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import ci_envs
from ci_envs import ConnectN, Position, Quixo
from ci_envs.agents.random import RandomAgent
from ci_envs.envs.aec import BoardEnv
from ci_envs.games.nim import Nim
from ci_envs.games.operations import LOSS, ONGOING, evaluate, result
from ci_envs.kernels import bits as bit_kernels
from ci_envs.kernels import cache, dispatch, sources
from ci_envs.kernels.bits import bit_counts, nth_one, popcount, trailing_zeros
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.constants import constants_digest
from ci_envs.kernels.dispatch import implements
from ci_envs.kernels.sources import cache_root, sources_digest

ROOT = Path(ci_envs.__file__).parents[1]

math_library = ctypes.CDLL(ctypes.util.find_library("m"))
math_library.fabs.argtypes, math_library.fabs.restype = [ctypes.c_double], ctypes.c_double

# A game outside the package: take one to three objects from a heap; the last object wins.
COUNTDOWN = """
from dataclasses import dataclass

import numpy as np

from ci_envs.kernels.dispatch import implements
from ci_envs.games.game import Game
from ci_envs.games.operations import LOSS, ONGOING, legal, play, result


@dataclass(frozen=True)
class Countdown(Game):
    size: int = 4

    action_count = 3
    observation_shape = (1, 1, 1)

    def start(self):
        return self.size, 0

    def action_name(self, action):
        return str(action + 1)

    def to_text(self, own, opp, to_move):
        return f"{own} {to_move}"

    def from_text(self, text):
        own, to_move = map(int, text.split())
        return own, 0, to_move

    diagram = draw = to_text


@implements(legal, Countdown)
def _(game):
    return lambda game, own, opp, action: action < np.uint64(3) and action < own


@implements(play, Countdown)
def _(game):
    return lambda game, own, opp, action: (own - action - np.uint64(1), opp)


@implements(result, Countdown)
def _(game):
    return lambda game, own, opp: LOSS if own == np.uint64(0) else ONGOING
"""

# Prints a count, and how often its kernel was loaded from the cache and compiled.
REPORT = """
def report(game, depth):
    from ci_envs import Position, perft
    from ci_envs.games.walk import _perft

    count = perft(Position.start(game), depth)
    print(count, *(sum(calls.values()) for calls in (_perft.stats.cache_hits, _perft.stats.cache_misses)))
"""


QUIXO = "from ci_envs import Quixo; report(Quixo(3), 2)"
COMPILED, CACHED = [0, 1], [1, 0]


def numbers_of(program, folder, root, cache=None, at_prompt=False):
    """Run a program in a fresh process, and return the numbers that it prints."""
    file, cache = folder / "program.py", cache or folder / "cache"
    file.write_text(REPORT + program)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": os.pathsep.join([str(root), str(folder)]),
        "PYTHONDONTWRITEBYTECODE": "1",  # Numba's own check of the time would miss a change within a second
    }
    done = subprocess.run(
        [sys.executable, *(["-c", file.read_text()] if at_prompt else [str(file)])],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


@pytest.fixture(scope="module")
def without_kernels(tmp_path_factory):
    """Return a kernel cache that contains only the syntax trees of the package, which take a process a second."""
    folder = tmp_path_factory.mktemp("syntax")
    numbers_of("from ci_envs.kernels import sources; sources._digest(sources._project_files())", folder, ROOT)
    return folder / "cache"


@pytest.fixture
def run(tmp_path, without_kernels):
    """Run a program in a fresh process with its own kernel cache, and return the numbers that it prints."""
    shutil.copytree(without_kernels, tmp_path / "cache", dirs_exist_ok=True)

    def run(program: str, root: Path = ROOT, cache: Path = tmp_path / "cache", at_prompt: bool = False) -> list[int]:
        return numbers_of(program, tmp_path, root, cache, at_prompt)

    return run


@pytest.fixture(scope="module")
def compiled_quixo(tmp_path_factory):
    """Return a kernel cache of a process that ran ``QUIXO``."""
    folder = tmp_path_factory.mktemp("quixo")
    assert numbers_of(QUIXO, folder, ROOT) == [356, *COMPILED]
    return folder / "cache"


@pytest.fixture
def with_compiled_quixo(run, compiled_quixo, tmp_path):
    """Start with a kernel cache in which ``QUIXO`` is compiled."""
    shutil.copytree(compiled_quixo, tmp_path / "cache", dirs_exist_ok=True)


def test_an_edited_game_from_outside_is_compiled_again_and_an_unchanged_one_is_not(run, tmp_path):
    module = tmp_path / "countdown.py"
    program = "from countdown import Countdown; report(Countdown(4), 2)"
    module.write_text(COUNTDOWN)
    assert run(program) == [3 + 2 + 1, *COMPILED]
    module.write_text(COUNTDOWN.replace("action < np.uint64(3)", "action < np.uint64(2)"))
    assert run(program) == [2 + 2, *COMPILED]
    assert run(program) == [2 + 2, *CACHED]
    module.write_text(COUNTDOWN)
    assert run(program) == [3 + 2 + 1, *CACHED]
    module.unlink()
    assert run(QUIXO) == [356, *COMPILED]  # the process cannot import the game that is in the cache
    module.write_text(COUNTDOWN)
    assert run(program) == [3 + 2 + 1, *CACHED]


def test_an_edited_module_beside_the_games_own_is_seen(run, tmp_path):
    (tmp_path / "limit.py").write_text("import numpy as np\n\nMOST = np.uint64(3)\n")
    (tmp_path / "countdown.py").write_text(
        "from limit import MOST\n" + COUNTDOWN.replace("action < np.uint64(3)", "action < MOST")
    )
    program = "from countdown import Countdown; report(Countdown(4), 2)"
    assert run(program) == [6, *COMPILED]
    (tmp_path / "limit.py").write_text("import numpy as np\n\nMOST = np.uint64(2)\n")
    assert run(program) == [4, *COMPILED]
    assert run(program) == [4, *CACHED]


@pytest.mark.parametrize(
    "statement",
    [
        "import limit",
        "from limit import MOST",
        "def later():\n    import limit",
        "import importlib\nlimit = importlib.import_module('limit')",
        "limit = __import__('limit')",
        "import middle",
    ],
)
def test_code_depends_on_the_modules_beside_it_that_it_imports_and_on_no_others(statement, run, tmp_path):
    (tmp_path / "middle.py").write_text("from limit import *\n")
    (tmp_path / "other.py").write_text("SIZE = 1\n")
    (tmp_path / "rules.py").write_text(f"{statement}\n\n\nclass Rules:\n    pass\n")
    program = "import limit, rules\nfrom ci_envs.kernels.sources import sources_digest\n"
    program += "print(int(sources_digest([rules.Rules]), 16))"
    digests = []
    for most in (3, 2):
        (tmp_path / "limit.py").write_text(f"MOST = {most}\n")
        digests += run(program)
    assert digests[0] != digests[1]
    if "('limit')" not in statement:  # else it can depend on all loaded modules
        assert run(f"import other\n{program}") == digests[1:]


def test_modules_that_other_threads_import_meanwhile_do_not_disturb(monkeypatch):
    class Importing(ModuleType):
        @property
        def __file__(self):
            sys.modules["imported_meanwhile"] = ModuleType("imported_meanwhile")

    monkeypatch.setitem(sys.modules, "importing", Importing("importing"))
    try:
        assert sources_digest([Importing]) == sources_digest([Importing])
    finally:
        del sys.modules["imported_meanwhile"]


@pytest.mark.usefixtures("with_compiled_quixo")
def test_an_edited_rule_of_the_package_is_compiled_again_and_a_reverted_one_is_not(run, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "ci_envs", root / "ci_envs", ignore=shutil.ignore_patterns("__pycache__"))
    rules = root / "ci_envs" / "games" / "quixo.py"
    original = rules.read_text()
    old = "@implements(legal, Quixo)\n"
    new = f"{old}def _(game):\n    return lambda game, own, opp, action: True\n\n\n"  # also the opponent's cubes
    assert original.count(old) == 1

    rules.write_text(original.replace(old, new))
    assert run(QUIXO, root) == [400, *COMPILED]
    rules.write_text(original)
    assert run(QUIXO, root) == [356, *CACHED]


@pytest.mark.usefixtures("with_compiled_quixo")
@pytest.mark.parametrize(
    ("module", "reached"),
    [("games/walk.py", True), ("games/operations.py", True), ("games/nim.py", False), ("envs/vector.py", False)],
)
def test_an_edit_recompiles_only_kernels_that_can_reach_the_module(module, reached, run, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "ci_envs", root / "ci_envs", ignore=shutil.ignore_patterns("__pycache__"))
    file = root / "ci_envs" / module
    file.write_text(file.read_text() + "\n_NEW = 1\n")
    assert run(QUIXO, root) == [356, *(COMPILED if reached else CACHED)]


# Counts the functions that are compiled to make an environment and to step it.
MOVE = """
from numba.core import event

compiled = []


class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started)

    def on_end(self, ended):
        pass


event.register("numba:compile", Listener())

import ci_envs

env = ci_envs.make("Quixo-v0:size=3")
env.reset(seed=1)
env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
"""

# Plays a match between two searches.
MATCH = """
from ci_envs.arena import compare

compare("Quixo-v0:size=3", ["minimax:depth=2", "mcts:simulations=20"], games=2)
"""

PRINT = "print(len(compiled))"


def test_comments_and_code_above_a_kernel_do_not_recompile_it(run, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "ci_envs", root / "ci_envs", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(MOVE + PRINT)[0] > 5
    run(MOVE + MATCH, root, cache_root())  # other tests can have compiled all of it
    unique = uuid.uuid4().hex  # so that the cache contains no kernel of an earlier run of this test
    for file in (root / "ci_envs").rglob("*.py"):
        text = file.read_text()
        above = file.relative_to(root / "ci_envs").parts[0] in {"web", "cli", "arena"}
        documented = text.replace('"""\n', f'More words: {unique}.\n"""\n', 1)
        file.write_text(f"# A comment: {unique}.\n{documented}" + f"_NEW = {unique!r}\n" * above)
    assert run(MOVE + MATCH + PRINT, root, cache_root()) == [0]


@pytest.mark.usefixtures("with_compiled_quixo")
def test_the_same_sources_in_another_folder_share_compiled_code(run, tmp_path):
    shutil.copytree(ROOT / "ci_envs", tmp_path / "copy" / "ci_envs", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(QUIXO, tmp_path / "copy") == [356, *CACHED]


def test_functions_with_one_name_have_different_cache_entries(run, tmp_path):
    """Their bytecode is the same. Their constants and the names in the code differ."""
    (tmp_path / "same_name.py").write_text(
        """
from ci_envs.kernels.compiler import kernel

A, B = 10, 20

def of_constant(first):
    if first:
        @kernel
        def value(): return 1
    else:
        @kernel
        def value(): return 2
    return value()

def of_name(first):
    if first:
        @kernel
        def value(): return A
    else:
        @kernel
        def value(): return B
    return value()
"""
    )
    program = "from same_name import *; print(*(f(first) for f in (of_constant, of_name) for first in (True, False)))"
    for _ in range(2):
        assert run(program) == [1, 2, 10, 20]


def test_a_kernel_is_compiled_again_if_the_class_of_a_cached_argument_is_gone(run, tmp_path):
    """For example, the class belongs to a package that was uninstalled, or to another version of this package."""
    kernel_source = "from ci_envs.kernels.compiler import kernel\n\n@kernel\ndef first(values): return values[0]\n"
    (tmp_path / "first.py").write_text(kernel_source)
    memory = tmp_path / "memory.py"
    memory.write_text("from typing import NamedTuple\n\nclass Memory(NamedTuple):\n    size: int\n")
    program = "from first import first; print(first({}), *map(len, (first.stats.cache_hits, first.stats.cache_misses)))"
    with_class = f"from memory import Memory; {program.format('Memory(7)')}"
    assert run(with_class) == [7, *COMPILED]
    assert run(with_class) == [7, *CACHED]
    memory.unlink()
    assert run(program.format("(8, 9)")) == [8, *COMPILED]
    assert run(program.format("(8, 9)")) == [8, *CACHED]


@pytest.mark.usefixtures("with_compiled_quixo")
def test_a_damaged_or_unreadable_file_of_syntax_trees_is_made_again(run, tmp_path):
    known = tmp_path / "cache" / "imports.json"
    content = known.read_bytes()
    without_exit = f"{QUIXO}\nimport os, sys; sys.stdout.flush(); os._exit(0)"  # as the children of multiprocessing end
    for damage, program in ((b"", QUIXO), (content[:1000], QUIXO), (b"[1, 2]", QUIXO), (b"7", without_exit)):
        known.write_bytes(damage)
        assert run(program) == [356, *CACHED]
        assert known.read_bytes() == content


# Prints how many files each of two forked children parses.
FORKED = """
import multiprocessing

from ci_envs.kernels import sources


def work(queue):
    parsed, original = [], sources._parsed
    sources._parsed = lambda content: parsed.append(content) or original(content)
    sources._digest(sources._project_files())
    queue.put(len(parsed))


sources.sources_digest([sources.cache_root])  # the parent knows a part
context = multiprocessing.get_context("fork")
for _ in range(2):
    queue = context.SimpleQueue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    print(queue.get())
    child.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forked_children_share_the_syntax_of_sources(tmp_path):
    first, second = numbers_of(FORKED, tmp_path, ROOT)
    assert first > 100
    assert second == 0


# Prints a digest of the linker name of the kernel of a record.
LINKED_NAME = """
import zlib

import numpy as np

from ci_envs.kernels.compiler import kernel


@kernel
def last(records):
    return records[0].last


def print_name(*fields):
    last(np.zeros(1, [*fields, ("last", np.int64)]))
    [compiled] = last.overloads.values()
    print(zlib.crc32(compiled.fndesc.mangled_name.encode()))
"""


def test_kernels_of_different_records_have_different_names_in_all_processes(run, tmp_path):
    (tmp_path / "linked_name.py").write_text(LINKED_NAME)
    names = []
    for kind in ("int64", "float64"):
        cache = shutil.copytree(tmp_path / "cache", tmp_path / kind)
        names += run(f"from linked_name import *; print_name(('first', np.{kind}))", cache=cache)
    assert names[0] != names[1]


@pytest.mark.slow
def test_games_of_a_programs_own_main_module_do_not_disturb_other_programs(run):
    first = COUNTDOWN + "report(Countdown(4), 2)"
    second = first.replace("action < np.uint64(3)", "action < np.uint64(2)")
    assert run(first) == [6, *COMPILED]
    assert run(second) == [4, *COMPILED]  # of the same name and parameters
    assert run(QUIXO) == [356, *COMPILED]  # without such a class
    assert run(first) == [6, *CACHED]


LEAST = """
LEAST = np.load({path!r})


@kernel
def least():
    return LEAST[0]
"""


def test_code_is_compiled_again_if_a_value_changes_that_comes_from_a_file(run, tmp_path):
    table = tmp_path / "least.npy"
    rules = COUNTDOWN.replace("own == np.uint64(0)", "own == LEAST[0]") + LEAST.format(path=str(table))
    (tmp_path / "countdown.py").write_text("from ci_envs.kernels.compiler import kernel\n" + rules)
    program = "from countdown import *; report(Countdown(4), 2); print(least(), sum(least.stats.cache_misses.values()))"
    for value, numbers in ((0, [6, *COMPILED, 0, 1]), (2, [4, *COMPILED, 2, 1]), (0, [6, *CACHED, 0, 0])):
        np.save(table, np.array([value], np.uint64))
        assert run(program) == numbers


NUMBER, LISTED, NESTED, ARRAY, MODULE = 3, [1, 2], {"a": (1, [2.5])}, np.arange(4), ModuleType("of_a_user")
MODULE.__file__, MODULE.LIMIT = "of_a_user.py", 1


def called(x):
    return x + NUMBER


CALLED = kernel(called)
USES = [
    lambda: NUMBER,
    lambda: [LISTED for _ in range(2)],
    lambda: NESTED,
    lambda: ARRAY,
    lambda: MODULE.LIMIT,
    lambda: called(1),
    lambda: CALLED(1),
    property(called),
    staticmethod(called),
    cached_property(called),
]


@pytest.mark.parametrize(
    ("use", "names", "value"),
    [
        (USES[0], ("NUMBER",), 4),
        (USES[0], ("NUMBER",), 3.0),
        (USES[1], ("LISTED",), [1, 3]),
        (USES[2], ("NESTED",), {"a": (1, [2.0])}),
        (USES[3], ("ARRAY",), np.arange(4)[::-1]),
        (USES[3], ("ARRAY",), np.arange(4, dtype=np.int32)),
        (USES[3], ("ARRAY",), np.arange(4).reshape(2, 2)),
        (USES[4], ("MODULE", "LIMIT"), 2),
        (USES[5], ("NUMBER",), 4),
        (USES[6], ("NUMBER",), 4),
        (USES[7], ("NUMBER",), 4),
        (USES[8], ("NUMBER",), 4),
        (USES[9], ("NUMBER",), 4),
    ],
)
def test_a_digest_of_constants_follows_the_values_that_code_uses(monkeypatch, use, names, value):
    before = constants_digest([use])
    monkeypatch.setitem(globals(), "NEW", 1)
    assert constants_digest([use]) == before
    if len(names) == 2:
        monkeypatch.setattr(globals()[names[0]], names[1], value)
    else:
        monkeypatch.setitem(globals(), names[0], value)
    assert constants_digest([use]) != before


def test_a_game_without_a_source_file_is_played_and_never_cached(run):
    typed = COUNTDOWN + "report(Countdown(4), 2)"
    executed = f"exec({COUNTDOWN!r}); report(Countdown(4), 2)"  # the class has a file, its kernels have none
    for _ in range(2):
        assert run(typed, at_prompt=True) == [6, *COMPILED]
        assert run(executed) == [6, *COMPILED]


def test_without_a_writable_cache_every_process_compiles(run, tmp_path):
    (tmp_path / "file").touch()
    assert run(QUIXO, cache=tmp_path / "file" / "cache")[0] == 356


@pytest.mark.parametrize(
    "constant",
    [np.arange(200_000), np.arange(10)[::-1], math_library.fabs],
    ids=["large array", "array that is not contiguous", "C function"],
)
def test_a_kernel_with_an_address_of_this_process_runs_and_is_not_stored(monkeypatch, constant):
    monkeypatch.setattr(cache, "_warned", False)  # another test can have warned
    value = (lambda x: constant(-x)) if callable(constant) else (lambda x: constant[int(x)])
    for _ in range(2):
        compiled = kernel(value)
        with pytest.warns(RuntimeWarning, match="each run compiles again, because compiled code uses a C function, or"):
            assert compiled(4.0) == value(4.0)
        assert not compiled.stats.cache_hits
        monkeypatch.setattr(cache, "_warned", False)


def test_caches_unused_for_long_are_removed(run, tmp_path):
    kernels = tmp_path / "cache" / "kernels"
    for name, days in (("old", 30), ("recent", 1)):
        (kernels / name).mkdir(parents=True)
        (kernels / name / "code.nbc").touch()
        then = time.time() - days * 24 * 3600
        os.utime(kernels / name, (then, then))
    (kernels / "gone").symlink_to(kernels / "nowhere")  # as if another process removed the file
    run("import ci_envs.games.walk")
    assert not (kernels / "old").exists()
    assert (kernels / "recent").exists()


def test_the_digest_of_a_class_does_not_depend_on_the_loaded_modules():
    for module in pkgutil.walk_packages(ci_envs.__path__, "ci_envs."):
        if module.name not in ("ci_envs.__main__", "ci_envs.openspiel"):
            importlib.import_module(module.name)
    for function, builders in dispatch._builders.items():
        for cls, builder in builders.items():
            if cls.__module__.startswith("ci_envs.") and builder.__module__ != function.__module__:
                package = cls.__module__.rpartition(".")[0]
                loaded = sources._reachable_files(cls.__module__) | sources._reachable_files(package)
                assert Path(inspect.getfile(builder)).resolve() in loaded, (function.__name__, cls, builder.__module__)


ALGEBRA = """
import numpy as np

from ci_envs.kernels.compiler import kernel


@kernel
def solved(matrix):
    return np.linalg.solve(matrix @ matrix, matrix.sum(axis=1)).sum()
"""
USES_ALGEBRA = """
import sys

import numpy as np

from ci_envs import Position, Quixo, perft
from algebra import solved

print(perft(Position.start(Quixo(3)), 2), int("scipy.linalg" in sys.modules))
print(int(10 * solved(np.diag([1.0, 2.0]))), sum(solved.stats.cache_hits.values()))
"""


def test_only_a_kernel_with_linear_algebra_imports_that_of_scipy(run, tmp_path):
    (tmp_path / "algebra.py").write_text(ALGEBRA)
    assert run(USES_ALGEBRA) == [356, 0, 15, 0]
    assert run(USES_ALGEBRA) == [356, 0, 15, 1]


def test_an_operation_is_implemented_once_for_a_class():
    with pytest.raises(ValueError, match="result is implemented for ConnectN already"):
        implements(result, ConnectN)


@pytest.mark.parametrize("function", [len, Position.play, popcount])
def test_only_an_operation_can_be_implemented(function):
    with pytest.raises(ValueError, match=r"is not an operation. Operations: .*legal"):
        implements(function, Quixo)


def test_a_game_that_lacks_operations_is_refused_in_one_line():
    namespace = {}
    exec(COUNTDOWN.partition("@implements(play")[0], namespace)
    game = namespace["Countdown"]()
    with pytest.raises(TypeError, match=r"^Countdown does not implement play, result$"):
        _ = Position.start(game).result
    for make in (BoardEnv, RandomAgent):
        with pytest.raises(TypeError, match=r"^Countdown does not implement observe, decode$"):
            make(game)


@dataclass(frozen=True)
class ThirdStoneWins(ConnectN):
    """A game with its own result. It inherits the other operations."""


@implements(result, ThirdStoneWins)
def _(game):
    def kernel(game, own, opp):
        return LOSS if popcount(own | opp) == np.uint64(3) else ONGOING

    return kernel


def test_the_nearest_class_decides_and_the_rest_is_inherited():
    position = Position.start(ThirdStoneWins(3, 3, 3))
    for cell in ("a1", "b2", "c3"):
        assert position.result is None
        position = position.play(position.parse_action(cell))
    assert position.result == -1
    assert Position.from_text(ConnectN(3, 3, 3), position.to_text()).result is None


@kernel
def bits_of(word, n):
    return popcount(word), trailing_zeros(word), nth_one(word, n)


nth_one_loop = kernel(bit_kernels._nth_one_loop)


@dataclass(frozen=True)
class WeightedNim(Nim):
    """Nim with a field that is a constant of the compiled code, unlike the fields of Nim."""

    weight: int = 0


@implements(evaluate, WeightedNim)
def _(game):
    weight = game.weight
    return lambda game, own, opp: weight * game.heap_count


@kernel
def estimate(game, own, opp):
    return evaluate(game, own, opp)


def test_games_that_differ_in_run_time_fields_alone_share_compiled_code():
    games = [WeightedNim(heaps, weight=weight) for heaps in ((1, 2), (3, 4, 5), (255,) * 8) for weight in (10, 20)]
    assert [estimate(game, np.uint64(game.first_word), np.uint64(0)) for game in games] == [20, 40, 30, 60, 80, 160]
    assert len(estimate.overloads) == 2  # one kernel for each weight


def test_a_run_time_number_that_cannot_be_computed_is_an_error_and_no_crash():
    @dataclass(frozen=True)
    class UnmeasuredNim(Nim):
        run_time_names = (*Nim.run_time_names, "size")

        @property
        def size(self):
            raise ArithmeticError("no size")

    with pytest.raises(ArithmeticError, match="no size"):
        Position.start(UnmeasuredNim())


def test_bit_functions_agree_with_python():
    rng = np.random.default_rng(0)
    words = [int(word) for word in rng.integers(0, 2**64, 300, dtype=np.uint64)]
    words += [1 << k for k in range(64)] + [2**64 - 1, (1 << 63) + 1]
    for word in words:
        ones = [k for k in range(64) if word >> k & 1]
        n = int(rng.integers(len(ones)))
        assert bits_of(np.uint64(word), np.uint64(n)) == (len(ones), ones[0], ones[n])
        assert nth_one_loop(np.uint64(word), np.uint64(n)) == ones[n]
    assert bits_of(np.uint64(0), np.uint64(0))[:2] == (0, 64)
    pairs = np.array(words[:300], dtype=np.uint64).reshape(100, 3)[:, :2]
    assert bit_counts(pairs).tolist() == [[word.bit_count() for word in pair] for pair in pairs.tolist()]
