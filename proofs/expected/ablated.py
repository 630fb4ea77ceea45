"""Why an ablated model is compared with the predictor 0: whatever its parameters, its output ŷ has E ŷ y = 0.

Then E ½ (ŷ − y)² = E ½ ŷ² + E ½ y² ≥ E ½ y², the loss of 0. For y = w·q, which changes its sign with w and with q:

- **The block without window** adds up squares of one token each, the query's with it, and is read by the query: with
  w every target changes its sign, and the output does not.
- **Any block without multiplicative readout** is a sum of products of two entries: if every input and the query change
  their signs, so does every target, and the output does not.
- **The scalar-target network without products in its tokens** is a sum of products of an entry of some token and one of
  the last: likewise.
- **The scalar-target network without multiplicative readout** is a sum of terms x_t y_t, which likewise stay, and of
  inputs, which w does not change; without products, of targets besides, which the query does not change.

So each term is even where y is odd under a change of signs that the distribution does not see, at all sizes. The
models themselves are run here on symbols, their parameters too, and the expectation is taken: it is 0 as a polynomial
in the parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scanproof.constructs.constructions import gril_ablations
from scanproof.constructs.layers import gd_ssm, gril

from ..doors.record.exactly import exactly
from ..exact.entries import arranged
from .expectation import RandomArrays

MODELS = ("block", "network")
"""For several targets, as many as features, and for one."""


def goes_along(model: str, N: int, f: int, *, window: bool, readout: bool) -> bool:
    """Whether E ŷ y differs from 0 for some parameters of a model, y the query's (first) target.

    Args:
        model: of `MODELS`.
        N: examples.
        f: features.
        window: whether it has its window of three tokens, or the network its products.
        readout: whether its readout sees the query.
    """
    shapes = _block(f, window, readout) if model == "block" else _network(f, window, readout)
    names = {k: [f"{k}[{i}]" for i in range(int(np.prod(s)))] for k, s in shapes.items()}
    targets = f if model == "block" else 1
    random = RandomArrays(
        {"x": (N + 1, f), "w": (f, targets)}, [one for each in names.values() for one in each]
    )
    own = {name: _array(random, names[name], shape) for name, shape in shapes.items()}
    x = random.arrays["x"]
    y = x @ random.arrays["w"]
    count = {"count": np.array((1, 0))} if readout else {}
    if model == "block":
        kind: Any = gril.Block if readout else gril_ablations.FixedRead
    else:
        kind = gd_ssm.Scalar if readout else gril_ablations.FixedScalar

    def output(xp: Any, p: Any, x: Any, y: Any) -> Any:
        if model == "block":
            return gril_ablations.block(p, x, y, window)[0]
        return gril_ablations.network(p, x, y[:, 0], window)

    found = exactly(random.field, output, kind(**own, **count), x, y[:N])
    return bool(random.of_product(found.item(), y[N, 0]))


def _block(f: int, window: bool, readout: bool) -> dict[str, tuple[int, ...]]:
    width = 3 if window else 1
    read = {"query": (width,), "beta": ()} if readout else {"readout": (f,)}
    return {"gate": (f, f), "mixing": (width, width), **read}


def _network(f: int, window: bool, readout: bool) -> dict[str, tuple[int, ...]]:
    """With one state: the output of several is a sum of such outputs."""
    width = 2 * f if window else 2 * f + 1
    read = {"Theta": (1, width), "beta": ()} if readout else {"readout": (1,)}
    return {"Psi": (1, width), **read}


def _array(random: RandomArrays, names: list[str], shape: tuple[int, ...]) -> np.ndarray:
    return arranged((random.field.generators[name] for name in names), shape)
