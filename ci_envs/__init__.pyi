from . import agents, baselines, connect_four_v0, connect_n_v0, nim_v0, quarto_v0, quixo_v0, tictactoe_v0
from .agent_interface.making import make_agent, register_agent
from .checking.check import check_game
from .environments import make, make_vec
from .envs.flat_observation import FlatMaskObs, FlatMaskObsAEC
from .envs.text import TextEnv
from .games.connect_n import ConnectFour, ConnectN, TicTacToe
from .games.game import Game
from .games.nim import Nim
from .games.openings import RandomOpenings
from .games.position import Position
from .games.quarto import Quarto
from .games.quixo import Quixo
from .games.walk import perft
from .picture import show
from .registry.games import register, registered
from .registry.options import Option, Untrusted, validated
from .solver.solution import Solution
from .solver.solve import solve

__version__: str

__all__ = [
    "ConnectFour",
    "ConnectN",
    "FlatMaskObs",
    "FlatMaskObsAEC",
    "Game",
    "Nim",
    "Option",
    "Position",
    "Quarto",
    "Quixo",
    "RandomOpenings",
    "Solution",
    "TextEnv",
    "TicTacToe",
    "Untrusted",
    "agents",
    "baselines",
    "check_game",
    "connect_four_v0",
    "connect_n_v0",
    "make",
    "make_agent",
    "make_vec",
    "nim_v0",
    "perft",
    "quarto_v0",
    "quixo_v0",
    "register",
    "register_agent",
    "registered",
    "show",
    "solve",
    "tictactoe_v0",
    "validated",
]
