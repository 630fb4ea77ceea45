"""Bounds whose tightness is known by hand, as claims."""

from scanproof import Source, at_most
from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.norms import norm, operator_norm

paper = Source("tight", title="Bounds whose tightness is known")


@definition
def moved(x, u, eta):
    """x_i − η⟨x_i, u⟩u for every row x_i."""
    return x - eta * (x @ u)[:, None] * u


STEP = {"x": "n d", "u": "d", "eta": "", "C": ""}
BOUNDED = {
    "‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C),
    "‖u‖ ≤ C": lambda u, C: at_most(norm(u), C),
}
POSITIVE = {"0 ≤ η": lambda eta: at_most(0, eta)}


@paper.claim(
    "tight.step",
    kind="bound",
    says="‖x_i − η⟨x_i, u⟩u‖ ≤ (1 + ηC²)C, and the change is at most ηC³",
    given=STEP,
    assuming={**POSITIVE, **BOUNDED},
)
def step(x, u, eta, C):
    yield at_most(norm(moved(x, u, eta)), (1 + eta * C**2) * C, "sum")
    yield at_most(norm(moved(x, u, eta) - x), eta * C**3, "change")


@paper.claim(
    "tight.contraction",
    kind="bound",
    says="for ηC² ≤ 1 the step shrinks: ‖x_i − η⟨x_i, u⟩u‖ ≤ (1 − ηC²/2)C, which is false",
    given=STEP,
    assuming={**POSITIVE, **BOUNDED, "ηC² ≤ 1": lambda eta, C: at_most(eta * C**2, 1)},
)
def contraction(x, u, eta, C):
    return at_most(norm(moved(x, u, eta)), (1 - eta * C**2 / 2) * C)


OPERATOR = {"x": "d", "B": "d d", "b": "", "C": ""}


@paper.claim(
    "tight.operator",
    kind="bound",
    says="‖Bx‖ ≤ bC, and ≤ 5000bC, which nothing comes near to",
    given=OPERATOR,
    assuming={
        "‖B‖ ≤ b": lambda B, b: at_most(operator_norm(B), b),
        "‖x‖ ≤ C": lambda x, C: at_most(norm(x), C),
        "bC ≤ 1, C ≤ 2": lambda b, C: [at_most(b * C, 1), at_most(C, 2)],
    },
)
def operator(x, B, b, C):
    yield at_most(norm(B @ x), b * C, "tight")
    yield at_most(norm(B @ x), 5000 * b * C, "loose")


@paper.claim(
    "tight.impossible",
    kind="bound",
    says="nothing has a square of at most −1",
    given={"c": ""},
    assuming={"c² ≤ −1": lambda c: at_most(c * c, -1)},
)
def impossible(c):
    return at_most(moved(c[None, None], c[None], c)[0, 0], c)


@paper.claim(
    "tight.raises",
    kind="bound",
    says="a body that raises",
    given={"c": ""},
)
def raises(c):
    raise ValueError("no such thing")


CLAIMS = {row.claim.id: row.claim for row in paper.rows}
