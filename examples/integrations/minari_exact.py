"""Minari: a data set of perfect play. `exact` plays tic-tac-toe against itself, and Minari stores and loads the games.

Run it with ``make integration-minari``. It takes a few seconds. The data set is in a temporary folder, unless the
environment variable MINARI_DATASETS_PATH names another one.
"""

import os
import tempfile

import gymnasium
import minari
import numpy as np

from ci_envs import Position, TicTacToe, make_agent, solve

GAMES = 200
NAME = "tictactoe/exact-v0"


def collect() -> None:
    """Play the games and create the data set. The infos contain the action masks."""
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=None)  # one agent plays both sides
    collector = minari.DataCollector(env, record_infos=True)
    agent = make_agent("exact", TicTacToe(), seed=0)
    for seed in range(GAMES):
        planes, info = collector.reset(seed=seed)
        over = False
        while not over:
            action = agent.act({"observation": planes, "action_mask": info["action_mask"]})
            planes, _, terminated, truncated, info = collector.step(action)
            over = terminated or truncated
    collector.create_dataset(NAME, algorithm_name="exact", description="perfect play from both sides")
    collector.close()


def check() -> None:
    """Load the data set, replay its games by the rules, and compare each action with the solution of the game."""
    dataset = minari.load_dataset(NAME)
    assert dataset.total_episodes == GAMES
    assert dataset.recover_environment().observation_space == dataset.observation_space
    game = TicTacToe()
    solution, games = solve(game), set()
    for episode in dataset:
        position = Position.start(game)
        for step, action in enumerate(episode.actions):
            assert Position.from_observation(game, episode.observations[step], position.to_move) == position
            assert tuple(np.flatnonzero(episode.infos["action_mask"][step])) == position.legal_actions()
            position = position.play(int(action))
            assert solution.value(position) == 0  # tic-tac-toe is a draw, and perfect play keeps this value
        assert position.result == 0
        assert not episode.rewards.any()
        games.add(tuple(episode.actions))
    assert len(games) > GAMES / 2  # the agent chooses at random between the best actions
    print(
        f"{dataset.total_episodes} games with {dataset.total_steps} actions, {len(games)} of them different, all draws"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MINARI_DATASETS_PATH", folder)
        collect()
        check()
