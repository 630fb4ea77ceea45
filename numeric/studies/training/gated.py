"""Models with a gated non-linear unit: GRIL on sine targets (gril B.4), and as general layers in a stack (gril E.1)."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.constructions.gril import a2
from scanproof.constructs.layers import gril
from scanproof.constructs.learners.losses import sigmoid
from scanproof.constructs.tokens import left_padded_windows

from ...jax_arrays import JaxArray, Namespace, plain
from .models import CONSTANT, GATE, Arrays, Model, Start, gril_block

TINY = 1e-6
"""Beside the mean square of a row that is divided by its root."""


def unit_starts(name: str, width: int, hidden: int, out: int | None = None) -> dict[str, Start]:
    """The arrays of a gated unit, by a prefix of their names."""
    return {
        f"{name}.up": Start((hidden, width), width**-0.5),
        f"{name}.bias": Start((hidden,), 0.5),
        f"{name}.gate": Start((hidden, hidden), hidden**-0.5),
        f"{name}.down": Start((out or width, hidden), hidden**-0.5),
    }


def unit(arrays: Arrays, name: str, rows: Any) -> Any:
    """V (u ⊙ σ(W u)), u = U r + b: the weighted sigmoid gated unit of S5 between two projections."""
    inner = rows @ arrays[f"{name}.up"].T + arrays[f"{name}.bias"]
    return (inner * sigmoid(inner @ arrays[f"{name}.gate"].T)) @ arrays[f"{name}.down"].T


def gated_block(features: int, examples: int, *, constructed: bool = False) -> Model:
    """A GRIL block whose output goes through a gated unit (gril B.4).

    Args:
        features: f, of inputs and targets.
        examples: N.
        constructed: whether the block is fixed at the construction (gril A.2), so that the unit alone is trained.
    """
    block = gril_block(features, examples)
    fixed, trained = dict(block.fixed), dict(block.starts)
    if constructed:
        made = a2(Namespace(None), features, examples, 1.0)
        fixed |= {name: plain(getattr(made, name.rpartition(".")[2])) for name in trained}
        trained = {}
    starts = {**trained, **unit_starts("mlp", features, 4 * features)}

    def predict(arrays: Arrays, x: Any, y: Any) -> Any:
        return unit(arrays, "mlp", block.predict(arrays, x, y))

    name = "construction with MLP" if constructed else "GRIL with MLP"
    kept = "block fixed at the construction, " if constructed else "one layer, window 3, "
    return Model(name, f"{kept}gated unit of {4 * features}", starts, predict, fixed, GATE)


def gril_stack(
    vocabulary: int, answers: int, *, layers: int = 2, width: int = 24, window: int = 3
) -> Model:
    """GRIL as a general layer: embeddings, layers on causal windows one token apart, a readout of the last token.

    A layer normalises its rows, and adds to them what its block gives through a gated unit (gril Fig. 11).

    Args:
        vocabulary: how many tokens there are.
        answers: how many answers.
        layers: how many.
        width: of a token.
        window: tokens that a layer sees at once; 1 is none.
    """
    starts = {"embedding": Start((vocabulary, width), 1.0)}
    for i in range(layers):
        starts |= {
            f"layers.{i}.gate": Start((width, width), 0.1, 0.85),
            f"layers.{i}.mixing": Start((window, window), 1 / window),
            f"layers.{i}.query": Start((window,), window**-0.5),
            f"layers.{i}.beta": Start((), 0.0, 1 / width),
            **unit_starts(f"layers.{i}.mlp", width, 2 * width),
        }
    starts |= unit_starts("read", width, 2 * width, answers)

    def predict(arrays: Arrays, tokens: Any) -> Any:
        rows = JaxArray(arrays["embedding"].array[tokens.array])
        count = Namespace(None).asarray(CONSTANT)
        for i in range(layers):
            names = (f"layers.{i}.{name}" for name in ("gate", "mixing", "query", "beta"))
            seen = left_padded_windows(_normalised(rows), window)
            block = gril.Block(*(arrays[name] for name in names), count=count)
            out = gril.BLOCK.outputs(block, seen)
            rows = rows + unit(arrays, f"layers.{i}.mlp", _normalised(out))
        return unit(arrays, "read", _normalised(rows)[-1])

    name = "GRIL" if window > 1 else "GRIL without window"
    says = f"{layers} general layers of width {width}, window {window}, stride 1"
    return Model(name, says, starts, predict)


def _normalised(rows: Any) -> Any:
    """Each row divided by the root of its mean square."""
    array = rows.array
    mean = (array**2).mean(axis=-1, keepdims=True)
    return JaxArray(array / (mean + TINY) ** 0.5)
