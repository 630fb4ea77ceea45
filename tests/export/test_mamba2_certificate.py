"""The certificates of Mamba-2 blocks: how near their bound is to errors that are found, and to what it assumes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import mamba2_cases as cases
import numpy as np
import pytest
from mamba2_cases import Case

from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layouts import hf_mamba2
from scanproof.numeric.export.certificates import mamba2
from scanproof.numeric.export.certificates.side_by_side import Namespace, SideBySide
from scanproof.numeric.export.mamba2 import PARTS
from scanproof.numeric.export.parts import Request
from scanproof.numeric.export.request import build, checked
from scanproof.numeric.rounding.arithmetic import DIVISION, FUNCTION, Format


@pytest.mark.long
@pytest.mark.parametrize(
    ("features", "examples", "steps", "times"),
    [(4, 16, 1, 80), (8, 40, 3, 80), (4, 16, 20, 120)],
)
def test_the_bound_of_a_stack_is_within_so_many_times_what_the_search_finds(
    features, examples, steps, times
):
    request = checked(Request("mamba2.gd", features, examples, steps=steps))
    certificate = build(request).certify("float32")
    found = certificate.search()
    assert 0 < found <= certificate.absolute <= times * found


def outputs(case: Case, data: cases.Tasks, array: Callable[[np.ndarray], Any]) -> np.ndarray:
    """What the definition predicts on arrays of a kind that are made of data, (tasks, k)."""
    made = cases.instance(case)
    model, xp = made.model, array(data.x).__array_namespace__()
    eps = xp.asarray(hf_mamba2.EPSILON)
    rows = made.layout.tokens(array(data.x), array(data.y))
    rows = rows @ model.encode_weight.T + model.encode_bias
    for block in [model.step] * made.steps + [model.last]:
        rows = mamba2_block.block(block, made.widths.heads, rows, eps, PARTS)
    return np.asarray((PARTS.norm(rows[-1:], model.norm, eps) @ model.readout.T)[0].held)


@pytest.mark.long
@pytest.mark.parametrize("tokens", ["labelled", "interleaved"])
def test_runs_side_by_side_are_those_of_each_by_itself(tokens):
    case = Case(3, 5, 2, targets=2, tokens=tokens)
    data, xp = cases.tasks(case, 4), Namespace(np.dtype(np.float64))
    together = outputs(case, data, xp.each)
    for i in range(4):
        one = cases.Tasks(data.x[i : i + 1], data.y[i : i + 1])
        np.testing.assert_allclose(outputs(case, one, xp.each)[0], together[i], rtol=1e-12)


UNIT = 2.0**-24
BAD = Format(UNIT, 2.0**-1022, 2.0**1000)


class Bad(SideBySide):
    """Float64 numbers whose operations are off by as much as is assumed of a format of unit 2⁻²⁴, where they round.

    In which direction is `seed`'s choice: one for each operation, or one for each operation and result.
    """

    __slots__ = ("seed",)

    def __init__(self, held: np.ndarray, seed: int) -> None:
        super().__init__(held)
        self.seed = seed

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return BadNamespace(self.seed)

    def _moved(self, move: Callable[[Any], Any]) -> Bad:
        return Bad(super()._moved(move).held, self.seed)

    def __neg__(self) -> Bad:
        return Bad(-self.held, self.seed)

    def __getitem__(self, index: Any) -> Bad:
        return Bad(super().__getitem__(index).held, self.seed)

    def sum(self, axis: int | None = None) -> Bad:
        parts = np.moveaxis(self.held, (axis or 0) % self.ndim + 1, 0)
        return Bad(self._added(list(parts)), self.seed)

    def _added(self, parts: list[np.ndarray]) -> np.ndarray:
        total = parts[0]
        for part in parts[1:]:
            total = self._off("+", total + part, 1, np.minimum(abs(total), abs(part)))
        return total

    def _off(self, name: str, exact: np.ndarray, units: float, most: Any = np.inf) -> np.ndarray:
        """A result as this machine returns it; what has 24 digits is exact in sums and products."""
        exact = np.asarray(exact)
        rng = np.random.default_rng([self.seed, *name.encode()])
        signs = rng.choice([-1.0, 1.0])
        if self.seed % 2:
            bits = exact.astype(np.float32).view(np.uint32).astype(np.uint64)
            mixed = bits * np.uint64(rng.integers(1, 2**31) * 2 + 1) >> np.uint64(13)
            signs = 1.0 - 2.0 * (mixed & np.uint64(1)).astype(np.float64)
        off = np.minimum(units * UNIT * abs(exact), most)
        if units == 1:
            off = np.where(exact == exact.astype(np.float32), 0.0, off)
        return exact + signs * np.where(np.isfinite(off), off, 0.0)

    def _combined(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        if operation is operator.matmul:
            axis = right.held.ndim - 2 if right.ndim > 1 else 1
            terms = [
                self._off("*", self._term(left.held, right.held, i, axis), 1)
                for i in range(left.held.shape[-1])
            ]
            return Bad(self._added(terms), self.seed)
        axes = max(left.ndim, right.ndim)
        a, b = (
            one.held.reshape(len(one.held), *(1,) * (axes - one.ndim), *one.shape)
            for one in (left, right)
        )
        if operation is operator.mul:
            return Bad(self._off("*", a * b, 1), self.seed)
        if operation is operator.truediv:
            return Bad(self._off("/", a / b, DIVISION), self.seed)
        return Bad(self._off("+", operation(a, b), 1, np.minimum(abs(a), abs(b))), self.seed)

    @staticmethod
    def _term(a: np.ndarray, b: np.ndarray, i: int, axis: int) -> np.ndarray:
        a, b = a[..., i], np.take(b, i, axis=axis)
        if b.ndim == 1:
            return a * b.reshape(len(b), *(1,) * (a.ndim - 1))
        return a[..., None] * b.reshape(len(b), *(1,) * (a.ndim - 1), b.shape[-1])


class BadNamespace(Namespace):
    """Functions on such arrays."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.dtype(np.float64))
        self.seed = seed

    def each(self, values: np.ndarray) -> Any:
        return Bad(np.asarray(values, dtype=np.float64), self.seed)

    def stack(self, arrays: Any, axis: int = 0) -> Any:
        return Bad(super().stack(arrays, axis).held, self.seed)

    def concat(self, arrays: Any, axis: int = 0) -> Any:
        return Bad(super().concat(arrays, axis).held, self.seed)

    def _entrywise(self, function: Callable[..., Any], *arrays: Any) -> Any:
        found = self.each(super()._entrywise(function, *arrays).held)
        units = {"exp": FUNCTION, "log": FUNCTION, "sqrt": 1.5}.get(function.__name__, 0)
        return Bad(found._off(function.__name__, found.held, units), self.seed)


@pytest.mark.short(6)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "case",
    [
        Case(3, 6, 2),
        Case(3, 6, 2, tokens="interleaved"),
        Case(2, 5, 1, targets=2, tokens="concatenated", in_one_block=True),
    ],
    ids=str,
)
def test_a_machine_as_bad_as_is_assumed_stays_within_the_bound(case, seed):
    """Entries and targets are alike, or at random; the data have 24 digits, so that nothing else is off."""
    data = cases.tasks(case, 8)
    x, y = data.x.copy(), data.y.copy()
    x[:4], y[:4] = abs(x[:4, :1, :1]) + 0.3, abs(y[:4, :1, :1])
    data = cases.Tasks(*(a.astype(np.float32).astype(np.float64) for a in (x, y)))
    made = cases.instance(case)
    found = outputs(case, data, lambda a: Bad(a, seed))
    domain = mamba2.domain_of(*data, made.W0, made.eta, case.steps)
    bound = mamba2.bound(made, domain, BAD).prediction
    error = np.abs(found - cases.explicit(case, made.W0, data)).max()
    assert bound / 1000 < error <= bound
