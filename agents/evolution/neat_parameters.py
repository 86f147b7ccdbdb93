"""The parameters of NEAT, with their names in neat-python."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ci_envs.registry.options import Option, Validated, options_of

_FIXED = {
    "num_hidden": "0",
    "feed_forward": "True",
    "response_init_mean": "1.0",
    "response_init_stdev": "0.0",
    "response_mutate_rate": "0.0",
    "response_mutate_power": "0.0",
    "response_replace_rate": "0.0",
    "response_max_value": "8",
    "response_min_value": "-8",
    "activation_mutate_rate": "0.0",
    "aggregation_default": "sum",
    "aggregation_options": "sum",
    "aggregation_mutate_rate": "0.0",
    "enabled_default": "True",
}
"""Parameters of neat-python that the evaluation of rows requires."""

SPECIES = ("compatibility_threshold", "compatibility_step", "compatibility_least")
STAGNATION = ("max_stagnation", "species_elitism")
REPRODUCTION = ("elitism", "survival_threshold", "min_species_size")
_LIMITED = ("weight", "bias")

_CONNECTIONS = ("full_direct", "unconnected", "fs_neat_nohidden")


@dataclass(frozen=True, kw_only=True)
class NeatParameters(Validated):
    """The parameters of NEAT, with their names in neat-python."""

    initial_connection: Annotated[
        str,
        Option(
            "connections of the initial networks: full_direct connects each input to each output, fs_neat_nohidden "
            "connects one random input to each output",
            choices=_CONNECTIONS,
        ),
    ] = "full_direct"
    compatibility_threshold: Annotated[
        float, Option("initial genetic distance above which networks belong to different species", gt=0)
    ] = 3.0
    compatibility_step: Annotated[
        float, Option("factor by which the threshold changes per generation to reach the number of species", ge=1)
    ] = 1.05
    compatibility_least: Annotated[float, Option("smallest value of the threshold", gt=0)] = 0.01
    compatibility_disjoint_coefficient: Annotated[
        float, Option("weight of disjoint and excess genes in the genetic distance", ge=0)
    ] = 1.0
    compatibility_weight_coefficient: Annotated[
        float, Option("weight of the differences of matching genes in the genetic distance", ge=0)
    ] = 0.5
    conn_add_prob: Annotated[float, Option("probability that a mutation adds a connection", ge=0, le=1)] = 0.3
    conn_delete_prob: Annotated[float, Option("probability that a mutation removes a connection", ge=0, le=1)] = 0.1
    node_add_prob: Annotated[
        float, Option("probability that a mutation splits a connection with a node", ge=0, le=1)
    ] = 0.15
    node_delete_prob: Annotated[float, Option("probability that a mutation removes a node", ge=0, le=1)] = 0.05
    weight_init_mean: Annotated[float, Option("mean of the weights of new connections", ge=-8, le=8)] = 0.0
    weight_init_stdev: Annotated[float, Option("standard deviation of the weights of new connections", ge=0)] = 1.0
    weight_mutate_rate: Annotated[float, Option("probability that normal noise is added to a weight", ge=0, le=1)] = 0.8
    weight_mutate_power: Annotated[float, Option("standard deviation of this noise", ge=0)] = 0.4
    weight_replace_rate: Annotated[float, Option("probability that a weight is drawn again", ge=0, le=1)] = 0.05
    weight_limit: Annotated[float, Option("largest absolute weight", gt=0)] = 8.0
    bias_init_mean: Annotated[float, Option("mean of the biases of new nodes", ge=-8, le=8)] = 0.0
    bias_init_stdev: Annotated[float, Option("standard deviation of the biases of new nodes", ge=0)] = 1.0
    bias_mutate_rate: Annotated[float, Option("probability that normal noise is added to a bias", ge=0, le=1)] = 0.7
    bias_mutate_power: Annotated[float, Option("standard deviation of the noise of a bias", ge=0)] = 0.4
    bias_replace_rate: Annotated[float, Option("probability that a bias is drawn again", ge=0, le=1)] = 0.05
    bias_limit: Annotated[float, Option("largest absolute bias", gt=0)] = 8.0
    enabled_mutate_rate: Annotated[
        float, Option("probability that a connection is enabled or disabled", ge=0, le=1)
    ] = 0.01
    max_stagnation: Annotated[int, Option("generations without improvement after which a species is removed", ge=1)] = (
        20
    )
    species_elitism: Annotated[int, Option("number of best species that are never removed", ge=0)] = 2
    elitism: Annotated[
        int,
        Option("number of best networks of a species that survive unchanged, if there is room", ge=0),
    ] = 1
    survival_threshold: Annotated[float, Option("fraction of a species that become parents", gt=0, le=1)] = 0.2
    min_species_size: Annotated[int, Option("minimum number of networks of a species, if there is room", ge=1)] = 1

    def genome_parameters(self) -> dict[str, str]:
        """Return the genome parameters as texts for neat-python."""
        found = dict(_FIXED)
        for name in options_of(NeatParameters):
            kind, _, rest = name.partition("_")
            value = getattr(self, name)
            if kind in _LIMITED and rest == "limit":
                found |= {f"{kind}_max_value": str(value), f"{kind}_min_value": str(-value)}
            elif name not in (*SPECIES, *STAGNATION, *REPRODUCTION):
                found[name] = str(value)
        return found

    def texts(self, names: Sequence[str]) -> dict[str, str]:
        """Return some parameters as texts for neat-python."""
        return {name: str(getattr(self, name)) for name in names}


DEFAULT_PARAMETERS = NeatParameters()
"""The default parameters, which were tuned on Quixo."""
