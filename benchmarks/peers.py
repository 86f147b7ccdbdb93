"""Benchmarks of other libraries (extras ``peers`` and ``render``)."""

import random
from collections.abc import Callable

from benchmarks.ours import Work, aec_steps, vector_loop


def pettingzoo_steps(name: str) -> Work:
    """Return a function that runs the AEC loop in a classic environment of PettingZoo.

    Raises:
        ImportError: PettingZoo's classic environments lack a dependency.
    """
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    return aec_steps({"tictactoe": tictactoe_v3, "connect_four": connect_four_v3}[name].env())


def cartpole_steps() -> Work:
    """Return a function that steps 1,024 instances of Gymnasium's vector environment CartPole, which uses NumPy."""
    import gymnasium

    return vector_loop(gymnasium.make_vec("CartPole-v1", 1024, "vector_entry_point"))


def pgx_steps(name: str) -> Work:
    """Return a function that steps 1,024 boards in pgx with random legal actions, in one compiled loop of JAX.

    Raises:
        ImportError: pgx is not installed.
    """
    import jax
    import pgx
    from jax import numpy as jnp
    from pgx.experimental import auto_reset

    jax.config.update("jax_platforms", "cpu")
    boards, steps = 1024, 100
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def play(carry, _):
        states, key = carry
        key, for_actions, for_steps = jax.random.split(key, 3)
        actions = jax.random.categorical(for_actions, jnp.where(states.legal_action_mask, 0.0, -jnp.inf))
        return (step(states, actions, jax.random.split(for_steps, boards)), key), None

    scan = jax.jit(lambda carry: jax.lax.scan(play, carry, None, length=steps)[0])
    key = jax.random.key(0)
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(key, boards)), key

    def work(amount: int) -> int:
        nonlocal carry
        scans = -(-amount // (boards * steps))
        for _ in range(scans):
            carry = scan(carry)
        jax.block_until_ready(carry)
        return scans * boards * steps

    return work


def openspiel_playouts(name: str) -> Work:
    """Return a function that plays games of random actions in OpenSpiel. The rules are C++, the loop is Python.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(0)

    def work(amount: int) -> int:
        for _ in range(amount):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        return amount

    return work


def openspiel_plies(name: str) -> Work:
    """Return a function that plays random plies in OpenSpiel, with one state object for each ply.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(0)

    def work(amount: int) -> int:
        state = game.new_initial_state()
        for _ in range(amount):
            legal = state.legal_actions()
            state = state.child(legal[int(rng.random() * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
        return amount

    return work


def openspiel_mcts(name: str, simulations: int) -> Work:
    """Return a function that runs simulations of OpenSpiel's MCTS bot in C++ from the initial state.

    The bot uses one random rollout for each simulation, and proves wins and losses.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, simulations, 1000, True, 1, False)
    start = game.new_initial_state()

    def work(amount: int) -> int:
        searches = -(-amount // simulations)
        for _ in range(searches):
            bot.step(start)
        return searches * simulations

    return work


def openspiel_alpha_beta(name: str, depth: int) -> Callable[[], float]:
    """Return a function that runs OpenSpiel's alpha-beta search, and returns the value of the initial state.

    The value of an unfinished leaf is 0. The search is in Python, because the search in C++ has no Python binding. The
    rules are C++.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game = pyspiel.load_game(name)
    return lambda: float(alpha_beta_search(game, value_function=lambda state: 0.0, maximum_depth=depth)[0])
