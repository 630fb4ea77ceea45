"""A jaxpr computed exactly at numeric sizes: object arrays of a field's scalars, NumPy's integers and booleans.

It shares no rule with the symbolic reading, which is compared with it at small sizes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.array import ExactArray, Namespace
from ..exact.scalar import NotPolynomial


class Computer:
    """Scalars of one field."""

    def __init__(self, field: Any) -> None:
        self.field = field
        self.xp = Namespace(field)

    def constant(self, value: Any) -> np.ndarray:
        """A number or array of the program; a float stands for the number that it is in binary."""
        array = np.asarray(value)
        if array.dtype.kind in "biu":
            return array
        return self.map(lambda x: self.number(float(x)), array)

    def number(self, value: float) -> Any:
        if not math.isfinite(value):
            raise NotPolynomial("an infinite number")
        return self.field.number(Fraction(value))

    def map(self, function: Callable[[Any], Any], array: np.ndarray) -> np.ndarray:
        """A function of each entry, as an array of scalars."""
        out = np.empty(array.shape, dtype=object)
        for place in np.ndindex(array.shape):
            out[place] = function(array[place])
        return out

    def reals(self, array: np.ndarray) -> np.ndarray:
        """Integers and booleans as scalars."""
        if array.dtype == object:
            return array
        return self.map(lambda x: self.field.number(int(x)), array)

    def array(self, value: np.ndarray) -> ExactArray:
        return ExactArray(_own(self.reals(np.asarray(value))), self.field)

    def function(self, name: str, array: np.ndarray) -> np.ndarray:
        """exp, log, sqrt or abs of each entry."""
        return self.map(getattr(self.field, name), self.reals(array))


def _own(array: np.ndarray) -> np.ndarray:
    out = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        out[place] = array[place]
    return out


def _binary(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            a, b = reader.computer.reals(a), reader.computer.reals(b)
            return _objects(operation(a, b))
        return np.asarray(operation(a, b))

    return rule


def _objects(value: Any) -> np.ndarray:
    """NumPy hands 0-d results of objects out as bare scalars."""
    if isinstance(value, np.ndarray):
        return value
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def _div(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if a.dtype == object or b.dtype == object:
        return _binary(np.true_divide)(reader, params, a, b)
    return np.asarray(np.trunc(a / b).astype(np.result_type(a, b)))


def _rem(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if a.dtype == object or b.dtype == object:
        raise NotPolynomial("a remainder")
    return np.asarray(np.fmod(a, b))


def _neg(reader: Any, params: Any, a: Any) -> Any:
    return _objects(-a) if a.dtype == object else np.asarray(-a)


def _power(reader: Any, params: Any, a: Any) -> Any:
    exponent = params["y"]
    if a.dtype != object:
        return np.asarray(a**exponent)
    one = reader.computer.reals(np.ones(a.shape, dtype=int))
    power = functools.reduce(lambda x, y: x * y, [a] * abs(exponent), one)
    return _objects(power if exponent >= 0 else one / power)


def _named(name: str) -> Callable[..., Any]:
    return lambda reader, params, a: reader.computer.function(name, a)


def _logistic(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    one = computer.reals(np.ones(a.shape, dtype=int))
    return _objects(one / (one + computer.function("exp", _objects(-computer.reals(a)))))


def _log1p(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    return computer.function("log", _objects(computer.reals(a) + computer.field.number(1)))


def _expm1(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    return _objects(computer.function("exp", a) - computer.field.number(1))


def _rsqrt(reader: Any, params: Any, a: Any) -> Any:
    computer = reader.computer
    return _objects(computer.reals(np.ones(a.shape, dtype=int)) / computer.function("sqrt", a))


def _convert(reader: Any, params: Any, a: Any) -> Any:
    kind = np.dtype(params["new_dtype"]).kind if "bfloat16" not in str(params["new_dtype"]) else "f"
    if kind == "f":
        return reader.computer.reals(a)
    if a.dtype == object:
        raise NotPolynomial("a cast of a real number to an integer")
    return a.astype(np.dtype(params["new_dtype"]))


def _same(reader: Any, params: Any, a: Any) -> Any:
    return a


def _compare(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            a, b = (_fractions(reader.computer, one) for one in (a, b))
        return np.asarray(operation(a, b)).astype(bool)

    return rule


def _fractions(computer: Computer, array: np.ndarray) -> np.ndarray:
    """Entries that are plain numbers.

    Raises:
        NotPolynomial: if one of them has a symbol in it.
    """
    from ..evidence.engines import as_constant

    def number(scalar: Any) -> Fraction:
        found = scalar if isinstance(scalar, Fraction) else as_constant(scalar)
        if found is None:
            raise NotPolynomial("a comparison")
        return found

    return computer.map(number, computer.reals(array))


def _select(reader: Any, params: Any, which: Any, *cases: Any) -> Any:
    if any(case.dtype == object for case in cases):
        cases = tuple(map(reader.computer.reals, cases))
    which = np.broadcast_to(which, cases[0].shape)
    out = np.empty(cases[0].shape, dtype=cases[0].dtype)
    for place in np.ndindex(out.shape):
        out[place] = cases[int(which[place])][place]
    return out


def _extreme(pick: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, b: Any) -> Any:
        if a.dtype == object or b.dtype == object:
            computer = reader.computer
            left, right = np.broadcast_arrays(*(_fractions(computer, one) for one in (a, b)))
            found = computer.map(lambda pair: pair, left)
            for place in np.ndindex(left.shape):
                found[place] = computer.field.number(pick(left[place], right[place]))
            return found
        return np.asarray((np.maximum if pick is max else np.minimum)(a, b))

    return rule


def _clamp(reader: Any, params: Any, low: Any, a: Any, high: Any) -> Any:
    return _extreme(min)(reader, params, _extreme(max)(reader, params, low, a), high)


def _masks(operation: Any) -> Callable[..., Any]:
    return lambda reader, params, *arrays: np.asarray(operation(*arrays))


# Structure


def _broadcast_in_dim(reader: Any, params: Any, a: Any) -> Any:
    shape, axes = params["shape"], params["broadcast_dimensions"]
    full = [1] * len(shape)
    for k, axis in enumerate(axes):
        full[axis] = a.shape[k]
    return np.broadcast_to(np.asarray(a).reshape(tuple(full)), shape)


def _moved(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda reader, params, a: function(np.asarray(a), params)


def _slice(a: Any, params: Any) -> Any:
    strides = params["strides"] or [1] * a.ndim
    cut = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return a[tuple(slice(*one) for one in cut)]


def _concatenate(reader: Any, params: Any, *arrays: Any) -> Any:
    if any(one.dtype == object for one in arrays):
        arrays = tuple(map(reader.computer.reals, arrays))
    return np.concatenate(arrays, axis=params["dimension"])


def _stack(reader: Any, params: Any, *arrays: Any) -> Any:
    if any(one.dtype == object for one in arrays):
        arrays = tuple(map(reader.computer.reals, arrays))
    return np.stack(arrays, axis=params["axis"])


def _unstack(reader: Any, params: Any, a: Any) -> list[Any]:
    return [
        _objects(row) if a.dtype == object else row for row in np.moveaxis(a, params["axis"], 0)
    ]


def _split(reader: Any, params: Any, a: Any) -> list[Any]:
    ends = np.cumsum(params["sizes"])[:-1]
    return list(np.split(a, ends, axis=params["axis"]))


def _pad(reader: Any, params: Any, a: Any, filling: Any) -> Any:
    """Outwards, inwards (negative) and between entries."""
    config = params["padding_config"]
    if a.dtype == object:
        filling = reader.computer.reals(filling)
    shape = [low + d + high + max(d - 1, 0) * inner
             for (low, high, inner), d in zip(config, a.shape, strict=True)]  # fmt: skip
    out = np.empty(shape, dtype=a.dtype)
    for place in np.ndindex(*shape):
        out[place] = filling[()]
    for place in np.ndindex(a.shape):
        there = tuple(
            low + i * (inner + 1) for i, (low, _, inner) in zip(place, config, strict=True)
        )
        if all(0 <= i < d for i, d in zip(there, shape, strict=True)):
            out[there] = a[place]
    return out


def _iota(reader: Any, params: Any) -> Any:
    shape, axis = params["shape"], params["dimension"]
    full = [1] * len(shape)
    full[axis] = shape[axis]
    rows = np.broadcast_to(np.arange(shape[axis]).reshape(full), shape)
    return rows if np.dtype(params["dtype"]).kind in "iu" else reader.computer.reals(rows)


def _gather(reader: Any, params: Any, a: Any, starts: Any) -> Any:
    numbers, sizes = params["dimension_numbers"], params["slice_sizes"]
    filled = "FILL" in str(params["mode"])
    batching = tuple(getattr(numbers, "operand_batching_dims", ()))
    batched = tuple(getattr(numbers, "start_indices_batching_dims", ()))
    inner = [k for k in range(a.ndim) if k not in (*numbers.collapsed_slice_dims, *batching)]
    offset = list(numbers.offset_dims)
    rank = starts.ndim - 1 + len(offset)
    batch = [k for k in range(rank) if k not in offset]
    shape = [0] * rank
    for k, d in zip(batch, starts.shape[:-1], strict=True):
        shape[k] = d
    for k, axis in zip(offset, inner, strict=True):
        shape[k] = sizes[axis]
    out = np.empty(shape, dtype=a.dtype)
    for place in np.ndindex(*shape):
        own = tuple(place[k] for k in batch)
        here = [0] * a.ndim
        for n, axis in enumerate(numbers.start_index_map):
            start, most = int(starts[(*own, n)]), a.shape[axis] - sizes[axis]
            if filled and not 0 <= start <= most:
                raise NotPolynomial("a gather outside its array")
            here[axis] = min(max(start, 0), most)
        for axis, k in zip(batching, batched, strict=True):
            here[axis] = own[k]
        for k, axis in zip(offset, inner, strict=True):
            here[axis] += place[k]
        out[place] = a[tuple(here)]
    return out


def _dynamic_slice(reader: Any, params: Any, a: Any, *starts: Any) -> Any:
    sizes = params["slice_sizes"]
    begin = [min(max(int(s), 0), d - n) for s, d, n in zip(starts, a.shape, sizes, strict=False)]
    return a[tuple(slice(s, s + n) for s, n in zip(begin, sizes, strict=True))]


# Sums and loops


def _dot_general(reader: Any, params: Any, a: Any, b: Any) -> Any:
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    computer = reader.computer
    if a.dtype == object or b.dtype == object:
        a, b = computer.reals(a), computer.reals(b)
    left_free = [k for k in range(a.ndim) if k not in (*left, *left_batch)]
    right_free = [k for k in range(b.ndim) if k not in (*right, *right_batch)]
    a = a.transpose([*left_batch, *left_free, *left])
    b = b.transpose([*right_batch, *right_free, *right])
    batch = a.shape[: len(left_batch)]
    rows, columns = (
        a.shape[len(batch) : a.ndim - len(left)],
        b.shape[len(batch) : b.ndim - len(right)],
    )
    inner = math.prod(a.shape[a.ndim - len(left) :])
    x = a.reshape(math.prod(batch), math.prod(rows), inner)
    y = b.reshape(math.prod(batch), math.prod(columns), inner)
    out = np.empty((x.shape[0], x.shape[1], y.shape[1]), dtype=a.dtype)
    zero = computer.field.number(0) if a.dtype == object else 0
    for n, i, j in np.ndindex(out.shape):
        out[n, i, j] = sum((p * q for p, q in zip(x[n, i], y[n, j], strict=True)), start=zero)
    return out.reshape(*batch, *rows, *columns)


def _reduce(operation: Any, name: str) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> Any:
        computer = reader.computer
        if a.dtype != object:
            return np.asarray(getattr(np, name)(a, axis=tuple(params["axes"])))
        gone = sorted(params["axes"])
        kept = [k for k in range(a.ndim) if k not in gone]
        moved = a.transpose([*kept, *gone])
        out = np.empty(moved.shape[: len(kept)], dtype=object)
        for place in np.ndindex(out.shape):
            out[place] = operation(computer, list(np.asarray(moved[place]).flat))
        return out

    return rule


def _sum(computer: Computer, entries: list[Any]) -> Any:
    return sum(entries, start=computer.field.number(0))


def _product(computer: Computer, entries: list[Any]) -> Any:
    return functools.reduce(lambda x, y: x * y, entries, computer.field.number(1))


def _largest(computer: Computer, entries: list[Any]) -> Any:
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return computer.field.number(max(_fractions(computer, array)))


def _cumulative(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> Any:
        axis, rows = params["axis"], reader.computer.reals(a)
        rows = np.moveaxis(rows, axis, 0)
        order = range(len(rows))[::-1] if params["reverse"] else range(len(rows))
        out, before = np.empty(rows.shape, dtype=object), None
        for k in order:
            before = _objects(rows[k] if before is None else operation(before, rows[k]))
            out[k] = before
        return np.moveaxis(out, 0, axis)

    return rule


def _scan(reader: Any, params: Any, *inputs: Any) -> list[Any]:
    consts, carries = params["num_consts"], params["num_carry"]
    fixed, carry = list(inputs[:consts]), list(inputs[consts : consts + carries])
    sequences = inputs[consts + carries :]
    order = range(params["length"])
    made: dict[int, list[Any]] = {}
    for time in reversed(order) if params["reverse"] else order:
        rows = [
            np.asarray(_objects(one[time]) if one.dtype == object else one[time])
            for one in sequences
        ]
        found = reader.run(params["jaxpr"], [*fixed, *carry, *rows])
        carry, made[time] = found[:carries], found[carries:]
    if not made:
        raise NotPolynomial("a loop without a turn")
    stacked = [np.stack([made[t][k] for t in order]) for k in range(len(made[0]))]
    return [*carry, *stacked]


def _while(reader: Any, params: Any, *inputs: Any) -> list[Any]:
    first, second = params["cond_nconsts"], params["body_nconsts"]
    test, fixed, carry = (
        inputs[:first],
        inputs[first : first + second],
        list(inputs[first + second :]),
    )
    while bool(reader.run(params["cond_jaxpr"], [*test, *carry])[0]):
        carry = reader.run(params["body_jaxpr"], [*fixed, *carry])
    return carry


def _cond(reader: Any, params: Any, which: Any, *inputs: Any) -> list[Any]:
    branches = params["branches"]
    return reader.run(branches[min(max(int(which), 0), len(branches) - 1)], list(inputs))


def _unread(name: str) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, *inputs: Any) -> Any:
        raise NotPolynomial(name)

    return rule


RULES: dict[str, Callable[..., Any]] = {
    "add": _binary(np.add),
    "add_any": _binary(np.add),
    "sub": _binary(np.subtract),
    "mul": _binary(np.multiply),
    "div": _div,
    "rem": _rem,
    "neg": _neg,
    "integer_pow": _power,
    "square": lambda reader, params, a: _objects(a * a) if a.dtype == object else a * a,
    "exp": _named("exp"),
    "log": _named("log"),
    "sqrt": _named("sqrt"),
    "abs": lambda reader, params, a: (
        reader.computer.function("abs", a) if a.dtype == object else np.abs(a)
    ),
    "log1p": _log1p,
    "expm1": _expm1,
    "rsqrt": _rsqrt,
    "logistic": _logistic,
    **{name: _unread(name) for name in ("tanh", "sin", "cos", "erf", "exp2", "pow")},
    **dict.fromkeys(("stop_gradient", "copy", "copy_p", "reduce_precision"), _same),
    "optimization_barrier": lambda reader, params, *a: list(a),
    "convert_element_type": _convert,
    "lt": _compare(np.less),
    "le": _compare(np.less_equal),
    "gt": _compare(np.greater),
    "ge": _compare(np.greater_equal),
    "eq": _compare(np.equal),
    "ne": _compare(np.not_equal),
    "and": _masks(np.bitwise_and),
    "or": _masks(np.bitwise_or),
    "xor": _masks(np.bitwise_xor),
    "not": _masks(np.invert),
    "select_n": _select,
    "max": _extreme(max),
    "min": _extreme(min),
    "clamp": _clamp,
    "broadcast_in_dim": _broadcast_in_dim,
    "transpose": _moved(lambda a, params: a.transpose(params["permutation"])),
    "squeeze": _moved(lambda a, params: a.squeeze(tuple(params["dimensions"]))),
    "expand_dims": _moved(lambda a, params: np.expand_dims(a, tuple(params["dimensions"]))),
    "reshape": _moved(lambda a, params: a.reshape(params["new_sizes"])),
    "slice": _moved(_slice),
    "rev": _moved(lambda a, params: np.flip(a, params["dimensions"])),
    "concatenate": _concatenate,
    "stack": _stack,
    "unstack": _unstack,
    "tile": _moved(lambda a, params: np.tile(a, params["reps"])),
    "split": _split,
    "pad": _pad,
    "iota": _iota,
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dot_general": _dot_general,
    "reduce_sum": _reduce(_sum, "sum"),
    "reduce_prod": _reduce(_product, "prod"),
    "reduce_max": _reduce(_largest, "max"),
    "cumsum": _cumulative(np.add),
    "cumprod": _cumulative(np.multiply),
    "scan": _scan,
    "while": _while,
    "cond": _cond,
}
"""What each primitive means on exact numbers, by its name."""
