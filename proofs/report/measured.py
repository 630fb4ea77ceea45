"""What was measured of a row, in Markdown: the orders of its O(·), and its picture where there is a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..orders import orders
from .markdown import code, escaped

Figures = Mapping[str, str]
"""From a row's id to its picture, as a page links it."""


def figures_beside(folder: Path) -> Figures:
    """The pictures in `figures`, the neighbour of a folder of pages, by the ids that are their names."""
    return {
        path.stem: f"../figures/{path.name}" for path in sorted(folder.parent.glob("figures/*.svg"))
    }


def measured(id: str, figures: Figures) -> list[str]:
    """Lines for the page of a row, an empty one after each part; none for most rows."""
    lines = []
    found = orders(id)
    if found:
        lines += ["*Measured orders,* in exact numbers on one small context.", ""]
        lines += [*(f"- {escaped(order)}" for order in found), ""]
    if id in figures:
        redo = code(f"scanproof plot {id} --output FILE.svg")
        lines += [
            f"![{id}: what the layers do, in numbers]({figures[id]})",
            "",
            f"Drawn by {redo}.",
            "",
        ]
    return lines
