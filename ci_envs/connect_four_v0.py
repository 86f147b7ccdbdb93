"""Connect Four: four in a row in an upright board.

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
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "ConnectFour-v0")
__doc__ = documentation(__doc__ or "", __name__, "ConnectFour-v0")
