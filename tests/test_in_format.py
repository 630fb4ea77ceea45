"""Arrays whose operations all run in their own format."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from scanproof.numeric.rounding.in_format import InFormat, in_format

FORMATS = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)
RNG = np.random.default_rng(0)
A, B = RNG.uniform(0.5, 1, (3, 3)), RNG.uniform(0.5, 1, (3, 3))


def operations(a: Any, b: Any) -> list[Any]:
    return [
        np.zeros((3, 3)) + a,
        np.zeros((3, 3)) @ a + b,
        a @ b,
        a * 2 - b / 3,
        a / np.asarray(7),
        np.arange(1, 4) * a,
        a.sum(axis=0),
        a[0, 0] * np.ones((3, 3)),
        np.einsum("ij,jk->ik", a, b),
        np.stack([a, np.zeros((3, 3))]),
        np.concatenate([np.zeros((3, 3)), a]),
        np.where(a > 0.7, a, np.zeros((3, 3))),
        np.exp(a),
        *np.split(a, 3),
    ]


@pytest.mark.parametrize("dtype", FORMATS)
def test_no_operation_leaves_the_format(dtype):
    for found in operations(in_format(A, dtype), in_format(B, dtype)):
        assert isinstance(found, InFormat)
        assert found.dtype == dtype


@pytest.mark.parametrize("dtype", (np.float32, np.float16, ml_dtypes.bfloat16))
def test_a_sum_that_begins_with_zeros_of_float64_is_rounded_at_every_addition(dtype):
    numbers = RNG.uniform(0, 1, 50).astype(dtype)
    total, wanted = np.zeros(()), np.zeros((), dtype)
    for number in numbers:
        total, wanted = total + in_format(number, dtype), (wanted + number).astype(dtype)
    assert total == wanted
    assert float(total) != float(numbers.astype(np.float64).sum())


def test_what_numpy_does_by_itself_is_done_in_float64():
    assert (np.zeros(3) + A[0].astype(np.float32)).dtype == np.float64


def test_parts_are_written_to_in_place_and_indices_stay_integers():
    a = in_format(np.zeros((2, 2)), np.float32)
    a[0][1] = 1 / 3
    assert a[0, 1] == np.float32(1 / 3)
    a += np.full((2, 2), 1 / 3)
    assert a.dtype == np.float32
    assert a[1, 1] == np.float32(1 / 3)
    np.multiply(a, 3, out=a)
    assert a[1, 1] == 1
    assert np.take(a, np.asarray([0]), axis=0).shape == (1, 2)
    assert np.argsort(a[0]).dtype.kind == "i"
    assert (a > 0).dtype == bool


def test_arrays_in_two_formats_do_not_mix():
    narrow, wide = (in_format([1.0], name) for name in ("float16", "float32"))
    for operation in (np.add, lambda a, b: np.concatenate([a, b])):
        with pytest.raises(TypeError, match="arrays in float16 and in float32"):
            operation(narrow, wide)
    assert np.asarray(narrow) + np.asarray(wide) == 2
