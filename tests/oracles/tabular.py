"""Slow and simple tabular learning with dictionaries and Python numbers, for comparisons bit by bit."""

import math
from dataclasses import KW_ONLY, dataclass
from functools import cache

import numpy as np

from ci_envs import Game, Position
from ci_envs.games.grid import lines_of
from ci_envs.games.operations import transform_action
from ci_envs.kernels.compiler import kernel

_WORD = 2**64


@kernel
def _image_of_action(game, symmetry, action):
    return transform_action(game, symmetry, action)


@cache
def followers(position):
    """Return the positions after each legal action."""
    return {action: position.play(action) for action in position.legal_actions()}


@cache
def least_image(position):
    """Return the words of the least symmetric image of a position, and the first symmetry that maps to it."""
    images = [(image.own, image.opp) for image in position.symmetries]
    return min(images), images.index(min(images))


@cache
def image_of_action(game, symmetry, action):
    return int(_image_of_action(game, symmetry, action))


@cache
def advantage(position):
    """Return a quarter of the own longest line minus a quarter of the opponent's longest line."""
    own, opp = (
        max((word & line).bit_count() for line in lines_of(*position.game.shape))
        for word in (position.own, position.opp)
    )
    return 0.25 * (own - opp)


@cache
def longest_runs(position):
    """Return the longest runs of the player to move and of the opponent in rows, columns and long diagonals."""
    rows, cols, n = position.game.shape
    lines = []
    for row in range(rows):
        for col in range(cols):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + k * down, col + k * right) for k in range(n)]
                if all(0 <= y < rows and 0 <= x < cols for y, x in line):
                    lines.append([y * cols + x for y, x in line])
    return tuple(max(run_in(word, line) for line in lines) for word in (position.own, position.opp))


def run_in(word, line):
    text = "".join(str(word >> cell & 1) for cell in line)
    return max(map(len, text.split("0")))


def run_reward(before, after):
    """Return report D's reward for the change of the longest runs, for the player who moved."""
    mine, other = longest_runs(before)
    new_mine, new_other = longest_runs(after) if after.to_move == before.to_move else longest_runs(after)[::-1]
    step = 0.25 * before.game.shape[0]
    reward = step if new_mine > mine else -step if new_mine < mine else 0.0
    return reward + (step if new_other < other else -step if new_other > other else 0.0)


class Dice:
    """SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, seed):
        self.state = seed

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % _WORD
        word = self.state
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % _WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB % _WORD
        return word ^ word >> 31

    def below(self, bound):
        return (self.word() >> 32) * bound >> 32

    def share(self):
        """Return a number from 0 to below 1."""
        return (self.word() >> 11) / 2**53


@dataclass
class SlowLearner:
    """A tabular learner with the names and options of ``ci-envs train``.

    Attributes:
        table: lists of values by the words of a position.
        dice: the random numbers.
    """

    game: Game
    seed: int
    _: KW_ONLY
    method: str = "q_learning"
    visits: str = "first"
    values: str = "action"
    symmetries: bool = False
    shaping: str | None = None
    exploration: str = "epsilon_greedy"
    discount: float = 1.0
    initial: float = 0.0
    initial_spread: float = 0.0
    random_plies: int = 0
    opponent: str = "self"
    seat: str = "random"
    max_plies: int = 2048

    def __post_init__(self):
        self.dice, self.spread = Dice(self.seed), self.initial_spread
        self.softmax, self.against_random = self.exploration == "softmax", self.opponent == "random"
        self.columns = 1 if self.values == "state" else self.game.action_count
        self.table, self.won, self.errors = {}, 0, []

    def place(self, position, action):
        """Return the key of the row of an action, and its column."""
        if self.values == "state":
            position, action = followers(position)[action], 0
        if not self.symmetries:
            return (position.own, position.opp), action
        key, symmetry = least_image(position)
        return key, 0 if self.values == "state" else image_of_action(self.game, symmetry, action)

    def value(self, position, action):
        key, column = self.place(position, action)
        return self.table[key][column] if key in self.table else self.initial

    def values_of(self, position):
        return {action: self.value(position, action) for action in position.legal_actions()}

    def meet(self, key):
        if key in self.table:
            return
        row = self.table[key] = []
        legal = [0] if self.values == "state" else Position(self.game, *key).legal_actions()
        for column in range(self.columns):
            noise = self.spread * (self.dice.word() // 2**11 / 2**52 - 1) if self.spread else 0
            row.append(float(np.float32(self.initial + noise)) if column in legal else 0.0)

    def change(self, place, target, alpha):
        key, column = place
        old = self.table[key][column]
        self.table[key][column] = float(np.float32(old + alpha * (target - old)))
        self.error += abs(target - old)

    def random_action(self, position):
        legal = position.legal_actions()
        return legal[self.dice.below(len(legal))]

    def opponents_action(self, position):
        """Return a random action from a copy of the random numbers. Their state advances by the square of its step."""
        dice = Dice(self.dice.state)
        self.dice.state = (self.dice.state + 0x9E3779B97F4A7C15**2) % _WORD
        legal = position.legal_actions()
        return legal[dice.below(len(legal))]

    def greedy_action(self, values):
        best = [action for action, value in values.items() if value == max(values.values())]
        return best[self.dice.below(len(best))]

    def explore(self, position, values, rate):
        if rate == 0:
            return self.greedy_action(values)
        share = self.dice.share()
        if not self.softmax:
            return self.random_action(position) if share < rate else self.greedy_action(values)
        weights = {action: math.exp((value - max(values.values())) / rate) for action, value in values.items()}
        left = share * sum(weights.values())
        for action, weight in weights.items():
            left -= weight
            if left < 0:
                return action
        return max(weights)

    def first_position(self):
        position = Position.start(self.game)
        for _ in range(self.dice.below(self.random_plies + 1) if self.random_plies else 0):
            following = followers(position)[self.random_action(position)]
            if following.result is not None:
                break
            position = following
        return position

    def play_episode(self, alpha, rate):
        position = self.first_position()
        learners, self.error = self.learners(), 0.0
        turns = {0: [], 1: []}  # lists [place, reward until the next turn, position] of each player
        for _ in range(self.max_plies):
            player = position.to_move
            if player not in learners:
                position = followers(position)[self.opponents_action(position)]
            else:
                mine = turns[player]
                if self.values == "action":
                    self.meet(self.place(position, 0)[0])
                values = self.values_of(position)
                if mine and self.shaping == "potential":
                    mine[-1][1] += self.discount * advantage(position)
                if mine and self.shaping == "longest_run":
                    mine[-1][1] += run_reward(mine[-1][2], position)
                if mine and self.method == "q_learning":
                    self.change(mine[-1][0], mine[-1][1] + self.discount * max(values.values()), alpha)
                action = self.explore(position, values, rate)
                place = self.place(position, action)
                self.meet(place[0])
                reward = -advantage(position) if self.shaping in ("lines", "potential") else 0.0
                before = position
                position = followers(position)[action]
                if self.shaping == "lines":
                    reward += advantage(position) if position.to_move == player else -advantage(position)
                mine.append([place, reward, before])
            if position.result is not None:
                break
        result = position.result or 0
        for player, mine in turns.items():
            if mine:
                mine[-1][1] += result if player == position.to_move else -result
                if self.shaping == "longest_run":
                    mine[-1][1] += run_reward(mine[-1][2], position)
                self.learn_from_the_end(mine, alpha)

        self.errors.append(self.error / max(1, sum(map(len, turns.values()))))
        winner = position.to_move if result > 0 else 1 - position.to_move
        self.won += result != 0 and learners == {winner}

    def learners(self):
        if not self.against_random:
            return {0, 1}
        return {self.dice.below(2)} if self.seat == "random" else {("first", "second").index(self.seat)}

    def mean_error(self):
        """Return the exponential average over a thousand episodes."""
        mean = 0.0
        for number, error in enumerate(self.errors, 1):
            mean += (error - mean) / min(number, 1000)
        return mean

    def learn_from_the_end(self, mine, alpha):
        if self.method == "q_learning":
            self.change(*mine[-1][:2], alpha)
            return
        returns, later = [], 0.0
        for place, reward, _ in reversed(mine):
            later = reward + self.discount * later
            returns.insert(0, (place, later))
        met = []
        for place, total in returns:
            if self.visits == "every" or place not in met:
                self.change(place, total, alpha)
            met.append(place)


def schedule_value(schedule, start, end, progress, delay=0.0):
    """Return the value of a schedule."""
    progress = max(0.0, progress - delay) / (1 - delay)
    if schedule == "constant":
        return start
    return start + (end - start) * progress if schedule == "linear" else start * (end / start) ** progress
