"""NumPy arrays whose operations all run in their own format, whatever else takes part in them."""

from __future__ import annotations

from typing import Any

import numpy as np


class InFormat(np.ndarray):
    """An array of NumPy of which every result is in its own format again.

    What definitions make from nothing, as zeros, is float64, and NumPy would do everything after it in float64;
    integers in arrays do the same to float32. Products of bfloat16 matrices are float32 sums, rounded here to bfloat16.
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        into = options.pop("out", None)
        options = {name: _plain(value) for name, value in options.items()}
        brought = _brought(inputs, self.dtype, integers=ufunc is not np.ldexp and method != "at")
        found = _kept(getattr(ufunc, method)(*brought, **options), self.dtype)
        if into is None:
            return found
        for place, each in zip(into, found if isinstance(found, tuple) else (found,), strict=True):
            if place is not None:
                _plain(place)[...] = each
        return into[0] if len(into) == 1 else into

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        plain = _brought(args, self.dtype)
        given = {name: _brought(value, self.dtype) for name, value in kwargs.items()}
        if function is np.einsum and self.dtype.kind != "f":  # NumPy has none of bfloat16
            plain = tuple(one if isinstance(one, str) else one.astype(np.float32) for one in plain)
        return _kept(function(*plain, **given), self.dtype)

    def __getitem__(self, key: Any) -> Any:
        return _kept(super().__getitem__(key), self.dtype)  # an entry is no number of NumPy's own


def in_format(array: Any, dtype: Any) -> np.ndarray:
    """An array rounded to a format, in which every operation with it is then done.

    A product of bfloat16 matrices is added up in float32 and rounded once, as hardware does it.

    Args:
        array: numbers.
        dtype: a floating-point dtype or its name; bfloat16 is that of ml_dtypes.

    Raises:
        TypeError: by an operation whose arrays are in two formats, where nobody said which of them it is rounded to.
    """
    return np.asarray(array).astype(dtype).view(InFormat)


def _floats(dtype: np.dtype) -> bool:
    """Whether it is floating-point; bfloat16 is of NumPy's kind "V"."""
    return dtype.kind == "f" or dtype.name == "bfloat16"


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, InFormat) else value


def _brought(value: Any, dtype: Any, *, integers: bool = False) -> Any:
    """Arrays in (nested) sequences as plain ones of the format; numbers of Python take the format of the other side.

    Arrays of integers may be indices; they are numbers only in an operation of arithmetic.
    """
    if isinstance(value, (list, tuple)):
        brought = [_brought(each, dtype, integers=integers) for each in value]
        return brought if isinstance(value, list) else tuple(brought)
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if isinstance(value, InFormat) and value.dtype != dtype:
        raise TypeError(
            f"An operation with arrays in {dtype} and in {value.dtype}: bring both to one format, with in_format."
        )
    array = np.asarray(value)
    numbers = _floats(array.dtype) or (integers and array.dtype.kind in "iu")
    return array.astype(dtype, copy=False) if numbers else array


def _kept(found: Any, dtype: Any) -> Any:
    """Results that are floats as arrays of the format."""
    if isinstance(found, (list, tuple)) and not hasattr(found, "_fields"):
        return type(found)(_kept(each, dtype) for each in found)
    if not isinstance(found, (np.ndarray, np.generic)) or not _floats(found.dtype):
        return found
    if isinstance(found, np.ndarray) and found.dtype == dtype:
        return found.view(InFormat)  # of the same memory, as slices are that are written to
    return in_format(found, dtype)
