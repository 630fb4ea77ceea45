"""`construct`: the parameters of a ledger row as named NumPy arrays, or as sympy matrices."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from scanproof.constructs.arrays.scan import leaves, map_leaves
from scanproof.constructs.errors import UsageError, nearest

from ..doors.record.exactly import exactly
from ..exact.entries import arranged
from ..exact.expressions import ExpressionField
from ..exact.mutation import paths
from ..language.claim import Claim
from ..language.sizes import shape
from ..language.source import Row
from .ledger import built_in

if TYPE_CHECKING:
    from ..check.result import Result

ALIASES = {
    "features": ("f", "d"),
    "examples": ("N", "n"),
    "step_size": ("eta",),
    "targets": ("k",),
    "layers": ("L",),
}
"""Long names that `construct` takes for the sources' letters; a source has one letter of each."""


class Parameters(Mapping[str, np.ndarray]):
    """The parameters of one construction as named arrays; `parameters` is the tuple that its step function takes."""

    def __init__(self, id: str, exact: Any, corrections: tuple[str, ...]) -> None:
        self.id = id
        """The statement (as stated or amended) whose parameters these are."""
        self.corrections = corrections
        self._exact = exact
        self.parameters = map_leaves(lambda array: array.astype(float), exact)
        self._arrays = dict(zip(paths(exact), leaves(self.parameters), strict=True))

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def as_sympy(self) -> dict[str, Any]:
        """The same as exact sympy scalars, column matrices and matrices (N-dimensional arrays beyond two axes)."""
        return {n: _as_sympy(a) for n, a in zip(self._arrays, leaves(self._exact), strict=True)}

    def __repr__(self) -> str:
        shapes = ", ".join(f"{n} {a.shape}" for n, a in self.items())
        return f"Parameters({self.id}: {shapes})"


def construct(id: str, *, as_stated: bool = False, **values: Any) -> Parameters:
    """The parameters of the construction behind a row.

    Args:
        id: a row's id, with or without "-construction", or an amendment's id. A row is answered with its strongest
            proved parameters: as stated if they are proved, else its first amendment that is.
        as_stated: take the parameters as printed, whatever the verdict.
        values: sizes and scalars by the source's letters (f=8, eta=Fraction(1, 2)) or by name (features, examples,
            step_size, layers). Floats are taken at their exact binary value; symbols that are left out stay symbols
            in `as_sympy` and are refused for NumPy arrays.

    Raises:
        UsageError: for an unknown id, a row without parameters, a missing or unknown size, or a value that is not an
            exact number of the right shape.
    """
    if not isinstance(id, str):
        raise UsageError(
            f"construct({id!r}) expects a row's id as text, such as 'gril.prop4.1'; `scanproof list` prints every id."
        )
    claim = _strongest(_row(id), id, as_stated)
    values = _by_letter(id, claim, values)
    sizes = {n: _size(id, n, values[n]) for n in claim.ranges if n in values}
    arrays = {
        n: _exact(v, f"construct({id!r}) expects {n}", shape(claim.given[n], sizes))
        for n, v in values.items()
        if n in claim.given
    }

    def made(xp: Any, *given: Any) -> Any:
        return claim.construct({**sizes, **dict(zip(arrays, given, strict=True)), "xp": xp})

    exact = exactly(ExpressionField([]), made, *arrays.values())
    return Parameters(claim.id, exact, claim.corrections)


def _by_letter(id: str, claim: Claim, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the source's letters, all that are needed and no others."""
    known = {**claim.ranges, **claim.given}
    found: dict[str, Any] = {}
    for name, value in values.items():
        letter = _letter(name, known)
        if letter in found:
            raise UsageError(
                f"construct({id!r}) was given {letter} twice, as {letter} and by name; give one of them."
            )
        found[letter] = value
    if claim.parameters is None:
        raise UsageError(
            f"{claim.id} has no parameters; `scanproof show {claim.amends or claim.id}` tells of it."
        )
    needed = claim.needed
    unknown = sorted(set(found) - set(known))
    missing = sorted(name for name in needed if name not in found)
    if unknown or missing:
        names = {name for name in ALIASES if _letter(name, known) in needed}
        near = nearest(unknown[0], {*needed, *names}) if unknown else ""
        problem = (
            f"unknown: {', '.join(unknown)}{near}" if unknown else f"missing: {', '.join(missing)}"
        )
        raise UsageError(f"construct({id!r}) takes {', '.join(needed)}; {problem}.")
    return found


def _size(id: str, name: str, value: Any) -> int:
    size = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else 0
    if size < 1:
        raise UsageError(
            f"construct({id!r}) expects {name} to be a whole number ≥ 1, got {value!r}."
        )
    return size


def _letter(name: str, known: Mapping[str, Any]) -> str:
    return next((letter for letter in ALIASES.get(name, ()) if letter in known), name)


def _row(id: str) -> Row:
    ledger = built_in()
    wanted = {id, f"{id}-construction"}
    for row in ledger.rows:
        if any(c.id in wanted and c.parameters is not None for c in (row.claim, *row.amendments)):
            return row
    with_parameters = [r.claim.id for r in ledger.rows if r.claim.parameters is not None]
    ledger.select([id])  # an unknown id is answered with the nearest ones
    raise UsageError(
        f"construct({id!r}): this row has no parameters; rows that have: {', '.join(with_parameters)}."
    )


def _strongest(row: Row, id: str, as_stated: bool) -> Claim:
    named = [c for c in row.amendments if c.id == id]
    if named:
        return named[0]
    if as_stated and row.claim.parameters is not None:
        return row.claim
    for claim in (row.claim, *row.amendments):
        if claim.parameters is not None and quick_verdict(claim) == "proved":
            return claim
    raise UsageError(
        f"construct({id!r}): no proved parameters are known; pass as_stated=True for the printed ones."
    )


def quick_verdict(claim: Claim) -> str:
    """The verdict of `quick_result`."""
    return quick_result(claim).verdict


@functools.cache
def quick_result(claim: Claim) -> Result:
    """By the certificate beside the claim, or the fast engine; by all of them where that does not know (exp, log).

    The certificate is checked, as `scanproof check` does, and tells what holds for all sizes; no proof is searched for.
    """
    from ..exact.engines import ENGINES
    from .certificates import Certificates
    from .row_verdicts import homes
    from .verdict import decide

    result = decide(claim, ENGINES["flint"], Certificates(homes=homes(built_in())))
    return result if result.verdict != "unknown" else decide(claim, ENGINES["all"])


def _exact(value: Any, wanted: str, dims: tuple[int, ...]) -> np.ndarray:
    try:
        raw = np.asarray(value, dtype=object)
    except ValueError as error:  # lists of unequal lengths around arrays
        raise UsageError(f"{wanted} of shape {dims}, got {value!r}.") from error
    if raw.shape != dims:
        raise UsageError(f"{wanted} of shape {dims}, got {raw.shape}.")
    return arranged((_number(entry, wanted) for entry in raw.flat), dims)


def _number(value: Any, wanted: str) -> Fraction:
    """An exact number; floats, Python's and NumPy's, at their binary value."""
    try:
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    except (TypeError, ValueError, ArithmeticError):
        raise UsageError(
            f"{wanted} to be made of finite numbers, such as 0.5 or Fraction(1, 2); got {value!r}."
        ) from None


def _as_sympy(array: np.ndarray) -> Any:
    import sympy

    if array.ndim == 0:
        return array.item()
    if array.ndim <= 2:
        return sympy.Matrix(array.tolist())
    return sympy.ImmutableDenseNDimArray(array.tolist())
