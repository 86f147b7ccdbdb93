"""The program of :class:`~ci_envs.agent_interface.isolation.HostedAgent`: ``python -m ci_envs.agent_interface.host``.

The first line has a pickled game and object. It plays as the object decides.
"""

import json
import os
import pickle
import random
import sys
from base64 import b64decode
from threading import Thread
from time import sleep
from typing import Any

import numpy as np

from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent
from ci_envs.games.position import Position


def main() -> None:
    """Answer the lines of standard input until it ends."""
    Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the agent prints must not be taken for an answer
    questions = map(json.loads, os.fdopen(os.dup(0)))
    with open(os.devnull) as nothing:  # what the agent or its programs read must not be taken from the questions
        os.dup2(nothing.fileno(), 0)
    first = next(questions)
    sys.path += [folder for folder in first["path"] if folder not in sys.path]
    pickled = b64decode(first["agent"])
    agent = _new_agent(pickled, first["seed"])
    for question in questions:
        if "seed" in question:
            agent = _new_agent(pickled, question["seed"])
        elif "seats" in question:
            seats, seeds = np.array(question["seats"], np.int8), np.array(question["seeds"], np.uint64)
            agent.start_games(len(seats), seats, seeds)
        else:
            answers.write(json.dumps(_answer(agent, question)) + "\n")


def _end_with_parent(parent: int) -> None:
    """End this process after the process that started it, also if the agent decides without end."""
    while os.getppid() == parent:
        sleep(1)
    os._exit(0)


def _new_agent(pickled: bytes, seed: int) -> Agent:
    _seed_global_generators(seed)
    game, thing = pickle.loads(pickled)
    agent = as_agent(thing, game, seed=seed)
    _seed_global_generators(seed)  # again, because the agent may have imported PyTorch
    return agent


def _seed_global_generators(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002 - for agents that use it
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _answer(agent: Agent, question: Any) -> dict[str, Any]:
    position = Position.from_text(agent.game, question["position"])
    words = np.array([[position.own, position.opp]], np.uint64)
    actions, _, faults = decide_or_fail(agent, words, np.array([question["game_index"]]))
    return {"error": faults[0]} if faults else {"action": int(actions[0])}


if __name__ == "__main__":
    main()
