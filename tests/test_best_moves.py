"""The best moves of an analysis: exact results first, estimates otherwise."""

from ci_envs import Position, TicTacToe, make_agent
from ci_envs.arena.analysis import exact_scores
from ci_envs.web.analysis_report import report_of
from ci_envs.web.best_moves import best_moves, candidates
from ci_envs.web.evaluation import Evaluation

GAME = TicTacToe()


def named(position, spec, evaluation=None):
    report = report_of(make_agent(spec, GAME, seed=0).analyse(position), position)
    moves = best_moves(position, report, evaluation)
    marks = [(*mark.regions, mark.text) for mark in candidates(position, moves)]
    return [(position.action_name(move.action), move.text) for move in moves], marks


def test_exact_results_come_first_and_only_moves_with_the_best_result_are_marked():
    position = Position.from_text(GAME, "XX./OO./... X")
    scores = tuple(exact_scores(position))
    listed, marks = named(position, "mcts:simulations=1", Evaluation(1.0, exact=True, scores=scores))
    assert listed[0] == ("c1", "win in 1 move (exact)")
    assert marks[0] == ("c1", "win 1")
    assert {text.partition(" ")[0] for _, text in marks} == {"win"}


def test_a_drawn_position_has_draws_and_the_move_of_the_agent_first():
    position = Position.start(GAME)
    scores = tuple(exact_scores(position))
    report = report_of(make_agent("minimax:depth=9", GAME, seed=0).analyse(position), position)
    moves = best_moves(position, report, Evaluation(0.5, exact=True, scores=scores))
    assert position.action_name(moves[0].action) == report.principal_variation[0]
    assert {move.short for move in moves} == {"draw"}


def test_estimates_are_chances_and_values_of_other_agents_have_no_chance():
    position = Position.start(GAME)
    listed, marks = named(position, "mcts:simulations=200")
    assert all(text.endswith("% to win") for _, text in listed)
    assert len(marks) == 3
    listed, marks = named(position, "minimax:depth=2")
    assert all(text.startswith("value ") for _, text in listed)
    assert [text for _, text in marks] == [""] * 3
