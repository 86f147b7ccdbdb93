"""Checks of the texts and images for people: action names, position texts, diagrams and pictures."""

import re
from collections import Counter
from itertools import product
from xml.etree import ElementTree

from ci_envs.checking.error import InvalidGameError, place
from ci_envs.checking.reason import reason_of
from ci_envs.drawing.board import board_names
from ci_envs.drawing.drawing import Drawing
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.guides import guide_of

_MAX_PICTURES = 40


def check_names(game: Game) -> None:
    """Check that each action has a unique name that a person can type.

    Raises:
        InvalidGameError: A check failed.
    """
    names = [_name_of(game, action) for action in range(game.action_count)]
    for action, name in enumerate(names):
        if not isinstance(name, str) or not name or name != "".join(name.split()).lower():
            raise InvalidGameError(f"the name of action {action} must be lower case without spaces, not {name!r}")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InvalidGameError(f"action names must be unique, but {count} actions have the name {name!r}")
    for action, name in enumerate(names):
        _check_view(game, action, name)


def _name_of(game: Game, action: int) -> str:
    try:
        return game.action_name(action)
    except Exception as error:
        raise InvalidGameError(
            f"action_name({action}) raised {reason_of(error)}: every action from 0 to {game.action_count - 1} needs a"
            " name, also an action that is never legal"
        ) from error


def _check_view(game: Game, action: int, name: str) -> None:
    """Check that the cells in a name are those of the picture for both players."""
    cells = [cell for cell in re.findall(r"[a-z]+[1-9]\d*", name) if cell in board_names(*game.observation_shape[:2])]
    moved = [cell for cell in cells if game.other_region(cell) != cell]
    if moved and game.name_for(1, action) == name:
        raise InvalidGameError(
            f"the name {name!r} of action {action} has the cell {moved[0]}, which is {game.other_region(moved[0])} in"
            f" the picture for player 1: the name must be the targets with nothing between them, {''.join(cells)!r}"
        )


def check_texts(positions: list[Position]) -> None:
    """Check that ``from_text`` reads every text back, and that action names are read as the same actions.

    Raises:
        InvalidGameError: A check failed.
    """
    for position in positions:
        text = position.to_text()
        if not isinstance(text, str) or text.splitlines() != [text]:
            raise InvalidGameError(f"to_text must return one line at {place(position)}, not {text!r}")
        again = Position.from_text(position.game, text)
        if again != position:
            raise InvalidGameError(f"from_text must give {place(position)} back from {text!r}, not {place(again)}")
        if not position.game.diagram(position.own, position.opp, position.to_move).strip():
            raise InvalidGameError(f"diagram must not be empty at {place(position)}")
        for action in position.legal_actions():
            if position.parse_action(position.action_name(action)) != action:
                raise InvalidGameError(f"the name {position.action_name(action)!r} is not read as action {action}")


def check_pictures(positions: list[Position]) -> None:
    """Check that every legal action can be clicked in the picture, and that highlighted regions exist.

    Raises:
        InvalidGameError: A check failed.
    """
    guide = guide_of(positions[0].game)
    for position in positions[:_MAX_PICTURES]:
        regions = _regions_of(position)
        clicks = {action: position.game.targets(action) for action in position.legal_actions()}
        for action, targets in clicks.items():
            _check_regions(f"targets({action})", targets, regions, position)
            _check_regions(f"preview of action {action}", guide.preview(position, action), regions, position)
            if not targets:
                raise InvalidGameError(f"targets({action}) must name a region to click at {place(position)}")
            after = position.play(action)
            trace = position.game.trace(after.own, after.opp, action)
            _check_regions(f"trace of action {action}", trace, _regions_of(after), after)
        _check_prefixes(clicks, position)
        _check_words(position, regions)
        for line in position.game.winning_lines(position.own, position.opp):
            _check_regions("winning_lines", line, regions, position)


def check_guide(game: Game) -> None:
    """Check that the guide of a game has rules, and an example with a legal action.

    Raises:
        InvalidGameError: A check failed.
    """
    guide = guide_of(game)
    rules = guide.how_to_play()
    if not isinstance(rules, str) or not rules.strip():
        raise InvalidGameError(f"how_to_play must return a text, not {rules!r}")
    text, name = guide.example()
    Position.from_text(game, text).parse_action(name)


def _check_words(position: Position, regions: set[str]) -> None:
    """Check that the texts for people exist for every target, also after a first click."""
    game, guide = position.game, guide_of(position.game)
    targets = {target for action in range(game.action_count) for target in position.targets(action)}
    firsts = {clicks[:1] for action in position.legal_actions() if len(clicks := position.targets(action)) > 1}
    for region, clicked in product(sorted(targets & regions), ((), *sorted(firsts)[:1])):
        said = (
            guide.contents(position, region),
            guide.click_effect(position, clicked, region),
            guide.why_illegal(position, clicked, region),
            guide.prompt(position, clicked),
        )
        if not all(isinstance(text, str) for text in said):
            raise InvalidGameError(f"the texts for the region {region!r} must be strings at {place(position)}: {said}")


def _regions_of(position: Position) -> set[str]:
    drawing = position.game.draw(position.own, position.opp, position.to_move)
    if not isinstance(drawing, Drawing):
        raise InvalidGameError(f"draw must return a Drawing at {place(position)}, not {drawing!r}")
    try:
        ElementTree.fromstring(drawing.svg())
    except ElementTree.ParseError as error:
        raise InvalidGameError(f"draw must return well-formed SVG at {place(position)}: {error}") from None
    names = [region.name for region in drawing.regions]
    if len(set(names)) < len(names):
        name = Counter(names).most_common(1)[0][0]
        raise InvalidGameError(f"the regions of a picture must have different names, but {name!r} occurs twice")
    for region in drawing.regions:
        right, bottom = region.x + region.width, region.y + region.height
        if min(region.x, region.y) < 0 or right > drawing.width or bottom > drawing.height:
            raise InvalidGameError(f"the region {region.name!r} must lie inside the picture at {place(position)}")
    return set(names)


def _check_regions(what: str, names: tuple[str, ...], regions: set[str], position: Position) -> None:
    for name in names:
        if name not in regions:
            raise InvalidGameError(
                f"{what} names {name!r}, which must be a region of the picture at {place(position)}; if draw makes the"
                " picture, with_buttons adds a region"
            )


def _check_prefixes(clicks: dict[int, tuple[str, ...]], position: Position) -> None:
    """Check that the clicks of one action are no prefix of the clicks of another action."""
    owners = {targets: action for action, targets in clicks.items()}
    for action, targets in clicks.items():
        for length in range(1, len(targets) + 1):
            other = owners.get(targets[:length], action)
            if other != action:
                raise InvalidGameError(
                    f"targets({other}) must not begin or equal targets({action}) at {place(position)}: {targets}"
                )
