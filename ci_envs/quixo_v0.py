"""Quixo: push cubes until a line shows your symbol.

### Rules

The board is 5 x 5 cubes, all blank. The players take turns. A player takes a cube from the border that is
blank or shows the player's own symbol. The player pushes the cube back in at another end of its row or column, with the
own symbol up. The cubes in between slide towards the hole. A full row, column or diagonal of a player's symbol wins for
this player. A player who completes a line of the opponent's symbol loses, even if the same move also completes an own
line. Players cannot pass, and positions can repeat for ever.

The game is by Thierry Chapeau, Gigamic 1995. Neither player can force a win: Tanaka, Bonnet, Tixeuil and Tamura,
"Quixo Is Solved", ACG 2021, doi 10.1007/978-3-031-11488-5_8.

### Observation Space

`observation` shows the board as the observing agent sees it, indexed by row from the top, column from the left,
plane:

* plane 0: 1 where a cube shows the agent's own symbol
* plane 1: 1 where a cube shows the opponent's symbol

### Action Space

An action takes a cube and pushes it in at an end of its row or column. The name of an action is the cell of the cube
and the cell of the end: `a1e1` takes the cube at the top left and pushes it in at the right end of its row. The name of
a cell is the letter of its column and the number of its row, counted from the top. Actions are numbered by cube, row by
row from the top left, and for each cube by end: right, left, bottom, top. A cube in a corner has two ends, and another
cube of the border has three. So there are 4 * 2 + 12 * 3 = 44 actions, and 12 (n - 2) + 8 on a board of n x n.

>>> from ci_envs import quixo_v0
>>> env = quixo_v0.env()
>>> env.reset()
>>> env.position.parse_action("a1e1"), env.position.parse_action("c5c1")
(0, 38)
>>> env.step(0)
>>> env.step(38)
>>> print(env.position)
..O.X/...../...../...../..... X
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "Quixo-v0")
__doc__ = documentation(__doc__ or "", __name__, "Quixo-v0", has_draws=False)
