"""A program as its framework runs it: arrays of one format in, NumPy arrays out."""

from __future__ import annotations

import contextlib
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...doors.aten import modules
from ...doors.aten.formats import by_default, operations
from ...doors.aten.validity import run_as_valid
from ...doors.jaxpr.equations import formats
from ...doors.outputs import Path, matched, opening, paths
from ...language.libraries import jax as jax_for
from ...language.libraries import jax_arrays
from .. import mistakes, targets
from ..called import with_arguments
from .points import Arrays

FORMATS = ("float32", "float64")
"""Those in which people run programs."""
NARROW = ("bfloat16", "float16")
"""Where a program takes no wider ones."""
DIGITS = {
    "float64": 53,
    "float32": 24,
    "float16": 11,
    "bfloat16": 8,
    "complex128": 53,
    "complex64": 24,
}
"""Binary digits of the numbers of a format; those of 8 bits say theirs by their names."""
LEAST_EXPONENTS = {
    **{"float64": -1022, "float32": -126, "bfloat16": -126, "float16": -14},
    **{"complex128": -1022, "complex64": -126},
}
"""Of the least number of each format that has all its digits."""


WIDE = ("float32", "float64", "complex64", "complex128")
"""Formats in which sums are in the same."""


def digits_of(form: Any) -> int | None:
    """The binary digits of a format; None if it has none, as those of whole numbers.

    Args:
        form: its name, or as JAX or torch has it.
    """
    name = str(form).removeprefix("torch.")
    narrow = re.match(r"float\d_e\d+m(\d+)", name)
    return int(narrow[1]) + 1 if narrow else DIGITS.get(name)


def least_normal(form: Any) -> float:
    """The least positive number that a format has with all its digits; below it, compiled code may give 0."""
    name = str(form).removeprefix("torch.")
    return 2.0 ** LEAST_EXPONENTS[name] if name in LEAST_EXPONENTS else 0.0


def greatest_root(form: Any) -> float:
    """From which number on a format does not hold squares; narrower formats than float32 are added up in it."""
    name = str(form).removeprefix("torch.")
    return math.inf if name not in WIDE else 2.0 ** (-LEAST_EXPONENTS[name] // 2)


@dataclass
class Side:
    """One of two programs, as it is run."""

    target: str | Callable[..., Any]
    """Its name, module:function, or the function."""
    is_for_torch: bool = False
    read: Callable[..., Any] | None = None
    """The function of its framework's arrays that is read, if it is."""
    compiled: bool = False
    """Whether torch.compile is tried."""
    names: Sequence[str] = ()
    """The arguments' names, by which parameters of a module are found."""
    formats: Sequence[str] = ()
    """Those of the arguments: "in" or "bool" for labels and truths, which are made of real numbers."""
    like: Side | None = None
    """The program that it is the specification of, which runs before it."""
    outputs: list[Path] = field(default_factory=list)
    """Where the arrays lie in what it returned last."""
    _formats: dict[str, set[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return targets.name(self.target)

    @property
    def framework(self) -> str:
        """ "jax" or "torch"."""
        return "torch" if self.is_for_torch else "jax"

    @cached_property
    def itself(self) -> Callable[..., Any]:
        """The function of its framework's arrays.

        Raises:
            Exception: what importing its module raises.
        """
        found = targets.itself(self.target)
        if self.is_for_torch and modules.is_module(found):
            found = modules.of_module(found)
        if self.is_for_torch:
            found = targets.with_kernels(found)
        return with_arguments(found, list(self.names), self.formats) if self.names else found

    def load(self) -> None:
        """Import its module and framework.

        Raises:
            Exception: what importing them raises.
        """
        if self.is_for_torch:
            import torch

            torch.set_num_threads(1)  # which survives a copy of the process
        self.itself  # noqa: B018

    @property
    def compiles(self) -> bool:
        """Whether it is run compiled as well."""
        return self.compiled or not self.is_for_torch

    def run(
        self,
        arrays: Arrays,
        form: str,
        compiled: bool = False,
        around: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
    ) -> Arrays:
        """What it returns, one array after another, run eagerly or compiled where it can be.

        Args:
            arrays: its arguments.
            form: their format.
            compiled: whether it is compiled.
            around: makes of a function of JAX arrays the one that is run.

        Raises:
            BaseException: what the program raises.
        """
        with _silent():
            if targets.is_definition(self.itself):
                return self._in_numpy(arrays, form)
            if self.is_for_torch:
                return self._in_torch(arrays, form, compiled and self.compiles)
            return self._in_jax(
                around(self._jitted if compiled else opening(self.itself)), arrays, form
            )

    def _in_numpy(self, arrays: Arrays, form: str) -> Arrays:
        value = self.itself(*(one.astype(form) for one in arrays))
        return self._outputs(value, _array)

    def _in_jax(self, function: Callable[..., Any], arrays: Arrays, form: str) -> Arrays:
        jax = jax_for("prove")
        with jax.enable_x64(form == "float64"):
            value = function(*jax_arrays(arrays, form))
            return self._outputs(value, _array)

    def _outputs(self, value: Any, array: Callable[[Any], np.ndarray]) -> Arrays:
        self.outputs = [path for path, _ in paths(value)]
        return [array(one) for one in self.arranged(value)]

    def arranged(self, value: Any) -> list[Any]:
        """The outputs in what it returned, in the order of those that they are compared with.

        Raises:
            UsageError: if these have other names.
        """
        found = paths(value)
        if self.like is None or len(self.like.outputs) != len(found):
            return [one for _, one in found]
        own = [path for path, _ in found]
        order = matched(f"prove {self.like.name} = {self.name}", self.like.outputs, own)
        return [found[k][1] for k in order]

    def of_numpy(self, arrays: Arrays, form: str) -> Arrays | None:
        """What it returns of NumPy's arrays, which JAX takes too; None for torch, and where the program does not."""
        if self.is_for_torch:
            return None
        jax = jax_for("prove")
        try:
            with jax.enable_x64(form == "float64"), _silent():
                return self._in_numpy(arrays, form)
        except mistakes.Errors:
            return None

    @cached_property
    def _jitted(self) -> Callable[..., Any]:
        return jax_for("prove").jit(opening(self.itself))

    @cached_property
    def _torch_compiled(self) -> Callable[..., Any]:
        import torch

        return torch.compile(self.itself)

    def _in_torch(self, arrays: Arrays, form: str, compiled: bool) -> Arrays:
        import torch

        function = self._torch_compiled if compiled else self.itself
        ordered = [np.asarray(one, order="C") for one in arrays]  # or views that are possible fail
        given = [torch.tensor(one, dtype=getattr(torch, form)) for one in ordered]

        def run() -> Arrays:
            return self._outputs(run_as_valid(lambda: function(*given)), _of_torch)

        try:
            return run()
        except RuntimeError:
            if form == "float32":
                raise
            with by_default(form):  # a state that it makes takes no others
                return run()

    def digits(self, arrays: Arrays, form: str) -> int:
        """The binary digits of the coarsest format in which it computes, when its inputs are of this format."""
        return min(n for n in map(digits_of, self._formats_in(arrays, form)) if n is not None)

    def least(self, arrays: Arrays, form: str) -> float:
        """A number below which results may be 0: the least with all its digits in these formats, but for float16."""
        return max(map(least_normal, self._formats_in(arrays, form) - {"float16"}), default=0.0)

    def _formats_in(self, arrays: Arrays, form: str) -> set[str]:
        if form not in self._formats:
            found = self._formats[form] = {form}
            formats_of = self._torch_formats if self.is_for_torch else self._jax_formats
            with contextlib.suppress(Exception):  # what is not traced is taken to keep its format
                found |= {str(one) for one in formats_of(arrays, form)}
        return self._formats[form]

    def _jax_formats(self, arrays: Arrays, form: str) -> Iterator[str]:
        jax = jax_for("prove")
        with jax.enable_x64(form == "float64"):
            yield from formats(jax.make_jaxpr(opening(self.itself))(*jax_arrays(arrays, form)))

    def _torch_formats(self, arrays: Arrays, form: str) -> set[str]:
        found: set[str] = set()

        def listen(func: Any, args: Any, kwargs: Any) -> Any:
            out = func(*args, **kwargs)
            for one in out if isinstance(out, tuple | list) else (out,):
                found.add(str(getattr(one, "dtype", "")).removeprefix("torch."))
            return out

        with operations(listen):
            self.run(arrays, form)
        return found


def _array(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "biufcV":
        raise TypeError(f"it returns a {type(value).__name__}; expected arrays")
    return array.astype(complex if array.dtype.kind == "c" else float)


def _of_torch(value: Any) -> np.ndarray:
    if not hasattr(value, "detach"):
        return _array(value)
    plain = value.detach().cpu().resolve_conj()
    return _array((plain if plain.is_complex() else plain.double()).numpy())


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """What a program prints, or is warned of, is not shown."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield
