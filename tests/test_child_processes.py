"""Child processes: forked after the use of PyTorch, and started without the main module."""

import os
import subprocess
import sys

import pytest

SECONDS = 120  # a child that waits for ever fails the test

FORKED = """
import gymnasium, multiprocessing, torch
import ci_envs
torch.set_num_threads(2)
torch.randn(600, 600) @ torch.randn(600, 600)  # starts the threads of OpenMP

def uses_torch(seen):
    return int((torch.randn(600, 600) @ torch.randn(600, 600)).numel() * 0 + seen["action_mask"].argmax())

for opponent in "sb3:tictactoe", "alphazero:simulations=4", uses_torch:
    env = gymnasium.make_vec("ci_envs/TicTacToe-v0", num_envs=2, vectorization_mode="async", opponent=opponent)
    planes, _ = env.reset(seed=0)
    env.step([0, 1])
    env.close()
    print(planes.shape)

def action(spec):
    return ci_envs.make_agent(spec, ci_envs.TicTacToe(), seed=0).analyse(ci_envs.Position.start(ci_envs.TicTacToe()))

action("alphazero:simulations=4")  # an agent before the fork
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(len(pool.map(action, ["alphazero:simulations=4", "minimax:depth=2"])))
"""

IN_MAIN = """
def main():
    import ci_envs
    {use}

if __name__ == "__main__":
    main()
"""
SUBPROC = """
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv
    arguments = {{"vec_env_cls": SubprocVecEnv, "vec_env_kwargs": {{"start_method": "{method}"}}}}
    env = make_vec_env("ci_envs/TicTacToe-v0", n_envs=1, **arguments)
    print(env.reset().shape)
    env.close()
"""
LAMBDA = """
    import gymnasium
    env = gymnasium.vector.AsyncVectorEnv([lambda: gymnasium.make("ci_envs/Nim-v0")], context="spawn")
    print(env.reset()[0].shape)
    env.close()
"""
EXECUTOR = """
    import concurrent.futures, multiprocessing, gymnasium
    context = multiprocessing.get_context("{method}")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        print(pool.submit(gymnasium.spec, "ci_envs/BitString-v0").result().id)
"""


def run(*arguments):
    """Return what a program prints. An error in the program fails the test."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_agents_play_in_a_child_that_was_forked_after_torch():
    """The opponents of environments in child processes, and agents in a pool after an agent of the parent."""
    assert run("-c", FORKED).splitlines() == ["(2, 3, 3, 2)"] * 3 + ["2"]


@pytest.mark.parametrize(
    ("use", "printed"),
    [
        (SUBPROC.format(method="forkserver"), "(1, 3, 3, 2)"),
        (SUBPROC.format(method="spawn"), "(1, 3, 3, 2)"),
        (LAMBDA, "(1, 4, 7, 1)"),
        (EXECUTOR.format(method="spawn"), "ci_envs/BitString-v0"),
    ],
    ids=["sb3 by forkserver", "sb3 by spawn", "a lambda of Gymnasium", "an executor"],
)
def test_a_child_without_the_main_module_knows_the_environments(use, printed):
    assert run("-c", IN_MAIN.format(use=use)).strip() == printed
