"""The page of a comparison: its contents, its safety, and the games that it replays."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

from ci_envs import ConnectFour, Position, TicTacToe, make_agent
from ci_envs.arena import compare, play_match
from ci_envs.arena.report_page import MOST_GAMES, report_page
from ci_envs.cli.main import main
from ci_envs.games.openings import random_openings

HOSTILE = "<script>alert('x')</script>"


class Reader(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data.strip())


def first_legal(observation):
    return int(observation["action_mask"].argmax())


def fails(observation):
    raise RuntimeError(HOSTILE)


@pytest.fixture(scope="module")
def page():
    agents = ["random", "exact", (f"{HOSTILE} & co", first_legal), ("fails", fails)]
    return report_page(compare("TicTacToe-v0", agents, games=6, seed=3))


@pytest.mark.extended
def test_the_page_needs_no_other_file(page):
    for tag, attributes in Reader(page).tags:
        assert tag not in ("link", "img", "iframe")
        assert not {"src", "href"} & attributes.keys()


@pytest.mark.extended
def test_names_and_messages_are_text(page):
    reader = Reader(page)
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert f"{HOSTILE} & co" in reader.text
    assert f"RuntimeError: {HOSTILE}" in reader.text


def test_the_page_has_all_parts(page):
    text = "\n".join(Reader(page).text)
    for part in ("Ratings", "Pairs", "Grades by exact values", "Faults", "Lost games", "seed 3", "numpy", "ci-envs"):
        assert part in text


def test_a_comparison_without_faults_and_losses_has_no_such_parts():
    text = Reader(report_page(compare("TicTacToe-v0", ["exact", "exact"], games=2))).text
    assert not any(each.startswith("Games that were lost by") for each in text)
    assert "Lost games" not in text


@pytest.mark.parametrize("plies", [0, 3])
@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()])
def test_lost_games_end_with_a_loss(game, plies):
    openings = random_openings(game, 10, plies, 0)
    agents = [make_agent("random", game, seed=0), make_agent("minimax:depth=1", game, seed=0)]
    match = play_match(game, *agents, 20, openings=openings)
    for number, side in enumerate(match.sides):
        assert {lost.moved_first for lost in side.lost_games} == {
            first for first, record in zip((True, False), side.seats, strict=True) if record.losses
        }
        for lost in side.lost_games:
            words = np.array([lost.opening], np.uint64)
            assert plies == 0 or (openings == words).all(axis=1).any()
            position = Position(game, *lost.opening, 0 if lost.moved_first else 1)
            for action in lost.actions:
                position = position.play(action)
            assert position.winner == 1, number  # the loser is player 0 here


def test_a_game_that_ends_with_a_fault_has_its_illegal_action():
    pairing = compare("TicTacToe-v0", ["random", ("fails", fails)], games=2).pairings[0]
    assert [lost.actions[-1] for lost in pairing.match.sides[1].lost_games] == [-1, -1]


@pytest.mark.extended
def test_the_number_of_games_on_the_page_is_limited():
    agents = [(f"agent {number}", first_legal) for number in range(8)]
    page = report_page(compare("TicTacToe-v0", agents, games=2))
    assert page.count('<section class="game">') == MOST_GAMES
    assert re.search(r"\d+ more are not shown", page)


@pytest.mark.extended
def test_the_command_writes_the_page_with_agents_of_a_folder(tmp_path):
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "good.py").write_text("def agent(observation):\n    return int(observation['action_mask'].argmax())\n")
    (agents / "bad.py").write_text("def agent(observation):\n    raise RuntimeError('<b>no</b>')\n")
    file = tmp_path / "report.html"
    arguments = [
        "compare",
        "TicTacToe-v0",
        "random",
        "--agents-from",
        str(agents),
        "--games",
        "4",
        "--report",
        str(file),
    ]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 0, ran.output
    text = Reader(file.read_text()).text
    assert any(each.endswith("bad.py") for each in text)
    assert "RuntimeError: <b>no</b>" in text


def test_a_file_in_the_folder_that_cannot_be_read_is_one_line(tmp_path):
    (tmp_path / "broken.py").write_text("def agent(observation:\n")
    ran = CliRunner().invoke(main, ["compare", "TicTacToe-v0", "random", "--agents-from", str(tmp_path)])
    assert ran.exit_code == 2
    assert "broken.py" in ran.output
    assert len(ran.output.strip().splitlines()) == 1
