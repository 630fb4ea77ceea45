"""That nodes are a function's is looked at with numbers: at small sizes, and at 1 where that was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...readings.floats import Floats
from ...statement.nodes import Input, Node
from ...statement.whole import Size, whole
from .refusal import Decided, Refused, torch
from .tracing import Given, example_inputs

CLOSE = {"float32": 1e-3, "float64": 1e-8}
"""How near results are to be, relatively, in formats in which a few thousand operations round; in others 0.1."""


def expect(
    function: Callable[..., Any],
    given: Sequence[Given],
    inputs: Sequence[Input],
    outputs: Sequence[Node],
    sizes: Sequence[tuple[str, int]],
    at_one: frozenset[str],
    coarsest: str,
) -> None:
    """Refuse nodes that are not what a function computes.

    Args:
        function: of tensors.
        given: its arguments' shapes and formats.
        inputs: a node for each.
        outputs: what it returns, as nodes.
        sizes: each size with its least value.
        at_one: the sizes of which PyTorch asked whether they are 1.
        coarsest: the format with the fewest digits in which the function computes.

    Raises:
        Decided: if they differ at a size of 1 alone.
        Refused: if they differ.
    """
    for at, ones in _choices(sizes, at_one):
        tensors = example_inputs(given, at)
        values = {
            one.name: tensor.double().numpy().copy()  # what the function writes into its arguments
            for one, tensor in zip(inputs, tensors, strict=True)
        }
        wanted = _leaves(function(*tensors))
        found: list[Any] = []
        with np.errstate(all="ignore"), suppress(ZeroDivisionError):  # of sizes: it has no value
            reading = Floats(at, values)
            found = [np.asarray(reading(one), float) for one in outputs]
        if len(found) == len(wanted) and all(
            _are_close(*pair, coarsest) for pair in zip(found, wanted, strict=True)
        ):
            continue
        text = ", ".join(f"{name} = {value}" for name, value in at.items())
        if ones:
            condition = " = 1 or ".join(sorted(ones)) + " = 1"
            least = dict(sizes)
            number = whole(Size(min(ones), least[min(ones)])) - 1
            raise Decided(f"it does something else where {condition}", condition, number, "≥ 0")
        raise Refused(
            f"its nodes and PyTorch compute different numbers{f' at {text}' if text else ''}"
        )


def _choices(
    sizes: Sequence[tuple[str, int]], at_one: frozenset[str]
) -> Iterator[tuple[dict[str, int], frozenset[str]]]:
    """Sizes to look at, and those of them that are 1 to see whether that is a case of its own."""
    small = {name: max(least, 2 + k % 2) for k, (name, least) in enumerate(sizes)}
    yield small, frozenset()
    ones = frozenset(name for name, least in sizes if least <= 1 and name in at_one)
    for chosen in [
        *(frozenset({name}) for name in sorted(ones)),
        *([ones] if len(ones) > 1 else []),
    ]:
        yield {name: 1 if name in chosen else value for name, value in small.items()}, chosen


def _leaves(found: Any) -> list[Any]:
    from torch.utils import _pytree

    t = torch()
    leaves = [one for one in _pytree.tree_leaves(found) if one is not None]
    tensors = [one if isinstance(one, t.Tensor) else t.tensor(one) for one in leaves]
    parts = [t.view_as_real(one.resolve_conj()) if one.is_complex() else one for one in tensors]
    return [one.resolve_neg() for one in parts]


def _are_close(one: np.ndarray, other: Any, coarsest: str) -> bool:
    forms = coarsest, str(other.dtype).removeprefix("torch.")
    near = max(CLOSE.get(form, 0.1) for form in forms)
    theirs = other.detach().double().numpy()
    if one.shape != theirs.shape:
        return False
    seen = np.isfinite(theirs)
    scale = 1 + np.max(np.abs(theirs[seen]), initial=0)
    return bool(np.all(np.abs(one[seen] - theirs[seen]) <= near * scale))
