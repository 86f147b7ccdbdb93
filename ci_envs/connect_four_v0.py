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

`env` and `raw_env` make the same environment: what PettingZoo's wrappers check is built in.

### Rules

Two players take turns to drop a disc into one of seven columns that are six cells high; it falls to the lowest empty
cell. X begins. Who first has four in a row, column or diagonal wins; a full board without is a draw.

Howard Wexler and Ned Strongin, Milton Bradley 1974. The first player wins: James D. Allen and Victor Allis, both
1988. It takes 41 plies, and only `d` wins; `c` and `e` draw, and `a`, `b`, `f` and `g` lose. `ci-envs solve
ConnectFour-v0` shows it, and with a position the same for that position.

It is `ConnectN-v0` with other defaults, and takes the same parameters.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where the agent's own stones are
* plane 1: 1 where the opponent's are

`action_mask` holds 1 for each legal action and 0 for the others, and zeros for the agent that is not to act. It is in
`infos[agent]["action_mask"]` too.

### Action Space

An action is the column to drop into, numbered from the left and named by letter: `a` is 0, `g` is 6.

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

Until the end all rewards are 0.

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
