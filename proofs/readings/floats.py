"""A statement on plain NumPy arrays of floats, as people run definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..statement import nodes
from ..statement.statement import Statement
from .functions import IN_NUMPY, smooth
from .reading import Reading
from .recognised import extreme
from .run import Sides, of


class Floats(Reading):
    """Nodes as NumPy's arrays of floats."""

    def __init__(self, sizes: Mapping[str, int], inputs: Mapping[str, np.ndarray]) -> None:
        super().__init__(np, sizes, inputs)

    def number(self, value: Any) -> Any:
        large = isinstance(value, int) and abs(value) > 2**62  # which no integer of NumPy's is
        return float(value) if large or isinstance(value, Fraction) else value

    def map(self, node: nodes.Map) -> Any:
        found = extreme(node)
        if found is None:
            return super().map(node)
        return np.asarray(getattr(np, found[0])(*map(self, found[1:])))

    def named(self, function: str, array: Any) -> Any:
        return np.asarray(IN_NUMPY[function](array))

    def any_function(self, node: nodes.Opaque) -> Callable[..., Any]:
        return smooth(node.name, node.laws)

    def held(self, node: nodes.Held) -> Any:
        array = self(node.of)
        low, high = node.format.ends
        if not node.format.says:
            return array
        fits = array == np.floor(array)
        fits &= array >= (-np.inf if low is None else low)
        fits &= array <= (np.inf if high is None else high)
        return np.where(fits, array, np.nan)

    def greatest(self, array: Any) -> Any:
        return np.asarray(np.max(array, axis=0))

    def at_places(self, node: nodes.Lookup) -> Any:
        places = np.arange(self.whole(node.of.shape[0]))
        return np.equal.outer(self(node.places), places).astype(float)

    def array(self, value: Any) -> Any:
        found = super().array(value)
        return np.asarray(found) if isinstance(found, np.generic) else found

    def mask(self, truths: np.ndarray) -> Any:
        return truths.astype(float)

    def xp_of(self, array: Any) -> Any:
        return array.__array_namespace__() if hasattr(array, "__array_namespace__") else np


COMPUTING = (nodes.Map, nodes.Contract, nodes.Fold, nodes.Solve)
"""The kinds of nodes whose results are rounded."""


class Moved(Floats):
    """The same, with each result a little off, as rounding in another order would have it.

    Args:
        sizes: each size by name.
        inputs: each input by name.
        rng: draws the signs.
        far: how far, relatively.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        inputs: Mapping[str, np.ndarray],
        rng: np.random.Generator,
        far: float,
    ) -> None:
        super().__init__(sizes, inputs)
        for kind in COMPUTING:
            self._methods[kind] = self._moving(self._methods[kind], rng, far)

    def _moving(
        self, method: Callable[[Any], Any], rng: np.random.Generator, far: float
    ) -> Callable[[Any], Any]:
        def moved(node: Any) -> Any:
            found = method(node)
            if getattr(getattr(found, "dtype", None), "kind", "") != "f":
                return found
            return found * (1 + far * rng.choice((-1.0, 1.0), np.shape(found)))

        return moved


def relations(
    statement: Statement, sizes: Mapping[str, int], inputs: Mapping[str, np.ndarray]
) -> Iterator[Sides]:
    """The sides of each relation, as `run.of` has them."""
    return of(statement.relations, Floats(sizes, inputs))
