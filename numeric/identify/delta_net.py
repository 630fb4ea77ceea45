"""`identify` for DeltaNet layers: measured against the delta rule, and compared entry by entry with the construction.

The layer is no polynomial, so the rule cannot be derived. The report says that it is the delta rule if every entry is
that of the construction and every prediction within its certificate; where entries differ, it names them, and the rule
that predictions are nearest to.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions import delta_net
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import fla_delta_net as definition
from scanproof.constructs.layouts import fla_delta_net
from scanproof.constructs.layouts.neutral import ENCODING
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ..export.certificates.delta_net import Domain, bound, steepest
from ..export.delta_net import learned as exactly
from ..export.delta_net import runner
from ..export.loading import Loaded
from ..export.row_choice import rows_of
from ..rounding.arithmetic import FORMATS
from . import certificate, fitting, manifest, tasks
from .asked import Asked
from .entries import Near, compared
from .manifest import Manifest
from .naming import IDLE, name_measured, predictor_of
from .report import DELTA, NONE, Contradiction, Report, StepSize
from .roundings import ROUNDINGS, number, simple
from .rule import Rule
from .tasks import FITTED, SEED, Predictor, Scheme, Tasks, Trial
from .verdict import MEASURED, OVERFLOW, differing, unrecognised

LONGEST, COUNT = 128, 6
"""The most examples that a manifest adds, and the tasks of a group."""
OTHER_NORMS = "the construction is the delta rule for examples of the norm {:.6g}"
NEEDED = ("examples", "norm", "target", "norm_off")
"""What a certificate's domain says."""
ALIKE = 0.5
"""The part of a construction's entries that weights share which are laid out as it is."""
TOKENS = ("separate", "labelled", "concatenated")
"""The tokenisations that are tried, in turn; constructions take the first."""


class Model(NamedTuple):
    """A layer with what leads into it and out of it."""

    layer: definition.Parameters
    norm_eps: float
    encode_weight: np.ndarray
    """(M, r)."""
    encode_bias: np.ndarray
    """(M,)."""
    readout: np.ndarray
    """(k, M)."""
    tokens: str
    """A name in `TOKENISATIONS`."""

    family = "delta-net"

    @property
    def layers(self) -> tuple[definition.Parameters]:
        """The parameters of the layer."""
        return (self.layer,)

    @property
    def sizes(self) -> tuple[int, int]:
        """(d, k)."""
        k = len(self.readout)
        return TOKENISATIONS[self.tokens].features(self.encode_weight.shape[1], k) or 0, k


def models(loaded: Loaded) -> dict[str, Model]:
    """The model for every tokenisation that its encoding's width allows, by name, in float64."""
    held, settings = {**loaded.tensors, **loaded.encoding}, loaded.settings or {}
    wide = {name: np.asarray(array, dtype=np.float64) for name, array in held.items()}
    layer = fla_delta_net.layer(settings, wide)
    weight, bias, readout = (wide[name] for name in ENCODING)
    columns, k = weight.shape[1], len(readout)
    return {
        name: Model(layer, settings["norm_eps"], weight, bias, readout, name)
        for name in TOKENS
        if TOKENISATIONS[name].features(columns, k) is not None
    }


def model_of(loaded: Loaded, asked: str | None = None) -> Model:
    """The model on the tokens that are asked for, or on the first that fit.

    Raises:
        UsageError: if there are none.
    """
    known = models(loaded)
    if asked in (None, *known) and known:
        return known[asked or next(iter(known))]
    option = f" --tokens {asked}" if asked else ""
    raise UsageError(
        f"identify {loaded.folder}{option}: tokens of {loaded.encoding['encode.weight'].shape[1]} numbers are asked "
        f"for by encode.weight; those that fit: {', '.join(known) or 'none'}."
    )


def predictor(model: Model, dtype: str = "float64") -> Predictor:
    """The model as a function of tasks, all of it computed in a format."""
    run = runner(model, TOKENISATIONS[model.tokens].tokens, model.norm_eps, dtype)

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        each = [run(*task) for task in zip(x, y, strict=True)]
        return np.stack(each).astype(np.float64)

    return predict


def nearest(loaded: Loaded, model: Model) -> Near | None:
    """The construction that the fewest bits lead from to the weights; None if they are not laid out as one.

    The norm X stands in the key of the query and in the query, η in the strength and in the norm of outputs, W0 in the
    readout: whichever of them was edited, another still has it.
    """
    d, k = model.sizes
    if model.tokens not in delta_net.LAYOUTS or len(model.layer.query) != 1:
        return None
    found = [
        near
        for norm, (eta, unit) in itertools.product(_norms(model, d, k), _steps(model))
        for near in [_beside(loaded, model, d, norm, eta(norm), unit)]
        if near is not None
    ]
    best = min(found, key=lambda near: near.entries.bits, default=None)
    return best if best and best.entries.alike > ALIKE else None


def _norms(model: Model, d: int, k: int) -> Iterator[Fraction]:
    """X², as the simple numbers that its roundings are of, where there are some."""
    flag = delta_net.LAYOUTS[model.tokens](d, k).slots.flags[0]
    unit = FORMATS["float32"].unit
    for field in (model.layer.key, model.layer.query):
        if d < field.shape[1] and flag < field.shape[2]:
            square = float(field[0, d, flag]) ** 2
            if 0 < square < math.inf:
                yield simple(square, 8 * unit) or Fraction(square)


def _steps(model: Model) -> Iterator[tuple[Any, float]]:
    """η from X², and within which relative distance it is known."""
    layer, unit = model.layer, FORMATS["float32"].unit
    logits, weights = layer.strength[0], layer.norm
    logit = float(logits[np.abs(logits).argmax()])
    weight = float(np.median(weights)) * math.sqrt(len(weights)) / delta_net.CHANNEL
    if abs(logit) < 700:
        beta = 2 / (1 + math.exp(-logit))
        yield (
            lambda square: beta / float(square + delta_net.UNIT_EPSILON),
            8 * unit * (1 + abs(logit)),
        )
    if 0 < weight < math.inf:
        yield lambda square: weight / float(square), 8 * unit


def _beside(
    loaded: Loaded, model: Model, d: int, square: Fraction, stored: float, unit: float
) -> Near | None:
    """The folder's arrays beside those of an instance; None if there is none, or it has other shapes."""
    exact = simple(stored, unit) if stored else None
    slots = delta_net.LAYOUTS[model.tokens](d, len(model.readout)).slots
    start, stop = slots.input(1)
    if stop > model.readout.shape[1]:
        return None
    try:
        made = delta_net.instance(
            np, exact or Fraction(stored), model.readout[:, start:stop].T, square
        )
    except (ValueError, OverflowError):
        return None
    encoding = made.model.encode_weight, made.model.encode_bias, made.model.readout
    wanted = {
        **fla_delta_net.tensors(made.model.layer),
        **dict(zip(ENCODING, encoding, strict=True)),
    }
    arrays = {**loaded.tensors, **loaded.encoding}
    if {n: a.shape for n, a in arrays.items()} != {n: a.shape for n, a in wanted.items()}:
        return None
    close = {
        name: 2 * ROUNDINGS * FORMATS[loaded.dtypes.get(name, "float64")].unit for name in arrays
    }
    if not exact:  # what was read of a rounded logit is as far off as that
        close = {name: max(each, 2 * unit) for name, each in close.items()}
    rule = "one pass of the delta rule in one layer"
    what = f"{rule}, {model.tokens} tokens, η = {number(exact, stored)}"
    return Near(what, made, compared(arrays, wanted, close), exact, stored)


class Read(NamedTuple):
    """A layer, the construction that it is nearest to, and the tasks on which it is measured."""

    loaded: Loaded
    asked: Asked
    model: Model
    near: Near | None
    scheme: Scheme
    trials: list[Trial]


class DeltaNet:
    """DeltaNet layers of flash-linear-attention; examples have the norm that weights are for, if none is asked for."""

    models = staticmethod(models)
    predictor = staticmethod(predictor)

    def sizes(self, model: Model) -> tuple[int, int]:
        """(d, k)."""
        return model.sizes

    def read(self, loaded: Loaded, asked: Asked) -> Read:
        """Raises UsageError if no tokenisation has the width that the encoding takes."""
        model = model_of(loaded, asked.tokens)
        near, (d, k) = nearest(loaded, model), model.sizes
        sampler, scale = _drawn_from(loaded, near, asked, d)
        scheme = tasks.scheme(
            loaded,
            asked._replace(sampler=sampler, scale=scale),
            d,
            k,
            tokens=model.tokens,
            cost=lambda n: n * model.encode_bias.size**2,
            allowed=lambda n: n <= LONGEST,
        )
        trials = tasks.tried(predictor(model), scheme.drawn(FITTED))
        return Read(loaded, asked, model, near, scheme, trials)

    def derive(self, report: Report, read: Read) -> None:
        """How it is measured."""
        dtypes = ", ".join(sorted(set(read.loaded.dtypes.values())))
        report.method = (
            f"measured on {tasks.count(read.trials)} seeded tasks ({read.scheme.inputs}): the layer's definition in "
            f"float64, with the {dtypes} weights"
        )

    def name_entries(self, report: Report, read: Read) -> Near | None:
        """All tensors with entries that differ are counted."""
        of = predictor_of(self, read.loaded, read.model.tokens)
        return read.near and name_measured(report, read.near, read.loaded, of, read.trials)

    def compare(self, report: Report, read: Read, near: Near | None) -> None:
        """Whether the predictions are the delta rule's, or which rule they are nearest to."""
        trials, predict = read.trials, predictor(read.model)
        rule = near and Rule(
            (),
            np.asarray(near.made.W0, dtype=np.float64),
            rate=float(near.step_size or near.stored),
        )
        if not tasks.finite(trials):
            report.verdict = f"{NONE}: {OVERFLOW}"
        elif near and rule and near.effect <= IDLE and _certified(near, rule, trials):
            _recognised(report, read, near, rule)
        else:
            starts = [rule.W0] if rule else []
            found = fitting.found(predict, 1, read.scheme, read.scheme.scale, starts)
            fitted = (found.best or found.plain).rule
            report.nearest, report.W0 = found.nearest, fitted.W0.tolist()
            rule = rule or fitted
        if rule and tasks.finite(trials):
            report.W0 = report.W0 if report.nearest else rule.W0.tolist()
            report.distances = tasks.distances(predict, rule.predictions, trials, read.scheme)
            report.verdict = report.verdict or unrecognised(report)
        if near and _elsewhere(report, read):
            unchecked = "; the manifest is about such examples, and was not checked"
            report.notes.append(
                f"{OTHER_NORMS.format(_norm(near))}, and these are not all of it"
                + (unchecked if read.loaded.manifest else "")
            )

    def check(self, report: Report, asserted: Manifest, read: Read, near: Near | None) -> None:
        """Adds contradictions of the manifest, and the error beside its certificate."""
        if _elsewhere(report, read):
            return
        logit = abs(float(near.made.constants.strength)) if near else 0.0
        close = 2 * ROUNDINGS * FORMATS["float32"].unit * (1 + logit)
        report.contradictions += manifest.learner(asserted, report, close, measured=False)
        if not report.recognised or near is None:
            return
        tokens = {"tokens.name": read.model.tokens, "tokens.predicts": "last"}
        report.contradictions += manifest.unequal(asserted, manifest.sizes(report) | tokens)
        if not report.contradictions:
            _check_certificate(report, asserted, read.model, near)


def _drawn_from(loaded: Loaded, near: Near | None, asked: Asked, d: int) -> tuple[str, float]:
    """The sampler of inputs and its scale: all of the norm that weights, or else a manifest, are for."""
    if asked.sampler or asked.scale:
        return asked.sampler or "sphere", asked.scale or 1.0
    norm = math.sqrt(d)
    if near:
        norm = _norm(near)
    elif loaded.manifest:
        norm = loaded.manifest["certificate"]["domain"].get("norm", norm)
    return "sphere", norm / math.sqrt(d)


def _norm(near: Near) -> float:
    """X, of the examples that the construction is for."""
    return float(near.made.constants.norm)


def _elsewhere(report: Report, read: Read) -> bool:
    """Whether the weights are the construction's, and are asked about examples on which that is no rule."""
    near, asked = read.near, read.asked
    other = not report.recognised and bool(asked.sampler or asked.scale)
    return other and near is not None and not near.entries.deviating


def _certified(near: Near, rule: Rule, trials: Sequence[Trial]) -> bool:
    """Whether every prediction is within the construction's certificate, for as many examples and such targets."""
    norm = _norm(near)
    for given, predicted in trials:
        norms = np.linalg.norm(given.x[:, :-1], axis=2)
        off = float(np.abs(norms / norm - 1).max())
        queries = float(np.linalg.norm(given.x[:, -1], axis=1).max())
        domain = Domain(given.examples, norm, float(np.abs(given.y).max()), max(off, 2.0**-23))
        most = bound(near.made, domain).prediction * max(1.0, queries / norm)
        if not np.abs(predicted - rule.predictions(given)).max() <= most < math.inf:
            return False
    return True


def _recognised(report: Report, read: Read, near: Near, rule: Rule) -> None:
    """Adds that it is the delta rule, and what running it in float32 gives, as the layer computes."""
    report.rule, report.steps = DELTA, 1
    report.step_size = StepSize(near.stored, near.step_size)
    predict, groups = predictor(read.model, "float32"), [trial.tasks for trial in read.trials]
    how = "all of it in float32"
    report.running = tasks.running(predict, rule.predictions, read.scheme, groups, "float32", how)
    start = "a W0 other than 0" if np.any(near.made.W0) else "W0 = 0"
    eta, numbers = number(near.step_size, near.stored), tasks.listed(read.scheme.numbers)
    report.verdict = (
        f"{MEASURED} one pass of {DELTA} with η = {eta} from {start} on {read.model.tokens} tokens, for examples of "
        f"the norm {_norm(near):.6g}, at {numbers}; {report.running.words}{differing(near)}"
    )
    report.notes.append(
        f"{OTHER_NORMS.format(_norm(near))}: others count as if they were brought to it, with their targets as they are"
    )


def _check_certificate(report: Report, asserted: Manifest, model: Model, near: Near) -> None:
    """What contradicts the certificate, and the error beside it if it holds for these weights."""
    promised, made, norm = asserted["certificate"], near.made, _norm(near)
    report.contradictions += certificate.within_itself(asserted, NEEDED, Domain._fields)
    rows = rows_of(delta_net.NETWORK)
    report.contradictions += certificate.of_statement(asserted, rows, report.family)
    bounded = promised["absolute"] is not None and promised["magnitude"]
    if not bounded or not set(NEEDED) <= set(promised["domain"]):
        return
    given = {name: promised["domain"][name] for name in NEEDED}
    domain = Domain(**{**given, "examples": int(given["examples"])})
    if not abs(domain.norm / norm - 1) <= 2.0**-20:
        report.contradictions.append(
            Contradiction("certificate.domain.norm", f"{domain.norm:.9g}", f"{norm:.9g}")
        )
        return
    if near.entries.deviating:
        report.notes.append(
            f"the certificate is not established for these weights: {near.entries.deviating} of their entries are not "
            "the construction's"
        )
        return
    own = bound(made, domain, promised["dtype"])
    x, y = steepest(made, domain)
    attained = min(float(np.abs(exactly(made, x, y)[0])), own.magnitude)
    report.contradictions += certificate.too_small(asserted, {"absolute": own.prediction})
    sizes = {"attained": attained, "magnitude": own.magnitude}
    report.contradictions += certificate.too_large(asserted, sizes)
    groups = [Tasks(x[None], y[None]), *_of_domain(domain, *model.sizes)]
    rule = Rule((), np.asarray(made.W0), rate=float(made.eta))
    predict = predictor(model, promised["dtype"])
    report.promise = certificate.beside(report, asserted, predict, rule.predictions, groups)


def _of_domain(domain: Domain, d: int, k: int) -> list[Tasks]:
    """Tasks of the domain at random, the targets at its ends in one of them."""
    rng = np.random.default_rng((SEED, 2))
    n = max(1, min(domain.examples, LONGEST))
    x = rng.standard_normal((COUNT, n + 1, d))
    x *= domain.norm / np.linalg.norm(x, axis=2, keepdims=True)
    y = rng.uniform(-1, 1, (COUNT, n, k)) * domain.target
    y[0] = domain.target
    return [Tasks(x, y)]
