"""The recurrent op: a layer's definition run by JAX, one token after the other, on CPU or GPU.

It serves every layer that is a step function, and is what the faster ops are compared with.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import Scan, leaves, map_leaves
from scanproof.constructs.errors import UsageError

from ..jax_backend import jax
from ..precision import Precision
from ..precision import precision as precision_of
from .inputs import fits, kind, positive, real, symbolic

CHUNK = 64
"""Tokens between two states that the backward pass keeps."""


def recurrent(
    step: Callable[..., Any],
    parameters: Any,
    state: Any,
    tokens: Any,
    *,
    keep_states: bool = False,
    batch: int = 0,
    parameter_batch: int = 0,
    chunk: int = CHUNK,
    precision: Any = None,
) -> Scan:
    """`scan` as one compiled loop: `jax.lax.scan` over the very function that the claims are about.

    Matrix products inside `step` have the full precision of their dtype on every device. Differentiable; the backward
    pass keeps one state per chunk and computes the others again.

    Args:
        step: a definition `(parameters, state, token) -> (state, output)`, for example `gril.step`.
        parameters: arrays, or a (nested, named) tuple of arrays, the same for every token; None if there are none.
        state: the state before the first token; `step` must return states of the same shapes and dtypes.
        tokens: an array, or a (named) tuple of arrays, each of shape (T, …) with one length T ≥ 1.
        keep_states: whether to return the state after every token too, which takes T times the state's memory.
        batch: how many leading axes (heads, sequences) every array of `tokens` and `state` has before its own.
        parameter_batch: how many of them, the last ones, every array of `parameters` has too; 0: all share them.
        chunk: tokens between two states that the backward pass keeps.
        precision: "float64", "float32", "bfloat16" or a `Precision`: floating-point arrays are rounded to its input
            dtype and computed with in its accumulation dtype. None: the arrays as they are, in JAX's own types.

    Returns:
        `states`: the state with an axis T after the batch axes, or None; `outputs`: the output with such an axis;
        `final_state`. All in the accumulation dtype.

    Raises:
        UsageError: if JAX is missing, the tokens have no common length, batch axes differ, a number is NaN or
            infinite, the state changes shape or dtype, or the states of all tokens would not fit in memory.
    """
    j = jax("recurrent")
    numbers = None if precision is None else precision_of(precision)
    _check_axes(step, batch, parameter_batch)
    parameters, state, tokens = (map_leaves(_array, t) for t in (parameters, state, tokens))
    _check_tokens(step, tokens, batch)
    _check_batch(step, parameters, state, tokens, batch, parameter_batch)
    chunk = positive("recurrent", "chunk", chunk)
    for name, tree in (("parameters", parameters), ("state", state), ("tokens", tokens)):
        for leaf in leaves(tree):
            if kind(leaf) == "f":
                real("recurrent", name, leaf, None if numbers is None else numbers.inputs)
    arrays = _converted(j, numbers, (parameters, state, tokens))
    options = step, keep_states, (batch, parameter_batch), chunk
    made = j.tree.leaves(_loop().eval_shape(*options, *arrays))
    needed = sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in made)
    length = leaves(tokens)[0].shape[batch]
    remedy = (
        "leave keep_states off" if keep_states else "run shorter sequences, one after the other"
    )
    told = "the tokens" if symbolic(length) else f"{length} tokens"
    fits("recurrent", needed, f"what {told} leave", remedy)
    final_state, (states, outputs) = _loop()(*options, *arrays)
    return Scan(states, outputs, final_state)


@functools.cache
def _loop() -> Callable[..., Any]:
    """The compiled loop; JAX keeps one program for each step, and each set of shapes and dtypes."""
    j = jax()

    def loop(
        step: Any, keep_states: bool, axes: tuple[int, int], chunk: int, *arrays: Any
    ) -> tuple[Any, Any]:
        parameters, state, tokens = arrays
        batch, shared = axes[0], axes[0] - axes[1]
        every = step
        for axis in reversed(range(batch)):  # the innermost batch axis first
            every = j.vmap(every, in_axes=(0 if axis >= shared else None, 0, 0))
        # Heads and sequences stand after the tokens, so that a token of all of them lies in one piece.
        tokens = j.tree.map(lambda a: j.numpy.moveaxis(a, batch, 0), tokens)
        _check_state(j, step, every, parameters, state, tokens)

        def body(state: Any, token: Any) -> tuple[Any, Any]:
            state, output = every(parameters, state, token)
            return state, (state if keep_states else None, output)

        with j.default_matmul_precision("highest"):
            state, made = _scan_by_chunks(j, body, state, tokens, chunk)
        return state, j.tree.map(lambda a: j.numpy.moveaxis(a, 0, batch), made)

    return j.jit(loop, static_argnums=(0, 1, 2, 3))


def _scan_by_chunks(j: Any, body: Any, state: Any, tokens: Any, chunk: int) -> tuple[Any, Any]:
    """`lax.scan` whose derivative keeps the states before each chunk only: an outer loop over chunks, then the rest."""
    length = leaves(tokens)[0].shape[0]

    @functools.partial(j.checkpoint, prevent_cse=False)
    def run(state: Any, tokens: Any) -> tuple[Any, Any]:
        return j.lax.scan(body, state, tokens)

    def core(state: Any, count: Any) -> tuple[Any, Any]:
        chunks = j.tree.map(lambda a: a[:count].reshape(-1, chunk, *a.shape[1:]), tokens)
        state, made = j.lax.scan(run, state, chunks)
        return state, j.tree.map(lambda a: a.reshape(count, *a.shape[2:]), made)

    def rest(state: Any, count: Any) -> tuple[Any, Any]:
        return run(state, j.tree.map(lambda a: a[count:], tokens))

    return chunks_then_rest(length, chunk, state, core, rest)


def chunks_then_rest(
    length: Any,
    chunk: Any,
    state: Any,
    core: Callable[[Any, Any], tuple[Any, Any]],
    rest: Callable[[Any, Any], tuple[Any, Any]],
    axis: int = 0,
) -> tuple[Any, Any]:
    """Evaluate a sequence of T tokens in two parts: its ⌊T/C⌋ whole chunks, and the T mod C tokens after them.

    Args:
        length: T.
        chunk: C.
        state: the state before the first token.
        core: (state, n·C) -> (state, outputs) of the first n·C tokens.
        rest: (state, n·C) -> (state, outputs) of the tokens after those.
        axis: the axis of the tokens in the outputs, a tree of arrays.

    Returns:
        The state after the last token, and the outputs of all tokens.
    """
    j = jax()
    count = length - length % chunk
    parts = []
    if count:
        state, made = core(state, count)
        parts.append(made)
    if count < length:
        state, made = rest(state, count)
        parts.append(made)
    if len(parts) == 1:
        return state, parts[0]
    return state, j.tree.map(lambda *a: j.numpy.concatenate(a, axis=axis), *parts)


def token_by_token(step: Callable[..., Any], states: Any, tokens: Any) -> tuple[Any, Any]:
    """The final states and the outputs of a layer without parameters, for use inside a program.

    Args:
        step: the layer's definition.
        states: with an axis of heads and sequences, (B, …).
        tokens: a named tuple of arrays (B, T, …).
    """
    j = jax()

    @functools.partial(j.checkpoint, prevent_cse=False)
    def head(state: Any, tokens: Any) -> tuple[Any, Any]:
        return j.lax.scan(functools.partial(step, None), state, tokens)

    with j.default_matmul_precision("highest"):
        return j.vmap(head)(states, tokens)


def one_axis(array: Any, axes: int) -> Any:
    """All but the last `axes` axes, those of heads and sequences, as one."""
    return None if array is None else array.reshape(-1, *array.shape[array.ndim - axes :])


def _array(leaf: Any) -> Any:
    """Lists are arrays; all else stays, as Python's numbers have a type of their own in JAX."""
    return np.asarray(leaf) if isinstance(leaf, list) else leaf


def _converted(j: Any, numbers: Precision | None, tree: Any) -> Any:
    """The arrays as JAX's, those of floating-point numbers rounded to a precision's inputs."""

    def convert(leaf: Any) -> Any:
        if numbers is None or kind(leaf) != "f":
            return j.numpy.asarray(leaf)
        # Integers stay: step counts beyond 256 have no bfloat16.
        return j.numpy.asarray(leaf, numbers.inputs).astype(numbers.accumulate)

    return j.tree.map(convert, tree)


def _check_axes(step: Any, batch: Any, parameter_batch: Any) -> None:
    whole = all(isinstance(n, int | np.integer) for n in (batch, parameter_batch))
    if not whole or not 0 <= parameter_batch <= batch:
        raise UsageError(
            f"recurrent({_name(step)}) expects whole numbers 0 ≤ parameter_batch ≤ batch, "
            f"got parameter_batch={parameter_batch}, batch={batch}."
        )


def _check_tokens(step: Any, tokens: Any, batch: int) -> None:
    shapes = [tuple(np.shape(leaf)) for leaf in leaves(tokens)]
    lengths = [shape[batch] if len(shape) > batch else 0 for shape in shapes]
    if not lengths or 0 in lengths or any(length != lengths[0] for length in lengths):
        after = f", after {batch} batch axes" if batch else ""
        raise UsageError(
            f"recurrent({_name(step)}) expects token arrays with one common length T ≥ 1 along axis {batch}{after}, "
            f"got shapes {', '.join(map(str, shapes)) or 'none'}."
        )


def _check_batch(
    step: Any, parameters: Any, state: Any, tokens: Any, batch: int, parameter_batch: int
) -> None:
    if not batch:
        return
    wanted = tuple(leaves(tokens)[0].shape[:batch])
    inner = wanted[batch - parameter_batch :]
    for name, tree, axes in (
        ("tokens", tokens, wanted),
        ("state", state, wanted),
        ("parameters", parameters, inner),
    ):
        for leaf in leaves(tree):
            if tuple(np.shape(leaf)[: len(axes)]) != axes:
                raise UsageError(
                    f"recurrent({_name(step)}) expects {name} with leading axes {axes} (batch={batch}, "
                    f"parameter_batch={parameter_batch}), got shape {tuple(np.shape(leaf))}; "
                    "numpy.broadcast_to repeats an array without copying it."
                )
    if 0 in wanted or math.prod(wanted) == 0:
        raise UsageError(f"recurrent({_name(step)}) expects no empty batch axis, got {wanted}.")


def _check_state(
    j: ModuleType, step: Any, every: Any, parameters: Any, state: Any, tokens: Any
) -> None:
    first = j.tree.map(lambda leaf: leaf[0], tokens)
    after, _ = j.eval_shape(every, parameters, state, first)
    kept = [[(a.dtype, tuple(a.shape)) for a in leaves(s)] for s in (after, state)]
    if kept[0] != kept[1] or j.tree.structure(after) != j.tree.structure(state):
        found, wanted = ([f"{dtype}{list(shape)}" for dtype, shape in one] for one in kept)
        raise UsageError(
            f"recurrent({_name(step)}) expects a state that keeps its shapes and dtypes, got {', '.join(wanted)} "
            f"before the first token and {', '.join(found)} after it; start from arrays of the shapes and the dtype "
            "that the step returns."
        )


def _name(step: Any) -> str:
    return getattr(step, "__name__", repr(step))
