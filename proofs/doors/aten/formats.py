"""In which format a function is traced: whether float64 and torch's default make a difference is seen by running it.

Rounding is not looked at, so that a function that does the same operations on the same numbers in both formats is one
of real numbers. One that asks for the format, or takes float32 alone, is read as it is in float32, and says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .refusal import torch
from .tracing import Given, example_inputs

WIDE, DEFAULT = "float64", "float32"
CASTS = ("_to_copy", "alias", "detach", "lift_fresh", "clone")
"""What a function does in one format and not in another, without changing a real number."""
NEAR = 1e-5
"""Numbers of two formats that are this near, for their size, are one number rounded."""
FEW = 16
"""So many entries of a constant are compared."""


class Chosen(NamedTuple):
    """The format of a function's real inputs."""

    name: str
    """Also that of the tensors that it makes without saying their format."""
    says: str = ""
    """That it is read for this format alone, in words; nothing where that makes no difference."""
    coarsest: str = WIDE
    """That in which some of it is computed, where its inputs are of this format."""


@contextmanager
def by_default(form: str) -> Iterator[None]:
    """A block in which tensors are of this format where nothing else is said.

    Foreign code that raises in it may leave PyTorch without gradients; afterwards they are taken as before.
    """
    t = torch()
    before, gradients = t.get_default_dtype(), t.is_grad_enabled()
    t.set_default_dtype(getattr(t, form))
    try:
        yield
    finally:
        t.set_default_dtype(before)
        t.set_grad_enabled(gradients)


def chosen(function: Callable[..., Any], given: Sequence[Given], sizes: dict[str, int]) -> Chosen:
    """The format in which a function is read.

    Args:
        function: of tensors.
        given: its arguments; real ones have any format.
        sizes: numbers at which it is run.
    """
    wide, default = (_done(function, given, sizes, form, form) for form in (WIDE, DEFAULT))
    if wide is not None and (default is None or _are_one(wide, default)):
        return Chosen(WIDE, coarsest=_coarsest(wide))
    if default is None:
        return Chosen(WIDE)
    cast = _done(function, given, sizes, WIDE, DEFAULT) if wide is None else None
    if cast is not None and _are_one(cast, default):
        return Chosen(DEFAULT, coarsest=_coarsest(default))
    why = "it takes no float64" if wide is None else "with float64 it is another program"
    return Chosen(
        DEFAULT, f"inputs are of the format float32, torch's default: {why}", _coarsest(default)
    )


def of_format(given: Sequence[Given], form: str) -> list[Given]:
    """The arguments, real ones of this format."""
    dtype = getattr(torch(), form)
    return [one._replace(dtype=dtype) if one.dtype.is_floating_point else one for one in given]


class _Done(NamedTuple):
    """What a function did: its operations with the numbers in them, and the formats that it computed in."""

    steps: list[str | float]
    formats: set[str]


def _done(
    function: Callable[..., Any],
    given: Sequence[Given],
    sizes: dict[str, int],
    form: str,
    made: str,
) -> _Done | None:
    """What a function does where its inputs are of a format, and what it makes of another; None if it does not run."""
    from torch.utils._pytree import tree_leaves

    t, done = torch(), _Done([], set())

    def call(func: Any, args: Any, kwargs: Any) -> Any:
        found = func(*args, **kwargs)
        name = func._opname
        for one in tree_leaves((args, kwargs, found)):  # constants may be of a narrower format
            if isinstance(one, t.Tensor) and one.is_floating_point():
                done.formats.add(str(one.dtype).removeprefix("torch."))
        if name in CASTS:
            for one in tree_leaves(args) if name.startswith("lift") else ():
                done.steps.extend(one.double().flatten()[:FEW].tolist())
            return found
        done.steps.append(str(func))
        for one in tree_leaves((args, kwargs)):
            if isinstance(one, bool | int | float):
                done.steps.append(float(one))
        return found

    try:
        with warnings.catch_warnings(), by_default(made), operations(call):
            warnings.simplefilter("ignore")
            function(*example_inputs(of_format(given, form), sizes))
    except Exception:  # what is wrong with it shows where it is read
        return None
    return done


def operations(call: Callable[[Any, Any, Any], Any]) -> Any:
    """A block in which each operation of torch, its arguments and its options go to `call`."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calling(TorchDispatchMode):
        @classmethod
        def _should_skip_dynamo(cls) -> bool:  # to skip the compiler, torch imports it, for seconds
            return False

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return call(func, args, kwargs or {})

    return Calling()


def _are_one(wide: _Done, default: _Done) -> bool:
    steps = zip(wide.steps, default.steps, strict=False)
    return len(wide.steps) == len(default.steps) and all(_alike(*pair) for pair in steps)


def _alike(one: str | float, other: str | float) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one == other or abs(one - other) <= NEAR * abs(one) or (one != one and other != other)


def _coarsest(done: _Done) -> str:
    order = (WIDE, DEFAULT, "float16", "bfloat16")
    known = [order.index(one) for one in done.formats if one in order]
    return order[max(known)] if known else WIDE
