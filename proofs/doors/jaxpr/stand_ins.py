"""Names of Python that take symbolic sizes while a program is traced: `len`, `math.sqrt`, `np.log` and their like.

JAX's symbolic dimensions are no numbers: `len(x)` and `math.sqrt(d)` have to return one, and `d ** -0.5` raises. Here
they return what the program would compute if it said `x.shape[0]`, `jnp.sqrt(d)` and `1 / jnp.sqrt(d)`; numbers go to
the functions themselves. So a program that is traced with numbers is not touched, and one that is traced with symbols
has the same functions of its sizes, as values of JAX.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from ...interpret.questions import Unreadable, aside, place

NAMES = ("sqrt", "exp", "log", "log2", "log10", "pow")
"""Functions of `math` that take sizes; NumPy has them too, `power` for `pow`."""
ORIGINAL = {
    (module, name): value
    for module in (np, np.linalg, np.fft)
    for name, value in vars(module).items()
    if callable(value)
}
"""What NumPy's names meant when this was imported: of what a program has put there the name says nothing."""
OF_NUMPY = {id(value): name for (module, name), value in ORIGINAL.items() if module is np}
"""The names of these by identity, which no other value gets while they are held."""


def power(size: Any, exponent: Any) -> Any:
    """A size to a real power, as a value of JAX: roots for halves, d ** -0.5 = 1/√d, else exp(exponent · log d).

    It is right for sizes, which are 1 or more.
    """
    import jax.numpy as jnp

    of = size.__jax_array__()
    given = Fraction(exponent)
    if given.denominator > 2:
        return jnp.exp(jnp.log(of) * float(exponent))
    base = of * 1.0 if given.denominator == 1 else jnp.sqrt(of)
    raised = base ** abs(given.numerator)
    return 1 / raised if given < 0 else raised


StandIns = Mapping[tuple[Any, str], tuple[Any, Any]]
"""For each function, by its module and name, and what stands in for it."""


@contextmanager
def standing_in(
    function: Callable[..., Any],
    kind: type,
    quotients: Mapping[int, tuple[Any, Any, Any]] | None = None,
) -> Iterator[None]:
    """Inside the `with` block these names take symbolic sizes of the given type, in the program's modules.

    Args:
        function: the program; names that its own package imported (`from math import sqrt`) count too.
        kind: JAX's type of symbolic dimensions.
        quotients: quotients of sizes, by the `id` of the value. None if all sizes are numbers: then JAX makes NumPy's
            arrays of a given length, which may be too long to be made.
    """
    before: list[tuple[dict[str, Any], str, Any]] = []
    rounding = _rounding({} if quotients is None else quotients)
    own = {**_taking(kind), **rounding, **_scanning(kind), **_indexing(kind)}
    by_id = {id(original): new for original, new in own.values()}

    def put(names: dict[str, Any], name: str, new: Any) -> None:
        before.append((names, name, names.get(name, MISSING)))
        names[name] = new

    for (module, name), (_, new) in own.items():
        put(vars(module), name, new)
    transforms = sys.modules.get("jax._src.numpy.fft")
    if transforms is not None:
        put(vars(transforms), "operator", _Indexing(kind))
    length, numpy = _length(kind), _NumPy(np, kind, quotients is None, own)
    replaced = {id(np), *by_id, *OF_NUMPY}
    convolutions = sys.modules.get("jax._src.numpy.lax_numpy")
    if quotients is not None and convolutions is not None:  # which ask for the lengths of arrays
        put(vars(convolutions), "len", length)
    for names in modules(function):
        of_it = list(names.items()) if _has_some(names, replaced) or _has_caches(names) else ()
        for name, value in of_it:
            if id(value) in by_id:
                put(names, name, by_id[id(value)])
            elif value is np:
                put(names, name, numpy)
            elif isinstance(value, functools._lru_cache_wrapper):  # it would hash sizes
                put(names, name, value.__wrapped__)
            elif id(value) in OF_NUMPY:
                put(names, name, numpy.function(OF_NUMPY[id(value)], value))
        if "len" not in names:
            put(names, "len", length)
    try:
        yield
    finally:
        for names, name, value in reversed(before):
            if value is MISSING:
                names.pop(name, None)
            else:
                names[name] = value


def _has_some(names: Mapping[str, Any], ids: Set[int]) -> bool:
    """Whether a module names one of the values with these ids; a package has hundreds of modules that name none."""
    return not ids.isdisjoint(map(id, names.values()))


def _has_caches(names: Mapping[str, Any]) -> bool:
    return any(kind is functools._lru_cache_wrapper for kind in map(type, names.values()))


class _Indexing:
    """`operator` where JAX reads lengths of Fourier transforms with it: a size is one as it is."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def index(self, length: Any) -> Any:
        """The length."""
        return length if isinstance(length, self._kind) else operator.index(length)


class AsksMachine(Unreadable):
    """A program that is another one on other machines."""

    unsafe = True


MISSING = object()
MACHINE = (
    *("default_backend", "devices", "local_devices", "device_count", "local_device_count"),
    *("process_count", "process_index", "host_count", "host_id"),
)
"""Functions of JAX that tell machines apart."""


@contextmanager
def machine_unseen(function: Callable[..., Any]) -> Iterator[None]:
    """Inside the `with` block JAX's functions that tell machines apart are refused, under whatever name.

    Args:
        function: the program; names that its own package imported count too.
    """
    import jax

    refusing = {id(original): new for original, new in _of_machine().values()}
    own: dict[str, Any] = jax.__dict__
    before = [
        (names, name, value)
        for names in (own, *modules(function))
        if _has_some(names, refusing.keys())
        for name, value in list(names.items())
        if id(value) in refusing
    ]
    try:
        for names, name, value in before:
            names[name] = refusing[id(value)]
        yield
    finally:
        for names, name, value in before:
            names[name] = value


@functools.cache
def _of_machine() -> dict[str, tuple[Any, Any]]:
    """For each of these functions, and what stands in for it."""
    import jax

    found = {}
    for name in MACHINE:
        original = getattr(jax, name, None)
        if original is not None:
            found[name] = original, _refusing(name, original)
    return found


def _refusing(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Of scanproof's own programs each way that a machine may decide for is a row of the ledger."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("scanproof."):
            return original(*args, **kwargs)
        raise AsksMachine(
            f"the program asks jax.{name}{place()}, and is another one on another machine; "
            "pass what it decides as an argument"
        )

    return refused


def _taking(kind: type) -> dict[tuple[Any, str], tuple[Any, Any]]:
    """For each function of `math` and NumPy itself, and what stands in for it."""
    found = {}
    for module in (math, np):
        for name in NAMES:
            called = "power" if name == "pow" and module is np else name
            original = getattr(module, called)
            if module is math or original is ORIGINAL[module, called]:
                found[module, called] = original, _stand_in(original, called, kind)
    return found


def _scanning(kind: type) -> dict[tuple[Any, str], tuple[Any, Any]]:
    """`jax.lax.scan` of a number of turns that is a size, which JAX takes as the length of an array alone."""
    import jax

    own = jax.lax.scan

    def scan(
        f: Any, init: Any, xs: Any = None, length: Any = None, *rest: Any, **options: Any
    ) -> Any:
        if not isinstance(length, kind):
            return own(f, init, xs, length, *rest, **options)
        if any(one.shape[0] != length for one in jax.tree.leaves(xs)):
            raise ValueError(f"scan goes through {length} turns, and arrays of other lengths")
        turns = jax.numpy.arange(length), xs
        return own(lambda state, turn: f(state, turn[1]), init, turns, None, *rest, **options)

    return {(jax.lax, "scan"): (own, scan)}


def _indexing(kind: type) -> dict[tuple[Any, str], tuple[Any, Any]]:
    """What JAX first does with the indices of an entry: one that is a size is that number, in an array.

    Indices of a diagonal of a size are a range over it, once for each axis.
    """
    import jax

    diagonal = jax.numpy.diag_indices

    def of_diagonal(n: Any, ndim: int = 2) -> Any:
        return (jax.numpy.arange(n),) * ndim if isinstance(n, kind) else diagonal(n, ndim)

    every = {(jax.numpy, "diag_indices"): (diagonal, of_diagonal)}
    module = jax._src.numpy.indexing
    own = getattr(module, NORMALISED, None)
    if own is None:  # in another version of JAX, which then says that a size is no index
        return every

    def indices(given: Any) -> Any:
        return tuple([one.__jax_array__() if isinstance(one, kind) else one for one in own(given)])

    return {**every, (module, NORMALISED): (own, indices)}


NORMALISED = "eliminate_deprecated_list_indexing"
"""JAX's function through which all indices go."""


def _rounding(
    quotients: Mapping[int, tuple[Any, Any, Any]],
) -> dict[tuple[Any, str], tuple[Any, Any]]:
    """`math.floor`, `math.ceil` and `math.trunc`, which are sizes of quotients of sizes."""

    def floor(value: Any) -> Any:
        known = quotients.get(id(value))
        return known[1] // known[2] if known is not None else own[0](value)

    def ceil(value: Any) -> Any:
        known = quotients.get(id(value))
        return -(-known[1] // known[2]) if known is not None else own[1](value)

    def trunc(value: Any) -> Any:
        known = quotients.get(id(value))
        if known is None:
            return own[2](value)
        return floor(value) if known[1] >= 0 else ceil(value)

    own = math.floor, math.ceil, math.trunc
    return {
        (math, new.__name__): (old, new) for old, new in zip(own, (floor, ceil, trunc), strict=True)
    }


def _stand_in(original: Any, name: str, kind: type) -> Any:
    def on_sizes(*args: Any, **kwargs: Any) -> Any:
        import jax.numpy as jnp
        from jax.core import Tracer

        if kwargs or not any(isinstance(one, Tracer) or type(one) is kind for one in args):
            return original(*args, **kwargs)
        given = [one.__jax_array__() if type(one) is kind else one for one in args]
        if name in ("pow", "power"):
            exact = isinstance(args[1], int | float) and type(args[0]) is kind
            return power(*args) if exact else jnp.power(*given)
        if name == "log" and len(given) == 2:  # math.log(x, base)
            return jnp.log(given[0]) / jnp.log(given[1])
        return getattr(jnp, name)(*given)

    return on_sizes


MAKING = (
    *("arange", "linspace", "ones", "zeros", "full", "empty", "eye", "identity", "tri", "indices"),
)
"""Functions of NumPy that make arrays of a given length."""


class _NumPy:
    """NumPy as a program's modules name it: a function of sizes, or of what is traced, is JAX's of the same name.

    Args:
        module: NumPy, or a module of it.
        kind: JAX's type of symbolic dimensions.
        makes: whether JAX makes arrays of given lengths, too.
        standing: what stands in for functions of it.
    """

    def __init__(self, module: ModuleType, kind: type, makes: bool, standing: StandIns) -> None:
        self._module, self._kind, self._makes, self._standing = module, kind, makes, standing

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, ModuleType):
            return _NumPy(value, self._kind, self._makes, self._standing)
        place = self._module, name
        if value is ORIGINAL.get(place) or value is self._standing.get(place, (None, None))[1]:
            return self.function(name, value)
        return value

    def function(self, name: str, value: Any) -> Any:
        """What stands in for a function of this name."""
        of_jax = getattr(_of_jax(self._module), name, None)
        if isinstance(value, type) or not callable(value) or of_jax is None:
            return value
        return _Function(value, of_jax, self._kind, self._makes and name in MAKING)


class _Function:
    """A function of NumPy's, with its attributes, and JAX's of the same name."""

    def __init__(self, function: Any, of_jax: Any, kind: type, makes: bool) -> None:
        self._function, self._of_jax, self._kind, self._makes = function, of_jax, kind, makes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from jax.core import Tracer
        from jax.tree import leaves

        given = leaves((args, kwargs))
        if self._makes or any(isinstance(one, Tracer) for one in given):
            return self._of_jax(*args, **kwargs)
        if not any(isinstance(one, self._kind) for one in given):
            return self._function(*args, **kwargs)
        try:  # a product of sizes is a size
            with aside():
                return self._function(*args, **kwargs)
        except Exception:
            return self._of_jax(*args, **kwargs)


CALLED = _Function.__call__.__code__
"""What NumPy asks of sizes that it calls, the program asks."""


def _of_jax(module: ModuleType) -> Any:
    """The module of `jax.numpy` that has the names of one of NumPy's."""
    import jax.numpy

    path = module.__name__.split(".")[1:]
    return functools.reduce(lambda of, name: getattr(of, name, None), path, jax.numpy)


def _length(kind: type) -> Callable[[Any], Any]:
    def length(one: Any) -> Any:
        """`len`, that of an array whose first axis has a symbolic length too."""
        from jax.core import Tracer

        shape = one.shape if isinstance(one, Tracer) else ()
        return shape[0] if shape and type(shape[0]) is kind else builtins.len(one)

    return length


def modules(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The names of the program's own module, and of other modules of its package."""
    while not hasattr(
        function, "__globals__"
    ):  # behind jax.jit, functools.partial, an object that is called
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        inner = inner or vars(type(function)).get("__call__")
        if inner is None:
            return
        function = inner
    names: Mapping[str, Any] = function.__globals__
    own = str(names.get("__name__", ""))
    package = own.partition(".")[0]
    if not isinstance(names, dict) or package in PACKAGES:
        return
    yield names
    for name in _names_inside(package, tuple(sys.modules)):
        module = sys.modules.get(name)
        if isinstance(module, ModuleType) and vars(module) is not names:
            yield vars(module)


@functools.lru_cache(maxsize=8)
def _names_inside(package: str, imported: tuple[str, ...]) -> list[str]:
    """The modules of a package among all that are imported."""
    inside = f"{package}."
    return [name for name in imported if name == package or name.startswith(inside)]


PACKAGES = ("", "jax", "jaxlib", "numpy", "scanproof", "builtins", "math")
"""Whose own names are left as they are."""
