"""Connect-n: n in a row on any board, here four in a row on 6 x 6 cells.

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
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "ConnectN-v0")
__doc__ = documentation(__doc__ or "", __name__, "ConnectN-v0")
