"""The replies of an agent: the probability of each action in positions in any order."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.isolation import ProcessAgent
from ci_envs.agent_interface.making import name_of
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agent_interface.probabilities import HasProbabilities
from ci_envs.games.position import Position
from ci_envs.registry.user_code import UserCode, reason
from ci_envs.solver.errors import UnknownValueError

_ASKED_AT_ONCE = 1 << 14
_ROUNDING = 1e-6  # of a sum of probabilities, also of float32
_DECISIONS = {"act", "act_batch", "act_on", "choose", "_new_policy"}


class Replies:
    """The replies of an agent without memory.

    Attributes:
        agent: the agent.
        samples: the number of decisions in each position, if the agent does not tell its probabilities.
        is_known: whether the agent told the probabilities of its actions.
        is_deterministic: whether its reply in each position so far was always the same.
        faults: the number of positions in which the agent gave no legal action, as a mean over the samples.
        first_fault: why it gave no action when this happened first, or an empty text.

    Examples:
        >>> import numpy as np
        >>> from ci_envs import TicTacToe, make_agent
        >>> from ci_envs.arena.replies import Replies
        >>> replies = Replies(make_agent("random", TicTacToe()), samples=1)
        >>> replies.probabilities(np.array([TicTacToe().start()], np.uint64)).round(2)
        array([[0.11, 0.11, 0.11, 0.11, 0.11, 0.11, 0.11, 0.11, 0.11, 0.  ]])
    """

    def __init__(self, agent: Agent, samples: int) -> None:
        """Prepare to ask an agent.

        Raises:
            ValueError: the agent has a memory of its games, so its reply depends on more than the position.
        """
        if agent.keeps_games and not isinstance(agent, ProcessAgent):
            raise ValueError(
                f"{name_of(agent)} has a memory of its games, so it has no best response that depends only on the"
                " position: give an agent without start_games and per_game"
            )
        self.agent, self.samples = agent, samples
        self.is_known, self.is_deterministic, self.faults, self.first_fault = False, True, 0.0, ""

    @property
    def is_sampled(self) -> bool:
        """Whether the probabilities are only estimates."""
        return not (self.is_known or self.is_deterministic)

    def probabilities(self, words: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the probability of each action, and in a last column that of a fault.

        A fault is an illegal action, or an exception.

        Args:
            words: positions that are not over, uint64 of shape (n, 2).

        Returns:
            float64 of shape (n, actions + 1).

        Raises:
            ValueError: the agent tells other numbers than probabilities of legal actions, or fails to tell them.
        """
        known = self._told(words)
        self.is_known = known is not None
        if known is None:
            shares = np.concatenate([self._shares(part) for part in self._parts(words)])
        else:
            shares = np.hstack([known, np.zeros((len(words), 1))])
        self.is_deterministic &= bool((shares.max(axis=1) == 1).all())
        self.faults += float(shares[:, -1].sum())
        return shares

    def _told(self, words: NDArray[np.uint64]) -> NDArray[np.float64] | None:
        """Return the probabilities that the agent tells, or None if it does not tell those of its own decisions."""
        if not isinstance(self.agent, HasProbabilities) or _decides_otherwise(type(self.agent)):
            return None
        told = f"{type(self.agent).__name__}.action_probabilities"
        try:
            with UserCode():
                known = self.agent.action_probabilities(words)
        except UnknownValueError:
            raise
        except Exception as error:  # an agent of a user can raise anything
            raise ValueError(f"{told} fails: {reason(error)}") from error
        if known is None:
            return None
        legal = observations_of(self.agent.game, words)["action_mask"] != 0
        chances = np.asarray(known)
        if chances.shape != legal.shape or chances.dtype.kind not in "biuf":
            raise ValueError(
                f"{told} must return numbers of the shape {legal.shape}, not {chances.dtype} {chances.shape}"
            )
        are_chances = (chances >= 0).all(axis=1) & (np.abs(chances.sum(axis=1) - 1) < _ROUNDING)
        wrong = np.flatnonzero(~(are_chances & ~((chances > 0) & ~legal).any(axis=1)))
        if len(wrong):
            position = Position.from_words(self.agent.game, *words[wrong[0]].tolist())
            raise ValueError(
                f"{told} must be 0 or more, with the sum 1, and 0 for illegal actions, not "
                f"{chances[wrong[0]].tolist()} in {position.to_text()!r}"
            )
        return chances.astype(np.float64)

    def _parts(self, words: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
        size = max(1, _ASKED_AT_ONCE // self.samples)
        return [words[begin : begin + size] for begin in range(0, len(words), size)]

    def _shares(self, words: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the shares of the actions in samples, and in a last column that of faults."""
        legal = observations_of(self.agent.game, words)["action_mask"] != 0
        count = legal.shape[1]
        rows = np.repeat(np.arange(len(words)), self.samples)
        decided = decide_or_fail(self.agent, words[rows])
        actions, self.first_fault = decided.actions, self.first_fault or decided.first_fault
        within = actions.clip(0, count - 1)
        columns = np.where((actions == within) & legal[rows, within], within, count)
        shares = np.zeros((len(words), count + 1))
        np.add.at(shares, (rows, columns), 1 / self.samples)
        return np.where(shares > 1 - 1e-9, 1.0, shares)


def _decides_otherwise(cls: type) -> bool:
    """Return whether a class inherits the probabilities of a base class, but has decisions of its own."""
    for base in cls.__mro__:
        if "action_probabilities" in vars(base):
            return False
        if not _DECISIONS.isdisjoint(vars(base)):
            return True
    return False
