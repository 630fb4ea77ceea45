"""A function for torch through its door, at numbers or with a symbol for a size, and as torch runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from scanproof.proofs.doors.aten.programs import Program
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

N = Size("n", 1)


def as_torch_runs_it(function: Callable[..., Any], arrays: Sequence[np.ndarray]) -> list[Any]:
    """What the function returns in float64, one array after another."""
    found = function(*(torch.tensor(one) for one in arrays))
    leaves = torch.utils._pytree.tree_leaves(found)
    return [np.asarray(one.detach() if torch.is_tensor(one) else one) for one in leaves]


def as_it_is_read(
    function: Callable[..., Any], arrays: Sequence[np.ndarray], over: int | None = None
) -> list[Any]:
    """What its nodes are.

    Args:
        function: of tensors.
        arrays: its arguments.
        over: a length that a symbol stands for, if one does.

    Raises:
        Refused: if it is not read.
    """
    lengths = [[whole(N) if n == over else n for n in one.shape] for one in arrays]
    inputs = [Input(f"x{k}", tuple(shape)) for k, shape in enumerate(lengths)]
    read = Program(function).lowered(inputs)
    values = {one.name: array for one, array in zip(inputs, arrays, strict=True)}
    with np.errstate(all="ignore"):
        reading = Floats({"n": over} if over else {}, values)
        return [np.asarray(reading(one)) for one in read.outputs]
