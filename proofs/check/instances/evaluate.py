"""A claim at fixed sizes in the scalars of a field: its statement is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from scanproof.constructs.errors import UsageError

from ...doors.record.claims import approached, record
from ...doors.refused import Refused
from ...exact.engines import Engine
from ...exact.field import Field
from ...exact.instance import entry_names, symbols
from ...exact.mutation import OnLeaf
from ...exact.polynomials import RationalField
from ...exact.scalar import NotPolynomial
from ...language import stage
from ...language import statements as said
from ...language.claim import Claim
from ...language.sizes import Sizes
from ...readings.exact import Change, Exact
from ...readings.run import of
from ...statement.statement import Relation
from ..fidelity import disagreement
from ..untraced import run
from .stated import stated


def evaluate(
    claim: Claim,
    field: Field,
    sizes: Sizes,
    arrays: Mapping[str, np.ndarray],
    mutate: OnLeaf | None = None,
) -> list[said.Statement]:
    """What the claim says of these arrays of the field's scalars, after `mutate` has changed a parameter.

    Its sides are such arrays, too; those of a comparison have one shape.

    Raises:
        NotPolynomial: if the field lacks a function.
        DivisionByZero: where there is no value.
    """
    with stage.at(sizes):
        own = stated(claim, sizes)
        if own is None:
            return [*_unread(claim, sizes)]
        symbolic = field.differentiate is not None and field.generators
        statement = own.statement if symbolic else own.written
        if statement is None:
            raise NotPolynomial("a gradient of a function without a derivative")
        changes: dict[str, Change] = {} if mutate is None else {mutate.path: mutate.change}
        reading = Exact(field, sizes, arrays, changes)
        return [_said(one, reading, *both) for one, *both in of(statement.relations, reading)]


def in_symbols(
    engine: Engine, claim: Claim, sizes: Sizes, mutate: OnLeaf | None = None
) -> list[said.Statement]:
    """What the claim says with every entry a symbol.

    Raises:
        NotPolynomial: if the claim needs exp or log and this engine has none.
    """
    names = entry_names(claim, sizes)
    for make in engine.fields:
        field = make(names)
        try:
            return evaluate(claim, field, sizes, symbols(claim, field, sizes), mutate)
        except NotPolynomial:
            if make is engine.fields[-1]:
                raise
    raise NotPolynomial("an engine without a field")


def leaves(claim: Claim, sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The shapes of the construction's parameters by their paths; none where no statement is recorded."""
    found = stated(claim, sizes)
    reading = Exact(RationalField(), sizes, {})
    every = found.statement.parameters if found else ()
    return {leaf.path: reading.shape(leaf.shape) for leaf in every}


def _said(one: Relation, reading: Exact, left: np.ndarray, right: np.ndarray) -> said.Statement:
    pieces = [piece if isinstance(piece, str) else reading.whole(piece) for piece in one.label]
    label = said.Label(pieces) if len(pieces) > 1 else "".join(map(str, pieces))
    if one.kind in ("determines", "undetermined"):
        return said.KINDS[one.kind](left, right, one.shared, label)
    return said.KINDS[one.kind](*np.broadcast_arrays(left, right), label)


def unread(claim: Claim, sizes: Sizes) -> str:
    """Why the claim has no statement at these sizes, nor is about limits; "" where it has, or is.

    Raises:
        Exception: its body's mistake, if that is why.
    """
    try:
        if stated(claim, sizes) is None:
            _unread(claim, sizes)
    except NotPolynomial as error:
        return str(error)
    return ""


def _unread(claim: Claim, sizes: Sizes) -> Sequence[said.Statement]:
    """What a claim about limits says.

    Raises:
        Exception: what the body of another claim, of which no statement is read, raises on arrays that record or at
            numbers.
        UsageError: if it does with arrays what no claim does.
        NotPolynomial: if something else is in the way, as what a program is made of, or that the statement is not what
            the body computes.
    """
    with suppress(Refused), approached(claim, sizes) as found:
        return found
    refused = None
    try:
        differs = disagreement(claim, record(claim, sizes))
        why = f"what is recorded of the claim is not the claim's own: {differs}"
    except Refused as error:
        cause, refused, why = error.__cause__, error, str(error)
        if cause is not None and not isinstance(cause.__cause__, Refused):
            raise (UsageError(why) if isinstance(cause, Refused) else cause) from None
        if cause is not None:  # a program is not read
            raise NotPolynomial(why) from error
    run(claim, sizes)
    raise NotPolynomial(why) from refused
