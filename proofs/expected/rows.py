"""The empirical rows of the ledger: printed figures, what they are expected to be, what training has to show.

A printed loss agrees with an exact one within its printed ± and rounding, or within the 95 % interval of a mean over
10⁴ tasks, which is what gril B.1 says it is; which of the two is said. A trained model agrees with a learner if its
loss is within `CLOSE` of the learner's exact expected loss, besides twice its own spread over seeds; a spread that is
larger than the margin itself decides nothing. These margins were chosen before models were trained; that a learner
beside a curve keeps one rate at all context sizes, as the model keeps its weights, was decided after. Where a source
says that a model has learned the rule of a learner, the record's comparison with it, task by task, is a finding too.

That a model does no better than predicting 0 is what a model that was not trained shows as well. A quick run says it
only of a model that was trained for as many steps, and from as many seeds, as the whole model beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

from scanproof.constructs.constructions import gril_tables
from scanproof.constructs.errors import UsageError, nearest

from ..language.measurement import Finding, Measurement
from .convention import Convention, Printed
from .learners import ONE_STEP, TWO_STEPS, ZERO
from .losses import best_one_pass, best_step_size, expected_loss, one_pass, smallest_loss
from .moments import normal, uniform
from .recorded import FOLDER, PRESETS, Losses, Results, results_of

CLOSE = 0.05
"""Of a trained model's loss to a learner's: that it is the same to the eye."""
ALIKE = 0.25
"""Of curves in a figure without numbers, that are said to mirror or mimic one another."""
COSINE = 0.99
"""From here on sensitivities to the query are said to point the same way as an explicit learner's."""
DISTANCE = 0.1
"""Up to here predictions are said to be those of an explicit learner, relative to the size of the latter."""
FEWEST = 3
"""Seeds of models of which one is said to be better than another."""
SCALAR = Convention(features=10)
VECTOR = Convention(features=10, targets=10)
"""Of gril B.1 and B.2: f is printed in gd-ssm A.5 alone, and half-width ½ and factor ½ are not, but see `search`."""
NOT_RECORDED = "no training run is recorded"
CONTEXTS = (10, 20, 30, 40)
"""Context sizes at which curves of ssd are compared, of 1 to 40."""
DEPTHS = (1, 4, 8, 12)
"""Layers of ssd's stacks."""
S5_LAYERS = (1, 2, 4, 6)
"""Of gril Table 3."""
TRAINED_AT = 40
"""The context size at which ssd trains, and so the one at which a learner's rate is best."""
WIDTHS = (2, 5, 10, 20)
"""Features of the models that are trained over f."""
SCALES = ("0.5", "1.5", "2", "3")
"""Of inputs, relative to training."""
UNTRAINED = "a model that was not trained would show the same"


@dataclass(frozen=True)
class Figure:
    """A loss: as it is printed, if it is, and what it is expected to be."""

    name: str
    """By which recorded results have it."""
    says: str
    expected: Fraction
    of: str
    """The learner that it is the exact expected loss of, in words."""
    printed: Printed | None = None
    error: float | None = None
    """The exact standard error of a mean over 10⁴ tasks."""
    trained: bool = True
    """Whether it is a trained model's, so that training has something to show."""
    margin: float = CLOSE
    at_most: bool = False
    """Whether a source says that it reaches this loss, and may be below."""
    nothing: bool = False
    """Whether the learner predicts 0, so that the model is said to learn nothing."""
    whole: str | None = None
    """Then the figure of the model that does learn, and is trained alike."""
    rule: bool = False
    """Whether a source says that the model learns the learner itself, not its loss alone."""


@dataclass(frozen=True)
class Relation:
    """What a source says of several trained models' losses."""

    says: str
    needs: tuple[str, ...]
    holds: Callable[[Mapping[str, Losses]], bool | None]
    """None if the models' spreads do not decide it, or too few of them are recorded."""
    cosine: bool = False
    """Whether it is about the cosines to the learner's sensitivities, which are printed then."""
    some: bool = False
    """Whether some of the models may decide it, where others are missing."""


@dataclass(frozen=True)
class EmpiricalRow:
    """A table or figure of a source."""

    id: str
    where: str
    setting: str
    figures: Callable[[], list[Figure]]
    relations: tuple[Relation, ...] = ()

    def names(self) -> list[str]:
        """The names of all that training has to show."""
        own = [one.name for one in self.figures() if one.trained]
        return list(dict.fromkeys([*own, *(name for r in self.relations for name in r.needs)]))


def _loss(
    convention: Convention,
    name: str,
    says: str,
    learner: str,
    printed: Printed | None,
    trained: bool = True,
    whole: str | None = None,
    rule: bool = False,
) -> Figure:
    one = {"zero": ZERO, "one step": ONE_STEP}.get(learner)
    if one is None:
        exact, error, of = convention.newton(), 0.0, "least squares, which Newton–Raphson finds"
    else:
        exact = convention.zero() if one is ZERO else convention.one_step()
        error = convention.error(one)
        of = "the predictor 0" if one is ZERO else "one GD step at the best rate"
    nothing = one is ZERO
    return Figure(
        *(name, says, exact, of, printed, error, trained), nothing=nothing, whole=whole, rule=rule
    )


def _table(convention: Convention, which: str) -> list[Figure]:
    """Of gril Tables 5 and 6: ablated models are compared with the predictor 0."""
    losses = getattr(gril_tables, which)()
    inputs = "input construction" if which == "table5" else "sliding window"
    labels = {
        "whole": ("gril", "trained GRIL", "one step"),
        "without_input": ("without-input", f"trained GRIL without {inputs}", "zero"),
        "without_readout": (
            "without-readout",
            "trained GRIL without multiplicative readout",
            "zero",
        ),
        "without_both": ("without-both", "trained GRIL without both", "zero"),
    }
    printed = _printed(which, losses)
    return [
        _loss(convention, *labels[f], one, whole="gril")
        for f, one in zip(losses._fields, printed, strict=True)
    ]


def _table7() -> list[Figure]:
    losses = gril_tables.table7()
    labels = (
        ("gril", "trained GRIL", "one step"),
        ("gd", "gradient descent", "one step"),
        ("construction", "the construction", "one step"),
        ("newton", "one Newton–Raphson step", "newton"),
    )
    every = zip(labels, _printed("table7", losses), strict=True)
    return [_loss(VECTOR, *label, one, trained=label[0] == "gril") for label, one in every]


def _printed(which: str, losses: tuple[Fraction, ...]) -> list[Printed]:
    spreads = gril_tables.spreads()[which]
    every = zip(losses, spreads, strict=True)
    return [Printed(loss, gril_tables.LOSS_DIGIT, spread) for loss, spread in every]


def _s5() -> list[Figure]:
    every = zip(S5_LAYERS, gril_tables.table3_s5(), strict=True)
    found = [
        _loss(VECTOR, f"s5-{n}", f"trained S5, {n} layer{'s'[: n > 1]}", "zero",
              Printed(loss, gril_tables.LOSS_DIGIT), whole="gril")
        for n, loss in every
    ]  # fmt: skip
    return [*found, _loss(VECTOR, "gril", "trained GRIL beside it", "one step", None)]


def _mamba_curve() -> list[Figure]:
    """One model is drawn at every context size, so one learner is beside it: its rate is not best at each."""
    eta = best_step_size(ONE_STEP).at(normal(1), N=TRAINED_AT, f=10)
    return [
        Figure(f"layers-1@{n}", f"one-layer Mamba-2, {n} examples",
               2 * expected_loss(ONE_STEP).at(normal(1), N=n, f=10, eta=eta),
               f"one GD step at the rate {eta}, best at n = {TRAINED_AT}", margin=ALIKE)
        for n in CONTEXTS
    ]  # fmt: skip


def _hybrid_curve() -> list[Figure]:
    """The rate that is best at one context size is best at all: it is that at which a step contracts most."""
    _, eta = best_one_pass(normal(1), N=TRAINED_AT, f=10)
    return [
        Figure(f"hybrid-1@{n}", f"one-layer hybrid, {n} examples",
               2 * one_pass(normal(1), N=n, f=10, eta=eta),
               f"one pass of SGD at the rate {eta}, best at n = {TRAINED_AT}", margin=ALIKE)
        for n in CONTEXTS
    ]  # fmt: skip


def _scalar() -> list[Figure]:
    return [_loss(SCALAR, "gd-ssm", "trained GD-SSM, one target", "one step", None, rule=True)]


def _vector() -> list[Figure]:
    return [_loss(VECTOR, "gd-ssm", "trained GD-SSM, 10 targets", "one step", None, rule=True)]


def _several() -> list[Figure]:
    loss, _ = smallest_loss(TWO_STEPS, VECTOR.inputs, N=VECTOR.examples, f=VECTOR.features)
    return [
        Figure(
            "gd-ssm-2",
            "trained GD-SSM, two layers",
            loss,
            "two GD steps at one rate, the best",
            at_most=True,
            rule=True,
        ),
        _loss(SCALAR, "s5-1", "trained S5, one layer", "zero", None, whole="gd-ssm-1"),
        _loss(SCALAR, "gd-ssm-1", "trained GD-SSM, one layer", "one step", None, rule=True),
    ]


def _not_monotone(losses: Mapping[str, Losses], prefix: str) -> bool | None:
    """Whether some deeper model is worse than a shallower one, beyond their spreads; not if each is better.

    One such pair says so, whatever the others are.
    """
    every = [losses[name] for name in _depths(prefix) if name in losses]
    if any(_better(shallow, deep) for shallow, deep in combinations(every, 2)):
        return True
    whole = len(every) == len(DEPTHS)
    return False if whole and all(_better(d, s) for s, d in pairwise(every)) else None


def _best(losses: Mapping[str, Losses], prefix: str, depth: int) -> bool | None:
    """Whether the model of a depth is better than every other, beyond their spreads; not if one is than it."""
    one = losses.get(f"{prefix}-{depth}")
    others = [losses[f"{prefix}-{n}"] for n in DEPTHS if n != depth and f"{prefix}-{n}" in losses]
    if one is None:
        return None
    if any(_better(other, one) for other in others):
        return False
    whole = len(others) == len(DEPTHS) - 1
    return True if whole and all(_better(one, other) for other in others) else None


def _better(one: Losses, other: Losses) -> bool:
    """Whether a loss is smaller by more than both spreads, which few seeds do not show."""
    apart = other.mean - one.mean > one.spread + other.spread
    return apart and min(one.seeds, other.seeds) >= FEWEST


def _over_features() -> list[Figure]:
    """One model for each f, and that of f = 10 on inputs of other scales, at which its learner keeps its rate."""
    inputs = uniform(VECTOR.half_width)
    eta = best_step_size(ONE_STEP).at(inputs, N=VECTOR.examples, f=10)
    trained_on = [
        _loss(
            Convention(features=f, targets=f), f"f-{f}", f"trained GRIL, f = {f}", "one step", None,
            rule=True,
        )
        for f in WIDTHS
    ]  # fmt: skip
    return trained_on + [
        Figure(
            f"scale-{scale}",
            f"trained GRIL, f = 10, inputs {scale} times as large",
            expected_loss(ONE_STEP).at(
                uniform(Fraction(scale) * VECTOR.half_width), N=VECTOR.examples, f=10, eta=eta
            ),
            f"one GD step at the rate {eta}, best in training",
        )
        for scale in SCALES
    ]


def _two_layers() -> list[Figure]:
    return [replace(_several()[0], name="gril-2", says="trained GRIL, two layers")]


def _constructed(losses: Mapping[str, Losses]) -> bool | None:
    """Whether parameters are those of a construction, up to what is no matter, from every seed."""
    every = [losses[name] for name in PARAMETERS]
    far = any(min(one.values) > DISTANCE for one in every)
    return True if all(max(one.values) <= DISTANCE for one in every) else False if far else None


def _alike(losses: Mapping[str, Losses], one: str, other: str) -> bool | None:
    """Whether two losses are the same to the eye; spreads larger than that decide nothing."""
    first, second = losses[one], losses[other]
    margin = CLOSE * second.mean
    if max(first.spread, second.spread) > margin:
        return None
    return abs(first.mean - second.mean) <= margin


PARAMETERS = ("mixing", "gate", "query")
"""Q, A and q."""
CONSTRUCTED = Relation(
    f"Q, A and q of every seed are those of the construction, Q and q up to a factor, within {DISTANCE} of their norms",
    PARAMETERS,
    _constructed,
)
WITH_UNIT = (
    Relation(
        "the construction with a trained gated unit has the loss of the model that was trained whole",
        ("construction-mlp", "gril-mlp"),
        lambda losses: _alike(losses, "construction-mlp", "gril-mlp"),
    ),
    Relation(
        "the construction with the unit has a smaller loss than the model that was trained whole without, beyond their "
        "spreads",
        ("construction-mlp", "gril"),
        lambda losses: _better(losses["construction-mlp"], losses["gril"]),
    ),
    Relation(
        "trained whole, the loss is smaller with the unit than without, beyond their spreads",
        ("gril-mlp", "gril"),
        lambda losses: _better(losses["gril-mlp"], losses["gril"]),
    ),
)
CLASSIFIED = (
    Relation(
        "the trained GRIL has the loss of one step of gradient descent on the cross-entropy, at the best rate",
        ("gril", "learner"),
        lambda losses: _alike(losses, "gril", "learner"),
    ),
    Relation(
        f"its sensitivities have a cosine of at least {COSINE} to that step's",
        ("gril",),
        lambda losses: None if losses["gril"].cosine is None else losses["gril"].cosine >= COSINE,
        cosine=True,
    ),
)


def _depths(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}-{n}" for n in DEPTHS)


def _best_of_depths(model: str, prefix: str, depth: int) -> Relation:
    says = f"at n = 40 {model} is the best, beyond the spreads"
    return Relation(says, _depths(prefix), lambda losses: _best(losses, prefix, depth), some=True)


ONE = "inputs uniform on (−1/2, 1/2)^10, weights N(0, I), N = 10; loss: ½ squared error"
SEVERAL = f"{ONE}, a mean over 10 targets"
TWO_LAYERS = f"{ONE}; the model of two layers on 10 targets, a mean over them"
PRINTED = "(printed: U(−1, 1), under which no f agrees)"
"""What gril says of its inputs."""
SINE = SEVERAL.replace("10 targets", "10 targets sin(Wᵀx)")
LABELS = "inputs uniform on (−1, 1)^10, W ~ N(0, I), the class of the largest of Wᵀx, N = 10; loss: cross-entropy"
NORMAL = "x, w ~ N(0, I), d = 10, trained at n = 40, squared error"

_ROWS = (
    EmpiricalRow("gril.table3-s5", "App. B.3, Table 3", f"{SEVERAL} {PRINTED}", _s5),
    EmpiricalRow(
        "gril.table5", "App. C.1, Table 5", f"{ONE} {PRINTED}", lambda: _table(SCALAR, "table5")
    ),
    EmpiricalRow(
        "gril.table6", "App. C.2, Table 6", f"{SEVERAL} {PRINTED}", lambda: _table(VECTOR, "table6")
    ),
    EmpiricalRow("gril.table7", "App. C.3, Table 7", f"{SEVERAL} {PRINTED}", _table7),
    EmpiricalRow(
        "gril.fig2",
        "Fig. 2, §5.1",
        f"{SEVERAL.replace('^10', '^f')} {PRINTED}".replace("10 targets", "f targets"),
        _over_features,
        (CONSTRUCTED,),
    ),
    EmpiricalRow("gril.fig3a", "Fig. 3A, §5.1", f"{SEVERAL} {PRINTED}", _two_layers),
    EmpiricalRow("gril.fig3b", "Fig. 3B, App. B.4", f"{SINE} {PRINTED}", list, WITH_UNIT[:2]),
    EmpiricalRow("gril.fig4", "Figs. 4 and 8, §5.3", f"{LABELS}, 3 classes", list, CLASSIFIED),
    EmpiricalRow("gril.fig7", "Fig. 7, App. B.6", f"{LABELS}, 2 classes", list, CLASSIFIED),
    EmpiricalRow("ssd.fig1", "Fig. 1, §4.2", NORMAL, _mamba_curve),
    EmpiricalRow(
        "ssd.fig2",
        "Fig. 2, §4.2",
        NORMAL,
        list,
        (
            Relation(
                "at n = 40 some deeper Mamba-2 is worse than a shallower one, beyond their spreads",
                _depths("layers"),
                lambda losses: _not_monotone(losses, "layers"),
                some=True,
            ),
            _best_of_depths("the Mamba-2 with 12 layers", "layers", 12),
        ),
    ),
    EmpiricalRow("ssd.fig3", "Fig. 3, §5.2", NORMAL, _hybrid_curve),
    EmpiricalRow(
        "ssd.fig4",
        "Fig. 4, §5.2",
        NORMAL,
        list,
        (_best_of_depths("the hybrid with 4 layers", "hybrid", 4),),
    ),
    EmpiricalRow("gd-ssm.fig1", "Fig. 1, §4.1", ONE, _scalar),
    EmpiricalRow("gd-ssm.fig2", "Fig. 2, §4.2", SEVERAL, _vector),
    EmpiricalRow("gd-ssm.fig3", "Fig. 3, §4.2", SEVERAL, list, (CONSTRUCTED,)),
    EmpiricalRow("gd-ssm.fig4", "Fig. 4, §4.3", TWO_LAYERS, _several),
    EmpiricalRow("gd-ssm.fig4b", "Fig. 4B, §4.3", SINE, list, WITH_UNIT[::2]),
)
ROWS = {row.id: row for row in _ROWS}


def row_of(id: str) -> EmpiricalRow:
    """The row of that id.

    Raises:
        UsageError: if it is none of an empirical table or figure.
    """
    if id not in ROWS:
        known = f"{nearest(id, ROWS)}; known: {', '.join(ROWS)}"
        raise UsageError(f"{id}: no such table or figure{known}.")
    return ROWS[id]


def measurement(
    id: str, folder: Path = FOLDER, *, presets: tuple[str, ...] = PRESETS
) -> Measurement:
    """What is found of a row: its printed figures beside exact ones, and recorded results of training.

    A quick run that agrees is a measurement like a full one; one that does not says nothing, as more training may.
    """
    row = row_of(id)
    recorded = results_of(id, folder, presets)
    return Measurement((*_of_figures(row, recorded), *_of_relations(row, recorded)))


def _of_figures(row: EmpiricalRow, recorded: Results | None) -> Iterator[Finding]:
    figures = row.figures()
    for figure in figures:
        if figure.printed is not None:
            yield compared(figure, figure.printed)
    for figure in figures:
        if figure.trained:
            yield trained(figure, recorded)
    for figure in figures:
        if figure.rule:
            yield from _of_rule(figure, recorded)


def compared(figure: Figure, printed: Printed) -> Finding:
    """A printed loss beside the exact one."""
    exact = figure.expected
    said = f"printed {printed}, exact {decimal(exact)} for {figure.of}"
    if printed.within_print(exact):
        return Finding(figure.says, f"{said}: within print", True)
    if figure.error and printed.within_sampling(exact, figure.error):
        near = f"within sampling, ± {1.96 * figure.error:.2g} of 10⁴ tasks"
        return Finding(figure.says, f"{said}: {near}", True)
    off = abs(float(printed.loss - exact))
    beside = f", {off / figure.error:.1f} standard errors of 10⁴ tasks" if figure.error else ""
    return Finding(figure.says, f"{said}: off by {off:.2g}{beside}", False)


def decimal(exact: Fraction) -> str:
    """Four digits, or 0."""
    return f"{float(exact):.4f}" if exact else "0"


def trained(figure: Figure, recorded: Results | None) -> Finding:
    """A trained model's loss beside the exact one of its learner."""
    if recorded is None or figure.name not in recorded.figures:
        return _absent(figure.says, recorded, figure.name)
    found, exact = recorded.figures[figure.name], float(figure.expected)
    off, margin = found.mean - exact, figure.margin * exact
    near = (off if figure.at_most else abs(off)) <= margin + 2 * found.spread
    holds, why = near, ""
    if near and found.spread > margin:
        holds, why = (
            None,
            "; the spread over seeds is larger than the margin, so this decides nothing",
        )
    elif figure.nothing:
        why = f"; {UNTRAINED}"
        if near and recorded.preset == "quick" and not _as_long(figure, recorded):
            holds, why = (
                None,
                f"{why}, and it is not recorded as trained for as long as one that learns",
            )
    said = f"trained {found}, {_run(recorded)}, exact {exact:.4g} for {figure.of}, margin {figure.margin:.0%}{why}"
    return _finding(figure.says, said, holds, recorded)


def _as_long(figure: Figure, recorded: Results) -> bool:
    """Whether a model had at least the steps and the seeds of the whole one; not if a record does not say."""
    own = recorded.figures[figure.name]
    whole = None if figure.whole is None else recorded.figures.get(figure.whole)
    if whole is None or own.steps is None or whole.steps is None:
        return False
    return own.steps >= whole.steps and own.seeds >= whole.seeds


def _of_rule(figure: Figure, recorded: Results | None) -> Iterator[Finding]:
    """How near a model is to the explicit learner on each task, where the record says so."""
    found = None if recorded is None else recorded.figures.get(figure.name)
    if recorded is None or found is None:
        return
    run = f"{_run(recorded)}, beside {figure.of.partition(' at ')[0]} at fitted rates"
    if found.cosine is not None:
        said = f"cosine of sensitivities {found.cosine:.4f}, {run}, margin ≥ {COSINE}"
        yield _finding(figure.says, said, found.cosine >= COSINE, recorded)
    if found.relative_l2 is not None:
        said = (
            f"relative distance of predictions {found.relative_l2:.2g}, {run}, margin ≤ {DISTANCE}"
        )
        yield _finding(figure.says, said, found.relative_l2 <= DISTANCE, recorded)


def _run(recorded: Results) -> str:
    return f"{recorded.preset} run on {recorded.device}"


def _absent(says: str, recorded: Results | None, name: str) -> Finding:
    """Why there is no figure."""
    if recorded is None:
        return Finding(says, NOT_RECORDED, None)
    if name in recorded.diverged:
        return Finding(says, _overflowed(recorded, name), None, undecided=True)
    if recorded.preset == "quick":
        return Finding(says, "a quick run does not train it to the end", None)
    return Finding(says, f"the {_run(recorded)} has no such figure", None)


def _overflowed(recorded: Results, name: str) -> str:
    return f"training diverged {recorded.diverged[name]}, {_run(recorded)}"


def _finding(label: str, says: str, holds: bool | None, recorded: Results) -> Finding:
    """What a run says: a quick one nothing against a row."""
    counts = None if recorded.preset == "quick" and not holds else holds
    return Finding(label, says, counts, undecided=counts is None)


def _of_relations(row: EmpiricalRow, recorded: Results | None) -> Iterator[Finding]:
    return (related(relation, recorded) for relation in row.relations)


def related(relation: Relation, recorded: Results | None) -> Finding:
    """What trained models show of a sentence about several."""
    figures = {} if recorded is None else recorded.figures
    known = figures if recorded is None else {**recorded.diverged, **figures}
    absent = [name for name in relation.needs if name not in known]
    decidable = relation.some or set(relation.needs) <= set(figures)
    holds = relation.holds(figures) if decidable else None
    if recorded is None or (holds is None and absent):
        return _absent(relation.says, recorded, absent[0])

    def told(name: str) -> str:
        if name in figures:
            return f"{name}: {figures[name]}"
        return f"{name}: {'none' if name in absent else f'diverged {recorded.diverged[name]}'}"

    said = ", ".join(map(told, relation.needs))
    if relation.cosine:
        cosines = (f"{figures[n].cosine or math.nan:.4f}" for n in relation.needs if n in figures)
        said += f"; cosine {', '.join(cosines)}"
    return _finding(relation.says, f"{_run(recorded)}; {said}", holds, recorded)
