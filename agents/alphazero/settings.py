"""The settings of the tree search."""

from typing import NamedTuple

PUCT, UCB, GUMBEL = 0, 1, 2

SELECTIONS = {"puct": PUCT, "ucb": UCB, "gumbel": GUMBEL}
"""The selection rules by name."""

MAX_SIMULATIONS, MAX_LOOKAHEAD, MAX_LEAVES = 1_000_000, 8, 64
"""The largest values of :class:`SearchSettings`."""


class SearchSettings(NamedTuple):
    """The settings of a search.

    Attributes:
        selection: PUCT, UCB or GUMBEL.
        exploration: the exploration constant, the factor of the prior.
        simulations: number of simulations, without the evaluation of the root.
        considered: number of actions that the root considers with GUMBEL.
        lookahead: plies within which a leaf about to be evaluated is searched for a forced result; 1 examines only its
            children.
        prior_temperature: divisor of the logits of the network. Above 1 the priors are flatter than its policy.
        leaves: maximum number of leaves of a tree that the network evaluates together.
    """

    selection: int = PUCT
    exploration: float = 1.5
    simulations: int = 200
    considered: int = 16
    lookahead: int = 1
    prior_temperature: float = 1.0
    leaves: int = 1


class PlayingOptions(NamedTuple):
    """The options for play that a game can preset, with their values for games that have no presets.

    Attributes:
        simulations: number of simulations per action.
        exploration: exploration constant, the factor of the prior.
        prior_temperature: temperature of the priors.
        temperature: temperature with which an action is sampled from the policy of the search.
        contempt: maximum reduction of the value of a draw.
        lookahead: plies within which a leaf is searched for a forced result.
    """

    simulations: int = 200
    exploration: float = 1.5
    prior_temperature: float = 1.0
    temperature: float = 0.0
    contempt: float = 0.0
    lookahead: int = 3
