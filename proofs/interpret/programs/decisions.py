"""A program must not decide a size while it is traced: JAX answers `T == 1` with False and `if T % 64` with True.

While a program is traced, a query of a symbolic dimension from outside JAX is answered where the answer is the same at
all sizes; every other question is noted and refused, and no `except` of the program's takes that back. JAX's own
code may ask: its answers show in what it traces, which `alike` compares at many sizes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from scanproof.constructs.errors import UsageError

from ...kernel.index import Index
from ...language.partition import Split
from .. import areas
from ..areas import Length
from ..questions import NUMBERS_OWN, Unreadable, aside, asks, place
from ..told_apart import by_remainder, by_sign
from .sizes import Dimensions
from .stand_ins import power


class Decided(Unreadable):
    """A program's text queries a fact about sizes that holds at some of them only."""


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
            "noticed when they decide a size; proofs/interpret/programs/decisions.py must be mended for it, "
            "or install jax 0.10 or 0.11."
        ) from error


GENERATED = ("__eq__", "__ne__", "__hash__")
"""Methods of JAX's dataclasses, whose code has no file."""


def folders() -> tuple[str, ...]:
    """JAX's own, whose code may ask of a size."""
    import jax
    import jaxlib

    return tuple(os.path.dirname(str(one.__file__)) + os.sep for one in (jax, jaxlib))


@contextmanager
def refused(dimensions: Dimensions) -> Iterator[_Answers]:
    """Questions about symbolic sizes from outside JAX stop inside the `with` block, unless all sizes answer alike.

    Raises:
        Decided: at such a question, with its place.
    """
    kind = dimension_type()
    answers = _Answers(kind, dimensions, folders())
    replaced = answers.methods()
    before = {name: vars(kind).get(name) for name in replaced}
    for name, method in replaced.items():
        setattr(kind, name, method)
    try:
        yield answers
    finally:
        for name, own in before.items():
            if own is None:
                delattr(kind, name)
            else:
                setattr(kind, name, own)


class _Answers:
    """What a symbolic dimension answers while a program is traced."""

    def __init__(self, kind: Any, dimensions: Dimensions, folders: tuple[str, ...]) -> None:
        self.kind, self.dimensions, self.folders = kind, dimensions, folders
        self.own = {name: getattr(kind, name) for name in (*dir(kind),)}
        self.asked: Split | None = None
        """The sizes that JAX itself would have to tell apart, where it last asked in vain."""

    def outside(self) -> bool:
        """Whether it is not JAX that called the method that calls this."""
        frame: Any = sys._getframe(2)
        while frame.f_code.co_filename == "<string>" and frame.f_code.co_name in GENERATED:
            frame = frame.f_back
        return asks(frame.f_code.co_filename, self.folders)

    def refuse(self, question: str, instead: str = "", split: Split | None = None) -> Decided:
        hint = f"; {instead}" if instead else ""
        found = Decided(
            f"the program asks{place(self.folders)} {question}, which depends on the sizes{hint}"
        )
        found.split = split
        return found

    def gap(self, one: Any, other: Any) -> tuple[Length | None, Split | None]:
        """one − other, and by what sizes its sign would be known."""
        try:
            with aside():
                gap = areas.add(self.dimensions.length(one), self.dimensions.length(other), -1)
                return gap, by_sign(gap)
        except Unreadable as error:
            apart = error.split
            return None, by_sign(apart) if isinstance(apart, areas.Area | Index) else apart
        except SyntaxError:
            return None, None

    def text(self, one: Any) -> str:
        return self.dimensions.named(
            self.own["__str__"](one) if isinstance(one, self.kind) else repr(one)
        )

    def methods(self) -> dict[str, Callable[..., Any]]:
        """The methods of JAX's class that are replaced while it is traced."""
        found: dict[str, Callable[..., Any]] = {
            **{name: self._order(name, *rest) for name, rest in ORDERS.items()},
            **{name: self._closed(name) for name in CLOSED if hasattr(self.kind, name)},
        }
        own = self.own
        whole_part, remainder = own["__floordiv__"], own["__mod__"]

        def equal(one: Any, other: Any) -> Any:
            if not self.outside():
                return own["__eq__"](one, other)
            if isinstance(other, int | self.kind):
                return self._equal(one, other)
            if isinstance(other, float | complex) or hasattr(other, "__complex__"):
                raise self.refuse(f"whether {self.text(one)} == {other!r}")
            return NotImplemented

        def unequal(one: Any, other: Any) -> Any:
            found = equal(one, other) if self.outside() else own["__eq__"](one, other)
            return found if found is NotImplemented else not found

        def true(one: Any) -> bool:
            return not self._equal(one, 0) if self.outside() else True

        def floordiv(one: Any, other: Any) -> Any:
            parts = self._parts(one, other)
            return whole_part(one, other) if parts is None else self._expression(one, parts[0])

        def mod(one: Any, other: Any) -> Any:
            parts = self._parts(one, other)
            return remainder(one, other) if parts is None else self._expression(one, parts[1])

        def raised(one: Any, exponent: Any, modulo: Any = None) -> Any:
            real = isinstance(exponent, float) or (isinstance(exponent, int) and exponent < 0)
            if real and modulo is None and self.outside():
                return power(one, exponent)
            return own["__pow__"](one, exponent, modulo)

        def attribute(one: Any, name: str) -> Any:
            if name == "__class__" and self.outside():
                return int  # which it is at every size
            if name in NUMBERS_OWN and not hasattr(self.kind, name) and self.outside():
                raise self.refuse(f"for {name} of {self.text(one)}")
            return object.__getattribute__(one, name)

        return {
            **found,
            "__eq__": equal,
            "__ne__": unequal,
            "__bool__": true,
            "__floordiv__": floordiv,
            "__mod__": mod,
            "__pow__": raised,
            "__getattribute__": attribute,
        }

    def _closed(self, name: str) -> Callable[..., Any]:
        """A method that reveals what the number is, closed to all but JAX."""
        own, what = self.own[name], CLOSED[name]

        def method(one: Any, *others: Any) -> Any:
            if self.outside():
                raise self.refuse(f"for {what} of {self.text(one)}", INSTEAD)
            return own(one, *others)

        return method

    def _order(self, name: str, swapped: bool, strict: bool, sign: str) -> Callable[..., Any]:
        own = self.own[name]

        def order(one: Any, other: Any) -> Any:
            small, large = (other, one) if swapped else (one, other)
            known = self._at_most(small, large, strict)
            if known is not None:
                return known
            if self.outside():
                _, split = self.gap(one, other)
                asked = f"whether {self.text(one)} {sign} {self.text(other)}"
                raise self.refuse(asked, split=split)
            try:
                return own(one, other)
            except Exception:
                self.asked = self.gap(one, other)[1]
                raise

        return order

    def _equal(self, one: Any, other: Any) -> bool:
        """Whether two lengths are equal at all sizes (True) or at none (False)."""
        gap, split = self.gap(one, other)
        if gap == Index(0):
            return True
        if gap is not None and (areas.positive(gap) or areas.sign(gap) is False):
            return False
        raise self.refuse(f"whether {self.text(one)} == {self.text(other)}", split=split)

    def _at_most(self, small: Any, large: Any, strict: bool) -> bool | None:
        """Whether small ≤ large (small < large if `strict`) at all sizes, or at none; None if neither is seen."""
        try:
            with aside():
                gap = areas.add(self.dimensions.length(large), self.dimensions.length(small), -1)
        except (Unreadable, SyntaxError):
            return None
        return areas.sign(areas.add(gap, Index(int(strict)), -1))

    def _parts(self, one: Any, other: Any) -> tuple[Length, Length] | None:
        """The whole part and the remainder of a quotient of lengths, where both are seen to be polynomials.

        JAX knows those of numbers; a remainder such as that of n·C + r by C, for r < C, it leaves as it stands.
        """
        try:
            with aside():
                left, right = self.dimensions.length(one), self.dimensions.length(other)
                if not isinstance(right, areas.Area) and not right.terms:
                    self.asked = by_remainder(left, right) or self.asked
                    return None
                found = areas.divided(left, right)
                if found is None:
                    self.asked = by_remainder(left, right) or self.asked
                return found
        except Unreadable as error:
            self.asked = error.split or self.asked
            return None
        except SyntaxError:
            return None

    def _expression(self, like: Any, length: Length) -> Any:
        import jax

        (made,) = jax.export.symbolic_shape(self.dimensions.text(length), scope=like.scope)
        return made


INSTEAD = "compute with jnp, which takes sizes (jnp.sqrt(d)), and leave them out of texts and keys"
CLOSED = {
    "__hash__": "the hash",
    "__str__": "the text",
    "__repr__": "the text",
    "__format__": "the text",
    "__index__": "the number",
    "__int__": "the number",
    "__float__": "the number",
    "__complex__": "the number",
    "__round__": "the number",
    "__trunc__": "the number",
    "__floor__": "the number",
    "__ceil__": "the number",
    "__reduce_ex__": "the parts",
}
"""Methods that would reveal what the number is, with what they are called for."""
ORDERS = {
    "__lt__": (False, True, "<"),
    "__le__": (False, False, "<="),
    "__gt__": (True, True, ">"),
    "__ge__": (True, False, ">="),
}
"""Whether the sides are the other way round, whether they differ, and the sign."""
