"""The opening explorer: the moves after the first moves of a game, with exact values and numbers of games."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_envs.games.position import Position
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.game_service import GameService
from ci_envs.web.schemas import ExactValue


@dataclass(frozen=True)
class ExploredMove:
    """A move in the position that is explored.

    Attributes:
        name: The name of the action.
        exact: The exact value, or None if it is unknown.
        games: The number of finished games on this server that continue with the move.
    """

    name: str
    exact: ExactValue | None
    games: int


@dataclass(frozen=True)
class Exploration:
    """A position after the first moves of a game.

    Attributes:
        names: The names of the first moves.
        position: The position after them.
        last: The action before the position, or None at the start.
        moves: The legal moves, the best ones first. Empty if the game is over.
    """

    names: tuple[str, ...]
    position: Position
    last: int | None
    moves: tuple[ExploredMove, ...]


def explore(service: GameService, analyses: AnalysisService, environment: str, names: Sequence[str]) -> Exploration:
    """Return the position after some moves from the start of a game, and its moves. This takes up to 3 s.

    Raises:
        ValueError: The environment is unknown, or a move is unknown or illegal.
    """
    game, _ = service.catalog.game(environment)
    start = position = Position.start(game)
    actions = list[int]()
    for name in names:
        actions.append(position.parse_action(name))
        position = position.play(actions[-1])
    games = service.next_actions(start, environment, tuple(actions))
    exact = {} if position.result is not None else _exact(analyses, environment, position)
    moves = [
        ExploredMove(position.action_name(action), exact.get(action), games[action])
        for action in position.legal_actions()
    ]
    moves.sort(key=lambda move: (_rank(move.exact), -move.games))
    return Exploration(tuple(names), position, actions[-1] if actions else None, tuple(moves))


def _exact(analyses: AnalysisService, environment: str, position: Position) -> dict[int, ExactValue]:
    return {each.number: each for each in analyses.exact_values(environment, position.to_text())}


def _rank(exact: ExactValue | None) -> tuple[int, int]:
    """Return the rank of a value: the fastest win first, and the fastest loss last."""
    if exact is None:
        return 2, 0
    plies = exact.plies or 0
    return -exact.value, plies if exact.value > 0 else -plies


def value_text(exact: ExactValue | None) -> str:
    """Return an exact value as text, for example ``wins in 9 moves``, or an empty text if it is unknown."""
    if exact is None:
        return ""
    distance = "" if exact.plies is None else f" in {exact.plies}"
    return {1: f"wins{distance}", 0: "draw", -1: f"loses{distance}"}[exact.value]
