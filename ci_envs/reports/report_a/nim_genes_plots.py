"""The plots of report A's genomes for Nim."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.reports.report_a.nim_genes import EPOCHS, EvolutionRecord
from ci_envs.reports.section import Panel, Plot, Series

GENES = ("preference", "range")
"""The names of the genes."""


def diversity_plot(selection: str, record: EvolutionRecord) -> Plot:
    """Return the genes of all populations of a run as dots."""
    panels = tuple(Panel(f"target {gene}", (_dots(record.genomes[:, :, number]),)) for number, gene in enumerate(GENES))
    return Plot(f"diversity_{selection}", f"Genome diversity over epochs, {selection}", "gene", "epoch", panels)


def _dots(genes: NDArray[np.float64]) -> Series:
    """Return the values of a gene, float64 (epochs, genomes), as dots. Equal rounded values share a dot."""
    dots = [(value, float(epoch)) for epoch, row in enumerate(genes, 1) for value in np.unique(row.round(2)).tolist()]
    return Series("", tuple(value for value, _ in dots), tuple(epoch for _, epoch in dots), "dots")


def heat_map(selection: str, record: EvolutionRecord) -> Plot:
    """Return the wins of a run by bins of the genes, with one panel for each epoch."""
    panels = tuple(
        Panel(f"epoch {epoch}", (_cells(record.genomes[epoch], record.wins[epoch]),)) for epoch in range(EPOCHS)
    )
    title = f"Wins over genome diversity through epochs, {selection}"
    return Plot(f"heat_{selection}", title, "target preference", "target range", panels)


def _cells(genomes: NDArray[np.float64], wins: NDArray[np.int64]) -> Series:
    """Return the wins in bins of 0.1, at the centres of the bins."""
    edges = np.linspace(0, 1, 11)
    sums, _, _ = np.histogram2d(genomes[:, 0], genomes[:, 1], bins=(edges, edges), weights=wins)
    centres = tuple((edges[:-1] + 0.05).round(2).tolist())
    x = tuple(centre for centre in centres for _ in centres)
    return Series("", x, centres * len(centres), "cells", tuple(sums.ravel().tolist()))
