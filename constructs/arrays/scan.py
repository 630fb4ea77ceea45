"""Running a step function along a sequence of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .array_api import Array, namespace
from .definition import note
from .ranges import is_number


class Scan(NamedTuple):
    """What a scan over T tokens leaves behind."""

    states: Any
    """The state after each token: the step's state with a leading axis of length T."""
    outputs: Any
    """The output at each token, with a leading axis of length T."""
    final_state: Any


def leaves(tree: Any) -> list[Array]:
    """The arrays of a (nested) tuple of arrays, in order; None and functions hold no array."""
    if isinstance(tree, tuple):
        return [leaf for branch in tree for leaf in leaves(branch)]
    return [] if tree is None or callable(tree) else [tree]


def map_leaves(function: Callable[..., Any], *trees: Any) -> Any:
    """Apply `function` to corresponding arrays of equally built (nested, named) tuples."""
    first = trees[0]
    if isinstance(first, tuple):
        branches = [map_leaves(function, *parts) for parts in zip(*trees, strict=True)]
        return type(first)(*branches) if hasattr(first, "_fields") else tuple(branches)
    return first if first is None or callable(first) else function(*trees)


def stacked(trees: list[Any]) -> Any:
    """Equally built trees as one, whose arrays have a new first axis."""
    return map_leaves(lambda *parts: namespace(*parts).stack(parts), *trees)


def scan(step: Callable[..., Any], parameters: Any, state: Any, tokens: Any) -> Scan:
    """Run `(state, output) = step(parameters, state, token)` over the leading axis of `tokens`.

    Args:
        step: the layer's definition.
        parameters: passed on unchanged.
        state: the state before the first token.
        tokens: an array, or a (named) tuple of arrays, each with a leading axis of length T ≥ 1.

    Raises:
        ValueError: if the token arrays differ in length, or there is no token.
    """
    note(getattr(step, "__wrapped__", step))
    first = leaves(tokens)[0]
    own = getattr(namespace(first), "scan", None)
    if own is not None and not is_number(first.shape[0]):  # a symbolic number of tokens
        return own(step, parameters, state, tokens, first.shape[0])
    lengths = {leaf.shape[0] for leaf in leaves(tokens)}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"scan({step.__name__}) expects token arrays with one common length ≥ 1 along axis 0, "
            f"got lengths {sorted(lengths)}."
        )
    states, outputs = [], []
    for index in range(lengths.pop()):
        state, output = step(parameters, state, map_leaves(lambda leaf, i=index: leaf[i], tokens))
        states.append(state)
        outputs.append(output)
    return Scan(stacked(states), stacked(outputs), state)
