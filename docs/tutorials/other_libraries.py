# %% [markdown]
# # Other libraries
#
# The environments implement the standard APIs, so other libraries need no adapter. Each script below trains an agent for
# tic-tac-toe in less than a minute. The agent then beats the random player in a match of 500 games. `make integration-NAME`
# runs a script in a virtual environment with the tested versions. The last two scripts play games in words instead, with a
# scripted language model.
#
# | library | script | API | tested with | command |
# |---|---|---|---|---|
# | [Tianshou](https://tianshou.org) | [DQN](../../examples/integrations/tianshou_dqn.py) | PettingZoo | tianshou 2.0.1, gymnasium 1.4.0, pettingzoo 1.27.0 | `make integration-tianshou` |
# | [TorchRL](https://docs.pytorch.org/rl) | [DQN](../../examples/integrations/torchrl_dqn.py) | PettingZoo | torchrl 0.14.1, gymnasium 1.4.0, pettingzoo 1.27.0 | `make integration-torchrl` |
# | [RLlib](https://docs.ray.io/en/latest/rllib) | [PPO](../../examples/integrations/rllib_ppo.py) | PettingZoo | ray 2.60.0, gymnasium 1.2.2, pettingzoo 1.27.0 | `make integration-rllib` |
# | [AgileRL](https://agilerl.com) | [DQN](../../examples/integrations/agilerl_dqn.py) | Gymnasium | agilerl 2.58.0, gymnasium 1.4.0, pettingzoo 1.26.1 | `make integration-agilerl` |
# | [Stable-Baselines3](https://stable-baselines3.readthedocs.io) | [MaskablePPO](../../examples/integrations/sb3_maskable_ppo.py) | vector environment | stable-baselines3 2.9.2, sb3-contrib 2.9.2, gymnasium 1.4.0 | `make integration-sb3` |
# | [RL Baselines3 Zoo](https://rl-baselines3-zoo.readthedocs.io) | [PPO](../../examples/integrations/rlzoo3_ppo.py) | Gymnasium | rl_zoo3 2.9.2, stable-baselines3 2.9.2, gymnasium 1.4.0 | `make integration-rlzoo3` |
# | [Minari](https://minari.farama.org) | [data set of optimal play](../../examples/integrations/minari_exact.py) | Gymnasium | minari 0.5.4, gymnasium 1.4.0 | `make integration-minari` |
# | [PettingZoo's tutorial](https://pettingzoo.farama.org/tutorials/sb3/connect_four/) | [MaskablePPO](../../examples/integrations/pettingzoo_tutorial.py) | PettingZoo | pettingzoo 1.27.0, sb3-contrib 2.9.2, gymnasium 1.4.0 | `make integration-pettingzoo` |
# | [verifiers](https://github.com/PrimeIntellect-ai/verifiers) | [games in words](../../examples/integrations/verifiers_environment.py) | TextEnv | verifiers 0.1.8, gymnasium 1.4.0 | `make integration-verifiers` |
# | [TextArena](https://github.com/LeonGuertler/TextArena) | [games in words](../../examples/integrations/textarena_game.py) | prompts | textarena 0.7.4, gymnasium 1.4.0 | `make integration-textarena` |
#
# [examples/cleanrl_ppo.py](../../examples/cleanrl_ppo.py) is PPO in one file in the style of
# [CleanRL](https://docs.cleanrl.dev), and needs only PyTorch. The path [Stable-Baselines3 on Quixo](../paths/sb3_quixo.md)
# describes it.
#
# ## Check the API
#
# The checkers of PettingZoo and Gymnasium accept the environments:

# %%
import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

from ci_envs import FlatMaskObs, make

api_test(make("TicTacToe-v0"), num_cycles=50)
check_env(gymnasium.make("ci_envs/TicTacToe-v0").unwrapped, skip_render_check=True)

# %% [markdown]
# ## Masks
#
# | API | mask |
# |---|---|
# | PettingZoo | `observation["action_mask"]` |
# | Gymnasium | `info["action_mask"]`, and the method `action_masks()` for sb3-contrib |
# | vector environment | `info["action_mask"]`, and `action_masks()` |
#
# Some libraries accept neither dictionaries nor masks in `info`. `FlatMaskObs` concatenates the planes and the mask:

# %%
env = FlatMaskObs(gymnasium.make("ci_envs/TicTacToe-v0"))
observation, info = env.reset(seed=0)
observation.shape  # 18 of the planes, 9 of the mask

# %% [markdown]
# ## RL Baselines3 Zoo
#
# The training script of the zoo reads our file of hyperparameters:
#
# ```bash
# python -m rl_zoo3.train --algo ppo --env ci_envs/TicTacToe-v0 --gym-packages ci_envs \
#     --conf-file baselines/rl_zoo3/ppo.yml -n 2000
# ```
#
# ## OpenSpiel
#
# `import ci_envs.openspiel` registers the games with OpenSpiel, so that its Python algorithms run on them:

# %%
import pyspiel
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

import ci_envs.openspiel  # noqa: F401 - registers the games

game = pyspiel.load_game("ci_envs_quixo(size=3,max_plies=5)")
state = game.new_initial_state()
state.apply_action(state.string_to_action("b1a1"))
MinimaxSolver(str(game)).solve()[str(state)].value

# %% [markdown]
# The value is 0: player 1 cannot force a win in the remaining 4 plies. OpenSpiel's search algorithms are also agents, for
# example `openspiel:mcts,simulations=100`.
