"""The games of ci_envs as games of OpenSpiel (extra ``openspiel``).

Importing this module registers every game with OpenSpiel. The algorithms of OpenSpiel can then play it:

>>> import pyspiel  # doctest: +SKIP
>>> import ci_envs.openspiel  # doctest: +SKIP
>>> game = pyspiel.load_game("ci_envs_quixo(size=4)")  # doctest: +SKIP
>>> state = game.new_initial_state()  # doctest: +SKIP
>>> state.apply_action(state.string_to_action("a1d1"))  # doctest: +SKIP

The games are ``ci_envs_quixo``, ``ci_envs_tic_tac_toe``, ``ci_envs_connect_n``, ``ci_envs_connect_four``,
``ci_envs_nim`` and ``ci_envs_quarto``. They have the parameters of the environments, and ``max_plies``.
:mod:`ci_envs.openspiel.parameters` describes the format of lists and None. An undecided game is a draw after
``max_plies`` plies. The default is 200 if a game can go on for ever, else 0; 0 means no limit.
The algorithms that OpenSpiel implements in Python can play these games. Do not use its C++ bots: ``pyspiel.MCTSBot`` of
OpenSpiel 2.0 crashes with every game that is written in Python.
"""

from ci_envs.extras import missing_module

try:
    import pyspiel  # noqa: F401 # the first import of OpenSpiel, for a message that names the extra
except ImportError as error:
    raise ImportError(missing_module("ci_envs.openspiel", error), name=error.name) from error

from ci_envs.openspiel.game import OpenSpielGame, OpenSpielState
from ci_envs.openspiel.registration import openspiel_name, register_game
from ci_envs.registry.games import registered

__all__ = ["OpenSpielGame", "OpenSpielState", "openspiel_name", "register_game"]

for _id in registered():
    register_game(_id)
