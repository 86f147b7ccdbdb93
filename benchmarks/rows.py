"""All benchmarks, as rows of a table."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import alphazero, covering, evolution, ours, peers, quarto_ga, sb3_training, tabular
from benchmarks.clock import rate, seconds_of, seconds_of_process
from ci_envs.agents.search.evaluators import ZeroEvaluator


@dataclass(frozen=True)
class Row:
    """A benchmark, which is a row of the table.

    Attributes:
        group: The task. Rates of one group can be compared.
        name: The environment, agent or library that does the task.
        measure: A function that returns a rate in 1/s, or a time in seconds.
        unit: ``/s`` or ``s``.
        peer: Whether the row measures another library or another implementation.
        cores: The number of cores that the benchmark can use. Without a limit, JAX uses all cores.
    """

    group: str
    name: str
    measure: Callable[[], float]
    unit: str = "/s"
    peer: bool = False
    cores: int = 1


ROWS = (
    Row("random playouts, tic-tac-toe", "TicTacToe-v0", lambda: rate(ours.playouts("TicTacToe-v0"))),
    Row(
        "random playouts, tic-tac-toe",
        "OpenSpiel tic_tac_toe",
        lambda: rate(peers.openspiel_playouts("tic_tac_toe")),
        peer=True,
    ),
    *(
        Row("random playouts", id, lambda id=id: rate(ours.playouts(id)))
        for id in (
            "Quixo-v0",
            "Quixo-v0:size=4",
            "ConnectN-v0",
            "ConnectFour-v0",
            "Nim-v0",
            "Quarto-v0",
        )
    ),
    Row("perft", "Quixo-v0, depth 5", lambda: seconds_of(ours.perft_of("Quixo-v0", 5)), "s"),
    Row("perft", "ConnectN-v0, depth 5", lambda: seconds_of(ours.perft_of("ConnectN-v0", 5)), "s"),
    *(
        Row("alpha-beta nodes", f"{id}:{depth}", lambda id=id, depth=depth: rate(ours.alpha_beta_nodes(id, depth)))
        for id, depth in (("Quixo-v0", 8), ("TicTacToe-v0", 9), ("ConnectFour-v0", 11))
    ),
    *(
        Row(
            "alpha-beta search",
            f"{id}:{depth}",
            lambda id=id, depth=depth: seconds_of(ours.alpha_beta_search(id, depth)),
            "s",
        )
        for id, depth in (("Quixo-v0", 8), ("ConnectFour-v0", 11))
    ),
    *(
        row
        for name, id, peer, depth in (
            ("tic-tac-toe", "TicTacToe-v0", "tic_tac_toe", 9),
            ("Connect Four", "ConnectFour-v0", "connect_four", 10),
        )
        for row in (
            Row(
                f"alpha-beta, {name}",
                f"{id}:{depth}, leaves 0",
                lambda id=id, depth=depth: seconds_of(ours.alpha_beta_search(id, depth, ZeroEvaluator())),
                "s",
            ),
            Row(
                f"alpha-beta, {name}",
                f"OpenSpiel in Python:{depth}, leaves 0",
                lambda peer=peer, depth=depth: seconds_of(peers.openspiel_alpha_beta(peer, depth)),
                "s",
                peer=True,
            ),
        )
    ),
    *(
        row
        for name, id, peer in (
            ("tic-tac-toe", "TicTacToe-v0", "tic_tac_toe"),
            ("Connect Four", "ConnectFour-v0", "connect_four"),
        )
        for row in (
            Row(f"MCTS, {name}", f"{id}, 1,000 simulations", lambda id=id: rate(ours.mcts_simulations(id, 1000))),
            Row(
                f"MCTS, {name}",
                "OpenSpiel in C++",
                lambda peer=peer: rate(peers.openspiel_mcts(peer, 1000)),
                peer=True,
            ),
        )
    ),
    *(
        Row("MCTS", f"{id}, 1,000 simulations", lambda id=id: rate(ours.mcts_simulations(id, 1000)))
        for id in ("Quixo-v0", "Quarto-v0")
    ),
    *(
        Row(
            "AlphaZero's tree, simulations",
            id,
            lambda id=id: rate(alphazero.tree_simulations(id)),
        )
        for id in ("TicTacToe-v0", "ConnectFour-v0", "Quixo-v0")
    ),
    *(
        Row(
            "AlphaZero simulations",
            f"self-play, 32x3, {threads} thread{'s' * (threads > 1)}",
            lambda threads=threads: rate(alphazero.self_play_simulations(threads), 1),
            cores=threads,
        )
        for threads in (1, 2)
    ),
    Row(
        "AlphaZero simulations",
        "self-play, 32x3, 2,048 games at once, 8 plies, PyTorch",
        lambda: rate(alphazero.batched_simulations(), 1),
    ),
    Row("AlphaZero simulations", "one leaf at a time, 256x10", lambda: rate(alphazero.report_simulations), peer=True),
    *(
        Row(
            "an action of Quixo",
            f"{agent}, {boards} boards" if boards > 1 else f"{agent}, one board",
            lambda agent=agent, boards=boards: seconds_of(ours.decisions("Quixo-v0", agent, boards)) / boards,
            "s",
        )
        for agent in ("minimax:depth=4", "mcts:simulations=1000", "alphazero")
        for boards in (1, 64)
    ),
    Row("an action of Quixo", "32x3 network alone, 200 simulations, one board", alphazero.network_seconds, "s"),
    *(
        Row("solve", id, lambda id=id: seconds_of(ours.solving(id)), "s")
        for id in ("TicTacToe-v0", "ConnectN-v0", "Quixo-v0:size=3", "Quixo-v0:size=4")
    ),
    Row(
        "solve",
        "Quarto-v0, 8 empty cells",
        lambda: seconds_of(ours.solving("Quarto-v0", "b9.e/..../a.d./35.8 - 0")),
        "s",
    ),
    Row("Position plies, tic-tac-toe", "TicTacToe-v0", lambda: rate(ours.positions("TicTacToe-v0"))),
    Row(
        "Position plies, tic-tac-toe",
        "OpenSpiel tic_tac_toe",
        lambda: rate(peers.openspiel_plies("tic_tac_toe")),
        peer=True,
    ),
    *(Row("Position plies", id, lambda id=id: rate(ours.positions(id))) for id in ("Quixo-v0", "Quarto-v0")),
    *(
        Row("AEC steps", id, lambda id=id: rate(ours.aec(id)))
        for id in ("TicTacToe-v0", "Quixo-v0", "ConnectFour-v0", "Nim-v0", "Quarto-v0")
    ),
    *(
        Row("AEC steps", f"PettingZoo {name}", lambda name=name: rate(peers.pettingzoo_steps(name)), peer=True)
        for name in ("tictactoe", "connect_four")
    ),
    *(
        Row("single-agent steps", id, lambda id=id: rate(ours.single_agent_steps(id)))
        for id in ("TicTacToe-v0", "Quixo-v0")
    ),
    *(
        row
        for name, id, peer in (
            ("tic-tac-toe", "TicTacToe-v0", "tic_tac_toe"),
            ("Connect Four", "ConnectFour-v0", "connect_four"),
        )
        for row in (
            Row(f"vector steps, {name}", id, lambda id=id: rate(ours.vector_steps(id, opponent=None))),
            Row(f"vector steps, {name}", f"pgx {peer}", lambda peer=peer: rate(peers.pgx_steps(peer)), peer=True),
        )
    ),
    Row("vector steps", "Quixo-v0", lambda: rate(ours.vector_steps("Quixo-v0", opponent=None))),
    Row("vector steps", "Gymnasium CartPole-v1", lambda: rate(peers.cartpole_steps()), peer=True),
    Row("set covering, greedy", "N = 1000", lambda: seconds_of(covering.compiled()), "s"),
    Row("set covering, greedy", "the same in plain Python", lambda: seconds_of(covering.plain()), "s", peer=True),
    Row("genetic algorithm", "quarto_ga, a decision", lambda: rate(quarto_ga.decisions)),
    Row("genetic algorithm", "the same in plain Python", lambda: rate(quarto_ga.plain_decisions), peer=True),
    *(
        Row(
            "vector steps, opponents",
            f"Quixo-v0, {opponent}, {threads} threads" if threads > 1 else f"Quixo-v0, {opponent}",
            lambda opponent=opponent, threads=threads: rate(
                ours.vector_steps("Quixo-v0", opponent=opponent, threads=threads)
            ),
            cores=threads,
        )
        for opponent, threads in (("random", 1), ("minimax:depth=1", 1), ("minimax:depth=1", 2))
    ),
    Row("new process", "python -c pass", lambda: seconds_of_process("-c", "pass"), "s"),
    Row("new process", "import numpy, gymnasium", lambda: seconds_of_process("-c", "import numpy, gymnasium"), "s"),
    Row("new process", "import ci_envs", lambda: seconds_of_process("-c", "import ci_envs"), "s"),
    Row("new process", "ci-envs --help", lambda: seconds_of_process("-m", "ci_envs", "--help"), "s"),
    *(
        row
        for group, id in (
            ("MaskablePPO, Quixo", "Quixo-v0"),
            ("MaskablePPO, Connect Four", "ConnectFour-v0"),
        )
        for row in (
            Row(group, "ci-envs train", lambda id=id: rate(sb3_training.our_trainer(id))),
            Row(group, "our VecEnv of 64, SB3's settings", lambda id=id: rate(sb3_training.our_vec_env(id, 64))),
            Row(group, "our VecEnv of 8, SB3's settings", lambda id=id: rate(sb3_training.our_vec_env(id, 8))),
            Row(group, "DummyVecEnv of 8, SB3's settings", lambda id=id: rate(sb3_training.tutorial(id)), peer=True),
            Row(
                group,
                "DummyVecEnv of 8, our settings",
                lambda id=id: rate(sb3_training.tutorial(id, sb3_training.our_settings)),
                peer=True,
            ),
        )
    ),
    Row(
        "MaskablePPO, Connect Four",
        "DummyVecEnv of 8, PettingZoo's",
        lambda: rate(sb3_training.tutorial_on_pettingzoo()),
        peer=True,
    ),
    *(
        Row(
            "tabular episodes",
            f"{method}, TicTacToe-v0",
            lambda method=method: rate(tabular.episodes(method), tabular.EPISODES),
        )
        for method in ("q_learning", "monte_carlo")
    ),
    Row(
        "tabular episodes",
        "Q-learning in plain Python",
        lambda: rate(tabular.plain_episodes, tabular.PLAIN_EPISODES),
        peer=True,
    ),
    Row("tabular match", "100,000 games of TicTacToe-v0", lambda: seconds_of(tabular.match(100_000)), "s"),
    Row("games of a population", "Quixo-v0 against random", lambda: rate(evolution.games)),
    Row("games of a population", "plain Python", lambda: rate(evolution.plain_games), peer=True),
)
