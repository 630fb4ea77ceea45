"""Choosing among the rows of one construction, which differ in its options, by the options of a request."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers.sequence import Network
from scanproof.constructs.tokens.mamba2 import RawTokens
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.language.claim import Claim

from .parts import Export, Request, drawn


class Row(NamedTuple):
    """The options of the construction that a statement is about."""

    tokens: str
    in_one_block: bool
    targets: int | None
    """k; any number if none is given."""


@functools.cache
def rows_of(network: Network) -> dict[str, Row]:
    """The rows whose construction is this network, by id."""
    found = {}
    for row in built_in().rows:
        construction = row.claim.construction
        if construction is not None and construction.layer == network:
            tokens, k = construction.tokens, construction.targets
            assert isinstance(tokens, RawTokens)
            targets = k if isinstance(k, int) else None
            found[row.claim.id] = Row(tokens.layout(1).name, not tokens.weights, targets)
    return found


class Selection(NamedTuple):
    """The options of a construction, and the statement that covers most of the request."""

    claim: Claim
    beyond: tuple[str, ...]
    """How the request goes beyond the statement."""
    tokens: str
    in_one_block: bool
    targets: int


def choose(
    request: Request, network: Network, tokens: Collection[str], *, unit: str = "block"
) -> Selection:
    """The options of a request; those that are left open are taken from the row that is named.

    Args:
        request: what is asked for; its id is that of a row of the network.
        network: what the rows are about.
        tokens: the names of the construction's tokenisations.
        unit: what the construction is a stack of.

    Raises:
        UsageError: for several steps in one block, an unknown tokenisation, or a W0 for other targets.
    """
    rows = rows_of(network)
    row = rows[request.id]
    in_one_block = row.in_one_block or request.in_one_block
    if in_one_block and request.steps != 1:
        option = "--in-one-block" if request.in_one_block else "--steps"
        raise UsageError(
            f"export {request.id} --steps {request.steps}: one {unit} does one step; leave {option} out."
        )
    alike = [other.tokens for other in rows.values() if other.in_one_block == in_one_block]
    cut = request.tokens or (row.tokens if row.tokens in alike else alike[0])
    if cut not in tokens:
        raise UsageError(f"--tokens {cut}: {request.id} takes one of {', '.join(tokens)}.")
    k = request.targets or (row.targets or 1 if request.W0 is None else request.W0.shape[1])
    if request.W0 is not None and request.W0.shape[1] != k:
        raise UsageError(
            f"export(W0=…) expects {k} columns, one a target, got {request.W0.shape[1]}."
        )
    id, beyond = _statement(request, rows, Row(cut, in_one_block, k))
    claim = next(found.claim for found in built_in().rows if found.claim.id == id)
    return Selection(claim, beyond, cut, in_one_block, k)


def exported(
    request: Request, chosen: Selection, eta: Fraction, W0: np.ndarray, model: Any, **family: Any
) -> Export:
    """The model of a request as an instance of the row that is chosen; its family says the rest of its fields."""
    return Export(
        claim=chosen.claim,
        beyond=chosen.beyond,
        model=model,
        features=request.features,
        targets=chosen.targets,
        steps=request.steps,
        step_size=eta,
        W0=W0,
        tokens=chosen.tokens,
        **family,
    )


def weights(request: Request, targets: int) -> np.ndarray:
    """W0: as given, drawn if there is a seed, else 0."""
    if request.seed is not None:
        return drawn(request.seed, request.features, targets)
    return np.zeros((request.features, targets)) if request.W0 is None else request.W0


def _statement(
    request: Request, rows: Mapping[str, Row], wanted: Row
) -> tuple[str, tuple[str, ...]]:
    k = wanted.targets or 1

    def agreement(id: str) -> tuple[bool, ...]:
        row = rows[id]
        return (
            row.in_one_block == wanted.in_one_block,
            row.tokens == wanted.tokens,
            row.targets in (None, k),
            row.targets is not None and min(row.targets, k) > 1,  # both of several
            id == request.id,
        )

    id = max(rows, key=agreement)
    row, beyond = rows[id], []
    if row.tokens != wanted.tokens:
        beyond.append(f"{id} is about {row.tokens} tokens, these are {wanted.tokens}")
    if row.targets not in (None, k):
        beyond.append(f"{id} is about k = {row.targets}, here k = {k}")
    return id, tuple(beyond)
