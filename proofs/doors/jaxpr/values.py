"""What arrays of a program are: real ones with JAX's format, and complex ones, which are two real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...statement.nodes import Shape
from ..infinities import Value


class Complex(NamedTuple):
    """A complex array."""

    real: Value
    imag: Value

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self.real.shape


Array: TypeAlias = Value | Complex


class Transform(NamedTuple):
    """The discrete Fourier transform of an array along one axis."""

    of: Array
    axis: int
    half: bool
    """Whether the array is real, and its transform goes to the middle only."""


def kind_of(dtype: Any) -> str:
    """f, i, b or c; another letter of NumPy's for what is none of them."""
    kind = np.dtype(dtype).kind if not hasattr(dtype, "_rules") else "k"
    if kind == "V" or str(dtype).startswith(("bfloat", "float")):
        return "f"
    return "i" if kind == "u" else kind


def parts(values: Sequence[Any]) -> list[Value]:
    """Complex arrays as two real ones each, transforms as what was transformed."""
    given = [v.of if isinstance(v, Transform) else v for v in values]
    return [one for v in given for one in (v if isinstance(v, Complex) else [v])]


def part_by_part(make: Callable[..., Any], *arrays: Any) -> Any:
    """What is made of real arrays, or of the real and the imaginary parts of complex ones."""
    if isinstance(arrays[0], Complex):
        return Complex(*(make(*of_both) for of_both in zip(*arrays, strict=True)))
    return make(*arrays)


def paired(values: Sequence[Any], like: Sequence[Array]) -> list[Any]:
    """The parts of complex arrays together again."""
    rest = iter(values)
    return [Complex(next(rest), next(rest)) if isinstance(v, Complex) else next(rest) for v in like]
