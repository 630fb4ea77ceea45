"""What `identify` found: the rule, how it was established, how far the weights are from it, and what contradicts it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

SCHEMA = "scanproof.identify/1"

DESCENT = "gradient descent"
ASCENT = "gradient ascent"
PRECONDITIONED = "preconditioned gradient descent"
RIDGE = "gradient descent with ridge"
MOMENTUM = "gradient descent with momentum"
PLUS_PLUS = "GD++"
WEIGHTED = "exponentially weighted gradient descent"
DELTA = "the delta rule"
NONE = "not gradient descent"
RULES = (DESCENT, ASCENT, PRECONDITIONED, RIDGE, MOMENTUM, PLUS_PLUS, WEIGHTED, DELTA, NONE)
"""What a report's `rule` may be; ascent is descent with η < 0."""

CONSTANT, AVERAGED = "constant in n", "divided by n"
"""How the factor of the summed gradient depends on the number n of examples."""

ALONE = "at n = {} alone"
"""The same, of a model that takes, or was tried at, one number of examples."""

FULFILLED, CONTRADICTED, NOT_RECOGNISED = 0, 1, 2

OF_LARGEST = "of the largest prediction"
"""Of what a distance is a part, in words."""
NEAR = 0.1
"""Relative distance on tasks up to which weights without a rule are said to be nearest to one."""
IS, UP_TO, NEAREST, OTHER = "is", "is up to", "is nearest to", "is not"
"""The grades of a verdict: the rule; the rule but for a small deviation or as far as measured; near a rule; none."""

Number: TypeAlias = Fraction | float
"""A number that was derived, or one that was measured."""


class StepSize(NamedTuple):
    """η, the factor of the summed gradient: W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ."""

    value: Number
    """As it is in the weights; the mean of `each` where the steps have different ones."""
    nearest: Fraction | None = None
    """The simple number that `value` is a rounding of, if it is one."""
    dependence: str = CONSTANT
    """`CONSTANT`; or `AVERAGED`, and the factor is `value` / n; or words for anything else, `ALONE` among them."""
    each: tuple[Number, ...] = ()
    """The step sizes in turn where they are not all equal; in increasing order where the order is open."""


class Coefficient(NamedTuple):
    """A coefficient of the prediction, a polynomial in the examples and the query."""

    monomial: str
    """In words that `x_1[2]` and `y_1[1]` are part of: the second entry of x_1, the first target of example 1."""
    found: Number
    expected: Number
    """That of the nearest gradient descent."""


class Distances(NamedTuple):
    """How far predictions are from those of the learner, in means over tasks (von Oswald et al. 2023)."""

    tasks: int
    examples: int
    seed: int
    prediction_l2: float
    """‖ŷ − ŷ_GD‖₂."""
    relative: float
    """The largest |ŷ − ŷ_GD| of all tasks over the largest |ŷ_GD|; infinite where that is 0 and the other is not."""
    sensitivity_cosine: float | None
    """Of ∂ŷ/∂x_query and ∂ŷ_GD/∂x_query, flattened; None where one of them is 0, or was not computed."""
    sensitivity_l2: float | None
    """‖∂ŷ/∂x_query − ∂ŷ_GD/∂x_query‖₂."""
    samples: str
    """What the tasks are."""


class Other(NamedTuple):
    """A rule with other numbers than the one that is named the nearest."""

    rule: str
    off: float
    """As in `Nearest`."""


class Nearest(NamedTuple):
    """A learning rule fitted to predictions."""

    rule: str
    """`1 step of gradient descent with η = 0.5`."""
    numbers: dict[str, float]
    """η, β, γ, λ, …: what was fitted."""
    off: float
    """Root mean square of ŷ − ŷ_rule over that of ŷ, on tasks that nothing was fitted to, those of `targets`."""
    tasks: int
    samples: str
    """What they are."""
    learns: bool
    """Whether it takes a step."""
    off_linear: float
    """The same on tasks with targets Wᵀx alone."""
    off_arbitrary: float
    """And on those with arbitrary targets."""
    targets: str
    """Of the tasks to which it was fitted: "any", half of them linear, or "linear targets" alone."""
    simpler: list[Other]
    """The nearest with fewer numbers, each further off than the one before."""
    nearer: list[Other]
    """One that is nearer, but perhaps by chance, and has more numbers, if there is one."""

    @property
    def words(self) -> str:
        """For a sentence."""
        targets = f"{percent(self.off_linear)} where y = Wᵀx, {percent(self.off_arbitrary)} where y is arbitrary"
        on = " on linear targets y = Wᵀx" if self.targets != "any" else ""
        return (
            f"{self.rule}, off by {percent(self.off)} of the predictions{on} (root mean square over {self.tasks} "
            f"tasks, {self.samples}; {targets})"
        )

    @property
    def others(self) -> str:
        """What simpler rules are off by, and one with more numbers, to follow a sentence."""
        some = [each for each in self.simpler if percent(each.off) != "100 %"][:2]
        said = ""
        for kind, rules in (("of simpler rules", some), ("with more numbers", self.nearer)):
            each = [f"{rule.rule} is off by {percent(rule.off)}" for rule in rules]
            said += f"; {kind}, {' and '.join(each)}" if each else ""
        return said


class Running(NamedTuple):
    """How far predictions are from the rule's when the weights run in a format, as a target's module runs them."""

    dtype: str
    relative: float
    """The largest |ŷ − ŷ_rule| over the largest |ŷ_rule|; NaN or infinite where predictions overflow."""
    tasks: int
    how: str
    """What is computed in which format."""

    @property
    def words(self) -> str:
        """For a sentence."""
        if not math.isfinite(self.relative):
            return f"run in {self.dtype} it overflows"
        return f"run in {self.dtype} off by {self.relative:.1e} {OF_LARGEST}"


class Deviation(NamedTuple):
    """An entry of a tensor that is not as in the nearest construction."""

    entry: str
    """`layers.0.gate[0, 3]`: a tensor's name and an index from 0."""
    found: float
    expected: float
    effect: float | None = None
    """How far it moves predictions, relative to the largest: what mending it alone changes; None if not measured."""


class Contradiction(NamedTuple):
    """What the manifest asserts and the files do not bear out."""

    assertion: str
    """Its place in the manifest: `learner.step_size`."""
    asserted: str
    found: str


class APrioriBound(NamedTuple):
    """The certificate of a manifest, beside what was derived or measured here."""

    bound: float
    """Relative to the magnitude that the manifest gives."""
    found: float
    """The same quotient, as found; over how many tasks is said in `how`."""
    how: str


@dataclass(kw_only=True)
class Report:
    """Which learning rule a folder's weights implement."""

    folder: str
    target: str
    """The codebase that the folder is for."""
    family: str
    """"gril", "lsa", …, "mamba2"."""
    sizes: dict[str, int]
    """features, targets, layers; examples if the weights fix their number."""
    verdict: str = ""
    """One sentence."""
    rule: str = NONE
    exact: bool = False
    """Whether the prediction is that of the rule itself, as exact numbers; else up to rounding, or measured."""
    data: str = "any"
    """The examples for which it is the rule: "any", or "linear targets" y_j = Wᵀx_j alone."""
    steps: int | None = None
    """L; of the nearest gradient descent where the rule is another."""
    step_size: StepSize | None = None
    """As for `steps`."""
    W0: list[list[Number]] | None = None
    """Initial weights, (d, k)."""
    preconditioner: list[list[Number]] | None = None
    """Γ of W ← W − Γ Σ_j x_j (Wᵀx_j − y_j)ᵀ, (d, d)."""
    ridge: Number | None = None
    """λ of W ← W − η (Σ_j x_j (Wᵀx_j − y_j)ᵀ + λ W), where there is one."""
    momentum: Number | None = None
    """β of W_{t+1} = W_t − η ∇ + β (W_t − W_{t−1}), where there is one."""
    gamma: Number | None = None
    """γ of GD++, x ← (I − γ Σ_j x_j x_jᵀ) x after each step, where there is one."""
    decay: Number | None = None
    """ρ of W ← W − η Σ_j ρ^(n−j) x_j (Wᵀx_j − y_j)ᵀ, where there is one."""
    nearest: Nearest | None = None
    """The rule that measured predictions are nearest to, where the weights are of none exactly."""
    preconditioner_kind: str = ""
    """Whether Γ is symmetric, and positive."""
    method: str = ""
    """How the rule was established: an identity, an identity at random points with its chance of error, measured."""
    coefficients: list[Coefficient] = field(default_factory=list)
    """Those that deviate most from the nearest gradient descent, largest first."""
    coefficients_in_all: int | None = None
    """How many deviate; None if they were not all looked at."""
    distances: Distances | None = None
    running: Running | None = None
    """The rule that is named, and what running the weights gives."""
    deviations: list[Deviation] = field(default_factory=list)
    """Entries that are not as in the nearest construction, by their effect; the first of `deviations_in_all`."""
    deviations_in_all: int = 0
    deviations_idle: int = 0
    """How many of them are known to change no prediction that was tried; they are not among `deviations`."""
    nearest_construction: str = ""
    """What the weights were compared with, in words."""
    same_function: bool = False
    """Whether the weights are known to compute what that construction computes: by derivation, or entry by entry."""
    asserted: bool = False
    """Whether there was a manifest."""
    contradictions: list[Contradiction] = field(default_factory=list)
    promise: APrioriBound | None = None
    """Of the manifest's certificate; a field of the JSON schema, whose names stay."""
    notes: list[str] = field(default_factory=list)

    @property
    def recognised(self) -> bool:
        """Whether the weights do gradient descent, or ascent, with or without a preconditioner."""
        return self.rule != NONE

    @property
    def grade(self) -> str:
        """How near the weights are to the rule that the verdict names: `IS`, `UP_TO`, `NEAREST` or `OTHER`."""
        if self.recognised:
            return IS if self.exact else UP_TO
        if self.nearest is not None:
            return NEAREST if self.nearest.off <= NEAR and self.nearest.learns else OTHER
        near = self.distances is not None and self.distances.relative <= NEAR
        return NEAREST if near and self.steps else OTHER

    def exit_code(self, strict: bool = False) -> int:
        """0; 1 if the manifest is contradicted; 2, only if strict, where no rule was recognised."""
        if self.contradictions:
            return CONTRADICTED
        return NOT_RECOGNISED if strict and not self.recognised else FULFILLED

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: exact numbers as text, measured ones as numbers, null for what is not finite."""
        body = {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}
        return {"schema": SCHEMA, **body, "recognised": self.recognised, "grade": self.grade}


def percent(part: float) -> str:
    """0.65 %, with two digits that count."""
    return f"{100 * part:.0f} %" if 0.0995 <= part < 100 else f"{100 * part:.2g} %"


def shown(value: Number) -> str:
    """A number for people: exact where that is short."""
    text = str(value)
    if value and not as_float(value):
        return f"{'-' if value < 0 else ''}less than 1e-323"
    return text if isinstance(value, Fraction) and len(text) <= 12 else f"{as_float(value):.9g}"


def is_shown_exactly(value: Number) -> bool:
    """Whether what is shown of a number is all of it."""
    try:
        return Fraction(shown(value)) == value
    except ValueError:  # less than any float, or infinite
        return False


def as_float(number: Number) -> float:
    """A number as a float, infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
