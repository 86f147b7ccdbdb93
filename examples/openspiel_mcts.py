"""Run algorithms of OpenSpiel on a game of ci_envs: Quixo on 3 x 3.

OpenSpiel's minimax solver computes whether the first player can win within a number of plies. OpenSpiel's Monte Carlo
tree search plays against an agent of ci_envs. The example needs the extra ``openspiel``.

Run it with ``python examples/openspiel_mcts.py``.
"""

import numpy as np
import pyspiel  # type: ignore[import-not-found] # OpenSpiel has no types
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator  # type: ignore[import-untyped]
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver  # type: ignore[import-untyped]

import ci_envs.openspiel  # registers ci_envs_quixo and the other games with OpenSpiel


def forced_win(plies: int) -> bool:
    """Return whether the first player can force a win within a number of plies."""
    name = f"ci_envs_quixo(size=3,max_plies={plies})"
    start = str(pyspiel.load_game(name).new_initial_state())
    return bool(MinimaxSolver(name).solve()[start].value == 1)


def play(simulations: int, opponent: str, seed: int) -> list[float]:
    """Play a game and return the results of both players. OpenSpiel's MCTS moves first, an agent of ci_envs second."""
    game = pyspiel.load_game("ci_envs_quixo(size=3)")
    rng = np.random.RandomState(seed)
    bot = MCTSBot(game, 1.0, simulations, RandomRolloutEvaluator(random_state=rng), random_state=rng)
    agent = ci_envs.make_agent(opponent, game.game, seed=seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() == 0:
            action = bot.step(state)
        else:
            mask = np.array(state.legal_actions_mask(), dtype=np.int8)
            action = agent.act({"observation": state.position.observation(), "action_mask": mask})
        print(f"{state} plays {state.action_to_string(action)}")
        state.apply_action(action)
    return list(state.returns())


if __name__ == "__main__":
    for plies in (6, 7):
        print(f"The first player can force a win within {plies} plies: {forced_win(plies)}")
    first, second = play(simulations=200, opponent="minimax:depth=3", seed=1)
    print(f"OpenSpiel's MCTS: {first:+.0f}, minimax: {second:+.0f}")
