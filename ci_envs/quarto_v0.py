"""Quarto: complete a line of four pieces that share an attribute, with pieces that the opponent chooses.

### Rules

The 16 pieces are all combinations of four attributes: tall or not, dark or not, square or not, hollow or not. The
players take turns. A player places the given piece on an empty cell of the 4 x 4 board. Then this player gives the
opponent one of the remaining pieces. A line is a row, column or diagonal of four pieces that all have, or all lack, an
attribute. The player who completes a line wins, even if the opponent placed the other pieces. With `squares` the nine
2 x 2 squares are lines too. A full board without a line is a draw.

`player_0` acts first and gives a piece. A player who has placed a piece acts again and gives a piece, so the agents do
not alternate after every action.

The game is by Blaise Müller, Gigamic 1991. Without `squares`, optimal play is a draw (Goossens 1998).

### Observation Space

`observation` is indexed by row from the top, column from the left, plane. Both agents see the same observation:

* plane 0: 1 where there is a piece
* planes 1 to 4: 1 where the piece is tall, dark, square, hollow
* plane 5: all 1 if the next action places the piece in hand; all 0 if the next action gives a piece
* planes 6 to 9: all 1 if the piece in hand is tall, dark, square, hollow

### Action Space

Actions 0 to 15 place the piece in hand on a cell. Cells are numbered row by row from the top left. The name of a cell
is the letter of its column and the number of its row, for example `b3`. Actions 16 to 31 give piece 0 to 15 to the
opponent. Their names are `give0` to `givef`. The four bits of the number of a piece, from the lowest bit, mean tall,
dark, square, hollow: piece 9 is tall, light, round and hollow.

>>> from ci_envs import quarto_v0
>>> env = quarto_v0.env()
>>> env.reset()
>>> env.position.parse_action("give9")
25
>>> for name in ("give9", "b1", "give3"):
...     print(env.agent_selection, name)
...     env.step(env.position.parse_action(name))
player_0 give9
player_1 b1
player_1 give3
>>> print(env.position)
.9../..../..../.... 3 0
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "Quarto-v0")
__doc__ = documentation(__doc__ or "", __name__, "Quarto-v0")
