"""Best responses: the best result that an opponent can reach against an agent whose replies it knows.

The positions that can occur are enumerated ply by ply, so that the agent decides in all positions of a ply at once. A
node of the graph is a position and the player to move, the agent or its opponent. Value iteration then gives the value
of each node: the maximum of the values after the actions of the opponent, and the mean of those after the replies of
the agent. After k iterations it is the value of a game with k more plies, so a limit of plies is exact too.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.arena.replies import Replies
from ci_envs.games.batch import play_batch
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.position import Position
from ci_envs.solver.solution import NO_SCORE, Solution

_ENDS = {LOSS: 0, DRAW: 1, WIN: 2}
"""The nodes of finished games by their results for the opponent of the agent."""

_START = len(_ENDS)


_EDGE = np.dtype([("source", np.int64), ("target", np.int64), ("action", np.int64), ("weight", np.float64)])
"""An action of a node. The weight is its probability if the agent plays it."""


class Values(NamedTuple):
    """Values of the nodes for the opponent of the agent, from -1 to 1, and the iteration of their last change."""

    values: NDArray[np.float64]
    settled: NDArray[np.int64]

    @property
    def start(self) -> float:
        """The value of the initial position."""
        return float(self.values[_START])


@dataclass
class ResponseGraph:
    """The positions that can occur in games against an agent, from the initial position.

    Attributes:
        game: the game.
        replies: the replies of the agent.
        seat: 0 if the agent moves first, otherwise 1.
        solution: the exact values of the game.
        limit: the number of plies after which a game is a draw.
        width: the largest number of positions of a ply that are searched further. None searches all. Of more
            positions, those with the best exact scores for the opponent of the agent are searched.
        rng: chooses among equal positions.
    """

    game: Game
    replies: Replies
    seat: int
    solution: Solution
    limit: int
    width: int | None
    rng: np.random.Generator
    _numbers: dict[tuple[int, int, bool], int] = field(default_factory=dict)
    _words: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)] * len(_ENDS))
    _is_agents: list[bool] = field(default_factory=lambda: [False] * len(_ENDS))
    _exact: list[int] = field(default_factory=lambda: [LOSS, DRAW, WIN])
    _edges: list[NDArray[np.void]] = field(default_factory=lambda: [np.empty(0, _EDGE)])

    def expand(self, progress: Callable[[int, None], None] | None = None) -> None:
        """Find the nodes and edges.

        Args:
            progress: a function that is called with the number of positions so far.
        """
        own, opp = self.game.start()
        words = np.array([[own, opp]], np.uint64)
        is_agents = np.array([self.seat == 0])
        self._add(words, is_agents, self._exact_values(words, is_agents))
        first = _START
        for _ in range(self.limit):
            last = len(self._words)
            chosen = self._chosen(first, last)
            if not len(chosen):
                break
            self._expand(chosen)
            first = last
            if progress:
                progress(len(self._words), None)

    @property
    def positions(self) -> int:
        """The number of positions."""
        return len(self._words) - _START

    @cached_property
    def edges(self) -> NDArray[np.void]:
        """The edges of all nodes, sorted by their sources."""
        return np.sort(np.concatenate(self._edges), order="source", kind="stable")

    @property
    def is_complete(self) -> bool:
        """Whether no position was left out, except those that the opponent of the agent wins."""
        return bool((np.array(self._exact)[self._left] == WIN).all())

    def values(self, *, upper: bool = False, helped: bool = False) -> Values:
        """Return the values of all nodes.

        Args:
            upper: whether the opponent of the agent wins in positions that were left out. Otherwise it gets their exact
                value there, which it reaches against any agent.
            helped: whether the value after a reply is that after the best possible reply for the opponent of the agent.
        """
        values = np.zeros(len(self._words))
        values[:_START] = LOSS, DRAW, WIN
        values[self._left] = np.where(upper, WIN, np.array(self._exact)[self._left])
        settled = np.zeros(len(values), np.int64)
        for iteration in range(1, self.limit + 1):
            new = values.copy()
            for edges, combine in zip(self._by_player, (_maximum, _maximum if helped else _mean), strict=True):
                starts = np.flatnonzero(np.diff(edges["source"], prepend=-1))
                if len(starts):
                    new[edges["source"][starts]] = combine(edges, values, starts)
            changed = new != values
            if not changed.any():
                break
            settled[changed] = iteration
            values = new
        return Values(values, settled)

    def line(self) -> list[int]:
        """Return the actions of a game with the best result for the opponent that can occur.

        It ends in a finished game, in a position that occurred before, or in one that was left out.
        """
        best, edges = self._best_edges(self.values(helped=True)), self.edges
        node, seen, actions = _START, set[int](), list[int]()
        while node in best and node not in seen:
            seen.add(node)
            actions.append(int(edges["action"][best[node]]))
            node = int(edges["target"][best[node]])
        return actions

    def response_table(self, values: Values) -> dict[tuple[int, int], int]:
        """Return the action of the best response in each position (own, opp) of the opponent."""
        best, actions = self._best_edges(values), self.edges["action"]
        return {self._words[node]: int(actions[edge]) for node, edge in best.items() if not self._is_agents[node]}

    def _best_edges(self, values: Values) -> dict[int, int]:
        """Return the edge of each node with the best value: of several, the one that wins first or loses last."""
        best: dict[int, tuple[float, int, int]] = {}
        for index, (source, target) in enumerate(self.edges[["source", "target"]].tolist()):
            value, settled = float(values.values[target]), int(values.settled[target])
            merit = value, -settled if value > 0 else settled, -index
            best[source] = max(best.get(source, merit), merit)
        return {source: -merit[2] for source, merit in best.items()}

    @cached_property
    def _left(self) -> NDArray[np.int64]:
        """The nodes that were not searched further because of the width."""
        nodes = np.arange(_START, len(self._words))
        return nodes[:0] if self.width is None else np.setdiff1d(nodes, self.edges["source"])

    @cached_property
    def _by_player(self) -> list[NDArray[np.void]]:
        """The edges of the opponent, and those of the agent."""
        agents = np.array(self._is_agents)[self.edges["source"]]
        return [self.edges[~agents], self.edges[agents]]

    def _chosen(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the nodes of a ply to search further, in ascending order."""
        nodes = np.arange(first, last)
        if self.width is None:
            return nodes
        nodes = nodes[np.array(self._exact[first:last], np.int64) < WIN]
        if len(nodes) <= self.width:
            return nodes
        words, is_agents = self._rows(nodes)
        order = np.lexsort((self.rng.random(len(nodes)), -self._scores(words, is_agents, nodes)))
        return np.sort(nodes[order[: self.width]])

    def _scores(
        self, words: NDArray[np.uint64], is_agents: NDArray[np.bool_], nodes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the scores of positions for the opponent of the agent, or their values if distances take long."""
        if self.solution.searches:
            return np.array(self._exact)[nodes]
        return np.where(is_agents, -1, 1) * self.solution.scores(words).astype(np.int64)

    def _rows(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        words = np.array([self._words[node] for node in nodes.tolist()], np.uint64).reshape(-1, 2)
        return words, np.array([self._is_agents[node] for node in nodes.tolist()], np.bool_)

    def _expand(self, nodes: NDArray[np.int64]) -> None:
        """Add the edges of nodes, and new nodes at their ends."""
        words, is_agents = self._rows(nodes)
        weights = np.zeros((len(nodes), self.game.action_count + 1))
        if is_agents.any():
            weights[is_agents] = self.replies.probabilities(words[is_agents])
        if not is_agents.all():
            weights[~is_agents, :-1] = observations_of(self.game, words[~is_agents])["action_mask"]
        rows, actions = np.nonzero(weights)
        targets = np.full(len(rows), _ENDS[WIN])  # of faults
        played = np.flatnonzero(actions < self.game.action_count)
        after, outcomes = words[rows[played]], np.empty((len(played), 2), np.int8)
        play_batch(self.game, after, actions[played], outcomes)
        to_agent = is_agents[rows[played]] == (outcomes[:, 1] != 0)
        results = np.where(to_agent, -1, 1) * outcomes[:, 0]
        over = outcomes[:, 0] != ONGOING
        targets[played[over]] = results[over] + _ENDS[DRAW]
        going = played[~over]
        targets[going] = self._targets(after[~over], to_agent[~over], nodes[rows[going]])
        edges = np.empty(len(rows), _EDGE)
        edges["source"], edges["target"], edges["action"] = nodes[rows], targets, actions
        edges["weight"] = weights[rows, actions]
        self._edges.append(edges)

    def _targets(
        self, words: NDArray[np.uint64], is_agents: NDArray[np.bool_], parents: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the nodes of positions, and add those that are new."""
        keys = list(zip(*words.T.tolist(), is_agents.tolist(), strict=True))
        rows = {key: row for row, key in enumerate(keys) if key not in self._numbers}
        new = list(rows.values())
        if new:
            self._add(words[new], is_agents[new], self._exact_after(words[new], is_agents[new], parents[new]))
        return np.array([self._numbers[key] for key in keys], np.int64)

    def _add(self, words: NDArray[np.uint64], is_agents: NDArray[np.bool_], exact: NDArray[np.int64]) -> None:
        """Add nodes."""
        for (own, opp), turn in zip(words.tolist(), is_agents.tolist(), strict=True):
            self._numbers[own, opp, turn] = len(self._words)
            self._words.append((own, opp))
            self._is_agents.append(turn)
        self._exact += exact.tolist()

    def _exact_after(
        self, words: NDArray[np.uint64], is_agents: NDArray[np.bool_], parents: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the exact values of positions for the opponent of the agent; all actions in a lost position lose."""
        if self.width is None:
            return np.zeros(len(words), np.int64)  # no position is left out, so no value is needed
        _, by_agent = self._rows(parents)
        values = np.full(len(words), LOSS)
        unknown = by_agent | (np.array(self._exact)[parents] > LOSS)
        values[unknown] = self._exact_values(words[unknown], is_agents[unknown])
        return values

    def _exact_values(self, words: NDArray[np.uint64], is_agents: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.where(is_agents, -1, 1) * self.solution.values(words).astype(np.int64)


class BestResponseAgent(PositionAgent):
    """Agent that plays a best response to another agent, and exactly in positions that were not searched."""

    def __init__(self, graph: ResponseGraph, values: Values, *, seed: int | None = None) -> None:
        """Make the agent of a graph and the values of its nodes."""
        super().__init__(graph.game, seed=seed)
        self._solution, self._table = graph.solution, graph.response_table(values)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        actions = np.array([self._table.get((own, opp), -1) for own, opp in words.tolist()], np.int64)
        unknown = np.flatnonzero(actions < 0)
        if len(unknown):
            scores = self._solution.quick_scores(words[unknown])
            actions[unknown] = self.any_of((scores == scores.max(axis=1, keepdims=True)) & (scores != NO_SCORE))
        return actions


def first_mistake(game: Game, actions: list[int], seat: int, solution: Solution) -> int | None:
    """Return the number of the first ply in which a player loses exact value, or None.

    Args:
        game: the game.
        actions: the actions of a game.
        seat: the player, 0 or 1.
        solution: the exact values of the game.
    """
    position = Position.start(game)
    for ply, action in enumerate(actions):
        if position.to_move == seat:
            scores = solution.action_values(np.array([[position.own, position.opp]], np.uint64))[0]
            if action == game.action_count or scores[action] < scores.max():
                return ply
        position = position.play(action)
    return None


def _maximum(edges: NDArray[np.void], values: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(np.maximum.reduceat(values[edges["target"]], starts))


def _mean(edges: NDArray[np.void], values: NDArray[np.float64], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(np.add.reduceat(edges["weight"] * values[edges["target"]], starts))
