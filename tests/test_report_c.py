"""Report C's Monte Carlo tree search, compared with a slow version in plain Python."""

import itertools
import math

import numpy as np
import pytest
from playing import random_positions

from ci_envs import ConnectN, Quixo, make_agent
from ci_envs.arena import play_match
from ci_envs.reports.catalog import sections
from ci_envs.reports.report_c.literal_mcts import literal_mcts
from ci_envs.reports.section import RunOptions

TICTACTOE = ConnectN(3, 3, 3)
AGENT, OTHER, BLANK = 1, 0, -1


class PlainNode:
    def __init__(self, stones, agent_moves, parent, untried):
        self.stones, self.agent_moves, self.parent, self.untried = stones, agent_moves, parent, untried
        self.children, self.visits, self.value = [], 0, 0


class PlainMCTS:
    """Report C's search with lists, and with the random numbers of the compiled version."""

    def __init__(self, seed, signs_repaired, ends_repaired):
        self.state, self.signs_repaired, self.ends_repaired = seed, signs_repaired, ends_repaired

    def below(self, bound):
        """SplitMix64 (Steele, Lea and Flood 2014)."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        word = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        return ((word ^ word >> 31) >> 32) * bound >> 32

    @staticmethod
    def owner(stones):
        for line in ("012", "345", "678", "036", "147", "258", "048", "246"):
            symbols = {stones[int(cell)] for cell in line}
            if len(symbols) == 1 and symbols != {BLANK}:
                return symbols.pop()
        return BLANK

    def node(self, stones, agent_moves, parent):
        untried = [cell for cell in range(9) if stones[cell] == BLANK]
        if self.ends_repaired and self.owner(stones) != BLANK:
            untried = []
        return PlainNode(stones, agent_moves, parent, untried)

    def random_result(self, stones, agent_moves):
        stones = list(stones)
        while self.owner(stones) == BLANK and BLANK in stones:
            free = [cell for cell in range(9) if stones[cell] == BLANK]
            stones[free[self.below(len(free))]] = AGENT if agent_moves else OTHER
            agent_moves = not agent_moves
        return {AGENT: 1, OTHER: -1, BLANK: 0}[self.owner(stones)]

    def action(self, position):
        stones = [AGENT if position.own >> i & 1 else OTHER if position.opp >> i & 1 else BLANK for i in range(9)]
        root = self.node(stones, True, None)
        for _ in range(1000):
            node = root
            while node.children and not node.untried:
                log = math.log(node.visits + 1)
                node = max(
                    node.children,
                    key=lambda c: c.value / (c.visits + 1e-6) + 1.41 * math.sqrt(log / (c.visits + 1e-6)),
                )
            if node.untried:
                after = list(node.stones)
                after[node.untried.pop()] = AGENT if node.agent_moves else OTHER
                node.children.append(self.node(after, not node.agent_moves, node))
                node = node.children[-1]
            result = self.random_result(node.stones, node.agent_moves)
            if self.signs_repaired and node.agent_moves:
                result = -result
            while node:
                node.visits, node.value, result, node = node.visits + 1, node.value + result, -result, node.parent
        best = max(root.children, key=lambda child: child.visits)
        return next(cell for cell in range(9) if best.stones[cell] != stones[cell])


@pytest.mark.extended
@pytest.mark.parametrize("repairs", list(itertools.product((False, True), repeat=2)))
def test_mcts_plays_the_moves_of_the_plain_search(repairs):
    actions = []
    for seed, position in enumerate(random_positions(TICTACTOE, 60, seed=2)[::10]):
        agent = literal_mcts(TICTACTOE, seed, signs_repaired=repairs[0], ends_repaired=repairs[1])
        actions += agent.act_on(np.array([[position.own, position.opp]], np.uint64)).tolist()
        assert actions[-1] == PlainMCTS(seed, *repairs).action(position)
    assert len(set(actions)) > 2


@pytest.mark.extended
@pytest.mark.parametrize(
    ("repairs", "won", "lost"),
    [((False, False), 75.0, 19.75), ((False, True), 95.75, 4.25), ((True, False), 98.0, 1.5), ((True, True), 98.75, 0)],
)
def test_results_of_mcts_against_random(repairs, won, lost):
    agent = literal_mcts(TICTACTOE, 1, signs_repaired=repairs[0], ends_repaired=repairs[1])
    total = play_match(TICTACTOE, agent, make_agent("random", TICTACTOE, seed=2), 400, swap_seats=False).sides[0].total
    assert total.wins / 4 == pytest.approx(won, abs=6)
    assert total.losses / 4 == pytest.approx(lost, abs=6 if lost else 0)


def test_the_agent_plays_legal_moves_in_both_seats_and_on_larger_boards():
    for game in (TICTACTOE, ConnectN(4, 4, 4)):
        match = play_match(game, make_agent("report:C", game, seed=1), make_agent("random", game, seed=2), 10)
        assert match.sides[0].faults == 0
        assert match.sides[0].seats[0].games == match.sides[0].seats[1].games == 5


@pytest.mark.parametrize("game", [Quixo(), ConnectN(6, 7, 4, True)], ids=str)
def test_the_agent_refuses_other_games(game):
    with pytest.raises(ValueError, match="report:C plays ConnectN without gravity, not"):
        make_agent("report:C", game)


@pytest.mark.extended
def test_ours_does_not_lose():
    rows = {row.quantity: row for row in sections()["C"].run(RunOptions(quick=True)).rows}
    assert rows["won"].ours.value > rows["won"].report.value
    assert rows["lost"].ours.value == rows["lost"].described.value == 0
    assert rows["3 x 3, v exact, lost"].ours.value == 0
