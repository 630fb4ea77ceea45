"""How errors go on in the delta rule with keys of norm at most 1: they add up, and do not grow."""

from __future__ import annotations

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import norm
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import delta_rule

from ...language.statements import at_most, equal
from .source import counted, rounding


@definition
def disturbed(parameters, state, token):
    """The step of the delta rule, and R_t added to its state."""
    one, off = token
    after, _ = delta_rule.step(parameters, state, one)
    return after + off, None


@rounding.claim(
    "rounding.delta-rule",
    kind="bound",
    says=(
        "S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) ⊗ k_t with ‖k_t‖ ≤ 1 and 0 ≤ β_t ≤ 1: if each step is off by R_t, "
        "whose rows have norms ≤ ρ, then the rows of Ŝ_t − S_t have norms ≤ tρ, for any number of tokens"
    ),
    given={
        **{"v": "T D", "k": "T N", "beta": "T", "R": "T D N", "rho": ""},
    },
    sizes={"T": (1, 2), "D": (1, 2), "N": (1, 2)},
    assuming={
        "‖k_t‖ ≤ 1": lambda k: at_most(norm(k), 1),
        "0 ≤ β_t": lambda beta: at_most(0, beta),
        "β_t ≤ 1": lambda beta: at_most(beta, 1),
        "rows of R_t have norms ≤ ρ": lambda R, rho: at_most(norm(R), rho),
    },
    reading=(
        "R_t is whatever a program adds to the exact step from the state that it has: of one step's N-term product "
        "and four more operations with unit roundoff u about (N + 6) u times the norms of the state's row and value, "
        "which no row proves."
    ),
)
def disturbances(v, k, beta, R, rho, xp, T, D, N, *, most=1):
    tokens, zero = delta_rule.Token(k, v, k, beta), xp.zeros((D, N))
    exact = scan(delta_rule.step, None, zero, tokens).states
    computed = scan(disturbed, None, zero, (tokens, R)).states
    errors = scan(disturbed, None, zero, (tokens._replace(v=0 * v), R)).states
    yield equal(computed - exact, errors, label="the errors are those of targets 0")
    yield at_most(norm(errors), most * counted(xp, T)[:, None] * rho * xp.ones((D,)))
