"""Exports of the `mamba2` rows: stacks of released Mamba-2 blocks, by the options of `mamba2_gd.instance`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba2_block import Parameters
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.tokens.mamba2 import LAYOUTS, Layout

from ..rounding.batch import ROUNDINGS, Batch
from ..rounding.in_format import in_format
from .certificates import found as errors
from .certificates.largest import Largest, largest
from .certificates.mamba2 import Bound, Domain, bound
from .certificates.side_by_side import SideBySide
from .certificates.stored import mamba2 as stored
from .mamba2_loaded import PARTS, Model, as_loaded
from .parts import Certificate, Export, Request
from .row_choice import Selection, choose, exported, weights

LARGEST = 2**30
"""The most bytes of a model that is built."""
COVERS = (
    "every prediction for data in the domain, of that many examples or fewer; numbers and arithmetic of this format, "
    "sums in any order that is the same for all channels, chunked or step by step; what norms, gates and decays lack "
    "of their limits"
)
STORED = (
    "every prediction for data in the domain, of that many examples or fewer, for a prompt that is given at once; "
    "numbers of this format, rounded to it where transformers' own module rounds them, with its scan, its functions "
    "and its residual stream in float32, products of matrices added up in it; what norms, gates and decays lack of "
    "their limits"
)


def build(request: Request) -> Export:
    """The model that is asked for, with the statement that it is an instance of.

    Options that an id leaves open select among the rows: `mamba2.gd` with two targets is `mamba2.gd-vector`.

    Raises:
        UsageError: for several steps in one block, an unknown tokenisation, or sizes that do not fit into memory.
    """
    chosen = choose(request, mamba2_gd.NETWORK, LAYOUTS)
    _check_size(request, chosen)
    d, k, n = request.features, chosen.targets, request.examples
    eta = Fraction(1, n) if request.step_size is None else request.step_size
    W0 = weights(request, k)
    made = mamba2_gd.instance(
        np,
        d,
        request.steps,
        float(eta),
        W0,
        tokens=chosen.tokens,
        in_one_block=chosen.in_one_block,
    )
    layout, every = made.layout, made.layout.read != slice(-1, None)
    return exported(
        request,
        chosen,
        eta,
        W0,
        made,
        family="mamba2",
        raw=_columns(layout),
        predicts="every" if every else "last",
        encoding={
            "encode.weight": made.model.encode_weight,
            "encode.bias": made.model.encode_bias,
            "readout.weight": np.eye(k),
        },
        certify=lambda dtype, wide=False: _certificate(made, request, eta, dtype),
    )


def _columns(layout: Layout) -> tuple[tuple[str, int], ...]:
    """What a raw token's columns hold."""
    slots = layout.slots
    names = ["x", "y", *["x of the next"] * (slots.inputs - 1), *["is_query"] * slots.flag]
    widths = [stop - start for start, stop in layout.fields]
    return tuple(zip(names, widths, strict=True))


def _check_size(request: Request, chosen: Selection) -> None:
    """Refuse large models before anything is allocated, by the bytes of all blocks in float64."""
    k, in_one_block = chosen.targets, chosen.in_one_block
    layout = LAYOUTS[chosen.tokens](request.features, k, weights=not in_one_block)
    shape = mamba2_gd.shape(layout, in_one_block=in_one_block)
    widths, _ = mamba2_sizes.released(layout, **shape)
    one, two = (
        sum(map(math.prod, hf_mamba2.shapes(hf_mamba2.configuration(widths, layers, k)).values()))
        for layers in (1, 2)
    )
    layers = 1 if in_one_block else request.steps + 1
    needed = 8 * (one + (layers - 1) * (two - one))
    if needed > LARGEST:
        raise UsageError(
            f"export {request.id}: {request.features} features, {k} targets and {request.steps} steps make weights of "
            f"{needed / 2**30:,.1f} GiB in float64, and {LARGEST >> 30} GiB is the most that is built; give smaller "
            "sizes."
        )


def _certificate(made: Instance, request: Request, eta: Fraction, dtype: str) -> Certificate:
    """The certificate for inputs of bounded entries for which the steps do not diverge.

    The model's η is the float64 next to the exact one: 2⁻⁵³ of it, for which the bound, of float32, is rounded up.
    """
    norm = request.input_bound * math.sqrt(request.features)
    domain = Domain(request.examples, norm, request.target_bound, float(2 / eta))
    try:
        found = bound_in(dtype, made, domain)
    except OverflowError:  # a bound of the domain, squared
        found = Bound(math.inf, math.inf)
    finite = {n: v for n, v in domain._asdict().items() if math.isfinite(v)}
    most = largest_prediction(made, domain)
    magnitude = min(found.magnitude, most.proved)

    def search() -> float:
        return _found(made, domain, eta, dtype) if found.prediction < math.inf else 0.0

    covers = STORED if dtype == "bfloat16" else COVERS
    return Certificate(finite, found.prediction, magnitude, covers, most.attained, search)


def bound_in(dtype: str, made: Instance, domain: Domain) -> Bound:
    """The bound for modules whose weights are of a format: they store bfloat16, and compute in float32 between."""
    return stored(made, domain) if dtype == "bfloat16" else bound(made, domain, dtype)


def _found(made: Instance, domain: Domain, eta: Fraction, dtype: str) -> float:
    """The largest error that is found, of the definition in NumPy."""
    layout, model, sizes = made.layout, made.model, made.widths.heads
    d, k = made.W0.shape
    ground = errors.Ground(
        domain.examples,
        d,
        k,
        domain.input_norm,
        math.inf,
        domain.target,
        domain.curvature,
        False,
    )
    blocks = [model.step] * made.steps + [model.last]
    states = sizes.heads * sizes.head_dim * sizes.state
    per_token = 4 * states + made.widths.stream * len(model.last.in_proj)
    tokens = layout.tokens(np.zeros((domain.examples + 1, d)), np.zeros((domain.examples, k)))
    turns = len(blocks) * len(tokens)
    cost = errors.Cost(turns * per_token, turns * sizes.heads, states * len(tokens))
    rule = errors.Rule(
        made.W0,
        eta,
        made.steps or 1,
        lambda u: (mamba2_block.silu(u), mamba2_block.silu(-u)),
        float(made.constants.time_step),
    )
    if dtype == "bfloat16":
        run = as_loaded(dtype, _loaded(made))

        def loaded(x: SideBySide, y: SideBySide) -> SideBySide:
            given = (Batch(np.asarray(one.held, dtype=np.float64)) for one in (x, y))
            return SideBySide(run(layout.tokens(*given)))

        return errors.found(loaded, rule, ground, "float32", cost, ROUNDINGS[dtype])
    rounded = [Parameters(*(in_format(a, dtype) for a in block)) for block in blocks]
    weight, bias, norm, readout, eps = (
        in_format(a, dtype)
        for a in (
            model.encode_weight,
            model.encode_bias,
            model.norm,
            model.readout,
            hf_mamba2.EPSILON,
        )
    )

    def predict(x: Any, y: Any) -> Any:
        rows = layout.tokens(x, y) @ weight.T + bias
        for block in rounded:
            rows = mamba2_block.block(block, sizes, rows, eps, PARTS)
        return (PARTS.norm(rows[-1:], norm, eps) @ readout.T)[0]

    return errors.found(predict, rule, ground, dtype, cost)


def _loaded(made: Instance) -> Model:
    """The model as modules load it."""
    model = made.model
    return Model(
        made.widths.heads,
        [*[model.step] * made.steps, model.last],
        model.norm,
        model.readout,
        model.encode_weight,
        model.encode_bias,
        hf_mamba2.EPSILON,
    )


def largest_prediction(made: Instance, domain: Domain) -> Largest:
    """Of the learner, on inputs of the domain's norm in any direction."""
    start = float(np.linalg.norm(made.W0, axis=0).max())
    steps = made.steps or 1
    return largest(*domain[:4], float(made.eta), steps, along=start, start=start)
