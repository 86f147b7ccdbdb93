r"""The action that a reply of a language model names.

A reply can contain reasoning, so several actions can be named. The rules, the first that applies:

1. Reasoning in ``<think>...</think>`` is not read.
2. The last action after a label wins: ``Action: b2``, ``**Final answer:** b2``, ``\boxed{b2}``,
   ``<answer>b2</answer>``, ``{"action": "b2"}``, ``the best move is b2``.
3. The last action that the reply says to play wins: ``I will play b2, because a1 would lose``.
4. The last legal action that is named wins; ``not a1`` and ``instead of a1`` do not count.
5. If only illegal actions are named, the last of them is the answer.

Upper and lower case, the kind of dash, and quotes and marks of Markdown around a name do not matter. A name that is a
single letter, as in Connect Four, counts only where it cannot be a word: alone, in marks, or after a word such as
``column`` or ``play``. Only the last 65,536 characters are read.
"""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.guides import guide_of


class ReplyKind(StrEnum):
    """The kind of action that a reply names."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNREADABLE = "unreadable"


class ParsedReply(NamedTuple):
    """The action that a reply names.

    Attributes:
        kind: whether it names a legal action, only illegal ones, or none.
        action: the number of the action, legal or not, or None.
    """

    kind: ReplyKind
    action: int | None


_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | {"\u2192": "->", "\u2019": "'"})
_MARKS = r"[\s*_`'\"\[({<$:=]*"
_LABEL = re.compile(
    r"(?:(?:answer|action|move|choice|decision)(?: here| now)?[\s\"'*_)]*(?:is|would be|will be|:|=|->)"
    r"|\\boxed\{(?:\\text\{)?|<(?:answer|action|move)>)"
    r"(?:\s+(?:to|play|take|place|choose|push|drop|column|in|at|on|the|my|x|o))*" + _MARKS + "$"
)
_INTENT = re.compile(
    r"(?:\bi(?:'ll| will| would|'d|'m| am)?(?: now| therefore| thus| just| then)?(?: going to)?"
    r"|\blet me|\blet's|\bmust|\bshould)"
    r"\s+(?:play|choose|pick|select|take|place|go|drop|put|push|move|block|playing|going|choosing|taking|placing)\b"
    r"(?:\s+(?:with|for|in|into|on|at|to|my|an?|the|x|o|disc|symbol|mark|piece|column|cell|square|it|by))*"
    + _MARKS
    + "$"
)
_NEGATED = re.compile(
    r"(?:\bnot|n't(?: \w+)?|\binstead of|\brather than|\bavoid(?:ing)?|\bthan)"
    r"(?:\s+(?:play|playing|take|choose|column))?" + _MARKS + "$"
)
_LETTER_BEFORE = re.compile(
    r"(?:\bcolumn|\bplay|\bchoose|\bpick|\bselect|\bdrop(?: it| in| into)*|\binto|\bgo(?: with| for| in)?)"
    + _MARKS
    + "$"
)
_SEPARATOR = r"\s*(?:->|=>|-|,|to|and|then|/)?\s*"
_CONTEXT = 90  # characters before and after a name
_MOST = 1 << 16  # last characters that are read, so that a long reply takes little time


def parse_reply(position: Position, reply: str) -> ParsedReply:
    """Return the action that a reply names, by the rules of this module.

    Args:
        position: the position, in which the writer of the reply is to move.
        reply: the text.

    Examples:
        >>> from ci_envs import Position, TicTacToe
        >>> from ci_envs.text.replies import parse_reply
        >>> parse_reply(Position.start(TicTacToe()), "The centre is best, so I play **B2**.").action
        4
    """
    text = _THOUGHTS.sub(" ", unicodedata.normalize("NFKC", reply).translate(_DASHES).lower())[-_MOST:]
    pattern, actions = _pattern(position.game, position.to_move)
    legal = position.legal_actions()
    ranked = [
        (rank, mention.start(), action)
        for mention in pattern.finditer(text)
        for action in [actions[str(mention.lastgroup)]]
        if (rank := _rank(text, mention, action in legal))
    ]
    if not ranked:
        return ParsedReply(ReplyKind.UNREADABLE, None)
    action = max(ranked)[2]
    return ParsedReply(ReplyKind.LEGAL if action in legal else ReplyKind.ILLEGAL, action)


def _rank(text: str, mention: re.Match[str], is_legal: bool) -> int:
    """Return the rank of a named action: 0 if it does not count, 4 after a label."""
    before, after = (
        text[max(0, mention.start() - _CONTEXT) : mention.start()],
        text[mention.end() : mention.end() + _CONTEXT],
    )
    if _LABEL.search(before):
        return 4 if not _is_article(mention, after) else 0
    if len(mention[0]) == 1 and not _is_clear_letter(mention, before, after):
        return 0
    if _INTENT.search(before):
        return 3
    if _NEGATED.search(before):
        return 0
    return 2 if is_legal else 1


def _is_article(mention: re.Match[str], after: str) -> bool:
    """Return whether a single letter is a word before another word, as in "the best move is a block"."""
    return mention[0] in ("a", "i") and re.match(r"\s+[a-z']", after) is not None


def _is_clear_letter(mention: re.Match[str], before: str, after: str) -> bool:
    """Return whether a single letter is the name of an action."""
    is_alone = re.search(r"(?:^|\n)[\s*_`'\"(\[]*$", before) and re.match(r"[\s*_`'\")\].!]*(?:\n|$)", after)
    is_marked = re.search(r"[*_`'\"(\[]$", before) and re.match(r"[*_`'\")\]]", after)
    is_named = _LETTER_BEFORE.search(before) and not _is_article(mention, after)
    return bool(is_alone or is_marked or is_named or re.search(r"\bcolumn\s+$", before))


@lru_cache(maxsize=64)
def _pattern(game: Game, player: int) -> tuple[re.Pattern[str], dict[str, int]]:
    """Return the pattern of all actions of a player, and the number of each group of the pattern."""
    guide, found = guide_of(game), list[tuple[str, int]]()
    for name, action in game.numbers_for(player).items():
        targets = game.regions_for(player, game.targets(action))
        parts = targets if name == "".join(targets) else (name,)
        found.append((_SEPARATOR.join(re.escape(part.lower()) for part in parts), action))
        found += [(phrase, action) for phrase in guide.phrases(action)]
    found.sort(key=lambda item: -len(item[0]))
    alternatives = (f"(?P<p{number}>{phrase})" for number, (phrase, _) in enumerate(found))
    pattern = re.compile(rf"(?<![a-z0-9])(?<!\d-)(?:{'|'.join(alternatives)})(?![a-z0-9]|-\d)")
    return pattern, {f"p{number}": action for number, (_, action) in enumerate(found)}
