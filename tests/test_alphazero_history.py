"""The history of games of self-play, compared with lists."""

from collections import Counter

import numpy as np
import pytest

from ci_envs import ConnectN
from ci_envs.agents.alphazero.history import SelfPlayHistory
from ci_envs.agents.alphazero.replay import sample_type

GAME = ConnectN(3, 3, 3)


@pytest.mark.parametrize("seed", range(3))
def test_a_history_has_the_positions_of_the_present_game_of_each_lane(seed):
    """Games end at random. Then their lanes start another game, or are removed. One game has 200 positions."""
    rng = np.random.default_rng(seed)
    history, games = SelfPlayHistory(GAME, 7), [[] for _ in range(7)]
    for _ in range(200):
        words = rng.integers(3, size=(len(games), 2)).astype(np.uint64)
        players = rng.integers(2, size=len(games)).astype(np.int8)
        samples = np.zeros(len(games), sample_type(GAME))
        samples["own"], samples["opp"] = words.T
        samples["value"] = rng.random(len(games))
        keys = [(*word, player) for word, player in zip(words.tolist(), players.tolist(), strict=True)]
        before = [Counter(key for _, key in game)[key] for key, game in zip(keys, games, strict=True)]
        assert history.occurrences(words, players).tolist() == before
        history.add(samples, players)
        for game, sample, key in zip(games, samples, keys, strict=True):
            game.append((sample["value"], key))
        assert history.length.tolist() == [len(game) for game in games]
        ended = 1 + np.flatnonzero(rng.random(len(games) - 1) < 0.02)  # the first game never ends
        for lane in (0, *ended):
            found, movers = history.game(lane)
            assert found["value"].tolist() == [value for value, _ in games[lane]]
            assert movers.tolist() == [player for _, (*_, player) in games[lane]]
        again = ended[rng.random(len(ended)) < 0.9]
        closed = np.setdiff1d(ended, again)
        history.restart(again)
        for lane in again.tolist():
            games[lane] = []
        history.remove(closed)
        games = [game for lane, game in enumerate(games) if lane not in closed.tolist()]
    assert len(games[0]) == 200
    assert len(games) < 7
