"""Episodes of tabular reinforcement learning, compiled, for any game.

Q-learning: Watkins, "Learning from delayed rewards", 1989. Monte Carlo control: Sutton and Barto, "Reinforcement
learning", 2nd edition, 2018, chapter 5. A player's time steps are its own turns: what an action led to is known when it
is the player's turn again, or the game is over, and only then is the action's value changed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.policy import choose
from ci_envs.agents.tabular.run_reward import run_reward
from ci_envs.agents.tabular.value_table import enter, find, folded, forbid
from ci_envs.games import (
    ONGOING,
    action_count,
    initial,
    inline_kernel,
    inlined,
    keeps_turn,
    lean_kernel,
    legal,
    longest_line,
    play,
    result,
    transform_action,
)
from ci_envs.games.walk import random_action
from ci_envs.kernels.random_numbers import next_random, random_below, random_index_from
from ci_envs.kernels.seeds import next_seed

Q_LEARNING, FIRST_VISIT, EVERY_VISIT = 0, 1, 2
UNSHAPED, LINES, POTENTIAL, LONGEST_RUN = 0, 1, 2, 3
SELF, FIRST, SECOND, DRAWN = -1, 0, 1, 2
CONSTANT, LINEAR, EXPONENTIAL = 0, 1, 2
DONE, FULL, ILLEGAL = 0, 1, 2
"""How a call of :func:`play_episodes` ended."""

_LOWEST = -float(np.finfo(np.float64).max)
"""No value of a legal action is lower."""

LINE_WEIGHT = 0.25
"""The reward for each cell by which the longest own line grows, or that of the opponent shrinks."""

_AVERAGED = 1000
"""The mean error is an exponential moving average over about this number of episodes."""


class Rule(NamedTuple):
    """What is learned, and how, in numbers.

    Attributes:
        method: Q_LEARNING, FIRST_VISIT or EVERY_VISIT.
        by_state: values are of the positions after an action, else of actions.
        fold: symmetric positions share their values.
        shaping: UNSHAPED, LINES (a reward for what an action does to the longest lines), POTENTIAL, or LONGEST_RUN
            (report D's reward for what happens to the longest runs up to the next own turn).
        softmax: explore by softmax, else epsilon-greedily.
        discount: from one own turn to the next.
        initial: value of what was never met.
        spread: new values are drawn so far around it.
        random_plies: up to so many random plies begin an episode (exploring starts).
        seat: of the learner: SELF if it plays both, FIRST, SECOND, or DRAWN for each episode.
        max_plies: an episode is drawn after so many.
    """

    method: int
    by_state: bool
    fold: bool
    shaping: int
    softmax: bool
    discount: float
    initial: float
    spread: float
    random_plies: int
    seat: int
    max_plies: int

    def in_memory(self) -> NDArray[np.void]:
        """One record of the type RULE."""
        return np.array([tuple(self)], RULE)


RULE = np.dtype(list(Rule.__annotations__.items()), align=True)
"""A :class:`Rule` as a record, which a kernel hands on by its address: eleven numbers are slow to hand on."""


class Schedule(NamedTuple):
    """A number that changes over a run, from ``start`` to ``end``, after a share ``delay`` of the run."""

    kind: int
    start: float
    end: float
    delay: float = 0.0


TURN = np.dtype(
    [
        ("player", np.int64),
        ("row", np.int64),
        ("column", np.int64),
        ("reward", np.float64),
        ("own", np.uint64),
        ("opp", np.uint64),
    ]
)
"""A learner's turn in an episode: its position, where the value of its action is, and its reward up to its next
turn."""

RUN = np.dtype(
    [("played", np.int64), ("state", np.uint64), ("positions", np.int64), ("error", np.float64), ("won", np.int64)]
)
"""How far a run has come: the episodes played, the state of the random numbers, the positions in the table, the mean
absolute error (the difference between a target and the value that it changes), and the episodes that the learner won
against its opponent."""


@lean_kernel
def scheduled(schedule: Any, progress: Any) -> Any:
    """``-> float``: the value of a schedule when so much of the run (0 to 1) is over."""
    if progress <= schedule.delay:
        return schedule.start
    progress = (progress - schedule.delay) / (1.0 - schedule.delay)
    if schedule.kind == LINEAR:
        return schedule.start + (schedule.end - schedule.start) * progress
    if schedule.kind == EXPONENTIAL:
        return schedule.start * (schedule.end / schedule.start) ** progress
    return schedule.start


@lean_kernel
def action_values(game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any) -> Any:
    """``-> float``: the largest of the values of the legal actions, which are written; the others are -inf."""
    if rule.by_state:
        return _values_after(game, table, rule, own, opp, values)
    key_own, key_opp, symmetry = folded(game, own, opp, rule.fold)
    row = find(table, key_own, key_opp)
    if table[row].taken:
        return _values_in(game, table[row], symmetry, values)
    for number in range(action_count(game)):
        values[number] = rule.initial if legal(game, own, opp, np.uint64(number)) else -np.inf
    return rule.initial


@inline_kernel
def _values_in(game: Any, row: Any, symmetry: Any, values: Any) -> Any:
    """As :func:`action_values`, where the values are known to be in ``row``."""
    best = -np.inf
    for number in range(action_count(game)):
        values[number] = row.values[transform_action(game, symmetry, number)]
        best = max(best, values[number])
    return best


@lean_kernel
def _values_after(game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any) -> Any:
    best = -np.inf
    for number in range(action_count(game)):
        value = -np.inf
        if legal(game, own, opp, np.uint64(number)):
            row = _row_after(game, table, rule, own, opp, np.uint64(number))
            value = np.float64(table[row].values[0]) if table[row].taken else rule.initial
        values[number] = value
        best = max(best, value)
    return best


@inlined
def _enter(game: Any, table: Any, rule: Any, own: Any, opp: Any, state: Any, positions: Any) -> Any:
    """``-> (row, symmetry, state, positions)``: the row of a position and what leads to it; -1 if the table is full."""
    own, opp, symmetry = folded(game, own, opp, rule.fold)
    known = positions
    row, state, positions = enter(table, own, opp, rule.initial, rule.spread, state, positions)
    if positions > known and not rule.by_state:
        forbid(game, table[row])
    return row, symmetry, state, positions


@inlined
def _look(
    game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any, rate: Any, state: Any, positions: Any
) -> Any:
    """``-> (row, symmetry, best, state, positions)``: enter a position whose actions have values, and write these.

    With values of positions, the best is not needed for learning, and finding it is slow: before a random action all
    legal actions get the value 0.
    """
    if rule.by_state:
        if _is_random(rule, rate, state):
            best = _mark_legal(game, own, opp, values)
        else:
            best = _values_after(game, table, rule, own, opp, values)
        return np.int64(0), 0, best, state, positions
    row, symmetry, state, positions = _enter(game, table, rule, own, opp, state, positions)
    best = _values_in(game, table[max(row, 0)], symmetry, values)
    return row, symmetry, best, state, positions


@lean_kernel
def _row_after(game: Any, table: Any, rule: Any, own: Any, opp: Any, action: Any) -> Any:
    next_own, next_opp = play(game, own, opp, action)
    next_own, next_opp, _ = folded(game, next_own, next_opp, rule.fold)
    return find(table, next_own, next_opp)


@lean_kernel
def _mark_legal(game: Any, own: Any, opp: Any, values: Any) -> Any:
    """``-> 0.0``: write 0 for the legal actions and -inf for the others."""
    for number in range(action_count(game)):
        values[number] = 0.0 if legal(game, own, opp, np.uint64(number)) else -np.inf
    return 0.0


@lean_kernel
def _is_random(rule: Any, rate: Any, state: Any) -> Any:
    """``-> bool``: whether :func:`_explore` will draw an action without regard to its value."""
    word, _ = next_random(state)
    return not rule.softmax and rate > 0 and np.float64(word >> np.uint64(11)) * 2.0**-53 < rate


@inline_kernel
def _explore(game: Any, rule: Any, own: Any, opp: Any, values: Any, best: Any, rate: Any, state: Any) -> Any:
    """``-> (action, state)``: epsilon-greedily, or by softmax with temperature ``rate``."""
    if rate <= 0:
        return random_index_from(values, action_count(game), best, state)
    word, state = next_random(state)
    uniform = np.float64(word >> np.uint64(11)) * 2.0**-53
    if not rule.softmax:
        return random_index_from(values, action_count(game), best if uniform >= rate else _LOWEST, state)
    total = 0.0
    for value in values:
        total += np.exp((value - best) / rate)
    left, chosen = uniform * total, -1
    for number in range(len(values)):
        if values[number] > -np.inf:
            chosen = number
            left -= np.exp((values[number] - best) / rate)
            if left < 0:
                break
    return chosen, state


@lean_kernel
def _lines(game: Any, own: Any, opp: Any) -> Any:
    return LINE_WEIGHT * (longest_line(game, own) - longest_line(game, opp))


@lean_kernel
def _shaped(game: Any, rule: Any, own: Any, opp: Any, next_own: Any, next_opp: Any, same: Any) -> Any:
    """``-> float``: the reward for an action, as far as it is known before the reply."""
    if rule.shaping in (UNSHAPED, LONGEST_RUN):
        return 0.0
    reward = -_lines(game, own, opp)
    if rule.shaping == LINES:
        reward += _lines(game, next_own, next_opp) if same else -_lines(game, next_own, next_opp)
    return reward


@lean_kernel
def _change(table: Any, turn: Any, target: Any, alpha: Any) -> Any:
    """``-> float``: move the value of a turn's action towards its target, and return the absolute difference."""
    value = np.float64(table[turn.row].values[turn.column])
    table[turn.row].values[turn.column] = value + alpha * (target - value)
    return abs(target - value)


@inlined
def _learn_from_reply(game: Any, table: Any, rule: Any, turn: Any, own: Any, opp: Any, best: Any, alpha: Any) -> Any:
    """``-> error``: learn what a turn led to: its player's next turn, and the best that can be done there."""
    error = 0.0
    if rule.shaping == POTENTIAL:
        turn.reward += rule.discount * _lines(game, own, opp)
    elif rule.shaping == LONGEST_RUN:
        turn.reward += run_reward(game, turn.own, turn.opp, own, opp)
    if rule.method == Q_LEARNING:
        error = _change(table, turn, turn.reward + rule.discount * best, alpha)
    return error


@lean_kernel
def _learn_from_result(
    game: Any, table: Any, rule: Any, path: Any, last: Any, own: Any, opp: Any, reward: Any, alpha: Any
) -> Any:
    """``-> error``: learn from the end of a game.

    Args:
        game: the game.
        table: of the values.
        rule: a record of the type RULE.
        path: the turns of the episode.
        last: the last turn of a learner, -1 for none.
        own: the first word of the last position, seen by this learner.
        opp: the second word.
        reward: of this learner.
        alpha: the learning rate.
    """
    if last < 0:
        return 0.0
    path[last].reward += reward
    if rule.shaping == LONGEST_RUN:
        path[last].reward += run_reward(game, path[last].own, path[last].opp, own, opp)
    if rule.method == Q_LEARNING:
        return _change(table, path[last], path[last].reward, alpha)
    earned, error = 0.0, 0.0
    for i in range(last, -1, -1):
        if path[i].player == path[last].player:
            earned = path[i].reward + rule.discount * earned
            path[i].reward = earned
    for i in range(last + 1):
        first = rule.method == EVERY_VISIT or not _was_met(path, i)
        if first and path[i].player == path[last].player:
            error += _change(table, path[i], path[i].reward, alpha)
    return error


@lean_kernel
def _was_met(path: Any, i: Any) -> Any:
    for earlier in range(i):
        same_player = path[earlier].player == path[i].player
        if same_player and path[earlier].row == path[i].row and path[earlier].column == path[i].column:
            return True
    return False


@lean_kernel
def _begin(game: Any, rule: Any, state: Any) -> Any:
    """``-> (own, opp, player, state)``: the start, or a position some random plies from it that is not over."""
    own, opp = initial(game)
    player = 0
    if rule.random_plies > 0:
        plies, state = random_below(state, rule.random_plies + 1)
        for _ in range(plies):
            action, state = random_action(game, own, opp, state)
            next_own, next_opp = play(game, own, opp, action)
            if result(game, next_own, next_opp) != ONGOING:
                break
            if not keeps_turn(game, own, opp, action):
                player = 1 - player
            own, opp = next_own, next_opp
    return own, opp, player, state


@lean_kernel
def play_episode(
    game: Any, policy: Any, memory: Any, table: Any, rule: Any, alpha: Any, rate: Any, path: Any, values: Any, run: Any
) -> Any:
    """``-> (DONE, FULL or ILLEGAL, state, positions, error, won)``: play one episode and learn from it.

    ``error`` is the mean absolute difference between a target and the value that it changes; ``won`` is 1 if the
    learner won against its opponent, else 0.

    Args:
        game: the game.
        policy: of the opponent, ILLEGAL if it plays no legal action.
        memory: of the policy.
        table: of :func:`~ci_envs.agents.tabular.value_table.new_table`.
        rule: a record of the type RULE.
        alpha: the learning rate.
        rate: epsilon, or the temperature.
        path: room for the turns of an episode, of the type TURN (plies,).
        values: room for the values of all actions, float64 (actions,).
        run: a record of the type RUN, which is read.
    """
    state, positions = run.state, run.positions
    own, opp, player, state = _begin(game, rule, state)
    learner = rule.seat
    if learner == DRAWN:
        drawn, state = random_below(state, 2)
        learner = np.int64(drawn)
    error = 0.0
    turns, mine, other = 0, -1, -1  # the last turns of the player to move and of the other
    outcome = ONGOING
    for _ in range(rule.max_plies):
        learns = learner in (SELF, player)
        row, symmetry = np.int64(0), 0
        if learns:
            row, symmetry, best, state, positions = _look(game, table, rule, own, opp, values, rate, state, positions)
            if mine >= 0:
                error += _learn_from_reply(game, table, rule, path[mine], own, opp, best, alpha)
            number, state = _explore(game, rule, own, opp, values, best, rate, state)
        else:
            seed, state = next_seed(state)
            number = np.int64(choose(policy, game, own, opp, seed, memory))
            if number < 0 or number >= action_count(game) or not legal(game, own, opp, np.uint64(number)):
                return ILLEGAL, state, positions, 0.0, 0
        same = keeps_turn(game, own, opp, np.uint64(number))
        next_own, next_opp = play(game, own, opp, np.uint64(number))
        if learns:
            if rule.by_state:
                row, _, state, positions = _enter(game, table, rule, next_own, next_opp, state, positions)
            if row < 0:
                return FULL, state, positions, 0.0, 0
            mine, turns = turns, turns + 1
            path[mine].player, path[mine].row = player, row
            path[mine].column = 0 if rule.by_state else transform_action(game, symmetry, number)
            path[mine].reward = _shaped(game, rule, own, opp, next_own, next_opp, same)
            path[mine].own, path[mine].opp = own, opp
        own, opp = next_own, next_opp
        if not same:
            player = 1 - player
            mine, other = other, mine
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            break
    reward = 0.0 if outcome == ONGOING else np.float64(outcome)
    if player == 1:
        reward, own, opp = -reward, opp, own
    first, second = (mine, other) if player == 0 else (other, mine)
    error += _learn_from_result(game, table, rule, path, first, own, opp, reward, alpha)
    error += _learn_from_result(game, table, rule, path, second, opp, own, -reward, alpha)
    won = (learner == FIRST and reward > 0) or (learner == SECOND and reward < 0)
    return DONE, state, positions, error / max(turns, 1), np.int64(won)


@lean_kernel
def play_episodes(
    game: Any,
    policy: Any,
    memory: Any,
    table: Any,
    rules: Any,
    alphas: Any,
    rates: Any,
    stop: Any,
    total: Any,
    path: Any,
    values: Any,
    runs: Any,
) -> Any:
    """``-> DONE, FULL or ILLEGAL``: play the episodes up to ``stop``.

    ``rules`` is one record of the type RULE, ``alphas`` and ``rates`` are the :class:`Schedule` of the learning rate
    and of the exploration over ``total`` episodes, and ``runs`` is one record of the type RUN. This is written here,
    with the table, so that an interrupt finds both as they were after one and the same episode. The other arguments
    are those of :func:`play_episode`.
    """
    for episode in range(runs[0].played, stop):
        progress = episode / total
        alpha, rate = scheduled(alphas, progress), scheduled(rates, progress)
        status, state, positions, error, won = play_episode(
            game, policy, memory, table, rules[0], alpha, rate, path, values, runs[0]
        )
        if status != DONE:
            return status
        runs[0].played, runs[0].state, runs[0].positions = episode + 1, state, positions
        runs[0].error += (error - runs[0].error) / min(episode + 1, _AVERAGED)
        runs[0].won += won
    return DONE
