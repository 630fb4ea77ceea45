"""Does a certificate refute its claim? The claim is evaluated at the inputs that it names, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exact.counterexample import Counterexample, special
from ..exact.engines import FLINT, SYMPY, has_entries, holds
from ..exact.instance import ones
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.numbers import is_nonzero
from ..language.sizes import Sizes
from ..language.statements import AtMost, Determines, Differs, Equal, Statement, Undetermined
from .any_choice import why_not, why_not_collision
from .certificate import Collision, Limits, Refutation
from .certificate import Counterexample as Inputs
from .changes import is_mended
from .given import Refused, part_of, point_of, sizes_of, statements
from .instances.at_point import difference_index, inputs_as_text, nested
from .instances.enclosed import apart
from .instances.evaluate import in_symbols
from .instances.hypotheses import meets_hypotheses
from .limits import refute
from .result import Result, evidence, sizes_text

DIGITS = 12
"""Of numbers without an exact form."""


def refuted(claim: Claim, certificate: Refutation) -> Result:
    """The verdict that a refutation comes to."""
    by = certificate.by
    if isinstance(by, Limits):
        return _by_limits(claim, by)
    shown = _colliding(claim, by) if isinstance(by, Collision) else _failing(claim, by)
    if claim.kind == "existence":  # refuted for all parameters at once only
        asked = why_not_collision if shown.collision else why_not
        others_might = asked(claim, shown.sizes, _with_symbols(claim, shown))
        if others_might is not None:
            return Result("unknown", reason=others_might)
    for name in certificate.near_misses:
        if not is_mended(claim, name, shown.sizes):
            raise Refused(f"the near miss {name!r} does not hold")
    where = f" ({shown.label})" if shown.label else ""
    return Result(
        "refuted",
        reason=f"false at {sizes_text(shown.sizes)}{where}",
        evidence=[evidence("counterexample", None, [shown.sizes], "rational")],
        counterexample=shown,
        near_misses=list(certificate.near_misses),
    )


def _failing(claim: Claim, by: Inputs) -> Counterexample:
    sizes = sizes_of(claim, by.sizes)
    point = point_of(claim, sizes, by.inputs)
    try:
        statement = part_of(statements(claim, sizes, point), by.part)
    except Refused:
        balls = None if claim.assuming else apart(claim, sizes, point, by.part)
        if balls is None:
            raise
        actual, claimed = (nested(_decimals(side)) for side in balls)
        inputs = inputs_as_text(point)
        return Counterexample(
            sizes, inputs, by.part, claimed, actual, special=_special(claim, inputs)
        )
    inputs, label = inputs_as_text(point), str(getattr(statement, "label", ""))
    if isinstance(statement, Equal | AtMost) and difference_index(statement) is not None:
        relation = "≤ " if isinstance(statement, AtMost) else ""
        pair = nested(statement.right, relation), nested(statement.left)
    elif (
        isinstance(statement, Differs)
        and has_entries(statement)
        and _are_identical(claim, sizes, by.part)
    ):
        pair = (
            "another value, for some input; at these sizes the two sides are identical",
            nested(statement.left),
        )
    else:
        raise Refused(f"statement number {by.part + 1} does not fail at its inputs")
    what = "" if isinstance(statement, Differs) else _special(claim, inputs)
    return Counterexample(sizes, inputs, by.part, *pair, label, special=what)


def _special(claim: Claim, inputs: dict[str, Any]) -> str:
    """What is special about the inputs; it fails whatever the parameters are of which it says that some exist."""
    return special({n: v for n, v in inputs.items() if n not in claim.over_all_parameters})


def _decimals(balls: np.ndarray) -> np.ndarray:
    """Balls as decimals, rounded."""
    out = np.empty(balls.shape, dtype=object)
    for place in np.ndindex(balls.shape):
        ball: Any = balls[place]
        out[place] = ball.str(DIGITS, radius=False)
    return out


def _are_identical(claim: Claim, sizes: Sizes, part: int) -> bool:
    found = _symbolic(claim, sizes)
    statement = None if found is None else part_of(found, part)
    return isinstance(statement, Differs) and holds(statement)


def _symbolic(claim: Claim, sizes: Sizes) -> list[Statement] | None:
    """The statements with every entry a symbol, by the first engine that has what they need."""
    for engine in (FLINT, SYMPY):
        try:
            return in_symbols(engine, claim, sizes)
        except NotPolynomial:
            continue
    return None


def _with_symbols(claim: Claim, shown: Counterexample) -> Statement | None:
    found = _symbolic(claim, shown.sizes) if shown.sizes in claim.every_size else None
    return None if found is None else part_of(found, shown.part)


def colliding(claim: Claim, by: Collision) -> tuple[Counterexample, Statement]:
    """Two inputs with one statistic and two values, with the statement that they are about."""
    sizes = sizes_of(claim, by.sizes)
    points = [point_of(claim, sizes, inputs) for inputs in (by.first, by.second)]
    one, other = (part_of(statements(claim, sizes, point), by.part) for point in points)
    if not isinstance(one, Determines | Undetermined) or not isinstance(other, type(one)):
        raise Refused(f"statement number {by.part + 1} is not about a map")
    first, second = (inputs_as_text(point) for point in points)
    known = {*one.shared, *claim.before_inputs}
    same, again = (nested(s.statistic) for s in (one, other))
    if same != again or any(first[name] != second[name] for name in known):
        raise Refused(
            "its two inputs do not give the same statistic, or do not share what they must"
        )
    values = one.value, other.value
    if not any(is_nonzero(a - b) for a, b in zip(values[0].flat, values[1].flat, strict=True)):
        raise Refused("its two inputs have the same value")
    claimed = f"equal values, since both give the statistic {same}"
    both = {"first": first, "second": second}
    shown = Counterexample(
        sizes, both, by.part, claimed, [*map(nested, values)], str(one.label), collision=True
    )
    return shown, one


def _colliding(claim: Claim, by: Collision) -> Counterexample:
    shown, statement = colliding(claim, by)
    if not isinstance(statement, Determines):
        raise Refused("that no map does it is what the claim says")
    return shown


def _by_limits(claim: Claim, by: Limits) -> Result:
    sizes = sizes_of(claim, by.sizes)
    if claim.kind != "existence":
        raise Refused("an argument about limits is about a claim that parameters exist")
    if not _met_by_ones(claim, sizes):
        raise Refused("the numbers 1, at which it is evaluated, do not meet the conditions")
    found = refute(claim, sizes, by.part)
    if isinstance(found, str):
        return Result("unknown", reason=found)
    shown, steps = found
    return Result(
        "refuted",
        reason=f"no choice of parameters comes near at {sizes_text(sizes)}",
        evidence=[{**evidence("limit", None, [sizes], "flint"), "steps": steps}],
        counterexample=shown,
    )


def _met_by_ones(claim: Claim, sizes: Sizes) -> bool:
    return meets_hypotheses(claim, sizes, ones(claim, sizes))
