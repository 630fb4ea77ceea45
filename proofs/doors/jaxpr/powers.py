"""Whole powers of whole numbers: JAX writes them out by the bits of the exponent, and here they are one equation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...language.libraries import jax as jax_for
from ...statement import making
from ...statement.functions import outgrows, power
from ...statement.order import nonnegative
from ..infinities import Value
from ..refused import Refused
from .associative import expect_users_lines
from .lowering import Lowering

NAME = "_pow_int_int"
MODULE = "jax._src.numpy.ufuncs"


@contextmanager
def one_equation() -> Iterator[None]:
    """In the block `2 ** jnp.arange(n)` leaves one equation, that of a jitted function of JAX's name and program."""
    module, jax = sys.modules.get(MODULE), jax_for("a program")
    own, by_bits = (getattr(module, name, None) for name in ("_power", NAME))
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
    """The power that a jitted program is; None if it is none, or of an exponent that may be below 0."""
    if name != NAME or len(values) != 2:
        return None
    base, exponent = values
    place = making.entry_of(exponent.node)
    if place is None or not nonnegative(place, exponent.shape) or not _is_jaxs(jaxpr):
        return None
    if outgrows(base.real, exponent.real, int(np.iinfo(at.dtype()).max)):
        raise Refused("a power of a whole number that outgrows its format; write it as 2.0 ** k")
    return at.made(power(base.real, exponent.real, at.note))


def _is_jaxs(closed: Any) -> bool:
    """Whether a program of this name is JAX's own."""
    by_bits = getattr(sys.modules.get(MODULE), NAME, None)
    if by_bits is None:
        return False
    jax, given = jax_for("a program"), [v.aval for v in closed.jaxpr.invars]
    with jax.enable_x64(given[0].dtype.itemsize == 8):
        return str(jax.make_jaxpr(by_bits)(*given)) == str(closed)
