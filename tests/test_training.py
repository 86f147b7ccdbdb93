"""Training with Stable-Baselines3: self-play, measurements, stored files, and resuming after any interruption."""

import csv
import json
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from crashing import Crash
from playing import batch_of, best_forced_actions, random_positions
from stable_baselines3.common.callbacks import BaseCallback
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import ci_envs
import ci_envs.storage.files
from ci_envs import make_agent
from ci_envs.arena.match import play_match
from ci_envs.baselines import training
from ci_envs.baselines.config import POOL, PRESETS, SB3Config
from ci_envs.baselines.model_file import read_model
from ci_envs.baselines.policies import ALGORITHMS, PolicyArchitecture
from ci_envs.baselines.self_play import Pool, SelfPlayCallback, self_play_env
from ci_envs.baselines.training import SB3Trainer
from ci_envs.cli.main import main
from ci_envs.registry.games import resolve
from ci_envs.training import ladder, session_clock, train
from ci_envs.training.folder import CHECKPOINT, CONFIG, CURVE, RunFolder
from ci_envs.training.learners import make_config

GAME = ci_envs.ConnectN(3, 3, 3)
TICTACTOE = "TicTacToe-v0"
NETWORK = PolicyArchitecture("ppo", [8], "relu")
BEST = SB3Trainer.best_file
FILES = {BEST, CHECKPOINT, CONFIG, CURVE}
ARGUMENTS = {
    "maskable_ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 2},
    "ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 2},
    "a2c": {"n_steps": 8},
    "dqn": {"buffer_size": 400, "batch_size": 32, "learning_starts": 100, "target_update_interval": 50},
}
TINY = {
    "opponents": (POOL, POOL, "random"),
    "boards": 4,
    "layers": 8,
    "pool_updates": 5,
    "ladder": ("random", "minimax:depth=1"),
    "ladder_games": 10,
    "measurements": 5,
    "checkpoint_seconds": 0,
}


@pytest.fixture(autouse=True)
def trainers(monkeypatch):
    """Record the trainers that the test makes. They write a checkpoint after each rollout."""
    made = []

    class Recorded(SB3Trainer):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(training, "SB3Trainer", Recorded)
    monkeypatch.setattr(session_clock, "_SAVING_SHARE", np.inf)
    return made


@pytest.fixture
def run(trainers):
    """Train a small network, and return the model at the end."""

    def run(algorithm, output, steps, **options):
        train(f"sb3:{algorithm}", TICTACTOE, steps=steps, output=output, **{**TINY, **ARGUMENTS[algorithm], **options})
        return trainers[-1].model

    return run


def ci_envs_train(*arguments):
    return CliRunner().invoke(main, ["train", *map(str, arguments)])


def settings(algorithm):
    """Return the options of a small run on the command line."""
    options = {**TINY, **ARGUMENTS[algorithm]}
    texts = {name: "+".join(value) if isinstance(value, tuple) else value for name, value in options.items()}
    return [f"--set={name}={text}" for name, text in texts.items()]


def checkpoint(folder):
    return RunFolder(folder, BEST).read_checkpoint()


def steps_of(folder):
    return checkpoint(folder)[1].values["steps"]


def policy_of(folder):
    """Return the weights at the last checkpoint."""
    arrays = checkpoint(folder)[1].arrays
    return {name: torch.from_numpy(array) for name, array in arrays.items() if name.startswith("policy.")}


def contents(folder):
    """Return all files of a run without their times."""
    _, state = checkpoint(folder)
    arrays = {name: (array.dtype, array.shape, array.tobytes()) for name, array in state.arrays.items()}
    return [state.values, arrays, *((folder / name).read_bytes() for name in (BEST, CONFIG, CURVE))]


def differing(first, second):
    """Return the names of the tensors that differ."""
    assert first.keys() == second.keys()
    return [name for name in first if not torch.equal(first[name], second[name])]


def flat(optimizer):
    state = optimizer.state_dict()["state"]
    return {f"{i}.{name}": torch.as_tensor(value) for i, values in state.items() for name, value in values.items()}


def stopping(at, error):
    """Return a method ``_on_step`` that raises an error at a step."""

    def _on_step(self):
        if self.num_timesteps >= at:
            raise error
        return True

    return _on_step


class TestARun:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_the_command_leaves_a_model_that_plays(self, algorithm, tmp_path):
        folder = tmp_path / "deep" / "run"
        done = ci_envs_train(
            f"sb3:{algorithm}", TICTACTOE, "--steps", 1000, "--seed", 3, "--output", folder, *settings(algorithm)
        )
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines()[-1] == f"trained: sb3:{folder / BEST}"
        assert {file.name for file in folder.iterdir() if "tfevents" not in file.name} == FILES
        assert read_model(folder / BEST).network == PolicyArchitecture(algorithm, [8], "relu")
        assert 1000 <= steps_of(folder) < 1200
        agent = make_agent(f"sb3:{folder / BEST}", TICTACTOE)
        result = play_match(GAME, agent, make_agent("random", GAME, seed=0), 20)
        assert result.sides[0].faults == 0

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_the_same_seed_gives_the_same_bytes(self, algorithm, tmp_path, run):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            run(algorithm, tmp_path / name, 800, seed=seed)
            np.random.seed(77)  # noqa: NPY002  what was drawn before does not matter
            torch.manual_seed(77)
        assert contents(tmp_path / "a") == contents(tmp_path / "b")
        first, other = (policy_of(tmp_path / name) for name in "ac")
        assert len(differing(first, other)) == len(first)

    def test_the_logged_numbers(self, tmp_path, run):
        for algorithm, metrics in (
            ("maskable_ppo", {"train/policy_gradient_loss", "train/value_loss", "train/entropy_loss"}),
            ("dqn", {"train/loss", "rollout/exploration_rate"}),
        ):
            model = run(algorithm, tmp_path / algorithm, 1500)
            events = EventAccumulator(str(tmp_path / algorithm)).Reload()
            ours = {"ladder/random": "random", "ladder/minimax:depth=1": "minimax:depth=1"}
            theirs = {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "train/learning_rate"}
            assert {*ours, "ladder/rating"} | theirs | metrics <= set(events.Tags()["scalars"])
            steps = [event.step for event in events.Scalars("ladder/rating")]
            assert steps[-1] == model.num_timesteps
            assert len(steps) == len(set(steps)) >= 4
            assert all(300 <= b - a < 300 + 192 for a, b in zip([0, *steps[:-2]], steps[:-1], strict=True))
            with (tmp_path / algorithm / CURVE).open(newline="") as file:
                rows = list(csv.DictReader(file))
            assert [int(row["steps"]) for row in rows] == steps
            for tag, spec in ours.items():
                scores = [(int(row[f"{spec} won"]) + int(row[f"{spec} drawn"]) / 2) / 10 for row in rows]
                assert np.allclose([event.value for event in events.Scalars(tag)], scores)
            lengths = [event.value for event in events.Scalars("rollout/ep_len_mean")]
            assert all(1 <= length <= 5 for length in lengths)
            steps = [event.step for event in events.Scalars("train/learning_rate")]
            assert steps == sorted(steps)
            assert steps[-1] == model.num_timesteps

    def test_the_measurement_is_that_of_a_match(self, tmp_path, run, trainers):
        model = run("ppo", tmp_path, 400)
        logged = EventAccumulator(str(tmp_path)).Reload().Scalars("ladder/random")[-1].value
        random = make_agent("random", GAME, seed=0)
        total = play_match(GAME, trainers[-1].agent(), random, 10).sides[0].total
        assert logged == pytest.approx((total.wins + total.draws / 2) / 10)
        assert steps_of(tmp_path) == model.num_timesteps

    def test_torch_has_one_thread_while_it_runs(self, tmp_path, monkeypatch, run):
        seen = set()
        monkeypatch.setattr(SelfPlayCallback, "_on_step", lambda self: seen.add(torch.get_num_threads()) or True)
        before = torch.get_num_threads()
        try:
            torch.set_num_threads(3)
            run("a2c", tmp_path / "a", 100)
            assert seen == {1}
            assert torch.get_num_threads() == 3
            run("a2c", tmp_path / "b", 100, threads=2)
            assert seen == {1, 2}
            monkeypatch.setattr(SelfPlayCallback, "_on_step", stopping(20, Crash))
            with pytest.raises(Crash):
                run("a2c", tmp_path / "c", 100)
            assert torch.get_num_threads() == 3
        finally:
            torch.set_num_threads(before)

    def test_games_are_cut_short_everywhere(self, tmp_path, monkeypatch, trainers):
        limits = []

        def play(*arguments, max_cycles, **options):
            limits.append(max_cycles)
            return play_match(*arguments, max_cycles=max_cycles, **options)

        monkeypatch.setattr(ladder, "play_match", play)
        options = {**TINY, **ARGUMENTS["a2c"]}
        train("sb3:a2c", "TicTacToe-v0:max_cycles=4", steps=200, output=tmp_path, **options)
        assert set(limits) == {4}
        assert max(info["l"] for info in trainers[-1].model.ep_info_buffer) <= 2

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ("sb3:maskable_ppoo TicTacToe-v0 --steps 9", ("'maskable_ppoo'", "maskable_ppo, ppo, a2c, dqn")),
            ("sb3 TicTacToe-v0 --steps 9", ("sb3", "'algorithm'")),
            ("sb3:ppo TicTacToe-v0 --steps 0", ("'--steps'", "0")),
            ("sb3:ppo,steps=x TicTacToe-v0", ("steps", "'x'")),
            ("sb3:ppo TicTacToe-v0 --episodes 9 --steps 9", ("sb3 has no option --episodes. Use --steps.",)),
            ("sb3:ppo,threads=0 TicTacToe-v0 --steps 9", ("threads", "0")),
            ("sb3:ppo,lr=1 TicTacToe-v0 --steps 9", ("'lr'", "threads")),
            ("sb3:a2c,n_epochs=4 TicTacToe-v0 --steps 9", ("n_epochs=4", "maskable_ppo or ppo,", "a2c")),
            ("sb3:dqn TicTacToe-v0 --steps 9 --set gae_lambda=0.5", ("gae_lambda=0.5", "ppo or a2c,", "dqn")),
            ("sb3:ppo,n_steps=1,boards=1,opponents=random TicTacToe-v0 --steps 9", ("n_steps=1", "boards=2")),
            ("sb3:ppo,layers=8,0 TicTacToe-v0 --steps 9", ("layers", "from 1", "(8, 0)")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --set layers=8,x", ("layers", "from 1", "(8, 'x')")),
            ("sb3:ppo,activation=gelu TicTacToe-v0 --steps 9", ("activation", "tanh, relu", "'gelu'")),
            ("sb3:ppo,opponents=pool+nobody TicTacToe-v0 --steps 9", ("'nobody'",)),
            ("sb3:ppo,gamma=1.5 TicTacToe-v0 --steps 9", ("gamma", "from 0 to 1", "1.5")),
            ("sb3:ppo TicTacToe-v9 --steps 9", ("'TicTacToe-v9'", "TicTacToe-v0")),
            ("sb3:ppo Quixo-v0:max_cycles=0 --steps 9", ("max_cycles", "0")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --seed 4294967296", ("seed", "4294967295", "4294967296")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --seed -1", ("'--seed'", "-1")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --resume", ("no run", "to resume")),
            ("q_learning TicTacToe-v0 --episodes 9 --set ladder=none", ("ladder needs an opponent",)),
            ("sb3:ppo TicTacToe-v0 --steps 9 --set ladder=none", ("ladder needs an opponent",)),
            (f"q_learning TicTacToe-v0 --episodes {2**64}", ("episodes", "below 2^63", str(2**64))),
            ("random TicTacToe-v0 --steps 9", ("'random'", "cannot be trained", "sb3")),
            ("nobody TicTacToe-v0 --steps 9", ("'nobody'", "sb3")),
        ],
    )
    def test_bad_input_makes_no_folder(self, arguments, words, tmp_path):
        folder = tmp_path / "run"
        done = ci_envs_train(*arguments.split(), "--output", folder)
        assert done.exit_code == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert all(word in done.stderr for word in words), done.stderr
        assert not folder.exists()

    def test_an_output_that_is_a_file(self, tmp_path):
        (tmp_path / "file").touch()
        for path in (tmp_path / "file", tmp_path / "file" / "run"):
            done = ci_envs_train("sb3:ppo", TICTACTOE, "--steps", 9, "--output", path)
            assert done.exit_code == 2
            assert str(path) in done.stderr

    def test_a_failure_shows_its_cause_and_keeps_the_checkpoint(self, tmp_path, monkeypatch):
        def _on_step(self):
            if self.num_timesteps >= 700:
                for parameter in self.model.policy.parameters():
                    parameter.data.fill_(float("nan"))
            return True

        monkeypatch.setattr(SelfPlayCallback, "_on_step", _on_step)
        done = ci_envs_train("sb3:a2c", TICTACTOE, "--steps", 1000, "--output", tmp_path, *settings("a2c"))
        assert isinstance(done.exception, RuntimeError)
        assert isinstance(done.exception.__cause__, ValueError)
        assert 300 < steps_of(tmp_path) < 700
        assert all(np.isfinite(array).all() for array in checkpoint(tmp_path)[1].arrays.values())

    def test_presets_are_those_of_the_algorithm_and_the_game(self):
        def config(algorithm, game, **options):
            return make_config(SB3Trainer, game, {"algorithm": algorithm, "steps": 9, **options}).resolved(game)

        assert config("dqn", GAME).arguments == PRESETS["dqn"]
        assert config("ppo", GAME, n_steps=8).arguments == {**PRESETS["ppo"], "n_steps": 8}
        assert config("a2c", ci_envs.Quixo()).layers == (256, 256)
        four = config("ppo", resolve("ConnectFour-v0")[1])
        assert (four.n_steps, four.batch_size, four.n_epochs, four.learning_rate) == (32, 512, 5, 3e-3)
        assert (four.boards, four.gamma) == (16, PRESETS["ppo"]["gamma"])

    def test_presets_are_arguments_of_the_algorithms(self):
        """Each option reaches the algorithm under its name in Stable-Baselines3."""
        for algorithm, arguments in PRESETS.items():
            env = self_play_env(GAME, SB3Config(algorithm="ppo", opponents=("random",), boards=2))
            model = ALGORITHMS[algorithm]("MlpPolicy", env, device="cpu", **{**arguments, "seed": 0})
            assert all(hasattr(model, name) for name in arguments)


class TestResuming:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_everything_is_as_it_was(self, algorithm, tmp_path, run, trainers):
        """A run with all its steps shows the content of its checkpoint when it is resumed."""
        first = run(algorithm, tmp_path, 1000)
        events = len(list(tmp_path.glob("*tfevents*")))
        second = run(algorithm, tmp_path, 1000, resume=True)
        assert second.num_timesteps == first.num_timesteps
        assert differing(first.policy.state_dict(), second.policy.state_dict()) == []
        state = flat(first.policy.optimizer)
        assert len(state) > 0
        assert differing(state, flat(second.policy.optimizer)) == []
        pools = [trainer.pool for trainer in trainers]
        assert len(pools[0].weights) == len(pools[1].weights) >= 3
        for before, after in zip(pools[0].weights, pools[1].weights, strict=True):
            assert differing(before, after) == []
        assert pools[0].next_entry == pools[1].next_entry > 0
        if algorithm == "dqn":
            for name in ("observations", "next_observations", "actions", "rewards", "dones", "timeouts", "pos", "full"):
                assert np.array_equal(getattr(first.replay_buffer, name), getattr(second.replay_buffer, name))
            assert first.replay_buffer.full
        assert len(list(tmp_path.glob("*tfevents*"))) == events + 1

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_it_continues_from_the_steps_of_the_checkpoint(self, algorithm, tmp_path, monkeypatch, run):
        begun = run(algorithm, tmp_path / "a", 600).num_timesteps
        shutil.copytree(tmp_path / "a", tmp_path / "b")
        steps = []
        monkeypatch.setattr(SelfPlayCallback, "_on_step", lambda self: steps.append(self.num_timesteps) or True)
        model = run(algorithm, tmp_path / "a", 1200, resume=True)
        assert steps[0] == begun + 12
        assert 1200 <= model.num_timesteps == steps[-1] < 1400
        run(algorithm, tmp_path / "b", 1200, resume=True)
        assert contents(tmp_path / "a") == contents(tmp_path / "b")

    def test_new_random_numbers_are_drawn(self, tmp_path, monkeypatch, run):
        seen = []

        class Look(SelfPlayCallback):
            def _on_rollout_end(self):
                seen[-1].append(self.model.rollout_buffer.actions.copy())

        monkeypatch.setattr(training, "SelfPlayCallback", Look)
        for resume in (False, True):
            seen.append([])
            run("a2c", tmp_path, 200 if not resume else 400, resume=resume)
        assert not np.array_equal(seen[0][0], seen[1][0])

    def test_the_agent_enters_the_pool_once(self, tmp_path, run, trainers):
        run("a2c", tmp_path, 300)
        for _ in range(3):
            run("a2c", tmp_path, 300, resume=True)
        assert len({len(trainer.pool.weights) for trainer in trainers}) == 1

    def test_a_run_is_not_overwritten(self, tmp_path, run):
        run("a2c", tmp_path, 100)
        before = {file: file.read_bytes() for file in tmp_path.iterdir()}
        done = ci_envs_train("sb3:a2c", TICTACTOE, "--steps", 200, "--output", tmp_path)
        assert done.exit_code == 2
        assert str(tmp_path) in done.stderr
        assert "already" in done.stderr
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ("sb3:maskable_ppo TicTacToe-v0", ("algorithm", "=ppo", "not maskable_ppo")),
            ("sb3:dqn TicTacToe-v0", ("algorithm", "not dqn")),
            ("sb3:ppo TicTacToe-v0 --seed 1", ("seed", "0", "1")),
            ("sb3:ppo Quixo-v0", ("environment", "=TicTacToe-v0", "not Quixo-v0")),
        ],
    )
    def test_another_run_is_refused(self, arguments, words, tmp_path, run):
        run("ppo", tmp_path, 100)
        before = {file: file.read_bytes() for file in tmp_path.iterdir()}
        done = ci_envs_train(*arguments.split(), "--steps", 200, "--output", tmp_path, "--resume")
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert all(word in done.stderr for word in (*words, "other options", str(tmp_path))), done.stderr
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before

    def test_other_options_and_damage_are_refused(self, tmp_path, run):
        run("ppo", tmp_path, 100)
        with pytest.raises(ValueError, match=r"other options: boards=4 \(not 5\)"):
            run("ppo", tmp_path, 200, resume=True, boards=5)
        content = (tmp_path / CHECKPOINT).read_bytes()
        for damaged in ((tmp_path / BEST).read_bytes(), content[:-1]):
            (tmp_path / CHECKPOINT).write_bytes(damaged)
            with pytest.raises(ValueError, match="not a checkpoint of this run"):
                run("ppo", tmp_path, 200, resume=True)

    def test_the_keyboard_interrupts_and_all_is_kept(self, tmp_path, monkeypatch):
        arguments = ("sb3:maskable_ppo", TICTACTOE, "--steps", 1000, "--output", tmp_path, *settings("maskable_ppo"))
        with monkeypatch.context() as patch:
            patch.setattr(SelfPlayCallback, "_on_step", stopping(510, KeyboardInterrupt))
            done = ci_envs_train(*arguments)
        assert done.exit_code == 1
        assert f"Run the same command with --resume to continue in '{tmp_path}'" in done.stderr
        assert "Traceback" not in done.output
        # two rollouts of 192 steps: the model has not learned from the third one, which is lost
        assert steps_of(tmp_path) == 384
        done = ci_envs_train(*arguments, "--resume")
        assert done.exit_code == 0, done.output
        assert steps_of(tmp_path) >= 1000

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_an_interrupt_while_the_weights_change_waits_for_the_next_step(self, algorithm, tmp_path, monkeypatch, run):
        """The checkpoint contains the weights after the whole update."""
        seen = []

        def train_and_note(self, *arguments, **options):
            if self.num_timesteps > 500:
                signal.raise_signal(signal.SIGINT)
            update(self, *arguments, **options)
            seen.append({name: tensor.clone() for name, tensor in self.policy.state_dict().items()})

        update = ALGORITHMS[algorithm].train
        handler = signal.getsignal(signal.SIGINT)
        with monkeypatch.context() as patch:
            patch.setattr(ALGORITHMS[algorithm], "train", train_and_note)
            with pytest.raises(KeyboardInterrupt):
                run(algorithm, tmp_path, 1000)
        assert signal.getsignal(signal.SIGINT) is handler
        weights = {name.removeprefix("policy."): tensor for name, tensor in policy_of(tmp_path).items()}
        assert differing(weights, seen[-1]) == []
        assert len(differing(weights, seen[-2])) > 0
        assert 500 < steps_of(tmp_path) < 800
        assert run(algorithm, tmp_path, 1000, resume=True).num_timesteps >= 1000

    def test_a_second_interrupt_takes_effect_at_once(self, tmp_path, monkeypatch, run):
        """The interrupt is in the middle of an update, so the checkpoint is an earlier one."""
        steps = []

        def interrupted_twice(self):
            steps.append(self.num_timesteps)
            if self.num_timesteps > 500:
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                pytest.fail("the second interrupt had no effect")
            update(self)

        update = ALGORITHMS["a2c"].train
        with monkeypatch.context() as patch:
            patch.setattr(ALGORITHMS["a2c"], "train", interrupted_twice)
            with pytest.raises(KeyboardInterrupt):
                run("a2c", tmp_path, 1000)
        assert steps_of(tmp_path) == steps[-2]
        assert run("a2c", tmp_path, 1000, resume=True).num_timesteps >= 1000

    def test_an_interrupt_before_the_first_step(self, tmp_path, monkeypatch, run):
        def learn(*arguments, **options):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(ALGORITHMS["a2c"], "learn", learn)
            with pytest.raises(KeyboardInterrupt):
                run("a2c", tmp_path, 100)
        assert run("a2c", tmp_path, 100, resume=True).num_timesteps >= 100

    def test_stopped_at_any_write_it_continues(self, tmp_path, monkeypatch, run):
        """The kill is between any two files: the run loses only the work since the checkpoint, not the best agent."""
        played, write = ScriptedLadder(monkeypatch), ci_envs.storage.files.write_whole
        for stop_at in range(1, 27):
            folder, writes, best = tmp_path / str(stop_at), [], 0
            played.scores = [0.55, 0.75, 0.65, 0.6]

            def write_or_stop(path, content, writes=writes, stop_at=stop_at):
                if len(writes) == stop_at:
                    raise Crash
                writes.append(path.name)
                write(path, content)

            with monkeypatch.context() as patch:
                for module in ("storage.files", "storage.arrays", "storage.tensors", "training.folder"):
                    patch.setattr(f"ci_envs.{module}.write_whole", write_or_stop)
                with pytest.raises(Crash):
                    run("a2c", folder, 1000)
            if BEST in writes:
                assert read_model(folder / BEST).notes["score"] == (0.55, 0.75)[writes.count(BEST) - 1]
            if CHECKPOINT in writes:
                assert steps_of(folder) == min(96 * writes.count(CHECKPOINT), 1056)
                best = checkpoint(folder)[1].values.get("best", {"score": 0})["score"]
            played.scores = [0.7] * 10
            run("a2c", folder, 1000, resume=True)
            assert {file.name for file in folder.iterdir() if "tfevents" not in file.name} == FILES
            assert read_model(folder / BEST).notes["score"] == max(0.7, best)
        assert writes.count(BEST) == 2

    def test_the_best_is_replaced_by_better_ones_alone(self, tmp_path, monkeypatch, run):
        played = ScriptedLadder(monkeypatch)
        played.scores = [0.6, 0.8, 0.8, 0.55, 0.25, 0.75, 0.85]
        run("a2c", tmp_path, 1000)
        best = read_model(tmp_path / BEST)
        assert best.notes["score"] == 0.8
        assert 400 <= best.steps < 600
        assert steps_of(tmp_path) >= 1000
        for steps in (1300, 1600):
            run("a2c", tmp_path, steps, resume=True)
            assert read_model(tmp_path / BEST).steps == best.steps
        run("a2c", tmp_path, 1900, resume=True)
        assert read_model(tmp_path / BEST).steps >= 1900

    @pytest.mark.slow
    def test_killed_at_random_moments_it_finishes(self, tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", KILLS, tmp_path / "run"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        steps = json.loads(done.stdout.splitlines()[-1])
        assert steps == sorted(steps)
        assert steps[-1] >= 20_000
        assert sum(0 < reached < 20_000 for reached in steps) >= 2


KILLS = """
import json, os, random, signal, sys, time
import torch
from pathlib import Path
from ci_envs.baselines.model_file import read_model
from ci_envs.training import train
from ci_envs.training.folder import CHECKPOINT, RunFolder
folder = Path(sys.argv[1])
runs = RunFolder(folder, "best.safetensors")
OPTIONS = dict(opponents=("pool", "random"), boards=4, ladder=("random",), ladder_games=10, layers=8, n_steps=8,
    checkpoint_seconds=0.05)
def run(steps, folder, resume):
    train("sb3:a2c", "TicTacToe-v0", steps=steps, output=folder, resume=resume, **OPTIONS)
def reached():
    return runs.read_checkpoint()[1].values["steps"] if runs.has_checkpoint else 0
torch.set_num_threads(1)
run(1, folder / "warm", False)
steps = []
draw = random.Random(0)
for _ in range(6):
    wanted = reached() + draw.randrange(1, 2000)  # the process is killed after some work, not after some time
    child = os.fork()
    if child == 0:
        run(20_000, folder, runs.has_run)
        os._exit(0)
    while reached() < wanted and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    steps.append(reached())
run(20_000, folder, True)
read_model(runs.best)
steps.append(reached())
print(json.dumps(steps))
"""


class ScriptedLadder:
    """A ladder that returns given scores, one after the other."""

    def __init__(self, monkeypatch):
        self.scores = []
        monkeypatch.setattr(ladder.Measurement, "score", property(lambda measured: self.scores.pop(0)))


class TestPool:
    def policies(self, count):
        for value in range(count):
            policy = NETWORK.new_policy(GAME)
            for parameter in policy.parameters():
                parameter.data.fill_(value)
            yield policy

    def test_it_keeps_copies_and_the_newest(self):
        pool = Pool(GAME, NETWORK, size=5, latest_share=0.5, seed=0)
        for value, policy in enumerate(self.policies(50)):
            pool.add(policy)
            for parameter in policy.parameters():
                parameter.data.fill_(-1)
            values = [int(weights["action_net.bias"][0]) for weights in pool.weights]
            assert values == sorted(values)
            assert values[-1] == value
            assert len(values) == min(value + 1, 5)
        assert values[0] > 5

    def test_it_draws_the_latest_half_of_the_time(self):
        pool = Pool(GAME, NETWORK, size=4, latest_share=0.5, seed=0)
        for policy in self.policies(4):
            pool.add(policy)
        drawn = np.bincount([int(pool.draw().trained.policy.action_net.bias[0]) for _ in range(800)], minlength=4) / 800
        assert abs(drawn - [1 / 8, 1 / 8, 1 / 8, 5 / 8]).max() < 0.09  # 5 standard deviations

    def test_seeds_repeat_it(self):
        def draws(seed):
            pool = Pool(GAME, NETWORK, size=3, latest_share=0.5, seed=seed)
            for policy in self.policies(9):
                pool.add(policy)
            start = batch_of(random_positions(GAME, 50, seed=0))
            return [pool.draw().act_batch(start).tolist() for _ in range(5)]

        assert draws(1) == draws(1) != draws(2)

    def test_both_sides_play_the_training_games_with_the_look_ahead(self):
        """They win at once, or else prevent an immediate win of the opponent."""
        config = SB3Config(algorithm="maskable_ppo", opponents=(POOL, "random"), boards=20, training_lookahead=2)
        env, pool = self_play_env(GAME, config), Pool(GAME, NETWORK, size=1, latest_share=1, lookahead=2, seed=0)
        env.seed(3)
        env.reset()
        pool.add(NETWORK.new_policy(GAME))
        opponent, rng, restricted = pool.draw(), np.random.default_rng(0), 0
        for _ in range(8):
            positions = [position for group in env.groups for position in group.positions]
            masks = env.action_masks()
            for position, mask in zip(positions, masks, strict=True):
                assert set(np.flatnonzero(mask)) == best_forced_actions(position, 2)
                restricted += mask.sum() < len(position.legal_actions())
            going_on = [position for position in positions if position.result is None]
            replies = opponent.act_batch(batch_of(going_on))
            assert all(
                reply in best_forced_actions(position, 2) for reply, position in zip(replies, going_on, strict=True)
            )
            env.step((masks * rng.random(masks.shape)).argmax(axis=1))
        assert restricted > 20

    def test_opponents_are_replaced_where_the_pool_plays_and_when_it_is_time(self, tmp_path):
        opponents = (POOL, "random", POOL, "minimax:depth=1")
        env = self_play_env(GAME, SB3Config(algorithm="ppo", opponents=opponents, boards=2))
        assert [type(group.opponent).__name__ for group in env.groups] == [*["RandomAgent"] * 3, "MinimaxAgent"]
        pool = Pool(GAME, NETWORK, size=20, latest_share=0.5, seed=0)
        player = SelfPlayCallback(env, opponents, pool, interval=64)
        fixed = [env.groups[1].opponent, env.groups[3].opponent]
        seen = []

        class OpponentRecorder(BaseCallback):
            def _on_step(self):
                return True

            def _on_rollout_start(self):
                seen.append((self.num_timesteps, len(pool.weights), env.groups[0].opponent, env.groups[2].opponent))

        arguments = {"policy_kwargs": NETWORK.policy_arguments(), "n_steps": 4, "batch_size": 32}
        ALGORITHMS["ppo"]("MlpPolicy", env, device="cpu", **arguments).learn(200, callback=[player, OpponentRecorder()])
        assert [env.groups[1].opponent, env.groups[3].opponent] == fixed
        assert [(steps, held) for steps, held, *_ in seen] == [(n, 1 + n // 64) for n in range(0, 200, 32)]
        assert len({id(opponent) for _, _, *drawn in seen for opponent in drawn}) == 2 * 4
        for *_, one, other in seen:
            assert not one.deterministic
            assert one is not other


def test_maskable_ppo_learns_tictactoe(tmp_path, trainers):
    train("sb3:maskable_ppo", TICTACTOE, steps=40_000, output=tmp_path, boards=16, batch_size=512)
    agent, random = trainers[-1].agent(), make_agent("random", GAME, seed=1)
    total = play_match(GAME, agent, random, 1000).sides[0].total
    assert total.wins + total.draws / 2 > 900


@pytest.mark.parametrize(("algorithm", "steps", "rounded"), [("ppo", 100, 192), ("dqn", 100, 144), ("ppo", 192, None)])
def test_the_steps_are_rounded_up_to_rollouts_and_the_run_says_so(algorithm, steps, rounded, tmp_path, capsys):
    options = {"boards": 3, "opponents": ("random", "random"), "ladder": ("random",), "ladder_games": 2, "layers": 8}
    arguments = {"ppo": {"n_steps": 32, "batch_size": 64}, "dqn": {"train_freq": 24, "learning_starts": 50}}[algorithm]
    train(f"sb3:{algorithm}", "TicTacToe-v0", output=tmp_path, steps=steps, **options, **arguments)
    shown = capsys.readouterr().err
    assert ("the run ends after" in shown) == (rounded is not None)
    assert rounded is None or f"the run ends after {rounded} steps" in shown
    assert (tmp_path / "curve.csv").read_text().splitlines()[-1].startswith(f"{rounded or steps},")


def test_the_losses_of_a_step_do_not_depend_on_the_length_of_the_run(tmp_path):
    """The curve has the losses of the latest update, in the middle of a run as at its end."""
    rows = []
    for steps in (320, 640):
        folder, options = tmp_path / str(steps), {"boards": 2, "layers": 8, "n_steps": 16, "pool_updates": steps // 64}
        options |= {"opponents": "random", "ladder": "random", "ladder_games": 2, "measurements": steps // 320}
        train("sb3:maskable_ppo", TICTACTOE, output=folder, steps=steps, **options)
        [row] = [one for one in csv.DictReader((folder / CURVE).read_text().splitlines()) if one["steps"] == "320"]
        rows.append({name: value for name, value in row.items() if name.endswith("loss")})
    assert rows[0] == rows[1]
    assert all(rows[0].values())
