"""Nim: take objects from heaps, and take the last object.

| Creation           | `make("Nim-v0")` or `nim_v0.env()`      |
|--------------------|-----------------------------------------|
| Actions            | Discrete                                |
| Parallel API       | No                                      |
| Manual Control     | Yes: `ci-envs play Nim-v0 human random` |
| Agents             | 2: `player_0` and `player_1`            |
| Action Shape       | ()                                      |
| Action Values      | [0, 27]                                 |
| Observation Shape  | (4, 7, 1)                               |
| Observation Values | [0, 1]                                  |

`env` and `raw_env` make the same environment, because it contains the checks of PettingZoo's wrappers.

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

`action_mask` contains 1 for each legal action and 0 for each illegal action. For the agent that is not to act, all
entries are 0. `infos[agent]["action_mask"]` contains the mask too.

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

### Rewards

| How the game ends                  | Reward                                |
|------------------------------------|---------------------------------------|
| win                                | winner +1, loser -1                   |
| illegal action                     | -1 for the player, 0 for the opponent |
| truncated after `max_cycles` plies | 0 for both                            |

There are no draws. Before the end all rewards are 0.

### Parameters

| Name          | Default      | Values                       | Meaning                                               |
|---------------|--------------|------------------------------|-------------------------------------------------------|
| `heaps`       | (1, 3, 5, 7) | 1 to 8 sizes from 0 to 255   | objects in each heap; the sum must be at least 1      |
| `max_take`    | None         | 1 to 255, None               | most objects that a move can take; None: no limit     |
| `misere`      | False        | True, False                  | whether taking the last object loses                  |
| `max_cycles`  | None         | 1 or more, None              | plies after which play is truncated; None means never |
| `render_mode` | None         | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text    |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "Nim-v0")
