"""The options of the agent whose defaults depend on the game.

They concern play alone: the training states all settings of its search.
"""

from functools import singledispatch
from typing import NamedTuple

from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo


class PlayingDefaults(NamedTuple):
    """The defaults of options for play in a game. The names are those of the options.

    Attributes:
        exploration: exploration constant, the factor of the prior.
        prior_temperature: temperature of the priors.
        temperature: temperature with which an action is sampled from the policy of the search.
        contempt: maximum reduction of the value of a draw.
    """

    exploration: float = 1.5
    prior_temperature: float = 1.0
    temperature: float = 0.0
    contempt: float = 0.0


@singledispatch
def playing_defaults(game: Game) -> PlayingDefaults:
    """Return the defaults of a game.

    ``@playing_defaults.register`` before a function ``(game: Hex) -> PlayingDefaults`` sets those of a class of games.

    Examples:
        >>> from ci_envs import Quixo
        >>> from ci_envs.agents.alphazero.playing import playing_defaults
        >>> playing_defaults(Quixo(size=5)).contempt
        1.0
    """
    return PlayingDefaults()


@playing_defaults.register
def _(game: Quixo) -> PlayingDefaults:
    """Return options that win more games on 5 x 5, a draw, and change nothing on 4 x 4 (docs/results/learning.md)."""
    return _AGAINST_REPETITIONS if game.size == 5 else PlayingDefaults()


_AGAINST_REPETITIONS = PlayingDefaults(exploration=0.25, prior_temperature=2.0, temperature=0.2, contempt=1.0)
