"""A claim at fixed sizes in the scalars of a field: its statement is read, or its body run where none is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...exact.array import ExactArray
from ...exact.engines import Engine
from ...exact.field import Field
from ...exact.instance import Mutation, entry_names, run_body, symbols
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
    arrays: Mapping[str, ExactArray],
    mutate: Mutation = None,
) -> list[said.Statement]:
    """What the claim says of these arrays, after `mutate` has changed the construction's parameters.

    Raises:
        NotPolynomial: if the field lacks a function.
        DivisionByZero: where there is no value.
    """
    with stage.at(sizes):
        reading = _reading(claim, field, sizes, arrays, mutate)
        if reading is None:
            return run_body(claim, field, sizes, arrays, mutate)
        return list(reading)


def in_symbols(
    engine: Engine, claim: Claim, sizes: Sizes, mutate: Mutation = None
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


def _reading(
    claim: Claim,
    field: Field,
    sizes: Sizes,
    arrays: Mapping[str, ExactArray],
    mutate: Mutation,
) -> Iterator[said.Statement] | None:
    """The relations of the claim's statement, as statements; None where the body has to be run."""
    own = stated(claim, sizes)
    if own is None:
        return None
    symbolic = field.differentiate is not None and field.generators
    statement = own.statement if symbolic else own.written
    if statement is None:
        return None
    changes: dict[str, Change] = {}
    if mutate is not None:
        if not isinstance(mutate, OnLeaf) or mutate.path not in {
            one.path for one in statement.parameters
        }:
            return None
        changes[mutate.path] = lambda entries: mutate.change(ExactArray(entries, field)).entries
    inputs = {name: array.entries for name, array in arrays.items()}
    reading = Exact(field, sizes, inputs, changes)
    return (_said(one, reading, *sides) for one, *sides in of(statement, reading))


def _said(one: Relation, reading: Exact, left: np.ndarray, right: np.ndarray) -> said.Statement:
    pieces = [piece if isinstance(piece, str) else reading.whole(piece) for piece in one.label]
    label = said.Label(pieces) if len(pieces) > 1 else "".join(map(str, pieces))
    pair = ExactArray(left, reading.field), ExactArray(right, reading.field)
    if one.kind in ("determines", "undetermined"):
        return said.KINDS[one.kind](*pair, one.shared, label)
    return said.KINDS[one.kind](*pair, label)
