"""The actions between two positions, for texts about what an opponent played."""

from ci_envs.games.position import Position


def actions_between(before: Position, after: Position) -> tuple[str, ...]:
    """Return the names of the actions of the player to move in ``before`` that lead to ``after``.

    They are all of this player. Of several with the same effect, the first is returned; if there are none, the result
    is empty.

    Examples:
        >>> from ci_envs import Position, TicTacToe
        >>> from ci_envs.text.events import actions_between
        >>> start = Position.start(TicTacToe())
        >>> actions_between(start, start.play("c3"))
        ('c3',)
    """
    return _search(before, after, before.to_move) or ()


def _search(before: Position, after: Position, player: int) -> tuple[str, ...] | None:
    further = []
    for action in before.legal_actions():
        played, name = before.play(action), before.action_name(action)
        if (played.own, played.opp) == (after.own, after.opp):
            return (name,)
        if played.to_move == player and played.result is None:
            further.append((name, played))
    for name, played in further:
        rest = _search(played, after, player)
        if rest is not None:
            return (name, *rest)
    return None
