"""The check of a game in its PettingZoo environment."""

import numpy as np

from ci_envs.checking.error import InvalidGameError, place
from ci_envs.envs.aec import BoardEnv
from ci_envs.games.game import Game
from ci_envs.games.position import Position


def check_environment(game: Game, max_plies: int, rng: np.random.Generator) -> None:
    """Play a random game in the PettingZoo environment, and compare each ply with the rules.

    Raises:
        InvalidGameError: The environment and the rules differ.
    """
    env = BoardEnv(game, max_cycles=max_plies if game.can_cycle else None)
    env.reset()
    position = Position.start(game)
    for _ in range(max_plies):
        for agent in env.possible_agents:
            if not env.observation_space(agent).contains(env.observe(agent)):
                raise InvalidGameError(f"the observation of {agent} is not in its space at {place(position)}")
        observation, *_ = env.last()
        mask = tuple(np.flatnonzero(observation["action_mask"]).tolist())
        if mask != position.legal_actions():
            raise InvalidGameError(f"the action mask must have the legal actions at {place(position)}")
        if position.result is not None or env.truncations[env.agent_selection]:
            break
        if env.agent_selection != env.possible_agents[position.to_move]:
            raise InvalidGameError(f"the environment must select player {position.to_move} at {place(position)}")
        action = int(rng.choice(mask))
        env.step(action)
        position = position.play(action)
    rewards = [env.rewards[agent] for agent in env.possible_agents]
    mine = position.result or 0
    expected = [mine, -mine] if position.to_move == 0 else [-mine, mine]
    if rewards != expected:
        raise InvalidGameError(f"the rewards must be {expected} at {place(position)}, not {rewards}")
