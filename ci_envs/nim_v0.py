"""Nim: take objects from heaps, and take the last.

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

`env` and `raw_env` make the same environment: what PettingZoo's wrappers check is built in.

### Rules

There are heaps of 1, 3, 5 and 7 objects. The players take turns. A player takes one or more objects from
one heap, at most `max_take` if it is given. The player who takes the last object wins; with `misere` this player loses.

In normal play without a bound the player to move wins unless the bitwise exclusive or of the sizes is 0, as it is
with the default heaps: Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). The
agent `nim_expert` plays by theory, with and without a bound, normal and misere; the agent `nim` by plain rules.

### Observation Space

`observation` has a row for each heap, as long as the largest heap is at the start, and one plane. Both agents see the
same:

* plane 0: 1 in the first cells of a row, as many as there are objects left in that heap

`action_mask` holds 1 for each legal action and 0 for the others, and zeros for the agent that is not to act. It is in
`infos[agent]["action_mask"]` too.

### Action Space

With k the most objects that any move can take (the largest heap, or `max_take` if that is less), action
`heap * k + count - 1` takes `count` objects from a heap, heaps numbered from 0. Names count heaps from 1: `2-3` takes
three objects from the second heap.

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

There are no draws. Until the end all rewards are 0.

### Parameters

| Name          | Default      | Values                       | Meaning                                               |
|---------------|--------------|------------------------------|-------------------------------------------------------|
| `heaps`       | (1, 3, 5, 7) | 1 to 8 sizes from 0 to 255   | objects in each heap, at least one in all             |
| `max_take`    | None         | 1 to 255, None               | the most that a move may take; None is no bound       |
| `misere`      | False        | True, False                  | whether taking the last object loses                  |
| `max_cycles`  | None         | 1 or more, None              | plies after which play is truncated; None means never |
| `render_mode` | None         | `human`, `rgb_array`, `ansi` | what `render()` does: a window, an RGB array, text    |

### Version History

* v0: first version
"""

from functools import partial

from ci_envs.envs.make import make

env = raw_env = partial(make, "Nim-v0")
