"""Matches and tournaments, compared with games that are replayed one by one."""

import json
import zlib
from collections import Counter
from dataclasses import asdict
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console
from scipy.stats import binomtest
from toy_agents import FirstLegal

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, solve
from ci_envs.agent_interface import decision
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.observations import Observation
from ci_envs.arena import Record, Tournament, compare, match, play_match, random_openings
from ci_envs.arena.grading import Grading, grade, grade_decisions
from ci_envs.arena.plot import draw_comparison
from ci_envs.arena.report import agent_rows, tables, to_json
from ci_envs.arena.timing import Timing, time_one_board
from ci_envs.arena.tournament import derived_seed
from ci_envs.arena.watch import Player, watch
from ci_envs.drawing.figure_file import write_figure
from ci_envs.games.game import Game

TIC_TAC_TOE = ConnectN(3, 3, 3)
GAMES = [TIC_TAC_TOE, ConnectN(6, 7, 4, gravity=True), Quixo(3), Nim(), Nim((2, 3, 4), misere=True), Quarto()]


class Hashing(Agent):
    """An agent that plays a legal action that depends only on the board, in a pseudo-random way."""

    def __init__(self, game: Game, salt: int) -> None:
        super().__init__(game, seed=0)
        self.salt = salt

    def choose(self, planes: NDArray[np.int8], legal: tuple[int, ...]) -> int:
        return legal[zlib.crc32(planes.tobytes(), self.salt) % len(legal)]

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        boards = zip(observations["observation"], observations["action_mask"], strict=True)
        return np.array([self.choose(planes, tuple(mask.nonzero()[0].tolist())) for planes, mask in boards])


class Answering(Agent):
    """An agent that always returns the same answer."""

    def __init__(self, game: Game, answer: object) -> None:
        super().__init__(game, seed=0)
        self.answer = answer

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        answer = self.answer
        return answer(len(observations["action_mask"])) if callable(answer) else answer  # type: ignore[return-value]


def replay(
    game: Game, agents: tuple[Hashing, Hashing], max_cycles: int, opening: tuple[int, int] | None = None
) -> tuple[int, int]:
    """Play a game by ``Position``, and return the result for the first agent and the number of plies."""
    position, plies = Position(game, *opening) if opening else Position.start(game), 0
    while position.result is None and plies < max_cycles:
        position = position.play(agents[position.to_move].choose(position.observation(), position.legal_actions()))
        plies += 1
    result = position.result or 0
    return result if position.to_move == 0 else -result, plies


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("max_cycles", [5, 100])
def test_a_match_is_the_games_played_one_by_one(game: Game, max_cycles: int) -> None:
    for salt in range(4):
        first, second = Hashing(game, salt), Hashing(game, salt + 100)
        result = play_match(game, first, second, 5, max_cycles=max_cycles)
        score, plies = replay(game, (first, second), max_cycles)
        swapped, swapped_plies = replay(game, (second, first), max_cycles)
        ours, theirs = result.sides
        assert ours.seats == (record(score, 3), record(-swapped, 2))
        assert theirs.seats == (record(swapped, 2), record(-score, 3))
        assert result.plies == 3 * plies + 2 * swapped_plies == ours.decisions + theirs.decisions
        assert result.different == (1, 1)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_two_games_in_a_row_have_the_same_opening(game: Game) -> None:
    first, second = Hashing(game, 1), Hashing(game, 2)
    openings = random_openings(game, 20, 2, seed=5)
    assert np.array_equal(openings, random_openings(game, 20, 2, seed=5))
    assert not np.array_equal(openings, random_openings(game, 20, 2, seed=6))
    result = play_match(game, first, second, 60, max_cycles=30, openings=openings)
    begun, answered = Counter[int](), Counter[int]()
    for i in range(30):
        opening: tuple[int, int] = tuple(openings[i % 20].tolist())
        begun[replay(game, (first, second), 30, opening)[0]] += 1
        answered[-replay(game, (second, first), 30, opening)[0]] += 1
    assert result.sides[0].seats == tuple(Record(*(seen[score] for score in (1, 0, -1))) for seen in (begun, answered))
    assert min(result.different) <= 20


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_openings_are_positions_so_many_plies_from_the_start(game: Game) -> None:
    reached = {Position.start(game)}
    for plies in range(3):
        going = {(position.own, position.opp) for position in reached if position.result is None}
        assert {*map(tuple, random_openings(game, 300, plies).tolist())} <= going
        reached = {position.play(action) for position in reached for action in position.legal_actions()}


def test_openings_as_long_as_games_are_refused() -> None:
    assert len(random_openings(TIC_TAC_TOE, 4, 8)) == 4
    for plies in (9, 10):
        with pytest.raises(ValueError, match=f"random_plies={plies} is too large"):
            random_openings(TIC_TAC_TOE, 4, plies)
    with pytest.raises(ValueError, match="random_plies must be"):
        random_openings(TIC_TAC_TOE, 4, -1)


def test_a_tournament_from_random_openings_is_repeatable_and_says_so() -> None:
    agents = ["minimax:depth=2", "minimax:depth=1"]
    one, again = (compare("Quixo-v0:size=3", agents, games=20, random_plies=3) for _ in range(2))
    assert one.pairings[0].match.sides[0].seats == again.pairings[0].match.sides[0].seats
    assert to_json(one)["random_plies"] == 3
    with pytest.raises(ValueError, match="random_plies must be"):
        compare("Quixo-v0:size=3", agents, games=20, random_plies=-1)


def record(score: int, games: int) -> Record:
    counts = [0, 0, 0]
    counts[1 - score] = games
    return Record(*counts)


@pytest.mark.parametrize(("games", "begun"), [(2, 1), (7, 4), (30, 15)])
def test_each_agent_begins_half_of_the_games(games: int, begun: int) -> None:
    result = play_match(TIC_TAC_TOE, FirstLegal(TIC_TAC_TOE), FirstLegal(TIC_TAC_TOE), games)
    first, second = result.sides
    # 0 1 2 3 4 5 6 in turn: the first player completes the diagonal 2 4 6
    assert first.seats == (Record(wins=begun), Record(losses=games - begun))
    assert second.seats == (Record(wins=games - begun), Record(losses=begun))
    assert result.plies == 7 * games


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_sides_of_a_match_mirror_each_other(game: Game) -> None:
    random = make_agent("random", game, seed=1)
    ended: list[int] = []
    result = play_match(game, random, random, 101, progress=ended.append)
    first, second = result.sides
    assert first.total.games == second.total.games == sum(ended) == 101
    assert (first.total.wins, first.total.draws, first.total.losses) == (
        second.total.losses,
        second.total.draws,
        second.total.wins,
    )
    assert first.total.score + second.total.score == pytest.approx(1)
    assert result.different[0] > 1


@pytest.mark.parametrize("action", [-1, 4, 9, 2**40])
def test_an_illegal_action_loses(action: int) -> None:
    result = play_match(
        TIC_TAC_TOE, Answering(TIC_TAC_TOE, lambda n: np.full(n, action)), FirstLegal(TIC_TAC_TOE), 10, max_cycles=4
    )
    first, second = result.sides
    assert (first.faults, second.faults) == (10, 0)
    assert first.total == Record(losses=10)
    assert second.total == Record(wins=10)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (np.zeros, TypeError, "Answering.*integers, not float64"),
        (lambda n: np.zeros(n, dtype=bool), TypeError, "Answering.*integers, not bool"),
        (lambda n: np.zeros((n, 1), dtype=int), ValueError, r"Answering.*\(1,\), not \(1, 1\)"),
        (lambda n: np.zeros(n + 1, dtype=int), ValueError, r"Answering.*\(1,\), not \(2,\)"),
        (None, ValueError, r"Answering.*\(1,\), not \(\)"),
    ],
)
def test_an_answer_that_is_no_array_of_actions(answer: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        play_match(TIC_TAC_TOE, FirstLegal(TIC_TAC_TOE), Answering(TIC_TAC_TOE, answer), 2)


@pytest.mark.parametrize("limit", [1, 3])
def test_a_game_is_drawn_at_the_limit(limit: int) -> None:
    result = play_match(Quixo(3), FirstLegal(Quixo(3)), FirstLegal(Quixo(3)), 4, max_cycles=limit)
    assert result.sides[0].total == Record(draws=4)
    assert result.plies == 4 * limit


def test_batches_change_nothing_for_agents_without_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = Hashing(TIC_TAC_TOE, 1), Hashing(TIC_TAC_TOE, 2)
    whole = play_match(TIC_TAC_TOE, *agents, 23)
    monkeypatch.setattr(match, "BATCH_SIZE", 4)
    parts = play_match(TIC_TAC_TOE, *agents, 23)
    assert [side.seats for side in parts.sides] == [side.seats for side in whole.sides]
    assert (parts.plies, parts.different) == (whole.plies, whole.different)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 1}, "games must be 2 or more.*not 1"),
        ({"max_cycles": 0}, "max_cycles.*not 0"),
        ({"agents": ["random"]}, "at least two agents, not 1"),
        ({"agents": ["random", "randm"]}, "Unknown agent 'randm'. Did you mean 'random'\\? Available"),
        ({"agents": ["random", "random:depth=1"]}, "Unknown option 'depth'"),
        ({"agents": ["random", FirstLegal(Quixo(3))]}, r"FirstLegal was made for Quixo\(size=3\)"),
        ({"environment": "Quixo-v1"}, "Unknown environment 'Quixo-v1'"),
        ({"environment": "Quixo-v0:max_cycles=x"}, "max_cycles.*'x'"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"isolate": "no"}, "isolate must be true or false, not 'no'"),
    ],
)
def test_bad_input_is_refused_before_the_first_game(change: dict[str, object], message: str) -> None:
    arguments = {"environment": "TicTacToe-v0", "agents": ["random", "random"], "games": 2} | change
    with pytest.raises(ValueError, match=message):
        Tournament(**arguments)  # type: ignore[arg-type]


def test_the_perfect_player_of_nim_wins_as_second() -> None:
    # 1 xor 3 xor 5 xor 7 = 0: the first position is lost for the player to move (Bouton 1901)
    comparison = compare("Nim-v0", ["nim_expert", "nim_expert", "random"], games=20)
    assert comparison.pairings[0].match.sides[0].seats == (Record(losses=10), Record(wins=10))
    assert comparison.total("random").seats[0] == Record(losses=20)


@pytest.mark.extended
def test_same_seed_same_table() -> None:
    def table(seed: int) -> dict[str, object]:
        data = to_json(compare("TicTacToe-v0", ["random", "minimax:depth=2", "random"], games=20, seed=seed))
        data.pop("timing")
        return data

    assert table(3) == table(3)
    assert table(3)["pairs"] != table(4)["pairs"]


@pytest.mark.extended
def test_a_pair_plays_the_same_with_other_agents() -> None:
    few = compare("ConnectFour-v0", ["random", "minimax:depth=1"], games=20, seed=5)
    many = compare("ConnectFour-v0", ["minimax:depth=2", "random", "random", "minimax:depth=1"], games=20, seed=5)
    found = next(pairing for pairing in many.pairings if pairing.labels == few.pairings[0].labels)
    assert [side.seats for side in found.match.sides] == [side.seats for side in few.pairings[0].match.sides]
    assert found.match.plies == few.pairings[0].match.plies


@pytest.mark.extended
def test_labels_and_totals() -> None:
    game = TIC_TAC_TOE
    agents: list[str | Agent | tuple[str, Agent]] = [
        "random",
        "random",
        FirstLegal(game),
        ("mine", FirstLegal(game)),
        ("mine", FirstLegal(game)),
    ]
    comparison = compare(game, agents, games=6)
    assert list(comparison.ratings) == ["random", "random#2", "FirstLegal", "mine", "mine#2"]
    assert len(comparison.pairings) == 10
    assert {comparison.total(label).total.games for label in comparison.ratings} == {24}
    assert sum(rating.elo for rating in comparison.ratings.values()) == pytest.approx(0, abs=1e-6)


def test_an_environment_can_set_the_limit() -> None:
    comparison = compare("Quixo-v0:size=5,max_cycles=3", ["random", "random"], games=4)
    assert comparison.pairings[0].match.plies == 12
    assert compare("Quixo-v0:max_cycles=3", ["random", "random"], games=4, max_cycles=2).pairings[0].match.plies == 8


def test_derived_seeds_fit_every_library() -> None:
    seeds = {derived_seed(seed, *labels) for seed in range(20) for labels in [("a", "b"), ("b", "a"), ("a",)]}
    assert len(seeds) == 60
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_json_is_plain() -> None:
    comparison = compare("TicTacToe-v0", ["random", "minimax:depth=1"], games=10)
    data = to_json(comparison)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    sides = data["pairs"][0]["sides"]
    assert [side["agent"] for side in sides] == ["random", "minimax:depth=1"]
    assert sides[0]["first"]["wins"] == sides[1]["second"]["losses"]
    for column in ("ms_one_board", "ms_per_move"):
        assert all(data["timing"][column][agent] > 0 for agent in ("random", "minimax:depth=1"))


class SlowHashing(Hashing):
    """An agent that needs a second for a call and a further second for each board. It records the numbers of boards."""

    def __init__(self, game: Game, clock: list[float]) -> None:
        super().__init__(game, salt=1)
        self.clock = clock
        self.boards: list[int] = []

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        self.boards.append(len(observations["action_mask"]))
        self.clock[0] += 1 + self.boards[-1]
        return super().act_batch(observations)


def test_the_times_on_one_board_and_on_many_boards_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(decision, "perf_counter", lambda: clock[0])
    agent = SlowHashing(TIC_TAC_TOE, clock)
    comparison = compare(TIC_TAC_TOE, [("slow", agent), "random"], games=40)
    assert comparison.one_board == {"slow": Timing(1, 2.0), "random": Timing(20, 0.0)}
    assert agent.boards[:3] == [1, 1, 20]  # a decision takes more than the 0.2 s after which no further decision begins
    assert 1000 < comparison.total("slow").ms_per_move < 2000 == comparison.one_board["slow"].ms
    assert comparison.total("random").ms_per_move == 0
    assert np.isnan(Timing().ms)


@pytest.mark.parametrize("game", [TIC_TAC_TOE, Nim((1,)), Quixo(3), Quarto()], ids=str)
def test_the_positions_of_the_times_are_of_different_games_and_plies(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def recorded(agent: Agent, words: NDArray[np.uint64]) -> decision.TimedActions:
        seen.append(Position(game, *words[0].tolist(), 0))
        return decision.TimedActions(np.zeros(1, np.int64), 0.015)

    monkeypatch.setattr("ci_envs.arena.timing.decide_or_fail", recorded)
    assert time_one_board(FirstLegal(game)) == Timing(14, pytest.approx(0.21))
    assert all(position.result is None for position in seen)
    if game != Nim((1,)):  # whose only position is the first one
        assert len(set(seen)) > 5
    before, seen = seen, []
    time_one_board(FirstLegal(game))
    assert seen == before


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_watching_shows_the_game_that_is_played(game: Game) -> None:
    agents = Hashing(game, 1), Hashing(game, 2)
    lines: list[str] = []
    players = [Player("one", agents[0], sees_legal_actions=True), Player("two", agents[1], sees_legal_actions=False)]
    winner = watch(game, players, max_cycles=30, show=lines.append)
    score, plies = replay(game, agents, 30)
    assert winner == {1: 0, 0: None, -1: 1}[score]
    assert sum(" plays " in line for line in lines) == plies
    start = Position.start(game)
    names = [start.action_name(action) for action in start.legal_actions()]
    assert lines[1] == f"legal actions: {' '.join(names)}"
    assert start.diagram() in lines[0]
    assert (
        lines[-1].strip().startswith("a draw" if winner is None else f"{('one', 'two')[winner]} (player {winner}) wins")
    )


def test_watching_an_illegal_action() -> None:
    agent = Answering(TIC_TAC_TOE, lambda n: np.full(n, 0))
    lines: list[str] = []
    players = [Player("good", FirstLegal(TIC_TAC_TOE), False), Player("bad", agent, False)]
    assert watch(TIC_TAC_TOE, players, show=lines.append) == 0
    assert lines[-1] == "\nbad (player 1) plays 0, which is illegal: good (player 0) wins"


@cache
def exact(position: Position) -> tuple[int, int]:
    """Return value and distance for the player to move by a search of all positions. The players must alternate."""
    if position.result is not None:
        return position.result, 0
    after = [exact(position.play(action)) for action in position.legal_actions()]
    value = max(-other for other, _ in after)
    plies = [distance for other, distance in after if -other == value]
    return value, 1 + (max(plies) if value == -1 else min(plies))


@pytest.mark.parametrize("game", [TIC_TAC_TOE, Nim((2, 3, 4), misere=True)], ids=str)
def test_actions_are_evaluated_as_by_a_plain_search_of_each_game(game: Game) -> None:
    agents = Hashing(game, 1), Hashing(game, 2)
    side = play_match(game, *agents, games=2, grading=Grading(solve(game))).sides[0]
    everywhere, critical = np.zeros((2, 4))  # decisions, keeping, fastest, points
    for seat in (0, 1):
        position = Position.start(game)
        while position.result is None:
            mover = agents[position.to_move ^ seat]
            action = mover.choose(position.observation(), position.legal_actions())
            if mover is agents[0]:
                value, distance = exact(position)
                after, rest = exact(position.play(action))
                keeps = -after == value
                fastest = keeps and (value == 0 or rest == distance - 1)
                found = [1, keeps, fastest, (value + after) / 2]
                everywhere += found
                if any(-exact(position.play(other))[0] < value for other in position.legal_actions()):
                    critical += found
            position = position.play(action)
    assert list(asdict(side.accuracy.everywhere).values()) == everywhere.tolist()
    assert list(asdict(side.accuracy.critical).values()) == critical.tolist()


def test_only_solved_games_are_evaluated() -> None:
    comparison = compare("Nim-v0", ["random", "exact"], games=4)
    solved = to_json(comparison)
    unsolved = to_json(compare("ConnectFour-v0", ["random", "random"], games=4))
    accuracy = {agent["agent"]: agent["accuracy"]["everywhere"] for agent in solved["agents"]}
    assert accuracy["exact"]["keeping"] == accuracy["exact"]["fastest"] == accuracy["exact"]["decisions"] > 0
    assert accuracy["exact"]["points"] == 0
    assert all("accuracy" not in agent for agent in unsolved["agents"])
    random = accuracy["random"]
    interval = binomtest(random["keeping"], random["decisions"]).proportion_ci(method="wilson")
    shares = [random["keeping"] / random["decisions"], interval.low, interval.high]
    assert [random[name] for name in ("keeps", "keeps_low", "keeps_high")] == pytest.approx(shares)
    row = agent_rows(comparison)[0]
    assert row["graded"] == random["decisions"]
    assert [row[name] for name in ("keep", "keep_low", "keep_high")] == pytest.approx(shares)
    console = Console(width=100, record=True)
    console.print(tables(comparison))
    *_, line = (line.split() for line in console.export_text().splitlines() if line.strip().startswith("random "))
    assert line[1:6] == [str(random["decisions"]), *(f"{100 * each:.2f}" for each in shares[:2]), "to", line[5]]


def test_each_position_is_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solution, solved = solve(TIC_TAC_TOE), []
    score = solution.grading_scores
    words = np.array([[1, 2], [0, 0], [1, 2], [0, 0], [0, 0], [3, 12]], np.uint64)
    actions = np.array([2, 4, 3, 0, 9, 8])

    def scores(rows: NDArray[np.uint64]) -> NDArray[np.int16]:
        solved.extend(rows.tolist())
        return score(rows)

    monkeypatch.setattr(solution, "grading_scores", scores)
    monkeypatch.setattr(solution, "searches", True)
    monkeypatch.setattr("ci_envs.arena.grading._SEARCHED_AT_ONCE", 2)
    counts: list[tuple[int, int | None]] = []
    grading = Grading(solution, progress=lambda *numbers: counts.append(numbers))
    assert grade_decisions(grading, words, actions) == grade(score(words), actions)
    assert sorted(solved) == [[0, 0], [1, 2], [3, 12]]
    assert counts == [(5, 6), (6, 6)]


def test_games_are_counted_by_their_length() -> None:
    first, second = (make_agent("random", TIC_TAC_TOE, seed=seed) for seed in (0, 1))
    played = play_match(TIC_TAC_TOE, first, second, 501)
    assert set(played.by_length) == {5, 6, 7, 8, 9}  # a win takes at least five plies, and nine plies fill the board
    assert sum(length * (a.games + b.games) for length, (a, b) in played.by_length.items()) == played.plies
    for seat in (0, 1):
        assert sum((pair[seat] for pair in played.by_length.values()), Record()) == played.sides[0].seats[seat]
    for length, (moving_first, moving_second) in played.by_length.items():
        won_by_who_began = moving_first.wins + moving_second.losses
        won_by_the_other = moving_first.losses + moving_second.wins
        assert (won_by_the_other if length % 2 else won_by_who_began) == 0
        assert length == 9 or moving_first.draws == moving_second.draws == 0


def test_zero_graded_actions_solve_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ci_envs.arena.tournament.solve", lambda game: pytest.fail("solved"))
    comparison = compare("ConnectN-v0:rows=8,cols=8", ["random", "random"], games=2, graded=0)
    assert comparison.total("random").accuracy.everywhere.decisions == 0


def test_a_match_is_graded_by_the_solution_of_its_game():
    game = ConnectN(3, 3, 3)
    agents = [make_agent("random", game, seed=seed) for seed in range(2)]
    with pytest.raises(ValueError, match=r"this grading is for ConnectN\(rows=3, cols=3, n=2"):
        play_match(game, *agents, 4, grading=Grading(solve(ConnectN(3, 3, 2))))


def test_numbers_of_numpy_are_kept_in_a_folder(tmp_path):
    numbers = {"games": np.int64(2), "seed": np.int32(1), "random_plies": np.int8(1), "max_cycles": np.int64(9)}
    found = compare("TicTacToe-v0", ["random", "exact"], output=tmp_path / "a", **numbers)
    again = compare("TicTacToe-v0", ["random", "exact"], **{name: int(number) for name, number in numbers.items()})
    assert found.ratings == again.ratings


@pytest.mark.parametrize(
    "openings",
    [np.zeros((1, 3), np.uint64), np.zeros((0, 2), np.uint64), [0, 0], [[0.5, 1]], [[-1, 0]], [[0b11000, 7]], "start"],
)
def test_openings_are_positions_in_which_the_game_goes_on(openings):
    agents = [make_agent("random", TIC_TAC_TOE, seed=seed) for seed in range(2)]
    with pytest.raises(ValueError, match=r"openings must be rows \(own, opp\)|over in one of the openings"):
        play_match(TIC_TAC_TOE, *agents, 2, openings=openings)


@pytest.mark.parametrize("agent", ["random", None, lambda seen: 0])
def test_a_match_needs_agents(agent):
    with pytest.raises(TypeError, match="is not an agent: make_agent and as_agent make one"):
        play_match(TIC_TAC_TOE, make_agent("random", TIC_TAC_TOE), agent, 2)


@pytest.mark.parametrize("limit", [-1, 1.5, "all", True])
def test_a_limit_of_grades_is_a_number(limit):
    with pytest.raises(ValueError, match="limit must be a whole number from 0"):
        Grading(solve(TIC_TAC_TOE), limit=limit)


def test_an_unknown_label_has_no_results():
    comparison = compare("TicTacToe-v0", ["random", "exact"], games=2)
    with pytest.raises(ValueError, match=r"Unknown agent 'exakt'\. Did you mean 'exact'"):
        comparison.total("exakt")


@pytest.mark.parametrize("agent", [("a",), ("a", "random", "b"), (3, "random")])
def test_an_agent_with_a_label_is_a_pair(agent):
    with pytest.raises(TypeError, match=r"an agent with a label must be \(text, agent\), not"):
        compare("TicTacToe-v0", ["random", agent], games=2)


def test_any_label_can_be_drawn_and_kept(tmp_path):
    labels = ["$x^$", "_under", "\udcff"]
    comparison = compare("TicTacToe-v0", [(label, "random") for label in labels], games=2, output=tmp_path / "a")
    shown = ["$x^$", "_under", "\\udcff"]
    assert list(comparison.ratings) == shown
    write_figure(draw_comparison(comparison), tmp_path / "plot.svg")
    assert "under" in (tmp_path / "plot.svg").read_text()
