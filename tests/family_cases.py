"""The families of exports, each beside its loops: what a stack of layers makes of a sequence of embeddings."""

from typing import Any

import loops
import numpy as np
from agreement import Draw
from layer_cases import WIDTH, Case, two_head
from layer_cases import block as gril_parameters

from scanproof.constructs.layers import gd_ssm, lsa, ssd
from scanproof.constructs.layouts import families, neutral
from scanproof.constructs.tokens import windows

LAYERS = 2


def cut(stream: Any) -> tuple[list[Any], list[int]]:
    """The windows (x_t, y_t, x_{t+1}) of a stream x_1, y_1, …, x_{n+1}, tokens as columns, and t."""
    n = len(stream) // 2
    windows = [np.array(loops.columns(stream[2 * k : 2 * k + WIDTH])) for k in range(n)]
    return windows, list(range(1, n + 1))


def zeros(rows: int, columns: int | None = None) -> list[Any]:
    return [0] * rows if columns is None else [[0] * columns for _ in range(rows)]


def gril_block(layers, rows):
    f = len(rows[0])
    return np.array(loops.gril(layers[0], zeros(f, f), cut(rows))[1])


def scalar_network(layers, rows):
    tokens = rows, range(1, len(rows) + 1)
    _, outputs = loops.gd_ssm(layers[0], zeros(len(layers[0].Psi)), tokens)
    return np.array([[one] for one in outputs])


def two_head_layer(layer, seen, below):
    f = len(layer.weights)
    sums = [
        [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(W, layer.weights, strict=True)]
        for W in below
    ]
    state = zeros(f, f), zeros(f, f)
    _, (weights, outputs) = loops.two_heads(False)(layer[:-1], state, (*seen, sums))
    return np.array(weights), np.array(outputs)


def two_head_stack(layers, rows):
    seen, f = cut(rows), len(rows[0])
    weights, outputs = [zeros(f, f) for _ in seen[1]], None
    for layer in layers:
        weights, outputs = two_head_layer(layer, seen, weights)
    return outputs


def ssd_layer(layers, rows):
    (layer,), n = layers, len(rows) - 1
    b, c = ([loops.apply(S, z) for z in rows] for S in (layer.S_B, layer.S_C))
    _, outputs = loops.ssd(None, zeros(len(rows[0]), len(b[0])), (rows, layer.decays, b, c))
    return np.array(
        [
            [z + out / n for z, out in zip(*pair, strict=True)]
            for pair in zip(rows, outputs, strict=True)
        ]
    )


def lsa_stack(layers, rows):
    D = len(rows[0])
    for layer in layers:
        _, rows = loops.lsa_recurrence(layer, zeros(D, D), rows)
    return np.array(rows)


def attention_stack(layers, rows):
    """Token by token, each over all examples."""
    for layer in layers:
        moved = []
        for z in rows:
            asked, change = loops.apply(layer.KQ, z), zeros(len(z))
            for seen in rows[:-1]:
                weight = sum(a * b for a, b in zip(seen, asked, strict=True))
                value = loops.apply(layer.PV, seen)
                change = [c + weight * v for c, v in zip(change, value, strict=True)]
            moved.append([a + c for a, c in zip(z, change, strict=True)])
        rows = moved
    return np.array(rows)


def network(d: Draw, f: int, k: int) -> gd_ssm.Scalar:
    return gd_ssm.Scalar(d(k, 2 * f), d(k, 2 * f), d(), np.asarray((0, 1)))


def interleaved(x, y):
    """x_1, y_1, …, x_{n+1} as rows (x, 0, 0), (0, y, 0), …, (x_{n+1}, 0, 1)."""
    (d, k), rows = (len(x[0]), len(y[0])), []
    for one, target in zip(x[:-1], y, strict=True):
        rows += [[*one, *zeros(k), 0], [*zeros(d), *target, 0]]
    return np.array([*rows, [*x[-1], *zeros(k), 1]])


def products(x, y):
    return np.array(
        [
            [*(c * target[0] for c in one), *following]
            for one, following, target in zip(x, x[1:], y, strict=False)
        ]
    )


def predicted(family, tokens, forward):
    """`neutral.predict` for one family, and its loops."""

    def compute(layers, weight, bias, readout, x, y):
        model = neutral.Model(family, tokens, layers, weight, bias, readout)
        return neutral.predict(model, x, y)

    def twin(layers, weight, bias, readout, x, y):
        raw = interleaved(x, y) if tokens == "interleaved" else products(x, y)
        rows = [[a + b for a, b in zip(loops.apply(weight, one), bias, strict=True)] for one in raw]
        return np.array(loops.apply(readout, forward(layers, np.array(rows))[-1]))

    return compute, twin


def data(d: Draw, N: int, f: int, k: int, width: int, raw: int, outputs: int) -> tuple[Any, ...]:
    return d(width, raw), d(width), d(k, outputs), d(N + 1, f), d(N, k)


def layer_of_two_heads(d: Draw, f: int) -> families.TwoHeadLayer:
    return families.TwoHeadLayer(*two_head(d), d(f, f))


def attention(d: Draw, D: int) -> lsa.Parameters:
    return lsa.Parameters(d.small(D, D), d.small(D, D), d())


FAMILY_CASES = {
    "prediction of gril": Case(
        *predicted("gril", "interleaved", gril_block),
        lambda d, N, f, k: ((gril_parameters(d, f),), *data(d, N, f, k, f, f + k + 1, f)),
    ),
    "prediction of gd-ssm": Case(
        *predicted("gd-ssm", "products", scalar_network),
        lambda d, N, f, k: ((network(d, f, k),), *data(d, N, f, 1, 2 * f, 2 * f, 1)),
    ),
    "family of gril": Case(
        lambda layers, rows: families.gril_block(layers, rows),
        gril_block,
        lambda d, N, f, k: ((gril_parameters(d, f),), d(2 * N + 1, f)),
    ),
    "family of gd-ssm": Case(
        lambda layers, rows: families.scalar_network(layers, rows),
        scalar_network,
        lambda d, N, f, k: (
            (network(d, f, k),),
            d(N, 2 * f),
        ),
    ),
    "family of two heads, a layer": Case(
        lambda layer, rows, below: families.two_head_layer(
            layer, windows(rows, families.WINDOW, families.STRIDE), below
        ),
        lambda layer, rows, below: two_head_layer(layer, cut(rows), below),
        lambda d, N, f, k: (layer_of_two_heads(d, f), d(2 * N + 1, f), d(N, f, f)),
    ),
    "family of two heads": Case(
        lambda layers, rows: families.two_head_stack(layers, rows),
        two_head_stack,
        lambda d, N, f, k: (
            tuple(layer_of_two_heads(d, f) for _ in range(LAYERS)),
            d.small(2 * N + 1, f),
        ),
    ),
    "family of ssd": Case(
        lambda layers, rows: families.ssd_layer(layers, rows),
        ssd_layer,
        lambda d, N, f, k: ((ssd.Parameters(d(N + 1), d(k, f), d(k, f)),), d(N + 1, f)),
    ),
    "family of lsa": Case(
        lambda layers, rows: families.lsa_stack(layers, rows),
        lsa_stack,
        lambda d, N, f, k: (tuple(attention(d, f) for _ in range(LAYERS)), d(N + 1, f)),
    ),
    "family of attention to the examples": Case(
        lambda layers, rows: families.attention_stack(layers, rows),
        attention_stack,
        lambda d, N, f, k: (
            tuple(
                families.AttentionToExamples(d.small(f, f), d.small(f, f)) for _ in range(LAYERS)
            ),
            d(N + 1, f),
        ),
    ),
}
