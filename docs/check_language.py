"""Check the language of the repository: ``python docs/check_language.py [FILE...]`` prints unclear phrases.

Without arguments it checks the text files of the repository: code, names, comments, docstrings, messages
and Markdown. It prints a line ``FILE:LINE: PHRASE: ADVICE`` for each finding, and exits with 1 if there are any.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

PHRASES: dict[str, str] = {
    r"so many|so few": "write 'at most n', 'up to n' or 'n'",
    r"anew": "write 'again'",
    r"whom|whoever|whomever": "name the person, for example 'the player to move'",
    r"(?<!player )(?<!players )(?<!opponent )(?<!people )(?<!person )(?<!one )(?<!not say )"
    r"who (plays|played|moves|moved|acts|acted|gives|wins|is to (play|move|act)|begins|asks|has (moved|played))": (
        "write 'the player to move', 'the player who ...' or another noun before 'who'"
    ),
    r"what (came|comes|became) of": "write 'the result of'",
    r"(?-i:(?<!there )(is|are|was) none(?! of))": "write 'there is no ...' or 'without'",
    r"purse": "write 'budget'",
    r"bare": "write 'uncovered' or another standard term",
    r"dear": "write 'large reduced cost' or 'expensive'",
    r"lucky?": "write 'random' or 'randomness'",
    r"judges?|judged|judging": "write 'evaluate' or 'evaluator'",
    r"lessons?": "write 'sample' or 'finding'",
    r"tarr(y|ies|ied)|hurr(y|ies|ied)": (
        "write 'under optimal play (the winner as fast as possible, the loser as slowly)'"
    ),
    r"hang(s|ing)? up|hung up": "write 'disconnect'",
    r"its face in|the face that": "write 'its Python API'",
    r"outlives?": "write 'is kept when the server restarts'",
    r"breed": "write 'evolution target'",
    r"come_again|comes_again": "write 'is_repetition'",
    r"think along": "write 'live analysis'",
    r"(?-i:(?<!= )[Tt]rue values)": "write 'exact values'",
    r"too much to do": "write what is busy, and when to retry",
    r"nought|thereof|therein|whereof|wherein|hither|thither|whence|albeit": "use a common word",
    r"between two of which|of which one": "write the subject first",
    r"has no need of|have no need of": "write 'does not need'",
    r"hill_climber": "write 'hill_climbing'",
    r"so long as": "write 'while' or 'if'",
    r"(beside|next to) (its|their) peers": "write 'next to other libraries'",
    r"one's own|ones own": "write 'your own'",
    r"to and fro": "write 'back and forth'",
    r"at last": "write 'finally'",
    r"what (comes back|there is|is left|was left|goes wrong)": "write the noun, for example 'the rest'",
    r"knows nothing (about|of)": "write 'has no values for' or 'ignores'",
    r"(?-i:(a|the) same (as there|like there))": "write the noun",
}
"""Regular expressions of phrases that readers must read twice, with advice. Underscores separate words."""

DOCSTRING_STARTS: dict[str, str] = {
    r"``->": "begin with a verb, for example 'Return ...'",
    r"As in\b|As :": "remove the docstring and mark the method with @override",
    r"(What|How|Who|Where|When|Why|Which|Is|Are|Does|Do|May|Can|Did)\b(?! to\b)": (
        "begin with a verb and its object, or a noun phrase"
    ),
}
"""Regular expressions of unsuitable beginnings of docstrings, with advice."""

FUNCTION_STARTS: dict[str, str] = {
    r"(The|A|An|One|All|Every|Each|Whether|By|No|Its|Their|Some|Two|Both|This|In|On|At|From|For|To|With)\b": (
        "begin with an imperative verb, for example 'Return ...'"
    ),
}
"""Regular expressions of unsuitable beginnings of docstrings of functions that are no properties, with advice."""

EXCEPTIONS: dict[str, str] = {
    r"docs/check_language\.py|tests/test_language\.py": r".*",  # the list of the phrases, and its test
    r"LICENSE": r"whom",  # the text of the licence
    r"tests/.*": r"docstring that begins with '\w+'",  # the docstring of a test states the expected result
}
"""Regular expressions of the phrases that files may contain, by a regular expression of the file's path."""


def _words(pattern: str) -> re.Pattern[str]:
    """Return a regular expression for whole words, whose spaces can be ends of lines."""
    spaced = pattern.replace(" ", r"[ \n]")
    return re.compile(rf"(?<![A-Za-z])(?:{spaced})(?![A-Za-z])", re.IGNORECASE)


_FOLDERS_OF_DATA = ("docs/strength/", "tests/or_library/", "docs/images/")
_ENDINGS = (".py", ".pyi", ".md", ".toml", ".yml", ".yaml", ".cfg", ".txt", ".cff", ".css", ".js", ".html")
_NAMES = ("Makefile", "LICENSE")
_WORDS = {_words(pattern): advice for pattern, advice in PHRASES.items()}
_ANY_WORDS = _words("|".join(PHRASES))
_STARTS = {re.compile(pattern): DOCSTRING_STARTS[pattern] for pattern in DOCSTRING_STARTS}
_FUNCTION_STARTS = {re.compile(pattern): FUNCTION_STARTS[pattern] for pattern in FUNCTION_STARTS}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Finding(NamedTuple):
    """A phrase that is not plain.

    Attributes:
        path: The path of the file.
        line: The number of the line, from 1.
        phrase: The phrase.
        advice: What to write instead.
    """

    path: Path
    line: int
    phrase: str
    advice: str


def tracked_files() -> list[Path]:
    """Return the text files that git tracks, without links, lock files and data."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    paths = [ROOT / name for name in names if not name.startswith(_FOLDERS_OF_DATA)]
    return [path for path in paths if path.is_file() and (path.suffix in _ENDINGS or path.name in _NAMES)]


def findings(paths: Iterable[Path]) -> Iterator[Finding]:
    """Yield the phrases in files that are not plain and not excepted.

    Args:
        paths: The files, as UTF-8.

    Raises:
        OSError: A file cannot be read.
    """
    for path in paths:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        allowed = (
            "|".join(f"(?:{phrase})" for file, phrase in EXCEPTIONS.items() if re.fullmatch(file, name)) or r"(?!)"
        )
        found = [*_phrases(path, text), *(_docstring_starts(path, text) if path.suffix == ".py" else ())]
        yield from (finding for finding in found if not re.fullmatch(allowed, finding.phrase, re.IGNORECASE))


def _phrases(path: Path, text: str) -> Iterator[Finding]:
    # phrases can continue in the next line, after the indentation and the mark of a comment
    joined = re.sub(r"\n[ \t]*(?:#:? )?", "\n", text)
    if not _ANY_WORDS.search(joined):  # one search takes less time than one for each phrase
        return
    for pattern, advice in _WORDS.items():
        for match in pattern.finditer(joined):
            phrase = match[0].replace("\n", " ")
            yield Finding(path, joined.count("\n", 0, match.start()) + 1, phrase, advice)


def _docstring_starts(path: Path, text: str) -> Iterator[Finding]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, _DOCUMENTED) or not (docstring := ast.get_docstring(node)):
            continue
        starts = {**_STARTS, **_FUNCTION_STARTS} if _is_function(node) else _STARTS
        for pattern, advice in starts.items():
            if match := pattern.match(docstring):
                yield Finding(path, node.body[0].lineno, f"docstring that begins with {match[0]!r}", advice)


def _is_function(node: ast.AST) -> bool:
    """Return whether a node is a function or a method, but not a property."""
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and not any("property" in ast.unparse(each) for each in node.decorator_list)


def main(arguments: list[str]) -> int:
    """Print the findings in the files of the command line, or of the repository, and return the exit status."""
    count = 0
    for finding in findings(map(Path, arguments) if arguments else tracked_files()):
        name = finding.path.resolve()
        shown = name.relative_to(ROOT) if name.is_relative_to(ROOT) else name
        print(f"{shown}:{finding.line}: {finding.phrase}: {finding.advice}")
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
