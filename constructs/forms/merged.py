"""The recurrence over n·C tokens that are given as n chunks (or shards) of C: what every form is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.array_api import namespace
from ..arrays.definition import note
from ..arrays.ranges import is_number
from ..arrays.scan import Scan, leaves, map_leaves, scan


def scan_merged(step: Callable[..., Any], parameters: Any, state: Any, tokens: Any) -> Scan:
    """`scan` along all tokens, one chunk after the other; what it leaves behind is cut into the same chunks.

    The only place where n·C stands as one length: a namespace for symbolic sizes, which multiply by whole numbers
    only, brings a `scan_merged(step, parameters, state, tokens, n, C)` of its own.

    Args:
        step: the layer's definition.
        parameters: passed on unchanged.
        state: the state before the first token of the first chunk.
        tokens: an array, or a (named) tuple of arrays, each of shape (n, C, …) with n, C ≥ 1.

    Returns:
        States and outputs with leading axes (n, C), and the state after the last token of the last chunk.

    Raises:
        ValueError: if the token arrays differ in n or C, or there is no token.
    """
    first = leaves(tokens)[0]
    n, C = first.shape[:2]
    if not (is_number(n) and is_number(C)):
        note(getattr(step, "__wrapped__", step))
        return namespace(first).scan_merged(step, parameters, state, tokens, n, C)
    shapes = {tuple(leaf.shape[:2]) for leaf in leaves(tokens)}
    if len(shapes) != 1 or 0 in (n, C):
        raise ValueError(
            f"scan_merged({step.__name__}) expects token arrays with common leading axes (n, C), n, C ≥ 1, "
            f"got {sorted(shapes)}."
        )

    def merged(leaf: Any) -> Any:
        return namespace(leaf).reshape(leaf, (n * C, *leaf.shape[2:]))

    def in_chunks(leaf: Any) -> Any:
        return namespace(leaf).reshape(leaf, (n, C, *leaf.shape[1:]))

    run = scan(step, parameters, state, map_leaves(merged, tokens))
    return Scan(
        map_leaves(in_chunks, run.states), map_leaves(in_chunks, run.outputs), run.final_state
    )
