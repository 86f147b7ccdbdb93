"""A game of this package in TextArena: two language models, here scripted ones, play against each other in words.

Run it with ``make integration-textarena``. It takes some seconds. ``ta.make("ci_envs/Nim-v0")`` makes the environment;
its observations are the prompts of ``ci_envs.TextEnv``, and its rewards those of TextArena.
"""

import textarena as ta

from ci_envs import Position, registered
from ci_envs.registry.games import resolve
from ci_envs.text.prompts import Prompts
from ci_envs.text.replies import ReplyKind, parse_reply


class TextArenaGame(ta.Env):
    """A board game with the interface of TextArena."""

    def __init__(self, environment: str) -> None:
        """Make the game of an id of this package, for example ``Nim-v0``."""
        super().__init__()
        _, self.game, _ = resolve(environment)
        self.prompts = Prompts()

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Start a game between two players."""
        self.position = Position.start(self.game)
        self.prompted: set[int] = set()
        self.state = ta.TwoPlayerState(num_players=num_players, seed=seed)
        self.state.reset(game_state={"position": self.position.to_text()})
        self.prompt_player()

    def step(self, action: str) -> tuple[bool, ta.Info]:
        """Play the action that a reply names. TextArena lets a player retry an invalid move once."""
        player = self.state.current_player_id
        self.state.add_observation(from_id=player, message=action, observation_type=ta.ObservationType.PLAYER_ACTION)
        kind, number = parse_reply(self.position, action)
        if kind is not ReplyKind.LEGAL or number is None:
            self.state.set_invalid_move(reason=self.prompts.problem(self.position, number))
            return self.state.step()
        name = self.position.action_name(number)
        self.position = self.position.play(number)
        self.state.game_state["position"] = self.position.to_text()
        self.state.add_observation(
            message=f"Player {player} played {name}.",
            observation_type=ta.ObservationType.GAME_ACTION_DESCRIPTION,
        )
        if self.position.winner is not None:
            self.state.set_winner(player_id=self.position.winner, reason=self.position.diagram())
        elif self.position.result is not None:
            self.state.set_draw(reason=self.position.diagram())
        done, info = self.state.step(rotate_player=self.position.to_move != player)
        if not done:
            self.prompt_player()
        return done, info

    def prompt_player(self) -> None:
        """Send the player to move the rules and the position, or only the position after the first turn."""
        player = self.state.current_player_id
        write = self.prompts.turn if player in self.prompted else self.prompts.start
        self.prompted.add(player)
        self.state.add_observation(
            to_id=player, message=write(self.position), observation_type=ta.ObservationType.GAME_BOARD
        )


class NimSumModel(ta.Agent):
    """A model that reads the position in the prompt, and leaves a nim-sum of 0 if it can."""

    def __call__(self, observation: str) -> str:
        """Return a reply in the style of a language model."""
        text = observation.rpartition("Position: ")[2].partition("\n")[0]
        legal = observation.rpartition("Legal actions: ")[2].split()
        _, game, _ = resolve("Nim-v0")
        position = Position.from_text(game, text)
        for name in legal:
            heaps = position.play(name).to_text().partition(" ")[0].split(",")
            if sum_of(heaps) == 0:
                return f"I should leave a nim-sum of 0, not play {legal[0]}.\n\n**Action:** {name}"
        return f"Every action leaves a nim-sum other than 0. Action: {legal[-1]}"


class FirstActionModel(ta.Agent):
    """A model that names the first legal action."""

    def __call__(self, observation: str) -> str:
        """Return a reply."""
        return f"I play {observation.rpartition('Legal actions: ')[2].split()[0]}."


def sum_of(heaps: list[str]) -> int:
    """Return the nim-sum of the sizes of heaps: their sum without carry in binary."""
    total = 0
    for heap in heaps:
        total ^= int(heap)
    return total


for id in registered():
    ta.register(f"ci_envs/{id}", entry_point=TextArenaGame, environment=id)

# the second player wins Nim with the heaps 1, 3, 5, 7
env = ta.make("ci_envs/Nim-v0")
env.reset(num_players=2, seed=0)
agents = {0: FirstActionModel(), 1: NimSumModel()}
done = False
while not done:
    player, messages = env.get_observation()
    done, _ = env.step(action=agents[player]("\n".join(message for _, message, _ in messages)))
rewards, info = env.close()
print(env.position.diagram())
print("rewards:", rewards)
assert rewards == {0: -1, 1: 1}
