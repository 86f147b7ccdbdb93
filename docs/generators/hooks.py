"""Hooks of MkDocs that generate pages and tables from the package during the build of the site."""

import posixpath
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # MkDocs loads this file by its path, so Python does not find the package docs

from docs import check_figures  # noqa: E402
from docs.generators import environments, leaderboard, options, quixo_tables, results, speed  # noqa: E402
from docs.generators.agent_pictures import PICTURES, agent_picture  # noqa: E402
from docs.generators.links import relinked_html, relinked_markdown  # noqa: E402
from docs.generators.tree_pictures import tree_pictures  # noqa: E402
from docs.generators.tutorials import convert_tutorials  # noqa: E402

_SOLVERS = re.compile(r"<!-- options of the solvers (.*?) -->")
_ROLE = re.compile(r":[a-z]+:<code>(?:~[\w.]*\.)?([^<]*)</code>")
_TABLES = {
    "<!-- all options -->": options.all_options,
    "<!-- leaderboard -->": leaderboard.leaderboard_table,
    "<!-- speed -->": speed.speed_table,
    "<!-- classes of Quixo -->": quixo_tables.class_table,
    "<!-- sums of Quixo -->": quixo_tables.sum_table,
}
_TABLE = re.compile(r"<!-- table (.*?) -->")
_FILES_OF_THE_REPOSITORY = {"changelog.md": "CHANGELOG.md", "exact_v1.md": "ci_envs/suites/exact-v1/README.md"}
"""The pages that are files of the repository outside ``docs``."""

_PROBLEM = re.compile(r"<!-- parameters of (.*?) -->")


def on_config(config: MkDocsConfig) -> None:
    """Check that every figure of the pages has a source, and show the version on every page.

    Raises:
        PluginError: A figure has none.
    """
    if found := [f"{finding.page}:{finding.line}: {finding.message}" for finding in check_figures.findings()]:
        raise PluginError("\n".join(found))
    config.copyright = f"ci_envs {version('ci-envs')}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and pictures, the files outside ``docs``, and start to convert the tutorials."""
    tutorials = [
        str(file.abs_src_path) for file in files if file.src_uri.endswith(".py") and file.is_documentation_page()
    ]
    convert_tutorials(tutorials, config.plugins["mkdocs-jupyter"].config)
    for path, content in environments.pages().items():
        files.append(File.generated(config, path, content=content))
    for path, source in _FILES_OF_THE_REPOSITORY.items():
        files.append(File.generated(config, path, content=(ROOT / source).read_text()))
    pictures = {f"agents/{name}.svg": agent_picture(name) for name in PICTURES}
    pictures |= {f"paths/{name}.svg": picture for name, picture in tree_pictures().items()}
    for path, content in pictures.items():
        files.append(File.generated(config, path, content=content))
    citation = f"# Citation\n\nThis is `CITATION.cff`:\n\n```yaml\n{(ROOT / 'CITATION.cff').read_text()}```\n"
    files.append(File.generated(config, "citation.md", content=citation))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files, **_: Any) -> str:
    """Add generated tables to a page, and replace links to files outside the site by links to the repository."""
    path = Path(page.file.src_uri)
    if path.parent.name == "agents" and path.stem != "index":
        title, _, text = markdown.partition("\n")
        picture = f"![The idea of {path.stem}]({path.stem}.svg)"
        markdown = f"{title}\n\n{picture}\n{text}\n{options.agent_sections(path.stem)}"
    markdown = _SOLVERS.sub(lambda match: options.solver_sections(match[1].split()), markdown)
    markdown = _PROBLEM.sub(lambda match: options.problem_table(match[1]), markdown)
    markdown = _TABLE.sub(lambda match: results.measured_table(match[1]), markdown)
    for mark, table in _TABLES.items():
        if mark in markdown:
            markdown = markdown.replace(mark, table())
    source = _FILES_OF_THE_REPOSITORY.get(str(path), f"docs/{path}")

    def link_of(path: str) -> str:
        if file := _file_of(path, files):
            return posixpath.relpath(file.src_uri, posixpath.dirname(page.file.src_uri))
        return f"{config.repo_url}/blob/main/{path}"

    return relinked_markdown(markdown, source, link_of)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files, **_: Any) -> str:
    """Remove the roles of Sphinx, and resolve the links of notebooks, which MkDocs does not resolve.

    Raises:
        PluginError: A notebook contains a link to a file that does not exist.
    """
    html = _ROLE.sub(r"<code>\1</code>", html)
    if not page.file.src_uri.endswith(".py"):
        return html

    def link_of(path: str) -> str:
        if file := _file_of(path, files):
            return file.url_relative_to(page.file)
        if not (ROOT / path).exists():
            raise PluginError(f"{page.file.src_uri} links to {path}, which does not exist")
        return f"{config.repo_url}/blob/main/{path}"

    return relinked_html(html, f"docs/{page.file.src_uri}", link_of)


def _file_of(path: str, files: Files) -> File | None:
    """Return the file of the site for a path of the repository, or None if the site does not contain the file."""
    file = files.get_file_from_path(path.removeprefix("docs/")) if path.startswith("docs/") else None
    return None if file is None or file.inclusion.is_excluded() else file
