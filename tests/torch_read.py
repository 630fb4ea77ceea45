"""A function for torch through its door, at numbers or with a symbol for a size, and as torch runs it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from scanproof.proofs.doors.aten.formats import by_default
from scanproof.proofs.doors.aten.programs import Program
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.whole import Size, whole

N = Size("n", 1)


def as_torch_runs_it(function: Callable[..., Any], arrays: Sequence[np.ndarray]) -> list[Any]:
    """What the function returns in float64, one array after another."""
    with by_default("float64"):
        found = function(*(torch.tensor(one) for one in arrays))
    leaves = torch.utils._pytree.tree_leaves(found)
    return [np.asarray(one.detach() if torch.is_tensor(one) else one) for one in leaves]


def as_it_is_read(
    function: Callable[..., Any],
    arrays: Sequence[np.ndarray],
    over_sizes: bool = False,
    square: bool = False,
) -> list[Any]:
    """What its nodes are.

    Args:
        function: of tensors.
        arrays: its arguments.
        over_sizes: whether a symbol stands for the length of their first axes.
        square: whether it stands for that of all axes.

    Raises:
        Refused: if it is not read.
    """
    first = [whole(N)] if over_sizes else [len(one) for one in arrays][:1]
    lengths = [first * one.ndim if square else [*first, *one.shape[1:]] for one in arrays]
    inputs = [Input(f"x{k}", tuple(shape)) for k, shape in enumerate(lengths)]
    read = Program(function).lowered(inputs)
    values = {one.name: array for one, array in zip(inputs, arrays, strict=True)}
    with np.errstate(all="ignore"):
        reading = Floats({"n": len(arrays[0])}, values)
        return [np.asarray(reading(one)) for one in read.outputs]
