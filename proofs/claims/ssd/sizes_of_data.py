"""How large the data of ssd App. A are: "suppose ‖x‖ ≤ C and ‖y‖ ≤ D"."""

from __future__ import annotations

from scanproof.constructs.arrays.norms import absolute, norm, operator_norm

from ...language.statements import at_most

FEATURES = {"‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C)}
LABELS = {"|y_i| ≤ D": lambda y, D: at_most(absolute(y), D)}
MATRIX = {"‖B‖ ≤ b": lambda B, b: at_most(operator_norm(B), b)}
HALF_STEP = {
    "‖x_i^½‖ ≤ C": lambda half, C: at_most(norm(half), C),
    "‖x_i^½ − x_i‖ ≤ δ": lambda half, x, delta: at_most(norm(half - x), delta),
}
STEP_SIZE = {"η ≥ 0": lambda eta: at_most(0, eta)}
EPSILON = {"ε ≥ 0": lambda eps: at_most(0, eps)}
