"""The table of what torch's functions and methods compute, each a rule in JAX, and how a call reaches its rule.

A call is bound by torch's own signature (`binding`). An argument that is not its default must be one that the rule
takes: what is left of it is refused by its name. So no rule can drop an argument that it does not know.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from . import binding, formats, modes
from .tensors import Tensor, refuse

RULES: dict[str, Callable[..., Any]] = {}
"""By the function's name, that of torch.linalg.norm being linalg_norm: from torch's arguments to tensors."""
OWN_FORMAT = set[str]()
"""Those whose result has a format of its own, not that which torch promotes the operands to."""
NOT_DIFFERENTIATED: dict[str, str] = {}
"""Those whose slopes are not read as torch's, with what to use instead."""
PROPERTIES: dict[str, Callable[[Tensor], Any]] = {}
"""Attributes of tensors."""
WHERE = ("layout", "pin_memory", "memory_format", "non_blocking")
"""Arguments that say where in memory numbers lie."""


def known(
    *names: str, own_format: bool = False, slopes: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a rule in the table.

    Args:
        names: of the functions that it is for. Its arguments have torch's names, the first of them being `input`.
        own_format: whether it gives its result the format that torch does.
        slopes: what to use instead where it is differentiated, if its derivative is not torch's.
    """

    def put(rule: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            RULES[name] = rule
            if own_format:
                OWN_FORMAT.add(name)
            if slopes is not None:
                NOT_DIFFERENTIATED[name] = slopes
        return rule

    return put


def function(place: str, name: str) -> Callable[..., Any]:
    """`torch.sum`, or another function of one of `binding.PLACES`.

    Raises:
        Unreadable: if torch has none, or there is no rule for it.
    """
    key = binding.PLACES[place] + name
    if key not in RULES:
        raise refuse(f"{place}.{name}", "write it with functions that docs/prove.md names")
    binding.real(place, name)
    return functools.partial(call, place, name, RULES[key])


def method(tensor: Tensor, name: str) -> Any:
    """`tensor.name`.

    Raises:
        Unreadable: if there is no rule for it.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    if name in PROPERTIES:
        return PROPERTIES[name](tensor)
    if name in RULES:
        binding.real("torch.Tensor", name)
        return functools.partial(call, "torch.Tensor", name, RULES[name], tensor)
    plain = name[:-1]
    if name.endswith("_") and plain in RULES:
        binding.real("torch.Tensor", name)
        rule = RULES[plain]
        return lambda *given, **named: tensor._write(
            call("torch.Tensor", name, rule, tensor, *given, **named).array
        )
    raise refuse(f"Tensor.{name}", "write it with functions that docs/prove.md names")


def call(place: str, name: str, rule: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a rule gives for these arguments of `place.name`.

    Raises:
        Unreadable: if torch does not take them, or the rule does not.
    """
    if name in NOT_DIFFERENTIATED and modes.differentiating():
        raise refuse(f"the derivative of {name}", NOT_DIFFERENTIATED[name])
    values, changed = binding.bound(place, name, given, named)
    wanted = _parameters(rule)
    for one in changed:
        if one == "device":
            _expect_a_device(values[one])
        elif one not in wanted and one != "" and one not in WHERE:
            raise refuse(f"{name} with {one}={_said(values[one])}")
    taken = {n: v for n, v in values.items() if n in wanted}
    found = rule(*values.get("", ()), **taken)
    if name in OWN_FORMAT or values.get("dtype") is not None:
        return found
    return formats.settled(found, list(values.values()))


@functools.cache
def _parameters(rule: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(rule).parameters)


def _expect_a_device(device: Any) -> None:
    name = device if isinstance(device, str) else "cpu"
    if device is not None and not name.startswith(("cpu", "cuda")):
        raise refuse(f"the device {device!r}")


def _said(value: Any) -> str:
    plain: Sequence[type] = (bool, int, float, str, tuple, type(None))
    return repr(value) if type(value) in plain else f"a {type(value).__name__}"


Tensor.__getattr__ = method  # type: ignore[attr-defined]
