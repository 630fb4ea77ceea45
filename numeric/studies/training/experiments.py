"""What is trained for the sources' tables and figures: models on a task, with settings and a learner beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from scanproof.constructs.errors import UsageError, nearest
from scanproof.proofs.expected.recorded import PRESETS
from scanproof.proofs.expected.rows import CONTEXTS, DEPTHS, S5_LAYERS

from . import gated, models, references
from .models import Model
from .references import Reference
from .settings import Settings
from .tasks import Classification, Expressions, Recall, Regression, Sine, Task

At: TypeAlias = int | float | str | None
"""Which number of a model a figure is: None its loss, a whole number that with so many examples, a float that on inputs
of this scale relative to training; LEARNER that of the learner beside it, another word the distance of these parameters
from the construction's."""
LEARNER = "learner"


@dataclass(frozen=True)
class Run:
    """One model of an experiment."""

    model: Callable[[Any], Model]
    """From the task."""
    quick: Settings | None
    """None: no quick run trains it at all."""
    full: Settings
    task: Task | None = None
    """If it is another than the experiment's."""
    reference: Callable[[Any], Reference] | None = None
    """Likewise."""

    def settings(self, preset: str) -> Settings | None:
        """Of a preset."""
        return self.quick if preset == "quick" else self.full


@dataclass(frozen=True)
class Experiment:
    """Models that are trained on one task."""

    id: str
    says: str
    rows: Mapping[str, Mapping[str, tuple[str, At]]]
    """Rows of the ledger that it is about; of each the figures by name: the model, and what of it."""
    task: Task
    runs: tuple[Run, ...]
    reference: Callable[[Any], Reference] | None = references.descent
    contexts: tuple[int, ...] = ()
    """Numbers of examples at which the models are evaluated besides."""

    def made(self, preset: str) -> list[Made]:
        """The models that a preset trains."""
        return [self._made(run) for run in self.runs if run.settings(preset) is not None]

    def _made(self, run: Run) -> Made:
        task, reference = run.task or self.task, run.reference or self.reference
        return Made(run, run.model(task), task, None if reference is None else reference(task))


class Made(NamedTuple):
    """A run with its model, and what it is compared with."""

    run: Run
    model: Model
    task: Task
    reference: Reference | None


HALF = 0.5
"""The half-width of inputs with which the losses that gril prints agree, with the factor ½ and a mean over targets."""
F = N = 10
QUICK = Settings(1_500)
LONGER = Settings(4_000)
GRIL_FULL = Settings(
    300_000, rate=2e-4, recurrent=0.5, weight_decay=0.05, clip=None, warmup=0.1, block=1_000
)
"""gril B.1: AdamW, cosine with warm-up, 64 tasks a step, half the rate for recurrent parameters; 300,000 at most."""
VECTOR_FULL = replace(GRIL_FULL, weight_decay=0.0)
"""gril B.2: Adam."""
SSD = Settings(4_700, rate=1e-4, schedule="constant", clip=None, seeds=(0, 1, 2))
"""ssd §4.2: Adam at 10⁻⁴, 300,000 tasks in batches of 64, each seen once (4,688 steps; 4,700 are whole blocks)."""
SCALAR = Regression(N, F, None, scale=HALF)
VECTOR = Regression(N, F, F, scale=HALF)
LABELS = Regression(40, 10, None, sampler="normal", factor=Fraction(1))
SIZES = (1, 2, 5, 10, 15, 20, 25, 30, 35, 40)
"""Numbers of examples at which stacks are evaluated."""
WIDTHS = (2, 5, 10, 20)
"""Features of the models over f."""
SCALED = (0.5, 1.5, 2.0, 3.0)
"""Of the scales of inputs the ones that a row is decided by."""
LIKE = ("mixing", "gate", "query")
"""Parameters of a block that are compared with the construction's."""
ABLATED = {
    "gril": ("GRIL", None),
    "without-input": ("GRIL without input", None),
    "without-readout": ("GRIL without readout", None),
    "without-both": ("GRIL without input and readout", None),
}

WITH_UNIT = {
    "gril": ("GRIL", None),
    "gril-mlp": ("GRIL with MLP", None),
    "construction-mlp": ("construction with MLP", None),
}
CLASSIFIED = {"gril": ("GRIL", None), LEARNER: ("GRIL", LEARNER)}


def _layers(name: str, count: int) -> str:
    return f"{name}, {count} layer{'s'[: count > 1]}"


def _named_by_features(features: int) -> str:
    return f"GRIL, f = {features}"


def _block_by_features(task: Any) -> Model:
    block = models.gril_block(task.features, task.examples)
    return replace(block, name=_named_by_features(task.features))


def _ablations(make: Callable[..., Model]) -> tuple[Callable[[Any], Model], ...]:
    def made(task: Any, window: bool, readout: bool) -> Model:
        return make(task.features, task.examples, window=window, readout=readout)

    pairs = ((False, True), (True, False), (False, False))
    return tuple(partial(made, window=window, readout=readout) for window, readout in pairs)


def _sized(make: Callable[..., Model], **more: Any) -> Callable[[Any], Model]:
    return lambda task: make(task.features, task.examples, **more)


def _targeted(make: Callable[..., Model], **more: Any) -> Callable[[Any], Model]:
    return lambda task: make(task.features, task.targets, **more)


def _stacks(
    id: str,
    rows: tuple[str, str],
    says: str,
    of: tuple[str, str, Callable[..., Model]],
    reference: Callable[[Any], Reference],
) -> Experiment:
    """Stacks of each depth; the first row is about one layer at several sizes, the second about all depths."""
    name, prefix, make = of

    def run(layers: int) -> Run:
        return Run(lambda task: make(task.features, layers), SSD if layers == 1 else None, SSD)

    one, every = rows
    figures = {
        one: {f"{prefix}-1@{n}": (_layers(name, 1), n) for n in CONTEXTS},
        every: {f"{prefix}-{L}": (_layers(name, L), None) for L in DEPTHS},
    }
    return Experiment(id, says, figures, LABELS, tuple(map(run, DEPTHS)), reference, SIZES)


ATTENTION = Settings(1_000, rate=5e-3, seeds=(0, 1))
S5_RATE = 3e-3
"""Of quick runs; they are as long as those of the GRIL models beside them."""
S5_FULL = replace(VECTOR_FULL, rate=1e-4, recurrent=1.0)
"""gril B.3: Adam at 10⁻⁴."""
CLASSES = Settings(1_500, rate=3e-3)
CLASSES_FULL = Settings(100_000, rate=1.56e-4, weight_decay=8.45e-5, clip=None, block=1_000)
"""gril Table 4, softmax."""
BINARY_FULL = replace(CLASSES_FULL, rate=1.23e-4, weight_decay=5.17e-3)
"""gril Table 4, sigmoid."""
RECALL = Settings(1_500, rate=1e-2, seeds=(0, 1, 2))
EXPRESSIONS = Settings(2_000, rate=5e-3, seeds=(0, 1))
SINE = Settings(2_000)
FEATURES = Settings(1_500, seeds=(0, 1, 2))
MANY_FEATURES = replace(FEATURES, steps=4_000, rate=5e-3)
"""For f = 20: at the rate of the others a seed stayed where it learns nothing."""

EXPERIMENTS = {
    each.id: each
    for each in (
        Experiment(
            "scalar",
            "scalar regression, N = f = 10: GRIL and its ablations",
            {"gril.table5": ABLATED, "gd-ssm.fig1": {"gd-ssm": ("GRIL", None)}},
            SCALAR,
            (
                Run(_sized(models.scalar_network), LONGER, GRIL_FULL),
                *(Run(m, LONGER, GRIL_FULL) for m in _ablations(models.ablated_network)),
            ),
        ),
        Experiment(
            "vector",
            "multivariate regression, N = f = 10: GRIL and its ablations",
            {
                "gril.table6": ABLATED,
                "gril.table7": {"gril": ("GRIL", None)},
                "gd-ssm.fig2": {"gd-ssm": ("GRIL", None)},
                "gd-ssm.fig3": {name: ("GRIL", name) for name in LIKE},
            },
            VECTOR,
            (
                Run(_sized(models.gril_block), QUICK, VECTOR_FULL),
                *(Run(m, QUICK, VECTOR_FULL) for m in _ablations(models.ablated_block)),
            ),
        ),
        Experiment(
            "two-step",
            "N = f = 10: GRIL of two layers on multivariate regression, one layer of it and of S5 on scalar regression",
            {
                "gd-ssm.fig4": {
                    "gd-ssm-2": ("GRIL, 2 layers", None),
                    "s5-1": ("S5, 1 layer", None),
                    "gd-ssm-1": ("GRIL", None),
                },
                "gril.fig3a": {"gril-2": ("GRIL, 2 layers", None)},
            },
            VECTOR,
            (
                Run(
                    _sized(models.gril_layers, layers=2),
                    replace(QUICK, seeds=(0, 1, 2)),
                    VECTOR_FULL,
                    reference=references.two_rates,
                ),
                Run(
                    _targeted(models.s5_layers),
                    replace(LONGER, rate=S5_RATE),
                    S5_FULL,
                    task=SCALAR,
                ),
                Run(_sized(models.scalar_network), LONGER, GRIL_FULL, task=SCALAR),
            ),
        ),
        Experiment(
            "attention",
            "multivariate regression, N = f = 10: linear attention, x and y in one token or in turns",
            {},
            VECTOR,
            tuple(
                Run(
                    _targeted(models.linear_attention, layers=layers, tokens=tokens),
                    ATTENTION,
                    VECTOR_FULL,
                )
                for tokens in ("labelled", "interleaved")
                for layers in (1, 2)
            ),
        ),
        Experiment(
            "s5",
            "multivariate regression, N = f = 10: S5, and GRIL trained for as long",
            {
                "gril.table3-s5": {
                    **{f"s5-{n}": (_layers("S5", n), None) for n in S5_LAYERS},
                    "gril": ("GRIL", None),
                }
            },
            VECTOR,
            (
                Run(_sized(models.gril_block), QUICK, VECTOR_FULL),
                *(
                    Run(
                        _targeted(models.s5_layers, layers=n),
                        replace(QUICK, rate=S5_RATE),
                        S5_FULL,
                    )
                    for n in S5_LAYERS
                ),
            ),
        ),
        Experiment(
            "classes",
            "classification, N = f = 10, 3 classes",
            {"gril.fig4": CLASSIFIED},
            Classification(10, 10, 3),
            (
                Run(
                    lambda t: models.classifier(t.features, t.classes, t.examples),
                    CLASSES,
                    CLASSES_FULL,
                ),
            ),
        ),
        Experiment(
            "binary",
            "classification, N = f = 10, 2 classes",
            {"gril.fig7": CLASSIFIED},
            Classification(10, 10, 1),
            (
                Run(
                    lambda t: models.classifier(t.features, t.classes, t.examples),
                    CLASSES,
                    BINARY_FULL,
                ),
            ),
        ),
        _stacks(
            "ssd",
            ("ssd.fig1", "ssd.fig2"),
            "scalar regression, d = 10, n = 40, x and w normal: SSD of 1, 4, 8 and 12 layers",
            ("SSD", "layers", models.ssd_layers),
            references.descent,
        ),
        _stacks(
            "hybrid",
            ("ssd.fig3", "ssd.fig4"),
            "the same for SSD∘LSA",
            ("SSD∘LSA", "hybrid", models.hybrid_layers),
            references.stochastic,
        ),
        Experiment(
            "recall",
            "associative recall, 6 pairs of 12 letters: GRIL as a general layer",
            {},
            Recall(6, 12),
            (
                Run(lambda t: models.gril_recall(t.letters), RECALL, replace(RECALL, steps=20_000)),
                Run(
                    lambda t: models.gril_recall(t.letters, window=1),
                    RECALL,
                    replace(RECALL, steps=20_000),
                ),
            ),
            None,
        ),
        Experiment(
            "expressions",
            "nested MAX, MIN and SUM of digits below 4, made on the fly: GRIL as a general layer",
            {},
            Expressions(4),
            tuple(
                Run(
                    lambda t, window=window: gated.gril_stack(
                        t.vocabulary, t.digits, window=window
                    ),
                    EXPRESSIONS,
                    replace(EXPRESSIONS, steps=50_000),
                )
                for window in (3, 1)
            ),
            None,
        ),
        Experiment(
            "sine",
            "targets sin(Wᵀx), N = f = 10: GRIL with a gated unit, trained whole or fixed at the construction",
            {
                "gril.fig3b": WITH_UNIT,
                "gd-ssm.fig4b": WITH_UNIT,
            },
            Sine(N, F, F, scale=HALF),
            (
                Run(_sized(models.gril_block), SINE, VECTOR_FULL),
                Run(_sized(gated.gated_block), SINE, VECTOR_FULL),
                Run(_sized(gated.gated_block, constructed=True), SINE, VECTOR_FULL),
            ),
        ),
        Experiment(
            "features",
            "multivariate regression, N = 10: GRIL trained for f = 2, 5, 10 and 20",
            {
                "gril.fig2": {
                    **{f"f-{f}": (_named_by_features(f), None) for f in WIDTHS},
                    **{f"scale-{s:g}": (_named_by_features(F), s) for s in SCALED},
                    **{name: (_named_by_features(F), name) for name in LIKE},
                }
            },
            VECTOR,
            tuple(
                Run(
                    _block_by_features,
                    FEATURES if f <= F else MANY_FEATURES,
                    VECTOR_FULL,
                    task=Regression(N, f, f, scale=HALF),
                )
                for f in WIDTHS
            ),
        ),
    )
}
"""By id."""


def find(id: str) -> Experiment:
    """The experiment with this id, or that is about this row.

    Raises:
        UsageError: if there is none.
    """
    for experiment in EXPERIMENTS.values():
        if id == experiment.id or id in experiment.rows:
            return experiment
    near = nearest(id, known())
    raise UsageError(f"train {id!r}: nothing is trained for it{near}; known: {', '.join(known())}.")


def known() -> list[str]:
    """Every id that `find` takes."""
    return [*EXPERIMENTS, *(row for each in EXPERIMENTS.values() for row in each.rows)]


def preset(name: str) -> str:
    """The name of a preset.

    Raises:
        UsageError: if there is no such.
    """
    if name not in PRESETS:
        raise UsageError(f"preset {name!r}: no such preset; allowed: {', '.join(PRESETS)}.")
    return name


def smaller(experiment: Experiment, settings: Settings, runs: Sequence[int] = (0,)) -> Experiment:
    """An experiment with a few of its models, all with these quick settings."""
    chosen = tuple(replace(experiment.runs[k], quick=settings) for k in runs)
    return replace(experiment, runs=chosen, rows={})
