"""Child processes: forked after the use of PyTorch, and started without the main module."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "foreign"
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
    env = gymnasium.vector.AsyncVectorEnv([lambda: gymnasium.make("ci_envs/Nim-v0")], context="{method}")
    print(env.reset()[0].shape)
    env.close()
"""
EXECUTOR = """
    import concurrent.futures, multiprocessing, gymnasium
    context = multiprocessing.get_context("{method}")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        print(pool.submit(gymnasium.spec, "ci_envs/BitString-v0").result().id)
"""
REGISTERED = """
    import sys, gymnasium
    sys.path.insert(0, {folder!r})
    from ci_envs.optimisation import BitString
    from ci_envs.optimisation.bit_string.env import BitStringEnv
    from ci_envs.optimisation.registry import register_problem
    from minimal_game import LastCell
    class Own(ci_envs.ConnectN):
        pass
    ci_envs.register("Own-v0", Own, rows=4, cols=5, n=3, gravity=True)
    ci_envs.register("Last-v0", LastCell)
    register_problem("Bits-v0", BitString, BitStringEnv)
    for id in ("Own-v0", "Last-v0", "Bits-v0"):
        env = gymnasium.make_vec(f"ci_envs/{{id}}", 1, "async", vector_kwargs={{"context": "{method}"}})
        print(id, env.reset(seed=0)[0].shape)
        env.close()
"""
IN_CHILD = ["Own-v0 (1, 4, 5, 2)", "Last-v0 (1, 2, 4, 2)", "Bits-v0 (1, 1000)"]


def run(*arguments):
    """Return what a program prints. An error in the program fails the test."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_agents_play_in_a_child_that_was_forked_after_torch():
    """The opponents of environments in child processes, and agents in a pool after an agent of the parent."""
    assert run("-c", FORKED).splitlines() == ["(2, 3, 3, 2)"] * 3 + ["2"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_child_without_the_main_module_knows_the_environments(method):
    """In one program, because each start takes seconds. The ids of a user are registered after the other children."""
    use = "".join([SUBPROC, LAMBDA, EXECUTOR, REGISTERED]).format(method=method, folder=str(FOLDER.parent))
    printed = ["(1, 3, 3, 2)", "(1, 4, 7, 1)", "ci_envs/BitString-v0", *IN_CHILD]
    assert run("-c", IN_MAIN.format(use=use)).splitlines() == printed


IN_FORKED_CHILD = """
import os, sys, threading, time
import numpy as np
import ci_envs
{use}
sys.stdout.flush()
child = os.fork()
if child == 0:
    {child}
    sys.stdout.flush()
    os._exit(0)
deadline = time.monotonic() + {seconds}
while time.monotonic() < deadline and os.waitpid(child, os.WNOHANG) == (0, 0):
    time.sleep(0.05)
{after}
print("end")
"""

THREADS = (
    "envs = ci_envs.make_vec('TicTacToe-v0', 8, threads=2); envs.reset(seed=0)",
    "envs.reset(seed=1); print('child', envs.step(np.zeros(8, int))[0].shape)",
    "print('parent', envs.step(np.zeros(8, int))[0].shape); envs.close()",
)
COMPILATION = (
    "ci_envs.make('TicTacToe-v0');"  # not during the import, which Python itself does not protect
    "thread = threading.Thread(target=lambda: ci_envs.make('Quixo-v0:size=3').reset(seed=0)); thread.start();"
    "time.sleep(0.4)",
    "env = ci_envs.make('Quixo-v0:size=3'); env.reset(seed=0); print('child', env.observe('player_0').keys())",
    "thread.join(); print('parent')",
)
PROGRAM = (
    f"agent = ci_envs.make_agent('process:{sys.executable} {FOLDER}/program.py', ci_envs.TicTacToe());"
    "seen = ci_envs.make('TicTacToe-v0'); seen.reset(); seen = seen.observe('player_0'); agent.act(seen)",
    "print('child', agent.act(seen)); agent.close()",
    "print('parent', agent.act(seen))",
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("code", [THREADS, COMPILATION, PROGRAM], ids=["threads", "compilation", "a program"])
def test_a_forked_child_does_not_wait_for_threads_or_stop_programs_of_its_parent(code, tmp_path):
    use, child, after = code
    program = IN_FORKED_CHILD.format(use=use, child=child, after=after, seconds=SECONDS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)} if code is COMPILATION else None
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=2 * SECONDS, check=False, env=environment)
    words = [line.split()[0] for line in run.stdout.splitlines()]
    assert words == ["child", "parent", "end"], run.stderr


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_an_agent_without_an_end_ends_with_its_command(sent, tmp_path):
    note = tmp_path / "pid"
    (tmp_path / "busy.py").write_text(
        f"import os, pathlib\ndef agent(observation):\n    pathlib.Path({str(note)!r}).write_text(str(os.getpid()))\n"
        "    while True:\n        pass\n"
    )
    command = ["exam", "TicTacToe-v0", f"{tmp_path}/busy.py", "--positions", "2", "--isolate", "--move-seconds", "600"]
    with subprocess.Popen([sys.executable, "-m", "ci_envs", *command], stderr=subprocess.PIPE) as run:
        wait_until(lambda: note.exists() and note.read_text())
        run.send_signal(sent)
        errors = run.stderr.read().decode()
    assert ("Interrupted" in errors) == (sent == signal.SIGTERM)
    wait_until(lambda: not Path(f"/proc/{note.read_text()}").exists())


def wait_until(condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
