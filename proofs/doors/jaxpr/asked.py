"""A program must not decide a size while it is traced: JAX answers `T == 1` with False and `if T % 64` with True.

While a program is traced, a query of a symbolic dimension from outside JAX is answered where the answer is the same at
all sizes; every other question is refused, and no `except` of the program's takes that back. JAX's own code may ask:
its answers show in what it traces. JAX makes dimensions in many places, so that the methods of their class are what is
replaced, for as long as a program is traced.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from scanproof.constructs.errors import UsageError

from ...interpret.questions import NUMBERS_OWN, Unreadable, aside, asks, in_library, note, place
from ...statement.order import divided, nonnegative, sign
from ...statement.whole import Number, Whole
from ..meant import DYADIC
from ..refused import Depends, Refused
from .sizes import Dimensions
from .stand_ins import CALLED, power


class Decided(Unreadable):
    """A program's text queries a fact about sizes that holds at some of them only."""


class KeepsState(Decided):
    """A turn of a loop over a size leaves to the next one what the loop does not follow, or asks for it."""

    unsafe = True


MODULE, NAME = "jax._src.export.shape_poly", "_DimExpr"
"""Where JAX has the type of symbolic dimensions, which it does not make public."""


def dimension_type() -> Any:
    """JAX's type of symbolic dimensions.

    Raises:
        UsageError: if this release has it elsewhere.
    """
    import jax

    try:
        return getattr(importlib.import_module(MODULE), NAME)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"jax {jax.__version__} keeps its symbolic dimensions elsewhere than {MODULE}.{NAME}, where programs are "
            "noticed when they decide a size; install jax 0.10 or 0.11."
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
    """Questions about symbolic sizes from outside JAX stop inside the block, unless all sizes answer alike.

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


@contextmanager
def numbers_unseen() -> Iterator[None]:
    """A number of a traced array that the program asks for is refused inside the block, whatever it catches.

    Run as it stands, without a trace, such a program is given the number, and is another one.
    """
    import jax

    jaxs_own = folders()
    kinds: list[Any] = [getattr(jax.errors, name) for name in OF_NUMBERS]
    before = {kind: vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)}

    def noting(own: Any) -> Callable[..., None]:
        def begin(error: Any, *given: Any, **named: Any) -> None:
            own(error, *given, **named)
            note_question()

        return begin

    def note_question() -> None:
        inner, frame = "", sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith(jaxs_own):
            inner, frame = frame.f_code.co_name, frame.f_back  # type: ignore[assignment]
        if inner in OF_ARRAYS and frame is not None and asks(frame.f_code.co_filename, jaxs_own):
            note(f"the program asks{place(jaxs_own)} for the numbers of an array; {BY_ARRAYS}")

    def spelling(own: Any) -> Callable[..., str]:
        def text(array: Any, *given: Any) -> str:
            if asks(sys._getframe(1).f_code.co_filename, jaxs_own):
                note(f"the program asks{place(jaxs_own)} for the text of an array; leave it out")
            return own(array, *given)

        return text

    tracer: Any = jax.core.Tracer
    texts = {name: getattr(tracer, name) for name in ("__repr__", "__str__", "__format__")}
    added = texts.keys() - vars(tracer).keys()
    for kind, own in before.items():
        kind.__init__ = noting(own)
    for name, own in texts.items():
        setattr(tracer, name, spelling(own))
    try:
        yield
    finally:
        for kind, own in before.items():
            kind.__init__ = own
        for name, own in texts.items():
            delattr(tracer, name) if name in added else setattr(tracer, name, own)


BY_ARRAYS = "write it with jnp.where or jax.lax.cond"
OF_NUMBERS = (
    *("ConcretizationTypeError", "TracerArrayConversionError", "TracerBoolConversionError"),
    "TracerIntegerConversionError",
)
"""JAX's errors where a traced array is asked for its numbers."""
OF_ARRAYS = (
    *("__bool__", "__int__", "__float__", "__complex__", "__index__", "__array__", "__hash__"),
    *("item", "tolist", "__round__", "__operator__"),
)
"""Methods of a traced array that would give its numbers away."""


class _Answers:
    """What a symbolic dimension answers while a program is traced."""

    def __init__(self, kind: Any, dimensions: Dimensions, folders: tuple[str, ...]) -> None:
        self.kind, self.dimensions, self.folders = kind, dimensions, folders
        self.own = {name: getattr(kind, name) for name in dir(kind)}
        self.quotients: dict[int, tuple[Any, Any, Any]] = {}
        """Quotients of sizes outside JAX by the objects that they are, with what was divided by what."""
        self._unequal: dict[tuple[Any, Any], tuple[Any, Any]] = {}
        """Lengths that JAX took for unequal, since they are not equal at all sizes."""
        self.asked: Depends | None = None
        """What was asked last in vain."""

    def outside(self) -> bool:
        """Whether it is not JAX that called the method that calls this."""
        frame: Any = sys._getframe(2)
        code = frame.f_code
        while code is CALLED or (code.co_filename == "<string>" and code.co_name in GENERATED):
            frame = frame.f_back
            code = frame.f_code
        return asks(frame.f_code.co_filename, self.folders)

    def refuse(self, question: str, instead: str = "", depends: Depends | None = None) -> Decided:
        hint = f"; {instead}" if instead else ""
        self.asked = depends
        return Decided(
            f"the program asks{place(self.folders)} {question}, which depends on the sizes{hint}"
        )

    def sign_of(self, one: Any, other: Any) -> Depends | None:
        """That a question hinges on the sign of a difference, or on what keeps a side from being a polynomial."""
        sides = []
        for dimension in (one, other):
            try:
                with aside():
                    sides.append(self.dimensions.number(dimension))
            except Refused as error:
                return error.depends
        return Depends(sides[0] - sides[1])

    def number(self, one: Any) -> Number | None:
        """The length that a dimension is, where it is a polynomial."""
        try:
            with aside():
                return self.dimensions.number(one)
        except Refused:
            return None

    def gap(self, one: Any, other: Any) -> Number | None:
        """one − other."""
        sides = self.number(one), self.number(other)
        return None if None in sides else sides[0] - sides[1]  # type: ignore[operator]

    def apart(self) -> Iterator[Number]:
        """The differences of lengths that JAX took for unequal, and that may be 0."""
        for one, other in self._unequal.values():
            gap = self.gap(one, other)
            if gap is not None and not (nonnegative(gap - 1) or nonnegative(-gap - 1)):
                yield gap

    def text(self, one: Any) -> str:
        return self.dimensions.named(
            self.own["__str__"](one) if isinstance(one, self.kind) else repr(one)
        )

    def methods(self) -> dict[str, Callable[..., Any]]:
        """The methods of JAX's class that are replaced while a program is traced."""
        own = self.own

        def compared(one: Any, other: Any) -> Any:
            if isinstance(other, int | self.kind):
                return self._equal(one, other)
            if isinstance(other, float | complex) or hasattr(other, "__complex__"):
                raise self.refuse(f"whether {self.text(one)} == {other!r}")
            return NotImplemented

        def equal(one: Any, other: Any) -> Any:
            return compared(one, other) if self.outside() else jaxs(one, other)

        def jaxs(one: Any, other: Any) -> Any:
            found = own["__eq__"](one, other)
            if found is False and isinstance(other, int | self.kind):
                key = other if isinstance(other, int) else own["__hash__"](other)
                self._unequal[own["__hash__"](one), key] = one, other
            return found

        def unequal(one: Any, other: Any) -> Any:
            found = compared(one, other) if self.outside() else jaxs(one, other)
            return found if found is NotImplemented else not found

        def true(one: Any) -> bool:
            return not self._equal(one, 0) if self.outside() else True

        def hashed(one: Any) -> int:
            if not self.outside():
                return own["__hash__"](one)
            if in_library(sys._getframe(1).f_code.co_filename):
                raise TypeError("unhashable: a symbolic size")  # a library's cache is passed by
            raise self.refuse(f"for the hash of {self.text(one)}", INSTEAD)

        def quotient(one: Any, other: Any) -> Any:
            found = own["__truediv__"](one, other)
            if self.outside() and isinstance(other, int | self.kind):
                self.quotients[id(found)] = found, one, other
            return found

        def product(name: str) -> Callable[..., Any]:
            def multiplied(one: Any, other: Any) -> Any:
                found = own[name](one, other)
                if self.outside() and isinstance(other, float) and math.isfinite(other):
                    over, under = other.as_integer_ratio()
                    if under <= DYADIC:
                        self.quotients[id(found)] = found, one * over, under
                return found

            return multiplied

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
            **{name: self._order(name, *rest) for name, rest in ORDERS.items()},
            **{name: self._closed(name) for name in CLOSED if hasattr(self.kind, name)},
            "__eq__": equal,
            "__ne__": unequal,
            "__bool__": true,
            "__floordiv__": self._part("__floordiv__", 0),
            "__mod__": self._part("__mod__", 1),
            "__truediv__": quotient,
            **{name: product(name) for name in ("__mul__", "__rmul__")},
            "__hash__": hashed,
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
                asked = f"whether {self.text(one)} {sign} {self.text(other)}"
                raise self.refuse(asked, depends=self.sign_of(one, other))
            self.asked = self.sign_of(one, other) or self.asked
            return own(one, other)

        return order

    def _equal(self, one: Any, other: Any) -> bool:
        """Whether two lengths are equal at all sizes (True) or at none (False)."""
        gap = self.gap(one, other)
        if gap == 0:
            return True
        if gap is not None and (nonnegative(gap - 1) or nonnegative(-gap - 1)):
            return False
        asked = f"whether {self.text(one)} == {self.text(other)}"
        raise self.refuse(asked, depends=self.sign_of(one, other))

    def _at_most(self, small: Any, large: Any, strict: bool) -> bool | None:
        """Whether small ≤ large (small < large if `strict`) at all sizes, or at none; None if neither is seen."""
        gap = self.gap(large, small)
        return None if gap is None else sign(gap - int(strict))

    def _part(self, name: str, which: int) -> Callable[..., Any]:
        """A whole part or a remainder: JAX knows those by numbers, and leaves others as they stand."""
        own = self.own[name]

        def method(one: Any, other: Any) -> Any:
            sides = self.number(one), self.number(other)
            if None in sides:
                return own(one, other)
            found = divided(*sides)  # type: ignore[arg-type]
            if found is None:
                self.asked = Depends(*sides)  # type: ignore[arg-type]
                return own(one, other)
            return self._expression(one, found[which])

        return method

    def _expression(self, like: Any, length: Number) -> Any:
        import jax

        if not isinstance(length, Whole):
            return length
        (made,) = jax.export.symbolic_shape(self.dimensions.text(length), scope=like.scope)
        return made


INSTEAD = "compute with jnp, which takes sizes (jnp.sqrt(d)), and leave them out of texts and keys"
CLOSED = {
    "__str__": "the text",
    "__repr__": "the text",
    "__format__": "the text",
    **dict.fromkeys(("__index__", "__int__", "__float__", "__complex__"), "the number"),
    **dict.fromkeys(("__round__", "__trunc__", "__floor__", "__ceil__"), "the number"),
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
