"""Training of tabular agents: options, progress, learning curve, and a table that is its own checkpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from ci_envs.agent.python_policy import policy_of
from ci_envs.agent.registry import make_agent
from ci_envs.agents.random import RandomPolicy
from ci_envs.agents.tabular.agent import TabularAgent, read_table, write_table
from ci_envs.agents.tabular.episodes import (
    CONSTANT,
    DRAWN,
    EVERY_VISIT,
    EXPONENTIAL,
    FIRST_VISIT,
    FULL,
    ILLEGAL,
    LINEAR,
    LINES,
    POTENTIAL,
    Q_LEARNING,
    RUN,
    SELF,
    TURN,
    UNSHAPED,
    Rule,
    Schedule,
    play_episodes,
)
from ci_envs.agents.tabular.value_table import new_table
from ci_envs.games.game import Game
from ci_envs.games.truncation import ply_limit
from ci_envs.registry import resolve
from ci_envs.storage.files import write_csv
from ci_envs.validation import integer_between, one_of, positive_number, true_or_false

TABLE, CURVE = "table.npz", "curve.csv"
"""The files of a run: the table, which is the agent and its checkpoint in one, and the learning curve."""

LADDER = ("random", "minimax:depth=1", "minimax:depth=4")
"""Who a learner is measured against on the way."""

_SHARE = 50  # of the run between two measurements
_GAMES = 200
_EPISODES_A_CALL = 10_000  # between two of which Python sees to an interrupt

_COLUMNS = ("episodes", "positions", "opponent", "games", "won", "drawn", "lost")
_MOST_SYMMETRIES = 64
_CYCLING_DISCOUNT = 0.99
_PLIES = 2048  # more than a game that cannot cycle takes: the longest here is one of 8 heaps of 255 objects
_EPSILONS, _TEMPERATURES = ("epsilon", "epsilon_end"), ("temperature", "temperature_end")

_SCHEDULES = {"constant": CONSTANT, "linear": LINEAR, "exponential": EXPONENTIAL}
_SHAPINGS = {"lines": LINES, "potential": POTENTIAL}
_VISITS = {"first": FIRST_VISIT, "every": EVERY_VISIT}


def train(
    method: str,
    environment: str,
    episodes: int,
    *,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    opponent: str = "self",
    symmetries: bool = False,
    learning_rate: float = 0.3,
    learning_rate_end: float = 0.02,
    exploration: str = "epsilon_greedy",
    epsilon: float = 1.0,
    epsilon_end: float = 0.05,
    temperature: float = 1.0,
    temperature_end: float = 0.05,
    schedule: str = "linear",
    discount: float | None = None,
    initial: float = 0.0,
    initial_spread: float = 0.0,
    random_plies: int = 0,
    shaping: str | None = None,
    visits: str = "first",
    values: str = "action",
    table_mb: float = 256,
) -> str:
    """Train a tabular agent and keep it in the folder ``output``.

    The same seed makes the same table, bit for bit, however often the run was interrupted.

    Args:
        method: ``q_learning`` or ``monte_carlo``.
        environment: an id, with parameters if wanted.
        episodes: games of the whole run.
        output: a folder, made if need be.
        seed: of all random numbers.
        resume: go on with the run in ``output``.
        opponent: ``self`` learns from both sides of every game, a spec string from one, drawn for each game.
        symmetries: positions that are symmetric share their values.
        learning_rate: above 0, at most 1, at the start.
        learning_rate_end: the same at the end.
        exploration: ``epsilon_greedy`` or ``softmax``.
        epsilon: share of random actions at the start.
        epsilon_end: the same at the end.
        temperature: of softmax at the start.
        temperature_end: the same at the end.
        schedule: ``constant``, ``linear`` or ``exponential``: how the rates go from start to end.
        discount: from one own turn to the next, 0 to 1; None means 1, and 0.99 where play can cycle.
        initial: value of what was never met; above what can be earned it is optimistic.
        initial_spread: new values are drawn uniformly so far around it.
        random_plies: each episode begins with up to so many random plies, from which nothing is learned.
        shaping: None; ``lines`` as in the Quixo report, a quarter of what each action changes in the longest lines;
            ``potential``, the same as a potential, which leaves the best play as it is (Ng, Harada and Russell 1999).
        visits: ``first`` or ``every``: from which visits of an episode Monte Carlo learns.
        values: ``action`` or ``state``: what Monte Carlo values, actions or the positions they lead to.
        table_mb: memory of the table, in 2^20 bytes.

    Returns:
        The spec string of the agent.

    Raises:
        ValueError: an option is out of range, the table is full, the opponent plays an illegal action, or there is a
            run in ``output`` that cannot go on.
        OSError: the folder cannot be written.
    """
    options = {name: value for name, value in locals().items() if name not in ("output", "resume", "table_mb")}
    _, game, env_options = resolve(environment)
    integer_between("seed", seed, 0, 2**64 - 1)
    rule = Rule(
        method=_method(method, visits, values),
        by_state=one_of("values", values, ("action", "state")) == "state",
        fold=_foldable(game, true_or_false("symmetries", symmetries)),
        shaping=_shaping(game, shaping, values),
        softmax=one_of("exploration", exploration, ("epsilon_greedy", "softmax")) == "softmax",
        discount=_discount(game, discount),
        initial=_between("initial", initial, -1e6, 1e6),
        spread=_between("initial_spread", initial_spread, 0, 1e6),
        random_plies=integer_between("random_plies", random_plies, 0, 1000),
        seat=SELF if opponent == "self" else DRAWN,
        max_plies=_longest(game, env_options.get("max_cycles")),
    )
    kind = _SCHEDULES[one_of("schedule", schedule, _SCHEDULES)]
    alphas = Schedule(kind, _rate("learning_rate", learning_rate), _rate("learning_rate_end", learning_rate_end))
    rates = _exploration(rule.softmax, kind, (epsilon, epsilon_end), (temperature, temperature_end))
    run = _Run(method, game, rule, alphas, rates, integer_between("episodes", episodes, 1), opponent, seed, options)
    path = Path(output) / TABLE
    if path.exists() and not resume:
        raise ValueError(f"there is a run in {str(output)!r} already: resume it, or choose another folder")
    run.begin(path, positive_number("table_mb", table_mb), resume)
    run.learn(path)
    return f"{method}:{path}"


class _Run:
    """A run of training: what does not change, and how far it has come."""

    def __init__(
        self,
        method: str,
        game: Game,
        rule: Rule,
        alphas: Schedule,
        rates: Schedule,
        episodes: int,
        opponent: str,
        seed: int,
        options: dict[str, Any],
    ) -> None:
        self.method, self.game, self.rule = method, game, rule
        self.alphas, self.rates, self.episodes = alphas, rates, episodes
        self.options = options
        self.reached = np.array([(0, seed, 0)], RUN)
        self.curve: list[list[Any]] = []
        self.against = None if opponent == "self" else make_agent(str(opponent), game)
        self.policy, self.memory = (RandomPolicy(), ()) if self.against is None else policy_of(self.against)
        self.opponent = opponent
        self.ladder = [(spec, make_agent(spec, game)) for spec in LADDER]
        self.room = np.empty(rule.max_plies, TURN), np.empty(game.action_count)
        self.table: NDArray[np.void]
        self.halfway = False  # through an episode that was broken off

    def begin(self, path: Path, megabytes: float, resume: bool) -> None:
        """Make an empty table, or go on with the one at ``path``."""
        if not resume:
            self.table = new_table(1 if self.rule.by_state else self.game.action_count, megabytes)
            path.parent.mkdir(parents=True, exist_ok=True)
            return
        file = read_table(path, self.game, self.method)
        kept = file.notes.get("options", {})
        if other := [f"{name}={kept.get(name)}" for name, value in self.options.items() if kept.get(name) != value]:
            raise ValueError(f"the run in {str(path.parent)!r} has other options: {', '.join(other)}")
        self.table = file.table(self.game, megabytes)
        self.reached[0] = (*file.notes["reached"], len(file.keys))
        self.curve = file.notes["curve"]

    def learn(self, path: Path) -> None:
        """Play the episodes that are left, with a measurement at every fiftieth of them.

        There is a checkpoint there too, unless it would make those so far take more than a tenth of the time.
        """
        interval = max(1, self.episodes // _SHARE)
        begun, saving = monotonic(), 0.0
        with Progress(console=Console(stderr=True), transient=True) as progress, self._kept(path):
            task = progress.add_task(self.method, total=self.episodes)
            while (measured := self.curve[-1][0] if self.curve else 0) < self.episodes:
                pause = min(self.episodes, (measured // interval + 1) * interval)
                while (played := int(self.reached["played"][0])) < pause:
                    progress.update(task, completed=played)
                    self._play(min(pause, played + _EPISODES_A_CALL))
                self._measure(path)
                now = monotonic()
                if pause == self.episodes or saving <= (now - begun) / 10:
                    self._save(path)
                    saving += monotonic() - now

    @contextmanager
    def _kept(self, path: Path) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            if not self.halfway:
                self._save(path)
            raise

    def _play(self, stop: int) -> None:
        if self.against is not None:
            self.against.reseed(int(self.reached["state"][0]))  # a run that goes on here later finds it so
        status = play_episodes(
            self.game,
            self.policy,
            self.memory,
            self.table,
            self.rule.in_memory(),
            self.alphas,
            self.rates,
            stop,
            self.episodes,
            *self.room,
            self.reached,
        )
        if status == FULL:
            raise ValueError(
                f"the table is full: {self.reached['positions'][0]:,} positions; give it more by table_mb=..."
            )
        if status == ILLEGAL:
            self.halfway = True
            cause = getattr(self.memory[0], "error", None) if self.memory else None
            raise cause or ValueError(f"the opponent {self.opponent} plays an illegal action")

    def _save(self, path: Path) -> None:
        notes = {"options": self.options, "reached": self.reached[["played", "state"]][0].tolist(), "curve": self.curve}
        write_table(path, self.method, self.game, self.rule, self.table, notes)

    def _measure(self, path: Path) -> None:
        """Add a line for each opponent of the ladder to the learning curve."""
        from ci_envs.arena.match import play_match  # which who plays has no need of

        learner = TabularAgent(self.game, (self.table, self.rule))
        lines = []
        for number, (spec, agent) in enumerate(self.ladder):
            agent.reseed(number)
            learner.reseed(number)
            total = play_match(self.game, learner, agent, _GAMES).sides[0].total
            counted = self.reached[["played", "positions"]][0].tolist()
            lines.append([*counted, spec, _GAMES, total.wins, total.draws, total.losses])
        self.curve += lines
        write_csv(path.with_name(CURVE), [_COLUMNS, *self.curve])


def _longest(game: Game, max_cycles: int | None) -> int:
    """How many plies an episode has at most: every one of a game that cannot cycle fills, takes or gives something."""
    limit = ply_limit(game, max_cycles)
    return min(limit, _PLIES) if not game.can_cycle else limit


def _method(method: str, visits: str, values: str) -> int:
    if method == "q_learning" and (visits, values) != ("first", "action"):
        raise ValueError(f"visits and values are options of monte_carlo, not of q_learning: {visits!r}, {values!r}")
    kind = _VISITS[one_of("visits", visits, _VISITS)]
    return Q_LEARNING if method == "q_learning" else kind


def _foldable(game: Game, symmetries: bool) -> bool:
    if symmetries and game.symmetry_count > _MOST_SYMMETRIES:
        raise ValueError(
            f"symmetries=true is for games with up to {_MOST_SYMMETRIES}; {game} has {game.symmetry_count}"
        )
    return symmetries


def _shaping(game: Game, shaping: str | None, values: str) -> int:
    if shaping is None:
        return UNSHAPED
    kind: int = _SHAPINGS[one_of("shaping", shaping, _SHAPINGS)]
    if kind == POTENTIAL and values == "state":  # what an action earns would depend on where it was played
        raise ValueError("shaping=potential is for values=action: it would change which of the positions are best")
    if not game.has_lines:
        raise ValueError(f"shaping={shaping} is for games with lines, which {game} has not")
    return kind


def _discount(game: Game, discount: float | None) -> float:
    if discount is None:
        return _CYCLING_DISCOUNT if game.can_cycle else 1.0
    return _between("discount", discount, 0, 1)


def _exploration(softmax: bool, kind: int, epsilons: tuple[Any, Any], temperatures: tuple[Any, Any]) -> Schedule:
    if softmax:
        start, end = (positive_number(name, value) for name, value in zip(_TEMPERATURES, temperatures, strict=True))
    else:
        start, end = (_between(name, value, 0, 1) for name, value in zip(_EPSILONS, epsilons, strict=True))
        if kind == EXPONENTIAL and min(start, end) == 0:
            raise ValueError(f"schedule=exponential needs epsilons above 0, not {start:g} and {end:g}")
    return Schedule(kind, start, end)


def _rate(name: str, value: Any) -> float:
    if positive_number(name, value) > 1:
        raise ValueError(f"{name} must be above 0 and at most 1, not {value!r}")
    return float(value)


def _between(name: str, value: Any, low: float, high: float) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
    return float(value)
