"""Self-play, the replay buffer and training: the stored samples are those of the games, and can be learned."""

from typing import ClassVar

import numpy as np
import pytest
from playing import leaves_the_board, random_positions, words_seen

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, solve
from ci_envs.agents.alphazero.exact_targets import ExactTargets
from ci_envs.agents.alphazero.replay import Replay, sample_type
from ci_envs.agents.alphazero.search import Forest
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.agents.alphazero.settings import GUMBEL, PUCT, SearchSettings
from ci_envs.games import LOSS
from ci_envs.games.batch import start_words
from ci_envs.games.operations import canonical
from ci_envs.games.quarto.layout import HOLDING
from ci_envs.kernels.bits import bit_counts
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.known_value import UNKNOWN, known_values
from ci_envs.solver.quarto import QuartoSolution
from ci_envs.solver.solver import exact_source

GAMES = (ConnectN(3, 3, 3), ConnectN(4, 5, 3, True), Quixo(4), Nim((2, 3, 4), 2, True), Quarto())


def evenly(game):
    """Return a network that predicts a draw in every position."""
    return lambda planes: (
        np.zeros((len(planes), game.action_count), np.float32),
        np.zeros(len(planes), np.float32),
        np.ones(len(planes), np.float32),
    )


def plan_of(game, selection, **changes):
    options = {
        "noise": Noise(),
        "lanes": 7,
        "max_plies": 30,
        "random_plies": 0,
        "discount": 1.0,
        "value_mix": 0.0,
        "contempt": 0.0,
    } | changes
    return SelfPlay(game, SearchSettings(selection, 1.5, 8, 4), **options)


def games_of(game, samples):
    """Return the samples of each game. Each game starts in the initial position."""
    begins = [i for i, sample in enumerate(samples) if (sample["own"], sample["opp"]) == game.start()]
    return [samples[begin:end] for begin, end in zip(begins, [*begins[1:], len(samples)], strict=True)]


class RecordingForest(Forest):
    """Record the positions, the visits and the kept visits of each search."""

    records: ClassVar = []

    def search(self, words, seeds, evaluate, **more):
        found = super().search(words, seeds, evaluate, **more)
        self.records.append((words.copy(), found.visits, self._trees["kept"][: len(words)].copy()))
        return found


def test_self_play_keeps_the_tree_below_the_played_action(monkeypatch):
    """Games of different lengths end on three lanes, and start again on some of them."""
    game, simulations = ConnectN(4, 5, 3, True), 8
    monkeypatch.setattr("ci_envs.agents.alphazero.self_play.Forest", RecordingForest)
    monkeypatch.setattr(RecordingForest, "records", [])
    plan = plan_of(game, PUCT, lanes=3, keeps_trees=True)
    plan.play(evenly(game), 7, np.random.default_rng(1))
    begun, visits_of = 0, {}
    for words, visits, kept in RecordingForest.records:
        following = {}
        for own_opp, counts, before in zip(words.tolist(), visits, kept.tolist(), strict=True):
            position = Position(game, *own_opp)
            if tuple(own_opp) == game.start():
                begun += 1
                assert before == 0
            elif visits_of[tuple(own_opp)] > 1:
                assert before >= visits_of[tuple(own_opp)]
            if counts.sum() != simulations:  # proven
                assert counts.sum() < simulations
            for action in position.legal_actions():
                after = position.play(action)
                following[after.own, after.opp] = min(counts[action], following.get((after.own, after.opp), 99))
        visits_of = following
    assert begun == 7


@pytest.mark.parametrize("selection", [PUCT, GUMBEL])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_value_of_a_sample_is_the_result_for_the_player_to_move(game, selection):
    samples = plan_of(game, selection).play(evenly(game), 20, np.random.default_rng(1))
    played = games_of(game, samples)
    assert len(played) == 20
    decided = 0
    for moves in played:
        positions = list(replayed(game, moves))
        for sample, position in zip(moves, positions, strict=True):
            assert position.result is None
            assert sample["policy"].sum() == pytest.approx(1, abs=1e-5)
            assert set(np.flatnonzero(sample["policy"])) <= set(position.legal_actions())
        after = [positions[-1].play(action) for action in positions[-1].legal_actions()]
        signs = [1 if position.to_move == 0 else -1 for position in positions]
        worth = moves["value"] * signs
        assert (worth == worth[0]).all()  # all values are for the same player
        assert worth[0] in (-1, 0, 1)
        assert set(moves["drawn"].tolist()) == {float(worth[0] == 0)}
        outcomes = {p.result * (1 if p.to_move == 0 else -1) for p in after if p.result is not None}
        assert worth[0] in outcomes or (worth[0] == 0 and (len(moves) == 30 or is_repetition(moves, after)))
        decided += worth[0] != 0
    assert decided > 0


LATE_VALUES = """
from ci_envs import solve
from ci_envs.kernels.bits import bit_counts
from ci_envs.solver.solution import Solution


class LateValues(Solution):
    def covers(self, words):
        return bit_counts(words[:, 0] | words[:, 1]) >= 6

    def scores(self, words):
        return solve(self.game).scores(words)
"""


@pytest.mark.parametrize(
    ("game", "is_own"), [(ConnectN(3, 3, 3), True), (Quarto(), False)], ids=["own source", "Quarto"]
)
def test_an_exact_value_replaces_the_result_of_the_game_also_in_earlier_positions(game, is_own, tmp_path):
    """In Quarto, a player keeps the turn between both parts of a move, and the source lacks 5 pieces on the board."""
    file = tmp_path / "late.py"
    file.write_text(LATE_VALUES)
    name = str(file) if is_own else "exact"
    source = exact_source(game, name).compiled()
    plan = plan_of(game, GUMBEL, discount=0.5, exact=name)
    played = games_of(game, plan.play(evenly(game), 20, np.random.default_rng(2)))
    assert len(played) == 20
    solution, unknown = solve(game), 0
    for moves in played:
        known = None
        for plies, (sample, position) in enumerate(zip(moves[::-1], list(replayed(game, moves))[::-1], strict=True)):
            if known_values(source, np.array([[position.own, position.opp]], np.uint64)) != UNKNOWN:
                known = position.to_move, solution.value(position)
            elif known is not None:
                unknown += 1
            if known is not None:
                value = known[1] if position.to_move == known[0] else -known[1]
                assert (sample["value"], sample["drawn"]) == (value * 0.5**plies, value == 0)
    assert unknown > 10


def replayed(game, moves):
    """Yield the positions of a game, which begins in the initial position."""
    position = Position.start(game)
    yield position
    for sample in moves[1:]:
        after = [position.play(action) for action in position.legal_actions()]
        position = next(each for each in after if (each.own, each.opp) == (sample["own"], sample["opp"]))
        yield position


def is_repetition(moves, positions):
    """Return whether a position after the next move has occurred twice before, with the same player to move."""
    earlier = moves[len(moves) % 2 :: 2]
    return any(((earlier["own"] == p.own) & (earlier["opp"] == p.opp)).sum() == 2 for p in positions)


def test_a_game_is_drawn_when_a_position_comes_for_the_third_time():
    game = Quixo(4)

    def evaluate(planes):
        words = words_seen(game, planes)
        logits = np.zeros((len(planes), game.action_count), np.float32)
        for row, (own, opp) in zip(logits, words.tolist(), strict=True):
            position = Position(game, own, opp)
            row[[action for action in position.legal_actions() if leaves_the_board(position, action)]] = 9
        return logits, np.zeros(len(planes), np.float32), np.zeros(len(planes), np.float32)

    samples = plan_of(game, PUCT, max_plies=100).play(evaluate, 40, np.random.default_rng(1))
    shortened = 0
    for moves in games_of(game, samples):
        for side in (moves[::2], moves[1::2]):
            _, counts = np.unique(side[["own", "opp"]], return_counts=True)
            assert counts.max() <= 2
        last = Position(game, int(moves[-1]["own"]), int(moves[-1]["opp"]))
        if moves["value"][-1] == 0 and len(moves) < 100:
            assert is_repetition(moves, [last.play(action) for action in last.legal_actions()])
            shortened += 1
    assert shortened > 5


def test_games_begin_with_random_plies():
    """Each game ends after one ply, so there is one position for each game, with as many stones as plies."""
    plan = plan_of(ConnectN(), GUMBEL, random_plies=5, max_plies=1)
    samples, again = (plan.play(evenly(ConnectN()), 240, np.random.default_rng(seed)) for seed in (1, 1))
    np.testing.assert_array_equal(samples, again)
    stones = bit_counts(samples["own"] | samples["opp"])
    counts = np.bincount(stones)
    assert len(counts) == 6
    assert counts.min() > 20
    assert len(np.unique(samples[["own", "opp"]][stones == 5])) > 20


def test_the_result_of_a_game_is_discounted_for_each_ply():
    game = ConnectN(3, 3, 3)
    whole, less = (plan_of(game, PUCT, discount=d).play(evenly(game), 9, np.random.default_rng(3)) for d in (1, 0.5))
    for full, discounted in zip(games_of(game, whole), games_of(game, less), strict=True):
        to_the_end = np.arange(len(full))[::-1]
        np.testing.assert_array_equal(discounted["value"], full["value"] / 2.0**to_the_end)


def test_the_searchs_value_can_be_mixed_in():
    game = ConnectN(3, 3, 3)
    pure, mixed, searched = (
        plan_of(game, PUCT, value_mix=mix).play(evenly(game), 9, np.random.default_rng(3)) for mix in (0, 0.25, 1)
    )
    np.testing.assert_array_equal(pure["policy"], mixed["policy"])
    np.testing.assert_allclose(mixed["value"], 0.75 * pure["value"] + 0.25 * searched["value"], atol=1e-6)
    assert (searched["value"] != pure["value"]).any()


def test_samples_of_games_with_contempt_have_values_without_contempt():
    """The network predicts a draw everywhere, which has the value 0 for any result of the search."""
    game = ConnectN()
    words, seeds, half = start_words(game, 1), np.zeros(1, np.uint64), np.array([0.5])
    found = Forest(game, SearchSettings(PUCT, 1.5, 8), 1).search(words, seeds, evenly(game), contempt=half)
    assert (found.values[0], found.draws[0]) == pytest.approx((-0.5, 1))
    plan = plan_of(game, PUCT, value_mix=1.0, max_plies=2, contempt=0.5)
    samples = plan.play(evenly(game), 5, np.random.default_rng(0))
    assert samples["value"] == pytest.approx(np.zeros(10), abs=1e-6)


def test_a_seed_repeats_the_games():
    game = ConnectN(4, 5, 3, True)
    for selection in (PUCT, GUMBEL):
        first, again, other = (
            plan_of(game, selection).play(evenly(game), 9, np.random.default_rng(seed)) for seed in (4, 4, 5)
        )
        np.testing.assert_array_equal(first, again)
        assert not np.array_equal(first, other)


def test_openings_are_drawn_from_the_policy():
    game = ConnectN(3, 3, 3)
    noise = Noise(fraction=0.0, sampled_plies=1)
    samples = plan_of(game, PUCT, noise=noise).play(evenly(game), 200, np.random.default_rng(0))
    second = {(int(moves[1]["own"]), int(moves[1]["opp"])) for moves in games_of(game, samples)}
    assert len(second) == 9


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_replay_buffer_returns_images_of_its_samples(game):
    positions = random_positions(game, 40, seed=2)
    rng = np.random.default_rng(0)
    samples = np.zeros(len(positions), sample_type(game))
    for sample, position in zip(samples, positions, strict=True):
        sample["own"], sample["opp"] = position.own, position.opp
        legal = list(position.legal_actions())
        sample["policy"][legal] = rng.dirichlet(np.ones(len(legal)))
        sample["value"], sample["drawn"] = rng.uniform(-1, 1), rng.integers(2)
    replay = Replay(game, 100)
    replay.add(samples, rng)
    for symmetries in (True, False):
        batch = replay.batch(300, np.random.default_rng(1), symmetries=symmetries)
        turned = 0
        for one, mask, policy, value, drawn in zip(*batch, strict=True):
            number = int(np.flatnonzero(samples["value"] == value)[0])
            original = samples[number]
            own = game.rules.decode(game, np.ascontiguousarray(one))
            image = Position(game, *own)
            assert (mask.dtype, set(np.flatnonzero(mask))) == (np.int8, set(image.legal_actions()))
            assert drawn == original["drawn"]
            assert sorted(policy[policy > 0]) == sorted(original["policy"][original["policy"] > 0])
            assert class_of(image) == class_of(positions[number])
            # the position after an action has the same canonical image as the transformed position
            for action in np.flatnonzero(policy):
                wanted = np.flatnonzero(original["policy"] == policy[action])
                after = {class_of(positions[number].play(int(a))) for a in wanted}
                assert class_of(image.play(int(action))) in after
            turned += own != (positions[number].own, positions[number].opp)
        assert (turned > 0) == (symmetries and game.symmetry_count > 1)


@kernel
def _canonical(game, own, opp):
    return canonical(game, own, opp)


def class_of(position):
    return _canonical(position.game, np.uint64(position.own), np.uint64(position.opp))


def test_the_replay_buffer_forgets_the_oldest():
    game = ConnectN(3, 3, 3)
    replay = Replay(game, 10)
    for begin, count in ((0, 4), (4, 4), (8, 4), (12, 25)):
        samples = np.zeros(count, sample_type(game))
        samples["value"] = np.arange(begin, begin + count) / 100
        replay.add(samples, np.random.default_rng(0))
        end = begin + count
        assert replay.size == min(10, end)
        kept = sorted(replay.samples["value"][: replay.size].tolist())
        assert kept == pytest.approx([value / 100 for value in range(max(0, end - 10), end)])


def test_a_full_replay_buffer_keeps_a_random_share_if_asked_to():
    game = ConnectN(3, 3, 3)
    met = np.zeros(60)
    for seed in range(400):
        replay, rng = Replay(game, 60, kept=0.25), np.random.default_rng(seed)
        for begin in (0, 40, 80):
            samples = np.zeros(40, sample_type(game))
            samples["value"] = np.arange(begin, begin + 40)
            replay.add(samples, rng)
            assert (replay.size, replay.added) == ([40, 50, 52][begin // 40], begin + 40)
        there = replay.samples["value"][: replay.size].astype(int)
        assert len(set(there)) == len(there)
        assert set(range(80, 120)) <= set(there)
        met[there[there < 60]] += 1
    # a sixteenth of the first 40 samples is left (2.4 on average), and a quarter of the next 40 samples
    assert met[:40].mean() / 400 == pytest.approx(1 / 4 * 12 / 50, abs=0.01)
    assert met[40:60].mean() / 400 == pytest.approx(12 / 50, abs=0.02)


def test_the_latest_samples_can_be_learned_each_once():
    game = ConnectN(3, 3, 3)
    replay, rng = Replay(game, 10), np.random.default_rng(0)
    for begin, count in ((0, 7), (7, 6)):
        samples = np.zeros(count, sample_type(game))
        samples["value"] = np.arange(begin, begin + count) / 100
        replay.add(samples, rng)
        batch = replay.batch(count, rng, latest=True)
        assert sorted(batch.values.tolist()) == pytest.approx((np.arange(begin, begin + count) / 100).tolist())


@pytest.mark.parametrize("game", [ConnectN(3, 3, 3), Nim((2, 3, 4), 2, True), Quarto()])
def test_exact_values_correct_the_policies_of_positions_that_the_source_knows(game):
    """In Quarto the book ends with 4 pieces and one in hand, and the search is quick from 6 pieces on."""
    positions = random_positions(game, 40, 5)
    samples = np.zeros(len(positions), sample_type(game))
    samples["own"], samples["opp"] = np.array([(position.own, position.opp) for position in positions]).T
    samples["policy"][:, ::2] = 0.25
    before = samples.copy()
    values = ExactTargets(game, "exact").correct_policies(samples).tolist()
    solution = solve(game)
    for position, value, sample, old in zip(positions, values, samples, before, strict=True):
        pieces = 16 - len(position.legal_actions()) if isinstance(game, Quarto) else None
        is_given = isinstance(game, Quarto) and position.opp >> HOLDING & 1
        if pieces == 5:
            assert value == UNKNOWN
            assert sample == old
            continue
        assert value == solution.value(position)
        if pieces == 4 and is_given and value != LOSS:
            assert (sample["policy"] == old["policy"]).all()
            continue
        keeps = np.isin(np.arange(game.action_count), solution.value_actions(position))
        preferred = keeps & (old["policy"] > 0)
        expected = preferred if preferred.any() else keeps
        assert sample["policy"] == pytest.approx(expected / expected.sum())


@pytest.mark.parametrize("game", [ConnectN(3, 3, 3), Quarto()])
def test_samples_of_a_source_have_its_targets(game):
    """In Quarto, the source does not know positions with 5 pieces on the board.

    So it knows no actions with 4 pieces and one in hand, but if such a position is lost, so are all actions.
    """
    samples, again = (ExactTargets(game, "exact").sample(100, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(samples, again)
    solution = solve(game)
    for sample in samples:
        position = Position(game, int(sample["own"]), int(sample["opp"]))
        value, keeps = solution.value(position), np.isin(range(game.action_count), solution.value_actions(position))
        assert (sample["value"], sample["drawn"]) == (value, value == 0)
        assert sample["policy"] == pytest.approx(keeps / keeps.sum())
    if isinstance(game, Quarto):
        plies = np.array([QuartoSolution(game).plies(own, opp) for own, opp in samples[["own", "opp"]].tolist()])
        assert set(samples["value"][plies == 9]) <= {LOSS}
        assert {8, 12} <= set(plies.tolist())
        assert {10, 11}.isdisjoint(plies.tolist())
    else:
        assert len(samples) == 100
