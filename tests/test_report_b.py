"""Report B on set covering and Nim, compared with independently measured figures."""

import math
import re
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from ci_envs import make_agent
from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agents.nim.rules import rule_action_probabilities
from ci_envs.agents.random import RandomAgent
from ci_envs.arena import play_match
from ci_envs.games.nim import Nim
from ci_envs.optimisation.set_covering.instances import lab_sets, set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import optimise
from ci_envs.reports.catalog import sections
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    REPORT_ROWS,
    after,
    always,
    compiled_strategy,
    count_and_decide,
    leave_one,
    leave_one_of_larger,
    leave_one_or_take_it,
    moves_of,
    nim_expert,
    nim_optimal,
    nim_sum,
    row_random,
    take_row,
    uniform,
    win_percentage,
    win_share,
)
from ci_envs.reports.report_b.b31 import share_leaving_a_pair
from ci_envs.reports.report_b.b32 import share_of, share_of_genomes, threshold
from ci_envs.reports.report_b.b33 import minmax_chance, minmax_exchanged, minmax_false, minmax_true
from ci_envs.reports.report_b.bounded_searches import breadth_first, dijkstra
from ci_envs.reports.report_b.nim_mixtures import Mixtures
from ci_envs.reports.report_b.nim_proposals import (
    PROPOSED_PLANS,
    REPORT_PLAN,
    best_genomes,
    exact_fitness,
    measured_fitness,
)
from ci_envs.reports.report_b.nim_reviews import (
    bounded_rule,
    decision_tree,
    expected_visits,
    minmax_move,
    read_memory,
    search_with_rollouts,
    write_memory,
)
from ci_envs.reports.section import RunOptions

STRATEGIES = {
    "B:row_random": row_random,
    "B:nim_optimal": nim_optimal,
    **{f"B31:{name}": rule for name, rule in FIXED_RULES.items()},
    "B31:always_first": always(0, leave_one_of_larger),
    "B31:always_second": always(1, leave_one_of_larger),
    "B32": threshold(0.4614, leave_one_or_take_it),
    "B33": minmax_true,
    "B33:described": minmax_false,
    "B33:exchanged": minmax_exchanged,
}  # the agents of report B, with a legal move instead of a pass
POSITIONS = [rows for rows in product(*(range(size + 1) for size in REPORT_ROWS)) if any(rows)]


# --- set covering in report B


def plain_greedy(sets, n):
    """Report B's greedy algorithm in plain Python: return the weight of its cover and the number of selected sets."""
    lists = sorted((set(each) for each in sets), key=len, reverse=True)
    covered, taken = set(lists[0]), [lists.pop(0)]
    while len(covered) < n:
        ratios = [len(x & covered) / len(x - covered) if x - covered else math.inf for x in lists]
        taken.append(lists.pop(ratios.index(min(ratios))))
        covered |= taken[-1]
    return sum(map(len, taken)), len(taken)


@pytest.mark.parametrize(
    ("n", "weight", "lists"), [(5, 5, 3), (10, 10, 3), (20, 24, 4), (100, 182, 8), (500, 1262, 11), (1000, 2878, 13)]
)
def test_the_greedy_cover_is_that_of_the_report(n, weight, lists):
    assert plain_greedy(lab_sets(n), n) == (weight, lists)
    result = optimise(set_covering(n), "greedy:rule=overlap")
    assert (result.value, result.solution.sum()) == (weight, lists)


def random_covering(rng):
    """Return an instance with 6 elements and random costs."""
    pairs = [rng.choice(6, 2, replace=False).tolist() for _ in range(6)]
    return SetCovering(6, [*pairs, *([number] for number in range(6))], rng.integers(1, 9, 12).tolist())


def lightest(problem):
    """Return the least weight of a cover, by enumeration of all selections of sets."""
    everything, lists = set(range(problem.size)), list(zip(map(set, problem.sets), problem.costs, strict=True))
    chosen = (subset for size in range(len(lists) + 1) for subset in combinations(lists, size))
    return min(
        sum(cost for _, cost in subset)
        for subset in chosen
        if set().union(*(elements for elements, _ in subset)) == everything
    )


@pytest.mark.parametrize("search", [dijkstra, breadth_first])
def test_a_bound_saves_states_and_keeps_the_lightest_cover(search):
    rng, saved = np.random.default_rng(0), 0
    for _ in range(6):
        problem = random_covering(rng)
        least, greedy = lightest(problem), optimise(problem, "greedy:rule=overlap").value
        free, bounded = search(problem), search(problem, greedy)
        assert (free.weight, bounded.weight) == (least, least)
        assert bounded.generated <= free.generated
        saved += free.generated - bounded.generated
        with pytest.raises(ValueError, match="no cover weighs at most"):
            search(problem, least - 1)
    assert saved > 0


def test_breadth_first_search_generates_each_covered_set_at_its_weights():
    problem = SetCovering(3, [[0], [1], [2], [0, 1, 2]], [1, 1, 1, 2])
    assert breadth_first(problem) == (2, 8)  # all subsets
    assert breadth_first(problem, 2) == (2, 8)
    assert breadth_first(SetCovering(3, [[0, 1, 2], [0], [1], [2]], [2, 2, 2, 2]), 2) == (2, 5)


def test_our_covers_are_lighter():
    rows = [
        row
        for row in sections()["B1"].run(RunOptions(quick=True)).rows
        if row.quantity.startswith("weight of the cover")
    ]
    assert [row.literal.value for row in rows] == [row.report.value for row in rows]
    assert all(
        row.ours.value < row.literal.value or row.literal.value == n
        for row, n in zip(rows, (5, 10, 20, 100, 500, 1000), strict=True)
    )


# --- the strategies of report B


@pytest.mark.parametrize(
    ("rule", "v_row_random", "v_uniform"),
    [("max_lowest", 75.7, 70.4), ("max_highest", 59.4, 48.1), ("min_lowest", 39.8, 42.8), ("min_highest", 43.4, 48.7)],
)
def test_shares_of_the_fixed_rules(rule, v_row_random, v_uniform):
    shares = [win_percentage(FIXED_RULES[rule], opponent) for opponent in (row_random, uniform, nim_optimal)]
    assert shares == pytest.approx([v_row_random, v_uniform, 0], abs=0.05)


@pytest.mark.parametrize(
    ("odd", "even", "v_row_random"),
    [
        ("max_highest", "min_lowest", 85.5),
        ("max_highest", "min_highest", 84.7),
        ("max_highest", "max_lowest", 74.0),
        ("max_lowest", "min_lowest", 87.4),
        ("max_lowest", "min_highest", 85.5),
        ("max_lowest", "max_highest", 52.9),
        ("min_lowest", "max_lowest", 35.1),
        ("min_lowest", "min_highest", 41.2),
        ("min_lowest", "max_highest", 27.4),
        ("min_highest", "max_lowest", 34.8),
        ("min_highest", "min_lowest", 39.7),
        ("min_highest", "max_highest", 22.4),
    ],
)
def test_shares_of_count_and_decide(odd, even, v_row_random):
    assert win_percentage(count_and_decide(odd, even), row_random) == pytest.approx(v_row_random, abs=0.05)


@pytest.mark.parametrize(
    ("version", "first", "second", "first_rule_second"),
    [
        (leave_one, (100, 100), (0, 0), (100, 100)),
        (leave_one_or_take_it, (85.4, 0), (19.0, 0), (85.4, 1.1)),
        (leave_one_of_larger, (90.0, 0), (16.8, 0), (90.1, 2.1)),
    ],
)
def test_shares_of_the_always_rule(version, first, second, first_rule_second):
    for strategy, seat, expected in (
        (always(0, version), 0, first),
        (always(1, version), 1, second),
        (always(0, version), 1, first_rule_second),
    ):
        shares = [win_percentage(strategy, opponent, seat) for opponent in (row_random, nim_optimal)]
        assert shares == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("rule", "rows", "share"),
    [
        ("min_highest", (1, 2), 1),
        ("max_highest", (1, 2), 0),
        ("max_lowest", (1, 1, 1), 1),
        ("min_highest", (1, 3), 0),  # leaves (1, 2): after each answer of the opponent it cannot leave (1, 1)
        ("min_highest", (2, 3), 1 / 4),  # leaves (2, 2), and (1, 1) if the opponent takes one object from the first row
    ],
)
def test_share_of_games_in_which_two_rows_of_one_are_left(rule, rows, share):
    assert share_leaving_a_pair(FIXED_RULES[rule], rows) == pytest.approx(share)


@pytest.mark.parametrize("rule", [*FIXED_RULES, "take_row", "leave_one", "row_random"])
def test_our_agent_plays_the_rules_of_report_b(rule):
    game = Nim(REPORT_ROWS)
    ours = compiled_strategy(game, lambda words: rule_action_probabilities(game, [rule], words)[0])
    expected = {"leave_one": leave_one_of_larger, "take_row": take_row, "row_random": row_random}.get(rule)
    for rows in POSITIONS[::7]:
        assert ours(rows) == pytest.approx((expected or FIXED_RULES[rule])(rows))


def test_the_always_rule_of_our_agent_wins_its_share():
    game = Nim(REPORT_ROWS)
    agent = make_agent("nim:count_and_decide,odd=take_row,even=leave_one", game, seed=1)
    record = (
        play_match(game, agent, make_agent("nim:row_random", game, seed=2), 2000, swap_seats=False).sides[0].seats[0]
    )
    assert record.wins / record.games == pytest.approx(0.90, abs=0.03)


@pytest.mark.parametrize(
    ("p", "share"), [(0.2, 0.159), (0.3, 0.207), (0.4, 0.231), (0.45, 0.233), (0.5, 0.230), (0, 0)]
)
def test_exact_shares_of_the_threshold(p, share):
    assert win_share(threshold(p), nim_expert) == pytest.approx(share, abs=0.0006)
    assert share_of()(p) == pytest.approx(win_share(threshold(p), nim_optimal), abs=1e-12)


def test_without_the_pass_no_threshold_wins():
    assert {win_percentage(threshold(p, leave_one_or_take_it), nim_optimal) for p in (0.2, 0.5, 0.8)} == {0}


def test_the_best_of_the_evolution_is_the_best_of_noise():
    genomes, values = best_genomes(REPORT_PLAN, measured_fitness(share_of_genomes), 1, 100, range(20))
    assert 0.40 <= np.median(values[:, -1]) <= 0.44  # the largest of 30,050 measurements
    assert (np.diff(values) >= 0).all()  # the best genomes survive, and are not measured again
    assert ((genomes > 0) & (genomes < 1)).all()


@pytest.mark.parametrize(
    ("strategy", "four_rows", "five_rows"),
    [
        (minmax_false, (0, 100), (100, 0)),
        (minmax_true, (0, 0), (0, 0)),
        (minmax_exchanged, (0, 0), (0, 0)),
    ],
)
def test_shares_of_minmax(strategy, four_rows, five_rows):
    for rows, expected in ((REPORT_ROWS, four_rows), ((*REPORT_ROWS, 9), five_rows)):
        shares = [win_percentage(strategy, nim_optimal, seat, rows) for seat in (0, 1)]
        assert shares == pytest.approx(expected, abs=0.01)


def search(rows, maximises):
    """Return the value of report B's minmax by search: the opponent plays the first winning reply, or any reply."""
    if not any(rows):
        return -1 if maximises else 1
    replies = nim_optimal(rows) if not maximises else uniform(rows)
    values = [search(after(rows, move), not maximises) for move in replies]
    return max(values) if maximises else min(values)


@pytest.mark.parametrize(("strategy", "maximises"), [(minmax_true, True), (minmax_false, False)])
def test_minmax_needs_no_search(strategy, maximises):
    for rows in (rows for rows in POSITIONS if sum(rows) <= 6):
        moves = list(uniform(rows))
        expected = next((move for move in moves if search(after(rows, move), maximises) > 0), moves[-1])
        assert strategy(rows) == {expected: 1.0}


def test_shares_of_minmax_against_row_random():
    for strategy, shares in ((minmax_false, (99, 100)), (minmax_true, (36, 37)), (minmax_exchanged, (65, 66))):
        measured = [win_percentage(strategy, row_random, seat) for seat in (0, 1)]
        assert measured == pytest.approx(shares, abs=3)


def sampled_minmax(rows, maximises, rng, alpha=-1, beta=1):
    """Return the value of report B's second excerpt, with exchanged end values and a random reply for each visit."""
    if not any(rows):
        return 1 if maximises else -1
    if not maximises:
        replies = list(nim_optimal(rows))
        return sampled_minmax(after(rows, replies[rng.integers(len(replies))]), True, rng, alpha, beta)
    for move in uniform(rows):
        alpha = max(alpha, sampled_minmax(after(rows, move), False, rng, alpha, beta))
        if beta <= alpha:
            break
    return alpha


@pytest.mark.parametrize("rows", [(1, 2, 3), (0, 3, 3), (2, 2, 1), (1, 1, 3, 1)])
def test_random_replies_in_the_search_make_the_move_random(rows):
    rng, drawn, counts = np.random.default_rng(0), 400, {}
    for _ in range(drawn):
        for move in uniform(rows):
            if sampled_minmax(after(rows, move), True, rng) > 0:
                break
        counts[move] = counts.get(move, 0) + 1 / drawn
    assert counts == pytest.approx({**dict.fromkeys(counts, 0), **minmax_exchanged(rows)}, abs=0.08)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_is_a_distribution_over_legal_moves(name):
    for rows in POSITIONS:
        chances = STRATEGIES[name](rows)
        assert sum(chances.values()) == pytest.approx(1)
        assert all(1 <= number <= rows[row] for row, number in chances)


# --- what reviews of report B propose for minmax


class CountedMinmax:
    """Run report B's minmax with max? = FALSE at the root by search, and count the visited positions."""

    def __init__(self, rng):
        self.rng, self.visited = rng, 0

    def first_move(self, rows):
        moves = list(uniform(rows))
        return next((move for move in moves if self.value(after(rows, move), False) > 0), moves[-1])

    def value(self, rows, maximises):
        self.visited += 1
        if not any(rows):
            return -1 if maximises else 1
        if not maximises:
            replies = list(nim_optimal(rows))
            return self.value(after(rows, replies[self.rng.integers(len(replies))]), True)
        for move in uniform(rows):
            if self.value(after(rows, move), False) > 0:
                return 1
        return -1


@pytest.mark.parametrize("rows", [(1, 2, 3), (2, 2), (1, 3, 2), (0, 3, 4)])
def test_expected_visits_of_minmax(rows):
    visited = []
    for seed in range(300):
        search = CountedMinmax(np.random.default_rng(seed))
        search.first_move(rows)
        visited.append(search.visited)
    error = np.std(visited) / len(visited) ** 0.5
    assert expected_visits(rows, False, minmax_chance()) == pytest.approx(np.mean(visited), abs=4 * error + 1e-9)


def test_a_memory_changes_no_move_and_is_kept_on_disk(tmp_path):
    memory, file = {}, tmp_path / "values.json"
    chosen = {rows: minmax_move(rows, memory) for rows in POSITIONS}
    for rows, move in chosen.items():
        assert minmax_false(rows)[move] == pytest.approx(1)
    assert 0 < len(memory) <= 2 * (len(POSITIONS) + 1)
    write_memory(file, memory)
    again = read_memory(file)
    assert {rows: minmax_move(rows, again) for rows in POSITIONS} == chosen
    assert again == memory
    assert minmax_move((1, 2), {}) == (1, 1)


class CountingAnalyst(RandomAgent):
    """An analyst that evaluates each position by its nim-sum, and counts its analyses."""

    analysed = 0

    def analyse(self, position):
        self.analysed += 1
        value = 1.0 if nim_sum(position.game.sizes(position.own)) else -1.0
        return Analysis(value, {}, ())


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_a_search_with_exact_leaves_plays_perfectly(plies):
    agent = CountingAnalyst(Nim(REPORT_ROWS))
    strategy = search_with_rollouts(Nim(REPORT_ROWS), plies, agent)
    for rows in POSITIONS[::5]:
        (move,) = strategy(rows)
        assert move in nim_expert(rows)
    assert 0 < agent.analysed <= len(POSITIONS)


def test_a_search_to_the_end_analyses_nothing():
    agent = CountingAnalyst(Nim(REPORT_ROWS))
    strategy = search_with_rollouts(Nim(REPORT_ROWS), 7, agent)
    assert set(strategy((0, 2, 3, 0))) == {(2, 1)}
    assert agent.analysed == 0


def test_the_branches_of_the_decision_tree():
    tree = decision_tree(3)
    assert tree((0, 4, 0, 4)) == {(1, 1): 1.0}  # no remainder
    assert tree((0, 4, 0, 7)) == {(3, 3): 1.0}  # one remainder: 3
    assert tree((0, 2, 0, 7)) == {(3, 1): 1.0}  # two remainders: 2 and 3
    assert tree((0, 3, 0, 7)) == {(1, 1): 1.0}  # two equal remainders
    assert tree((1, 3, 2, 0)) == {(1, 1): 1.0}  # three remainders
    for rows in POSITIONS:
        ((row, number),) = tree(rows)
        assert 1 <= number <= min(3, rows[row])


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_play_with_a_bound(bound):
    """The expert wins from every position that is won by a search."""

    @cache
    def is_won(rows):
        moves = [move for move in moves_of(rows) if move[1] <= bound]
        return any(not is_won(after(rows, move)) for move in moves)

    expert = bounded_rule("expert", bound)
    for rows in POSITIONS[::3]:
        moves = expert(rows)
        assert all(number <= bound for _, number in moves)
        assert {is_won(after(rows, move)) for move in moves} == {not is_won(rows)}


def test_a_random_opponent_with_a_bound_draws_a_row_and_then_a_number():
    row_random_3 = bounded_rule("row_random", 3)
    for rows in POSITIONS[::11]:
        left = [(row, min(size, 3)) for row, size in enumerate(rows) if size]
        expected = {(row, number): 1 / len(left) / most for row, most in left for number in range(1, most + 1)}
        assert row_random_3(rows) == pytest.approx(expected)


# --- mixtures of strategies, and what reviews of report B propose


@pytest.mark.parametrize("opponent", [row_random, nim_expert])
def test_shares_of_mixtures(opponent):
    mixtures = Mixtures((take_row, leave_one), opponent)
    chances = np.array([0, 0.2, 0.45, 1])
    exact = [win_share(threshold(p), opponent) for p in chances]
    assert mixtures.shares(np.stack((chances, 1 - chances), axis=1) * 3) == pytest.approx(exact)


def test_the_weights_of_a_mixture():
    rules = tuple(FIXED_RULES.values())
    mixtures = Mixtures(rules, row_random, (1, 2, 3))
    alone = [win_share(rule, row_random, (1, 2, 3)) for rule in rules]
    assert mixtures.shares(np.eye(4)) == pytest.approx(alone)
    assert mixtures.shares(np.zeros((1, 4))) == pytest.approx(mixtures.shares(np.ones((1, 4))))


def plain_threshold(seed, generations):
    """Run report B's evolution in plain Python, and return the best measured fitness."""
    rng = np.random.default_rng(seed)

    def measured(genomes):
        return [(rng.binomial(100, share_of()(p)) / 100, p) for p in genomes]

    individuals = measured(rng.random(50))
    for _ in range(generations):
        children = []
        for _ in range(300):
            pairs = rng.integers(50, size=(2, 2))
            parents = [max((individuals[place] for place in pair), key=lambda one: one[0])[1] for pair in pairs]
            children.append(rng.random() if rng.random() < 0.2 else sum(parents) / 2)
        individuals = sorted(individuals + measured(children), key=lambda one: one[0], reverse=True)[:50]
    return individuals[0][0]


def test_the_engine_repeats_the_evolution_of_report_b():
    engine = best_genomes(REPORT_PLAN, measured_fitness(share_of_genomes), 1, 30, range(20))[1][:, -1]
    plain = [plain_threshold(seed, 30) for seed in range(20)]
    assert engine.mean() == pytest.approx(np.mean(plain), abs=0.015)


@pytest.mark.parametrize("name", PROPOSED_PLANS)
def test_no_proposal_finds_more_than_noise(name):
    genomes, values = best_genomes(PROPOSED_PLANS[name], measured_fitness(share_of_genomes), 1, 10, range(3))
    assert (share_of_genomes(genomes[:, -1]) < 0.2335).all()
    assert (values[:, -1] > 0.3).all()


def test_the_exact_fitness_finds_the_best_threshold():
    genomes, values = best_genomes(REPORT_PLAN, exact_fitness(share_of_genomes), 1, 20, [0])
    assert (genomes[0, -1, 0], values[0, -1]) == (pytest.approx(0.449, abs=0.01), pytest.approx(0.2300, abs=1e-4))


# --- the agents


@pytest.mark.parametrize("name", STRATEGIES)
def test_agents_win_the_exact_share(name):
    game = Nim(REPORT_ROWS)
    first, second = make_agent(f"report:{name}", game, seed=1), make_agent("report:B:row_random", game, seed=2)
    record = play_match(game, first, second, 2000).sides[0].seats[0]
    share = win_share(STRATEGIES[name], row_random)
    assert record.wins / record.games == pytest.approx(share, abs=4 * (share * (1 - share) / record.games) ** 0.5)


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("report:B31:max_lowst", Nim(), "'B31:max_lowst' for report. Did you mean 'B31:max_lowest'?"),
        ("report:B33", Nim(misere=True), "normal play without max_take"),
        ("report:B33", Nim(max_take=3), "normal play without max_take"),
        ("report:B33", "TicTacToe-v0", "report plays Nim"),
    ],
)
def test_agents_refuse_other_games(spec, game, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        make_agent(spec, game)
