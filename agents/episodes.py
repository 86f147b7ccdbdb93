"""Episodes of tabular reinforcement learning, compiled, for any game.

Q-learning: Watkins, "Learning from delayed rewards", 1989. Monte Carlo control: Sutton and Barto, "Reinforcement
learning", 2nd edition, 2018, chapter 5. A player's time steps are its own turns: what an action led to is known when it
is the player's turn again, or the game is over, and only then is the action's value changed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.value_table import enter, folded, slot_of
from ci_envs.games import (
    ONGOING,
    Game,
    GridGame,
    action_count,
    implements,
    initial,
    keeps_turn,
    kernel,
    legal,
    play,
    popcount,
    result,
    transform_action,
)
from ci_envs.games.compiled import operation
from ci_envs.games.grid import lines_of
from ci_envs.games.random_numbers import next_random, random_below, random_index_of
from ci_envs.games.walk import random_action
from ci_envs.policy import choose

Q_LEARNING, FIRST_VISIT, EVERY_VISIT = 0, 1, 2
UNSHAPED, LINES, POTENTIAL = 0, 1, 2
SELF, DRAWN = -1, 2
CONSTANT, LINEAR, EXPONENTIAL = 0, 1, 2
DONE, FULL, ILLEGAL = 0, 1, 2
"""How a call of :func:`play_episodes` ended."""

LINE_WEIGHT = 0.25
"""Reward for a longer line of one's own, or a shorter one of the opponent's, in the Quixo report."""


class Rule(NamedTuple):
    """What is learned, and how, in numbers.

    Attributes:
        method: Q_LEARNING, FIRST_VISIT or EVERY_VISIT.
        by_state: values are of the positions after an action, else of actions.
        fold: symmetric positions share their values.
        shaping: UNSHAPED, LINES (a reward for what an action does to the longest lines) or POTENTIAL.
        softmax: explore by softmax, else epsilon-greedily.
        discount: from one own turn to the next.
        initial: value of what was never met.
        spread: new values are drawn so far around it.
        random_plies: up to so many random plies begin an episode (exploring starts).
        seat: of the learner: SELF if it plays both, 0, 1, or DRAWN.
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


class Schedule(NamedTuple):
    """A number that changes over a run, from ``start`` to ``end``."""

    kind: int
    start: float
    end: float


class Path(NamedTuple):
    """What each player did in an episode: slot and column of the value, and the shaped reward, by own turn.

    Attributes:
        slots: int64 (2, plies).
        columns: int64 (2, plies).
        rewards: float64 (2, plies).
        turns: how many, int64 (2,).
        values: room for the values of all actions, float64 (actions,).
    """

    slots: NDArray[np.int64]
    columns: NDArray[np.int64]
    rewards: NDArray[np.float64]
    turns: NDArray[np.int64]
    values: NDArray[np.float64]


def new_path(actions: int, plies: int) -> Path:
    """Room for an episode."""
    shape = 2, plies
    return Path(
        np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape), np.zeros(2, np.int64), np.zeros(actions)
    )


@operation
def longest_line(game: Any, stones: Any) -> Any:
    """``-> int``: the most of ``stones`` in one line of the board; 0 where there are no lines."""


@implements(longest_line, Game)
def _(game: Game) -> Any:
    return lambda game, stones: 0


@implements(longest_line, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)

    def kernel(game: Any, stones: Any) -> Any:
        most = np.uint64(0)
        for line in lines:
            most = max(most, popcount(stones & line))
        return np.int64(most)

    return kernel


@kernel
def scheduled(schedule: Any, progress: Any) -> Any:
    """``-> float``: the value of a schedule when so much of the run (0 to 1) is over."""
    if schedule.kind == LINEAR:
        return schedule.start + (schedule.end - schedule.start) * progress
    if schedule.kind == EXPONENTIAL:
        return schedule.start * (schedule.end / schedule.start) ** progress
    return schedule.start


@kernel
def action_values(game: Any, table: Any, rule: Any, own: Any, opp: Any, values: Any) -> Any:
    """``-> float``: the largest of the values of the legal actions, which are written; the others are -inf."""
    best = -np.inf
    key_own, key_opp, symmetry = folded(game, own, opp, rule.fold and not rule.by_state)
    slot = slot_of(table, key_own, key_opp)
    for number in range(action_count(game)):
        action = np.uint64(number)
        values[number] = -np.inf
        if not legal(game, own, opp, action):
            continue
        column = 0
        if rule.by_state:
            slot = _after(game, table, rule, own, opp, action)
        else:
            column = transform_action(game, symmetry, number)
        values[number] = _value(table, rule, slot, column)
        best = max(best, values[number])
    return best


@kernel
def _value(table: Any, rule: Any, slot: Any, column: Any) -> Any:
    return np.float64(table.values[slot, column]) if table.taken[slot] else rule.initial


@kernel
def _after(game: Any, table: Any, rule: Any, own: Any, opp: Any, action: Any) -> Any:
    next_own, next_opp = play(game, own, opp, action)
    next_own, next_opp, _ = folded(game, next_own, next_opp, rule.fold)
    return slot_of(table, next_own, next_opp)


@kernel
def _entered(game: Any, table: Any, rule: Any, own: Any, opp: Any, number: Any, state: Any) -> Any:
    """``-> (slot, column, state)``: where the value of an action is; slot -1 if the table is full."""
    if rule.by_state:
        own, opp = play(game, own, opp, np.uint64(number))
    own, opp, symmetry = folded(game, own, opp, rule.fold)
    slot, state = enter(table, own, opp, rule.initial, rule.spread, state)
    return slot, 0 if rule.by_state else transform_action(game, symmetry, number), state


@kernel
def _explore(game: Any, rule: Any, own: Any, opp: Any, values: Any, best: Any, rate: Any, state: Any) -> Any:
    """``-> (action, state)``: epsilon-greedily, or by softmax with temperature ``rate``."""
    if rate <= 0:
        return random_index_of(values, best, state)
    word, state = next_random(state)
    uniform = np.float64(word >> np.uint64(11)) * 2.0**-53
    if not rule.softmax:
        if uniform >= rate:
            return random_index_of(values, best, state)
        action, state = random_action(game, own, opp, state)
        return np.int64(action), state
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


@kernel
def _lines(game: Any, own: Any, opp: Any) -> Any:
    return LINE_WEIGHT * (longest_line(game, own) - longest_line(game, opp))


@kernel
def _change(table: Any, path: Any, player: Any, turn: Any, target: Any, alpha: Any) -> None:
    """Move a value towards its target."""
    slot, column = path.slots[player, turn], path.columns[player, turn]
    value = np.float64(table.values[slot, column])
    table.values[slot, column] = value + alpha * (target - value)


@kernel
def _close(table: Any, rule: Any, path: Any, player: Any, reward: Any, alpha: Any) -> None:
    """Learn from the end of a game, which brought ``player`` this reward."""
    turns = path.turns[player]
    if turns == 0:
        return
    path.rewards[player, turns - 1] += reward
    if rule.method == Q_LEARNING:
        _change(table, path, player, turns - 1, path.rewards[player, turns - 1], alpha)
        return
    back = 0.0
    for turn in range(turns - 1, -1, -1):
        back = path.rewards[player, turn] + rule.discount * back
        path.rewards[player, turn] = back
    for turn in range(turns):
        if rule.method == EVERY_VISIT or not _was_met(path, player, turn):
            _change(table, path, player, turn, path.rewards[player, turn], alpha)


@kernel
def _was_met(path: Any, player: Any, turn: Any) -> Any:
    for earlier in range(turn):
        same_slot = path.slots[player, earlier] == path.slots[player, turn]
        if same_slot and path.columns[player, earlier] == path.columns[player, turn]:
            return True
    return False


@kernel
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


@kernel
def play_episode(
    game: Any, policy: Any, memory: Any, table: Any, rule: Any, alpha: Any, rate: Any, path: Any, state: Any
) -> Any:
    """``-> (DONE, FULL or ILLEGAL, state)``: play one episode and learn from it.

    Args:
        game: the game.
        policy: of the opponent, ILLEGAL if it plays no legal action.
        memory: of the policy.
        table: a :class:`~agents.value_table.ValueTable`.
        rule: a :class:`Rule`.
        alpha: the learning rate.
        rate: epsilon, or the temperature.
        path: a :class:`Path`.
        state: of the random numbers.
    """
    own, opp, player, state = _begin(game, rule, state)
    learner = rule.seat
    if learner == DRAWN:
        drawn, state = random_below(state, 2)
        learner = np.int64(drawn)
    path.turns[:] = 0
    outcome = ONGOING
    for _ in range(rule.max_plies):
        if learner in (SELF, player):
            best = action_values(game, table, rule, own, opp, path.values)
            turn = path.turns[player]
            if rule.shaping == POTENTIAL and turn > 0:
                path.rewards[player, turn - 1] += rule.discount * _lines(game, own, opp)
            if rule.method == Q_LEARNING and turn > 0:
                target = path.rewards[player, turn - 1] + rule.discount * best
                _change(table, path, player, turn - 1, target, alpha)
            number, state = _explore(game, rule, own, opp, path.values, best, rate, state)
            slot, column, state = _entered(game, table, rule, own, opp, number, state)
            if slot < 0:
                return FULL, state
            path.slots[player, turn], path.columns[player, turn] = slot, column
            path.rewards[player, turn] = -_lines(game, own, opp) if rule.shaping != UNSHAPED else 0.0
            path.turns[player] = turn + 1
        else:
            chosen, state = choose(policy, game, own, opp, state, memory)
            number = np.int64(chosen)
            if number < 0 or number >= action_count(game) or not legal(game, own, opp, np.uint64(number)):
                return ILLEGAL, state
        action = np.uint64(number)
        same = keeps_turn(game, own, opp, action)
        own, opp = play(game, own, opp, action)
        if rule.shaping == LINES and learner in (SELF, player):
            seen = _lines(game, own, opp) if same else -_lines(game, own, opp)
            path.rewards[player, path.turns[player] - 1] += seen
        player = player if same else 1 - player
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            break
    reward = 0.0 if outcome == ONGOING else np.float64(outcome)
    for who in range(2):
        _close(table, rule, path, who, reward if who == player else -reward, alpha)
    return DONE, state


@kernel
def play_episodes(
    game: Any,
    policy: Any,
    memory: Any,
    table: Any,
    rule: Any,
    alphas: Any,
    rates: Any,
    stop: Any,
    total: Any,
    path: Any,
    reached: Any,
) -> Any:
    """``-> DONE, FULL or ILLEGAL``: play the episodes up to ``stop``.

    ``alphas`` and ``rates`` are the :class:`Schedule` of the learning rate and of the exploration over ``total``
    episodes, and ``reached`` says how many were played and the state of the random numbers, uint64 (2,). It is written
    here, with the table, so that an interrupt finds both as they were after one and the same episode. The other
    arguments are those of :func:`play_episode`.
    """
    for episode in range(np.int64(reached[0]), stop):
        progress = episode / total
        alpha, rate = scheduled(alphas, progress), scheduled(rates, progress)
        status, state = play_episode(game, policy, memory, table, rule, alpha, rate, path, reached[1])
        if status != DONE:
            return status
        reached[0], reached[1] = np.uint64(episode + 1), state
    return DONE
