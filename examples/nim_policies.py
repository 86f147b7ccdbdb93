"""Every rule of the agent ``nim`` against random play and the expert, and which claims made for such rules hold.

It is the third laboratory of the course: rows of 1, 3, 5, ..., 2n - 1 objects for n = 3 to 7, without a bound and with
one, for each seat separately. The figures of the reports are those they publish; the rules are our reading
(:mod:`ci_envs.agents.nim.rules`).
Run it with ``python examples/nim_policies.py``; ``--games 40 --largest 4`` gives a quick look.
"""

from functools import reduce
from itertools import permutations, product
from operator import xor

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from ci_envs import Nim
from ci_envs.agents.nim.rule_agent import BASIC_RULES, NimRuleAgent
from ci_envs.agents.nim.rules import endgame_first, endgame_second
from ci_envs.arena import play_match
from ci_envs.arena.ratings import wilson_interval
from ci_envs.arena.results import Record
from ci_envs.games.nim import pack
from ci_envs.solver.nim import is_won

COMBINATIONS = {
    f"{odd} / {even}": {"rule": "count_and_decide", "odd": odd, "even": even}
    for odd, even in permutations(BASIC_RULES, 2)
}
SIMPLE = ("endgame_first", "endgame_second", "random", "nim_sum", "expert")
POLICIES = {name: {"rule": name} for name in BASIC_RULES} | COMBINATIONS | {name: {"rule": name} for name in SIMPLE}
FIXED = (*BASIC_RULES, *COMBINATIONS)  # those of which the reports say 45% to 85% against random
SEATS = ("1st", "2nd")
REPORTED = (0.45, 0.85)


@click.command()
@click.option("--games", default=1000, show_default=True, type=click.IntRange(min=2), help="Of a match, half a seat.")
@click.option("--bound", default=3, show_default=True, type=click.IntRange(2, 14), help="The bound beside none.")
@click.option("--largest", default=7, show_default=True, type=click.IntRange(3, 8), help="How many rows at most.")
@click.option("--seed", default=0, show_default=True)
def main(games, bound, largest, seed):
    """Play all, print the tables, and say what they and theory show."""
    starts = [[Nim(tuple(range(1, 2 * n, 2)), k) for n in range(3, largest + 1)] for k in (None, bound)]
    console = Console()
    console.width = max(console.width, 120)  # as wide as the tables
    for sizes in starts:
        with Console(stderr=True).status(f"playing with {bound_of(sizes[0])}"):
            results = play_all(sizes, games, seed)
        for opponent in opponents_of(sizes[0]):
            console.print(table_of(results, sizes, opponent))
        console.print(f"[bold]What this shows with {bound_of(sizes[0])}[/bold]", highlight=False)
        for sentence in findings(results, sizes):
            console.print(f"- {sentence}", highlight=False, markup=False)
        console.print()


def bound_of(game):
    """The bound in words."""
    return "no bound" if game.max_take is None else f"at most {game.max_take} a turn"


def opponents_of(game):
    """Whom the policies meet; without a bound the nim-sum is the expert."""
    return ("random", "expert") if game.max_take is None else ("random", "expert", "nim_sum")


def play_all(sizes, games, seed):
    """The records of all matches: a dictionary from (policy, opponent, game) to those in both seats."""
    results = {}
    for game, opponent, (name, options) in product(sizes, opponents_of(sizes[0]), POLICIES.items()):
        players = NimRuleAgent(game, **options, seed=seed), NimRuleAgent(game, opponent, seed=seed + 1)
        results[name, opponent, game] = play_match(game, *players, games).sides[0].seats
    return results


def table_of(results, sizes, opponent):
    """Per cent of games won, with the interval, of each policy in each seat."""
    table = Table(
        title=f"Per cent won against {opponent}, {bound_of(sizes[0])}",
        caption="a / b is count_and_decide with odd=a, even=b. In brackets stand 95% intervals. What the reports give"
        " is for both seats.",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        show_edge=False,
    )
    winners = [f"{len(game.heaps)} rows,\n{SEATS[winning_seat(game)]} wins" for game in sizes]
    for column in ("policy", "seat", *winners, "all", "reports" if opponent == "random" else ""):
        table.add_column(column, justify="left" if column in ("policy", "seat") else "right", no_wrap=True)
    for name in POLICIES:
        for seat in (0, 1):
            records = [results[name, opponent, game][seat] for game in sizes]
            cells = [share_of(record) for record in (*records, sum(records, Record()))]
            names = (name, reported(name, opponent)) if seat == 0 else ("", "")
            table.add_row(names[0], SEATS[seat], *cells, names[1])
    return table


def reported(name, opponent):
    """What the reports say of a policy against an opponent, where that is known."""
    low, high = REPORTED
    return f"{100 * low:.0f}-{100 * high:.0f}" if name in FIXED and opponent == "random" else ""


def share_of(record):
    """Per cent won and the interval: ``45 (38-52)``."""
    low, high = wilson_interval(record.wins, record.games)
    return f"{100 * record.score:.0f} ({100 * low:.0f}-{100 * high:.0f})"


def winning_seat(game):
    """0 if the first player wins from the start by theory, else 1."""
    return 0 if is_won(np.array(game.heaps), game) else 1


def losing_seat(game):
    """The other seat."""
    return 1 - winning_seat(game)


def findings(results, sizes):
    """Sentences about the claims, from the results and from theory."""
    yield from of_the_start(sizes)
    yield from of_winning_always(results, sizes)
    yield from of_the_fixed_rules(results, sizes)
    yield from of_the_endgame(results, sizes)
    yield from of_the_nim_sum(results, sizes)


def of_the_start(sizes):
    """Who wins at all."""
    k = sizes[0].max_take
    sums = [f"{len(game.heaps)} rows {reduce(xor, rests(game.heaps, k))}" for game in sizes]
    first = [str(len(game.heaps)) for game in sizes if winning_seat(game) == 0]
    second = [str(len(game.heaps)) for game in sizes if winning_seat(game) == 1]
    yield (
        f"The start: the exclusive or of the rows{'' if k is None else f' modulo {k + 1}'} is {', '.join(sums)}. So the"
        f" first player wins with {listed(first)} rows, the second with {listed(second)}, if both play right."
    )


def of_winning_always(results, sizes):
    """'100% against everything'."""
    flawless = {
        name: all(total(results, name, opponent, sizes).losses == 0 for opponent in opponents_of(sizes[0]))
        for name in POLICIES
    }
    lost = sum((total(results, name, "expert", sizes, losing_seat) for name in POLICIES), Record())
    yield (
        f"'100% against everything' holds for {sum(flawless.values())} of {len(POLICIES)} policies, and can hold for"
        " none: from the seat that theory calls lost nothing wins against the expert. Measured there, all policies"
        f" together: {lost.wins} wins in {lost.games:,} games."
    )
    won = {name: total(results, name, "expert", sizes, winning_seat) for name in POLICIES}
    right = [name for name, record in won.items() if record.losses == 0]
    yield f"From the seat that theory calls won, {listed(right)} won every game against the expert; no other did."


def of_the_fixed_rules(results, sizes):
    """45% to 85% against random, what makes the difference, and 41% against the nim-sum player."""
    shares = {name: total(results, name, "random", sizes).score for name in FIXED}
    worst, best = min(shares, key=shares.get), max(shares, key=shares.get)
    low, high = REPORTED
    inside = sum(low <= share <= high for share in shares.values())
    yield (
        f"'Fixed rules win {low:.0%} to {high:.0%} against random': {inside} of the {len(FIXED)} here do, all sizes and"
        f" both seats together, from {shares[worst]:.0%} ({worst}) to {shares[best]:.0%} ({best})."
    )
    takes = {
        (odd, even): np.mean([shares[name] for name in COMBINATIONS if kinds(name) == (odd, even)])
        for odd, even in (("max", "min"), ("min", "max"))
    }
    yield (
        "What counts is parity: once every row is a single object, who leaves an even number of rows wins. Count and"
        f" decide with max where the number is odd and min where it is even wins {takes['max', 'min']:.0%} on average,"
        f" the other way round {takes['min', 'max']:.0%}."
    )
    player = "expert" if sizes[0].max_take is None else "nim_sum"
    shares = {name: total(results, name, player, sizes).score for name in FIXED}
    best = max(shares, key=shares.get)
    perfect = ", which plays perfectly here, so that no rule can pass 50% of both seats" if player == "expert" else ""
    yield (
        f"'An evolved rule wins 41% against the nim-sum player'{perfect}: the best fixed rule, {best}, wins"
        f" {shares[best]:.1%} of its games."
    )


def kinds(name):
    """What a combination takes for odd and for even: ``("max", "min")``."""
    return tuple(COMBINATIONS[name][parity].partition("_")[0] for parity in ("odd", "even"))


def of_the_endgame(results, sizes):
    """In which seat each of the endgame rules works, and how far down."""
    for name, rule in (("endgame_first", endgame_first), ("endgame_second", endgame_second)):
        first, second = (sum((results[name, "random", game][seat] for game in sizes), Record()) for seat in (0, 1))
        seats = [(f"{len(game.heaps)} rows", better_seat(*results[name, "random", game])) for game in sizes]
        apart = [
            f"{rows} better {seat}" for rows, seat in [("all together", better_seat(first, second)), *seats] if seat
        ]
        yield (
            f"{name} against random: {share_of(first)} when it begins, {share_of(second)} when it answers. Where the"
            f" intervals of the seats do not meet: {listed(apart)}."
        )
        yield f"{name}, in all positions that are won: {kept_by(rule, sizes[-1])}."


def better_seat(first, second):
    """The seat that did better, if the intervals of the two do not meet, else None."""
    (low0, high0), (low1, high1) = (wilson_interval(record.wins, record.games) for record in (first, second))
    return SEATS[0] if low0 > high1 else SEATS[1] if low1 > high0 else None


def kept_by(rule, game):
    """How many of the won positions with few and with more rows left a rule keeps, and the first that it does not."""
    few, more, lapse = [], [], None
    for heaps in sorted(product(*(range(size + 1) for size in game.heaps[:4])), key=sum):
        if not is_won(np.array(heaps), game):
            continue
        row, more_than_one = divmod(rule(game, np.uint64(pack(heaps))), game.limit)
        after = taken(heaps, row, more_than_one + 1)
        kept = not is_won(np.array(after), game)
        (few if np.count_nonzero(heaps) <= 2 else more).append(kept)
        if not kept and lapse is None:
            lapse = f"from {heaps} it goes to {after}, but {winning_moves(heaps, game)[0]} wins"
    return (
        f"with rows up to {game.heaps[:4]}, it keeps {sum(few):,} of {len(few):,} where one or two rows are left, "
        f"{sum(more):,} of {len(more):,} where more are; {lapse or 'it never errs'}"
    )


def of_the_nim_sum(results, sizes):
    """Right without a bound; with one, what it costs."""
    game = sizes[0]
    record = total(results, "nim_sum", "expert", sizes, winning_seat)
    said = f"nim_sum from the won seat against the expert: {share_of(record)}"
    if game.max_take is None:
        yield f"{said}: without a bound it is the theory, and plays as the expert does."
        return
    yield f"{said}: with a bound the rows count modulo {game.max_take + 1}, which the nim-sum does not know."
    for k in sorted({2, game.max_take}):
        yield nim_sum_errs(Nim((2, k + 1, k + 2), k))


def nim_sum_errs(game):
    """A position in which the nim-sum loses a won game, or that there is no move to its liking though one wins."""
    k, missed = game.max_take, None
    for heaps in sorted(product(*(range(size + 1) for size in game.heaps)), key=sum):
        liked = [after for _, after in moves(heaps, game) if reduce(xor, after) == 0]
        losing = [after for after in liked if is_won(np.array(after), game)]
        if losing and is_won(np.array(heaps), game):
            wrong, modulo = losing[0], rests(losing[0], k)
            return (
                f"With at most {k} a turn, from {heaps} the nim-sum goes to {wrong}, whose exclusive or is 0. Modulo"
                f" {k + 1} these are {modulo}, with {reduce(xor, modulo)}: the opponent wins by"
                f" {winning_moves(wrong, game)[0]}, where {winning_moves(heaps, game)[0]} was right."
            )
        if missed is None and not liked and is_won(np.array(heaps), game):
            missed = heaps
    if missed is None:
        return f"With at most {k} a turn it does not err from {game.heaps} on."
    return (
        f"With at most {k} a turn, from {missed} no allowed move leaves a nim-sum of 0, so it plays at random, though"
        f" {winning_moves(missed, game)[0]} wins. Where there is one it is right"
        f"{f', since {k + 1} is a power of two' if k & (k + 1) == 0 else ' there'}."
    )


def moves(heaps, game):
    """The allowed moves, by name, and what they leave."""
    for row, size in enumerate(heaps):
        for number in range(1, min(size, game.limit) + 1):
            yield f"{row + 1}-{number}", taken(heaps, row, number)


def winning_moves(heaps, game):
    """The names of the moves that win by theory."""
    return [name for name, after in moves(heaps, game) if not is_won(np.array(after), game)]


def taken(heaps, row, number):
    """The heaps after a move."""
    return (*heaps[:row], heaps[row] - number, *heaps[row + 1 :])


def rests(heaps, k):
    """What the rows count with a bound of k."""
    return tuple(heap if k is None else heap % (k + 1) for heap in heaps)


def total(results, name, opponent, sizes, seat=None):
    """The record of a policy over all sizes, in the seat that a function of the game says, or in both."""
    seats = [results[name, opponent, game] for game in sizes]
    if seat is None:
        return sum((record for pair in seats for record in pair), Record())
    return sum((pair[seat(game)] for pair, game in zip(seats, sizes, strict=True)), Record())


def listed(words):
    """Words with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "none"


if __name__ == "__main__":
    main()
