"""Tournaments: round robins in which every two agents play a match."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from ci_envs.agent_interface.adapters import prepared
from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent, isolated, name_of
from ci_envs.arena.grading import Grading
from ci_envs.arena.match import Progress, check_games, play_match
from ci_envs.arena.ratings import Rating, elo_ratings
from ci_envs.arena.results import Pairing, Side
from ci_envs.arena.timing import Timing, decide_once, time_one_board
from ci_envs.arena.tournament_folder import TournamentFolder
from ci_envs.cluster import RayPool, check_address, check_cluster, pickled_for_workers
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings
from ci_envs.games.truncation import ply_limit
from ci_envs.registry.games import resolve
from ci_envs.solver.errors import EndlessPlayError
from ci_envs.solver.solution import Progress as CountProgress
from ci_envs.solver.solution import Solution
from ci_envs.solver.solve import solve
from ci_envs.solver.solver import solver_of
from ci_envs.storage.files import encodable, folder_path
from ci_envs.storage.locks import locked
from ci_envs.validation import exact_integer, integer_between, true_or_false, unknown_name


class Entrant(NamedTuple):
    """An agent with its label, which is unique in its tournament."""

    label: str
    agent: Agent


@dataclass(frozen=True)
class Comparison:
    """The result of a tournament.

    Attributes:
        environment: the id of the environment, or the game as text.
        game: the game.
        games: games per match.
        seed: the seed of the tournament.
        max_cycles: the requested number of plies after which a game is a draw.
        random_plies: number of random plies at the start of the games.
        ratings: the rating of each label, in the order of the agents.
        pairings: the matches.
        one_board: the time of each label for decisions on one board.

    Examples:
        >>> from ci_envs.arena import compare
        >>> comparison = compare("TicTacToe-v0", ["random", "exact"], games=10)
        >>> comparison.total("exact").total.losses
        0
    """

    environment: str
    game: Game
    games: int
    seed: int
    max_cycles: int | None
    random_plies: int
    ratings: dict[str, Rating]
    pairings: tuple[Pairing, ...]
    one_board: dict[str, Timing]

    def total(self, label: str) -> Side:
        """Return the results of an agent in all its matches.

        Raises:
            ValueError: there is no such label.
        """
        if label not in self.ratings:
            raise unknown_name("agent", label, self.ratings)
        first, *others = (
            side
            for pairing in self.pairings
            for name, side in zip(pairing.labels, pairing.match.sides, strict=True)
            if name == label
        )
        return sum(others, start=first)


class Tournament:
    """A round robin of agents. All arguments are checked before the first game.

    Examples:
        >>> from ci_envs.arena import Tournament
        >>> comparison = Tournament("Nim-v0", ["random", "nim_expert"], games=20, random_plies=2).play()
        >>> comparison.ratings["nim_expert"].elo > comparison.ratings["random"].elo
        True
    """

    def __init__(
        self,
        environment: str | Game | Any,
        agents: Iterable[Any],
        *,
        games: int = 100,
        seed: int = 0,
        max_cycles: int | None = None,
        random_plies: int = 0,
        graded: int | None = None,
        isolate: bool | ProcessLimits = False,
        workers: int | None = None,
        ray_address: str | None = None,
    ) -> None:
        """Make the agents.

        Args:
            environment: an id, optionally with parameters, a game, or an environment.
            agents: two or more objects that :func:`~ci_envs.agent_interface.making.as_agent` accepts, each alone or as
                a tuple with its label. The same agent can occur twice.
            games: games per match, at least 2.
            seed: the seed of all random numbers. The games of two agents do not depend on the other agents.
            max_cycles: plies after which a game is a draw. None means the value of the id, otherwise 200 for games
                that can go on for ever, and no limit for other games.
            random_plies: number of random plies at the start of the games. Two consecutive games, with swapped seats,
                have the same opening. All matches have the same openings.
            graded: maximum number of graded actions per agent and match, if the whole game is solved. None grades all
                actions whose values are found within the limit of the search, but no actions if most searches would
                take longer than milliseconds (Connect Four).
            isolate: whether each agent that is not one of the registered agents gets a process of its own
                (:mod:`~ci_envs.agent_interface.isolation`), or the limits of these processes.
            workers: number of processes of a Ray cluster that play the matches. None plays them in this process. The
                results do not depend on it, only the times.
            ray_address: the address of the cluster. None starts a cluster on this machine.

        Raises:
            ValueError: an argument is out of range or unknown, an agent is for another game, or an agent cannot be
                sent to workers.
            ImportError: ``workers`` needs Ray, which is not installed.
        """
        _, self.game, options = resolve(environment)
        self.environment = environment if isinstance(environment, str) else str(self.game)
        self.max_cycles = options.get("max_cycles") if max_cycles is None else max_cycles
        limit = ply_limit(self.game, self.max_cycles)
        self.max_cycles = None if self.max_cycles is None else limit
        self.games = games = check_games(games)
        if (number := exact_integer(seed)) is None or number < 0:
            raise ValueError(f"seed must be 0 or more, not {seed!r}")
        self.seed = seed = number
        if isinstance(agents, str) or not isinstance(agents, Iterable):
            raise TypeError(f"agents must be a list such as ['random', 'minimax:depth=2'], not {agents!r}")
        agents = list(agents)
        if len(agents) < 2:
            example = [*map(name_of, agents), "random"]
            raise ValueError(f"a comparison needs at least two agents, not {len(agents)}: for example {example}")
        self.random_plies = integer_between("random_plies", random_plies, 0)
        self.graded = None if graded is None else integer_between("graded", graded, 0)
        self._openings = random_openings(self.game, (games + 1) // 2, random_plies, seed)
        self._limits = isolate if isinstance(isolate, ProcessLimits) else None
        if self._limits is None and true_or_false("isolate", isolate):
            self._limits = ProcessLimits()
        before = Path.cwd()
        self.entrants = enter(self.game, agents, seed, self._limits)
        self._folder = Path() if Path.cwd() == before else before  # an agent can change it when it is loaded
        self.workers = workers
        self.ray_address = ray_address
        self._check_workers()

    @property
    def total_games(self) -> int:
        """The number of games of all matches."""
        return self.games * len(self.entrants) * (len(self.entrants) - 1) // 2

    def play(
        self,
        progress: Progress | None = None,
        graded: CountProgress | None = None,
        *,
        output: str | Path | None = None,
        resume: bool = False,
    ) -> Comparison:
        """Play all matches, grade the actions if the whole game is solved, and time decisions on one board.

        First each agent makes one decision without timing, because it can include compilation. An agent that raises an
        exception, or answers something else than a legal action, loses the game.

        Args:
            progress: a function that is called with the number of finished games. With workers it is called after each
                match.
            graded: a function that is called with the number of graded actions of an agent in a match and the number
                of its actions to grade. It is not called with workers.
            output: a folder for the finished matches, or None.
            resume: whether to continue the tournament in this folder.

        Raises:
            ValueError: ``resume`` is false and ``output`` has a tournament, or ``resume`` is true and it has none, or
                one with other settings, or another process plays it.
            OSError: the folder cannot be written.
            ClusterError: the workers cannot start, or the worker of a match died more than
                :data:`~ci_envs.cluster.RETRIES` times.
        """
        if output is None:
            if resume:
                raise ValueError("resume=True needs the folder of the tournament: give output")
            return self._play(None, progress, graded)
        path = self._folder / folder_path(output)
        if not resume:
            path.mkdir(parents=True, exist_ok=True)
        with locked(path, "plays a tournament"):
            return self._play(TournamentFolder(path, self._settings, resume=resume), progress, graded)

    def _play(
        self, folder: TournamentFolder | None, progress: Progress | None, graded: CountProgress | None
    ) -> Comparison:
        pairs = list(combinations(range(len(self.entrants)), 2))
        found = {} if folder is None else {pair: match for pair in pairs if (match := self._finished(folder, *pair))}
        if progress is not None and found:
            progress(self.games * len(found))

        def finish(pair: tuple[int, int], pairing: Pairing) -> None:
            found[pair] = pairing
            if folder is not None:
                folder.write(*pair, pairing)

        left = [pair for pair in pairs if pair not in found]
        if self.workers is None:
            # before the matches, which leave each agent as it is after its last game
            times = [self._one_board_time(number) for number in range(len(self.entrants))]
            for first, second in left:
                finish((first, second), self._pairing(first, second, progress, graded))
        else:
            times = self._play_by_workers(left, finish, progress)
        pairings = [found[pair] for pair in pairs]
        return Comparison(
            self.environment,
            self.game,
            self.games,
            self.seed,
            self.max_cycles,
            self.random_plies,
            self._ratings(pairings),
            tuple(pairings),
            {entrant.label: timing for entrant, timing in zip(self.entrants, times, strict=True)},
        )

    def _finished(self, folder: TournamentFolder, first: int, second: int) -> Pairing | None:
        return folder.read(first, second, (self.entrants[first].label, self.entrants[second].label), self.games)

    def _check_workers(self) -> None:
        check_address(self.workers, self.ray_address)
        if self.workers is None:
            return
        check_cluster(self.workers, self.ray_address)
        for label, agent in self.entrants:
            pickled_for_workers(f"agent {label}", agent)

    def _play_by_workers(
        self,
        pairs: Sequence[tuple[int, int]],
        finish: Callable[[tuple[int, int], Pairing], None],
        progress: Progress | None,
    ) -> list[Timing]:
        """Play the matches, time the agents in the workers, and return the times. No agent decides in this process."""
        assert self.workers is not None
        self._solution  # noqa: B018 - solved once, before the workers copy it
        with RayPool(self, min(self.workers, max(len(pairs), 1)), self.ray_address) as pool:
            for number, pairing in pool.results(Tournament._pairing, pairs):
                finish(pairs[number], pairing)
                if progress is not None:
                    progress(self.games)
            return pool.run(Tournament._one_board_time, [(number,) for number in range(len(self.entrants))])

    @property
    def _settings(self) -> dict[str, Any]:
        names = "games", "seed", "max_cycles", "random_plies", "graded"
        settings = {name: getattr(self, name) for name in names}
        limits = None if self._limits is None else self._limits._asdict()
        agents = [entrant.label for entrant in self.entrants]
        return {"game": repr(self.game), "agents": agents, **settings, "isolate": limits}

    def _pairing(
        self, number: int, other: int, progress: Progress | None = None, graded: CountProgress | None = None
    ) -> Pairing:
        """Play one match. Its result depends only on the two agents and the arguments of the tournament."""
        first, second = self._ready_entrants[number], self._ready_entrants[other]
        match = play_match(
            self.game,
            _reseeded(first.agent, derived_seed(self.seed, first.label, second.label)),
            _reseeded(second.agent, derived_seed(self.seed, second.label, first.label)),
            self.games,
            max_cycles=self.max_cycles,
            openings=self._openings,
            grading=None if self._solution is None else Grading(self._solution, self.graded, graded),
            progress=progress,
            count_faults=True,
        )
        return Pairing((first.label, second.label), match)

    @cached_property
    def _ready_entrants(self) -> tuple[Entrant, ...]:
        """The entrants, after each has made one decision."""
        for _, agent in self.entrants:
            decide_once(agent)
        return self.entrants

    def _one_board_time(self, number: int) -> Timing:
        label, agent = self._ready_entrants[number]
        return time_one_board(_reseeded(agent, derived_seed(self.seed, label)), seed=self.seed)

    @cached_property
    def _solution(self) -> Solution | None:
        """The solution that grades the actions, or None."""
        if self.graded == 0 or (self.graded is None and not solver_of(self.game).grades_quickly(self.game)):
            return None
        try:
            return solve(self.game)
        except EndlessPlayError:
            raise
        except ValueError:  # too large
            return None

    def _ratings(self, pairings: Sequence[Pairing]) -> dict[str, Rating]:
        labels = [entrant.label for entrant in self.entrants]
        wins, draws = np.zeros((2, len(labels), len(labels)), dtype=np.int64)
        for pairing in pairings:
            i, j = map(labels.index, pairing.labels)
            record = pairing.match.sides[0].total
            wins[i, j], wins[j, i] = record.wins, record.losses
            draws[i, j] = draws[j, i] = record.draws
        return dict(zip(labels, elo_ratings(wins, draws, seed=self.seed), strict=True))


def _reseeded(agent: Agent, seed: int) -> Agent:
    return prepared(agent, agent.reseed, seed)


class TournamentOptions(TypedDict, total=False):
    """The options of a :class:`Tournament`."""

    games: int
    seed: int
    max_cycles: int | None
    random_plies: int
    graded: int | None
    isolate: bool | ProcessLimits
    workers: int | None
    ray_address: str | None


def compare(
    environment: str | Game | Any,
    agents: Iterable[Any],
    *,
    progress: Progress | None = None,
    output: str | Path | None = None,
    resume: bool = False,
    **options: Unpack[TournamentOptions],
) -> Comparison:
    """Play a round robin. The arguments are those of :class:`Tournament` and of its ``play``.

    Examples:
        >>> from ci_envs.arena import compare
        >>> def lowest(observation):
        ...     return int(observation["action_mask"].argmax())
        ...
        >>> comparison = compare("TicTacToe-v0", ["random", "minimax:depth=2", lowest], games=10, seed=0)
        >>> comparison.total("minimax:depth=2").total.losses
        0
    """
    for name in options:
        if name not in TournamentOptions.__annotations__:
            raise unknown_name("option", name, TournamentOptions.__annotations__, owner="compare")
    return Tournament(environment, agents, **options).play(progress, output=output, resume=resume)


def enter(game: Game, agents: Sequence[Any], seed: int, limits: ProcessLimits | None = None) -> tuple[Entrant, ...]:
    """Make agents of objects, and give all agents unique labels: the second ``random`` is ``random#2``.

    Args:
        game: the game.
        agents: objects that :func:`~ci_envs.agent_interface.making.as_agent` accepts, each alone or as a tuple with its
            label.
        seed: the seed of the tournament.
        limits: the limits of the processes of all agents that are not registered. None plays them in this process.

    Raises:
        TypeError: an object is not an agent.
        ValueError: a spec string is invalid, or an agent is for another game.
    """
    entrants: dict[str, Entrant] = {}
    for given in agents:
        pair = given if type(given) is tuple else (name_of(given), given)
        if len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(f"an agent with a label must be (text, agent), not {given!r}")
        label, thing = encodable(pair[0]), pair[1]
        number = 1
        unique = label
        while unique in entrants:
            number += 1
            unique = f"{label}#{number}"
        agent_seed = derived_seed(seed, unique)
        agent = as_agent(thing, game, seed=agent_seed) if limits is None else isolated(thing, game, limits, agent_seed)
        entrants[unique] = Entrant(unique, agent)
    return tuple(entrants.values())


def derived_seed(seed: int, *labels: str) -> int:
    """Return a seed of 32 bits (some libraries accept no more) that depends only on ``seed`` and ``labels``."""
    entropy = [seed, *(int.from_bytes(label.encode(errors="surrogateescape")) for label in labels)]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])
