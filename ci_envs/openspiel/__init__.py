"""The games of ci_envs as games of OpenSpiel (extra ``openspiel``).

Importing this module registers every game with OpenSpiel, whose algorithms then play them:

>>> import pyspiel  # doctest: +SKIP
>>> import ci_envs.openspiel  # doctest: +SKIP
>>> game = pyspiel.load_game("ci_envs_quixo(size=4)")  # doctest: +SKIP
>>> state = game.new_initial_state()  # doctest: +SKIP
>>> state.apply_action(state.string_to_action("a1d1"))  # doctest: +SKIP

The games are ``ci_envs_quixo``, ``ci_envs_tic_tac_toe``, ``ci_envs_connect_n``, ``ci_envs_connect_four``,
``ci_envs_nim`` and ``ci_envs_quarto``. Their parameters are those of the environments
(:mod:`ci_envs.openspiel.parameters` says how lists and None are written) and ``max_plies``, the ply after which an
undecided game is a draw: 200 by default if play can go on for ever, else 0, which means no limit.

The algorithms that OpenSpiel has in Python play these games. Do not use its C++ bots: ``pyspiel.MCTSBot`` of OpenSpiel
2.0 crashes with every game that is written in Python.
"""

from ci_envs.extras import missing_module

try:
    import pyspiel  # noqa: F401 # the first import of OpenSpiel, for a message that names the extra
except ImportError as error:
    raise ImportError(missing_module("ci_envs.openspiel", error), name=error.name) from error

from ci_envs.openspiel.game import OpenSpielGame, OpenSpielState
from ci_envs.openspiel.registration import openspiel_name, register_game
from ci_envs.registry import registered

__all__ = ["OpenSpielGame", "OpenSpielState", "openspiel_name", "register_game"]

for _id in registered():
    register_game(_id)
