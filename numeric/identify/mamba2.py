"""`identify` for real Mamba-2 weights: measured against gradient descent, and compared entry by entry with ours.

The block is not a polynomial, so the rule cannot be derived. The report says how far predictions on seeded tasks are
from the best gradient descent. It says that the rule is gradient descent if each prediction is within the certificate
of the constructed model with that rule, or if every entry is that of such a model. Where tensors laid out like a
constructed model's differ from it, it names them; what these entries do to data that was not tried is not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import hf_mamba2
from scanproof.constructs.tokens.mamba2 import LAYOUTS

from ..export.certificates.mamba2 import Bound, Domain, bound, domain_of
from ..export.exporting import HALVES
from ..export.loading import Loaded
from ..export.mamba2 import bound_in, largest_prediction
from ..export.row_choice import rows_of
from ..rounding.arithmetic import FORMATS
from . import certificate, fitting, mamba2_model, manifest, tasks
from .asked import Asked, on_tokens
from .entries import Near
from .fitting import Found
from .mamba2_construction import nearest
from .mamba2_model import Stack, for_transformers, models
from .manifest import Manifest, asserted_learner
from .naming import name_measured, predictor_of
from .report import (
    ALONE,
    ASCENT,
    CONSTANT,
    DESCENT,
    NEAR,
    NONE,
    OF_LARGEST,
    Contradiction,
    Report,
    StepSize,
)
from .roundings import close_in, held, number, simple, simply
from .rule import Rule, descent, kind, words
from .tasks import FITTED, SEED, Predictor, Scheme, Tasks, Trial, quotient
from .verdict import MEASURED, OVERFLOW, differing, is_rough, start, unrecognised

NEARBY = 2.0**-7
"""Relative distance above which no certificate is asked for."""
MOST_FEATURES = 1024
LONGEST = 64
"""The most examples that a manifest adds."""
CHANNEL = 2.0**24
"""K of what is exported."""
LARGEST = 2**24
"""Numbers in a tensor of a constructed model that is made for its bound alone."""
TENSORS = 6
"""Tensors whose deviating entries are counted in words."""
LEAST = FORMATS["float32"].tiny
"""The smallest η that is one: predictions below it are nothing to a module, whatever float64 makes of them."""
WITHIN = 2.0**-20
"""Relative distance within which steps are said to explain predictions, or these not to depend on the examples."""
SCAN = "float32"
"""The format that norms, functions and the scan run in, whatever the weights' is."""
TWICE = 2.0
"""Where running is off by no more than this times the distance in float64, it is not to blame."""

DRAWN = 8
"""Tasks drawn at random from a certificate's domain."""
CORNERS = 2
"""At which all examples and the query are."""
AXES = 32
"""On which queries lie, in both directions."""
FEW = 2
"""Examples before those."""
NEEDED = ("examples", "input_norm", "target")
"""What a domain says at least."""


class Read(NamedTuple):
    """A stack, the construction that it is nearest to, and what was measured of it."""

    loaded: Loaded
    """Under transformers' names."""
    model: Stack
    near: Near | None
    scheme: Scheme
    trials: list[Trial]
    found: Found | None
    """The rules that it is near to, where no construction is."""
    dtype: str
    """The format of its numbers."""
    stored_as: str
    """The format of its tensors."""


class Mamba2:
    """Stacks of Mamba-2 blocks under transformers' names, or under those of mamba-ssm."""

    models = staticmethod(models)

    def sizes(self, model: Stack) -> tuple[int, int]:
        """(d, k)."""
        return model.sizes

    def predictor(self, model: Stack) -> Predictor:
        """By the definition in float64."""
        return mamba2_model.predictor(*model)

    def read(self, loaded: Loaded, asked: Asked) -> Read:
        """Raises UsageError if no tokenisation fits the encoding, or there are too many features to measure."""
        loaded = for_transformers(loaded)
        possible = _possible(loaded, asked.tokens)
        near = nearest(loaded, possible[0].model, [each.layout for each in possible])
        first = hf_mamba2.key(0, "in_proj")
        stored_as = loaded.dtypes.get(first, "float32")
        dtype = held(loaded.tensors[first], stored_as)
        if near is not None:
            model = Stack(possible[0].model, near.made.layout)
            scheme = _scheme(loaded, asked, model)
            if asked.scale is None:
                scheme = scheme._replace(calm=_constructed(near)[0].calm)
            trials = tasks.tried(self.predictor(model), scheme.drawn(FITTED))
            return Read(loaded, model, near, scheme, trials, None, dtype, stored_as)
        model = possible[0]
        if len(possible) > 1:  # the tokenisation on which plain steps are nearest
            plain = [
                _rules(each, _scheme(loaded, asked, each), asked.scale, plain=True)
                for each in possible
            ]
            model = possible[int(np.argmin([found.off for found in plain]))]
        found = _rules(model, _scheme(loaded, asked, model), asked.scale)
        return Read(loaded, model, None, found.scheme, found.trials, found, dtype, stored_as)

    def derive(self, report: Report, read: Read) -> None:
        """How it is measured."""
        report.method = (
            f"measured on {tasks.count(read.trials)} seeded tasks: the block's definition in float64, with the "
            f"{read.dtype} weights"
        )

    def name_entries(self, report: Report, read: Read) -> Near | None:
        """The tensors with most entries that differ are counted."""
        of = predictor_of(self, read.loaded, read.model.layout.name)
        near, trials = read.near, read.trials
        return near and name_measured(report, near, read.loaded, of, trials, TENSORS)

    def compare(self, report: Report, read: Read, near: Near | None) -> None:
        """The gradient descent that the predictions are nearest to, and whether they are its."""
        blocks, scheme = len(read.model.model.blocks), read.scheme
        if not tasks.finite(read.trials):
            report.verdict = f"{NONE}: {OVERFLOW}"
            return
        unit = FORMATS[read.dtype].unit
        rounding = 8 * blocks * min(unit, FORMATS["float32"].unit)
        kept = near if near and near.effect <= rounding else None
        found = read.found
        if kept:
            learner, stored, exact = _constructed(kept)
        else:
            starts = [np.asarray(near.made.W0)] if near else []
            found = found or _rules(read.model, scheme, scheme.scale, starts)
            learner, stored, exact = _fitted(found, unit)
        report.steps, report.W0 = learner.steps, learner.W0.tolist()
        if learner.steps:
            alone = ALONE.format(scheme.numbers[0])
            dependence = found.dependence if found else CONSTANT
            sizes = () if learner.equal else learner.step_sizes
            dependence = dependence if len(scheme.numbers) > 1 else alone
            report.step_size = StepSize(stored, exact, dependence, sizes)
        predict, learned = self.predictor(read.model), learner.predictions
        report.distances = tasks.distances(predict, learned, read.trials, scheme)
        report.running = tasks.running(
            mamba2_model.predictor(*read.model, read.stored_as),
            learned,
            scheme._replace(calm=None),
            [trial.tasks for trial in read.trials],
            read.stored_as,
            f"as transformers loads it: projections in {read.stored_as}, norms, functions and scan in {SCAN}",
        )
        off = report.distances.relative
        certified = _certified(read, kept, learner, off)
        if near and not kept:  # edited: the certificate is wider than what an edit may change
            certified = certified and off <= rounding
        own = near is not None and not near.entries.deviating
        exported = near is not None and float(near.made.constants.channel) == CHANNEL
        if off <= NEAR and (certified or (learner.steps and own and exported)):
            report.rule = kind(learner)
        else:
            found = found or _rules(read.model, scheme, scheme.scale)
            report.nearest = found.nearest
        report.verdict = _verdict(report, read, learner, exact, unit)
        report.notes += _notes(report, near, certified)

    def check(self, report: Report, asserted: Manifest, read: Read, near: Near | None) -> None:
        """Adds contradictions of the manifest, and the error beside its certificate."""
        layout = read.model.layout
        # no export rounds a number to 16 bits
        close = close_in("float32" if read.dtype in HALVES else read.dtype)
        report.contradictions += manifest.learner(asserted, report, close, measured=True)
        if not report.recognised:
            return
        tokens = {"tokens.name": layout.name}
        # A token's prediction depends on those before it alone: they are a shorter task, if no flag marks the query.
        if layout.read == slice(-1, None):
            tokens["tokens.predicts"] = "last"
        report.contradictions += manifest.unequal(asserted, manifest.sizes(report) | tokens)
        widths = [stop - start for start, stop in layout.fields]
        claimed = [width for _, width in asserted["tokens"]["raw"]]
        if claimed != widths:
            report.contradictions.append(Contradiction("tokens.raw", str(claimed), str(widths)))
        if not report.contradictions:
            _check_certificate(report, asserted, read.model, near)


def _possible(loaded: Loaded, asked: str | None) -> list[Stack]:
    """The model on tokenisations that the encoding's width allows, or on the one that is asked for."""
    known = models(loaded)
    if not known:
        k, r = (len(loaded.encoding["readout.weight"]), loaded.encoding["encode.weight"].shape[1])
        raise UsageError(
            f"identify {loaded.folder}: encode.weight takes tokens of {r} numbers and readout.weight makes {k} "
            "predictions; no tokenisation has that width: labelled d + k + 1, concatenated 2d + k, interleaved d + k."
        )
    possible = on_tokens(loaded, known, asked)
    small = [each for each in possible if each.sizes[0] <= MOST_FEATURES]
    if not small:
        width = loaded.encoding["encode.weight"].shape[1]
        raise UsageError(
            f"identify {loaded.folder}: tokens of {width} numbers are more than are measured; "
            f"{MOST_FEATURES} features are the most."
        )
    return small


def _scheme(loaded: Loaded, asked: Asked, model: Stack) -> Scheme:
    """The tasks on which a stack is measured; also of the manifest's number of examples, if that is affordable."""
    return tasks.scheme(
        loaded,
        asked,
        *model.sizes,
        tokens=model.layout.name,
        cost=lambda n: mamba2_model.operations(*model, n),
        allowed=lambda n: n <= LONGEST,
    )


def _rules(
    model: Stack,
    scheme: Scheme,
    scale: float | None,
    starts: Sequence[np.ndarray] = (),
    *,
    plain: bool = False,
) -> Found:
    """The rules that the predictions are near to, on data of a scale, if that is known."""
    predict, blocks = mamba2_model.predictor(*model), len(model.model.blocks)
    return fitting.found(predict, blocks, scheme, scale, starts, plain=plain)


def _constructed(near: Near) -> tuple[Rule, float, Fraction | None]:
    """The learner of the construction that weights are, its step size as they have it, and as a simple number."""
    W0 = np.asarray(near.made.W0)
    if near.each:
        return Rule(tuple(map(simply, near.each)), W0), float(np.mean(near.each)), None
    steps = near.steps if near.stored else 0
    return descent(W0, float(near.made.eta), steps), near.stored, near.step_size


def _fitted(found: Found, unit: float) -> tuple[Rule, float, Fraction | None]:
    """The gradient descent that predictions are nearest to, its step size as fitted, and as a simple number."""
    best = found.best
    if (
        best
        and best.off <= WITHIN
        and best.rule.steps
        and kind(best.rule) in (DESCENT, ASCENT)
        and not best.rule.equal
    ):
        return best.rule, float(np.mean(best.rule.step_sizes)), None
    plain = found.plain.rule
    if not plain.steps:
        return plain, 0.0, None
    eta = plain.step_sizes[0]
    exact = simple(eta, 2 * unit) if eta and unit < 2.0**-20 else None
    return plain._replace(step_sizes=(float(exact or eta),) * plain.steps), eta, exact


def _certified(read: Read, kept: Near | None, learner: Rule, off: float) -> bool:
    """Whether every prediction is within the certificate of the constructed model, for its own data."""
    if learner.divided or not all(abs(eta) >= LEAST for eta in learner.step_sizes if eta):
        return False
    if not learner.equal:  # certificates are for equal steps
        return off <= WITHIN
    made = kept.made if kept else _instance(read, learner, off)
    if made is None or not learner.steps:
        return False
    within: Callable[..., Bound] = bound_of
    if kept is not None and not kept.entries.deviating:
        within = bound_in
    for given, values in read.trials:
        errors = np.abs(values - learner.predictions(given)).max(axis=1)
        for x, y, error in zip(*given, errors, strict=True):
            domain = domain_of(x, y, learner.W0, learner.step_sizes[0], learner.steps)
            if not error <= within(read.dtype, made, domain).prediction < np.inf:
                return False
    return True


def bound_of(dtype: str, made: Instance, domain: Domain) -> Bound:
    """The bound of arithmetic in a format, for weights that need not be the construction's."""
    return bound(made, domain, dtype)


def _instance(read: Read, learner: Rule, off: float) -> Instance | None:
    """The constructed model for a learner that is near; None if it is too large to be made for its bound alone."""
    if not learner.steps or off > NEARBY:
        return None
    d, k = read.model.sizes
    one = learner.steps == len(read.model.model.blocks) == 1
    layout = LAYOUTS[read.model.layout.name](d, k, weights=not one)
    widths, _ = mamba2_sizes.released(layout, **mamba2_gd.shape(layout, in_one_block=one))
    if widths.inner * widths.stream > LARGEST:
        return None
    options = {"tokens": layout.name, "in_one_block": one}
    return mamba2_gd.instance(np, d, learner.steps, learner.step_sizes[0], learner.W0, **options)


def _verdict(report: Report, read: Read, learner: Rule, exact: Fraction | None, unit: float) -> str:
    """The sentence for a report that is complete otherwise, with the step size as a simple number, if it is one."""
    tokens = f"on {read.model.layout.name} tokens"
    if not report.recognised:
        if report.nearest and not report.nearest.learns and report.nearest.off <= WITHIN:
            return f"{report.rule}: the predictions {tokens} do not depend on the examples"
        return unrecognised(report)

    def shown(eta: float) -> str:
        if learner.equal:
            return number(exact, eta)
        return number(simple(eta, 2 * unit), eta) if eta else "0"

    rule = words(learner, shown).replace(DESCENT, report.rule)
    own = report.distances.relative if report.distances else 0.0  # in float64, too
    how = f"up to {own:.1e} {OF_LARGEST}, as far as measured," if own > WITHIN else MEASURED
    sentence = f"{how} {rule} from {start(report)} {tokens}, at {tasks.listed(read.scheme.numbers)}"
    run, blocks = report.running, len(read.model.model.blocks)
    if run is not None:
        rough = is_rough(run, blocks, SCAN) and not run.relative <= TWICE * own
        sentence = f"in exact numbers, {sentence}; but" if rough else f"{sentence};"
        sentence += f" {run.words}"
    return sentence + differing(read.near)


def _notes(report: Report, near: Near | None, certified: bool) -> list[str]:
    """What else is known of the construction."""
    if near is None:
        return [
            "the tensors are not laid out as those of a constructed model, so no entries are named"
        ]
    if not near.entries.deviating and not certified and report.steps:
        channel = float(near.made.constants.channel)
        return [f"no certificate holds for K = {channel:g} on these tasks"]
    return []


def _check_certificate(report: Report, asserted: Manifest, model: Stack, near: Near | None) -> None:
    """Adds to a report what contradicts the certificate, and the error beside it if it holds for these weights."""
    promised = asserted["certificate"]
    report.contradictions += certificate.within_itself(asserted, NEEDED, Domain._fields)
    report.contradictions += _of_statement(asserted, len(model.model.blocks))
    if promised["absolute"] is None or not promised["magnitude"]:
        return
    known = {n: bound for n, bound in promised["domain"].items() if n in Domain._fields}
    try:
        domain = Domain(**{**known, "examples": int(known["examples"])})
    except (KeyError, TypeError):
        report.notes.append("the certificate names no domain that could be checked")
        return
    own = near if near and not near.entries.deviating else None
    if own:
        report.contradictions += _against(asserted, own.made, domain)
    learner, groups = asserted_learner(asserted), _of_domain(domain, *model.sizes)
    predict = mamba2_model.predictor(*model, promised["dtype"])
    beside = certificate.beside(report, asserted, predict, learner.predictions, groups)
    if own:
        report.promise = beside
        return
    why = (
        f"{near.entries.deviating} of their entries are not the construction's"
        if near
        else "they are not laid out as those of a constructed model"
    )
    report.notes.append(
        f"the certificate is not established for these weights: {why}; relative error {beside.found:.2e}, "
        f"{beside.how}, which proves nothing of others"
    )


def _of_statement(asserted: Manifest, blocks: int) -> Iterator[Contradiction]:
    """Where a manifest names a statement that is not about such weights, or another verdict on it."""
    id, rows = asserted["construction"]["id"], rows_of(mamba2_gd.NETWORK)
    if id in rows and rows[id].in_one_block != (blocks == 1):
        about = "one block" if rows[id].in_one_block else "a stack of blocks"
        words = f"it is about {about}, and the weights have {blocks}"
        yield Contradiction("construction.id", id, words)
    else:
        yield from certificate.of_statement(asserted, rows, "mamba2")


def _against(asserted: Manifest, made: Instance, domain: Domain) -> Iterator[Contradiction]:
    """Where a certificate says more than can be proved of the construction that the weights are."""
    try:
        own = bound_in(asserted["certificate"]["dtype"], made, domain)
    except OverflowError:  # a square of what the domain bounds
        own = Bound(math.inf, math.inf)
    proved = {"absolute": own.prediction, "relative": quotient(own.prediction, own.magnitude)}
    yield from certificate.too_small(asserted, proved)
    if asserted["certificate"].get("attained") is not None:  # else as earlier versions wrote it
        most = largest_prediction(made, domain)
        sizes = {"attained": most.attained, "magnitude": most.proved}
        yield from certificate.too_large(asserted, sizes)


def _of_domain(domain: Domain, d: int, k: int) -> list[Tasks]:
    """With as large data as the domain allows: at random, with queries on the axes, and at a corner."""
    rng = np.random.default_rng((SEED, 2))
    n = max(1, min(domain.examples, LONGEST))
    edge = domain.input_norm / math.sqrt(d)
    unit = np.eye(d)[:: -(-d // AXES)]
    queries = domain.input_norm * np.concatenate([unit, -unit])
    drawn = []
    for examples, ends in ((n, None), (min(n, FEW), queries)):
        many = DRAWN if ends is None else len(ends)
        x = rng.uniform(-1, 1, (many, examples + 1, d)) * edge
        if ends is not None:
            x[:, -1] = ends
        drawn.append((x, rng.uniform(-1, 1, (many, examples, k)) * domain.target))
    corners = rng.choice([-1.0, 1.0], (CORNERS, 1, d)) * edge
    signs = rng.choice([-1.0, 1.0], (CORNERS, 1, k)) * domain.target
    drawn.append((np.repeat(corners, n + 1, axis=1), np.repeat(signs, n, axis=1)))
    return [_flat(Tasks(x, y), domain.curvature) for x, y in drawn]


def _flat(tasks: Tasks, most: float) -> Tasks:
    """With examples that are scaled down until their curvature is at most this; queries stay."""
    x, curvature = tasks.x, tasks.curvatures.max()
    scale = min(1.0, math.sqrt(most / curvature) * (1 - 2.0**-30)) if curvature else 1.0
    return tasks._replace(x=np.concatenate([scale * x[:, :-1], x[:, -1:]], axis=1))
