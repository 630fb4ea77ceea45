"""What a step of the delta rule is off by, and how errors go on with keys of norm at most 1: they add up."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import absolute, norm
from scanproof.constructs.arrays.rounded import Rounding, growth, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.layers import delta_rule

from ...language.statements import at_most, equal
from .outputs import read
from .source import MODEL, counted, errors, rounding


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
        "R_t is whatever a program adds to the exact step from the state that it has. In the standard model "
        "rounding.delta-step and rounding.delta-step-rows say what ρ is, from u, N, and the norms of that state's rows."
    ),
)
def disturbances(v, k, beta, R, rho, xp, T, D, N, *, most=1):
    tokens, zero = delta_rule.Token(k, v, k, beta), xp.zeros((D, N))
    exact = scan(delta_rule.step, None, zero, tokens).states
    computed = scan(disturbed, None, zero, (tokens, R)).states
    errors = scan(disturbed, None, zero, (tokens._replace(v=0 * v), R)).states
    yield equal(computed - exact, errors, label="the errors are those of targets 0")
    yield at_most(norm(errors), most * counted(xp, T)[:, None] * rho * xp.ones((D,)))


def written_off(sizes: Any, beta: Any, E: Any, u: Any, eta: Any) -> tuple[Any, Any]:
    """(b, h): one step's state is off by at most u |S_dj| + b_d |k_j| + h.

    Args:
        sizes: |v| + |S k|, shape (D,).
        beta: the write strength, at least 0.
        E: what the computed S k is off by at most, shape (D,).
        u: the unit roundoff.
        eta: what underflow takes at most.
    """
    more = growth(u, 4) * (sizes + E) - sizes
    return beta * (more + growth(u, 3) * eta), (beta * growth(u, 2) + growth(u, 1) + 1) * eta


@definition
def write(parameters, state, token):
    """S + β (v − p) kᵀ: what is left of the delta rule's step once p = S k is there."""
    one, product = token
    return state + one.beta * outer(one.v - product, one.k), None


@rounding.claim(
    "rounding.delta-step",
    kind="bound",
    says=(
        "one step S' = S + β (v − S k) ⊗ k of the delta rule, β ≥ 0, whose computed product p = S k is off by at most "
        "E: the computed state has in every entry |Ŝ' − S'| ≤ u |S| + β ((1 + u)⁴ (|v| + |p| + E) − |v| − |p| + "
        "(1 + u)³ η) ⊗ |k| + (β (1 + u)² + (1 + u) + 1) η, for all N"
    ),
    given={
        **{"S": "D N", "v": "D", "k": "N", "q": "N", "beta": ""},
        **{"seen": "D", "off": "D", "E": "D"},
        **{"delta_product": "N 2 D", "eps_product": "N 2 D", "delta_add": "D", "eps_add": "D"},
        **{
            "delta_write": "3 D N",
            "eps_write": "3 D N",
            "delta_read": "N 2 D",
            "eps_read": "N 2 D",
        },
        **{"u": "", "eta": ""},
    },
    sizes={"D": (1, 2), "N": (1, 2)},
    assuming={
        **errors("add", "write"),
        "β ≥ 0": lambda beta: at_most(0, beta),
        "|p̂ − p| ≤ E": lambda off, E: at_most(absolute(off), E),
    },
    reading=(
        f"{MODEL} The first statement: the layer's own step, run so, is the product S k and then `write`. "
        "rounding.readout, of the query k, has E = ((1 + u)^{N+1} − 1) |S| |k| + 2N (1 + u)^N η."
    ),
)
def one_step(
    S,
    v,
    k,
    q,
    beta,
    seen,
    off,
    E,
    delta_product,
    eps_product,
    delta_add,
    eps_add,
    delta_write,
    eps_write,
    delta_read,
    eps_read,
    u,
    eta,
    xp,
    D,
    N,
    *,
    grown=1,
):
    token = delta_rule.Token(k, v, q, beta)
    first, last = Rounding(delta_product, eps_product), Rounding(delta_read, eps_read)
    made = (
        Rounding(delta_add, eps_add),
        *(Rounding(delta_write[i], eps_write[i]) for i in range(3)),
    )
    none, run = map_leaves(lambda leaf: 0 * leaf, made), rounded(write)
    whole = rounded(delta_rule.step)(None, S, (token, (first, *made, last)))[0]
    product = rounded(read)(None, S, (k, (first,)))[1]
    yield equal(
        whole, run(None, S, ((token, product), made))[0], label="the step, after its product"
    )

    exact = run(None, S, ((token, S @ k), none))[0]
    yield equal(exact, delta_rule.step(None, S, token)[0], label="the exact step")
    exact, computed = (
        run(None, S, ((token, read_off), kept))[0]
        for read_off, kept in ((seen, none), (seen + off, made))
    )
    b, h = written_off(absolute(v) + absolute(seen), beta, E, u, eta)
    most = u * absolute(S) + outer(b, absolute(k)) + grown * h * xp.ones((D, N))
    yield at_most(absolute(computed - exact), most, label="what it is off by")


@rounding.claim(
    "rounding.delta-step-rows",
    kind="bound",
    says=(
        "one step of the delta rule with ‖k‖ ≤ 1, 0 ≤ β ≤ 1 and |v_d| ≤ V from a state whose rows have norms ≤ σ: "
        "if it is off by |R| ≤ u |S| + b ⊗ |k| + h with the b and h of rounding.delta-step, and S k by at most e, "
        "then the rows of R have norms ≤ ρ = uσ + (1 + u)⁴ (V + σ + e) − V − σ + (1 + u)³ η + "
        "√N ((1 + u)² + (1 + u) + 1) η, for all N"
    ),
    given={
        **{"R": "D N", "S": "D N", "size_S": "D N", "v": "D", "seen": "D", "E": "D", "b": "D"},
        **{"k": "N", "size_k": "N", "ones": "N", "root": "", "beta": "", "h": "", "sigma": ""},
        **{"V": "", "e": "", "u": "", "eta": ""},
    },
    sizes={"D": (1, 2), "N": (1, 2)},
    assuming={
        "‖S‖ ≤ σ": lambda S, sigma: at_most(norm(S), sigma),
        "‖k‖ ≤ 1": lambda k: at_most(norm(k), 1),
        "0 ≤ |S|": lambda size_S: at_most(0, size_S),
        "‖|S|‖ ≤ σ": lambda size_S, sigma: at_most(norm(size_S), sigma),
        "0 ≤ |k|": lambda size_k: at_most(0, size_k),
        "‖|k|‖ ≤ 1": lambda size_k: at_most(norm(size_k), 1),
        "0 ≤ 1s": lambda ones: at_most(0, ones),
        "‖1s‖ ≤ √N": lambda ones, root: at_most(norm(ones), root),
        "|v| ≤ V": lambda v, V: at_most(absolute(v), V),
        "|p| ≤ σ": lambda seen, sigma: at_most(absolute(seen), sigma),
        "0 ≤ β": lambda beta: at_most(0, beta),
        "β ≤ 1": lambda beta: at_most(beta, 1),
        "0 ≤ E": lambda E: at_most(0, E),
        "E ≤ e": lambda E, e: at_most(E, e),
        "0 ≤ u": lambda u: at_most(0, u),
        "0 ≤ η": lambda eta: at_most(0, eta),
        "0 ≤ b": lambda b: at_most(0, b),
        "0 ≤ h": lambda h: at_most(0, h),
        "b is that of the step": lambda b, v, seen, beta, E, u, eta: at_most(
            b, written_off(absolute(v) + absolute(seen), beta, E, u, eta)[0]
        ),
        "h is that of the step": lambda h, v, seen, beta, E, u, eta: at_most(
            h, written_off(absolute(v) + absolute(seen), beta, E, u, eta)[1]
        ),
        "|R| ≤ u |S| + b ⊗ |k| + h": lambda R, size_S, size_k, ones, b, h, u: at_most(
            absolute(R), u * size_S + outer(b, size_k) + h * ones
        ),
    },
    reading=(
        "|S| and |k| may be any numbers with these norms, so those that they are; 1s stands for N ones, and p for S k, "
        "which the second statement shows to be at most σ. What S k is off by is, from rounding.readout and "
        "|S| |k| ≤ σ, at most e = ((1 + u)^{N+1} − 1) σ + 2N (1 + u)^N η. So ρ is about (N + 6) uσ + 4uV. "
        "σ is seen in a run; no row bounds it beforehand."
    ),
)
def rows_of_a_step(
    R,
    S,
    size_S,
    v,
    seen,
    E,
    b,
    k,
    size_k,
    ones,
    root,
    beta,
    h,
    sigma,
    V,
    e,
    u,
    eta,
    xp,
    D,
    N,
    *,
    kept=1,
    written=1,
):
    token = delta_rule.Token(k, v, k, beta)
    after = disturbed(None, S, (token, R))[0] - delta_rule.step(None, S, token)[0]
    yield equal(after, R, label="what is added")
    each = xp.ones((D,))
    yield at_most(absolute(S @ k), sigma * each, label="|S k| ≤ σ")
    yield at_most(size_S @ size_k, sigma * each, label="|S| |k| ≤ σ")
    yield at_most(size_S @ ones, root * sigma * each, label="|S| 1 ≤ √N σ")
    yield at_most(ones @ size_k, root, label="1·|k| ≤ √N")
    yield at_most(norm(R), u * sigma + b + root * h, label="norms of rows")
    always, _ = written_off(absolute(v) + absolute(seen), 1, E, u, eta)
    b_most, h_most = written_off(V + sigma, 1, e, u, eta)
    yield at_most(b, always, label="β = 1 writes most")
    yield at_most(always, b_most * each, label="b at most")
    yield at_most(h, h_most, label="h at most")
    yield at_most(norm(R), (kept * u * sigma + written * b_most + root * h_most) * each, label="ρ")


def most_added(sigma: Any, V: Any, root: Any, u: Any, eta: Any, N: Any) -> Any:
    """ρ: the largest norm of a row that one step adds, with the e of rounding.readout.

    Args:
        sigma: the largest norm of a row of the state before it.
        V: the largest |v_d|.
        root: √N.
        u: the unit roundoff.
        eta: what underflow takes at most.
        N: the length of keys.
    """
    e = (growth(u, N + 1) - 1) * sigma + 2 * N * growth(u, N) * eta
    b, h = written_off(V + sigma, 1, e, u, eta)
    return u * sigma + b + root * h
