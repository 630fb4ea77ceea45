"""What the mutable objects that a turn may reach hold: a change that no state of the loop follows is refused.

A turn of a loop over a size is traced once, and stands for all. It does so if it leaves everything that the next turn
may read as it was, but for what the loop follows: names, tensors and lists to which it appends. What it may read lies
in the values of names, cells of closures, globals of the user's modules, containers, attributes and iterators.
"""

from __future__ import annotations

import functools
import gc
import itertools
import operator
import random
import sys
import types
import warnings
from array import array
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from .growing import Growing
from .items import UNBOUND
from .rewriting import PREFIX

MOST = 100_000
"""The most values that are compared."""
LIBRARIES = frozenset(
    [
        *sys.stdlib_module_names,
        *(
            "torch",
            "functorch",
            "torchgen",
            "jax",
            "jaxlib",
            "numpy",
            "scanproof",
            "einops",
            "triton",
        ),
        *("ml_dtypes", "mpmath", "opt_einsum", "scipy", "sympy"),
    ]
) - {"__main__"}
"""Packages whose functions and objects keep nothing that a user's loop reads, but caches."""
PLAIN = (int, str, bytes, float, complex, type(None))
Part = tuple[str, Any]
"""How the user would spell a value, and the value."""


class Kept:
    """What a turn may reach, before it.

    Args:
        roots: the body of the loop and the values of its names, by names.
        followed: tensors whose writes the loop follows.
        growing: lists to which a turn may append.
    """

    def __init__(
        self, roots: Mapping[str, Any], followed: Iterable[Any] = (), growing: Iterable[Any] = ()
    ) -> None:
        self._held: list[tuple[str, Any, list[Part]]] = []
        self._growing = {id(one) for one in growing}
        followed = list(followed)
        done = {id(one) for one in followed}
        waiting = deque(roots.items())
        count = 0
        self._random = random.getstate()
        self._roots = followed, roots  # whose identities no other objects may get
        while waiting and count <= MOST:
            path, value = waiting.popleft()
            if isinstance(value, PLAIN) or id(value) in done:
                continue
            done.add(id(value))
            parts = _parts(path, value)
            count += 1 + len(parts)
            self._held.append((path, value, parts))
            waiting.extend(parts)
        self._is_whole = count <= MOST

    def values(self) -> list[Any]:
        """All that a turn may reach, but for what the loop follows."""
        return [value for _, value, _ in self._held]

    def change(self, where: str) -> str:
        """What the turn has changed, in a sentence; "" for nothing.

        Args:
            where: the loop's line.
        """
        if not self._is_whole:
            return f"a turn{where} reaches more than {MOST:,} values, too many to be compared"
        path = next(self._changes(), "")
        return path and f"a turn changes {path}{where}, which is not followed"

    def _changes(self) -> Iterator[str]:
        if random.getstate() != self._random:
            yield "the state of Python's random numbers"
        for path, value, before in self._held:
            after = _parts(path, value)
            if len(after) > len(before) and id(value) in self._growing:
                after = after[: len(before)]
            if len(after) != len(before):
                yield path
            for (name, one), (other, new) in zip(before, after, strict=False):
                if name != other or not _same(one, new):
                    yield name


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one object, or equal and immutable."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float | complex):
        return repr(one) == repr(other)  # NaN is NaN, and 0 is not −0
    return isinstance(one, PLAIN) and one == other


def _parts(path: str, value: Any) -> list[Part]:
    """What a value holds."""
    if isinstance(value, types.FunctionType):
        return list(_of_function(value)) if _is_users(value.__module__) else _callables(path, value)
    if isinstance(value, types.MethodType):
        return [(path, value.__self__), (path, value.__func__)]
    if isinstance(value, types.BuiltinMethodType):
        held = value.__self__
        return [] if held is None or isinstance(held, types.ModuleType | type) else [(path, held)]
    if isinstance(value, functools.partial):
        return [(path, value.func), (f"{path}.args", value.args), (path, value.keywords)]
    if isinstance(value, types.ModuleType):
        return []
    if isinstance(value, type):
        return list(_of_class(value)) if _is_users(value.__module__) else []
    if isinstance(value, random.Random):
        return [(path, value.getstate())]
    return [*_items(path, value), *([] if isinstance(value, Growing) else _attributes(path, value))]


def _of_function(function: types.FunctionType) -> Iterator[Part]:
    """Its cells, defaults and attributes, and what it reads of its module and of the user's others."""
    name = function.__name__
    for cell, free in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
        try:
            yield free, cell.cell_contents
        except ValueError:
            yield free, UNBOUND
    yield f"a default of {name}", function.__defaults__
    yield f"a default of {name}", function.__kwdefaults__
    yield from ((f"{name}.{key}", one) for key, one in vars(function).items())
    names = list(_names(function.__code__))
    for one in names:
        value = function.__globals__.get(one, UNBOUND)
        if one.startswith(PREFIX) or value is UNBOUND:
            continue
        if not isinstance(value, types.ModuleType):
            yield one, value
        elif _is_users(value.__name__):
            yield from ((f"{one}.{n}", vars(value)[n]) for n in names if n in vars(value))


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function's code, and in that of functions inside it."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _names(one)


def _of_class(kind: type) -> Iterator[Part]:
    for key, value in list(vars(kind).items()):
        inner = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "func")]
        functions = [one for one in inner if isinstance(one, types.FunctionType)]
        if functions or not key.startswith("__") or isinstance(value, types.FunctionType):
            yield from ((f"{kind.__name__}.{key}", one) for one in functions or [value])
    yield from ((one.__name__, one) for one in kind.__bases__)


def _items(path: str, value: Any) -> list[Part]:
    """The items of a container, the state of an iterator, the numbers of an array."""
    kind = type(value)
    if isinstance(value, Growing):
        return [(path, one) for one in value.added]
    if isinstance(value, dict):
        found = [(_entry(path, key), one) for key, one in dict.items(value)]
        return [*((path, key) for key in dict.keys(value)), *found]
    plain: Any  # whose iteration, and no other of a class below, gives the items
    for plain in (list, tuple, deque):
        if isinstance(value, plain):
            return [(f"{path}[{k}]", one) for k, one in enumerate(plain.__iter__(value))]
    for plain in (set, frozenset):
        if isinstance(value, plain):
            return [(path, one) for one in plain.__iter__(value)]
    if isinstance(value, bytearray | array) or (
        _root(kind) == "numpy" and hasattr(kind, "tobytes")
    ):
        return [(path, bytes(value) if isinstance(value, bytearray) else value.tobytes())]
    if _root(kind) == "numpy" and hasattr(kind, "bit_generator"):
        return [(path, repr(value.bit_generator.state))]
    if _root(kind) == "torch" and hasattr(kind, "_version"):
        return [(path, _version(value))]
    if hasattr(kind, "__next__") and not _is_users(kind.__module__):
        return [(path, _place(value)), *((path, one) for one in gc.get_referents(value))]
    return []


def _entry(path: str, key: Any) -> str:
    return f"{path}[{key!r}]" if isinstance(key, PLAIN) else path


def _version(tensor: Any) -> Any:
    """How often a tensor was written in place, where PyTorch counts that."""
    try:
        return tensor._version
    except RuntimeError:  # a tensor of inference, which autograd does not see
        return None


def _place(iterator: Any) -> Any:
    """How far an iterator of Python's is."""
    frame = getattr(iterator, "gi_frame", None)
    if frame is not None:
        return frame.f_lasti
    if isinstance(iterator, itertools.count | itertools.repeat):
        return repr(iterator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # since copies of `itertools` are to go
        if isinstance(iterator, itertools.cycle):
            return repr(iterator.__reduce__()[2:])
    return operator.length_hint(iterator, -1)


def _attributes(path: str, value: Any) -> list[Part]:
    """The attributes of an object, if its class is the user's or only holds attributes; of others, functions."""
    kind = type(value)
    if not (
        _is_users(kind.__module__) or isinstance(value, types.SimpleNamespace) or _is_module(kind)
    ):
        return _callables(path, value)
    found: list[Part] = [(kind.__name__, kind)]
    cached = {
        name
        for one in kind.__mro__
        for name, made in vars(one).items()
        if isinstance(made, functools.cached_property)
    }
    for key, one in _vars(value).items():
        if key not in cached:
            found.append((f"{path}.{key}", one))
    for one in kind.__mro__:
        for key, slot in vars(one).items():
            if isinstance(slot, types.MemberDescriptorType) and _is_users(one.__module__):
                try:
                    found.append((f"{path}.{key}", slot.__get__(value)))
                except AttributeError:
                    continue
    return found


def _callables(path: str, value: Any) -> list[Part]:
    """The user's functions that a library's function or object calls."""
    if hasattr(type(value), "shape"):
        return []
    cells = getattr(value, "__closure__", None) if isinstance(value, types.FunctionType) else None
    held = [*_vars(value).values(), *(_filled(cells or ()))]
    if isinstance(value, functools._lru_cache_wrapper):  # whose cache changes no number
        held = [value.__wrapped__]
    elif callable(value):
        held.append(getattr(value, "__wrapped__", None))
    known = (types.FunctionType, types.MethodType, functools.partial)
    return [
        (getattr(one, "__name__", path), one)
        for one in held
        if isinstance(one, known) or (callable(one) and _is_users(type(one).__module__))
    ]


def _filled(cells: Collection[Any]) -> Iterator[Any]:
    for one in cells:
        try:
            yield one.cell_contents
        except ValueError:
            continue


def _vars(value: Any) -> dict[str, Any]:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return dict(found) if isinstance(found, dict) else {}


def _is_module(kind: type) -> bool:
    """Whether it is one of PyTorch's modules, which only hold others."""
    return any(one.__module__ == "torch.nn.modules.module" for one in kind.__mro__)


def _root(kind: type) -> str:
    return str(kind.__module__).partition(".")[0]


def _is_users(module: Any) -> bool:
    """Whether code of this module may keep what its loops read."""
    name = str(module)
    return name.partition(".")[0] not in LIBRARIES or name.startswith("scanproof.proofs.claims")
