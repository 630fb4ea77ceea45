"""`identify` for the linear targets: the rule is derived from the prediction as a polynomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS

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
    manifest,
    polynomial,
    reading,
    recognition,
    tasks,
    verdict,
)
from . import rule as rules
from .asked import Asked, on_tokens
from .entries import Near
from .factor import Factor
from .fitting import Found
from .manifest import Manifest
from .naming import blame, name, predictor_of
from .neutral_form import arrays, models, predictor, rounding
from .preconditioner import kind
from .recognition import MEASURED, UNDEFINED, UNKNOWN, Recognition, TooLarge
from .report import (
    ASCENT,
    AVERAGED,
    CONSTANT,
    DESCENT,
    NEAR,
    PRECONDITIONED,
    Contradiction,
    Number,
    Report,
    Running,
    StepSize,
    as_float,
)
from .roundings import simple
from .rule import Rule
from .tasks import HELD, LINEAR, Scheme, Tasks

MOST = 5e10
"""Multiplications of all predictions that are made, about."""
ENTRIES = 2**18
"""Entries of the largest model that is compared with a construction, whose numbers are exact ones."""
WITHIN = 2.0**-20
"""Relative distance on tasks below which a model too large to derive its rule is said to follow one."""
FEW = 4
"""Tasks on which entries are blamed, and those of each n that are run in a format."""
LONGEST = 4096
"""Examples of a task that is measured, at most."""
TOKENS = 6000
"""Tokens of the examples that are asked for, in all layers, at most: they take half a minute."""


class Read(NamedTuple):
    """A model, and what was derived of it."""

    loaded: Loaded
    asked: Asked
    model: Model
    numbers: tuple[int, ...]
    """Of examples, at which it was looked at."""
    found: Recognition | None
    how: str
    """How the rule was derived, or why there is none."""
    fixed: int | None
    """n, if the model is for one number of examples."""
    scheme: Scheme
    """The tasks on which it is measured."""

    @property
    def entries(self) -> int:
        """How many numbers the model has."""
        return sum(array.size for array in arrays(self.model).values())

    @property
    def by(self) -> Factor | None:
        """The factor of the rule's gradient; None where there is no rule, or the examples have no influence."""
        if self.found is None or not self.found.first.step_sizes:
            return None
        return factor.of(self.found.rules, _close(self.model, self.found))


class Linear:
    """Layers whose prediction is a polynomial, under neutral names or those of flash-linear-attention."""

    predictor = staticmethod(predictor)

    def models(self, loaded: Loaded) -> dict[str, Model]:
        """The neutral model on each tokenisation, in its own formats."""
        return {model.tokens: model for model in models(loaded)}

    def sizes(self, model: Model) -> tuple[int, int]:
        """(d, k)."""
        return neutral.sizes(model)

    def read(self, loaded: Loaded, asked: Asked) -> Read:
        """Raises UsageError for a model that takes no examples, or not those that are asked for."""
        tried = []
        for model in on_tokens(loaded, self.models(loaded), asked.tokens):
            read = _read(loaded, asked, model)
            if read.by is not None:
                return read
            tried.append(read)
        return tried[0] if len(tried) == 1 else min(tried, key=_unlike)

    def derive(self, report: Report, read: Read) -> None:
        """The rule, if the prediction is its polynomial."""
        report.method = read.how
        report.notes.append(f"{read.model.tokens} tokens")
        if read.fixed:
            report.sizes["examples"] = read.fixed
        if read.found:
            _derived(report, read.model, read.found, read.by)

    def name_entries(self, report: Report, read: Read) -> Near | None:
        """Beside the construction that the manifest names, if there is one, or else the nearest."""
        near, known = _near(report, read)
        if near is None:
            return None
        name(report, near)
        report.same_function = (
            not near.entries.deviating
            or known
            or (
                read.how != MEASURED
                and linear_construction.is_same(read.model, near.made, read.numbers)
            )
        )
        if not report.same_function:
            few = read.scheme._replace(numbers=read.scheme.numbers[-1:], count=FEW)
            held = arrays(read.model, read.loaded.target)
            of = predictor_of(self, read.loaded, read.model.tokens)
            blame(report, near, held, of, few.drawn(HELD))
        return near

    def compare(self, report: Report, read: Read, near: Near | None) -> None:
        """The rule run in the weights' format, and where none was derived the nearest rule."""
        if read.found and read.by:
            report.running = _running(read, read.found)
        if report.rule not in (DESCENT, ASCENT):
            _measured(report, read, near)
        report.verdict = verdict.of(report, list(read.loaded.dtypes.values()), read.found)

    def check(self, report: Report, asserted: Manifest, read: Read, near: Near | None) -> None:
        """Adds contradictions of the manifest, and the error beside its certificate."""
        model = read.model
        (d, k), id = neutral.sizes(model), asserted["construction"]["id"]
        report.contradictions += manifest.unequal(asserted, manifest.sizes(report))
        if candidates.of_statement(id, model, 1) is None:
            none = f"none of the family {model.family}"
            report.contradictions.append(Contradiction("construction.id", id, none))
        columns = [list(column) for column in TOKENISATIONS[model.tokens].columns(d, k)]
        tokens = {"tokens.name": model.tokens, "tokens.raw": columns}
        report.contradictions += manifest.unequal(asserted, tokens)
        _check_learner(report, asserted, read)
        linear_certificate.check(report, asserted, model, read.found)


def _read(loaded: Loaded, asked: Asked, model: Model) -> Read:
    """The model on one tokenisation, and its rule, if there is one."""
    numbers, fixed = recognition.numbers_of_examples(model), _fixed(model)
    if asked.examples and fixed and asked.examples != (fixed,):
        raise UsageError(
            f"identify {loaded.folder} --examples {' '.join(map(str, asked.examples))}: the shapes of its tensors "
            f"are those of n = {fixed} alone."
        )
    if not fixed:
        _check_asked(loaded, model, asked.examples)
    read = Read(
        loaded,
        asked,
        model,
        asked.examples or numbers,
        None,
        UNKNOWN,
        fixed,
        tasks.scheme(
            loaded,
            asked,
            *neutral.sizes(model),
            tokens=model.tokens,
            cost=lambda n: recognition.operations(model, n),
            allowed=lambda n: _affordable(model, n),
            fixed=fixed,
        ),
    )
    _check_size(read)
    try:
        found = recognition.recognise(model, asked.examples)
    except TooLarge:
        return read._replace(how=MEASURED)
    except polynomial.NO_POLYNOMIAL:
        return read._replace(how=UNDEFINED)
    return read._replace(found=found, how=found.method if found else UNKNOWN)


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


def _check_size(read: Read) -> None:
    folder = read.loaded.folder
    if not read.numbers:
        raise UsageError(
            f"identify {folder}: the tensors' shapes are those of a context without examples."
        )
    d, _ = neutral.sizes(read.model)
    products = _products(read.model, max(*read.scheme.numbers, *read.numbers))
    if products > MOST:
        raise UsageError(
            f"identify {folder}: a model of {d} features and {read.entries:,} entries is too large: it takes "
            f"{products:.1e} multiplications to measure it, and {MOST:.0e} are the most."
        )


def _products(model: Model, n: int) -> int:
    """Of all predictions that are made at n examples, about."""
    return recognition.operations(model, n) * (neutral.sizes(model)[0] + 64)


def _affordable(model: Model, n: int) -> bool:
    """Whether tasks of n examples are measured; longer ones of small models take too many tokens."""
    return _products(model, n) <= MOST and n <= LONGEST


def _rules(read: Read, starts: Sequence[np.ndarray] = (), *, plain: bool = False) -> Found:
    """The rules that the predictions are near to."""
    predict, layers = predictor(read.model), len(read.model.layers)
    return fitting.found(predict, layers, read.scheme, read.asked.scale, starts, plain=plain)


def _unlike(read: Read) -> tuple[bool, float]:
    """How far a model is from a rule on tasks; if far, how many entries are not as in the nearest construction."""
    near = _rules(read, plain=True).nearest
    if near is not None and near.learns and near.off <= NEAR:
        return False, near.off
    if read.entries > ENTRIES:
        return True, math.inf
    made = linear_construction.nearest(read.model, read.numbers[-1], None, read.loaded.target)
    return True, math.inf if made is None else made.entries.deviating


def _running(read: Read, found: Recognition) -> Running:
    """The model run in the format of its weights, beside its rule at each n, on tasks on which steps are calm."""
    of = {n: rules.in_floats(rule) for n, rule in _every_rule(read.model, found).items()}
    scheme = read.scheme._replace(
        numbers=tuple(of), count=FEW, calm=lambda tasks: of[tasks.examples].calm(tasks)
    )
    groups = scheme.drawn(HELD)
    if found.linear:
        groups = [Tasks(x[LINEAR], y[LINEAR]) for x, y in groups]
    dtype, wide = _format(read.loaded), TARGETS[read.loaded.target].wide
    how = scheme.words + ", but as drawn for whether it overflows"
    return tasks.running(
        predictor(read.model, dtype, wide=wide),
        lambda tasks: of[tasks.examples].predictions(tasks),
        scheme,
        groups,
        dtype,
        f"{how}; y = Wᵀx" if found.linear else how,
    )


def _derived(report: Report, model: Model, found: Recognition, by: Factor | None) -> None:
    """Adds the rule, with the factor of its gradient."""
    first = found.first
    report.exact = not found.deviation
    report.data = "linear targets" if found.linear else "any"
    report.steps, report.W0 = len(first.step_sizes), first.W0.tolist()
    if by is None:
        return
    divisor = Fraction(1) if by.shift is None else min(found.rules) + by.shift
    if first.preconditioner is not None:
        matrix = first.preconditioner * divisor
        report.rule = PRECONDITIONED
        report.preconditioner, report.preconditioner_kind = matrix.tolist(), kind(matrix)
        report.step_size = StepSize(Fraction(1), dependence=by.words)
        return
    report.ridge, report.momentum, report.gamma = first.ridge, first.momentum, first.gamma
    report.decay, report.rule = first.decay, rules.kind(first)
    each = tuple(s * divisor for s in first.step_sizes)
    mean, rounded = sum(each, Fraction(0)) / len(each), {_simple(s, model) for s in each}
    alike = len(set(each)) == 1
    nearest = rounded.pop() if len(rounded) == 1 else None  # all are roundings of one number
    report.step_size = StepSize(mean, nearest, by.words, () if alike else each)


def _every_rule(model: Model, found: Recognition) -> dict[int, Rule]:
    """The rule at each number of examples at which it was established."""
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


def _near(report: Report, read: Read) -> tuple[Near | None, bool]:
    """The construction beside the weights, and whether both are known to be one gradient descent."""
    model, loaded, found, by = read.model, read.loaded, read.found, read.by
    if read.entries > ENTRIES:
        report.notes.append("the model is too large to compare its entries with a construction's")
        return None, False
    near = _asserted(report, read)
    if near is not None:
        return near, False
    n, step = read.numbers[-1], []
    descends = found is not None and found.first.preconditioner is None
    total = by.at(n) if by and descends else None
    equal = report.step_size is not None and not report.step_size.each
    if total is not None and equal:
        step = [as_float(total / (report.steps or 1))]
    if read.how == UNKNOWN:  # that of a prediction near a rule's, whatever basis the entries are in
        q = reading.on_line(model, n)
        step = [as_float(-q[1] / len(model.layers))] if q and len(q) > 1 else []
    W0 = None
    if found is not None and found.first.ridge is None:
        W0 = np.vectorize(as_float, otypes=[float])(found.first.W0)
    near = linear_construction.nearest(model, n, W0, loaded.target, step)
    if near is None:
        report.notes.append("no construction has tensors of these shapes, so no entries are named")
        return None, False
    known = descends and bool(by)
    return near, known and linear_construction.is_close(model, near.made, read.numbers)


def _asserted(report: Report, read: Read) -> Near | None:
    """The construction that a manifest names; adds to a report that the weights are another's, entry by entry."""
    asserted = read.loaded.manifest
    learner = _assertion(asserted, read) if asserted else None
    if asserted is None or learner is None:
        return None
    model, target = read.model, read.loaded.target
    id, n = asserted["construction"]["id"], asserted["sizes"]["examples"]
    near = linear_construction.asserted(model, id, n, learner, target)
    if near is None or near.entries.deviating:
        steps = learner.step_sizes[:1]
        own = linear_construction.nearest(model, n, learner.W0, target, steps)
        report.contradictions += _another(id, near, own)
    return near


def _assertion(asserted: Manifest, read: Read) -> Rule | None:
    """The learner that the manifest names; None if that is not for models of these sizes."""
    learner = manifest.asserted_learner(asserted)
    numbers = [*learner.W0.ravel(), *learner.step_sizes]
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


def _measured(report: Report, read: Read, near: Near | None) -> None:
    """Distances to the nearest gradient descent; for an unknown rule also its steps, and coefficients that deviate."""
    starts = [] if near is None or report.W0 is None else [np.array(report.W0, dtype=np.float64)]
    found = _rules(read, starts, plain=read.found is not None)
    model, learner, trials = read.model, found.plain.rule, found.held
    if tasks.finite(trials):
        learned = learner.predictions
        if found.linear:
            trials = tasks.part(trials, LINEAR)
        report.distances = tasks.distances(predictor(model), learned, trials, found.scheme)
    if read.found is not None:
        return
    report.nearest = found.nearest
    report.steps, report.W0 = learner.steps, learner.W0.tolist()
    eta = learner.step_sizes[0] if learner.steps else 0.0
    report.step_size = StepSize(eta, _simple(eta, model), found.dependence)
    if read.how == MEASURED:
        if eta and tasks.furthest(trials, learner.predictions) <= WITHIN:
            report.rule = rules.kind(learner)
        return
    every = {n: coefficients.fitted(learner, n) for n in read.numbers}
    if near is not None and near.entries.deviating <= read.entries // 4:
        construction = linear_construction.rounded(model, near.made)
        every = coefficients.of_construction(construction, every)
    coefficients.list_deviating(report, model, every)


def _measured_by(report: Report, read: Read) -> Factor | None:
    """How the factor depends on n, of a rule that was measured at several."""
    size = report.step_size
    if read.how != MEASURED or size is None or size.dependence not in (CONSTANT, AVERAGED):
        return None
    return Factor(Fraction(size.value), Fraction(0) if size.dependence == AVERAGED else None, {})


def _check_learner(report: Report, asserted: Manifest, read: Read) -> None:
    """Adds where the manifest names another learner, as far as that is known at its number of examples."""
    n, by = asserted["sizes"]["examples"], read.by or _measured_by(report, read)
    close = float(rounding(read.model))
    found = manifest.learner(asserted, report, close, by, measured=False)
    unknown = ""
    if read.found is None and not read.fixed and not _affordable(read.model, n):
        unknown = f"learner.step_size was not checked: {n:,} examples take too long"
    elif read.how == MEASURED and read.asked.examples not in (
        (),
        (n,),
    ):  # with one step size for all
        found = []
        report.notes.append(f"the learner was not checked: it is about {n:,} examples")
    elif by is not None and by.at(n) is None:
        unknown = (
            f"learner.step_size was not checked: it is about {n:,} examples, which were not tried"
        )
    if unknown:
        found = [each for each in found if each.assertion != "learner.step_size"]
        report.notes.append(unknown)
    report.contradictions += found
