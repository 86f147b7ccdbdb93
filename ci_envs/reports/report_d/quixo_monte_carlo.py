"""Report D's Monte Carlo table for Quixo, with the learning and the play of its code.

It has these bugs of report D:

* A lost game counts 0 instead of -1, because the test for a loss repeats the test for a win. All positions start at 0,
  so a position that occurred only in lost games has the same value as a new position.
* The step of 0.001 is so small that the value of a position measures the number of its visits in won games, not the
  share of wins.
* Most positions of a game are not in the table. In such a position the agent plays the first legal move.

The rules are those of our game, in which completing a line of the opponent loses. The rules of report D differ only if
one move completes lines of both players.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agents.tabular.episodes import Rule, action_values
from ci_envs.agents.tabular.value_table import canonical, find, find_or_insert, new_table
from ci_envs.games import LOSS, ONGOING, action_count, initial, lean_kernel, play, result
from ci_envs.games.game import Game
from ci_envs.games.walk import random_action
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.literal_agent import LiteralAgent, LiteralPolicy, require_equal
from ci_envs.reports.report_d.quixo_rows import QUIXO

GAMES = 200_000

_STEP = 0.001
_TABLE_MB = 128.0
_LONGEST_GAME = 10_000  # plies; random games are far shorter
_PATH = np.dtype([("own", np.uint64), ("opp", np.uint64)])

_LOOKUP = Rule(
    method=0,
    by_state=True,
    fold=True,
    shaping=0,
    softmax=False,
    discount=1.0,
    initial=0.0,
    spread=0.0,
    random_plies=0,
    seat=0,
    max_plies=0,
)
"""The rule for reading a table: a value for each position after a move, which its symmetric images share."""


def learn_positions(colour: int, games: int = GAMES, seed: int = 0) -> NDArray[np.void]:
    """Return the table of one colour that report D learns from random games.

    In each game the colour of the agent and the starting player are random. So each table learns from about half of the
    games.

    Args:
        colour: 0 or 1.
        games: The number of games, with both colours.
        seed: The seed of the games, 0 to 2^64 - 1.

    Returns:
        A table of positions after a move of the agent (:mod:`ci_envs.agents.tabular.value_table`).
    """
    table = new_table(1, _TABLE_MB)
    path = np.empty(_LONGEST_GAME, _PATH)
    _random_games(QUIXO, table, path, games, colour, np.uint64(seed))
    return table


@lean_kernel
def _random_games(game: Any, table: Any, path: Any, games: Any, colour: Any, state: Any) -> None:
    """Play random games, and learn from those in which the agent has the colour.

    A position is stored from the point of view of the opponent after the agent's move: the cells of the opponent, and
    the cells of the agent.
    """
    count = 0
    for _ in range(games):
        drawn_colour, state = random_below(state, 2)
        if np.int64(drawn_colour) != colour:  # games are independent, so games for the other table are skipped
            continue
        starter, state = random_below(state, 2)
        agent_moves = starter == np.uint64(0)
        own, opp = initial(game)
        plies, outcome = 0, ONGOING
        while outcome == ONGOING and plies < len(path):
            action, state = random_action(game, own, opp, state)
            own, opp = play(game, own, opp, action)
            path[plies].own, path[plies].opp = (own, opp) if agent_moves else (opp, own)
            agent_moves, plies = not agent_moves, plies + 1
            outcome = result(game, own, opp)
        won = outcome != ONGOING and (outcome == LOSS) != agent_moves
        for ply in range(plies):
            count = _learn(game, table, path[ply].own, path[ply].opp, won, count)


@lean_kernel
def _learn(game: Any, table: Any, own: Any, opp: Any, won: Any, count: Any) -> Any:
    """Update the value of a position, and return the count. A new position of a lost game keeps the value 0."""
    own, opp, _ = canonical(game, own, opp, True)
    row = find(table, own, opp)
    if won and not table[row].taken:
        row, _, count = find_or_insert(table, own, opp, 0.0, 0.0, np.uint64(0), count)
    if table[row].taken:
        value = np.float64(table[row].values[0])
        table[row].values[0] = value + _STEP * (np.float64(won) - value)
    return count


def position_table_agent(game: Game, table: NDArray[np.void], *, seed: int | None = None) -> LiteralAgent:
    """Make an agent that plays Quixo by a table of positions. Of the best actions it plays the first.

    Args:
        game: Quixo on 5 x 5 cubes.
        table: The table of :func:`learn_positions`.
        seed: Not used, because the agent is deterministic.

    Raises:
        ValueError: The game is not Quixo on 5 x 5 cubes.
    """
    require_equal("report:D3", game, QUIXO)

    def new_policy() -> CompiledPolicy:
        return CompiledPolicy(FirstBestPolicy(), (table, _LOOKUP.to_record(), np.empty(game.action_count)))

    return LiteralAgent(game, new_policy, seed=seed)


class FirstBestPolicy(LiteralPolicy):
    """The compiled policy of :func:`position_table_agent`. Its memory is the table, a rule, and a buffer of values."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        table, rules, values = memory
        best = action_values(game, table, rules[0], own, opp, values)
        chosen = 0
        for action in range(action_count(game) - 1, -1, -1):
            if values[action] == best:
                chosen = action
        return chosen
