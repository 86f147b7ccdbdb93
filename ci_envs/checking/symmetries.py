"""Checks of the symmetries: they must be a group that commutes with the rules.

If the other player sees the cells in other places, a symmetry can have another number in the view of the other player.
In a transposed view, for example, the mirror of the rows is the mirror of the columns.
"""

from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from ci_envs.checking.compiled import transformed
from ci_envs.checking.error import InvalidGameError, place, result_name
from ci_envs.checking.play import Successors, estimate_of
from ci_envs.games.operations import ONGOING
from ci_envs.games.position import Position

_MAX_POSITIONS, _MAX_SYMMETRIES = 30, 12


def check_symmetries(positions: list[Position], rng: np.random.Generator) -> None:
    """Check a random sample of the symmetries in a random sample of the positions.

    Raises:
        InvalidGameError: A check failed.
    """
    game = positions[0].game
    others = rng.permutation(np.arange(1, game.symmetry_count))[: _MAX_SYMMETRIES - 1]
    symmetries = [0, *sorted(others.tolist())]
    shuffled = [positions[index] for index in rng.permutation(len(positions)).tolist()]
    chosen = [positions[0], *shuffled[:_MAX_POSITIONS], *_near_the_end(shuffled[_MAX_POSITIONS:])]
    numbers = np.arange(game.action_count)
    for position in chosen:
        image, actions = _image(position, 0)
        if image != position or not np.array_equal(actions, numbers):
            raise InvalidGameError(f"symmetry 0 must be the identity, but it is not at {place(position)}")
    seen_by_other = {symmetry: _seen_by_other(chosen, symmetry) for symmetry in symmetries}
    for symmetry, position in product(symmetries, chosen):
        image, actions = _image(position, symmetry)
        if not np.array_equal(np.sort(actions), numbers):
            raise InvalidGameError(f"transform_action must permute the actions under symmetry {symmetry}")
        _check_rules(position, symmetry, image, actions, seen_by_other[symmetry])
    _check_group(chosen, symmetries)
    # an image under a false symmetry can be a position that play cannot reach, in which these need not end
    for position, symmetry in product(chosen, symmetries):
        _check_estimates(position, symmetry)
        _check_canonical(position, symmetry)


def _near_the_end(positions: list[Position]) -> list[Position]:
    """Return positions in which an action ends the game, because a false symmetry often differs in the results only."""
    running = (position for position in positions if position.result is None)
    return list(islice((one for one in running if _can_end(one)), _MAX_POSITIONS))


def _can_end(position: Position) -> bool:
    after = Successors(position)
    return bool((after.outcomes[after.legal] != ONGOING).any())


def _image(position: Position, symmetry: int) -> tuple[Position, NDArray[np.int64]]:
    actions = np.full(position.game.action_count, -1, np.int64)
    own, opp, *_ = transformed(position.game, symmetry, np.uint64(position.own), np.uint64(position.opp), actions)
    return Position(position.game, int(own), int(opp), position.to_move), actions


def _seen_by_other(positions: list[Position], symmetry: int) -> list[int]:
    """Return the symmetries whose effect in the other player's views is that of ``symmetry`` in the positions."""
    game = positions[0].game
    if game.swaps_words or game.shared_board:
        return [symmetry]
    possible = np.ones(game.symmetry_count, np.bool_)
    for position in positions:
        image, _ = _image(position, symmetry)
        expected = game.rules.other_view(game, image.own, image.opp)
        images = game.rules.images(game, *game.rules.other_view(game, position.own, position.opp))
        possible &= (images == np.array(expected, np.uint64)).all(axis=1)
    if not possible.any():
        raise InvalidGameError(
            f"symmetry {symmetry} must be one of the symmetries in the view of the other player, too: see other_view"
        )
    return np.flatnonzero(possible).tolist()


def _check_rules(
    position: Position, symmetry: int, image: Position, actions: NDArray[np.int64], seen_by_other: list[int]
) -> None:
    """Check that results, legal actions and moves of the image are the images of those of the position."""
    where = f"under symmetry {symmetry} of {place(position)}"
    if image.result != position.result:
        raise InvalidGameError(
            f"result must be the same {where}: {result_name(image.result)}, not {result_name(position.result)}; correct"
            " result, or remove the symmetry (cell_maps, transform)"
        )
    if position.result is not None:
        return
    before, after = Successors(position), Successors(image)
    if not np.array_equal(after.legal[actions], before.legal):
        raise InvalidGameError(f"legal actions must be images of legal actions {where}: see transform_action")
    for action in np.flatnonzero(before.legal).tolist():
        (own, opp), (new_own, new_opp) = before.words[action].tolist(), after.words[actions[action]].tolist()
        successor = Position(position.game, own, opp, position.to_move)
        found = Position(position.game, new_own, new_opp, position.to_move)
        possible = [symmetry] if before.keeps[action] else seen_by_other
        is_image = any(found == _image(successor, one)[0] for one in possible)
        if not is_image or after.keeps[actions[action]] != before.keeps[action]:
            raise InvalidGameError(
                f"playing action {action} and its image {actions[action]} must lead to images of each other {where}"
            )
    for action in np.flatnonzero(before.outcomes != after.outcomes[actions]).tolist():
        found, expected = after.outcomes[actions[action]], before.outcomes[action]
        raise InvalidGameError(
            f"result must be the same after action {action} and after its image {actions[action]} {where}: "
            f"{result_name(found)}, not {result_name(expected)}"
        )


def _check_estimates(position: Position, symmetry: int) -> None:
    """Check that the evaluation and the features of the image are those of the position."""
    if position.result is not None:
        return
    where, (image, _) = f"under symmetry {symmetry} of {place(position)}", _image(position, symmetry)
    (value, features), (image_value, image_features) = estimate_of(position), estimate_of(image)
    if value != image_value:
        raise InvalidGameError(f"evaluate must be the same {where}: {image_value}, not {value}")
    if not np.allclose(features, image_features):
        name = position.game.feature_names[int(np.argmax(~np.isclose(features, image_features)))]
        raise InvalidGameError(f"write_features must write the same {name!r} {where}")


def _check_canonical(position: Position, symmetry: int) -> None:
    image, _ = _image(position, symmetry)
    forms = [_canonical_form(each) for each in (position, image)]
    if forms[0] != forms[1]:
        raise InvalidGameError(f"canonical must be the same under symmetry {symmetry} of {place(position)}")
    images = position.game.rules.images(position.game, position.own, position.opp)
    if not (images == np.array(forms[0], np.uint64)).all(axis=1).any():
        raise InvalidGameError(f"canonical must be an image of {place(position)}")


def _canonical_form(position: Position) -> tuple[int, int]:
    actions = np.empty(position.game.action_count, np.int64)
    *_, own, opp = transformed(position.game, 0, np.uint64(position.own), np.uint64(position.opp), actions)
    return int(own), int(opp)


def _check_group(positions: list[Position], symmetries: list[int]) -> None:
    """Check that the product of two symmetries is a symmetry: it acts on all positions as one of them."""
    images = np.array([each.game.rules.images(each.game, each.own, each.opp) for each in positions])
    known = {images[:, symmetry].tobytes() for symmetry in range(images.shape[1])}
    for first, second in product(symmetries, repeat=2):
        twice = [_image(_image(position, first)[0], second)[0] for position in positions]
        words = np.array([(each.own, each.opp) for each in twice], np.uint64)
        if np.ascontiguousarray(words).tobytes() not in known:
            raise InvalidGameError(f"symmetry {first} followed by symmetry {second} must be one of the symmetries")
