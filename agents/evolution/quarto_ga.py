"""Quarto by a genetic algorithm that evolves a new plan for each action.

The algorithms are in :mod:`ci_envs.agents.evolution.lookahead_ga` and :mod:`ci_envs.agents.evolution.wandering_ga`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agent.supported_game import require_game
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT, evolve
from ci_envs.agents.evolution.wandering_ga import EACH, ONE, PAIRS, SWAP, UNIFORM
from ci_envs.agents.evolution.wandering_policy import WanderingOptions
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.kernels.dispatch import implements
from ci_envs.validation import integer_between, one_of, probability

SELECTIONS = {"tournament": TOURNAMENT, "roulette": ROULETTE}
"""How parents are selected, by name."""

ALGORITHMS = ("tree", "wandering")
"""How plans are judged and varied."""

MUTATIONS = {"one": ONE, "each": EACH, "swap": SWAP}
"""The mutations of ``algorithm=wandering`` by name."""

CROSSOVERS = {"uniform": UNIFORM, "pairs": PAIRS}
"""The crossovers of ``algorithm=wandering`` by name."""

MAX_PLANS = 1 << 20
"""Plans that a decision may evolve at most (48 MiB of working memory)."""

_MUTATION_RATE = 0.125
_RESTART = "restart"
_OPERATORS = f"one+uniform+{_RESTART}"


@dataclass(frozen=True)
class QuartoGAPolicy(Policy):
    """:class:`QuartoGAAgent` in compiled code; its memory is its options and the working memory of ``evolve``."""


@implements(choose, QuartoGAPolicy)
def _(policy: QuartoGAPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        options, rate, plans, values, keys, backed, fitness, parents = memory
        population, generations, offspring, selection, size = options
        return evolve(
            game,
            own,
            opp,
            seed,
            population,
            generations,
            offspring,
            selection,
            size,
            rate[0],
            plans,
            values,
            keys,
            backed,
            fitness,
            parents,
        )[0]

    return kernel


class QuartoGAAgent(PolicyAgent):
    """Evolves plans for the next eight plies, four positions and four pieces, and plays the first action of the best.

    With ``algorithm=tree`` all plans together are a game tree, whose values are backed up by minimax. The agent
    completes a line wherever it can, and never gives a piece that completes one if there is another. The algorithm
    ``wandering`` is the one that report B describes.
    """

    def __init__(
        self,
        game: Game,
        *,
        algorithm: str = "tree",
        population: int = 512,
        generations: int = 40,
        offspring: int = 100,
        selection: str = "tournament",
        tournament_size: int = 2,
        mutation_rate: float | None = None,
        operators: str | None = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Args:
            game: Quarto, with squares or without.
            algorithm: ``tree`` or ``wandering``.
            population: random plans to begin with, and parents of a generation, at least 2.
            generations: how many; 0 plays by the random plans alone.
            offspring: new plans a generation, at least 1; with ``wandering`` the rounds, of which each adds a mutant
                with probability 0.9 and a child of two parents with probability 0.6.
            selection: of parents: ``tournament`` or ``roulette``.
            tournament_size: plans that a tournament draws, at least 1.
            mutation_rate: for ``tree``: the probability, from 0 to 1, that a gene of a new plan is drawn again; None is
                0.125.
            operators: for ``wandering``: a mutation, a crossover and perhaps ``restart``, joined by ``+``; None is
                ``one+uniform+restart``. The mutation ``one`` draws one gene again, ``each`` every gene with probability
                1/2, and ``swap`` swaps two pieces with probability 1/2, and two cells. The crossover ``uniform`` takes
                each gene of either parent, ``pairs`` the first pairs of a piece and a cell of one parent and the others
                of the second. With ``restart`` new random plans replace all plans when every one of them loses.
            seed: of all that is random.

        Raises:
            ValueError: ``game`` is not Quarto, or an option is out of range or belongs to the other algorithm.
        """
        require_game("quarto_ga", game, Quarto)
        self.algorithm = one_of("algorithm", algorithm, ALGORITHMS)
        self.population = integer_between("population", population, 2, MAX_PLANS)
        self.generations = integer_between("generations", generations, 0, MAX_PLANS)
        self.offspring = integer_between("offspring", offspring, 1, MAX_PLANS)
        self._plans = self.population + self.generations * self.offspring
        if self._plans > MAX_PLANS:
            raise ValueError(f"population + generations * offspring must be at most {MAX_PLANS}, not {self._plans}")
        self.selection = one_of("selection", selection, SELECTIONS)
        self.tournament_size = integer_between("tournament_size", tournament_size, 1, MAX_PLANS)
        if algorithm == "tree":
            _refuse("wandering", "operators", operators)
        else:
            _refuse("tree", "mutation_rate", mutation_rate)
        self.mutation_rate = _MUTATION_RATE if mutation_rate is None else probability("mutation_rate", mutation_rate)
        self.operators = _OPERATORS if operators is None else operators
        self._mutation, self._crossover = _parse_operators(self.operators)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        selection = SELECTIONS[self.selection]
        if self.algorithm == "wandering":
            return WanderingOptions(
                self.population,
                self.generations,
                self.offspring,
                selection,
                self.tournament_size,
                self._mutation,
                self._crossover,
                _RESTART in self.operators.split("+"),
            ).compiled()
        counts = [self.population, self.generations, self.offspring, selection, self.tournament_size]
        words = [np.empty(self._plans, dtype=np.uint64) for _ in range(2)]
        numbers = [np.empty(self._plans, dtype=np.int64) for _ in range(3)]
        memory = (
            np.array(counts, dtype=np.int64),
            np.array([self.mutation_rate]),
            words[0],
            numbers[0],
            words[1],
            numbers[1],
            numbers[2],
            np.empty(self.population, dtype=np.int64),
        )
        return CompiledPolicy(QuartoGAPolicy(), memory)


def _refuse(algorithm: str, name: str, value: object) -> None:
    if value is not None:
        raise ValueError(f"{name}={value} is for algorithm={algorithm}: leave it out")


def _parse_operators(text: str) -> tuple[int, int]:
    """Return the mutation and the crossover of operators joined by ``+``."""
    names = str(text).split("+")
    mutations, crossovers = ([table[name] for name in names if name in table] for table in (MUTATIONS, CROSSOVERS))
    if (len(mutations), len(crossovers)) != (1, 1) or len(names) != 2 + (_RESTART in names):
        raise ValueError(
            f"operators must be a mutation ({', '.join(MUTATIONS)}), a crossover ({', '.join(CROSSOVERS)}) and perhaps"
            f" {_RESTART}, joined by +, not {text!r}"
        )
    return mutations[0], crossovers[0]
