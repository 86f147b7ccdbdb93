"""Champions: evolved genomes in JSON files. Some champions are included in the package."""

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
from ci_envs.storage.formats import read_file
from ci_envs.storage.json_text import parse_json

_FORMAT = "ci_envs champion 1"
_SHIPPED = Path(__file__).with_name("champions")


@dataclass(frozen=True, eq=False)
class Champion:
    """A genome with everything that an agent needs to play by it.

    Attributes:
        agent: the name of the agent.
        game: the ``repr`` of the game that the genome was evolved for.
        options: the agent's options that belong to the genome, plain values.
        genome: float64 of shape (genes,).
        notes: how the genome was evolved, plain values.
    """

    agent: str
    game: str
    options: Mapping[str, Any]
    genome: Values
    notes: Mapping[str, Any]


def write_champion(path: Path, champion: Champion) -> None:
    """Write a champion as JSON. The file is replaced atomically, and reading it restores every number exactly."""
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
    """Return the files of the champions that are included in the package, by name."""
    return shipped_files(_SHIPPED, f"{agent}_", ".json")


def read_champion(path: str | Path | Champion, agent: str, game: Game) -> Champion:
    """Read a champion.

    Args:
        path: the path of a file, or the name of an included champion, for example ``quixo``. A :class:`Champion` is
            returned as it is.
        agent: the name of the agent.
        game: the game that the agent plays.

    Raises:
        ValueError: the file is damaged, is not a champion, or is of another agent or game.
        OSError: the file cannot be read.
    """
    if isinstance(path, Champion):
        return path
    content = read_file(shipped_file(path, _SHIPPED, f"{agent}_", ".json"), _FORMAT)
    try:
        about = parse_json(content)
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']!r}, not {_FORMAT!r}")
        found = about["agent"], about["game"]
        if found != (agent, repr(game)):
            raise ValueError(f"it is a champion of {found[0]} for {found[1]}, not of {agent} for {game}")
        genome = np.array(about["genome"], dtype=np.float64)
        if genome.ndim != 1 or not np.isfinite(genome).all():
            raise ValueError("its genome is not a list of numbers")
        champion = Champion(*found, dict(about["options"]), genome, dict(about["notes"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is not a valid champion: {error}") from None
    return champion


def best_of(
    game: Game,
    policy: GenomePolicy,
    candidates: Genomes,
    opponents: Sequence[Opponent],
    games: int,
    seed: int,
    *,
    draw_penalty: float = 0.0,
    play: PlayPopulation = play_population,
    **options: Any,
) -> tuple[int, float]:
    """Return the index of the genome that scores best in new games, and its mean score, from -1 to 1.

    The best genome of an evolution had random advantages in the games that selected it. Therefore new games decide.

    Args:
        game: the game.
        policy: the policy that plays by a genome.
        candidates: the genomes, float64 of shape (n, genes).
        opponents: the opponents of each genome.
        games: games of each genome against each opponent.
        seed: the seed of the games, which no generation of the evolution may have used.
        draw_penalty: see :func:`~ci_envs.agents.evolution.play.mean_scores`.
        play: the function that plays the games.
        **options: see :func:`~ci_envs.agents.evolution.play.play_population`.
    """
    results = play(game, policy, candidates, opponents, games, seed, **options)
    scores: NDArray[np.float64] = mean_scores(results, draw_penalty)
    best = int(scores.argmax())
    return best, float(scores[best])
