"""Functions of JAX with Python's own loops over sizes, `for t in range(x.shape[0])`, read as those for torch are.

JAX has no length for such a loop while it traces with symbols. So the function's module is loaded once more from its
source with these loops as scans. Arrays of JAX do not change, so that names alone are carried from turn to turn.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
from jax import numpy as jnp

from ...questions import aside, listening
from ..outputs import opened
from . import loops, rewriting, sequences
from .standins import math_of_sizes
from .tensors import LOOPS, Place, Refused, Tensor, entries, refuse


class WithLoops:
    """A function of JAX arrays: itself, and where symbols keep it from being traced, with its loops as scans."""

    def __init__(self, function: Callable[..., Any], file: Path, module: str, path: str) -> None:
        functools.update_wrapper(self, function)
        self._function, self._where = function, (file, module, path)
        self.unrolls = False
        """Whether loops of it were read as scans, which are loops of Python's where sizes are numbers."""

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        given = filter(is_array, (*arrays, *named.values()))
        if all(isinstance(length, int) for one in given for length in jnp.shape(one)):
            return self._function(*arrays, **named)
        with aside():
            try:
                with listening():
                    return self._function(*arrays, **named)
            except Exception:  # the other reading says what it stumbles over
                pass
        self.unrolls = True
        with rewriting.no_loops():
            return opened(self._by_scans(*arrays, **named), plain)

    @functools.cached_property
    def _by_scans(self) -> Callable[..., Any]:
        file, module, path = self._where
        loader = rewriting.Loader(file.parent, _modules(), (NAMES, BUILTINS), items=True)
        with aside(), listening():
            found: Any = loader.load(module, file)
        for part in path.split("."):
            found = getattr(found, part)
        return found


def is_array(value: Any) -> bool:
    """Whether it is an array of JAX's or NumPy's."""
    if isinstance(value, Refused | Tensor):
        return False
    return hasattr(value, "dtype") and hasattr(value, "shape")


def plain(value: Any) -> Any:
    """With arrays for tensors."""
    if isinstance(value, Tensor):
        return value.array
    return tuple(map(plain, value)) if type(value) is tuple else value


def _loop(
    items: Any,
    body: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Any, ...],
    later: tuple[str, ...] = (),
) -> Any:
    """`loops.loop` of arrays, each of which is a tensor of its own."""

    def turn(item: Any, *given: Any) -> tuple[Any, ...]:
        known: dict[int, tuple[Any, Tensor]] = {}
        arrays = [_taken(one, known) for one in given]
        found = body(plain(item), *arrays)
        return tuple(_as_tensors(one, known) for one in found)

    before = [lambda one=one: _as_tensors(one(), {}) for one in values]
    return tuple(map(plain, loops.loop(_items(items), turn, names, tuple(before), later)))


def _taken(value: Any, known: dict[int, tuple[Any, Tensor]]) -> Any:
    if isinstance(value, Tensor):
        known[id(value.array)] = value.array, value
    elif type(value) is tuple:
        return tuple(_taken(one, known) for one in value)
    return plain(value)


def _as_tensors(value: Any, known: dict[int, tuple[Any, Tensor]]) -> Any:
    if is_array(value):
        return known.setdefault(id(value), (value, Tensor(value)))[1]
    return tuple(_as_tensors(one, known) for one in value) if type(value) is tuple else value


def _items(items: Any) -> Any:
    """What a loop runs over: an array's rows are items."""
    if is_array(items) and items.shape:
        return sequences.Items(items.shape[0], lambda turn: item(items, turn))
    return items


def item(of: Any, key: Any) -> Any:
    """`of[key]`, also where the number of a turn of a loop stands in the key."""
    if not _has_place(key):
        return of[key]
    if is_array(of):
        return Tensor(of)[key].array
    if type(of) is type(jnp.zeros(1).at):
        return _At(getattr(of, "array"), key)  # noqa: B009  which its stub does not have
    raise refuse("an item of what is no array, at the number of a turn of a loop over a size")


def _has_place(key: Any) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_place, key))
    ends = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    return any(isinstance(one, Place) for one in ends)


class _At:
    """`x.at[key]`."""

    def __init__(self, array: Any, key: Any) -> None:
        self._array, self._key = array, key

    def set(self, values: Any) -> Any:
        """The array with these entries there."""
        made = Tensor(self._array)
        made[self._key] = entries(values)
        return made.array

    def get(self) -> Any:
        """The entries there."""
        return item(self._array, self._key)

    def add(self, values: Any) -> Any:
        """The array with these added there."""
        return self.set(self.get() + entries(values))

    def multiply(self, values: Any) -> Any:
        """The array with the entries there multiplied by these."""
        return self.set(self.get() * entries(values))

    mul = multiply

    def __getattr__(self, name: str) -> Any:
        raise refuse(f".at[…].{name} at the number of a turn of a loop over a size")


class Rows(sequences.Appended):
    """A list to which loops over sizes append arrays."""

    def append(self, item: Any) -> None:
        super().append(Tensor(item) if is_array(item) and len(LOOPS) > self.depth else item)

    def __getitem__(self, place: Any) -> Any:
        return plain(super().__getitem__(place))


class _Through(ModuleType):
    """A module with some names replaced."""

    def __init__(self, module: ModuleType, **names: Any) -> None:
        super().__init__(module.__name__)
        vars(self).update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _of_rows(function: Callable[..., Any], rows: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a list of arrays, or of what loops over sizes have appended to one."""

    def run(arrays: Any, *given: Any, **named: Any) -> Any:
        if isinstance(arrays, sequences.Appended) and arrays.rows is not None:
            return rows(arrays, *given, **named)
        return function(arrays, *given, **named)

    return run


def _stack(arrays: sequences.Appended, axis: int = 0) -> Any:
    return jnp.moveaxis(arrays.stacked(), 0, axis)


def _stack_of_vectors(arrays: sequences.Appended) -> Any:
    rows = arrays.stacked()
    if rows.ndim != 2:
        raise refuse("vstack of arrays other than vectors", "use stack, or concatenate")
    return rows


def _modules() -> dict[str, ModuleType]:
    numbers = _Through(
        jnp,
        stack=_of_rows(jnp.stack, _stack),
        concatenate=_of_rows(jnp.concatenate, sequences.joined_rows),
        vstack=_of_rows(jnp.vstack, _stack_of_vectors),
        array=_of_rows(jnp.array, _stack),
        asarray=_of_rows(jnp.asarray, _stack),
    )
    return {
        "jax": _Through(jax, numpy=numbers),
        "jax.numpy": numbers,
        "math": math_of_sizes(),
    }


def _length(one: Any) -> Any:
    return one.shape[0] if is_array(one) and one.shape else sequences.length(one)


NAMES = {
    **rewriting.NAMES,
    "_scanproof_loop": _loop,
    "_scanproof_each": lambda items, make: loops.comprehension(items, make, Rows, _loop),
    "_scanproof_list": Rows,
    "_scanproof_item": item,
}
BUILTINS = {
    **rewriting.BUILTINS,
    "zip": lambda *several, **named: sequences.joined(*map(_items, several), **named),
    "enumerate": lambda items, start=0: sequences.counted(_items(items), start),
    "reversed": lambda items: sequences.backwards(_items(items)),
    "list": Rows,
    "sum": lambda *given: plain(sequences.total(*given)),
    "len": _length,
}


def _listed(_: Any, parts: Any) -> Any:
    return list(parts)


for _kind in (sequences.Appended, Rows):
    jax.tree_util.register_pytree_node(_kind, lambda one: (list(one), None), _listed)
