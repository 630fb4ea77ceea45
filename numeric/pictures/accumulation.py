"""The construction of `gril.prop4.1` as heat maps: its matrices, and its state beside the gradient that it adds up."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from scanproof.constructs.layers.gril import Window, step
from scanproof.proofs.decide.construction import construct

from .drawing import GREY, SETTINGS, matplotlib

FEATURES, EXAMPLES = 4, 5


def states(seed: int = 0) -> tuple[dict[str, np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """The matrices, the state after each example, and minus the summed gradient at W = 0 of as many examples."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 3, (EXAMPLES + 1, FEATURES)).astype(float)
    y = rng.integers(-2, 3, (EXAMPLES, FEATURES)).astype(float)
    made = construct("gril.prop4.1", features=FEATURES, step_size=1)
    block = type(made.parameters)(*(np.asarray(v, dtype=float) for v in made.parameters))
    found = [np.zeros((FEATURES, FEATURES))]
    for t in range(EXAMPLES):
        window = np.stack([x[t], y[t], x[t + 1]], axis=1)
        found.append(step(block, found[-1], Window(window, np.asarray(t + 1.0)))[0])
    gradients = [y[:t].T @ x[:t] for t in range(EXAMPLES + 1)]
    matrices = {"gate A": block.gate, "mixing Q": block.mixing, "query q": block.query[:, None]}
    return matrices, found, gradients


def heat_maps() -> bytes:
    """The picture as SVG."""
    mpl = matplotlib()
    matrices, found, gradients = states()
    most = float(np.abs(gradients).max())
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**SETTINGS, "axes.grid": False})
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 5.6), layout="constrained")
        rows = figure.subplots(3, EXAMPLES + 1)
        for ax, (name, matrix) in zip(rows[0], matrices.items(), strict=False):
            _map(ax, name, matrix, 1.0)
        for ax in rows[0][len(matrices) :]:
            ax.set_axis_off()
        for t in range(EXAMPLES + 1):
            _map(rows[1][t], f"$Z_{t}$", found[t], most)
            _map(rows[2][t], rf"$-{t}\,\nabla L$" if t else r"$0$", gradients[t], most)
        words = "red: positive, blue: negative, white: 0; whole numbers drawn with a fixed seed"
        figure.supxlabel(words, fontsize=8.5, color=GREY)
        file = io.BytesIO()
        title = "Proposition 4.1: its matrices, its state after t examples, and the gradient"
        figure.savefig(file, format="svg", metadata={"Title": title, "Date": None})
    return file.getvalue()


def _map(ax: Any, title: str, matrix: np.ndarray, most: float) -> None:
    ax.imshow(matrix, cmap="RdBu_r", vmin=-most, vmax=most)
    ax.set_title(title)
    ax.set(xticks=[], yticks=[])
