"""The same seed gives the same actions on one board, on many boards, in the environments and in the arena."""

from functools import cache

import numpy as np
import pytest
from playing import batch_of, observation_of, random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent, make_vec
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agents.tabular.episodes import Q_LEARNING, SELF, UNSHAPED, Rule
from ci_envs.agents.tabular.value_table import new_table
from ci_envs.arena import compare, play_match
from ci_envs.arena.tournament import derived_seed
from ci_envs.envs.single_agent import SingleAgentEnv
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.seeds import STRIDE, SeedSequence, next_seed
from ci_envs.registry import agents as registry_agents

TICTACTOE, QUIXO, NIM = ConnectN(3, 3, 3), Quixo(), Nim((1, 3, 5, 7))


@cache
def unvisited_table():
    """A table without positions: all actions are equal, so the agent samples each action."""
    rule = Rule(Q_LEARNING, False, True, UNSHAPED, False, 1.0, 0.0, 0.0, 0, SELF, 9)
    return new_table(9, 0.1), rule


# the game of each agent, and its spec string or its options
AGENTS = {
    "random": (TICTACTOE, "random"),
    "minimax": (TICTACTOE, "minimax:depth=2,table_mb=0.1"),
    "mcts": (TICTACTOE, "mcts:simulations=20"),
    "q_learning": (TICTACTOE, unvisited_table),
    "monte_carlo": (TICTACTOE, unvisited_table),
    "nim": (NIM, "nim:random"),
    "nim_expert": (NIM, "nim_expert"),
    "nim_ga": (NIM, "nim_ga:rows4"),
    "nim_evolved": (NIM, "nim_evolved:rows4"),
    "evolution_strategy": (QUIXO, "evolution_strategy:quixo,depth=1"),
    "neat": (QUIXO, "neat:quixo"),
    "quarto_ga": (Quarto(), "quarto_ga:population=12,generations=2,offspring=5"),
}
agents = pytest.mark.parametrize("name", AGENTS)


def new_agent(name, seed):
    game, spec = AGENTS[name]
    if isinstance(spec, str):
        return make_agent(spec, game, seed=seed)
    return registry_agents.AGENTS.find(name)(game, spec(), seed=seed)


def test_every_compiled_agent_is_tested():
    factories = {name: registry_agents.AGENTS.find(name) for name in registry_agents.AGENTS.names()}
    compiled = {name for name, each in factories.items() if isinstance(each, type) and issubclass(each, PolicyAgent)}
    assert compiled == set(AGENTS)


@agents
def test_a_batch_is_as_many_single_boards(name):
    positions = random_positions(AGENTS[name][0], 40, seed=2)
    one, many, parts, other = (new_agent(name, seed) for seed in (9, 9, 9, 10))
    expected = many.act_batch(batch_of(positions)).tolist()
    assert [one.act(observation_of(position)) for position in positions] == expected
    halves = [parts.act_batch(batch_of(half)).tolist() for half in (positions[:15], positions[15:])]
    assert halves[0] + halves[1] == expected
    words = np.array([(position.own, position.opp) for position in positions], dtype=np.uint64)
    many.reseed(9)
    assert many.act_on(words).tolist() == expected
    several = len({tuple(other.act_on(words).tolist()) for _ in range(5)}) > 1
    assert several or name in ("neat", "nim_evolved")  # their champions are deterministic


def replies(agent, position, seat):
    """Return the position after the replies of the agent through ``act``, or the position at the end of the game."""
    while position.result is None and position.to_move != seat:
        position = position.play(agent.act(observation_of(position)))
    return position


@agents
def test_the_opponent_of_a_single_environment_plays_as_the_agent(name):
    game = AGENTS[name][0]
    env, reference, rng = (
        SingleAgentEnv(game, opponent=new_agent(name, 1)),
        new_agent(name, 5),
        np.random.default_rng(0),
    )
    seats = set()
    for episode in range(6):
        env.reset(seed=5 if episode == 0 else None)
        seats.add(env.seat)
        position = replies(reference, Position.start(game), env.seat)
        assert env.position == position
        while position.result is None:
            action = int(rng.choice(position.legal_actions()))
            _, _, terminated, truncated, _ = env.step(action)
            position = replies(reference, position.play(action), env.seat)
            assert env.position == position
            assert terminated == (position.result is not None)
            if truncated:
                break
    assert seats == {0, 1}


@agents
def test_the_opponents_of_a_vector_environment_play_as_agents_with_the_boards_seeds(name):
    game, seeds = AGENTS[name][0], [11, 3, 2**64 - 1]
    env, rng = VectorBoardEnv(game, 3, opponent=new_agent(name, 1), threads=2), np.random.default_rng(0)
    references = [new_agent(name, seed) for seed in seeds]
    env.reset(seed=seeds)
    positions = [replies(agent, Position.start(game), seat) for agent, seat in zip(references, env.seats, strict=True)]
    games = 0
    for _ in range(25):
        assert env.positions == positions
        actions = [rng.choice(each.legal_actions()) if each.result is None else 0 for each in positions]
        over = [each.result is not None for each in positions]
        games += sum(over)
        env.step(np.array(actions))
        for i, agent in enumerate(references):
            after = Position.start(game) if over[i] else positions[i].play(int(actions[i]))
            positions[i] = replies(agent, after, env.seats[i])
    assert games > 0


class Recorder(PositionAgent):
    """Play like an agent, and record the positions and actions since the last seed."""

    def __init__(self, agent):
        self.agent = agent
        super().__init__(agent.game)

    def reseed(self, seed):
        super().reseed(seed)
        if seed is not None:
            self.agent.reseed(seed)
        self.seed, self.words, self.actions = seed, [], []

    def act_on(self, words):
        actions = self.agent.act_on(words)
        self.words += words.tolist()
        self.actions += actions.tolist()
        return actions


def positions_of(recorder):
    return [Position(recorder.game, own, opp) for own, opp in recorder.words]


@agents
def test_an_agent_plays_in_a_match_as_through_act(name):
    game = AGENTS[name][0]
    first, second = (Recorder(new_agent(name, seed)) for seed in (1, 2))
    play_match(game, first, second, 4, max_cycles=30)
    for recorder, seed in ((first, 1), (second, 2)):
        reference = new_agent(name, seed)
        assert [reference.act(observation_of(position)) for position in positions_of(recorder)] == recorder.actions


@pytest.mark.extended
@agents
def test_an_agent_plays_in_a_comparison_as_through_act(name):
    game = AGENTS[name][0]
    entrants = [("a", Recorder(new_agent(name, 1))), ("b", Recorder(new_agent(name, 1)))]
    compare(game, entrants, games=2, seed=4, max_cycles=30)
    for (label, recorder), other in zip(entrants, "ba", strict=True):
        assert recorder.seed == derived_seed(4, label, other)
        reference = new_agent(name, recorder.seed)
        assert [reference.act(observation_of(position)) for position in positions_of(recorder)] == recorder.actions
        assert recorder.actions


def test_a_spec_string_names_the_same_opponent():
    env = make_vec("TicTacToe-v0", 2, opponent="mcts:simulations=20", seat=1)
    env.reset(seed=[4, 8])
    agents = [make_agent("mcts:simulations=20", TICTACTOE, seed=seed) for seed in (4, 8)]
    start = Position.start(TICTACTOE)
    assert env.positions == [start.play(agent.act(observation_of(start))) for agent in agents]


@kernel
def _seeds(state, seeds):
    for i in range(len(seeds)):
        seeds[i], state = next_seed(state)


@pytest.mark.parametrize("seed", [0, 5, 2**63, 2**64 - 1])
def test_the_sequence_is_the_same_in_python_and_in_compiled_code(seed):
    expected = [(seed + k * 0x9E3779B97F4A7C15**2) % 2**64 for k in range(50)]
    sequence, compiled = SeedSequence(seed), np.empty(50, np.uint64)
    assert [*sequence.take(1).tolist(), *sequence.take(0).tolist(), *sequence.take(49).tolist()] == expected
    assert sequence.take(1)[0] == (expected[-1] + STRIDE) % 2**64
    _seeds(np.uint64(seed), compiled)
    assert compiled.tolist() == expected


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "0"])
def test_a_seed_has_64_bits(seed):
    with pytest.raises(ValueError, match=r"^seed must be a whole number from 0 to 18446744073709551615, not "):
        SeedSequence(seed)


def test_the_generators_of_many_decisions_are_far_apart():
    """With 2^20 decisions no random generator reaches the start of another generator within 2^40 numbers."""
    increment = 0x9E3779B97F4A7C15
    steps = np.arange(2**20, dtype=np.uint64) * np.uint64(STRIDE * pow(increment, -1, 2**64) % 2**64)
    assert np.diff(np.sort(steps)).min() > 2**40
