"""Programs inside programs: calls, loops, branches, and programs on several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ..ops import kernel
from . import compressed
from .enclosed import Enclosed, Value, Whole, error, hull, magnitude, register
from .parameters import INLINED, ScanParameters, parameters
from .tables import Rule, into

CONTROL: dict[str, Rule] = {}
control = into(CONTROL)
COMPILED = 512
"""Turns, those of loops inside included, from which on a loop is compiled."""


def closed(jaxpr: Any) -> Any:
    """A jaxpr with its constants, where an equation has it without."""
    if hasattr(jaxpr, "consts"):
        return jaxpr
    from jax.extend.core import ClosedJaxpr

    return ClosedJaxpr(jaxpr, ())


def inner_programs(equation: Any) -> list[Any]:
    """The programs that an equation runs."""
    found = []
    for value in equation.params.values():
        for program in value if isinstance(value, tuple | list) else (value,):
            if hasattr(program, "eqns") or hasattr(program, "jaxpr"):
                found.append(closed(program))
    return found


@control(*INLINED)
def call(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """A program that runs as it stands: its equations are read in the caller's place."""
    inner = equation.params[INLINED[equation.primitive.name]]
    return reader.run(closed(inner), values)


@control("cond")
def cond(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """The branch that a known index takes; all branches at once where the index is not known.

    An op's kernel is read as the loop that it stands for, which rounds the same numbers; sums are bounded in any order.
    """
    index, *rest = values
    branches = [closed(b) for b in equation.params["branches"]]
    if index is not None and isinstance(index.value, np.ndarray | np.generic):
        chosen = branches[int(np.clip(index.value, 0, len(branches) - 1))]
        names = [
            e.params.get("name") for e in chosen.jaxpr.eqns if e.primitive.name == "pallas_call"
        ]
        return reader.run(branches[-1] if names == [kernel.NAME] else chosen, rest)
    results = [reader.run(b, rest) for b in branches]
    return [hull(reader.xp, v[0].shape, v[0].dtype, list(v)) for v in zip(*results, strict=True)]


@control("while")
def while_(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """A loop that runs as often as known numbers say."""
    params = equation.params
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    carry = values[second:]
    while True:
        (goes_on,) = reader.run(closed(params["cond_jaxpr"]), [*values[:first], *carry])
        if goes_on is None or not isinstance(goes_on.value, np.ndarray | np.generic):
            raise UsageError(
                "a bound needs to know how often a loop runs, and this one ends when a computed number says so."
            )
        if not goes_on.value.all():
            return carry
        carry = reader.run(closed(params["body_jaxpr"]), [*values[first:second], *carry])


@control("scan")
def scan(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """A loop over rows: one turn for equal rows, the turns one by one, or many of them compiled."""
    params = parameters(equation)
    constants, carry, columns = params.parted(values)
    body, carries, length = closed(params.body), params.carries, params.length
    if not carry and length > 1 and all(_is_uniform(v) for v in columns):
        results = reader.run(body, [*constants, *(_row(v, 0) for v in columns)])
        return [_repeated(reader.xp, v, length) for v in results]
    if turns(equation) >= COMPILED or (reader.xp is not np and length > 1):
        return _looped(reader, params, body, constants, carry, columns)
    order = range(length)[::-1] if params.reverse else range(length)
    rows: list[Any] = [None] * length
    for turn in order:
        row = [_row(v, turn) for v in columns]
        results = reader.run(body, [*constants, *carry, *row])
        carry, rows[turn] = list(results[:carries]), results[carries:]
    stacks = [_stacked(reader.xp, list(column)) for column in zip(*rows, strict=True)]
    return [*carry, *stacks]


def turns(equation: Any) -> int:
    """How many turns an equation takes, with all loops inside."""
    inside = sum(turns(e) for program in inner_programs(equation) for e in program.jaxpr.eqns)
    is_scan = equation.primitive.name == "scan"
    return parameters(equation).length * max(inside, 1) if is_scan else inside


def _is_uniform(value: Value | None) -> bool:
    """Whether all rows are alike."""
    return value is not None and all(size[0] == 1 for size in _sizes(value))


def _repeated(xp: Any, value: Any, length: int) -> Any:
    """`length` equal rows."""
    if value is None:
        return None
    return compressed.fields(lambda f: xp.reshape(f, (1, *f.shape)), value, (length, *value.shape))


def _row(value: Any, turn: Any) -> Any:
    if value is None:
        return None
    return compressed.fields(lambda f: f[0] if f.shape[0] == 1 else f[turn], value, value.shape[1:])


def _stacked(xp: Any, rows: list[Any]) -> Any:
    if any(v is None for v in rows):
        return None
    shape = (len(rows), *rows[0].shape)
    return compressed.joined(xp, rows, shape, lambda f: xp.stack(compressed.together(xp, f)))


def _looped(
    reader: Any,
    params: ScanParameters,
    body: Any,
    constants: list[Any],
    carry: list[Any],
    columns: list[Any],
) -> list[Any]:
    """The same loop over the same rules, as a loop of JAX; compiled at once if the reader is not inside another."""
    import jax
    import jax.numpy as jnp

    register()
    length, outer = params.length, reader.xp
    if any(v is None for v in (*constants, *carry, *columns)):
        raise UsageError(f"a loop of {length} turns has a condition on computed numbers.")
    inner = reader.inside(jnp)
    carry = [_widest(outer, v) for v in carry]
    columns = [
        compressed.fields(
            lambda f, n=v.shape[0]: outer.broadcast_to(f, (n, *f.shape[1:])), v, v.shape
        )
        for v in columns
    ]

    def turn(fixed: Any, state: Any, row: Any) -> tuple[list[Any], list[Any]]:
        row = [v._replace(shape=v.shape[1:]) for v in row]
        results = inner.run(body, [*fixed, *state, *row])
        return [_widest(jnp, v) for v in results[: len(state)]], results[len(state) :]

    def loop(fixed: Any, state: Any, rows: Any) -> tuple[Any, Any]:
        def step(state: Any, row: Any) -> tuple[Any, Any]:
            found, outputs = turn(fixed, state, row)
            return jax.tree.map(lambda f, s: jnp.broadcast_to(f, s.shape), found, state), outputs

        return jax.lax.scan(step, state, rows, length=length, reverse=params.reverse)

    first = jax.tree.map(lambda f: f[0], columns)
    while True:  # fields grow from length 1 to full until they stay as they are
        found = jax.eval_shape(turn, constants, carry, first)[0]
        grown = [_grown(outer, *pair) for pair in zip(carry, found, strict=True)]
        same = [*map(_sizes, carry)] == [*map(_sizes, grown)]
        carry = grown
        if same:
            break
    if outer is np:
        key = id(body.jaxpr), length, params.reverse
        loop = reader.programs.setdefault(key, jax.jit(loop))
    finals, rows = loop(constants, carry, columns)
    if outer is np:
        finals, rows = jax.tree.map(np.asarray, (finals, rows))
    return [*finals, *(v and v._replace(shape=(length, *v.shape)) for v in rows)]


def _widest(xp: Any, value: Value) -> Value:
    """A carried value without a sign, with an error."""
    if isinstance(value, Whole):
        return value._replace(value=xp.asarray(value.value).astype(value.dtype))
    size = magnitude(xp, value)
    shape = np.broadcast_shapes(np.shape(size), np.shape(error(value)))
    wrong = xp.broadcast_to(xp.asarray(error(value), dtype=float), shape)
    return Enclosed(value.shape, value.dtype, xp.broadcast_to(size, shape), None, wrong)


def _grown(xp: Any, value: Value, found: Value) -> Value:
    sizes = np.broadcast_shapes(*_sizes(value), *_sizes(found))
    return compressed.fields(lambda f: xp.broadcast_to(f, sizes), value, value.shape)


def _sizes(value: Value) -> list[tuple[int, ...]]:
    """The shapes of a value's fields."""
    return [np.shape(f) for f in value[2:] if f is not None]
