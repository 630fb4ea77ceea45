"""What a user asks for, checked before anything is built, and who builds it."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.ledger import built_in

from . import linear, linear_attention, mamba2, statements
from .built import Asked, Built

LARGEST = 2**31 - 1
NUMBER = re.compile(r"\d{1,400}(/\d{1,400}|(\.\d{0,400})?(e[+-]?\d{1,2})?)?|\.\d{1,400}", re.I)
"""A fraction, or a decimal, with an exponent that is no trouble to write out."""


def exportable() -> list[str]:
    """The ids of the rows that have an export."""
    return [*statements.exportable(), *mamba2.ROWS, *linear_attention.ROWS]


def build(asked: Asked) -> Built:
    """The model that is asked for.

    Raises:
        UsageError: for an id without an export, or options that its export does not take.
    """
    for kind in (mamba2, linear_attention):
        if asked.id in kind.ROWS:
            return kind.build(asked)
    rows = built_in().select([asked.id])  # an unknown id is answered with the nearest ones
    if {row.claim.source for row in rows} & {"mamba2", "linear-attention"}:
        raise UsageError(
            f"export {asked.id}: no export is made of it; rows with one: {', '.join(exportable())}."
        )
    return linear.build(asked)


def checked(
    id: str,
    *,
    features: Any,
    examples: Any,
    targets: Any = None,
    steps: Any = 1,
    step_size: Any = None,
    tokens: Any = None,
    in_one_block: bool = False,
    W0: Any = None,
    seed: Any = None,
    input_bound: Any = 1.0,
    target_bound: Any = None,
    as_stated: bool = False,
) -> Asked:
    """The arguments of `export`, each of them a value of its kind.

    Raises:
        UsageError: for the first that is none.
    """
    if not isinstance(id, str):
        raise UsageError(f"export({id!r}) expects a row's id as text, such as 'mamba2.gd'.")
    for name, size in (
        ("features", features),
        ("examples", examples),
        ("targets", 1 if targets is None else targets),
        ("steps", steps),
    ):
        if not _whole(size) or not 1 <= size <= LARGEST:
            raise UsageError(f"export --{name} {size}: give a whole number ≥ 1.")
    if seed is not None and (not _whole(seed) or seed < 0):
        raise UsageError(f"export --w0-seed {seed}: give a whole number ≥ 0.")
    if seed is not None and W0 is not None:
        raise UsageError("export(W0=…, seed=…): give one of them.")
    eta = None if step_size is None else positive("--step-size", step_size)
    X = float(positive("--input-bound", input_bound))
    Y = (
        math.sqrt(features)
        if target_bound is None
        else float(positive("--target-bound", target_bound))
    )
    return Asked(
        id,
        int(features),
        int(examples),
        None if targets is None else int(targets),
        int(steps),
        eta,
        tokens,
        in_one_block,
        None if W0 is None else _weights(W0, features),
        seed,
        X,
        Y,
        as_stated,
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


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
