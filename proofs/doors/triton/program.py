"""One program of a launch, read for any program: its operations one after the other, and what comes of all programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...statement import binding, choices, making, nodes
from ...statement.errors import IllFormed
from ...statement.nodes import Node
from ...statement.order import largest, multiples, nonnegative
from ...statement.statement import Fit
from ...statement.whole import Axis, Number, Position, Size, Whole, spelled, whole
from ...statement.whole import at as value_at
from ..aten.refusal import Decided
from ..aten.sizes import Unsaid
from ..aten.table import rule
from ..aten.values import is_whole
from ..fitting import at_limit, small_sizes
from ..infinities import Value
from ..refused import Depends, Refused
from . import arithmetic, blocks, memory, turns  # noqa: F401  they fill the table
from .launches import LAUNCHES, Launch
from .memory import Array, Store
from .places import Apart, Known, layout
from .signature import Made, kernel_with
from .stored import written
from .table import RULES
from .text import Block, Operation, Type
from .values import Any_, Flags, Guards, Ints, Pointer, Reals, mentions, reals

NO_RULE = "it has no rule"
IMPURE = ("tt.load", "tt.store", "tt.atomic", "scf.", "tt.descriptor")
"""How the names of operations begin that a number of a turn may not be computed by."""
QUIET = ("gpu.barrier", "tt.assert", "tt.print", "llvm.intr.assume", "tt.return", "ttg.barrier")
"""Operations that change no number; those that end a block are read where the block is."""
ENDS = ("scf.yield", "tt.return")
RESTARTS = 16
"""How often a program's number is read as that of two axes."""
Factors = dict[int, tuple[Number, ...]]
"""The numbers of programs along an axis, as a product."""


@rule("triton_launch")
def _launched(at: Any, arrays: Sequence[Value], launch: int) -> list[Value]:
    """What the arrays hold after a launch."""
    held = LAUNCHES[launch]
    if held.choice:
        at.notes.assumes.setdefault(held.choice)
    metas = [one.meta["val"] for one in at.operation.args[0]]
    formats = {n: str(metas[k].dtype).removeprefix("torch.") for n, k in held.arrays.items()}
    made = kernel_with(held.kernel, formats, held.arguments, held.constants)
    given = []
    for name, k in held.arrays.items():
        lengths = [at.sizes.of(n) for n in metas[k].shape]
        how = layout(lengths, [at.sizes.of(n) for n in metas[k].stride()])
        if how is None:
            raise Refused(
                f"{held.kernel.__name__}: the entries of {name} do not lie side by side; pass {name}.contiguous()"
            )
        given.append(Array(name, arrays[k], how, is_whole(metas[k].dtype)))
    factors: Factors = {}
    for _ in range(RESTARTS):
        try:
            return Program(at, held, made, given, factors).outputs()
        except Apart as error:
            _take_apart(error, factors)
    raise Refused(f"{held.kernel.__name__}: programs' numbers are not read as places on axes")


def _take_apart(error: Apart, factors: Factors) -> None:
    """Read a program's number as that of two axes from now on."""
    axis, k, every = PLACES[error.position]
    count, _ = multiples(every[k], error.by)
    factors[axis] = (*every[:k], count, error.by, *every[k + 1 :])


PLACES: dict[Position, tuple[int, int, tuple[Number, ...]]] = {}
"""Where the positions stand that programs' numbers are made of: the axis, which factor, and all factors."""


@dataclass(frozen=True)
class _Here:
    """The operation that is read."""

    name: str
    line: str


class Program:
    """The state of reading one program; rules see it as the program that their operation is in.

    Args:
        at: the lowering of PyTorch's graph.
        launch: the launch.
        made: its kernel.
        arrays: what it is given.
        factors: how numbers of programs are read as places on several axes.
    """

    def __init__(
        self, at: Any, launch: Launch, made: Made, arrays: Sequence[Array], factors: Factors
    ) -> None:
        self.outside, self.launch, self.arrays = at, launch, list(arrays)
        self.known = Known()
        self.stores: list[Store] = []
        self.loaded: dict[int, str] = {}
        """The arrays that are loaded from, with the first line that does."""
        self.values: dict[str, Any] = {}
        self.here = _Here(launch.kernel.__name__, "")
        self._is_trial = False
        self._made = made
        self._grid = [self._programs(k, factors) for k in range(len(launch.grid))]
        for name, value in zip(made.arguments, made.kernel.arguments, strict=True):
            self.values[value] = self._argument(name)

    # What it is given.

    def _length(self, number: Any) -> Number:
        """A number of sizes, or a quotient of them."""
        sizes = self.outside.sizes
        try:
            return sizes.of(number)
        except Unsaid as error:
            expr = getattr(getattr(number, "node", None), "expr", None)
            if type(expr).__name__ == "FloorDiv":
                top, by = map(sizes.said, getattr(expr, "args", ()))
                if isinstance(by, int) and self.known.nonnegative(top):
                    return self.known.quotient(top, by)
            raise self.outside.unsaid(
                f"{self.launch.kernel.__name__}: the number {error}", error.expr
            ) from error

    def _programs(self, axis: int, factors: Factors) -> tuple[Number, Number]:
        """How many programs there are along an axis of the grid, and the number of this one."""
        count = self._length(self.launch.grid[axis])
        every = factors.get(axis, (count,))
        number: Number = 0
        for k, n in enumerate(every):
            number = number * n
            if n == 1:
                continue
            position = binding.fresh(0, n)
            PLACES[position] = axis, k, every
            self.known.programs[position] = n
            number = number + whole(position)
        return count, number

    def program(self, axis: int) -> Number:
        """The program's number along an axis."""
        return self._grid[axis][1] if axis < len(self._grid) else 0

    def count(self, axis: int) -> Number:
        """How many programs there are along an axis."""
        return self._grid[axis][0] if axis < len(self._grid) else 1

    def _argument(self, name: str) -> Any_:
        if name in self.launch.arrays:
            return Pointer(list(self.launch.arrays).index(name), 0)
        value = self.launch.arguments[name]
        if isinstance(value, bool):
            return Flags(frozenset() if value else frozenset({-1}))
        if isinstance(value, float):
            return reals(self.literal(value, "float64"))
        return self.fitting(Ints(self._length(value)), Type((), "i32"))

    # What comes of it.

    def outputs(self) -> list[Value]:
        """What each array holds after all programs have run."""
        try:
            self.done(self._made.kernel.body, [])
        except IllFormed as error:
            raise self.refuse(str(error)) from error
        for store in self.stores:
            if store.array in self.loaded:
                raise self.refuse(
                    f"{self.arrays[store.array].name} is stored{store.line}, and loaded"
                    f"{self.loaded[store.array]}: what another program stored may be loaded"
                )
        found = []
        for k, array in enumerate(self.arrays):
            mine = [one for one in self.stores if one.array == k]
            found.append(written(self, array, mine) if mine else array.value)
        return found

    def done(self, block: Block, given: Sequence[Any_]) -> list[Any_]:
        """What a block gives for these arguments."""
        self.values.update(zip(block.arguments, given, strict=True))
        for one in block.operations:
            if one.name in ENDS:
                return [self.values[name] for name in one.operands]
            self._operation(one)
        return []

    def only(self, block: Block, given: Sequence[Any_ | None], wanted: Sequence[str]) -> list[Any_]:
        """Values of a block for some of its arguments, by those of its operations that they need."""
        makes = {name: one for one in block.operations for name in one.results}
        needed: list[Operation] = []
        waiting = list(wanted)
        while waiting:
            one = makes.get(waiting.pop())
            if one is not None and one not in needed:
                needed.append(one)
                waiting += one.operands
        before, self._is_trial = dict(self.values), True
        try:
            for name, value in zip(block.arguments, given, strict=True):
                self.values.pop(name, None)
                if value is not None:
                    self.values[name] = value
            for one in block.operations:
                if one in needed:
                    if one.name.startswith(IMPURE) or not all(
                        n in self.values for n in one.operands
                    ):
                        self.here = _Here(one.name, one.line)
                        raise self.refuse(
                            "a whole number that a loop carries is computed from data"
                        )
                    self._operation(one)
            return [self.values[name] for name in wanted]
        finally:
            self.values, self._is_trial = before, False

    def _operation(self, one: Operation) -> None:
        self.here = _Here(one.name, one.line)
        if one.name in QUIET:
            return
        made = RULES.get(one.name)
        if made is None:
            raise self.refuse(NO_RULE)
        operands = [self.values.get(name) for name in one.operands]
        try:
            found = made(self, one, *operands)
        except IllFormed as error:
            raise self.refuse(str(error)) from error
        except Refused as error:
            raise error if error.placed else self.refuse(str(error)) from error
        found = found if isinstance(found, list) else [found]
        if len(found) != len(one.results):
            raise self.refuse(f"{len(one.results)} results are expected")
        self.values.update(zip(one.results, found, strict=True))

    # What rules ask.

    @property
    def line(self) -> str:
        """The user's line: " at file:line"."""
        return self.here.line

    def refuse(self, why: str) -> Refused:
        """The error for what is not read."""
        return Refused(f"{self.here.name}{self.here.line}: {why}", placed=True)

    def decided(self, number: Number, why: str) -> Refused:
        """The error for what depends on sizes, which are to be told apart where it depends on nothing else."""
        if not self.is_of_sizes(number) or self.known.speaks_of(number):
            return self.refuse(f"{why} is not seen")
        text = f"{self.here.name}{self.here.line}: {why} depends on the sizes"
        return Decided(text, f"{self.said(number)} ≥ 0", number, "≥ 0")

    def hinges(self, number: Number, by: int, why: str) -> Refused:
        """The error for what is known where a number is a multiple of another."""
        return Refused(f"{self.here.name}{self.here.line}: {why}", Depends(number, by), placed=True)

    def is_of_sizes(self, number: Number) -> bool:
        """Whether sizes alone determine a number."""
        return not isinstance(number, Whole) or all(isinstance(s, Size) for s in number.symbols)

    def said(self, number: Number) -> str:
        """A number as messages have it."""
        names = {p: f"{'xyz'[PLACES[p][0]]}{PLACES[p][1] or ''}" for p in self.known.programs}

        def name(symbol: Any) -> str:
            if isinstance(symbol, Size):
                return symbol.name
            if isinstance(symbol, Axis):
                return f"lane{symbol.number}"
            return names.get(symbol, "turn")

        return spelled(number, name)

    def where(self, guards: Guards) -> str:
        """Under which mask, in words."""
        if not guards:
            return "; it has no mask"
        return f" where {', '.join(sorted(self.said(g) + ' ≥ 0' for g in guards))}"

    def literal(self, value: float, form: str) -> Node:
        """The number that a float means."""
        names = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
        return self.outside.literal(value, names.get(form, form))

    def ints(self, value: Any) -> Ints:
        """Whole numbers."""
        if not isinstance(value, Ints):
            raise self.refuse(arithmetic.WRONG)
        return value

    def flags(self, value: Any) -> Flags:
        """Truths."""
        if not isinstance(value, Flags):
            raise self.refuse(arithmetic.WRONG)
        return value

    def reals(self, value: Any) -> Reals:
        """Real numbers, also whole ones."""
        if isinstance(value, Reals):
            return value
        if isinstance(value, Ints):
            return reals(_node(value))
        if isinstance(value, Flags):
            return reals(value.node)
        raise self.refuse(arithmetic.WRONG)

    def spread(self, value: Any, shape: Any) -> Any:
        """A block repeated to a shape."""
        return value if value.shape == shape else blocks.spread(value, tuple(shape))

    def settled(self, value: Flags) -> Flags:
        """Truths without what is seen to hold, or the one that is seen to hold nowhere."""
        kept = frozenset(g for g in value.guards if not self.known.nonnegative(g, value.shape))
        if any(self.known.nonnegative(-g - 1, value.shape) for g in kept):
            kept = frozenset({-1})
        mask = value.mask
        if mask is not None and making.constant(mask) in (0, 1):
            kept, mask = (kept, None) if making.constant(mask) else (frozenset({-1}), None)
        return Flags(kept, value.shape, mask)

    def expect_known(self, value: Reals, what: str) -> None:
        """Refuse entries that were loaded where a mask is false."""
        if any(not self.known.nonnegative(g, value.shape) for g in value.known):
            raise self.refuse(
                f"what was loaded where its mask is false reaches {what}; give the load other="
            )

    def expect_known_along(self, known: Guards, axis: int, shape: Any, what: str) -> None:
        """Refuse such entries along an axis."""
        guards = [g for g in known if mentions(g, Axis(axis))]
        if any(not self.known.nonnegative(g, shape) for g in guards):
            raise self.refuse(
                f"what was loaded where its mask is false reaches {what}; give the load other="
            )

    def fitting(self, value: Ints, kind: Type) -> Ints:
        """Whole numbers in their format: what sizes must be for it to hold them is noted."""
        bits = int(kind.entry[1:]) if kind.entry[1:].isdigit() else 64
        most = 2 ** (bits - 1) - 1
        if self._is_trial or (not isinstance(value.number, Whole) and abs(value.number) <= most):
            return value
        ends = (value.number, most), (-value.number, most + 1)
        for number, limit in ends:
            given = small_sizes((number, *value.shape)) | self.known.facts
            if nonnegative(limit - number, value.shape, given):
                continue
            top = self.known.bounded(largest(number, value.shape))
            if not self.is_of_sizes(top):
                raise self.refuse(f"whether {self.said(number)} fits {kind.entry} is not seen")
            if not isinstance(top, Whole):
                if top > limit:
                    raise self.refuse(f"{self.said(number)} does not fit {kind.entry}")
                continue
            place = f"int{bits}{self.here.line.replace(' at', ',', 1)}"
            if at_limit(top) > limit:
                self.outside.notes.fits.setdefault(Fit(top, limit, place))
        return value


def _node(value: Ints) -> Node:
    """Whole numbers as nodes."""

    def of(symbol: Any) -> _Sum:
        if isinstance(symbol, Axis):
            along = nodes.Positions(value.shape[symbol.number])
            return _Sum(making.take(along, [whole(symbol)], value.shape))
        return _Sum(making.full(making.number(whole(symbol)), value.shape))

    found = value_at(value.number, of)
    return found.node if isinstance(found, _Sum) else making.full(making.number(found), value.shape)


@dataclass(frozen=True)
class _Sum:
    """A node that is added to numbers and multiplied by them."""

    node: Node

    def __add__(self, other: Any) -> _Sum:
        return _Sum(choices.add(self.node, _as_node(other)))

    def __mul__(self, other: Any) -> _Sum:
        return _Sum(choices.multiply(self.node, _as_node(other)))

    __radd__, __rmul__ = __add__, __mul__


def _as_node(value: Any) -> Node:
    return value.node if isinstance(value, _Sum) else making.number(value)
