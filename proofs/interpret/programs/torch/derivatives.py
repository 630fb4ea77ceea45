"""`torch.func.grad`, by JAX's derivative of what the function was read as.

Where a function has a kink, JAX and torch have slopes of their own. A rule of the table either gives torch's (the tests
compare them at zeros, ties and bounds), or says that its slope is not read. What is left of primitives that JAX itself
differentiates must be smooth, or be among those on whose slopes the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.extend
from jax import numpy as jnp

from . import binding, modes
from .tensors import Family, Tensor, kind, refuse

SMOOTH = """add add_any sub mul div neg dot_general reduce_sum cumsum square integer_pow pow exp exp2 log
    log1p expm1 sqrt rsqrt sin cos tanh sinh cosh logistic erf erfc triangular_solve"""
MOVED = """broadcast_in_dim reshape transpose squeeze expand_dims slice dynamic_slice pad rev select_n
    dynamic_update_slice concatenate gather scatter scatter_add scatter-add copy copy_p split tile stack
    convert_element_type stop_gradient optimization_barrier iota"""
"""What takes each entry from one place or another."""
SHARED = "reduce_prod cumprod max min reduce_max reduce_min"
"""A factor's slope is the product of the others, also where one is 0; those that are the largest have equal parts."""
ALIKE = frozenset(f"{SMOOTH} {MOVED} {SHARED}".split())
"""Primitives of JAX whose slopes are torch's."""
HOLDING = "jit pjit closed_call core_call remat checkpoint scan while cond custom_vjp_call"
AROUND = frozenset(HOLDING.split())
"""Those that contain others."""
WHOLE = ("custom_jvp_call",)
"""JAX's own functions with a derivative that JAX gives them: smooth ones, compared with torch's in the tests."""


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """`torch.func.grad`."""
    if has_aux is not False:
        raise refuse("torch.func.grad with has_aux")
    several = isinstance(argnums, tuple)
    places = argnums if several else (argnums,)
    if not all(type(one) is int for one in places):
        raise refuse(f"torch.func.grad with argnums={argnums!r}")

    def gradient(*given: Any, **named: Any) -> Any:
        if not all(-len(given) <= one < len(given) for one in places):
            raise refuse(f"torch.func.grad with argnums={argnums!r} of {len(given)} arguments")
        at = [one % len(given) for one in places]
        arrays = [_array(given[k]) for k in at]

        def value(*arrays: Any) -> Any:
            again = list(given)
            for k, array in zip(at, arrays, strict=True):
                family = Family([given[k]._family])  # which torch lets nobody write
                again[k] = Tensor(array, family)
            found = func(*again, **named)
            if not isinstance(found, Tensor):
                raise refuse("torch.func.grad of a function that returns no tensor")
            return found.array

        with modes.derivative():  # once: it may write to tensors of others
            program = jax.make_jaxpr(value)(*arrays)
        expect_alike(program.jaxpr)
        found = jax.grad(
            lambda *arrays: jax.extend.core.jaxpr_as_fun(program)(*arrays)[0],
            argnums=tuple(range(len(arrays))),
        )(*arrays)
        slopes = tuple(map(Tensor, found))
        return slopes if several else slopes[0]

    return gradient


def _array(one: Any) -> Any:
    if not isinstance(one, Tensor) or kind(one.array) != "f":
        raise refuse("torch.func.grad at what is no tensor of real numbers")
    return one.array


def expect_alike(program: Any) -> None:
    """Refuse a primitive of real numbers of which it is not known that its slope is torch's."""
    for equation in program.eqns:
        name, inner = equation.primitive.name, list(_inner(equation.params))
        real = any(map(_is_real, equation.invars)) and any(map(_is_real, equation.outvars))
        if name in AROUND:
            for one in inner:
                expect_alike(one)
        elif (real or inner) and name not in ALIKE and name not in WHOLE:
            raise refuse(f"the derivative of {name}")


def _is_real(variable: Any) -> bool:
    return jnp.issubdtype(getattr(variable.aval, "dtype", jnp.int32), jnp.inexact)


def _inner(parameters: dict[str, Any]) -> Iterator[Any]:
    for value in parameters.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            found = getattr(one, "jaxpr", one)
            if hasattr(found, "eqns"):
                yield found


def differentiated(*given: Any, **named: Any) -> Callable[..., Any]:
    """`torch.func.grad`, called as torch has it."""
    values, _ = binding.bound("torch.func", "grad", given, named)
    return grad(values["input"], values["argnums"], values["has_aux"])
