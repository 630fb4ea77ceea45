"""The constructors and functions of recorded arrays, as NumPy's namespace has them for its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scanproof.constructs.arrays.masks import Mask
from scanproof.constructs.arrays.numpy_functions import NumPyFunctions
from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.protocols import axis_of

from ...statement import binding, making, nodes
from ...statement.masks import is_mask as is_seen_mask
from ...statement.whole import Axis, free, whole
from ..refused import Refused
from . import loops
from .array import Recorded, array, lengths
from .length import is_whole, number_of, plain
from .recording import current, noting, refusal


@noting
class Namespace(Functions, NumPyFunctions):
    """Constructors and named functions of recorded arrays (a part of the array API)."""

    arrays = "recorded arrays"

    def asarray(self, value: Any) -> Recorded:
        """The value as a recorded array."""
        return array(value)

    def zeros(self, shape: Any) -> Recorded:
        """An array of zeros."""
        return Recorded(making.full(making.number(0), lengths(shape)))

    def ones(self, shape: Any) -> Recorded:
        """An array of ones."""
        return Recorded(making.full(making.number(1), lengths(shape)))

    def eye(self, size: Any) -> Recorded:
        """The identity matrix."""
        return Recorded(making.identity(*lengths(size)))

    def arange(self, start: Any, stop: Any = None, step: Any = 1) -> Recorded:
        """start, start + step, … below `stop`; from 0 if one number is given."""
        low, high = (0, start) if stop is None else (start, stop)
        if type(step) is not int or step < 1:
            raise refusal("arange with a step that is not 1, 2, …")
        (length,) = lengths((high - low + (step - 1)) // step if step > 1 else high - low)
        numbers = nodes.Positions(length)
        scaled = making.entrywise("multiply", numbers, making.number(step))
        return Recorded(making.entrywise("add", scaled, making.number(number_of(low))))

    def is_mask(self, one: Any) -> bool:
        """Whether every entry is seen to be 0 or 1."""
        return is_seen_mask(array(one).node)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Recorded:
        """Arrays side by side along a new axis."""
        parts = [array(a).node for a in arrays]
        if not parts:
            raise ValueError("need at least one array to stack")
        return Recorded(making.stacked(parts, axis_of(axis, len(parts[0].shape) + 1)))

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Recorded:
        """Arrays one after the other along an axis."""
        parts = [array(a).node for a in arrays]
        if not parts:
            raise ValueError("need at least one array to concatenate")
        return Recorded(making.joined(parts, axis_of(axis, len(parts[0].shape))))

    def reshape(self, one: Any, shape: Any) -> Recorded:
        """The same entries in another shape."""
        wanted = [shape] if is_whole(shape) else list(shape)
        found = making.reshaped(array(one).node, [number_of(n) for n in wanted])
        return Recorded(found)

    def tril(self, one: Any, k: Any = 0) -> Recorded:
        """The entries of matrices at and below the diagonal number k, zeros above it; of a vector, in each row."""
        node = array(one).node
        if len(node.shape) == 1:
            node = making.spread(node, (*node.shape, *node.shape))
        count = len(node.shape)
        row, column = whole(Axis(count - 2)), whole(Axis(count - 1))
        guard = row - column + number_of(k)
        return Recorded(making.take(node, making.places_of(node.shape), node.shape, [guard]))

    def einsum(self, subscripts: Any, *arrays: Any, optimize: Any = None) -> Any:
        """The sums of products that letters for axes name; of axes with equal lengths one node."""
        given = [a.held if isinstance(a, Mask) else array(a) for a in arrays]
        found = _contracted(subscripts, [a.node for a in given])
        return Recorded(found) if found is not None else super().einsum(subscripts, *given)

    # What numeric namespaces lack, and functions of `constructs.arrays` ask for.

    def build(self, length: Any, function: Callable[[Any], Any]) -> Recorded:
        """stack([function(0), …, function(length − 1)]), the function run once on a position."""
        if current().numbers and type(length) is int and length:
            return self.stack([function(k) for k in range(length)])
        position = binding.fresh(0, lengths(length)[0])
        row = array(function(plain(whole(position)))).node
        if any(position in free(n) for n in row.shape):
            raise refusal("rows of different lengths")
        return Recorded(binding.build(position, row))

    def product(self, one: Any) -> Recorded:
        """The product of the entries of a vector."""
        return Recorded(nodes.Fold("product", array(one).node))

    def differentiate(self, loss: Callable[[Any], Any], at: Any) -> Recorded:
        """The gradient of a loss, recorded once at an array of which nothing is known."""
        (point,) = binding.placeholders([at.node.shape])
        value = array(loss(Recorded(point))).node
        return Recorded(binding.gradient(point, value, at.node))

    def depends(self, loss: Callable[[Any], Any], at: Any) -> bool:
        """Whether a loss uses its argument."""
        (point,) = binding.placeholders([at.node.shape])
        return point in array(loss(Recorded(point))).node.free

    def scan(self, step: Any, parameters: Any, state: Any, tokens: Any, length: Any) -> Any:
        """A step function run over tokens."""
        return loops.scan(step, parameters, state, tokens, number_of(length))

    def scan_merged(
        self, step: Any, parameters: Any, state: Any, tokens: Any, n: Any, C: Any
    ) -> Any:
        """A scan over n chunks of C tokens, as one over n·C tokens."""
        return loops.merged(step, parameters, state, tokens, number_of(n), number_of(C))

    def iterate(self, step: Any, state: Any, count: Any) -> Any:
        """The state after a step was repeated `count` times."""
        return loops.iterated(step, state, number_of(count)).final_state

    def iterates(self, step: Any, state: Any, count: Any) -> Any:
        """All states while a step is repeated `count` times."""
        return loops.iterated(step, state, number_of(count)).outputs

    def exp(self, one: Any) -> Recorded:
        """The exponential function, entry by entry."""
        return self._map("exp", one)

    def log(self, one: Any) -> Recorded:
        """The natural logarithm, entry by entry."""
        return self._map("log", one)

    def sqrt(self, one: Any) -> Recorded:
        """The square root, entry by entry."""
        return self._map("sqrt", one)

    def abs(self, one: Any) -> Recorded:
        """The absolute value, entry by entry."""
        return self._map("abs", one)

    def norm(self, one: Any) -> Recorded:
        """The Euclidean norm along the last axis."""
        return Recorded(nodes.Norm("euclidean", array(one).node))

    def operator_norm(self, one: Any) -> Recorded:
        """The largest singular value of matrices."""
        return Recorded(nodes.Norm("operator", array(one).node))

    def program(self, door: Any, arrays: Sequence[Any]) -> Any:
        """What a program makes of arrays of the claim, by its framework's trace.

        Args:
            door: the program, `doors.program.Door`.
            arrays: its arguments.
        """
        given = [array(one).node for one in arrays]
        try:
            found = current().as_before(door.function, [one.shape for one in given])
            found = found or door.lowered(given)
        except Refused as error:
            current().depends = error.depends
            raise refusal(str(error), where="") from error
        current().programs.append(found)
        return found.each(Recorded)

    def _map(self, function: str, one: Any) -> Recorded:
        return Recorded(making.entrywise(function, array(one).node))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        hint = "see docs/language.md for those that there are"
        raise refusal(f"recorded arrays have no function {name!r}", hint)


def _contracted(subscripts: Any, operands: list[nodes.Node]) -> nodes.Node | None:
    """An einsum as one node; None where one operand has an axis twice, or the text says less than all."""
    if not isinstance(subscripts, str) or "->" not in subscripts or "." in subscripts:
        return None
    left, _, right = subscripts.replace(" ", "").partition("->")
    letters = left.split(",")
    if [len(set(part)) for part in letters] != [len(one.shape) for one in operands]:
        return None
    lengths = {
        (c, n)
        for part, one in zip(letters, operands, strict=True)
        for c, n in zip(part, one.shape, strict=True)
    }
    names = {c: k for k, c in enumerate(dict.fromkeys(left.replace(",", "")))}
    if len(lengths) > len(names) or len(set(right)) < len(right) or not set(right) <= set(names):
        return None
    axes = tuple(tuple(names[c] for c in part) for part in letters)
    return nodes.Contract(tuple(operands), axes, tuple(names[c] for c in right))


Recorded.namespace = Namespace()
