"""The check of the language of the repository (docs/check_language.py)."""

import runpy
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "check_language.py"))

EXAMPLES = (
    "Positions after so\n    # many plies.",
    "# The game is begun anew.",
    "Agents for whom the reader plays.",
    "The value is for who plays it.",
    "The best of what came of it.",
    "A priority that is none.",
    "bare = set(problem.elements)",
    "its purse of visits",
    "def luck(rng): ...",
    "Let an agent judge a position.",
    "lesson = outcomes",
    "The loser tarries.",
    "The browser hangs up.",
    "def comes_again(moves): ...",
    "A table knows nothing about new positions.",
    "An agent of one's own.",
    "The search continues so long as it can.",
    "The rest is what is left.",
)


def test_the_repository_has_no_unclear_phrases():
    found = [
        (str(finding.path), finding.line, finding.phrase) for finding in CHECK["findings"](CHECK["tracked_files"]())
    ]
    assert found == []


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_unclear_phrase_is_found(text, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text(f"A plain line.\n{text}\n")
    findings = list(CHECK["findings"]([file]))
    assert [finding.line for finding in findings] == [2]


@pytest.mark.parametrize(
    "docstring", ["``-> int``: the value.", "As in :meth:`play`.", "What is known.", "How many pieces are left."]
)
def test_an_unsuitable_start_of_a_docstring_is_found(docstring, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(f'def name():\n    """{docstring}"""\n')
    [finding] = CHECK["findings"]([file])
    assert finding.line == 2


def test_a_docstring_of_a_function_begins_with_a_verb_but_not_that_of_a_property(tmp_path):
    file = tmp_path / "module.py"
    text = '    {0}\n    def name(self):\n        """The value of a position."""\n'
    file.write_text(f"class Position:\n{text.format('@property')}\n{text.format('@cache')}")
    [finding] = CHECK["findings"]([file])
    assert finding.line == 8


def test_plain_language_has_no_findings(tmp_path):
    file = tmp_path / "module.py"
    file.write_text('def name():\n    """Return the value for the player who moved, or -1 if there is none."""\n')
    assert list(CHECK["findings"]([file])) == []


def test_the_command_prints_the_place_and_the_phrase(tmp_path, capsys):
    file = tmp_path / "notes.md"
    file.write_text("one\ntwo, begun anew\n")
    assert CHECK["main"]([str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"{file}:2: anew: ")
