"""Evolved play of Nim: rules in compiled code, genomes, exact analysis, runs and champions."""

import csv
import itertools
import json
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import nim as slow_nim
from oracles.rules import nim_is_won
from playing import batch_of

from ci_envs import Nim, Position, Quixo, make_agent
from ci_envs.agent_interface.policy import choose_batch
from ci_envs.agents.evolution import FitnessByPlay, mean_scores, play_population
from ci_envs.agents.nim import evolved as nim_evolved
from ci_envs.agents.nim import genetic as nim_ga
from ci_envs.agents.nim import rules as nim_rules
from ci_envs.agents.nim import training as nim_training
from ci_envs.agents.nim.analysis import MAX_POSITIONS, NimAnalysis
from ci_envs.agents.nim.config import NimGAConfig
from ci_envs.agents.nim.evolved import FEATURES, NimEvolvedAgent, NimEvolvedPolicy, classes_of, rule_probabilities
from ci_envs.agents.nim.expert import NimExpertAgent
from ci_envs.agents.nim.genetic import NimGAAgent, NimGAPolicy
from ci_envs.agents.nim.rules import DETERMINISTIC_RULES, RANDOM_RULES
from ci_envs.agents.nim.training import make_plan
from ci_envs.arena.match import play_match
from ci_envs.cli.main import main
from ci_envs.games.nim import pack
from ci_envs.optimisation.evolution import (
    Blend,
    Elitism,
    Gaussian,
    Immigration,
    OneFifth,
    OnePoint,
    Plan,
    Plus,
    RouletteSelection,
    TournamentSelection,
    TruncationSelection,
    Uniform,
    UniformReset,
)
from ci_envs.registry import agents as registry_agents
from ci_envs.solver.nim import are_won
from ci_envs.training import train as train_learner

GAMES = (Nim((2, 3, 4)), Nim((3, 1, 2, 2), 2), Nim((2, 3, 4), 3, True), Nim((1, 2, 3), None, True))
SMALL = (Nim((1, 2, 3)), Nim((1, 2, 3), 2), Nim((2, 2, 2), None, True), Nim((2, 4), 2, True))
AGENTS = {"nim_ga": NimGAAgent, "nim_evolved": NimEvolvedAgent}


@pytest.fixture(autouse=True)
def _named(monkeypatch):
    """Register the agents by name, also if the package is not installed."""
    monkeypatch.setattr(registry_agents.AGENTS, "registered", AGENTS)


def heaps_of(game):
    return [heaps for heaps in itertools.product(*(range(size + 1) for size in game.heaps)) if any(heaps)]


def words_of(game, heaps):
    return np.array([pack(one) for one in heaps], dtype=np.uint64)


def moves(heaps, game):
    """Return the numbers of the actions and the positions after them, from the rules of Nim."""
    for row, size in enumerate(heaps):
        for number in range(1, min(size, game.limit) + 1):
            yield row * game.limit + number - 1, (*heaps[:row], size - number, *heaps[row + 1 :])


def expected_actions(rule, heaps, game):
    """Return the actions that a random rule can play, from its definition."""
    likes = {
        "nim_sum": lambda left: np.bitwise_xor.reduce(left) == 0,
        "nonzero_nim_sum": lambda left: np.bitwise_xor.reduce(left) != 0,
        "expert": lambda left: not nim_is_won(left, game.max_take, game.misere),
        "take_row": lambda left: left.count(0) > heaps.count(0),
        "leave_one": lambda left: left.count(1) == heaps.count(1) + 1,
    }.get(rule, lambda left: True)
    legal = dict(moves(heaps, game))
    return [action for action, left in legal.items() if likes(left)] or list(legal)


def chances_of_rule(rule, heaps, game):
    """Return the probability of each action of a rule, from its definition."""
    chances = np.zeros(game.action_count)
    if rule == "row_random":
        for row, size in enumerate(heaps):
            most = min(size, game.limit)
            chances[row * game.limit : row * game.limit + most] = 1 / most / np.count_nonzero(heaps) if most else 0
    elif rule in DETERMINISTIC_RULES:
        row, number = getattr(slow_nim, rule)(heaps, game)
        chances[row * game.limit + number - 1] = 1
    else:
        played = expected_actions(rule, heaps, game)
        chances[played] = 1 / len(played)
    return chances


# -------------------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize("game", [*GAMES, Nim((1, 3, 5, 7))], ids=str)
def test_compiled_rules_are_the_python_rules(game):
    for heaps in heaps_of(game):
        for rule in DETERMINISTIC_RULES:
            row, number = getattr(slow_nim, rule)(heaps, game)
            assert getattr(nim_rules, rule)(game, np.uint64(pack(heaps))) == row * game.limit + number - 1


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_chances_are_those_of_the_rules(game):
    rules, heaps = (*DETERMINISTIC_RULES, *RANDOM_RULES), heaps_of(game)
    chances = nim_rules.rule_action_probabilities(game, rules, words_of(game, heaps))
    for rule, one, row in ((r, h, chances[i, j]) for i, r in enumerate(rules) for j, h in enumerate(heaps)):
        assert row == pytest.approx(chances_of_rule(rule, one, game))


@pytest.mark.parametrize("rule", RANDOM_RULES)
def test_random_rules_play_with_these_chances(rule):
    game, heaps = Nim((2, 3, 0, 4)), (2, 2, 0, 4)
    position = batch_of([Position.from_text(game, "2,2,0,4 0")] * 3000)
    agent = make_agent(f"nim:{rule}", game, seed=0)
    counts = np.bincount(agent.act_batch(position), minlength=game.action_count)
    chances = chances_of_rule(rule, heaps, game)
    assert counts.sum() == counts[chances > 0].sum()
    assert np.abs(counts / 3000 - chances).max() < 0.04


def test_the_rules_play_the_same_in_compiled_code():
    game = Nim((1, 2, 3))
    agent = make_agent("nim:count_and_decide,odd=max_lowest,even=min_highest", game)
    rule = partial(slow_nim.count_and_decide, odd=slow_nim.max_lowest, even=slow_nim.min_highest)
    for expert in (NimExpertAgent(game), agent):
        assert expert.policy() is not None
    positions = [Position.from_text(game, f"{a},{b},{c} 0") for a, b, c in heaps_of(game)]
    expected = [row * game.limit + number - 1 for row, number in (rule(h, game) for h in heaps_of(game))]
    assert agent.act_batch(batch_of(positions)).tolist() == expected
    assert compiled_choices(agent, words_of(game, heaps_of(game))) == expected


def compiled_choices(agent, words):
    """Return the actions of the policy of an agent for each word."""
    actions = np.empty(len(words), dtype=np.int64)
    rows = np.stack((words, np.zeros_like(words)), axis=1)
    policy, memory = agent.policy()
    choose_batch(policy, agent.game, rows, np.zeros(len(words), dtype=np.uint64), memory, actions)
    return actions.tolist()


def test_theory_of_words_is_that_of_the_reference():
    for game in (*GAMES, *SMALL):
        expected = [nim_is_won(heaps, game.max_take, game.misere) for heaps in heaps_of(game)]
        assert are_won(words_of(game, heaps_of(game)), game).tolist() == expected


# ------------------------------------------------------------------------------------------------------------ genomes


@pytest.mark.parametrize(
    ("genome", "heaps", "names"),
    [
        # (1, 2, 2) leaves 2-1: (1, 1, 2) 2; 2-2 (1, 0, 2) 3; 3-1 2; 3-2 3; 1-1 (0, 2, 2) 0
        ((0, 0), (1, 2, 2), {"1-1"}),
        ((0, 2), (1, 2, 2), {"1-1", "2-1", "3-1"}),
        ((2, 0), (1, 2, 2), {"2-1", "3-1"}),
        ((3, 0.5), (1, 2, 2), {"2-2", "3-2"}),
        ((2.5, 0.5), (1, 2, 2), {"2-1", "3-1", "2-2", "3-2"}),
        ((2.4, 0), (1, 2, 2), {"2-1", "3-1"}),  # no action is in the range: the nearest actions are played
        ((1, 0), (1, 2, 2), {"1-1", "2-1", "3-1"}),  # 0 and 2 have the same distance from 1
        ((0, 7), (1, 2, 2), {"1-1", "2-1", "3-1", "2-2", "3-2"}),
    ],
)
def test_two_genes_by_hand(genome, heaps, names):
    game = Nim((1, 2, 2))
    chances = nim_ga.action_probabilities(game, np.array(genome, dtype=float), words_of(game, [heaps]))[0]
    assert {game.action_name(action): chance for action, chance in enumerate(chances) if chance} == pytest.approx(
        dict.fromkeys(names, 1 / len(names))
    )


@pytest.mark.parametrize(
    ("interpretation", "genome", "names"),
    [
        # (1, 2, 2) leaves the nim-sum 0 by 1-1, 2 by 2-1 and 3-1, and 3 by 2-2 and 3-2
        ("raw", (0.2, 0.3), {"1-1"}),
        ("raw", (1, 1), {"1-1", "2-1", "3-1"}),
        ("raw", (0.5, 0.4), {"1-1", "2-1", "3-1", "2-2", "3-2"}),  # no action is acceptable
        ("relative", (0, 0), {"1-1"}),
        ("relative", (1, 0), {"2-2", "3-2"}),
        ("relative", (0.5, 0.4), {"2-1", "3-1"}),  # 1.5 is the centre, 0.6 the radius
        ("relative", (0.5, 0.3), {"1-1", "2-1", "3-1", "2-2", "3-2"}),
        ("relative", (0.75, 0.5), {"2-1", "3-1", "2-2", "3-2"}),  # 2.25 is the centre, 0.75 the radius
    ],
)
def test_interpretations_of_report_a_by_hand(interpretation, genome, names):
    game = Nim((1, 2, 2))
    chances = nim_ga.action_probabilities(
        game, np.array(genome, dtype=float), words_of(game, [(1, 2, 2)]), interpretation
    )[0]
    assert {game.action_name(action): chance for action, chance in enumerate(chances) if chance} == pytest.approx(
        dict.fromkeys(names, 1 / len(names))
    )


def test_a_preference_of_0_is_the_theory_without_a_bound():
    analysis = NimAnalysis(Nim((1, 3, 5, 7)))
    for genome in ((0, 0), (0.4, 0.5), (0.49, 0)):
        assert share(analysis, nim_ga.action_probabilities, np.array(genome)) == (1, 1)
    for genome in ((0.5, 0), (0, 1), (1, 0)):
        assert share(analysis, nim_ga.action_probabilities, np.array(genome, dtype=float))[0] < 1


def share(analysis, chances_of, *arguments):
    chances = np.zeros((analysis.count, analysis.game.action_count))
    chances[1:] = chances_of(analysis.game, *arguments, analysis.words[1:])
    return analysis.share_won(chances)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_features_by_their_definition(game):
    heaps = heaps_of(game)
    for features in (FEATURES, ("single", "odd"), ()):
        for one, number in zip(heaps, classes_of(game, features, words_of(game, heaps)), strict=True):
            holds = {
                "odd": np.count_nonzero(one) % 2 == 1,
                "single": sum(size > 1 for size in one) == 1,
                "bound": game.max_take is not None and max(one) > game.max_take,
            }
            assert number == sum(holds[feature] << i for i, feature in enumerate(features))


def test_rules_are_asked_in_their_order():
    policy = NimEvolvedPolicy(("min_lowest", "max_lowest", "max_highest"), ("odd",))
    assert (policy.classes, policy.genes) == (2, 4)
    probabilities = rule_probabilities(policy, np.array([0.5, 0.5, 0, 0.25]))
    assert probabilities == pytest.approx(np.array([[0.5, 0.25, 0.25], [0, 0.25, 0.75]]))


def test_one_gene_is_a_threshold_between_two_rules():
    game, policy = Nim((2, 3)), NimEvolvedPolicy(("min_lowest", "max_highest"), ())
    assert policy.genes == 1
    chances = nim_evolved.action_probabilities(game, policy, np.array([0.3]), words_of(game, [(2, 3)]))[0]
    assert {game.action_name(a): c for a, c in enumerate(chances) if c} == pytest.approx({"1-1": 0.3, "2-3": 0.7})


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_play_has_the_computed_probabilities(data):
    """The shares won in compiled games agree with the exact analysis of the probabilities."""
    game = Nim((1, 2, 3))
    policy = NimEvolvedPolicy((*DETERMINISTIC_RULES, "nim_sum"), ("odd", "single"))
    genome = np.array(data.draw(st.lists(st.floats(0, 1), min_size=policy.genes, max_size=policy.genes)))
    two = np.array([data.draw(st.floats(0, 3)), data.draw(st.floats(0, 1))])
    analysis, games = NimAnalysis(game), 4000
    starts = np.resize(analysis.words[analysis.starts], games)
    words = np.stack((starts, np.zeros_like(starts)), axis=1)
    for player, genes, chances_of in (
        (policy, genome, lambda g, w: nim_evolved.action_probabilities(g, policy, genome, w)),
        (NimGAPolicy(), two, lambda g, w: nim_ga.action_probabilities(g, two, w)),
    ):
        won = (1 + mean_scores(played(game, player, genes, games, words))[0]) / 2
        exact = share(analysis, chances_of)[0]
        assert abs(won - exact) < 5 * (0.25 / games) ** 0.5 + 0.01  # the initial positions do not occur equally often


def played(game, policy, genome, games, words):
    return play_population(game, policy, genome[np.newaxis], [NimExpertAgent(game)], games, 1, starts=words)


# ------------------------------------------------------------------------------------------------------------ analysis


def slow_chance(heaps, game, choose, mine):
    """Return the chance to win against the expert, by the rules. ``choose(heaps)`` gives actions and their chances."""
    if not any(heaps):
        return Fraction(int(mine == game.misere))
    after = dict(moves(heaps, game))
    if mine:
        return sum(
            (chance * slow_chance(after[action], game, choose, False) for action, chance in choose(heaps)),
            Fraction(0),
        )
    actions = expected_actions("expert", heaps, game)
    return sum((slow_chance(after[a], game, choose, True) for a in actions), Fraction(0)) / len(actions)


def slow_shares(game, choose):
    choose = cache(choose)
    starts = [heaps for heaps in heaps_of(game) if nim_is_won(heaps, game.max_take, game.misere)]
    first = nim_is_won(game.heaps, game.max_take, game.misere)
    all_starts = sum((slow_chance(heaps, game, choose, True) for heaps in starts), Fraction(0)) / len(starts)
    return float(all_starts), float(slow_chance(game.heaps, game, choose, first))


def slow_class(heaps):
    return (np.count_nonzero(heaps) % 2) + 2 * (sum(size > 1 for size in heaps) == 1)


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_every_mapping_wins_the_share_of_an_enumeration(game):
    rules = ("max_lowest", "endgame_second", "nim_sum")
    analysis, features = NimAnalysis(game), ("odd", "single")
    shares = analysis.mappings(rules, features)
    assert shares.shape == (81, 2)
    for number in range(0, 81, 7):
        chosen = [rules[number // 3**c % 3] for c in range(4)]

        def choose(heaps, chosen=chosen):
            rule = chosen[slow_class(heaps)]
            if rule in RANDOM_RULES:
                wanted = expected_actions(rule, heaps, game)
                return [(action, Fraction(1, len(wanted))) for action in wanted]
            row, count = getattr(slow_nim, rule)(heaps, game)
            return [(row * game.limit + count - 1, Fraction(1))]

        assert tuple(shares[number]) == pytest.approx(slow_shares(game, choose))


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_the_positions_that_rules_keep_won(game):
    rules, features = (*DETERMINISTIC_RULES, *RANDOM_RULES), ("odd", "single")
    analysis = NimAnalysis(game)
    starts, kept, unsolvable_starts = np.zeros(4, int), np.zeros((4, len(rules)), int), set()
    for heaps in heaps_of(game):
        if not nim_is_won(heaps, game.max_take, game.misere):
            continue
        right = expected_actions("expert", heaps, game)
        keeps = []
        for rule in rules:
            if rule in RANDOM_RULES:
                keeps.append(set(expected_actions(rule, heaps, game)) <= set(right))
            else:
                row, number = getattr(slow_nim, rule)(heaps, game)
                keeps.append(row * game.limit + number - 1 in right)
        starts[slow_class(heaps)] += 1
        kept[slow_class(heaps)] += keeps
        if not any(keeps[: len(DETERMINISTIC_RULES)]):
            unsolvable_starts.add(heaps)
    counted = analysis.table(rules, features)
    assert counted[0].tolist() == starts.tolist()
    assert counted[1].tolist() == kept.tolist()
    assert {game.sizes(int(word)) for word in analysis.unsolvable_starts(DETERMINISTIC_RULES)} == unsolvable_starts
    assert not len(analysis.unsolvable_starts(("expert",)))


@pytest.mark.parametrize("game", [Nim((1, 2, 3)), Nim((1, 1, 2, 1)), Nim((1, 2, 3), 1)], ids=str)
def test_no_choice_of_rules_wins_more_than_the_ceiling(game):
    """The search tries all assignments of a rule to each position."""
    rules, analysis = ("min_lowest", "max_lowest", "endgame_second"), NimAnalysis(game)
    table = {rule: chosen_by(rule, game) for rule in rules}

    @cache
    def best(heaps, mine):
        if not any(heaps):
            return Fraction(int(mine == game.misere))
        after = dict(moves(heaps, game))
        if mine:
            return max(best(after[table[rule][heaps]], False) for rule in rules)
        actions = expected_actions("expert", heaps, game)
        return sum((best(after[a], True) for a in actions), Fraction(0)) / len(actions)

    starts = [heaps for heaps in heaps_of(game) if nim_is_won(heaps, game.max_take, game.misere)]
    mean = float(sum((best(heaps, True) for heaps in starts), Fraction(0)) / len(starts))
    first = nim_is_won(game.heaps, game.max_take, game.misere)
    assert analysis.upper_bound(rules) == pytest.approx((mean, float(best(game.heaps, first))))
    assert analysis.mappings(rules, ("odd", "single"))[:, 0].max() <= mean + 1e-12


def chosen_by(rule, game):
    pairs = ((heaps, getattr(slow_nim, rule)(heaps, game)) for heaps in heaps_of(game))
    return {heaps: row * game.limit + number - 1 for heaps, (row, number) in pairs}


def test_the_plain_rules_cannot_express_the_theory_but_nim_sum_is_it():
    analysis = NimAnalysis(Nim((1, 3, 5, 7)))
    assert analysis.starts.sum() == 336
    assert (
        analysis.mappings(DETERMINISTIC_RULES, ("odd", "single"))[:, 0].max()
        < analysis.upper_bound(DETERMINISTIC_RULES)[0]
        < 0.7
    )
    assert len(analysis.unsolvable_starts(DETERMINISTIC_RULES)) == 111
    assert analysis.mappings(("max_lowest", "nim_sum"), ("odd",)).max(axis=0).tolist() == [1, 1]
    # only taking the row of 2 wins 1, 2, 1, and no rule does this, because the row is in the middle
    middle = NimAnalysis(Nim((1, 2, 1)))
    assert {(1, 2, 1)} <= {middle.game.sizes(int(word)) for word in middle.unsolvable_starts(DETERMINISTIC_RULES)}


def test_the_expert_wins_all_and_random_play_some():
    for game in SMALL:
        analysis = NimAnalysis(game)
        chances = analysis.chances_of(["expert", "random"])
        assert analysis.share_won(chances[0]) == pytest.approx((1, 1))
        assert 0 < analysis.share_won(chances[1])[0] < 1


def test_the_analysis_refuses_large_games():
    with pytest.raises(ValueError, match=f"number of positions of Nim.*from 1 to {MAX_POSITIONS}"):
        NimAnalysis(Nim((255, 255, 255)))
    with pytest.raises(ValueError, match="number of mappings"):
        NimAnalysis(Nim((1, 2), 1)).mappings(DETERMINISTIC_RULES, FEATURES)


# ---------------------------------------------------------------------------------------------------------------- runs


LADDER = {"ladder": "random", "ladder_games": 2, "measurements": 1}


def train(folder, name="nim_ga", environment="Nim-v0:heaps=1,2,3", generations=4, **options):
    options = {**LADDER, "generations": generations, "population": 8, "games": 20, **options}
    spec = train_learner(name, environment, output=folder, **options)
    return make_agent(spec, environment, seed=0)


def test_evolution_beats_its_start(tmp_path):
    for name, least in (("nim_ga", 0.99), ("nim_evolved", 0.75)):
        agent = train_learner(name, "Nim-v0:heaps=1,2,3", generations=25, output=tmp_path / name, seed=1, **LADDER)
        genome = make_agent(agent, "Nim-v0:heaps=1,2,3").genome
        rows = list(csv.DictReader((tmp_path / name / "curve.csv").open()))
        assert [int(row["generations"]) for row in rows] == list(range(26))
        assert float(rows[-1]["mean"]) > float(rows[0]["mean"]) + 0.2
        assert json.loads((tmp_path / name / "best.json").read_text())["genome"] == genome.tolist()
        assert json.loads((tmp_path / name / "best.json").read_text())["notes"]["won"] > least


@pytest.mark.parametrize("name", AGENTS)
def test_a_broken_off_run_ends_in_the_same_champion(name, tmp_path, monkeypatch):
    whole = train(tmp_path / "whole", name)
    calls = itertools.count()
    original = FitnessByPlay.__call__

    def interrupted(self, genomes, seed):
        if next(calls) == 3:
            raise KeyboardInterrupt
        return original(self, genomes, seed)

    monkeypatch.setattr(FitnessByPlay, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "broken", name)
    assert not (tmp_path / "broken" / "best.json").exists()
    again = train(tmp_path / "broken", name, resume=True)
    assert again.genome.tolist() == whole.genome.tolist()
    for file in ("best.json", "curve.csv"):
        assert (tmp_path / "broken" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


@pytest.mark.parametrize(
    "environment",
    ["Nim-v0:heaps=1,2,3,max_take=2", pytest.param("Nim-v0:heaps=1,2,3,misere=true", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", AGENTS)
def test_bounds_and_misere_play_are_played(name, environment, tmp_path):
    agent = train(tmp_path, name, environment, starts="game", opponents="random+nim_expert", selection="roulette")
    result = play_match(agent.game, agent, make_agent("random", environment, seed=1), 100).sides[0]
    assert result.total.games == 100
    if name == "nim_evolved":
        assert agent.genome_policy.features == (FEATURES if "max_take" in environment else FEATURES[:2])


def test_a_champion_plays_on_the_command_line(tmp_path):
    from click.testing import CliRunner

    folder = tmp_path / "run"
    done = CliRunner().invoke(
        main,
        [
            "train",
            "nim_evolved:rules=max_lowest,max_highest,features=none,generations=2,population=4,games=4,ladder=random",
            "Nim-v0:heaps=1,2,3",
            "--output",
            str(folder),
        ],
    )
    assert done.exit_code == 0, done.output
    assert done.output.endswith(f"trained: nim_evolved:{folder / 'best.json'}\n")
    names = {file.name for file in folder.iterdir() if "tfevents" not in file.name}
    assert names == {"config.json", "checkpoint.npz", "curve.csv", "best.json"}
    agent = make_agent(f"nim_evolved:{folder / 'best.json'}", "Nim-v0:heaps=1,2,3")
    assert (agent.genome_policy.rules, agent.genome_policy.features, agent.genome.shape) == (
        ("max_lowest", "max_highest"),
        (),
        (1,),
    )


@pytest.mark.parametrize(
    ("spec", "environment"),
    [
        ("nim_ga:rows4", "Nim-v0"),
        ("nim_ga:rows5", "Nim-v0:heaps=1,3,5,7,9"),
        ("nim_evolved:rows4", "Nim-v0"),
        ("nim_evolved:rows5", "Nim-v0:heaps=1,3,5,7,9"),
    ],
)
def test_shipped_champions(spec, environment):
    agent = make_agent(spec, environment, seed=0)
    analysis = NimAnalysis(agent.game)
    if isinstance(agent, NimGAAgent):
        assert share(analysis, nim_ga.action_probabilities, agent.genome) == (1, 1)
    else:
        won, _ = share(analysis, nim_evolved.action_probabilities, agent.genome_policy, agent.genome)
        best = analysis.mappings(DETERMINISTIC_RULES, ("odd", "single"))[:, 0].max()
        assert won > 0.95 * best


def test_every_option_of_the_genetic_algorithm_has_its_effect():
    target = nim_ga.genetic_target(Nim())
    usual = make_plan(NimGAConfig(), target)
    assert usual == Plan(
        32,
        32,
        Gaussian(0.15 * 7, 0.5, 0.0, 7.0),
        TournamentSelection(3),
        Uniform(0.5),
        survive=Elitism(1),
        reevaluate=True,
    )
    for options, changes in (
        ({"population": 8, "offspring": 50}, {"population": 8, "offspring": 50}),
        ({"offspring": 50}, {"offspring": 50}),
        ({"sigma": 0.5, "mutation_rate": 1}, {"mutate": Gaussian(3.5, 1.0, 0.0, 7.0)}),
        ({"mutation": "uniform", "mutation_rate": 0.1}, {"mutate": UniformReset(0.0, 7.0, 0.1)}),
        ({"selection": "roulette"}, {"select": RouletteSelection()}),
        ({"tournament_size": 5}, {"select": TournamentSelection(5)}),
        ({"selection": "truncation", "truncation_share": 0.2}, {"select": TruncationSelection(0.2)}),
        ({"crossover": None}, {"crossover": None}),
        ({"crossover": "one_point", "crossover_rate": 0.3}, {"crossover": OnePoint(), "crossover_rate": 0.3}),
        ({"uniform_rate": 0.1}, {"crossover": Uniform(0.1)}),
        ({"crossover": "blend", "blend_alpha": 0.2}, {"crossover": Blend(0.2, 0.0, 7.0)}),
        ({"survival": "plus", "elite": 0}, {"survive": Plus()}),
        ({"elite": 4}, {"survive": Elitism(4)}),
        ({"step_rule": "one_fifth", "least_step": 0.1}, {"step_rule": OneFifth(1 + 2 / 64, 0.1)}),
        ({"step_rule": "one_fifth", "step_damping": 5}, {"step_rule": OneFifth(5.0)}),
        ({"immigration_patience": 3, "immigration_share": 0.5}, {"immigration": Immigration(3, 0.5)}),
        ({"hall_size": 9, "reevaluate": False}, {"hall_size": 9, "reevaluate": False}),
    ):
        assert make_plan(NimGAConfig(**options), target) == replace(usual, **changes)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("nim_ga", {"environment": "Quixo-v0"}, "plays Nim, not Quixo"),
        (
            "nim_ga",
            {"selection": "unknown"},
            "selection must be one of roulette, tournament, truncation, not 'unknown'",
        ),
        ("nim_ga", {"starts": "lost"}, "starts must be one of won, game, first, not 'lost'"),
        ("nim_ga", {"interpretation": "far"}, "interpretation must be one of nearest, raw, relative, not 'far'"),
        ("nim_ga", {"mutation": "none"}, "mutation must be one of normal, uniform, not 'none'"),
        ("nim_ga", {"opponents": "nobody"}, "Unknown agent 'nobody'"),
        ("nim_ga", {"seed": -1}, "seed must be a whole number"),
        ("nim_ga", {"generations": -1}, "generations must be a whole number"),
        ("nim_ga", {"environment": "Nim-v0:heaps=1,misere=true"}, "no position of .* is won for the player to move"),
        ("nim_evolved", {"rules": "max_lowest"}, "at least 2 different names of .*, not"),
        (
            "nim_evolved",
            {"rules": ("max_lowest", "max_middle")},
            "rules must be at least 2 different names of min_lowest",
        ),
        ("nim_evolved", {"rules": ("max_lowest", "max_lowest")}, "rules must be at least 2 different names"),
        ("nim_evolved", {"features": ("even",)}, "features must be different names of odd, single, bound"),
    ],
)
def test_bad_options_are_refused(name, change, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        train(tmp_path / "run", name, **change)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("change", [{"population": 1}, {"games": 0}])
def test_sizes_are_checked(change, tmp_path):
    options = {"population": 8, "games": 20} | change
    with pytest.raises(ValueError, match=f"{next(iter(change))} must be a whole number from"):
        train_learner("nim_ga", "Nim-v0", generations=2, output=tmp_path / "run", **options)


def test_a_run_is_not_lost_nor_mixed(tmp_path):
    train(tmp_path)
    with pytest.raises(ValueError, match="there is a run in"):
        train(tmp_path)
    with pytest.raises(ValueError, match=r"other options: starts=won \(not game\)$"):
        train(tmp_path, starts="game", resume=True)


def test_champions_play_their_own_game(tmp_path):
    train(tmp_path)
    path = tmp_path / "best.json"
    with pytest.raises(ValueError, match=r"a champion of nim_ga for Nim\(heaps=\(1, 2, 3\).*not of nim_ga for"):
        NimGAAgent(Nim((1, 2, 3), 2), path)
    with pytest.raises(ValueError, match="not of nim_evolved"):
        NimEvolvedAgent(Nim((1, 2, 3)), path)
    for kind in AGENTS.values():
        with pytest.raises(ValueError, match="plays Nim, not Quixo"):
            kind(Quixo(), path)
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about | {"genome": [1.0]}))
    with pytest.raises(ValueError, match="nim_ga needs 2 genes"):
        NimGAAgent(Nim((1, 2, 3)), path)
    train(tmp_path / "other", "nim_evolved")
    path = tmp_path / "other" / "best.json"
    about = json.loads(path.read_text())
    for damage in ({"genome": [0.5]}, {"options": {}}, {"options": {"rules": ["unknown"], "features": []}}):
        path.write_text(json.dumps(about | damage))
        with pytest.raises(ValueError, match="is not a valid champion"):
            NimEvolvedAgent(Nim((1, 2, 3)), path)


def test_starts_are_checked():
    game = Nim((1, 2))
    for starts in (np.zeros((3, 2), np.uint64), np.zeros((4, 2), np.int64)):
        with pytest.raises(ValueError, match="starts must be uint64 of shape"):
            play_population(game, NimGAPolicy(), np.zeros((1, 2)), [NimExpertAgent(game)], 4, 0, starts=starts)


def test_the_genome_moves_first_in_all_games():
    game = Nim((1, 2))  # won for the player who moves first
    starts = nim_training.starts_of(game, "first")(7, np.random.default_rng(0))
    assert starts.tolist() == [list(game.start())] * 7
    assert played(game, NimGAPolicy(), np.zeros(2), 7, starts).tolist() == [[[7, 0, 0]]]


def test_the_experiment_of_report_a_can_be_trained(tmp_path):
    environment = "Nim-v0:heaps=1,3,5,misere=true"
    options = {"interpretation": "relative", "starts": "first", "mutation": "uniform", "crossover": "blend"}
    opponents = "nim:row_random+nim:max_lowest+nim:nonzero_nim_sum"
    agent = train(tmp_path, environment=environment, opponents=opponents, **options)
    assert agent.genome_policy == NimGAPolicy("relative")
    assert (agent.genome <= 1).all()
    assert json.loads((tmp_path / "best.json").read_text())["options"] == {"interpretation": "relative"}


def test_the_proposals_for_report_b_can_be_trained(tmp_path):
    """A gene for each of several rules, a bound, (mu, lambda), and extinction."""
    options = {
        "rules": "take_row+leave_one+random",
        "features": None,
        "survival": "comma",
        "elite": 0,
        "offspring": 48,
        "immigration_patience": 0,
        "immigration_share": 1,
        "starts": "first",
    }
    agent = train(tmp_path, "nim_evolved", "Nim-v0:heaps=1,2,3,max_take=2", **options)
    assert agent.genome_policy == NimEvolvedPolicy(("take_row", "leave_one", "random"), ())
    assert agent.genome.shape == (2,)


def test_won_starts_are_exactly_the_won_positions():
    game = Nim((1, 2, 3), 2, True)
    words = nim_training.won_positions(game, 2000, np.random.default_rng(0))
    expected = {pack(heaps) for heaps in heaps_of(game) if nim_is_won(heaps, game.max_take, game.misere)}
    assert set(words[:, 0].tolist()) == expected
