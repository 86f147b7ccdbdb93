"""Runs of AlphaZero's training: they go on after whatever stopped them, and learn."""

import csv
import time
from itertools import islice

import numpy as np
import pytest
import ray
import torch
from click.testing import CliRunner
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ci_envs import ConnectN
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.config import preset
from ci_envs.agents.alphazero.learner import Learner
from ci_envs.agents.alphazero.measurement import NetworkLadder
from ci_envs.agents.alphazero.model_file import read_model, write_model
from ci_envs.agents.alphazero.network import ARCHITECTURES, new_network
from ci_envs.agents.alphazero.players import RayWorkers, Threads
from ci_envs.agents.alphazero.search import GUMBEL, SearchSettings
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.agents.alphazero.training import _Trainer
from ci_envs.agents.alphazero.training import train as train_alphazero
from ci_envs.agents.random import RandomAgent
from ci_envs.arena import play_match
from ci_envs.cli.main import main

GAME = ConnectN(3, 3, 3)
SHORT = {"games": 12, "simulations": 4, "threads": 2}


def train(folder, iterations=3, **options):
    return train_alphazero("TicTacToe-v0", output=folder, iterations=iterations, **(SHORT | options))


def weights_of(folder, name="checkpoint.safetensors"):
    return read_model(folder / name, GAME).network.state_dict()


def curve_of(folder):
    """The learning curve without its seconds."""
    with (folder / "curve.csv").open() as file:
        return [row[:1] + row[2:] for row in csv.reader(file)]


def assert_same(one, other):
    for name, tensor in weights_of(one).items():
        assert torch.equal(tensor, weights_of(other)[name])
    assert curve_of(one) == curve_of(other)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    train(folder)
    return folder


@pytest.mark.parametrize(
    ("owner", "method", "after"),
    [
        pytest.param(_Trainer, "_write", 1, marks=pytest.mark.slow),
        (_Trainer, "_write", 2),
        (_Trainer, "_learn", 1),
        (Threads, "play", 2),
        pytest.param(_Trainer, "_measure", 1, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_broken_off_goes_on_as_if_nothing_had_been(tmp_path, monkeypatch, whole, owner, method, after):
    calls, done = iter(range(100)), getattr(owner, method)

    def interrupted(*arguments):
        result = done(*arguments)
        if next(calls) == after:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patched:
        patched.setattr(owner, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path)
    (tmp_path / "best.safetensors").unlink(missing_ok=True)  # the checkpoint has it too
    train(tmp_path, resume=True)
    assert_same(tmp_path, whole)


def test_a_longer_run_is_measured_on_its_way_too(tmp_path):
    train(tmp_path, iterations=1)
    train(tmp_path, resume=True)
    assert sorted({row[0] for row in curve_of(tmp_path)[1:]}) == ["1", "2", "3"]


def test_a_seed_repeats_and_another_does_not(tmp_path, whole):
    train(tmp_path / "again")
    assert_same(tmp_path / "again", whole)
    train(tmp_path / "other", seed=1)
    first, other = (weights_of(folder)["value.5.bias"] for folder in (whole, tmp_path / "other"))
    assert not torch.equal(first, other)


def test_a_loss_that_is_no_number_ends_the_run_and_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    losses, calls = Learner._losses, iter(range(10_000))

    def spoilt(*arguments):
        return losses(*arguments) * torch.tensor([torch.nan if next(calls) > 4 else 1.0, 1.0, 1.0])

    with monkeypatch.context() as patched:
        patched.setattr(Learner, "_losses", spoilt)
        with pytest.raises(FloatingPointError, match="the loss is nan"):
            train(tmp_path, iterations=50)
    kept = read_model(tmp_path / "checkpoint.safetensors", GAME)
    assert kept.notes["run"]["iteration"] >= 1
    assert all(tensor.isfinite().all() for tensor in kept.network.state_dict().values())


def test_runs_that_cannot_begin_or_go_on_are_refused(tmp_path, whole):
    content = (whole / "checkpoint.safetensors").read_bytes()
    for options, message in (
        ({}, "there is a run in .* already"),
        ({"resume": True, "seed": 3}, "has another seed: 0"),
        ({"resume": True, "threads": 1}, "has another threads: 2"),
        ({"resume": True, "simulations": 5}, "has another config"),
        ({"iterations": None}, "give iterations or minutes"),
        ({"minutes": 3}, "give iterations or minutes"),
        ({"iterations": None, "minutes": -1}, "minutes must be"),
        ({"threads": 0}, "threads must be"),
        ({"threads": 13}, "threads must be"),
        ({"workers": 0}, "workers must be"),
        ({"ray_address": "auto"}, "ray_address='auto' is for workers"),
        ({"kept": 2}, "kept must be"),
        ({"selection": "best"}, "selection must be one of gumbel|puct"),
        ({"seed": -1}, "seed must be"),
        ({"device": "abacus"}, "device='abacus' cannot be used here"),
    ):
        with pytest.raises(ValueError, match=message):
            train(whole, **options)
    with pytest.raises(ValueError, match="was trained for ConnectN"):
        train_alphazero("Quixo-v0:size=3", output=whole, iterations=3, resume=True, **SHORT)
    with pytest.raises(FileNotFoundError):
        train(tmp_path, resume=True)
    assert (whole / "checkpoint.safetensors").read_bytes() == content


def test_a_file_that_is_no_checkpoint_is_refused_in_one_line(tmp_path, whole):
    checkpoint = tmp_path / "checkpoint.safetensors"
    content = (whole / "checkpoint.safetensors").read_bytes()
    network = read_model(whole / "best.safetensors", GAME)
    write_model(checkpoint, network.network, GAME, network.notes)
    foreign = checkpoint.read_bytes()
    for wrong in (content[: len(content) // 2], foreign, b"", b"no checkpoint"):
        checkpoint.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"checkpoint\.safetensors") as refused:
            train(tmp_path, resume=True)
        assert "\n" not in str(refused.value)
        assert checkpoint.read_bytes() == wrong


def test_the_best_network_gives_way_to_one_as_good(tmp_path, monkeypatch, whole):
    """At the gate the share of points decides; what it was is in none of the other numbers."""
    shares = iter([0.49, 0.5, 0.49])
    monkeypatch.setattr(NetworkLadder, "is_as_good", lambda ladder, *networks: next(shares) >= ladder.config.gate)
    after = {}
    measure = _Trainer._measure

    def measured(trainer, numbers):
        seen = measure(trainer, numbers)
        after[trainer.run.iteration] = (tmp_path / "best.safetensors").read_bytes()
        return seen

    monkeypatch.setattr(_Trainer, "_measure", measured)
    train(tmp_path, iterations=4)
    assert after[1] == after[2] != after[3] == after[4]
    assert curve_of(tmp_path)[:4] == curve_of(whole)[:4]


def test_a_network_is_as_good_as_itself_and_a_trained_one_better_than_a_new_one(learned):
    settings = preset(GAME, ladder_games=60, ladder_simulations=2, openings=1, gate=0.55)
    ladder = NetworkLadder(GAME, settings, None, 0)
    new, trained = new_network(GAME, ARCHITECTURES["32x3"], 5), read_model(learned / "best.safetensors", GAME).network
    assert ladder.is_as_good(trained, new, 0)
    assert not ladder.is_as_good(new, trained, 0)
    assert ladder.climb(trained, 0)[1] > ladder.climb(new, 0)[1] + 100


def test_tensorboard_shows_the_run(whole):
    events = EventAccumulator(str(whole))
    events.Reload()
    shown = events.Tags()["scalars"]
    assert {"loss/policy", "loss/value", "self-play/games a second", "ladder/rating", "ladder/random"} <= set(shown)
    assert [event.step for event in events.Scalars("loss/policy")] == [1, 2, 3]
    with (whole / "curve.csv").open() as file:
        ratings = [float(row["rating"]) for row in csv.DictReader(file) if row["opponent"] == "random"]
    assert [event.value for event in events.Scalars("ladder/rating")] == pytest.approx(ratings, abs=0.06)


@pytest.fixture
def two_workers():
    plan = SelfPlay(GAME, SearchSettings(GUMBEL, 1.5, 4, 9), Noise(), 8, 9, 0, 1.0, 0.5, 0.0)
    workers = RayWorkers(plan, 2, None)
    yield plan, workers
    workers.close()


def test_workers_play_as_threads_do_and_take_only_unfinished_games_with_them(two_workers):
    plan, workers = two_workers
    network = new_network(GAME, ARCHITECTURES["32x3"], 0)
    threads = Threads(plan, 2, "cpu")
    expected, games = threads.play(network, 9, [1, 2])
    found, played = workers.play(network, 9, [1, 2])
    assert (games, played) == (9, 9)
    np.testing.assert_array_equal(found, expected)

    ray.kill(workers._workers[1], no_restart=False)
    found, played = workers.play(network, 9, [1, 2])
    assert played in (5, 9)  # it may have been started again in time
    np.testing.assert_array_equal(found, expected[: len(found)])
    deadline = time.monotonic() + 60
    while workers.play(network, 9, [1, 2])[1] < 9:
        assert time.monotonic() < deadline


@pytest.mark.slow
def test_workers_train_from_the_command_line(tmp_path, whole):
    arguments = ["train", "alphazero:games=12,simulations=4", "TicTacToe-v0", "--iterations", "3", "--workers", "2"]
    trained = CliRunner().invoke(main, [*arguments, "--output", str(tmp_path)])
    assert trained.exit_code == 0, trained.output
    assert_same(tmp_path, whole)


def test_a_cluster_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"there is no Ray cluster at ray_address='127\.0\.0\.1:1'"):
        train(tmp_path, workers=1, ray_address="127.0.0.1:1")


def test_the_command_line_trains_and_plays(tmp_path):
    run = CliRunner()
    arguments = ["train", "alphazero:games=8,simulations=2", "TicTacToe-v0", "--output", str(tmp_path)]
    trained = run.invoke(main, [*arguments, "--minutes", "0.001"])
    assert trained.exit_code == 0, trained.output
    spec = trained.stdout.strip().removeprefix("trained: ")
    assert spec == f"alphazero:{tmp_path / 'best.safetensors'}"
    compared = run.invoke(main, ["compare", "TicTacToe-v0", f"{spec},simulations=4", "random", "--games", "4"])
    assert compared.exit_code == 0, compared.output


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned")
    train(folder, iterations=6, games=128, simulations=16)
    return folder


def test_it_learns_to_play(learned):
    agent = AlphaZeroAgent(GAME, learned / "best.safetensors", simulations=8, seed=0)
    total = play_match(GAME, agent, RandomAgent(GAME, seed=1), 400).sides[0].total
    assert total.wins > 340
    assert total.losses < 10
    positions = [int(row[2]) for row in islice(curve_of(learned), 1, None)]
    assert np.all(np.diff(positions) >= 0)
