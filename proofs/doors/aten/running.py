"""Which functions of the user's run where a function is run: their loops are those that may be over sizes."""

from __future__ import annotations

import gc
import importlib.metadata
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from .refusal import beside


def _below_torch() -> list[str]:
    """The packages that PyTorch is made with, whose code is none of a user's; einops runs as it is."""
    required = importlib.metadata.requires("torch") or []
    names = [re.split(r"[^\w-]", one)[0].replace("-", "_") for one in required]
    return [*names, "numpy", "mpmath", "einops", "torchgen", "markupsafe"]


class Looking:
    """Whether it is only looked which code runs: launches of kernels may leave out the kernel, and say so."""

    is_on = False
    skipped = False


def codes_run(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[Any, dict[CodeType, dict[str, Any]]]:
    """What a function returns, and the code that ran, with its globals; not that of libraries below."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = (*beside(), sysconfig.get_path("stdlib") + os.sep, ours, "<frozen")
    packages = tuple(os.sep + name + os.sep for name in _below_torch())
    kernels = tuple(one + os.sep for one in getattr(sys.modules.get("triton"), "__path__", ()))
    found: dict[CodeType, dict[str, Any]] = {}
    skipped: set[CodeType] = set()
    importing = 0

    def seen(frame: Any, event: str, argument: Any) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "_find_and_load":
            importing += {"call": 1, "return": -1}.get(event, 0)
        if event != "call" or importing or code in found or code in skipped:
            return
        file = code.co_filename
        library = file.startswith(folders) and "site-packages" not in file.removeprefix(folders[0])
        if library or file.startswith((folders[0], *kernels)) or any(p in file for p in packages):
            skipped.add(code)
        else:
            found[code] = frame.f_globals

    before = sys.getprofile()
    sys.setprofile(seen)
    Looking.is_on, Looking.skipped = True, False
    try:
        result = function(*arguments)
    finally:
        Looking.is_on = False
        sys.setprofile(before if callable(before) else None)
    return result, found


def functions_of(
    codes: dict[CodeType, dict[str, Any]], known: Sequence[FunctionType]
) -> list[FunctionType]:
    """The functions with this code, or in which functions with it are defined; `codes` has the code's globals."""
    found = {one.__code__: one for one in known}
    for code, names in codes.items():
        if not any(_holds(own, code) for own in found):
            outer = _named_function(code, names) or _holding(code)
            if outer is not None:
                found.setdefault(outer.__code__, outer)
    return list(found.values())


def _holds(outer: CodeType, code: CodeType) -> bool:
    """Whether code is another's, or that of a function inside it."""
    inner = (one for one in outer.co_consts if isinstance(one, CodeType))
    return outer is code or any(_holds(one, code) for one in inner)


def _named_function(code: CodeType, names: dict[str, Any]) -> FunctionType | None:
    """The function that a module has under the code's name, with what it decorates."""
    one: Any = None
    for k, part in enumerate(code.co_qualname.split(".")):
        if part == "<locals>":
            break
        one = (
            names.get(part) if not k else vars(one).get(part) if hasattr(one, "__dict__") else None
        )
    while one is not None:
        one = getattr(one, "__func__", getattr(one, "fget", one))
        if isinstance(one, FunctionType) and _holds(one.__code__, code):
            return one
        one = getattr(one, "__wrapped__", None)
    return None


def _holding(code: CodeType) -> FunctionType | None:
    """A function with this code that has no such name, as one that a function made."""
    waiting: list[Any] = [code]
    done: set[int] = set()
    while waiting:
        for holder in gc.get_referrers(waiting.pop()):
            if isinstance(holder, FunctionType) and _holds(holder.__code__, code):
                return holder
            if isinstance(holder, tuple | CodeType) and id(holder) not in done:
                done.add(id(holder))
                waiting.append(holder)
    return None
