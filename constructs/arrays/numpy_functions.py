"""NumPy's functions for arrays of claims, each written with operators, sums and indices: once, for every kind of array.

Names, arguments and meaning are NumPy's. A function that NumPy has and these arrays have not is refused by
`call_numpy`, with what to write instead. Each is right because it is what NumPy's documentation says of it,
spelled out; tests compare each with NumPy's own on numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import index
from typing import Any

from .masks import Mask, as_mask, called_on_masks, has_masks
from .protocols import ALIASES, INSTEAD, axes_of, axis_of, kept, no_place
from .ranges import build, is_number, product


class NumPyFunctions:
    """Functions of a namespace whose arrays are `NumPyArray`s.

    A kind provides `asarray`, `zeros`, `ones`, `eye`, `arange`, `stack`, `concat`, `reshape`, `tril`, `exp`, `log`,
    `is_mask`, and has `sqrt` and `abs` if its numbers do.
    """

    # To provide, besides what `operators.Namespace` has.

    asarray: Callable[..., Any]
    zeros: Callable[..., Any]
    ones: Callable[..., Any]
    eye: Callable[..., Any]
    stack: Callable[..., Any]
    concat: Callable[..., Any]
    tril: Callable[..., Any]
    reshape: Callable[..., Any]
    exp: Callable[..., Any]
    log: Callable[..., Any]

    def is_mask(self, array: Any) -> bool:
        """Whether every entry is seen to be 0 or 1."""
        raise NotImplementedError

    def arange(self, start: Any, stop: Any = None, step: int = 1) -> Any:
        """start, start + step, … below `stop`; from 0 if one number is given."""
        raise NotImplementedError

    def call_numpy(self, name: str, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """What NumPy's function of this name is of these arguments; a name such as linalg.norm has its module's.

        Raises:
            TypeError: for a function that these arrays do not have, with what to write instead.
        """
        own = ALIASES.get(name, name).replace("linalg.norm", "linalg_norm")
        if own not in _names(type(self)):
            hint = INSTEAD.get(name, "write it with + - * / @, sums and indices")
            raise TypeError(f"numpy.{name} is not known to arrays of claims: {hint}.")
        if own == "full_like" and options.get("dtype") is None:
            _expect_whole(*args, **options)
        options = kept(name, options)
        if own != "where":
            no_place(name, options)
        if own in ("asarray", "full") and type(args[-1]) is bool and not options:
            return self.mask(getattr(self, own)(*args[:-1], int(args[-1])))
        if has_masks((*args, *options.values())):
            return called_on_masks(self, own, args, options)
        return getattr(self, own)(*args, **options)

    # What is made from nothing.

    def full(self, shape: Any, value: Any) -> Any:
        """An array with one value everywhere."""
        return self.broadcast_to(value, shape)

    def zeros_like(self, array: Any) -> Any:
        """Zeros of an array's shape."""
        return self.zeros(array.shape)

    def ones_like(self, array: Any) -> Any:
        """Ones of an array's shape."""
        return self.ones(array.shape)

    def full_like(self, array: Any, value: Any) -> Any:
        """One value everywhere, in an array's shape."""
        return self.full(array.shape, value)

    def tri(self, rows: Any, columns: Any = None, k: int = 0) -> Any:
        """Ones at and below the diagonal number k, zeros above it."""
        return self.tril(self.ones((rows, rows if columns is None else columns)), k)

    # Entry by entry.

    def add(self, one: Any, other: Any) -> Any:
        """one + other."""
        return self.asarray(one) + other

    def subtract(self, one: Any, other: Any) -> Any:
        """one − other."""
        return self.asarray(one) - other

    def multiply(self, one: Any, other: Any) -> Any:
        """one · other."""
        return self.asarray(one) * other

    def divide(self, one: Any, other: Any) -> Any:
        """one / other."""
        return self.asarray(one) / other

    true_divide = divide

    def negative(self, one: Any) -> Any:
        """−one."""
        return -self.asarray(one)

    def refuse(self, error: Exception) -> Any:
        """Raise the error; a method of the namespace, which notes it."""
        raise error

    def mask(self, array: Any) -> Mask:
        """A mask, or numbers of which each is seen to be 0 or 1, as a mask.

        Raises:
            TypeError: for other numbers.
        """
        found = as_mask(array, self)
        if found is not None:
            return found
        held = self.asarray(array)
        if not self.is_mask(held):
            raise TypeError(
                "numpy.where and numpy.logical_… expect a mask: a comparison of positions, np.arange(T)[:, None] >= "
                "np.arange(T), or ones in a triangle, np.tri(T); entries of data are symbols that no side of a branch "
                "is known for."
            )
        return Mask(held)

    def logical_and(self, one: Any, other: Any) -> Any:
        """Where both masks are."""
        return self.mask(one) & self.mask(other)

    def logical_or(self, one: Any, other: Any) -> Any:
        """Where one of two masks is, or both."""
        return self.mask(one) | self.mask(other)

    def logical_xor(self, one: Any, other: Any) -> Any:
        """Where one of two masks is, and not both."""
        return self.mask(one) ^ self.mask(other)

    def logical_not(self, one: Any) -> Any:
        """Where a mask is not."""
        return ~self.mask(one)

    def greater_equal(self, one: Any, other: Any) -> Any:
        """1 where a position is another or stands behind it."""
        return self.asarray(one) >= other

    def greater(self, one: Any, other: Any) -> Any:
        """1 where a position stands behind another."""
        return self.asarray(one) > other

    def less_equal(self, one: Any, other: Any) -> Any:
        """1 where a position is another or stands before it."""
        return self.asarray(one) <= other

    def less(self, one: Any, other: Any) -> Any:
        """1 where a position stands before another."""
        return self.asarray(one) < other

    def positive(self, one: Any) -> Any:
        """The array itself."""
        return self.asarray(one)

    def power(self, one: Any, exponent: Any) -> Any:
        """one ** exponent."""
        return self.asarray(one) ** exponent

    def square(self, one: Any) -> Any:
        """The square of each entry."""
        one = self.asarray(one)
        return one * one

    def expm1(self, one: Any) -> Any:
        """exp(one) − 1."""
        return self.exp(self.asarray(one)) - 1

    def log1p(self, one: Any) -> Any:
        """log(1 + one)."""
        return self.log(1 + self.asarray(one))

    def logaddexp(self, one: Any, other: Any) -> Any:
        """log(exp(one) + exp(other))."""
        return self.log(self.exp(self.asarray(one)) + self.exp(self.asarray(other)))

    def sinh(self, one: Any) -> Any:
        """(exp(z) − exp(−z)) / 2."""
        one = self.asarray(one)
        return (self.exp(one) - self.exp(-one)) / 2

    def cosh(self, one: Any) -> Any:
        """(exp(z) + exp(−z)) / 2."""
        one = self.asarray(one)
        return (self.exp(one) + self.exp(-one)) / 2

    def tanh(self, one: Any) -> Any:
        """1 − 2 / (1 + exp(2 z))."""
        return 1 - 2 / (1 + self.exp(2 * self.asarray(one)))

    def where(self, condition: Any, one: Any, other: Any) -> Any:
        """`one` where the condition is 1, `other` where it is 0.

        Raises:
            TypeError: for a condition that is not seen to be 0 or 1 everywhere, such as a comparison of data.
        """
        mask = self.mask(condition)
        sides = as_mask(one, self), as_mask(other, self)
        if sides[0] is not None and sides[1] is not None:
            return (mask & sides[0]) | (~mask & sides[1])
        one, other = (
            self.asarray(side) if found is None else found.held
            for side, found in zip((one, other), sides, strict=True)
        )
        return mask.held * one + (1 - mask.held) * other

    # Sums and products.

    def sum(self, array: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The sum along axes, or of all entries."""
        array = array.held if isinstance(array, Mask) else self.asarray(array)
        return array.sum(axis=axis, keepdims=keepdims)

    def mean(self, array: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The mean along axes, or of all entries."""
        array = self.asarray(array)
        total = array.sum(axis=axis, keepdims=keepdims)
        for k in axes_of(axis, len(array.shape)):
            total = total / array.shape[k]
        return total

    def prod(self, array: Any, axis: Any = None) -> Any:
        """The product along an axis; of all entries of a vector."""
        array = self.asarray(array)
        if not array.shape and axis is None:
            return array
        k = _one_axis("prod", axis, array)
        return self._columns(product, array, k, keeps=False)

    def cumsum(self, array: Any, axis: Any = None) -> Any:
        """The sums up to each place along an axis."""
        array = self.asarray(array)
        k = _one_axis("cumsum", axis, array)
        sums = self.swapaxes(array, k, -1) @ self.tri(array.shape[k]).T
        return self.swapaxes(sums, k, -1)

    def cumprod(self, array: Any, axis: Any = None) -> Any:
        """The products up to each place along an axis."""
        array = self.asarray(array)

        def products(column: Any) -> Any:
            return build(self, column.shape[0], lambda t: product(column[: t + 1]))

        return self._columns(products, array, _one_axis("cumprod", axis, array), keeps=True)

    def _columns(self, function: Callable[[Any], Any], array: Any, axis: int, keeps: bool) -> Any:
        """A function of vectors along an axis, which gives vectors (`keeps`) or numbers."""
        if len(array.shape) == 1:
            return function(array)
        last = self.moveaxis(array, axis, -1)
        found = build(self, last.shape[0], lambda i: self._columns(function, last[i], -1, keeps))
        return self.moveaxis(found, -1, axis) if keeps else found

    def diff(self, array: Any, n: int = 1, axis: int = -1) -> Any:
        """The differences of neighbours along an axis, n times."""
        array = self.asarray(array)
        if index(n) < 0:
            raise ValueError(f"numpy.diff expects n ≥ 0, got {n}.")
        axis = axis_of(axis, len(array.shape))
        for _ in range(n):
            array = (
                array[_along(array, axis, slice(1, None))] - array[_along(array, axis, slice(-1))]
            )
        return array

    def trace(self, array: Any) -> Any:
        """The sum of the diagonal of a square matrix."""
        return self.diagonal(array).sum()

    def diagonal(self, array: Any) -> Any:
        """The diagonal of a square matrix."""
        array = self.asarray(array)
        if len(array.shape) != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"numpy.diagonal expects a square matrix, got shape {array.shape}.")
        return (array * self.eye(array.shape[0])).sum(axis=1)

    def diag(self, array: Any) -> Any:
        """The matrix with this diagonal, or the diagonal of a square matrix."""
        array = self.asarray(array)
        if len(array.shape) == 1:
            return array[:, None] * self.eye(array.shape[0])
        return self.diagonal(array)

    def dot(self, one: Any, other: Any) -> Any:
        """The matrix product; a product with a number."""
        one, other = self.asarray(one), self.asarray(other)
        if not one.shape or not other.shape:
            return one * other
        if len(other.shape) > 2:
            raise ValueError("numpy.dot with more than two axes on the right: write numpy.einsum.")
        return one @ other

    def matmul(self, one: Any, other: Any) -> Any:
        """The matrix product."""
        return self.asarray(one) @ other

    def vdot(self, one: Any, other: Any) -> Any:
        """The sum of the products of all entries."""
        one, other = self.asarray(one), self.asarray(other)
        if len(one.shape) != 1 or len(other.shape) != 1:
            raise TypeError("numpy.vdot is known of two vectors; write np.sum(a * b).")
        return self.dot(one, other)

    def vecdot(self, one: Any, other: Any) -> Any:
        """The sums of products along the last axis."""
        one, other = self.asarray(one), self.asarray(other)
        if not one.shape or not other.shape or one.shape[-1] != other.shape[-1]:
            raise ValueError(
                f"numpy.vecdot expects last axes of one length, got shapes {one.shape} and {other.shape}."
            )
        return (one * other).sum(axis=-1)

    def inner(self, one: Any, other: Any) -> Any:
        """The sums of products along the last axes, of each with each."""
        one, other = self.asarray(one), self.asarray(other)
        if not one.shape or not other.shape:
            return one * other
        return self.tensordot(one, other, ([len(one.shape) - 1], [len(other.shape) - 1]))

    def outer(self, one: Any, other: Any) -> Any:
        """The products of the entries of two vectors, of each with each."""
        one, other = self.asarray(one), self.asarray(other)
        if (len(one.shape), len(other.shape)) != (1, 1):
            raise ValueError(
                f"numpy.outer expects two vectors, got shapes {one.shape} and {other.shape}; write numpy.einsum."
            )
        return one[:, None] * other[None, :]

    def kron(self, one: Any, other: Any) -> Any:
        """The Kronecker product of two vectors or matrices whose lengths are numbers."""
        one, other = self.asarray(one), self.asarray(other)
        count = len(one.shape)
        if count != len(other.shape):
            raise ValueError("numpy.kron expects as many axes on both sides.")
        pairs = one[(slice(None), None) * count] * other[(None, slice(None)) * count]
        shape = [a * b for a, b in zip(one.shape, other.shape, strict=True)]
        return self.reshape(pairs, tuple(shape))

    def tensordot(self, one: Any, other: Any, axes: Any = 2) -> Any:
        """The sum of products along some axes of each."""
        one, other = self.asarray(one), self.asarray(other)
        count = len(one.shape)
        if isinstance(axes, int):
            axes = (range(count - axes, count), range(axes))
        ours, theirs = ([a] if isinstance(a, int) else list(a) for a in axes)
        left = list(range(count))
        right = list(range(count, count + len(other.shape)))
        for a, b in zip(ours, theirs, strict=True):
            right[axis_of(b, len(right))] = left[axis_of(a, count)]
        kept = [k for k in (*left, *right) if (left + right).count(k) == 1]
        return self._contracted([(one, left), (other, right)], kept)

    def matrix_power(self, array: Any, n: int) -> Any:
        """A square matrix times itself, n ≥ 0 times."""
        array = self.asarray(array)
        if index(n) < 0:
            raise ValueError(f"numpy.linalg.matrix_power expects n ≥ 0, got {n}.")
        if len(array.shape) < 2 or array.shape[-1] != array.shape[-2]:
            raise ValueError(
                f"numpy.linalg.matrix_power expects square matrices, got shape {array.shape}."
            )
        return reduce(lambda found, _: found @ array, range(n), self.eye(array.shape[0]))

    def einsum(self, subscripts: Any, *arrays: Any, optimize: Any = None) -> Any:
        """The sums of products that letters for axes name, as in numpy.einsum("ij,jk->ik", A, B)."""
        if not isinstance(subscripts, str) or "." in subscripts:
            raise ValueError(
                f"numpy.einsum of {subscripts!r}: name every axis by a letter, as in 'tij,tj->ti'."
            )
        inputs, arrow, output = subscripts.replace(" ", "").partition("->")
        letters = inputs.split(",")
        given = [self.asarray(a) for a in arrays]
        shapes = [len(a.shape) for a in given]
        if [len(part) for part in letters] != shapes:
            raise ValueError(
                f"numpy.einsum({subscripts!r}) names {[len(p) for p in letters]} axes, and the arrays have {shapes}."
            )
        if not arrow:
            every = "".join(letters)
            output = "".join(sorted(c for c in set(every) if every.count(c) == 1))
        if set(output) - set("".join(letters)) or len(set(output)) < len(output):
            raise ValueError(
                f"numpy.einsum({subscripts!r}): each axis of the result stands once on the left."
            )
        operands = []
        for array, part in zip(given, letters, strict=True):
            names: list[Any] = []
            for k, name in enumerate(part):
                if name in names:  # a diagonal
                    names.append((name, k, len(operands)))
                    operands.append((self.eye(array.shape[k]), [name, names[-1]]))
                else:
                    names.append(name)
            operands.append((array, names))
        return self._contracted(operands, list(output))

    def _contracted(self, operands: Sequence[tuple[Any, list[Any]]], output: list[Any]) -> Any:
        """The sum, over all axes that the result has not, of the product of arrays with named axes."""
        (array, names), *rest = operands
        for k, (other, others) in enumerate(rest, start=1):
            kept = {*output, *(name for _, left in operands[k + 1 :] for name in left)}
            array, names = self._pair(array, names, other, others, kept)
        array, names = _without(array, names, set(output))
        return array if names == output else array.transpose([names.index(n) for n in output])

    def _pair(
        self, one: Any, names: list[Any], other: Any, others: list[Any], kept: set[Any]
    ) -> tuple[Any, list[Any]]:
        """The product of two arrays with named axes, summed over those that are not kept: a matrix product if it is."""
        one, names = _without(one, names, kept | set(others))
        other, others = _without(other, others, kept | set(names))
        for name in set(names) & set(others):
            lengths = one.shape[names.index(name)], other.shape[others.index(name)]
            if lengths[0] != lengths[1]:
                raise ValueError(
                    f"numpy.einsum: one axis has lengths {lengths[0]} and {lengths[1]}."
                )
        shared = [n for n in names if n in others]
        batch, summed = [n for n in shared if n in kept], [n for n in shared if n not in kept]
        left, right = ([n for n in own if n not in shared] for own in (names, others))
        one = one.transpose([names.index(n) for n in (*batch, *left, *summed)]) if names else one
        other = (
            other.transpose([others.index(n) for n in (*batch, *summed, *right)])
            if others
            else other
        )
        if len(summed) == 1 and len(left) <= 1 and len(right) <= 1:
            whole = (slice(None),) * len(batch)
            found = (one if left else one[(*whole, None)]) @ (other if right else other[..., None])
            rows, columns = (slice(None) if left else 0), (slice(None) if right else 0)
            return found[(*whole, rows, columns)], [*batch, *left, *right]
        if summed:
            other = other.transpose(
                [
                    *range(len(batch)),
                    *range(len(batch) + len(summed), len(others)),
                    *range(len(batch), len(batch) + len(summed)),
                ]
            )
        whole, ends = (slice(None),) * len(batch), (slice(None),) * len(summed)
        found = one[(*whole, *(slice(None),) * len(left), *(None,) * len(right), *ends)]
        found = found * other[(*whole, *(None,) * len(left), ...)]
        for _ in summed:
            found = found.sum(axis=-1)
        return found, [*batch, *left, *right]

    # Shapes.

    def shape(self, array: Any) -> Any:
        """The lengths of the axes."""
        return self.asarray(array).shape

    def ndim(self, array: Any) -> int:
        """The number of axes."""
        return len(self.asarray(array).shape)

    def transpose(self, array: Any, axes: Any = None) -> Any:
        """The array with its axes in this order; in reverse if none is given."""
        return self.asarray(array).transpose(axes)

    def matrix_transpose(self, array: Any) -> Any:
        """The array with its last two axes exchanged."""
        return self.asarray(array).mT

    def swapaxes(self, array: Any, axis1: int, axis2: int) -> Any:
        """The array with two axes exchanged."""
        array = self.asarray(array)
        order = list(range(len(array.shape)))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return array.transpose(order)

    def moveaxis(self, array: Any, source: int, destination: int) -> Any:
        """The array with an axis at another place."""
        array = self.asarray(array)
        count = len(array.shape)
        source = axis_of(source, count)
        order = [k for k in range(count) if k != source]
        order.insert(axis_of(destination, count), source)
        return array.transpose(order)

    def expand_dims(self, array: Any, axis: int) -> Any:
        """The array with a new axis of length 1."""
        array = self.asarray(array)
        k = axis_of(axis, len(array.shape) + 1)
        return array[(*(slice(None),) * k, None)]

    def squeeze(self, array: Any, axis: Any = None) -> Any:
        """The array without axes of length 1: those named, or all whose length is the number 1."""
        array = self.asarray(array)
        every = [k for k, d in enumerate(array.shape) if is_number(d) and d == 1]
        wanted = every if axis is None else axes_of(axis, len(array.shape))
        if not set(wanted) <= set(every):
            raise ValueError(
                f"numpy.squeeze expects axes of length 1, got {axis} of shape {array.shape}."
            )
        return array[tuple(0 if k in wanted else slice(None) for k in range(len(array.shape)))]

    def broadcast_to(self, array: Any, shape: Any) -> Any:
        """The array repeated along new axes and those of length 1."""
        zeros = self.zeros(shape)
        found = self.asarray(array) + zeros
        if len(found.shape) != len(zeros.shape) or tuple(found.shape) != tuple(zeros.shape):
            raise ValueError(
                f"numpy.broadcast_to of shape {tuple(self.asarray(array).shape)} to {tuple(zeros.shape)}: each axis, "
                "from the last on, has the same length or length 1."
            )
        return found

    def ravel(self, array: Any) -> Any:
        """The entries, in order, as a vector."""
        array = self.asarray(array)
        return array if len(array.shape) == 1 else self.reshape(array, (-1,))

    def flip(self, array: Any, axis: Any = None) -> Any:
        """The entries in reverse order along axes, or along all."""
        array = self.asarray(array)
        for k in axes_of(axis, len(array.shape)):
            array = array[_along(array, k, slice(None, None, -1))]
        return array

    def roll(self, array: Any, shift: int, axis: Any = None) -> Any:
        """The entries moved along an axis by a number of places; the last become the first."""
        array = self.asarray(array)
        k = _one_axis("roll", axis, array)
        length = array.shape[k]
        if is_number(shift) and is_number(length) and length:
            shift %= length
        elif not is_number(shift) or abs(shift) > 1:
            raise TypeError(
                f"numpy.roll by {shift} of an axis of any length, which may be shorter; concatenate two slices."
            )
        if not shift:
            return array
        ends = slice(-shift, None), slice(-shift)
        return self.concat([array[_along(array, k, end)] for end in ends], axis=k)

    def pad(
        self, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0
    ) -> Any:
        """The array with an edge of one value."""
        array = self.asarray(array)
        if mode != "constant":
            raise ValueError(
                f"numpy.pad expects mode='constant', got {mode!r}; write np.concatenate."
            )
        widths = [pad_width] if not isinstance(pad_width, list | tuple) else list(pad_width)
        if not isinstance(widths[0], list | tuple) and len(widths) <= 2:
            widths = [(widths[0], widths[-1])] * len(array.shape)
        elif len(widths) == 1 and isinstance(widths[0], list | tuple):
            widths *= len(array.shape)
        if len(widths) != len(array.shape) or any(
            not isinstance(w, list | tuple) or len(w) not in (1, 2) for w in widths
        ):
            raise ValueError(
                f"numpy.pad expects a pair for each of {len(array.shape)} axes, got {pad_width}."
            )
        if any(is_number(width) and width < 0 for ends in [*widths, [pad_width]] for width in ends):
            raise ValueError(f"numpy.pad expects widths ≥ 0, got {pad_width}.")
        if isinstance(constant_values, list | tuple) or getattr(constant_values, "shape", ()):
            raise TypeError(
                "numpy.pad is known with one constant; concatenate what is to stand there."
            )
        for k, ends in enumerate(widths):
            for width, last in ((ends[0], False), (ends[-1], True)):
                if is_number(width) and width == 0:
                    continue
                edge = self.full((*array.shape[:k], width, *array.shape[k + 1 :]), constant_values)
                array = self.concat([array, edge] if last else [edge, array], axis=k)
        return array

    def triu(self, array: Any, k: int = 0) -> Any:
        """Matrices with zeros below the diagonal number k."""
        array = self.asarray(array)
        return array - self.tril(array, k - 1)

    def vstack(self, arrays: Sequence[Any]) -> Any:
        """Arrays one below the other; a vector is a row."""
        return self.concat([self.atleast_2d(a) for a in arrays], axis=0)

    def hstack(self, arrays: Sequence[Any]) -> Any:
        """Arrays one beside the other."""
        parts = [self.asarray(a) for a in arrays]
        parts = [a[None] if not a.shape else a for a in parts]
        return self.concat(parts, axis=0 if len(parts[0].shape) == 1 else 1)

    def column_stack(self, arrays: Sequence[Any]) -> Any:
        """Vectors and matrices one beside the other; a vector is a column."""
        parts = [self.asarray(a) for a in arrays]
        return self.concat([a[:, None] if len(a.shape) == 1 else a for a in parts], axis=1)

    def append(self, array: Any, values: Any, axis: Any = None) -> Any:
        """An array and what follows it along an axis."""
        array = self.asarray(array)
        return self.concat([array, self.asarray(values)], axis=_one_axis("append", axis, array))

    def atleast_1d(self, array: Any) -> Any:
        """The array, a number as a vector."""
        array = self.asarray(array)
        return array if array.shape else array[None]

    def atleast_2d(self, array: Any) -> Any:
        """The array, a vector as a row."""
        array = self.atleast_1d(array)
        return array[None] if len(array.shape) == 1 else array

    def copy(self, array: Any) -> Any:
        """The array itself, for it never changes."""
        return self.asarray(array)

    def linalg_norm(
        self, array: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
    ) -> Any:
        """The Euclidean norm along an axis; of a matrix, over both axes Frobenius's, and for ord=2 the operator's.

        Raises:
            ValueError: for another norm.
        """
        array = self.asarray(array)
        axes = axes_of(axis, len(array.shape))
        if ord == 2 and len(axes) == 2 == len(array.shape) and not keepdims:
            return self.operator_norm(array)  # type: ignore[attr-defined]
        if ord not in (None, "fro") and not (ord == 2 and len(axes) == 1):
            raise ValueError(f"numpy.linalg.norm expects ord=2 or none, got {ord!r}.")
        if len(axes) == 1 and not keepdims:
            return self.norm(self.moveaxis(array, axes[0], -1))  # type: ignore[attr-defined]
        return self.sqrt((array * array).sum(axis=tuple(axes), keepdims=keepdims))  # type: ignore[attr-defined]


NOT_NUMPYS = frozenset(
    {
        "build",
        "directions",
        "differentiate",
        "product",
        "scan",
        "scan_merged",
        "iterate",
        "iterates",
    }
    | {
        "is_mask",
        "mask",
        "refuse",
        "call_numpy",
        "norm",
        "operator_norm",
        "arrays",
        "library",
        "field",
    }
)
"""What namespaces have besides."""


def _names(cls: type) -> frozenset[str]:
    return frozenset(name for name in dir(cls) if name[0] != "_") - NOT_NUMPYS


def _expect_whole(array: Any, value: Any, **_: Any) -> None:
    """Refuse what NumPy would cut off where the array holds whole numbers, which nobody sees of an array of claims."""
    if type(value) is not int and not (type(value) is float and value.is_integer()):
        raise TypeError(
            "numpy.full_like(array, value) has the array's format, and cuts off where that is whole numbers; write "
            "numpy.full(array.shape, value), or dtype=float."
        )


def _one_axis(called: str, axis: Any, array: Any) -> int:
    axes = axes_of(axis, len(array.shape))
    if len(axes) != 1:
        raise ValueError(f"numpy.{called} of an array with {len(array.shape)} axes: give axis=.")
    return axes[0]


def _along(array: Any, axis: int, place: slice) -> tuple[Any, ...]:
    """The index that takes this of one axis, and all of the others."""
    return (*(slice(None),) * (axis % len(array.shape)), place)


def _without(array: Any, names: list[Any], kept: set[Any]) -> tuple[Any, list[Any]]:
    """The sum over the axes whose names are not kept."""
    for k in reversed(range(len(names))):
        if names[k] not in kept:
            array = array.sum(axis=k)
    return array, [n for n in names if n in kept]
