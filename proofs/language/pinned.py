"""Definitions are pinned: where a user's code replaces one of them, that is an error, and the definition is put back.

A verdict speaks of the definitions as the package has them. A user's file runs in the same process and can reach all of
them: it can put another function in a definition's place, or other code into it. So they are noted before such code
runs, and compared after it.

What is noted: the names of a module, except those that its own functions rebind by `global`; the attributes of a class;
code, defaults and closure of a function; and the inside of constants (names in capitals, frozen dataclasses) and of a
source's rows. Other lists, dictionaries and objects are memories, which may change. So what was noted is handed from
caller to callee, and is kept in no module: there the user's code would find it.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import importlib.abc
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from operator import is_
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from scanproof.constructs.errors import UsageError

from .claim import Claim
from .source import Row, Source

PINNED = ("scanproof", "builtins", "fractions", "functools", "itertools", "math", "operator")
"""The package, and what its definitions are written with."""
HOSTED = ("scanproof._pytest_plugin",)
"""Modules with no definition in them, into whose classes pytest writes."""
PLAIN = (int, str, float, bytes, bool, type(None), CodeType)
LATE = ("__doc__", "__annotations__", "__abstractmethods__")
"""Python may write these into a class later on, as it adds other names in double underscores that nothing calls."""
MISSING = object()


class Redefined(UsageError):
    """A user's code has replaced a definition."""


class _Space:
    """Something with names, as it was: a "module", a "class", the "attributes" or "entries" of something else."""

    def __init__(self, label: str, owner: Any, kind: str) -> None:
        self.label, self.owner, self.kind = label, owner, kind
        self.names = None if isinstance(owner, list | set) else owner
        if kind in ("module", "class"):
            self.names = vars(owner)
        self.keep()

    def keep(self) -> None:
        self.was = dict(self.now)

    @property
    def now(self) -> Any:
        return dict(enumerate(self.owner)) if self.names is None else self.names

    def is_same(self) -> bool:
        now, was = self.now, self.was
        same = map(is_, map(now.get, was, repeat(MISSING)), was.values())
        return len(now) == len(was) and all(same)

    def changed(self) -> list[Any]:
        """The names that hold something else than before, and are not Python's own to write."""
        now = self.now
        return [
            name
            for name in {**self.was, **now}
            if now.get(name, MISSING) is not self.was.get(name, MISSING) and not self._late(name)
        ]

    def _late(self, name: Any) -> bool:
        own = str(name)[:2] == str(name)[-2:] == "__"
        if self.kind == "module":
            submodule = sys.modules.get(f"{self.label}.{name}", MISSING)
            new = name not in self.was and (self.label == "builtins" or self.now[name] is submodule)
            return new or (own and name != "__path__")
        if self.kind != "class":
            return False
        one = self.now.get(name)
        data = not callable(one) and not hasattr(type(one), "__get__")
        return name in LATE or (own and name not in self.was and data)  # as pickle does

    def restore(self, name: Any) -> str:
        """Put one name back, and say what had been done to it."""
        deed = ("removes" if name not in self.now else "changes") if name in self.was else "adds"
        if self.names is None:
            self.owner.clear()
            (self.owner.extend if isinstance(self.owner, list) else self.owner.update)(
                self.was.values()
            )
        elif self.kind == "class":
            put, drop = type.__setattr__, type.__delattr__
            drop(self.owner, name) if deed == "adds" else put(self.owner, name, self.was[name])
        elif deed == "adds":
            del self.names[name]
        else:
            self.names[name] = self.was[name]
        name = f"[{name!r}]" if self.kind == "entries" else f".{name}"
        return f"{deed} {self.label}{name}"


class Definitions:
    """What the modules of the package hold now, and what those hold that are imported first in a block of `kept`."""

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}  # the objects too, so that no other gets the number of one
        self._parts: list[tuple[Any, str, Any, str]] = []
        self._bare: list[FunctionType] = []
        self._spaces: list[_Space] = []
        self._caches: list[Callable[[], None]] = []
        self._variables: dict[str, set[str]] = {}
        self._modules: dict[str, ModuleType] = {}
        self._catch_up()

    @contextlib.contextmanager
    def kept(self, by: str) -> Iterator[None]:
        """Run a user's code in this block; definitions that it replaces are put back at its end.

        Args:
            by: what runs, by the name that the user knows.

        Raises:
            Redefined: if a definition was replaced; the first of them is named.
        """
        self._catch_up()
        watch, restored, interrupted = _Watch(self._run), self._restored, False
        sys.meta_path.insert(0, watch)
        try:
            yield
        except KeyboardInterrupt:
            interrupted = True
            raise
        finally:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not watch]
            found = restored()
            if found and not interrupted:
                raise Redefined(
                    f"{by} {found[0]}, a definition that other rows rest on; define a function of your own under "
                    "another name."
                )

    def _catch_up(self) -> None:
        """Note what the package has imported by itself since."""
        new = [n for n in sys.modules if n not in self._modules and _is_pinned(n)]
        for name in new:
            self._note(name, sys.modules[name])
        if new:
            self._entered(set())

    def _run(self, module: ModuleType, run: Callable[[ModuleType], None]) -> None:
        """Run a module of the package for the first time, and note it."""
        touched = {id(space) for space in self._spaces if not space.is_same()}
        run(module)
        self._note(module.__name__, module)
        self._entered(touched)

    def _entered(self, touched: set[int]) -> None:
        """Note what modules, while they were imported, have entered into constants of others: rules of a table, say."""
        for space in list(self._spaces):
            if space.kind == "entries" and id(space) not in touched and not space.is_same():
                space.keep()
                self._see_all(space.was.items(), space.label, True)

    def _note(self, name: str, module: ModuleType) -> None:
        self._modules[name] = module
        self._see_all(self._space(name, module, "module"), name)

    def _space(self, label: str, owner: Any, kind: str) -> Iterable[tuple[Any, Any]]:
        self._spaces.append(_Space(label, owner, kind))
        return self._spaces[-1].was.items()

    def _see_all(
        self, items: Iterable[tuple[Any, Any]], label: str, constant: bool = False
    ) -> None:
        for name, one in items:
            if type(one) not in PLAIN and id(one) not in self._seen:
                named = str(name).strip("_").isupper()
                self._see(one, f"{label}.{name}", constant or named)

    def _see(self, one: Any, label: str, constant: bool) -> None:
        """Note what can be replaced inside of an object."""
        inside: Iterable[tuple[Any, Any]]
        if isinstance(one, tuple | frozenset):
            inside = enumerate(one)
        elif isinstance(one, list | set | dict):
            if not constant:
                return
            inside = self._space(label, one, "entries")
        elif isinstance(one, MethodType | staticmethod | classmethod):
            inside = [("function", one.__func__)]
        elif isinstance(one, property):
            inside = [("get", one.fget), ("set", one.fset)]
        elif isinstance(one, functools.partial):
            inside = enumerate((one.func, *one.args, *one.keywords.values()))
        elif not _is_pinned(_module(one)):
            return
        elif isinstance(one, FunctionType):
            label, constant = f"{one.__module__}.{one.__qualname__}", False
            inside = self._of_function(one, label)
        elif isinstance(one, type):
            label, constant = f"{one.__module__}.{one.__qualname__}", False
            self._parts.append((one, "__bases__", one.__bases__, f"the bases of {label}"))
            inside = self._space(label, one, "class")
        else:
            kind, held = type(one), getattr(one, "__dict__", None)
            frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
            whole = frozen or isinstance(one, Row | Source)
            if type(held) is not dict or not (constant or whole or "__wrapped__" in held):
                return
            if hasattr(kind, "cache_clear"):
                self._caches.append(functools.partial(kind.cache_clear, one))
            inside, constant = self._space(label, held, "attributes"), whole
        self._seen[id(one)] = one
        self._see_all(inside, label, constant)

    def _of_function(self, one: FunctionType, label: str) -> Iterator[tuple[Any, Any]]:
        self._parts.append((one, "__code__", one.__code__, f"the code of {label}"))
        for part in ("__defaults__", "__kwdefaults__"):
            self._parts.append((one, part, getattr(one, part), f"the defaults of {label}"))
        yield from enumerate(one.__defaults__ or ())
        if one.__kwdefaults__:
            yield from self._space(f"the defaults of {label}", one.__kwdefaults__, "entries")
        if vars(one):
            yield from self._space(label, vars(one), "attributes")
        else:
            self._bare.append(one)
        for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True):
            value = _read(cell, "cell_contents")
            self._parts.append((cell, "cell_contents", value, f"the closure of {label}"))
            yield name, value

    def _restored(self) -> list[str]:
        """Put back what was replaced, and say what it was."""
        found = []
        for name in [n for n in {**self._modules, **sys.modules} if _is_pinned(n)]:
            if sys.modules.get(name) is not self._modules.get(name, MISSING):
                found.append(f"puts another module in the place of {name}")
                sys.modules.pop(name, None)
                sys.modules.update({name: self._modules[name]} if name in self._modules else {})
        for space in self._spaces:
            if not space.is_same():
                found += [space.restore(n) for n in space.changed() if not self._varies(space, n)]
        for one, part, value, label in self._parts:
            if _read(one, part) is not value:
                found.append(f"changes {label}")
                setattr(one, part, value)
        for one in filter(vars, self._bare):
            found += [f"adds {one.__module__}.{one.__qualname__}.{name}" for name in vars(one)]
            vars(one).clear()
        for clear in self._caches if found else ():  # what was computed by other definitions
            clear()
        return found

    def _varies(self, space: _Space, name: Any) -> bool:
        """Whether this is a name of a module that its own functions rebind: a variable, and no definition."""
        if space.kind != "module":
            return False
        if space.label not in self._variables:
            codes = [
                code
                for one, part, code, _ in self._parts
                if part == "__code__" and one.__globals__ is space.names
            ]
            self._variables[space.label] = {n for code in codes for n in _globals(code)}
        return name in self._variables[space.label]


class _Watch(importlib.abc.MetaPathFinder):
    """Has modules of the package noted as soon as they have run, whichever finder finds them."""

    def __init__(self, run: Callable[[ModuleType, Callable[[ModuleType], None]], None]) -> None:
        self.run = run

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if not _is_pinned(fullname):
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (f.find_spec(fullname, path, target) for f in others if hasattr(f, "find_spec"))
        spec = next((one for one in found if one is not None), None)
        if spec is not None and spec.loader is not None:
            loader, run = spec.loader, spec.loader.exec_module

            def noted(module: ModuleType) -> None:
                vars(loader).pop("exec_module", None)
                self.run(module, run)

            loader.exec_module = noted
        return spec


def of_user(claim: Claim) -> bool:
    """Whether a claim runs functions from outside the package."""
    return not all(map(_is_ours, claim.functions))


def _is_ours(function: Any) -> bool:
    """Whether a function stands in a module of the package; a file that takes the name of one is not one."""
    names = getattr(function, "__globals__", {})
    name = str(names.get("__name__"))
    return name.startswith("scanproof.") and getattr(sys.modules.get(name), "__dict__", 0) is names


def _is_pinned(module: Any) -> bool:
    own = isinstance(module, str) and module.partition(".")[0] in PINNED
    return own and module not in HOSTED


def _module(one: Any) -> Any:
    """Where an object is from; what answers any attribute, as an array does, is left alone."""
    if isinstance(one, FunctionType | type):
        return one.__module__
    held = getattr(one, "__dict__", None)
    wrapped = held.get("__module__") if type(held) is dict else None  # as functools.wraps has it
    return None if isinstance(one, ModuleType) else wrapped or type(one).__module__


def _read(one: Any, part: str) -> Any:
    try:
        return getattr(one, part)
    except ValueError:  # the cell is empty
        return MISSING


def _globals(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield step.argval
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _globals(one)
