"""The training options of a game that differ from the defaults of the learners."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo

Presets = Mapping[str, Mapping[str, Any]]
"""The options by the name of the learner. The name ``sb3`` is for all algorithms of Stable-Baselines3; the name of an
algorithm is for its arguments."""


@singledispatch
def training_presets(game: Game) -> Presets:
    """Return the training options for a game that differ from the defaults of the learners. By default there are none.

    ``@training_presets.register`` before a function ``(game: Hex) -> Presets`` gives presets to a class of games.

    Examples:
        >>> from ci_envs import Quixo
        >>> from ci_envs.training import training_presets
        >>> training_presets(Quixo(size=5))["alphazero"]["random_plies"]
        20
    """
    return {}


@training_presets.register
def _(game: Quixo) -> Presets:
    return _QUIXO | _QUIXO_BY_SIZE.get(game.size, {})


@training_presets.register
def _(game: ConnectN) -> Presets:
    return _CONNECT_N.get((*game.shape, game.gravity), {})


@training_presets.register
def _(game: Quarto) -> Presets:
    return {} if game.squares else {"alphazero": {"ladder": ("random", "minimax:depth=2", "minimax:depth=3")}}


_AWAY_FROM_THE_MAIN_LINE = {
    "opponents": ("minimax:depth=1", "minimax:depth=2"),
    "random_share": 0.9,
    "draw_penalty": 1.0,
    "ladder_random_plies": 4,
}
_QUIXO: dict[str, Mapping[str, Any]] = {
    "evolution_strategy": {**_AWAY_FROM_THE_MAIN_LINE, "playing_depth": 4},
    "neat": {**_AWAY_FROM_THE_MAIN_LINE, "inputs": "features", "lookahead": 4, "games": 20, "peers": 0},
    "sb3": {
        "opponents": ("pool", "pool", "pool", "pool", "random", *["minimax:depth=1"] * 2, "minimax:depth=2"),
        "layers": [256, 256],
        "lookahead": 4,
    },
}
_QUIXO_BY_SIZE: Mapping[int, dict[str, Mapping[str, Any]]] = {
    4: {
        "alphazero": {
            "ladder": ("random", "minimax:depth=3", "exact"),
            "max_plies": 60,
            "discount": 0.97,
            "ladder_temperature": 0.25,
        }
    },
    5: {"alphazero": {"random_plies": 20, "discount": 0.97, "ladder_temperature": 0.25}},
}
_BLOCKS_AND_WINS = "minimax:depth=2,evaluation=false"  # otherwise plays at random
_FEW_STEPS = {"n_steps": 32, "batch_size": 512, "n_epochs": 5, "learning_rate": 3e-3}  # learns more from each step
_CONNECT_N: Mapping[tuple[int, int, int, bool], Presets] = {
    (3, 3, 3, False): {
        "alphazero": {
            "considered": 9,
            "capacity": 30_000,
            "random_plies": 4,
            "ladder": ("random", "minimax:depth=2", "exact"),
        },
        "sb3": {
            "opponents": ("pool", "pool", "random", "minimax:depth=9"),
            "ladder": ("random", "minimax:depth=2", "minimax:depth=9"),
            "boards": 64,
        },
    },
    (6, 6, 4, False): {"alphazero": {"ladder": ("random", "minimax:depth=2", "minimax:depth=4")}},
    (6, 7, 4, True): {
        "sb3": {
            "opponents": ("pool", "random", _BLOCKS_AND_WINS, _BLOCKS_AND_WINS, _BLOCKS_AND_WINS),
            "ladder": ("random", _BLOCKS_AND_WINS, "minimax:depth=2"),
            "boards": 16,
            "lookahead": 2,
        },
        "maskable_ppo": _FEW_STEPS,
        "ppo": _FEW_STEPS,
    },
}
