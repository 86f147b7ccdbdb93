"""The optimisation problems: compared with their definitions by the labs, as Gymnasium environments, and from files."""

import json
import random
import re
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import ci_envs
from ci_envs.cli.main import main
from ci_envs.envs.aec import InvalidActionError
from ci_envs.optimisation import BitString, SetCovering, lab_sets, optimise, read_scp, set_covering, write_scp
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.registry import registered_problems, resolve_problem
from ci_envs.optimisation.set_covering.instances import random_sets
from ci_envs.optimisation.solving import SOLVERS, Incumbent

FILES = Path(__file__).parent / "or_library"


def problem_of_the_lab(n, seed):
    """Return the sets as in the notebook of the lab."""
    random.seed(seed)
    return [
        list({random.randint(0, n - 1) for _ in range(random.randint(n // 5, n // 2))})
        for _ in range(random.randint(n, n * 5))
    ]


@pytest.mark.parametrize(
    ("n", "lists", "total"),
    [(5, 25, 32), (10, 50, 145), (20, 34, 195), (100, 427, 12_519), (500, 1_809, 268_253), (1000, 3_619, 1_060_214)],
)
def test_instances_are_those_of_the_lab(n, lists, total):
    problem = set_covering(n)
    assert (len(problem.sets), sum(map(len, problem.sets))) == (lists, total)
    assert problem.costs.sum() == total


@settings(deadline=None)
@given(n=st.integers(5, 60), seed=st.integers(0, 10**6))
def test_lists_are_those_of_the_lab_whatever_the_seed(n, seed):
    assert lab_sets(n, seed) == [sorted(one) for one in problem_of_the_lab(n, seed)]


def test_the_generator_leaves_the_global_random_numbers_alone():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    lab_sets(20)
    assert random.random() == expected


def coverings():
    """Random instances with a cover, and a selection of their sets."""
    sizes = st.integers(1, 70)
    lists = sizes.flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=12))
    )
    return lists.map(lambda drawn: (drawn[0], [*drawn[1], set(range(drawn[0]))]))


@pytest.mark.extended
@settings(deadline=None)
@given(drawn=coverings(), generator=st.randoms(use_true_random=False))
def test_cost_coverage_and_fitness(drawn, generator):
    size, lists = drawn
    costs = [generator.randint(1, 9) for _ in lists]
    problem = SetCovering(size, lists, costs)
    genomes = np.array([[generator.random() < 0.4 for _ in lists] for _ in range(20)])
    expected = []
    for genome in genomes:
        taken = [one for one, is_taken in zip(lists, genome, strict=True) if is_taken]
        covered, cost = len(set().union(*taken)), sum(c for c, is_taken in zip(costs, genome, strict=True) if is_taken)
        assert (problem.covered(genome), problem.cost(genome)) == (covered, cost)
        assert problem.value(genome, 0.0) == (cost if covered == size else float("inf"))
        expected.append((covered, -cost))
    fitness = problem.fitness(genomes)
    assert problem.calls == 20
    for one, value in zip(expected, fitness, strict=True):  # the fitness has the same order as (coverage, -cost)
        for other, limit in zip(expected, fitness, strict=True):
            assert (one > other) == (value > limit)
    bits = [[int(word) >> bit & 1 for word in row for bit in range(64)][:size] for row in problem.words]
    np.testing.assert_array_equal(np.array(bits, bool), problem.incidence)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, [[0]]), "size must be a whole number from 1, not 0"),
        ((-3, [[0]]), "size must be a whole number from 1, not -3"),
        ((2, []), "there are none"),
        ((2, [[0, 1], []]), "set 1 is empty"),
        ((2, [[0, 2]]), "an element of set 0 must be a whole number from 0 to 1, not 2"),
        ((2, [[0, -1]]), "an element of set 0"),
        ((3, [[0], [2]]), "no set has element 1: 1 of 3 elements cannot be covered"),
        ((10**15, [[0], [10**15 - 1]]), "no set has element 1: 999999999999998 of 1000000000000000 elements cannot"),
        ((2, [[0, 1]], [1, 2]), "there are 1 sets, but 2 costs"),
        ((2, [[0, 1]], [0]), "the cost of set 0 must be a number above 0, not 0"),
    ],
)
def test_other_arguments_are_refused_as_instances(arguments, message):
    with pytest.raises(ValueError, match=message):
        SetCovering(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 4}, "n must be a whole number from 5, not 4"),
        ({"n": -1}, "n must be a whole number from 5"),
        ({"n": 20, "sets": [[0]]}, "give one of n, path and sets, not n and sets"),
        ({"sets": []}, "there are none"),
        ({"seed": -1}, "seed must be"),
        ({"unit_cost": 1}, "unit_cost must be true or false"),
        ({"unique": 1}, "unique must be true or false"),
        ({"count": 10}, "count=10 is the number of random sets: give their density too"),
        ({"density": 0.3, "sets": [[0]]}, "density=0.3 is for random sets: leave out path and sets"),
        ({"density": 1.5}, "density must be a number from 0 to 1, not 1.5"),
        ({"density": 0.5, "n": 0}, "n must be a whole number from 1, not 0"),
        ({"density": 0.5, "n": 5, "count": 0}, "count must be a whole number from 1, not 0"),
        ({"density": 0.01, "n": 5, "count": 2}, "there are none"),
        ({"density": 0.3, "n": 9, "count": 2}, "elements cannot be covered"),
    ],
)
def test_options_of_an_instance_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        set_covering(**options)


def test_unit_costs_and_lists():
    problem = set_covering(sets=[[0, 2], [1, 2], [2]], unit_cost=True)
    assert (problem.size, problem.sets, problem.costs.tolist()) == (3, ((0, 2), (1, 2), (2,)), [1, 1, 1])


def test_repeated_sets_become_one_at_the_least_cost(tmp_path):
    problem = set_covering(sets=[[0, 2], [1, 2], [2, 0], [1]], unique=True)
    assert problem.sets == ((0, 2), (1, 2), (1,))
    write_scp(SetCovering(2, [[0], [0, 1], [0]], [5, 4, 3]), tmp_path / "costs.txt")
    priced = set_covering(path=tmp_path / "costs.txt", unique=True)
    assert (priced.sets, priced.costs.tolist()) == (((0,), (0, 1)), [3, 4])
    assert set_covering(path=tmp_path / "costs.txt", unique=True, unit_cost=True).costs.tolist() == [1, 1]
    assert [len(set_covering(n, unique=True).sets) for n in (5, 10, 20, 100)] == [10, 42, 34, 427]


def test_random_sets_have_their_density():
    sets = random_sets(20, 2000, 0.3, seed=1)
    assert np.mean([len(one) for one in sets]) == pytest.approx(6, abs=0.2)
    assert all(one == sorted(set(one)) and set(one) <= set(range(20)) for one in sets)
    assert random_sets(5, 10, 0.3, seed=7) == random_sets(5, 10, 0.3, seed=7) != random_sets(5, 10, 0.3, seed=8)
    full = set_covering(5, density=0.3, count=10, seed=42, unit_cost=True)
    assert [list(one) for one in full.sets] == [one for one in random_sets(5, 10, 0.3) if one]
    assert full.costs.tolist() == [1] * len(full.sets)
    assert len(set_covering(30, density=0.5).sets) == 60


@pytest.mark.parametrize(
    ("name", "size", "lists", "costs"),
    [
        ("square", 4, ((0, 1), (1, 2), (2, 3), (0, 3), (1,)), [2, 2, 2, 3, 1]),
        ("wrapped", 6, ((0, 3), (0, 5), (1, 3), (2, 5), (2, 3), (3, 4, 5), (0, 4)), [10, 9, 8, 7, 6, 5, 4]),
        ("one", 1, ((0,),), [2.5]),
    ],
)
def test_files_of_the_or_library(name, size, lists, costs, tmp_path):
    problem = read_scp(FILES / f"{name}.txt")
    assert (problem.size, problem.sets, problem.costs.tolist()) == (size, lists, costs)
    write_scp(problem, tmp_path / "again.txt")
    again = read_scp(tmp_path / "again.txt")
    assert (again.size, again.sets, again.costs.tolist()) == (size, lists, costs)
    assert set_covering(path=FILES / f"{name}.txt").sets == lists


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends before the number of rows"),
        ("2", "it ends before the number of columns"),
        ("0 1 1", "it has 0 rows and 1 columns"),
        ("-2 1 1", "the number of rows is '-2', not a whole number"),
        ("2 2 1", "it ends before the cost of column 2"),
        ("2 1 x", "the cost of column 1 is 'x', not a number"),
        ("2 1 nan 1 1 1 1", "the cost of column 1 is 'nan', not a number above 0"),
        ("2 1 1_0 1 1 1 1", "the cost of column 1 is '1_0', not a number above 0"),
        ("2 1 1 1 1", "it ends before the number of columns of row 2"),
        ("2 1 1 1 1 1 2", "row 2 has column 2; columns are from 1 to 1"),
        ("2 1 1 1 1 0", "no column covers row 2"),
        ("1 2 1 1 1 1", "column 2 covers no row"),
        ("2 1 3 1 1", "no column covers row 2 (layout=columns)"),
        ("2 1 1 2 1 1 1 1", "row 1 has column 1 twice (layout=rows)"),
        ("2 1 1 2 1 1", "column 1 has row 1 twice (layout=columns)"),
        ("1 1 1 1 1 7", "'7' follows the last row"),
        ("1 1 1 1 \N{SUPERSCRIPT ONE}", "ascii"),
    ],
)
def test_malformed_files_are_refused_in_one_line(text, message, tmp_path):
    (tmp_path / "scp.txt").write_text(text)
    with pytest.raises(ValueError, match="is not a set covering problem of the OR-Library") as caught:
        read_scp(tmp_path / "scp.txt")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def columns_text(size, lists, costs):
    """Return an instance in the layout of the rail instances, each column on a line."""
    columns = (f"{cost} {len(one)} {' '.join(map(str, one))}" for one, cost in zip(lists, costs, strict=True))
    return "\n".join((f"{size} {len(lists)}", *columns))


def random_instance(seed):
    """Return the number of rows, the rows of each column from 1, and the costs."""
    rng = random.Random(seed)
    size = rng.randint(1, 6)
    lists = [sorted(rng.sample(range(1, size + 1), rng.randint(1, size))) for _ in range(rng.randint(1, 5))]
    lists.append(sorted(set(range(1, size + 1)).difference(*lists)) or [size])
    return size, lists, [rng.randint(1, 3) for _ in lists]


def test_both_layouts_are_read_and_few_small_files_need_the_layout(tmp_path):
    file, ambiguous = tmp_path / "scp.txt", 0
    for seed in range(300):
        size, lists, costs = random_instance(seed)
        expected = size, [[row - 1 for row in one] for one in lists], costs
        file.write_text(columns_text(size, lists, costs))
        found = read_scp(file, "columns")
        assert (found.size, list(map(list, found.sets)), found.costs.tolist()) == expected
        try:
            assert read_scp(file).sets == found.sets
        except ValueError:
            with pytest.raises(ValueError, match=r"fits both layouts .*: give layout=rows or layout=columns$"):
                read_scp(file)
            ambiguous += 1
        write_scp(found, file)
        again = read_scp(file)
        assert (again.size, again.sets, again.costs.tolist()) == (found.size, found.sets, found.costs.tolist())
        assert read_scp(file, "rows").sets == found.sets
    assert 0 < ambiguous < 15


def test_a_rail_instance(tmp_path):
    """The files ``rail507.txt`` and so on list the rows of each column, whose cost is 1 or 2."""
    file = tmp_path / "rail.txt"
    file.write_text("2 2 1 2 1 2 2 1 1")
    assert (read_scp(file).sets, read_scp(file).costs.tolist()) == (((0, 1), (0,)), [1, 2])
    file.write_bytes(b"\xef\xbb\xbf 2 2\r\n 1  2 1 2\r\n 2  1 1\r\n")
    assert set_covering(path=file, layout="columns").sets == ((0, 1), (0,))
    with pytest.raises(ValueError, match=r"row 2 has column 1 twice$"):
        read_scp(file, "rows")
    with pytest.raises(ValueError, match=r"^layout must be rows or columns, not 'row'$"):
        read_scp(file, "row")
    with pytest.raises(ValueError, match="layout=rows is for a file: give its path too"):
        set_covering(layout="rows")


def test_the_default_greedy_rule_uses_the_costs():
    problem = SetCovering(3, [[0, 1, 2], [0], [1], [2]], [100, 1, 1, 1])
    assert optimise(problem, "greedy").value == optimise(problem, "greedy:rule=chvatal").value == 3
    assert optimise(problem, "greedy:rule=overlap").value == 100


ENVIRONMENTS = [
    ("SetCovering-v0", {"n": 20}),
    ("SetCovering-v0", {"path": str(FILES / "wrapped.txt")}),
    ("SetCovering-v0", {"sets": [[0, 1], [2]], "unit_cost": True}),
    ("BitString-v0", {"problem": 2, "loci": 30}),
]


@pytest.mark.extended
@pytest.mark.parametrize(("id", "options"), ENVIRONMENTS)
def test_gymnasium_checker(id, options):
    env = gymnasium.make(f"ci_envs/{id}", render_mode="rgb_array", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("seed", range(30))
def test_random_rollouts_by_the_mask_end_covered(seed):
    env = gymnasium.make("ci_envs/SetCovering-v0", n=25, seed=seed).unwrapped
    observation, info = env.reset()
    rng, total, taken, over = np.random.default_rng(seed), 0.0, [], False
    while not over:
        uncovered = {number for number in range(25) if not observation[number]}
        useful = [bool(uncovered & set(one)) for one in env.problem.sets]
        assert info["action_mask"].tolist() == useful
        assert env.action_masks().tolist() == useful
        taken.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        observation, reward, over, truncated, info = env.step(taken[-1])
        assert reward == -len(env.problem.sets[taken[-1]])
        assert not truncated
        total -= reward
        covered = set().union(*(env.problem.sets[number] for number in taken))
        assert set(np.flatnonzero(observation).tolist()) == covered
    assert observation.all()
    assert info["cost"] == total
    assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_lists_that_add_nothing_cost_and_the_episode_is_truncated():
    env = gymnasium.make("ci_envs/SetCovering-v0", sets=[[0], [1], [0, 1]]).unwrapped
    env.reset()
    ends = [env.step(0)[1:4] for _ in range(3)]
    assert ends == [(-1.0, False, False), (-1.0, False, False), (-1.0, False, True)]


def test_bits_flip_and_fitness_is_gained():
    env = gymnasium.make("ci_envs/BitString-v0", problem=1, loci=40, max_calls=60).unwrapped
    genome, info = env.reset(seed=5)
    again, _ = env.reset(seed=5)
    np.testing.assert_array_equal(genome, again)
    best = info["fitness"]
    for number in range(59):
        before = genome.copy()
        genome, reward, terminated, truncated, info = env.step(number % 40)
        assert (np.flatnonzero(genome != before) == [number % 40]).all()
        assert reward == pytest.approx((int(genome.sum()) - int(before.sum())) / 40)
        best = max(best, info["fitness"])
        assert info == {"fitness": pytest.approx(genome.mean()), "best": best, "calls": number + 2}
        assert (terminated, truncated) == (False, number == 58)
    assert env.problem.calls == 61


@pytest.mark.parametrize(("id", "options"), ENVIRONMENTS)
def test_bad_actions_change_nothing(id, options):
    env = gymnasium.make(f"ci_envs/{id}", **options).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    before, _ = env.reset(seed=1)
    for action in (-1, env.action_space.n, 0.5, True, "0"):
        with pytest.raises(InvalidActionError, match="an action must be a whole number from 0 to"):
            env.step(action)
    after, _, _, _, _ = env.step(0)
    assert (before != after).any()


@pytest.mark.parametrize(("id", "options"), ENVIRONMENTS)
def test_pictures(id, options):
    texts = gymnasium.make(f"ci_envs/{id}", render_mode="ansi", **options).unwrapped
    texts.reset(seed=1)
    before = texts.render()
    texts.step(0)
    assert texts.render() != before
    assert "\n" not in before
    pixels = gymnasium.make(f"ci_envs/{id}", render_mode="rgb_array", **options).unwrapped
    pixels.reset(seed=1)
    first = pixels.render()
    pixels.step(0)
    assert first.shape == (560, 560, 3)
    assert (pixels.render() != first).any()
    with pytest.raises(ValueError, match="render_mode must be one of"):
        gymnasium.make(f"ci_envs/{id}", render_mode="gif", **options)


def test_problems_are_no_games_and_games_no_problems():
    assert registered_problems() == ("SetCovering-v0", "BitString-v0")
    with pytest.raises(ValueError, match="SetCovering-v0 is an optimisation problem, not a two-player game"):
        ci_envs.make("SetCovering-v0")
    with pytest.raises(ValueError, match=r"Unknown problem 'Quixo-v0'\. Available: SetCovering-v0, BitString-v0"):
        resolve_problem("Quixo-v0")
    with pytest.raises(ValueError, match=r"Unknown option 'm' for SetCovering-v0\. Available: n, seed"):
        resolve_problem("SetCovering-v0:m=3")
    with pytest.raises(ValueError, match="'Quixo-v0' is registered already"):
        ci_envs.optimisation.registry.register_problem("Quixo-v0", set_covering, "nothing:here")


def test_an_interrupt_returns_the_best_solution_so_far():
    problem = set_covering(20)

    def solver(problem, seed):
        from ci_envs.optimisation import Incumbent

        genome = np.ones(problem.loci, bool)
        yield Incumbent(genome, problem.cost(genome), 1)
        raise KeyboardInterrupt

    result = optimise(problem, solver)
    assert result.value == problem.costs.sum()
    assert (result.optimal, result.bound, result.work) == (False, None, 1)


def test_an_interrupt_ends_the_command_with_the_results_so_far(monkeypatch):
    def interrupted(problem, moves, seed):
        genome = np.ones(problem.loci, bool)
        yield Incumbent(genome, problem.cost(genome), 1)
        raise KeyboardInterrupt

    def at_once(problem, seed):
        raise KeyboardInterrupt
        yield

    for solver, rows in ((interrupted, 2), (at_once, 1)):
        monkeypatch.setattr(SOLVERS, "registered", {"interrupted": solver})
        command = ["solve", "SetCovering-v0:n=20", "greedy", "interrupted", "tabu", "--csv", "-"]
        command[3] += ":moves=1" * (solver is interrupted)
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 1
        assert done.stderr.strip().endswith("Aborted!")
        assert len(done.stdout.splitlines()) == 1 + rows


def test_a_solver_that_fails_ends_no_other(tmp_path):
    """It is named, and the results of the others are shown and written."""
    file = tmp_path / "mine.py"
    file.write_text(
        "import sys\n"
        "def three(problem, *, seed):\n    yield 3\n"
        "def bug(problem, *, seed):\n    raise RuntimeError('x')\n    yield\n"
        "def leave(problem, *, seed):\n    sys.exit(3)\n    yield\n"
    )
    own = [f"{file}:{name}" for name in ("three", "bug", "leave")]
    arguments = ["solve", "SetCovering-v0:n=20", "greedy", *own, "astar", "--json", str(tmp_path / "results.json")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "greedy" in done.stdout
    assert "optimal" in done.stdout
    for name, why in zip(
        own, ("SolverContractError: a solver yields Incumbent", "RuntimeError: x", "SystemExit: 3"), strict=True
    ):
        assert f"solver {name} fails: {why}" in done.stderr
    assert [row["solver"] for row in json.loads((tmp_path / "results.json").read_text())] == ["greedy", "astar"]


def test_an_interrupted_search_is_no_result_of_a_report(monkeypatch, tmp_path):
    def stopped(problem, *, rule="", seed=0):
        genome = np.ones(problem.loci, bool)
        yield Incumbent(genome, problem.cost(genome), 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(SOLVERS, "registered", {"greedy": stopped})
    done = CliRunner().invoke(main, ["reports", "B1", "--quick", "--output", str(tmp_path)])
    assert (done.exit_code, "Interrupted in section B1" in done.stderr) == (1, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("yielded", "error", "message"),
    [
        (lambda problem: Incumbent(np.zeros(problem.loci, bool), 1.0, 1), ValueError, "it covers 0 of 20 elements"),
        (lambda problem: Incumbent(np.ones(problem.loci, bool), 1.0, 1), ValueError, "its sets cost 195"),
        (lambda problem: Incumbent(np.zeros(3, bool), 2.0, 1, bound=5.0), ValueError, r"\(n, 34\), not \(1, 3\)"),
        (lambda problem: Incumbent(np.full(problem.loci, 0.5), 2.0, 1), ValueError, "bool, or integers"),
        (lambda problem: (np.ones(problem.loci, bool), 195.0), TypeError, "a solver yields Incumbent"),
        (lambda problem: Incumbent(np.ones(problem.loci, bool), 195.0, 1, 390.0), ValueError, "the bound 390, but"),
        (lambda problem: Incumbent(np.ones(problem.loci, bool), np.inf, 1), ValueError, "cost .* must be finite"),
        (
            lambda problem: Incumbent(np.ones(problem.loci, bool), np.nan, 1),
            ValueError,
            "value must be a number, not nan",
        ),
        (
            lambda problem: Incumbent(np.ones(problem.loci, bool), "195", 1),
            ValueError,
            "value must be a number, not '195'",
        ),
        (lambda problem: Incumbent(np.ones(problem.loci, bool), 195.0, 0.5), ValueError, "work must be"),
        (lambda problem: Incumbent(None, 195.0, 1), ValueError, "a solution with its value 195, not None"),
    ],
)
def test_what_a_solver_yields_is_checked(yielded, error, message):
    with pytest.raises(error, match=message):
        optimise(set_covering(20), lambda problem, seed: iter([yielded(problem)]))


@pytest.mark.parametrize("problem", [set_covering(20), BitString(2, 20)])
def test_what_a_solver_yields_later_is_checked(problem):
    def all_ones():
        genome = np.ones(problem.loci, bool)
        return genome, problem.value(genome, 1.0)

    def goes_on_working(problem, *, seed):
        genome, value = all_ones()
        yield Incumbent(genome, value, 1)
        genome[:] = False

    def changes_the_genome(problem, *, seed):
        genome, value = all_ones()
        yield Incumbent(genome, value, 1)
        yield Incumbent(~genome, value, 2)

    def becomes_worse(problem, *, seed):
        genome, value = all_ones()
        yield Incumbent(genome, value, 1)
        yield Incumbent(genome, value + (1 if problem.is_cost else -1), 2)

    def loses_its_solution(problem, *, seed):
        genome, value = all_ones()
        yield Incumbent(genome, value, 1)
        yield Incumbent(None, np.inf if problem.is_cost else -np.inf, 2)

    def has_a_list(problem, *, seed):
        genome, value = all_ones()
        yield Incumbent(genome.astype(int).tolist(), np.float32(value), np.int64(1), bound=value)

    assert optimise(problem, goes_on_working).solution.all()
    with pytest.raises(ValueError, match="was given, but it"):
        optimise(problem, changes_the_genome)
    for solver in (becomes_worse, loses_its_solution):
        with pytest.raises(ValueError, match="best solution so far"):
            optimise(problem, solver)
    result = optimise(problem, has_a_list)
    assert (result.solution.dtype, result.optimal, result.solution.all()) == (bool, True, True)


@pytest.mark.parametrize("wrong", [lambda problem, *, seed: None, lambda problem: iter(()), lambda: iter(())])
def test_a_wrong_solver_is_told_the_contract(wrong, monkeypatch):
    with pytest.raises(
        TypeError, match=r"a solver is a function solver\(problem, \*, seed\) that yields Incumbents, but"
    ):
        optimise(set_covering(20), wrong)
    monkeypatch.setattr(SOLVERS, "registered", {"wrong": wrong})
    done = CliRunner().invoke(main, ["solve", "SetCovering-v0:n=20", "wrong"])
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: a solver is a function")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "returned",
    [
        lambda n: np.full(n, np.nan),
        lambda n: np.full(n, np.inf),
        lambda n: np.zeros(n + 1),
        lambda n: np.zeros(max(0, n - 1)),
        lambda n: np.zeros((n, 1)),
        lambda n: 1.0,
        lambda n: ["1"] * n,
        lambda n: None,
    ],
)
@pytest.mark.parametrize("solver", ["one_plus_one", "random_restart_hill_climbing", "umda", "linkage", "genetic"])
def test_a_wrong_fitness_of_a_user_is_refused(solver, returned):
    class Wrong(Problem):
        measure, is_cost = "fitness", False

        def _fitness(self, genomes):
            return returned(len(genomes))

        def value(self, genome, fitness):
            return fitness

    with pytest.raises(ValueError, match=r"^Wrong\._fitness must return finite numbers of the shape \("):
        optimise(Wrong(10), solver)


@pytest.mark.parametrize("costs", [{5: 1.0, 7: 2.0}, {1.0, 2.0}])
def test_costs_have_an_order(costs):
    with pytest.raises(TypeError, match="costs must be a sequence"):
        SetCovering(2, [[0], [1]], costs)


def test_a_misspelt_problem_is_told_what_the_file_has(in_the_folder_of_a_user):
    done = CliRunner().invoke(main, ["solve", "problem.py:Knapsak", "umda"])
    assert "problem.py has no 'Knapsak'. Available: Knapsack" in done.stderr


def test_a_list_of_numbers_is_a_fitness():
    class Ones(Problem):
        measure, is_cost = "fitness", False

        def _fitness(self, genomes):
            return [int(genome.sum()) for genome in genomes]

        def value(self, genome, fitness):
            return fitness

    assert optimise(Ones(10), "one_plus_one:calls=500").value == 10


def test_a_class_of_problems_without_its_attributes_is_refused():
    class Nameless(Problem):
        def _fitness(self, genomes):
            return np.zeros(len(genomes))

        def value(self, genome, fitness):
            return fitness

    with pytest.raises(TypeError, match="Nameless needs the class attribute measure"):
        Nameless(3)


@settings(max_examples=50, deadline=None)
@given(costs=st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=8))
def test_written_costs_are_read_exactly(costs, tmp_path_factory):
    path = tmp_path_factory.mktemp("scp") / "x.txt"
    problem = SetCovering(2, [[0, 1]] * len(costs), costs)
    write_scp(problem, path)
    assert read_scp(path).costs.tolist() == problem.costs.tolist()


# --- problems of a user


@pytest.fixture
def in_the_folder_of_a_user(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent / "foreign")


@pytest.mark.parametrize("name", ["problem.py", "problem.py:Knapsack", "problem:Knapsack:items=16,seed=3"])
def test_a_problem_of_a_file_is_solved_from_the_command_line(name, in_the_folder_of_a_user):
    done = CliRunner().invoke(main, ["solve", name, "one_plus_one:calls=500", "umda:calls=3000", "--json", "-"])
    assert done.exit_code == 0, done.output
    problem = resolve_problem(name)[1]
    every = (np.arange(2 ** min(problem.loci, 16))[:, None] >> np.arange(problem.loci)) & 1
    best = problem._fitness(every.astype(bool)).max()
    values = [row["fitness"] for row in json.loads(done.stdout)]
    assert values[1] >= 0.95 * best
    if problem.loci == 16:
        assert max(values) <= best


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("problem.py:Knapsack:item=3", "Unknown option 'item' for problem.py:Knapsack. Did you mean 'items'?"),
        ("problem.py:np", "problem.py:np is not a problem"),
        ("problem.py:Missing", "has no 'Missing'. Available: Knapsack"),
        ("problem.py:Knapsack:items=two", "items must be a whole number, not 'two'"),
    ],
)
def test_bad_references_to_problems_are_one_line(name, message, in_the_folder_of_a_user):
    with pytest.raises(ValueError, match=re.escape(message)):
        resolve_problem(name)


@pytest.mark.parametrize("name", ["SetCovering-v0", "BitString-v0"])
def test_there_is_nothing_to_show_before_the_first_episode(name):
    env = gymnasium.make(f"ci_envs/{name}", render_mode="ansi").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.render()
    if name == "SetCovering-v0":
        assert not env.action_masks().any()


CALLED = """
from pathlib import Path
import sys
import time

from ci_envs.optimisation import Incumbent

def boom(problem, *, seed):
    raise RuntimeError("boom")

def wrong(problem, *, seed):
    raise ValueError("a value")

def leaves(problem, *, seed):
    sys.exit(7)

def eager(problem, *, seed):
    with open("calls.txt", "a") as file:
        file.write("x")
    genome = [0] * problem.loci
    return [Incumbent(genome, problem.fitness([genome])[0], problem.calls)]
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [("boom", "RuntimeError: boom"), ("wrong", "ValueError: a value"), ("leaves", "SystemExit: 7")],
)
def test_a_solver_of_a_file_that_fails_when_it_is_called(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CALLED)
    done = CliRunner().invoke(main, ["solve", "BitString-v0:loci=10", "one_plus_one:calls=20", f"mine.py:{name}"])
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == f"Error: solver mine.py:{name} fails: {message}"
    assert "one_plus_one:calls=20" in done.stdout


def test_a_solver_of_a_file_is_called_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CALLED)
    done = CliRunner().invoke(main, ["solve", "BitString-v0:loci=10", "mine.py:eager", "--json", "found.json"])
    assert done.exit_code == 0, done.output
    assert Path("calls.txt").read_text() == "x"
    assert json.loads(Path("found.json").read_text())[0]["work"] == 1


@pytest.mark.parametrize("environment", ["BitString-v0:loci=10,max_calls=5 genetic", "Quixo-v0:size=2,max_cycles=5"])
def test_solve_refuses_the_options_of_environments(environment):
    done = CliRunner().invoke(main, ["solve", *environment.split()])
    assert done.exit_code == 2
    assert re.fullmatch(r"Error: solve does not use max_c\w+: leave it out of ENV\n", done.stderr)


@pytest.mark.parametrize("bound", [np.inf, -np.inf, np.nan, "x"])
def test_a_bound_is_finite(bound):
    with pytest.raises(ValueError, match="bound must be a finite number"):
        Incumbent(None, np.inf, 0, bound)


@pytest.mark.parametrize("problem", [BitString(2, 10), set_covering(20)])
def test_no_genomes_have_no_fitness(problem):
    assert problem.fitness(np.zeros((0, problem.loci), bool)).shape == (0,)
    with pytest.raises(ValueError, match=r"genomes are bool, or integers that are 0 or 1, not float64$"):
        problem.fitness(np.zeros((0, problem.loci)))
    solution = [True] * problem.loci
    problem.check_solution(solution, problem.value(np.array(solution), problem.fitness([solution])[0]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loci": 0}, "loci must be a whole number from 1, not 0"),
        ({"loci": 4.0}, "loci must be a whole number from 1, not 4.0"),
        ({"measure": 5}, "needs the class attribute measure"),
        ({"is_cost": "no"}, "needs the class attribute is_cost"),
    ],
)
def test_wrong_problems_of_users_are_refused(changes, message):
    given = {"measure": "fitness", "is_cost": False, "loci": 4} | changes
    methods = {"_fitness": lambda self, genomes: genomes.sum(axis=1), "value": lambda self, genome, fitness: fitness}
    loci = given.pop("loci")
    with pytest.raises((TypeError, ValueError), match=message):
        type("Mine", (Problem,), given | methods)(loci)
