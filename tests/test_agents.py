"""Agents: their construction, and the agents random, minimax and exact."""

import io
import itertools
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from oracles.exhaustive import exact_value
from playing import batch_of, observation_of, random_positions

import ci_envs
from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent
from ci_envs.agent_interface.making import register_agent
from ci_envs.agents import Agent
from ci_envs.registry.agents import AGENTS
from ci_envs.solver.nim import are_won
from ci_envs.training.learners import trainer_of

GAMES = (
    Quixo(3),
    Quixo(5),
    ConnectN(3, 3, 3),
    ConnectN(4, 5, 3, True),
    Nim((2, 3, 4)),
    Nim((2, 3, 4), 2, True),
    Quarto(),
)


def plain_minimax(position, depth):
    """Return the value of a full-width search: +1, 0, -1, or None if the depth does not suffice."""
    if position.result is not None:
        return position.result
    if depth == 0:
        return None
    values = []
    for action in position.legal_actions():
        after = position.play(action)
        value = plain_minimax(after, depth - 1)
        values.append(value if value is None or after.to_move == position.to_move else -value)
    if 1 in values:
        return 1
    return None if None in values else max(values)


@pytest.mark.parametrize(
    ("spec", "environment", "included"),
    [
        ("alphazero:quixo6", "Quixo-v0", "quixo4, quixo5, quixo5_lines, tictactoe"),
        ("sb3:connect", "ConnectFour-v0", "connect_four, quixo, tictactoe"),
        ("neat:quixo6", "Quixo-v0", "quixo"),
        ("nim_ga:rows6", "Nim-v0", "rows4, rows5"),
    ],
)
def test_the_error_for_an_unknown_name_lists_the_included_files(spec, environment, included, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        FileNotFoundError, match=rf"No such file or included name \(.*{included}\): '{spec.partition(':')[2]}'"
    ):
        make_agent(spec, environment)
    with pytest.raises(FileNotFoundError, match="No such file or directory: 'other/name'"):
        make_agent(f"{spec.partition(':')[0]}:other/name", environment)


@pytest.mark.parametrize("spec", ["random", "minimax:depth=2"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_plays_legal_actions_only(spec, game):
    positions = random_positions(game, 200, seed=0)
    actions = make_agent(spec, game, seed=0).act_batch(batch_of(positions))
    assert actions.shape == (200,)
    assert actions.dtype == np.int64
    assert all(action in position.legal_actions() for position, action in zip(positions, actions, strict=True))


@pytest.mark.parametrize("spec", ["random", "minimax:depth=1"])
def test_same_seed_same_actions(spec):
    game = Quarto()  # positions in which all first actions have the same value for minimax
    seen = batch_of([Position.start(game)] * 50)
    first, second, third = (make_agent(spec, game, seed=seed).act_batch(seen).tolist() for seed in (1, 1, 2))
    assert first == second != third
    agent = make_agent(spec, game, seed=5)
    agent.act_batch(seen)
    agent.reseed(1)
    assert agent.act_batch(seen).tolist() == first


def test_act_is_act_batch_of_one():
    position = Position.start(Quixo())
    one, many = make_agent("random", Quixo(), seed=3), make_agent("random", Quixo(), seed=3)
    assert one.act(observation_of(position)) == many.act_batch(batch_of([position]))[0]
    assert type(one.act(observation_of(position))) is int


def test_random_is_uniform():
    position = Position.from_text(ConnectN(3, 3, 3), "XO./.X./..O X")
    actions = make_agent("random", position.game, seed=0).act_batch(batch_of([position] * 5000))
    counts = np.bincount(actions, minlength=9)[list(position.legal_actions())]
    assert counts.sum() == 5000
    assert abs(counts - 1000).max() < 140  # 5 standard deviations


@pytest.mark.extended
@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_finds_every_win_and_loss_within_its_depth(game, depth):
    """The action wins if a plain search of the same depth wins, and loses only if all actions lose."""
    agent = make_agent(f"minimax:depth={depth}", game, seed=depth)
    positions = random_positions(game, 40, seed=depth)
    for position, action in zip(positions, agent.act_batch(batch_of(positions)).tolist(), strict=True):
        values = {}
        for other in position.legal_actions():
            after = position.play(other)
            value = plain_minimax(after, depth - 1)
            values[other] = value if value is None or after.to_move == position.to_move else -value
        if 1 in values.values():
            assert values[action] == 1
        elif any(value != -1 for value in values.values()):
            assert values[action] != -1


def test_minimax_at_full_depth_keeps_the_value_of_every_tictactoe_position():
    game = ConnectN(3, 3, 3)
    seen, frontier = set(), {Position.start(game)}
    while frontier:
        seen |= frontier
        frontier = {p.play(a) for p in frontier if p.result is None for a in p.legal_actions()}
    positions = [position for position in seen if position.result is None]
    assert len(seen) == 5478
    actions = make_agent("minimax:depth=9", game, seed=0).act_batch(batch_of(positions)).tolist()
    for position, action in zip(positions, actions, strict=True):
        assert -exact_value(position.play(action)) == exact_value(position)


@cache
def exact_distance(position):
    """Return the plies to the end of tic-tac-toe under optimal play (the winner is fast, the loser is slow)."""
    if position.result is not None:
        return 0
    after = [position.play(action) for action in position.legal_actions()]
    value = exact_value(position)
    kept = [exact_distance(other) for other in after if -exact_value(other) == value]
    return 1 + (min(kept) if value == 1 else max(kept))


def test_minimax_takes_the_quickest_win_and_the_slowest_loss():
    game = ConnectN(3, 3, 3)
    positions = [p for p in random_positions(game, 2000, seed=0) if exact_value(p) != 0]
    actions = make_agent("minimax:depth=9", game, seed=0).act_batch(batch_of(positions)).tolist()
    for position, action in zip(positions, actions, strict=True):
        assert exact_distance(position.play(action)) == exact_distance(position) - 1


def test_minimax_plays_equal_actions_evenly():
    position = Position.start(ConnectN(3, 3, 3))  # every first move draws
    actions = make_agent("minimax:depth=9", position.game, seed=0).act_batch(batch_of([position] * 900))
    counts = np.bincount(actions, minlength=9)
    assert abs(counts - 100).max() < 48  # 5 standard deviations


def test_minimax_knows_that_the_placing_player_gives_in_quarto():
    """With one ply to place and one ply to give, the agent must see that its own piece loses."""
    game = Quarto()
    position = Position.from_text(game, "012./..../..../.... 3 0")
    assert position.play(position.parse_action("d1")).result == 1
    agent = make_agent("minimax:depth=1", game, seed=0)
    assert position.action_name(agent.act(observation_of(position))) == "d1"
    # pieces 0, 1, 2 share two attributes: giving a piece that lacks one of these attributes loses at once
    giving = Position.from_text(game, "012./..../..../.... - 1")
    losing = [a for a in giving.legal_actions() if plain_minimax(giving.play(a), 1) == 1]
    assert 0 < len(losing) < len(giving.legal_actions())
    careful = make_agent("minimax:depth=2", game, seed=0)
    assert not set(careful.act_batch(batch_of([giving] * 50)).tolist()) & set(losing)


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("max_take", [None, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_nim_theory_agrees_with_search_of_every_position(max_take, misere):
    game = Nim((3, 4, 5), max_take, misere)
    for heaps in itertools.product(range(4), range(5), range(6)):
        if any(heaps):
            position = Position.from_text(game, f"{heaps[0]},{heaps[1]},{heaps[2]} 0")
            assert are_won(np.array([position.own], np.uint64), game) == [exact_value(position) == 1]


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("max_take", [None, 2])
def test_nim_expert_wins_every_won_position(max_take, misere):
    game = Nim((3, 4, 5), max_take, misere)
    texts = [",".join(map(str, heaps)) for heaps in itertools.product(range(4), range(5), range(6)) if any(heaps)]
    positions = [Position.from_text(game, f"{text} 0") for text in texts]
    actions = make_agent("nim_expert", game, seed=0).act_batch(batch_of(positions)).tolist()
    for position, action in zip(positions, actions, strict=True):
        assert -exact_value(position.play(action)) == exact_value(position)


def test_nim_expert_plays_nim_only():
    with pytest.raises(ValueError, match="Quixo"):
        make_agent("nim_expert", "Quixo-v0")


def test_human_is_asked_until_the_action_is_legal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("z9\nA1\n b2 \n"))
    position = Position.from_text(ConnectN(3, 3, 3), "X../.../... O")
    action = make_agent("human", position.game).act(observation_of(position))
    assert position.action_name(action) == "b2"
    said = capsys.readouterr().out
    assert "'z9' is not an action" in said
    assert "illegal" in said
    assert said.count("your move") == 3


@pytest.mark.parametrize("target", ["Quixo-v0:size=4", ci_envs.Quixo(4)], ids=["id", "game"])
def test_is_made_for_an_id_or_a_game(target):
    assert make_agent("random", target).game == ci_envs.Quixo(4)


def test_is_made_for_an_environment_even_if_wrapped():
    import gymnasium
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    aec = ci_envs.make("Nim-v0")
    for env in (aec, OrderEnforcingWrapper(aec), gymnasium.make("ci_envs/Nim-v0")):
        assert make_agent("random", env).game == Nim()


@pytest.mark.parametrize(
    ("spec", "target", "error", "words"),
    [
        ("minmax", "Quixo-v0", ValueError, ["'minmax'", "minimax", "random", "human", "nim_expert"]),
        ("minimax:width=3", "Quixo-v0", ValueError, ["minimax", "'width'", "depth"]),
        ("minimax:depth=0", "Quixo-v0", ValueError, ["depth", "0", "1 to 64"]),
        ("minimax:depth=two", "Quixo-v0", ValueError, ["depth", "'two'"]),
        ("minimax:depth=2.5", "Quixo-v0", ValueError, ["depth", "2.5"]),
        ("minimax:3", "Quixo-v0", ValueError, ["'3'", "key=value"]),
        ("random:seed=3", "Quixo-v0", ValueError, ["'seed'", "(none)"]),
        ("needy", "Quixo-v0", ValueError, ["needy", "path"]),
        ("needy:a,path=b", "Quixo-v0", ValueError, ["'a'", "key=value"]),
        ("needy:path=a,path=b", "Quixo-v0", ValueError, ["'path'", "twice"]),
        ("needy:", "Quixo-v0", ValueError, ["''", "key=value"]),
        ("random:fast", "Quixo-v0", ValueError, ["random", "'fast'", "key=value"]),
        ("random", "Quixo-v0:4", ValueError, ["Quixo-v0", "'4'", "key=value"]),
        ("random", "Quixo-v9", ValueError, ["'Quixo-v9'", "Quixo-v0"]),
        ("random", object, TypeError, ["object"]),
    ],
)
def test_bad_specs_are_named_with_the_choices(spec, target, error, words, monkeypatch):
    monkeypatch.setattr(AGENTS, "registered", {"needy": lambda game, path, seed=None: None})
    with pytest.raises(error, match=r"^[^\n]+$") as caught:
        make_agent(spec, target)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "path", "fast"),
    [
        ("needy:runs/a.b-c_1/best.safetensors", "runs/a.b-c_1/best.safetensors", False),
        ("needy:5", "5", False),  # the text is unchanged
        ("needy:none,fast=true", "none", True),
        ("needy:C:x", "C:x", False),
        ("needy:a,b", "a,b", False),
        ("needy:'a,b=1',fast=true", "a,b=1", True),
        ("needy:runs/Quixo-v0:size=3/table.npz,fast=true", "runs/Quixo-v0:size=3/table.npz", True),
        ("needy:path=runs/seed=1/best", "runs/seed=1/best", False),
        ("needy:fast=true,path=a", "a", True),
    ],
)
def test_a_first_value_without_a_name_is_that_of_the_required_option(spec, path, fast, monkeypatch):
    def needy(game, path, fast=False, seed=None):
        return SimpleNamespace(act=print, given=(path, fast))

    monkeypatch.setattr(AGENTS, "registered", {"needy": needy})
    assert make_agent(spec, "Nim-v0").thing.given == (path, fast)


def test_one_broken_package_hides_no_learner(monkeypatch):
    def broken(name):
        raise ImportError("no such package")

    learner = type("Learner", (), {"trainer": print})
    monkeypatch.setattr(AGENTS, "registered", {"learner": learner})
    monkeypatch.setattr("ci_envs.registry.components.plugins", lambda group: {"lost": type("", (), {"load": broken})()})
    with pytest.raises(ImportError, match="no such package"):
        trainer_of("lost")
    monkeypatch.setitem(AGENTS.registered, "random", Agent)
    with pytest.raises(ValueError, match=r"Agent 'random' cannot be trained. Available: learner$"):
        trainer_of("random")
    assert trainer_of("learner") is print


def test_an_agent_can_be_registered(monkeypatch):
    class Last(Agent):
        def __init__(self, game, *, offset=0, seed=None):
            super().__init__(game, seed=seed)
            self.offset = offset

        def act_batch(self, observations):
            return np.array([np.flatnonzero(mask)[-1 - self.offset] for mask in observations["action_mask"]])

    monkeypatch.setattr(AGENTS, "registered", {})
    register_agent("last", Last)
    assert "last" in AGENTS.names()
    position = Position.start(Nim())
    assert make_agent("last:offset=1", Nim()).act(observation_of(position)) == position.legal_actions()[-2]
    with pytest.raises(ValueError, match="'last' is registered already"):
        register_agent("last", Last)
    with pytest.raises(ValueError, match="'minimax' is registered already"):
        register_agent("minimax", Last)
    with pytest.raises(ValueError, match="'my:agent'"):
        register_agent("my:agent", Last)
