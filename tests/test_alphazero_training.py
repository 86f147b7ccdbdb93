"""Training runs of AlphaZero: they resume after any interruption, and learn."""

import csv
import shutil
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from fake_clock import FakeClock
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ci_envs import ConnectN, solve
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents.alphazero import training
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.config import AlphaZeroConfig
from ci_envs.agents.alphazero.exact_targets import ExactTargets
from ci_envs.agents.alphazero.inference import SharedInference, TorchInference, inference
from ci_envs.agents.alphazero.learner import Learner
from ci_envs.agents.alphazero.model_file import read_model
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.alphazero.replay import Replay, sample_type
from ci_envs.agents.alphazero.training import AlphaZeroTrainer
from ci_envs.agents.alphazero.workers import ThreadWorkers
from ci_envs.agents.random import RandomAgent
from ci_envs.arena import play_match
from ci_envs.arena.grading import grade
from ci_envs.cli.main import main
from ci_envs.solver.reachable import sample_positions
from ci_envs.training import train as train_agent
from ci_envs.training.folder import CHECKPOINT, RunFolder
from ci_envs.training.ladder import Ladder
from ci_envs.training.run import TrainingRun
from ci_envs.training.trainer import Task

GAME = ConnectN(3, 3, 3)
SHORT = {"games": 12, "simulations": 4, "threads": 2}


def train(folder, iterations=3, **options):
    return train_agent("alphazero", "TicTacToe-v0", output=folder, iterations=iterations, **(SHORT | options))


def checkpoint_of(folder):
    return RunFolder(folder, "best.safetensors").read_checkpoint()[1]


def weights_of(folder):
    """Return the weights, the optimizer, the best network and the replay buffer."""
    return checkpoint_of(folder).arrays


def curve_of(folder):
    """Return the learning curve without the columns that are measured with a clock."""
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [{name: cell for name, cell in row.items() if name not in AlphaZeroTrainer.timings} for row in rows]


def assert_same(one, other):
    arrays = weights_of(other)
    assert weights_of(one).keys() == arrays.keys()
    for name, array in weights_of(one).items():
        np.testing.assert_array_equal(array, arrays[name])
    assert curve_of(one) == curve_of(other)
    assert (one / "best.safetensors").read_bytes() == (other / "best.safetensors").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    train(folder)
    return folder


@pytest.mark.parametrize(
    ("owner", "method", "after"),
    [
        pytest.param(TrainingRun, "_save", 1, marks=pytest.mark.slow),
        (TrainingRun, "_save", 2),
        (AlphaZeroTrainer, "_take_steps", 1),
        (ThreadWorkers, "play", 2),
        pytest.param(AlphaZeroTrainer, "adopt", 1, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_run_ends_like_an_uninterrupted_run(tmp_path, monkeypatch, whole, owner, method, after):
    calls, done = iter(range(100)), getattr(owner, method)

    def interrupted(*arguments):
        result = done(*arguments)
        if next(calls) == after:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patched:
        patched.setattr(owner, method, interrupted)
        patched.setattr("ci_envs.training.session_clock._SAVING_SHARE", np.inf)  # a checkpoint after every step
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path, checkpoint_seconds=0)
    (tmp_path / "best.safetensors").unlink(missing_ok=True)  # the checkpoint contains it too
    train(tmp_path, resume=True)
    assert_same(tmp_path, whole)


def test_a_device_evaluates_the_leaves_of_thousands_of_games_together(tmp_path, monkeypatch):
    """The CPU stands for a GPU, with the same batches, and equal runs give equal networks."""
    asked = []

    class RecordingInference(TorchInference):
        def __call__(self, planes):
            asked.append(len(planes))
            return super().__call__(planes)

    def shared(network, device, *, leaves, game):
        return SharedInference(RecordingInference(network, device, leaves // 2))

    monkeypatch.setattr("ci_envs.agents.alphazero.workers.inference", shared)
    size = {"games": 2048, "lanes": 1024, "threads": 2, "simulations": 2, "batch": 1024, "reuse": 2}
    for folder in (tmp_path / "a", tmp_path / "b"):
        train(folder, iterations=1, ladder_games=2, measurements=1, **size)
    assert max(asked) > 750  # the outputs for equal positions are in the cache
    assert int(curve_of(tmp_path / "a")[-1]["games"]) == 2048
    assert_same(tmp_path / "a", tmp_path / "b")


def test_a_run_can_begin_with_exact_positions_of_random_play(tmp_path, monkeypatch):
    """After an interruption too, it learns which actions keep the value."""
    options = {"exact": "exact", "exact_iterations": 5, "exact_positions": 500, "ladder_games": 2, "measurements": 1}
    calls, sample = iter(range(100)), ExactTargets.sample

    def interrupted(*arguments):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return sample(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(ExactTargets, "sample", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", 6, **options)
    train(tmp_path / "parts", 6, resume=True, **options)
    train(tmp_path / "whole", 6, **options)
    assert_same(tmp_path / "parts", tmp_path / "whole")
    rows = curve_of(tmp_path / "whole")
    assert [(row["games"], row["positions"]) for row in rows[:5]] == [("0", f"{500 * count}") for count in range(1, 6)]
    assert rows[5]["games"] == "12"
    trained = read_model(tmp_path / "whole" / "best.safetensors", GAME).network
    assert kept_by(trained) > kept_by(new_network(GAME, ARCHITECTURES["32x3"], 0).eval()) + 0.2


def kept_by(network):
    """Return the share of critical positions in which the most probable action of a network keeps the value."""
    words = sample_positions(GAME, 1_000, np.random.default_rng(0))
    observed = observations_of(GAME, words)
    logits, _, _ = inference(network)(observed["observation"])
    actions = np.where(observed["action_mask"], logits, -np.inf).argmax(axis=1)
    critical = grade(solve(GAME).action_scores(words), actions).critical
    return critical.keeping / critical.decisions


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_a_training_that_diverges_says_so(tmp_path, precision):
    with pytest.raises(FloatingPointError, match="the training diverged"):
        train(tmp_path, iterations=2, learning_rate=1e4, precision=precision)


@pytest.mark.parametrize(("method", "unlearned"), [("_take_steps", True), ("_new_samples", False)])
def test_an_interrupt_saves_all_that_was_done(tmp_path, monkeypatch, method, unlearned):
    """The interruption is in the second iteration. Completed games are not played again."""
    calls, done = iter(range(100)), getattr(AlphaZeroTrainer, method)

    def interrupted(*arguments):
        if next(calls) == 1:
            raise KeyboardInterrupt
        return done(*arguments)

    monkeypatch.setattr(AlphaZeroTrainer, method, interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, checkpoint_seconds=1000)
    progress = checkpoint_of(tmp_path).values["progress"]
    assert (progress["iteration"], progress["games"]) == (1, 24 if unlearned else 12)
    assert (progress["unlearned"] > 0) == unlearned


def test_closing_the_workers_ends_self_play_at_once():
    class EndlessPlan:
        game, lanes, integers = GAME, 1, True

        def play(self, evaluate, games, rng):
            evaluate(np.zeros((1, *GAME.observation_shape), np.int8))
            both_play.wait()
            while True:
                evaluate(np.zeros((1, *GAME.observation_shape), np.int8))

    both_play, workers = threading.Barrier(3, timeout=60), ThreadWorkers(EndlessPlan(), 2, "cpu")
    with ThreadPoolExecutor(1) as caller:
        playing = caller.submit(workers.play, new_network(GAME, ARCHITECTURES["32x3"], 0), 2, [0])
        both_play.wait()
        workers.close()
        with pytest.raises(CancelledError):
            playing.result(timeout=60)


def test_one_step_for_each_iteration_is_on_the_sum_of_the_losses_of_its_positions(tmp_path, monkeypatch):
    """Report E's training: after each game, from the samples of this game only."""
    calls, learn = [], Learner.learn

    def recorded(learner, replay, steps, batch, *arguments, **options):
        calls.append((steps, batch, replay.added, options["latest"]))
        return learn(learner, replay, steps, batch, *arguments, **options)

    monkeypatch.setattr(Learner, "learn", recorded)
    train(tmp_path, games=1, threads=1, batch=None)
    positions = [int(row["positions"]) for row in curve_of(tmp_path)]
    new = np.diff([0, *positions]).tolist()
    assert calls == [(1, count, added, True) for count, added in zip(new, positions, strict=True)]
    gradients = []
    for latest in (False, True):
        learner = Learner(new_network(GAME, ARCHITECTURES["32x3"], 0), 0.0)
        replay = Replay(GAME, 4)
        replay.add(np.zeros(4, sample_type(GAME)), np.random.default_rng(0))
        learn(learner, replay, 1, 4, 1e-3, np.random.default_rng(0), symmetries=False, latest=latest)
        gradients.append(learner.network.policy[3].bias.grad)
    torch.testing.assert_close(gradients[1], 4 * gradients[0])


def test_a_network_learns_the_same_with_short_numbers(tmp_path):
    """The weights stay float32. The loss differs by less than the 8 bits of precision of a bfloat16 suggest."""
    replay, losses, rng = Replay(GAME, 64), {}, np.random.default_rng(0)
    replay.add(ExactTargets(GAME, "exact").sample(64, rng), rng)
    for precision in ("float32", "bfloat16"):
        learner = Learner(new_network(GAME, ARCHITECTURES["32x3"], 0), 0.0, precision=precision)
        parts = [learner.learn(replay, 10, 64, 3e-3, np.random.default_rng(1)) for _ in range(3)]
        losses[precision] = np.array(parts).sum(axis=1)
        assert {weight.dtype for weight in learner.network.parameters()} == {torch.float32}
    assert losses["float32"][-1] < 0.9 * losses["float32"][0]
    np.testing.assert_allclose(losses["bfloat16"], losses["float32"], rtol=0.05)
    assert (losses["bfloat16"] != losses["float32"]).all()


def test_the_run_uses_its_precision(tmp_path, whole):
    train(tmp_path, learning_precision="bfloat16")
    first, other = (weights_of(folder)["network.value.5.bias"] for folder in (whole, tmp_path))
    assert not np.array_equal(first, other)


def test_a_longer_run_is_measured_on_its_way_too(tmp_path):
    train(tmp_path, iterations=1)
    train(tmp_path, resume=True)
    assert sorted({row["iterations"] for row in curve_of(tmp_path) if row["rating"]}) == ["1", "2", "3"]


def test_random_games_can_be_shorter_than_the_openings(tmp_path):
    """And more actions can be considered than there are."""
    train(tmp_path, iterations=1, random_plies=50, considered=10**7, ladder_games=2, measurements=1)
    assert len(curve_of(tmp_path)) == 1


def test_a_seed_repeats_and_another_does_not(tmp_path, whole):
    train(tmp_path / "again")
    assert_same(tmp_path / "again", whole)
    train(tmp_path / "other", seed=1)
    first, other = (weights_of(folder)["network.value.5.bias"] for folder in (whole, tmp_path / "other"))
    assert not np.array_equal(first, other)


def test_a_run_limited_by_time_is_resumed_and_finishes(tmp_path, monkeypatch):
    """Each part of an iteration takes one second: the games, and the steps of gradient descent."""
    monkeypatch.setattr(training, "monotonic", FakeClock(step=1))
    calls, step = iter(range(100)), AlphaZeroTrainer.step

    def killed(trainer, stop):
        if next(calls) == 1:
            raise SystemExit
        step(trainer, stop)

    with monkeypatch.context() as patched:
        patched.setattr(AlphaZeroTrainer, "step", killed)
        with pytest.raises(SystemExit):
            train(tmp_path, iterations=None, minutes=1)
    before = checkpoint_of(tmp_path).values["progress"]
    with pytest.raises(ValueError, match="the length of this run is in minutes, not in iterations"):
        train(tmp_path, resume=True)
    minutes = (before["seconds"] + 1.5) / 60
    train(tmp_path, iterations=None, minutes=minutes, resume=True)
    after = checkpoint_of(tmp_path).values["progress"]
    assert after["iteration"] > before["iteration"] == 1
    assert (before["seconds"], after["seconds"]) == (2, 4)
    assert curve_of(tmp_path)[-1]["rating"]


def test_a_loss_that_is_no_number_ends_the_run_and_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    losses, calls = Learner._losses, iter(range(10_000))

    def spoilt(*arguments):
        loss, parts = losses(*arguments)
        return loss, parts * torch.tensor([torch.nan if next(calls) > 4 else 1.0, 1.0, 1.0])

    with monkeypatch.context() as patched:
        patched.setattr(Learner, "_losses", spoilt)
        with pytest.raises(FloatingPointError, match="the loss is nan"):
            train(tmp_path, iterations=50)
    kept = checkpoint_of(tmp_path)
    assert kept.values["progress"]["iteration"] >= 1
    assert all(np.isfinite(array).all() for name, array in kept.arrays.items() if name != "replay")


def test_runs_that_cannot_start_or_resume_are_refused(tmp_path, whole):
    content = (whole / CHECKPOINT).read_bytes()
    for options, message in (
        ({}, "there is a run in .* already"),
        ({"resume": True, "seed": 3}, r"other options: seed=0 \(not 3\)"),
        ({"resume": True, "threads": 1}, r"other options: threads=2 \(not 1\)"),
        ({"resume": True, "simulations": 5}, r"other options: simulations=4 \(not 5\)"),
        ({"minutes": 3}, "give either iterations or minutes, not .* and minutes=3"),
        ({"iterations": None, "minutes": -1}, "minutes must be"),
        ({"threads": 0}, "threads must be"),
        ({"threads": 13}, "threads must be"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 13}, "workers must be"),
        ({"ray_address": "auto"}, "ray_address='auto' is for workers"),
        ({"exact_iterations": 2}, "exact_iterations=2 has no effect with exact=none"),
        ({"teacher_iterations": 2}, "teacher_iterations=2 has no effect with teacher=none"),
        ({"teacher": "file"}, "teacher=file has no effect with teacher_iterations=0"),
        ({"kept": 2}, "kept must be"),
        ({"selection": "best"}, "selection must be one of gumbel|puct"),
        ({"seed": -1}, "seed must be"),
        ({"device": "abacus"}, "PyTorch cannot use device='abacus'"),
        ({"device": "meta"}, "PyTorch cannot use device='meta'"),
    ):
        with pytest.raises(ValueError, match=message):
            train(whole, **options)
    with pytest.raises(ValueError, match=r"environment=TicTacToe-v0 \(not Quixo-v0:size=3\)"):
        train_agent("alphazero", "Quixo-v0:size=3", output=whole, iterations=3, resume=True, **SHORT)
    with pytest.raises(ValueError, match="there is no run in"):
        train(tmp_path, resume=True)
    assert (whole / CHECKPOINT).read_bytes() == content


def test_a_file_that_is_no_checkpoint_is_refused_in_one_line(tmp_path, whole):
    checkpoint = tmp_path / CHECKPOINT
    content = (whole / CHECKPOINT).read_bytes()
    (tmp_path / "config.json").write_bytes((whole / "config.json").read_bytes())
    foreign = (whole / "best.safetensors").read_bytes()
    for wrong in (content[: len(content) // 2], foreign, b"", b"no checkpoint"):
        checkpoint.write_bytes(wrong)
        with pytest.raises(ValueError, match=r"checkpoint\.npz") as refused:
            train(tmp_path, resume=True)
        assert "\n" not in str(refused.value)
        assert checkpoint.read_bytes() == wrong


def test_a_checkpoint_of_another_network_is_refused_in_one_line(tmp_path, whole):
    folder = RunFolder(tmp_path, "best.safetensors")
    (tmp_path / "config.json").write_bytes((whole / "config.json").read_bytes())
    record, state = RunFolder(whole, "best.safetensors").read_checkpoint()
    for changes in (
        {"network.policy.0.bias": np.zeros(3, np.float32)},
        {"replay": np.zeros(3)},
        {"replay": np.zeros(40_000, state.arrays["replay"].dtype)},
    ):
        folder.write_checkpoint(record, state._replace(arrays={**state.arrays, **changes}))
        with pytest.raises(ValueError, match=r"checkpoint\.npz' is not a checkpoint of this run") as refused:
            train(tmp_path, resume=True)
        assert "\n" not in str(refused.value)


def test_a_run_can_start_from_a_network(tmp_path, whole):
    best = whole / "best.safetensors"
    config = AlphaZeroConfig(iterations=1, initial_network=str(best))
    started = AlphaZeroTrainer(Task("TicTacToe-v0", GAME, None, 0), config)._learner.network.state_dict()
    expected = read_model(best, GAME).network.state_dict()
    assert started.keys() == expected.keys()
    for name, tensor in expected.items():
        assert torch.equal(started[name], tensor)
    train(tmp_path, iterations=1, initial_network=str(best))
    train(tmp_path, iterations=2, resume=True)  # needs the file no longer
    for options, message in (
        ({"architecture": "64x5"}, "does not have architecture=64x5"),
        ({"initial_network": str(tmp_path / "missing")}, "missing"),
    ):
        with pytest.raises((ValueError, OSError), match=message):
            train(tmp_path / "refused", **({"initial_network": str(best)} | options))


def test_a_teacher_of_another_architecture_plays_the_first_games(tmp_path, whole, monkeypatch):
    """An interrupted run goes on with the teacher's games, and then learns from its own."""
    teacher = whole / "best.safetensors"
    options = {"teacher": str(teacher), "teacher_iterations": 2, "architecture": "32x3_lines"}
    players, play = [], ThreadWorkers.play

    def watched(workers, network, *arguments):
        players.append(network)
        return play(workers, network, *arguments)

    monkeypatch.setattr(ThreadWorkers, "play", watched)
    train(tmp_path / "parts", iterations=1, **options)
    moved = str(shutil.copy(teacher, tmp_path / "moved.safetensors"))
    train(tmp_path / "parts", iterations=3, resume=True, **(options | {"teacher": moved}))
    train(tmp_path / "whole", iterations=3, **options)
    assert_same(tmp_path / "parts", tmp_path / "whole")
    assert [network.architecture.layout for network in players] == ["heads", "heads", "lines"] * 2
    expected = read_model(teacher, GAME).network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in players[0].state_dict().items())
    assert read_model(tmp_path / "whole" / "best.safetensors", GAME).network.architecture.layout == "lines"


def test_an_equally_good_network_replaces_the_best_one(tmp_path, monkeypatch, whole):
    """The score against the best network decides whether a network is the best, but does not change the curve."""
    scores = iter([0.49, 0.5, 0.49])
    monkeypatch.setattr(AlphaZeroTrainer, "_score_against", lambda *arguments: next(scores))
    after = {}
    save = TrainingRun._save

    def saved(run):
        save(run)
        after[run._trainer.count] = (tmp_path / "best.safetensors").read_bytes()

    monkeypatch.setattr(TrainingRun, "_save", saved)
    monkeypatch.setattr("ci_envs.training.session_clock._SAVING_SHARE", np.inf)  # a checkpoint after every step
    train(tmp_path, iterations=4, checkpoint_seconds=0)
    assert after[1] == after[2] != after[3] == after[4]
    assert curve_of(tmp_path)[:1] == curve_of(whole)[:1]


def test_a_network_is_as_good_as_itself_and_a_trained_one_better_than_a_new_one(learned):
    config = AlphaZeroConfig(iterations=1, ladder_games=30, ladder_simulations=2, ladder_random_plies=1, gate=0.55)
    trainer = AlphaZeroTrainer(Task("TicTacToe-v0", GAME, None, 0), config)
    ladder = Ladder(GAME, config.ladder, 30, random_plies=1)
    new, trained = new_network(GAME, ARCHITECTURES["32x3"], 5), read_model(learned / "best.safetensors", GAME).network
    ratings = []
    for network, adopted in ((new, True), (trained, True), (new, False)):
        trainer._learner.network.load_state_dict(network.state_dict())
        measurement = ladder.measure(trainer.agent())
        ratings.append(measurement.rating)
        assert trainer.adopt(measurement, ladder) == adopted
    assert ratings[1] > ratings[0] + 100


def test_tensorboard_shows_the_run(whole):
    events = EventAccumulator(str(whole))
    events.Reload()
    shown = events.Tags()["scalars"]
    assert {"loss/policy", "loss/value", "self-play/games a second", "ladder/rating", "ladder/random"} <= set(shown)
    assert [event.step for event in events.Scalars("loss/policy")] == [1, 2, 3]
    ratings = [float(row["rating"]) for row in curve_of(whole)]
    assert [event.value for event in events.Scalars("ladder/rating")] == pytest.approx(ratings, abs=0.06)


@pytest.mark.slow
def test_workers_train_from_the_command_line(tmp_path, whole):
    arguments = ["train", "alphazero:games=12,simulations=4", "TicTacToe-v0", "--iterations", "3", "--workers", "2"]
    trained = CliRunner().invoke(main, [*arguments, "--output", str(tmp_path)])
    assert trained.exit_code == 0, trained.output
    assert_same(tmp_path, whole)


def test_the_error_names_a_missing_cluster(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match=r"there is no Ray cluster at ray_address='127\.0\.0\.1:1'"):
        train(folder, workers=1, ray_address="127.0.0.1:1")
    assert not folder.exists()


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
    positions = [int(row["positions"]) for row in curve_of(learned)]
    assert np.all(np.diff(positions) >= 0)
