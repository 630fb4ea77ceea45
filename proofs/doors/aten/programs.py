"""A function of PyTorch as claims call it: as nodes, as exact numbers, and as PyTorch runs it on NumPy's arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...statement.nodes import Node
from ...statement.statement import Fit, Relation
from ..meant import Literal
from ..outputs import opened
from ..refused import Refused
from .formats import Chosen, by_default, chosen, of_format
from .modules import unscripted
from .program import Read, Tracing, dtype_of
from .refusal import torch
from .tracing import Given
from .validity import run_as_valid

SMALL = (2, 3)
"""A function is run at such sizes, or the least that it is for, to see which formats it is for."""
EFFORT, OF_EACH = 5_000, 30
"""As how many operations modulo a prime a trace counts where sizes are tried, and each operation in it besides."""


@dataclass(frozen=True)
class Lowered:
    """A program as nodes."""

    outputs: tuple[Node, ...]
    """A node for each array that it returns."""
    nested: Any
    """What it returns, with numbers for its arrays."""
    taken: tuple[str, ...]
    """What is taken for granted, in words."""
    literals: tuple[Literal, ...]
    """Its numbers that are more than small binary fractions."""
    format: str
    """The format of its real inputs."""
    function: Callable[..., Any]
    """The program itself."""
    inputs: tuple[Given, ...]
    """The shapes and formats of its arguments."""
    fits: tuple[Fit, ...] = ()
    """What has to hold of the sizes for whole numbers to fit their type."""
    obligations: tuple[Relation, ...] = ()
    """Equations that have to hold besides: none."""
    effort: int = 0
    """As how many operations modulo a prime its trace counts where sizes are tried."""

    def each(self, make: Callable[[Node], Any]) -> Any:
        """The results with something else for each node."""
        return opened(self.nested, lambda one: None if one is None else make(self.outputs[one]))


class Program:
    """A function of PyTorch; what was traced of it is kept for arrays of the same shapes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = unscripted(function)
        self._traced: dict[Any, tuple[Tracing, Any] | Refused] = {}
        self._chosen: Chosen | None = None
        self._nested: Any = None
        """What the function returned last, with numbers for its arrays."""

    def lowered(self, arguments: Sequence[Node]) -> Lowered:
        """The program on these arrays.

        Raises:
            Refused: for what is not read, with the operation and the user's line.
        """
        given = [Given(one.shape, dtype_of(one)) for one in arguments]
        form = self.format(given)
        known = of_format(given, form.name)
        with by_default(form.name):
            read, nested = self._read(known, arguments, form.coarsest)
        said = [form.says] if form.says else []
        return Lowered(
            read.outputs,
            nested,
            tuple(dict.fromkeys((*said, *read.assumes))),
            read.literals,
            form.name,
            self.function,
            tuple(given),
            read.fits,
            effort=EFFORT + OF_EACH * read.traced,
        )

    def _read(
        self, given: list[Given], arguments: Sequence[Node], coarsest: str
    ) -> tuple[Read, Any]:
        key = tuple((one.shape, str(one.dtype)) for one in given)
        if key not in self._traced:
            try:
                found = Tracing(self._leaves, given, [self.function], coarsest)
                self._traced[key] = found, self._nested
            except Refused as error:
                self._traced[key] = error
        known = self._traced[key]
        if isinstance(known, Refused):
            raise known
        tracing, nested = known
        return tracing.of(arguments), nested

    def format(self, given: Sequence[Given]) -> Chosen:
        """The format of its real inputs."""
        if self._chosen is None:
            every = (s for one in given for n in one.shape for s in getattr(n, "symbols", ()))
            names = sorted({one.name: one.least for one in every}.items())
            small = {n: max(low, SMALL[k % 2]) for k, (n, low) in enumerate(names)}
            self._chosen = chosen(self._leaves, given, small)
        return self._chosen

    def _leaves(self, *tensors: Any) -> list[Any]:
        """What it returns, one after another; how that is nested is kept."""
        leaves: list[Any] = []

        def leaf(one: Any) -> Any:
            if one is None:
                return None
            leaves.append(one)
            return len(leaves) - 1

        self._nested = opened(self.function(*tensors), leaf)
        return leaves

    def only_for(self, shapes: Sequence[Sequence[int]]) -> str:
        """The one format of which what is read speaks; "" where the format makes no difference.

        Args:
            shapes: those of the arguments, at small numbers.
        """
        found = self.format([Given(tuple(one), torch().float64) for one in shapes])
        return found.name if found.says else ""

    def drawn_alike(self) -> Any:
        """A block in which what draws random numbers draws the same ones each time."""
        return _seeded()

    def floats(
        self, arrays: Sequence[Any], made: Callable[[np.ndarray], Any] = lambda one: one
    ) -> Any:
        """What PyTorch computes of NumPy's arrays, in the program's format; arrays of the coarsest format in it.

        Args:
            arrays: the arguments.
            made: what becomes of each array.
        """
        t = torch()
        given = [Given(np.shape(one), t.float64) for one in arrays]
        form = self.format(given)
        with warnings.catch_warnings(), by_default(form.name):
            warnings.simplefilter("ignore")
            dtype = getattr(t, form.name)
            found = run_as_valid(
                lambda: self._leaves(
                    *(t.tensor(np.asarray(one, float), dtype=dtype) for one in arrays)
                )
            )
            arrays = [made(_array(one, form)) for one in found]
        return opened(self._nested, lambda one: None if one is None else arrays[one])


@contextmanager
def _seeded() -> Iterator[None]:
    t = torch()
    with t.random.fork_rng(devices=[]):
        t.manual_seed(0)
        yield


def _array(value: Any, form: Chosen) -> np.ndarray:
    if hasattr(value, "detach"):
        value = value.detach().cpu().resolve_conj().resolve_neg()
        value = (value if value.is_complex() else value.double()).numpy()
    array = np.asarray(value)
    coarse = {"float64": "float64", "float32": "float32"}.get(form.coarsest, "float16")
    return array.astype(coarse) if array.dtype.kind == "f" else array
