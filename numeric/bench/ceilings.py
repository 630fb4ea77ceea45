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

    def floor(self, size: Size, dtype: str, chunk: int) -> float:
        """Seconds that no program can beat: 4d² + 2(C+1)d FLOPs, and 4d numbers of traffic, a token and head."""
        d = size.features
        work = (4 * d * d + 2 * (chunk + 1) * d) / self.flops
        traffic = 4 * d * itemsize(dtype) / self.bytes_per_second
        return size.token_heads * max(work, traffic)


COPY, PRODUCT = "copy", "square matrix product"


class Probes(NamedTuple):
    """The two programs that measure the ceilings, and what they do."""

    programs: dict[str, Callable[[], Any]]
    moved: int
    """Bytes."""
    multiplied: int
    """FLOPs."""

    def ceilings(self, copy: float, product: float) -> Ceilings:
        """The rates, from the seconds of the two programs."""
        return Ceilings(self.moved / copy, self.multiplied / product)


def probes(dtype: str) -> Probes:
    """Programs for this device: 1 GiB and 8192 × 8192 on an accelerator, 64 MiB and 1024 × 1024 on a CPU."""
    j = jax("bench")
    jnp = j.numpy
    count, side = (2**24, 1024) if platform() == "cpu" else (2**28, 8192)
    array = jnp.zeros(count, "float32")
    square = j.random.normal(j.random.key(0), (side, side)).astype(dtype)
    precision = "highest" if dtype == "float32" else "default"
    copy = j.jit(lambda x: x + 1)
    product = j.jit(lambda x: jnp.matmul(x, x, precision=precision, preferred_element_type=x.dtype))
    programs = {COPY: lambda: copy(array), PRODUCT: lambda: product(square)}
    return Probes(programs, 2 * 4 * count, 2 * side**3)
