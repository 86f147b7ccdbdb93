"""The reports of analyses, as Pydantic models."""

import math

from pydantic import BaseModel, Field

from ci_envs.agent_interface.analysis import Analysis, Branch
from ci_envs.games.position import Position

_TREE_DEPTH, _TREE_WIDTH = 4, 8  # of the part of the search tree in a report


class AnalysedAction(BaseModel):
    """The analysis of an action by an agent."""

    number: int
    name: str
    value: float | None = Field(
        description="The value for the player to move, from -1 to 1, or null if it was not searched."
    )
    visits: int | None = Field(description="The visit count, or null if the search has no simulations.")
    share: float | None = Field(description="The share of the visits, or null.")
    prior: float | None = Field(description="The prior probability of the network, or null without a network.")


class TreeBranch(BaseModel):
    """An action in a search tree, with the most visited actions after it."""

    number: int
    name: str
    visits: int
    value: float | None = Field(description="The value for the player who plays the action, from -1 to 1.")
    prior: float | None
    proven: bool = Field(description="Whether the value is exact.")
    children: list["TreeBranch"]


class AnalysisReport(BaseModel):
    """The current analysis of a position by an agent."""

    value: float = Field(description="The value for the player to move, from -1 to 1.")
    win_probability: float | None = Field(
        description="The winning chances of the player to move, where a draw counts as one half, or null if unknown."
    )
    simulations: int | None
    depth: int | None
    nodes: int | None
    tables: str | None = Field(
        description="The value in the agent's tables, or why they have none. Null if the agent has no tables."
    )
    principal_variation: list[str]
    actions: list[AnalysedAction]
    tree: list[TreeBranch]


def report_of(analysis: Analysis, position: Position) -> AnalysisReport:
    """Return an analysis as a report of the REST API."""
    visits, priors = analysis.visits, analysis.priors
    total = None if visits is None else max(1, int(visits.sum()))
    actions = [
        AnalysedAction(
            number=action,
            name=position.action_name(action),
            value=_finite(value),
            visits=None if visits is None else int(visits[action]),
            share=None if visits is None or total is None else float(visits[action]) / total,
            prior=None if priors is None else float(priors[action]),
        )
        for action, value in analysis.action_values.items()
    ]
    return AnalysisReport(
        value=float(analysis.value),
        win_probability=(analysis.value + 1) / 2 if analysis.tree is not None else None,
        simulations=total,
        depth=analysis.depth,
        nodes=analysis.nodes,
        tables=analysis.tables,
        principal_variation=position.line_names(analysis.principal_variation),
        actions=actions,
        tree=[] if analysis.tree is None else _tree(analysis.tree(_TREE_DEPTH, _TREE_WIDTH), position),
    )


def _tree(branches: tuple[Branch, ...], position: Position) -> list[TreeBranch]:
    return [
        TreeBranch(
            number=branch.action,
            name=position.action_name(branch.action),
            visits=branch.visits,
            value=_finite(branch.value),
            prior=branch.prior,
            proven=branch.proven,
            children=_tree(branch.children, position.play(branch.action)) if branch.children else [],
        )
        for branch in branches
    ]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
