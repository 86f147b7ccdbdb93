"""The base class of agents with a compiled policy."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.policy import CompiledPolicy, choose_batch
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.kernels.lazy import cached_property
from ci_envs.kernels.seeds import SeedSequence
from ci_envs.kernels.work_memory import WorkMemory


class PolicyAgent(PositionAgent):
    """An agent that plays by a compiled policy.

    The same policy plays on one board, on many boards, in the environments and in the arena. Each decision takes the
    next seed of a sequence (:mod:`ci_envs.kernels.seeds`) that starts at the agent's seed. So the same seed and
    positions give the same actions everywhere.

    Several threads can use an agent at the same time, because each call has its own memory. They share the sequence of
    seeds, so the actions of an agent that uses random numbers depend on the order of the calls.
    """

    @abstractmethod
    def policy(self) -> CompiledPolicy | None:
        """Return the policy with new memory for one thread.

        Return None if decisions have a time limit, because compiled code has no clock, or call Python, whose errors
        cannot pass through compiled code. Environments then call :meth:`act_on`.
        """

    @override
    def reseed(self, seed: int | None) -> None:
        super().reseed(seed)
        self._seeds = SeedSequence(seed)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        words = np.ascontiguousarray(words, dtype=np.uint64)
        return self.choose(words, self._seeds.take(len(words)))

    def choose(self, words: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the actions in n non-terminal positions. They depend only on the arguments.

        Args:
            words: the positions, C-contiguous uint64 of shape (n, 2).
            seeds: the seeds of the decisions, uint64 of shape (n,).

        Returns:
            int64 of shape (n,).
        """
        with self._memory.use(self._new_policy) as compiled:
            return compiled.choose(self.game, words, seeds, self._choose_batch)

    @cached_property
    def _memory(self) -> WorkMemory[CompiledPolicy]:
        """The policies that the calls of this agent use."""
        return WorkMemory()

    def _new_policy(self) -> CompiledPolicy:
        """Return the policy with new memory. An agent overrides this if :meth:`policy` can return None."""
        compiled = self.policy()
        assert compiled is not None
        return compiled

    @cached_property
    def _choose_batch(self) -> Monomorphic:
        return Monomorphic(choose_batch)


def compiled_policy(agent: object) -> CompiledPolicy | None:
    """Return the policy of an agent with new memory for one thread, or None if the agent runs in Python."""
    return agent.policy() if isinstance(agent, PolicyAgent) else None
