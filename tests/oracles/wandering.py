"""The "wandering" genetic algorithm for Quarto in plain Python, on lists of pieces and cells.

The same random numbers give the same action as :mod:`ci_envs.agents.evolution.wandering_ga`.
"""

from benchmarks.plain_quarto_ga import PlainBoard, SplitMix64

_UNUSED = -1


class Wandering:
    """One decision of the algorithm."""

    def __init__(self, position, seed, **options):
        self.options = options
        self.random = SplitMix64(seed)
        self.board = PlainBoard.of(position)
        self.placing = self.board.hand is not None
        self.free_cells = [cell for cell in range(16) if self.board.pieces[cell] is None]
        self.used = min(options["max_pairs"], len(self.free_cells))

    def action(self):
        if self.used == 1 and not self.placing:
            return 16 + self.board.left[self.random.below(len(self.board.left))]
        o = self.options
        population = self.random_genomes(o["population"])
        for _ in range(o["generations"]):
            rated = [(self.fitness(genome), genome) for genome in population]
            added = []
            for _ in range(o["offspring"]):
                if self.share() < 0.9:
                    value, parent = self.select(rated)
                    mutant = self.mutate(parent)
                    added.append(mutant if self.fitness(mutant) > value else parent)
                if self.share() < 0.6:
                    mother, father = self.select(rated)[1], self.select(rated)[1]
                    added.append(self.cross(mother, father))
            population = self.best(population + added)
            if o["restart"] and self.fitness(population[0]) < 0:
                population = self.best(self.random_genomes(2 * o["population"]))
        best = population[0]
        return best[4] if self.placing else 16 + best[1]

    def best(self, genomes):
        different = list(dict.fromkeys(map(tuple, genomes)))
        return [list(g) for g in sorted(different, key=self.fitness, reverse=True)[: self.options["population"]]]

    def share(self):
        return (self.random.word() >> 11) / 2**53

    def coin(self):
        return self.random.word() >> 63 == 1

    def random_genomes(self, number):
        genomes = []
        for _ in range(number):
            genome = [self.board.hand if self.placing else _UNUSED] + [_UNUSED] * 7
            for place in [*range(1, self.used), *range(4, 4 + self.used)]:
                self.redraw(genome, place)
            genomes.append(genome)
        return genomes

    def redraw(self, genome, place):
        free, group = (self.board.left, genome[:4]) if place < 4 else (self.free_cells, genome[4:])
        values = [value for value in free if value not in group]
        if values:
            genome[place] = values[self.random.below(len(values))]

    def mutate(self, parent):
        genome, kind = list(parent), self.options["mutation"]
        places = [*range(1, self.used), *range(4, 4 + self.used)]
        if kind == "one":
            self.redraw(genome, places[self.random.below(len(places))])
        elif kind == "each":
            for place in places:
                if self.coin():
                    self.redraw(genome, place)
        else:
            for first, number in ((1, self.used - 1), (4, self.used)):
                if self.coin() and number >= 2:
                    one = self.random.below(number)
                    other = (one + 1 + self.random.below(number - 1)) % number
                    a, b = first + one, first + other
                    genome[a], genome[b] = genome[b], genome[a]
        return genome

    def cross(self, mother, father):
        if self.options["crossover"] == "uniform":
            genome = list(mother)
            for place in [*range(self.used), *range(4, 4 + self.used)]:
                if not self.coin():
                    genome[place] = father[place]
            return genome
        cut = 1 + self.random.below(self.used - 1) if self.used > 1 else 0
        pairs = [(mother if i < cut else father) for i in range(4)]
        return [pairs[i][i] for i in range(4)] + [pairs[i][4 + i] for i in range(4)]

    def select(self, rated):
        weights = [4 * value + self.options["shift"] for value, _ in rated]
        if self.options["selection"] == "roulette" and sum(weights) != 0:
            drawn, end = self.share(), 0.0
            for weight, one in zip(weights, rated, strict=True):
                end += weight / sum(weights)
                if end >= drawn:
                    return one
            return rated[-1]
        drawn = [rated[self.random.below(len(rated))] for _ in range(self.options["tournament_size"])]
        return max(drawn, key=lambda one: one[0])

    def fitness(self, genome):
        """Return the fitness as report B defines it, from -1 to 1."""
        board, fitness = self.board, 0.0
        for i, (piece, cell) in enumerate(zip(genome[:4], genome[4:], strict=True)):
            if i >= self.used or (i == 0 and not self.placing):
                continue
            wins, able = cell in board.wins_of(piece), bool(board.wins_of(piece))
            if i == 0 and able:
                return 1.0 if wins else 0.5
            if i == 1 and not self.placing:
                if able:
                    return -1.0 if wins else -0.5
                fitness += 0.25
            if i == 2 and (wins or able):
                fitness += 0.25
            if i == 3 and (wins or able):
                fitness -= 0.25
            if self.options["is_sequential"] and board.pieces[cell] is None:
                pieces = list(board.pieces)
                pieces[cell] = piece
                board = PlainBoard(pieces, None, [], board.squares)
        return fitness
