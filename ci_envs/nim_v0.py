"""Nim: take objects from heaps, and take the last object.

### Rules

There are heaps of 1, 3, 5 and 7 objects. The players take turns. A player takes one or more objects from
one heap, at most `max_take` if it is given. The player who takes the last object wins; with `misere` this player loses.

In normal play without `max_take`, the player to move loses under optimal play if the bitwise exclusive or of the heap
sizes is 0. This is so for the default heaps. In all other positions the player to move wins: Bouton, "Nim, a game with
a complete mathematical theory", Annals of Mathematics 3 (1901). The agent `nim_expert` plays optimally by this theory,
with and without `max_take`, normal and misere. The agent `nim` plays by one of several simple rules.

### Observation Space

`observation` has a row for each heap, a column for each object of the largest heap, and one plane. Both agents see the
same observation:

* plane 0: a row with 1 in its first k cells is a heap with k objects left; the other cells are 0

### Action Space

Let k be the maximum number of objects that a move can take: the size of the largest heap, or `max_take` if it is
smaller. Action `heap * k + count - 1` takes `count` objects from the heap with the number `heap`, counted from 0. The
name of an action counts heaps from 1: `2-3` takes three objects from the second heap.

>>> from ci_envs import nim_v0
>>> env = nim_v0.env()
>>> env.reset()
>>> env.position.parse_action("2-3")
9
>>> env.step(9)
>>> print(env.position)
1,0,5,7 1
"""

from functools import partial

from ci_envs.envs.documentation import documentation
from ci_envs.envs.make import make

env = raw_env = partial(make, "Nim-v0")
__doc__ = documentation(__doc__ or "", __name__, "Nim-v0", has_draws=False)
