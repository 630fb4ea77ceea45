"""The recurrent lane: a layer's definition run by JAX, one token after the other, on CPU or GPU."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from scanproof.constructs.scan import Scan, leaves
from scanproof.proofs.language.errors import UsageError


def recurrent(
    step: Callable[..., Any],
    parameters: Any,
    state: Any,
    tokens: Any,
    *,
    keep_states: bool = False,
) -> Scan:
    """`scan` as one compiled loop: `jax.lax.scan` over the very function that the claims are about.

    Args:
        step: a definition `(parameters, state, token) -> (state, output)`, for example `gril.step`.
        parameters: arrays, or a (nested, named) tuple of arrays, the same for every token; None if there are none.
        state: the state before the first token; `step` must return states of the same shapes and dtypes.
        tokens: an array, or a (named) tuple of arrays, each of shape (T, …) with one length T ≥ 1.
        keep_states: whether to return the state after every token too, which takes T times the state's memory.

    Returns:
        `states`: the state with a leading axis T, or None; `outputs`: the output with a leading axis T; `final_state`.

    Raises:
        UsageError: if JAX is missing, the tokens have no common length, or the state changes shape or dtype.
    """
    jax = _jax()
    shapes = [tuple(leaf.shape) for leaf in leaves(tokens)]
    lengths = {shape[0] if shape else 0 for shape in shapes}
    if len(lengths) != 1 or 0 in lengths:
        raise UsageError(
            f"recurrent({_name(step)}) expects token arrays with one common length T ≥ 1 along axis 0, "
            f"got shapes {', '.join(map(str, shapes)) or 'none'}."
        )
    arrays = jax.tree.map(jax.numpy.asarray, (parameters, state, tokens))
    final_state, (states, outputs) = _loop()(step, keep_states, *arrays)
    return Scan(states, outputs, final_state)


@functools.cache
def _loop() -> Callable[..., Any]:
    """The compiled loop; JAX keeps one program for each step, and each set of shapes and dtypes."""
    jax = _jax()

    def loop(step: Any, keep_states: bool, parameters: Any, state: Any, tokens: Any) -> Any:
        _check_state(jax, step, parameters, state, tokens)

        def body(state: Any, token: Any) -> Any:
            state, output = step(parameters, state, token)
            return state, (state if keep_states else None, output)

        return jax.lax.scan(body, state, tokens)

    return jax.jit(loop, static_argnums=(0, 1))


def _check_state(jax: ModuleType, step: Any, parameters: Any, state: Any, tokens: Any) -> None:
    first = jax.tree.map(lambda leaf: leaf[0], tokens)
    after, _ = jax.eval_shape(step, parameters, state, first)
    found, wanted = ([f"{a.dtype}{list(a.shape)}" for a in leaves(s)] for s in (after, state))
    if found != wanted or jax.tree.structure(after) != jax.tree.structure(state):
        raise UsageError(
            f"recurrent({_name(step)}) expects a state that keeps its shapes and dtypes, got {', '.join(wanted)} "
            f"before the first token and {', '.join(found)} after it; start from arrays of the shapes and the dtype "
            "that the step returns."
        )


def _name(step: Any) -> str:
    return getattr(step, "__name__", repr(step))


def _jax() -> ModuleType:
    try:
        import jax
        import jax.numpy
    except ImportError as error:
        raise UsageError(
            "recurrent() runs layers in JAX, which is not installed; try: pip install 'scanproof[jax]'"
        ) from error
    return jax
