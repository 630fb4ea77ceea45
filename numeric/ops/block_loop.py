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
    values: Callable[[Any], Any] | None = None,
    warps: int | None = None,
) -> tuple[Any, Any]:
    """Run `step` over the n blocks of each of B heads.

    Args:
        step: what is done with a block of one head.
        shared: a tree of arrays (B, …), what a head's blocks have in common; may be None.
        states: the state before the first block, (B, …).
        blocks: a tree of arrays (B, n, …).
        head_by_head: whether heads follow one another, and only reverse-mode derivatives are defined. Otherwise each
            step is batched over them.
        in_kernel: whether the loops are those of a GPU kernel's programs, and those of the reverse-mode derivative too.
        values: picks the array (B, n, C, D) whose columns belong to the rows of the states (B, D, N), and the outputs
            (B, n, C, D) too, each to its own; given, programs of a kernel may share a head. Else None.
        warps: of a kernel's program; None for what the widths of its matrices want.

    Returns:
        The states after the last block (B, …), and the outputs (B, n, …).
    """
    if head_by_head:
        return _differentiable()(step, shared, states, blocks)
    if in_kernel:
        return _in_kernel(step, values, warps)(shared, states, blocks)
    j = jax()
    again = j.checkpoint(step, prevent_cse=False)  # else every product would be kept
    return j.vmap(lambda f, s, a: j.lax.scan(functools.partial(again, f), s, a))(
        shared, states, blocks
    )


def _in_kernel(
    step: Step, values: Callable[[Any], Any] | None, warps: int | None
) -> Callable[..., Any]:
    """`each_block` as one kernel, and its derivative as another, which goes from the last block to the first."""
    j = jax()

    def loop(
        step: Step,
        trees: tuple[Any, Any, Any],
        rows: Any,
        *,
        derivative: bool = False,
        reverse: bool = False,
    ) -> Any:
        rows = None if values is None else kernel.Rows(*rows)
        options = {"rows": rows, "reverse": reverse, "warps": warps}

        def plain(*trees: Any) -> Any:
            def head(shared: Any, state: Any, blocks: Any) -> Any:
                turn = functools.partial(step, shared)
                return j.lax.scan(turn, state, blocks, reverse=reverse)

            return j.vmap(head)(*trees)

        if derivative and not kernel.all_serve():
            return plain(*trees)
        return kernel.standing_for(plain, functools.partial(kernel.run, step, **options))(*trees)

    def axes(shared: Any, blocks: Any) -> tuple[list[None], list[int | None]]:
        """Those of D in `shared`, which has none, and in blocks: the last one of the values (B, n, C, D)."""
        found = [3 if values and leaf is values(blocks) else None for leaf in j.tree.leaves(blocks)]
        return [None] * len(j.tree.leaves(shared)), found

    def run(shared: Any, states: Any, blocks: Any) -> Any:
        none, cut = axes(shared, blocks)
        return loop(step, (shared, states, blocks), ([*none, 1, *cut], [1, 3]))

    def forward(shared: Any, states: Any, blocks: Any) -> Any:
        none, cut = axes(shared, blocks)
        rows = [*none, 1, *cut], [1, 3, 2]
        trees = shared, states, blocks
        finals, (outputs, before) = loop(keeping(step), trees, rows, derivative=True)
        return (finals, outputs), (shared, before, blocks)

    def backward(kept: Any, cotangents: Any) -> Any:
        shared, before, blocks = kept
        none, cut = axes(shared, blocks)
        states = cotangents[0], j.tree.map(j.numpy.zeros_like, shared)
        given = blocks, before, cotangents[1]
        rows = [*none, 1, *none, *cut, 2, 3], [1, *none, *_of_real(blocks, cut)]
        trees = shared, states, given
        back = loop(pulled(step), trees, rows, derivative=True, reverse=True)
        (d_states, d_shared), numbers = back
        return d_shared, d_states, _with_none(blocks, numbers)

    chosen = j.custom_vjp(run)
    chosen.defvjp(forward, backward)
    return chosen


def keeping(step: Step) -> Step:
    """A step that puts out the state before the block too."""

    def kept(shared: Any, state: Any, block: Any) -> tuple[Any, Any]:
        after, outputs = step(shared, state, block)
        return after, (outputs, state)

    return kept


def pulled(step: Step) -> Step:
    """The derivative of a step as a step from the last block to the first.

    Its state is the cotangents of the state and of `shared`, a block of it (block, state before it, cotangent of its
    outputs), and what it puts out the cotangents of the block's real numbers, a list.
    """
    j = jax()

    def back(shared: Any, cotangents: Any, given: Any) -> tuple[Any, Any]:
        (d_state, d_shared), (block, before, d_outputs) = cotangents, given
        leaves, tree = j.tree.flatten(block)

        def of_real(shared: Any, state: Any, real: Any) -> Any:
            real = iter(real)
            parts = [next(real) if _is_real(leaf) else leaf for leaf in leaves]
            return step(shared, state, tree.unflatten(parts))

        _, pull = j.vjp(of_real, shared, before, _of_real(block, leaves))
        more, d_state, d_real = pull((d_state, d_outputs))
        return (d_state, j.tree.map(lambda a, b: a + b, d_shared, more)), d_real

    return back


def _is_real(leaf: Any) -> bool:
    return jax().numpy.issubdtype(leaf.dtype, jax().numpy.floating)


def _of_real(blocks: Any, each: list[Any]) -> list[Any]:
    """Of what there is for each leaf, what belongs to leaves of real numbers."""
    leaves = jax().tree.leaves(blocks)
    return [one for leaf, one in zip(leaves, each, strict=True) if _is_real(leaf)]


def _with_none(blocks: Any, real: Any) -> Any:
    """Cotangents of all leaves: None where a leaf has no real numbers."""
    leaves, tree = jax().tree.flatten(blocks)
    real = iter(real)
    return tree.unflatten([next(real) if _is_real(leaf) else None for leaf in leaves])


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
    flat = _flat(j, (blocks, before, cotangents[1]))
    back = pulled(step)

    def head(written: Any, one: Any) -> tuple[Any, Any]:
        index, shared, d_state = one

        def block(k: Any, carry: Any) -> Any:
            state, written = carry
            at = index * n + (n - 1 - k)
            state, d_real = back(shared, state, _take(j, flat, at))
            return state, [_put(j, w, d, at) for w, d in zip(written, d_real, strict=True)]

        state = d_state, j.tree.map(j.numpy.zeros_like, shared)
        (d_state, d_shared), written = j.lax.fori_loop(0, n, block, (state, written))
        return written, (d_shared, d_state)

    nothing = _of_real(flat[0], j.tree.map(j.numpy.zeros_like, j.tree.leaves(flat[0])))
    heads = (j.numpy.arange(B), shared, cotangents[0])
    written, (d_shared, d_states) = j.lax.scan(head, nothing, heads)
    return d_shared, d_states, _with_none(blocks, _split(j, B, n, written))


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
