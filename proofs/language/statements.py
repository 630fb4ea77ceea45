"""What a claim says about its two sides. The left side is what the definition computes, the right what is claimed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scanproof.constructs.arrays.masks import Mask

from .place import Place, calling_place


class Label(tuple[Any, ...]):
    """The name of a statement in pieces, ("t = ", t): it becomes text where its sizes are numbers."""

    __slots__ = ()

    def __str__(self) -> str:
        return "".join(map(str, self))


Name = str | tuple[Any, ...]
"""What a statement is called: text, or pieces of text and sizes."""


def _named(label: Name) -> Any:
    return label if isinstance(label, str) else Label(label)


WRITTEN: Any = field(default=None, compare=False, repr=False)
"""Where a statement is written down, of which messages speak: no part of what it says."""


@dataclass(frozen=True)
class Equal:
    """left = right in every entry."""

    left: Any
    right: Any
    label: Any = ""
    place: Place | None = WRITTEN


@dataclass(frozen=True)
class Differs:
    """At every size there are inputs for which left ≠ right in some entry.

    One input a size proves it; it is refuted where the two sides are identical.
    """

    left: Any
    right: Any
    label: Any = ""
    place: Place | None = WRITTEN


@dataclass(frozen=True)
class AtMost:
    """left ≤ right in every entry; a number on either side stands for all entries."""

    left: Any
    right: Any
    label: Any = ""
    place: Place | None = WRITTEN


@dataclass(frozen=True)
class Determines:
    """There is a map from `statistic` to `value`: inputs with equal statistics have equal values.

    Two inputs that agree in `shared` and in the statistic and differ in the value refute it: no map does it.
    """

    statistic: Any
    value: Any
    shared: tuple[str, ...] = ()
    label: Any = ""
    place: Place | None = WRITTEN


@dataclass(frozen=True)
class Undetermined:
    """No map sends `statistic` to `value`: two inputs that agree in `shared` and the statistic show it."""

    statistic: Any
    value: Any
    shared: tuple[str, ...] = ()
    label: Any = ""
    place: Place | None = WRITTEN


@dataclass(frozen=True)
class Part:
    """A polynomial in the data that is to come as near to another one as is wanted, in every coefficient."""

    left: Any
    """Its coefficients depend on the parameters."""
    right: Any
    """The wanted polynomial; its coefficients are numbers."""
    factors: tuple[Any, ...] = ()
    """Polynomials with constant term 1 whose product `left` is."""
    times_another: int = 0
    """If not 0: what is to come near is a product of `left` with some polynomial in the data, of at most this degree
    whatever the parameters are."""


@dataclass(frozen=True)
class Approached:
    """For every ε > 0 some choice of the parameters brings all parts within ε of what is wanted, at once.

    An argument about limits (`check.limits`) can refute it. Nothing here proves it: a witness does, as an
    equation.
    """

    parts: Mapping[str, Callable[[], Part]]
    """Each is made when it is looked at, by one engine."""
    numbers: tuple[str, ...]
    """The symbols that stand for fixed numbers other than 0."""
    data: tuple[str, ...]
    """The symbols that the parts are polynomials in."""
    refutation: Callable[[Any], Any] | None = None
    """From the facts to a contradiction."""
    label: Any = ""


Statement = Equal | Differs | AtMost | Determines | Undetermined | Approached
KINDS: dict[str, type[Any]] = {
    "equal": Equal,
    "at_most": AtMost,
    "differs": Differs,
    "determines": Determines,
    "undetermined": Undetermined,
}
"""The statements that are recorded, by the names of their relations."""


def _numbers(side: Any) -> Any:
    """A side as it is compared: the ones and zeros of a mask."""
    return side.held if isinstance(side, Mask) else side


def equal(left: Any, right: Any, label: Name = "") -> Equal:
    """The definition's result `left` equals the claimed `right`, entry by entry; shapes must agree.

    `label` names the statement; in a loop write ("t = ", t), since f"t = {t}" would ask what a symbolic t is.
    """
    return Equal(_numbers(left), _numbers(right), _named(label), calling_place())


def differs(left: Any, right: Any, label: Name = "") -> Differs:
    """At every size of the claim there are inputs for which the two sides differ."""
    return Differs(_numbers(left), _numbers(right), _named(label), calling_place())


def at_most(left: Any, right: Any, label: Name = "") -> AtMost:
    """left ≤ right in every entry; one side may be a single number. See `constructs.arrays.norms` for norms."""
    return AtMost(_numbers(left), _numbers(right), _named(label), calling_place())


def determines(
    statistic: Any, value: Any, *, shared: Sequence[str] = (), label: Any = ""
) -> Determines:
    """Some map sends `statistic` to `value` for all inputs that agree in the symbols named in `shared`."""
    return Determines(statistic, value, tuple(shared), _named(label), calling_place())


def undetermined(
    statistic: Any, value: Any, *, shared: Sequence[str] = (), label: Any = ""
) -> Undetermined:
    """No map sends `statistic` to `value` for all inputs that agree in the symbols named in `shared`."""
    return Undetermined(statistic, value, tuple(shared), _named(label), calling_place())


def approached(
    parts: Mapping[str, Callable[[], Part]],
    *,
    numbers: Sequence[str],
    data: Sequence[str],
    refutation: Callable[[Any], Any] | None = None,
    label: str = "",
) -> Approached:
    """Some parameters bring every part as near as is wanted to what is wanted, in every coefficient of the data."""
    return Approached(parts, tuple(numbers), tuple(data), refutation, _named(label))
