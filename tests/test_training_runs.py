"""The shared part of all trainers: options, run folders, resuming after a kill, measurements and progress."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields, replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from crashing import Crash
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import ci_envs
from ci_envs import make_agent
from ci_envs.arena.match import play_match
from ci_envs.arena.ratings import elo_ratings
from ci_envs.baselines.config import PRESETS
from ci_envs.cli.main import main
from ci_envs.registry.games import resolve
from ci_envs.registry.options import read_options
from ci_envs.registry.presets import presets_of
from ci_envs.storage import files
from ci_envs.training import learners, progress, session_clock, train
from ci_envs.training.config import training_options
from ci_envs.training.curves import read_curve
from ci_envs.training.events import EventLog
from ci_envs.training.folder import CHECKPOINT, CONFIG, CURVE
from ci_envs.training.ladder import Ladder
from ci_envs.training.learners import lengths_of, make_config, trainer_of
from ci_envs.training.progress import Status, clock, short_number
from experiments.kill_training import CASES, check_kills, result_of

TRAINERS = {name: trainer_of(name) for name in CASES}
FIELDS = [(name, field.name) for name, trainer in TRAINERS.items() for field in fields(trainer.config_type)]
OTHERS = {
    ("alphazero", None): {"iterations": "7"},
    ("alphazero", "minutes"): {},
    ("alphazero", "keep_tree"): {"iterations": "7", "selection": "puct"},
    ("alphazero", "exact_iterations"): {"iterations": "7", "exact": "exact"},
    ("alphazero", "teacher"): {"iterations": "7", "teacher_iterations": "3"},
    ("alphazero", "teacher_iterations"): {"iterations": "7", "teacher": "file"},
    ("q_learning", "seat"): {"opponent": "random"},
    ("monte_carlo", "seat"): {"opponent": "random"},
    ("alphazero", "ray_address"): {"iterations": "7", "workers": "1"},
    **{(name, "ray_address"): {"workers": "1"} for name in ("evolution_strategy", "neat", "nim_ga", "nim_evolved")},
    ("neat", "random_plies"): {"random_share": "0.5"},
    ("evolution_strategy", "random_plies"): {"random_share": "0.5"},
    **{("sb3", option): {"algorithm": name} for name, arguments in PRESETS.items() for option in arguments},
}
"""Further options of a learner that have to be given together with an option, or with any other option."""
TICTACTOE = ci_envs.ConnectN(3, 3, 3)
SHORTER = {
    "alphazero": ("--iterations", "8"),
    "monte_carlo": ("--episodes", "500000"),
    "q_learning": ("--episodes", "1000000"),
    "sb3": ("--steps", "16000"),
}
"""Lengths of the runs that are killed, where those of the experiment take long."""
FREQUENT = {"ladder": ("random",), "ladder_games": 2, "measurements": 3, "checkpoint_seconds": 0}
QUICK = FREQUENT | {"episodes": 300, "table_mb": 8}


PRESETS_OF = [(name, preset) for name in TRAINERS for preset in presets_of(name)]
SECTION_GAMES = {"A2": "Nim-v0:misere=true", "A4": "TicTacToe-v0", "B32": "Nim-v0", "E": "ConnectN-v0"}


def ci_envs_train(*arguments):
    return CliRunner().invoke(main, ["train", *map(str, arguments)])


@pytest.mark.parametrize(("episodes", "measurements"), [(100, 60), (100, 7), (99, 50), (10, 3), (5, 9)])
def test_a_run_has_about_the_number_of_measurements(episodes, measurements, tmp_path):
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK | {"episodes": episodes, "measurements": measurements})
    done = [int(row["episodes"]) for row in csv.DictReader((tmp_path / "curve.csv").open())]
    assert len(done) == episodes or abs(len(done) - measurements) <= 1 + measurements / 3
    assert done[-1] == episodes
    assert len({*np.diff([0, *done[:-1]])}) <= 1


# --- options


def another_value(option):
    """Return an allowed value that is not the default, as text and as the value in the config."""
    declared, default = option.declared, option.default
    if option.is_optional and default is not None:
        return "none", None
    if option.element is str:
        names = tuple(declared.choices)[:2] or ("exact", "random")
        return "+".join(names), names
    if option.element is int:
        return f"{declared.ge},{declared.ge + 1}", (declared.ge, declared.ge + 1)
    if option.types == (bool,):
        value = not default
    elif declared.choices:
        value = next(name for name in declared.choices if name != default)
    elif option.types == (str,):
        value = "cpu" if default is None else "random"
    elif option.types == (int,):
        value = next(value for value in count(declared.ge) if value != default)
    else:
        low = declared.gt if declared.ge is None else declared.ge
        value = next(value for value in (low + 0.25, low + 0.5) if value != default)
    return str(value).lower(), value


def further_options(name, option):
    """Return the other options that an option needs, as text."""
    options = training_options(TRAINERS[name].config_type)
    required = {one: another_value(options[one])[0] for one in options if options[one].is_required}
    return required | OTHERS.get((name, option), OTHERS.get((name, None), {}))


def needed_options(options, name, known=()):
    """Return values of other options, with which an option has an effect."""
    found = {}
    for condition in options[name].conditions:
        other = options[condition.name]
        if (other.default_text in condition.texts) != condition.is_needed and other.name not in known:
            text = condition.texts[0] if condition.is_needed else another_value(other)[0]
            found |= {other.name: text, **needed_options(options, other.name, (*known, name))}
    return found


@pytest.mark.parametrize(("name", "preset"), PRESETS_OF)
def test_presets_set_their_options(name, preset):
    trainer, game = TRAINERS[name], resolve(SECTION_GAMES.get(preset, "Quixo-v0"))[1]
    options = training_options(trainer.config_type)
    missing = {name: 7 for name, option in options.items() if option.is_required}
    written = read_options(name, presets_of(name)[preset], options)
    config = make_config(trainer, game, {**missing, "preset": preset})
    assert config == make_config(trainer, game, {**written, **missing})
    [unit] = {"episodes", "generations", "iterations"} & {*options}
    assert config != make_config(trainer, game, {**missing, unit: getattr(config, unit)})
    assert getattr(make_config(trainer, game, {**missing, "preset": preset, unit: 3}), unit) == 3


def test_an_unknown_preset_is_refused(tmp_path):
    done = ci_envs_train("alphazero:preset=A", "Quixo-v0", "--output", tmp_path / "run")
    assert done.exit_code == 2
    assert "Unknown preset 'A' for training of alphazero." in done.stderr
    assert "Available: A7, E" in done.stderr
    empty = ci_envs_train("alphazero", "Quixo-v0", "--preset", "", "--output", tmp_path / "run")
    assert "Available: A7, E" in empty.stderr
    assert "preset=E: architecture=unpadded" in ci_envs_train("--options", "alphazero").stdout


@pytest.mark.parametrize(("name", "option"), FIELDS)
def test_every_option_can_be_set_from_the_command_line(name, option, monkeypatch, tmp_path):
    configs = []

    def make_config(*arguments):
        configs.append(make(*arguments))
        raise Crash

    make = learners.make_config
    monkeypatch.setattr(learners, "make_config", make_config)
    options = training_options(TRAINERS[name].config_type)
    declared = options[option]
    text, value = another_value(declared)
    given = {**needed_options(options, option), **further_options(name, option), option: text}
    for settings in (
        [name, "TicTacToe-v0", *(f"--set={one}={other}" for one, other in given.items())],
        [f"{name}:{','.join(f'{one}={other}' for one, other in given.items())}", "TicTacToe-v0"],
    ):
        with pytest.raises(Crash):
            main(["train", *settings, "--output", str(tmp_path)], standalone_mode=False)
        assert getattr(configs[-1], option) == value != declared.default
    assert declared.declared.doc in re.sub(r"\s+", " ", ci_envs_train("--options", name).stdout)


@pytest.mark.parametrize("name", TRAINERS)
def test_every_option_is_documented_and_has_an_allowed_default(name):
    for option in training_options(TRAINERS[name].config_type).values():
        assert len(option.declared.doc) > 10
        assert option.allowed
        assert option.is_required or option.check(option.default) == option.default


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("ladder_games=1", ("ladder_games", "from 2", "1")),
        ("ladder=", ("ladder", "joined by +", "''")),
        ("ladder=3", ("'3'",)),
        ("ladder=nobody", ("'nobody'",)),
        ("measurements=0", ("measurements", "from 1", "0")),
        ("ladder_random_plies=-1", ("ladder_random_plies", "-1")),
        ("ladder_random_plies=9", ("random_plies=9", "random games end earlier")),
        ("checkpoint_seconds=-1", ("checkpoint_seconds", "from 0", "-1")),
        ("no_such_option=1", ("'no_such_option'", "ladder_games")),
        ("3", ("--set", "NAME=VALUE", "'3'")),
    ],
)
def test_bad_settings_are_one_line_and_leave_nothing(setting, words, tmp_path):
    folder = tmp_path / "run"
    done = ci_envs_train("q_learning", "TicTacToe-v0", "--episodes", 5, "--output", folder, "--set", setting)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert all(word in done.stderr for word in words), done.stderr
    assert not folder.exists()


def test_the_help_states_the_default_lengths():
    text = re.sub(r"\s+", " ", ci_envs_train("--help").stdout)
    for flag in {flag for trainer in TRAINERS.values() for flag in lengths_of(trainer)}:
        made = {name: make_config(trainer, TICTACTOE, {}) for name, trainer in TRAINERS.items() if name != "sb3"}
        made["sb3"] = make_config(TRAINERS["sb3"], TICTACTOE, {"algorithm": "ppo"})
        lengths = {name: getattr(config, flag, None) for name, config in made.items()}
        lengths = {name: value for name, value in sorted(lengths.items()) if value is not None}
        of_each = ", ".join(f"{value} for {name}" for name, value in lengths.items())
        [help] = re.findall(rf"--{flag} [A-Z]+ RANGE (.*?) --", text)
        if flag == "minutes":
            assert not lengths
            assert "default" not in help
        else:
            assert f"[default: {of_each if len({*lengths.values()}) > 1 else min(lengths.values())}]" in help


def test_options_of_an_agent_that_does_not_learn():
    done = ci_envs_train("--options", "random")
    assert done.exit_code == 2
    assert "'random' cannot be trained" in done.stderr


# --- the folder


def test_the_config_describes_the_training(tmp_path):
    train("q_learning", "TicTacToe-v0", output=tmp_path, seed=3, symmetries=True, **QUICK)
    config = json.loads((tmp_path / CONFIG).read_text())
    assert config["learner"] == "q_learning"
    assert config["environment"] == "TicTacToe-v0"
    assert config["seed"] == 3
    assert set(config["options"]) == set(training_options(TRAINERS["q_learning"].config_type))
    assert config["options"]["symmetries"] is True
    assert config["options"]["ladder"] == ["random"]
    assert config["versions"]["numpy"] == np.__version__


def test_tensorboard_shows_the_learning_curve(tmp_path, monkeypatch):
    """Resuming discards the events of a killed run after its checkpoint."""
    monkeypatch.setattr(session_clock, "_SAVING_SHARE", np.inf)
    with monkeypatch.context() as patched:
        kill_at_write(patched, 4)  # the second checkpoint
        with pytest.raises(Crash):
            train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    train("q_learning", "TicTacToe-v0", output=tmp_path, resume=True, **QUICK)
    events = EventAccumulator(str(tmp_path)).Reload()
    assert {"positions", "ladder/rating", "ladder/random"} <= set(events.Tags()["scalars"])
    curve = read_curve(tmp_path)
    assert [event.step for event in events.Scalars("positions")] == list(curve["episodes"]) == [100, 200, 300]
    assert [event.value for event in events.Scalars("positions")] == list(curve["positions"])
    ratings = [event.value for event in events.Scalars("ladder/rating")]
    assert ratings == pytest.approx(list(curve["rating"]), abs=0.06)


def test_a_run_without_tensorboard(tmp_path, monkeypatch):
    monkeypatch.setattr("ci_envs.training.events.find_spec", lambda name: None)
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    assert {file.name for file in tmp_path.iterdir()} == {CONFIG, CHECKPOINT, CURVE, "best.npz"}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_interrupts_do_not_damage_the_events(tmp_path):
    armed, interrupts = False, 0

    def interrupt(number, frame):
        if armed:
            raise KeyboardInterrupt

    log, before = EventLog(tmp_path, 0), signal.signal(signal.SIGALRM, interrupt)
    try:
        for step in range(3_000):
            signal.setitimer(signal.ITIMER_REAL, 2e-5 * (step % 7) + 1e-6)
            try:
                armed = True
                log.add({"number": step}, step)
                log.flush()
                armed = False
            except KeyboardInterrupt:
                interrupts += 1
                armed = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    log.close()
    found = EventAccumulator(str(tmp_path), size_guidance={"scalars": 0}).Reload().Scalars("number")
    steps = [event.step for event in found]
    assert steps == sorted(set(steps))
    assert len(steps) >= 3_000 - interrupts > 0


DISTURBING = """
import os, shutil

def leaving(observation):
    os.chdir("/")
    return int(observation["action_mask"].argmax())

def removing(observation):
    shutil.rmtree("run", ignore_errors=True)
    return int(observation["action_mask"].argmax())

def renaming(observation):
    if os.path.exists("run"):
        os.rename("run", "other")
    return int(observation["action_mask"].argmax())
"""


def disturbed(folder, monkeypatch, agent):
    """Train in the relative folder ``run``, with an agent of a file on the ladder."""
    monkeypatch.chdir(folder)
    Path("mine.py").write_text(DISTURBING)
    return train("q_learning", "TicTacToe-v0", output="run", **QUICK | {"ladder": (f"{folder / 'mine.py'}:{agent}",)})


def test_an_agent_that_changes_the_current_folder(tmp_path, monkeypatch):
    assert disturbed(tmp_path, monkeypatch, "leaving") == "q_learning:run/best.npz"
    names = {file.name for file in (tmp_path / "run").iterdir() if "tfevents" not in file.name}
    assert names == {CONFIG, CHECKPOINT, CURVE, "best.npz"}


@pytest.mark.parametrize("agent", ["removing", "renaming"])
def test_a_folder_that_is_removed_during_the_training(agent, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="removed or renamed while it was trained"):
        disturbed(tmp_path, monkeypatch, agent)
    assert not Path("run").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of folders must be text")
def test_a_folder_whose_name_is_not_text(tmp_path):
    folder = tmp_path / os.fsdecode(b"run\xff")
    train("q_learning", "TicTacToe-v0", output=folder, **QUICK)
    assert {CONFIG, CHECKPOINT, CURVE, "best.npz"} < {file.name for file in folder.iterdir()}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"learner": None}, "learner must be a text"),
        ({"learner": print}, "learner must be a text"),
        ({"environment": ci_envs.TicTacToe()}, "environment must be a text"),
        ({"environment": None}, "need an environment of ci_envs"),
        ({"output": None}, "the name of a folder must be a text or a path, not None"),
        ({"output": 3}, "the name of a folder must be a text or a path, not 3"),
    ],
)
def test_wrong_types_leave_no_folder(given, error, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = {"learner": "q_learning", "environment": "TicTacToe-v0", "output": "run"} | given
    with pytest.raises(TypeError, match=error):
        train(arguments.pop("learner"), arguments.pop("environment"), **arguments, **QUICK)
    assert not any(tmp_path.iterdir())


def kill_at_write(patched, number):
    """Kill the run while it writes one of its files, before the file has its name."""
    calls, write = count(), files.write_whole

    def write_whole(path, content):
        if next(calls) == number:
            path.with_name(f".{path.name}.1.tmp").write_bytes(content[: len(content) // 2])
            raise Crash
        write(path, content)

    for module in ("storage.files", "storage.arrays", "training.folder", "agents.evolution.champion"):
        patched.setattr(f"ci_envs.{module}.write_whole", write_whole)


SHORT = FREQUENT | {"generations": 3, "games": 2, "final_games": 4}


@pytest.mark.extended
@pytest.mark.parametrize(
    ("name", "environment", "options", "last"),
    [
        ("q_learning", "TicTacToe-v0", QUICK, 3),
        ("monte_carlo", "TicTacToe-v0", QUICK, 3),
        ("evolution_strategy", "TicTacToe-v0", SHORT | {"depth": 1}, 2),
        ("evolution_strategy", "TicTacToe-v0", SHORT | {"depth": 1, "strategy": "comma", "peers": 1}, 2),
        ("neat", "TicTacToe-v0", SHORT | {"population": 8, "opponents": "random"}, 2),
        ("neat", "TicTacToe-v0", SHORT | {"population": 8, "opponents": "random", "encoding": "layers"}, 2),
        ("nim_ga", "Nim-v0:heaps=1,2,3", SHORT | {"population": 6, "immigration_patience": 0}, 2),
        ("nim_evolved", "Nim-v0:heaps=1,2,3", SHORT | {"population": 6}, 2),
    ],
)
def test_a_run_killed_at_any_write_ends_with_the_same_files(name, environment, options, last, tmp_path, monkeypatch):
    """``last`` is the number of files at the end, when the file of the best agent can exist already."""
    monkeypatch.setattr(session_clock, "_SAVING_SHARE", np.inf)  # a checkpoint after every step
    whole = tmp_path / "whole"
    train(name, environment, output=whole, **options)
    [best] = whole.glob("best.*")
    kills = 0
    for number in count():
        folder = tmp_path / str(number)
        with monkeypatch.context() as patched:
            kill_at_write(patched, number)
            try:
                train(name, environment, output=folder, **options)
                break
            except Crash:
                kills += 1
        if (folder / CONFIG).exists():
            train(name, environment, output=folder, resume=True, **options)
            assert result_of(folder) == result_of(whole)
            names = {file.name for file in folder.iterdir() if "tfevents" not in file.name}
            assert names == {CONFIG, CHECKPOINT, CURVE, best.name}
    assert kills == 1 + 3 * 3 + last  # config; checkpoint, curve and agent after each step; the last files


def test_a_run_killed_before_its_first_checkpoint_restarts_and_says_so(tmp_path, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        kill_at_write(patched, 1)
        with pytest.raises(Crash):
            train("q_learning", "TicTacToe-v0", output=tmp_path / "a", **QUICK)
    assert (tmp_path / "a" / CONFIG).exists()
    assert not (tmp_path / "a" / CHECKPOINT).exists()
    with pytest.raises(ValueError, match=r"other options: learning_rate=0\.3 \(not 0\.5\)$"):
        train("q_learning", "TicTacToe-v0", output=tmp_path / "a", resume=True, learning_rate=0.5, **QUICK)
    capsys.readouterr()
    train("q_learning", "TicTacToe-v0", output=tmp_path / "a", resume=True, **QUICK)
    said = capsys.readouterr().err
    assert "has no checkpoint yet: it restarts from the beginning" in said
    train("q_learning", "TicTacToe-v0", output=tmp_path / "b", **QUICK)
    assert result_of(tmp_path / "a") == result_of(tmp_path / "b")


def changed_checkpoint(path, arrays=None, **about):
    """Change arrays and plain values of a checkpoint."""
    with np.load(path) as file:
        found = {name: file[name] for name in file.files}
    text = json.loads(found["about"].tobytes())
    for name, value in about.items():
        text[name] = {**text[name], **value}
    found["about"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
    np.savez(path, **found | {name: change(found[name]) for name, change in (arrays or {}).items()})


def test_a_checkpoint_of_other_options_is_refused(tmp_path):
    """Except for the options that can change: the memory of the table."""
    train("q_learning", "TicTacToe-v0", output=tmp_path / "a", **QUICK)
    train("q_learning", "TicTacToe-v0", output=tmp_path / "b", **QUICK | {"discount": 0.5, "table_mb": 9})
    before = {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()}
    (tmp_path / "a" / CHECKPOINT).write_bytes((tmp_path / "b" / CHECKPOINT).read_bytes())
    with pytest.raises(ValueError, match=r"is not a checkpoint of this run: it is of a run with discount=0\.5"):
        train("q_learning", "TicTacToe-v0", output=tmp_path / "a", resume=True, **QUICK)
    (tmp_path / "a" / CHECKPOINT).write_bytes(before[CHECKPOINT])
    assert {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()} == before
    train("q_learning", "TicTacToe-v0", output=tmp_path / "a", resume=True, **QUICK | {"table_mb": 9})


@pytest.mark.parametrize("resume", [False, True])
def test_a_lost_checkpoint_is_named(tmp_path, resume):
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(ValueError, match=r"contains curve\.csv, best\.npz that belong to a run whose checkpoint"):
        train("q_learning", "TicTacToe-v0", output=tmp_path, resume=resume, **QUICK)


@pytest.mark.parametrize(
    ("learner", "environment", "message"),
    [
        ("q_learning", "Nim-v0", "it is of q_learning in Nim-v0 with the seed 0"),
        ("monte_carlo", "TicTacToe-v0", "it is of monte_carlo in TicTacToe-v0 with the seed 0"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(learner, environment, message, tmp_path):
    train("q_learning", "TicTacToe-v0", output=tmp_path / "a", **QUICK)
    train(learner, environment, output=tmp_path / "b", **QUICK)
    (tmp_path / "a" / CHECKPOINT).write_bytes((tmp_path / "b" / CHECKPOINT).read_bytes())
    with pytest.raises(ValueError, match=f"checkpoint.npz' is not a checkpoint of this run: {message}"):
        train("q_learning", "TicTacToe-v0", output=tmp_path / "a", resume=True, **QUICK)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrays": {"values": lambda values: values[:3]}}, "its arrays have the shapes"),
        ({"arrays": {"keys": lambda keys: keys.astype(np.float32)}}, "its arrays are float32"),
        ({"arrays": {"values": lambda values: values * np.float32(np.nan)}}, "not finite"),
        ({"record": {"curve": [1]}}, "curve"),
        ({"record": {"seconds": "long"}}, "seconds"),
        ({"values": {"scores": "x"}}, ""),
    ],
)
def test_a_changed_checkpoint_is_refused_in_one_line(change, message, tmp_path):
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    changed_checkpoint(tmp_path / CHECKPOINT, **change)
    with pytest.raises(ValueError, match=f"checkpoint.npz' is not a checkpoint of this run: .*{message}") as refused:
        train("q_learning", "TicTacToe-v0", output=tmp_path, resume=True, **QUICK)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no locks of folders")
@pytest.mark.parametrize("resume", [False, True])
def test_two_processes_cannot_train_in_one_folder(resume, tmp_path):
    if resume:
        train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    lock = f"fcntl.flock(os.open({str(tmp_path)!r}, os.O_RDONLY), fcntl.LOCK_EX)"
    command = [sys.executable, "-c", f"import fcntl, os; {lock}; print(1, flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(ValueError, match=r"another process trains in .*: wait until it ends"):
            train("q_learning", "TicTacToe-v0", output=tmp_path, resume=resume, **QUICK)
        other.stdin.close()
    train("q_learning", "TicTacToe-v0", output=tmp_path, resume=resume, **QUICK)


def test_a_damaged_folder_is_refused_in_one_line(tmp_path):
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    checkpoint, config = tmp_path / CHECKPOINT, tmp_path / CONFIG
    whole = checkpoint.read_bytes(), config.read_bytes()
    for file, wrong in (
        (checkpoint, b""),
        (checkpoint, whole[0][:100]),
        (checkpoint, (tmp_path / "best.npz").read_bytes()),
        (config, b"{"),
        (config, b"{}"),
        (config, b"[]"),
        (config, b"[" * 200_000),
    ):
        checkpoint.write_bytes(whole[0])
        config.write_bytes(whole[1])
        file.write_bytes(wrong)
        with pytest.raises(ValueError, match=re.escape(str(file))) as refused:
            train("q_learning", "TicTacToe-v0", output=tmp_path, resume=True, **QUICK)
        assert "\n" not in str(refused.value)
        assert file.read_bytes() == wrong


@pytest.mark.extended
@pytest.mark.parametrize("name", TRAINERS)
def test_a_killed_process_is_resumed(name, tmp_path):
    """All learners restart a run without a checkpoint by the same code, so one of them is killed there too."""
    case = replace(CASES[name], arguments=(*CASES[name].arguments, *SHORTER.get(name, ())))
    early = [True, False] if name == "q_learning" else [False]
    assert all(check_kills(case, tmp_path, early, np.random.default_rng(1)))


# --- the ladder


def test_a_rating_is_that_of_a_tournament():
    specs = ("random", "minimax:depth=1", "minimax:depth=2")
    ladder = Ladder(TICTACTOE, specs, 50)
    agent = make_agent("mcts:simulations=20", TICTACTOE)
    measured = ladder.measure(agent)
    assert measured == ladder.measure(agent)
    players = [*(make_agent(spec, TICTACTOE) for spec in specs), agent]
    wins, draws = np.zeros((2, 4, 4), dtype=int)
    for i, first in enumerate(players):
        for j, second in enumerate(players[:i]):
            seed = j if i == 3 else 0
            for player in (first, second):
                player.reseed(seed)
            pair = (first, second) if i == 3 else (second, first)
            total = play_match(TICTACTOE, *pair, 50).sides[i != 3].total
            wins[i, j], wins[j, i], draws[i, j], draws[j, i] = total.wins, total.losses, total.draws, total.draws
            if i == 3:
                assert measured.results[specs[j]] == total
    ratings = elo_ratings(wins, draws)
    assert measured.rating == pytest.approx(ratings[3].elo - ratings[0].elo)
    assert measured.score == pytest.approx((wins[3, :3] + draws[3, :3] / 2).mean() / 50)


def test_games_of_the_ladder_begin_with_random_plies():
    """Without random plies two deterministic agents play only two different games."""
    agent = make_agent("exact", TICTACTOE)
    for plies, least in ((0, 1), (3, 10)):
        ladder = Ladder(TICTACTOE, ["exact"], 100, random_plies=plies)
        openings = ladder._openings
        assert (openings is None) == (plies == 0)
        if openings is not None:
            stones = [(int(own) | int(opp)).bit_count() for own, opp in openings.tolist()]
            assert set(stones) == {plies}
            assert len({tuple(row) for row in openings.tolist()}) >= least
        assert ladder.measure(agent).results["exact"].games == 100


# --- progress


@pytest.mark.parametrize("share", [0, 0.5, 1])
@pytest.mark.parametrize("rating", [None, 0, -1234.4, 99999])
@pytest.mark.parametrize("elapsed", [0, 59.7, 1e6])
@pytest.mark.parametrize("total", [1, 999_999, 123_456_789_012])
@pytest.mark.parametrize("learner", ["q", "evolution_strategy"])
def test_progress_fits_in_80_columns_with_the_rating(learner, total, elapsed, rating, share):
    counted = int(share * total)
    status = Status(learner, share, counted, total, "generations", elapsed, None if share == 0 else elapsed, rating)
    for width in (80, 69):
        text = status.text(width)
        assert len(text) <= width
        assert rating is None or f"{rating:+.0f} Elo" in text
        assert f"{share:.0%}" in text
        assert short_number(counted) in text


def test_numbers_and_times_in_words():
    assert [short_number(n) for n in (0, 99_999, 1_234_567, 10_000_000, 2_500_000_000)] == [
        "0",
        "99,999",
        "1.235M",
        "10M",
        "2.5G",
    ]
    assert [clock(s) for s in (0, 59.7, 3599, 3600, 360_000)] == ["0:00", "1:00", "59:59", "1:00:00", "100:00:00"]


def test_without_a_terminal_the_progress_is_lines_that_continue_after_a_resume(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(session_clock, "_SAVING_SHARE", np.inf)
    with monkeypatch.context() as patched:
        kill_at_write(patched, 1 + 2 * 3)  # the third checkpoint
        with pytest.raises(Crash):
            train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    before = capsys.readouterr().err.splitlines()
    train("q_learning", "TicTacToe-v0", output=tmp_path, resume=True, **QUICK)
    after = capsys.readouterr().err.splitlines()
    assert all(len(line) <= 80 for line in before + after)
    counts = [[int(re.search(r"(\d+)/300 episodes", line)[1]) for line in lines] for lines in (before, after)]
    assert counts == [[0, 100, 200], [200, 300]]
    assert all("Elo" in line for line in before[1:] + after)
    assert "100%" in after[-1]


def test_lines_are_some_seconds_apart(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    display = progress.ProgressDisplay()
    with display:
        for second in range(21):
            now[0] = float(second)
            display.show(Status("q", second / 20, second, 20, "games", second, 0, None))
    assert [int(line.split("/")[0].split()[-1]) for line in capsys.readouterr().err.splitlines()] == [5, 10, 15, 20]


def test_a_terminal_shows_a_bar_of_80_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "Console", partial(Console, force_terminal=True, width=80, color_system=None))
    train("q_learning", "TicTacToe-v0", output=tmp_path, **QUICK)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    lines = [line for line in re.split(r"[\r\n]+", shown) if line.strip()]
    assert lines
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert any("Elo" in line and "300/300 episodes" in line for line in lines)


ANOTHER_TENSORBOARD = """
import sys
from importlib.machinery import PathFinder
from ci_envs.training import train

class First:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{folder!r}]) if name == "tensorboard" else None

sys.meta_path.insert(0, First)
options = dict(episodes=100, ladder="random", ladder_games=2, measurements=1)
print(train("q_learning", "Nim-v0:heaps=1,2", output="run", **options))
"""


@pytest.mark.parametrize("content", [None, "raise TypeError('Descriptors cannot be created directly.')", ""])
def test_a_folder_or_package_that_is_not_tensorboard(content, tmp_path):
    """Any folder of this name on the path of modules is found as a package."""
    package = tmp_path / "modules" / "tensorboard"
    package.mkdir(parents=True)
    if content is not None:
        (package / "__init__.py").write_text(content)
    (tmp_path / "program.py").write_text(ANOTHER_TENSORBOARD.format(folder=str(package.parent)))
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout == "q_learning:run/best.npz\n", done.stderr
    assert "no events for TensorBoard: its package cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
