"""The Gymnasium environment in words, for language models: texts as observations and as actions."""

import string
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.envs.opponent import Opponent
from ci_envs.envs.single_agent import SingleAgentEnv
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.position import Position
from ci_envs.registry.games import resolve
from ci_envs.solver.errors import UnknownValueError
from ci_envs.solver.solution import Solution
from ci_envs.solver.solver import quick_source
from ci_envs.text.events import actions_between
from ci_envs.text.prompts import LATEST, Prompts
from ci_envs.text.replies import ParsedReply, ReplyKind, parse_reply
from ci_envs.validation import checked_seed, integer_between, one_of, true_or_false

Reward = Literal["result", "value", "both"]

_REWARDS = ("result", "value", "both")
_MOST_CHARACTERS = 1 << 20
_OPENING = "..."  # in the history


class AnyText(spaces.Text):
    """Texts of any characters. Its samples have the characters of ``charset``."""

    @override
    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


class TextEnv(gymnasium.Env[str, str]):
    """One seat of a board game in words. A language model is prompted, and its reply names an action.

    The first observation has the rules, the position as text and as a diagram, and the names of the legal actions. The
    later ones have what was played, and the new position. :mod:`ci_envs.text.replies` describes which action a reply
    names. A reply without a legal action does not change the game: the observation says what is wrong, and after
    ``retries`` such replies one after the other the next one loses the game.

    ``info`` contains ``reply`` (``legal``, ``illegal`` or ``unreadable``; None after :meth:`reset`), ``action`` (the
    name of the action, or None), ``points_lost`` (the points that the action lost by the exact values, or None if they
    are unknown or not needed for the reward), and ``position`` (as text).

    Attributes:
        board_env: the environment that plays the game.
        prompts: the prompts.

    Examples:
        >>> from ci_envs import TextEnv
        >>> env = TextEnv("TicTacToe-v0", opponent="exact", seat=0, reward="both")
        >>> prompt, info = env.reset(seed=0)
        >>> prompt.splitlines()[0]
        'You play a board game against an opponent.'
        >>> prompt, reward, terminated, truncated, info = env.step("The centre is strong. Action: b2")
        >>> info["reply"], info["action"], reward
        ('legal', 'b2', 0.0)
    """

    # as the base class declares it
    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012

    def __init__(
        self,
        environment: str | Game,
        *,
        opponent: Opponent = "random",
        seat: int | None = None,
        reward: Reward = "result",
        retries: int = 2,
        history: bool = False,
        template: str | Path = LATEST,
        openings: RandomOpenings | None = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make the environment.

        Args:
            environment: an id, optionally with parameters, or a game.
            opponent: see :class:`~ci_envs.envs.single_agent.SingleAgentEnv`.
            seat: 0 to move first, 1 to move second. None draws the seat at each reset.
            reward: ``result`` is 1, 0 or -1 at the end. ``value`` is minus the points that each action loses by the
                exact values: 0 for an action that keeps the value, -1/2 if it turns a win into a draw or a draw into a
                loss, and -1 if it turns a win into a loss. ``both`` is the sum.
            retries: the number of replies without a legal action, one after the other, that do not lose the game.
            history: whether the prompts have all actions of the game so far.
            template: a version of the templates, or a folder with templates (:mod:`ci_envs.text.prompts`).
            openings: see :class:`~ci_envs.envs.single_agent.SingleAgentEnv`. Prompts do not tell the actions before the
                first one of the game, which can be random; the history has ``...`` for them.
            max_cycles: see :class:`~ci_envs.envs.single_agent.SingleAgentEnv`.
            render_mode: ``ansi`` or None.

        Raises:
            ValueError: an argument has another value, or the game has no exact values for the reward.
        """
        _, game, options = resolve(environment)
        if (render_mode := options.get("render_mode") if render_mode is None else render_mode) is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])
        self._has_result = one_of("reward", reward, _REWARDS) != "value"
        self._solution: Solution | None = None if reward == "result" else quick_source(game)
        self._retries = integer_between("retries", retries, 0)
        self._keeps_history = true_or_false("history", history)
        self._has_openings = openings is not None
        self.prompts = Prompts(template)
        self.render_mode = render_mode
        self.board_env = SingleAgentEnv(
            game,
            render_mode=render_mode,
            opponent=_checked_opponent(opponent),
            seat=seat,
            max_cycles=options.get("max_cycles") if max_cycles is None else max_cycles,
            openings=openings,
        )
        self.observation_space = AnyText(_MOST_CHARACTERS, min_length=0, charset=string.printable)
        self.action_space = AnyText(_MOST_CHARACTERS, min_length=0, charset=string.printable)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start a new game, and return the first prompt and the info.

        Args:
            seed: see :meth:`~ci_envs.envs.single_agent.SingleAgentEnv.reset`.
            options: no options exist.
        """
        self.board_env.reset(seed=seed, options=options)
        super().reset(seed=checked_seed(seed))
        self._failures, self._history = 0, list[str]()
        position = self.position
        if position.result is not None or position.to_move != self.board_env.seat:  # the opponent has ended the game
            return self.prompts.end(position, (), self._result(position)), self._info(None, None, None)
        start = Position.start(position.game)
        if self._has_openings and position != start:  # which of the actions are random is unknown
            self._history.append(_OPENING)
            start = position
        events = self._reply_of_opponent(start, position)
        return self.prompts.start(position, events, self._shown_history), self._info(None, None, None)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play the action that a reply names, then the opponent's actions until it is the agent's turn again.

        Args:
            action: the reply.

        Returns:
            The next prompt, the reward, terminated, truncated, and the info.

        Raises:
            TypeError: ``action`` is not a text.
            gymnasium.error.ResetNeeded: there is no game, or the game is over.
        """
        if not isinstance(action, str):
            raise TypeError(f"an action of TextEnv is the text of a reply, not {action!r}")
        self.board_env.check_running()
        position = self.position
        parsed = parse_reply(position, action)
        if parsed.kind is ReplyKind.LEGAL or self._failures == self._retries or position.result is not None:
            return self._play(position, parsed)
        self._failures += 1
        return self.prompts.problem(position, parsed.action), 0.0, False, False, self._info(parsed, position, None)

    @property
    def opponent(self) -> Agent | None:
        """The agent that plays the other seat (:attr:`SingleAgentEnv.opponent`)."""
        return self.board_env.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent) -> None:
        self.board_env.opponent = _checked_opponent(opponent)

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.board_env.position

    def render(self) -> str | None:
        """Return the diagram of the position, or None without a render mode.

        Raises:
            gymnasium.error.ResetNeeded: ``reset`` was not called yet.
        """
        diagram: str | None = self.board_env.render()
        return diagram

    def _play(self, position: Position, parsed: ParsedReply) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play a legal action, or lose the game."""
        number = parsed.action if parsed.kind is ReplyKind.LEGAL else None
        if number is None and position.result is None:
            self.board_env.resign()
            result, terminated, truncated = -1.0, True, False
        else:  # a game that the opponent has ended takes any action
            _, result, terminated, truncated, _ = self.board_env.step(number or 0)
        lost = self._points_lost(position, number)
        reward = (result if self._has_result else 0.0) - (lost or 0.0)
        self._failures, after = 0, self.position
        events = []
        if number is not None:
            events = self._after_own(position, number, after)
        info = self._info(parsed, position, lost)
        if terminated or truncated:
            lost_by_reply = number is None and position.result is None
            ending = "Your reply names no legal action. You lose." if lost_by_reply else self._result(after, truncated)
            return self.prompts.end(after, events, ending), reward, terminated, truncated, info
        return self.prompts.turn(after, events, self._shown_history), reward, False, False, info

    def _after_own(self, position: Position, number: int, after: Position) -> list[str]:
        """Return sentences about an own action and the reply of the opponent."""
        name, played = position.action_name(number), position.play(number)
        self._history.append(name)
        return [f"You played {name}.", *self._reply_of_opponent(played, after)]

    def _reply_of_opponent(self, before: Position, after: Position) -> list[str]:
        if before.to_move == self.board_env.seat or before.result is not None:
            return []
        names = actions_between(before, after)
        self._history += names
        return [f"Your opponent played {' '.join(names)}."] if names else []

    @property
    def _shown_history(self) -> list[str]:
        return self._history if self._keeps_history else []

    def _points_lost(self, position: Position, action: int | None) -> float | None:
        """Return the points that an action loses by the exact values, or None if these are unknown.

        The action None loses the game.
        """
        if self._solution is None or position.result is not None or not self._covers(position):
            return None
        try:
            value = self._solution.value(position)
            if action is None:
                return (value + 1) / 2
            after = position.play(action)
            return (value - self._solution.value(after) * (1 if after.to_move == position.to_move else -1)) / 2
        except UnknownValueError:
            return None

    def _covers(self, position: Position) -> bool:
        """Return whether the exact values contain a position, and so all positions after it."""
        words = np.array([[position.own, position.opp]], np.uint64)
        return self._solution is not None and bool(self._solution.covers(words)[0])

    def _result(self, position: Position, truncated: bool = False) -> str:
        """Return the result of the game as a sentence."""
        if truncated:
            return "It is a draw by the limit of plies."
        if position.winner is None:
            return "It is a draw."
        return "You win." if position.winner == self.board_env.seat else "You lose."

    def _info(self, parsed: ParsedReply | None, position: Position | None, lost: float | None) -> dict[str, Any]:
        named = None if parsed is None or parsed.action is None or position is None else parsed.action
        return {
            "reply": None if parsed is None else str(parsed.kind),
            "action": None if named is None or position is None else position.action_name(named),
            "points_lost": lost,
            "position": self.position.to_text(),
        }


def _checked_opponent(opponent: Opponent) -> Opponent:
    if opponent is None:
        raise ValueError("opponent must be an agent, not None: play both sides with two environments")
    return opponent
