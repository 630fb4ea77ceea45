"""Why an ablated model is compared with the predictor 0: nothing that it can compute goes along with the target.

The best predictor of y = w·q in squared error that is a combination of features φ is 0 if E φ y = 0 for each of them.
Without window no token product pairs an input with its target; without multiplicative readout no product has the query.
What is left are polynomials in the tokens of which each has one of the entries of w, of q, or of an example an odd
number of times: their expectations with y are 0, which is computed here, feature by feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from .expectation import RandomArrays


def features(which: str, N: int, f: int, targets: int) -> Iterator[tuple[Any, Any, RandomArrays]]:
    """Each feature of an ablated model, its target, and the arrays that both are made of.

    Args:
        which: "no window": products of two entries of one token, an input or a target, with an entry of the query or
            without; "no readout": products of an input's entries with its target's, and entries of all tokens, none
            with the query.
        N: examples.
        f: features.
        targets: of the regression, all of which are features.
    """
    random = RandomArrays({"x": (N + 1, f), "w": (f, targets)})
    x = random.arrays["x"]
    y = x @ random.arrays["w"]
    tokens = [[x[i, a] for a in range(f)] for i in range(N)]
    labels = [[y[i, k] for k in range(targets)] for i in range(N)]
    query = [x[N, a] for a in range(f)]
    single = [entry for token in (*tokens, *labels) for entry in token]
    if which == "no window":
        states = [a * b for token in (*tokens, *labels) for a, b in product(token, token)]
        found = [*single, *states, *(s * q for s in (*single, *states) for q in query), *query]
    else:
        crossed = [a * b for i in range(N) for a, b in product(tokens[i], labels[i])]
        found = [*single, *crossed, *query]
    for feature in found:
        yield feature, y[N, 0], random


def nothing_is_learned(which: str, N: int, f: int, targets: int) -> bool:
    """Whether no feature of the ablated model goes along with the target: E φ y = 0 for all."""
    return not any(r.expectation(phi * y) for phi, y, r in features(which, N, f, targets))


def crossed_is_learned(N: int, f: int) -> bool:
    """Whether the product that the whole model has, x_i y_i with the query, goes along with the target."""
    random = RandomArrays({"x": (N + 1, f), "w": (f, 1)})
    x = random.arrays["x"]
    y = x @ random.arrays["w"]
    return bool(random.expectation(x[0, 0] * y[0, 0] * x[N, 0] * y[N, 0]))
