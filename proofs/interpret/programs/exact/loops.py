"""Loops, run turn by turn, and branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....exact.entries import as_array
from ..parameters import ScanParameters


def _scan(reader: Any, params: ScanParameters, *inputs: Any) -> list[Any]:
    fixed, carry, sequences = params.parted(inputs)
    carries, order = params.carries, range(params.length)
    made: dict[int, list[Any]] = {}
    for time in reversed(order) if params.reverse else order:
        rows = [
            np.asarray(as_array(one[time]) if one.dtype == object else one[time])
            for one in sequences
        ]
        found = reader.run(params.body, [*fixed, *carry, *rows])
        carry, made[time] = found[:carries], found[carries:]
    shapes = [aval.shape for aval in params.body.out_avals[carries:]]
    stacked = [
        np.stack([made[t][k] for t in order]) if made else np.empty((0, *shape), dtype=object)
        for k, shape in enumerate(shapes)
    ]
    return [*carry, *stacked]


def _while(reader: Any, params: Any, *inputs: Any) -> list[Any]:
    first, second = params["cond_nconsts"], params["body_nconsts"]
    test, fixed, carry = (
        inputs[:first],
        inputs[first : first + second],
        list(inputs[first + second :]),
    )
    while bool(reader.run(params["cond_jaxpr"], [*test, *carry])[0]):
        carry = reader.run(params["body_jaxpr"], [*fixed, *carry])
    return carry


def _cond(reader: Any, params: Any, which: Any, *inputs: Any) -> list[Any]:
    branches = params["branches"]
    return reader.run(branches[min(max(int(which), 0), len(branches) - 1)], list(inputs))


RULES: dict[str, Callable[..., Any]] = {
    "scan": _scan,
    "while": _while,
    "cond": _cond,
}
