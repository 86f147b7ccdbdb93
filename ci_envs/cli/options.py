"""Options that several commands have."""

import click

seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed repeats the result."
)
max_cycles_option = click.option(
    "--max-cycles",
    metavar="PLIES",
    type=click.IntRange(min=1),
    help="End a game as a draw after this number of plies.  [default: 200 for games that can cycle, else no limit]",
)
