"""Matches: many games between two agents in lock-step. Each agent moves first in half of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.adapters import prepared, separate
from ci_envs.agent_interface.decision import decide, decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.arena.grading import Accuracy, Grading, grade_decisions
from ci_envs.arena.results import LostGame, MatchResult, Record, Side
from ci_envs.games.batch import ILLEGAL, checked_words, play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.position import Position
from ci_envs.games.truncation import UNLIMITED, ply_limit
from ci_envs.solver.errors import endless
from ci_envs.validation import exact_integer

BATCH_SIZE = 1024
"""Maximum number of boards that are played at the same time, which limits the memory of a match."""

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
    grading: Grading | None = None,
    progress: Progress | None = None,
    swap_seats: bool = True,
    count_faults: bool = False,
) -> MatchResult:
    """Play a match between two agents. They swap seats after each game; ``first`` moves first in the first game.

    A player who plays an illegal action loses the game. A game that is not over after ``max_cycles`` plies is a draw.

    Args:
        game: the game.
        first: an agent.
        second: its opponent, which can be the same object. If it keeps a memory of its games, a copy of it plays.
        games: the number of games, at least 2. If it is odd, ``first`` moves first in one more game than ``second``.
        max_cycles: maximum number of plies. None means 200 for games that can go on for ever, and no limit for others.
        openings: first positions, uint64 of shape (k, 2), not terminal. Each is used for two consecutive games; after
            the last one the first is used again. None means the initial position.
        grading: how to grade the actions by the solution of the game, or None.
        progress: a function that is called with the number of finished games.
        swap_seats: whether the agents swap seats after each game. If false, ``first`` moves first in all games.
        count_faults: whether an agent that raises an exception or answers something else than an integer loses the
            game. Otherwise the exception ends the match.

    Raises:
        ValueError: ``games`` or ``max_cycles`` is out of range, an agent or ``grading`` is for another game,
            ``openings`` are not such positions, or an agent returns an array of another shape than (boards,).
        TypeError: ``first`` or ``second`` is not an agent, or returns an array of another type than integers.
        EndlessPlayError: a position occurs twice in a match without a limit.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> from ci_envs.arena import play_match
        >>> expert, player = make_agent("nim_expert", Nim()), make_agent("random", Nim(), seed=0)
        >>> play_match(Nim(), expert, player, 10).sides[0].seats[1].wins
        5
    """
    games = check_games(games)
    for agent in (first, second):
        check_plays(agent, game)
    if grading is not None and grading.solution.game != game:
        raise ValueError(f"this grading is for {grading.solution.game}, not for {game}")
    limit = ply_limit(game, max_cycles)
    agents = first, separate(second, first)
    players = [_Player(agent, grading, count_faults) for agent in agents]
    openings = start_words(game, 1) if openings is None else checked_words("openings", openings)
    if any(Position(game, *row).result is not None for row in np.unique(openings, axis=0).tolist()):
        raise ValueError("the game is over in one of the openings")
    words = openings[np.arange(games) // 2 % len(openings)]
    starters = (np.arange(games) % 2 if swap_seats else np.zeros(games)).astype(np.int8)
    batches = []
    for begin in range(0, games, BATCH_SIZE):
        batch = slice(begin, begin + BATCH_SIZE)
        batches.append(_Boards(game, words[batch], starters[batch]))
        for number, player in enumerate(players):
            player.start_games((batches[-1].to_act != number).astype(np.int8))
        batches[-1].play_to_end(players, limit, progress)
        for number, player in enumerate(players):
            player.keep_lost_games(batches[-1].lost_games(number))
        batches[-1].actions.clear()
    scores, traces, lengths = (
        np.concatenate([getattr(boards, name) for boards in batches]) for name in ("scores", "traces", "lengths")
    )
    seats = starters == 0, starters == 1
    sides = (
        players[0].side((_record(scores[seats[0]]), _record(scores[seats[1]]))),
        players[1].side((_record(-scores[seats[1]]), _record(-scores[seats[0]]))),
    )
    plies = sum(player.decisions for player in players)
    different = len(np.unique(traces[seats[0]])), len(np.unique(traces[seats[1]]))
    by_length = {
        length: (_record(scores[seats[0] & (lengths == length)]), _record(scores[seats[1] & (lengths == length)]))
        for length in np.unique(lengths).tolist()
    }
    return MatchResult(sides, plies, different, by_length)


def check_games(games: int) -> int:
    """Return a number of games as a Python integer, or raise a ValueError if a match cannot have it."""
    number = exact_integer(games)
    if number is None or number < 2:
        raise ValueError(f"games must be 2 or more, so that each agent can move first, not {games!r}")
    return number


def check_plays(agent: Agent, game: Game) -> None:
    """Raise a ValueError if ``agent`` was made for another game, or a TypeError if it is not an agent."""
    if not isinstance(agent, Agent):
        raise TypeError(f"{agent!r} is not an agent: make_agent and as_agent make one of a name or a function")
    if agent.game != game:
        raise ValueError(f"{type(agent).__name__} was made for {agent.game}, not for {game}")


def _record(scores: NDArray[np.int8]) -> Record:
    return Record(*(int(np.count_nonzero(scores == result)) for result in (WIN, DRAW, LOSS)))


class _Player:
    """An agent in a match, with its decisions so far."""

    def __init__(self, agent: Agent, grading: Grading | None, count_faults: bool) -> None:
        self.agent = agent
        self.faults = 0
        self.first_fault = ""
        self._count_faults = count_faults
        self.decisions = 0
        self.seconds = 0.0
        self._grading = grading
        self._words: list[NDArray[np.uint64]] = []
        self._actions: list[NDArray[np.int64]] = []
        self._lost_games: dict[bool, LostGame] = {}
        self._playing = agent  # the agent, or one without actions if it cannot begin the games

    def start_games(self, seats: NDArray[np.int8]) -> None:
        if not self.agent.keeps_games:
            return
        seeds = self.agent.rng.integers(2**63, size=len(seats), dtype=np.uint64)
        if self._count_faults:
            self._playing = prepared(self.agent, self.agent.start_games, len(seats), seats, seeds)
        else:
            self.agent.start_games(len(seats), seats, seeds)

    def decide(self, words: NDArray[np.uint64], games: NDArray[np.intp]) -> NDArray[np.int64]:
        if self._count_faults:
            decided = decide_or_fail(self._playing, words, games)
            self.first_fault = self.first_fault or decided.first_fault
        else:
            decided = decide(self.agent, words, games)
        actions, seconds, _ = decided
        self.seconds += seconds
        self.decisions += len(actions)
        if self._grading is not None:
            self._words.append(words)
            self._actions.append(actions)
        return actions

    def add_illegal(self, game: Game, words: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
        """Count games that end with an illegal action or without an action, with their positions."""
        self.faults += len(words)
        if len(words) and not self.first_fault:
            own, opp = words[0].tolist()
            self.first_fault = f"action {actions[0]} is illegal in {Position(game, own, opp).to_text()!r}"

    def side(self, seats: tuple[Record, Record]) -> Side:
        lost = tuple(self._lost_games.values())
        return Side(seats, self.faults, self.first_fault, self.decisions, self.seconds, self._accuracy(), lost)

    def keep_lost_games(self, games: Iterable[LostGame]) -> None:
        """Keep the first lost game of each seat."""
        for game in games:
            self._lost_games.setdefault(game.moved_first, game)

    def _accuracy(self) -> Accuracy:
        """Grade all decisions, or the requested number of them, spread evenly over the match."""
        if self._grading is None or not self._words:
            return Accuracy()
        return grade_decisions(self._grading, np.concatenate(self._words), np.concatenate(self._actions))


class _Boards:
    """Games that are played in lock-step.

    Attributes:
        words: the positions, uint64 of shape (n, 2).
        to_act: the agent to act, 0 or 1, int8 of shape (n,).
        going: whether each game is still going on, bool of shape (n,).
        scores: the results for agent 0, int8 of shape (n,); 0 during the game.
        traces: FNV-1a hashes of the opening and the actions, uint64 of shape (n,).
        lengths: number of plies, int64 of shape (n,).
        actions: the boards and the actions of each decision, in the order of time.
    """

    def __init__(self, game: Game, words: NDArray[np.uint64], starters: NDArray[np.int8]) -> None:
        """Start games in the positions ``words``, uint64 (n, 2). ``starters`` are the agents to move, int8 (n,)."""
        n = len(words)
        self.game = game
        self.words = words.copy()
        self.to_act = starters.copy()
        self.going = np.ones(n, dtype=np.bool_)
        self.scores = np.zeros(n, dtype=np.int8)
        self.traces = ((_FNV_OFFSET ^ words[:, 0]) * _FNV_PRIME ^ words[:, 1]) * _FNV_PRIME
        self.lengths = np.zeros(n, dtype=np.int64)
        self.actions: list[tuple[NDArray[np.intp], NDArray[np.int64]]] = []
        self._openings, self._starters = words, starters
        self._earlier = words

    def play_to_end(self, players: Sequence[_Player], limit: int, progress: Progress | None) -> None:
        """Play every game to its end, or to ``limit`` plies."""
        for ply in range(1, limit + 1):
            before = int(np.count_nonzero(self.going))
            groups = [np.flatnonzero(self.going & (self.to_act == agent)) for agent in (0, 1)]
            for agent, rows in enumerate(groups):
                if len(rows):
                    self._play(agent, rows, players[agent])
            if ply == limit:
                self.going[:] = False
            after = int(np.count_nonzero(self.going))
            if progress and after < before:
                progress(before - after)
            if not after:
                return
            if limit == UNLIMITED:
                self._check_repetition(ply)

    def lost_games(self, agent: int) -> Iterator[LostGame]:
        """Yield the first game that an agent lost in each seat."""
        lost = self.scores == (LOSS if agent == 0 else WIN)
        for moved_first in (True, False):
            for board in np.flatnonzero(lost & ((self._starters == agent) == moved_first))[:1]:
                played = (int(action) for rows, actions in self.actions for action in actions[rows == board])
                own, opp = self._openings[board].tolist()
                yield LostGame((own, opp), moved_first, tuple(played))

    def _check_repetition(self, ply: int) -> None:
        """Raise an EndlessPlayError if a game repeats a position. It finds each cycle (Brent, BIT 20, 1980)."""
        own, opp = (self.words == self._earlier).T  # much faster than all(axis=1)
        repeated = self.going & own & opp
        if repeated.any():
            text = Position(self.game, *self.words[repeated][0].tolist()).to_text()
            raise endless(f"a game of {self.game} repeats the position {text!r}")
        if ply & (ply - 1) == 0:
            self._earlier = self.words.copy()

    def _play(self, agent: int, rows: NDArray[np.intp], player: _Player) -> None:
        words, outcomes = self.words[rows], np.empty((len(rows), 2), dtype=np.int8)
        actions = player.decide(words.copy(), rows)
        play_batch(self.game, words, actions, outcomes)
        self.actions.append((rows, actions))
        self.words[rows] = words
        self.lengths[rows] += 1
        self.traces[rows] = (self.traces[rows] ^ actions.astype(np.uint64)) * _FNV_PRIME
        outcome, same_player = outcomes[:, 0], outcomes[:, 1] != 0
        illegal = outcome == ILLEGAL
        over = outcome != ONGOING
        mine = np.where(illegal, LOSS, np.where(same_player, outcome, -outcome))
        self.scores[rows[over]] = (mine if agent == 0 else -mine)[over]
        player.add_illegal(self.game, words[illegal], actions[illegal])
        self.going[rows[over]] = False
        self.to_act[rows[~same_player]] = 1 - agent
