"""Training with Stable-Baselines3: self-play, evaluation, what is kept, and going on after any interruption."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from crashing import Crash
from playing import batch_of, random_positions
from stable_baselines3.common.callbacks import BaseCallback
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import ci_envs
import ci_envs.storage.tensors
from ci_envs import make_agent
from ci_envs.arena.match import play_match
from ci_envs.baselines import training
from ci_envs.baselines.hyperparameters import POOL, Hyperparameters, hyperparameters
from ci_envs.baselines.model_file import read_model
from ci_envs.baselines.policies import ALGORITHMS, PolicyArchitecture
from ci_envs.baselines.self_play import Pool, SelfPlayCallback, self_play_env
from ci_envs.baselines.training import BEST, CHECKPOINT, LAST, train
from ci_envs.cli.main import main

GAME = ci_envs.ConnectN(3, 3, 3)
TICTACTOE = "TicTacToe-v0"
NETWORK = PolicyArchitecture("ppo", [8], "relu")
FILES = {BEST, LAST, CHECKPOINT}
ARGUMENTS = {
    "maskable_ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 2},
    "ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 2},
    "a2c": {"n_steps": 8},
    "dqn": {"buffer_size": 400, "batch_size": 32, "learning_starts": 100, "target_update_interval": 50},
}


def tiny(algorithm, id):
    return Hyperparameters((POOL, POOL, "random"), 4, ("random", "minimax:depth=1"), [8], "relu", ARGUMENTS[algorithm])


@pytest.fixture(autouse=True)
def pools(monkeypatch):
    """Small runs; the pools that they make."""
    made = []

    class Recorded(Pool):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(training, "hyperparameters", tiny)
    monkeypatch.setattr(training, "_GAMES", 10)
    monkeypatch.setattr(training, "_SHARE", 5)
    monkeypatch.setattr(training, "Pool", Recorded)
    return made


def run(algorithm, output, steps, **options):
    return train(algorithm, TICTACTOE, steps=steps, output=output, progress=False, **options)


def ci_envs_train(*arguments):
    return CliRunner().invoke(main, ["train", *map(str, arguments)])


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def differing(first, second):
    """The names of tensors that differ."""
    assert first.keys() == second.keys()
    return [name for name in first if not torch.equal(first[name], second[name])]


def flat(optimizer):
    state = optimizer.state_dict()["state"]
    return {f"{i}.{name}": torch.as_tensor(value) for i, values in state.items() for name, value in values.items()}


def stopping(at, error):
    """A method ``_on_step`` that raises at a step."""

    def _on_step(self):
        if self.num_timesteps >= at:
            raise error
        return True

    return _on_step


class TestARun:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_the_command_leaves_a_model_that_plays(self, algorithm, tmp_path):
        folder = tmp_path / "deep" / "run"
        done = ci_envs_train(f"sb3:{algorithm}", TICTACTOE, "--steps", 1000, "--seed", 3, "--output", folder)
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines()[-1] == f"trained: sb3:{folder / BEST}"
        assert {file.name for file in folder.iterdir() if "tfevents" not in file.name} == FILES
        for name in FILES:
            model = read_model(folder / name)
            assert model.network == PolicyArchitecture(algorithm, [8], "relu")
        assert 1000 <= read_model(folder / LAST).steps < 1200
        agent = make_agent(f"sb3:{folder / BEST}", TICTACTOE)
        result = play_match(GAME, agent, make_agent("random", GAME, seed=0), 20)
        assert result.sides[0].illegal == 0

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_the_same_seed_gives_the_same_bytes(self, algorithm, tmp_path):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            run(algorithm, tmp_path / name, 800, seed=seed)
            np.random.seed(77)  # noqa: NPY002  what was drawn before does not matter
            torch.manual_seed(77)
        assert contents(tmp_path / "a") == contents(tmp_path / "b")
        first, other = (read_model(tmp_path / name / LAST).tensors for name in "ac")
        assert len(differing(first, other)) == len(first)

    def test_what_it_logs(self, tmp_path):
        for algorithm, metrics in (
            ("maskable_ppo", {"train/policy_gradient_loss", "train/value_loss", "train/entropy_loss"}),
            ("dqn", {"train/loss", "rollout/exploration_rate"}),
        ):
            model = run(algorithm, tmp_path / algorithm, 1500)
            events = EventAccumulator(str(tmp_path / algorithm)).Reload()
            ours = {"eval/random", "eval/minimax depth=1", "eval/mean_reward"}
            theirs = {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "train/learning_rate"}
            assert ours | theirs | metrics <= set(events.Tags()["scalars"])
            steps = [event.step for event in events.Scalars("eval/mean_reward")]
            assert steps[-1] == model.num_timesteps
            assert len(steps) == len(set(steps)) >= 4
            assert all(300 <= b - a < 300 + 192 for a, b in zip([0, *steps[:-2]], steps[:-1], strict=True))
            values = [np.array([e.value for e in events.Scalars(name)]) for name in sorted(ours)]
            assert np.allclose(values[0], (values[1] + values[2]) / 2)
            lengths = [event.value for event in events.Scalars("rollout/ep_len_mean")]
            assert all(1 <= length <= 5 for length in lengths)
            steps = [event.step for event in events.Scalars("train/learning_rate")]
            assert steps == sorted(steps)
            assert steps[-1] == model.num_timesteps

    def test_the_evaluation_is_that_of_a_match(self, tmp_path):
        model = run("ppo", tmp_path, 400)
        logged = EventAccumulator(str(tmp_path)).Reload().Scalars("eval/random")[-1].value
        random = make_agent("random", GAME, seed=0)
        total = play_match(GAME, make_agent(f"sb3:{tmp_path / LAST}", GAME), random, 10).sides[0].total
        assert logged == pytest.approx((total.wins - total.losses) / 10)
        assert read_model(tmp_path / LAST).steps == model.num_timesteps

    def test_torch_has_one_thread_while_it_runs(self, tmp_path, monkeypatch):
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

    def test_games_are_cut_short_everywhere(self, tmp_path, monkeypatch):
        limits = []

        def play(*arguments, max_cycles, **options):
            limits.append(max_cycles)
            return play_match(*arguments, max_cycles=max_cycles, **options)

        monkeypatch.setattr(training, "play_match", play)
        model = train("a2c", "Quixo-v0:size=3,max_cycles=4", steps=200, output=tmp_path, progress=False)
        assert set(limits) == {4}
        assert max(info["l"] for info in model.ep_info_buffer) <= 2

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ("sb3:maskable_ppoo TicTacToe-v0 --steps 9", ("'maskable_ppoo'", "maskable_ppo, ppo, a2c, dqn")),
            ("sb3 TicTacToe-v0 --steps 9", ("sb3", "'algorithm'")),
            ("sb3:ppo TicTacToe-v0", ("'steps'",)),
            ("sb3:ppo TicTacToe-v0 --steps 0", ("'--steps'", "0")),
            ("sb3:ppo,steps=x TicTacToe-v0", ("steps", "'x'")),
            ("sb3:ppo TicTacToe-v0 --episodes 9 --steps 9", ("'episodes'", "steps")),
            ("sb3:ppo,threads=0 TicTacToe-v0 --steps 9", ("threads", "0")),
            ("sb3:ppo,lr=1 TicTacToe-v0 --steps 9", ("'lr'", "threads")),
            ("sb3:ppo TicTacToe-v9 --steps 9", ("'TicTacToe-v9'", "TicTacToe-v0")),
            ("sb3:ppo Quixo-v0:max_cycles=0 --steps 9", ("max_cycles", "0")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --seed 4294967296", ("seed", "4294967295", "4294967296")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --seed -1", ("'--seed'", "-1")),
            ("sb3:ppo TicTacToe-v0 --steps 9 --resume", ("no run", "to resume")),
            ("random TicTacToe-v0 --steps 9", ("'random'", "does not learn", "sb3")),
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

    def test_a_failure_shows_its_cause_and_keeps_what_was_saved(self, tmp_path, monkeypatch):
        def _on_step(self):
            if self.num_timesteps >= 700:
                for parameter in self.model.policy.parameters():
                    parameter.data.fill_(float("nan"))
            return True

        monkeypatch.setattr(SelfPlayCallback, "_on_step", _on_step)
        done = ci_envs_train("sb3:a2c", TICTACTOE, "--steps", 1000, "--output", tmp_path)
        assert isinstance(done.exception, RuntimeError)
        assert isinstance(done.exception.__cause__, ValueError)
        kept = read_model(tmp_path / CHECKPOINT)
        assert 300 < kept.steps < 700
        assert all(tensor.isfinite().all() for tensor in kept.tensors.values())


class TestGoingOn:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_everything_is_as_it_was(self, algorithm, tmp_path, pools):
        """A run that has its steps already shows what a checkpoint restores."""
        first = run(algorithm, tmp_path, 1000)
        events = len(list(tmp_path.glob("*tfevents*")))
        second = run(algorithm, tmp_path, 1000, resume=True)
        assert second.num_timesteps == first.num_timesteps
        assert differing(first.policy.state_dict(), second.policy.state_dict()) == []
        state = flat(first.policy.optimizer)
        assert len(state) > 0
        assert differing(state, flat(second.policy.optimizer)) == []
        assert len(pools[0].weights) == len(pools[1].weights) >= 3
        for before, after in zip(pools[0].weights, pools[1].weights, strict=True):
            assert differing(before, after) == []
        if algorithm == "dqn":
            for name in ("observations", "next_observations", "actions", "rewards", "dones", "timeouts", "pos", "full"):
                assert np.array_equal(getattr(first.replay_buffer, name), getattr(second.replay_buffer, name))
            assert first.replay_buffer.full
        assert len(list(tmp_path.glob("*tfevents*"))) == events + 1

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_it_goes_on_from_the_steps_of_the_checkpoint(self, algorithm, tmp_path, monkeypatch):
        begun = run(algorithm, tmp_path / "a", 600).num_timesteps
        shutil.copytree(tmp_path / "a", tmp_path / "b")
        steps = []
        monkeypatch.setattr(SelfPlayCallback, "_on_step", lambda self: steps.append(self.num_timesteps) or True)
        model = run(algorithm, tmp_path / "a", 1200, resume=True)
        assert steps[0] == begun + 12
        assert 1200 <= model.num_timesteps == steps[-1] < 1400
        run(algorithm, tmp_path / "b", 1200, resume=True)
        assert contents(tmp_path / "a") == contents(tmp_path / "b")

    def test_new_random_numbers_are_drawn(self, tmp_path, monkeypatch):
        seen = []

        class RolloutRecorder(SelfPlayCallback):
            def _on_rollout_end(self):
                seen[-1].append(self.model.rollout_buffer.actions.copy())

        monkeypatch.setattr(training, "SelfPlayCallback", RolloutRecorder)
        for resume in (False, True):
            seen.append([])
            run("a2c", tmp_path, 200 if not resume else 400, resume=resume)
        assert not np.array_equal(seen[0][0], seen[1][0])

    def test_the_agent_enters_the_pool_once(self, tmp_path, pools):
        run("a2c", tmp_path, 300)
        for _ in range(3):
            run("a2c", tmp_path, 300, resume=True)
        assert len({len(pool.weights) for pool in pools}) == 1

    def test_a_run_is_not_overwritten(self, tmp_path):
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
            ("sb3:maskable_ppo TicTacToe-v0", ("algorithm", "'ppo'", "'maskable_ppo'")),
            ("sb3:dqn TicTacToe-v0", ("algorithm", "'dqn'")),
            ("sb3:ppo TicTacToe-v0 --seed 1", ("seed", "0", "1")),
            ("sb3:ppo Quixo-v0", ("environment", "'TicTacToe-v0'", "'Quixo-v0'")),
        ],
    )
    def test_another_run_is_refused(self, arguments, words, tmp_path):
        run("ppo", tmp_path, 100)
        before = {file: file.read_bytes() for file in tmp_path.iterdir()}
        done = ci_envs_train(*arguments.split(), "--steps", 200, "--output", tmp_path, "--resume")
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert all(word in done.stderr for word in (*words, "another run", CHECKPOINT)), done.stderr
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before

    def test_other_hyperparameters_and_damage_are_refused(self, tmp_path, monkeypatch):
        run("ppo", tmp_path, 100)
        monkeypatch.setattr(training, "hyperparameters", lambda *name: replace(tiny(*name), boards=5))
        with pytest.raises(ValueError, match="another run: its parameters"):
            run("ppo", tmp_path, 200, resume=True)
        shutil.copy(tmp_path / LAST, tmp_path / CHECKPOINT)
        with pytest.raises(ValueError, match="another run: its algorithm is None"):
            run("ppo", tmp_path, 200, resume=True)
        (tmp_path / CHECKPOINT).write_bytes((tmp_path / LAST).read_bytes()[:-1])
        with pytest.raises(ValueError, match="damaged"):
            run("ppo", tmp_path, 200, resume=True)

    def test_the_keyboard_interrupts_and_all_is_kept(self, tmp_path, monkeypatch):
        closed = []
        monkeypatch.setattr(training, "ProgressBarCallback", lambda: Bar(closed))
        with monkeypatch.context() as patch:
            patch.setattr(SelfPlayCallback, "_on_step", stopping(510, KeyboardInterrupt))
            done = ci_envs_train("sb3:maskable_ppo", TICTACTOE, "--steps", 1000, "--output", tmp_path)
        assert done.exit_code == 1
        assert closed
        assert f"--resume goes on with what is in '{tmp_path}'" in done.stderr
        assert "Traceback" not in done.output
        assert read_model(tmp_path / CHECKPOINT).steps == 516
        assert read_model(tmp_path / LAST).steps == 516
        done = ci_envs_train("sb3:maskable_ppo", TICTACTOE, "--steps", 1000, "--output", tmp_path, "--resume")
        assert done.exit_code == 0, done.output
        assert read_model(tmp_path / LAST).steps >= 1000

    def test_an_interrupt_before_the_first_step(self, tmp_path, monkeypatch):
        def learn(*arguments, **options):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(ALGORITHMS["a2c"], "learn", learn)
            with pytest.raises(KeyboardInterrupt):
                run("a2c", tmp_path, 100)
        assert run("a2c", tmp_path, 100, resume=True).num_timesteps >= 100

    def test_stopped_at_any_write_it_goes_on(self, tmp_path, monkeypatch):
        """Between any two files: nothing is lost but what came after the checkpoint, and the best stays the best."""
        rewards = iter([])
        monkeypatch.setattr(training.KeepCallback, "_mean_reward", lambda self, rung: next(rewards))
        write = ci_envs.storage.tensors.write_whole
        for stop_at in range(1, 11):
            folder, writes, best = tmp_path / str(stop_at), [], 0
            rewards = iter([value for value in (0.1, 0.5, 0.3, 0.2) for _ in range(2)])

            def write_or_stop(path, content, writes=writes, stop_at=stop_at):
                if len(writes) == stop_at:
                    raise Crash
                writes.append(path.name)
                write(path, content)

            with monkeypatch.context() as patch:
                patch.setattr(ci_envs.storage.tensors, "write_whole", write_or_stop)
                with pytest.raises(Crash):
                    run("a2c", folder, 1000)
            assert read_model(folder / CHECKPOINT).steps == (0, 288, 576, 864)[writes.count(CHECKPOINT) - 1]
            if BEST in writes:
                best = read_model(folder / BEST).notes["mean_reward"]
                assert best == (0.1, 0.5)[writes.count(BEST) - 1]
            rewards = iter([0.4] * 20)
            run("a2c", folder, 1000, resume=True)
            assert read_model(folder / BEST).notes["mean_reward"] == max(0.4, best)

    def test_the_best_is_replaced_by_better_ones_alone(self, tmp_path, monkeypatch):
        rewards = iter([value for value in (0.2, 0.6, 0.6, 0.1, -0.5, 0.5, 0.7) for _ in range(2)])
        monkeypatch.setattr(training.KeepCallback, "_mean_reward", lambda self, rung: next(rewards))
        run("a2c", tmp_path, 1000)
        best = read_model(tmp_path / BEST)
        assert best.notes["mean_reward"] == 0.6
        assert 400 <= best.steps < 600
        assert read_model(tmp_path / LAST).steps >= 1000
        for _ in range(2):
            run("a2c", tmp_path, 1000, resume=True)
            assert read_model(tmp_path / BEST).steps == best.steps
        run("a2c", tmp_path, 1000, resume=True)
        assert read_model(tmp_path / BEST).steps >= 1000

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
from ci_envs.baselines import training
from ci_envs.baselines.model_file import read_model
from ci_envs.baselines.hyperparameters import Hyperparameters
training._GAMES = 10
training.hyperparameters = lambda *name: Hyperparameters(
    ("pool", "random"), 4, ("random",), [8], "relu", {"n_steps": 8}
)
folder = Path(sys.argv[1])
checkpoint = folder / training.CHECKPOINT
def train():
    resume = checkpoint.exists()
    training.train("a2c", "TicTacToe-v0", steps=20_000, output=folder, resume=resume, progress=False)
Path.mkdir(folder)
torch.set_num_threads(1)
training.train("a2c", "TicTacToe-v0", steps=1, output=folder / "warm", progress=False)
steps = []
draw = random.Random(0)
for _ in range(6):
    child = os.fork()
    if child == 0:
        train()
        os._exit(0)
    time.sleep(draw.uniform(0.1, 0.9))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if checkpoint.exists():
        steps.append(read_model(checkpoint).steps)
train()
for name in (training.BEST, training.LAST, training.CHECKPOINT):
    read_model(folder / name)
steps.append(read_model(checkpoint).steps)
print(json.dumps(steps))
"""


class Bar(BaseCallback):
    """A progress bar that notes when it is closed."""

    def __init__(self, closed):
        super().__init__()
        self.closed = closed

    def _on_training_start(self):
        self.pbar = True

    def _on_step(self):
        return True

    def _on_training_end(self):
        self.closed.append(True)


class TestPool:
    def policies(self, count):
        for value in range(count):
            policy = NETWORK.new_policy(GAME)
            for parameter in policy.parameters():
                parameter.data.fill_(value)
            yield policy

    def test_it_keeps_copies_and_the_newest(self):
        pool = Pool(GAME, NETWORK, size=5, seed=0)
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
        pool = Pool(GAME, NETWORK, size=4, seed=0)
        for policy in self.policies(4):
            pool.add(policy)
        drawn = np.bincount([int(pool.draw()._policy.action_net.bias[0]) for _ in range(800)], minlength=4) / 800
        assert abs(drawn - [1 / 8, 1 / 8, 1 / 8, 5 / 8]).max() < 0.09  # 5 standard deviations

    def test_seeds_repeat_it(self):
        def draws(seed):
            pool = Pool(GAME, NETWORK, size=3, seed=seed)
            for policy in self.policies(9):
                pool.add(policy)
            start = batch_of(random_positions(GAME, 50, seed=0))
            return [pool.draw().act_batch(start).tolist() for _ in range(5)]

        assert draws(1) == draws(1) != draws(2)

    def test_opponents_are_replaced_where_the_pool_plays_and_when_it_is_time(self, tmp_path):
        opponents = (POOL, "random", POOL, "minimax:depth=1")
        env = self_play_env(GAME, opponents, 2)
        assert [type(group.opponent).__name__ for group in env.groups] == [*["RandomAgent"] * 3, "MinimaxAgent"]
        pool = Pool(GAME, NETWORK, seed=0)
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


def test_maskable_ppo_learns_tictactoe(tmp_path, monkeypatch):
    usual = hyperparameters("maskable_ppo", GAME)
    quicker = replace(usual, boards=16, arguments={**usual.arguments, "batch_size": 512})
    monkeypatch.setattr(training, "hyperparameters", lambda *name: quicker)
    train("maskable_ppo", TICTACTOE, steps=60_000, output=tmp_path, progress=False)
    agent, random = make_agent(f"sb3:{tmp_path / LAST}", GAME), make_agent("random", GAME, seed=1)
    total = play_match(GAME, agent, random, 1000).sides[0].total
    assert total.wins + total.draws / 2 > 900
