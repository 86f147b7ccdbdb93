"""The agent of a program that plays by text: it reads a prompt and writes a reply, as a language model does."""

from typing import Annotated, Any

from typing_extensions import override

from ci_envs.agent_interface.child_process import ChildProcess, ProcessError, ProcessLimits, run_command, split_command
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, read_position
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, validated
from ci_envs.text.prompts import LATEST, Prompts
from ci_envs.text.replies import ReplyKind, parse_reply

_SHOWN = 2000  # last characters of a reply that the next prompt repeats


class TextAgent(Agent):
    """Agent that plays as the replies of a command name actions: ``text:COMMAND``.

    Each decision starts the command, which reads the prompt on its standard input. All that it writes until it ends is
    the reply (:mod:`ci_envs.text.replies`).
    """

    @validated
    def __init__(
        self,
        game: Game,
        command: Annotated[str, Option("program and its arguments; a command with commas needs quotes")],
        *,
        retries: Annotated[
            int, Option("number of further prompts, with the reason, after replies without a legal action", ge=0)
        ] = 2,
        template: Annotated[
            str, Option("version of the templates of the prompts, or a folder with templates")
        ] = LATEST,
        seed: int | None = None,
        **limits: Annotated[Any, ProcessLimits],
    ) -> None:
        """Make the agent.

        Args:
            **limits: the fields of :class:`~ci_envs.agent_interface.child_process.ProcessLimits`, for each reply. The
                additional time is for the first one, for which a server may have to load a model.

        Raises:
            ValueError: the command is empty, there are no such templates, or a limit is not allowed.
        """
        self._command = split_command("text", command, "ollama run llama3.2")
        self._prompts, self._retries = Prompts(template), retries
        self.limits = ProcessLimits(**limits).checked()
        self._has_replied = False
        super().__init__(game, seed=seed)

    @override
    def act(self, observation: Observation) -> int:
        """Return the action that a reply names.

        Raises:
            ProcessError: the command failed, or no reply named a legal action.
        """
        position = read_position(self.game, observation, 0)
        prompt = self._prompts.start(position)
        for _ in range(self._retries + 1):
            limits = self.limits._replace(start_seconds=0.0) if self._has_replied else self.limits
            reply = ChildProcess(run_command(self._command), limits).reply(prompt)
            self._has_replied = True
            kind, action = parse_reply(position, reply)
            if kind is ReplyKind.LEGAL and action is not None:
                return action
            prompt = (
                f"{prompt}\n\nYour reply was:\n{reply.strip()[-_SHOWN:]}\n\n{self._prompts.problem(position, action)}"
            )
        shown = " ".join(reply.split())[-100:]
        raise ProcessError(f"replied {shown!r}, which names no legal action")
