"""Reports A and E on AlphaZero, compared with slow versions from their descriptions."""

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch
from playing import random_positions

from ci_envs import ConnectN, Position, Quixo, make_agent
from ci_envs.agent_interface.capabilities import as_analyst
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.random import RandomAgent
from ci_envs.arena import play_match
from ci_envs.kernels.bits import bit_counts
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.alphazero_training import train_alphazero
from ci_envs.reports.description import Description
from ci_envs.reports.descriptions import descriptions
from ci_envs.reports.report_a.quixo_alphazero import ReportTraining, play_itself, search_actions, signed_planes
from ci_envs.reports.report_e import experiments
from ci_envs.reports.report_e.agent import trained_agent
from ci_envs.reports.report_e.compiled_network import compiled_network, evaluate_board
from ci_envs.reports.report_e.experiments import measure_experiments
from ci_envs.reports.report_e.exploration import ExploreSettings, explore, new_tree, next_move, plant_root
from ci_envs.reports.report_e.matches import PerfectPlayRecord, play_perfect_defender
from ci_envs.reports.report_e.self_play import different_openings, game_loss, play_game, train
from ci_envs.reports.report_e.threats import blocked_threats
from ci_envs.reports.report_e.trainings import (
    DESCRIBED,
    ENVIRONMENT,
    OURS,
    described_network,
    read_logs,
    train_from_start,
)
from ci_envs.reports.section import RunOptions
from ci_envs.reports.section_run import SectionRun

FOUR = ConnectN()


@pytest.fixture(scope="module")
def network():
    return new_network(FOUR, ARCHITECTURES["unpadded"], 3)


def words_of(positions):
    return np.array([(position.own, position.opp) for position in positions], dtype=np.uint64)


# --- report E


def test_the_compiled_network_returns_the_outputs_of_pytorch(network):
    compiled = compiled_network(network)
    boards = np.random.default_rng(0).integers(-1, 2, (20, 6, 6))
    planes = torch.from_numpy(np.stack([boards == 1, boards == -1], axis=1)).float()
    with torch.no_grad():
        logits, values, _ = network(planes)
    for number, board in enumerate(boards):
        compiled.board[:, :, 0] = board
        assert evaluate_board(compiled) == pytest.approx(values[number].item(), abs=1e-6)
        np.testing.assert_allclose(compiled.policy.out[0, 0], logits[number].numpy(), atol=1e-6)


class PlainTreeNode:
    """A node of report E's search in plain Python. Values are for the player who moved to the node."""

    def __init__(self, position, mother=None, prior=0.0):
        self.position, self.mother, self.prior = position, mother, prior
        self.children, self.n, self.v, self.u = {}, 0, 0.0, 0.0
        self.over = position.result is not None
        if self.over:
            self.v = -position.result
            self.u = self.v * math.inf if self.v else 0.0


class PlainExploration:
    """Run report E's ``explore`` in plain Python, with the random numbers of the compiled version."""

    def __init__(self, position, network, seed, repaired):
        self.root, self.network, self.state, self.repaired = PlainTreeNode(position), network, np.uint64(seed), repaired

    def below(self, bound):
        number, state = random_below(self.state, bound)
        self.state = np.uint64(state)
        return int(number)

    def evaluate(self, position):
        """Return priors by action and the value of a position. The board is rotated; the priors are rotated back."""
        cells = np.arange(36).reshape(6, 6)
        image = self.below(8) if self.repaired else 0
        stones = np.array([(position.own >> cell & 1) - (position.opp >> cell & 1) for cell in range(36)])
        turned = [cells.ravel()[cell] for cell in FOUR.cell_maps()[image]]  # the target of each cell
        board = np.zeros(36)
        board[turned] = stones
        planes = np.stack([board == 1, board == -1]).reshape(1, 2, 6, 6)
        with torch.no_grad():
            logits, value, _ = self.network(torch.from_numpy(planes).float())
        weights = {action: math.exp(logits[0, turned[action]]) for action in position.legal_actions()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}, value.item()

    def explore(self):
        here = self.root
        while here.children:
            largest = max(child.u for child in here.children.values())
            ties = [child for child in here.children.values() if child.u == largest]
            chosen = ties[self.below(len(ties))]
            if self.repaired and math.isinf(largest):
                here.u, here.v = -largest, math.copysign(1.0, -largest)
                break
            here = chosen
        if not here.children and not here.over:
            priors, value = self.evaluate(here.position)
            here.v = -value
            here.children = {a: PlainTreeNode(here.position.play(a), here, prior) for a, prior in priors.items()}
        here.n += 1
        while here.mother:
            mother = here.mother
            mother.n += 1
            mother.v += (-here.v - mother.v) / mother.n
            for child in mother.children.values():
                if not (self.repaired and math.isinf(child.u)):
                    child.u = child.v + child.prior * math.sqrt(mother.n) / (1 + child.n)
            here = mother


@pytest.mark.parametrize("repaired", [False, True])
def test_exploring_is_that_of_the_plain_search(network, repaired):
    settings = ExploreSettings(explorations=80, repaired=repaired)
    tree = new_tree(FOUR, 80, compiled_network(network), 0)
    for number, position in enumerate(random_positions(FOUR, 12, seed=2)):
        plain = PlainExploration(position, network, number, repaired)
        while plain.root.n < 80:
            plain.explore()
        tree.random[0] = number
        plant_root(tree, position.own, position.opp)
        explore(FOUR, tree, settings)
        root, children = tree.nodes[0], tree.nodes[1 : 1 + len(plain.root.children)]
        assert root["v"] == pytest.approx(plain.root.v, abs=1e-5)
        for child, (action, expected) in zip(children, plain.root.children.items(), strict=True):
            assert (child["action"], child["n"]) == (action, expected.n)
            assert child["u"] == pytest.approx(expected.u, abs=1e-5)
        assert tree.random[0] == plain.state


def test_moves_are_drawn_by_visits_or_among_the_winning_ones(network):
    tree = new_tree(FOUR, 10, compiled_network(network), 0)
    plant_root(tree, np.uint64(0), np.uint64(0))
    explore(FOUR, tree, ExploreSettings(explorations=10))
    children = tree.nodes[1:37]
    children["n"], children["u"] = 0, 0.0
    children["n"][[4, 7]] = 1, 3
    counts = np.zeros(36)
    for _ in range(400):
        counts[next_move(tree, ExploreSettings(temperature=0.5)) - 1] += 1
    np.testing.assert_allclose(tree.shares[[4, 7]], [0.1, 0.9])
    assert counts[[4, 7]].sum() == 400
    assert counts[4] == pytest.approx(40, abs=20)
    children["u"][[2, 9]] = np.inf
    assert {int(next_move(tree, ExploreSettings())) for _ in range(50)} == {3, 10}
    assert tree.shares[[2, 9]].tolist() == [0.5, 0.5]
    assert int(next_move(tree, ExploreSettings(repaired=False))) in (5, 8)


def test_the_loss_is_the_sum_over_the_moves_of_a_game(network):
    played = play_game(FOUR, network, ExploreSettings(explorations=30), 5)
    planes = observations_of(FOUR, played.words)["observation"]
    with torch.no_grad():
        logits, values, _ = network(torch.from_numpy(planes).permute(0, 3, 1, 2).float())
    total = 0.0
    for ply, (own, opp) in enumerate(played.words.tolist()):
        free = [cell for cell in range(36) if not (own | opp) >> cell & 1]
        weights = {cell: math.exp(logits[ply, cell]) for cell in free}
        player = 1 if ply % 2 == 0 else -1
        total += (values[ply].item() * player - played.outcome) ** 2
        shares = {cell: played.shares[ply, cell] for cell in free if played.shares[ply, cell] > 0}
        assert sum(shares.values()) == pytest.approx(1)
        total += sum(p * math.log(p * sum(weights.values()) / weights[cell]) for cell, p in shares.items())
    loss = game_loss(network, FOUR, played)
    assert loss.item() == pytest.approx(total, rel=1e-4)
    assert loss.requires_grad


def test_the_listing_of_report_e_cannot_train(network):
    played = play_game(FOUR, network, ExploreSettings(explorations=30, repaired=False), 5)
    loss = game_loss(network, FOUR, played, as_listed=True)
    assert not loss.requires_grad
    assert loss.item() == len(played.words) * played.outcome**2  # no divergence, and a value of 0 everywhere


def test_self_play_alternates_and_keeps_its_tree(network):
    played = play_game(FOUR, network, ExploreSettings(explorations=40), 1)
    stones = bit_counts(played.words)
    np.testing.assert_array_equal(stones.sum(axis=1), np.arange(len(played.words)))
    assert played.outcome == (1 if len(played.words) % 2 else -1)
    again = play_game(FOUR, network, ExploreSettings(explorations=40), 1)
    np.testing.assert_array_equal(again.shares, played.shares)


def test_training_learns_and_repeats():
    def losses(games):
        training = train(new_network(FOUR, ARCHITECTURES["unpadded"], 0), FOUR, ExploreSettings(explorations=12), 0)
        return [next(training)[0] for _ in range(games)]

    learned = losses(200)
    assert losses(5) == learned[:5]
    assert np.median(learned[-50:]) < 0.8 * np.median(learned[:50])


def test_the_log_is_that_of_the_training_with_2000_explorations():
    log = read_logs()["literal"]
    assert len(log.losses) == len(log.outcomes) == 3000
    _, again = train_from_start(FOUR, 1, ExploreSettings(explorations=2000), 0)
    assert again.losses == pytest.approx(log.losses[:1], rel=1e-3)
    assert again.outcomes == log.outcomes[:1]


@pytest.mark.parametrize(("name", "options", "games"), [("described", DESCRIBED, 1), ("ours", OURS, 50)])
def test_the_logs_of_our_trainings_are_those_of_their_options(name, options, games):
    log = read_logs()[name]
    assert len(log.losses) == len(log.outcomes) == 3000
    assert all(len(set(log.losses[k : k + games])) == 1 for k in range(0, 3000, games))
    again = train_alphazero(ENVIRONMENT, options, 1, 0)
    assert again.losses == pytest.approx(log.losses[:1], rel=1e-2)
    assert list(again.outcomes) == log.outcomes[:games]


def test_the_described_network_was_trained(network):
    trained = described_network()
    played = [play_game(FOUR, trained, ExploreSettings(explorations=60), seed) for seed in range(5)]
    before, after = (sum(game_loss(one, FOUR, game).item() for game in played) for one in (network, trained))
    assert after < 0.8 * before


class Notebook(RandomAgent):
    """An agent that notes the positions in which it moves and its actions."""

    def __init__(self, game, *, seed):
        super().__init__(game, seed=seed)
        self.moves = []

    def act_on(self, words):
        actions = super().act_on(words)
        self.moves.append((*words[0].tolist(), int(actions[0])))
        return actions


@cache
def plain_value(position):
    """The value of a position for the player to move, by a search that ends at the first win."""
    if position.result is not None:
        return position.result
    best = -1
    for action in position.legal_actions():
        best = max(best, -plain_value(position.play(action)))
        if best == 1:
            break
    return best


def test_games_against_perfect_play():
    """On 4 x 3 cells the first player can force three in a row."""
    game, games = ConnectN(4, 3, 3), 40
    agent = Notebook(game, seed=1)
    record = play_perfect_defender(agent, games, seed=2)
    starts = [number for number, (own, opp, _) in enumerate(agent.moves) if own == opp == 0]
    played = [agent.moves[a:b] for a, b in pairwise([*starts, len(agent.moves)])]
    kept = [[-plain_value(Position(game, *words).play(action)) == 1 for *words, action in moves] for moves in played]
    assert all(all(moves[:-1]) for moves in kept)  # a game ends with the first mistake
    assert record == (games, sum(map(all, kept)), len(agent.moves), sum(map(sum, kept)))
    assert 0 < record.won < games
    for moves in played:
        for before, (own, opp, _) in pairwise(moves):
            position = Position(game, *before[:2]).play(before[2])
            replies = {(reply.own, reply.opp) for reply in map(position.play, position.legal_actions())}
            assert (own, opp) in replies
    exact = make_agent("exact", game, seed=0)
    assert play_perfect_defender(exact, 3, seed=0)[:2] == (3, 3)


def test_the_experiments_of_report_e_run(monkeypatch):
    """Games against perfect play are tested above: against untrained agents each takes seconds."""
    monkeypatch.setattr(experiments, "play_perfect_defender", lambda *_: PerfectPlayRecord(2, 1, 4, 3))
    shares = []
    small = {"literal_games": 2, "our_games": 50, "experiment_matches": 2, "experiment_runs": 2, "larger_runs": 1}
    budget = {**descriptions()["E"]["budget"], **small, "explorations": 20, "larger_explorations": 20, "larger_size": 6}
    description = Description("E", {**descriptions()["E"], "budget": budget})
    run = SectionRun(description, RunOptions(report_progress=shares.append))
    measure_experiments(run)
    assert [row.described is not None for row in run.rows] == [*[False] * 8, True, True]
    assert all(0 <= row.literal.spread_low <= row.literal.value <= row.literal.spread_high for row in run.rows)
    assert all(row.note for row in run.rows)
    assert [one.value for one in run.rows[-1].columns.values()] == [50, 50, 50]
    assert shares == sorted(shares)


def test_random_openings_are_counted(network):
    settings = ExploreSettings(explorations=5, opening_plies=2)
    played = [play_game(FOUR, network, settings, seed) for seed in range(12)]
    assert {int(bit_counts(one.words[0]).sum()) for one in played} == {2}
    images = {min(board(FOUR, one.words[1], image) for image in range(8)) for one in played}
    assert different_openings(played, FOUR, 1) == len(images) > 6


def board(game, words, image):
    """Return the image of a board as a tuple of cells."""
    cells = [int(words[0]) >> cell & 1 or -(int(words[1]) >> cell & 1) for cell in range(36)]
    turned = [0] * 36
    for cell, target in enumerate(np.arange(36)[game.cell_maps()[image]]):
        turned[target] = cells[cell]
    return tuple(turned)


def test_the_search_without_symmetries_sees_the_board_as_it_is(network):
    played = play_game(FOUR, network, ExploreSettings(explorations=5, symmetries=False), 3)
    for (own, opp), (next_own, next_opp) in pairwise(played.words.tolist()):
        assert next_opp & own == own  # the stones stay at their cells, so no image was taken
        assert next_own == opp


@pytest.mark.parametrize("name", ["E", "E:repaired"])
def test_the_agent_of_report_e_wins_as_first_player(name):
    agent = make_agent(f"report:{name}", FOUR, seed=0)
    for opponent in ("random", "minimax:depth=4"):
        other = make_agent(opponent, FOUR, seed=1)
        assert play_match(FOUR, agent, other, 5, swap_seats=False).sides[0].total.wins == 5
    blocked, threats = blocked_threats(trained_agent(FOUR, 0, repaired=True), 10, 0)
    assert threats >= 5
    assert blocked >= 0.6 * threats
    with pytest.raises(ValueError, match=r"report:E plays ConnectN.*, not ConnectN\(rows=6, cols=7"):
        make_agent(f"report:{name}", ConnectN(6, 7, 4))


def test_the_agent_of_report_e_analyses_positions():
    position = Position.start(FOUR)
    for action in (0, 30, 1, 31, 2, 33):  # the player to move has three in a row
        position = position.play(action)
    analysis = as_analyst(trained_agent(FOUR, 0, repaired=True, explorations=200), "report:E").analyse(position)
    assert analysis.action_values.keys() == set(position.legal_actions())
    assert analysis.action_values[3] == 1
    assert analysis.visits.sum() <= analysis.simulations
    assert analysis.priors.sum() == pytest.approx(1)
    assert analysis.principal_variation == (3,)
    analysis = trained_agent(FOUR, 0).analyse(Position.start(FOUR))
    assert analysis.visits[analysis.principal_variation[0]] == analysis.visits.max() > 0
    assert np.nanmax(np.abs([*analysis.action_values.values()])) <= 1
    with pytest.raises(ValueError, match="the game is over"):
        trained_agent(FOUR, 0).analyse(position.play(3))


# --- report A


class HashedValues:
    """Return values that depend only on the planes."""

    def __call__(self, planes):
        values = [np.random.default_rng(list(one.tobytes())).uniform(-1, 1) for one in planes]
        return np.zeros((len(planes), 44), np.float32), np.array(values), np.zeros(len(planes))


def plain_action(position):
    """Return the action of report A's search in plain Python: V is a sum, P is 0, and all values have the same sign."""

    def value(at):
        words = np.array([[at.own, at.opp]], dtype=np.uint64)
        return HashedValues()(observations_of(at.game, words)["observation"])[1][0]

    def best(node):
        return max(node["children"].values(), key=lambda child: child["v"])

    def leaf(at, action):
        return {"at": at, "v": 0.0, "action": action, "children": {}}

    root = leaf(position, None)
    for _ in range(10):
        path = [root]
        while path[-1]["children"]:
            path.append(best(path[-1]))
        at = path[-1]["at"]
        path[-1]["children"] = {action: leaf(at.play(action), action) for action in at.legal_actions()}
        for node in path:
            node["v"] += value(at)
    return best(root)["action"]


def test_the_search_of_report_a_is_the_plain_search():
    positions = random_positions(Quixo(), 40, seed=3)
    found = search_actions(Quixo(), words_of(positions), HashedValues())
    assert found.tolist() == [plain_action(position) for position in positions]


def test_samples_are_the_positions_after_the_moves():
    samples = play_itself(Quixo(), HashedValues())
    position = Position.start(Quixo())
    for words, action in zip(samples.words.tolist(), samples.actions.tolist(), strict=True):
        position = position.play(action)
        assert (position.own, position.opp) == tuple(words)
    if position.result is None:
        assert len(samples.actions) == 100
        assert set(samples.values.tolist()) == {-1.0}
    else:
        assert samples.values[-1] == position.result
        assert (samples.values[:-1] == -samples.values[1:]).all()


def test_the_whole_history_is_added_after_each_game():
    network = new_network(Quixo(), ARCHITECTURES["16x10_pooled"], 0)
    before = {name: weights.clone() for name, weights in network.state_dict().items()}
    training = ReportTraining(Quixo(), network, np.random.default_rng(0), capacity=30)
    sizes = []
    for _ in range(3):
        size = min(len(training.data), 30)
        training.play_game()
        history = len(training.history.actions)
        sizes.append(history)
        assert len(training.data) == size + history
        np.testing.assert_array_equal(training.data[-history:], np.arange(history))
    assert sizes[0] < sizes[1] < sizes[2]
    assert not torch.equal(network.policy.weight, before["policy.weight"])


def test_the_newest_samples_stay():
    network = new_network(Quixo(), ARCHITECTURES["16x10_pooled"], 0)
    training = ReportTraining(Quixo(), network, np.random.default_rng(0), capacity=30, removes_oldest=True)
    for _ in range(2):
        training.play_game()
    history = len(training.history.actions)
    np.testing.assert_array_equal(training.data, np.arange(history)[-30:])


def test_the_planes_of_report_a_are_signed():
    position = Position.start(Quixo()).play(0).play(5)
    planes = observations_of(Quixo(), words_of([position]))["observation"]
    signed = signed_planes(planes)
    np.testing.assert_array_equal(signed[..., 0], planes[..., 0] - planes[..., 1])
    np.testing.assert_array_equal(signed[..., 1], -signed[..., 0])


def test_the_agent_of_report_a_wins_about_half_of_the_games():
    agent, other = make_agent("report:A7", Quixo(), seed=0), make_agent("random", Quixo(), seed=1)
    assert 12 <= play_match(Quixo(), agent, other, 40).sides[0].total.wins <= 32
    with pytest.raises(ValueError, match=r"report:A7 plays Quixo\(size=5\), not Quixo\(size=4\)"):
        make_agent("report:A7", Quixo(4))
