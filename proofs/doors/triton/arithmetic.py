"""Rules of operations entry by entry: of whole numbers, of truths, and of real numbers, whose formats say nothing."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable
from typing import Any

from ...statement import choices, making
from .. import infinities
from ..infinities import Value
from .table import rule
from .text import Operation
from .values import Any_, Flags, Ints, Pointer, Reals

WIDTHS = {"f32": ("<f", "<I"), "f64": ("<d", "<Q"), "f16": ("<e", "<H")}
"""How numbers that are written as bits are packed."""
NUMBER = re.compile(r"(?:dense<)?(true|false|0x[0-9A-Fa-f]+|-?[\d.]+(?:[eE][+-]?\d+)?)>?")
LEAST, GREATEST = -(2**31), 2**31 - 1
WRONG = "an operand of a kind that its rule does not have"


@rule("arith.constant")
def _constant(at: Any, one: Operation) -> Any_:
    text = one.text.removeprefix("{").strip()
    seen = NUMBER.match(text)
    if seen is None:
        raise at.refuse(f"a constant that is not read: {text[:40]}")
    kind = one.type if " : " in one.text else None
    word = seen[1]
    if word in ("true", "false"):
        shape = () if kind is None else kind.shape
        return Flags(frozenset() if word == "true" else frozenset({-1}), shape)
    if kind is None:
        raise at.refuse("a constant without a type")
    if kind.entry.startswith("i"):
        number = int(word, 0)
        bits = int(kind.entry[1:])
        if word.startswith("0x") and number >= 2 ** (bits - 1):
            number -= 2**bits
        return (
            Flags(frozenset() if number else frozenset({-1}), kind.shape)
            if bits == 1
            else Ints(number, kind.shape)
        )
    value = _float(word, kind.entry)
    if value is None or math.isnan(value):
        raise at.refuse(f"the constant {word} of the format {kind.entry}")
    if math.isinf(value):
        return Reals(infinities.nothing_but(value, kind.shape, "float"))
    return Reals(Value(making.full(at.literal(value, kind.entry), kind.shape), "float"))


def _float(word: str, form: str) -> float | None:
    if not word.startswith("0x"):
        return float(word)
    bits = int(word, 16)
    if form == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if form not in WIDTHS:
        return None
    number, whole = WIDTHS[form]
    return struct.unpack(number, struct.pack(whole, bits))[0]


# Whole numbers.


def _of_ints(name: str, function: Callable[[Any, Any], Any], word: str) -> None:
    def made(at: Any, one: Operation, a: Any, b: Any) -> Any_:
        if isinstance(a, Flags):
            raise at.refuse(f"{word} of truths")
        a, b = at.ints(a), at.ints(b)
        return at.fitting(Ints(function(a.number, b.number), a.shape), one.type)

    rule(name)(made)


_of_ints("arith.addi", operator.add, "a sum")
_of_ints("arith.subi", operator.sub, "a difference")
_of_ints("arith.muli", operator.mul, "a product")


@rule("arith.divsi", "arith.remsi", "arith.divui", "arith.remui", "arith.floordivsi")
def _quotient(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    a, b = at.ints(a), at.ints(b)
    is_rest = "rem" in one.name
    if not at.known.nonnegative(a.number, a.shape):
        raise at.refuse(f"{at.said(a.number)} may be below 0, where it is divided")
    if not at.known.nonnegative(b.number - 1, b.shape):
        raise at.refuse(f"{at.said(b.number)} may be below 1, by which is divided")
    pair = at.known.divided(a.number, b.number, a.shape)
    if pair is not None:
        return Ints(pair[int(is_rest)], a.shape)
    if not isinstance(b.number, int) or not at.is_of_sizes(a.number):
        raise at.refuse(f"the quotient of {at.said(a.number)} by {at.said(b.number)} is not seen")
    quotient = at.known.quotient(a.number, b.number)
    return Ints(a.number - quotient * b.number if is_rest else quotient, a.shape)


@rule("arith.maxsi", "arith.minsi")
def _extreme(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    a, b = at.ints(a), at.ints(b)
    gap = a.number - b.number
    is_first = at.known.nonnegative(gap, a.shape)
    if not is_first and not at.known.nonnegative(-gap, a.shape):
        raise at.decided(gap, f"which of {at.said(a.number)} and {at.said(b.number)} is greater")
    return a if is_first == (one.name == "arith.maxsi") else b


@rule("arith.extsi", "arith.trunci", "arith.index_cast")
def _other_width(at: Any, one: Operation, a: Any) -> Any_:
    if isinstance(a, Flags):
        raise at.refuse("a truth as a number")
    return at.fitting(at.ints(a), one.type)


@rule("arith.extui")
def _unsigned(at: Any, one: Operation, a: Any) -> Any_:
    if isinstance(a, Flags):
        return Reals(Value(a.node, "float"))
    _expect_unsigned(at, at.ints(a))
    return a


def _expect_unsigned(at: Any, a: Ints) -> None:
    if not at.known.nonnegative(a.number, a.shape):
        raise at.refuse(f"{at.said(a.number)} may be below 0, as an unsigned number")


# Truths.


@rule("arith.cmpi")
def _compared(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    word = one.text.partition(",")[0].strip()
    if isinstance(a, Flags):
        if word not in ("eq", "ne"):
            raise at.refuse("an order of truths")
        unlike = choices.unlike(a.node, b.node)
        mask = unlike if word == "ne" else choices.inverse(unlike)
        return Flags(frozenset(), a.shape, mask)
    a, b = at.ints(a), at.ints(b)
    gap = a.number - b.number
    if word.startswith("u"):
        if not all(at.known.nonnegative(n.number, n.shape) for n in (a, b)):
            raise at.refuse("an unsigned comparison of numbers that may be below 0")
        word = f"s{word[1:]}"
    guards = {
        "sge": {gap},
        "sgt": {gap - 1},
        "sle": {-gap},
        "slt": {-gap - 1},
        "eq": {gap, -gap},
        "ne": {gap, -gap},
    }
    found = Flags(frozenset(guards[word]), a.shape)
    return negated(at, found) if word == "ne" else at.settled(found)


def negated(at: Any, a: Flags) -> Flags:
    """Where it is not true."""
    a = at.settled(a)
    if a.mask is None and len(a.guards) == 1:
        return at.settled(Flags(frozenset(-g - 1 for g in a.guards), a.shape))
    if a.mask is None and not a.guards:
        return Flags(frozenset({-1}), a.shape)
    return Flags(frozenset(), a.shape, choices.inverse(a.node))


@rule("arith.andi")
def _both(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    a, b = at.flags(a), at.flags(b)
    masks = [one.mask for one in (a, b) if one.mask is not None]
    mask = choices.both(*masks) if len(masks) == 2 else next(iter(masks), None)
    return at.settled(Flags(a.guards | b.guards, a.shape, mask))


@rule("arith.ori")
def _either(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    a, b = at.flags(a), at.flags(b)
    for side, other in ((a, b), (b, a)):
        if not side.guards and side.mask is None:
            return side
        if side.guards == frozenset({-1}):
            return other
    return Flags(frozenset(), a.shape, choices.either(a.node, b.node))


@rule("arith.xori")
def _unlike(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    a, b = at.flags(a), at.flags(b)
    if not b.guards and b.mask is None:
        return negated(at, a)
    return Flags(frozenset(), a.shape, choices.unlike(a.node, b.node))


ORDERS = {"gt": "gt", "ge": "ge", "lt": "lt", "le": "le", "eq": "eq", "ne": "ne"}


@rule("arith.cmpf")
def _compared_reals(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    word = one.text.partition(",")[0].strip()
    if word[1:] not in ORDERS:
        raise at.refuse(f"the comparison {word}")
    a, b = at.reals(a), at.reals(b)
    at.expect_known(a, "a comparison")
    at.expect_known(b, "a comparison")
    return Flags(frozenset(), a.shape, infinities.compared(word[1:], a.value, b.value))


@rule("arith.select")
def _selected(at: Any, one: Operation, where: Any, a: Any, b: Any) -> Any_:
    where = at.flags(where)
    if where.mask is None and not where.guards:
        return a
    if where.guards == frozenset({-1}):
        return b
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        raise at.refuse("a place in memory that is one of two")
    if isinstance(a, Ints) and isinstance(b, Ints) and a.number == b.number:
        return a
    if isinstance(a, Flags) and isinstance(b, Flags):
        found = choices.select(at.spread(where, a.shape).node, a.node, b.node)
        return Flags(frozenset(), a.shape, found)
    a, b = at.reals(a), at.reals(b)
    here = at.spread(where, a.shape)
    value = infinities.select(here.node, a.value, b.value)
    other = negated(at, here)
    kept = {g for g in a.known if not at.known.nonnegative(g, a.shape, here.guards)}
    kept |= {g for g in b.known if not at.known.nonnegative(g, a.shape, other.guards)}
    return Reals(value, frozenset(kept))


# Real numbers.


def _of_two(names: tuple[str, ...], function: Callable[..., Value]) -> None:
    def made(at: Any, one: Operation, a: Any, b: Any) -> Any_:
        a, b = at.reals(a), at.reals(b)
        return Reals(function("float", a.value, b.value), a.known | b.known)

    rule(*names)(made)


_of_two(("arith.addf",), infinities.total)
_of_two(("arith.subf",), infinities.difference)
_of_two(("arith.mulf",), infinities.product)
_of_two(("arith.divf", "tt.precise_divf"), infinities.quotient)
_of_two(("arith.maxnumf", "arith.maximumf"), infinities.greater_of)
_of_two(("arith.minnumf", "arith.minimumf"), infinities.smaller_of)


def _of_one(names: tuple[str, ...], function: Callable[..., Value]) -> None:
    def made(at: Any, one: Operation, a: Any) -> Any_:
        a = at.reals(a)
        return Reals(function("float", a.value), a.known)

    rule(*names)(made)


_of_one(("arith.negf",), infinities.negated)
for _name, _function in {
    **{n: n for n in ("exp", "exp2", "log", "log2", "log1p", "expm1", "sqrt", "rsqrt")},
    **{n: n for n in ("sin", "cos", "tanh", "erf", "floor", "ceil")},
    "absf": "abs",
}.items():
    _of_one((f"math.{_name}",), lambda dtype, a, f=_function: infinities.of_real(f, dtype, a))
_of_one(("tt.precise_sqrt",), lambda dtype, a: infinities.of_real("sqrt", dtype, a))


@rule("math.fma")
def _multiplied_and_added(at: Any, one: Operation, a: Any, b: Any, c: Any) -> Any_:
    a, b, c = (at.reals(v) for v in (a, b, c))
    product = infinities.product("float", a.value, b.value)
    return Reals(infinities.total("float", product, c.value), a.known | b.known | c.known)


@rule("arith.extf", "arith.truncf", "tt.fp_to_fp")
def _other_format(at: Any, one: Operation, a: Any) -> Any_:
    return at.reals(a)


@rule("arith.sitofp", "arith.uitofp")
def _as_real(at: Any, one: Operation, a: Any) -> Any_:
    if isinstance(a, Flags):
        sign = -1 if one.name == "arith.sitofp" else 1
        return Reals(Value(choices.multiply(making.number(sign), a.node), "float"))
    if one.name == "arith.uitofp":
        _expect_unsigned(at, at.ints(a))
    return at.reals(a)
