"""Python's own loops over sizes, `for t in range(x.shape[0])`, in functions of JAX: each is one `lax.scan`.

JAX has no length for such a loop while it traces with symbols. So the function's code, and that of functions of its
module that it calls, has calls in the stead of loops for the time of the trace. Arrays of JAX do not change: what a
turn leaves to the next is what names stand for, and what it appends to lists.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...interpret.questions import aside, listening, place
from ...language.libraries import jax as jax_for
from ..loops.growing import Growing, Trial
from ..loops.items import UNBOUND, Arrays, Items, Listed, Rows, collecting, last_of, value_of
from ..loops.keeping import Kept
from ..loops.rewriting import loops_as_calls, rewritten
from .asked import Decided, KeepsState, dimension_type, folders
from .stand_ins import modules
from .turns import APART, Asked, Turn, item, number_of

APPENDED = "a list to which a turn appends other than one array"


class WithLoops:
    """A function of JAX arrays: itself, and where symbols keep it from being traced, with its loops as scans."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.unrolls = False
        """Whether loops of it were read as scans, which are loops of Python's where sizes are numbers."""

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        given = [one for one in (*arrays, *named.values()) if hasattr(one, "shape")]
        if all(isinstance(length, int) for one in given for length in one.shape):
            return self._function(*arrays, **named)
        with aside():
            try:
                with listening():
                    return self._function(*arrays, **named)
            except Exception:  # the other reading says what it stumbles over
                pass
        self.unrolls = True
        apart: dict[CodeType, int] = {}
        while True:
            try:
                with aside(), listening(Decided), _rewritten(self._function, apart):
                    return self._function(*arrays, **named)
            except Asked as error:
                if apart.get(error.loop, 0) >= APART:
                    raise Decided(str(error)) from error
                apart[error.loop] = apart.get(error.loop, 0) + 1


def has_loops(function: Callable[..., Any]) -> bool:
    """Whether code that is read has loops."""
    return any(rewritten(one, NAMES) is not None for one in _reached(function))


def _reached(function: Any) -> list[FunctionType]:
    """The function that somebody wrote, and those of his modules that it names."""
    known = list(modules(function))
    own = {id(names) for names in known}
    found: dict[int, FunctionType] = {}
    waiting = [function]
    while waiting:
        one = waiting.pop()
        while not isinstance(one, FunctionType):
            one = getattr(one, "__wrapped__", None) or getattr(one, "func", None)
            if one is None:
                break
        if one is None or id(one) in found or id(one.__globals__) not in own:
            continue
        found[id(one)] = one
        waiting += [cell.cell_contents for cell in one.__closure__ or () if _is_filled(cell)]
        for code in _codes(one.__code__):
            for name in code.co_names:
                value = one.__globals__.get(name)
                if callable(value):
                    waiting.append(value)
                elif isinstance(value, ModuleType) and id(vars(value)) in own:
                    waiting += [vars(value)[n] for n in code.co_names if n in vars(value)]
    return list(found.values())


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


_apart: list[dict[CodeType, int]] = []
"""Of how many of the first turns of each loop one is told from the others, where functions are rewritten."""


@contextmanager
def _rewritten(function: Callable[..., Any], apart: dict[CodeType, int]) -> Iterator[None]:
    """The function's loops as calls in the block, and JAX's functions that take what loops append to a list."""
    jax = jax_for("a program")
    through = _through(jax)
    before: list[tuple[dict[str, Any], str, Any]] = []
    with ExitStack() as entered:
        entered.enter_context(loops_as_calls(_reached(function), NAMES))
        for names in modules(function):
            for name, value in list(names.items()):
                if id(value) in through:
                    before.append((names, name, value))
                    names[name] = through[id(value)]
        _apart.append(apart)
        try:
            yield
        finally:
            _apart.pop()
            for names, name, value in before:
                names[name] = value


@functools.cache
def _through(jax: ModuleType) -> dict[int, Any]:
    """By the identities of JAX's modules and functions what stands for them."""
    jnp = jax.numpy
    with suppress(ValueError):  # it is registered: this function's result was forgotten
        jax.tree_util.register_pytree_node(Growing, Growing.leaves, lambda _, items: list(items))
    of_rows = {
        "stack": _of_rows(jnp.stack, _stacked),
        "array": _of_rows(jnp.array, _stacked),
        "asarray": _of_rows(jnp.asarray, _stacked),
        "vstack": _of_rows(jnp.vstack, _stacked),
        "concatenate": _of_rows(jnp.concatenate, _joined),
    }
    numbers = _Through(jnp, of_rows)
    found: dict[int, Any] = {id(getattr(jnp, name)): one for name, one in of_rows.items()}
    return {**found, id(jnp): numbers, id(jax): _Through(jax, {"numpy": numbers})}


class _Through(ModuleType):
    """A module with some names replaced."""

    def __init__(self, module: ModuleType, names: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        vars(self).update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _of_rows(function: Callable[..., Any], rows: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a list of arrays, or of one to which loops over sizes have appended."""

    def run(arrays: Any, *given: Any, **named: Any) -> Any:
        parts = [arrays] if isinstance(arrays, Rows) else arrays
        if isinstance(parts, list) and any(isinstance(one, Rows) for one in parts):
            return rows(parts, *given, **named)
        return function(arrays, *given, **named)

    return run


def _stacked(parts: list[Any], axis: int = 0) -> Any:
    jnp = jax_for("a program").numpy
    every = [one.stacked if isinstance(one, Rows) else jnp.asarray(one)[None] for one in parts]
    return jnp.moveaxis(every[0] if len(every) == 1 else jnp.concatenate(every), 0, axis)


def _joined(parts: list[Any], axis: int = 0) -> Any:
    """Along an axis, what each turn gave in pieces of one length."""
    jnp = jax_for("a program").numpy
    every = []
    for one in parts:
        if isinstance(one, Rows):
            turned = jnp.moveaxis(one.stacked, 0, axis)
            shape = turned.shape
            one = turned.reshape((*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))
        every.append(one)
    return every[0] if len(every) == 1 else jnp.concatenate(every, axis)


class _Arrays(Arrays):
    """JAX's."""

    def is_array(self, value: Any) -> bool:
        return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, Turn)

    def is_symbol(self, value: Any) -> bool:
        return type(value) is dimension_type()

    def row(self, array: Any, t: Any) -> Any:
        return item(array, t)

    def backwards(self, array: Any) -> Any:
        return array[::-1]

    def numbers(self, length: Any) -> Any:
        return jax_for("a program").numpy.arange(length)

    def place(self) -> str:
        return place(folders())


ARRAYS = _Arrays()


def _loop(
    given: Any,
    body: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Callable[[], Any], ...],
    first: tuple[str, ...],
    later: tuple[str, ...],
) -> tuple[Any, ...]:
    """A `for` statement, as `aten.loops.loop` has it."""
    before = tuple(map(value_of, values))
    items = ARRAYS.items_of(given)
    if items is None or not ARRAYS.is_symbol(items.length):
        turns = given
        if items is not None:
            turns = (items.item(k, items.parts) for k in range(int(items.length)))
        for one in turns:
            before = body(one, *before)
        return before
    return _Sized(items, body, names, before, first, later).run()


class _Sized:
    """A loop over a size, as one scan."""

    def __init__(
        self,
        items: Items,
        body: Any,
        names: Sequence[str],
        before: Sequence[Any],
        first: Sequence[str],
        later: Sequence[str],
    ) -> None:
        self.items, self.body, self.names = items, body, list(names)
        self.before, self.first, self.later = list(before), set(first), set(later)
        self.key = getattr(body, "key", body.__code__)
        self.where = ARRAYS.place()

    def run(self) -> tuple[Any, ...]:
        """What the names stand for after all turns."""
        jax = jax_for("a program")
        offset = _apart[-1].get(self.key, 0) if _apart else 0
        for k in range(offset):
            self.before = list(self.body(self.items.item(k, self.items.parts), *self.before))
        self.first |= {n for n, v in zip(self.names, self.before, strict=True) if v is UNBOUND}
        length = self.items.length - offset
        self.offset = offset
        self.counters: dict[str, Any] = {}
        self.appended: set[str] = set()
        self.carried: list[int] = []
        self._learn(length)
        start = self._states(self.before)
        kinds = jax.eval_shape(lambda: self._turn(jax.numpy.asarray(0), start)[0])
        start = [
            jax.numpy.broadcast_to(jax.numpy.asarray(one, like.dtype), like.shape)
            if jax.numpy.shape(one) == () else jax.numpy.asarray(one, like.dtype)
            for one, like in zip(start, kinds, strict=True)
        ]  # fmt: skip

        def step(states: Any, number: Any) -> Any:
            return self._turn(number, list(states))

        last, made = jax.lax.scan(step, start, jax.numpy.arange(length))
        return self._after(list(last), list(made), length)

    def _learn(self, length: Any) -> None:
        """Which names a turn changes, and by how much it counts."""
        jax = jax_for("a program")
        seen: dict[str, Any] = {}

        def trial() -> Any:
            values = self._values([], jax.numpy.asarray(0), trial=True)
            number = Turn(jax.numpy.asarray(0), self.key, self.where, self.offset)
            after = self._body(number, values)
            self.appended = {n for n, one in self.lists.items() if one.has_grown}
            for k, (name, one, new) in enumerate(zip(self.names, values, after, strict=True)):
                if name in self.first or one is new or isinstance(one, Listed):
                    continue
                if type(one) is int and type(new) is int:
                    self.counters[name] = new - one
                else:
                    seen[name] = k
            return jax.numpy.zeros(())

        jax.eval_shape(trial)
        self.carried = sorted(seen.values())

    def _body(self, turn: Turn, values: Sequence[Any]) -> Any:
        """What names stand for after a turn, which changes nothing else but lists by what it appends."""
        roots = {**dict(zip(self.names, values, strict=True)), "the body of the loop": self.body}
        kept = Kept(roots, growing=self.lists.values())
        after = self.body(self.items.item(turn, self.items.parts), *values)
        for k, name in enumerate(self.names):
            if isinstance(values[k], Listed) and name not in self.first:
                if isinstance(values[k], Growing):
                    values[k].expect_unasked()
                if after[k] is not values[k]:
                    raise KeepsState(
                        f"{name}, a list for which a turn gives another value, in a loop over a size"
                        f"{self.where}"
                    )
        changed = kept.change(self.where)
        if changed:
            raise KeepsState(changed)
        return after

    def _asked(self, what: str) -> Decided:
        return KeepsState(f"{what}, in a loop over a size{ARRAYS.place()}")

    def _states(self, values: Sequence[Any]) -> list[Any]:
        jax = jax_for("a program")
        leaves = [leaf for k in self.carried for leaf in jax.tree.leaves(values[k])]
        for one in leaves:
            if not isinstance(number_of(one), int | float) and not ARRAYS.is_array(number_of(one)):
                raise self._refuse(f"a {type(one).__name__} that a turn changes")
        return [number_of(one) for one in leaves]

    def _refuse(self, what: str) -> Decided:
        return Decided(f"{what} in a loop over a size{self.where}")

    def _values(self, states: Sequence[Any], number: Any, trial: bool = False) -> list[Any]:
        """What names stand for before a turn."""
        jax = jax_for("a program")
        given, found = iter(states), []
        self.lists: dict[str, Any] = {}
        for k, (name, one) in enumerate(zip(self.names, self.before, strict=True)):
            if name in self.first:
                found.append(UNBOUND)
            elif isinstance(one, Listed) and (trial or name in self.appended):
                grows = isinstance(one, Growing) or not trial
                self.lists[name] = Growing(self._asked, name) if grows else Trial(one)
                found.append(self.lists[name])
            elif isinstance(one, dict):
                found.append(_Table(one, self))
            elif not trial and k in self.carried:
                tree = jax.tree.structure(one)
                found.append(
                    jax.tree.unflatten(tree, [next(given) for _ in range(tree.num_leaves)])
                )
            elif name in self.counters:
                found.append(Turn(number, self.key, self.where, 0, self.counters[name], one))
            else:
                found.append(one)
        return found

    def _turn(self, number: Any, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """The states after a turn, and what it gives."""
        jax = jax_for("a program")
        values = self._values(states, number)
        turn = Turn(number, self.key, self.where, self.offset)
        after = self._body(turn, values)
        new = self._states(after)
        if len(new) != len(states):
            raise self._refuse("a name to which a turn gives another form,")
        made = []
        for name, one in self.lists.items():
            if len(one.added) > 1 or any(len(jax.tree.leaves(x)) != 1 for x in one.added):
                raise self._refuse(f"{name}, {APPENDED},")
            made += [jax.numpy.asarray(number_of(x)) for x in one.added]
        self.made = [name for name, one in self.lists.items() if one.added]
        self.last = [
            (k, jax.tree.structure(after[k]))
            for k, n in enumerate(self.names)
            if n in self.later and n in self.first and after[k] is not UNBOUND
        ]
        made += [number_of(one) for k, _ in self.last for one in jax.tree.leaves(after[k])]
        return new, made

    def _after(self, last: list[Any], made: list[Any], length: Any) -> tuple[Any, ...]:
        jax = jax_for("a program")
        given, rows, found = iter(last), iter(made), list(self.before)
        for k, name in enumerate(self.names):
            if k in self.carried:
                tree = jax.tree.structure(self.before[k])
                found[k] = jax.tree.unflatten(tree, [next(given) for _ in range(tree.num_leaves)])
            elif name in self.first:
                found[k] = UNBOUND
            elif name in self.counters:
                found[k] = self.before[k] + self.counters[name] * length
        for name in self.made:
            self.before[self.names.index(name)].append(Rows(ARRAYS, next(rows)))
        for k, tree in self.last:
            found[k] = jax.tree.unflatten(tree, [next(rows)[-1] for _ in range(tree.num_leaves)])
        return tuple(found)


class _Table(dict):
    """A dictionary from before a loop, of which turns may not write items."""

    def __init__(self, items: dict[Any, Any], loop: _Sized) -> None:
        super().__init__(items)
        self._loop = loop

    def __setitem__(self, key: Any, value: Any) -> None:
        raise KeepsState(f"writing an item of a dictionary in a loop over a size{self._loop.where}")


NAMES = {
    "loop": _loop,
    "each": collecting(_loop),
    "unbound": UNBOUND,
    "listed": Listed,
    "last": last_of,
    "item": item,
    "float": lambda *given: _real(float, *given),
    "int": lambda *given: _real(int, *given),
    **ARRAYS.functions,
}
"""What rewritten code calls."""


def _real(kind: Callable[..., Any], *given: Any) -> Any:
    """`float` and `int` of a size: the size itself, which is a real number to JAX; `int` of a quotient of sizes."""
    if given and ARRAYS.is_symbol(given[0]):
        return given[0] * 1.0 if kind is float else given[0]
    if kind is int and len(given) == 1 and ARRAYS.is_array(given[0]):
        with suppress(TypeError):  # of other arrays
            return math.trunc(given[0])
    return kind(*given)
