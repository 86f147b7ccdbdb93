"""Tic-tac-toe: three in a row.

| Creation           | `make("TicTacToe-v0")` or `tictactoe_v0.env()` |
|--------------------|------------------------------------------------|
| Actions            | Discrete                                       |
| Parallel API       | No                                             |
| Manual Control     | Yes: `ci-envs play TicTacToe-v0 human random`  |
| Agents             | 2: `player_0` and `player_1`                   |
| Action Shape       | ()                                             |
| Action Values      | [0, 8]                                         |
| Observation Shape  | (3, 3, 2)                                      |
| Observation Values | [0, 1]                                         |

`env` and `raw_env` make the same environment, because it contains the checks of PettingZoo's wrappers.

### Rules

The board has 3 x 3 cells. Two players take turns. A player puts a stone on an empty cell. X moves first. The first
player with three stones in a row, column or diagonal wins. A full board without such a line is a draw. Under optimal
play the game is a draw.

`TicTacToe-v0` is `ConnectN-v0` with other defaults, and has the same parameters.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where the agent's own stones are
* plane 1: 1 where the opponent's stones are

`action_mask` contains 1 for each legal action and 0 for each illegal action. For the agent that is not to act, all
entries are 0. `infos[agent]["action_mask"]` contains the mask too.

### Action Space

An action is a cell. Cells are numbered row by row from the top left. The name of a cell is the letter of its column and
the number of its row.

    0 a1 | 1 b1 | 2 c1
    -----+------+-----
    3 a2 | 4 b2 | 5 c2
    -----+------+-----
    6 a3 | 7 b3 | 8 c3

>>> from ci_envs import tictactoe_v0
>>> env = tictactoe_v0.env()
>>> env.reset()
>>> env.step(env.position.parse_action("b2"))
>>> env.step(0)
>>> print(env.position)
O../.X./... X

### Rewards

| How the game ends                  | Reward                                |
|------------------------------------|---------------------------------------|
| win                                | winner +1, loser -1                   |
| draw                               | 0 for both                            |
| illegal action                     | -1 for the player, 0 for the opponent |
| truncated after `max_cycles` plies | 0 for both                            |

Before the end all rewards are 0.

### Parameters

| Name          | Default | Values                       | Meaning                                               |
|---------------|---------|------------------------------|-------------------------------------------------------|
| `rows`        | 3       | 1 to 8                       | rows of the board                                     |
| `cols`        | 3       | 1 to 8                       | columns of the board                                  |
| `n`           | 3       | 1 to the longer side         | stones in a row that win                              |
| `gravity`     | False   | True, False                  | whether stones fall to the lowest empty cell          |
| `max_cycles`  | None    | 1 or more, None              | plies after which play is truncated; None means never |
| `render_mode` | None    | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text    |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "TicTacToe-v0")
