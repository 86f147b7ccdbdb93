"""A game in words for verifiers, a library for reinforcement learning of language models, with a scripted model.

Run it with ``make integration-verifiers``. It takes some seconds. Each rollout is one game of ``ci_envs.TextEnv``. Its
reward is the result of the game minus the points that the model loses by the exact values. A trainer of verifiers gets
the same environment with a real model; here a scripted client answers, so that nothing needs to be downloaded.
"""

import asyncio
import re
from typing import Any

import verifiers as vf
from datasets import Dataset
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from ci_envs import TextEnv

GAMES = 20


class GameEnv(vf.MultiTurnEnv):
    """Games against an agent of this package. The field ``answer`` of the data set has the seed of each game."""

    def __init__(self, environment: str, opponent: str, games: int) -> None:
        """Make the environment with a data set of ``games`` first prompts."""
        self.options: dict[str, Any] = {"environment": environment, "opponent": opponent, "reward": "both"}
        rows = [
            {"prompt": [{"role": "user", "content": self.new_game(seed)[1]}], "answer": str(seed)}
            for seed in range(games)
        ]
        super().__init__(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[total_reward]), max_turns=50)

    def new_game(self, seed: int) -> tuple[TextEnv, str]:
        """Return an environment, and its first prompt."""
        env = TextEnv(**self.options)
        return env, env.reset(seed=seed)[0]

    async def setup_state(self, state: vf.State) -> vf.State:
        """Start the game of a rollout."""
        state["game"], _ = self.new_game(int(state["answer"]))
        state["return"], state["ended"] = 0.0, False
        return state

    async def add_model_response(self, state: vf.State, prompt_messages: vf.Messages, response: Any) -> None:
        """Play the reply of the model."""
        await super().add_model_response(state, prompt_messages, response)
        reply = response.choices[0].message.content or ""
        state["next_prompt"], reward, terminated, truncated, _ = state["game"].step(reply)
        state["return"] += reward
        state["ended"] = terminated or truncated

    async def env_response(self, messages: vf.Messages, state: vf.State, **_: Any) -> vf.Messages:
        """Return the next prompt."""
        return [{"role": "user", "content": state["next_prompt"]}]

    @vf.stop
    async def game_ended(self, state: vf.State) -> bool:
        """Return whether the game is over."""
        return bool(state["ended"])


async def total_reward(state: vf.State) -> float:
    """Return the sum of the rewards of a game."""
    return float(state["return"])


class ScriptedClient(AsyncOpenAI):
    """A client whose model plays Nim: it takes all of a heap if only one is left, else one match of the last heap."""

    def __init__(self) -> None:
        """Make the client. It sends nothing."""
        super().__init__(api_key="none", base_url="http://localhost:1")
        self.chat.completions.create = self.answer  # type: ignore[method-assign]

    async def answer(self, *, messages: list[dict[str, Any]], **_: Any) -> ChatCompletion:
        """Return the reply to the last message."""
        legal = re.findall(r"Legal actions: (.*)", str(messages[-1]["content"]))[-1].split()
        heaps = sorted({name.partition("-")[0] for name in legal})
        name = legal[-1] if len(heaps) == 1 else f"{heaps[-1]}-1"
        message = {"role": "assistant", "content": f"There are {len(heaps)} heaps left.\n\nAction: {name}"}
        return ChatCompletion.model_validate(
            {
                "id": "scripted",
                "created": 0,
                "model": "scripted",
                "object": "chat.completion",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            }
        )


async def main() -> None:
    """Play games with the scripted model, and print the rewards."""
    env = GameEnv("Nim-v0:heaps=1,3,5", "random", GAMES)
    results = await env.evaluate(ScriptedClient(), "scripted", num_examples=GAMES, rollouts_per_example=1)
    rewards = results["reward"]
    print(f"{GAMES} games, mean reward {sum(rewards) / GAMES:+.2f}: {rewards}")
    assert len(rewards) == GAMES
    assert all(-4 <= reward <= 1 for reward in rewards)
    assert max(rewards) > 0, "the model wins some games"


if __name__ == "__main__":
    asyncio.run(main())
