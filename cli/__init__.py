"""scanproof: a machine's verdict on whether a recurrent layer does gradient descent on its context.

Public names are imported when they are first used, so that `import scanproof` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scanproof._library import assert_equal, check, prove
    from scanproof._results import CheckResult, ClaimResult, Counterexample, ProofResult
    from scanproof.constructs.arrays.definition import definition
    from scanproof.constructs.arrays.gradient import gradient
    from scanproof.constructs.arrays.iteration import iterate, iterates
    from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
    from scanproof.constructs.arrays.ranges import build, each
    from scanproof.constructs.arrays.scan import scan
    from scanproof.constructs.errors import UsageError
    from scanproof.numeric.conform.conforming import conform
    from scanproof.numeric.export.exporting import export
    from scanproof.numeric.identify.identifying import identify
    from scanproof.numeric.identify.weights import load
    from scanproof.numeric.run.running import run
    from scanproof.numeric.studies.training.own import train
    from scanproof.proofs.decide.construction import construct
    from scanproof.proofs.decide.ledger import Ledger
    from scanproof.proofs.doors.program import program
    from scanproof.proofs.language.layer import Layer, descent
    from scanproof.proofs.language.source import Source
    from scanproof.proofs.language.statements import (
        at_most,
        determines,
        differs,
        equal,
        undetermined,
    )

__version__ = "0.1.0"

_PUBLIC = {
    "Source": "scanproof.proofs.language.source",
    "Layer": "scanproof.proofs.language.layer",
    "descent": "scanproof.proofs.language.layer",
    "equal": "scanproof.proofs.language.statements",
    "differs": "scanproof.proofs.language.statements",
    "at_most": "scanproof.proofs.language.statements",
    "determines": "scanproof.proofs.language.statements",
    "undetermined": "scanproof.proofs.language.statements",
    "check": "scanproof._library",
    "Ledger": "scanproof.proofs.decide.ledger",
    "UsageError": "scanproof.constructs.errors",
    "construct": "scanproof.proofs.decide.construction",
    "definition": "scanproof.constructs.arrays.definition",
    "scan": "scanproof.constructs.arrays.scan",
    "iterate": "scanproof.constructs.arrays.iteration",
    "iterates": "scanproof.constructs.arrays.iteration",
    "each": "scanproof.constructs.arrays.ranges",
    "build": "scanproof.constructs.arrays.ranges",
    "gradient": "scanproof.constructs.arrays.gradient",
    "norm": "scanproof.constructs.arrays.norms",
    "absolute": "scanproof.constructs.arrays.norms",
    "operator_norm": "scanproof.constructs.arrays.norms",
    "run": "scanproof.numeric.run.running",
    "conform": "scanproof.numeric.conform.conforming",
    "export": "scanproof.numeric.export.exporting",
    "load": "scanproof.numeric.identify.weights",
    "identify": "scanproof.numeric.identify.identifying",
    "train": "scanproof.numeric.studies.training.own",
    "program": "scanproof.proofs.doors.program",
    "prove": "scanproof._library",
    "assert_equal": "scanproof._library",
    "ProofResult": "scanproof._results",
    "ClaimResult": "scanproof._results",
    "CheckResult": "scanproof._results",
    "Counterexample": "scanproof._results",
}

__all__ = [
    "CheckResult",
    "ClaimResult",
    "Counterexample",
    "Layer",
    "Ledger",
    "ProofResult",
    "Source",
    "UsageError",
    "__version__",
    "absolute",
    "assert_equal",
    "at_most",
    "build",
    "check",
    "conform",
    "construct",
    "definition",
    "descent",
    "determines",
    "differs",
    "each",
    "equal",
    "export",
    "gradient",
    "identify",
    "iterate",
    "iterates",
    "load",
    "norm",
    "operator_norm",
    "program",
    "prove",
    "run",
    "scan",
    "train",
    "undetermined",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(
        f"scanproof has no public name {name!r}; public names: {', '.join(sorted(_PUBLIC))}."
    )


def __dir__() -> list[str]:
    return sorted(__all__)
