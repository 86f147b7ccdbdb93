"""Games in words: replies of language models, prompts, the environment and the agent of a command."""

import random
import re
import string
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from text_replies import REPLIES

from ci_envs import ConnectFour, Nim, Position, Quarto, Quixo, TextEnv, TicTacToe, make_agent, solve
from ci_envs.agents.text import TextAgent
from ci_envs.arena import compare
from ci_envs.envs.single_agent import SingleAgentEnv
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.random_games import random_game
from ci_envs.guides import guide_of
from ci_envs.text import prompts
from ci_envs.text.prompts import FILES, LATEST, Prompts
from ci_envs.text.replies import ReplyKind, parse_reply

GAMES = TicTacToe(), ConnectFour(), Nim(), Quarto(), Quixo()
BEFORE = (
    "",
    "Action: ",
    "I think this wins.\nAction: ",
    "**Final answer:** ",
    "<think>\nLet me see. Rows, columns, diagonals.\n</think>\n\nI play ",
    "My move is ",
    "Looking at the board, the best move is ",
    "Answer = ",
)
AROUND = ("{}", "**{}**", "`{}`", "[{}]", '"{}"', "({})", "{}.", " {} \n", "{}!")


def names(game):
    """Return the names of all actions of the first player."""
    return [Position.start(game).action_name(number) for number in range(game.action_count)]


@pytest.mark.parametrize(("place", "reply", "name"), REPLIES, ids=range(len(REPLIES)))
def test_replies_in_the_style_of_language_models_are_read_as_a_person_does(place, reply, name):
    position = Position.from_text(*place)
    parsed = parse_reply(position, reply)
    assert (None if parsed.action is None else position.action_name(parsed.action)) == name
    is_legal = parsed.action in position.legal_actions()
    assert (parsed.kind is ReplyKind.LEGAL) == is_legal
    assert (parsed.kind is ReplyKind.UNREADABLE) == (name is None)


@pytest.mark.parametrize("reply", ["Action: 3-4-7", "on 2024-4-7 I think", "Action: 4-7-3"])
def test_numbers_joined_to_others_are_no_action(reply):
    assert parse_reply(Position.start(Nim()), reply).kind is ReplyKind.UNREADABLE


def test_a_thousand_random_replies_are_read():
    rng, drawn = random.Random(0), np.random.default_rng(0)
    for number in range(1000):
        game = GAMES[number % len(GAMES)]
        facts = [facts[:2] for facts in random_game(game, drawn, 6)][:-1]
        position = Position.from_words(game, *rng.choice(facts))
        other, action = rng.choice(position.legal_actions()), rng.choice(position.legal_actions())
        name = position.action_name(action)
        if rng.random() < 0.5:
            name = name.upper()
        reply = rng.choice(BEFORE) + rng.choice(AROUND).format(name)
        if rng.random() < 0.3:
            reply = f"Maybe {position.action_name(other)}, but I do not know yet.\n{reply}"
        assert parse_reply(position, reply) == (ReplyKind.LEGAL, action), (game, reply)


@pytest.mark.parametrize("game", GAMES)
def test_words_that_name_no_action_are_unreadable(game):
    position, rng = Position.start(game), random.Random(1)
    words = ["well", "the", "centre", "wins", "I", "think", "of", "strong", "threat", "row", "block"]
    for _ in range(100):
        reply = " ".join(rng.choices(words, k=12))
        assert parse_reply(position, reply).kind is ReplyKind.UNREADABLE, reply


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_read_from_its_own_name(game):
    position = Position.start(game)
    for action, name in enumerate(names(game)):
        assert parse_reply(position, f"Action: {name}").action == action


@pytest.mark.parametrize("text", ["\0", "Action:" * 1000, "((((" * 500, "a" * 100_000, "<think>" * 100, "É ☃ 日本"])
def test_strange_texts_are_read_without_an_error(text):
    for game in GAMES:
        parse_reply(Position.start(game), text)


@pytest.mark.extended
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("reward", ["result", "both"])
def test_games_have_the_rewards_of_the_board_environment(game, reward):
    if game == Quixo() and reward == "both":
        game = Quixo(3)
    env, board = TextEnv(game, seat=0, reward=reward, history=True), SingleAgentEnv(game, seat=0)
    solution = None if reward == "result" else solve(game)
    prompt, _ = env.reset(seed=3)
    _, info = board.reset(seed=3)
    assert prompt in env.observation_space
    rng, ended = np.random.default_rng(0), False
    while not ended:
        position = board.position
        assert position.to_text() in prompt
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        expected = 0.0
        if solution:
            after = position.play(action)
            kept = solution.value(after) * (1 if after.to_move == position.to_move else -1)
            expected = (solution.value(position) - kept) / 2
        _, result, terminated, truncated, info = board.step(action)
        ended = terminated or truncated
        prompt, value, *ends, told = env.step(f"I play {position.action_name(action)}.")
        assert ends == [terminated, truncated]
        assert value == result - expected
        assert told["points_lost"] == (expected if solution else None)
        assert told["reply"] == "legal"
        assert f"You played {position.action_name(action)}." in prompt
    assert "The game is over." in prompt


def test_bad_replies_are_answered_and_then_lose():
    env = TextEnv("TicTacToe-v0", opponent="random", seat=0, retries=2)
    env.reset(seed=0)
    assert env.step("b2")[4]["reply"] == "legal"
    text, reward, terminated, _, info = env.step("b2")
    assert text.startswith("b2 is not legal in this position. Legal actions: ")
    assert (reward, terminated, info["reply"], info["action"]) == (0, False, "illegal", "b2")
    assert env.step("pardon?")[4]["reply"] == "unreadable"
    text, reward, terminated, _, info = env.step("no")
    assert (reward, terminated, info["reply"]) == (-1, True, "unreadable")
    assert text.endswith("You lose.")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step("a1")


@pytest.mark.parametrize("game", ["ConnectFour-v0", "TicTacToe-v0", "Quixo-v0", "Nim-v0:heaps=7", "Quarto-v0"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bad_reply_loses_in_every_position(game, seat):
    """In the first position of most games every action is legal."""
    env = TextEnv(game, seat=seat, retries=0)
    env.reset(seed=0)
    if env.position.result is None:
        before = env.position
        prompt, reward, terminated, truncated, info = env.step("I have no idea")
        assert (reward, terminated, truncated, info["reply"]) == (-1.0, True, False, "unreadable")
        assert prompt.rstrip().endswith("You lose.")
        assert env.position == before
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step("a1")


def test_a_bad_reply_costs_the_value_of_the_position_too():
    env = TextEnv("TicTacToe-v0", seat=0, retries=0, reward="both")
    env.reset(seed=0)
    assert env.step("pass")[1:3] == (-1.5, True)  # the game and, from a draw, half a point


def test_a_good_reply_gives_the_retries_back():
    env = TextEnv("Nim-v0", opponent="random", seat=0, retries=1)
    env.reset(seed=1)
    assert not env.step("?")[2]
    env.step("Action: 4-1")
    assert not env.step("?")[2]
    assert env.step("?")[2]


def test_values_are_rewards_of_single_actions():
    env = TextEnv("TicTacToe-v0", opponent="exact", seat=1, reward="value", retries=0)
    env.reset(seed=0)
    rewards = {}
    for name in ("b2", "a1"):
        env.reset(seed=0)
        position = env.position
        values = {each: solve(TicTacToe()).value(position.play(each)) for each in position.legal_actions()}
        for action in values:
            env.reset(seed=0)
            rewards[action] = env.step(position.action_name(action))[1]
        assert rewards == {action: -(1 + (value - 1)) / 2 if value else 0 for action, value in values.items()}
        assert name


def test_the_same_seed_gives_the_same_prompts():
    def play(seed):
        env = TextEnv("Quixo-v0:size=3", opponent="minimax:depth=1", max_cycles=20)
        prompts, ended = [env.reset(seed=seed)[0]], False
        while not ended:
            prompt, _, *ends, _ = env.step(env.position.action_name(env.position.legal_actions()[0]))
            prompts.append(prompt)
            ended = any(ends)
        return prompts

    assert play(4) == play(4)


def test_the_checks_of_gymnasium_pass():
    check_env(TextEnv("TicTacToe-v0"), skip_render_check=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reward": "points"}, "reward must be"),
        ({"retries": -1}, "retries must be"),
        ({"template": "99"}, "template must be"),
        ({"opponent": None}, "opponent must be"),
        ({"opponent": "nobody"}, "nobody"),
        ({"history": "no"}, "history must be true or false, not 'no'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        TextEnv("TicTacToe-v0", **arguments)


def test_own_templates_are_used(tmp_path):
    for name in FILES:
        (tmp_path / f"{name}.txt").write_text(f"{name}: $legal\n")
    env = TextEnv("TicTacToe-v0", template=str(tmp_path), seat=0)
    assert env.reset(seed=0)[0] == "start: a1 b1 c1 a2 b2 c2 a3 b3 c3"
    (tmp_path / "turn.txt").write_text("$nothing")
    with pytest.raises(ValueError, match=r"Unknown name '\$nothing' for the template '.*turn\.txt'.*\$legal"):
        Prompts(str(tmp_path)).turn(Position.start(TicTacToe()))


def templates(folder, **changed):
    """Write a folder of templates: those of the package, with other texts for some of them."""
    folder.mkdir(exist_ok=True)
    for name in FILES:
        text = (Path(prompts.__file__).parent / "templates" / LATEST / f"{name}.txt").read_text()
        (folder / f"{name}.txt").write_bytes(changed.get(name, text).encode("latin-1"))
    return folder


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"end": "$foo"}, r"Unknown name '\$foo' for the template '.*end\.txt'"),
        ({"illegal": "${legl}"}, r"'\$legl' for the template '.*illegal\.txt'\. Did you mean '\$legal'"),
        ({"turn": "$result"}, r"'\$result' for the template '.*turn\.txt'"),
        ({"unreadable": "it costs 5$"}, r"the template '.*unreadable\.txt' has a \$ without a name: write \$\$"),
        ({"start": "\xe4"}, r"the template '.*start\.txt' is not a text in UTF-8"),
    ],
)
def test_faults_of_own_templates_are_found_at_the_start(tmp_path, changed, message):
    for make in (Prompts, lambda template: TextEnv("TicTacToe-v0", template=template)):
        with pytest.raises(ValueError, match=message):
            make(templates(tmp_path / "own", **changed))


@pytest.mark.parametrize("template", ["", "own", 1, None])
def test_a_template_is_a_version_or_a_folder(template):
    with pytest.raises((ValueError, TypeError), match="template must be"):
        TextEnv("TicTacToe-v0", template=template)


def test_a_folder_does_not_hide_a_version(tmp_path, monkeypatch):
    before = TextEnv("TicTacToe-v0", seat=0).reset(seed=0)[0]
    templates(tmp_path / LATEST, start="mine")
    monkeypatch.chdir(tmp_path)
    assert TextEnv("TicTacToe-v0", seat=0).reset(seed=0)[0] == before
    assert TextEnv("TicTacToe-v0", seat=0, template=f"./{LATEST}").reset(seed=0)[0] == "mine"


def test_all_names_of_positions_can_be_used_in_all_templates(tmp_path):
    text = " ".join(f"${name}" for name in prompts.NAMES)
    env = TextEnv(
        "Nim-v0:heaps=2", template=templates(tmp_path / "own", **dict.fromkeys(FILES, text)), seat=0, retries=1
    )
    assert env.reset(seed=0)[0].startswith(guide_of(Nim((2,))).how_to_play())
    assert env.step("?")[0].endswith("1-1 1-2")
    assert env.step("1-2")[0].startswith(guide_of(Nim((2,))).how_to_play())


def test_prompts_tell_only_actions_that_the_opponent_chose():
    """With random openings, the actions before the first prompt may be random."""
    chosen = []

    def last(observation):
        chosen.append(int(observation["action_mask"].nonzero()[0][-1]))
        return chosen[-1]

    env = TextEnv("TicTacToe-v0", seat=1, history=True, openings=RandomOpenings(4, 1.0), opponent=last)
    for seed in range(20):
        chosen.clear()
        prompt = env.reset(seed=seed)[0]
        assert "Your opponent played" not in prompt
        assert "Actions so far: ...\n" in prompt
        chosen.clear()
        names = [env.position.action_name(action) for action in env.position.legal_actions()]
        position, prompt = env.position, env.step(names[0])[0]
        if "is over" not in prompt:
            [reply] = [position.action_name(action) for action in chosen]
            assert f"Your opponent played {reply}." in prompt
            assert f"Actions so far: ... {names[0]} {reply}\n" in prompt


def test_the_end_is_told_as_it_is():
    env = TextEnv("TicTacToe-v0:max_cycles=3", seat=0, retries=0)
    env.reset(seed=0)
    free = env.step("a1")[0].split("Legal actions: ")[1].split()
    prompt, _, terminated, truncated, _ = env.step(free[0])
    assert (terminated, truncated) == (False, True)
    assert prompt.endswith("The game is over. It is a draw by the limit of plies.")
    env.reset(seed=0)
    assert env.step("zz")[0].endswith("The game is over. Your reply names no legal action. You lose.")


def test_the_diagram_is_rendered_after_a_reset():
    env = TextEnv("TicTacToe-v0:render_mode=ansi", seat=0)
    for use in (env.render, lambda: env.step("a1")):
        with pytest.raises(gymnasium.error.ResetNeeded):
            use()
    env.reset(seed=0)
    assert env.render() == env.position.diagram()
    with pytest.raises(ValueError, match="render_mode must be one of ansi, not 'rgb_array'"):
        TextEnv("TicTacToe-v0:render_mode=rgb_array")


@pytest.mark.parametrize("game", GAMES)
def test_prompts_are_plain_text_with_an_example_that_is_read(game):
    position = Position.start(game)
    prompt = Prompts().start(position)
    assert set(prompt) <= set(string.printable)
    assert "$" not in prompt
    for action in position.legal_actions():
        assert position.action_name(action) in prompt


def program(tmp_path, body):
    file = Path(tmp_path) / "model.py"
    file.write_text(f"import sys\nprompt = sys.stdin.read()\n{body}\n")
    return f"text:{sys.executable} {file}"


def test_a_command_plays_by_text(tmp_path):
    spec = program(
        tmp_path, "print('The first one is good.'); print('Action:', prompt.split('Legal actions: ')[1].split()[0])"
    )
    agent = make_agent(spec, TicTacToe(), seed=0)
    env = TextEnv(TicTacToe(), opponent=agent, seat=0)
    env.reset(seed=0)
    assert "Your opponent played a1." in env.step("Action: b2")[0]


def test_a_command_gets_its_own_reply_and_the_reason(tmp_path):
    spec = program(
        tmp_path, "print('c3' if 'b2 is not legal' in prompt and 'Your reply was:' in prompt else 'Action: b2')"
    )
    agent = make_agent(spec, TicTacToe(), seed=0)
    env = TextEnv(TicTacToe(), opponent=agent, seat=0)
    env.reset(seed=0)
    assert "Your opponent played c3." in env.step("Action: b2")[0]


@pytest.mark.extended
@pytest.mark.parametrize(
    ("body", "options", "message"),
    [
        ("print('hm')", "", "replied 'hm', which names no legal action"),
        ("raise SystemExit('no model')", "", "ended with exit status 1: no model"),
        ("import time; time.sleep(60)", ",move_seconds=0.1,start_seconds=0.1", "gave no answer within"),
        ("print('a1 ' * 3_000_000)", "", "wrote more than"),
    ],
)
def test_faults_of_a_command_lose_the_game(tmp_path, body, options, message):
    comparison = compare("TicTacToe-v0", ["random", program(tmp_path, body) + f",retries=0{options}"], games=2)
    side = comparison.pairings[0].match.sides[1]
    assert side.faults == 2
    assert message in side.first_fault


@pytest.mark.parametrize("command", ["", "'"])
def test_a_command_that_is_none_is_refused(command):
    with pytest.raises(ValueError, match="text"):
        TextAgent(TicTacToe(), command)


@pytest.mark.parametrize("seed", [np.int64(3), 3, np.uint64(2**64 - 1)])
def test_seeds_are_those_of_the_other_environments(seed):
    prompts = [TextEnv("TicTacToe-v0").reset(seed=one)[0] for one in (seed, int(seed))]
    assert prompts[0] == prompts[1]


@pytest.mark.parametrize("seed", [-1, 1.5, "x", 2**64])
def test_wrong_seeds_are_named(seed):
    with pytest.raises(ValueError, match=re.escape(f"seed must be a whole number from 0 to {2**64 - 1}, not {seed!r}")):
        TextEnv("TicTacToe-v0").reset(seed=seed)


def test_the_spaces_contain_texts_with_any_characters():
    env = TextEnv("TicTacToe-v0", seat=0)
    env.reset(seed=0)
    reply = "I play b2 → the centre. Action: b2"
    assert env.action_space.contains(reply)
    assert env.observation_space.contains("übrig")
    assert not env.action_space.contains(3)
    assert env.action_space.contains(env.action_space.sample())
    assert env.step(reply)[4]["reply"] == "legal"


def test_the_opponent_can_be_replaced():
    def last(observation):
        return int(np.flatnonzero(observation["action_mask"])[-1])

    env = TextEnv("TicTacToe-v0", seat=0)
    env.reset(seed=0)
    env.opponent = last
    env.step("a1")
    assert env.position == Position.start(TicTacToe()).play("a1").play("c3")
    with pytest.raises(ValueError, match="opponent must be an agent, not None"):
        env.opponent = None
