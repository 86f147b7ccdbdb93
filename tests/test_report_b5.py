"""Section B5, Quarto by the "wandering" genetic algorithm, compared with plain Python."""

import numpy as np
import pytest
from oracles.wandering import Wandering
from playing import batch_of, random_positions

from ci_envs import Position, Quarto, Quixo, make_agent
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT
from ci_envs.agents.evolution.quarto_ga import CROSSOVERS, MUTATIONS
from ci_envs.agents.evolution.wandering_ga import pairs_fitness
from ci_envs.agents.evolution.wandering_policy import WanderingOptions
from ci_envs.arena.match import play_match
from ci_envs.reports.catalog import section_of
from ci_envs.reports.report_b.quarto_wandering import VARIANTS, wandering_agent

POSITIONS = random_positions(Quarto(), 300, seed=11)
SMALL = {"population": 20, "generations": 5, "offspring": 12, "tournament_size": 3}


def plain_options(options):
    """Return the options in the form of the plain version."""
    names = options._asdict()
    names["mutation"] = next(name for name, number in MUTATIONS.items() if number == options.mutation)
    names["crossover"] = next(name for name, number in CROSSOVERS.items() if number == options.crossover)
    names["selection"] = "roulette" if options.selection == ROULETTE else "tournament"
    return names


def actions_of(options, positions, seeds):
    words = np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)
    return options.compiled().choose(Quarto(), words, np.array(seeds, dtype=np.uint64)).tolist()


def word_of(genes):
    return np.uint64(sum((gene & 255) << 8 * place for place, gene in enumerate(genes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"mutation": mutation, "crossover": crossover, "selection": selection, "is_sequential": ahead, **rest}
        for mutation, crossover, selection, ahead, rest in [
            (MUTATIONS["each"], CROSSOVERS["uniform"], ROULETTE, False, {"shift": 0, "restart": False}),
            (MUTATIONS["each"], CROSSOVERS["uniform"], ROULETTE, False, {"shift": 0, "max_pairs": 2}),
            (MUTATIONS["one"], CROSSOVERS["uniform"], ROULETTE, True, {}),
            (MUTATIONS["swap"], CROSSOVERS["pairs"], TOURNAMENT, True, {"restart": False}),
            (MUTATIONS["one"], CROSSOVERS["pairs"], ROULETTE, True, {"population": 3}),
        ]
    ],
    ids=str,
)
def test_chooses_as_in_plain_python(changes):
    options = WanderingOptions(**{**SMALL, **changes})
    positions = POSITIONS[::6]
    seeds = range(2**63, 2**63 + len(positions))
    expected = [
        Wandering(position, seed, **plain_options(options)).action()
        for position, seed in zip(positions, seeds, strict=True)
    ]
    assert actions_of(options, positions, seeds) == expected


def test_fitness_of_hand_made_genomes():
    """Pieces 0, 1 and 3 lie in the first row and lack two attributes. Pieces 12 to 15 have both, so they do not win."""
    place = Position.from_text(Quarto(), "013./..../..../.... 2 0")
    give = Position.from_text(Quarto(), "013./..../..../.... - 1")
    assert [action - 16 for action in give.legal_actions() if give.play(action).play(3).result is None] == [
        12,
        13,
        14,
        15,
    ]
    for position, genes, quarters in [
        (place, (2, 5, 6, 7, 3, 4, 5, 6), 4),  # wins at once
        (place, (2, 5, 6, 7, 4, 3, 5, 6), 2),  # could win
        (give, (-1, 5, 6, 7, 4, 3, 5, 6), -4),  # the opponent wins
        (give, (-1, 5, 6, 7, 4, 5, 3, 6), -2),  # the opponent could win
        (give, (-1, 12, 6, 7, 4, 3, 5, 6), 1),  # safe, then both players could win
        (give, (-1, 12, 6, 13, 4, 3, 5, 6), 2),
        (give, (-1, 12, 13, 6, 4, 3, 5, 6), 0),
    ]:
        words = np.uint64(position.own), np.uint64(position.opp)
        for ahead in (False, True):
            board = (Quarto(), *words, bool(position.opp >> 36), 4, ahead)
            if not ahead or genes[5] != 3:
                assert pairs_fitness(board, word_of(genes)) == quarters
    # the third piece could win on the current board, but the second piece has taken the cell
    board = (Quarto(), np.uint64(give.own), np.uint64(give.opp), False, 4, True)
    assert pairs_fitness(board, word_of((-1, 12, 6, 13, 4, 3, 5, 6))) == 1


@pytest.mark.parametrize("name", [*(f"B5:{name}".rstrip(":") for name in VARIANTS), "B5:rule"])
def test_every_agent_plays_legal_actions(name):
    actions = make_agent(f"report:{name}", Quarto(), seed=0).act_batch(batch_of(POSITIONS[::10])).tolist()
    for position, action in zip(POSITIONS[::10], actions, strict=True):
        assert action in position.legal_actions()


def test_gives_the_last_piece():
    """Report B's code returns no piece in this position."""
    position = Position.start(Quarto())
    rng = np.random.default_rng(0)
    while True:
        legal = position.legal_actions()
        if len(legal) == 1 and legal[0] >= 16:
            break
        position = position.play(int(rng.choice(legal)))
        if position.result is not None:
            position = Position.start(Quarto())
    assert make_agent("report:B5", Quarto(), seed=0).act_batch(batch_of([position])).tolist() == [legal[0]]


@pytest.mark.parametrize(("name", "games"), [("B5", 150), ("B5:rule", 2000)])
def test_wins_against_random_as_measured_elsewhere(name, games):
    """97.5% in the second seat, for report B's code and for the rule alone."""
    agent, opponent = (make_agent(spec, Quarto(), seed=seed) for seed, spec in enumerate((f"report:{name}", "random")))
    record = play_match(Quarto(), opponent, agent, games, swap_seats=False).sides[1].total
    assert abs(record.wins / games - 0.975) < 4 * (0.975 * 0.025 / games) ** 0.5


def test_the_section_has_its_agents():
    assert {"B5", "B5:restart", "B5:rule"} <= set(section_of("B5").agents)
    with pytest.raises(ValueError, match="report plays Quarto, not Quixo"):
        wandering_agent(Quixo(), None)
