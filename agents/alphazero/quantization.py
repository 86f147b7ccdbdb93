"""Integers instead of float32 in the convolutions of a network (:mod:`~ci_envs.agents.alphazero.onnx_graph`).

On a CPU they take a half to a third of the time. The outputs change by a few per cent of their spread, and they do not
depend on the other positions of a batch.
"""

import numpy as np

from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents.alphazero.architecture import HasWeights
from ci_envs.agents.alphazero.onnx_graph import Range, onnx_model
from ci_envs.agents.alphazero.onnx_inference import new_session
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings

_POSITIONS = 256
_OUTPUTS = 3


def activation_ranges(network: HasWeights, game: Game) -> list[Range]:
    """Return the ranges of the activations in positions of random play, which are always the same positions.

    Only networks with the layout ``heads`` have ranges. The networks of the course reports compute as in the reports.

    Args:
        network: the network.
        game: the game of the network.
    """
    if network.architecture.layout != "heads":
        return []
    height, width, _ = game.observation_shape
    openings = RandomOpenings(max_plies=height * width)
    planes = observations_of(game, openings.draw(game, _POSITIONS, np.random.default_rng(0)))["observation"]
    activations = new_session(onnx_model(network, observed=True)).run(None, {"planes": planes})[_OUTPUTS:]
    return [(min(0.0, float(values.min())), float(values.max())) for values in activations]
