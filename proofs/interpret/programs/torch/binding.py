"""A call of one of torch's functions, bound to its arguments by torch's own signatures.

A function written in Python is bound by its signature, and one of ATen by the first of its schemas that the arguments
fit, as torch's parser does: `x.var(False)` is `unbiased=False`, `x.max(0, True)` is `dim=0, keepdim=True`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import modes
from .formats import Device, Dtype
from .sequences import Appended
from .tensors import Place, Refused, Tensor, is_size, refuse

PLACES = {
    "torch": "",
    "torch.nn.functional": "",
    "torch.linalg": "linalg_",
    "torch.Tensor": "",
    "torch.func": "",
}
"""Where torch has functions, and what their names in ATen begin with."""
ALIASES = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names of arguments, which the parser takes as well."""
FORMAT_ALONE = ("float", "double", "half", "bfloat16", "long", "int", "short", "bool")
BY_HAND = {
    "to": (
        "to(Tensor self, Device? device=None, ScalarType? dtype=None, bool non_blocking=False, "
        "bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor",
        "to(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, *, "
        "MemoryFormat? memory_format=None) -> Tensor",
        "to(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, *, "
        "MemoryFormat? memory_format=None) -> Tensor",
    ),
    "tensor": (
        "tensor(Any data, *, ScalarType? dtype=None, Device? device=None, "
        "bool requires_grad=False, bool pin_memory=False) -> Tensor",
    ),
    "as_tensor": ("as_tensor(Any data, ScalarType? dtype=None, Device? device=None) -> Tensor",),
    "cpu": ("cpu(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",),
    "cuda": (
        "cuda(Tensor self, Device? device=None, bool non_blocking=False, *, "
        "MemoryFormat? memory_format=None) -> Tensor",
    ),
    "type_as": ("type_as(Tensor self, Tensor other) -> Tensor",),
    "size": ("size(Tensor self, int? dim=None) -> int",),
    "ndimension": ("ndimension(Tensor self) -> int",),
    **{
        name: (f"{name}(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",)
        for name in FORMAT_ALONE
    },
}
"""What torch's parser takes where ATen has no such schema: its source writes these down by hand."""
_NOTHING = inspect.Parameter.empty


class Argument(NamedTuple):
    """An argument of an overload."""

    name: str
    kind: str
    """Its type, as TorchScript writes it; "" for any."""
    lengths: int | None
    """The length of a list, for which one number may stand."""
    keyword: bool
    default: Any


class Bound(NamedTuple):
    """The arguments of one call by their names, and which of them are not their defaults."""

    values: dict[str, Any]
    changed: tuple[str, ...]


def real(place: str, name: str) -> Any:
    """Torch's own function of this name.

    Raises:
        Unreadable: if there is none.
    """
    found: Any = importlib.import_module("torch")
    for part in (*place.split(".")[1:], name):
        found = getattr(found, part, None)
        if found is None:
            raise refuse(f"{place}.{name}", "torch has no such function")
    return found


def bound(place: str, name: str, given: Sequence[Any], named: dict[str, Any]) -> Bound:
    """The arguments of a call of `place.name`, where a method's tensor is the first of them.

    Raises:
        Unreadable: if torch takes no such arguments, or they fit two overloads in two ways.
    """
    function = real(place, name)
    if inspect.isfunction(function) and "__wrapped__" not in vars(function):
        return _by_signature(name, inspect.signature(function), given, named)
    overloads = _overloads(PLACES[place] + name, _aten_name(function))
    method = place == "torch.Tensor"
    fitting = [
        one for o in overloads if (one := _fitted(o, given, named, method)) is not None
    ] or [  # x.permute(1, 0)
        one
        for o in overloads
        if (listed := _listed(o, given, method)) is not None
        and (one := _fitted(o, listed, named, method)) is not None
    ]
    if not fitting:
        kinds = [_said(one) for one in given] + [f"{k}={_said(v)}" for k, v in named.items()]
        raise refuse(
            f"{name} with the arguments ({', '.join(kinds)})", "torch has no such overload of it"
        )
    first, *others = fitting
    if any(_changes(one) != _changes(first) for one in others):
        raise refuse(f"{name} with arguments that fit two overloads")
    return first


def _changes(one: Bound) -> dict[str, Any]:
    found = {name: one.values[name] for name in one.changed}
    return {k: id(v) if isinstance(v, Tensor) else v for k, v in found.items() if v is not None}


def _by_signature(
    name: str, signature: inspect.Signature, given: Sequence[Any], named: dict[str, Any]
) -> Bound:
    try:
        found = signature.bind(*given, **named)
    except TypeError as error:
        raise refuse(f"{name} with these arguments ({error})") from None
    found.apply_defaults()
    values = dict(found.arguments)
    parameters = signature.parameters
    changed = [n for n, v in values.items() if not _is_default(v, parameters[n].default)]
    first = next(iter(parameters))
    if parameters[first].kind is inspect.Parameter.VAR_POSITIONAL:
        return Bound({"": values.pop(first), **values}, ("", *(n for n in changed if n != first)))
    return _with_input(values, changed, first)


def _with_input(values: dict[str, Any], changed: Sequence[str], first: str) -> Bound:
    """The first argument under the name `input`, however the signature calls it."""
    renamed = {("input" if n == first else n): v for n, v in values.items()}
    return Bound(renamed, tuple("input" if n == first else n for n in changed))


def _is_default(value: Any, default: Any) -> bool:
    if default is _NOTHING:
        return False
    if value is default:
        return True
    plain = bool | int | float | str | tuple | list
    return type(value) is type(default) and isinstance(value, plain) and value == default


def _aten_name(function: Callable[..., Any]) -> str | None:
    """The name of a function's schemas where it is not that of the function."""
    builtins = importlib.import_module("torch.jit._builtins")
    found = builtins._find_builtin(function)
    return None if found is None else found.partition("::")[2]


@functools.cache
def _overloads(name: str, other: str | None) -> list[list[Argument]]:
    torch = importlib.import_module("torch")
    if name in BY_HAND:
        schemas = [torch._C.parse_schema(one) for one in BY_HAND[name]]
    else:
        schemas = [one for n in dict.fromkeys((other, name)) if n for one in _schemas(torch, n)]
    return [_arguments(one) for one in schemas]


@functools.cache
def _dispatched() -> frozenset[str]:
    return frozenset(importlib.import_module("torch")._C._dispatch_get_all_op_names())


def _schemas(torch: Any, name: str) -> list[Any]:
    """Those of operators of tensors; TorchScript's own, of numbers, are left out, and those that write to `out`."""
    found = []
    for one in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        full = f"{one.name}.{one.overload_name}" if one.overload_name else one.name
        writes = any(a.kwarg_only and a.alias_info is not None for a in one.arguments)
        if full in _dispatched() and not writes:
            found.append(one)
    return found


def _arguments(schema: Any) -> list[Argument]:
    found = [
        Argument(
            "input" if one.name == "self" else one.name,
            str(one.real_type),
            one.N,
            one.kwarg_only,
            one.default_value if one.has_default_value() else _NOTHING,
        )
        for one in schema.arguments
    ]
    names = {one.name for one in found}
    if {"dtype", "layout", "pin_memory"} <= names:  # torch's parser adds it where it makes tensors
        found.append(Argument("requires_grad", "bool", None, True, False))
    return found


def _fitted(
    overload: list[Argument], given: Sequence[Any], named: dict[str, Any], method: bool
) -> Bound | None:
    """The arguments bound to an overload; None if they do not fit it."""
    places = _places(overload, method)
    if len(given) > len(places):
        return None
    found = {one.name: value for one, value in zip(places, given, strict=False)}
    names = {one.name for one in overload}
    for key, value in named.items():
        key = key if key in names else ALIASES.get(key, key)
        if key == "self" and "input" in names:
            return None
        if key not in names or key in found:
            return None
        found[key] = value
    changed = []
    for one in overload:
        if one.name not in found:
            if one.default is _NOTHING:
                return None
            found[one.name] = one.default
        elif not fits(found[one.name], one.kind, one.lengths):
            return None
        elif not _is_default(found[one.name], one.default):
            changed.append(one.name)
    return Bound(found, tuple(changed))


def _places(overload: list[Argument], method: bool) -> list[Argument]:
    """The arguments that need no name; a method's tensor is the first of them, as in x.where(condition, other)."""
    places = [one for one in overload if not one.keyword]
    return sorted(places, key=lambda one: one.name != "input") if method else places


def _listed(overload: list[Argument], given: Sequence[Any], method: bool) -> Sequence[Any] | None:
    """The arguments with numbers as the list that is all that the overload takes; None if it takes something else."""
    places = _places(overload, method)[int(method) :]
    if len(places) != 1 or places[0].kind != "List[int]":
        return None
    return (*given[: int(method)], tuple(given[int(method) :]))


def fits(value: Any, kind: str, lengths: int | None = None) -> bool:
    """Whether torch's parser takes a value for an argument of a type."""
    if isinstance(value, Refused):
        value._used()
    if kind.startswith("Optional["):
        return value is None or fits(value, kind[9:-1], lengths)
    if kind == "List[int]" and lengths is not None and fits(value, "int"):
        return True
    if kind.startswith("List["):
        if not isinstance(value, list | tuple):
            return False
        if isinstance(value, Appended) and value.rows is not None:
            return kind == "List[Tensor]"
        return all(fits(one, kind[5:-1]) for one in _plainly(value))
    return FITTING[kind](value) if kind in FITTING else False


def _plainly(value: Any) -> Any:
    """The items of a list that no loop over a size has appended to."""
    return list.__iter__(value) if isinstance(value, list) else value


def _is_scalar(value: Any) -> bool:
    if isinstance(value, Tensor):  # whose number torch takes
        return value.array.ndim == 0 and not modes.differentiating()
    return isinstance(value, bool | int | float | Place) or is_size(value) or _is_number(value)


def _is_number(value: Any) -> bool:
    """Whether it is a real number that depends on a size, such as its root."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and value.shape == ()


FITTING: dict[str, Callable[[Any], bool]] = {
    "Any": lambda value: True,
    "Tensor": lambda value: isinstance(value, Tensor),
    "number": _is_scalar,
    "int": lambda value: is_size(value) or isinstance(value, Place),
    "SymInt": lambda value: is_size(value) or isinstance(value, Place),
    "float": lambda value: _is_scalar(value) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "ScalarType": lambda value: isinstance(value, Dtype) or value in (bool, int, float),
    "Device": lambda value: isinstance(value, str | Device),
}
"""By TorchScript's name of the type."""


def _said(value: Any) -> str:
    if isinstance(value, Tensor):
        return "a tensor"
    return (
        f"{value!r}" if isinstance(value, bool | int | float | str | None) else type(value).__name__
    )
