"""A picture as SVG, PNG or PDF by matplotlib: the same bytes whenever it is drawn by the same version."""

from __future__ import annotations

import io
import math
import textwrap
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from .panel import Line, Maps, Panel, Picture, shown

FORMATS = ("svg", "png", "pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's, which readers without colour vision can tell apart; markers differ besides."""
MARKERS = "osD^vP"
SCALE = "PuOr"
"""Of heat maps: orange below 0, white at 0, purple above."""
GREY = "#555555"
DASHES = {"bound": "--", "beside": "-."}
SETTINGS = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10.5,
    "legend.fontsize": 8.5,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.hashsalt": "scanproof",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
}
DECADES = 100
"""An axis of logarithms that spans less is short."""
WIDTH, HEIGHT, LOW = 5.0, 3.9, 2.2
"""Of a panel, in inches; a row of heat maps alone is low."""
WORDS = 46
"""Characters of a title above heat maps that fit on a line."""


def matplotlib() -> Any:
    """The module `matplotlib`.

    Raises:
        UsageError: if it is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError(
            "plot needs matplotlib, which is not installed; try: pip install 'scanproof[plot]'"
        ) from error
    return matplotlib


def draw(picture: Picture, format: str) -> bytes:
    """The file's bytes; neither time nor the reader's own settings are in them.

    Args:
        picture: what is drawn.
        format: "svg", "png" or "pdf".

    Raises:
        UsageError: if matplotlib is not installed.
    """
    mpl = matplotlib()
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        from matplotlib.figure import Figure

        columns = min(2, len(picture.panels))
        rows = math.ceil(len(picture.panels) / columns)
        heights = [
            LOW if all(isinstance(one, Maps) for one in picture.panels[k : k + columns]) else HEIGHT
            for k in range(0, len(picture.panels), columns)
        ]
        figure = Figure(figsize=(WIDTH * columns, sum(heights) + 0.9), layout="constrained")
        figure.suptitle(picture.title, fontsize=12.5, fontweight="bold")
        axes = figure.subplots(rows, columns, squeeze=False, height_ratios=heights)
        for ax, panel in zip(axes.flat, picture.panels, strict=False):
            if isinstance(panel, Maps):
                _maps(ax, panel)
            else:
                _panel(ax, panel)
        for ax in axes.flat[len(picture.panels) :]:
            ax.set_axis_off()
        figure.supxlabel(picture.note, fontsize=8.5, color=GREY)
        file = io.BytesIO()
        figure.savefig(file, format=format, metadata=_metadata(picture, format))
    return file.getvalue()


def _metadata(picture: Picture, format: str) -> dict[str, Any]:
    words = {"Title": f"{picture.id}: {picture.title}"}
    if format == "svg":
        return {**words, "Description": picture.note, "Date": None}
    if format == "pdf":
        return {**words, "CreationDate": None}
    return {**words, "Software": None}


def _maps(ax: Any, panel: Maps) -> None:
    """One image of all matrices, with a column of nothing between two."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    tall = max(len(matrix) for _, matrix in panel.matrices)
    columns, middles = [np.full((tall, 0), np.nan)], []
    for name, matrix in panel.matrices:
        start = sum(part.shape[1] for part in columns)
        middles.append((start + (matrix.shape[1] - 1) / 2, name))
        full = np.full((tall, matrix.shape[1] + 1), np.nan)
        full[: len(matrix), :-1] = [shown(row, log=False) for row in matrix]
        columns.append(full)
    whole = np.concatenate(columns, axis=1)[:, :-1]
    most = float(np.nanmax(np.abs(whole))) or 1.0
    image = ax.imshow(whole, cmap=SCALE, vmin=-most, vmax=most, aspect="equal")
    ax.figure.colorbar(image, ax=ax, shrink=0.6)
    ax.set_title(textwrap.fill(panel.title, WORDS))
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.set_yticks([])
    ax.xaxis.set_major_locator(FixedLocator([at for at, _ in middles]))
    ax.xaxis.set_major_formatter(FixedFormatter([name for _, name in middles]))
    ax.tick_params(length=0)


def _panel(ax: Any, panel: Panel) -> None:
    colour: dict[int, tuple[str, str]] = {}
    for place, line in enumerate(panel.lines):
        free = sum(1 for one in panel.lines[:place] if one.like is None and one.role == "measured")
        own = COLOURS[free % len(COLOURS)], MARKERS[free % len(MARKERS)]
        colour[place] = own if line.like is None else colour[line.like]
        _line(ax, line, panel, *colour[place])
    ax.set_xscale("log" if panel.x_log else "linear")
    ax.set_yscale("log" if panel.y_log else "linear")
    _ticks(ax, panel)
    for at, words in panel.marks:
        ax.axvline(at, color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
        ax.annotate(
            words,
            (at, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=GREY,
        )
    ax.set_title(panel.title, pad=16 if panel.marks else 6)
    ax.set(xlabel=panel.x, ylabel=panel.y)
    ax.legend(loc="best", framealpha=0.85, handlelength=2.6)


def _ticks(ax: Any, panel: Panel) -> None:
    """Whole numbers where only they occur; on short axes of logarithms 1, 2 and 5 too; no labels that collide."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    if not panel.x_log and all(float(x).is_integer() for line in panel.lines for x in line.x):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    logs = ((ax.xaxis, panel.x_log), (ax.yaxis, panel.y_log))
    for axis in (axis for axis, log in logs if log):
        low, high = axis.get_view_interval()
        if low * DECADES > high:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def _line(ax: Any, line: Line, panel: Panel, colour: str, marker: str) -> None:
    x, y = np.asarray(line.x, dtype=float), shown(line.y, panel.y_log)
    name = line.label or "_none"  # which matplotlib leaves out of the legend
    if line.role == "guide":
        ax.plot(x, y, color=GREY, linewidth=1.0, linestyle=":", label=name)
    elif line.role in DASHES:
        ax.plot(x, y, color=colour, linestyle=DASHES[line.role], label=name)
    else:
        ax.plot(x, y, color=colour, marker=marker, label=name)
