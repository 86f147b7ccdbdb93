"""The cache of compiled code on disk: damage, files that cannot be written, and users without a home directory."""

import errno
import os
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import pytest
from click.testing import CliRunner
from llvmlite.binding import ObjectFileRef

from ci_envs import ConnectN
from ci_envs.cli.main import main
from ci_envs.games.operations import LOSS, evaluate, result
from ci_envs.kernels import cache
from ci_envs.kernels.compiler import inline_kernel, kernel, lean_kernel
from ci_envs.kernels.dispatch import implements
from ci_envs.storage import checked_file, user_folders


def double(number):
    return 2 * number


def call():
    """Call a new compiled function. Return its result and whether its code came from the cache."""
    compiled = kernel(double)
    return compiled(4), bool(compiled.stats.cache_hits)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a new folder for the cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)
    cache.cache_folder.cache_clear()
    yield tmp_path / "cache"
    cache.cache_folder.cache_clear()


def make_folder(file):
    file.unlink()
    (file / "inside").mkdir(parents=True)


def make_pipe(file):
    file.unlink()
    os.mkfifo(file)


def make_loop(file):
    file.unlink()
    file.symlink_to(file)


def change_byte(place):
    def change(file):
        content = bytearray(file.read_bytes())
        content[place * len(content) // 100] ^= 1
        file.write_bytes(content)

    return change


def double_and_one(number):
    return inner(number) + 1


def nested():
    """Return a new compiled function, and one that calls it."""
    global inner  # noqa: PLW0603 - compiled code reads global names
    inner = kernel(double)
    return inner, kernel(double_and_one)


def reads_cache(function):
    return bool(function.stats.cache_hits)


DAMAGES = {
    "empty": lambda file: file.write_bytes(b""),
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "one byte left": lambda file: file.write_bytes(file.read_bytes()[:1]),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "a changed byte at the start": change_byte(0),
    "a changed byte of machine code": change_byte(60),
    "an unknown class": lambda file: checked_file.write_checked(file, b"cno_such_module\nThing\n."),
    "another object": lambda file: checked_file.write_checked(file, b"N."),
    "a folder": make_folder,
    "a pipe": make_pipe,
    "a loop of links": make_loop,
    "missing": Path.unlink,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_a_miss_and_the_file_is_replaced(damage, folder):
    assert call() == (8, False)
    assert call() == (8, True)
    [file] = folder.rglob("*.nbc")
    damage(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call() == (8, False)
        assert call() == (8, True)
    assert list(folder.rglob("*.nbc")) == [file]


def test_a_function_that_compiled_code_has_called_can_be_called_from_python(folder):
    inner, outer = nested()
    assert outer(4) == 9
    assert (inner(4), inner(2.5), outer(5)) == (8, 5.0, 11)
    inner, outer = nested()  # as in another process
    assert (inner(4), outer(4)) == (8, 9)
    assert reads_cache(inner)
    assert reads_cache(outer)


def test_the_code_that_a_compiled_caller_left_in_the_cache_is_compiled_again_for_python(folder):
    _, outer = nested()
    assert outer(4) == 9
    inner, outer = nested()
    assert (outer(4), reads_cache(outer)) == (9, True)
    assert (inner(4), reads_cache(inner)) == (8, False)
    assert call() == (8, True)
    assert len(list(folder.rglob("*.nbc"))) == 2


def bytes_of_machine_code(function):
    [compiled] = function.overloads.values()
    sections = ObjectFileRef.from_data(compiled.library._get_compiled_object()).sections()
    return sum(section.size() for section in sections if section.is_text())


def test_only_functions_that_python_calls_have_machine_code(folder):
    inner, outer = nested()
    assert outer(4) == 9
    assert bytes_of_machine_code(inner) == 0
    assert bytes_of_machine_code(outer) > 0
    assert inner(4) == 8
    assert bytes_of_machine_code(inner) > 0


def factorial(number):
    return number * again(number - 1) if number > 1 else 1


def root_of_factorial(number):
    return np.sqrt(again(number))


def test_a_new_caller_contains_the_code_of_a_function_from_the_cache(folder):
    global again, inner  # noqa: PLW0603 - compiled code reads global names
    again = inner = kernel(factorial)
    assert kernel(root_of_factorial)(4) == 24**0.5
    again = inner = kernel(factorial)  # as in another process
    assert kernel(double_and_one)(4) == 25
    assert numba.njit(double_and_one)(5) == 121
    assert reads_cache(again)


def is_even(number):
    if number == 0:
        return True
    return odd(number - 1)


def is_odd(number):
    if number == 0:
        return False
    return even(number - 1)


def parities(number):
    return even(number), odd(number)


@pytest.mark.parametrize("kind", [kernel, lean_kernel, inline_kernel])
def test_functions_that_call_each_other_are_not_stored(kind, folder):
    global even, odd
    for _ in range(2):  # as in two processes: stored code of the first one would crash the second
        even, odd = kind(is_even), kind(is_odd)
        with pytest.warns(RuntimeWarning, match="compiled functions call each other"):
            assert kernel(parities)(6) == (True, False)
        assert (even(7), odd(7)) == (False, True)
        cache._warned = False
    assert not list(folder.rglob("*.nbc"))


built = []


@dataclass(frozen=True)
class CountedBuilds(ConnectN):
    """A game that counts how often Numba asks for the kernel of its result."""


@implements(result, CountedBuilds)
def _(game):
    built.append(game)
    return lambda game, own, opp: LOSS


@implements(evaluate, CountedBuilds)
def _(game):
    return lambda game, own, opp: 10 * result(game, own, opp)


def in_words(function):
    def call(game, own, opp):
        return function(game, own, opp)

    return call


def test_an_operation_is_compiled_once_for_all_its_callers(folder):
    game, words = CountedBuilds(3, 3, 3), (np.uint64(5), np.uint64(2))
    kinds = kernel, lean_kernel, inline_kernel
    callers = [kind(in_words(function)) for kind in kinds for function in (result, evaluate)]
    callers += [kind(in_words(caller)) for kind, caller in zip(kinds, callers, strict=False)]
    assert [caller(game, *words) for caller in callers] == [-1, -10, -1, -10, -1, -10, -1, -10, -1]
    assert len(built) == 1


@pytest.mark.extended
def test_threads_call_a_function_and_its_compiled_caller(folder):
    for _ in range(5):
        shutil.rmtree(folder, ignore_errors=True)
        cache.cache_folder.cache_clear()
        functions = nested()
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda number, functions=functions: functions[number % 2](number), range(8))) == [
                0, 3, 4, 7, 8, 11, 12, 15,
            ]  # fmt: skip


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOLCK, errno.EDQUOT])
def test_a_cache_that_cannot_be_written_is_reported_once(error, folder, monkeypatch):
    def fail(*_, **__):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(checked_file, "write_whole", fail)
    with pytest.warns(RuntimeWarning, match=rf"{os.strerror(error)}. NUMBA_CACHE_DIR=DIR") as found:
        assert [call(), call()] == [(8, False), (8, False)]
    assert len(found) == 1
    assert "\n" not in str(found[0].message)


def test_a_cache_of_another_user_is_read(folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    assert call() == (8, False)
    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(checked_file, "write_whole", refuse)
    cache.cache_folder.cache_clear()
    assert call() == (8, True)


def test_a_file_in_place_of_the_folder(folder):
    folder.write_text("a file")
    with pytest.warns(RuntimeWarning, match="Not a directory"):
        assert call() == (8, False)
    assert folder.read_text() == "a file"


def test_a_folder_that_is_removed_later(folder):
    compiled = kernel(double)
    shutil.rmtree(folder)
    assert compiled(4) == 8
    assert call() == (8, True)


NO_HOME = """
import pwd, sys


def unknown(uid):
    raise KeyError(uid)


pwd.getpwuid = unknown
from ci_envs.cli.main import main
main()
"""


def without_home(*arguments):
    variables = {name: text for name, text in os.environ.items() if name not in ("HOME", "NUMBA_CACHE_DIR")}
    variables = {name: text for name, text in variables.items() if not name.startswith("XDG_")}
    command = [sys.executable, "-c", NO_HOME, *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.extended
def test_commands_run_without_a_home_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = without_home("solve", "Quixo-v0:size=2", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert '"value": ' in done.stdout
    assert done.stderr.count("compiled code cannot be stored") == 1
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []  # no folder "~"


def test_a_list_of_the_agents_writes_nothing_to_the_home_directory(tmp_path):
    """ONNX Runtime would write an identifier of the machine."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-m", "ci_envs", "list", "agents"], env=environment, check=True, capture_output=True
    )
    folder = ["-c", "import ci_envs.agents.alphazero.onnx_inference"]
    subprocess.run([sys.executable, *folder], env=environment, check=True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "ci_envs" not in path.parts]


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (
            "book ConnectN-v0:rows=3,cols=4,n=3,gravity=true",
            "set the environment variable HOME, or choose a file with --output FILE",
        ),
        ("serve", "set the environment variable HOME. Choose a file with --games FILE"),
    ],
)
def test_a_command_that_writes_in_the_home_directory_names_the_option_for_another_place(command, advice, monkeypatch):
    def fail(_):
        raise RuntimeError("could not determine the home directory")

    for name in ("user_cache_path", "user_data_path"):
        monkeypatch.setattr(user_folders, name, fail)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert advice in result.stderr


def test_the_book_names_the_option_if_the_home_directory_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(user_folders, "user_cache_path", lambda name: tmp_path / "home" / name)
    (tmp_path / "home").write_text("not a folder")
    result = CliRunner().invoke(main, ["book", "ConnectN-v0:rows=4,cols=4,n=3,gravity=true"])
    assert result.exit_code == 2
    assert result.stderr.endswith("or choose a file with --output FILE\n")


def test_the_server_names_the_option_if_the_home_directory_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(user_folders, "user_data_path", lambda name: tmp_path / "home" / name)
    (tmp_path / "home").write_text("not a folder")
    result = CliRunner().invoke(main, ["serve"])
    assert result.exit_code == 2
    assert result.stderr.endswith("Choose a file with --games FILE\n")
    result = CliRunner().invoke(main, ["serve", "--games", str(tmp_path / "home" / "games")])
    assert result.stderr.endswith("Choose another file with --games FILE\n")
