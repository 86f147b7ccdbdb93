"""Agents of users: any object, by name or as an object, in this process and in processes of their own."""

import json
import re
import sys
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from foreign import agents as foreign
from unregistered import unregistered

from ci_envs import ConnectN, Nim, Position, TicTacToe, make_agent, make_vec, solve
from ci_envs.agent_interface.child_process import ChildProcess, ProcessError, ProcessLimits, run_command
from ci_envs.agent_interface.making import isolated
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents import Agent, as_agent
from ci_envs.arena import Tournament, compare, play_match
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.exam import Exam
from ci_envs.cli.main import main
from ci_envs.games.batch import start_words
from ci_envs.registry import games
from ci_envs.registry.games import resolve
from ci_envs.training.ladder import Ladder

FILE = str(Path(foreign.__file__))
PROGRAM = f"{sys.executable} {Path(foreign.__file__).with_name('program.py')}"
GAME = TicTacToe()
QUICK = ProcessLimits(move_seconds=1.0, start_seconds=6.0, memory_mb=1024)


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def observation_of(position):
    batch = observations_of(position.game, np.array([[position.own, position.opp]], np.uint64))
    return {key: value[0] for key, value in batch.items()}


class OwnAgent(Agent):
    def act(self, observation):
        return foreign.lowest(observation)


class Predictor:
    """An object like a model of Stable-Baselines3."""

    def __init__(self, space=None):
        self.observation_space = space

    def predict(self, observation, state=None, action_masks=None, deterministic=False):
        self.seen = observation
        return np.array([action_masks.argmax()]), None


LOWEST = {
    "function": foreign.lowest,
    "lambda": lambda observation: observation["action_mask"].argmax(),
    "partial": partial(foreign.nth, n=0),
    "class": type("Lowest", (), {"act": lambda self, observation: foreign.lowest(observation)}),
    "object": type("Lowest", (), {"act": lambda self, observation: foreign.lowest(observation)})(),
    "batch": type("Lowest", (), {"act_batch": lambda self, seen: seen["action_mask"].argmax(axis=1)}),
    "callable": foreign.instance,
    "partial of a class": foreign.with_arguments,
    "predictor": Predictor(),
    "agent class": OwnAgent,
    "agent": OwnAgent(GAME),
    "module": "foreign.agents:lowest",
    "file": f"{FILE}:lowest",
    "file with options": f"{FILE}:nth:n=0",
    "partial of a module": "foreign.agents:first",
    "callable of a module": "foreign.agents:instance",
    "callable class of a module": "foreign.agents:Callable:n=0",
    "partial of a class of a file": f"{FILE}:with_arguments",
    "program": f"process:{PROGRAM}",
}


@pytest.mark.extended
@pytest.mark.parametrize("thing", LOWEST.values(), ids=LOWEST)
def test_any_object_is_an_agent(thing):
    """Each of them plays the lowest legal action: in compare, as an opponent, in accuracy, exam and ladder."""
    agent = as_agent(thing, GAME, seed=1)
    position = Position.start(GAME).play("a1").play("b2")
    action = agent.act(observation_of(position))
    assert action == position.legal_actions()[0]
    words = np.array([[position.own, position.opp]] * 2, np.uint64)
    assert agent.act_batch(observations_of(GAME, words)).tolist() == [action, action]
    comparison = compare("TicTacToe-v0", [thing, OwnAgent], games=2)
    sides = comparison.pairings[0].match.sides
    assert sides[0].total == sides[1].total  # both play the same, so each wins when it moves first
    assert sides[0].faults == sides[1].faults == 0
    assert sides[0].accuracy == sides[1].accuracy
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=thing, seat=0)
    env.reset(seed=0)
    env.step(8)
    assert str(env.unwrapped.position).startswith("O../.../..X") or env.unwrapped.position.legal_actions()[0] == 1
    accuracy = measure_accuracy(GAME, thing, start_words(GAME, 3), solve(GAME))
    assert accuracy.everywhere.decisions == 3
    assert accuracy.illegal == 0
    ladder = Ladder(GAME, [thing], 2)
    assert next(iter(ladder.measure(make_agent("exact", GAME, seed=0)).results.values())).games == 2


def test_a_fault_in_accuracy_is_an_illegal_action():
    accuracy = measure_accuracy(GAME, foreign.raises, start_words(GAME, 3), solve(GAME))
    assert (accuracy.illegal, accuracy.everywhere.keeping) == (3, 0)


def test_any_object_takes_an_exam():
    exam = Exam(GAME, 4)
    given, own = (exam.take(thing, "minimax:depth=2", 2) for thing in (foreign.lowest, OwnAgent))
    assert given.actions == own.actions


@pytest.mark.parametrize(
    ("thing", "error", "message"),
    [
        (3, TypeError, "an agent is .* not 3"),
        (None, TypeError, "not None"),
        (OwnAgent(Nim()), ValueError, "was made for Nim"),
        (f"{FILE}:NUMBER", ValueError, "NUMBER cannot be used as an agent: it is 3"),
        (f"{FILE}:missing", ValueError, "has no 'missing'. Available: lowest, nth"),
        (FILE, ValueError, r"defines \d+ agents .*, for example .*:lowest"),
        ("no_such_file.py", FileNotFoundError, "there is no file no_such_file.py"),
        ("no.such.module:agent", ValueError, "Unknown agent or module 'no.such.module'"),
        (f"{FILE}:nth:k=1", ValueError, "Unknown option 'k' for agent .*:nth. Available: n"),
        (f"{FILE}:Chooser:least=1,most=2", ValueError, "Unknown option 'most' .* Available: least"),
        ("process:", ValueError, "process"),
        ("process:'", ValueError, "is not a command"),
        (f"process:{PROGRAM},move_seconds=0", ValueError, "move_seconds must be a number above 0, not 0"),
        (Predictor(gymnasium.spaces.Box(0, 1, (5,))), ValueError, r"planes \(3, 3, 2\)"),
    ],
)
def test_what_is_not_an_agent_is_refused_in_one_line(thing, error, message):
    with pytest.raises(error, match=message) as caught:
        as_agent(thing, GAME)
    assert "\n" not in str(caught.value)


def test_a_file_with_an_error_is_named_with_its_line(tmp_path):
    (tmp_path / "broken.py").write_text("x = 1\ny = 1 / 0\n")
    with pytest.raises(ValueError, match=r"broken.py, line 2 cannot be imported: ZeroDivisionError"):
        make_agent(f"{tmp_path}/broken.py", GAME)


def test_files_of_the_same_name_are_different_modules(tmp_path):
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "my_agent.py").write_text(f"def act(observation):\n    return {number}\n")
    first, second = (make_agent(f"{tmp_path}/{number}/my_agent.py", GAME) for number in (1, 2))
    observation = observation_of(Position.start(GAME))
    assert (first.act(observation), second.act(observation)) == (1, 2)


@pytest.mark.parametrize("kind", ["module", "package"])
def test_a_file_gets_the_modules_of_its_own_folder(kind, tmp_path):
    name = f"own_{kind}"
    for folder, choice in (("low", "min"), ("high", "max")):
        file = tmp_path / folder / (f"{name}/__init__.py" if kind == "package" else f"{name}.py")
        file.parent.mkdir(parents=True)
        file.write_text(f"choose = {choice}\n")
        act = "def act(observation):\n    return int(choose(observation['action_mask'].nonzero()[0]))\n"
        (tmp_path / folder / "player.py").write_text(f"from {name} import choose\n{act}")
    low, high = (make_agent(f"{tmp_path}/{folder}/player.py", GAME) for folder in ("low", "high"))
    observation = observation_of(Position.start(GAME))
    assert (low.act(observation), high.act(observation)) == (0, 8)
    assert sys.modules[name].choose is min


def test_names_of_agents_can_have_any_letters(tmp_path):
    (tmp_path / "letters.py").write_text("def élan(observation):\n    return 4\ndef наш(observation):\n    return 5\n")
    for name, action in (("élan", 4), ("наш", 5)):
        assert make_agent(f"{tmp_path}/letters.py:{name}", GAME).act(observation_of(Position.start(GAME))) == action


@pytest.mark.extended
def test_a_newcomer_compares_a_function_by_one_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("newcomer.py").write_text("def agent(observation):\n    return int(observation['action_mask'].argmax())\n")
    for name in ("newcomer:agent", "newcomer.py", "./newcomer.py:agent"):
        done = run("compare", "Quixo-v0", "sb3:quixo", "minimax:depth=2", name, "--games", 2, "--json", "-")
        agents = json.loads(done.stdout)["agents"]
        assert [agent["agent"] for agent in agents] == ["sb3:quixo", "minimax:depth=2", name]
        assert agents[2]["faults"] == 0


@pytest.mark.parametrize("answer", ["raises", "nothing", "fraction", "text", "truth", "illegal"])
def test_a_fault_loses_the_game_and_is_counted(answer):
    comparison = compare("TicTacToe-v0", [getattr(foreign, answer), "random"], games=6)
    side = comparison.total(answer)
    assert (side.total.losses, side.faults) == (6, 6)
    assert side.first_fault
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=getattr(foreign, answer), seat=1)
    with pytest.raises((TypeError, ValueError, KeyError)):
        env.reset(seed=0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exits", "SystemExit: 0"),
        ("panics", "Panic: index out of bounds"),
        ("unreadable", r"ValueError: no file caf\udce9"),
        ("Fragile", "OSError: the engine is in use"),
        ("Forgetful", "AssertionError"),
    ],
)
def test_no_failure_of_an_agent_ends_a_tournament(name, message, monkeypatch):
    monkeypatch.setattr(foreign.Fragile, "made", 0)
    comparison = compare("TicTacToe-v0", [foreign.lowest, getattr(foreign, name), foreign.instance], games=4)
    side = comparison.total(name)
    assert (side.total.losses, side.faults, side.first_fault) == (8, 8, message)
    assert comparison.total("lowest").faults == comparison.total("Callable").faults == 0


@pytest.mark.parametrize("name", ["exits", "panics"])
def test_no_agent_ends_the_program_of_an_environment(name):
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=getattr(foreign, name), seat=1)
    with pytest.raises(RuntimeError, match=r"SystemExit: 0|Panic"):
        env.reset(seed=0)


@pytest.mark.parametrize("vector", [False, True])
def test_a_game_ends_with_the_failure_of_the_opponent(vector):
    """Otherwise the next action would be played for the opponent."""
    fails = iter([False, True, False, False])

    def opponent(observation):
        if next(fails):
            raise TimeoutError
        return foreign.lowest(observation)

    actions = [np.array([action]) if vector else action for action in (8, 7, 6)]
    env = make_vec("TicTacToe-v0", 1, opponent=opponent, seat=0) if vector else None
    env = env or gymnasium.make("ci_envs/TicTacToe-v0", opponent=opponent, seat=0).unwrapped
    env.reset(seed=0)
    env.step(actions[0])
    with pytest.raises(TimeoutError):
        env.step(actions[1])
    with pytest.raises(gymnasium.error.ResetNeeded, match="opponent has failed"):
        env.step(actions[2])
    env.reset(seed=0)
    env.step(actions[2])
    position = env.positions[0] if vector else env.position
    assert position.to_text() == "O../.../X.. X"


def test_an_exam_counts_failures_and_refuses_a_failing_defender():
    exam = Exam(GAME, 4)
    result = exam.take(foreign.exits, "minimax:depth=2", 2)
    assert (result.actions.right, result.conversions.right, result.first_fault) == (0, 0, "SystemExit: 0")
    with pytest.raises(ValueError, match="the defender fails: KeyError: 'oops'"):
        exam.take(foreign.lowest, foreign.raises, 2)


@pytest.mark.parametrize("code", ["import sys; sys.exit(3)", "raise BaseException('stop')"])
def test_a_file_that_ends_the_program_is_refused(code, tmp_path):
    (tmp_path / "script.py").write_text(f"def agent(observation):\n    return 0\n{code}\n")
    with pytest.raises(ValueError, match=r"script.py, line 3 cannot be imported: (SystemExit: 3|BaseException: stop)"):
        make_agent(f"{tmp_path}/script.py", GAME)


def test_an_object_that_cannot_be_copied_is_named():
    class Generating:
        per_game = True

        def __init__(self):
            self.numbers = (number for number in [1])

        def act(self, observation):
            return int(observation["action_mask"].argmax())

    with pytest.raises(ValueError, match=r"Generating keeps a memory of one game, but it cannot be copied: .*Give its"):
        compare("TicTacToe-v0", [Generating(), "random"], games=2)


def test_one_object_plays_against_itself_as_two_objects_do():
    both = foreign.Counter()
    one, two = (
        compare("TicTacToe-v0", agents, games=8, random_plies=2) for agents in ([both] * 2, [foreign.Counter] * 2)
    )
    assert one.pairings[0].match.sides[0].seats == two.pairings[0].match.sides[0].seats
    assert one.pairings[0].match.plies == two.pairings[0].match.plies


def test_a_class_is_made_again_for_each_game_instead_of_copied():
    one, two = (
        compare("TicTacToe-v0", [thing, foreign.lowest], games=4) for thing in (foreign.Locked, foreign.CopiedCounter)
    )
    assert one.pairings[0].match.sides[0].accuracy == two.pairings[0].match.sides[0].accuracy
    assert one.total("Locked").faults == 0


@pytest.mark.parametrize("name", ["annotated", "annotated:n=1", "Fielded"])
def test_any_annotations_are_accepted(name):
    assert make_agent(f"{FILE}:{name}", GAME).act(observation_of(Position.start(GAME))) == ("n=1" in name)


def test_a_class_without_the_constructor_of_its_base_is_refused():
    class Without(Agent):
        def __init__(self, game):
            pass

        def act(self, observation):
            return 0

    with pytest.raises(ValueError, match="__init__ must call super"):
        as_agent(Without, GAME)


def test_a_match_alone_raises_the_exception():
    with pytest.raises(TypeError, match=r"fraction returned 1\.5: an action must be an integer"):
        play_match(GAME, as_agent(foreign.fraction, GAME), make_agent("random", GAME), 2)


FAULTS = {
    "raises": "KeyError: 'oops'",
    "nothing": "TypeError: nothing returned None",
    "fraction": "TypeError: fraction returned 1.5",
    "illegal": "action -5 is illegal in",
    "ends": "ended with exit status 7",
    "never_ends": "gave no answer within 7 s",
    "greedy": "MemoryError",
    "SlowStart": "gave no answer within 7 s",
}


@pytest.mark.extended
def test_bad_agents_do_not_end_a_tournament(tmp_path, monkeypatch):
    monkeypatch.setattr("ci_envs.agent_interface.isolation._MOST_FAILURES", 1)
    good = ["random", f"{FILE}:nth:n=1"]
    bad = [f"{FILE}:{name}" for name in FAULTS]
    options = {"games": 2, "seed": 3, "isolate": QUICK}
    comparison = compare("TicTacToe-v0", [*good, *bad], output=tmp_path / "all", **options)
    alone = compare("TicTacToe-v0", good, **options)
    results = {pairing.labels: pairing.match for pairing in comparison.pairings}
    for pairing in alone.pairings:
        again = results[pairing.labels]
        assert [side.seats for side in again.sides] == [side.seats for side in pairing.match.sides]
    for name, message in FAULTS.items():
        side = comparison.total(f"{FILE}:{name}")
        assert side.first_fault.startswith(message), side.first_fault
        assert side.faults > 0
        assert all(
            match.sides[0].total.games == match.sides[0].total.losses
            for labels, match in results.items()
            if labels[0] == f"{FILE}:{name}" and labels[1] not in bad
        )
    assert all(comparison.total(label).faults == 0 for label in good)


@pytest.mark.extended
def test_a_tournament_is_resumed(tmp_path, monkeypatch):
    agents = ["random", "minimax:depth=1", foreign.lowest]
    whole = compare("TicTacToe-v0", agents, games=10)
    played = []
    pairing = Tournament._pairing

    def interrupted(self, *arguments):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(arguments[:2])
        return pairing(self, *arguments)

    monkeypatch.setattr(Tournament, "_pairing", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare("TicTacToe-v0", agents, games=10, output=tmp_path)
    with pytest.raises(ValueError, match="has a tournament: resume it"):
        compare("TicTacToe-v0", agents, games=10, output=tmp_path)
    with pytest.raises(ValueError, match="has games=10, not 12"):
        compare("TicTacToe-v0", agents, games=12, output=tmp_path, resume=True)
    with pytest.raises(ValueError, match=r"has isolate=None, not \{.move_seconds.: 0\.5"):
        compare("TicTacToe-v0", agents, games=10, output=tmp_path, resume=True, isolate=ProcessLimits(0.5))
    with pytest.raises(ValueError, match="no tournament to resume"):
        compare("TicTacToe-v0", agents, games=10, output=tmp_path / "other", resume=True)
    played[:] = [None]
    resumed = compare("TicTacToe-v0", agents, games=10, output=tmp_path, resume=True)
    assert played == [None, (1, 2)]
    assert resumed.ratings == whole.ratings
    other = (tmp_path / "match_1_3.json").read_bytes()
    whole = (tmp_path / "match_1_2.json").read_bytes()
    seconds = re.sub(rb'"seconds":\d', b'"seconds":-9', whole, count=1)
    wrong = {other: "has not the 10 games of random and minimax:depth=1", b"{": "is damaged", seconds: "is damaged"}
    for content, message in wrong.items():
        assert content != whole
        (tmp_path / "match_1_2.json").write_bytes(content)
        with pytest.raises(ValueError, match=rf"match_1_2\.json' {message}"):
            compare("TicTacToe-v0", agents, games=10, output=tmp_path, resume=True)


@pytest.mark.extended
@pytest.mark.parametrize("isolate", [False, QUICK], ids=["here", "isolated"])
@pytest.mark.parametrize("name", ["Counter", "CopiedCounter"])
def test_an_agent_can_keep_a_memory_of_each_game(name, isolate):
    """All games in lock-step give the games that are played one after the other."""
    given = compare("TicTacToe-v0", [getattr(foreign, name), foreign.lowest], games=8, random_plies=2, isolate=isolate)

    openings = Tournament("TicTacToe-v0", ["random", "random"], games=8, random_plies=2)._openings
    scores = []
    for game in range(8):
        own, opp = openings[game // 2].tolist()
        position, ply = Position(GAME, own, opp, 0), 0
        while position.result is None:
            legal = position.legal_actions()
            position = position.play(legal[ply // 2 % len(legal) if ply % 2 == game % 2 else 0])
            ply += 1
        scores.append(position.result * (1 if ply % 2 == game % 2 else -1))  # the result is for the player to move
    total = given.pairings[0].match.sides[0].total
    assert (total.wins, total.losses) == (scores.count(1), scores.count(-1))
    assert given.total(name).faults == 0


def test_environments_tell_the_opponent_of_each_game():
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=foreign.Counter, seat=1)
    for _ in range(2):
        env.reset(seed=0)
        assert env.unwrapped.position.to_text() == "X../.../... O"
        env.step(8)
        assert env.unwrapped.position.to_text() == "X.X/.../..O O"
    with pytest.raises(ValueError, match="has a memory of each game"):
        make_vec("TicTacToe-v0", 2, opponent=foreign.Counter)


@pytest.mark.extended
def test_seeds_repeat_the_actions_of_any_agent():
    for thing, isolate in ((foreign.Chooser, False), (foreign.Chooser, True), (f"{FILE}:global_random", True)):
        first, second = (
            compare("TicTacToe-v0", [thing, "random"], games=20, seed=5, isolate=isolate)
            .pairings[0]
            .match.sides[0]
            .seats
            for _ in range(2)
        )
        assert first == second


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("talk", "answered 'thinking', which is not an object of JSON"),
        ("fail", "ended with exit status 1: no idea"),
        ("wrong", "answered 'zz': "),
        ("killed", "was ended by signal 40"),
        ("red", r"\x1b[31m no\x00"),
        ("long", "answered 'xxxx"),
    ],
)
def test_a_program_that_fails(fault, message):
    side = compare("TicTacToe-v0", [f"process:{PROGRAM} {fault}", "random"], games=2).pairings[0].match.sides[0]
    assert side.faults == 2
    assert len(side.first_fault) < 600
    assert side.first_fault.startswith(message)
    played = run("play", "TicTacToe-v0", f"process:{PROGRAM} {fault}", "random")
    assert played.exit_code == 0
    last = played.stdout.splitlines()[-1]
    assert message in last
    assert last.endswith(": random (player 1) wins")
    missing = compare("TicTacToe-v0", ["process:./no_such_program", "random"], games=2).pairings[0].match.sides[0]
    assert missing.first_fault.startswith("cannot be started: ")


@pytest.mark.extended
@pytest.mark.parametrize("program", ["yes", "yes >&2", "while true; do echo a1; sleep 0.01; done", "sleep 100"])
def test_a_program_that_does_not_read_or_does_not_end_is_stopped(program):
    """The input and the output are larger than a pipe."""
    limits = ProcessLimits(move_seconds=0.3, start_seconds=0.3)
    for ask in (lambda one: one.reply("x" * 1_000_000), lambda one: (one.send("x" * 1_000_000), one.receive())):
        process = ChildProcess(run_command(["sh", "-c", program]), limits)
        with pytest.raises(
            ProcessError, match=r"gave no answer within 0\.6 s|wrote more than|is not an object of JSON"
        ):
            ask(process)
        assert not process.is_running


def test_the_limits_of_the_command_line_hold_for_programs_that_play_by_text():
    agent = isolated("text:sleep 100", TicTacToe(), QUICK._replace(move_seconds=0.2, start_seconds=0.2), 0)
    with pytest.raises(ProcessError, match=r"gave no answer within 0\.4 s"):
        agent.act(observation_of(Position.start(TicTacToe())))


def test_only_the_first_reply_by_text_has_more_time(tmp_path):
    program = tmp_path / "player.py"
    program.write_text("import sys, time; time.sleep(float(sys.argv[1])); print('Action: a1')")
    observation = observation_of(Position.start(TicTacToe()))
    agent = make_agent(f"text:{sys.executable} {program} 0.6,move_seconds=0.5,start_seconds=5", TicTacToe(), seed=0)
    assert agent.act(observation) == 0
    with pytest.raises(ProcessError, match=r"gave no answer within 0\.5 s"):
        agent.act(observation)


@pytest.mark.parametrize(
    ("answer", "starts", "message"),
    [
        ('{"action": "zz"}', 3, "after 3 failures it is not started again"),
        ('{"action": 0}', 3, "after 3 failures it is not started again"),
        ('{"move": 3}', 3, "after 3 failures it is not started again"),
        ('{"error": "no idea"}', 1, "no idea"),
        ('{"action": 4}', 1, None),
    ],
)
def test_a_program_that_answers_an_illegal_action_starts_again(tmp_path, answer, starts, message):
    """Its next answer could be one to an earlier question."""
    program, log = tmp_path / "player.py", tmp_path / "starts"
    program.write_text(
        f"import sys\nopen({str(log)!r}, 'a').write('x')\nsys.stdin.readline()\n"
        f"for line in sys.stdin:\n    print({answer!r}, flush=True)\n"
    )
    agent = make_agent(f"process:{sys.executable} {program}", TicTacToe(), seed=0)
    observation, failures = observation_of(Position.start(TicTacToe()).play("a1")), []
    for _ in range(5):
        try:
            assert agent.act(observation) == 4
        except ProcessError as error:
            failures.append(str(error))
    assert log.read_text() == "x" * starts
    assert len(failures) == (0 if message is None else 5)
    assert message is None or message in failures[-1]
    agent.close()


def test_a_broken_game_of_the_user_breaks_no_other(monkeypatch):
    """An agent in a process of its own is told the id of its game, which is looked up among all of them."""
    monkeypatch.setitem(games._specs, "Broken-v0", games.GameSpec("Broken-v0", "not_installed:Game"))
    side = compare(TicTacToe(), ["random", foreign.lowest], games=2, isolate=QUICK).pairings[0].match.sides[1]
    assert side.faults == 0


def test_a_folder_of_agents(tmp_path):
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "a.py").write_text("def play_lowest(observation):\n    return int(observation['action_mask'].argmax())\n")
    run("train", "q_learning", "TicTacToe-v0", "--episodes", 20, "--output", tmp_path / "run")
    (tmp_path / "run" / "best.npz").rename(folder / "b.npz")
    done = run("compare", "TicTacToe-v0", "--agents-from", folder, "--games", 2, "--json", "-")
    assert done.exit_code == 0, done.output
    assert [agent["agent"] for agent in json.loads(done.stdout)["agents"]] == [
        str(folder / "a.py"),
        f'q_learning:"{folder}/b.npz"',
    ]
    assert as_agent(folder / "b.npz", GAME).act(observation_of(Position.start(GAME))) in range(9)
    for name, content in (("c.npz", b"nothing"), ("d.json", b"{}"), ("e.safetensors", b""), ("f.zip", b"zip")):
        (folder / name).write_bytes(content)
    (folder / "g.py").mkdir()
    with pytest.warns(match=r"(c.npz|d.json|e.safetensors|f.zip)' is not .*: it does not play") as warned:
        done = run("compare", "TicTacToe-v0", "--agents-from", folder, "--games", 2)
    assert (done.exit_code, len(warned)) == (0, 4)
    (folder / "a.py").unlink()
    (folder / "b.npz").unlink()
    with pytest.warns(match="does not play"):
        done = run("compare", "TicTacToe-v0", "--agents-from", folder)
    assert done.exit_code == 2
    assert "has no agent in a file that ends in .json, " in done.stderr


def test_an_agent_that_changes_the_folder_does_not_move_the_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("elsewhere").mkdir()
    Path("mover.py").write_text(f"""
import os
os.chdir({str(tmp_path / "elsewhere")!r})
def agent(observation):
    return int(observation["action_mask"].argmax())
""")
    done = run("compare", "TicTacToe-v0", "mover.py", "--games", 2, "--output", "kept", "--csv", "table.csv")
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} >= {"kept", "table.csv", "mover.py"}
    assert not [*(tmp_path / "elsewhere").iterdir()]


def test_the_first_failure_of_an_agent_is_named():
    def fails(observation):
        raise KeyError("x")

    words = start_words(GAME, 3)
    accuracy = measure_accuracy(GAME, fails, words, solve(GAME))
    assert (accuracy.illegal, accuracy.first_fault) == (3, "KeyError: 'x'")
    done = run("accuracy", "TicTacToe-v0", f"{FILE}:raises", "--positions", 20)
    assert "illegal actions, counted as losses; the first failure: " in " ".join(done.stdout.split())
    done = run("exploit", "TicTacToe-v0", f"{FILE}:raises")
    assert "counted as losses; the first failure: " in " ".join(done.stdout.split())


def test_options_in_python_and_in_quotes():
    assert make_agent("minimax", GAME, depth=2).depth == make_agent("minimax:depth=2", GAME).depth
    with pytest.raises(FileNotFoundError, match=r"a,b=1 c\.npz"):
        make_agent('q_learning:"a,b=1 c.npz"', GAME)


@pytest.mark.extended
def test_a_game_of_a_file(tmp_path):
    (tmp_path / "my_game.py").write_text(
        "from ci_envs.games.connect_n import ConnectN\n\n\nclass Four(ConnectN):\n    pass\n"
    )
    done = run(
        "compare", f"{tmp_path}/my_game.py:Four:rows=3,cols=3,n=3", "random", "exact", "--games", 2, "--json", "-"
    )
    assert json.loads(done.stdout)["game"] == repr(ConnectN(3, 3, 3)).replace("ConnectN", "Four")
    done = run("compare", f"{tmp_path}/my_game.py:ConnectM", "random", "exact")
    assert "has no 'ConnectM'. Available: Four" in done.stderr


def test_a_registered_id_of_a_file(tmp_path):
    (tmp_path / "ids.py").write_text(
        "from ci_envs import register\nfrom ci_envs.games.connect_n import ConnectN\n\n"
        "register('Three-v0', ConnectN, rows=3, cols=3)\n"
    )
    with unregistered():
        for id in (f"{tmp_path}/ids.py:Three-v0:n=2", "ids:Three-v0:n=2"):  # loading the file makes its module known
            assert resolve(id)[1] == ConnectN(3, 3, 2)
    done = run("compare", f"{tmp_path}/missing.py:Three-v0", "random")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "there is no file" in done.stderr


def test_a_solver_of_a_file(tmp_path):
    file = tmp_path / "my_solver.py"
    file.write_text(
        "import numpy as np\nfrom ci_envs.optimisation import Incumbent\n\n\n"
        "def everything(problem, *, seed, work=1):\n    genome = np.ones(problem.loci, bool)\n"
        "    [fitness] = problem.fitness(genome[np.newaxis])\n"
        "    yield Incumbent(genome, problem.value(genome, fitness), work)\n"
    )
    done = run("solve", "SetCovering-v0:n=20", f"{file}:everything:work=3", "greedy", "--json", "-")
    assert done.exit_code == 0, done.output
    assert [row["solver"] for row in json.loads(done.stdout)] == [f"{file}:everything:work=3", "greedy"]


@pytest.mark.parametrize(
    ("reference", "mentions"),
    [
        (f"{FILE}:Chooser", ("Agent ", "Draws legal actions", "least")),
        (f"{FILE}:nth", ("Agent ", " n ")),
        (f"{Path(FILE).with_name('trainer.py')}:Rounds", ("Training: ", "rounds", "number of rounds")),
        (f"{Path(FILE).with_name('trainer.py')}:Own", ("A game of a user.", "The initial position")),
    ],
)
def test_info_describes_references(reference, mentions):
    done = run("info", reference)
    assert done.exit_code == 0, done.output
    assert all(mention in done.stdout for mention in mentions), done.stdout


@pytest.mark.extended
def test_a_trainer_of_a_file_trains_resumes_and_draws_its_curve(tmp_path):
    trainer = f"{Path(FILE).with_name('trainer.py')}:Rounds"
    done = run("train", trainer, "TicTacToe-v0", "--rounds", 2, "--set", "ladder=random", "--output", tmp_path / "a")
    assert done.stdout.strip() == f"trained: fixed:{tmp_path}/a/best.txt"
    assert (tmp_path / "a" / "best.txt").read_text() == "2"
    options = ("--set", "ladder=random", "--output", tmp_path / "a", "--resume")
    assert run("train", trainer, "TicTacToe-v0", "--rounds", 2, *options).exit_code == 0
    assert run("plot", tmp_path / "a", "-o", tmp_path / "curve.svg").exit_code == 0
    wrong = run("train", trainer, "TicTacToe-v0", "--round", 2, "--output", tmp_path / "b")
    assert wrong.stderr.strip() == "Error: fixed has no option --round. Use --rounds."
    assert not (tmp_path / "b").exists()


FAILING = """
import sys
from dataclasses import dataclass
import numpy as np
from ci_envs import ConnectN
from ci_envs.optimisation.problem import Problem

def leaves(game):
    sys.exit(3)

def fails(game):
    raise TypeError("no\\nidea")

class Failing(ConnectN):
    def __init__(self):
        raise KeyError("no idea")

class Puzzle(Problem):
    measure, is_cost = "fitness", False
    def __init__(self, loci: int = 3):
        raise RuntimeError("no idea")
    def _fitness(self, genomes):
        return genomes.sum(axis=1)
    def value(self, genome, fitness):
        return fitness
"""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("compare TicTacToe-v0 minimax:exact={}:leaves", "the exact source {}:leaves cannot be made: SystemExit: 3"),
        ("compare TicTacToe-v0 mcts:exact={}:fails", "the exact source {}:fails cannot be made: TypeError: no idea"),
        ("compare {}:Failing random", "the game {}:Failing cannot be made: KeyError: 'no idea'"),
        ("solve {}:Puzzle umda", "the problem {}:Puzzle cannot be made: RuntimeError: no idea"),
    ],
)
def test_what_a_file_cannot_make_is_told_in_one_line(command, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("failing.py").write_text(FAILING)
    done = CliRunner().invoke(main, command.format("failing.py").split())
    assert (done.exit_code, done.stderr.strip()) == (2, f"Error: {message.format('failing.py')}")
