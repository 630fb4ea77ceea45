"""What the device can do at best, measured: copying memory and multiplying matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..jax_backend import jax, platform
from ..ops.inputs import itemsize
from .problem import Size


class Ceilings(NamedTuple):
    """Measured rates of the default device."""

    bytes_per_second: float
    """Read plus written, by `x + 1` on an array far larger than a cache."""
    flops: float
    """Of matrix products."""

    def floor(self, size: Size, dtype: str, chunk: int, derivative: bool = False) -> float:
        """Seconds that no program can beat: 4d² + 2(C+1)d FLOPs, and 4d numbers of traffic, a token and head.

        With the derivative three times the FLOPs, since that of a product is two, and 11d numbers of traffic: tokens
        and outputs, then tokens, cotangents of outputs, and those of tokens.
        """
        d = size.features
        work = (4 * d * d + 2 * (chunk + 1) * d) * (3 if derivative else 1) / self.flops
        traffic = (11 if derivative else 4) * d * itemsize(dtype) / self.bytes_per_second
        return size.token_heads * max(work, traffic)


COPY, PRODUCT = "copy", "square matrix product"


class Probe(NamedTuple):
    """A program that measures a ceiling."""

    run: Callable[[], Any]
    amount: int
    """The bytes that it moves, or its FLOPs."""


def probes(dtype: str) -> dict[str, Probe]:
    """Programs for this device: 1 GiB and 8192 × 8192 on an accelerator, 64 MiB and 1024 × 1024 on a CPU."""
    j = jax("bench")
    count, side = (2**24, 1024) if platform() == "cpu" else (2**28, 8192)
    array = j.numpy.zeros(count, "float32")
    square = j.random.normal(j.random.key(0), (side, side)).astype(dtype)
    copy, product = j.jit(lambda x: x + 1), plain_product(j, dtype)
    return {
        COPY: Probe(lambda: copy(array), 2 * 4 * count),
        PRODUCT: Probe(lambda: product(square, square, square.dtype), 2 * side**3),
    }


def plain_product(j: Any, dtype: str) -> Callable[..., Any]:
    """(left, right, dtype of the result) -> a matrix product, as accurate as factors of `dtype` allow."""
    precision = "highest" if dtype == "float32" else "default"

    def product(left: Any, right: Any, result: Any) -> Any:
        return j.numpy.matmul(left, right, precision=precision, preferred_element_type=result)

    return j.jit(product, static_argnums=2)
