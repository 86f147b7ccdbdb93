"""Champions: genomes in JSON files; some come with the package."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.evolution.play import GenomePolicy, Opponent, PlayPopulation, mean_scores, play_population
from ci_envs.games.game import Game
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.storage.files import shipped_file, shipped_files, write_whole

_FORMAT = "ci_envs champion 1"
_SHIPPED = Path(__file__).with_name("champions")


@dataclass(frozen=True, eq=False)
class Champion:
    """A genome with all that an agent needs to play by it.

    Attributes:
        agent: the name of the agent.
        game: the game that it evolved for, as ``repr`` writes it.
        options: the options of the agent that belong to the genome, plain values.
        genome: float64 (genes,).
        notes: how the genome was made, plain values.
    """

    agent: str
    game: str
    options: Mapping[str, Any]
    genome: Values
    notes: Mapping[str, Any]


def write_champion(path: Path, champion: Champion) -> None:
    """Write a champion as JSON to a file that is replaced at once; every number is restored exactly."""
    about = {
        "format": _FORMAT,
        "agent": champion.agent,
        "game": champion.game,
        "options": dict(champion.options),
        "notes": dict(champion.notes),
        "genome": [float(gene) for gene in champion.genome],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(about, indent=1) + "\n").encode())


def shipped_champions(agent: str) -> dict[str, Path]:
    """Return the files of the champions that come with the package, by name."""
    return shipped_files(_SHIPPED, f"{agent}_", ".json")


def read_champion(path: str | Path | Champion, agent: str, game: Game) -> Champion:
    """Read a champion.

    Args:
        path: of its file, or a name such as ``quixo`` of one that comes with the package; a champion is returned.
        agent: the name of the agent.
        game: the game that it plays.

    Raises:
        ValueError: the file is damaged, something else, or of another agent or game.
        OSError: it cannot be read.
    """
    if isinstance(path, Champion):
        return path
    content = shipped_file(path, _SHIPPED, f"{agent}_", ".json").read_bytes()
    try:
        about = json.loads(content)
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']!r}, not {_FORMAT!r}")
        found = about["agent"], about["game"]
        if found != (agent, repr(game)):
            raise ValueError(f"a champion of {found[0]} for {found[1]}, not of {agent} for {game}")
        genome = np.array(about["genome"], dtype=np.float64)
        if genome.ndim != 1 or not np.isfinite(genome).all():
            raise ValueError("its genome is not a list of numbers")
        champion = Champion(*found, dict(about["options"]), genome, dict(about["notes"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no champion that can play here: {error}") from None
    return champion


def best_of(
    game: Game,
    policy: GenomePolicy,
    candidates: Genomes,
    opponents: Sequence[Opponent],
    games: int,
    seed: int,
    *,
    starts: NDArray[np.uint64] | None = None,
    in_turn: bool | None = None,
    max_cycles: int | None = None,
    play: PlayPopulation = play_population,
) -> tuple[int, float]:
    """Return the index of the best of some genomes in new games, and its mean score, from -1 to 1.

    The best genome of an evolution was partly lucky in the games that chose it, so new games decide.

    Args:
        game: the game.
        policy: plays by the genomes.
        candidates: genomes (n, genes).
        opponents: what each genome plays against.
        games: of each genome against each opponent.
        seed: of the games; no generation of the evolution may have used it.
        starts: initial positions, see :func:`~ci_envs.agents.evolution.play.play_population`.
        in_turn: as in that function.
        max_cycles: plies after which a game is a draw; None is the game's own limit.
        play: plays the games.
    """
    played = play(
        game,
        policy,
        candidates,
        opponents,
        games,
        seed,
        starts=starts,
        in_turn=in_turn,
        max_cycles=max_cycles,
    )
    scores: NDArray[np.float64] = mean_scores(played)
    best = int(scores.argmax())
    return best, float(scores[best])
