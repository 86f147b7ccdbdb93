"""Generator of the tables of options and of the strength of agents."""

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ci_envs.agent_interface.capabilities import Trainable
from ci_envs.cli.docstrings import first_line
from ci_envs.optimisation.registry import problem_maker, registered_problems
from ci_envs.optimisation.solving import SOLVERS
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.games import ENV_OPTIONS, registered, resolve
from ci_envs.registry.options import NamedOption, options_of
from ci_envs.registry.spec import quoted, split_spec
from ci_envs.training.config import TrainingConfig, training_options
from ci_envs.training.learners import learners, trainer_of, training_command

STRENGTH = Path(__file__).parents[1] / "strength"


def agent_sections(name: str) -> str:
    """Return the generated sections of an agent's page: options, options of the training, and strength."""
    factory = AGENTS.find(name)
    sections = ["## Options", _table(AGENTS.options(factory).values())]
    if isinstance(factory, Trainable):
        sections += ["## Options of the training", f"`{training_command(name)}`"]
        sections += [_table(training_options(trainer_of(name).config_type).values()), *_defaults_of_games(name)]
    if strength := list(_strength_rows(name)):
        sections += ["## Strength", _STRENGTH_TEXT, *_strength_table(strength)]
    return "\n\n".join(sections) + "\n"


def solver_sections(names: Iterable[str]) -> str:
    """Return a section for each solver, with its description and its options."""
    sections = []
    for name in names:
        solver = SOLVERS.find(name)
        sections += [f"### `{name}`", first_line(solver)]
        sections += [_table(SOLVERS.options(solver).values())]
    return "\n\n".join(sections) + "\n"


def all_options() -> str:
    """Return the sections of the page of all options."""
    return "\n\n".join(
        [
            "## Environments",
            "All environments of games have these options:",
            _table(ENV_OPTIONS.values()),
            *_tables(registered(), lambda id: resolve(id)[0].options()),
            "## Agents",
            *_tables(AGENTS.names(), lambda name: AGENTS.options(AGENTS.find(name))),
            "## Trainers",
            "All trainers have these options:",
            _table(options_of(TrainingConfig).values()),
            *(text for name in learners() for text in _trainer_parts(name)),
            "## Optimisation problems",
            *_tables(registered_problems(), lambda id: options_of(problem_maker(id))),
            "## Solvers",
            *_tables(SOLVERS.names(), lambda name: SOLVERS.options(SOLVERS.find(name))),
        ]
    )


def _tables(names: Iterable[str], options: Callable[[str], Mapping[str, NamedOption]]) -> Iterator[str]:
    """Yield a heading and the table of the options for each name."""
    for name in names:
        yield from (f"### `{name}`", _table(options(name).values()))


def _trainer_parts(learner: str) -> Iterator[str]:
    """Yield a heading, the table of the options that not all trainers have, and the defaults of games."""
    options, shared = training_options(trainer_of(learner).config_type), options_of(TrainingConfig)
    yield f"### Training of `{learner}`"
    yield _table(option for name, option in options.items() if name not in shared)
    yield from _defaults_of_games(learner)


def _defaults_of_games(learner: str) -> Iterator[str]:
    """Yield the text with the defaults of a trainer that differ in a game, if there are any."""
    trainer = trainer_of(learner)
    options = training_options(trainer.config_type)
    lines = []
    for id in registered():
        values = trainer.presets(resolve(id)[1])
        written = ",".join(f"{name}={quoted(options[name].text(values[name]))}" for name in values)
        lines += [f"- {id}: `{written}`"] if written else []
    if lines:
        yield "\n".join(("The defaults differ in these games:\n", *lines))


def problem_table(id: str) -> str:
    """Return the table of the parameters of an optimisation problem."""
    return _table(options_of(problem_maker(id)).values())


_STRENGTH_TEXT = """\
The ratings of the [strength tables](../strength/README.md) compare the agents of one environment with each other. The
mean rating of the agents of an environment is 0.
"""


def _strength_table(rows: list[str]) -> list[str]:
    elo = "Elo from the initial position", "Elo after 4 random plies"
    heads = ("environment", "agent", *elo, "ms, one board", "ms, many boards")
    return ["\n".join(["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *rows])]


def _strength_rows(name: str) -> Iterable[str]:
    """Yield a row for each spec string of the agent in the results of ``experiments.ladder``."""
    for path in sorted(STRENGTH.glob("*.json")):
        results = json.loads(path.read_text())
        start, later = results["tournaments"]
        ratings = {row["agent"]: row["elo"] for row in later["agents"]}
        for row in start["agents"]:
            spec = row["agent"]
            if split_spec(spec)[0].partition(":")[0] == name:
                times = (later[name][spec] for name in ("ms_one_board", "ms_per_move"))
                cells = (
                    results["environment"],
                    f"`{spec}`",
                    f"{row['elo']:+.0f}",
                    f"{ratings[spec]:+.0f}",
                    *(f"{time:.2g}" for time in times),
                )
                yield "| " + " | ".join(cells) + " |"


def _table(options: Iterable[NamedOption]) -> str:
    rows = [
        f"| `{one.name}` | `{one.default_text}` | {_cell(one.allowed_or_none)} | {_cell(_effect(one))} |"
        for one in options
    ]
    heads = ["| option | default | allowed values | meaning |", "|---|---|---|---|"]
    return "\n".join([*heads, *rows]) if rows else "There are no options."


def _effect(option: NamedOption) -> str:
    return "; ".join(filter(None, (option.declared.doc, option.condition)))


def _cell(text: str) -> str:
    return inspect.cleandoc(text).replace("|", "\\|").replace("\n", " ")
