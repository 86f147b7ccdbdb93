"""Observations that an agent cannot use are refused with one line, which names the right observation."""

import numpy as np
import pytest
from playing import batch_of, observation_of, random_positions

import ci_envs
from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent
from ci_envs.agent_interface.observations import observations_of, read_observation, read_observations

TICTACTOE = ConnectN(3, 3, 3)
AGENTS = ("random", "minimax:depth=2", "mcts:simulations=10", "exact", "alphazero:simulations=2", "sb3:tictactoe")
GAMES = (Quixo(3), Quixo(5), TICTACTOE, ConnectN(4, 5, 3, True), Nim((2, 3, 4)), Nim((2, 3), 2, True), Quarto())

START = Position.start(TICTACTOE)
GOOD = observation_of(START)
PLANES, MASK = GOOD["observation"], GOOD["action_mask"]
OVER = Position.from_text(TICTACTOE, "XXX/OO./... O")
NEEDED = r"act needs \{'observation': int8 \(3, 3, 2\), 'action_mask': int8 \(9,\)\}"


def with_mask(mask):
    return {"observation": PLANES, "action_mask": np.array(mask, dtype=np.int8)}


def idle_observation():
    env = ci_envs.make("TicTacToe-v0")
    env.reset()
    return env.observe("player_1")


WRONG = {
    "a position": (START, f"{NEEDED}.* got a Position: .*act_on"),
    "planes alone": (PLANES, f"{NEEDED}.* got int8 \\(3, 3, 2\\): .*dictionary"),
    "a tuple": ((GOOD, 0.0, False, False, {}), f"{NEEDED}.* got a tuple: .*the first item"),
    "None": (None, f"{NEEDED}.* got a NoneType: pass env.observe"),
    "no mask": ({"observation": PLANES}, f"{NEEDED}.* got {{'observation': int8 .*}}: pass env.observe"),
    "no planes": ({"action_mask": MASK}, f"{NEEDED}.* got {{'action_mask': int8 .*}}: pass env.observe"),
    "lists": ({"observation": PLANES.tolist(), "action_mask": MASK.tolist()}, f"{NEEDED}.*'observation': a list"),
    "a batch": (batch_of([START, START]), f"{NEEDED}.*: for several boards call act_batch"),
    "another game": (
        observation_of(Position.start(Quixo())),
        f"{NEEDED}.* got .*int8 \\(5, 5, 2\\).*: pass env.observe",
    ),
    "another dtype": ({**GOOD, "observation": PLANES.astype(float)}, f"{NEEDED}.* got .*float64 \\(3, 3, 2\\)"),
    "a bool mask": ({**GOOD, "action_mask": MASK.astype(bool)}, f"{NEEDED}.* got .*bool \\(9,\\)"),
    "a short mask": ({**GOOD, "action_mask": MASK[:8]}, f"{NEEDED}.* got .*int8 \\(8,\\)"),
    "other values": ({**GOOD, "observation": PLANES + np.int8(2)}, "act cannot use .*other than 0 and 1"),
    "a wrong mask": (with_mask([1, 1, 1, 1, 1, 1, 1, 1, 0]), "act cannot use .*differs from the legal actions"),
    "a mask of twos": (with_mask([2] * 9), "act cannot use .*differs from the legal actions"),
    "no legal action": (with_mask([0] * 9), "act cannot use .*no action is legal"),
    "game over": (observation_of(OVER), "act cannot use .*no action is legal, because the game is over"),
    "game over with a mask": ({**observation_of(OVER), "action_mask": MASK}, "act cannot use .*the game is over"),
    "the other player": (idle_observation(), "act cannot use .*not this player's turn"),
}


@pytest.fixture(scope="module", params=AGENTS)
def agent(request):
    return make_agent(request.param, TICTACTOE, seed=0)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_observation_is_refused_in_one_line(agent, name):
    observation, message = WRONG[name]
    with pytest.raises(ValueError, match=message) as caught:
        agent.act(observation)
    assert "\n" not in str(caught.value)


def test_a_right_observation_is_accepted(agent):
    assert agent.act(GOOD) in START.legal_actions()


def test_a_batch_names_the_board_that_does_not_fit(agent):
    boards = batch_of([START] * 3)
    boards["action_mask"][2, 4] = 0
    with pytest.raises(ValueError, match=r"^act_batch cannot use this observation on board 2: its action_mask"):
        agent.act_batch(boards)
    with pytest.raises(ValueError, match=r"^act_batch needs .*int8 \(n, 3, 3, 2\).*: for one board call act$"):
        agent.act_batch(GOOD)


def test_planes_of_no_position_are_refused():
    game = Nim((2, 3))
    observation = observation_of(Position.start(game))
    observation["observation"][1, 0] = 0  # an object above an empty cell
    with pytest.raises(ValueError, match="its planes are not a position of Nim"):
        make_agent("random", game).act(observation)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_observations_decode_to_their_positions(game):
    positions = random_positions(game, 100, seed=1)
    words = np.array([(position.own, position.opp) for position in positions], dtype=np.uint64)
    read = read_observations(game, batch_of(positions))
    assert read.words.tolist() == words.tolist()
    assert [read_observation(game, observation_of(one)).words.tolist() for one in positions] == words[:, None].tolist()
    written = observations_of(game, words)
    assert np.array_equal(read.planes, written["observation"])
    assert np.array_equal(read.masks, written["action_mask"])
