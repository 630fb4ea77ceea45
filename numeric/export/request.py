"""The user's request: checked before anything is built, and handed to the module that builds it."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.constructions import delta_net as delta_net_constructions
from scanproof.constructs.constructions import linear_attention as linear_attention_constructions
from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.language.sizes import whole

from . import delta_net, linear, linear_attention, mamba2, statements
from .parts import Export, Request
from .row_choice import rows_of

LARGEST = 2**31 - 1
NETWORKS = {
    mamba2_gd.NETWORK: mamba2.build,
    linear_attention_constructions.NETWORK: linear_attention.build,
    delta_net_constructions.NETWORK: delta_net.build,
}
"""Whole networks, and what builds the released models of them."""
NUMBER = re.compile(r"\d{1,400}(/\d{1,400}|(\.\d{0,400})?(e[+-]?\d{1,2})?)?|\.\d{1,400}", re.I)
"""A fraction or a decimal, with an exponent small enough to write the number out."""


def exportable() -> list[str]:
    """The ids of the rows that have an export."""
    return statements.exportable()


def build(request: Request) -> Export:
    """The model that is asked for.

    Raises:
        UsageError: for an id without an export, or options that its export does not take.
    """
    for network, build_network in NETWORKS.items():
        if request.id in rows_of(network):
            return build_network(request)
    rows = built_in().select([request.id])  # an unknown id is answered with the nearest ones
    if {row.claim.source for row in rows} & {"mamba2", "linear-attention", "delta-net"}:
        raise UsageError(
            f"export {request.id}: no export is made of it; rows with one: {', '.join(exportable())}."
        )
    return linear.build(request)


def checked(request: Request) -> Request:
    """The arguments of `export`, each of them a value of its kind.

    Raises:
        UsageError: for the first that is not.
    """
    id, features, seed = request.id, request.features, request.seed
    if not isinstance(id, str):
        raise UsageError(f"export({id!r}) expects a row's id as text, such as 'mamba2.gd'.")
    sizes = {"features": features, "examples": request.examples, "steps": request.steps}
    sizes |= {} if request.targets is None else {"targets": request.targets}
    for name, size in sizes.items():
        sizes[name] = whole(f"export --{name} {size}", size)
        if size > LARGEST:
            raise UsageError(f"export --{name} {size}: give a whole number ≤ {LARGEST}.")
    if seed is not None:
        whole(f"export --w0-seed {seed}", seed, least=0)
        if request.W0 is not None:
            raise UsageError("export(W0=…, seed=…): give one of them.")
    step_size, target_bound = request.step_size, request.target_bound
    return request._replace(
        **sizes,
        step_size=None if step_size is None else positive("--step-size", step_size),
        W0=None if request.W0 is None else _weights(request.W0, features),
        input_bound=float(positive("--input-bound", request.input_bound)),
        target_bound=math.sqrt(features)
        if target_bound is None
        else float(positive("--target-bound", target_bound)),
    )


def positive(option: str, value: Any) -> Fraction:
    """A positive number, given as such or as text: 0.025, "1/40".

    Raises:
        UsageError: for anything else.
    """
    try:
        if isinstance(value, str):
            found = Fraction(value) if NUMBER.fullmatch(value.strip()) else Fraction(-1)
        else:
            found = Fraction(value.item() if isinstance(value, np.generic) else value)
        usable = found > 0 and 0 < float(found) < math.inf
    except (TypeError, ValueError, ArithmeticError):
        usable = False
    if not usable or isinstance(value, bool):
        raise UsageError(f"export {option} {value}: give a positive number, such as 0.025 or 1/40.")
    return found


def _weights(W0: Any, features: int) -> np.ndarray:
    try:
        found = np.array(W0, dtype=float)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    if found.ndim != 2 or found.shape[0] != features or not np.isfinite(found).all():
        raise UsageError(
            f"export(W0=…) expects finite numbers of shape ({features}, k), got {found.shape}."
        )
    return found
