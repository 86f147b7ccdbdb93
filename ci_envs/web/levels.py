"""The opponents of a first game: a beginner, a club player and a strong player for each game."""

from collections.abc import Mapping, Sequence

LEVELS = ("Beginner", "Club player", "Strong player")
"""The levels, from weak to strong."""

_DEFAULT = (("random",), ("mcts:simulations=100",), ("mcts:simulations=5000",))
_AGENTS: Mapping[str, tuple[Sequence[str], Sequence[str], Sequence[str]]] = {
    "Quixo-v0": (("minimax:depth=1",), ("minimax:depth=3",), ("alphazero:quixo5", "mcts:simulations=5000")),
    "TicTacToe-v0": (("random",), ("minimax:depth=2",), ("exact",)),
    "ConnectN-v0": (("minimax:depth=1",), ("minimax:depth=3",), ("alphazero:connect6x6", "mcts:simulations=5000")),
    "ConnectFour-v0": (("minimax:depth=1",), ("minimax:depth=4",), ("alphazero:connect_four", "mcts:simulations=5000")),
    "Nim-v0": (("random",), ("exact:blunder=0.3",), ("nim_expert",)),
    "Quarto-v0": (("random",), ("minimax:depth=2",), ("alphazero:quarto", "mcts:simulations=5000")),
}


def agents_of_level(environment: str, level: str) -> Sequence[str]:
    """Return the spec strings of the agents of a level. The next one replaces an agent that is not installed.

    Args:
        environment: The id of an environment without parameters.
        level: A level from :data:`LEVELS`.
    """
    return _AGENTS.get(environment, _DEFAULT)[LEVELS.index(level)]
