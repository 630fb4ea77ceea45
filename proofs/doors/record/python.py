"""What stays Python: predicates on numbers, and claims about limits. Its text, with all that it refers to, is hashed.

A function's text alone does not say what it does: so does what its names stand for, in closures, defaults and modules.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ...language.claim import Claim

PLAIN = (int, float, complex, str, bytes, bool, type(None), Fraction)
"""Values that are known by their text."""
OURS = ("scanproof.proofs.claims", "scanproof.constructs", "scanproof.numeric.claims")
"""Modules of this package that say what claims mean; what the others do is known by the package's version."""
LIBRARIES = ("scanproof", "numpy", "jax", "torch", "sympy", "flint", "builtins")


def as_python(claim: Claim) -> str:
    """A claim as text: its shapes, sizes and options, and every function that it runs."""
    fields = {
        **{f"symbol {name}": shape for name, shape in claim.given.items()},
        **{f"size {name} ≥": min(values) for name, values in claim.ranges.items()},
        **{f"option {name}": _value(value) for name, value in sorted(claim.options.items())},
        "corrections": ", ".join(claim.corrections),
    }
    lines = [f"{name} {value}" for name, value in fields.items() if value != ""]
    lines += [f"if {text}" for text in claim.assuming]
    return "\n".join([*lines, written_out(claim.functions)]) + "\n"


def written_out(functions: Iterable[Callable[..., Any]]) -> str:
    """The text of functions, and of what they refer to, each once, in the order in which it is first named."""
    texts: dict[int, str] = {}
    waiting: list[Any] = list(functions)
    kept = []
    while waiting:
        one = waiting.pop(0)
        if id(one) in texts:
            continue
        kept.append(one)  # so that no other object gets its number
        texts[id(one)] = _text(one)
        waiting += [value for _, value in _named(one) if _is_function(value)]
    return "\n".join(texts.values())


def _text(one: Any) -> str:
    """A function's text, and the values of its names that are no functions."""
    values = [f"# {name} = {_value(v)}" for name, v in _named(one) if not _is_function(v)]
    return "\n".join([_source(one), *values])


def _source(one: Any) -> str:
    function = getattr(one, "__func__", one)
    function = inspect.unwrap(function) if callable(function) else function
    try:
        return textwrap.dedent(inspect.getsource(function)).strip()
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        if code is None:
            return _value(one)
        return f"{code.co_code.hex()} {_constants(code)} {code.co_names}"


def _constants(code: CodeType) -> str:
    inside = [_constants(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"({', '.join(inside)})"


def _named(one: Any) -> Iterator[tuple[str, Any]]:
    """What the names in a function stand for, and what else it is made of."""
    if isinstance(one, MethodType):
        yield from (("self", one.__self__), ("function", one.__func__))
    if isinstance(one, partial):
        yield from [("function", one.func), *((str(k), a) for k, a in enumerate(one.args))]
        yield from one.keywords.items()
    if isinstance(one, type):
        yield from (("base", base) for base in one.__bases__)
        for value in vars(one).values():
            yield from _named(value)
    if not isinstance(one, FunctionType):
        return
    cells = zip(one.__code__.co_freevars, one.__closure__ or (), strict=True)
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:  # it is not filled yet
            yield name, None
    yield from ((f"default {k}", value) for k, value in enumerate(one.__defaults__ or ()))
    yield from (one.__kwdefaults__ or {}).items()
    names = dict.fromkeys(names_in(one.__code__))
    for name in names:
        value = one.__globals__.get(name, None)
        if name in one.__globals__:
            yield name, value
        if isinstance(value, ModuleType):  # whose attributes are names of the code, too
            yield from ((f"{name}.{n}", vars(value)[n]) for n in names if n in vars(value))
    if hasattr(one, "__wrapped__"):
        yield "wrapped", one.__wrapped__


def names_in(code: CodeType) -> Iterator[str]:
    """The names that code, and the code inside it, looks up."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from names_in(one)


def _is_function(value: Any) -> bool:
    """Whether a value has a text that says what it does, and is not known by the version of its package."""
    if not isinstance(value, FunctionType | MethodType | partial | type):
        return False
    module = str(getattr(value, "__module__", None) or "")
    return module.startswith(OURS) or module.partition(".")[0] not in LIBRARIES


def _value(value: Any) -> str:
    """A value as text: the same in each run."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(_value, value))})"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(map(_value, value)))})"
    if isinstance(value, dict):
        pairs = (f"{_value(k)}: {_value(v)}" for k, v in value.items())
        return f"dict({', '.join(pairs)})"
    if callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__name__)}"
    held = getattr(value, "__dict__", {})
    inside = ", ".join(f"{k}={_value(v)}" for k, v in held.items()) if len(held) < 30 else ""
    return f"{type(value).__module__}.{type(value).__qualname__}({inside})"
