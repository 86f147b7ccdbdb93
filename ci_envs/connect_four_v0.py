"""Connect Four: four in a row in an upright board.

| Creation           | `make("ConnectFour-v0")` or `connect_four_v0.env()` |
|--------------------|-----------------------------------------------------|
| Actions            | Discrete                                            |
| Parallel API       | No                                                  |
| Manual Control     | Yes: `ci-envs play ConnectFour-v0 human random`     |
| Agents             | 2: `player_0` and `player_1`                        |
| Action Shape       | ()                                                  |
| Action Values      | [0, 6]                                              |
| Observation Shape  | (6, 7, 2)                                           |
| Observation Values | [0, 1]                                              |

`env` and `raw_env` make the same environment, because it contains the checks of PettingZoo's wrappers.

### Rules

The board has seven columns and six rows. Two players take turns. A player drops a disc into a column, and the disc
falls to the lowest empty cell. X moves first. The first player with four discs in a row, column or diagonal wins. A
full board without such a line is a draw.

The game is by Howard Wexler and Ned Strongin, Milton Bradley 1974. James D. Allen and Victor Allis proved in 1988 that
the first player wins. The win takes 41 plies. The first move `d` wins, `c` and `e` draw, and `a`, `b`, `f` and `g`
lose. `ci-envs solve ConnectFour-v0` shows these values, and `ci-envs solve ConnectFour-v0 POSITION` the values of a
position.

`ConnectFour-v0` is `ConnectN-v0` with other defaults, and has the same parameters.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where the agent's own discs are
* plane 1: 1 where the opponent's discs are

`action_mask` contains 1 for each legal action and 0 for each illegal action. For the agent that is not to act, all
entries are 0. `infos[agent]["action_mask"]` contains the mask too.

### Action Space

An action is a column. Columns are numbered and named from the left: 0 is `a`, 6 is `g`.

>>> from ci_envs import connect_four_v0
>>> env = connect_four_v0.env()
>>> env.reset()
>>> env.step(env.position.parse_action("d"))
>>> env.step(3)
>>> print(env.position.diagram())
  a b c d e f g
1 . . . . . . .
2 . . . . . . .
3 . . . . . . .
4 . . . . . . .
5 . . . O . . .
6 . . . X . . .
X to move

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
| `cols`        | 7       | 1 to 8                       | columns of the board                                  |
| `n`           | 4       | 1 to the longer side         | stones in a row that win                              |
| `gravity`     | True    | True, False                  | whether stones fall to the lowest empty cell          |
| `max_cycles`  | None    | 1 or more, None              | plies after which play is truncated; None means never |
| `render_mode` | None    | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text    |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "ConnectFour-v0")
