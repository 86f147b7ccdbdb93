"""The canonical form of a position, compared with all its images."""

import numpy as np
import pytest
from playing import canonical_forms

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo

GAMES = [
    Quixo(3),
    Quixo(5),
    ConnectN(3, 3, 3),
    ConnectN(3, 5, 4),
    ConnectN(6, 7, 4, True),
    Nim((1, 3, 5, 7)),
    Nim((255, 0, 255, 3), max_take=200),
    Nim((4, 4, 2, 1, 4, 3)),
    Quarto(),
    Quarto(squares=True),
]


def play_at_random(game, plies, rng):
    """Return the positions of games to the end."""
    position = Position.start(game)
    for _ in range(plies):
        yield position
        over = position.result is not None
        position = Position.start(game) if over else position.play(rng.choice(position.legal_actions()))


@pytest.mark.extended
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_canonical_form_is_an_image_and_the_same_for_all_images(game):
    for position in play_at_random(game, 100, np.random.default_rng(0)):
        images = game.rules.images(game, position.own, position.opp)
        form, *others = np.unique(canonical_forms(game, images), axis=0)
        assert not others, position
        assert (images == form).all(axis=1).any(), position
        assert (canonical_forms(game, [form]) == form).all(), position
