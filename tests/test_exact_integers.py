"""Actions, seats and seeds: every exact integer is accepted, and nothing is converted."""

from functools import partial

import gymnasium
import numpy as np
import pytest
import torch

from ci_envs import ConnectFour, Nim, Position, Quixo, TicTacToe, make, make_agent, make_vec, perft
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agents import Agent, as_agent
from ci_envs.arena import compare, play_match
from ci_envs.validation import exact_integer

FOUR = [4, np.int8(4), np.uint64(4), np.array(4), np.array([4]), np.array([[4]], np.uint8), torch.tensor(4)]
FOUR += [torch.tensor([4]), np.array([4], object)]
NOT_FOUR = [
    4.0,
    "4",
    np.float32(4),
    np.array([4.0]),
    np.array([4, 4]),
    torch.tensor(4.0),
    torch.tensor([4, 4]),
    [4],
    None,
]
TRUE = [True, np.True_, np.array([True]), torch.tensor(True)]
OUTSIDE = [9, -1, np.uint64(2**63), 2**70]


def played_in_aec(action):
    env = make("TicTacToe-v0")
    env.reset()
    env.step(action)
    return env.position


def played_in_gymnasium(action):
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=None)
    env.reset()
    env.step(action)
    return env.unwrapped.position


def played_by_opponent(action):
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=lambda seen: action, seat=1)
    env.reset()
    return env.unwrapped.position


def played_on_boards(action):
    env = make_vec("TicTacToe-v0", 2, opponent=lambda seen: action, seat=1)
    env.reset()
    return env.positions[1]


def played_in_position(action):
    return Position.start(TicTacToe()).play(action)


PLACES = [played_in_aec, played_in_gymnasium, played_by_opponent, played_on_boards, played_in_position]
places = pytest.mark.parametrize("played", PLACES)


def test_the_integer_of_an_object():
    assert [exact_integer(value) for value in FOUR] == [4] * len(FOUR)
    assert [exact_integer(value) for value in [*NOT_FOUR, *TRUE]] == [None] * (len(NOT_FOUR) + len(TRUE))


@places
def test_an_exact_integer_is_an_action(played):
    assert [played(action) for action in FOUR] == [Position.start(TicTacToe()).play(4)] * len(FOUR)


@places
@pytest.mark.parametrize("action", [*NOT_FOUR, *TRUE, *OUTSIDE], ids=repr)
def test_anything_else_is_refused_in_one_line(played, action):
    if played is played_in_position and isinstance(action, str):
        action = "44"  # a text is the name of an action
    with pytest.raises((TypeError, ValueError), match=r"^.+$") as caught:
        played(action)
    assert repr(action) in str(caught.value) or str(action) in str(caught.value)


@pytest.mark.parametrize("id", ["BitString-v0", "SetCovering-v0"])
def test_the_optimisation_environments_convert_nothing(id):
    env = gymnasium.make(f"ci_envs/{id}").unwrapped
    for action in FOUR:
        env.reset(seed=0)
        env.step(action)
    env.reset(seed=0)
    for action in [*NOT_FOUR, *TRUE, -1]:
        with pytest.raises(ValueError, match="must be a whole number from 0"):
            env.step(action)


@pytest.mark.parametrize("answer", [np.array([0.5]), np.array([True]), np.array([[0]])], ids=repr)
def test_the_actions_of_a_batch_are_not_converted(answer):
    """Environments, matches, self-play and ``act`` check what ``act_batch`` and ``act_on`` return."""
    batch = type("Batch", (Agent,), {"act_batch": lambda self, seen: answer})(Nim((3, 5)))
    words = type("Words", (PositionAgent,), {"act_on": lambda self, rows: answer})(Nim((3, 5)))
    env = make("Nim-v0:heaps=3,5")
    env.reset()
    for agent in (batch, words):
        with pytest.raises((TypeError, ValueError), match="must return"):
            agent.act(env.observe("player_0"))
        with pytest.raises((TypeError, ValueError), match="must return"):
            play_match(agent.game, agent, as_agent("random", agent.game, seed=0), 2)


@pytest.mark.parametrize("seat", [True, 1.0, "1", 2, -1])
def test_a_seat_is_not_converted(seat):
    for make_env in (lambda: make_vec("Nim-v0", 2, seat=seat), lambda: gymnasium.make("ci_envs/Nim-v0", seat=seat)):
        with pytest.raises(ValueError, match=f"seat must be 0, 1 or None, not {seat!r}"):
            make_env()
    assert make_vec("Nim-v0", 2, seat=np.int64(1)).reset()[0].shape[0] == 2


@pytest.mark.parametrize("seed", [True, 3.5, "12", [0, 0.5], [0, "1"]])
def test_a_seed_is_not_converted(seed):
    with pytest.raises(TypeError, match="a seed must be an integer, not the"):
        make_vec("Nim-v0", 2).reset(seed=seed)


@pytest.mark.parametrize("seed", [True, 3.5, "12", -1, 2**64])
def test_a_seed_of_an_environment_or_an_agent_is_not_converted(seed):
    for use in (make("TicTacToe-v0").reset, partial(make_agent, "random", "TicTacToe-v0")):
        with pytest.raises(
            ValueError, match=f"seed must be a whole number from 0 to 18446744073709551615, not {seed!r}"
        ):
            use(seed=seed)


@pytest.mark.parametrize("word", [True, 1.5, "1", -1, 2**64])
def test_words_are_not_converted(word):
    for words in ((word, 0), (0, word)):
        with pytest.raises(ValueError, match=f"a word of a position must be a whole number of 64 bits, not {word!r}"):
            Position(TicTacToe(), *words)
    assert Position(TicTacToe(), np.uint64(1), 0, np.int64(1)).to_text() == "O../.../... O"


@pytest.mark.parametrize("player", [True, 1.0, "1", 2, -1])
def test_the_player_to_move_is_not_converted(player):
    with pytest.raises(ValueError, match=f"to_move must be a whole number from 0 to 1, not {player!r}"):
        Position(TicTacToe(), 0, 0, player)


def test_planes_and_depths_are_not_converted():
    start = Position.start(TicTacToe())
    with pytest.raises(TypeError, match=r"perft needs a position such as .* not 'TicTacToe-v0'"):
        perft("TicTacToe-v0", 2)
    with pytest.raises(ValueError, match=r"have the values 0 and 1, not \[0.5\]"):
        Position.from_observation(TicTacToe(), start.observation() + 0.5)
    with pytest.raises(ValueError, match=r"depth must be a whole number from 0, not 2\.0"):
        perft(start, 2.0)
    assert perft(start, torch.tensor(2)) == 72


def test_a_game_or_an_environment_stands_for_its_id():
    assert make(Quixo(3)).game == make_vec(Quixo(3), 2).game == Quixo(3)
    assert (ConnectFour(rows=4), TicTacToe(n=2)) == (make("ConnectFour-v0:rows=4").game, make("TicTacToe-v0:n=2").game)
    agents, seen = ["random", "random"], []
    for environment in ("Quixo-v0:size=2,max_cycles=9", make("Quixo-v0:size=2,max_cycles=9")):
        seen.append(compare(environment, (each for each in agents), games=4, seed=1))
    assert seen[0].max_cycles == seen[1].max_cycles == 9
    assert seen[0].total("random").total == seen[1].total("random").total
