"""Files that a user names: links, modes, devices, pipes, folders, and what is already there."""

import errno
import gzip
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from ci_envs import Position, TicTacToe, make_agent, show
from ci_envs.arena import compare
from ci_envs.arena.tournament_folder import TournamentFolder
from ci_envs.cli.main import main
from ci_envs.drawing.picture_file import save_animation
from ci_envs.optimisation import read_scp, set_covering, write_scp
from ci_envs.storage import files
from ci_envs.storage.arrays import write_arrays
from ci_envs.storage.block_file import write_blocks
from ci_envs.storage.files import write_csv, write_whole
from ci_envs.storage.locks import locked
from ci_envs.training import train

OLD, NEW = b"the old content", b"new"


@pytest.fixture(autouse=True)
def _in_a_new_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ci_envs(command):
    return CliRunner().invoke(main, command.split())


def write_board(path):
    show(Position.start(TicTacToe())).save(path)


def write_game(path):
    save_animation([Position.start(TicTacToe()).draw()], path)


def run_command(command):
    def write(path):
        result = ci_envs(f"{command} {path}")
        assert result.exit_code == 0, result.output

    return write


def write_network(path):
    from ci_envs.storage.tensors import write_tensors

    write_tensors(path, {}, {})


WRITERS = {
    "write_whole": (lambda path: write_whole(path, NEW), ".txt"),
    "write_csv": (lambda path: write_csv(path, [[1, 2]]), ".csv"),
    "write_arrays": (lambda path: write_arrays(path, "form", {}, {}), ".npz"),
    "write_tensors": (write_network, ".safetensors"),
    "write_scp": (lambda path: write_scp(set_covering(5), path), ".txt"),
    "picture": (write_board, ".svg"),
    "animation": (write_game, ".svg"),
    "--json": (run_command("list problems --json"), ".json"),
    "--csv": (run_command("list problems --csv"), ".csv"),
    "--output": (run_command("render TicTacToe-v0 --output"), ".svg"),
    "--plot": (run_command("compare Nim-v0:heaps=1,2 random random --games 2 --plot"), ".svg"),
}


@pytest.mark.extended
@pytest.mark.parametrize(("write", "suffix"), WRITERS.values(), ids=WRITERS)
def test_every_writer_follows_links_and_keeps_modes_pipes_and_other_names(write, suffix):
    file, link, dangling, pipe, hard = (Path(f"{name}{suffix}") for name in ("file", "link", "none", "pipe", "hard"))
    file.write_bytes(OLD)
    file.chmod(0o640)
    link.symlink_to(file)
    write(link)
    assert link.is_symlink()
    content = file.read_bytes()
    assert content != OLD
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    dangling.symlink_to(f"target{suffix}")
    write(dangling)
    assert dangling.is_symlink()
    assert dangling.stat().st_size == len(content)
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(20)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [len(one) for one in received] == [len(content)]
    hard.hardlink_to(file)
    file.write_bytes(OLD)
    write(file)
    assert hard.stat().st_size == len(content)
    names = {f"{name}{suffix}" for name in ("file", "link", "none", "pipe", "hard", "target")}
    assert {one.name for one in Path().iterdir()} == names


def test_large_blocks_go_through_links(tmp_path):
    import numpy as np

    (tmp_path / "link").symlink_to("file")
    write_blocks(tmp_path / "link", {}, np.ones(100, np.uint8))
    assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes devices")
def test_a_device_stays_a_device_and_a_file_keeps_its_owner():
    os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    assert ci_envs("list problems --json null").exit_code == 0
    assert stat.S_ISCHR(Path("null").stat().st_mode)
    Path("file").write_bytes(OLD)
    os.chown("file", 1234, 1235)
    write_whole(Path("file"), NEW)
    status = Path("file").stat()
    assert (status.st_uid, status.st_gid) == (1234, 1235)


@pytest.mark.parametrize(
    "command",
    [
        "plot {} --output x.svg",
        "verify {}",
        "compare TicTacToe-v0 random neat:{}",
        "compare Quixo-v0 random sb3:{}",
        "compare TicTacToe-v0 random q_learning:{}",
    ],
)
def test_a_device_is_not_read_because_its_content_can_have_no_end(command):
    """The content of this device has an end, so a failure of the test costs no memory."""
    result = ci_envs(command.format(os.devnull))
    assert (result.exit_code, "A device is not a file" in result.output) == (2, True), result.output


def test_a_problem_is_read_from_a_pipe_but_not_from_a_device():
    pipe, end = os.pipe()
    os.write(end, b"2 2 1 1 1 1 1 2")
    os.close(end)
    assert read_scp(f"/dev/fd/{pipe}", layout="rows").costs.tolist() == [1, 1]
    os.close(pipe)
    with pytest.raises(OSError, match="A device is not a file"):
        read_scp(os.devnull)


def test_a_new_file_has_the_mode_of_the_umask():
    for mask, mode in ((0o077, 0o600), (0o022, 0o644)):
        before = os.umask(mask)
        write_whole(Path(f"file{mask}"), NEW)
        os.umask(before)
        assert stat.S_IMODE(Path(f"file{mask}").stat().st_mode) == mode


@pytest.mark.extended
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_an_open_file_gets_the_content_between_the_other_output(path):
    Path("link").symlink_to("/dev/stdout")
    code = (
        "import sys; from pathlib import Path; from ci_envs.storage.files import write_whole\n"
        "print('before'); write_whole(Path(sys.argv[1]), b'new\\n'); print('after')"
    )
    with Path("out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code, path], stdout=out, check=True)
    assert Path("out").read_text() == "before\nnew\nafter\n"


def test_process_substitution_of_a_shell():
    code = "from ci_envs.cli.main import main; main()"
    command = f"'{sys.executable}' -c '{code}' list problems --json >(gzip > x.gz); wait $!"
    subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.DEVNULL)
    assert b"SetCovering-v0" in gzip.decompress(Path("x.gz").read_bytes())


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(16, "busy"), OSError(18, "another device")])
def test_a_file_that_cannot_be_replaced_is_written_in_place(error, monkeypatch):
    """For example a file in a read-only folder, or a file that is mounted into a container."""

    def refuse(*_):
        raise error

    Path("file").write_bytes(OLD)
    monkeypatch.setattr(Path, "replace", refuse)
    write_whole(Path("file"), NEW)
    assert Path("file").read_bytes() == NEW
    assert [one.name for one in Path().iterdir()] == ["file"]


def test_a_full_disk_keeps_the_old_file_and_names_it(monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    Path("file").write_bytes(OLD)
    monkeypatch.setattr(files, "_write", fail)
    with pytest.raises(OSError, match=r"No space left on device: 'file'$"):
        write_whole(Path("file"), NEW)
    assert Path("file").read_bytes() == OLD
    assert [one.name for one in Path().iterdir()] == ["file"]


@pytest.mark.parametrize(
    "path", ["folder", "no/file", "file/file", "loop", "broken", "x" * 256, "/dev/full", "/dev/fd/99"]
)
def test_a_path_that_cannot_be_written_is_an_error_with_its_name(path):
    Path("folder").mkdir()
    Path("file").write_bytes(OLD)
    Path("loop").symlink_to("loop")
    Path("broken").symlink_to("no/file")
    with pytest.raises(OSError, match=f": '{path}'$"):
        write_whole(Path(path), NEW)
    assert Path("loop").is_symlink()
    assert Path("file").read_bytes() == OLD


def test_a_long_name_is_written():
    write_whole(Path("x" * 255), NEW)
    assert Path("x" * 255).read_bytes() == NEW


# --- folders and files that a command fills


QUICK = {"table_mb": 8, "episodes": 20, "ladder": ("random",), "ladder_games": 2}
FOREIGN = {
    "a config of something else": {"config.json": b'{"options": {}, "lr": 1}'},
    "a config that is not JSON": {"config.json": b"\xff\xfe"},
    "a learning curve": {"curve.csv": OLD},
    "a best agent": {"best.npz": OLD},
    "a checkpoint": {"checkpoint.npz": OLD},
    "two files": {"best.npz": OLD, "curve.csv": OLD},
}


@pytest.mark.parametrize("found", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("resume", [False, True])
def test_a_training_refuses_a_folder_with_files_of_others(found, resume):
    folder = Path("proj")
    folder.mkdir()
    temporary = {".config.json.abc.tmp": OLD, ".notes.txt.1.tmp": OLD}
    for name, content in (found | temporary).items():
        (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]*proj[^\n]*$") as caught:
        train("q_learning", "TicTacToe-v0", output=folder, resume=resume, **QUICK)
    assert resume or all(name in str(caught.value) for name in found)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == found | temporary


def test_a_training_removes_only_its_own_unfinished_files():
    folder = Path("proj")
    folder.mkdir()
    for name in (".config.json.abc.tmp", ".notes.txt.1.tmp", "notes.txt"):
        (folder / name).write_bytes(OLD)
    train("q_learning", "TicTacToe-v0", output=folder, **QUICK)
    hidden = {file.name for file in folder.iterdir() if file.name.startswith((".", "notes"))}
    assert hidden == {".notes.txt.1.tmp", "notes.txt"}


@pytest.mark.parametrize("name", ["tournament.json", "match_1_2.json"])
@pytest.mark.parametrize("resume", [False, True])
def test_a_tournament_refuses_files_of_others(name, resume):
    Path(name).write_text("[1, 2]")
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        TournamentFolder(Path(), {"seed": 0}, resume=resume)
    assert [(file.name, file.read_text()) for file in Path().iterdir()] == [(name, "[1, 2]")]


def test_a_book_refuses_another_file():
    Path("thesis.txt").write_bytes(OLD)
    with pytest.warns(RuntimeWarning, match=r"'thesis\.txt' is damaged"):
        result = ci_envs("book ConnectN-v0:rows=3,cols=4,n=3,gravity=true --output thesis.txt")
    assert result.exit_code == 2
    assert "'thesis.txt' is not an opening book of" in result.stderr
    assert Path("thesis.txt").read_bytes() == OLD


@pytest.mark.parametrize("kind", ["device", "text"])
def test_the_server_refuses_another_file(kind):
    pytest.importorskip("fastapi")
    from ci_envs.web.store import Store

    path = Path("/dev/null") if kind == "device" else Path("notes.txt")
    if kind == "text":
        path.write_text("notes " * 1000)
        path.chmod(0o644)
    mode = path.stat().st_mode
    with pytest.raises(OSError, match=r"games cannot be kept in [^.]*(\.txt)?[^.]*$"):
        Store(path)
    assert path.stat().st_mode == mode


def test_the_server_refuses_a_file_that_cannot_be_written(monkeypatch):
    pytest.importorskip("fastapi")
    from ci_envs.web.store import Store

    Store("games.sqlite").close()
    Path("games.sqlite").chmod(0o444)
    opened = os.open

    def refuse(path, flags, *more):  # root may write any file
        if flags & os.O_RDWR and str(path).endswith("games.sqlite"):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        Store("games.sqlite")
    assert Path("games.sqlite").stat().st_mode & 0o777 == 0o444


# --- the names of files in spec strings


FOLDERS = (
    "lr=0.1",
    "runs/alpha=0.1,gamma=0.9",
    "path=a,b",
    "path=7",
    "x,path=y",
    "7",
    "1e3",
    "true",
    "none",
    "a b",
    "a:b",
    "a=b=c",
    "é",
    "[1]",
    "seed=3",
    "-x",
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return the file of a trained agent."""
    folder = tmp_path_factory.mktemp("run")
    train("q_learning", "TicTacToe-v0", output=folder, **QUICK)
    return folder / "best.npz"


@pytest.mark.parametrize("name", FOLDERS)
def test_the_spec_that_a_training_prints_can_be_played(name, table, monkeypatch):
    monkeypatch.setattr("ci_envs.training.learners.TrainingRun.execute", lambda *_, **__: None)
    Path(name).mkdir(parents=True)
    (Path(name) / "best.npz").write_bytes(table.read_bytes())
    spec = train("q_learning", "TicTacToe-v0", output=name, **QUICK)
    for text in (spec, f"q_learning:path='{name}/best.npz'"):
        make_agent(text, TicTacToe(), seed=0)
    assert ("'" in spec) == (name.startswith(("lr=", "path=", "a=", "seed=")) or "," in name)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sb3:best.npz", "is a file of the agent q_learning: write q_learning:best.npz"),
        ("alphazero:best.npz", "is a file of the agent q_learning: write q_learning:best.npz"),
        ("neat:best.npz", "is a file of the agent q_learning: write q_learning:best.npz"),
        ("monte_carlo:best.npz", "it is a table of q_learning"),
        ("q_learning:run", "'run' is a folder: write run/best.npz"),
        ("sb3:checkpoint.npz", "has the state of a run: write the path of its best agent instead"),
        ("q_learning:notes.json", "it is not a file of arrays"),
        ("q_learning:empty.npz", "it is not a file of arrays"),
    ],
)
def test_a_file_of_another_agent_is_named(spec, message, table):
    pytest.importorskip("torch")
    Path("run").mkdir()
    for name in ("best.npz", "run/best.npz"):
        Path(name).write_bytes(table.read_bytes())
    Path("checkpoint.npz").write_bytes((table.parent / "checkpoint.npz").read_bytes())
    Path("notes.json").write_text("{}")
    Path("empty.npz").touch()
    with pytest.raises((ValueError, OSError), match=r"^[^\n]+$") as caught:
        make_agent(spec, TicTacToe(), seed=0)
    assert message in str(caught.value)


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_tables_are_computed_on_a_file_system_without_locks(error, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def fail(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", fail)
    Path(".lock").write_bytes(OLD)
    with locked(Path(), "works", ".lock"):
        pass
    assert Path(".lock").read_bytes() == OLD


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no locks of folders")
@pytest.mark.parametrize("resume", [False, True])
def test_two_processes_cannot_play_one_tournament(resume):
    if resume:
        compare("Nim-v0", ["random", "random"], games=2, output="run")
    folder = Path("run")
    folder.mkdir(exist_ok=True)
    before = sorted(folder.iterdir())
    with (
        locked(folder, "tests"),
        pytest.raises(ValueError, match=r"another process plays a tournament in 'run': wait until it ends"),
    ):
        compare("Nim-v0", ["random", "random"], games=2, output="run", resume=resume)
    assert sorted(folder.iterdir()) == before
    assert compare("Nim-v0", ["random", "random"], games=2, output="run", resume=resume).games == 2
