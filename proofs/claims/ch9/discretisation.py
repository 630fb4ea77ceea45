"""From the differential equation to a recurrence (ch9 §§9.1.1–9.1.2)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import ssm, trajectories

from ...language.statements import differs, equal
from .source import ch9

EQUATION = {"A": "m m", "B": "m"}


@ch9.claim(
    "ch9.integral",
    where="§9.1.1",
    says="the integral form h(t) = ∫_0^t A h(τ) + B x(τ) dτ of h' = A h + B x (h(0) = 0)",
    given={**EQUATION, "h": "D m", "x": "D+1", "t": "", "start": "m"},
    sizes={"D": (1, 2, 3)},
    reading=(
        "On all polynomial curves h, x of degree D with h(0) = 0: the integral form's residual vanishes at t = 0, and "
        "its derivative is the differential form's residual, so one vanishes at all t where the other does. The "
        "chapter does not say h(0) = 0; without it the form already fails at t = 0."
    ),
)
def integral(A, B, h, x, t, start, xp, m):
    def residual(initial, time):
        curve = xp.concat([initial[None, :], h], axis=0)
        force = curve @ A.T + x[:, None] * B[None, :]
        return trajectories.value(curve, time) - trajectories.integral(force, time)

    zero, beginning = xp.zeros((m,)), xp.asarray(0)
    curve = xp.concat([zero[None, :], h], axis=0)
    state, speed = (
        trajectories.value(curve, t),
        trajectories.velocity(lambda time: trajectories.value(curve, time), t),
    )
    yield equal(
        trajectories.velocity(lambda time: residual(zero, time), t),
        speed - ssm.evolution(A, B, state, trajectories.value(x, t)),
        "derivative of the residual",
    )
    yield equal(residual(zero, beginning), zero, "residual at t = 0")
    yield differs(residual(start, beginning), zero, "residual at t = 0 for h(0) ≠ 0")


@ch9.claim(
    "ch9.euler",
    where="eqs. 9.2–9.7",
    says="forward Euler gives h(t+Δ) ≈ Ā h(t) + B̄ x(t), Ā = I + ΔA, B̄ = ΔB",
    given={**EQUATION, "h": "m", "x": "", "delta": ""},
    reading=(
        "h(t) plus the integral over [t, t + Δ] with h and x held at their values at t (rectangles) is the right "
        "side; and the right side's derivative in Δ at 0 is A h + B x, so that ≈ holds to first order in Δ."
    ),
)
def euler(A, B, h, x, delta, xp):
    def advanced(elapsed):
        return ssm.evolution(*ssm.euler(A, B, elapsed), h, x)

    slope = ssm.evolution(A, B, h, x)
    rectangle = trajectories.integral(slope[None, :], delta)
    yield equal(h + rectangle, advanced(delta), "rectangles")
    yield equal(trajectories.velocity(advanced, xp.asarray(0)), slope, "first order")


@ch9.claim(
    "ch9.eq9.8",
    where="eq. 9.8",
    says="so the discrete mapping is h_i = Ā h_{i−1} + B̄ x_i with h_i = h(iΔ), x_i = x(iΔ)",
    given={**EQUATION, "delta": "", "h": "m", "x": "n+1"},
    sizes={"n": (1, 2, 3), "m": (1, 2)},
    reading=(
        "Compared with iterating eq. 9.4 from h_0 = h(0), whose input at t = (i−1)Δ is x((i−1)Δ) = x_{i−1}. "
        "Eqs. 9.9–9.11 unroll the printed x_i."
    ),
)
def eq9_8(A, B, delta, h, x, *, lagged=False):
    discrete = ssm.Discrete(*ssm.euler(A, B, delta), B)
    if lagged:
        states, _ = scan(ssm.lagged_step, discrete, (h, x[0]), x[1:]).states
    else:
        states = scan(ssm.step, discrete, h, x[1:]).states
    return equal(ssm.forward_euler(A, B, delta, h, x[:-1]), states)


eq9_8.amend("index", "the discrete mapping is h_i = Ā h_{i−1} + B̄ x_{i−1}", lagged=True)


@eq9_8.restate(
    "first-order",
    "h_i = Ā h_{i−1} + B̄ x_i is another discretisation: it too agrees with the solution to first order in Δ",
    given={**EQUATION, "h": "m", "x": "D+1"},
    sizes={"D": (1, 2, 3)},
    reading=(
        "For every polynomial input x(t) of degree D, one step from h(0): the value at Δ = 0 is h(0), and the "
        "derivative in Δ there is A h(0) + B x(0) = h'(0)."
    ),
)
def eq9_8_first_order(A, B, h, x, xp):
    def advanced(elapsed):
        sample = trajectories.value(x, elapsed)
        return ssm.step(ssm.Discrete(*ssm.euler(A, B, elapsed), B), h, sample)[0]

    start = xp.asarray(0)
    yield equal(advanced(start), h, "value")
    yield equal(trajectories.velocity(advanced, start), ssm.evolution(A, B, h, x[0]), "derivative")


@ch9.claim(
    "ch9.zoh",
    where="§9.1.2",
    says=(
        "zero-order hold keeps eq. 9.5 with its own Ā = exp(ΔA), B̄ = A⁻¹(exp(ΔA) − I)B, exact for "
        "piecewise-constant x"
    ),
    given={**EQUATION, "a": "m", "h": "m", "x": "", "s": ""},
    sizes={"m": (1, 2), "K": (1, 2)},
    reading=(
        "As a function of the elapsed time s, Ā h + B̄ x starts at h and solves h' = A h + B x for a constant x: for "
        "A = diag(a), a_k ≠ 0, with exp; for any A order by order, Ā and B̄ as series in Δ, where the derivative "
        "at order K is A h + B x with h taken to order K − 1."
    ),
    hypotheses=("x is constant over the step", "a_k ≠ 0 where A = diag(a)"),
)
def zoh(A, B, a, h, x, s, xp, m, K):
    diagonal, start = xp.eye(m) * a[None, :], xp.asarray(0)

    def exact(elapsed):
        decay, gain = ssm.zero_order_hold(a, B, elapsed)
        return ssm.evolution(xp.eye(m) * decay[None, :], gain, h, x)

    def series(elapsed, order=K):
        return ssm.evolution(*ssm.zero_order_hold_series(A, B, elapsed, order), h, x)

    yield equal(exact(start), h, "diagonal A, s = 0")
    yield equal(
        trajectories.velocity(exact, s), ssm.evolution(diagonal, B, exact(s), x), "diagonal A"
    )
    yield equal(series(start), h, "series, s = 0")
    yield equal(
        trajectories.velocity(series, s), ssm.evolution(A, B, series(s, K - 1), x), "series"
    )


@ch9.claim(
    "ch9.bilinear",
    where="§9.1.2",
    says=(
        "the bilinear transform (trapezoids) keeps eq. 9.5 with its own Ā = (I − ½ΔA)⁻¹(I + ½ΔA), "
        "B̄ = (I − ½ΔA)⁻¹ΔB"
    ),
    given={**EQUATION, "delta": "", "h": "m", "x": "", "x_next": ""},
    sizes={"m": (1, 2)},
    reading=(
        "h(t+Δ) − h(t) is the trapezoid of A h + B x. Eq. 9.5 is kept with x(t) if x is held over the step; if x too "
        "is a trapezoid its input is the mean (x(t) + x(t+Δ))/2, and with x(t) alone it is not that trapezoid."
    ),
    hypotheses=("I − ½ΔA has nonzero leading principal minors (it is inverted by elimination)",),
)
def bilinear(A, B, delta, h, x, x_next):
    def advanced(sample):
        return ssm.evolution(*ssm.bilinear(A, B, delta), h, sample)

    def trapezoid(end, sample, next_sample):
        slopes = ssm.evolution(A, B, h, sample), ssm.evolution(A, B, end, next_sample)
        return delta / 2 * (slopes[0] + slopes[1])

    held, mean = advanced(x), advanced((x + x_next) / 2)
    yield equal(held - h, trapezoid(held, x, x), "x held over the step")
    yield equal(mean - h, trapezoid(mean, x, x_next), "trapezoid of x: the mean input")
    yield differs(held - h, trapezoid(held, x, x_next), "trapezoid of x, but x(t) alone as input")
