"""The agent that plays Quarto by a genetic algorithm, which evolves a new plan for each action.

The algorithms are in :mod:`ci_envs.agents.evolution.lookahead_ga` and :mod:`ci_envs.agents.evolution.wandering_ga`.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT, PlanSettings, evolve, new_buffers
from ci_envs.agents.evolution.wandering_ga import EACH, ONE, PAIRS, SWAP, UNIFORM
from ci_envs.agents.evolution.wandering_policy import WanderingOptions
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.kernels.dispatch import implements
from ci_envs.registry.options import Option, Untrusted, validated

SELECTIONS = {"tournament": TOURNAMENT, "roulette": ROULETTE}
"""The selections of parents by name."""

ALGORITHMS = ("tree", "wandering")
"""The algorithms, which differ in the fitness and the variation of plans."""

MUTATIONS = {"one": ONE, "each": EACH, "swap": SWAP}
"""The mutations of ``algorithm=wandering`` by name."""

CROSSOVERS = {"uniform": UNIFORM, "pairs": PAIRS}
"""The crossovers of ``algorithm=wandering`` by name."""

MAX_PLANS = 1 << 20
"""Maximum number of plans of a decision (48 MiB of working memory)."""

_MUTATION_RATE = 0.125
_RESTART = "restart"
_OPERATORS = f"one+uniform+{_RESTART}"


@dataclass(frozen=True)
class QuartoGAPolicy(Policy):
    """:class:`QuartoGAAgent` as a compiled policy. Its memory is the settings and the buffers of ``evolve``."""


@implements(choose, QuartoGAPolicy)
def _(policy: QuartoGAPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        settings, buffers = memory
        return evolve(game, own, opp, seed, settings, buffers)[0]

    return kernel


class QuartoGAAgent(PolicyAgent):
    """Agent that evolves plans for the next eight plies of Quarto, and plays the first action of the best plan.

    With ``algorithm=tree`` all plans together are a game tree whose values are backed up by minimax. The agent
    completes a line if it can, and gives a piece that completes a line only if all pieces do. ``algorithm=wandering``
    runs an evolution of pairs of a piece and a cell for each placement and for each piece.
    """

    @validated
    def __init__(
        self,
        game: Game,
        *,
        algorithm: Annotated[
            str,
            Option(
                "algorithm; tree: all plans together are a game tree; wandering: pairs of pieces and cells",
                choices=ALGORITHMS,
                untrusted=Untrusted(),
            ),
        ] = "tree",
        population: Annotated[
            int,
            Option(
                "number of initial random plans, and of parents in a generation",
                ge=2,
                le=MAX_PLANS,
                untrusted=Untrusted(most=1024),
            ),
        ] = 512,
        generations: Annotated[
            int,
            Option(
                "number of generations; 0 uses the random plans only", ge=0, le=MAX_PLANS, untrusted=Untrusted(most=100)
            ),
        ] = 40,
        offspring: Annotated[
            int,
            Option(
                "new plans per generation; with wandering it is the number of rounds, each of which adds a mutant "
                "with probability 0.9, and a child of two parents with probability 0.6",
                ge=1,
                le=MAX_PLANS,
                untrusted=Untrusted(most=1024),
            ),
        ] = 100,
        selection: Annotated[
            str, Option("selection of parents", choices=SELECTIONS, untrusted=Untrusted())
        ] = "tournament",
        tournament_size: Annotated[
            int,
            Option(
                "number of plans in a tournament; with wandering, tournaments replace the roulette if the sum of the "
                "fitness is 0",
                ge=1,
                le=MAX_PLANS,
                untrusted=Untrusted(most=64),
            ),
        ] = 2,
        mutation_rate: Annotated[
            float | None,
            Option(
                "probability that a gene of a new plan is drawn again; none is 0.125",
                ge=0,
                le=1,
                only_with="algorithm=tree",
                untrusted=Untrusted(),
            ),
        ] = None,
        operators: Annotated[
            str | None,
            Option(
                "none is one+uniform+restart; the mutation one draws one gene again, each draws every "
                "gene again with probability 1/2, and swap swaps two pieces with probability 1/2 and two cells with "
                "probability 1/2; the crossover uniform takes each gene from either parent, and pairs takes the first "
                "pairs of a piece and a cell from one parent, and the others from the other; with restart new random "
                "plans replace all plans if every plan loses",
                allowed="a mutation, a crossover and optionally restart, joined by +",
                only_with="algorithm=wandering",
                untrusted=Untrusted(),
            ),
        ] = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: ``game`` is not Quarto, or an option is out of range or belongs to the other algorithm.
        """
        require_game("quarto_ga", game, Quarto)
        self.algorithm = algorithm
        self.population = population
        self.generations = generations
        self.offspring = offspring
        plans = self.population + self.generations * self.offspring
        if plans > MAX_PLANS:
            raise ValueError(f"population + generations * offspring must be at most {MAX_PLANS}, not {plans}")
        self.selection = selection
        self.tournament_size = tournament_size
        self.mutation_rate = _MUTATION_RATE if mutation_rate is None else mutation_rate
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
        counts = self.population, self.generations, self.offspring, selection, self.tournament_size
        settings = PlanSettings(*counts, self.mutation_rate)
        return CompiledPolicy(QuartoGAPolicy(), (settings, new_buffers(settings)))


def _parse_operators(text: str) -> tuple[int, int]:
    """Return the mutation and the crossover of operators joined by ``+``."""
    names = str(text).split("+")
    mutations, crossovers = ([table[name] for name in names if name in table] for table in (MUTATIONS, CROSSOVERS))
    if (len(mutations), len(crossovers)) != (1, 1) or len(names) != 2 + (_RESTART in names):
        raise ValueError(
            f"operators must be a mutation ({', '.join(MUTATIONS)}), a crossover ({', '.join(CROSSOVERS)}) and"
            f" optionally {_RESTART}, joined by +, not {text!r}"
        )
    return mutations[0], crossovers[0]
