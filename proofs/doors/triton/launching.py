"""Launches of kernels where functions of PyTorch are run and traced without a GPU.

Where arrays have numbers, Triton's interpreter runs the kernel. Where PyTorch traces, the launch becomes one operation
of its graph, which returns what each array holds afterwards; that is copied into the arrays, as the kernel writes it.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from ..aten.refusal import torch
from ..aten.running import Looking
from ..refused import Refused
from .front_end import expect_version, part
from .launches import LAUNCHES, Launch

OPTIONS = (
    *("num_warps", "num_stages", "num_ctas", "maxnreg", "warmup", "debug", "launch_pdl"),
    *("launch_cooperative_grid", "enable_fp_fusion", "sanitize_overflow"),
)
"""What a launch says besides arguments, of which no number depends."""
COARSE = ("bfloat16", "float16", "float32")
"""Formats that a kernel may name, that with the fewest digits first."""
LIBRARY = None
"""PyTorch's library of the operation that a launch is in its graphs."""


MARGIN = 4096
"""The least number of entries that an array has around it where a kernel is interpreted."""
INTERPRETED: dict[Any, Any] = {}
CHOICES: list[str] = [""]
"""What is taken for granted of the kernel that is launched, the last."""


class WithKernels:
    """A function that launches kernels, which run, or are traced, without a GPU."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        with launches():
            return self.__wrapped__(*arguments, **named)


@contextmanager
def launches() -> Iterator[None]:
    """A block in which kernels that are launched are run or traced here."""
    kernels, tuner = part("runtime.jit").JITFunction, part("runtime.autotuner").Autotuner
    _define()
    replaced = [
        (kernels, "run", _run),
        (kernels, "__call__", _called),
        (tuner, "run", _first_configuration),
    ]
    before = [(kind, name, getattr(kind, name)) for kind, name, _ in replaced]
    for kind, name, made in replaced:
        setattr(kind, name, made)
    try:
        yield
    finally:
        for kind, name, was in before:
            setattr(kind, name, was)


def _define() -> None:
    """Tell PyTorch of the operation that a launch is, once."""
    global LIBRARY
    if LIBRARY is not None:
        return
    from . import program  # noqa: F401  it enters the rule

    t = torch()
    LIBRARY = t.library.Library("scanproof", "FRAGMENT")
    LIBRARY.define("triton_launch(Tensor[] arrays, int launch) -> Tensor[]")
    LIBRARY.impl("triton_launch", lambda arrays, launch: list(map(t.empty_like, arrays)), "Meta")


def _first_configuration(self: Any, *arguments: Any, **named: Any) -> Any:
    """A kernel that is tuned, with its first configuration."""
    config = self.configs[0]
    has_hooks = self.user_defined_pre_hook or self.user_defined_post_hook or self.reset_to_zero
    if has_hooks or any(one.pre_hook is not None for one in self.configs):
        raise Refused(f"{self.base_fn.__name__} is tuned with hooks, which change what it is given")
    named = {**named, **{n: v for n, v in config.kwargs.items() if n not in named}}
    several = any(one.kwargs != config.kwargs for one in self.configs)
    said = ", ".join(f"{name} = {value}" for name, value in config.kwargs.items())
    CHOICES.append(f"{self.base_fn.__name__} is tuned to {said}" if several else "")
    try:
        return self.fn.run(*arguments, **named)
    finally:
        CHOICES.pop()


def _called(self: Any, *arguments: Any, **named: Any) -> Any:
    """A function of Triton's, called by a kernel that is interpreted."""
    function = _interpreted(self)
    scope = part("runtime.interpreter")._patch_lang(function.fn)
    try:
        with _numbers_of_turns(function.fn):
            return function.rewrite()(*arguments, **named)
    finally:
        scope.restore()


def _run(self: Any, *arguments: Any, grid: Any, warmup: bool = False, **named: Any) -> Any:
    """A launch of a kernel."""
    expect_version()
    if warmup:  # it is compiled, and not run
        return
    if self.pre_run_hooks:
        raise Refused(f"{self.__name__} has hooks that are run before it, which are not read")
    given = _bound(self, arguments, named)
    t = torch()
    arrays = [v for v in given.values() if isinstance(v, t.Tensor)]
    if callable(grid):
        grid = grid(given)
    grid = tuple(grid) if isinstance(grid, tuple | list) else (grid,)
    if any(_is_traced(one) for one in arrays):
        _record(self, grid, given)
        return
    self_name = getattr(self, "__name__", "a kernel")
    if Looking.is_on or any(n == 0 for n in grid):
        Looking.skipped |= Looking.is_on
        for one in arrays if Looking.is_on else ():
            if not one.isfinite().all():  # memory that a kernel would have written to
                one.zero_()
        return
    if any(one.dtype == t.float64 for one in arrays):
        raise TypeError(f"{self_name} is run with arrays of float32, as kernels are written for")
    forms = [form for form in COARSE if form in _source(self)]
    if forms:  # who listens to the formats in which numbers are computed hears of the kernel's
        t.zeros((), dtype=getattr(t, forms[0])).add(0)
    profile = sys.getprofile()
    sys.setprofile(None)
    margins = {name: _Margins(v) for name, v in given.items() if isinstance(v, t.Tensor)}
    inside = [margins[n].view if n in margins else v for n, v in given.items()]
    try:
        with _numbers_of_turns(self.fn):
            _interpreted(self).run(*inside, grid=grid, warmup=False)
        for name, one in margins.items():
            one.give_back(f"{self_name} stores outside of {name}")
    except Exception as error:
        inner: BaseException = error
        while inner.__cause__ is not None:
            inner = inner.__cause__
        raise RuntimeError(f"{self_name} as Triton interprets it: {inner}") from error
    finally:
        sys.setprofile(profile if callable(profile) else None)


class _Margins:
    """An array with memory around it, so that a kernel which stores outside of it is told, and harms nothing."""

    def __init__(self, array: Any) -> None:
        t = torch()
        pairs = zip(array.shape, array.stride(), strict=True)
        extent = 1 + sum((n - 1) * step for n, step in pairs) if array.numel() else 0
        self._side = max(MARGIN, 2 * extent)
        self._flat = array.detach().as_strided((extent,), (1,))
        self._around = t.zeros(extent + 2 * self._side, dtype=array.dtype)
        odd = float("nan") if array.is_floating_point() else 1
        self._around.fill_(odd)
        self._inside = slice(self._side, self._side + extent)
        self._around[self._inside] = self._flat
        self._before = self._outside()
        self.view = self._around.as_strided(array.shape, array.stride(), self._side)

    def _outside(self) -> Any:
        parts = [self._around[: self._inside.start], self._around[self._inside.stop :]]
        return torch().cat(parts).nan_to_num()

    def give_back(self, why: str) -> None:
        """Give the array what was stored.

        Raises:
            IndexError: if memory around it was stored into.
        """
        if not torch().equal(self._outside(), self._before):
            raise IndexError(why)
        self._flat.copy_(self._around[self._inside])


def _source(kernel: Any) -> str:
    with suppress(AttributeError):
        return str(kernel.src)
    return ""


@contextmanager
def _numbers_of_turns(function: Any) -> Iterator[None]:
    """A block in which loops of a kernel's file count in Triton's numbers, as compiled ones do, and not in Python's."""
    convert = part("runtime.interpreter")._implicit_cvt

    def counted(*bounds: Any) -> Iterator[Any]:
        for number in range(*map(operator.index, bounds)):
            yield convert(number)

    names = function.__globals__
    had, before = "range" in names, names.get("range")
    names["range"] = counted
    try:
        yield
    finally:
        names["range"] = before
        if not had:
            del names["range"]


def _interpreted(kernel: Any) -> Any:
    """A kernel that Triton's interpreter runs."""
    if kernel.fn not in INTERPRETED:  # a kernel's hash is that of its source, and slow
        INTERPRETED[kernel.fn] = part("runtime.interpreter").InterpretedFunction(kernel.fn)
    return INTERPRETED[kernel.fn]


def _bound(kernel: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, with defaults, in order.

    Raises:
        Refused: if one is none of the kernel's.
    """
    given = {n: v for n, v in named.items() if n in kernel.arg_names or n not in OPTIONS}
    try:
        bound = kernel.signature.bind(*arguments, **given)
    except TypeError as error:
        raise Refused(f"the launch of {kernel.__name__}: {error}") from error
    bound.apply_defaults()
    return dict(bound.arguments)


def _is_traced(array: Any) -> bool:
    """Whether an array has no numbers, since PyTorch traces."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch._subclasses.functional_tensor import FunctionalTensor

    return isinstance(array, FunctionalTensor | FakeTensor)


def _record(kernel: Any, grid: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Make a launch an operation of the graph that is traced."""
    t = torch()
    constants = {p.name for p in kernel.params if p.is_constexpr}
    arrays = {n: v for n, v in given.items() if isinstance(v, t.Tensor)}
    others = {n: v for n, v in given.items() if n not in arrays}
    for name in constants & set(arrays):
        raise Refused(f"{kernel.__name__}: {name}, a constant of the kernel, is an array")
    places = {name: k for k, name in enumerate(arrays)}
    LAUNCHES.append(Launch(kernel, grid, others, places, frozenset(constants), CHOICES[-1]))
    after = t.ops.scanproof.triton_launch(list(arrays.values()), len(LAUNCHES) - 1)
    written = _written(kernel, arrays, others, constants)
    _expect_apart(kernel, arrays, written)
    for name, found in zip(arrays, after, strict=True):
        if name in written:
            arrays[name].copy_(found)


def _expect_apart(kernel: Any, arrays: Mapping[str, Any], written: frozenset[str]) -> None:
    """Refuse arrays that share memory with one into which the kernel writes."""
    memory = {name: one.untyped_storage()._cdata for name, one in arrays.items()}
    for name in written:
        for other, where in memory.items():
            if other != name and where == memory[name]:
                raise Refused(
                    f"{kernel.__name__} writes into {name}, which shares its memory with {other}"
                )


def _written(
    kernel: Any, arrays: Mapping[str, Any], others: Mapping[str, Any], constants: set[str]
) -> frozenset[str]:
    """The arrays into which a kernel writes."""
    from .signature import kernel_with

    formats = {name: str(one.dtype).removeprefix("torch.") for name, one in arrays.items()}
    return kernel_with(kernel, formats, others, frozenset(constants)).written
