"""The sharded op: `chunked` on several devices, which share the heads or the sequence.

Heads do not know of each other. Along a sequence each device folds its tokens from the zero state, the summaries of
the shards before it make the state that comes in (`constructs.forms.prefix`), and with that state it runs its tokens.
The first of the two passes needs no outputs, so that it takes half the work of the second; adding the incoming state's
part to local outputs would take as much, and round once more.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.forms import prefix
from scanproof.constructs.forms.prefix import Summary

from ..jax_backend import jax, traced
from ..precision import Precision
from ..precision import precision as precision_of
from .chunked import chunked
from .inputs import LinearTokens, fits, gate, itemsize, linear_tokens, positive, real
from .prefix import GATHERED, exclusive

SEQUENCE, HEADS = "sequence", "heads"


class _Plan(NamedTuple):
    """All that a compiled program depends on, beside shapes."""

    mesh: Any
    axis: str
    """The mesh axis."""
    over: str
    """`SEQUENCE` or `HEADS`."""
    tokens: int
    """T; the arrays may be longer by padding."""
    chunk: int | None
    """C."""
    numbers: Precision
    gathered: int = GATHERED
    """Up to how many devices summaries are gathered."""

    @property
    def devices(self) -> int:
        return self.mesh.shape[self.axis]

    @property
    def padding(self) -> int:
        """How many tokens are added to T, so that the devices can share them evenly."""
        return -self.tokens % self.devices if self.over == SEQUENCE else 0


def sharded(
    v: Any,
    k: Any,
    q: Any,
    *,
    log_decay: Any = None,
    reset: Any = None,
    initial_state: Any = None,
    mesh: Any = None,
    axis: str = SEQUENCE,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t for all tokens, on all devices of a mesh.

    Under `jax.distributed` every process calls it with the same arguments. NumPy arrays must then be equal everywhere
    (memory-mapped ones are read only where their part is needed); JAX arrays may be global ones.

    Args:
        v: values, (…, T, D); with `axis="heads"` (…, heads, T, D). All arguments that are not named here are as in
            `chunked`.
        k: keys, (…, T, N).
        q: queries, (…, T, N).
        log_decay: log a_t.
        reset: True where a_t = 0.
        initial_state: H_0.
        mesh: a `jax.sharding.Mesh` with an axis named like `axis`, or with one axis; None stands for that of
            `jax.set_mesh`, or for all devices.
        axis: "sequence" or "heads", what the devices share. Any T will do: a sequence that they cannot share evenly is
            padded by tokens that write nothing, with decay 1. Heads must be a multiple of the devices.
        chunk: C.
        precision: as in `chunked`.

    Returns:
        `outputs` (…, T, D), distributed like the tokens if they can be shared evenly, otherwise on every device, and
        `final_state` (…, D, N), both in the accumulation dtype; `states` is None.

    Raises:
        UsageError: if an argument has a wrong shape, dtype or value, or heads and devices do not fit.
    """
    j = jax("sharded")
    numbers = precision_of(precision)
    if axis not in (SEQUENCE, HEADS):
        raise UsageError(f"sharded(axis={axis!r}) expects 'sequence' or 'heads'.")
    chunk = None if chunk is None else positive("sharded", "chunk", chunk)
    mesh, name = _mesh(j, mesh, axis)
    shapes = _check(j, mesh, numbers, v, k, q, log_decay, reset, initial_state)
    T = shapes.sizes[0]
    plan = _Plan(mesh, name, axis, T, chunk, numbers)
    if axis == HEADS:
        _check_heads(shapes.batch, plan.devices)
    tokens = _arranged(j, plan, LinearTokens(v, k, q, log_decay, reset, initial_state), shapes)
    return Scan(None, *_program()(plan, tokens))


def _check(j: Any, mesh: Any, numbers: Precision, *arrays: Any) -> LinearTokens:
    """The shapes and dtypes that the checked tokens have; nothing is moved or converted.

    Raises:
        UsageError: if something does not fit.
    """
    v, k, q, log_decay, reset, initial_state = arrays
    named = {"v": v, "k": k, "q": q, "initial_state": initial_state}
    named = {name: array for name, array in named.items() if array is not None}
    for name, array in named.items():
        real("sharded", name, array, finite=False)

    def struct(array: Any, dtype: Any = None) -> Any:
        if array is None:
            return None
        dtype = getattr(array, "dtype", None) or np.asarray(array).dtype if dtype is None else dtype
        return j.ShapeDtypeStruct(np.shape(array), j.dtypes.canonicalize_dtype(dtype))

    inputs = numbers.inputs
    shapes = j.eval_shape(
        functools.partial(linear_tokens, "sharded", numbers),
        *(struct(array, inputs) for array in (v, k, q)),
        struct(log_decay),
        struct(reset),
        struct(initial_state),
    )
    _check_memory(mesh, numbers, shapes)  # looking at every number takes some itself
    for name, array in named.items():
        dtype = numbers.accumulate if name == "initial_state" else inputs
        real("sharded", name, array, dtype)
    if traced(log_decay) or getattr(log_decay, "is_fully_addressable", True):
        gate("sharded", log_decay, (*shapes.batch, shapes.sizes[0]), numbers)
    return shapes


def _mesh(j: Any, mesh: Any, axis: str) -> tuple[Any, str]:
    """The mesh and the name of its axis to share along.

    Raises:
        UsageError: if it is no mesh, or no axis can be told.
    """
    context = j.sharding.get_abstract_mesh()  # that of jax.set_mesh, which no other may contradict
    if mesh is None and context.empty:
        return j.sharding.Mesh(np.asarray(j.devices()), (axis,)), axis
    if mesh is None:
        try:
            mesh = j.sharding.get_mesh()
        except ValueError as error:
            raise UsageError(
                "sharded() inside both jax.jit and jax.set_mesh expects the mesh as an argument."
            ) from error
    if not isinstance(mesh, j.sharding.Mesh):
        raise UsageError(
            f"sharded(mesh=...) expects a jax.sharding.Mesh, got {type(mesh).__name__}; "
            f"for example jax.sharding.Mesh(jax.devices(), ('{axis}',))."
        )
    if not context.empty and mesh.abstract_mesh != context:
        raise UsageError(
            f"sharded(mesh=...) expects the mesh of jax.set_mesh, {dict(context.shape)}, where one is set, "
            f"got {dict(mesh.shape)}; call it outside, or leave the argument out."
        )
    if axis in mesh.axis_names:
        return mesh, axis
    if len(mesh.axis_names) == 1:
        return mesh, mesh.axis_names[0]
    raise UsageError(
        f"sharded(mesh=..., axis='{axis}') expects a mesh with an axis of that name, or with one axis only, "
        f"got axes {', '.join(map(repr, mesh.axis_names))}."
    )


def _check_heads(batch: tuple[int, ...], devices: int) -> None:
    """Raises UsageError if there is no axis of heads, or the devices cannot share it evenly."""
    if not batch:
        raise UsageError(
            "sharded(axis='heads') expects an axis of heads, v (…, heads, T, D), got v (T, D); "
            "use axis='sequence'."
        )
    heads = batch[-1]
    if heads % devices:
        fitting = max(n for n in range(1, devices + 1) if heads % n == 0)
        raise UsageError(
            f"sharded(axis='heads') cannot share {heads} heads evenly among {devices} devices; pass a mesh of "
            f"{fitting}, jax.sharding.Mesh(jax.devices()[:{fitting}], ('heads',)), "
            "or use axis='sequence'."
        )


def _check_memory(mesh: Any, numbers: Precision, shapes: LinearTokens) -> None:
    """Raises UsageError if the tokens and the outputs do not fit where they have to lie."""
    T, D, N = shapes.sizes
    own, other = itemsize(numbers.inputs), itemsize(numbers.accumulate)
    total = math.prod(shapes.batch) * T * (own * (D + 2 * N) + other * D)
    together = sum(device.platform == "cpu" for device in mesh.local_devices)  # in one memory
    fits(
        "sharded",
        total * max(together, 1) // mesh.size,
        f"a device's share of {T:,} tokens",
        "use more devices, or shorten the sequence (streaming() runs it in blocks)",
    )


def _arranged(j: Any, plan: _Plan, tokens: LinearTokens, shapes: LinearTokens) -> LinearTokens:
    """The tokens in the op's dtypes, padded and laid out over the mesh."""
    inputs, accumulate = plan.numbers.inputs, plan.numbers.accumulate
    full = (*shapes.batch, plan.tokens)
    log_decay, reset, state = tokens.log_decay, tokens.reset, tokens.initial_state
    # One decay for all tokens stays one, unless the padding needs another.
    if log_decay is not None and (np.shape(log_decay)[-1:] not in ((), (1,)) or plan.padding):
        log_decay = _broadcast(j, log_decay, full)
    elif log_decay is not None and np.ndim(log_decay):
        log_decay = _broadcast(j, log_decay, (*shapes.batch, 1))
    if reset is not None:
        reset = _broadcast(j, reset, full)
    if state is None:
        state = np.zeros(shapes.initial_state.shape, accumulate)
    state = _broadcast(j, state, shapes.initial_state.shape)
    given = LinearTokens(tokens.v, tokens.k, tokens.q, log_decay, reset, state)
    dtypes = LinearTokens(inputs, inputs, inputs, accumulate, bool, accumulate)
    return LinearTokens(
        *(
            None if array is None else _placed(j, plan, array, dtype, field)
            for field, array, dtype in zip(LinearTokens._fields, given, dtypes, strict=True)
        )
    )


def _broadcast(j: Any, array: Any, shape: tuple[int, ...]) -> Any:
    """NumPy arrays stay NumPy's, as views."""
    own = hasattr(array, "devices") or traced(array)
    return (j.numpy if own else np).broadcast_to(array, shape)


def _spec(plan: _Plan, field: str, shape: tuple[int, ...]) -> Any:
    """Which axis of an argument is shared."""
    rank = len(shape)
    matrix = field in ("v", "k", "q", "initial_state")
    if plan.over == HEADS:
        at = rank - 3 if matrix else rank - 2
    elif field == "initial_state" or (field == "log_decay" and shape[-1:] in ((), (1,))):
        at = -1
    else:
        at = rank - 2 if matrix else rank - 1
    names = [plan.axis if place == at else None for place in range(rank)]
    return jax().sharding.PartitionSpec(*names)


def _placed(j: Any, plan: _Plan, array: Any, dtype: Any, field: str) -> Any:
    """One argument, padded to a length that can be shared, on the devices that need it."""
    dtype = j.numpy.dtype(dtype)
    shape = list(np.shape(array))
    at = len(shape) - (2 if field in ("v", "k", "q") else 1)
    longer = field != "initial_state" and shape and shape[at] == plan.tokens
    missing = plan.padding if longer else 0
    if missing:
        shape[at] += missing
    sharding = j.sharding.NamedSharding(plan.mesh, _spec(plan, field, tuple(shape)))
    if not traced(array) and (
        not hasattr(array, "devices")
        or (array.is_fully_addressable and not sharding.is_fully_addressable)
    ):
        host = np.asarray(array)

        def part(index: tuple[slice, ...]) -> np.ndarray:
            """Read one device's part; NumPy's slices end where the array does."""
            found = host[index].astype(dtype)
            if not missing:
                return found
            wanted = [len(range(*s.indices(n))) for s, n in zip(index, shape, strict=True)]
            return np.pad(found, [(0, w - f) for w, f in zip(wanted, found.shape, strict=True)])

        return j.make_array_from_callback(tuple(shape), sharding, part)
    array = array.astype(dtype)
    if missing:
        array = j.numpy.pad(
            array, [(0, missing if axis == at else 0) for axis in range(len(shape))]
        )
    return array if traced(array) else j.device_put(array, sharding)


@functools.cache
def _program() -> Callable[..., Any]:
    """The compiled op; JAX keeps one program for each plan and set of shapes."""
    j = jax("sharded")

    def program(plan: _Plan, tokens: LinearTokens) -> tuple[Any, Any]:
        specs = LinearTokens(
            *(
                None if array is None else _spec(plan, field, array.shape)
                for field, array in zip(LinearTokens._fields, tokens, strict=True)
            )
        )
        if j.sharding.AxisType.Explicit in plan.mesh.axis_types:
            # Such a mesh wants to be told whenever an array moves.
            places = (
                None if spec is None else j.sharding.NamedSharding(plan.mesh, spec)
                for spec in specs
            )
            tokens = LinearTokens(*map(j.sharding.reshard, tokens, places))
        # A length that the devices cannot share evenly lies on all of them.
        outputs = j.sharding.PartitionSpec() if plan.padding else specs.v
        # Unchecked, since ops start loops from zeros, which the check takes for equal on all devices.
        outputs, final_state = j.shard_map(
            functools.partial(_shard, plan),
            mesh=plan.mesh,
            in_specs=(specs,),
            out_specs=(outputs, specs.initial_state),
            check_vma=False,
        )(tokens)
        return outputs[..., : plan.tokens, :], final_state

    return j.jit(program, static_argnums=0)


def _shard(plan: _Plan, tokens: LinearTokens) -> tuple[Any, Any]:
    """One device's outputs; and its heads' final states, or the state after the last token of all shards."""
    j = jax("sharded")
    jnp, lax = j.numpy, j.lax

    def op(local: LinearTokens) -> tuple[Any, Any]:
        v, k, q, *rest = local
        gate = dict(zip(LinearTokens._fields[3:], rest, strict=True))
        return chunked(v, k, q, **gate, chunk=plan.chunk, precision=plan.numbers)[1:]

    if plan.over == HEADS:
        return op(tokens)
    if plan.devices > 1:
        _, folded = op(tokens._replace(initial_state=jnp.zeros_like(tokens.initial_state)))
        before = exclusive(
            Summary(_decay(j, tokens, op), folded), plan.axis, plan.devices, plan.gathered
        )
        tokens = tokens._replace(initial_state=prefix.applied(before, tokens.initial_state))
    outputs, state = op(tokens)
    if plan.padding:
        outputs = lax.all_gather(outputs, plan.axis, axis=outputs.ndim - 2, tiled=True)
    last = lax.axis_index(plan.axis) == plan.devices - 1
    return outputs, lax.psum(jnp.where(last, state, 0), plan.axis)


def _decay(j: Any, tokens: LinearTokens, op: Callable[..., Any]) -> Any:
    """The product of a shard's decays, (…, 1, 1): what its tokens leave of a state 1 if they write nothing."""
    one = j.numpy.ones_like(tokens.initial_state[..., :1, :1])
    if tokens.log_decay is None and tokens.reset is None:
        return one
    silent = j.numpy.zeros_like(tokens.v[..., :1])
    return op(tokens._replace(v=silent, k=silent, q=silent, initial_state=one))[1]
