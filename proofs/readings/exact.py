"""A statement in exact numbers: NumPy's arrays of the scalars of one field, at given sizes and inputs.

Scalars are symbols, fractions, balls or residues (`exact.field`). Of fields that differentiate by themselves, as sympy
does, gradients are theirs; for the others they are written out as nodes before (`prepared`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import repeat
from typing import Any

import numpy as np

from ..exact.entries import arranged, as_array, filled
from ..exact.field import Field
from ..exact.meter import CALL
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..exact.singular_values import largest_singular_value
from ..statement import nodes
from ..statement.statement import Statement
from .functions import fitting, is_place, of_scalar
from .reading import Reading, Trajectory, is_matrix_product
from .run import Sides, of
from .taking import gathered, sliced

Change = Callable[[np.ndarray], np.ndarray]


def relations(
    statement: Statement,
    field: Field,
    sizes: Mapping[str, int],
    inputs: Mapping[str, np.ndarray],
    parameters: Mapping[str, Change] | None = None,
) -> Iterator[Sides]:
    """The sides of each relation as arrays of the field's scalars, as `run.of` has them.

    Raises:
        NotPolynomial: if the field lacks a function.
        DivisionByZero: where there is no value.
    """
    return of(statement.relations, Exact(field, sizes, inputs, parameters))


class Exact(Reading):
    """Nodes as NumPy's arrays of a field's scalars."""

    def __init__(
        self,
        field: Field,
        sizes: Mapping[str, int],
        inputs: Mapping[str, np.ndarray],
        parameters: Mapping[str, Change] | None = None,
    ) -> None:
        super().__init__(np, sizes, inputs, parameters)
        self.field = field
        self.zero, self.one = field.number(0), field.number(1)

    def array(self, value: Any) -> np.ndarray:
        if type(value) is np.ndarray:
            return value
        if isinstance(value, Trajectory):
            return value.whole
        return filled((), self.field.number(value))

    def made(self, result: Any, operations: int = 1) -> np.ndarray:
        """A result as an array, of so many operations for each of its entries."""
        result = as_array(result)
        if self.field.meter is not None:
            self.field.meter.spend(CALL + operations * result.size)
        return result

    def each(self, function: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
        """A function of scalars, entry by entry."""
        flat = [one.flat for one in arrays]
        return self.made(arranged(map(function, *flat), arrays[0].shape))

    def mask(self, truths: np.ndarray) -> np.ndarray:
        return np.where(truths, filled((), self.one), filled((), self.zero))

    def parameter(self, node: nodes.Parameter) -> Any:
        found = super().parameter(node)
        shape = self.shape(node.shape)
        if np.shape(found) != shape and node.path in self.changes:
            raise ValueError(f"a change of {node.path} from shape {shape} to {np.shape(found)}")
        return found

    def arange(self, node: nodes.Positions) -> np.ndarray:
        length = self.whole(node.length)
        return self.made(arranged(map(self.field.number, range(length)), (length,)))

    # Functions entry by entry.

    def map(self, node: nodes.Map) -> Any:
        if node.function == "power" and not isinstance(node.arguments[1], nodes.Number):
            bases, exponents = np.broadcast_arrays(
                self(node.arguments[0]), self.wholes(node.arguments[1])
            )
            return self.each(self._power, bases, exponents)
        return super().map(node)

    def map_add(self, a: Any, b: Any) -> np.ndarray:
        return self.made(self.array(a) + self.array(b))

    def map_subtract(self, a: Any, b: Any) -> np.ndarray:
        return self.made(self.array(a) - self.array(b))

    def map_multiply(self, a: Any, b: Any) -> np.ndarray:
        return self.made(self.array(a) * self.array(b))

    def map_divide(self, a: Any, b: Any) -> np.ndarray:
        return self.made(self.array(a) / self.array(b))

    def map_negative(self, a: Any) -> np.ndarray:
        return self.made(-self.array(a))

    def map_power(self, a: Any, exponent: Any) -> np.ndarray:
        return self.each(lambda base: self._power(base, exponent), self.array(a))

    def _power(self, base: Any, exponent: Any) -> Any:
        return reduce(operator.mul, repeat(base, int(exponent)), self.one)

    def map_exp(self, a: Any) -> np.ndarray:
        return self.each(self.field.exp, self.array(a))

    def map_log(self, a: Any) -> np.ndarray:
        return self.each(self.field.log, self.array(a))

    def map_sqrt(self, a: Any) -> np.ndarray:
        return self.each(self.field.sqrt, self.array(a))

    def map_abs(self, a: Any) -> np.ndarray:
        return self.each(self.field.abs, self.array(a))

    def named(self, function: str, array: Any) -> np.ndarray:
        return self.each(lambda one: of_scalar(self.field, function, one), self.array(array))

    def held(self, node: nodes.Held) -> np.ndarray:
        array = self.array(self(node.of))
        if not node.format.says:
            return array
        return self.each(lambda one: fitting(self.field, node.format, one), array)

    def lookup(self, node: nodes.Lookup) -> np.ndarray:
        of, places = self.array(self(node.of)), self.array(self(node.places))
        found = filled((*places.shape, *of.shape[1:]), self.zero)
        for at in np.ndindex(places.shape):
            place = self.field.as_constant(places[at])
            for j in range(len(of)):
                if is_place(place, j):
                    found[at] = of[j]
        return self.made(found)

    # Sums, products, norms.

    def contract(self, node: nodes.Contract) -> np.ndarray:
        factors = [self(one) for one in node.factors]
        if is_matrix_product(node):
            product, length = self.field.matmul(*factors), factors[0].shape[-1]
            return self.made(product if length else filled(np.shape(product), self.zero), length)
        names = sorted({name for axes in node.axes for name in axes})
        gone = [name for name in names if name not in node.result]
        product, *others = (
            _aligned(one, axes, names) for one, axes in zip(factors, node.axes, strict=True)
        )
        for one in others:
            product = self.made(product * one)
        for name in reversed(gone):
            product = self.total(product, names.index(name))
        kept = [name for name in names if name in node.result]
        return product.transpose([kept.index(name) for name in node.result])

    def total(self, array: np.ndarray, axis: int) -> np.ndarray:
        """The sum along an axis."""
        length = array.shape[axis]
        if not length:  # NumPy's empty sum of objects is the whole number 0
            return filled(tuple(np.delete(array.shape, axis)), self.zero)
        return self.made(np.add.reduce(array, axis=axis), length)

    def fold(self, node: nodes.Fold) -> np.ndarray:
        array = self(node.of)
        if node.operation == "maximum":
            return self._greatest(array)
        if not len(array):
            return filled(array.shape[1:], self.one)
        return self.made(np.multiply.reduce(array, axis=0), len(array))

    def _greatest(self, array: np.ndarray) -> np.ndarray:
        if not len(array):
            raise DivisionByZero("the greatest of no entries")

        def greater(one: Any, other: Any) -> Any:
            return other + of_scalar(self.field, "relu", one - other)

        for one in array.flat[:1]:  # a field that has no maximum has none of one entry either
            of_scalar(self.field, "relu", one)
        return reduce(
            lambda best, row: self.each(greater, best, as_array(row)), array[1:], as_array(array[0])
        )

    def norm(self, node: nodes.Norm) -> np.ndarray:
        array = self(node.of)
        if any(getattr(entry, "free_symbols", None) for entry in array.flat):
            raise NotPolynomial("a norm")  # norms of sympy's symbols are for points and the kernel
        if node.kind == "operator":
            shape = array.shape[:-2]
            found = (largest_singular_value(self.field, array[k]) for k in np.ndindex(shape))
            return self.made(arranged(found, shape))
        if array.shape[-1] == 1:
            return self.map_abs(array[..., 0])
        return self.map_sqrt(self.total(self.made(array * array), array.ndim - 1))

    # Entries elsewhere.

    def take(self, node: nodes.Take) -> np.ndarray:
        shape = self.shape(node.lengths)
        of, places = self.taken_from(node)
        truths = self.guarded(node.guards, shape) if node.guards else None
        if truths is not None and not truths.any():
            return self.made(filled(shape, self.zero))
        found = sliced(of, places, shape)
        if found is None:
            found = gathered(of, places, shape, truths)
        found = as_array(found)
        if found.shape != shape:
            found = np.broadcast_to(found, shape)
        if truths is not None and not truths.all():
            found = np.where(truths, found, filled((), self.zero))
        return self.made(found, 0)

    def reshape(self, node: nodes.Reshape) -> np.ndarray:
        return self.made(self(node.of).reshape(self.shape(node.lengths)), 0)

    def joined(self, how: str, parts: Iterable[Any], axis: int = 0) -> np.ndarray:
        return self.made(getattr(np, how)(list(parts), axis=axis), 0)

    def build(self, node: nodes.Build) -> np.ndarray:
        shape = self.shape(node.shape) if not self.whole(node.position.length) else None
        return super().build(node) if shape is None else filled(shape, self.zero)

    def gradient(self, node: nodes.Gradient) -> np.ndarray:
        differentiate = self.field.differentiate
        if differentiate is None:
            raise NotPolynomial("a gradient that is not written out as nodes")

        def loss(point: np.ndarray) -> Any:
            with self.bound({node.point: point}):
                return self(node.loss).item()

        return self.made(differentiate(loss, self(node.at)))


def _aligned(one: np.ndarray, axes: tuple[int, ...], names: list[int]) -> np.ndarray:
    """An array with an axis for each name, of length 1 for those that it has not."""
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    return one.transpose(order)[tuple(slice(None) if n in axes else None for n in names)]
