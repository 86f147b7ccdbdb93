"""The benchmarks compare runs and ratios correctly. These tests replace the clock and the measurements."""

import json

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as program
from benchmarks import clock, quick
from benchmarks.results import Earlier, results, table
from benchmarks.rows import ROWS, Row
from ci_envs.machine import machine

RATE, SECONDS = Row("steps", "ours", lambda: 50.0), Row("steps", "a decision", lambda: 2.0, "s")


@pytest.fixture
def earlier_file(tmp_path):
    def write(rates):
        file = tmp_path / "earlier.json"
        file.write_text(json.dumps(results(rates)))
        return file

    return write


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr(program, "ROWS", (RATE, SECONDS))
    return lambda *arguments: CliRunner().invoke(program.main, list(map(str, arguments)))


@pytest.fixture
def fake_clock(monkeypatch):
    """A list with the time, which the clock of the benchmarks reads."""
    now = [0.0]
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now[0])
    return now


def test_rows_have_different_names_and_known_units():
    assert len({(row.group, row.name) for row in ROWS}) == len(ROWS)
    assert {row.unit for row in ROWS} == {"/s", "s"}


def test_a_speed_is_relative_to_the_earlier_run_for_rates_and_times(earlier_file):
    earlier = Earlier(earlier_file({RATE: 100.0, SECONDS: 1.0}))
    assert (earlier.speed(RATE, 50.0), earlier.speed(SECONDS, 2.0)) == (0.5, 0.5)
    assert (earlier.speed(RATE, 150.0), earlier.speed(SECONDS, 0.5)) == (1.5, 2.0)
    assert earlier.speed(Row("steps", "new", lambda: 1.0), 1.0) is None
    assert earlier.slower({RATE: 89.9, SECONDS: 1.12}) == [RATE, SECONDS]
    assert earlier.slower({RATE: 90.0, SECONDS: 1.11}) == []
    assert {(row["date"] > "2026", row["machine"]) for row in results({RATE: 1.0})["rows"]} == {(True, machine())}
    assert [column.header for column in table({RATE: 50.0}, earlier).columns][-1] == "to earlier"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[", "is not a file of `python -m benchmarks --json FILE`"),
        ('{"rows": [{}]}', "is not a file of `python -m benchmarks --json FILE`"),
        ('{"rows": [{"group": "a", "name": "b", "value": 1, "machine": "another"}]}', "is from another, but this"),
    ],
)
def test_only_a_run_on_the_same_machine_can_be_compared(content, reason, run, tmp_path):
    file = tmp_path / "other.json"
    file.write_text(content)
    answer = run("--against", file)
    assert answer.exit_code == 2
    assert reason in " ".join(answer.output.split())


def test_a_slower_row_is_marked_and_the_exit_status_is_1(run, earlier_file):
    answer = run("--against", earlier_file({RATE: 100.0, SECONDS: 2.0}))
    assert answer.exit_code == 1
    assert "0.50 slower" in answer.output
    assert answer.output.count("slower than in") == 1
    assert run("--against", earlier_file({RATE: 50.0, SECONDS: 2.0})).exit_code == 0


def test_groups_can_be_selected(run):
    assert "a decision" in run("--only", "step").output
    answer = run("--only", "nothing")
    assert answer.exit_code == 2
    assert "no group contains 'nothing'. Groups: steps" in answer.output


def test_a_relative_rate_is_the_median_of_alternating_runs(fake_clock):
    started = []

    def work(name, seconds):
        def run(amount):
            started.append(name)
            fake_clock[0] += seconds * amount
            return amount

        return run

    assert clock.relative_rate(work("fast", 0.001), work("slow", 0.004)) == pytest.approx(4)
    assert started[-4:] == ["fast", "slow", "fast", "slow"]


@pytest.mark.parametrize(("ratio", "status"), [(0.9, 0), (0.51, 0), (0.49, 1), (float("nan"), 1)])
def test_a_quick_check_fails_below_half_of_the_usual_ratio(ratio, status, monkeypatch):
    monkeypatch.setattr(quick, "RATIOS", (quick.SpeedRatio("ours to theirs", 1.0, lambda: ratio),))
    answer = CliRunner().invoke(quick.main)
    assert answer.exit_code == status
    assert ("FAILED" in answer.output) == bool(status)


def test_the_share_of_the_network_counts_its_calls_only(monkeypatch, fake_clock):
    from benchmarks import alphazero

    def evaluate(planes):
        fake_clock[0] += 3.0
        return outputs(planes)

    outputs = alphazero.inference(alphazero.new_network(alphazero._GAME, alphazero.ARCHITECTURES["32x3"], 0))
    monkeypatch.setattr(alphazero, "perf_counter", lambda: fake_clock[0])
    monkeypatch.setattr(alphazero, "inference", lambda network, game: evaluate)
    monkeypatch.setattr(alphazero, "_SIMULATIONS", 4)
    time = alphazero.decision()()
    assert time.total == time.network >= 3.0
