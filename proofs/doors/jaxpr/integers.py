"""Powers and quotients of whole numbers, which are one equation here.

JAX writes powers out by the bits of the exponent, and quotients by the signs of both numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...language.libraries import jax as jax_for
from ...statement import choices, making
from ...statement.functions import outgrows, power
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ..infinities import Value
from ..refused import Refused
from .associative import expect_users_lines
from .lowering import Lowering
from .values import kind_of

POWER, QUOTIENT, REMAINDER = "_pow_int_int", "floor_divide", "remainder"
MODULE = "jax._src.numpy.ufuncs"


@contextmanager
def one_equation() -> Iterator[None]:
    """In the block `2 ** jnp.arange(n)` leaves one equation, that of a jitted function of JAX's name and program."""
    module, jax = sys.modules.get(MODULE), jax_for("a program")
    own, by_bits = (getattr(module, name, None) for name in ("_power", POWER))
    if own is None or by_bits is None:  # another version of JAX, which may have powers as they are
        yield
        return
    expect_users_lines()
    in_one = jax.jit(by_bits)

    def power_of(base: Any, exponent: Any) -> Any:
        if not all(jax.numpy.issubdtype(jax.numpy.result_type(x), int) for x in (base, exponent)):
            return own(base, exponent)
        given = jax.numpy.broadcast_arrays(base, exponent)
        formed = jax.numpy.result_type(*given)
        return in_one(*(x.astype(formed) for x in given))

    vars(module)["_power"] = power_of
    try:
        yield
    finally:
        vars(module)["_power"] = own


def lowered(at: Lowering, *values: Any, jaxpr: Any, name: str = "", **_: Any) -> Value | None:
    """What a jitted program of JAX's is in one equation; None of every other one."""
    if name not in LOWERED or len(values) != 2:
        return None
    found = LOWERED[name](at, *values)
    return found if found is not None and _is_jaxs(name, jaxpr) else None


def _power(at: Lowering, base: Value, exponent: Value) -> Value | None:
    """A power of an exponent that is seen not to be below 0."""
    place = making.entry_of(exponent.node)
    if place is None or not nonnegative(place, exponent.shape):
        return None
    if outgrows(base.real, exponent.real, int(np.iinfo(at.dtype()).max)):
        raise Refused("a power of a whole number that outgrows its format; write it as 2.0 ** k")
    return at.made(power(base.real, exponent.real, at.note))


def _quotient(at: Lowering, number: Value, by: Value) -> Value | None:
    """The row of places in which a place lies."""
    row = _row(at, number, by)
    return None if row is None else at.made(row)


def _remainder(at: Lowering, number: Value, by: Value) -> Value | None:
    """Where in its row a place lies."""
    row = _row(at, number, by)
    if row is None:
        return None
    return at.made(choices.subtract(number.node, choices.multiply(by.node, row)))


def _row(at: Lowering, number: Value, by: Value) -> Node | None:
    n = making.constant(by.node)
    known = making.entry_of(number.node) is not None and isinstance(n, int) and n > 0
    if not known or kind_of(at.dtype()) != "i":
        return None
    return choices.floored(choices.divide(number.node, by.node))


LOWERED = {POWER: _power, QUOTIENT: _quotient, REMAINDER: _remainder}


def _is_jaxs(name: str, closed: Any) -> bool:
    """Whether a program of this name is JAX's own."""
    own = getattr(sys.modules.get(MODULE), name, None)
    if own is None:
        return False
    jax, given = jax_for("a program"), [v.aval for v in closed.jaxpr.invars]
    with jax.enable_x64(given[0].dtype.itemsize == 8):
        return str(jax.make_jaxpr(getattr(own, "__wrapped__", own))(*given)) == str(closed)
