"""The vector environment of all board games: thousands of boards stepped in one compiled call."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.policy import Policy
from ci_envs.agent_interface.policy_agent import compiled_policy
from ci_envs.envs import boards as compiled
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.boards import BEGIN, BOARD, BOTH, GOING, REPORTED, SKIP, Step, new_step
from ci_envs.envs.opponent import Opponent, check_reset_options, replies
from ci_envs.envs.opponent_boards import OpponentBoards
from ci_envs.envs.spaces import MaskedDiscrete, MaskedMultiDiscrete
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.operations import VIEWS
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.registry.games import resolve
from ci_envs.validation import exact_integer, integer_between, one_of, true_or_false

RENDER_MODES = ("rgb_array", "ansi")

_OPTIONS = ("opponent", "seat", "autoreset_mode", "copy", "threads", "openings")


class VectorBoardEnv(OpponentBoards, VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """A batch of boards of one game. ``ci_envs.make_vec("Quixo-v0", 1024, opponent="random")`` makes one.

    Each board plays like a :class:`~ci_envs.envs.single_agent.SingleAgentEnv` that was reset with the board's seed, if
    the opponent has a compiled policy (:class:`~ci_envs.agent_interface.policy_agent.PolicyAgent`) or uses no random
    numbers. A compiled opponent plays the actions of an agent that was reseeded with the seed of the board.

    ``info["action_mask"]`` (int8) and :meth:`action_masks` (bool) contain the legal actions, of shape (n, actions). The
    rewards come at the end of a game: 1, 0 or -1. An illegal action ends the game with -1, which
    ``info["illegal_action"]`` (bool, of shape (n,)) reports. With autoreset in the same step, it is in
    ``info["final_info"]``.

    With ``opponent=None`` the agent plays both sides. Every step is then one ply of the player to move, and the reward
    is for the player who acted. ``info["to_move"]`` is the next player to move; it is also in ``info["final_info"]``.

    Attributes:
        game: the game.
    """

    _pool_process = 0  # the process that has the threads of the pool
    _pool: ThreadPoolExecutor | None = None  # of the class, because close() runs even if the constructor fails

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        opponent: Opponent | None = "random",
        seat: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        max_cycles: int | None = None,
        openings: RandomOpenings | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make ``num_envs`` boards of ``game``.

        Args:
            game: the game with its parameters.
            num_envs: the number of boards.
            opponent: see :class:`~ci_envs.envs.single_agent.SingleAgentEnv`. With None there is no opponent.
            seat: see :class:`~ci_envs.envs.single_agent.SingleAgentEnv`. Without an opponent, it is the seat against an
                opponent that is assigned later.
            autoreset_mode: Gymnasium's autoreset mode. ``NEXT_STEP`` starts a new game on a finished board in the next
                step, and ignores the action there. ``SAME_STEP`` starts it immediately; the last observation is in
                ``info["final_obs"]``. ``DISABLED`` leaves it to ``reset(options={"reset_mask": ...})``.
            copy: whether each step returns new arrays. False writes into the same arrays in every step.
            threads: number of threads that step the boards. The result does not depend on it.
            max_cycles: plies after which an undecided game is truncated. None means 200 for games that can go on for
                ever (Quixo), and no limit for other games.
            openings: random openings for some games. ``max_cycles`` does not count their plies. With None all games
                start in the initial position.
            render_mode: ``rgb_array``, ``ansi`` or None.

        Raises:
            TypeError: ``opponent`` is not an agent, or the game lacks an operation.
            ValueError: another argument is out of range, or the opponent plays another game.
        """
        game.need(*VIEWS)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")
        self.game = game
        num_envs = self.num_envs = integer_between("num_envs", num_envs, 1)
        self.render_mode = render_mode
        mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else _autoreset_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": list(RENDER_MODES), "render_fps": 2}
        self.single_observation_space = gymnasium.spaces.Box(0, 1, game.observation_shape, np.int8)
        self.single_action_space = MaskedDiscrete(game.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = MaskedMultiDiscrete(game.action_count, num_envs)
        self._autoreset = mode
        self._set_rules(seat, max_cycles, openings, same_step=mode == AutoresetMode.SAME_STEP)
        self._copy = true_or_false("copy", copy)
        ends = np.linspace(0, num_envs, integer_between("threads", threads, 1) + 1).astype(int).tolist()
        self._ranges = [(start, stop) for start, stop in pairwise(ends) if start < stop]
        self._boards = np.zeros(self.num_envs, BOARD)
        self._begun = False
        self._out = new_step(game, self.num_envs)
        self._out.masks["seen"][...] = 0
        self.opponent = opponent

    @property
    def opponent(self) -> Agent | None:
        """The agent that plays the other seat, or None.

        It can be replaced between steps. If there was no opponent before, a new opponent plays from the next game on.
        A class or a spec string gets the seed of the last :meth:`reset` that had one.
        """
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Opponent | None) -> None:
        agent = self._agent_of(opponent)
        if agent is not None and agent.keeps_games:
            raise ValueError(
                f"the opponent {opponent!r} has a memory of each game, which this environment does not support: use "
                "gymnasium.make_vec(..., vectorization_mode='sync')"
            )
        self._opponent = agent
        policies = [compiled_policy(self._opponent) for _ in self._ranges]
        self._policies: list[tuple[Policy | None, tuple[Any, ...]]] = [each or (None, ()) for each in policies]
        self._step_range = Monomorphic(compiled.step)
        self._choose_settings()
        if opponent is None:
            self._boards["seat"] = BOTH

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start a new game on every board.

        Args:
            seed: a seed for each board. One number ``s`` means ``s, s + 1, s + 2, ...``, as in Gymnasium. With None the
                random numbers continue.
            options: ``{"reset_mask": mask}``, bool of shape (n,), starts new games only on the marked boards.

        Returns:
            The planes, int8 of shape (n, height, width, channels), and the info.

        Raises:
            ValueError: the seeds or the mask do not have one element per board, a seed is negative, or there is no
                such option.
        """
        check_reset_options(options, "reset_mask")
        seeds = self._seeds(seed)
        chosen = self._chosen(options)
        seeded = [i for i in chosen.tolist() if seeds[i] is not None]
        if seeded:
            first = cast(int, seeds[seeded[0]])
            super().reset(seed=first)
            self._seed_opponent(first, is_compiled=not self._plays_in_python())
        if not self._begun:
            drawn = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            compiled.seed_boards(self._boards, np.arange(self.num_envs), drawn)
        given = np.array([seeds[i] for i in seeded], dtype=np.uint64)
        compiled.seed_boards(self._boards, np.array(seeded, dtype=np.int64), given)
        actions = np.full(self.num_envs, SKIP)
        actions[chosen] = BEGIN
        out = self._step_arrays()
        self._begun = False  # stays so if the opponent fails
        self._advance(actions, out, begins=True)
        self._begun = True
        return out.planes["seen"], self._info(out, np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action on each board, then the opponents' actions until it is the agent's turn again.

        Args:
            actions: integers of shape (n,).

        Returns:
            The planes, rewards (float64), terminations and truncations (bool), and the info.

        Raises:
            InvalidActionError: an action is not in the action space. The environment has not changed.
            gymnasium.error.ResetNeeded: there is no game, the opponent has failed in the last step, or a game is over
                and autoreset is disabled.
        """
        actions = self._checked(actions)
        out = self._step_arrays()
        self._begun = False  # stays so if the opponent fails
        self._advance(actions, out, begins=False)
        self._begun = True
        if self._autoreset == AutoresetMode.SAME_STEP:  # finished games are in the final info
            info = self._info(out, np.zeros(self.num_envs, np.bool_)) | self._final_info(out)
        else:
            info = self._info(out, out.illegal)
        return out.planes["seen"], out.rewards, out.terminations, out.truncations, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool of shape (n, actions). SB3-contrib calls this method."""
        masks: NDArray[np.bool_] = self._out.masks["seen"].astype(np.bool_)
        return masks

    @property
    def seats(self) -> NDArray[np.int8]:
        """The agent's seat on each board, 0 or 1; -1 if it plays both sides.

        Raises:
            AttributeError: there is no game yet. This holds for the other properties of the boards too.
        """
        return self._state("seat")

    @property
    def to_move(self) -> NDArray[np.int8]:
        """The player to move on each board."""
        return self._state("to_move")

    @property
    def words(self) -> NDArray[np.uint64]:
        """The words (own, opp) of the position on each board, of shape (n, 2)."""
        return self._state("words")

    def _state(self, name: str) -> NDArray[Any]:
        if not self._begun:
            raise AttributeError(f"{name} cannot be accessed before reset, nor after a failure of the opponent")
        state: NDArray[Any] = self._boards[name].copy()
        return state

    @property
    def positions(self) -> list[Position]:
        """The position on each board."""
        rows = zip(self.words.tolist(), self.to_move.tolist(), strict=True)
        return [Position(self.game, own, opp, to_move) for (own, opp), to_move in rows]

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each board: text, or an RGB array (uint8, height x width x 3).

        Raises:
            gymnasium.error.ResetNeeded: there is no game yet, or the opponent has failed.
        """
        if self.render_mode is None:
            return None
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() first: there are no boards to show")
        if self.render_mode == "ansi":
            return tuple(position.diagram() for position in self.positions)
        from ci_envs.drawing.raster import rgb_array

        return tuple(rgb_array(self.game.draw(place.own, place.opp, place.to_move)) for place in self.positions)

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
            self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}  # threads cannot be copied

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        is_one = np.ndim(cast(Any, seed)) == 0
        seeds = [None if one is None else _integer_seed(one) for one in ([seed] if is_one else cast(Any, seed))]
        if is_one:
            seeds = [cast(int, seeds[0]) + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"give a seed for each of the {self.num_envs} boards, not {len(seeds)} seeds")
        for board, one in enumerate(seeds):
            if one is not None and not 0 <= one < 2**64:
                raise ValueError(f"seeds must be from 0 to 2^64 - 1, not {one!r}, that of board {board}")
        return seeds

    def _chosen(self, options: dict[str, Any] | None) -> NDArray[np.int64]:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},), not {mask!r}")
        return np.flatnonzero(mask) if self._begun else np.arange(self.num_envs)

    def _checked(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset() first: no game has begun, or the opponent has failed")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise InvalidActionError(
                f"actions must be integers of shape ({self.num_envs},), not {given.dtype} {given.shape}"
            )
        checked = np.ascontiguousarray(given, dtype=np.int64)
        wrong = compiled.first_outside(checked, self.game.action_count)
        if wrong >= 0:
            last = self.game.action_count - 1
            raise InvalidActionError(
                f"actions must be whole numbers from 0 to {last}; that of board {wrong} is {given[wrong]}"
            )
        if self._autoreset == AutoresetMode.DISABLED and (self._boards["ended"] == REPORTED).any():
            over = np.flatnonzero(self._boards["ended"] == REPORTED)[0]
            raise gymnasium.error.ResetNeeded(f"the game of board {over} is over: reset it with a reset_mask")
        return checked

    def _advance(self, actions: NDArray[np.int64], out: Step, begins: bool) -> None:
        """Step all boards. With ``begins``, only start games on the boards whose action is BEGIN."""
        if not self._plays_in_python():
            self._step_compiled(actions, out)
            return
        compiled.advance(self.game, self._boards, self._settings, actions)
        self._reply()
        if not begins:
            compiled.conclude(self.game, self._boards, self._settings, out)
            self._reply()
        compiled.observe_boards(self.game, self._boards, out)

    def _step_compiled(self, actions: NDArray[np.int64], out: Step) -> None:
        """Step all boards. Each thread steps a range of them."""

        def run(share: tuple[tuple[int, int], tuple[Any, Any]]) -> None:
            (start, stop), (policy, memory) = share
            settings = self._settings
            self._step_range(policy, self.game, memory, self._boards, settings, actions, out, start, stop)

        first, *others = zip(self._ranges, self._policies, strict=True)
        if others and (self._pool is None or self._pool_process != os.getpid()):  # a forked child has no threads
            self._pool, self._pool_process = ThreadPoolExecutor(len(others)), os.getpid()
        running = [self._pool.submit(run, share) for share in others] if self._pool else []
        run(first)
        for share in running:
            share.result()

    def _plays_in_python(self) -> bool:
        return self._opponent is not None and self._policies[0][0] is None

    def _reply(self) -> None:
        """Play the actions of an opponent in Python until it is the agent's turn on every board."""
        while self._opponent is not None and self._plays_in_python():
            boards = self._boards
            waiting = np.flatnonzero((boards["ended"] == GOING) & (boards["seat"] == 1 - boards["to_move"]))
            if not len(waiting):
                return
            actions = np.full(self.num_envs, SKIP)
            actions[waiting] = replies(self._opponent, self.game, boards["words"][waiting])
            compiled.advance(self.game, boards, self._settings, actions)

    def _step_arrays(self) -> Step:
        if self._copy:
            self._out = new_step(self.game, self.num_envs, self._out.final_planes)
        return self._out

    def _info(self, out: Step, illegal: NDArray[np.bool_]) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        info: dict[str, Any] = {
            "action_mask": out.masks["seen"],
            "_action_mask": everywhere,
            "illegal_action": illegal,
            "_illegal_action": everywhere,
        }
        if self._opponent is None:
            info |= {"to_move": self.to_move, "_to_move": everywhere}
        return info

    def _final_info(self, out: Step) -> dict[str, Any]:
        ended = out.terminations | out.truncations
        rows = np.flatnonzero(ended)
        if not len(rows):
            return {}
        final = np.empty(self.num_envs, dtype=object)  # of None
        final[rows] = np.fromiter(out.final_planes["seen"].take(rows, axis=0), dtype=object, count=len(rows))
        final_info = {
            "action_mask": np.zeros((self.num_envs, self.game.action_count), np.int8),
            "_action_mask": ended,
            "illegal_action": out.illegal,
            "_illegal_action": ended,
        }
        if self._opponent is None:
            final_info |= {"to_move": np.where(ended, out.final_to_move, 0), "_to_move": ended}
        return {"final_obs": final, "_final_obs": ended, "final_info": final_info, "_final_info": ended}


def _integer_seed(seed: Any) -> int:
    number = exact_integer(seed)
    if number is None:
        raise TypeError(f"a seed must be an integer, not the {type(seed).__name__} {seed!r}")
    return number


def _autoreset_mode(name: str) -> AutoresetMode:
    return AutoresetMode(one_of("autoreset_mode", name, [mode.value for mode in AutoresetMode]))


def make_vec(
    environment: str | Game,
    num_envs: int = 1,
    opponent: Opponent | None = "random",
    seat: int | None = None,
    **parameters: Any,
) -> VectorBoardEnv:
    """Make the vector environment of a registered id. This is Gymnasium's vector entry point.

    Args:
        environment: a registered id, optionally with parameters, or a game.
        num_envs: the number of boards.
        opponent: see :class:`VectorBoardEnv`.
        seat: see :class:`VectorBoardEnv`.
        **parameters: parameters of the game, and the other arguments of :class:`VectorBoardEnv`.

    Raises:
        ValueError: the id or a parameter is unknown, or a value is out of range.

    Examples:
        >>> from ci_envs import make_vec
        >>> envs = make_vec("TicTacToe-v0", 8, opponent="random")
        >>> planes, info = envs.reset(seed=0)
        >>> planes.shape, info["action_mask"].shape
        ((8, 3, 3, 2), (8, 9))
    """
    _, game, options = resolve(environment, _OPTIONS, **{"opponent": opponent, "seat": seat, **parameters})
    return VectorBoardEnv(game, num_envs, **options)
