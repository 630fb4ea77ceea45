"""A loop over heads and, within each, over blocks of tokens, that reads the tokens where they lie.

`lax.map` over a `lax.scan` does the same and is differentiated by JAX, but copies the tokens of each head before it
copies those of each block: on a CPU that costs a fifth of the chunked op's time. A loop that picks its blocks out of
the whole array has no such copy; its derivative is written here, since JAX's would add up an array of all tokens for
each block. Backward, a block is computed again from the state before it, the only thing that is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..jax_backend import jax
from . import kernel

Step = Callable[[Any, Any, Any], tuple[Any, Any]]
"""(shared, state, block) -> (state, outputs), a pure function that closes over no traced array."""


def each_block(
    step: Step,
    shared: Any,
    states: Any,
    blocks: Any,
    *,
    head_by_head: bool,
    in_kernel: bool = False,
) -> tuple[Any, Any]:
    """Run `step` over the n blocks of each of B heads.

    Args:
        step: what is done with a block of one head.
        shared: a tree of arrays (B, …), what a head's blocks have in common; may be None.
        states: the state before the first block, (B, …).
        blocks: a tree of arrays (B, n, …).
        head_by_head: whether heads follow one another, and only reverse-mode derivatives are defined. Otherwise each
            step is batched over them.
        in_kernel: whether every head's loop is one program of a GPU kernel; the derivative is that of batched steps.

    Returns:
        The states after the last block (B, …), and the outputs (B, n, …).
    """
    if head_by_head:
        return _differentiable()(step, shared, states, blocks)
    if in_kernel:
        return _in_kernel(step)(shared, states, blocks)
    j = jax()
    again = j.checkpoint(step, prevent_cse=False)  # else every product would be kept
    return j.vmap(lambda f, s, a: j.lax.scan(functools.partial(again, f), s, a))(
        shared, states, blocks
    )


def _in_kernel(step: Step) -> Callable[..., Any]:
    plain = functools.partial(each_block, step, head_by_head=False)
    return kernel.standing_for(plain, functools.partial(kernel.run, step))


@functools.cache
def _differentiable() -> Callable[..., Any]:
    j = jax()

    @functools.partial(j.custom_vjp, nondiff_argnums=(0,))
    def run(step: Step, shared: Any, states: Any, blocks: Any) -> tuple[Any, Any]:
        return _forward(j, step, shared, states, blocks, keep=False)[:2]

    def forward(step: Step, shared: Any, states: Any, blocks: Any) -> tuple[Any, Any]:
        finals, outputs, before = _forward(j, step, shared, states, blocks, keep=True)
        return (finals, outputs), (shared, before, blocks)

    run.defvjp(forward, functools.partial(_backward, j))
    return run


def _forward(
    j: Any, step: Step, shared: Any, states: Any, blocks: Any, *, keep: bool
) -> tuple[Any, Any, Any]:
    """The final states, the outputs, and if `keep` the states before each block, (B, n, …)."""
    B, n = j.tree.leaves(blocks)[0].shape[:2]
    flat = _flat(j, blocks)
    first = j.tree.map(lambda a: a[0], (shared, states, flat))
    out = j.eval_shape(step, *first)[1]
    outputs = j.numpy.zeros((B * n, *out.shape), out.dtype)
    before = j.numpy.zeros((B * n, *states.shape[1:]), states.dtype) if keep else None

    def head(written: Any, one: Any) -> tuple[Any, Any]:
        index, shared, state = one

        def block(k: Any, carry: Any) -> Any:
            state, outputs, before = carry
            at = index * n + k
            before = _put(j, before, state, at)
            state, out = step(shared, state, _take(j, flat, at))
            return state, _put(j, outputs, out, at), before

        state, *written = j.lax.fori_loop(0, n, block, (state, *written))
        return tuple(written), state

    heads = (j.numpy.arange(B), shared, states)
    (outputs, before), finals = j.lax.scan(head, (outputs, before), heads)
    split = functools.partial(_split, j, B, n)
    return finals, split(outputs), split(before)


def _backward(j: Any, step: Step, kept: Any, cotangents: Any) -> tuple[Any, Any, Any]:
    """The cotangents of `shared`, `states` and `blocks`."""
    shared, before, blocks = kept
    B, n = before.shape[:2]
    leaves, tree = j.tree.flatten(_flat(j, blocks))
    real = [j.numpy.issubdtype(leaf.dtype, j.numpy.floating) for leaf in leaves]
    before, d_outputs = _flat(j, (before, cotangents[1]))

    def head(written: Any, one: Any) -> tuple[Any, Any]:
        index, shared, d_state = one

        def block(k: Any, carry: Any) -> Any:
            d_shared, d_state, written = carry
            at = index * n + (n - 1 - k)

            def of_real(shared: Any, state: Any, numbers: Any) -> Any:
                numbers = iter(numbers)
                parts = [
                    next(numbers) if float_ else _take(j, leaf, at)
                    for leaf, float_ in zip(leaves, real, strict=True)
                ]
                return step(shared, state, tree.unflatten(parts))

            numbers = [_take(j, leaf, at) for leaf, r in zip(leaves, real, strict=True) if r]
            _, pull = j.vjp(of_real, shared, _take(j, before, at), numbers)
            more, d_state, d_numbers = pull((d_state, _take(j, d_outputs, at)))
            written = [_put(j, w, d, at) for w, d in zip(written, d_numbers, strict=True)]
            return j.tree.map(lambda a, b: a + b, d_shared, more), d_state, written

        nothing = j.tree.map(j.numpy.zeros_like, shared)
        d_shared, d_state, written = j.lax.fori_loop(0, n, block, (nothing, d_state, written))
        return written, (d_shared, d_state)

    nothing = [j.numpy.zeros_like(leaf) for leaf, r in zip(leaves, real, strict=True) if r]
    heads = (j.numpy.arange(B), shared, cotangents[0])
    written, (d_shared, d_states) = j.lax.scan(head, nothing, heads)
    found = iter(written)
    d_blocks = [_split(j, B, n, next(found)) if r else None for r in real]
    return d_shared, d_states, tree.unflatten(d_blocks)


def _flat(j: Any, tree: Any) -> Any:
    """Heads and blocks as one axis."""
    return j.tree.map(lambda a: a.reshape(-1, *a.shape[2:]), tree)


def _split(j: Any, B: int, n: int, tree: Any) -> Any:
    return j.tree.map(lambda a: a.reshape(B, n, *a.shape[1:]), tree)


def _take(j: Any, tree: Any, at: Any) -> Any:
    return j.tree.map(lambda a: j.lax.dynamic_index_in_dim(a, at, keepdims=False), tree)


def _put(j: Any, tree: Any, parts: Any, at: Any) -> Any:
    if tree is None:
        return None
    return j.lax.dynamic_update_index_in_dim(tree, parts, at, 0)
