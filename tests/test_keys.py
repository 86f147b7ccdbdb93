"""The keys of gymnasium.utils.play.play."""

import subprocess
import sys

import gymnasium
import pytest

import ci_envs
from ci_envs.envs.keys import keys_of_actions

US_KEYBOARD = "1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./"

# The test runs in its own process, because gymnasium.utils.play selects the backend of matplotlib.
PLAY = """
import ci_envs, gymnasium, pygame
from gymnasium.utils.play import play

def events():
    for key in {keys!r}:
        yield [pygame.event.Event(pygame.KEYDOWN, key=ord(key))]
        yield [pygame.event.Event(pygame.KEYUP, key=ord(key))]
    yield [pygame.event.Event(pygame.QUIT)]

frames = events()
pygame.event.get = lambda: next(frames)
env = gymnasium.make("ci_envs/{id}", opponent=None, render_mode="rgb_array")
steps = []
play(env, fps=1000, wait_on_player=True, callback=lambda *step: steps.append((int(step[2]), step[3], step[4])))
print(steps)
"""


@pytest.mark.extended
@pytest.mark.parametrize(
    ("id", "keys", "actions"),
    [
        ("TicTacToe-v0", "1q2w3", "a1 a2 b1 b2 c1"),
        ("ConnectFour-v0", "1727374", "a g b g c g d"),
        ("Nim-v0", "1el/", "1-1 2-3"),  # and two keys without an action
    ],
)
def test_gymnasiums_play_plays_the_keys(id, keys, actions):
    pytest.importorskip("pygame")
    program = PLAY.format(id=id, keys=keys)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps = eval(done.stdout.splitlines()[-1])
    game = ci_envs.make(id).game
    assert [game.action_name(action) for action, _, _ in steps] == actions.split()
    if id != "Nim-v0":
        assert steps[-1][1:] == (1, True)  # the first player has won
    assert not any(terminated for _, _, terminated in steps[:-1])


@pytest.mark.parametrize(
    ("id", "places"),
    [
        ("TicTacToe-v0", {"a1": "1", "c1": "3", "a2": "q", "b2": "w", "c3": "d"}),
        ("ConnectFour-v0", {"a": "1", "g": "7"}),
        ("Nim-v0", {"1-1": "1", "2-3": "e", "4-7": "m"}),
        ("Quarto-v0", {"a1": "1", "d4": "v", "give0": "7", "give7": "p", "givef": "/"}),
        ("ConnectN-v0", {"a1": "1", "f2": "=", "a3": "q", "f6": "z"}),  # six rows: in the order of the actions
        ("Quixo-v0", {"a1e1": "1", "e5e1": "."}),
    ],
)
def test_keys_lie_as_on_the_board(id, places):
    game = ci_envs.make(id).game
    keys = keys_of_actions(game)
    assert {game.action_name(action): key for action, key in keys.items()}.items() >= places.items()


@pytest.mark.parametrize("id", ci_envs.registered())
def test_every_action_has_a_key_of_its_own(id):
    env = gymnasium.make(f"ci_envs/{id}").unwrapped
    keys = env.get_keys_to_action()
    assert sorted(keys.values()) == list(range(env.action_space.n))
    assert all(key in US_KEYBOARD for (key,) in keys)


def test_too_many_actions_are_refused():
    env = gymnasium.make("ci_envs/Quixo-v0", size=7).unwrapped
    with pytest.raises(ValueError, match=r"68 actions.*45.*keys_to_action"):
        env.get_keys_to_action()
