"""Connect-n: n in a row on any board, here four in a row on 6 x 6 cells.

| Creation           | `make("ConnectN-v0")` or `connect_n_v0.env()` |
|--------------------|-----------------------------------------------|
| Actions            | Discrete                                      |
| Parallel API       | No                                            |
| Manual Control     | Yes: `ci-envs play ConnectN-v0 human random`  |
| Agents             | 2: `player_0` and `player_1`                  |
| Action Shape       | ()                                            |
| Action Values      | [0, 35]                                       |
| Observation Shape  | (6, 6, 2)                                     |
| Observation Values | [0, 1]                                        |

`env` and `raw_env` make the same environment, because it contains the checks of PettingZoo's wrappers.

### Rules

Two players take turns. A player puts a stone on an empty cell. X moves first. The first player with `n` stones in a
row, column or diagonal wins. A full board without such a line is a draw. With `gravity` a stone falls to the lowest
empty cell of its column.

These games are called m,n,k-games. On the default board the first player wins in 11 plies: Uiterwijk, "Solving strong
and weak 4-in-a-row", IEEE Conference on Games 2019.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where the agent's own stones are
* plane 1: 1 where the opponent's stones are

`action_mask` contains 1 for each legal action and 0 for each illegal action. For the agent that is not to act, all
entries are 0. `infos[agent]["action_mask"]` contains the mask too.

### Action Space

An action is a cell. Cells are numbered row by row from the top left: `row * cols + col`. The name of a cell is the
letter of its column and the number of its row, for example `c1`. With `gravity` an action is a column. Columns are
numbered from the left and named by letter.

>>> from ci_envs import connect_n_v0
>>> env = connect_n_v0.env(rows=3, cols=5, n=4)
>>> env.reset()
>>> env.step(env.position.parse_action("c1"))
>>> env.step(5)
>>> print(env.position)
..X../O..../..... X

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
| `rows`        | 6       | 1 to 8                       | rows of the board                                     |
| `cols`        | 6       | 1 to 8                       | columns of the board                                  |
| `n`           | 4       | 1 to the longer side         | stones in a row that win                              |
| `gravity`     | False   | True, False                  | whether stones fall to the lowest empty cell          |
| `max_cycles`  | None    | 1 or more, None              | plies after which play is truncated; None means never |
| `render_mode` | None    | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text    |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "ConnectN-v0")
