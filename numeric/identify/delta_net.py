"""`identify` for DeltaNet layers: measured against the delta rule, and compared entry by entry with the construction.

The layer is no polynomial, so the rule cannot be derived. The report says that it is the delta rule if every entry is
that of the construction and every prediction within its certificate; where entries differ, it names them, and the rule
that predictions are nearest to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions.delta_net import NETWORK
from scanproof.constructs.layouts.fla_delta_net import configuration
from scanproof.constructs.learners import further
from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.decide.ledger import built_in

from ..export.certificates.delta_net import Domain, bound, steepest
from ..export.delta_net import learned as exactly
from ..export.loading import Loaded
from ..export.row_choice import rows_of
from ..rounding.arithmetic import FORMATS
from . import fitting, learned, manifest
from .asked import NOTHING, Asked
from .blame import blamed
from .delta_net_model import Model, Near, model_of, models, nearest, predictor
from .entries import LISTED
from .fitting import SEED, Tasks, Trial, quotient_of_largest, sample, tried
from .mamba2_construction import ROUNDINGS
from .manifest import Manifest
from .report import DELTA, NONE, Contradiction, Report, Running, StepSize
from .verdict import unrecognised

EXAMPLES = (1, 2, 5, 12, 33)
"""n of the groups of tasks, beside the manifest's if it is at most `LONGEST`."""
LONGEST, COUNT = 128, 6
"""The most examples that a manifest adds, and the tasks of a group."""
MIDDLE = 5
WIDTH = 2.0**-10
"""Of central differences."""
IDLE = 2.0**-40
"""Relative change of predictions that is put down to float64 arithmetic."""
SLACK = 1 + 2.0**-20
"""For the last digits of a bound."""
OTHER_NORMS = "the construction is the delta rule for examples of the norm {:.6g}"
NEEDED = ("examples", "norm", "target", "norm_off")
"""What a certificate's domain says."""


class DeltaRule(NamedTuple):
    """One pass of the delta rule on the examples of a task, as `fitting.Learner` has gradient descent."""

    W0: np.ndarray
    """(d, k)."""
    step_size: float
    """η."""

    @np.errstate(all="ignore")
    def weights(self, tasks: Tasks) -> np.ndarray:
        """After the last example: (tasks, d, k)."""
        each = zip(tasks.x[:, :-1], tasks.y, strict=True)
        start = np.asarray(self.W0, dtype=np.float64)
        return np.stack([further.delta_rule(start, x, y, self.step_size) for x, y in each])

    def predictions(self, tasks: Tasks) -> np.ndarray:
        """For the queries: (tasks, k)."""
        return (tasks.x[:, -1:] @ self.weights(tasks))[:, 0]


@np.errstate(all="ignore")
def identify_delta_net(loaded: Loaded, asked: Asked = NOTHING) -> Report:
    """Which learning rule the weights of a DeltaNet layer implement, by measurement.

    Args:
        loaded: of the target fla-delta-net.
        asked: on which data; those of a sampler are scaled as it says, others are of the norm that the weights are for.

    Raises:
        UsageError: if no tokenisation has the width that the encoding takes.
    """
    model = model_of(loaded, asked.tokens)
    near, (d, k) = nearest(loaded, model), model.sizes
    sampler, scale = _drawn_from(loaded, near, asked, d)
    more = int(loaded.manifest["sizes"]["examples"]) if loaded.manifest else 1
    every = {*EXAMPLES, more} if more <= LONGEST else set(EXAMPLES)
    numbers: list[int] = sorted(asked.examples or every)
    predict = predictor(model)

    def drawn(*seed: int) -> list[Trial]:
        groups = [
            sample(d, k, n, COUNT, seed=(SEED, n, *seed), sampler=sampler, scale=scale)
            for n in numbers
        ]
        return tried(predict, groups)

    trials, inputs = drawn(), fitting.inputs(sampler, scale)
    if sampler == "sphere":
        inputs = f"‖x‖ = {scale * math.sqrt(d):.6g}"
    dtypes = ", ".join(sorted(set(loaded.dtypes.values())))
    report = Report(
        folder=str(loaded.folder),
        target=loaded.target,
        family="delta-net",
        sizes={"features": d, "targets": k, "layers": 1},
        asserted=loaded.manifest is not None,
        method=(
            f"measured on {COUNT * len(numbers)} seeded tasks ({inputs}): the layer's definition in float64, with the "
            f"{dtypes} weights"
        ),
    )
    if near:
        _name_entries(report, loaded, model, near, trials)
    _compare(report, model, near, trials, drawn, inputs)
    elsewhere = not report.recognised and bool(asked.sampler or asked.scale)
    if near and elsewhere and not near.entries.deviating:
        report.notes.append(
            f"{OTHER_NORMS.format(float(near.instance.constants.norm))}, and these are not all of it"
            + (
                "; the manifest is about such examples, and was not checked"
                if loaded.manifest
                else ""
            )
        )
    elif loaded.manifest:
        _check_manifest(report, loaded.manifest, model, near)
    return report


def _drawn_from(loaded: Loaded, near: Near | None, asked: Asked, d: int) -> tuple[str, float]:
    """The sampler of inputs and its scale: all of the norm that weights, or else a manifest, are for."""
    if asked.sampler or asked.scale:
        return asked.sampler or "sphere", asked.scale or 1.0
    norm = math.sqrt(d)
    if near:
        norm = float(near.instance.constants.norm)
    elif loaded.manifest:
        norm = loaded.manifest["certificate"]["domain"].get("norm", norm)
    return "sphere", norm / math.sqrt(d)


def _compare(
    report: Report,
    model: Model,
    near: Near | None,
    trials: Sequence[Trial],
    drawn: Any,
    inputs: str,
) -> None:
    """Adds to a report whether the predictions are the delta rule's, or what they are nearest to."""
    d, k = model.sizes
    if not all(np.isfinite(trial.predicted).all() for trial in trials):
        report.verdict = f"{NONE}: predictions overflow on the tasks, and nothing can be compared"
        return
    W0 = near.instance.W0 if near else _start(model, d, k)
    eta = float(near.step_size or near.stored) if near else _fitted(trials, W0)
    rule = DeltaRule(W0, eta)
    slopes = next((t.tasks for t in trials if t.tasks.examples == MIDDLE), trials[0].tasks)
    numbers = ", ".join(str(t.tasks.examples) for t in trials)
    samples = f"n = {numbers}; {inputs}; targets Wᵀx with noise, or arbitrary; relative: the largest of a group"
    report.W0 = np.asarray(W0, dtype=np.float64).tolist()
    report.distances = fitting.distances_to(
        rule, predictor(model), trials, slopes, WIDTH, samples=samples
    )
    idle = near is not None and _effect(report, near, trials, model) <= IDLE
    if near and idle and _certified(near, rule, trials):
        report.rule, report.steps = DELTA, 1
        report.step_size = StepSize(near.stored, near.step_size)
        report.running = _running(model, rule, trials)
        report.verdict = _sentence(report, near, model.tokens, numbers)
        report.notes.append(
            f"{OTHER_NORMS.format(float(near.instance.constants.norm))}: others count as if they were brought to it, "
            "with their targets as they are"
        )
        return
    best = fitting.fits(trials, W0, 1)
    held = drawn(6)
    report.nearest = learned.nearest(trials, held, W0, best, 1, f"{inputs}, {model.tokens} tokens")
    report.verdict = unrecognised(report)


def _start(model: Model, d: int, k: int) -> np.ndarray:
    """What the model predicts without examples, as a matrix."""
    return fitting.initial_weights(
        predictor(model), d, k, pads=int(model.tokens == "concatenated")
    )[0]


def _fitted(trials: Sequence[Trial], W0: np.ndarray) -> float:
    """The η of one step on one example, from the tasks with the fewest."""
    return fitting.fit(fitting.prepare(trials[:1], W0), 1).step_size


def _certified(near: Near, rule: DeltaRule, trials: Sequence[Trial]) -> bool:
    """Whether every prediction is within the construction's certificate, for as many examples and such targets."""
    for tasks, predicted in trials:
        norms = np.linalg.norm(tasks.x[:, :-1], axis=2)
        norm = float(near.instance.constants.norm)
        off = float(np.abs(norms / norm - 1).max())
        queries = float(np.linalg.norm(tasks.x[:, -1], axis=1).max())
        domain = Domain(tasks.examples, norm, float(np.abs(tasks.y).max()), max(off, 2.0**-23))
        most = bound(near.instance, domain).prediction * max(1.0, queries / norm)
        if not np.abs(predicted - rule.predictions(tasks)).max() <= most < math.inf:
            return False
    return True


def _effect(report: Report, near: Near, trials: Sequence[Trial], model: Model) -> float:
    """How far entries that differ from the construction's move predictions, relative to the largest."""
    if not near.entries.deviating:
        return 0.0
    settings = configuration(model.layer, model.norm_eps)
    mended = predictor(models(settings, near.entries.mended, near.entries.mended)[model.tokens])
    expected = [mended(*trial.tasks) for trial in trials]
    effect = max(
        quotient_of_largest(t.predicted - e, e) for t, e in zip(trials, expected, strict=True)
    )
    report.notes.append(
        f"they change predictions by {effect:.1e}, relative to the largest"
        if effect > IDLE
        else "they change no prediction on the tasks that were tried, which proves nothing of others"
    )
    return effect


def _name_entries(
    report: Report, loaded: Loaded, model: Model, near: Near, trials: Sequence[Trial]
) -> None:
    """The entries that are not the construction's, in the order of their effect."""
    entries, settings = near.entries, configuration(model.layer, model.norm_eps)
    report.nearest_construction = (
        f"one pass of the delta rule in one layer, {model.tokens} tokens, η = {_eta(near)}"
    )
    report.deviations, report.deviations_in_all = entries.deviations[:LISTED], entries.deviating
    report.same_function = not entries.deviating
    if not entries.deviating:
        report.notes.append("every entry is that of the construction, up to rounding")
        return
    some = [Tasks(trial.tasks.x[:2], trial.tasks.y[:2]) for trial in trials[:3]]

    def predictions(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        predict = predictor(models(settings, arrays, arrays)[model.tokens])
        return np.concatenate([predict(*tasks) for tasks in some])

    found = blamed({**loaded.tensors, **loaded.encoding}, entries.mended, predictions)
    if found.deviations:
        report.deviations, report.deviations_idle = found.deviations, found.idle
    counts = ", ".join(f"{name} {count}" for name, count in entries.counts.items())
    report.notes.append(f"entries that differ: {counts}")


def _running(model: Model, rule: DeltaRule, trials: Sequence[Trial]) -> Running:
    """The model on all tasks in float32, as the layer computes."""
    predict, off = predictor(model, "float32"), []
    for tasks, _ in trials:
        expected = rule.predictions(tasks)
        off.append(quotient_of_largest(predict(*tasks) - expected, expected))
    count = sum(len(trial.predicted) for trial in trials)
    return Running("float32", float(np.max(off)), count, "all of it in float32")


def _eta(near: Near) -> str:
    return str(near.step_size) if near.step_size is not None else f"{near.stored:.9g}"


def _sentence(report: Report, near: Near, tokens: str, numbers: str) -> str:
    start = "a W0 other than 0" if np.any(near.instance.W0) else "W0 = 0"
    norm = float(near.instance.constants.norm)
    sentence = (
        f"as far as measured one pass of {DELTA} with η = {_eta(near)} from {start} on {tokens} tokens, for examples "
        f"of the norm {norm:.6g}, at n = {numbers}"
    )
    if report.running:
        sentence += f"; {report.running.words}"
    if report.deviations_in_all:
        count = report.deviations_in_all
        differ = "1 entry differs" if count == 1 else f"{count} entries differ"
        sentence += f"; {differ} from the construction, which other data may show"
    return sentence


def _check_manifest(report: Report, asserted: Manifest, model: Model, near: Near | None) -> None:
    """Adds to a report what the weights contradict, and what becomes of the certificate."""
    unit, logit = FORMATS["float32"].unit, 0.0
    if near:
        logit = abs(float(near.instance.constants.strength))
    close = 2 * ROUNDINGS * unit * (1 + logit)
    report.contradictions += manifest.learner(asserted, report, close, measured=False)
    if not report.recognised or near is None:
        return
    d, k = model.sizes
    held = {
        "family": report.family,
        "sizes.features": d,
        "sizes.targets": k,
        "tokens.name": model.tokens,
        "tokens.predicts": "last",
    }
    report.contradictions += manifest.unequal(asserted, held)
    if not report.contradictions:
        _check_certificate(report, asserted, model, near)


def _check_certificate(report: Report, asserted: Manifest, model: Model, near: Near) -> None:
    """What contradicts the certificate, and the error beside it if it holds for these weights."""
    certificate, id = asserted["certificate"], asserted["construction"]["id"]
    known = rows_of(NETWORK)
    report.contradictions += manifest.within_itself(asserted, NEEDED, Domain._fields)
    if id not in known:
        report.contradictions.append(
            Contradiction("construction.id", id, "none of the family delta-net")
        )
    else:
        claim = next(row.claim for row in built_in().rows if row.claim.id == id)
        verdict = {"construction.verdict": quick_result(claim).verdict}
        report.contradictions += manifest.unequal(asserted, verdict)
    if certificate["absolute"] is None or not set(NEEDED) <= set(certificate["domain"]):
        return
    given = {name: certificate["domain"][name] for name in NEEDED}
    domain, made = Domain(**{**given, "examples": int(given["examples"])}), near.instance
    norm = float(made.constants.norm)
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
    own = bound(made, domain, certificate["dtype"])
    x, y = steepest(made, domain)
    attained = min(float(np.abs(exactly(made, x, y)[0])), own.magnitude)
    for name, proved, lower in (
        ("absolute", own.prediction, True),
        ("attained", attained, False),
        ("magnitude", own.magnitude, False),
    ):
        value = certificate.get(name)
        wrong = value is not None and (
            not value * SLACK >= proved if lower else value > proved * SLACK
        )
        if wrong:
            words = "what can be proved" if lower else "derived"
            report.contradictions.append(
                Contradiction(f"certificate.{name}", f"{value:.3g}", f"{proved:.3g} is {words}")
            )
    groups = [Tasks(x[None], y[None]), *_of_domain(domain, *model.sizes)]
    predict, rule = predictor(model, certificate["dtype"]), DeltaRule(made.W0, float(made.eta))
    errors = [np.abs(predict(*tasks) - rule.predictions(tasks)).max() for tasks in groups]
    count = sum(len(tasks.x) for tasks in groups)
    how = f"the largest of {count} tasks of the certificate's domain, run in {certificate['dtype']}"
    report.promise = manifest.certificate_at(report, asserted, float(np.max(errors)), how)


def _of_domain(domain: Domain, d: int, k: int) -> list[Tasks]:
    """Tasks of the domain at random, the targets at its ends in one of them."""
    rng = np.random.default_rng((SEED, 2))
    n = max(1, min(domain.examples, LONGEST))
    x = rng.standard_normal((COUNT, n + 1, d))
    x *= domain.norm / np.linalg.norm(x, axis=2, keepdims=True)
    y = rng.uniform(-1, 1, (COUNT, n, k)) * domain.target
    y[0] = domain.target
    return [Tasks(x, y)]
