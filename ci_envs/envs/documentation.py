"""The parts of the documentation of an environment that follow from its game."""

from collections.abc import Sequence

from ci_envs.envs.rendering import RENDER_MODES
from ci_envs.games.game import Game
from ci_envs.games.truncation import DEFAULT_MAX_CYCLES
from ci_envs.registry.games import resolve
from ci_envs.registry.options import options_of

_MASK = """\
`action_mask` contains 1 for each legal action and 0 for each illegal action. For the agent that is not to act, all
entries are 0. `infos[agent]["action_mask"]` contains the mask too.
"""


def documentation(text: str, module: str, id: str, *, has_draws: bool = True) -> str:
    """Return the docstring of the module of an environment with its tables.

    Args:
        text: The title of the page, and its sections Rules, Observation Space and Action Space.
        module: The name of the module.
        id: The id of the environment.
        has_draws: Whether the rules of the game have draws.
    """
    game = resolve(id)[1]
    title, _, sections = text.partition("\n")
    observation, _, action = sections.partition("### Action Space\n")
    return "\n".join(
        (
            title,
            "",
            _table(*_first_rows(module.rpartition(".")[2], id, game)),
            "`env` and `raw_env` make the same environment, because it contains the checks of PettingZoo's wrappers.",
            f"{observation}{_MASK}",
            f"### Action Space\n{action}",
            f"### Rewards\n\n{_table(*_reward_rows(has_draws))}",
            f"{'' if has_draws else 'There are no draws. '}Before the end all rewards are 0.\n",
            f"### Parameters\n\n{_table(*_parameter_rows(game))}",
            "### Version History\n\n* v0: first version",
        )
    )


def _first_rows(name: str, id: str, game: Game) -> list[tuple[str, ...]]:
    return [
        ("Creation", f'`make("{id}")` or `{name}.env()`'),
        ("Actions", "Discrete"),
        ("Parallel API", "No"),
        ("Manual Control", f"Yes: `ci-envs play {id} human random`"),
        ("Agents", "2: `player_0` and `player_1`"),
        ("Action Shape", "()"),
        ("Action Values", f"[0, {game.action_count - 1}]"),
        ("Observation Shape", str(game.observation_shape)),
        ("Observation Values", "[0, 1]"),
    ]


def _reward_rows(has_draws: bool) -> list[tuple[str, ...]]:
    return [
        ("How the game ends", "Reward"),
        ("win", "winner +1, loser -1"),
        *([("draw", "0 for both")] if has_draws else []),
        ("illegal action", "-1 for the player, 0 for the opponent"),
        ("truncated after `max_cycles` plies", "0 for both"),
    ]


def _parameter_rows(game: Game) -> list[tuple[str, ...]]:
    modes = ", ".join(f"`{mode}`" for mode in RENDER_MODES)
    truncation = f"plies after which play is truncated; None means {DEFAULT_MAX_CYCLES if game.can_cycle else 'never'}"
    return [
        ("Name", "Default", "Values", "Meaning"),
        *(
            (f"`{name}`", repr(getattr(game, name)), option.allowed, option.declared.doc)
            for name, option in options_of(type(game)).items()
        ),
        ("`max_cycles`", "None", "1 or more, None", truncation),
        ("`render_mode`", "None", modes, "what `render()` does: a window, an RGB array, text"),
    ]


def _table(*rows: Sequence[str]) -> str:
    """Return rows as a table of Markdown. The first row is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    rule = "|".join("-" * (width + 2) for width in widths)
    return "\n".join((f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:]), ""))
