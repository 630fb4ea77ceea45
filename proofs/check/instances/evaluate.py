"""A claim at fixed sizes in the scalars of a field: its statement is read, or its body run where none is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...exact.array import Namespace
from ...exact.engines import Engine, sides
from ...exact.field import Field
from ...exact.instance import entry_names, run_body, symbols
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
        symbolic = field.differentiate is not None and field.generators
        statement = own and (own.statement if symbolic else own.written)
        if statement is None:
            return [_of_body(one, field) for one in run_body(claim, field, sizes, arrays, mutate)]
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


def _of_body(statement: said.Statement, field: Field) -> said.Statement:
    """What the body of a claim without a statement said, on plain arrays."""
    if isinstance(statement, said.Approached):
        return statement
    names = [name for name in ("left", "right", "statistic", "value") if hasattr(statement, name)]
    both = sides(statement) if "left" in names else [getattr(statement, n) for n in names]
    plain = [Namespace(field).asarray(one).entries for one in both]
    return replace(statement, **dict(zip(names, plain, strict=True)))
