"""The picture with which a link to the site is shown elsewhere: `_static/card.png`, 1200 × 630."""

from __future__ import annotations

from importlib.metadata import metadata
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

GREEN, RED, DARK = "#11602c", "#a01722", "#1f2328"


def drawn(path: Path) -> None:
    """Draw it: the name, what it is for, a theorem, and the two verdicts."""
    with matplotlib.rc_context({"mathtext.fontset": "stix"}):
        picture = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
        canvas = FigureCanvasAgg(picture)
        first, rest = metadata("scanproof")["Summary"].split(" that ")
        for height, text, size, weight in (
            (0.83, "scanproof", 60, "bold"),
            (0.66, f"{first} that", 26, "normal"),
            (0.575, rest, 26, "normal"),
        ):
            picture.text(0.06, height, text, size=size, weight=weight, color=DARK, va="center")
        theorem = r"$W_T \;=\; W_0 - \eta\,\sum_{t=1}^{T}\nabla L_t(W_0)$"
        picture.text(0.06, 0.36, theorem, size=44, color=DARK, va="center")
        for left, verdict, colour in ((0.06, "proved", GREEN), (0.25, "refuted", RED)):
            box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": colour, "lw": 3}
            picture.text(left + 0.012, 0.12, verdict, size=28, color=colour, va="center", bbox=box)
        canvas.print_png(str(path))
