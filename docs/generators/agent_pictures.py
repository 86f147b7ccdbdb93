"""Generator of the pictures that explain the idea of each agent."""

from collections.abc import Callable

from docs.generators.sketch import INK, PALE, SECOND, STRONG, Sketch

Draw = Callable[[Sketch], None]


def agent_picture(name: str) -> str:
    """Return the picture of an agent as SVG.

    Raises:
        KeyError: There is no picture of the agent.
    """
    sketch = Sketch()
    PICTURES[name](sketch)
    return sketch.svg()


def _random(sketch: Sketch) -> None:
    sketch.bars(
        130,
        120,
        [0.5, 0.5, 0.02, 0.5, 0.5, 0.02, 0.5, 0.5, 0.5],
        ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"],
    )
    sketch.text(260, 160, "every legal action has the same probability")


def _human(sketch: Sketch) -> None:
    sketch.circle(80, 65, 20)
    sketch.box(50, 92, 60, 40)
    sketch.line((130, 95), (210, 95), arrow=True)
    sketch.box(220, 60, 250, 70, "Action of X (for example a1e1):\nb1b5")


def _process(sketch: Sketch) -> None:
    sketch.box(20, 55, 110, 80, "comparison")
    sketch.box(390, 55, 110, 80, "your program,\nany language")
    sketch.line((130, 75), (388, 75), arrow=True)
    sketch.line((390, 115), (132, 115), arrow=True)
    sketch.text(260, 62, '{"position": "X../.../... O", ...}')
    sketch.text(260, 130, '{"action": "b1"}')


def _text(sketch: Sketch) -> None:
    sketch.box(20, 40, 210, 110, "rules, position,\nlegal actions: b1, c1, a2\nWhich action?")
    sketch.line((230, 75), (318, 75), arrow=True)
    sketch.line((320, 115), (232, 115), arrow=True)
    sketch.text(275, 62, "prompt")
    sketch.text(275, 130, "Action: b1")
    sketch.box(320, 55, 130, 80, "language model")


def _minimax(sketch: Sketch) -> None:
    sketch.tree(140, 30, [["3"], ["3", "2"], ["5", "3", "2", "?"]], path=(0, 1), cut=3)
    sketch.text(260, 30, "the agent chooses the greatest value", anchor="start")
    sketch.text(260, 95, "the opponent chooses the smallest", anchor="start")
    sketch.text(260, 150, "evaluation of the last positions; '?' is", anchor="start")
    sketch.text(260, 168, "skipped, because it cannot change the 3", anchor="start")


def _mcts(sketch: Sketch) -> None:
    leaves = sketch.tree(115, 25, [["9"], ["6", "3"], ["4", "1", "2", "0"]], path=(0, 0))
    x, y = leaves[0]
    sketch.line((x, y + 14), (x, y + 34), dashed=True, colour=STRONG, width=2)
    sketch.text(225, 25, "numbers of visits", anchor="start")
    sketch.text(225, 90, "choose good results, or actions with few visits", anchor="start")
    sketch.text(225, 155, "play at random to the end of the game", anchor="start")


def _exact(sketch: Sketch) -> None:
    sketch.tree(130, 30, [["W"], ["L", "D"], ["W", "W", "D", "W"]], path=(0,))
    sketch.text(250, 30, "won, drawn or lost for the player to move", anchor="start")
    sketch.text(250, 95, "choose an action after which", anchor="start")
    sketch.text(250, 113, "the opponent has lost", anchor="start")


def _alphazero(sketch: Sketch) -> None:
    sketch.box(15, 65, 70, 60, "position")
    sketch.line((85, 95), (103, 95), arrow=True)
    sketch.network(115, 95, (3, 4, 3))
    sketch.line((213, 95), (233, 70), arrow=True)
    sketch.line((213, 95), (233, 135), arrow=True)
    sketch.text(238, 66, "probabilities", anchor="start")
    sketch.text(238, 136, "value 0.4", anchor="start")
    sketch.line((325, 95), (350, 95), arrow=True)
    sketch.tree(430, 25, [["0.4"], ["70%", "30%"], ["60%", "40%", "", ""]], path=(0, 0))


def _sb3(sketch: Sketch) -> None:
    sketch.box(20, 60, 90, 70, "planes of the\nobservation")
    sketch.line((110, 95), (138, 95), arrow=True)
    sketch.network(150, 95, (4, 5, 5, 4))
    sketch.line((300, 95), (328, 95), arrow=True)
    sketch.bars(340, 135, [0.3, 0.9, 0.02, 0.5, 0.02], ["a1", "b1", "c1", "a2", "b2"], strong=1)
    sketch.text(410, 170, "illegal actions are masked")


def _q_learning(sketch: Sketch) -> None:
    rows = [["", "a1", "b1", "c1"], ["now", "0.1", "0.5", "-0.2"], ["next", "0.8", "0.3", "0.0"]]
    sketch.table(20, 50, rows, [(1, 2), (2, 1)])
    sketch.line((107, 102), (128, 96), arrow=True, width=2)
    sketch.text(250, 70, "a row for each position; the value of the played", anchor="start")
    sketch.text(250, 90, "action moves towards the best value in the next", anchor="start")
    sketch.text(250, 110, "position", anchor="start")


def _monte_carlo(sketch: Sketch) -> None:
    for number in range(4):
        sketch.circle(60 + 90 * number, 70, 20, f"s{number + 1}")
        sketch.line((80 + 90 * number, 70), (128 + 90 * number, 70), arrow=True)
        sketch.line((60 + 90 * number, 118), (60 + 90 * number, 92), arrow=True)
    sketch.line((60, 118), (455, 118))
    sketch.line((455, 118), (455, 92))
    sketch.box(420, 48, 70, 44, "won", STRONG)
    sketch.text(260, 150, "the values of all positions of a game move towards its result")


def _evolution_strategy(sketch: Sketch) -> None:
    points = [(-50, -20), (-30, 35), (10, -45), (40, 30), (55, -25), (-10, 15)]
    for center, best in ((110, 4), (300, 2)):
        sketch.circle(center, 90, 9, fill=STRONG)
        for number, (x, y) in enumerate(points):
            sketch.circle(center + x, 90 + y, 6, fill=SECOND if number == best else PALE)
    sketch.line((190, 90), (225, 90), arrow=True)
    sketch.text(390, 75, "vary the weights,", anchor="start")
    sketch.text(390, 95, "keep the best", anchor="start")
    sketch.text(390, 115, "of some games", anchor="start")


def _neat(sketch: Sketch) -> None:
    sketch.network(60, 85, (3, 2))
    sketch.line((140, 85), (190, 85), arrow=True)
    sketch.network(220, 85, (3, 2))
    sketch.circle(243, 125, 7, fill=SECOND)
    sketch.line((220, 111), (243, 125), colour=SECOND, width=2)
    sketch.line((243, 125), (265, 98), colour=SECOND, width=2)
    sketch.text(310, 75, "mutation adds a neuron", anchor="start")
    sketch.text(310, 95, "or a connection;", anchor="start")
    sketch.text(310, 115, "crossover joins two networks", anchor="start")


def _nim(sketch: Sketch) -> None:
    sketch.heaps(60, 40, [1, 3, 5, 7], (3, 7))
    sketch.box(250, 60, 230, 60, "rule take_row:\ntake a whole heap")


def _nim_expert(sketch: Sketch) -> None:
    sketch.heaps(40, 40, [1, 3, 5, 6], (2, 1))
    for row, digits in enumerate(("001", "011", "101", "110")):
        sketch.text(220, 40 + 28 * row, digits)
    sketch.line((195, 140), (245, 140))
    sketch.text(220, 155, "001", fill=SECOND, bold=True)
    sketch.text(290, 85, "the nim-sum is the exclusive or;", anchor="start")
    sketch.text(290, 105, "move so that it becomes 0", anchor="start")


def _nim_ga(sketch: Sketch) -> None:
    for row, (first, second) in enumerate((("0", "2"), ("5", "0"))):
        sketch.box(40, 40 + 60 * row, 50, 34, first, PALE)
        sketch.box(90, 40 + 60 * row, 50, 34, second, STRONG if row else PALE)
    sketch.line((150, 87), (215, 87), arrow=True)
    sketch.box(225, 70, 50, 34, "0", PALE)
    sketch.box(275, 70, 50, 34, "0", STRONG)
    sketch.text(90, 150, "two genomes")
    sketch.text(275, 150, "their child")
    sketch.text(350, 77, "preferred nim-sum,", anchor="start")
    sketch.text(350, 97, "accepted distance", anchor="start")


def _nim_evolved(sketch: Sketch) -> None:
    sketch.heaps(40, 40, [1, 3, 5, 7])
    sketch.line((190, 85), (230, 85), arrow=True)
    sketch.bars(245, 120, [0.2, 0.9, 0.4], ["1", "2", "3"], strong=1)
    sketch.text(350, 75, "probabilities of the rules", anchor="start")
    sketch.text(350, 95, "in this kind of position", anchor="start")


def _quarto_ga(sketch: Sketch) -> None:
    for row in range(3):
        for column, text in enumerate(("b2", "p7", "c1", "p3", "d4", "p9", "a1", "p0")):
            sketch.box(40 + 38 * column, 35 + 36 * row, 36, 28, text if row == 1 else "", STRONG if row == 1 else PALE)
    sketch.text(190, 155, "plans: cells and pieces of the next eight plies")
    sketch.text(358, 70, "keep the plans with", anchor="start")
    sketch.text(358, 90, "the best result, vary them", anchor="start")


def _openspiel(sketch: Sketch) -> None:
    for column, text in enumerate(("game of\nci_envs", "game of\nOpenSpiel", "OpenSpiel's\nMCTS, minimax")):
        sketch.box(25 + 170 * column, 60, 130, 65, text)
        if column:
            sketch.line((170 * column - 15, 92), (170 * column + 23, 92), arrow=True)


def _report(sketch: Sketch) -> None:
    sketch.box(40, 35, 100, 120, "course\nreport", "#fff")
    for line in range(3):
        sketch.line((52, 120 + 10 * line), (128, 120 + 10 * line), width=0.8, colour=INK)
    sketch.line((145, 95), (185, 95), arrow=True)
    sketch.box(190, 65, 150, 60, "the same program,\nwith its bugs")
    sketch.line((345, 95), (380, 95), arrow=True)
    sketch.box(385, 65, 110, 60, "agent")


PICTURES: dict[str, Draw] = {
    "random": _random,
    "human": _human,
    "process": _process,
    "text": _text,
    "minimax": _minimax,
    "mcts": _mcts,
    "exact": _exact,
    "alphazero": _alphazero,
    "sb3": _sb3,
    "q_learning": _q_learning,
    "monte_carlo": _monte_carlo,
    "evolution_strategy": _evolution_strategy,
    "neat": _neat,
    "nim": _nim,
    "nim_expert": _nim_expert,
    "nim_ga": _nim_ga,
    "nim_evolved": _nim_evolved,
    "quarto_ga": _quarto_ga,
    "openspiel": _openspiel,
    "report": _report,
}
"""The function that draws the picture of each agent."""
