"""Tic-tac-toe: three in a row.

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
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "TicTacToe-v0")
__doc__ = documentation(__doc__ or "", __name__, "TicTacToe-v0")
