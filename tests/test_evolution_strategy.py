"""Evolution strategies: features, evaluation and search compared with slow references, resumed runs, champions."""

import csv
import json
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from oracles.features import slow_features, slow_value
from playing import batch_of, observation_of, random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent
from ci_envs.agent_interface.policy import choose_batch
from ci_envs.agents.evolution import champion, evolution_strategy_training, read_champion
from ci_envs.agents.evolution import training as evolution_training
from ci_envs.agents.evolution.evaluation import EvaluationPolicy, GenomeEvaluator, gene_count
from ci_envs.agents.evolution.evolution_strategy import EvolutionStrategyAgent
from ci_envs.agents.evolution.evolution_strategy_training import EvolutionStrategyConfig, make_plan
from ci_envs.arena.match import play_match
from ci_envs.cli.main import main
from ci_envs.games import GridGame, evaluate, write_features
from ci_envs.kernels.compiler import kernel
from ci_envs.optimisation.evolution import PopulationEvolution, RandomNumbers, run
from ci_envs.optimisation.evolution.cma_es import CMAES
from ci_envs.registry.agents import AGENTS
from ci_envs.training import train as train_learner

TICTACTOE = ConnectN(3, 3, 3)
GAMES = (
    Quixo(),
    Quixo(3),
    ConnectN(),
    ConnectN(4, 5, 3, gravity=True),
    TICTACTOE,
    Nim(),
    Nim((3, 4, 5), max_take=2, misere=True),
    Quarto(),
    Quarto(squares=True),
)
SEARCHED = (TICTACTOE, Nim(), Quarto(), pytest.param(Quixo(3), marks=pytest.mark.slow))
STRATEGIES = ("plus", "comma", "cma")


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setattr(AGENTS, "registered", {"evolution_strategy": EvolutionStrategyAgent})


@kernel
def _features(game, own, opp, features):
    write_features(game, own, opp, features)


@kernel
def _value(evaluator, own, opp):
    return evaluate(evaluator, own, opp)


def features_of(position):
    found = np.full(len(position.game.feature_names), np.nan)  # all features must be written
    _features(position.game, np.uint64(position.own), np.uint64(position.opp), found)
    return found


def value_of(position, genome):
    room = np.full(len(position.game.feature_names), np.nan)
    evaluator = (GenomeEvaluator(position.game), position.game, np.array(genome, dtype=np.float64), room)
    return _value(evaluator, np.uint64(position.own), np.uint64(position.opp))


def actions_of(position, genome, depth, times=40):
    """Return the actions that the agent plays in a position, with several seeds."""
    policy = EvaluationPolicy(depth)
    words = np.array([[position.own, position.opp]] * times, dtype=np.uint64)
    actions = np.empty(times, dtype=np.int64)
    seeds = np.arange(times, dtype=np.uint64)
    choose_batch(policy, position.game, words, seeds, policy.memory(position.game, genome), actions)
    return set(actions.tolist())


def random_genome(game, hidden, seed):
    return np.random.default_rng(seed).standard_normal(gene_count(game, hidden))


# ------------------------------------------------------------------------------------------------------- the evaluation


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_features_are_those_of_a_slow_reference(game):
    check_features(game)


def test_a_game_from_outside_the_package_has_features_too(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "examples"))
    chomp = import_module("new_game").Chomp(3, 3)
    check_features(chomp)
    check_evaluation(chomp, 3)


def check_features(game):
    names = game.feature_names
    assert len(set(names)) == len(names)
    for position in random_positions(game, 60, seed=1):
        expected = slow_features(position)
        # the features without names are complete lines, or heaps with sizes that cannot occur
        assert all(not value for name, value in expected.items() if name not in names)
        assert features_of(position).tolist() == [expected.get(name, 0) for name in names]


@pytest.mark.parametrize("hidden", [0, 3])
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_evaluation_is_that_of_a_slow_reference(game, hidden):
    check_evaluation(game, hidden)


def check_evaluation(game, hidden):
    genome = random_genome(game, hidden, seed=2)
    values = [value_of(position, genome) for position in random_positions(game, 40, seed=3)]
    expected = [slow_value(position, genome) for position in random_positions(game, 40, seed=3)]
    np.testing.assert_allclose(values, expected, atol=1)
    assert np.abs(values).max() < 1_000_000


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_symmetric_positions_have_the_same_features(game):
    rng = np.random.default_rng(4)
    for position in random_positions(game, 12, seed=5):
        images = position.symmetries
        for chosen in rng.integers(len(images), size=8):
            assert features_of(images[chosen]).tolist() == features_of(position).tolist()


@pytest.mark.parametrize("game", [game for game in GAMES if isinstance(game, GridGame)], ids=repr)
def test_features_change_sign_with_the_view_or_stay(game):
    stays = np.array(["anyone's" in name for name in game.feature_names])
    ahead = np.where(stays, 0, random_genome(game, 0, seed=6))
    for position in random_positions(game, 30, seed=7):
        seen = Position(game, position.opp, position.own, position.to_move)
        assert features_of(seen).tolist() == (np.where(stays, 1, -1) * features_of(position)).tolist()
        assert value_of(seen, ahead) == -value_of(position, ahead)


@pytest.mark.parametrize("game", [Nim(), pytest.param(Nim((3, 4, 5), max_take=2), marks=pytest.mark.slow)], ids=repr)
def test_a_linear_evaluation_can_play_nim_perfectly(game):
    genome = np.array([float(name.startswith("nim-sum")) for name in game.feature_names])
    for position in random_positions(game, 60, seed=8):
        total = np.bitwise_xor.reduce([size % (game.limit + 1) for size in game.sizes(position.own)])
        if total:
            for action in actions_of(position, genome, depth=1):
                sizes = game.sizes(position.play(action).own)
                assert np.bitwise_xor.reduce([size % (game.limit + 1) for size in sizes]) == 0


# ----------------------------------------------------------------------------------------------------------- the search


def plain_negamax(position, genome, depth):
    if position.result is not None:
        return position.result * (2_000_000 + depth)
    if depth == 0:
        return int(value_of(position, genome))
    return max(worth(position, action, genome, depth) for action in position.legal_actions())


def worth(position, action, genome, depth):
    after = position.play(action)
    value = plain_negamax(after, genome, depth - 1)
    return value if after.to_move == position.to_move else -value


@pytest.mark.extended
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("hidden", [0, 3])
@pytest.mark.parametrize("game", SEARCHED, ids=repr)
def test_play_is_that_of_plain_negamax(game, hidden, depth):
    genome = random_genome(game, hidden, seed=9)
    for position in random_positions(game, 12, seed=10):
        values = {action: worth(position, action, genome, depth) for action in position.legal_actions()}
        best = {action for action, value in values.items() if value == max(values.values())}
        assert actions_of(position, genome, depth, times=200) == best


def wins_now(position):
    """Return whether an action of the player to move wins at once."""
    for action in position.legal_actions():
        after = position.play(action)
        if after.result is not None and (after.result if after.to_move == position.to_move else -after.result) == 1:
            return action
    return None


def loses_next(position, action):
    """Return whether an action loses at once, or lets the opponent win at once."""
    after = position.play(action)
    if after.result is not None:
        return (after.result if after.to_move == position.to_move else -after.result) == -1
    return after.to_move != position.to_move and wins_now(after) is not None


@pytest.mark.parametrize("game", [Quixo(), *SEARCHED, pytest.param(ConnectN(), marks=pytest.mark.slow)], ids=repr)
def test_wins_are_taken_and_losses_avoided(game):
    wins = escapes = 0
    for seed, position in enumerate(random_positions(game, 100, seed=11)):
        genome = random_genome(game, 0, seed)
        (action,) = actions_of(position, genome, 2, times=1)
        if wins_now(position) is not None:
            wins += 1
            after = position.play(action)
            assert after.result == (1 if after.to_move == position.to_move else -1)
            assert actions_of(position, genome, 1, times=1) <= set(position.legal_actions())
        else:
            losing = [loses_next(position, one) for one in position.legal_actions()]
            escapes += any(losing) and not all(losing)
            assert all(losing) or not loses_next(position, action)
    assert wins > 3
    assert escapes > 3


# ------------------------------------------------------------------------------------------------------- the strategies


def sphere(genomes, seed):
    return -((genomes - 3) ** 2).sum(axis=1)


@pytest.mark.parametrize(("strategy", "reached"), [("plus", 1e-6), ("comma", 1e-3)])
def test_strategies_of_the_engine_find_the_top_of_a_hill(strategy, reached):
    plan = make_plan(EvolutionStrategyConfig(strategy=strategy, generations=300), 6)
    evolution = PopulationEvolution(plan, sphere, RandomNumbers(6, -1, 1), seed=1)
    run(evolution, 300)
    assert -reached < evolution.population.record <= 0
    if strategy == "plus":
        assert all(now.best >= before.best for before, now in pairwise(evolution.history))


def test_cma_es_finds_the_top_of_a_hill_and_of_a_narrow_ridge():
    def ridge(x):
        return -(100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1)

    for hill, top in ((lambda x: sphere(x, 0), 3), (ridge, 1)):
        optimiser = CMAES(np.zeros(6), 0.5, seed=1)
        for _ in range(500):
            optimiser.tell(hill(optimiser.ask()))
        assert optimiser.mean == pytest.approx(np.full(6, top), abs=1e-3)


def test_cma_es_has_its_own_random_numbers():
    np.random.seed(7)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    one, other, third = (CMAES(np.zeros(4), 0.5, seed=seed, offspring=6, parents=2) for seed in (1, 1, 2**64 - 1))
    for _ in range(30):
        for optimiser in (one, other, third):
            genomes = optimiser.ask()
            assert genomes.shape == (6, 4)
            optimiser.tell(sphere(genomes, 0))
    assert one.genomes.tolist() == other.genomes.tolist() != third.genomes.tolist()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_cma_es_lives_with_equal_fitness():
    optimiser = CMAES(np.zeros(4), 0.5, seed=1)
    for _ in range(100):
        optimiser.tell(np.zeros(len(optimiser.ask())))
    assert np.isfinite(optimiser.ask()).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"start": np.zeros(1)}, "2 genes or more"),
        ({"sigma": 0}, "sigma must be"),
        ({"seed": -1}, "seed must be"),
        ({"offspring": 1}, "offspring must be a whole number from 2, not 1"),
        ({"offspring": 4, "parents": 5}, "population must be a whole number from 1 to 4, not 5"),
    ],
)
def test_cma_es_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        CMAES(**({"start": np.zeros(3), "sigma": 1, "seed": 0} | wrong))


# ------------------------------------------------------------------------------------------------------------- training

SHORT = {"games": 4, "depth": 1, "opponents": "random", "ladder": "random", "ladder_games": 2, "measurements": 1}


def train(folder, generations=4, environment="TicTacToe-v0", **options):
    options = {**SHORT, "generations": generations, **options}
    spec = train_learner("evolution_strategy", environment, output=folder, **options)
    assert spec == f"evolution_strategy:{folder / 'best.json'}"
    return (folder / "best.json").read_bytes()


def curve_of(folder):
    return list(csv.DictReader((folder / "curve.csv").read_text().splitlines()))


@pytest.mark.extended
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_training_makes_play_better(tmp_path, strategy):
    """From (1,3,5,7) the player who can choose wins by the nim-sum. Random weights do not know the nim-sum."""
    options = {"games": 60, "opponents": "random+minimax:depth=2", "seed": 1, "strategy": strategy}
    train(tmp_path, 40, "Nim-v0", **options)
    rows = curve_of(tmp_path)
    assert [int(row["generations"]) for row in rows] == list(range(41))
    early, late = (np.mean([float(row["mean"]) for row in part]) for part in (rows[:3], rows[-3:]))
    assert late > early + 0.2
    score = json.loads((tmp_path / "best.json").read_text())["notes"]["score"]
    assert score > early + 0.2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_makes_the_same_champion(tmp_path, strategy):
    one, other, third = (
        train(tmp_path / name, strategy=strategy, evaluation="mlp", hidden=2, peers=1, **options)
        for name, options in (("a", {"seed": 1}), ("b", {"seed": 1, "threads": 2}), ("c", {"seed": 2}))
    )
    assert one == other
    assert json.loads(one)["genome"] != json.loads(third)["genome"]
    assert json.loads(one)["options"] == {"depth": 1, "hidden": 2}


@pytest.mark.parametrize(
    "strategy", [STRATEGIES[0], *(pytest.param(other, marks=pytest.mark.slow) for other in STRATEGIES[1:])]
)
def test_a_run_that_was_broken_off_ends_in_the_same_champion(tmp_path, monkeypatch, strategy):
    options = {"strategy": strategy, "peers": 1, "seed": 3}
    whole = train(tmp_path / "whole", 8, **options)

    class Interrupted(evolution_training.FitnessByPlay):
        calls = 0

        def __call__(self, genomes, seed):
            Interrupted.calls += 1
            if Interrupted.calls in (4, 6):
                raise KeyboardInterrupt
            return super().__call__(genomes, seed)

    monkeypatch.setattr(evolution_training, "FitnessByPlay", Interrupted)
    for resume in (False, True):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "broken", 8, resume=resume, **options)
        assert not (tmp_path / "broken" / "best.json").exists()
    assert train(tmp_path / "broken", 8, resume=True, **options) == whole
    assert Interrupted.calls == 9 + 2  # no earlier generation was played again
    assert curve_of(tmp_path / "broken") == curve_of(tmp_path / "whole")


def test_a_run_resumes_with_more_generations_but_not_with_other_options(tmp_path):
    train(tmp_path, 3, seed=1)
    with pytest.raises(ValueError, match="there is a run in"):
        train(tmp_path, 3, seed=1)
    with pytest.raises(ValueError, match=r"has other options: seed=1 \(not 2\), sigma=0\.5 \(not 0\.1\)$"):
        train(tmp_path, 3, seed=2, sigma=0.1, resume=True)
    train(tmp_path, 5, seed=1, resume=True)
    assert len(curve_of(tmp_path)) == 6


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strategy": "annealing"}, "strategy must be plus, comma, cma or none, not 'annealing'"),
        ({"evaluation": "deep"}, "evaluation must be one of linear, mlp, rules, not 'deep'"),
        ({"hidden": 4}, "hidden=4 is for evaluation=mlp"),
        ({"evaluation": "rules", "hidden": 4, "depth": 2, "environment": "Quixo-v0"}, "hidden=4 is for evaluation=mlp"),
        ({"evaluation": "rules", "depth": 1, "environment": "Quixo-v0"}, "depth=1 has no effect with evaluation=rules"),
        ({"evaluation": "rules", "rules": 15}, "rules must be a whole number from 1 to 14, not 15"),
        ({"rules": 8}, "rules=8 is for evaluation=rules, not for evaluation=linear"),
        ({"evaluation": "rules", "depth": 2}, "evaluation=rules plays Quixo, not"),
        ({"evaluation": "mlp", "hidden": 0}, "hidden must be a whole number from 1 to 1000, not 0"),
        ({"evaluation": "mlp", "hidden": 1001}, "hidden must be a whole number from 1 to 1000, not 1001"),
        ({"depth": 0}, "depth must be a whole number from 1 to 64, not 0"),
        ({"sigma": -1}, "sigma must be a number above 0, not -1"),
        ({"games": 0}, "games must be a whole number from 1, not 0"),
        ({"threads": 0}, "threads must be a whole number from 1, not 0"),
        ({"generations": 0}, "generations must be a whole number from 1, not 0"),
        ({"seed": -1}, "seed must be"),
        ({"peers": -1}, "peers must be a whole number from 0, not -1"),
        ({"opponents": "nobody"}, "Unknown agent 'nobody'"),
        ({"opponents": 3}, r"opponents must be agents joined by \+, not 3"),
        ({"strategy": "comma", "population": 9, "offspring": 5}, "do not make a population of 9"),
        ({"strategy": "plus", "population": 0}, "population must be a whole number from 1, not 0"),
        ({"population": 9, "offspring": 5}, "population must be a whole number from 1 to 5, not 9"),
        ({"offspring": 1}, "offspring must be a whole number from 2, not 1"),
        ({"resume": True}, "there is no run in .* to resume"),
        ({"crossover": "blend"}, "crossover=blend is for strategy=plus or comma"),
        ({"strategy": "plus", "elite": 1}, "elite=1 is for strategy=comma, not for strategy=plus"),
    ],
)
def test_training_refuses_and_leaves_nothing_behind(tmp_path, wrong, message):
    with pytest.raises((ValueError, OSError), match=message):
        train(tmp_path / "run", **wrong)
    assert not (tmp_path / "run").exists()


def test_without_the_package_cma_the_strategy_is_comma(tmp_path, monkeypatch):
    monkeypatch.setattr(evolution_strategy_training, "find_spec", lambda name: None)
    with pytest.warns(RuntimeWarning, match=r"^strategy=cma needs cma: install the extra 'evolution', .* comma is"):
        train(tmp_path / "default", 2)
    train(tmp_path / "comma", 2, strategy="comma")  # does not raise, because this needs no package
    assert curve_of(tmp_path / "default") == curve_of(tmp_path / "comma")
    assert '"strategy": "comma"' in (tmp_path / "default" / "config.json").read_text()


def test_the_command_line_trains_for_generations(tmp_path):
    options = "games=2,depth=1,opponents=random,strategy=plus,ladder=random,ladder_games=2"

    def ci_envs_train(*arguments):
        return CliRunner().invoke(main, ["train", *map(str, arguments)])

    spec = f"evolution_strategy:{options}"
    done = ci_envs_train(spec, "TicTacToe-v0", "--generations", 2, "--output", tmp_path)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == f"trained: evolution_strategy:{tmp_path / 'best.json'}"
    assert len(curve_of(tmp_path)) == 3
    for arguments, message in (
        ((spec, "TicTacToe-v0", "--generations", 0, "--output", tmp_path / "x"), "generations"),
        ((spec, "TicTacToe-v0", "--steps", 9, "--generations", 2, "--output", tmp_path / "x"), "steps"),
        (("q_learning", "TicTacToe-v0", "--generations", 2, "--output", tmp_path / "x"), "generations"),
    ):
        refused = ci_envs_train(*arguments)
        assert refused.exit_code == 2
        assert message in refused.output
    assert not (tmp_path / "x").exists()


# ------------------------------------------------------------------------------------------------------------ the agent


def test_a_champion_comes_back_as_it_was_and_plays_as_its_policy(tmp_path):
    train(tmp_path, evaluation="mlp", hidden=2, depth=1, playing_depth=2)
    path = tmp_path / "best.json"
    kept = read_champion(path, "evolution_strategy", TICTACTOE)
    agent = make_agent(f"evolution_strategy:{path}", "TicTacToe-v0", seed=1)
    assert agent.champion.genome.tolist() == kept.genome.tolist()
    assert agent.depth == 2
    assert make_agent(f"evolution_strategy:{path},depth=1", "TicTacToe-v0").depth == 1
    for position in random_positions(TICTACTOE, 20, seed=2):
        assert agent.act(observation_of(position)) in actions_of(position, kept.genome, 2)
    observations = batch_of(random_positions(TICTACTOE, 50, seed=3))
    agent.reseed(4)
    first = agent.act_batch(observations).tolist()
    agent.reseed(4)
    assert agent.act_batch(observations).tolist() == first
    policy, memory = agent.policy()
    assert policy == EvaluationPolicy(2)
    assert memory[0].tolist() == kept.genome.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": "neat"}, "a champion of neat"),
        ({"game": "Nim()"}, "not of evolution_strategy for"),
        ({"genome": [1.0]}, "it needs 9 genes"),
        ({"genome": [1e300] * 9}, "it needs 9 genes of at most"),
        ({"genome": [float("nan")] * 9}, "not a list of numbers"),
        ({"options": {"depth": 1}}, "hidden"),
        ({"options": {"depth": 0, "hidden": 0}}, "depth must be"),
        ({"options": {"depth": 1, "hidden": "2"}}, "hidden must be"),
    ],
)
def test_other_files_are_refused_as_champions(tmp_path, change, message):
    about = json.loads(train(tmp_path, 1, strategy="plus"))
    path = tmp_path / "other.json"
    path.write_text(json.dumps(about | change))
    with pytest.raises(ValueError, match=message):
        EvolutionStrategyAgent(TICTACTOE, path)


def test_weighted_rules_are_trained_and_played(tmp_path):
    options = {"evaluation": "rules", "rules": 9, "depth": 2, "strategy": "plus", "games": 20}
    about = json.loads(train(tmp_path, 3, "Quixo-v0", **options))
    assert about["options"] == {"evaluation": "rules"}
    assert len(about["genome"]) == 9
    agent = make_agent(f"evolution_strategy:{tmp_path / 'best.json'}", "Quixo-v0", seed=1)
    assert agent.depth == 0
    total = play_match(agent.game, agent, make_agent("random", "Quixo-v0", seed=2), 100).sides[0].total
    assert total.wins >= 75  # equal weights win 89%
    with pytest.raises(ValueError, match="depth=2 is for an evaluation"):
        make_agent(f"evolution_strategy:{tmp_path / 'best.json'},depth=2", "Quixo-v0")
    path = tmp_path / "other.json"
    path.write_text(json.dumps(about | {"genome": [0.0] * 15}))
    with pytest.raises(ValueError, match="1 to 14 genes"):
        make_agent(f"evolution_strategy:{path}", "Quixo-v0")


@pytest.mark.extended
def test_the_champion_that_comes_with_the_package():
    agent = make_agent("evolution_strategy:quixo", "Quixo-v0", seed=1)
    total = play_match(agent.game, agent, make_agent("random", "Quixo-v0", seed=2), 200).sides[0].total
    assert total.wins >= 198
    assert Path(champion.__file__).with_name("champions").joinpath("evolution_strategy_quixo.json").is_file()
    with pytest.raises(ValueError, match="not a valid champion"):
        make_agent("evolution_strategy:quixo", "Quixo-v0:size=4")
