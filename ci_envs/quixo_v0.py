"""Quixo: slide cubes until a row shows your symbol.

| Creation           | `make("Quixo-v0")` or `quixo_v0.env()`    |
|--------------------|-------------------------------------------|
| Actions            | Discrete                                  |
| Parallel API       | No                                        |
| Manual Control     | Yes: `ci-envs play Quixo-v0 human random` |
| Agents             | 2: `player_0` and `player_1`              |
| Action Shape       | ()                                        |
| Action Values      | [0, 43]                                   |
| Observation Shape  | (5, 5, 2)                                 |
| Observation Values | [0, 1]                                    |

`env` and `raw_env` make the same environment: what PettingZoo's wrappers check is built in.

### Rules

The board is 5 x 5 cubes, all blank. The players take turns. A player takes a cube from the border that is
blank or shows the player's own symbol. The player pushes the cube back in at another end of its row or column, with the
own symbol up. The cubes in between slide towards the hole. A full row, column or diagonal of a player's symbol wins for
this player. A player who completes a line of the opponent's symbol loses, even if the same move also completes an own
line. Players cannot pass, and positions can repeat for ever.

Thierry Chapeau, Gigamic 1995. Neither player can force a win: Tanaka, Bonnet, Tixeuil and Tamura, "Quixo Is Solved",
ACG 2021, doi 10.1007/978-3-031-11488-5_8.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where a cube shows the agent's own symbol
* plane 1: 1 where a cube shows the opponent's

`action_mask` holds 1 for each legal action and 0 for the others, and zeros for the agent that is not to act. It is in
`infos[agent]["action_mask"]` too.

### Action Space

An action takes a cube and pushes it in at an end. Its name gives both, column by letter from the left and row by
number from the top: `a1e1` takes the cube at the top left and pushes it in at the right end of its row. Actions are
numbered by the cube taken, row by row from the top left, then by the end: right, left, bottom, top. A corner has two
of them, the other cubes of the border three, so there are 4 * 2 + 12 * 3 = 44; on a board of n x n, 12 (n - 2) + 8.

>>> from ci_envs import quixo_v0
>>> env = quixo_v0.env()
>>> env.reset()
>>> env.position.parse_action("a1e1"), env.position.parse_action("c5c1")
(0, 38)
>>> env.step(0)
>>> env.step(38)
>>> print(env.position)
..O.X/...../...../...../..... X

### Rewards

| How the game ends                  | Reward                                |
|------------------------------------|---------------------------------------|
| win                                | winner +1, loser -1                   |
| truncated after `max_cycles` plies | 0 for both                            |
| illegal action                     | -1 for the player, 0 for the opponent |

There are no draws. Until the end all rewards are 0.

### Parameters

| Name          | Default | Values                       | Meaning                                                 |
|---------------|---------|------------------------------|---------------------------------------------------------|
| `size`        | 5       | 2 to 7                       | cubes a side; a line is a whole row, column or diagonal |
| `max_cycles`  | None    | 1 or more, None              | plies after which play is truncated; None means 200     |
| `render_mode` | None    | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text      |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "Quixo-v0")
