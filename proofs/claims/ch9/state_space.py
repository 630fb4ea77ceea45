"""Convolution, selection, and what the expressivity proof computes (ch9 §§9.1.3–9.1.5)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import mamba as selective
from scanproof.constructs.layers import ssm

from ...language.statements import equal
from .source import ch9


@ch9.claim(
    "ch9.conv",
    where="eqs. 9.9–9.11",
    says="y_i = Σ_{j=0}^i C Ā^j B̄ x_{i−j} is the recurrence of eq. 9.8 from zero state",
    given={"A": "m m", "B": "m", "C": "m", "x": "n"},
    sizes={"n": (1, 2, 3, 4), "m": (1, 2, 3)},
    reading="Eq. 9.8 as printed, with h_{−1} = 0 and any Ā, B̄.",
)
def convolution(A, B, C, x, xp, m):
    discrete = ssm.Discrete(A, B, C)
    recurrence = scan(ssm.step, discrete, xp.zeros((m,)), x)
    return equal(recurrence.outputs, ssm.convolution(discrete, x))


@ch9.claim(
    "ch9.mamba",
    where="§9.1.4",
    kind="definition",
    says=(
        "diagonal A, B_i, C_i linear in x_i, Δ_i = softplus(lin(x_i)) = log(1 + exp(lin(x_i))): unrolled, "
        "y_i = Σ_{j≤i} C_i·(exp(a Σ_{j<s≤i} Δ_s) ⊙ Δ_j B_j) x_j"
    ),
    given={"a": "m", "W_B": "m d", "W_C": "m d", "w_delta": "d", "x": "n", "u": "n d"},
    sizes={"n": (1, 2, 3), "m": (1, 2), "d": (1, 2)},
    reading=(
        "One channel x of the token u, from zero state. The chapter leaves the discretisation open; as in Mamba's "
        "code, Ā_i = exp(Δ_i A) (zero-order hold) and B̄_i = Δ_i B_i (Euler). A bias is a coordinate of u fixed at 1."
    ),
)
def mamba(a, W_B, W_C, w_delta, x, u, xp, m):
    parameters = selective.Parameters(a, W_B, W_C, w_delta)
    tokens = selective.Token(x, u)
    recurrence = scan(selective.step, parameters, xp.zeros((m,)), tokens)
    return equal(recurrence.outputs, selective.unrolled(parameters, tokens))


ch9.unchecked(
    "ch9.thm9.1",
    where="Thm. 9.1",
    kind="complexity",
    says=(
        "input-independent, or input-dependent diagonal, SSMs at O(log n) bits are in DLOGTIME-uniform TC⁰"
    ),
    missing="a statement about circuit families, not about arrays of numbers",
)


@ch9.claim(
    "ch9.thm9.1-rescale",
    where="proof of Thm. 9.1",
    says=(
        "with e the minimum exponent, 2^{−e}Ā is integral, and multiplying (2^{−e}Ā)^k by 2^{−ek} gives Ā^k"
    ),
    given={"A": "m m", "c": ""},
    sizes={"k": (1, 2, 3), "m": (1, 2, 3)},
    assuming={"c = 2^{−e} for a whole number e": lambda c: is_power_of_two(c)},
    reading=(
        "Numbers are whole mantissas times 2^exponent, so that 2^{−e}Ā is integral by the choice of e. Then "
        "(cĀ)^k = c^k Ā^k for c = 2^{−e}, and 2^{−ek} = c^k is multiplied once more instead of being taken out."
    ),
)
def rescale(A, c, k, *, sign=-1):
    exponent = -sign * k  # 2^{sign·ek} = c^exponent
    factor = c**exponent if exponent >= 0 else 1 / c**-exponent
    return equal(ssm.power(A, k), ssm.power(c * A, k) * factor)


def is_power_of_two(number):
    """Whether a fraction is 2^z for a whole number z, of either sign."""
    parts = (number.numerator, number.denominator)
    return number > 0 and all(part & (part - 1) == 0 for part in parts)


rescale.amend("sign", "multiplying (2^{−e}Ā)^k by 2^{+ek} gives Ā^k", sign=1)
