"""Exports of the linear layers: the statements of `statements`, as models of the neutral form."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.language.claim import Claim

from ..rounding.arithmetic import FORMATS, WIDE
from ..rounding.batch import ROUNDINGS
from ..rounding.in_format import in_format
from . import statements
from .certificates import found as errors
from .certificates.largest import largest
from .certificates.linear import LARGEST as READABLE
from .certificates.linear import Domain, bound
from .certificates.side_by_side import SideBySide
from .parts import Certificate, Export, Request, drawn
from .statements import Exported

LARGEST = 2**22
"""The most exact fractions in a model that is built."""
COVERS = (
    "the last prediction for data in the domain, of exactly that many examples{}; {}, sums in any order; in exact "
    "numbers the model is the learner, by its statement{}"
)
ARITHMETIC = "numbers and arithmetic of this format"
STORED = (
    "numbers of this format, and what layers store rounded to it, with arithmetic in float32 between, products of "
    "matrices added up in it"
)
FIXED = ", which is proved for the sizes that were checked"
READ = (
    "nothing: the states of all tokens have {:,} numbers, and {:,} are the most for which a bound is derived; "
    "give fewer examples or features"
)
LINEAR_DATA = ", with targets that are linear in the inputs, y_j = Wᵀx_j"
NOT_PROVED = "nothing: the statement is {}, so that the model need not be this learner"


def build(request: Request) -> Export:
    """The model that is asked for, with its statement.

    Raises:
        UsageError: for a statement without an export, or sizes and options that it does not take.
    """
    if request.in_one_block:
        raise UsageError(
            f"export {request.id} --in-one-block: only stacks of blocks, of mamba2 and linear-attention, have it."
        )
    _check_size(request)
    found = _of_statement(request)
    if request.seed is not None:
        found = _of_statement(
            request._replace(W0=drawn(request.seed, found.features, found.targets))
        )
    model = found.tensors
    if request.tokens not in (None, model.tokens):
        raise UsageError(
            f"--tokens {request.tokens}: {found.claim.id} takes {model.tokens} tokens."
        )
    columns = TOKENISATIONS[model.tokens].columns(found.features, found.targets)
    return Export(
        claim=found.claim,
        model=model,
        family=model.family,
        features=found.features,
        targets=found.targets,
        steps=found.steps,
        data="linear targets" if found.linear else "any",
        step_size=found.eta,
        W0=found.W0,
        tokens=model.tokens,
        raw=tuple(columns),
        predicts="every" if found.every else "last",
        encoding=neutral.encoding(model),
        certify=lambda dtype, wide=False: _certificate(found, request, dtype),
        exact=found.model,
    )


def _of_statement(request: Request) -> Exported:
    return statements.of_statement(
        request.id,
        features=request.features,
        examples=request.examples,
        targets=request.targets,
        steps=request.steps,
        step_size=request.step_size,
        W0=request.W0,
        as_stated=request.as_stated,
    )


def _check_size(request: Request) -> None:
    """Refuse large models before fractions are made.

    A layer has about (2d)² numbers, or (d + k)², and those of ssd have a decay for each token.
    """
    width = request.features + max(request.features, request.targets or 1)
    numbers = width**2 * request.steps + (request.examples if request.id.startswith("ssd.") else 0)
    if numbers > LARGEST:
        raise UsageError(
            f"export {request.id}: features, targets, examples and steps of {request.features}, "
            f"{request.targets or 1}, {request.examples} and {request.steps} make {numbers:,} exact numbers, and "
            f"{LARGEST:,} are the most that are built; give smaller sizes."
        )


def _certificate(found: Exported, request: Request, dtype: str) -> Certificate:
    """The certificate of a proved statement; the parameters of another one need not be the learner."""
    if found.verdict == "proved":
        learner = Steps(found.W0, found.eta, found.steps)
        return certificate(found.model, found.claim, request, learner, dtype, linear=found.linear)
    domain = _domain(request, found.eta)._asdict()
    finite = {name: value for name, value in domain.items() if math.isfinite(value)}
    return Certificate(finite, math.inf, math.inf, NOT_PROVED.format(found.verdict))


class Steps(NamedTuple):
    """Explicit gradient descent, which a certificate compares with."""

    W0: np.ndarray
    """(d, k)."""
    eta: Fraction
    steps: int


def certificate(
    exact: Model,
    claim: Claim,
    request: Request,
    learner: Steps,
    dtype: str,
    *,
    linear: bool = False,
    wide: bool = False,
) -> Certificate:
    """The bound for a model in exact numbers, over data of bounded entries for which the steps do not diverge.

    With `linear` its targets are linear in the inputs, which is all that the statement is about. With `wide` only what
    layers store is rounded to a format that is narrower than float32.
    """
    domain = _domain(request, learner.eta)
    form = (WIDE if wide else FORMATS)[dtype]
    found = bound(exact, domain, form)
    finite = {name: value for name, value in domain._asdict().items() if math.isfinite(value)}
    numbers = TOKENISATIONS[exact.tokens].length(request.examples) * exact.encode_bias.shape[0] ** 2
    if numbers > READABLE:
        return Certificate(finite, math.inf, math.inf, READ.format(numbers, READABLE))
    everywhere = quick_result(claim).scope == "all-sizes"
    how = STORED if form.operation < 1 else ARITHMETIC
    covers = COVERS.format(LINEAR_DATA if linear else "", how, "" if everywhere else FIXED)
    sizes = (
        np.abs(learner.W0.astype(np.float64)).sum(axis=0),
        np.linalg.norm(learner.W0.astype(np.float64), axis=0),
    )
    root = math.sqrt(len(learner.W0))
    most = largest(
        domain.examples,
        domain.entry * root,
        domain.target,
        domain.curvature,
        float(learner.eta),
        learner.steps,
        along=float(sizes[0].max()) / root,
        start=float(sizes[1].max()),
    )
    magnitude = min(found.magnitude, most.proved)

    def search() -> float:
        if found.prediction == math.inf:
            return 0.0
        return _found(exact, learner, domain, dtype, linear=linear, wide=form.operation < 1)

    return Certificate(finite, found.prediction, magnitude, covers, most.attained, search)


def _found(
    exact: Model, learner: Steps, domain: Domain, dtype: str, *, linear: bool, wide: bool
) -> float:
    """The largest error that is found, of the model in NumPy; 0 for arithmetic in a format that NumPy lacks."""
    if dtype == "bfloat16" and not wide:
        return 0.0
    to = ROUNDINGS[dtype]
    stored = (to,) if wide else ()
    each_stored = [lambda one: SideBySide(in_format(to(np.asarray(one.held)), "float32"))] * wide
    dtype = "float32" if wide else dtype
    (d, k), entry = learner.W0.shape, domain.entry
    root = math.sqrt(d) * entry
    ground = errors.Ground(
        domain.examples, d, k, root, entry, domain.target, domain.curvature, linear
    )
    rounded = neutral.mapped(
        lambda array: in_format(np.asarray(array, dtype=np.float64), dtype), exact
    )
    turns = len(exact.layers) * TOKENISATIONS[exact.tokens].length(domain.examples)
    width = exact.encode_bias.shape[0]
    cost = errors.Cost(64.0 * width**2 * turns, turns, width**2 * turns)

    def predict(x: Any, y: Any) -> Any:
        return neutral.predict(rounded, x, y, *each_stored)

    rule = errors.Rule(learner.W0, learner.eta, learner.steps)
    return errors.found(predict, rule, ground, dtype, cost, *stored)


def _domain(request: Request, eta: Fraction) -> Domain:
    return Domain(request.examples, request.input_bound, request.target_bound, float(2 / eta))
