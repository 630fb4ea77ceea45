"""The page of the sources' numbers: formulas, which convention explains which figure, what none explains."""

from __future__ import annotations

import contextlib
import io
import math
import textwrap
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from scanproof.constructs.constructions import gril_tables
from scanproof.proofs.expected.convention import (
    FACTORS,
    FEATURES,
    HALF_WIDTHS,
    LEVEL,
    TASKS,
    Convention,
    Printed,
)
from scanproof.proofs.expected.formula import Formula
from scanproof.proofs.expected.learners import (
    LEARNERS,
    ONE_PASS,
    ONE_STEP,
    TWO_STEPS,
    ZERO,
    Learner,
)
from scanproof.proofs.expected.losses import (
    best_loss,
    best_step_size,
    contraction,
    expected_loss,
    least_squares,
    one_pass,
    smallest_loss,
)
from scanproof.proofs.expected.moments import Distribution
from scanproof.proofs.expected.rows import ROWS, SCALAR, VECTOR, decimal
from scanproof.proofs.expected.search import alone, matches

from .monte_carlo import LEVEL as SAMPLED
from .monte_carlo import (
    Estimate,
    Predictor,
    damped_newton,
    estimate,
    named,
    newton,
    part_newton,
)
from .report import Report, report

COMMAND = "python -m scanproof.numeric.studies.reproduce docs"
SETTINGS = (
    ("uniform", Fraction(1, 2), 10, 10),
    ("uniform", Fraction(1), 5, 3),
    ("normal", Fraction(1), 10, 5),
)
"""Sampler, scale, N and f of the comparison with Monte Carlo."""
WIDTH = 120
TRIES = 20_000
"""Tasks of a sample of Newton–Raphson steps."""
DAMPINGS = (0.001, 0.01, 0.02, 0.025, 0.03, 0.05, 0.1)
WHOLE = "whole Hessian"
HALF_STEPS = (
    (WHOLE, (0.5, 0.0, False)),
    ("λ = 0.0001", (0.5, 1e-4, False)),
    ("λ = 0.001", (0.5, 1e-3, False)),
    ("diagonal of the Hessian", (0.5, 0.0, True)),
)
"""What is tried of half a step, in words: its share, damping, and whether of the diagonal alone."""
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


SNIPPET = """\
from fractions import Fraction
from scanproof.proofs.expected.learners import TWO_STEPS
from scanproof.proofs.expected.losses import best_loss, best_step_size, smallest_loss
from scanproof.proofs.expected.moments import normal, uniform

print(best_loss().at(uniform(Fraction(1, 2)), N=10, f=10))
print(best_step_size().at(normal(1), N=40, f=10, s2=Fraction(1, 4)))
print(float(smallest_loss(TWO_STEPS, normal(1), N=40, f=10)[0]))
"""
"""How the formulas are asked from Python."""


def page() -> str:
    """The page as Markdown; every number in it is computed now."""
    parts = (_begin, _formulas, _python, _curves, _sampled, _rows, _conventions, _newton)
    return "\n".join(line for part in parts for line in part())


def _text(words: str) -> list[str]:
    """A paragraph, wrapped, and an empty line."""
    return [*textwrap.wrap(" ".join(words.split()), WIDTH, break_on_hyphens=False), ""]


def _begin() -> Iterator[str]:
    yield from (
        "# The sources' numbers, and exact expected losses",
        "",
        f"<!-- written by `{COMMAND}`; edit numeric/studies/reproduce/page.py -->",
        "",
    )
    yield from _text(
        """A trained model's loss is a mean over tasks. What the learner that it imitates loses in expectation is an
        exact number, often a rational function of the sizes. `scanproof reproduce ROW` prints both, and what was
        trained here:"""
    )
    yield from (
        "    scanproof reproduce gril.table6",
        "    scanproof reproduce gril.table6 --format json",
        "",
    )
    yield from _text(
        """The verdict of such a row in `scanproof check` is computed from the same figures: `supported` if each
        printed loss agrees with the exact one and each recorded training run with its learner; `unknown`, with
        figures, if one does not, or if no training run is recorded. A quick run can speak for a row, not against
        it; that a model does no better than predicting 0 it says only of one that was trained as long as the whole
        model, as a model that was not trained would show the same. Numbers that are not reproduced refute no
        theorem."""
    )


def _formulas() -> Iterator[str]:
    yield from ("## Formulas", "")
    yield from _text(
        """E ½ (ŷ − w·q)² at a query q. N examples and the query have f independent entries from one symmetric
        distribution with moments m₂, m₄, …: for U(−a, a) a²/3, a⁴/5, …, for N(0, σ²) σ², 3σ⁴, …. w has independent
        entries of mean 0 and variance v (1 for N(0, I), b²/3 for U(−b, b)), and the examples' targets noise of
        variance s². For K targets a sum of squares is K times, a mean is once, what stands here. Factor 1 in place
        of ½: twice."""
    )
    yield from _text(
        """No formula is typed in. The learner (`constructs/learners/descent.py`) is run on data made of symbols at
        small sizes, the expectation is taken monomial by monomial, the values are interpolated in N and f up to
        degrees that `proofs/expected/losses.py` argues, and the result is compared at further sizes."""
    )
    query = LEARNERS["gd-query"]
    for learner in (ZERO, ONE_STEP):
        yield from _entry(learner.says, expected_loss(learner))
    yield from _entry("the best η of that step", best_step_size())
    yield from _entry("one step at that η", best_loss())
    yield from _entry(query.says, expected_loss(query), "any")
    yield from _entry(TWO_STEPS.says, expected_loss(TWO_STEPS), "normal")
    yield from _entry(
        "ρ, by which one step of SGD on ½(w·x_i − y_i)² multiplies E‖w_t − w‖²; N steps have the loss "
        "½ m₂ (f v ρ^N + η² s² f m₂ (1 − ρ^N)/(1 − ρ))",
        contraction(),
    )
    yield from (
        "**least squares (one Newton–Raphson step from 0, pseudo-inverse for N < f), any density, no noise**",
        "",
        "    m₂ v max(f − N, 0)/2",
        "",
    )
    yield from _text(
        """For normal inputs noise adds ½ s² k/(n − k − 1), k = min(N, f), n = max(N, f) > k + 1, by the mean of an
        inverse Wishart matrix. For ridge regression at finite N no closed form is known here: its loss is the
        expectation of a trace of (XᵀX/N + λ)⁻², and is sampled below."""
    )


def _entry(says: str, formula: Formula, *kinds: str) -> Iterator[str]:
    yield from (f"**{says}**", "")
    for kind in kinds or ("uniform", "normal"):
        name = "" if kind == "any" else f"{kind}: "
        yield f"    {name}{text(formula.put(kind))}"
    yield ""


def text(expression: Any) -> str:
    """A sympy expression on one line, with superscripts."""
    words = str(expression).replace("eta", "η").replace("sigma", "σ")
    for order in (2, 4, 6, 8):
        words = words.replace(f"m{order}", f"m{chr(0x2080 + order)}")
    parts = words.split("**")
    found = parts[0]
    for part in parts[1:]:
        digits = len(part) - len(part.lstrip("0123456789"))
        found += part[:digits].translate(SUPERSCRIPTS) + part[digits:]
    return found.replace("*", " ")


def _python() -> Iterator[str]:
    yield from ("From Python:", "", "```python", *SNIPPET.splitlines(), "```", "", "```text")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(SNIPPET, "expected-losses.md", "exec"), {})
    yield from (*said.getvalue().splitlines(), "```", "")


def _curves() -> Iterator[str]:
    yield from (
        "![Exact expected losses over N and over f](figures/expected-losses.svg)",
        "",
    )
    yield from _text(
        """Models that were trained for several f, and one of them on inputs of other scales than in training, beside
        the exact loss of one step; on other scales the step keeps the rate that is best in training:"""
    )
    yield from (
        "![Trained models beside exact losses, over f and over the scale](figures/trained-over-sizes.svg)",
        "",
    )


def _sampled() -> Iterator[str]:
    yield from ("## Against Monte Carlo", "")
    yield from _text(
        f"""4000 tasks of `numeric/tasks/samplers.py`, seed 0, v = 1, s = ½, η = ¼; agreement is within {SAMPLED:g}
        standard errors of the sample."""
    )
    yield "| inputs | N | f | learner | exact | sampled | agrees |"
    yield "|---|---|---|---|---|---|---|"
    eta, s2 = Fraction(1, 4), Fraction(1, 4)
    for sampler, scale, N, f in SETTINGS:
        for learner in LEARNERS.values():
            exact = float(_exact(learner, Distribution(sampler, scale), N, f, eta, s2))
            found = estimate(
                named(learner.name, float(eta)),
                examples=N,
                features=f,
                sampler=sampler,
                scale=float(scale),
                noise=0.5,
            )
            cells = (f"{sampler}, {scale}", N, f, f"`{learner.name}`", f"{exact:.5f}", _of(found))
            yield _line(*cells, "yes" if found.agrees(exact) else "no")
    yield ""
    yield from (f"- `{one.name}`: {one.says}" for one in LEARNERS.values())
    yield ""


def _of(found: Estimate) -> str:
    return f"{found.mean:.4f} ± {found.error:.4f}"


def _line(*cells: Any) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _exact(
    learner: Learner, inputs: Distribution, N: int, f: int, eta: Fraction, s2: Fraction
) -> Fraction:
    if learner is ONE_PASS:
        return one_pass(inputs, N=N, f=f, eta=eta, s2=s2)
    return expected_loss(learner).at(inputs, N=N, f=f, eta=eta, s2=s2)


def _rows() -> Iterator[str]:
    yield from ("## Tables and figures", "")
    for row in ROWS.values():
        found = report(row)
        yield from (f"### {row.id}: {found.verdict}", "", f"{row.where}; {row.setting}.", "")
        said = found.as_dict()
        if said["figures"]:
            yield from _table(found, said["figures"])
        yield from (f"- {says}: {word}" for word, says in found.said())
        yield ""


def _table(found: Report, figures: list[dict[str, Any]]) -> Iterator[str]:
    yield "| figure | printed | exact expected | of | trained here | printed agrees | trained agrees |"
    yield "|---|---|---|---|---|---|---|"
    for one, said in zip(found.row.figures(), figures, strict=True):
        here = said["trained"]
        exact = decimal(one.expected)
        yield _line(
            one.says,
            one.printed or "—",
            f"{one.expected} = {exact}" if 1 < len(str(one.expected)) < 12 else exact,
            one.of,
            "—" if here is None else f"{here['mean']:.4f} ± {here['spread']:.2g}",
            *found.words(one),
        )


def _printed() -> dict[str, tuple[Printed, Learner, Convention]]:
    """The printed losses that a learner has, by where they stand."""
    five, six, seven = gril_tables.table5(), gril_tables.table6(), gril_tables.table7()
    spreads, digit = gril_tables.spreads(), gril_tables.LOSS_DIGIT

    def printed(loss: Fraction, table: str, place: int) -> Printed:
        return Printed(loss, digit, spreads[table][place])

    return {
        "Table 5, GRIL": (printed(five.whole, "table5", 0), ONE_STEP, SCALAR),
        "Table 5, ablated": (printed(five.without_both, "table5", 3), ZERO, SCALAR),
        "Table 6, GRIL": (printed(six.whole, "table6", 0), ONE_STEP, VECTOR),
        "Table 6, ablated": (printed(six.without_both, "table6", 3), ZERO, VECTOR),
        "Table 7, gradient descent": (
            printed(seven.gradient_descent, "table7", 1),
            ONE_STEP,
            VECTOR,
        ),
        "Table 3, S5": (Printed(gril_tables.table3_s5()[0], digit), ZERO, VECTOR),
    }


def _conventions() -> Iterator[str]:
    known = _printed()
    yield from ("## Which convention", "")
    yield from _text(
        f"""gril prints inputs from U(−1, 1)^f, N = 10, and neither f nor the factor of the loss; gd-ssm A.5 prints
        f = 10. Tried were half-width {_either(HALF_WIDTHS)}, factor {_either(FACTORS)}, f = {FEATURES[0]} to
        {FEATURES[-1]}, squares summed or averaged over the f targets of Tables 6 and 7, the query with its label
        among the examples or not. Near is what lies within the printed ± and rounding, or within {float(LEVEL):g}
        exact standard errors of a mean over {TASKS:,} tasks, which is how gril B.1 says a loss is evaluated."""
    )
    for names, several in (
        (("Table 5, GRIL", "Table 5, ablated"), False),
        (("Table 6, GRIL", "Table 6, ablated", "Table 7, gradient descent"), True),
    ):
        losses = [known[name][:2] for name in names]
        found = "; ".join(str(one.convention) for one in matches(losses, several)) or "none"
        yield f"- {'; '.join(names)} ({', '.join(str(one) for one, _ in losses)}): **{found}**."
    yield ""
    ratios = [
        f"{float(known[f'{t}, GRIL'][0].loss / known[f'{t}, ablated'][0].loss):.4f}"
        for t in ("Table 5", "Table 6")
    ]
    exact = VECTOR.one_step() / VECTOR.zero()
    yield from _text(
        f"""Half-width 1, as printed, explains them for no f that was tried. A half-width a and a factor c are seen
        only as c·a², so half-width 1 with factor ⅛ would be the same. f = 10 does not hang on either: in the ratio
        of the two losses both cancel, it is (f − 1/5)/(N + f − 1/5), {float(exact):.4f} at f = N = 10; printed are
        {ratios[0]} (Table 5) and {ratios[1]} (Table 6)."""
    )
    for name, (one, learner, convention) in known.items():
        value = convention.zero() if learner is ZERO else convention.one_step()
        error = convention.error(learner)
        within = "neither"
        if one.within_print(value):
            within = "within print"
        elif one.within_sampling(value, error):
            within = "within sampling"
        off = float(one.loss - value)
        yield (
            f"- {name}: {one} against {decimal(value)}, {off / error:+.1f} standard errors of "
            f"{error:.4f}: {within}."
        )
    yield ""
    alone_5 = len(alone(known["Table 5, ablated"][0], ZERO, False)) or "none"
    apart = known["Table 3, S5"][0].loss - known["Table 6, ablated"][0].loss
    independent = math.sqrt(2) * VECTOR.error()
    yield from _text(
        f"""0.426 ± 0.0016 is the exact loss of the predictor 0 under {alone_5} of the conventions tried: it is
        explained by sampling alone. The ± of Table 5 is not the spread of independent evaluations on {TASKS:,}
        tasks, which is {SCALAR.error():.4f} for the predictor 0. Table 3's S5 and Table 6's ablated models, both for
        vector targets and no better than the predictor 0, are {float(apart):.3f} apart,
        {float(apart) / independent:.1f} standard errors of a difference of two independent means; 0.426 is the
        number that Table 5 has for scalar targets."""
    )
    yield from _text(
        """Why an ablated model is compared with the predictor 0: whatever its parameters, E ŷ y = 0 for its output
        ŷ, by signs (`proofs/expected/ablated.py`; the models are run on symbols), so none has a smaller loss."""
    )


def _either(values: Any) -> str:
    return " or ".join(str(value) for value in values)


def _newton() -> Iterator[str]:
    target = float(gril_tables.table7().newton)
    inputs, zero = VECTOR.inputs, float(VECTOR.zero())
    sizes = range(5, 11)
    yield from ("## Newton–Raphson, 0.114", "")
    yield from _text(
        """Without noise one Newton–Raphson step on N ≥ f examples finds w: its expected loss is 0. For N < f, with a
        pseudo-inverse, it is m₂ (f − N)/2 whatever the distribution. Under the convention above:"""
    )
    exact = {N: least_squares(inputs, N=N, f=10) for N in sizes}
    yield from (
        _line("f = 10, N =", *sizes),
        "|---|" + "---|" * len(sizes),
        _line("exact", *(decimal(exact[N]) for N in sizes)),
        _line("sampled", *(_cell(_sample(newton, N)) for N in sizes)),
        "",
    )
    two, _ = smallest_loss(TWO_STEPS, inputs, N=10, f=10)
    wanted = 2 * target / float(inputs.variance)
    sampled = {d: _sample(partial(damped_newton, d)) for d in DAMPINGS}
    near = _crossing({d: one.mean for d, one in sampled.items()}, target)
    yield from _text(
        f"""No whole N gives 0.114: f − N would be {wanted:.2f}. A step that leaves δ of the error has δ² of the loss
        of the predictor 0; δ = {(target / zero) ** 0.5:.3f} would be needed. Two steps of gradient descent at the
        best rate have {float(two):.4f}. With λI added to the Hessian of (1/2N) Σ (w·x_i − y_i)², by Monte Carlo
        ({TRIES:,} tasks, seed 0):"""
    )
    yield from (
        _line("λ", *DAMPINGS),
        "|---|" + "---|" * len(DAMPINGS),
        _line("loss", *map(_cell, sampled.values())),
        "",
    )
    yield from _text(
        f"""A damping near {near:.3f} would explain it ({4 * near:.2f} for half-width 1, {2 * near:.2f} for a loss
        without the ½): a free parameter, which the source does not print."""
    )
    printed = Fraction(gril_tables.table7().newton)
    inside = Printed(printed, gril_tables.LOSS_DIGIT, gril_tables.spreads()["table7"][3])
    half = VECTOR.zero() / 4
    tried = [
        (says, half if says == WHOLE else None, _sample(partial(part_newton, *how)))
        for says, how in HALF_STEPS
    ]
    yield from _text(
        f"""Half a step, as when the Hessian is that of the squared error and the gradient that of half of it, leaves
        half of the error: for N ≥ f exactly ¼ of the loss of the predictor 0, {half} = {decimal(half)}. With a small
        damping, or the diagonal of the Hessian alone ({TRIES:,} tasks):"""
    )
    yield from (
        "| half a step | exact | sampled | within ± 0.001 and rounding |",
        "|---|---|---|---|",
    )
    for says, exact, found in tried:
        near = inside.within_print(Fraction(found.mean) if exact is None else exact)
        told = "—" if exact is None else decimal(exact)
        yield _line(says, told, _cell(found), "yes" if near else "no")
    yield ""
    yield from _text(
        """What is near has a λ that the source does not print; nothing that was tried gives the printed number
        without such a parameter. In float32 the mean of a whole step
        without damping hangs on the few tasks whose Hessian is nearly singular, and is another in each sample."""
    )


def _sample(predictor: Predictor, N: int = 10) -> Estimate:
    return estimate(predictor, examples=N, features=10, scale=0.5, tasks=TRIES)


def _cell(found: Estimate) -> str:
    return _of(found) if found.mean > 1e-9 else "0"


def _crossing(losses: dict[float, float], target: float) -> float:
    """Where growing losses pass a target, by a straight line between the two around it."""
    for (a, low), (b, high) in pairwise(losses.items()):
        if low <= target <= high:
            return a + (target - low) / (high - low) * (b - a)
    raise ValueError(f"no loss is above {target}")
