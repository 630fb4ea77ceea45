"""The modules that a program for torch imports, as far as they are known: torch, its parts, and einops."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

from jax import numpy as jnp

from . import derivatives, einops, entrywise, formats, making, modes, reductions, shapes, table
from .tensors import Tensor, entries, refuse

FILL_THE_TABLE = (entrywise, making, reductions, shapes)
"""The files of rules."""


class StandIn(ModuleType):
    """A module that refuses what it does not know by its name."""

    def __init__(self, name: str, **names: Any) -> None:
        super().__init__(name)
        vars(self).update(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"{self.__name__}.{name}", "write it with functions that docs/prove.md names")


class Functions(StandIn):
    """A part of torch with functions of the table."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return table.function(self.__name__, name)


class Plainly:
    """A context, and a decorator with or without arguments, that changes nothing that is computed."""

    def __call__(self, *given: Any, **_: Any) -> Any:
        return (
            given[0]
            if len(given) == 1 and callable(given[0]) and not isinstance(given[0], Plainly)
            else self
        )

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None


class Parameter(Tensor):
    """`nn.Parameter`: a tensor that a module finds under its name."""

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(entries(data), getattr(data, "_family", None))


class Module:
    """`nn.Module`: attributes, and a call that is `forward`."""

    training = True

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.forward(*given, **named)  # type: ignore[attr-defined]

    def parameters_by_name(self, prefix: str = "") -> dict[str, tuple[Any, str]]:
        """The module and attribute of each parameter, by its path."""
        found: dict[str, tuple[Any, str]] = {}
        for name, one in vars(self).items():
            if isinstance(one, Parameter):
                found[prefix + name] = self, name
            elif isinstance(one, Module):
                found |= one.parameters_by_name(f"{prefix}{name}.")
        return found

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Keep a tensor that is no parameter."""
        setattr(self, name, tensor)

    def register_parameter(self, name: str, param: Any) -> None:
        """Keep a parameter."""
        setattr(self, name, param)


class Linear(Module):
    """x Wᵀ + b."""

    def __init__(self, in_features: Any, out_features: Any, bias: bool = True, **_: Any) -> None:
        self.weight = Parameter(jnp.zeros((out_features, in_features), formats.default()))
        self.bias = Parameter(jnp.zeros((out_features,), formats.default())) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        """(…, in_features) -> (…, out_features)."""
        return entrywise.linear(input, self.weight, self.bias)


def math_of_sizes() -> StandIn:
    """`math`, whose functions take sizes."""
    names: dict[str, Any] = {n: getattr(math, n) for n in ("pi", "e", "inf", "nan")}
    for name in ("sqrt", "log", "exp", "sin", "cos", "tanh"):
        names[name] = _of_size(getattr(math, name), getattr(jnp, name))
    for name in ("ceil", "floor", "log2", "gcd", "isclose", "pow"):
        names[name] = _of_size(getattr(math, name), None)
    return StandIn("math", **names, prod=_product)


def _of_size(plain: Callable[..., Any], of_arrays: Callable[..., Any] | None) -> Callable[..., Any]:
    """A function of `math` that takes a size as well."""

    def run(*given: Any) -> Any:
        if all(isinstance(one, int | float) for one in given):
            return plain(*given)
        if of_arrays is None or len(given) != 1:
            raise refuse(f"math.{plain.__name__} of a size")
        (size,) = given
        return of_arrays(jnp.asarray(entries(size), float))

    return run


def _product(numbers: Any) -> Any:
    found: Any = 1
    for one in numbers:
        found = found * one
    return found


def modules() -> dict[str, ModuleType]:
    """The stand-ins by the names under which they are imported."""
    plainly = Plainly()
    functional = Functions("torch.nn.functional")
    nn = StandIn(
        "torch.nn", Module=Module, Parameter=Parameter, Linear=Linear, functional=functional
    )
    linalg = Functions("torch.linalg")
    func = StandIn("torch.func", grad=derivatives.differentiated)
    jit = StandIn("torch.jit", script=plainly, ignore=plainly)
    cuda = StandIn("torch.cuda")
    parts = {"nn": nn, "linalg": linalg, "func": func, "jit": jit, "cuda": cuda}
    named = {
        "no_grad": modes.recording(False),
        "enable_grad": modes.recording(True),
        "compile": plainly,
        "get_default_dtype": formats.of_nothing,
        "finfo": formats.limits,
        "dtype": formats.Dtype,
    }
    numbers = {"inf": math.inf, "pi": math.pi, "nan": math.nan, "e": math.e, "Tensor": Tensor}
    torch = Functions("torch", **{**formats.DTYPES, **named, **numbers, **parts})
    kit = StandIn(
        "einops",
        rearrange=einops.rearrange,
        repeat=einops.repeat,
        reduce=einops.reduce,
        einsum=einops.einsum,
    )
    every = (functional, nn, torch, linalg, func, jit, cuda, kit, math_of_sizes())
    return {one.__name__: one for one in every}
