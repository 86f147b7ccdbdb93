"""Random games, and checks of legal actions, results and the hints for searches."""

from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from ci_envs.checking.compiled import ILLEGAL, OUTCOMES, estimated, follow, words_after
from ci_envs.checking.error import InvalidGameError, place
from ci_envs.checking.reason import HINT_FOR_FLOATS
from ci_envs.games.game import Game
from ci_envs.games.operations import LOSS, ONGOING, WIN
from ci_envs.games.position import Position

_MAX_POSITIONS = 200
_LARGEST_EVALUATION = 1_000_000


def sample_positions(game: Game, games: int, max_plies: int, rng: np.random.Generator) -> list[Position]:
    """Play random games and return a sample of their positions, without duplicates.

    Raises:
        InvalidGameError: The game is over at the start, a position has no legal action, or a game that cannot cycle
            repeats a position or does not end within ``max_plies``.
    """
    start = Position.start(game)
    if start.result is not None:
        raise InvalidGameError(f"the game is over at the start {place(start)}: result must be ONGOING there")
    found: dict[Position, None] = {}
    for _ in range(games):
        position = start
        path = {position}
        for _ in range(max_plies):
            _check_result(position)
            if position.result is not None:
                break
            actions = position.legal_actions()
            if not actions:
                raise InvalidGameError(
                    f"no action is legal at {place(position)}, but result is ONGOING there: end the game, or allow an"
                    " action, for example a pass"
                )
            if actions[-1] >= game.action_count:
                raise InvalidGameError(
                    f"legal_bits must have bits only for the actions 0 to {game.action_count - 1} at {place(position)},"
                    f" not for {actions[-1]}"
                )
            action = int(rng.choice(actions))
            position = position.play(action)
            if position in path and not game.can_cycle:
                raise InvalidGameError(
                    f"action {action} ({game.action_name(action)}) repeats {place(position)}: correct play, or set"
                    " can_cycle = True if the rules allow it. A pass must give the turn to the other player"
                )
            path.add(position)
        if not game.can_cycle and position.result is None:
            raise InvalidGameError(f"play goes on after {max_plies} plies at {place(position)}: set can_cycle = True")
        found |= dict.fromkeys(sorted(path, key=lambda each: (each.own, each.opp, each.to_move)))
    positions = list(found)
    chosen = rng.permutation(len(positions))[:_MAX_POSITIONS]
    return list(dict.fromkeys([start, *(positions[index] for index in sorted(chosen.tolist()))]))


def check_first_play(game: Game) -> None:
    """Check that ``play`` alone can be compiled, and that it returns integers."""
    own, opp = map(np.uint64, game.start())
    words = words_after(game, own, opp, np.uint64(0))
    if not all(isinstance(word, int) for word in words):
        raise InvalidGameError(f"play must return two words of type uint64, not {words!r}: {HINT_FOR_FLOATS}")


def _check_result(position: Position) -> None:
    outcome = ONGOING if position.result is None else position.result
    if outcome not in OUTCOMES:
        raise InvalidGameError(f"result must be ONGOING, WIN, DRAW or LOSS at {place(position)}, not {outcome!r}")


class Successors:
    """The positions, results and flags of every action in a position that is not over.

    Attributes:
        words: The positions after the actions, uint64 of shape (actions, 2).
        outcomes: The results for the player to move there, or ILLEGAL, int64 of shape (actions,).
        keeps: Whether the same player acts again, bool of shape (actions,).
        duplicates: Whether the action is a duplicate, bool of shape (actions,).
        may_end: Whether ``may_end`` allows an end with WIN, and with LOSS.
        may_end_soon: Whether ``may_end_soon`` allows an end with WIN, and with LOSS.
    """

    def __init__(self, position: Position) -> None:
        count = position.game.action_count
        self.words = np.zeros((count, 2), np.uint64)
        self.outcomes = np.zeros(count, np.int64)
        self.keeps, self.duplicates = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        arrays = self.words, self.outcomes, self.keeps, self.duplicates
        words = np.uint64(position.own), np.uint64(position.opp)
        self.may_end, self.may_end_soon = follow(position.game, *words, *arrays)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Whether each action is legal, bool of shape (actions,)."""
        return np.asarray(self.outcomes != ILLEGAL)

    def ends(self, outcome: int) -> NDArray[np.bool_]:
        """Return whether each action ends the game with ``outcome`` for its player, bool of shape (actions,)."""
        signs = np.where(self.keeps, 1, -1)
        return np.asarray(self.legal & (self.outcomes != ONGOING) & (signs * self.outcomes == outcome))

    def reached(self, actions: NDArray[np.bool_]) -> set[tuple[int, int, bool]]:
        """Return the set of results of some actions: both words, and whether the same player acts again."""
        return {
            (int(self.words[action, 0]), int(self.words[action, 1]), bool(self.keeps[action]))
            for action in np.flatnonzero(actions).tolist()
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Successors) and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


def ends_at_once(game: Game) -> bool:
    """Return whether the initial position has several legal actions, and each of them ends the game."""
    after = Successors(Position.start(game))
    outcomes = after.outcomes[after.legal]
    return len(outcomes) > 1 and bool((outcomes != ONGOING).all())


def check_play(positions: list[Position]) -> None:
    """Check that the rules are deterministic, the results after all legal actions, and the bound of positions.

    Raises:
        InvalidGameError: A check failed.
    """
    game, reached = positions[0].game, len({(position.own, position.opp) for position in positions})
    bound = game.position_bound(*game.start())
    if bound is not None and bound < reached:
        raise InvalidGameError(f"position_bound is {bound} at the start, but random games reached {reached} positions")
    for position in positions:
        if position.result is not None:
            continue
        successors = Successors(position)
        if successors != Successors(position):
            raise InvalidGameError(f"the rules are not deterministic at {place(position)}: two calls differ")
        legal = set(np.flatnonzero(successors.legal).tolist())
        if legal != set(position.legal_actions()):
            raise InvalidGameError(f"legal must be the same in every kernel at {place(position)}")
        for action in sorted(legal):
            if successors.outcomes[action] not in OUTCOMES:
                raise InvalidGameError(
                    f"result must be ONGOING, WIN, DRAW or LOSS after action {action} at {place(position)},"
                    f" not {successors.outcomes[action]}"
                )
        if not game.can_cycle:
            _check_no_return(position, successors)


def _check_no_return(position: Position, successors: Successors) -> None:
    """Check that no two actions lead back to a position."""
    words = np.array([position.own, position.opp], np.uint64)
    for action in np.flatnonzero(successors.outcomes == ONGOING).tolist():
        replies = Successors(position.play(action))
        returns = (replies.words == words).all(axis=1) & (replies.keeps == successors.keeps[action]) & replies.legal
        for reply in np.flatnonzero(returns).tolist():
            names = (f"{number} ({position.game.action_name(number)})" for number in (action, reply))
            raise InvalidGameError(
                f"actions {' and '.join(names)} repeat {place(position)}: legal must refuse one of them, or set"
                " can_cycle = True if the rules allow it"
            )


def check_searches(positions: list[Position]) -> None:
    """Check that ``is_duplicate`` hides no position from a search, and that no possible end is excluded.

    Raises:
        InvalidGameError: A check failed.
    """
    for position in positions:
        if position.result is not None:
            continue
        successors = Successors(position)
        legal = successors.legal
        hidden = successors.reached(legal) - successors.reached(legal & ~successors.duplicates)
        if hidden:
            words = list(min(hidden)[:2])
            actions = np.flatnonzero(legal & (successors.words == np.array(words, np.uint64)).all(axis=1)).tolist()
            raise InvalidGameError(
                f"is_duplicate is true for every action from {place(position)} to (own={words[0]:#x},"
                f" opp={words[1]:#x}), {', '.join(map(str, actions))}: it must be false for one of them"
            )
        for outcome, name, may, may_soon in zip(
            (WIN, LOSS), ("WIN", "LOSS"), successors.may_end, successors.may_end_soon, strict=True
        ):
            actions = np.flatnonzero(successors.ends(outcome)).tolist()
            if actions and not may:
                raise InvalidGameError(
                    f"may_end is false for {name} at {place(position)},"
                    f" but action {actions[0]} ends the game with {name}"
                )
            if not may_soon and _is_forced(position, outcome, 2):
                raise InvalidGameError(
                    f"may_end_soon is false for {name} at {place(position)},"
                    f" but {name} can be forced within two actions"
                )


def _is_forced(position: Position, outcome: int, actions: int) -> bool:
    """Return whether ``outcome``, WIN or LOSS for the player to move, can be forced within some actions."""
    successors = Successors(position)
    forced = successors.ends(outcome)
    for action in np.flatnonzero(successors.outcomes == ONGOING).tolist() if actions > 1 else ():
        after = position.play(action)
        forced[action] = _is_forced(after, outcome if after.to_move == position.to_move else -outcome, actions - 1)
    return bool(forced.any() and (outcome == WIN or forced[successors.legal].all()))


def check_evaluation(positions: list[Position]) -> None:
    """Check that ``evaluate`` is in its range, and that ``write_features`` writes every feature.

    Raises:
        InvalidGameError: A check failed.
    """
    for position in positions:
        if position.result is None:
            value, features = estimate_of(position)
            if not abs(value) < _LARGEST_EVALUATION:
                raise InvalidGameError(
                    f"evaluate must be below 1,000,000 in absolute value at {place(position)}, not {value}"
                )
            if not np.isfinite(features).all():
                name = position.game.feature_names[int(np.flatnonzero(~np.isfinite(features))[0])]
                raise InvalidGameError(f"write_features must write a finite number for {name!r} at {place(position)}")


def estimate_of(position: Position) -> tuple[int, NDArray[np.float64]]:
    """Return the static evaluation of a position that is not over, and its features.

    Raises:
        InvalidGameError: The evaluation is no whole number, or ``write_features`` writes more numbers than there are
            names.
    """
    count = len(position.game.feature_names)
    buffer = np.full(count + 64, np.nan)  # more items than features, to find values written beyond the features
    value = estimated(position.game, np.uint64(position.own), np.uint64(position.opp), buffer[:count])
    if not np.isnan(buffer[count:]).all():
        raise InvalidGameError(f"write_features must write {count} numbers, as feature_names has, not more")
    if isinstance(value, float):
        raise InvalidGameError(f"evaluate must be a whole number at {place(position)}, not {value}: multiply it")
    return int(value), buffer[:count]


def check_reference(positions: list[Position], reference: Callable[[Position], Collection[int | str]]) -> None:
    """Check that ``legal`` allows exactly the actions that a second computation finds.

    Raises:
        InvalidGameError: The actions differ.
    """
    for position in positions:
        names = {position.action_name(action): action for action in range(position.game.action_count)}
        expected = {names.get(action, -1) if isinstance(action, str) else int(action) for action in reference(position)}
        for action in sorted(expected ^ set(position.legal_actions())):
            verb = "refuses" if action in expected else "allows"
            raise InvalidGameError(f"legal {verb} action {action} at {place(position)}, but the reference does not")
