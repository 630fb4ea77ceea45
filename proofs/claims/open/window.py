"""Windows of two tokens: whether they are enough for one step of gradient descent (gril §4.5)."""

from __future__ import annotations

from ...language.statements import Equal, equal
from ..gril.window import w3_minimal_gd
from .source import open_questions

SHOWN = {claim.id.partition("+")[2]: claim for claim in w3_minimal_gd.amendments}
"""What the rows of gril show of width 2; those here have their bodies."""
SHARED, TWO_CYCLES = SHOWN["shared"], SHOWN["two-cycles"]


@open_questions.claim(
    "open.window-two",
    kind="existence",
    says=(
        "for every f some GRIL block with windows of two tokens, one token apart, predicts after one step of gradient "
        "descent from W = 0 for all inputs and targets in ℝ^f, η ≠ 0"
    ),
    given=SHARED.given,
    sizes=SHARED.sizes,
    assuming={"η ≠ 0": lambda eta: eta != 0},
    over_all_parameters=("A", "Q", "q", "beta", "eta"),
    reading=(
        "A, Q, q and β do not depend on the data, and the block starts from Z_0 = 0. A combination of its errors on "
        "seven data sets with N = 1 is η² for all parameters (gril.w3-minimal-gd+shared, first part), so that the "
        "errors are not all 0 (second part, divided by η²)."
    ),
)
def window_two(A, Q, q, beta, eta, xp, f):
    values = {"A": A, "Q": Q, "q": q, "beta": beta, "eta": eta, "xp": xp, "f": f}
    for shown in SHARED.statements(values, None):
        yield shown
        if isinstance(shown, Equal):
            yield equal(shown.left / (eta * eta), 0 * eta, label="if all errors are 0")


window_two.amend("none", SHARED.says, body=SHARED.body, assuming={}, kind="remark")

window_two.amend(
    "own-coordinates",
    TWO_CYCLES.says,
    body=TWO_CYCLES.body,
    assuming={},
    given=TWO_CYCLES.given,
    sizes=TWO_CYCLES.sizes,
    parameters=TWO_CYCLES.parameters,
    reading=TWO_CYCLES.reading,
    kind="construction",
)
