"""From a graph of ATen's operations to nodes: one operation after the other, by the table of rules."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...statement import choices, functions, making, nodes
from ...statement.conditions import is_whole as is_seen_whole
from ...statement.errors import IllFormed
from ...statement.masks import is_mask
from ...statement.nodes import Node
from ...statement.statement import Fit
from ...statement.whole import Axis, Whole, spelled, whole
from ...statement.whole import Number as WholeNumber
from ..domains import Domains
from ..fitting import to_fit
from ..infinities import Value, meant_by, moved, nothing_but
from ..jaxpr.literals import meaning
from ..meant import Literal, taken
from . import complex_numbers, entrywise, moving, placing, scanning, sums  # noqa: F401  they fill the table
from .refusal import Decided, Refused, torch
from .sizes import Sizes, Unsaid
from .table import PLACEMENT, RULES
from .values import format_of, is_whole
from .writing import Writes

MOST_CONSTANTS = 4096
"""More numbers than this in one constant are a table, which is no formula."""
NO_RULE = "it has no rule; scanproof prove --operations lists those that have one"
ENTRIES = nodes.Number, nodes.Take, nodes.Reshape, nodes.Join, nodes.Build, nodes.Map
"""Nodes whose entries are numbers, those of others, or computed of these."""
HUGE = 1e30
"""What is less than −10³⁰, or the least number of a format, is put where −∞ is meant: exp of it is 0 in floats."""


def _has_nan(value: Any) -> bool:
    return (isinstance(value, float) and math.isnan(value)) or getattr(value, "is_nan", False)


@dataclass
class Notes:
    """What is found out about a program beside its nodes."""

    assumes: dict[str, None] = field(default_factory=dict)
    """What is taken for granted, in words."""
    literals: dict[Literal, None] = field(default_factory=dict)
    """Its numbers that are more than small binary fractions."""
    fits: dict[Fit, None] = field(default_factory=dict)
    """What has to hold of the sizes for whole numbers to fit their type."""
    domains: Domains = field(default_factory=Domains)
    """Where its operations are defined."""
    unknown: int = 0
    """How often something was made of which nothing is known."""


class Lowering:
    """The state of lowering one graph; rules see it as the operation that they are asked for.

    Args:
        graph: PyTorch's graph module.
        sizes: what its symbols stand for.
        given: a value for each of its inputs.
    """

    def __init__(
        self,
        graph: Any,
        sizes: Sizes,
        given: Sequence[Any],
        notes: Notes,
        writes: Writes,
    ) -> None:
        self.graph, self.sizes, self.notes, self.writes = graph, sizes, notes, writes
        self.given = list(given)
        self.known: dict[Any, Any] = {}
        self.operation: Any = None
        self.name = ""

    def outputs(self) -> list[Any]:
        """What the graph returns, each a `Value`, a number, or None.

        Raises:
            Refused: for what has no rule, or is not bound by one.
        """
        given = iter(self.given)
        needed = _needed(self.graph.graph)
        for one in self.graph.graph.nodes:
            if one not in needed and one.op != "placeholder":
                continue
            if one.op == "placeholder":
                self.known[one] = next(given)
            elif one.op == "get_attr":
                self.known[one] = self._attribute(one)
            elif one.op == "call_function":
                self.operation = one
                self.known[one] = self._done(one)
            elif one.op == "output":
                found = self._plain(one.args[0])
                return list(found) if isinstance(found, list | tuple) else [found]
        raise Refused("the graph has no output")

    def inside(self, graph: Any, given: Sequence[Any]) -> Lowering:
        """The lowering of a graph in this one, for these inputs."""
        return Lowering(graph, self.sizes, given, self.notes, self.writes)

    # One operation.

    def _done(self, one: Any) -> Any:
        self.name = _name(one.target)
        try:
            return self._made(one.target, one)
        except (IllFormed, Refused) as error:
            if getattr(error, "placed", False):
                raise
            raise self.refuse(str(error)) from error

    def _made(self, target: Any, one: Any) -> Any:
        if target is operator.getitem:
            found = self._plain(one.args[0])[one.args[1]]
            if found is None and one.users:
                raise self.refuse("the places of an extreme")
            return found
        if self.name in SIZES:
            return SIZES[self.name](self, *self._plain(one.args))
        if getattr(target, "__name__", "") == "scan":
            return scanning.lowered(self, *self._plain(one.args))
        rule = RULES.get(self.name)
        if rule is None:
            raise self.refuse(NO_RULE)
        given = self._bound(target, one, rule.takes)
        if not rule.takes_nan and any(map(_has_nan, given.values())):
            raise self.refuse("NaN")
        found = rule.made(self, **given)
        return self._results(found, rule.computes)

    def _bound(self, target: Any, one: Any, takes: frozenset[str]) -> dict[str, Any]:
        """The arguments by the schema's names; what the rule does not bind has to be the default."""
        schema = target._schema.arguments
        named = dict(zip((a.name for a in schema), one.args, strict=False)) | dict(one.kwargs)
        found: dict[str, Any] = {}
        for argument in schema:
            if argument.name not in named:
                continue
            value = self._plain(named[argument.name])
            if argument.name in takes:
                found[argument.name] = value
            elif argument.name not in PLACEMENT and argument.name != "dtype":
                default = argument.default_value if argument.has_default_value() else None
                if value != default:
                    raise self.refuse(f"its argument {argument.name}={value!r} is not read")
        return found

    def _results(self, found: Any, computes: bool) -> Any:
        if isinstance(found, list | tuple):
            pairs = zip(found, self._metas(), strict=False)
            return [None if v is None else self._result(v, m, computes) for v, m in pairs]
        return self._result(found, self._metas()[0], computes)

    def _result(self, found: Any, meta: Any, computes: bool) -> Value:
        """A result in the format that PyTorch says, of the shape that it says."""
        value = found if isinstance(found, Value) else Value(found, meta.dtype)
        node = value.node
        self.notes.domains.note(node)
        if is_whole(meta.dtype) and value.odd is None:
            node = self._whole(node, meta.dtype, computes)
        try:
            shape = self._shape_of(meta)
        except Unsaid:
            return replace(value, node=node, dtype=meta.dtype)
        if complex_numbers.is_complex(meta.dtype) and node.shape == shape[:-1]:
            value = moved(complex_numbers.of_real, [value])
            node = value.node
        if node.shape != shape:
            if making.area(node.shape) == making.area(shape) == 1 and node.shape == ():
                node = axes_of_ones(node, shape)
            else:
                raise self._other_shape(node.shape, shape)
        return replace(value, node=node, dtype=meta.dtype)

    def _other_shape(self, ours: nodes.Shape, theirs: nodes.Shape) -> Refused:
        if len(ours) == len(theirs):
            for one, other in zip(ours, theirs, strict=True):
                if one != other and isinstance(one - other, Whole):
                    return self.decided(one - other, "= 0", "whether two lengths are one")
        shapes = f"{making.shown(theirs)}, not {making.shown(ours)}"
        return self.refuse(f"PyTorch gives it the shape {shapes}")

    # What rules ask.

    def _metas(self) -> list[Any]:
        meta = self.operation.meta.get("val")
        return list(meta) if isinstance(meta, list | tuple) else [meta]

    def _shape_of(self, meta: Any) -> nodes.Shape:
        own = tuple(map(self.sizes.of, meta.shape))
        return (*own, complex_numbers.PARTS) if complex_numbers.is_complex(meta.dtype) else own

    @property
    def shape(self) -> nodes.Shape:
        """The result's shape, as PyTorch says it."""
        return self.shapes[0]

    @property
    def shapes(self) -> list[nodes.Shape]:
        """Those of all results."""
        try:
            return list(map(self._shape_of, self._metas()))
        except Unsaid as error:
            raise self.unsaid(f"a length {self.sizes.texts(error)}", error.expr) from error

    @property
    def dtype(self) -> Any:
        """The result's format."""
        return self._metas()[0].dtype

    @property
    def line(self) -> str:
        """The user's line: " at file:line"."""
        found = self.operation.meta.get("stack_trace") or self.operation.stack_trace or ""
        return found if found.startswith(" at ") else ""

    @property
    def _called(self) -> str:
        """The operation and the user's line: "aten.argmax at file:line"."""
        return f"{said(self.name)}{self.line}"

    def refuse(self, why: str) -> Refused:
        """The error for an operation that is not read."""
        return Refused(f"{self._called}: {why}", placed=True)

    def decided(self, number: WholeNumber, relation: str, why: str) -> Decided:
        """The error for what holds at some sizes only."""
        condition = f"{spelled(number)} {relation}"
        return Decided(f"{self._called}: {why} ({condition})", condition, number, relation)

    def unsaid(self, why: str, expr: Any) -> Refused:
        """The error for a number of sizes that is no polynomial of them; it may be one in each of a few cases."""
        number, by = self.sizes.hinge(expr)
        if number is None:
            return self.refuse(why)
        return Decided(f"{self._called}: {why}", "", number, by=by)

    def assume(self, what: str) -> None:
        """Note what is taken for granted."""
        self.notes.assumes.setdefault(what)

    def unknown(self, what: str) -> Node:
        """An array of which nothing is known."""
        self.notes.unknown += 1
        name = f"{what} {self.notes.unknown}".replace(
            " ", "_"
        )  # a name in programs that are printed
        shape = self.shape
        axes = [nodes.Positions(length) for length in shape]  # so that no two entries are one
        places = [making.take(one, [whole(Axis(k))], shape) for k, one in enumerate(axes)]
        return nodes.Opaque(name, frozenset(), tuple(places), shape)

    def _whole(self, node: Node, dtype: Any, computes: bool) -> Node:
        """A result in a format of whole numbers: whatever is not 0 is true, and fractions are cut."""
        if format_of(dtype).kind == "bool":
            return choices.truth(node)
        if _has_fractions(node):
            node = choices.truncated(node)
        return self.held(node, dtype) if computes or making.entry_of(node) is not None else node

    def held(self, node: Node, dtype: Any) -> Node:
        """Whole numbers in a format, which must hold them; those of positions and sizes do where sizes let them."""
        form = format_of(dtype)
        low, high = form.ends
        if form.kind == "bool" or is_mask(node) or low is None or high is None:
            return node
        fits = to_fit(node, low, high, f"{form.name}, {self.line.removeprefix(' at ')}")
        if fits is None:
            return nodes.Held(node, form) if form.says else node
        self.notes.fits.update(dict.fromkeys(fits))
        return node

    def expect_truths(self, value: Any, name: str) -> None:
        """Refuse bits of whole numbers."""
        truths = isinstance(value, bool) or str(getattr(value, "dtype", "")) == "torch.bool"
        if self.name.startswith(name) and not truths:
            raise self.refuse("bits of whole numbers")

    def whole(self, value: Any) -> WholeNumber:
        """A whole number of sizes."""
        if isinstance(value, int | Whole):
            return value
        found = making.entry_of(value.node) if isinstance(value, Value) else None
        if found is None:
            raise self.refuse("a number of an array where a whole number of sizes is expected")
        return found

    def node(self, value: Any) -> Node:
        """A tensor's or number's entries, which are numbers."""
        return self.value(value).real

    def value(self, value: Any, masks: bool = False) -> Value:
        """A tensor or number.

        Args:
            masks: whether a number that is as good as −∞ is read as it.
        """
        if isinstance(value, Value):
            return self._as_mask(value) if masks else value
        if isinstance(value, Node):
            return Value(value, self.dtype)
        if isinstance(value, bool | int | Whole):
            return Value(making.number(int(value) if isinstance(value, bool) else value), "int")
        if not isinstance(value, float):
            raise self.refuse(f"a {type(value).__name__} where a number is expected")
        if not math.isfinite(value):
            return nothing_but(value, (), "float")
        return Value(self.literal(value), "float")

    def _as_mask(self, value: Value) -> Value:
        number = making.constant(value.node)
        if not isinstance(number, int | float) and not hasattr(number, "denominator"):
            return value
        if value.odd is not None or isinstance(number, Whole) or number > -HUGE:
            return value
        self.assume(f"exp({float(number):.3g}) is 0")
        return nothing_but(-math.inf, value.shape, value.dtype)

    def literal(self, value: float, form: str = "float64") -> Node:
        """The number that a float means."""
        found = meaning(value, form)
        if not found.plain:
            self.notes.literals.setdefault(Literal(value, found, self.line.removeprefix(" at ")))
        if not found.is_exactly(value):
            self.assume(taken(value, found))
        return meant_by(found)

    def written(self, node: Node, windows: Mapping[int, tuple[Any, Any]], part: Node) -> Node:
        """An array with a part written into it: see `Writes`."""
        return self.writes.written(node, windows, part)

    # The graph's values.

    def _plain(self, value: Any) -> Any:
        """An argument with values for the graph's nodes."""
        if isinstance(value, list | tuple):
            return [self._plain(one) for one in value]
        if type(value).__name__ == "Node" and value in self.known:
            return self.known[value]
        return value

    def _attribute(self, one: Any) -> Any:
        found: Any = self.graph
        for part in one.target.split("."):
            found = getattr(found, part)
        if not hasattr(found, "dtype"):
            return found  # the graph of a loop's turn
        self.operation, self.name = one, "a constant"
        return self.constant(found)

    def constant(self, tensor: Any) -> Value:
        """A tensor of numbers that the function brings with it."""
        if tensor.numel() > MOST_CONSTANTS:
            raise self.refuse(f"a table of {tensor.numel()} numbers; pass it as an argument")
        form = str(tensor.dtype).removeprefix("torch.")
        if tensor.dtype.is_complex:
            return self.constant(torch().view_as_real(tensor))

        def made(value: Any) -> Node:
            if isinstance(value, list):
                return making.stacked([made(part) for part in value])
            if isinstance(value, float):
                if not math.isfinite(value):
                    raise self.refuse("∞ or NaN among constants")
                return self.literal(value, form)
            return making.number(int(value))

        values = tensor.tolist()
        if tensor.numel() == 0:
            return Value(making.full(making.number(0), tuple(tensor.shape)), tensor.dtype)
        if tensor.dim() == 0 and isinstance(values, float) and math.isinf(values):
            return nothing_but(values, (), tensor.dtype)
        return Value(made(values), tensor.dtype)


def _needed(graph: Any) -> set[Any]:
    """The operations that the output is computed from."""
    found: set[Any] = set()
    waiting = [one for one in graph.nodes if one.op == "output"]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += one.all_input_nodes
    return found


def axes_of_ones(node: Node, shape: nodes.Shape) -> Node:
    """A number as an array with one entry."""
    return making.take(node, (), shape)


def said(name: str) -> str:
    """An operation as messages and lists have it: aten.argmax."""
    plain = name.removesuffix(".default")
    return plain if plain in SIZES or "." not in name else f"aten.{plain}"


def _name(target: Any) -> str:
    name = getattr(target, "_opname", None)
    if name is not None:
        return f"{name}.{target._overloadname}"
    return getattr(target, "__name__", str(target))


# What is computed of sizes in the graph.


def _size_operation(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def made(at: Lowering, one: Any, other: Any) -> Any:
        if all(isinstance(v, int | Whole) for v in (one, other)):
            return function(one, other)
        name = {"add": choices.add, "sub": choices.subtract, "mul": choices.multiply}[at.name]
        return Value(name(at.node(one), at.node(other)), "float")

    return made


def _sym_size(at: Lowering, tensor: Value, axis: int) -> Any:
    return tensor.node.shape[axis]


def _true_quotient(at: Lowering, one: Any, other: Any) -> Any:
    return Value(choices.divide(at.node(one), at.node(other)), "float")


def _size_power(at: Lowering, one: Any, other: Any) -> Any:
    if isinstance(other, int) and other >= 0 and isinstance(one, int | Whole):
        found: Any = 1
        for _ in range(other):
            found = found * one
        return found
    return Value(functions.power(at.node(one), at.node(other), at.assume), "float")


def _of_meta(at: Lowering, *given: Any) -> Any:
    """What PyTorch's own expression says, as of quotients and extremes of sizes."""
    meta = at.operation.meta.get("val")
    try:
        return at.sizes.of(meta)
    except Unsaid as error:
        raise at.unsaid(f"a whole number {at.sizes.texts(error)}", error.expr) from error


SIZES: dict[str, Callable[..., Any]] = {
    "sym_size.int": _sym_size,
    "sym_stride.int": _of_meta,
    "sym_numel.default": lambda at, tensor: making.area(tensor.node.shape),
    "add": _size_operation(lambda a, b: a + b),
    "sub": _size_operation(lambda a, b: a - b),
    "mul": _size_operation(lambda a, b: a * b),
    "floordiv": _of_meta,
    "mod": _of_meta,
    "neg": lambda at, one: (
        -one if isinstance(one, int | Whole) else Value(choices.negative(at.node(one)), "float")
    ),
    "truediv": _true_quotient,
    "pow": _size_power,
    "sym_float": lambda at, one: one,
    **dict.fromkeys(("sym_int", "floor", "ceil", "trunc", "round"), _of_meta),
    "sym_max": _of_meta,
    "sym_min": _of_meta,
    "_sym_sqrt": lambda at, one: Value(functions.root(at.node(one)), "float"),
    "sqrt": lambda at, one: Value(functions.root(at.node(one)), "float"),
    "sym_sqrt": lambda at, one: Value(functions.root(at.node(one)), "float"),
    "_sym_log2": lambda at, one: Value(functions.OF_ONE["log2"](at.node(one)), "float"),
}
"""Python's operations on sizes."""
for _comparison in ("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "sym_not"):
    SIZES[_comparison] = lambda at, *given: None
"""Comparisons of sizes leave a guard; what is computed of them alone is looked at where it is used."""


def _has_fractions(node: Node) -> bool:
    """Whether a number that is no whole one was put among whole ones."""
    wanted = lambda one: isinstance(one, ENTRIES) and not is_seen_whole(one)  # noqa: E731
    inside = nodes.operands_first(node, wanted)
    return any(isinstance(one, nodes.Number) for one in inside)
