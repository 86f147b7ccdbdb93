"""The command ``ci-envs exam``."""

from collections.abc import Sequence
from time import process_time
from typing import TYPE_CHECKING, Literal

import click

from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import NOTHING_KEPT, interrupt_advice, usage_errors, write_each
from ci_envs.cli.grade_files import GradeFiles, grade_files
from ci_envs.cli.options import isolation_options, seed_option
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve

if TYPE_CHECKING:
    from ci_envs.suites.leaderboard import Conditions

_SUITE_GAMES = 20


@click.command()
@click.argument("names", metavar="[ENV] AGENT...", nargs=-1, required=True)
@click.option(
    "--suite",
    metavar="SUITE",
    help="Grade agents on all environments of a suite, without ENV: exact-v1, or a folder of ci-envs suite.",
)
@click.option(
    "--positions",
    "count",
    type=click.IntRange(min=1),
    help="Number of positions, of each environment of a suite.  [default: 100; all of a suite, or all published]",
)
@click.option(
    "--games",
    type=click.IntRange(min=2),
    help="Number of games from each won position, an even number. With --suite, number of won and of drawn positions"
    f" from which 2 games each are played.  [default: 2; {_SUITE_GAMES} with --suite]",
)
@click.option(
    "--defender",
    help="The opponent in these games.  [default: exact; minimax:depth=6 if ENV is not solved, or with --tables]",
)
@click.option(
    "--tables",
    metavar="DIR",
    help="Draw positions that the tables in this folder contain; included: those in the package; or FILE.py:NAME.",
)
@seed_option
@isolation_options
@data_options("the results")
@grade_files
def exam(
    *,
    names: tuple[str, ...],
    suite: str | None,
    count: int | None,
    games: int | None,
    defender: str | None,
    tables: str | None,
    seed: int,
    isolate: ProcessLimits | Literal[False],
    data_files: DataFiles,
    files: GradeFiles,
) -> None:
    """Examine agents on a fixed set of positions of ENV whose values are known.

    The positions of a game never change. A solved game has positions in which a mistake is possible, other games have
    published positions. With --tables, the positions are drawn from the tables that solve --store has computed. The
    table shows three shares for each agent: analyses that predict the winner correctly, actions that keep the value of
    the position, and games that the agent wins from won positions.

    \b
    ci-envs exam Quixo-v0 minimax:depth=5 mcts:simulations=2000 --games 10
    ci-envs exam Quixo-v0 minimax:depth=5 mcts:exact=included --tables included
    ci-envs exam --suite exact-v1 random minimax:depth=4 mine.py
    """
    if suite is not None:
        if defender is not None or tables is not None:
            raise click.UsageError("--suite has its own defenders and tables.")
        from ci_envs.suites.leaderboard import Conditions

        _grade(names, Conditions(suite, count, games or _SUITE_GAMES, seed), isolate or None, data_files, files)
        return
    if files.any:
        raise click.UsageError("--plot, --table and --submit need --suite.")
    environment, *agents = names
    if not agents:
        raise click.UsageError("Missing argument 'AGENT...'.")
    from rich.console import Console

    from ci_envs.agent_interface.making import make_agent
    from ci_envs.arena.exam import Exam, even_games, exam_rows, exam_table
    from ci_envs.arena.tournament import enter

    with interrupt_advice(NOTHING_KEPT), usage_errors():
        _, game, _ = resolve(environment)
        games = even_games(2 if games is None else games)
        entrants = enter(game, agents, seed, isolate or None)
        with count_progress("positions examined") as examined:
            questions = Exam(game, count, tables=tables, progress=examined)
        spec = questions.defender if defender is None else defender
        opponent = make_agent(spec, game, seed=seed)
    results = []
    for label, agent in entrants:
        with interrupt_advice(NOTHING_KEPT), usage_errors(), count_progress(f"{label}: positions") as progress:
            opponent.reseed(seed)  # so that the order of the agents has no effect
            results.append((label, questions.take(agent, opponent, games, progress)))
    if not data_files.on_stdout:
        Console(highlight=False).print(exam_table(f"{environment}: exam", questions, spec, results))
    data_files.write(exam_rows(results))


def _grade(
    agents: Sequence[str],
    conditions: "Conditions",
    limits: ProcessLimits | None,
    data_files: DataFiles,
    files: GradeFiles,
) -> None:
    from rich.console import Console

    from ci_envs.suites.folder import read_suite
    from ci_envs.suites.grade import grade_suite
    from ci_envs.suites.leaderboard import entry_path, suite_checksum, write_entry
    from ci_envs.suites.report import suite_rows, suite_tables

    suite, count, games, seed = conditions
    graded = []
    with interrupt_advice(NOTHING_KEPT), usage_errors():
        files.check()
        if len(set(agents)) < len(agents):
            raise ValueError(f"an agent is given twice: {max(agents, key=list(agents).count)}")
        if files.submit and len({entry_path(files.submit, agent) for agent in agents}) < len(agents):
            raise ValueError(f"two of these agents need the same file in --submit: {', '.join(agents)}")
        checksum = suite_checksum(suite)
        sets = [positions if count is None else positions.evenly(count) for positions in read_suite(suite)]
        for agent in agents:
            begin = process_time()
            with count_progress(f"{agent}: environments") as progress:
                grades = grade_suite(agent, sets, games, seed, limits=limits, progress=progress)
            if files.submit:
                write_entry(files.submit, agent, grades, conditions, process_time() - begin, checksum)
            graded.append((agent, grades))
    if not data_files.on_stdout:
        Console(highlight=False).print(suite_tables(suite, graded))
    write_each(lambda: data_files.write(suite_rows(graded)), lambda: files.write(suite, graded))
