"""The tabular sections of reports A, B and D, compared with slow versions in plain Python and independent figures."""

import re
from bisect import bisect
from itertools import accumulate

import numpy as np
import pytest
from oracles.tabular import Dice, longest_runs, run_reward
from playing import random_positions

from ci_envs import Nim, Position, Quixo, make_agent
from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agents.random import RandomAgent
from ci_envs.arena import play_match
from ci_envs.games.grid import lines_of
from ci_envs.kernels.compiler import kernel
from ci_envs.reports.nim_strategies import REPORT_ROWS, after, nim_optimal, nim_sum, row_random, win_percentage
from ci_envs.reports.report_a.tictactoe_players import table_agent
from ci_envs.reports.report_a.tictactoe_tables import TICTACTOE, learn_monte_carlo, learn_q, read_tables
from ci_envs.reports.report_b.nim_q_learning import (
    QLearningRates,
    greedy,
    learned_agent,
    new_q_table,
    opponent_table,
    play_games,
    searched_q_table,
)
from ci_envs.reports.report_d.quixo_monte_carlo import learn_positions, position_table_agent
from ci_envs.reports.report_d.quixo_q_learning import (
    ADDED,
    FIRST_THAT_APPLIES,
    _reward,
    action_table_agent,
    learn_actions,
)
from ci_envs.reports.trainers import learned, new_tabular_trainer, train_to

QUIXO = Quixo()
PRINTED = QLearningRates()
METHODS = ("q_learning", "monte_carlo")


# --- tic-tac-toe in report A: boards are texts of X, O and dots


def code(board):
    return sum(".XO".index(symbol) * 3**cell for cell, symbol in enumerate(board))


def placed(board, cell):
    mover = "XO"[board.count("X") > board.count("O")]
    return board[:cell] + mover + board[cell + 1 :]


def free(board):
    return [cell for cell in range(9) if board[cell] == "."]


def reward_of(board):
    """Return 1 if X has a line, -1 if O has a line, 0 if the board is full, and None during the game."""
    for a, b, c in ("012", "345", "678", "036", "147", "258", "048", "246"):
        if board[int(a)] == board[int(b)] == board[int(c)] != ".":
            return 1 if board[int(a)] == "X" else -1
    return None if "." in board else 0


def best_cell(table, board):
    sign = 1 if board.count("X") == board.count("O") else -1
    return max(free(board), key=lambda cell: sign * table.get((code(placed(board, cell)), cell), 0.0))


def episode(dice, epsilon, table):
    """Return the boards and cells of a game, and its reward."""
    board, path = "." * 9, []
    while reward_of(board) is None:
        if epsilon < 1 and dice.share() >= epsilon:
            cell = best_cell(table, board)
        else:
            cell = free(board)[dice.below(len(free(board)))]
        board = placed(board, cell)
        path.append((code(board), cell))
    return path, reward_of(board)


def test_q_learning_of_report_a():
    dice, table, episodes = Dice(5), {}, 400
    for number in range(episodes):
        epsilon = 1.0 if number < episodes / 2 else 1.0 - 0.7 * (2 * number / episodes - 1)
        path, target = episode(dice, epsilon, table)
        for move in reversed(path):
            old = table.get(move, 0.0)
            target = table[move] = old + 0.1 * (target - old)
    learned_table = learn_q(episodes, seed=5)
    assert np.count_nonzero(learned_table) == sum(value != 0 for value in table.values()) > 300
    for move, value in table.items():
        assert learned_table[move] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("summed", [True, False])
def test_monte_carlo_of_report_a(summed):
    dice, returns = Dice(6), {}
    for _ in range(300):
        path, reward = episode(dice, 1.0, {})
        for place, (position, _) in enumerate(path):
            returns.setdefault(position, []).append(reward * (len(path) - place) if summed else reward)
    table = learn_monte_carlo(300, seed=6, summed=summed)
    for position, earned in returns.items():
        assert table[position] == pytest.approx(np.mean(earned))
    assert set(np.flatnonzero(table).tolist()) <= returns.keys()


def weighted_cell(values, board, seed):
    """Sample report A's move for Monte Carlo, with Python's sort and bisection."""
    x_moves = board.count("X") == board.count("O")
    cells = sorted(free(board), key=lambda cell: values[code(placed(board, cell))], reverse=x_moves)
    kept = cells[: -(-len(cells) // 3)]
    worth = [values[code(placed(board, cell))] for cell in kept]
    weights = worth if x_moves else [max(worth) - value + 0.1 for value in worth]
    if sum(weights) == 0:
        return kept[Dice(seed).below(len(kept))]
    sums = list(accumulate(weight / sum(weights) for weight in weights))
    return kept[bisect(sums, Dice(seed).share() * sums[-1], 0, len(kept) - 1)]


def test_moves_of_report_as_agents():
    positions = random_positions(TICTACTOE, 200, seed=1)
    tables = {method: table.astype(np.float64) for method, table in read_tables().items()}
    agents = [table_agent(TICTACTOE, None, method=method, table=tables[method]) for method in METHODS]
    (greedy_agent, drawn), (q_table, values) = agents, (tables[method] for method in METHODS)
    q_values = {(int(position), int(cell)): q_table[position, cell] for position, cell in np.argwhere(q_table)}
    words = np.array([(position.own, position.opp) for position in positions], dtype=np.uint64)
    seeds = np.arange(200, dtype=np.uint64)
    played = zip(
        positions, greedy_agent.choose(words, seeds).tolist(), drawn.choose(words, seeds).tolist(), strict=True
    )
    for seed, (position, best, weighted) in enumerate(played):
        board = position.to_text().split()[0].replace("/", "")
        assert best == best_cell(q_values, board)
        assert weighted == weighted_cell(values, board, seed)


def test_shares_of_report_as_agents():
    """All of 4,000 games. The intervals are four standard errors around independently measured figures."""
    agents = {name: make_agent(name, TICTACTOE, seed=7) for name in ("report:A4:q_learning", "report:A4:monte_carlo")}
    q_learning, monte_carlo = agents.values()
    random = make_agent("random", TICTACTOE, seed=8)
    q_record = play_match(TICTACTOE, q_learning, random, 4000).sides[0]
    assert q_record.total.wins == pytest.approx(3805, abs=60)
    assert q_record.total.losses <= 4
    total = play_match(TICTACTOE, monte_carlo, random, 4000).sides[0].total
    assert (total.wins, total.losses, total.draws) == pytest.approx((3352, 161, 488), abs=95)
    seats = play_match(TICTACTOE, monte_carlo, q_learning, 2000).sides[1].seats
    assert seats[0].wins == 1000
    assert seats[1].draws == pytest.approx(970, abs=25)


# --- Nim in report B


def plain_nim(games, seed, rates, opponent, *, moves_first=False):
    """Run report B's Q-learning with dictionaries, and return the games won and the table, which starts at 0."""
    dice, table, won = Dice(seed), {}, []
    for _ in range(games):
        rows, learners_turn, last = REPORT_ROWS, moves_first, None
        while any(rows):
            share = dice.share()
            if learners_turn:
                moves = [(row, number) for row, size in enumerate(rows) for number in range(size, 0, -1)]
                values = [table.get((rows, move), first_value(rows, move)) for move in moves]
                best = moves[values.index(max(values))]
                move = best if share < rates.epsilon else sorted(moves)[dice.below(len(moves))]
                if last:
                    old, reward = table.get(last, first_value(*last)), not any(after(rows, move))
                    table[last] = old + rates.learning_rate * (reward + rates.discount * max(values) - old)
                last = rows, move
            else:
                chances = sorted(opponent(rows).items())
                sums = np.cumsum([chance for _, chance in chances])
                move = chances[int(np.argmax(share < sums))][0]
            rows, learners_turn = after(rows, move), not learners_turn
        won.append(not learners_turn)
        if learners_turn and last:
            table[last] = table.get(last, first_value(*last)) + rates.learning_rate * (
                -1 - table.get(last, first_value(*last))
            )
    return won, table


def first_value(rows, move):
    """Return a first value that differs for each move."""
    return 0.001 * (sum(size * 9**place for place, size in enumerate(rows)) * 31 % 97) + 0.0001 * (
        7 * move[0] + move[1]
    )


@pytest.mark.parametrize("rates", [QLearningRates(), QLearningRates(0.5, 0.9, 0.6)])
@pytest.mark.parametrize(("opponent", "moves_first"), [(row_random, False), (nim_optimal, True)])
def test_q_learning_of_report_b(rates, opponent, moves_first):
    rng = np.random.default_rng(1)
    table = new_q_table(rng)
    index = {rows: sum(size * 8 ** (3 - place) for place, size in enumerate(rows)) for rows in all_rows()}
    for rows, place in index.items():
        for row, size in enumerate(rows):
            for number in range(1, size + 1):
                table[place, 7 * row + number - 1] = first_value(rows, (row, number))
    seed = int(np.random.default_rng(2).integers(2**64, dtype=np.uint64))
    won = play_games(
        table, opponent_table(opponent), np.random.default_rng(2), rates, games=300, moves_first=moves_first
    )
    plain_won, plain = plain_nim(300, seed, rates, opponent, moves_first=moves_first)
    assert won.tolist() == plain_won
    for (rows, (row, number)), value in plain.items():
        assert table[index[rows], 7 * row + number - 1] == pytest.approx(value, abs=1e-9)


def all_rows():
    return [(a, b, c, d) for a in range(2) for b in range(4) for c in range(6) for d in range(8)]


def shares_won(opponents, rates=PRINTED, runs=10, **options):
    rng = np.random.default_rng(3)
    tables = [opponent_table(opponent) for opponent in opponents]
    won = []
    for _ in range(runs):
        table = new_q_table(rng)
        won.append([play_games(table, opponent, rng, rates, **options).mean() for opponent in tables])
    return 100 * np.mean(won, axis=0)


def test_figures_of_report_b():
    assert shares_won([row_random, nim_optimal] * 2) == pytest.approx([94.7, 92.8, 100, 100], abs=0.6)
    assert shares_won([nim_optimal]) == pytest.approx([87.5], abs=0.6)
    slower = QLearningRates(0.5, 0.9)
    assert [*shares_won([row_random], slower), *shares_won([nim_optimal], slower)] == pytest.approx(
        [95.0, 90.1], abs=0.8
    )
    exploring = QLearningRates(0.5, 0.9, epsilon=0.1)
    assert [*shares_won([row_random], exploring), *shares_won([nim_optimal], exploring)] == pytest.approx(
        [54, 2.7], abs=1
    )
    assert shares_won([nim_optimal], moves_first=True, runs=1) == [0]


@pytest.mark.extended
def test_the_preset_of_report_b_wins_as_many_games():
    trainer = learned("q_learning:preset=B34", "Nim-v0:heaps=1,3,5,7", 10_000)
    assert trainer.metrics()["won"] / 10_000 == pytest.approx(0.947, abs=0.012)


class NimSumAnalyst(RandomAgent):
    """An analyst that values each action by the nim-sum that it leaves, and does not value actions of the first row."""

    def analyse(self, position):
        def value(action):
            row, number = divmod(action, position.game.limit)
            left = nim_sum(after(position.game.sizes(position.own), (row, number + 1)))
            return np.nan if row == 0 else -1.0 if left else 1.0

        return Analysis(0.0, {action: value(action) for action in position.legal_actions()}, ())


def test_a_table_that_begins_with_the_values_of_an_agent():
    table = searched_q_table(NimSumAnalyst(Nim(REPORT_ROWS)))
    assert set(np.unique(table)) == {-1.0, 0.0, 1.0}
    strategy = greedy(table)
    for rows in ((1, 3, 5, 6), (0, 2, 1, 0), (1, 1, 0, 5), (0, 0, 4, 7)):
        ((move, _),) = strategy(rows).items()
        assert nim_sum(after(rows, move)) == 0
    assert strategy((1, 2, 2, 0)) == {(0, 1): 1.0}  # 0 is better than the values of the other moves


def test_the_agent_of_report_b_wins_from_the_second_seat():
    agent = learned_agent(Nim(REPORT_ROWS), 4)
    strategy = agent._strategy
    assert [win_percentage(strategy, opponent, 1) for opponent in (row_random, nim_optimal)] == pytest.approx(
        [100, 100], abs=0.5
    )
    assert greedy(np.zeros((4096, 28)))((0, 0, 3, 2)) == {(2, 3): 1.0}  # the first row, the largest number


# --- Quixo in report D


@kernel
def _rewarded(game, rewards, own, opp, next_own, next_opp, outcome):
    return _reward(game, rewards, own, opp, next_own, next_opp, outcome)


def words(*cells):
    return np.uint64(sum(1 << cell for cell in cells))


NOTHING, ONE, TWO, THREE = words(), words(0), words(0, 1), words(4, 8, 12)


@pytest.mark.parametrize(
    ("before", "now", "outcome", "added", "first"),
    [
        ((ONE, NOTHING), (TWO, NOTHING), 0, 1.25, 2 / 5),
        ((THREE, NOTHING), (ONE, NOTHING), 0, -1.25, -3 / 5),
        ((NOTHING, ONE), (NOTHING, words(0, 5, 10)), 0, -1.25, -3 / 5),
        ((NOTHING, TWO), (NOTHING, ONE), 0, 1.25, 2 / 5),
        ((ONE, TWO), (TWO, ONE), 0, 2.5, 2 / 5),
        ((ONE, ONE), (TWO, TWO), 0, 0, 2 / 5),
        ((ONE, ONE), (words(7), words(9)), 0, 0, 0),
        ((ONE, ONE), (words(0, 2, 4), ONE), 0, 0, 0),  # three cubes that do not touch
        ((words(0, 1, 2, 3), ONE), (words(0, 1, 2, 3, 4), ONE), 1, 2.25, 1),
        ((ONE, words(0, 1, 2, 3)), (ONE, words(5, 6, 7, 8, 9)), -1, -2.25, -1),
    ],
)
def test_rewards_of_report_d_worked_by_hand(before, now, outcome, added, first):
    assert _rewarded(QUIXO, ADDED, *before, *now, outcome) == pytest.approx(added)
    assert _rewarded(QUIXO, FIRST_THAT_APPLIES, *before, *now, outcome) == pytest.approx(first)


def test_rewards_of_report_d_in_games():
    for position in random_positions(QUIXO, 100, seed=3):
        later = position.play(position.legal_actions()[0])
        assert longest_runs(position)[0] <= max((position.own & line).bit_count() for line in lines_of(5, 5, 5))
        expected = run_reward(position, later)
        arguments = [np.uint64(word) for word in (position.own, position.opp, later.opp, later.own)]
        assert _rewarded(QUIXO, ADDED, *arguments, 0) == pytest.approx(expected)


def plain_positions(games, seed):
    """Learn report D's Monte Carlo table of colour 0: values by the least image, from the opponent's point of view."""
    dice, table = Dice(seed), {}
    for _ in range(games):
        if dice.below(2) == 1:
            continue
        agents_player = dice.below(2)
        position, boards = Position.start(QUIXO), []
        while position.result is None:
            legal = position.legal_actions()
            position = position.play(legal[dice.below(len(legal))])
            seen = [(image.own, image.opp) for image in position.symmetries]
            if position.to_move == agents_player:
                seen = [(opp, own) for own, opp in seen]
            boards.append(min(seen))
        won = (position.result > 0) == (position.to_move == agents_player)
        for board in boards:
            old = table.get(board, 0.0)
            table[board] = old + 0.001 * (won - old)
    return table


def test_monte_carlo_of_report_d():
    rows = learn_positions(0, games=60, seed=9)
    rows = rows[rows["taken"]]
    stored = {(int(row["own"]), int(row["opp"])): float(row["values"][0]) for row in rows}
    expected = {board: value for board, value in plain_positions(60, 9).items() if value > 0}
    assert stored == pytest.approx(expected, abs=1e-6)
    assert len(expected) > 400


def plain_actions(episodes, seed):
    """Learn report D's Q-table with the rewards of its text: values by position and action."""
    dice, table = Dice(seed), {}

    def value(position, action):
        return table.get((position.own, position.opp, action), 0.0)

    def change(position, action, target):
        table[position.own, position.opp, action] = value(position, action) + 0.1 * (target - value(position, action))

    for _ in range(episodes):
        agents_player, position, last = dice.below(2), Position.start(QUIXO), None
        while position.result is None:
            legal = position.legal_actions()
            action = legal[dice.below(len(legal))]
            if position.to_move == agents_player:
                best = max(legal, key=lambda action: value(position, action))
                if last:
                    change(*last, run_reward(last[0], position) + 0.95 * value(position, best))
                if dice.share() >= 0.1:
                    action = best
                last = position, action
            position = position.play(action)
        won = position.result if position.to_move == agents_player else -position.result
        change(*last, won + run_reward(last[0], position))
    return table


def test_q_learning_of_report_d():
    values = learn_actions(ADDED, 40, seed=4)
    values = values[values["taken"]]
    stored = {
        (int(row["own"]) & (1 << 25) - 1, int(row["opp"]), int(row["own"]) >> 32): float(row["values"][0])
        for row in values
    }
    expected = plain_actions(40, 4)
    assert stored == pytest.approx(expected, abs=1e-5)
    assert len(expected) > 300


def test_the_table_of_report_d_is_worse_than_random():
    """A short training already gives the result of 200,000 games: 24 and 20% of the games won against random."""
    agent = position_table_agent(QUIXO, learn_positions(0, 20_000))
    random = make_agent("random", QUIXO, seed=5)
    wins = play_match(QUIXO, agent, random, 400).sides[0].total.wins
    assert 20 < wins < 140
    better = action_table_agent(QUIXO, learn_actions(FIRST_THAT_APPLIES, 20_000))
    assert play_match(QUIXO, better, agent, 200).sides[0].faults == 0


# --- our learners and the agents


def test_a_learner_continues_with_the_table_of_another_learner():
    spec = "q_learning:opponent=report:B:row_random,seat=second,learning_rate=1,table_mb=1"
    first = learned(spec, "Nim-v0", 200, seed=1)
    second = new_tabular_trainer(spec, "Nim-v0", 100, seed=2, earlier=first)
    assert (second.count, second.metrics()["positions"]) == (0, first.metrics()["positions"])
    train_to(second, 100)
    assert second.metrics()["positions"] > first.metrics()["positions"] - 1
    assert 0 < second.metrics()["won"] <= 100


@pytest.mark.extended
@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("report:A4:q_learning", "ConnectN-v0", "report:A4 plays ConnectN(rows=3, cols=3"),
        ("report:A4:monte_carlo", "Nim-v0", "report:A4 plays ConnectN"),
        ("report:B34", "Nim-v0:heaps=3,4", "report:B34 plays Nim with the heaps (1, 3, 5, 7), not (3, 4)"),
        ("report:B34", "Nim-v0:misere=true", "normal play"),
        ("report:D3", "Quixo-v0:size=4", "report:D3 plays Quixo(size=5)"),
        ("report:D4", "TicTacToe-v0", "report:D4 plays Quixo"),
    ],
)
def test_games_that_the_agents_do_not_play(spec, game, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        make_agent(spec, game)
