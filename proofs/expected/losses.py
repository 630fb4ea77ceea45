"""Expected losses as rational functions of N, f, the step size, moments, and the variances of weights and noise.

The data: N examples and a query with f independent entries each, drawn from one symmetric distribution; y_i = w·x_i +
noise; w has independent entries of mean 0 and variance v, noise has mean 0 and variance s². The loss is ½ (ŷ − w·q)² at
the query: against the target without noise. A learner is never transcribed: it is run on data made of symbols at small
sizes, the expectation is taken monomial by monomial, and the values are interpolated in N and f.

**One coordinate stands for all.** A learner that is linear in the targets and starts at 0 errs by wᵀ D q, and by
noise·E q. The entries of w are uncorrelated, so are those of the noise, and both are independent of the inputs: E of
the square is v Σ_k E(D_k·q)² + s² Σ_i E(E_i·q)². Permuting coordinates, or examples, permutes independent variables of
one law; every learner here is equivariant under the former and its expected error invariant under the latter. So the
sums are f and N times their first terms; the same holds of the query's entries, of which the first (that of w) and
the second stand for 1 and f − 1. At f ≤ 2 and N ≤ 2 `directly` takes the expectation with no such argument.

**Degrees.** After L steps on all examples D is a sum of terms, each a product of at most L inner sums over examples
with a factor 1/N each and at most L sums over coordinates, of which the last is the query's. In the square of D_k·q
there are 2L sums over examples: N^2L times its expectation has degree at most 2L in N. There are 2L − 1 free sums over
coordinates, as E of the query leaves one index for both factors; with the factor f that makes 2L. (An expectation of a
k-fold sum over independent variables of one law is a polynomial of degree at most k in the number of its terms: sort
them by which indices are equal.) Where the query is an example, its index is free in both factors: 2L + 1, and N + 1
takes the place of N. Each formula is checked at sizes that were not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import flint

from scanproof.constructs.errors import UsageError

from ..doors.record.exactly import exactly
from ..exact.scalar import Ratio
from .expectation import RandomArrays
from .formula import Coefficients, Formula, constant, interpolated, polynomial, symbol
from .learners import LEARNERS, ONE_PASS, ONE_STEP, ZERO, Learner
from .moments import Distribution
from .remembered import remembered

HALF = constant(Fraction(1, 2))
NONE: Coefficients = {}


def named(name: str) -> Learner:
    """The learner of this name.

    Raises:
        UsageError: if there is none.
    """
    if name not in LEARNERS:
        raise UsageError(f"learner {name!r}: no such learner; known: {', '.join(LEARNERS)}.")
    return LEARNERS[name]


@remembered
def expected_loss(learner: Learner = ONE_STEP) -> Formula:
    """E ½ (ŷ − w·q)², a polynomial in η over a power of N."""
    if learner is ONE_PASS:
        raise UsageError("the loss after N steps of SGD is no rational function of N: one_pass().")
    count = symbol("N") + constant(1) if learner.with_query else symbol("N")
    scale = constant(1)
    for _ in range(2 * learner.steps):
        scale = scale * count
    degree = 2 * learner.steps
    signal = interpolated(
        lambda N, f: _scaled(_signal(learner, N, f), N + learner.with_query, degree),
        degree,
        degree + 1 if learner.with_query else max(degree, 1),
        _further(degree),
    )
    noise = interpolated(
        lambda N, f: _scaled(_noise(learner, N, f), N + learner.with_query, degree),
        degree,
        degree + 1 if learner.with_query else max(degree, 1),
        _further(degree),
    )
    own, other = HALF * symbol("v") * signal, HALF * symbol("s2") * noise
    return (own + other) / scale


def _further(degree: int) -> list[tuple[int, int]]:
    """Sizes beyond those that a polynomial is interpolated from."""
    return [(degree + 2, 2), (1, degree + 3), (degree + 3, 3)]


@remembered
def best_step_size(learner: Learner = ONE_STEP) -> Formula:
    """The η that makes the expected loss of one step smallest: the loss is a quadratic polynomial in it.

    Raises:
        UsageError: for a learner of no step or of several, whose loss is none.
    """
    loss = _of_one_step(learner)
    return loss.coefficient("eta", 1) / (constant(-2) * loss.coefficient("eta", 2))


@remembered
def best_loss(learner: Learner = ONE_STEP) -> Formula:
    """The expected loss of one step at that η.

    Raises:
        UsageError: as for `best_step_size`.
    """
    loss = _of_one_step(learner)
    once, twice = (loss.coefficient("eta", power) for power in (1, 2))
    return loss.coefficient("eta", 0) - once * once / (constant(4) * twice)


def _of_one_step(learner: Learner) -> Formula:
    if learner.steps != 1:
        raise UsageError(
            f"learner {learner.name!r}: a best step size in closed form is that of one step; use smallest_loss() for "
            "several steps, best_one_pass() for one pass of SGD."
        )
    return expected_loss(learner)


def smallest_loss(
    learner: Learner,
    inputs: Distribution,
    *,
    N: int,
    f: int,
    v: Fraction | int = 1,
    s2: Fraction | int = 0,
    bits: int = 40,
) -> tuple[Fraction, Fraction]:
    """The smallest expected loss over η > 0, and the η; for several steps η is rational to `bits` bits.

    The loss is a polynomial in η of which the derivative's roots are isolated by flint; η is the real root at which the
    loss is least, rounded. What is returned is the exact loss at the rounded η, which is no less than the smallest.
    """
    loss = expected_loss(learner)
    sizes: dict[str, Any] = {"N": N, "f": f, "v": v, "s2": s2}
    powers = range(2 * learner.steps + 1)
    coefficients = [loss.coefficient("eta", k).at(inputs, **sizes) for k in powers]
    slope = flint.fmpq_poly(
        [flint.fmpq(*(k * c).as_integer_ratio()) for k, c in enumerate(coefficients)][1:]
    )
    rates = [Fraction(0)]
    roots: Any = slope.numer().complex_roots()
    for root, _ in roots:
        if root.imag == 0:
            rates.append(Fraction(round(float(root.real) * 2**bits), 2**bits))
    value = {eta: loss.at(inputs, eta=eta, **sizes) for eta in rates if eta >= 0}
    best = min(value, key=lambda eta: value[eta])
    return value[best], best


@remembered
def contraction() -> Formula:
    """ρ: by what one step of SGD on one example multiplies E‖w_t − w‖².

    E over the example of (I − η x xᵀ)² is ρ I, as flipping the sign of a coordinate, or permuting them, leaves the law
    of x. So ρ is its first diagonal entry, whichever the error before was. One sum over coordinates: degree 1 in f.
    """
    return interpolated(_contraction, 0, 1, [(1, 3), (1, 4)])


def one_pass(
    inputs: Distribution,
    *,
    N: int,
    f: int,
    eta: Fraction,
    v: Fraction | int = 1,
    s2: Fraction | int = 0,
) -> Fraction:
    """E ½ (ŷ − w·q)² after a step of SGD on each of N examples from w = 0.

    Each step multiplies the expected squared error by ρ and adds what the noise of its own example adds, η² s² f m₂.
    """
    eta = Fraction(eta)
    rho, m2 = contraction().at(inputs, f=f, eta=eta), inputs.variance
    added = sum((rho**t for t in range(N)), Fraction(0)) * eta**2 * s2 * f * m2
    return m2 / 2 * (f * v * rho**N + added)


def best_one_pass(inputs: Distribution, *, N: int, f: int) -> tuple[Fraction, Fraction]:
    """The smallest E ½ (ŷ − w·q)² of one pass of SGD without noise, and its η: that at which ρ is least."""
    once, twice = (contraction().coefficient("eta", k).at(inputs, f=f) for k in (1, 2))
    eta = -once / (2 * twice)
    return one_pass(inputs, N=N, f=f, eta=eta), eta


def least_squares(inputs: Distribution, *, N: int, f: int, v: Fraction | int = 1) -> Fraction:
    """E ½ (ŷ − w·q)² of the least-squares solution of least norm, without noise: ½ m₂ v max(f − N, 0).

    It errs by (I − P) w, P the projection on the span of the examples, which has dimension min(N, f) almost surely, as
    the distribution has a density. E P is a multiple of I by the symmetries of coordinates, and its trace is min(N, f).
    One Newton–Raphson step from 0, with a pseudo-inverse where N < f, is this solution.
    """
    return inputs.variance * v * max(f - N, 0) / 2


def least_squares_noise(*, N: int, f: int, s2: Fraction | int) -> Fraction:
    """What noise adds to that loss for normal inputs: by the mean of an inverse Wishart matrix, ½ s² k/(n − k − 1).

    k the smaller and n the larger of N and f; there is no mean for n ≤ k + 1. For other inputs no closed form is known.

    Raises:
        UsageError: there.
    """
    few, many = sorted((N, f))
    if many <= few + 1:
        raise UsageError(
            f"N = {N}, f = {f}: noise makes the expected loss infinite for |N − f| ≤ 1."
        )
    return Fraction(s2) * few / (many - few - 1) / 2


def variance_of_loss(
    learner: Learner, inputs: Distribution, *, N: int, f: int, eta: Fraction | int, targets: int
) -> Fraction:
    """Var of (1/2K) Σ_k (ŷ_k − w_k·q)² over tasks, for K targets with weights from N(0, I) and no noise.

    Given the inputs the errors are normal with variance |u|², u = D q, so the mean of their squares has the second
    moment |u|⁴ (1 + 2/K). With B = DᵀD and independent entries of q, E (qᵀ B q)² = m₂² ((tr B)² + 2 tr B²) +
    (m₄ − 3 m₂²) Σ_j B_jj²; by the symmetries of coordinates the three are f and f(f − 1) times products of entries
    of B.
    """
    named(learner.name)
    fourth = _fourth(learner).at(inputs, N=N, f=f, eta=eta)
    mean = expected_loss(learner).at(inputs, N=N, f=f, eta=eta)
    return fourth * (1 + Fraction(2, targets)) / 4 - mean**2


@remembered
def _fourth(learner: Learner) -> Formula:
    """E |D q|⁴: four sums over examples a step, and in a square of an entry of B two over coordinates."""
    if learner.steps > 1 or learner.with_query or learner is ONE_PASS:
        raise UsageError(f"learner {learner.name!r}: the spread of its loss is not computed.")
    degree = 4 * learner.steps
    every = [
        interpolated(
            lambda N, f, which=which: _scaled(_of_gram(learner, which, N, f), N, degree),
            degree,
            degree // 2 + 1,
            [(degree + 2, 2), (2, degree // 2 + 3)],
        )
        for which in ("own", "mixed", "two")
    ]
    own, mixed, two = every
    f, m2, m4 = symbol("f"), symbol("m2"), symbol("m4")
    traces = f * (own + two + constant(2) * (own + mixed))
    total = m2 * m2 * traces + (m4 - constant(3) * m2 * m2) * f * own
    for _ in range(degree):
        total = total / symbol("N")
    return total


def directly(learner: Learner, N: int, f: int, v: Fraction, s2: Fraction) -> Formula:
    """The expected loss at a size with every weight, noise and query entry a symbol: nothing is argued, all is summed.

    Of weights and noise no moment but the variance is in the loss.
    """
    random = RandomArrays({"x": (N + 1, f), "w": (f,), "e": (N,)}, ("eta",))

    def missed(xp: Any, x: Any, w: Any, e: Any, eta: Any) -> Any:
        clean = x @ w
        y = clean[:N] + e
        if learner.with_query:
            learned = learner.run(xp.zeros(f), x, xp.concat([y, clean[N:]]), eta)
        else:
            learned = learner.run(xp.zeros(f), x[:N], y, eta)
        return x[N] @ learned - clean[N]

    miss = exactly(random.field, missed, *random.arrays.values(), random.symbol("eta")).item()
    width = (N + 1) * f
    # A weight's or a noise's square is its variance: it is put in before the expectation over inputs is taken.
    found: dict[Any, Any] = {}
    for exponents, c in (miss.num * miss.num).to_dict().items():
        weights, noise = exponents[width : width + f], exponents[width + f : width + f + N]
        if any(e % 2 for e in (*weights, *noise)):
            continue
        scale = v ** int(sum(weights) // 2) * s2 ** int(sum(noise) // 2) / 2
        key = (*exponents[:width], *[0] * (f + N), *exponents[width + f + N :])
        found[key] = found.get(key, 0) + c * flint.fmpq(*scale.as_integer_ratio())
    context = miss.num.context()
    return Formula(polynomial(random.expectation(Ratio(context.from_dict(found)))))


def _scaled(found: Mapping[Any, Any], count: int, power: int) -> Coefficients:
    return {key: c * count**power for key, c in found.items()}


def _sum(*parts: tuple[int, Mapping[Any, Any]], moment: bool = False) -> Coefficients:
    """A sum of multiples, times m₂ if `moment`."""
    total: dict[Any, Any] = {}
    for factor, found in parts:
        for key, c in found.items():
            at = (key[0], key[1] + 1, *key[2:]) if moment else key
            total[at] = total.get(at, 0) + factor * c
    return {key: c for key, c in total.items() if c}


def _errors(learner: Learner, random: RandomArrays, N: int, f: int, columns: int) -> Any:
    """The first columns of D, an array (f, columns)."""
    rows = N + 1 if learner.with_query else N

    def missed(xp: Any, x: Any, eta: Any) -> Any:
        learned = learner.run(xp.zeros((f, columns)), x[:rows], x[:rows, :columns], eta)
        return xp.eye(f)[:, :columns] - learned

    return exactly(random.field, missed, random.arrays["x"], random.symbol("eta"))


def _symbols(N: int, f: int) -> RandomArrays:
    return RandomArrays({"x": (N + 1, f)}, ("eta",))


@remembered
def _signal(learner: Learner, N: int, f: int) -> Coefficients:
    """E (D_k·q)², summed over k."""
    random = _symbols(N, f)
    first = _errors(learner, random, N, f, 1)[:, 0]
    if learner.with_query:
        miss = first @ random.arrays["x"][N]
        return _sum((f, random.of_product(miss, miss)))
    own = random.of_product(first[0], first[0])
    other = random.of_product(first[1], first[1]) if f > 1 else NONE
    return _sum((f, own), (f * (f - 1), other), moment=True)


@remembered
def _noise(learner: Learner, N: int, f: int) -> Coefficients:
    """E (E_i·q)², summed over the examples i."""
    if learner is ZERO:
        return NONE
    random = _symbols(N, f)
    x, rows = random.arrays["x"], N + 1 if learner.with_query else N

    def run(xp: Any, x: Any, eta: Any) -> Any:
        return learner.run(xp.zeros(f), x[:rows], xp.eye(rows)[:, 0], eta)

    learned = exactly(random.field, run, x, random.symbol("eta"))
    if learner.with_query:
        miss = learned @ x[N]
        return _sum((N, random.of_product(miss, miss)))
    return _sum((N * f, random.of_product(learned[0], learned[0])), moment=True)


@remembered
def _of_gram(learner: Learner, which: str, N: int, f: int) -> Coefficients:
    """E B₁₁², (f − 1) E B₁₂² or (f − 1) E B₁₁ B₂₂: a sum over one coordinate more in the latter two."""
    if f == 1 and which != "own":
        return NONE
    random = _symbols(N, f)
    columns = _errors(learner, random, N, f, 1 if which == "own" else 2)
    first = columns[:, 0]
    left = right = first @ first
    if which == "mixed":
        left = right = first @ columns[:, 1]
    elif which == "two":
        right = columns[:, 1] @ columns[:, 1]
    found = random.of_product(left, right)
    return found if which == "own" else _sum((f - 1, found))


@remembered
def _contraction(N: int, f: int) -> Coefficients:
    random = _symbols(1, f)
    first = _errors(ONE_PASS, random, 1, f, 1)[:, 0]
    return random.expectation(first @ first)
