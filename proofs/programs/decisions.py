"""A program must not decide a size while it is traced: JAX answers `T == 1` with False and `if T % 64` with True.

While a program is traced, such questions from outside JAX are answered where the answer is the same at all sizes, and
stop the reading where it is not. Orders (`T < 3`) JAX refuses by itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..kernel.index import Index, facts
from ..kernel.inequalities import implied
from ..reading.size import Unreadable
from .sizes import Dimensions


class Decided(Unreadable):
    """A program's text asks for a fact about sizes that holds at some of them only."""


@contextmanager
def refused(dimensions: Dimensions) -> Iterator[None]:
    """Questions about symbolic sizes from outside JAX stop inside the `with` block, unless all sizes answer alike.

    Raises:
        Decided: at such a question, with its place.
    """
    import jax
    from jax._src.export.shape_poly import _DimExpr

    kind: Any = _DimExpr

    own = os.path.dirname(jax.__file__) + os.sep
    before = kind.__eq__

    def outside() -> Any:
        frame = sys._getframe(2)
        return None if frame.f_code.co_filename.startswith(own) else frame

    def equal(self: Any, other: Any) -> Any:
        frame = outside()
        if frame is None or not (isinstance(other, int | kind)):
            return before(self, other)
        return _answer(dimensions, self, other, f"{self} == {other}", frame)

    def true(self: Any) -> bool:
        frame = outside()
        return True if frame is None else not _answer(dimensions, self, 0, f"{self}", frame)

    kind.__eq__, kind.__bool__ = equal, true
    try:
        yield
    finally:
        kind.__eq__ = before
        del kind.__bool__


def _answer(dimensions: Dimensions, one: Any, other: Any, asked: str, frame: Any) -> bool:
    """Whether two lengths are equal at all sizes (True) or at none (False)."""
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    try:
        gap = dimensions.index(one) - dimensions.index(other)
    except Unreadable:
        gap = None
    if gap == Index(0):
        return True
    if gap is not None:
        known = facts(gap.variables())
        if implied(gap - 1, known) or implied(-gap - 1, known):
            return False
    raise Decided(
        f"the program decides at {place} whether {dimensions.named(asked)}, which depends on the sizes"
    )
