"""A Mamba-2 model from checked settings and tensors, run on batches of tasks by its definition, in float64.

What is run is the released module with `inputs_embeds`: blocks, final norm, head; norms over each group's channels, and
head h in group h // (H / G), as in current releases. NumPy's warnings are off: in SiLU exp overflows, and 1/exp is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Parameters
from scanproof.constructs.layouts import hf_mamba2, mamba_ssm
from scanproof.constructs.layouts.neutral import ENCODING
from scanproof.constructs.tokens.mamba2 import LAYOUTS, Layout

from ..export.loading import Loaded
from ..export.mamba2_loaded import PARTS, Model, as_loaded
from ..rounding.batch import Batch

WORKSPACE = 2**19
"""Numbers in the states of one head for the tasks that run at once; what stays in a cache is faster."""


class Stack(NamedTuple):
    """A model on a tokenisation."""

    model: Model
    layout: Layout
    family = "mamba2"

    @property
    def layers(self) -> tuple[Parameters, ...]:
        """The blocks."""
        return tuple(self.model.blocks)

    @property
    def sizes(self) -> tuple[int, int]:
        """(d, k)."""
        return self.layout.slots.d, self.layout.slots.k


def models(loaded: Loaded) -> dict[str, Stack]:
    """The model on each tokenisation that the encoding's width allows, by its name."""
    named = for_transformers(loaded)
    model = model_of(named.settings or {}, named.tensors, named.encoding)
    possible = layouts(model.encode_weight.shape[1], model.targets)
    return {layout.name: Stack(model, layout) for layout in possible}


def for_transformers(loaded: Loaded) -> Loaded:
    """With settings and tensors under transformers' names."""
    if loaded.settings is None or "ssm_cfg" not in loaded.settings:
        return loaded
    settings, tensors = mamba_ssm.for_transformers(loaded.settings, loaded.tensors)
    return loaded._replace(settings=settings, tensors=tensors)


def model_of(
    settings: Mapping[str, Any],
    state: Mapping[str, np.ndarray],
    encoding: Mapping[str, np.ndarray],
) -> Model:
    """The model of settings and tensors under transformers' names that fit each other, as `export.loading` checks."""
    wide = {key: np.asarray(array, dtype=np.float64) for key, array in state.items()}
    weight, bias, readout = (np.asarray(encoding[name], dtype=np.float64) for name in ENCODING)
    return Model(
        sizes=hf_mamba2.sizes_of(settings),
        blocks=hf_mamba2.blocks(settings, wide),
        norm=wide[hf_mamba2.FINAL_NORM],
        readout=readout @ wide[hf_mamba2.HEAD],
        encode_weight=weight,
        encode_bias=bias,
        eps=float(settings.get("layer_norm_epsilon", hf_mamba2.EPSILON)),
        wide=bool(settings.get("residual_in_fp32", True)),
    )


def layouts(width: int, targets: int) -> list[Layout]:
    """The tokenisations of k targets whose raw tokens have r numbers."""
    found = []
    for layout in LAYOUTS.values():
        one, two = (sum(stop - start for start, stop in layout(d, targets).fields) for d in (1, 2))
        more, rest = divmod(width - one, two - one)
        if more >= 0 and not rest:
            found.append(layout(1 + more, targets))
    return found


def predictions(
    model: Model, layout: Layout, x: np.ndarray, y: np.ndarray, dtype: str | None = None
) -> np.ndarray:
    """What the model predicts at the last token, once; see `predictor`."""
    return predictor(model, layout, dtype)(x, y)


def predictor(
    model: Model, layout: Layout, dtype: str | None = None
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """What the model predicts at the last token, NaN or infinite where it overflows.

    Args:
        model: see `Model`.
        layout: the tokenisation.
        dtype: the format in which the modules run the weights; in float64 by the definition if it is not given.

    Returns:
        A function of x (tasks, n + 1, d), the query last, and y (tasks, n, k), to (tasks, k).
    """
    run = partial(_run, model) if dtype is None else as_loaded(dtype, model)

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        length = layout.tokens(x[0], y[0]).shape[0]
        at_once = max(1, WORKSPACE // (length * model.sizes.head_dim * model.sizes.state))
        parts = [
            run(layout.tokens(Batch(x[i : i + at_once]), Batch(y[i : i + at_once])))
            for i in range(0, len(x), at_once)
        ]
        return np.concatenate(parts)

    return predict


def operations(model: Model, layout: Layout, n: int) -> float:
    """Multiplications of a prediction from n examples, about."""
    H, _, P, S = model.sizes
    rows = len(model.blocks[0].in_proj) + H * P
    d, k = layout.slots.d, layout.slots.k
    length = len(layout.tokens(np.zeros((n + 1, d)), np.zeros((n, k))))
    return len(model.blocks) * length * (4 * H * P * S + len(model.norm) * rows)


def _run(model: Model, raw: Any) -> np.ndarray:
    stream = raw @ model.encode_weight.T + model.encode_bias
    for parameters in model.blocks:
        stream = mamba2_block.block(parameters, model.sizes, stream, model.eps, PARTS)
    last = PARTS.norm(stream[-1:], model.norm, model.eps)
    return (last @ model.readout.T).data[:, 0]
