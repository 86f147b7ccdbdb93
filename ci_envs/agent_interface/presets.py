"""The options with which an agent plays a game better than with its own defaults."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo

PlayingPresets = Mapping[str, Mapping[str, Any]]
"""The options by the name of the agent."""


@singledispatch
def playing_presets(game: Game) -> PlayingPresets:
    """Return the options for play in a game that differ from the defaults of the agents. By default there are none.

    An agent uses these values for options that are not given. They concern play alone: a training states its options
    itself, and :func:`~ci_envs.training.presets.training_presets` has the presets for it.

    ``@playing_presets.register`` before a function ``(game: Hex) -> PlayingPresets`` gives presets to a class of games.

    Examples:
        >>> from ci_envs import Quixo
        >>> from ci_envs.agent_interface.presets import playing_presets
        >>> playing_presets(Quixo(size=5))["alphazero"]["contempt"]
        1.0
    """
    return {}


@playing_presets.register
def _(game: Quixo) -> PlayingPresets:
    """Return options that win more games on 5 x 5, a draw, and change nothing on 4 x 4 (docs/results/learning.md)."""
    return _QUIXO_BY_SIZE.get(game.size, {})


_QUIXO_BY_SIZE: Mapping[int, PlayingPresets] = {
    5: {
        "alphazero": {
            "simulations": 500,
            "exploration": 0.25,
            "prior_temperature": 2.0,
            "temperature": 0.2,
            "contempt": 1.0,
        }
    }
}


@playing_presets.register
def _(_: Quarto) -> PlayingPresets:
    """Return a larger lookahead, which costs little in Quarto and wins more games (agents/alphazero/CHECKPOINTS.md)."""
    return {"alphazero": {"lookahead": 5}}


@playing_presets.register
def _(game: ConnectN) -> PlayingPresets:
    """Return the simulations of the larger network for Connect Four that take about 10 ms on one board."""
    return {"alphazero": {"simulations": 300}} if game == ConnectN(6, 7, 4, gravity=True) else {}
