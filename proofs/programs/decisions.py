"""A program must not decide a size while it is traced: JAX answers `T == 1` with False and `if T % 64` with True.

While a program is traced, such questions from outside JAX are answered where the answer is the same at all sizes, and
stop the reading where it is not. Orders (`T < 3`) JAX refuses by itself.
"""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..kernel.index import Index
from ..language.errors import UsageError
from ..reading.size import Unreadable
from . import areas
from .areas import Length
from .sizes import Dimensions


class Decided(Unreadable):
    """A program's text asks for a fact about sizes that holds at some of them only."""


MODULE, NAME = "jax._src.export.shape_poly", "_DimExpr"
"""Where JAX has the type of symbolic dimensions, which it does not make public."""


def dimension_type() -> Any:
    """JAX's type of symbolic dimensions.

    Raises:
        UsageError: if this release has it elsewhere.
    """
    import importlib

    import jax

    try:
        return getattr(importlib.import_module(MODULE), NAME)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"jax {jax.__version__} keeps its symbolic dimensions elsewhere than {MODULE}.{NAME}, where programs are "
            "heard when they decide a size; proofs/programs/decisions.py must be mended for it, or install jax 0.10."
        ) from error


@contextmanager
def refused(dimensions: Dimensions) -> Iterator[None]:
    """Questions about symbolic sizes from outside JAX stop inside the `with` block, unless all sizes answer alike.

    Raises:
        Decided: at such a question, with its place.
    """
    import jax

    kind = dimension_type()
    own = os.path.dirname(jax.__file__) + os.sep
    before = kind.__eq__

    def outside() -> Any:
        frame: Any = sys._getframe(2)
        while frame.f_code.co_filename == "<string>" and frame.f_code.co_name in GENERATED:
            frame = frame.f_back  # of a dataclass of JAX's
        return None if frame.f_code.co_filename.startswith(own) else frame

    def equal(self: Any, other: Any) -> Any:
        frame = outside()
        if frame is None or not (isinstance(other, int | kind)):
            return before(self, other)
        return _answer(dimensions, self, other, f"{self} == {other}", frame)

    def true(self: Any) -> bool:
        frame = outside()
        return True if frame is None else not _answer(dimensions, self, 0, f"{self}", frame)

    whole_part, remainder = kind.__floordiv__, kind.__mod__

    def floordiv(self: Any, other: Any) -> Any:
        found = _parts(dimensions, self, other)
        return whole_part(self, other) if found is None else _expression(self, found[0])

    def mod(self: Any, other: Any) -> Any:
        found = _parts(dimensions, self, other)
        return remainder(self, other) if found is None else _expression(self, found[1])

    def _expression(like: Any, length: Length) -> Any:
        (made,) = jax.export.symbolic_shape(dimensions.text(length), scope=like.scope)
        return made

    orders = {name: getattr(kind, name) for name in ORDERS}

    def ordered(name: str) -> Any:
        swapped, strict = ORDERS[name]

        def order(self: Any, other: Any) -> bool:
            small, large = (other, self) if swapped else (self, other)
            known = _at_most(dimensions, small, large, strict)
            return orders[name](self, other) if known is None else known

        return order

    own_hash = kind.__hash__

    def hashed(self: Any) -> int:
        frame = outside()
        if frame is not None and _operation(frame) in LOOKED_UP:
            raise Decided(
                f"the program looks a length up at {frame.f_code.co_filename}:{frame.f_lineno}: "
                f"{dimensions.named(str(self))} in a set or a mapping"
            )
        return own_hash(self)

    kind.__eq__, kind.__bool__, kind.__hash__ = equal, true, hashed
    kind.__floordiv__, kind.__mod__ = floordiv, mod
    for name in ORDERS:
        setattr(kind, name, ordered(name))
    try:
        yield
    finally:
        kind.__eq__, kind.__hash__ = before, own_hash
        kind.__floordiv__, kind.__mod__ = whole_part, remainder
        for name, own_order in orders.items():
            setattr(kind, name, own_order)
        del kind.__bool__


LOOKED_UP = ("CONTAINS_OP", "BINARY_SUBSCR")


def _operation(frame: Any) -> str:
    """What a frame is doing."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]]


GENERATED = ("__eq__", "__ne__", "__hash__")
ORDERS = {
    "__lt__": (False, True),
    "__le__": (False, False),
    "__gt__": (True, True),
    "__ge__": (True, False),
}
"""Whether the sides are the other way round, and whether they differ."""


def _at_most(dimensions: Dimensions, small: Any, large: Any, strict: bool) -> bool | None:
    """Whether small ≤ large (small < large if `strict`) at all sizes, or at none; None if neither is seen."""
    try:
        gap = areas.add(dimensions.length(large), dimensions.length(small), -1)
    except (Unreadable, SyntaxError):
        return None
    if areas.positive(gap, int(strict)):
        return True
    return False if areas.positive(areas.times(gap, Index(-1)), int(not strict)) else None


def _parts(dimensions: Dimensions, one: Any, other: Any) -> tuple[Length, Length] | None:
    """The whole part and the remainder of a quotient of lengths, where both are seen to be polynomials.

    JAX knows those of numbers; a remainder such as that of n·C + r by C, for r < C, it leaves as it stands.
    """
    try:
        left, right = dimensions.length(one), dimensions.length(other)
    except (Unreadable, SyntaxError):
        return None
    if not isinstance(right, areas.Area) and not right.terms:
        return None
    return areas.divided(left, right)


def _answer(dimensions: Dimensions, one: Any, other: Any, asked: str, frame: Any) -> bool:
    """Whether two lengths are equal at all sizes (True) or at none (False)."""
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    try:
        gap = areas.add(dimensions.length(one), dimensions.length(other), -1)
    except Unreadable:
        gap = None
    if gap == Index(0):
        return True
    if gap is not None and any(areas.positive(areas.times(gap, Index(k))) for k in (1, -1)):
        return False
    raise Decided(
        f"the program decides at {place} whether {dimensions.named(asked)}, which depends on the sizes"
    )
