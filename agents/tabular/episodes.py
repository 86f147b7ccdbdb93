"""Episodes of tabular reinforcement learning for any game, compiled.

Q-learning: Watkins, "Learning from delayed rewards", 1989. Monte Carlo control: Sutton and Barto, "Reinforcement
learning", 2nd edition, 2018, chapter 5. A time step of a player is one of its own turns. The value of an action is
updated at the player's next turn or at the end of the game.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.policy import choose
from ci_envs.agents.tabular.run_reward import run_reward
from ci_envs.agents.tabular.value_table import canonical, find, find_or_insert, mask_illegal
from ci_envs.games import (
    ONGOING,
    action_count,
    image_of_action,
    initial,
    inline_kernel,
    inlined,
    keeps_turn,
    lean_kernel,
    legal,
    longest_line,
    other_view,
    play,
    result,
)
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import called_from_python
from ci_envs.kernels.random_draws import random_share
from ci_envs.kernels.random_numbers import random_below, random_index_from
from ci_envs.kernels.seeds import next_seed

Q_LEARNING, FIRST_VISIT, EVERY_VISIT = 0, 1, 2
UNSHAPED, LINES, POTENTIAL, LONGEST_RUN = 0, 1, 2, 3
SELF, FIRST, SECOND, DRAWN = -1, 0, 1, 2
CONSTANT, LINEAR, EXPONENTIAL = 0, 1, 2
DONE, FULL, ILLEGAL = 0, 1, 2
"""The status that :func:`play_episodes` returns."""

_LOWEST = -float(np.finfo(np.float64).max)
"""Lower bound of the values of legal actions."""

LINE_WEIGHT = 0.25
"""Reward for each cell by which the longest own line grows or the opponent's longest line shrinks."""

_ERROR_WINDOW = 1000
"""Number of episodes over which the mean error is averaged exponentially."""


class Rule(NamedTuple):
    """The settings of the learning method as numbers.

    Attributes:
        method: Q_LEARNING, FIRST_VISIT or EVERY_VISIT.
        by_state: True if values belong to the positions after an action (afterstates), False if to actions.
        fold: whether symmetric positions share their values.
        shaping: UNSHAPED, LINES, POTENTIAL or LONGEST_RUN. LINES rewards the change of the longest lines by an
            action. LONGEST_RUN rewards the change of the longest runs up to the next own turn.
        softmax: True for softmax exploration, False for epsilon-greedy exploration.
        discount: discount factor from one own turn to the next, 0 to 1.
        initial: value of new positions.
        spread: half-width of the uniform distribution of new values around ``initial``.
        random_plies: maximum number of random plies at the start of an episode (exploring starts).
        seat: seat of the learner: SELF for both seats, FIRST, SECOND, or DRAWN for a random seat in each episode.
        max_plies: maximum length of an episode in plies. A longer game is a draw.
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

    def to_record(self) -> NDArray[np.void]:
        """Return an array of one record of the type RULE."""
        return np.array([tuple(self)], RULE)


RULE = np.dtype(list(Rule.__annotations__.items()), align=True)
"""A :class:`Rule` as a record. A kernel passes a record by its address, which is faster than eleven numbers."""


class Schedule(NamedTuple):
    """A number that changes from ``start`` to ``end`` over a run, after a fraction ``delay`` of the run."""

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
"""A turn of the learner: the player, the table cell of its action, the reward up to the player's next turn, and the
position."""

RUN = np.dtype(
    [("played", np.int64), ("state", np.uint64), ("positions", np.int64), ("error", np.float64), ("won", np.int64)]
)
"""The progress of a run: the number of episodes, the state of the random number generator, the number of positions in
the table, the mean absolute temporal-difference error, and the number of episodes that the learner won against its
opponent."""


@lean_kernel
def schedule_value(schedule: Any, progress: Any) -> Any:
    """Return the value of a schedule at a fraction ``progress`` of the run, 0 to 1."""
    if progress <= schedule.delay:
        return schedule.start
    progress = (progress - schedule.delay) / (1.0 - schedule.delay)
    if schedule.kind == LINEAR:
        return schedule.start + (schedule.end - schedule.start) * progress
    if schedule.kind == EXPONENTIAL:
        return schedule.start * (schedule.end / schedule.start) ** progress
    return schedule.start


@called_from_python
@lean_kernel
def action_values(game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any) -> Any:
    """Write the values of the legal actions, and -inf for illegal actions. Return the highest value."""
    if rule.by_state:
        return _values_after(game, table, rule, own, opp, values)
    key_own, key_opp, symmetry = canonical(game, own, opp, rule.fold)
    row = find(table, key_own, key_opp)
    if table[row].taken:
        return _values_of_row(game, table[row], symmetry, values)
    for number in range(action_count(game)):
        values[number] = rule.initial if legal(game, own, opp, np.uint64(number)) else -np.inf
    return rule.initial


@inline_kernel
def _values_of_row(game: Any, row: Any, symmetry: Any, values: Any) -> Any:
    """Write the action values of a position whose table row is known. Return the highest value."""
    best = -np.inf
    for number in range(action_count(game)):
        values[number] = row.values[image_of_action(game, symmetry, number)]
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
def _find_or_insert(game: Any, table: Any, rule: Any, own: Any, opp: Any, state: Any, positions: Any) -> Any:
    """Find or insert the row of a position.

    Returns:
        The row or -1 if the table is full, the symmetry that maps the position to the stored one, the new state of the
        random number generator, and the new number of positions.
    """
    own, opp, symmetry = canonical(game, own, opp, rule.fold)
    known = positions
    row, state, positions = find_or_insert(table, own, opp, rule.initial, rule.spread, state, positions)
    if positions > known and not rule.by_state:
        mask_illegal(game, table[row])
    return row, symmetry, state, positions


@inlined
def _enter_turn(
    game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any, rate: Any, state: Any, positions: Any
) -> Any:
    """Find or insert a position in which the learner is to move, and write the values of its actions.

    With values of positions, the highest value is not needed for learning, and computing it is slow. Therefore all
    legal actions get the value 0 before a random action.

    Returns:
        The row, the symmetry, the highest value, the new state of the random number generator, and the new number of
        positions.
    """
    if rule.by_state:
        if _is_random(rule, rate, state):
            best = _write_legal_zeros(game, own, opp, values)
        else:
            best = _values_after(game, table, rule, own, opp, values)
        return np.int64(0), 0, best, state, positions
    row, symmetry, state, positions = _find_or_insert(game, table, rule, own, opp, state, positions)
    best = _values_of_row(game, table[max(row, 0)], symmetry, values)
    return row, symmetry, best, state, positions


@lean_kernel
def _row_after(game: Any, table: Any, rule: Any, own: Any, opp: Any, action: Any) -> Any:
    next_own, next_opp = play(game, own, opp, action)
    next_own, next_opp, _ = canonical(game, next_own, next_opp, rule.fold)
    return find(table, next_own, next_opp)


@lean_kernel
def _write_legal_zeros(game: Any, own: Any, opp: Any, values: Any) -> Any:
    """Write 0 for legal actions and -inf for illegal actions, and return 0.0."""
    for number in range(action_count(game)):
        values[number] = 0.0 if legal(game, own, opp, np.uint64(number)) else -np.inf
    return 0.0


@lean_kernel
def _is_random(rule: Any, rate: Any, state: Any) -> Any:
    """Return whether :func:`_explore` will choose a uniformly random action."""
    return not rule.softmax and rate > 0 and random_share(state)[0] < rate


@inline_kernel
def _explore(game: Any, rule: Any, own: Any, opp: Any, values: Any, best: Any, rate: Any, state: Any) -> Any:
    """Choose an action epsilon-greedily, or by softmax with temperature ``rate``.

    Returns:
        The action and the new state of the random number generator.
    """
    if rate <= 0:
        return random_index_from(values, action_count(game), best, state)
    uniform, state = random_share(state)
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
def _line_potential(game: Any, own: Any, opp: Any) -> Any:
    return LINE_WEIGHT * (longest_line(game, own) - longest_line(game, opp))


@lean_kernel
def _shaping_reward(game: Any, rule: Any, own: Any, opp: Any, next_own: Any, next_opp: Any, same: Any) -> Any:
    """Return the part of the shaping reward that is known before the opponent's reply."""
    if rule.shaping in (UNSHAPED, LONGEST_RUN):
        return 0.0
    reward = -_line_potential(game, own, opp)
    if rule.shaping == LINES:
        reward += _line_potential(game, next_own, next_opp) if same else -_line_potential(game, next_own, next_opp)
    return reward


@lean_kernel
def _update_value(table: Any, turn: Any, target: Any, alpha: Any) -> Any:
    """Move the value of a turn's action towards its target, and return the absolute error before the update."""
    value = np.float64(table[turn.row].values[turn.column])
    table[turn.row].values[turn.column] = value + alpha * (target - value)
    return abs(target - value)


@inlined
def _learn_from_next_turn(
    game: Any, table: Any, rule: Any, turn: Any, own: Any, opp: Any, best: Any, alpha: Any
) -> Any:
    """Learn from the position at the player's next turn, and return the absolute error.

    ``best`` is the highest action value there.
    """
    error = 0.0
    if rule.shaping == POTENTIAL:
        turn.reward += rule.discount * _line_potential(game, own, opp)
    elif rule.shaping == LONGEST_RUN:
        turn.reward += run_reward(game, turn.own, turn.opp, own, opp)
    if rule.method == Q_LEARNING:
        error = _update_value(table, turn, turn.reward + rule.discount * best, alpha)
    return error


@lean_kernel
def _learn_from_result(
    game: Any, table: Any, rule: Any, path: Any, last: Any, own: Any, opp: Any, reward: Any, alpha: Any
) -> Any:
    """Learn from the end of a game, and return the sum of the absolute errors.

    Args:
        game: the game.
        table: the table of values.
        rule: a record of the type RULE.
        path: the turns of the episode.
        last: the index of this learner's last turn, or -1.
        own: the first word of the last position, from this learner's point of view.
        opp: the second word.
        reward: the reward of this learner.
        alpha: the learning rate.
    """
    if last < 0:
        return 0.0
    path[last].reward += reward
    if rule.shaping == LONGEST_RUN:
        path[last].reward += run_reward(game, path[last].own, path[last].opp, own, opp)
    if rule.method == Q_LEARNING:
        return _update_value(table, path[last], path[last].reward, alpha)
    earned, error = 0.0, 0.0
    for i in range(last, -1, -1):
        if path[i].player == path[last].player:
            earned = path[i].reward + rule.discount * earned
            path[i].reward = earned
    for i in range(last + 1):
        first = rule.method == EVERY_VISIT or not _is_repeated_visit(path, i)
        if first and path[i].player == path[last].player:
            error += _update_value(table, path[i], path[i].reward, alpha)
    return error


@lean_kernel
def _is_repeated_visit(path: Any, i: Any) -> Any:
    for earlier in range(i):
        same_player = path[earlier].player == path[i].player
        if same_player and path[earlier].row == path[i].row and path[earlier].column == path[i].column:
            return True
    return False


@lean_kernel
def _first_position(game: Any, rule: Any, state: Any) -> Any:
    """Choose the first position of an episode: the initial position or a non-terminal position some random plies later.

    Returns:
        Both words of the position, the player to move, and the new state of the random number generator.
    """
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
    """Play one episode and learn from it.

    Args:
        game: the game.
        policy: the policy of the opponent.
        memory: the memory of the policy.
        table: the table of :func:`~ci_envs.agents.tabular.value_table.new_table`.
        rule: a record of the type RULE.
        alpha: the learning rate.
        rate: epsilon or the temperature.
        path: buffer for the turns of an episode, of the type TURN and shape (plies,).
        values: buffer for the action values, float64 of shape (actions,).
        run: a record of the type RUN, which is only read.

    Returns:
        The status (DONE, FULL if the table is full, or ILLEGAL if the opponent played an illegal action), the new state
        of the random number generator, the new number of positions, the mean absolute error, and 1 if the learner won
        against its opponent, else 0.
    """
    state, positions = run.state, run.positions
    own, opp, player, state = _first_position(game, rule, state)
    learner = rule.seat
    if learner == DRAWN:
        drawn, state = random_below(state, 2)
        learner = np.int64(drawn)
    error = 0.0
    turns, mine, other = 0, -1, -1  # indices of the last turns of the player to move and of the other player
    outcome = ONGOING
    for _ in range(rule.max_plies):
        learns = learner in (SELF, player)
        row, symmetry = np.int64(0), 0
        if learns:
            row, symmetry, best, state, positions = _enter_turn(
                game, table, rule, own, opp, values, rate, state, positions
            )
            if mine >= 0:
                error += _learn_from_next_turn(game, table, rule, path[mine], own, opp, best, alpha)
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
                row, _, state, positions = _find_or_insert(game, table, rule, next_own, next_opp, state, positions)
            if row < 0:
                return FULL, state, positions, 0.0, 0
            mine, turns = turns, turns + 1
            path[mine].player, path[mine].row = player, row
            path[mine].column = 0 if rule.by_state else image_of_action(game, symmetry, number)
            path[mine].reward = _shaping_reward(game, rule, own, opp, next_own, next_opp, same)
            path[mine].own, path[mine].opp = own, opp
        own, opp = next_own, next_opp
        if not same:
            player = 1 - player
            mine, other = other, mine
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            break
    reward = 0.0 if outcome == ONGOING else np.float64(outcome)
    other_own, other_opp = other_view(game, own, opp)
    if player == 1:
        reward, mine, other = -reward, other, mine
        own, opp, other_own, other_opp = other_own, other_opp, own, opp
    error += _learn_from_result(game, table, rule, path, mine, own, opp, reward, alpha)
    error += _learn_from_result(game, table, rule, path, other, other_own, other_opp, -reward, alpha)
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
    """Play the episodes up to number ``stop`` and return DONE, FULL or ILLEGAL.

    ``rules`` is an array of one record of the type RULE. ``alphas`` and ``rates`` are the schedules of the learning
    rate and of the exploration over ``total`` episodes. ``runs`` is an array of one record of the type RUN. The kernel
    writes this record and the table after each episode, so an interrupt finds both in the state after the same episode.
    The other arguments are those of :func:`play_episode`.
    """
    for episode in range(runs[0].played, stop):
        progress = episode / total
        alpha, rate = schedule_value(alphas, progress), schedule_value(rates, progress)
        status, state, positions, error, won = play_episode(
            game, policy, memory, table, rules[0], alpha, rate, path, values, runs[0]
        )
        if status != DONE:
            return status
        runs[0].played, runs[0].state, runs[0].positions = episode + 1, state, positions
        runs[0].error += (error - runs[0].error) / min(episode + 1, _ERROR_WINDOW)
        runs[0].won += won
    return DONE
