"""The empirical rows of the ledger: printed figures, what they are expected to be, what training has to show.

A printed loss agrees with an exact one within its printed ± and rounding, or within the 95 % interval of a mean over
10⁴ tasks, which is what gril B.1 says it is; which of the two is said. A trained model agrees with a learner if its
loss is within `CLOSE` of the learner's exact expected loss, besides twice its own spread over seeds. These margins were
chosen before models were trained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from scanproof.constructs.constructions import gril_tables
from scanproof.constructs.errors import UsageError

from ..language.measurement import Finding, Measurement
from .convention import Convention, Printed
from .learners import ONE_STEP, TWO_STEPS, ZERO
from .losses import best_loss, best_one_pass, smallest_loss
from .moments import normal
from .recorded import FOLDER, PRESETS, Results, Trained, file_of, results_of

CLOSE = 0.05
"""Of a trained model's loss to a learner's: that it is the same to the eye."""
ALIKE = 0.25
"""Of curves in a figure without numbers, that are said to mirror or mimic one another."""
SCALAR = Convention(features=10)
VECTOR = Convention(features=10, targets=10)
"""Of gril B.1 and B.2: f is printed in gd-ssm A.5 alone, and half-width ½ and factor ½ are not, but see `search`."""
NOT_RECORDED = "no training run is recorded"
CONTEXTS = (10, 20, 30, 40)
"""Context sizes at which curves of ssd are compared, of 1 to 40."""
DEPTHS = (1, 4, 8, 12)


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


@dataclass(frozen=True)
class Relation:
    """What a source says of several trained models' losses."""

    says: str
    needs: tuple[str, ...]
    holds: Callable[[Mapping[str, Trained]], bool]


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
) -> Figure:
    one = {"zero": ZERO, "one step": ONE_STEP}.get(learner)
    if one is None:
        exact, error, of = convention.newton(), 0.0, "least squares, which Newton–Raphson finds"
    else:
        exact = convention.zero() if one is ZERO else convention.one_step()
        error = convention.error(one)
        of = "the predictor 0" if one is ZERO else "one GD step at the best rate"
    return Figure(name, says, exact, of, printed, error, trained)


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
        _loss(convention, *labels[f], one) for f, one in zip(losses._fields, printed, strict=True)
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
    every = zip((1, 2, 4, 6), gril_tables.table3_s5(), strict=True)
    return [
        _loss(VECTOR, f"s5-{n}", f"trained S5, {n} layer{'s'[: n > 1]}", "zero",
              Printed(loss, gril_tables.LOSS_DIGIT))
        for n, loss in every
    ]  # fmt: skip


def _mamba_curve() -> list[Figure]:
    return [
        Figure(f"layers-1@{n}", f"one-layer Mamba-2, {n} examples",
               2 * best_loss(ONE_STEP).at(normal(1), N=n, f=10), "one GD step at the best rate", margin=ALIKE)
        for n in CONTEXTS
    ]  # fmt: skip


def _hybrid_curve() -> list[Figure]:
    return [
        Figure(f"hybrid-1@{n}", f"one-layer hybrid, {n} examples",
               2 * best_one_pass(normal(1), N=n, f=10)[0], "one pass of SGD at the best rate",
               margin=ALIKE)
        for n in CONTEXTS
    ]  # fmt: skip


def _scalar() -> list[Figure]:
    return [_loss(SCALAR, "gd-ssm", "trained GD-SSM, one target", "one step", None)]


def _vector() -> list[Figure]:
    return [_loss(VECTOR, "gd-ssm", "trained GD-SSM, 10 targets", "one step", None)]


def _several() -> list[Figure]:
    loss, _ = smallest_loss(TWO_STEPS, VECTOR.inputs, N=VECTOR.examples, f=VECTOR.features)
    return [
        Figure(
            "gd-ssm-2",
            "trained GD-SSM, two layers",
            loss,
            "two GD steps at one rate, the best",
            at_most=True,
        ),
        _loss(SCALAR, "s5-1", "trained S5, one layer", "zero", None),
        _loss(SCALAR, "gd-ssm-1", "trained GD-SSM, one layer", "one step", None),
    ]


def _not_monotone(losses: Mapping[str, Trained], prefix: str) -> bool:
    """Whether some deeper model is not better than a shallower one, beyond their spreads."""
    every = [losses[f"{prefix}-{n}"] for n in DEPTHS]
    return any(b.mean >= a.mean for a, b in pairwise(every))


def _best(losses: Mapping[str, Trained], prefix: str, depth: int) -> bool:
    return min(DEPTHS, key=lambda n: losses[f"{prefix}-{n}"].mean) == depth


def _depths(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}-{n}" for n in DEPTHS)


ONE = "inputs uniform on (−1/2, 1/2)^10, weights N(0, I), N = 10; loss: ½ squared error"
SEVERAL = f"{ONE}, a mean over 10 targets"
NORMAL = "x, w ~ N(0, I), d = 10, trained at n = 40, squared error"

_ROWS = (
    EmpiricalRow("gril.table3-s5", "App. B.3, Table 3", SEVERAL, _s5),
    EmpiricalRow("gril.table5", "App. C.1, Table 5", ONE, lambda: _table(SCALAR, "table5")),
    EmpiricalRow("gril.table6", "App. C.2, Table 6", SEVERAL, lambda: _table(VECTOR, "table6")),
    EmpiricalRow("gril.table7", "App. C.3, Table 7", SEVERAL, _table7),
    EmpiricalRow("ssd.fig1", "Fig. 1, §4.2", NORMAL, _mamba_curve),
    EmpiricalRow(
        "ssd.fig2",
        "Fig. 2, §4.2",
        NORMAL,
        list,
        (
            Relation(
                "at n = 40 some deeper Mamba-2 is no better than a shallower one",
                _depths("layers"),
                lambda losses: _not_monotone(losses, "layers"),
            ),
        ),
    ),
    EmpiricalRow("ssd.fig3", "Fig. 3, §5.2", NORMAL, _hybrid_curve),
    EmpiricalRow(
        "ssd.fig4",
        "Fig. 4, §5.2",
        NORMAL,
        list,
        (
            Relation(
                "at n = 40 the hybrid with 4 layers is the best",
                _depths("hybrid"),
                lambda losses: _best(losses, "hybrid", 4),
            ),
        ),
    ),
    EmpiricalRow("gd-ssm.fig1", "Fig. 1, §4.1", ONE, _scalar),
    EmpiricalRow("gd-ssm.fig2", "Fig. 2, §4.2", SEVERAL, _vector),
    EmpiricalRow("gd-ssm.fig4", "Fig. 4, §4.3", ONE, _several),
)
ROWS = {row.id: row for row in _ROWS}


def row_of(id: str) -> EmpiricalRow:
    """The row of that id.

    Raises:
        UsageError: if it is none of an empirical table or figure.
    """
    if id not in ROWS:
        raise UsageError(f"{id}: no such table or figure; known: {', '.join(ROWS)}.")
    return ROWS[id]


def measurement(
    id: str, folder: Path = FOLDER, *, presets: tuple[str, ...] = PRESETS
) -> Measurement:
    """What is found of a row: its printed figures beside exact ones, and recorded results of training.

    A quick run that agrees is a measurement like a full one; one that does not says nothing, as more training may.
    """
    row = row_of(id)
    recorded = results_of(id, folder, presets)
    findings = (*_of_figures(row, recorded), *_of_relations(row, recorded))
    return Measurement(findings, tuple(file_of(id, preset, folder) for preset in PRESETS))


def _of_figures(row: EmpiricalRow, recorded: Results | None) -> Iterator[Finding]:
    for figure in row.figures():
        if figure.printed is not None:
            yield Finding(figure.says, *compared(figure))
    for figure in row.figures():
        if figure.trained:
            yield Finding(figure.says, *trained(figure, recorded))


def compared(figure: Figure) -> tuple[str, bool]:
    """A printed loss beside the exact one."""
    printed, exact = figure.printed, figure.expected
    assert printed is not None
    said = f"printed {printed}, exact {decimal(exact)} for {figure.of}"
    if printed.within_print(exact):
        return f"{said}: within print", True
    if figure.error and printed.within_sampling(exact, figure.error):
        return f"{said}: within sampling, ± {1.96 * figure.error:.2g} of 10⁴ tasks", True
    off = abs(float(printed.loss - exact))
    beside = f", {off / figure.error:.1f} standard errors of 10⁴ tasks" if figure.error else ""
    return f"{said}: off by {off:.2g}{beside}", False


def decimal(exact: Fraction) -> str:
    """Four digits, or 0."""
    return f"{float(exact):.4f}" if exact else "0"


def trained(figure: Figure, recorded: Results | None) -> tuple[str, bool | None]:
    """A trained model's loss beside the exact one of its learner."""
    found = None if recorded is None else recorded.figures.get(figure.name)
    if found is None or recorded is None:
        return NOT_RECORDED, None
    exact = float(figure.expected)
    off = found.mean - exact
    near = (off if figure.at_most else abs(off)) <= figure.margin * exact + 2 * found.spread
    said = f"trained {found}, {_run(recorded)}, exact {exact:.4g} for {figure.of}, margin {figure.margin:.0%}"
    return said, _counts(near, recorded)


def _run(recorded: Results) -> str:
    return f"{recorded.preset} run on {recorded.device}"


def _counts(holds: bool, recorded: Results) -> bool | None:
    return True if holds else None if recorded.preset == "quick" else False


def _of_relations(row: EmpiricalRow, recorded: Results | None) -> Iterator[Finding]:
    for relation in row.relations:
        figures = {} if recorded is None else recorded.figures
        if not set(relation.needs) <= set(figures):
            yield Finding(relation.says, NOT_RECORDED, None)
            continue
        assert recorded is not None
        said = ", ".join(f"{name}: {figures[name]}" for name in relation.needs)
        holds = _counts(relation.holds(figures), recorded)
        yield Finding(relation.says, f"{_run(recorded)}; {said}", holds)
