"""A program on several devices: the values of all of them are read side by side, and meet in collectives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

from . import compressed
from .control_flow import CONTROL, closed, control, inner_programs
from .data_movement import concatenate, part
from .enclosed import Enclosed, Value, Whole, point
from .rules import RULES
from .tables import Rule, into


class Shards(NamedTuple):
    """One value for each device of a mesh, in the order of its flattened axes."""

    values: list[Any]


class Mesh(NamedTuple):
    """Which devices a program runs on, as long as its body is read."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def devices(self) -> int:
        """The number of devices in the mesh."""
        return int(np.prod(self.sizes))

    def groups(self, axes: Any) -> list[list[int]]:
        """The devices that differ only along some axes, in order: one list for each place on the others."""
        axes = (axes,) if isinstance(axes, str) else tuple(axes)
        places = np.arange(self.devices).reshape(self.sizes)
        moved = [self.names.index(a) for a in axes]
        rest = [i for i in range(len(self.sizes)) if i not in moved]
        return (
            places.transpose(*rest, *moved)
            .reshape(-1, int(np.prod([self.sizes[i] for i in moved])))
            .tolist()
        )

    def place(self, device: int, axis: str) -> int:
        """The place of a device along an axis."""
        return int(np.unravel_index(device, self.sizes)[self.names.index(axis)])


def apply(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """An equation of which some values differ from device to device."""
    name, mesh = equation.primitive.name, reader.mesh
    if name in COLLECTIVES:
        lists = [_each(v, mesh.devices) for v in values]
        found = COLLECTIVES[name](mesh, equation.params, lists, equation.outvars)
        return [Shards(f) for f in found]
    if name in CONTROL and _meets(equation):
        return CONTROL[name](reader, equation, values)  # a call: its body meets the same devices
    results = [
        reader.apply(equation, [v.values[d] if isinstance(v, Shards) else v for v in values])
        for d in range(mesh.devices)
    ]
    return [Shards(list(r)) for r in zip(*results, strict=True)]


def _each(value: Any, devices: int) -> list[Any]:
    return value.values if isinstance(value, Shards) else [value] * devices


def _meets(equation: Any) -> bool:
    """Whether a program inside an equation has a collective in it."""
    inner = inner_programs(equation)
    found = any(
        e.primitive.name in COLLECTIVES or _meets(e)
        for program in inner
        for e in program.jaxpr.eqns
    )
    if found and equation.primitive.name in ("scan", "while", "cond"):
        raise UsageError("a bound has no rule for devices that meet inside a loop or a branch.")
    return found


@control("shard_map")
def shard_map(reader: Any, equation: Any, values: list[Any]) -> Sequence[Any]:
    """A program that every device of a mesh runs on its part of the inputs."""
    params = equation.params
    mesh = Mesh(tuple(params["mesh"].axis_names), tuple(params["mesh"].axis_sizes))
    inner = closed(params["jaxpr"])
    given = [_split(mesh, spec, v) for spec, v in zip(params["in_specs"], values, strict=True)]
    before, reader.mesh = reader.mesh, mesh
    try:
        results = reader.run(inner, given)
    finally:
        reader.mesh = before
    return [
        _joined(mesh, spec, _each(v, mesh.devices))
        for spec, v in zip(params["out_specs"], results, strict=True)
    ]


def _axes(entry: Any) -> tuple[str, ...]:
    return () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry)


def _split(mesh: Mesh, spec: Any, value: Value) -> Shards:
    pieces = []
    for device in range(mesh.devices):
        starts, shape = [0] * len(value.shape), list(value.shape)
        for axis, entry in enumerate(spec):
            for name in _axes(entry):
                shape[axis] //= mesh.sizes[mesh.names.index(name)]
                starts[axis] += mesh.place(device, name) * shape[axis]
        pieces.append(part(np, value, starts, tuple(shape)))
    return Shards(pieces)


def _joined(mesh: Mesh, spec: Any, values: list[Value]) -> Value:
    """The shards of a result along its one shared axis; those along others are equal."""
    shared = [(axis, _axes(entry)) for axis, entry in enumerate(spec) if entry is not None]
    if not shared:
        return values[0]
    if len(shared) > 1:
        raise UsageError("a bound has no rule for a result that is shared along two of its axes.")
    axis, names = shared[0]
    parts = [values[device] for device in mesh.groups(names)[0]]
    length = sum(p.shape[axis] for p in parts)
    shape = (*parts[0].shape[:axis], length, *parts[0].shape[axis + 1 :])
    return concatenate(np, {"dimension": axis}, shape, *parts)


COLLECTIVES: dict[str, Rule] = {}
collective = into(COLLECTIVES)


def _in_groups(
    mesh: Mesh, axes: Any, lists: Any, meet: Callable[[list[Any], Any], list[Any]], out: Any
) -> list[list[Any]]:
    """The results of a collective: `meet` makes of a group's values, and of what comes out, a value for each of it."""
    results = []
    for values, variable in zip(lists, out, strict=True):
        found: list[Any] = [None] * mesh.devices
        for group in mesh.groups(axes):
            made = meet([values[d] for d in group], variable.aval)
            for device, value in zip(group, made, strict=True):
                found[device] = value
        results.append(found)
    return results


@collective("axis_index")
def axis_index(mesh: Mesh, params: Any, lists: Any, out: Any) -> list[list[Any]]:
    """Which place a device has along an axis."""
    places = [mesh.place(d, params["axis_name"]) for d in range(mesh.devices)]
    return [[point(np.asarray(p, dtype=np.int32)) for p in places]]


@collective("psum", "psum2", "psum_invariant")
def psum(mesh: Mesh, params: Any, lists: Any, out: Any) -> list[list[Any]]:
    """A sum over devices in any order; zeros that are known to be such take no part in the rounding."""

    def total(values: list[Any], aval: Any) -> list[Any]:
        terms = [v for v in values if not _is_nothing(v)] or values[:1]
        return [_total(terms, aval)] * len(values)

    return _in_groups(mesh, params["axes"], lists, total, out)


def _is_nothing(value: Value) -> bool:
    if isinstance(value, Whole):
        return False
    known = value.lower is not None and value.error is None
    return known and not np.any(value.upper) and not np.any(value.lower)


def _total(terms: list[Any], aval: Any) -> Any:
    if len(terms) == 1:
        return terms[0]
    stacked = _stacked(terms)
    if isinstance(stacked, Whole):
        return Whole(aval.shape, aval.dtype, stacked.value.sum(axis=0))
    return RULES["reduce_sum"](np, {"axes": (0,)}, aval.shape, aval.dtype, stacked)


def _stacked(values: list[Any]) -> Any:
    shape = (len(values), *values[0].shape)
    return compressed.joined(np, values, shape, lambda f: np.stack(np.broadcast_arrays(*f)))


@collective("all_gather", "all_gather_invariant")
def all_gather(mesh: Mesh, params: Any, lists: Any, out: Any) -> list[list[Any]]:
    """The values of a group, one after the other or stacked, for each of its devices."""
    axis = params["all_gather_dimension"]

    def gathered(values: list[Any], aval: Any) -> list[Any]:
        every = _stacked(values)
        rest = every.shape[1:]
        shape = (*rest[:axis], len(values), *rest[axis:])
        every = compressed.fields(lambda f: np.moveaxis(f, 0, axis), every, shape)
        if params["tiled"]:
            every = compressed.fields(
                lambda f: compressed.reshaped(np, f, shape, aval.shape), every, aval.shape
            )
        return [every] * len(values)

    return _in_groups(mesh, params["axis_name"], lists, gathered, out)


@collective("ppermute")
def ppermute(mesh: Mesh, params: Any, lists: Any, out: Any) -> list[list[Any]]:
    """What is sent to nobody is lost, and who gets nothing gets zeros."""

    def exchanged(values: list[Any], aval: Any) -> list[Any]:
        nothing = np.zeros((1,) * len(aval.shape))
        empty: Any = Enclosed(aval.shape, aval.dtype, nothing, nothing)
        if isinstance(values[0], Whole):
            empty = Whole(aval.shape, aval.dtype, nothing.astype(aval.dtype))
        sources = {target: source for source, target in params["perm"]}
        return [values[sources[d]] if d in sources else empty for d in range(len(values))]

    return _in_groups(mesh, params["axis_name"], lists, exchanged, out)
