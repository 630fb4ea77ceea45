"""From a statement of the ledger to a model of the neutral form, in exact numbers; nothing here imports JAX.

What can be exported follows from the statement's construction: the layer and its tokens must be those of a family, and
the learner plain gradient descent on a squared error, one step or L.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import map_leaves
from scanproof.constructs.constructions.construction import SCALAR, VECTOR, Construction
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.constructs.layers.sequence import Network
from scanproof.constructs.layouts import families, neutral
from scanproof.constructs.layouts.families import FAMILIES, Form
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.learners.learner import Descent
from scanproof.constructs.learners.losses import SquaredError
from scanproof.constructs.tokens.encoding import encoding
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.roots import RootsField
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Row

from ..run import drawing, rows
from ..run.problem import Settings


class Exported(NamedTuple):
    """A model, and the learner that it performs."""

    asked: str
    """The id that was asked for."""
    claim: Claim
    """The statement whose parameters these are."""
    verdict: str
    model: Model
    """Arrays of Fractions and whole numbers."""
    features: int
    targets: int
    examples: int
    """n; most models are for this n only."""
    steps: int
    eta: Fraction
    """The factor of the summed gradient after n examples."""
    W0: np.ndarray
    """(d, k), Fractions."""
    every: bool
    """Whether each output is a prediction, for x_{t+1} from the first t examples; else only the last one is."""
    linear: bool
    """Whether the statement is about linear targets alone, y_j = Wᵀx_j."""

    @property
    def tensors(self) -> Model:
        """The model in float64, each number correctly rounded."""
        return neutral.mapped(in_float64, self.model)


def in_float64(exact: np.ndarray) -> np.ndarray:
    """Fractions as float64, each correctly rounded.

    Raises:
        UsageError: if a fraction is too large or too small for float64.
    """
    given = np.asarray(exact)
    try:
        rounded = given.astype(np.float64)
    except OverflowError as error:
        raise UsageError(
            "a parameter is too large for float64; take a smaller step size or smaller W0."
        ) from error
    if given[np.abs(rounded) < np.finfo(np.float64).tiny].any():
        raise UsageError(
            "a parameter is too small for float64; take a larger step size or larger W0."
        )
    return rounded


NOT_LINEAR = "there is no stack of linear recurrences in it that does plain gradient descent"


def form(construction: Construction) -> Form | None:
    """The form of a construction that does plain gradient descent; None if it cannot be exported."""
    learner = construction.learner
    if not isinstance(learner, Descent) or learner.weights or learner.steps or learner.link:
        return None
    plain = isinstance(learner.loss, SquaredError) and not learner.loss.ridge
    return families.form(construction) if plain else None


def exportable() -> list[str]:
    """The ids of the rows with a statement that can be exported, whole networks too, in the ledger's order."""
    return [row.claim.id for row in built_in().rows if _exportable(row) or _is_network(row)]


def _is_network(row: Row) -> bool:
    construction = row.claim.construction
    return construction is not None and isinstance(construction.layer, Network)


def _exportable(row: Row) -> bool:
    every = (claim.construction for claim in (row.claim, *row.amendments))
    return any(one is not None and form(one) is not None for one in every)


def of_statement(
    id: str,
    *,
    features: int | None = None,
    examples: int,
    targets: int | None = None,
    steps: int = 1,
    step_size: Fraction | float | None = None,
    W0: Any = None,
    as_stated: bool = False,
) -> Exported:
    """The model behind a row of the ledger.

    Args:
        id: a row's id, or an amendment's. Of a row its strongest proved statement is taken.
        features: d; 1 by default where the statement is about one feature.
        examples: n ≥ 1.
        targets: k; 1 by default. Where the statement has as many targets as features, that is the default, and for
            another k it is taken at f = d + k, with inputs and targets in coordinates of their own (gril footnote 1).
        steps: L.
        step_size: η as the factor of the summed gradient, 1/n by default; the statement's own η follows from its loss.
        W0: the initial weights (d, k), numbers; 0 by default.
        as_stated: take the parameters as printed, whatever the verdict.

    Raises:
        UsageError: for a statement that cannot be exported, and for sizes or numbers that it does not have.
    """
    claim, verdict = _statement(id, as_stated)
    construction = claim.construction
    found = None if construction is None else form(construction)
    if construction is None or found is None:
        raise _refused(id, NOT_LINEAR)
    learner = construction.learner
    assert isinstance(learner, Descent) and isinstance(learner.loss, SquaredError)
    d = features if features is not None else construction.features
    k = targets if targets is not None else d if construction.targets == VECTOR else 1
    d, k, n, L = _sizes(claim, construction, d, k, examples, steps)
    eta = _number("step_size", Fraction(1, n) if step_size is None else step_size)
    if eta <= 0:
        raise UsageError(
            f"export {id}: step_size = {step_size} is not positive; give one such as 1/{n}."
        )
    weights = _weights(id, W0, d, k, from_zero=learner.from_zero)
    return Exported(
        asked=id,
        claim=claim,
        verdict=verdict,
        model=_model(claim, construction, found, (d, k, n, L), eta, weights),
        features=d,
        targets=k,
        examples=n,
        steps=L,
        eta=eta,
        W0=weights,
        every=construction.every,
        linear="y" not in claim.given,
    )


def _model(
    claim: Claim,
    construction: Construction,
    found: Form,
    sizes: tuple[int, int, int, int],
    eta: Fraction,
    W0: np.ndarray,
) -> Model:
    """The model of a construction of such a form for d, k, n and L."""
    (d, k, n, L), learner = sizes, construction.learner
    assert isinstance(learner, Descent) and isinstance(learner.loss, SquaredError)
    apart = k != d if found.apart is None else found.apart
    width = d + k if apart and found.apart is None else d
    settings = Settings(width, n, targets=k, layers=L)
    own_eta = _own(learner.loss, eta, n)
    free = drawing.free(claim, settings, float(own_eta))
    p = _parameters(claim, {**drawing.letters(settings), **free, "eta": own_eta})
    start = np.full((d + k, d + k), Fraction(0)) if apart else W0
    if apart:
        start[:d, d:] = W0
    layers = FAMILIES[found.family].written(p, n, L, start)
    # Without residual and 1/n the query's label, 0 in its token, is n times that of the layer of ssd Def. 3.2.
    factor = n if construction.layer == ssd.MIXING else 1
    weight, readout = (
        matrix.astype(int).astype(object)
        for matrix in encoding(np, found.tokens, d, k, apart=apart)
    )
    return Model(
        found.family,
        found.tokens,
        tuple(map_leaves(_exactly, layer) for layer in layers),
        weight,
        np.full(weight.shape[0], 0, dtype=object),
        readout * (learner.sign * factor),
    )


def _statement(id: str, as_stated: bool) -> tuple[Claim, str]:
    """The statement of an id, as `run` finds it; rows that have none to export are refused before any verdict."""
    for row in built_in().rows:
        claims = (row.claim, *row.amendments)
        if any(claim.id in (id, f"{id}-construction") for claim in claims):
            if not _exportable(row):
                raise _refused(id, NOT_LINEAR)
            break
    try:
        return rows.find(id, as_stated)
    except UsageError as error:
        raise UsageError(str(error).replace("run ", "export ", 1)) from error


def _refused(id: str, why: str) -> UsageError:
    return UsageError(f"export {id}: {why}; rows that can be exported: {', '.join(exportable())}.")


def _sizes(
    claim: Claim, of: Construction, d: Any, k: Any, n: Any, L: Any
) -> tuple[int, int, int, int]:
    given = {"features": d, "targets": k, "examples": n, "steps": L}
    for name, size in given.items():
        whole = hasattr(size, "__index__") and not isinstance(size, bool)
        if not whole or size < 1:
            raise UsageError(f"export {claim.id}: give {name} as a whole number ≥ 1, got {size!r}.")
    most = of.features
    if most is not None and d != most:
        raise UsageError(f"export {claim.id}: the statement is about {most} feature, got {d}.")
    if of.targets == SCALAR and k != 1:
        raise UsageError(f"export {claim.id}: the statement is about one target, got {k}.")
    if L != 1 and not of.several:
        raise UsageError(f"export {claim.id}: the statement is about one step, got {L}.")
    return tuple(map(int, (d, k, n, L)))  # type: ignore[return-value]


def _number(name: str, value: Any) -> Fraction:
    try:
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    except (TypeError, ValueError, ArithmeticError):
        raise UsageError(
            f"export: {name} takes finite numbers, such as 0.5 or '1/40'; got {value!r}."
        ) from None


def _weights(id: str, W0: Any, d: int, k: int, *, from_zero: bool) -> np.ndarray:
    """W0 as Fractions."""
    if W0 is None:
        return np.full((d, k), Fraction(0))
    try:
        given = np.asarray(W0, dtype=object)
    except ValueError:
        given = np.empty(0, dtype=object)
    if given.shape != (d, k):
        raise UsageError(f"export {id}: W0 has shape {given.shape}, expected ({d}, {k}).")
    weights = np.empty((d, k), dtype=object)
    for index in np.ndindex(d, k):
        weights[index] = _number("W0", given[index])
    if from_zero and weights.any():
        raise UsageError(f"export {id}: the statement starts from W0 = 0; leave W0 out.")
    return weights


def _own(loss: SquaredError, eta: Fraction, n: int) -> Fraction:
    """The statement's η, for which a step on its loss is −eta times the summed gradient."""
    return eta * (n if loss.mean else 1) / (2 * Fraction(loss.scale))


def _parameters(claim: Claim, values: Mapping[str, Any]) -> Any:
    """The parameters in exact numbers, from the values that the statement names."""
    exact = {
        name: value if name in claim.ranges else _exactly(value)
        for name, value in values.items()
        if name in claim.needed
    }

    def made(xp: Any, *given: Any) -> Any:
        return claim.construct({**dict(zip(exact, given, strict=True)), "xp": xp})

    return exactly(RootsField(), made, *exact.values())


def _exactly(value: Any) -> Any:
    """Numbers and arrays of floats as Fractions."""
    raw = np.asarray(value, dtype=object)
    out = np.empty(raw.size, dtype=object)
    out[:] = [Fraction(entry) for entry in raw.flat]
    return out.reshape(raw.shape)
