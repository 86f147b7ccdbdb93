"""A slow and simple search with a network, for comparisons of all visit counts."""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np
from oracles.tabular import Dice
from playing import distinct_actions

from ci_envs import Position


class SlowNode:
    """A position, with the known bounds for the player whose action led to it."""

    def __init__(self, position, acts_again):
        self.position, self.sign = position, 1 if acts_again else -1
        self.prior, self.total, self.visits, self.closed = 0.0, 0.0, 0, False
        self.waiting = 0  # simulations through the position that wait for the network
        self.children = {}
        result = position.result
        self.lower, self.upper = (-1, 1) if result is None else (self.sign * result, self.sign * result)

    @property
    def is_proven(self):
        return self.lower == self.upper

    @property
    def mean(self):
        return float(np.float32(self.total / self.visits))

    def tighten(self):
        """Update the bounds from the children, and return whether they changed."""
        children = self.children.values()
        lower, upper = max(child.lower for child in children), max(child.upper for child in children)
        for child in children:
            child.closed = child.closed or child.upper <= lower
        before = self.lower, self.upper
        self.lower, self.upper = (lower, upper) if self.sign == 1 else (-upper, -lower)
        return before != (self.lower, self.upper)


@dataclass
class SlowSearch:
    """A search of one position like :class:`ci_envs.agents.alphazero.search.Forest`.

    Attributes:
        root: of the tree.
    """

    position: Position
    seed: int
    evaluate: Callable
    _: KW_ONLY
    selection: str
    exploration: float
    simulations: int
    considered: int
    flat: bool
    noise: tuple
    halving: tuple
    contempt: float
    leaves: int = 1

    def __post_init__(self):
        self.search(SlowNode(self.position, acts_again=True), self.seed)

    def search(self, root, seed):
        self.root, self.dice, self.kept = root, Dice(seed), root.visits
        self.drawn = self.cost = 0.0
        self.begun, waiting = root.visits, None
        while waiting is None or waiting:
            waiting = self.leaves_to_evaluate()
            for path, contempt in waiting:
                self.evaluate_leaf(path, contempt)

    def continue_below(self, position, seed):
        """Search again with the part of the tree below a position. Its visits count as simulations."""
        node = self.find(position)
        if node.sign == -1:  # the values of a root are for the player to move
            node.sign, node.total, node.lower, node.upper = 1, -node.total, -node.upper, -node.lower
        self.search(node, seed)

    def find(self, position):
        """Return the most visited node below the root with this position and with children, or None if there are none.

        It is also None if several are visited most, because their trees can be different.
        """
        remaining, found = [*self.root.children.values()], []
        while remaining:
            node = remaining.pop()
            remaining += node.children.values()
            same = (node.position.own, node.position.opp) == (position.own, position.opp)
            if same and node.children:
                found.append(node)
        most = max((node.visits for node in found), default=0)
        best = [node for node in found if node.visits == most]
        return best[0] if len(best) == 1 else None

    def leaves_to_evaluate(self):
        """Simulate until enough leaves wait for the network, and return their paths and contempts."""
        waiting = []
        while len(waiting) < self.leaves and self.begun < self.simulations + 1 and not self.root.is_proven:
            path, contempt = [self.root], self.contempt_now()
            while path[-1].children and not path[-1].is_proven and all(path[-1] is not each[-1] for each, _ in waiting):
                at_root = self.selection == "gumbel" and len(path) == 1
                path.append(self.select_at_root() if at_root else self.select(path[-1]))
            leaf = path[-1]
            if any(leaf is each[-1] for each, _ in waiting):
                break
            self.begun += 1
            again = any(leaf.position == above.position for above in path[:-1])
            if not again and not leaf.is_proven:
                self.expand(leaf)
            if again:
                self.back_up(path, contempt, 0, 1)
            elif leaf.is_proven:
                self.back_up(path, contempt, leaf.sign * leaf.lower, leaf.lower == 0)
            else:
                waiting.append((path, contempt))
                for node in path:
                    node.waiting += 1
        return waiting

    def evaluate_leaf(self, path, contempt):
        for node in path:
            node.waiting -= 1
        logits, value, drawn = self.evaluate(path[-1].position)
        self.set_priors(path[-1], logits)
        if any(node.closed for node in path[1:]):
            return
        if len(path) == 1:
            contempt = self.reduced(float(value))
        self.back_up(path, contempt, float(value), float(drawn))

    def back_up(self, path, contempt, value, drawn):
        leaf = path[-1]
        self.drawn += drawn
        self.cost += contempt * drawn
        worth = -contempt if leaf.position.to_move == self.root.position.to_move else contempt
        value += worth * drawn
        if leaf is self.root and not leaf.is_proven:
            self.raw = max(value, -1)
        for node in reversed(path):  # the value for the player to move in the leaf, then for the player of its action
            worth *= node.sign
            value = min(max(value * node.sign, node.lower or worth), node.upper or worth)
            node.total = float(np.float32(node.total + value))
            node.visits += 1
        for node in reversed(path[:-1]):
            if not node.tighten():
                break

    def contempt_now(self):
        return self.reduced((self.root.total + self.cost) / max(self.root.visits, 1))

    def reduced(self, value):
        """Return the contempt: all of it for a value of 0 or more, nothing for -1/2 or less, linear in between."""
        return self.contempt * float(np.interp(value, [-0.5, 0], [0, 1]))

    def expand(self, node):
        order = []
        for action in distinct_actions(node.position):
            place = self.dice.below(len(order) + 1)
            order.append(action)
            order[-1], order[place] = order[place], action
        for action in order:
            following = node.position.play(action)
            node.children[action] = SlowNode(following, following.to_move == node.position.to_move)
        node.tighten()

    def set_priors(self, node, logits):
        legal = node.position.legal_actions()
        largest = max(float(logits[action]) for action in legal)
        for action in sorted(legal, key=lambda action: action not in node.children):
            following = node.position.play(action)
            like = node.children.get(action) or next(
                child for child in node.children.values() if child.position == following
            )
            like.prior = float(np.float32(like.prior + math.exp((float(logits[action]) - largest) / self.flat)))
        total = sum(child.prior for child in node.children.values())
        for child in node.children.values():
            child.prior = float(np.float32(child.prior / total))

    def select(self, node):
        guess = node.sign * node.total / node.visits

        def score(child):
            if self.selection == "ucb":
                mean = child.mean if child.visits else 0.0
                spread = float(np.float32(1 / math.sqrt(max(1, child.visits))))
                return mean + self.exploration * math.sqrt(math.log(node.visits + node.waiting)) * child.prior * spread
            mean = child.mean if child.visits else guess
            begun = node.visits + node.waiting
            return mean + self.exploration * math.sqrt(begun) * child.prior / (1 + child.visits + child.waiting)

        return max((child for child in node.children.values() if not child.closed), key=score)

    def select_at_root(self):
        wanted = self.halving[min(self.considered, len(self.root.children))][self.root.visits - 1]
        choices = [(action, child) for action, child in self.root.children.items() if not child.closed]
        scores = self.improved_logits()
        return max(choices, key=lambda one: (-abs(one[1].visits - wanted), self.noise[one[0]] + scores[one[0]]))[1]

    def improved_logits(self):
        """Return for each action of the root the log prior plus the weighted value (Danihelka et al. 2022)."""
        tried = [child for child in self.root.children.values() if child.visits]
        value = self.raw
        if tried:
            weighted = sum(child.prior * child.total / child.visits for child in tried)
            visits = sum(child.visits for child in tried)
            value = (value + visits * weighted / sum(child.prior for child in tried)) / (1 + visits)
        draw = -self.contempt_now()
        scale = (50 + max((child.visits for child in tried), default=0)) * 0.5

        def value_of(child):
            if child.is_proven:
                return child.lower or draw
            return child.total / child.visits if child.visits else value

        return {
            action: math.log(max(child.prior, 1e-30)) + scale * value_of(child)
            for action, child in self.root.children.items()
        }
