"""Work for the processes of a Ray cluster, in a module of its own: they import it, and not PyTorch."""

import os
import signal

from toy_agents import FirstLegal


def kill_this_process_once(marker):
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def times(state, number, folder):
    if number in (3, 4):
        kill_this_process_once(folder / str(number))
    return state * number


def die(state):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(state):
    raise KeyError(f"no key in {state}")


class KilledAgent(FirstLegal):
    """An agent that plays the first legal action. Its process is killed once, in its third decision.

    Before, it refuses to decide in the process that started the workers.
    """

    def __init__(self, game, marker, kept_process):
        super().__init__(game, seed=0)
        self.marker = marker
        self.kept_process = kept_process
        self.decisions = 0

    def act_batch(self, observations):
        self.decisions += 1
        assert self.marker.exists() or os.getpid() != self.kept_process
        if self.decisions == 3:
            kill_this_process_once(self.marker)
        return super().act_batch(observations)
