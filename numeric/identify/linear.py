"""`identify` for the linear targets: the rule is derived from the prediction as a polynomial."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.proofs.doors.record.exactly import exactly

from ..export.loading import Loaded
from ..export.targets import TARGETS
from ..rounding.arithmetic import FORMATS
from . import (
    candidates,
    coefficients,
    factor,
    fitting,
    linear_certificate,
    linear_construction,
    linear_tasks,
    manifest,
    polynomial,
    recognition,
    rule,
    verdict,
)
from .asked import NOTHING, Asked
from .blame import blamed
from .factor import Factor
from .fitting import SEED, Learner
from .linear_construction import Near
from .mamba2_construction import simple
from .manifest import Manifest
from .neutral_form import arrays, models, of_arrays, rounding
from .polynomial import RATIONAL
from .preconditioner import kind
from .recognition import MEASURED, UNDEFINED, UNKNOWN, Recognition, TooLarge
from .report import (
    ALONE,
    ASCENT,
    DESCENT,
    MOMENTUM,
    NEAR,
    PLUS_PLUS,
    PRECONDITIONED,
    RIDGE,
    Contradiction,
    Number,
    Report,
    StepSize,
    as_float,
)
from .rule import Rule

MOST = 5e10
"""Multiplications of all predictions that are made, about."""
ENTRIES = 2**18
"""Entries of the largest model that is compared with a construction, whose numbers are exact ones."""
WITHIN = 2.0**-20
"""Relative distance on tasks below which a model too large to derive its rule is said to follow one."""
FEW = 4
"""Tasks on which entries are blamed."""
LONGEST = 4096
"""Examples of a task that is measured, at most."""
TOKENS = 6000
"""Tokens of the examples that are asked for, in all layers, at most: they take half a minute."""
ROUNDINGS = 16
"""Deviation of an output of every token, beside that of one number."""


class _Read(NamedTuple):
    """A model, and what was derived of it."""

    model: Model
    numbers: tuple[int, ...]
    """Of examples, at which it was looked at."""
    found: Recognition | None
    how: str
    """If nothing was found: why."""
    fixed: int | None
    """n, if the model is for one number of examples."""

    @property
    def entries(self) -> int:
        """How many numbers the model has."""
        return sum(array.size for array in arrays(self.model).values())


@np.errstate(all="ignore")  # of weights that are no numbers to compute with
def identify_linear(loaded: Loaded, asked: Asked = NOTHING) -> Report:
    """Which learning rule the weights of a linear target implement.

    Args:
        loaded: of any target with a neutral form.
        asked: on which data.

    Raises:
        UsageError: for a model that takes no examples, or not those that are asked for.
    """
    read = _read(loaded, asked)
    model = read.model
    d, k = neutral.sizes(model)
    report = Report(
        folder=str(loaded.folder),
        target=loaded.target,
        family=model.family,
        sizes={"features": d, "targets": k, "layers": len(model.layers)},
        method=read.how,
        notes=[f"{model.tokens} tokens"],
    )
    if read.fixed:
        report.sizes["examples"] = read.fixed
    by = _derived(report, model, read.found) if read.found else None
    near = _near(report, read, loaded, by)
    if read.found and by:
        report.running = linear_tasks.running(
            model,
            _every_rule(model, read),
            _format(loaded),
            asked.sampler or "uniform",
            asked.scale or 1.0,
            linear=read.found.linear,
            wide=TARGETS[loaded.target].wide,
        )
    if report.rule not in (DESCENT, ASCENT):
        _measured(report, read, loaded.manifest, near, asked)
    report.verdict = verdict.of(report, list(loaded.dtypes.values()), read.found)
    if loaded.manifest:
        _check_manifest(report, loaded.manifest, read, by, asked)
    return report


def _read(loaded: Loaded, asked: Asked) -> _Read:
    """The model with the first tokenisation that makes it a rule's, or with the first that it can have."""
    tried, possible = [], models(loaded)
    if asked.tokens is not None:
        own = [model for model in possible if model.tokens == asked.tokens]
        if not own:
            raise UsageError(
                f"identify {loaded.folder} --tokens {asked.tokens}: they do not fit the weights; those that do: "
                f"{', '.join(model.tokens for model in possible)}."
            )
        possible = own
    for model in possible:
        numbers = recognition.numbers_of_examples(model)
        fixed = _fixed(model)
        if asked.examples and fixed and asked.examples != (fixed,):
            raise UsageError(
                f"identify {loaded.folder} --examples {' '.join(map(str, asked.examples))}: the shapes of its tensors "
                f"are those of n = {fixed} alone."
            )
        if not fixed:
            _check_asked(loaded, model, asked.examples)
        read = _Read(model, asked.examples or numbers, None, UNKNOWN, fixed)
        _check_size(loaded, read)
        try:
            found = recognition.recognise(model, asked.examples)
        except TooLarge:
            read = read._replace(how=MEASURED)
        except polynomial.NO_POLYNOMIAL:
            read = read._replace(how=UNDEFINED)
        else:
            read = read._replace(found=found, how=found.method if found else UNKNOWN)
            if found and found.first.step_sizes:
                return read
        tried.append(read)
    return tried[0] if len(tried) == 1 else min(tried, key=partial(_unlike, loaded))


def _fixed(model: Model) -> int | None:
    """n, if the shapes of a model's tensors are for one number of examples."""
    numbers = recognition.numbers_of_examples(model)
    return numbers[0] if len(numbers) == 1 else None


def _check_asked(loaded: Loaded, model: Model, examples: tuple[int, ...]) -> None:
    layers, length = len(model.layers), TOKENISATIONS[model.tokens].length
    tokens = layers * sum(map(length, examples))
    if tokens > TOKENS:
        most = sum(layers * len(examples) * length(n) <= TOKENS for n in range(1, max(examples)))
        each = "each --examples" if len(examples) > 1 else "--examples"
        raise UsageError(
            f"identify {loaded.folder} --examples {' '.join(map(str, examples))}: {tokens:,} tokens in {layers} layers "
            f"take minutes, and {TOKENS:,} are the most; give {each} ≤ {most}."
        )


def _check_size(loaded: Loaded, read: _Read) -> None:
    if not read.numbers:
        raise UsageError(
            f"identify {loaded.folder}: the tensors' shapes are those of a context without examples."
        )
    d, _ = neutral.sizes(read.model)
    own = linear_tasks.examples(read.model, read.fixed)
    examples = max(own, *read.numbers)
    products = _products(read.model, examples)
    if products > MOST:
        raise UsageError(
            f"identify {loaded.folder}: a model of {d} features and {read.entries:,} entries is too large: it takes "
            f"{products:.1e} multiplications to measure it, and {MOST:.0e} are the most."
        )


def _products(model: Model, n: int) -> int:
    """Of all predictions that are made at n examples, about."""
    return recognition.operations(model, n) * (neutral.sizes(model)[0] + 64)


def _affordable(model: Model, n: int) -> bool:
    """Whether tasks of n examples are measured; longer ones of small models take too many tokens."""
    return _products(model, n) <= MOST and n <= LONGEST


def _unlike(loaded: Loaded, read: _Read) -> tuple[bool, float]:
    """How far a model is from a rule on tasks; if far, how many entries are not as in the nearest construction."""
    model, n = read.model, linear_tasks.examples(read.model, read.fixed)
    _, distances, near = linear_tasks.nearest(model, (n,), read.fixed)
    off = near.off if near is not None and near.learns else distances.relative
    if off <= NEAR:
        return False, off
    if read.entries > ENTRIES:
        return True, math.inf
    made = linear_construction.nearest(model, read.numbers[-1], None, loaded.target)
    return True, math.inf if made is None else made.entries.deviating


def _derived(report: Report, model: Model, found: Recognition) -> Factor | None:
    """The rule, and its factor; None where the examples have no influence."""
    first = found.first
    report.exact = not found.deviation
    report.data = "linear targets" if found.linear else "any"
    report.steps, report.W0 = len(first.step_sizes), first.W0.tolist()
    if not first.step_sizes:
        return None
    own = factor.of(found.rules, _close(model, found))
    divisor = Fraction(1) if own.shift is None else min(found.rules) + own.shift
    if first.preconditioner is not None:
        matrix = first.preconditioner * divisor
        report.rule = PRECONDITIONED
        report.preconditioner, report.preconditioner_kind = matrix.tolist(), kind(matrix)
        report.step_size = StepSize(Fraction(1), dependence=own.words)
        return own
    report.ridge, report.momentum, report.gamma = (
        number or None for number in (first.ridge, first.momentum, first.gamma)
    )
    up = all(s < 0 for s in first.step_sizes)
    report.rule = ASCENT if up else DESCENT
    for name, number in (
        (RIDGE, first.ridge),
        (MOMENTUM, first.momentum),
        (PLUS_PLUS, first.gamma),
    ):
        report.rule = name if number else report.rule
    each = tuple(s * divisor for s in first.step_sizes)
    mean, rounded = sum(each, Fraction(0)) / len(each), {_simple(s, model) for s in each}
    alike = len(set(each)) == 1
    nearest = rounded.pop() if len(rounded) == 1 else None  # all are roundings of one number
    report.step_size = StepSize(mean, nearest, own.words, () if alike else each)
    return own


def _every_rule(model: Model, read: _Read) -> dict[int, Rule]:
    """The rule at each number of examples at which it was established."""
    found = read.found
    assert found is not None
    every = found.rules
    if set(found.everywhere) | set(found.likely) > set(every):
        every = recognition.with_further(model, every, _close(model, found))
    return {n: every[n] for n in (*found.everywhere, *found.likely) if n in every}


def _close(model: Model, found: Recognition) -> Fraction:
    """Within what factors at several n are one: rounding, of what is a rule up to rounding only."""
    return rounding(model) if found.deviation else factor.EXACTLY


def _format(loaded: Loaded) -> str:
    """The widest format of the tensors, in which they run together."""
    return max(set(loaded.dtypes.values()), key=lambda dtype: (-FORMATS[dtype].unit, dtype))


def _simple(value: Number, model: Model) -> Fraction | None:
    """The simple number that a number of the model is a rounding of, if it is one."""
    number = as_float(value)
    return simple(number, float(rounding(model))) if number and math.isfinite(number) else None


def _near(report: Report, read: _Read, loaded: Loaded, by: Factor | None) -> Near | None:
    """The construction nearest to the weights: the one that the manifest names, if there is one."""
    model, numbers, found, how, _ = read
    if read.entries > ENTRIES:
        report.notes.append("the model is too large to compare its entries with a construction's")
        return None
    n, near, known = numbers[-1], None, False
    learner = _assertion(loaded.manifest, read) if loaded.manifest else None
    if loaded.manifest and learner:
        id, examples = loaded.manifest["construction"]["id"], loaded.manifest["sizes"]["examples"]
        near = linear_construction.asserted(model, id, examples, learner, loaded.target)
        if near is None or near.entries.deviating:
            own = linear_construction.nearest(
                model, examples, learner.W0, loaded.target, [learner.step_size]
            )
            report.contradictions += _another(id, near, own)
    if near is None:
        descends = found is not None and found.first.preconditioner is None
        total = by.at(n) if by and descends else None
        equal = report.step_size is not None and not report.step_size.each
        step = [as_float(total / (report.steps or 1))] if total is not None and equal else []
        if how == UNKNOWN:  # that of a prediction near a rule's, whatever basis the entries are in
            q = rule.on_line(model, n)
            step = [as_float(-q[1] / len(model.layers))] if q and len(q) > 1 else []
        W0 = (
            None
            if found is None or found.first.ridge
            else np.vectorize(as_float, otypes=[float])(found.first.W0)
        )
        near = linear_construction.nearest(model, n, W0, loaded.target, step)
        known = bool(
            near and by and descends and linear_construction.is_close(model, near.model, numbers)
        )
    if near is None:
        report.notes.append("no construction has tensors of these shapes, so no entries are named")
        return None
    report.nearest_construction = near.what
    report.deviations, report.deviations_in_all = near.entries.deviations, near.entries.deviating
    report.same_function = (
        not near.entries.deviating
        or known
        or (how != MEASURED and linear_construction.is_same(model, near.model, numbers))
    )
    if near.entries.deviating and not report.same_function:
        _blame(report, read, near, loaded)
    return near


def _blame(report: Report, read: _Read, near: Near, loaded: Loaded) -> None:
    """The entries that differ in the order of their effect on predictions of tasks, without those that have none."""
    d, k = neutral.sizes(read.model)
    n = linear_tasks.examples(read.model, read.fixed)
    tasks = fitting.sample(d, k, n, FEW, seed=(SEED, n, 4), sampler="uniform")

    def predictions(tensors: Mapping[str, np.ndarray]) -> np.ndarray:
        model = of_arrays(loaded, tensors, read.model.tokens)
        return linear_tasks.predictor(model)(*tasks)

    found = blamed(arrays(read.model, loaded.target), near.entries.mended, predictions)
    if found.deviations:
        report.deviations, report.deviations_idle = found.deviations, found.idle


def _assertion(asserted: Manifest, read: _Read) -> Learner | None:
    """The learner that the manifest names; None if that is not for models of these sizes."""
    learner = manifest.asserted_learner(asserted)
    numbers = [*learner.W0.ravel(), learner.step_size]
    if learner.W0.shape != neutral.sizes(read.model) or not np.isfinite(numbers).all():
        return None
    return learner if read.fixed in (None, asserted["sizes"]["examples"]) else None


def _another(id: str, near: Near | None, own: Near | None) -> list[Contradiction]:
    """That a manifest names another construction than the one that all entries are as in."""
    if own is None or own.entries.deviating or own.what == id:
        return []
    other = f"{near.entries.deviating} entries are not as in that one" if near else ""
    found = f"{own.what}, entry by entry; {other or 'that one has other shapes'}"
    return [Contradiction("construction.id", id, found)]


def _measured(
    report: Report, read: _Read, asserted: Manifest | None, near: Near | None, asked: Asked
) -> None:
    """Distances to the nearest gradient descent; for an unknown rule also its steps, and coefficients that deviate."""
    model, numbers, found, how, fixed = read
    n = asserted["sizes"]["examples"] if asserted else None
    if n is not None and not _affordable(model, n):
        n = None
    starts = [] if near is None or report.W0 is None else [np.array(report.W0, dtype=np.float64)]
    some = asked.examples or (linear_tasks.examples(model, fixed or n),)
    learner, report.distances, own = linear_tasks.nearest(
        model, some, fixed or n, starts, asked.sampler or "uniform", asked.scale
    )
    alone = ALONE.format(", ".join(map(str, some)))
    if found is not None:
        return
    report.nearest = own
    report.steps, report.W0 = learner.steps, learner.W0.tolist()
    report.step_size = StepSize(learner.step_size, _simple(learner.step_size, model), alone)
    if how == MEASURED:
        if report.distances.relative <= WITHIN and learner.step_size:
            report.rule = DESCENT if learner.step_size > 0 else ASCENT
        return
    rules = dict.fromkeys(numbers, coefficients.fitted(learner))
    if near is not None and near.entries.deviating <= read.entries // 4:
        construction = linear_construction.rounded(model, near.model)
        rules = coefficients.of_construction(construction, rules)
    coefficients.list_deviating(report, model, rules)


def _check_manifest(
    report: Report, asserted: Manifest, read: _Read, by: Factor | None, asked: Asked
) -> None:
    """Adds to a report what contradicts the manifest, and what becomes of its certificate."""
    model, id = read.model, asserted["construction"]["id"]
    (d, k), sizes = neutral.sizes(model), ("features", "targets", "examples")
    held = {f"sizes.{name}": report.sizes[name] for name in sizes if name in report.sizes}
    report.contradictions += manifest.unequal(asserted, {"family": model.family, **held})
    if candidates.of_statement(id, model, 1) is None:
        none = f"none of the family {model.family}"
        report.contradictions.append(Contradiction("construction.id", id, none))
    columns = [list(column) for column in TOKENISATIONS[model.tokens].columns(d, k)]
    tokens = {"tokens.name": model.tokens, "tokens.raw": columns}
    report.contradictions += manifest.unequal(asserted, tokens)
    close = float(rounding(model))
    own = manifest.learner(asserted, report, close, by, measured=False)
    n = asserted["sizes"]["examples"]
    if read.found is None and not read.fixed and not _affordable(model, n):
        own = [each for each in own if each.assertion != "learner.step_size"]
        report.notes.append(f"learner.step_size was not checked: {n:,} examples take too long")
    elif read.how == MEASURED and asked.examples not in ((), (n,)):  # with one step size for all
        own = []
        report.notes.append(f"the learner was not checked: it is about {n:,} examples")
    elif by is not None and by.at(n) is None:
        own = [each for each in own if each.assertion != "learner.step_size"]
        report.notes.append(
            f"learner.step_size was not checked: it is about {n:,} examples, which were not tried"
        )
    report.contradictions += own
    if asserted["tokens"]["predicts"] == "every" and read.found and not _every(model, read.found):
        report.contradictions.append(Contradiction("tokens.predicts", "every", "last"))
    linear_certificate.check(report, asserted, model)


def _every(model: Model, found: Recognition) -> bool:
    """Whether each output is the prediction for the next input from the examples before it, at a random point.

    Up to rounding, if the last one is the rule's only up to rounding.
    """
    n = max(found.rules)
    close = ROUNDINGS * rounding(model) if found.deviation else Fraction(0)
    x, y = recognition.point(model, found.rules[n], n, found.linear)

    def every(xp: Any, model: Model, x: Any, y: Any) -> Any:
        raw = TOKENISATIONS[model.tokens].tokens(x, y)
        stream = raw @ model.encode_weight.T + model.encode_bias
        return neutral.outputs(model, stream) @ model.readout.T

    rows = exactly(RATIONAL, every, polynomial.exact(model), x, y)
    if rows.shape[0] != n:
        return False
    for t, own in found.rules.items():
        wanted = rule.exact_prediction(RATIONAL, own, x[: t + 1], y[:t])
        for a, b in zip(rows[t - 1], wanted, strict=True):
            if abs(polynomial.fraction(a - b)) > close * abs(polynomial.fraction(b)):
                return False
    return True
