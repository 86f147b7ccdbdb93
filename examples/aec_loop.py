"""Play a game of random legal actions in the AEC loop of PettingZoo, and print every position.

Run it with ``python examples/aec_loop.py``, or with an environment: ``python examples/aec_loop.py Nim-v0``.
"""

import sys

from ci_envs import make

env = make(sys.argv[1] if len(sys.argv) > 1 else "TicTacToe-v0", render_mode="ansi")
for seed, agent in enumerate(env.possible_agents):
    env.action_space(agent).seed(seed)

env.reset()
print(env.render())
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        print(f"\n{agent}: reward {reward:+g}")
        env.step(None)
        continue
    action = env.action_space(agent).sample(observation["action_mask"])
    print(f"\n{agent} plays {env.position.action_name(action)}")
    env.step(action)
    print(env.render())
env.close()
