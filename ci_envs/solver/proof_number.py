"""Exact values of positions by df-pn."""

from typing import Any

import numpy as np

from ci_envs.games.operations import DRAW, ONGOING, action_count, canonical, is_duplicate, keeps_turn, legal, play, result
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.hash_table import find_slot

INF = 1 << 30
_NODES, _LIMIT, _DRAWS, _STORED = 0, 1, 2, 3


@inlined
def _slot(keys, numbers, own, opp):
    return find_slot(keys[:, 0], keys[:, 1], numbers[:, 0], np.uint32(0xFFFFFFFF), own, opp)


@kernel
def _children(game, own, opp, draw, children, kept, fixed, work):
    """Write children; fixed: 1 = won for the mover of this node, -1 = lost, 0 = open. Return count, or -1 if won."""
    count = 0
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        outcome = np.int64(result(game, next_own, next_opp))
        keeps = keeps_turn(game, own, opp, action)
        if outcome == ONGOING:
            children[count, 0], children[count, 1] = canonical(game, next_own, next_opp)
            kept[count] = keeps
            fixed[count] = 0
            double = False
            for k in range(count):
                double |= children[k, 0] == children[count, 0] and children[k, 1] == children[count, 1]
            if not double:
                count += 1
            continue
        if outcome == DRAW:
            work[_DRAWS] += 1
            outcome = draw
        elif not keeps:
            outcome = -outcome
        if outcome > 0:
            return -1
    return count


@kernel
def _estimate(game, own, opp, draw, work):
    count = 0
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        outcome = np.int64(result(game, next_own, next_opp))
        if outcome == ONGOING:
            count += 1
            continue
        if outcome == DRAW:
            work[_DRAWS] += 1
            outcome = draw
        elif not keeps_turn(game, own, opp, action):
            outcome = -outcome
        if outcome > 0:
            return np.int64(0), np.int64(INF)
    if count == 0:
        return np.int64(INF), np.int64(0)
    return np.int64(1), np.int64(count)


@kernel
def prove(game, own, opp, draw, most_phi, most_delta, keys, numbers, work, weak):
    work[_NODES] += 1
    n_actions = action_count(game)
    children = np.empty((n_actions, 2), dtype=np.uint64)
    kept = np.empty(n_actions, dtype=np.bool_)
    fixed = np.empty(n_actions, dtype=np.int8)
    first = np.full((n_actions, 2), -1, dtype=np.int64)
    count = _children(game, own, opp, draw, children, kept, fixed, work)
    phi = delta = np.int64(0)
    if count < 0:
        phi, delta = np.int64(0), np.int64(INF)
    elif count == 0:
        phi, delta = np.int64(INF), np.int64(0)
    else:
        while True:
            phi, delta, second, best, best_p = np.int64(INF), np.int64(0), np.int64(INF), 0, np.int64(0)
            biggest, open_count = np.int64(0), 0
            for k in range(count):
                child_draw = draw if kept[k] else -draw
                side = 2 if child_draw > 0 and work[_DRAWS] else 0
                slot = _slot(keys, numbers, children[k, 0], children[k, 1])
                if numbers[slot, 0] != np.uint32(0xFFFFFFFF):
                    p, d = np.int64(numbers[slot, side]), np.int64(numbers[slot, side + 1])
                else:
                    if first[k, 0] < 0:
                        first[k, 0], first[k, 1] = _estimate(game, children[k, 0], children[k, 1], child_draw, work)
                    p, d = first[k, 0], first[k, 1]
                if kept[k]:
                    p, d = d, p
                delta += p
                biggest = max(biggest, p)
                open_count += p > 0
                if d < phi:
                    second = phi
                    phi, best, best_p = d, k, p
                elif d < second:
                    second = d
            if weak and open_count and biggest < INF:
                delta = biggest + open_count - 1
            if delta > INF or phi == 0:
                delta = np.int64(INF)
            if phi >= most_phi or delta >= most_delta or work[_NODES] >= work[_LIMIT]:
                break
            child_phi = min(most_delta - (delta - best_p), np.int64(INF))
            child_delta = min(most_phi, max(second + 1, second + second // 4))
            child_draw = draw if kept[best] else -draw
            if kept[best]:
                child_phi, child_delta = child_delta, child_phi
            prove(game, children[best, 0], children[best, 1], child_draw, child_phi, child_delta, keys, numbers, work, weak)
    slot = _slot(keys, numbers, own, opp)
    if numbers[slot, 0] == np.uint32(0xFFFFFFFF):
        work[_STORED] += 1
        keys[slot, 0], keys[slot, 1] = own, opp
        numbers[slot, 0] = numbers[slot, 1] = numbers[slot, 2] = numbers[slot, 3] = 1
    side = 2 if draw > 0 and work[_DRAWS] else 0
    numbers[slot, side], numbers[slot, side + 1] = phi, delta
