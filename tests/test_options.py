"""The declaration of an option, and everything that reads it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from click.testing import CliRunner
from nicegui import Client, ui
from nicegui.page import page

from ci_envs import make_agent
from ci_envs.agents import Agent
from ci_envs.cli.main import main
from ci_envs.games.connect_n import ConnectN
from ci_envs.optimisation.solving import SOLVERS
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.options import (
    NamedOption,
    Option,
    Untrusted,
    Validated,
    check_options,
    options_of,
    read_options,
    unnamed_option,
    validated,
)
from ci_envs.training import train
from ci_envs.training.learners import learners, trainer_of
from ci_envs.web.catalog import Catalog
from ci_envs.web.offers import Offers
from ci_envs.web.option_inputs import OptionInputs
from ci_envs.web.schemas import CatalogEntry
from docs.generators.options import agent_sections, all_options

GAME = ConnectN(3, 3, 3)


def limited(most, most_of_strangers):
    """Return an agent class with an option that has these bounds."""
    width = Option("number of actions to consider", ge=1, le=most, untrusted=Untrusted(most=most_of_strangers))

    class Limited(Agent):
        @validated
        def __init__(self, game, *, width: Annotated[int, width] = 2, secret: int = 0, seed=None):
            super().__init__(game, seed=seed)
            self.width = width

        def act(self, observation):
            return int(observation["action_mask"].argmax())

    return Limited


def everywhere(bound):
    """Return what everything that reads the declaration tells of a bound of the option ``width``."""
    with pytest.raises(ValueError, match="width must be") as error:
        make_agent(f"limited:width={bound + 1}", GAME)
    info = CliRunner().invoke(main, ["info", "limited"]).stdout
    listed = json.loads(CliRunner().invoke(main, ["list", "agents", "--json", "-"]).stdout)
    entry = CatalogEntry.of(Catalog().agent_entry("limited")).model_dump()
    offer = Offers(Catalog()).find("TicTacToe-v0", "limited")
    with Client(page("/")) as client:
        OptionInputs("limited", offer.options)
        form = [element for element in client.elements.values() if isinstance(element, ui.number | ui.label)]
    return {
        "error": str(error.value),
        "info": re.sub(r"\s+", " ", info),
        "list": next(one["options"] for one in listed if one["name"] == "limited"),
        "schema": entry["declarations"]["width"]["values"],
        "api": entry["declarations"]["width"]["most"],
        "form": (form[0].max, form[1].text, len(form)),
        "docs": agent_sections("limited"),
    }


@pytest.mark.parametrize(("most", "strangers"), [(9, 5), (7, 3)])
def test_one_declaration_is_read_by_everything(most, strangers, monkeypatch):
    monkeypatch.setattr(AGENTS, "registered", {"limited": limited(most, strangers)})
    Catalog().agent_entry.__globals__["_agent"].cache_clear()
    told = everywhere(most)
    allowed = f"a whole number from 1 to {most}"
    assert told["error"] == f"width must be {allowed}, not {most + 1}"
    assert f"width 2 number of actions to consider; {allowed}" in told["info"]
    assert told["list"] == {"width": "2", "secret": "0"}
    assert told["schema"] == {"type": "integer", "minimum": 1, "maximum": most}
    assert told["api"] == strangers
    assert told["form"] == (strangers, f"Number of actions to consider. At most {strangers} here.", 2)
    assert f"| `width` | `2` | {allowed} | number of actions to consider |" in told["docs"]
    assert Catalog().agent(f"limited:width={strangers}", GAME).width == strangers
    with pytest.raises(ValueError, match=f"width must be {strangers} or less here, not {strangers + 1}"):
        Catalog().agent(f"limited:width={strangers + 1}", GAME)
    with pytest.raises(ValueError, match="secret cannot be set here"):
        Catalog().agent("limited:secret=1", GAME)


def test_the_page_of_all_options_has_all_names_with_types_and_meanings():
    page = all_options()
    for entry in json.loads(CliRunner().invoke(main, ["list", "--json", "-"]).stdout):
        head = f"### Training of `{entry['name']}`" if entry["kind"] == "learners" else f"### `{entry['name']}`"
        assert f"{head}\n" in page, entry
        if entry["kind"] != "learners":
            assert all(f"\n| `{name}` | `" in page for name in entry["options"]), entry
    cells = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert all(cell.strip(" |") for row in cells for cell in row)


# --- strangers


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("minimax:depth=64,time=6", "time must be 5 or less here"),
        ("minimax:table_mb=65", "table_mb must be 64 or less"),
        ("minimax:exact=/etc", "exact must be included here"),
        ("mcts:time=60", "time must be 5 or less"),
        ("mcts:threads=2", "threads must be 1 or less"),
        ("alphazero:lookahead=8", "lookahead must be 4 or less"),
        ("alphazero:/etc/passwd", "path must be one of"),
        ("q_learning:lr=0.1/best.npz", "path must be one of"),
        ("openspiel:mcts,rollouts=1000000000", "rollouts must be 4 or less"),
        ("quarto_ga:tournament_size=1048576", "tournament_size must be 64 or less"),
        ("sb3:tictactoe,trust=true", "trust cannot be set here"),
        ("process:ls", "Only the owner"),
    ],
)
def test_strangers_cannot_exceed_a_bound(spec, message):
    with pytest.raises(ValueError, match=message):
        Catalog().agent(spec, GAME)


def test_an_error_states_both_bounds_of_an_option(tmp_path):
    with pytest.raises(ValueError, match="learning_rate must be a number above 0 and at most 1, not 2"):
        train("q_learning", GAME, output=tmp_path / "run", learning_rate=2.0)


def test_strangers_always_have_a_limit_of_time():
    for spec in ("minimax:depth=64,time=none", "minimax:depth=64", "minimax:time=none,depth=9"):
        assert Catalog().agent(spec, GAME).time == 5
    assert Catalog().agent("minimax:depth=64,time=0.5", GAME).time == 0.5
    assert Catalog().agent("minimax", GAME).time is None


def test_an_option_without_a_bound_for_strangers_keeps_its_default():
    settable = 0
    for name in (name for name in AGENTS.names() if name not in ("human", "process")):
        for option in AGENTS.options(AGENTS.find(name)).values():
            settable += option.declared.untrusted is not None
            if option.declared.untrusted is None:
                with pytest.raises(ValueError, match=f"{option.name} cannot be set here"):
                    option.check_untrusted(object())
    assert settable > 30


# --- spec strings


def with_path(game, path: str | Path, *, width: int = 2, note: str = "", loose=None, seed=None):
    """Options of several types."""


@pytest.mark.parametrize(
    "path",
    [
        "best.npz",
        "7",
        "1.5",
        "true",
        "a,b/best.npz",
        "lr=0.1/best.npz",
        "runs/alpha=0.1,gamma=0.9/best.npz",
        "runs/a b/best.npz",
        "runs/Quixo-v0:size=3/best.npz",
        "/tmp/x=1,y=2,z=3/best.npz",
        "../best,1.npz",
        "C:\\runs\\best.npz",
        "runs/it's/best.npz",
        "runs/ü=1/best.npz",
        "runs/width/best.npz",
    ],
)
def test_paths_are_texts_with_and_without_their_name(path):
    options = options_of(with_path, ("game", "seed"))
    for text in (path, f"path={path}", f'"{path}"', f"path='{path}'" if "'" not in path else f'path="{path}"'):
        assert read_options("it", text, options, unnamed_option(options)) == {"path": path}
        read = read_options("it", f"{text},width=3", options, unnamed_option(options))
        assert read == {"path": path, "width": 3}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a,width=3", {"path": "a", "width": 3}),
        ("a,note=7", {"path": "a", "note": "7"}),
        ("a,note=true,width=1", {"path": "a", "note": "true", "width": 1}),
        ("note=x=1,path=a", {"path": "a", "note": "x=1"}),
        ("path=a,loose=1,2", {"path": "a", "loose": (1, 2)}),
        ("path=a,loose=none", {"path": "a", "loose": None}),
        ("path=a,loose='1,2'", {"path": "a", "loose": "1,2"}),
    ],
)
def test_values_are_read_by_their_types(text, values):
    options = options_of(with_path, ("game", "seed"))
    assert read_options("it", text, options, unnamed_option(options)) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,widht=3", "Unknown option 'widht' for it. Did you mean 'width'?"),
        ("widht=3", "Unknown option 'widht' for it. Did you mean 'width'?"),
        ("a,width=3,width=4", "it: 'width' is set twice"),
        ("a,path=b", "expected key=value, not 'a'"),
    ],
)
def test_bad_texts_are_refused(text, message):
    options = options_of(with_path, ("game", "seed"))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_options("it", text, options, unnamed_option(options))


# --- declarations


@dataclass(frozen=True, kw_only=True)
class Base(Validated):
    share: Annotated[float, Option("a share", ge=0, le=1)] = 0.5
    names: Annotated[tuple[str, ...], Option("names", choices=("a", "b"))] = ("a",)
    sizes: Annotated[tuple[int, ...], Option("sizes", ge=1)] = (3,)
    rule: Annotated[str | None, Option("a rule", choices=("x", "y"))] = None


@dataclass(frozen=True, kw_only=True)
class Derived(Base):
    share: float = 0.25


def test_a_field_with_another_default_keeps_its_declaration():
    option = options_of(Derived)["share"]
    assert (option.default, option.declared.doc, option.allowed) == (0.25, "a share", "a number from 0 to 1")
    with pytest.raises(ValueError, match="share must be a number from 0 to 1, not 2"):
        Derived(share=2)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"share": 1}, 1.0),
        ({"share": np.float32(0.5)}, 0.5),
        ({"names": "a+b"}, ("a", "b")),
        ({"names": ["b"]}, ("b",)),
        ({"sizes": range(1, 4)}, (1, 2, 3)),
        ({"sizes": np.array([4, 5])}, (4, 5)),
        ({"sizes": 7}, (7,)),
        ({"rule": "y"}, "y"),
        ({"rule": None}, None),
    ],
)
def test_values_become_those_of_the_type(given, value):
    [name] = given
    found = getattr(Base(**given), name)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": True}, "share must be a number from 0 to 1, not True"),
        ({"share": "0.5"}, "share must be a number from 0 to 1, not '0.5'"),
        ({"share": float("nan")}, "share must be a number from 0 to 1, not nan"),
        ({"sizes": (1, 0)}, "sizes must be whole numbers from 1 separated by commas, not (1, 0)"),
        ({"sizes": (1.0,)}, "sizes must be whole numbers"),
        ({"sizes": "1,2"}, "sizes must be whole numbers"),
        ({"names": "a+c"}, "names must be one of a, b, not 'a+c'"),
        ({"rule": "z"}, "rule must be x, y or none, not 'z'"),
    ],
)
def test_other_values_are_refused(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Base(**given)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def typed(
    *,
    path: Path = Path("runs"),
    kind: Literal["x", "y"] = "x",
    colour: Colour = Colour.RED,
    layers: list[int] = [64, 64],  # noqa: B006 - as users write
    pair: tuple[int, int] = (1, 2),
    number: Literal[1, 2] = 1,
    file: Path | None = None,
): ...


def typed_containers(
    *,
    colours: list[Colour] = [Colour.RED],  # noqa: B006
    two: tuple[Colour, Colour] = (Colour.RED, Colour.BLUE),
    paths: tuple[Path, ...] = (Path("a"), Path("b")),
    kinds: list[Literal["x", "y"]] | None = None,
    sizes: list[int] | None = None,
    texts: list[str] = ["a", "b"],  # noqa: B006
    mixed: tuple[int, str] = (1, "a"),
): ...


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("path=runs/a=1,b=2/best.npz", Path("runs/a=1,b=2/best.npz")),
        ("path=007", Path("007")),
        ("path='a,b=1.npz'", Path("a,b=1.npz")),
        ("kind=y", "y"),
        ("colour=blue", Colour.BLUE),
        ("layers=3", [3]),
        ("layers=3,4", [3, 4]),
        ("pair=3,4", (3, 4)),
        ("number=2", 2),
        ("file=none", None),
        ("file=a/b", Path("a/b")),
        ("colours=blue", [Colour.BLUE]),
        ("colours=blue+red", [Colour.BLUE, Colour.RED]),
        ("two=blue+red", (Colour.BLUE, Colour.RED)),
        ("paths=x/y+z", (Path("x/y"), Path("z"))),
        ("kinds=y+x", ["y", "x"]),
        ("sizes=none", None),
        ("sizes=3", [3]),
        ("texts=b", ["b"]),
        ("mixed=2,b", (2, "b")),
        ("colours=green", "colours must be one of red, blue, not 'green'"),
        ("two=red", "two must be one of red, blue, not 'red'"),
        ("kinds=z", "kinds must be x, y or none, not 'z'"),
        ("kind=z", "kind must be one of x, y, not 'z'"),
        ("colour=green", "colour must be one of red, blue, not 'green'"),
        ("pair=1", "pair must be 2 whole numbers separated by commas"),
        ("pair=1,2,3", "pair must be 2 whole numbers separated by commas"),
        ("number=3", "number must be one of 1, 2, not 3"),
        ("layers=x", "layers must be whole numbers separated by commas"),
    ],
)
def test_an_option_has_its_type(text, value):
    options = {**options_of(typed), **options_of(typed_containers)}
    name = text.partition("=")[0]
    given = read_options("it", text, options)
    if isinstance(value, str) and " " in value:
        with pytest.raises(ValueError, match=re.escape(value)):
            check_options("it", given, options)
        return
    checked = check_options("it", given, options)[name]
    assert (checked, type(checked)) == (value, type(value))
    again = {name: checked}
    assert check_options("it", again, options) == again
    assert read_options("it", f"{name}={options[name].default_text}", options)


def test_a_function_of_a_user_declares_options_by_its_signature():
    def mine(observation, depth: int = 3, *, rate: float | None = None, anything="x", **_: Any): ...

    options = options_of(mine, ("observation",))
    assert [*options] == ["depth", "rate", "anything"]
    given = {"depth": 5, "rate": None, "anything": "y"}
    assert check_options("mine", given, options) == given
    with pytest.raises(ValueError, match="depth must be a whole number, not 'x'"):
        check_options("mine", {"depth": "x"}, options)
    with pytest.raises(ValueError, match="Unknown option 'dept'"):
        check_options("mine", {"dept": 1}, options)


def test_the_fields_of_a_dataclass_are_options_of_a_function():
    def solver(problem, *, seed=0, **given: Annotated[Any, Base]): ...

    options = options_of(solver, ("problem", "seed"))
    assert [*options] == ["share", "names", "sizes", "rule"]
    assert all(isinstance(option, NamedOption) and option.declared.doc for option in options.values())


@dataclass(frozen=True, kw_only=True)
class Group(Validated):
    kind: Annotated[str | None, Option("a kind", choices=("small", "large", "huge"))] = None
    size: Annotated[int, Option("a size", ge=1, only_with="kind=large|huge")] = 3
    growth: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Grouped(Group, Validated):
    only_with: ClassVar[Mapping[type, str]] = {Group: "mode=groups|all"}

    mode: Annotated[str, Option("a mode", choices=("groups", "all", "single"))] = "single"
    share: float = 0.0
    plies: Annotated[int, Option("a number", ge=0, not_with="share=0,mode=all")] = 8


def conditional(
    observation,
    mode: Annotated[str, Option("a mode", choices=("groups", "all", "single"))] = "single",
    *,
    switch: bool = True,
    depth: Annotated[int, Option("a depth", only_with="switch=true,mode=all")] = 2,
):
    return 0


@dataclass(frozen=True, kw_only=True)
class Typed(Validated):
    colour: Annotated[Colour, Option("a colour")] = Colour.BLUE
    path: Annotated[Path, Option("a path", only_with="colour=red")] = Path("a/b")
    colours: Annotated[list[Colour], Option("colours")] = field(default_factory=lambda: [Colour.RED])
    count: Annotated[int, Option("a number", not_with="colours=blue|red+blue")] = 1


WITHOUT_EFFECT = [
    (Typed, {"path": Path("c")}, "path=c is for colour=red, not for colour=blue"),
    (Typed, {"colours": ["blue"], "count": 2}, "count=2 has no effect with colours=blue"),
    (Typed, {"colours": [Colour.RED, Colour.BLUE], "count": 2}, "count=2 has no effect with colours=red+blue"),
    (Grouped, {"growth": 0.7}, "growth=0.7 is for mode=groups or all, not for mode=single"),
    (Grouped, {"mode": "all", "size": 4}, "size=4 is for kind=large or huge, not for kind=none"),
    (Grouped, {"mode": "all", "kind": "small", "size": 4}, "size=4 is for kind=large or huge, not for kind=small"),
    (Grouped, {"plies": 9}, "plies=9 has no effect with share=0.0"),
    (Grouped, {"plies": 9, "share": 0.5, "mode": "all"}, "plies=9 has no effect with mode=all"),
    (conditional, {"depth": 3}, "depth=3 is for mode=all, not for mode=single"),
    (conditional, {"depth": 3, "mode": "all", "switch": False}, "depth=3 is for switch=true, not for switch=false"),
]


@pytest.mark.parametrize(("owner", "given", "message"), WITHOUT_EFFECT)
def test_an_option_without_effect_is_refused_wherever_it_is_given(owner, given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check_options("the owner", given, options_of(owner, ("observation",)))
    with pytest.raises(ValueError, match=re.escape(message)):
        owner(**given) if isinstance(owner, type) else validated(owner)(None, **given)


@pytest.mark.parametrize(
    ("owner", "given"),
    [
        (Grouped, {"growth": 0.5, "size": 3, "plies": 8}),  # the defaults
        (Grouped, {"growth": 0, "plies": 0}),  # nothing to have an effect
        (Grouped, {"growth": 0.7, "mode": "all", "kind": "huge", "size": 4}),
        (Grouped, {"plies": 9, "share": 0.5}),
        (conditional, {"depth": 3, "mode": "all"}),
        (Typed, {"path": Path("a/b")}),
        (Typed, {"path": Path("c"), "colour": Colour.RED}),
        (Typed, {"colours": [Colour.RED], "count": 2}),
    ],
)
def test_an_option_with_an_effect_is_accepted(owner, given):
    assert check_options("the owner", given, options_of(owner, ("observation",))) == given
    owner(**given) if isinstance(owner, type) else validated(owner)(None, **given)


def test_the_meaning_tells_the_conditions():
    options = options_of(Grouped)
    assert options["size"].meaning.endswith("from 1; only with mode=groups or all and kind=large or huge")
    assert options["growth"].meaning == "a number; only with mode=groups or all"
    assert options["plies"].meaning.endswith("from 0; no effect with share=0 or mode=all")
    assert "only with" not in options_of(Group)["growth"].meaning


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("swich=true", "Unknown option 'swich' for the condition of depth. Did you mean 'switch'?"),
        ("switch", "the condition of depth must be values such as switch=..., not 'switch'"),
        ("switch=on", "the condition of depth: switch must be true or false, not 'on'"),
    ],
)
def test_a_condition_names_values_of_an_option(condition, message):
    declared = Option("a depth", only_with=condition)

    def mine(observation, depth: Annotated[int, declared] = 2, switch: bool = True):
        return 0

    with pytest.raises(ValueError, match=re.escape(message)):
        options_of(mine)


def owners():
    """Yield everything that has options: agents, trainers, solvers and games."""
    yield from (AGENTS.find(name) for name in AGENTS.names())
    yield from (trainer_of(name).config_type for name in learners())
    yield from (SOLVERS.find(name) for name in SOLVERS.names())


def test_the_conditions_of_all_options_have_allowed_values():
    count = 0
    for options in map(options_of, owners()):
        for condition in chain.from_iterable(option.conditions for option in options.values()):
            other = options[condition.name]
            assert all(other.check(other.parse(text)) == other.parse(text) for text in condition.texts)
            count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train q_learning:temperature=2 TicTacToe-v0", "temperature=2.0 is for exploration=softmax"),
        (
            "train monte_carlo:schedule=constant TicTacToe-v0 --set epsilon_end=0.1",
            "epsilon_end=0.1 has no effect",
        ),
        ("train alphazero:dirichlet_fraction=0.1 TicTacToe-v0", "dirichlet_fraction=0.1 has no effect with selection"),
        ("train nim_ga:tournament_size=4,selection=roulette Nim-v0", "tournament_size=4 is for selection=tournament"),
        ("train sb3:dqn,n_steps=8 TicTacToe-v0", "n_steps=8 is for algorithm=maskable_ppo or ppo or a2c"),
        ("compare TicTacToe-v0 random minimax:pruning=false,table_mb=8", "table_mb=8.0 is for pruning=true"),
        ("compare Nim-v0 random openspiel:minimax,simulations=9", "simulations=9 is for bot=mcts"),
        ("solve SetCovering-v0 greedy:rule=course,width=3", "width=3 has no effect with rule=course"),
        ("solve SetCovering-v0 covering_genetic:crossover=none,crossover_rate=0.1", "crossover_rate=0.1 has no effect"),
    ],
)
def test_commands_refuse_options_without_effect(command, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(main, command.split())
    assert answer.exit_code != 0
    assert message in " ".join(answer.output.split())
    assert not [*tmp_path.iterdir()]


def test_the_documentation_tells_the_conditions():
    rows = [line for line in agent_sections("q_learning").splitlines() if line.startswith("| `temperature_end`")]
    assert rows
    assert all("only with exploration=softmax; no effect with schedule=constant |" in row for row in rows)


def test_the_form_of_the_page_tells_the_conditions():
    with Client(page("/")) as client:
        OptionInputs("conditional", [options_of(conditional)["depth"]])
        texts = [element.text for element in client.elements.values() if isinstance(element, ui.label)]
    assert texts == ["A depth. Only with switch=true and mode=all."]
