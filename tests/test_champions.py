"""Champion files, and runs of optimisers with ask and tell."""

import json
import pickle

import numpy as np
import pytest
from oracles.tabular import Dice

from ci_envs import ConnectN, Quixo
from ci_envs.agents.evolution import Champion, best_of, make_opponents, read_champion, write_champion
from ci_envs.agents.random import RandomAgent
from ci_envs.optimisation.evolution import OptimiserEvolution, run

GAME = ConnectN(3, 3, 3)


def champion(**changes):
    genome = np.array([0.1, -1e-300, 2.0**0.5, 1e300, -0.0])
    fields = {"agent": "es", "game": repr(GAME), "options": {"depth": 2}, "genome": genome, "notes": {"seed": 2**63}}
    return Champion(**(fields | changes))


def test_a_champion_comes_back_as_it_was(tmp_path):
    write_champion(tmp_path / "runs" / "champion.json", champion())
    found = read_champion(tmp_path / "runs" / "champion.json", "es", GAME)
    assert found.genome.tobytes() == champion().genome.tobytes()
    assert (found.agent, found.game, found.options, found.notes) == ("es", repr(GAME), {"depth": 2}, {"seed": 2**63})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda about: about | {"format": "ci_envs champion 0"}, "its format is 'ci_envs champion 0'"),
        (lambda about: about | {"agent": "neat"}, "a champion of neat for ConnectN.*, not of es"),
        (lambda about: about | {"game": repr(Quixo())}, "for Quixo.*, not of es for ConnectN"),
        (lambda about: about | {"genome": [1.0, None]}, "is not a valid champion"),
        (lambda about: about | {"genome": [[1.0]]}, "its genome is not a list of numbers"),
        (lambda about: about | {"genome": [float("nan")]}, "its genome is not a list of numbers"),
        (lambda about: about | {"genome": 3}, "is not a valid champion"),
        (lambda about: about | {"options": 3}, "is not a valid champion"),
        (lambda about: {"format": about["format"]}, "is not a valid champion"),
        (lambda about: [], "is not a valid champion"),
    ],
)
def test_other_files_are_refused_as_champions(tmp_path, change, message):
    path = tmp_path / "champion.json"
    write_champion(path, champion())
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(ValueError, match=message):
        read_champion(path, "es", GAME)


@pytest.mark.parametrize("content", [b"", b"no JSON", b"\xff\xfe", pickle.dumps({"format": 1})])
def test_damage_is_refused(tmp_path, content):
    path = tmp_path / "champion.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"champion.json' is not a valid champion"):
        read_champion(path, "es", GAME)


def test_a_missing_champion_is_a_missing_file():
    with pytest.raises(FileNotFoundError):
        read_champion("nowhere", "es", GAME)
    with pytest.raises(ValueError, match="the path of a file must be a text, not 3"):
        read_champion(3, "es", GAME)


def test_opponents_are_joined_by_plus():
    assert [type(agent).__name__ for agent in make_opponents("random+minimax:depth=1", GAME)] == [
        "RandomAgent",
        "MinimaxAgent",
    ]
    for specs in ("nobody", "random+", "", 3, None):
        with pytest.raises(ValueError, match=r"nobody|''|not 3|not None"):
            make_opponents(specs, GAME)


# --- optimisers


class Walker:
    """An optimiser that samples random steps from its current point and moves to the best one."""

    def __init__(self, seed, genes=3, number=6):
        self.dice, self.place, self.shape = Dice(seed), np.zeros(genes), (number, genes)

    def ask(self):
        steps = [self.dice.share() - 0.5 for _ in range(self.shape[0] * self.shape[1])]
        self.asked = self.place + np.reshape(steps, self.shape)
        return self.asked

    def tell(self, fitness):
        self.place = self.asked[fitness.argmax()]


def height(genomes, seed):
    """A function with its maximum at (1, 1, ...), and noise that depends on the seed."""
    return -((genomes - 1) ** 2).sum(axis=1) + np.random.default_rng(seed).normal(0, 0.01, len(genomes))


def optimise(optimiser, fitness, generations, seed, **options):
    """Return the statistics of all generations of a run."""
    evolution = OptimiserEvolution(optimiser, fitness, seed)
    run(evolution, generations, **options)
    return evolution.history


def test_an_optimiser_gets_the_fitness_of_its_genomes(tmp_path):
    walker = Walker(1)
    history = optimise(walker, height, 60, seed=1, path=tmp_path / "run.npz")
    assert np.abs(walker.place - 1).max() < 0.3
    assert [told.generation for told in history] == list(range(61))
    assert [told.calls for told in history] == list(range(6, 6 * 61 + 1, 6))
    assert all(told.best >= told.mean for told in history)


@pytest.mark.parametrize("after", [1, 2, 17, 40])
@pytest.mark.parametrize("every", [0, 1000])
def test_a_resumed_run_ends_like_an_uninterrupted_run(tmp_path, after, every):
    whole = Walker(3)
    expected = optimise(whole, height, 40, seed=3, path=tmp_path / "whole.npz", notes={"a": 1})
    calls = 0

    def breaking(genomes, seed):
        nonlocal calls
        calls += 1
        if calls == after + 1:
            raise KeyboardInterrupt
        return height(genomes, seed)

    options = {"seed": 3, "path": tmp_path / "broken.npz", "notes": {"a": 1}, "every": every}
    with pytest.raises(KeyboardInterrupt):
        optimise(Walker(3), breaking, 40, **options)
    walker, calls = Walker(3), -1000
    assert optimise(walker, breaking, 40, resume=True, **options) == expected
    assert calls == -1000 + 41 - after  # no game is played twice
    assert walker.place.tobytes() == whole.place.tobytes()
    assert (tmp_path / "broken.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_run_ends_at_its_target():
    history = optimise(Walker(1), height, 1000, seed=1, target=-0.1)
    assert history[-1].best >= -0.1
    assert all(told.best < -0.1 for told in history[:-1])


def test_runs_that_cannot_resume_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    optimise(Walker(1), height, 3, seed=1, path=path, notes={"a": 1})
    whole = path.read_bytes()
    for changes, message in (
        ({}, "there is a run in .* already"),
        ({"resume": True, "seed": 2}, "has other options: seed=1"),
        ({"resume": True, "notes": {"a": 2}}, "has other options: a=1"),
        ({"resume": True, "path": None}, "resume=True needs the path"),
        ({"generations": -1}, "generations must be"),
        ({"seed": -1}, "seed must be"),
        ({"path": None, "every": -1}, "every must be"),
    ):
        options = {"generations": 5, "seed": 1, "path": path, "notes": {"a": 1}} | changes
        with pytest.raises(ValueError, match=message):
            optimise(Walker(1), height, **options)
    for content in (b"", b"nothing", whole[: len(whole) // 2], pickle.dumps(1)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a checkpoint of this run"):
            optimise(Walker(1), height, 5, seed=1, path=path, notes={"a": 1}, resume=True)
        assert path.read_bytes() == content


@pytest.mark.parametrize("fitness", [lambda g, s: g, lambda g, s: g[:, 0] * np.inf, lambda g, s: g[:2, 0]])
def test_fitness_that_does_not_fit_is_refused(fitness):
    with pytest.raises(ValueError, match="fitness must be 6 finite numbers"):
        optimise(Walker(1), fitness, 5, seed=1)


def test_fitness_that_does_not_fit_is_not_kept(tmp_path):
    path = tmp_path / "run.npz"
    with pytest.raises(ValueError, match="finite"):
        optimise(Walker(1), lambda genomes, seed: genomes[:, 0] * np.inf, 5, seed=1, path=path)
    optimise(Walker(1), height, 5, seed=1, path=path, resume=path.exists())


def test_the_best_genome_is_the_winner_of_new_games():
    from test_evolution import Preferences

    centre = np.zeros((3, 9))
    centre[1, [4, 0, 2, 6, 8]] = [2, 1, 1, 1, 1]  # the centre first, then corners; the other moves are arbitrary
    best, score = best_of(GAME, Preferences(), centre, [RandomAgent(GAME)], 2000, seed=5)
    assert best == 1
    assert score > 0.5
