"""Matches: many games between two agents in lock-step. Each agent moves first in half of them."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.arena.grading import Accuracy, Grading, grade
from ci_envs.arena.results import MatchResult, Record, Side
from ci_envs.games.batch import ILLEGAL, play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.truncation import ply_limit
from ci_envs.solver.solution import Solution

BATCH_SIZE = 1024
"""Maximum number of boards that are played at the same time, which limits the memory of a match."""

_SEARCHED_AT_ONCE = 4  # actions between two reports of progress if each needs searches

_GRADE_ALL = Grading()

_FNV_OFFSET, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)

Progress = Callable[[int], object]
"""A function that is called with the number of games that ended since the previous call."""


def play_match(
    game: Game,
    first: Agent,
    second: Agent,
    games: int,
    *,
    max_cycles: int | None = None,
    openings: NDArray[np.uint64] | None = None,
    solution: Solution | None = None,
    grading: Grading = _GRADE_ALL,
    progress: Progress | None = None,
    swap_seats: bool = True,
) -> MatchResult:
    """Play a match between two agents. They swap seats after each game; ``first`` moves first in the first game.

    A player who plays an illegal action loses the game. A game that is not over after ``max_cycles`` plies is a draw.

    Args:
        game: the game.
        first: an agent.
        second: its opponent, which can be the same object.
        games: the number of games, at least 2. If it is odd, ``first`` moves first in one more game than ``second``.
        max_cycles: maximum number of plies. None means 200 for games that can go on for ever, and no limit for others.
        openings: first positions, uint64 of shape (k, 2), not terminal. Each is used for two consecutive games; after
            the last one the first is used again. None means the initial position.
        solution: the solution of the game, to grade the actions, or None.
        grading: the number of graded actions, and a function for their progress.
        progress: a function that is called with the number of finished games.
        swap_seats: whether the agents swap seats after each game. If false, ``first`` moves first in all games.

    Raises:
        ValueError: ``games`` or ``max_cycles`` is out of range, an agent plays another game, or an agent returns an
            array of another shape than (boards,).
        TypeError: an agent returns an array of another type than integers.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> from ci_envs.arena import play_match
        >>> expert, player = make_agent("nim_expert", Nim()), make_agent("random", Nim(), seed=0)
        >>> play_match(Nim(), expert, player, 10).sides[0].seats[1].wins
        5
    """
    check_games(games)
    for agent in (first, second):
        check_plays(agent, game)
    limit = ply_limit(game, max_cycles)
    players = (_Player(first, solution, grading), _Player(second, solution, grading))
    openings = start_words(game, 1) if openings is None else openings
    words = openings[np.arange(games) // 2 % len(openings)]
    starters = (np.arange(games) % 2 if swap_seats else np.zeros(games)).astype(np.int8)
    batches = []
    for begin in range(0, games, BATCH_SIZE):
        batch = slice(begin, begin + BATCH_SIZE)
        batches.append(_Boards(game, words[batch], starters[batch]))
        batches[-1].play_to_end(players, limit, progress)
    scores, offenders, traces, lengths = (
        np.concatenate([getattr(boards, name) for boards in batches])
        for name in ("scores", "offenders", "traces", "lengths")
    )
    seats = starters == 0, starters == 1
    sides = (
        players[0].side((_record(scores[seats[0]]), _record(scores[seats[1]])), offenders == 0),
        players[1].side((_record(-scores[seats[1]]), _record(-scores[seats[0]])), offenders == 1),
    )
    plies = sum(player.decisions for player in players)
    different = len(np.unique(traces[seats[0]])), len(np.unique(traces[seats[1]]))
    by_length = {
        length: (_record(scores[seats[0] & (lengths == length)]), _record(scores[seats[1] & (lengths == length)]))
        for length in np.unique(lengths).tolist()
    }
    return MatchResult(sides, plies, different, by_length)


def check_games(games: int) -> None:
    """Raise a ValueError if ``games`` is not a possible number of games of a match."""
    if games < 2:
        raise ValueError(f"games must be 2 or more, so that each agent can move first, not {games!r}")


def check_plays(agent: Agent, game: Game) -> None:
    """Raise a ValueError if ``agent`` was made for another game."""
    if agent.game != game:
        raise ValueError(f"{type(agent).__name__} was made for {agent.game}, not for {game}")


def _record(scores: NDArray[np.int8]) -> Record:
    return Record(*(int(np.count_nonzero(scores == result)) for result in (WIN, DRAW, LOSS)))


class _Player:
    """An agent in a match, with its decisions so far."""

    def __init__(self, agent: Agent, solution: Solution | None, grading: Grading) -> None:
        self.agent = agent
        self.decisions = 0
        self.seconds = 0.0
        self._solution = solution
        self._grading = grading
        self._words: list[NDArray[np.uint64]] = []
        self._actions: list[NDArray[np.int64]] = []

    def decide(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        actions, seconds = decide(self.agent, words)
        self.seconds += seconds
        self.decisions += len(actions)
        if self._solution is not None:
            self._words.append(words)
            self._actions.append(actions)
        return actions

    def side(self, seats: tuple[Record, Record], illegal: NDArray[np.bool_]) -> Side:
        return Side(seats, int(np.count_nonzero(illegal)), self.decisions, self.seconds, self._accuracy())

    def _accuracy(self) -> Accuracy:
        """Grade all decisions, or the requested number of them, spread evenly over the match."""
        if self._solution is None or not self._words:
            return Accuracy()
        words, actions = np.concatenate(self._words), np.concatenate(self._actions)
        covered = self._solution.covers(words)
        words, actions = words[covered], actions[covered]
        if len(words) == 0:  # grading no actions would compile kernels
            return Accuracy()
        count = len(words) if self._grading.limit is None else min(self._grading.limit, len(words))
        chosen = np.arange(count) * len(words) // max(count, 1)
        size = _SEARCHED_AT_ONCE if self._solution.searches else BATCH_SIZE
        accuracy = Accuracy()
        for rows in np.array_split(chosen, count // size + 1):
            accuracy += grade(self._solution.grading_scores(words[rows]), actions[rows])
            if self._grading.progress:
                self._grading.progress(accuracy.everywhere.decisions, count)
        return accuracy


class _Boards:
    """Games that are played in lock-step.

    Attributes:
        words: the positions, uint64 of shape (n, 2).
        to_act: the agent to act, 0 or 1, int8 of shape (n,).
        going: whether each game is still going on, bool of shape (n,).
        scores: the results for agent 0, int8 of shape (n,); 0 during the game.
        offenders: the agent that played an illegal action, or -1, int8 of shape (n,).
        traces: FNV-1a hashes of the opening and the actions, uint64 of shape (n,).
        lengths: number of plies, int64 of shape (n,).
    """

    def __init__(self, game: Game, words: NDArray[np.uint64], starters: NDArray[np.int8]) -> None:
        """Start games in the positions ``words``, uint64 (n, 2). ``starters`` are the agents to move, int8 (n,)."""
        n = len(words)
        self.game = game
        self.words = words.copy()
        self.to_act = starters.copy()
        self.going = np.ones(n, dtype=np.bool_)
        self.scores = np.zeros(n, dtype=np.int8)
        self.offenders = np.full(n, -1, dtype=np.int8)
        self.traces = ((_FNV_OFFSET ^ words[:, 0]) * _FNV_PRIME ^ words[:, 1]) * _FNV_PRIME
        self.lengths = np.zeros(n, dtype=np.int64)

    def play_to_end(self, players: Sequence[_Player], limit: int, progress: Progress | None) -> None:
        """Play every game to its end, or to ``limit`` plies."""
        for ply in range(1, limit + 1):
            before = int(np.count_nonzero(self.going))
            groups = [np.flatnonzero(self.going & (self.to_act == agent)) for agent in (0, 1)]
            for agent, rows in enumerate(groups):
                if len(rows):
                    self._play(agent, rows, players[agent].decide(self.words[rows]))
            if ply == limit:
                self.going[:] = False
            after = int(np.count_nonzero(self.going))
            if progress and after < before:
                progress(before - after)
            if not after:
                return

    def _play(self, agent: int, rows: NDArray[np.intp], actions: NDArray[np.int64]) -> None:
        words, outcomes = self.words[rows], np.empty((len(rows), 2), dtype=np.int8)
        play_batch(self.game, words, actions, outcomes)
        self.words[rows] = words
        self.lengths[rows] += 1
        self.traces[rows] = (self.traces[rows] ^ actions.astype(np.uint64)) * _FNV_PRIME
        outcome, same_player = outcomes[:, 0], outcomes[:, 1] != 0
        illegal = outcome == ILLEGAL
        over = outcome != ONGOING
        mine = np.where(illegal, LOSS, np.where(same_player, outcome, -outcome))
        self.scores[rows[over]] = (mine if agent == 0 else -mine)[over]
        self.offenders[rows[illegal]] = agent
        self.going[rows[over]] = False
        self.to_act[rows[~same_player]] = 1 - agent
