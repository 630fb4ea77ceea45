"""The order in which `jnp.einsum` multiplies: the same at all sizes while a program is traced.

Of three operands and more JAX takes two at a time, the cheapest first, which may be other ones at other sizes. The
result is the same number; the program that is read should be, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def in_order() -> Iterator[None]:
    """Operands of `einsum` are multiplied from left to right inside the `with` block, unless a path is given."""
    import opt_einsum

    original = opt_einsum.contract_path

    def contract_path(*operands: Any, optimize: Any = True, **options: Any) -> Any:
        count = len(operands) - 1 if isinstance(operands[0], str) else len(operands) // 2
        if optimize in (True, "optimal", "auto") and count > 2:
            optimize = [(0, 1)] * (
                count - 1
            )  # what two give comes last, so that this takes all in turn
        return original(*operands, optimize=optimize, **options)

    opt_einsum.contract_path = contract_path
    try:
        yield
    finally:
        opt_einsum.contract_path = original
