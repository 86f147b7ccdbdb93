"""A second process that compiles for a comparison: it begins with the code that the comparison needs last.

Numba compiles in one thread of a process at a time. The first process reads from the disk what the second one has
compiled. The second process starts with the first compilation, so that there is none if all code is on the disk, and
only if a processor is free for it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ci_envs.agent_interface.making import game_of, make_agent
from ci_envs.arena.timing import decide_once
from ci_envs.arena.tournament import compare
from ci_envs.kernels.compilations import notify_of_compilations
from ci_envs.registry.agents import runs_chosen_code


@contextmanager
def compiled_by_two_processes(environment: str, agents: Sequence[str]) -> Iterator[None]:
    """Let a second process compile too, from the first compilation in the block until its end.

    It does not run agents of users, which would act twice.

    Args:
        environment: the id of the environment.
        agents: the spec strings of the agents in the order of their first decisions.
    """
    started = list[subprocess.Popen[bytes]]()

    def start() -> None:
        if not started and _processor_is_free():
            ours = [spec for spec in reversed(agents) if not runs_chosen_code(spec)]
            command = [sys.executable, "-P", "-m", __name__, environment, *ours]
            nothing = subprocess.DEVNULL
            with suppress(OSError):  # without it, this process compiles all
                started.append(subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing))

    stop_notifying = notify_of_compilations(start)
    try:
        yield
    finally:
        stop_notifying()
        for process in started:
            process.kill()
            process.wait()


def _processor_is_free() -> bool:
    """Return whether at least half a processor besides that of this process was idle in the last minute, on average."""
    processors = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0  # Windows does not measure it
    return processors > 1 and load < processors - 0.5


def main(environment: str, *agents: str) -> None:
    """Compile the rules, the solution and the grading of a game, and then the agents."""
    compare(environment, ["random", "random"], games=2)
    for spec in agents:
        decide_once(make_agent(spec, game_of(environment)))


if __name__ == "__main__":
    main(*sys.argv[1:])
