"""Two layers SSD ∘ LSA that do two steps of SGD on two examples with one feature, with the sign + of ssd Thm. 5.1.

The first layer adds x_j (η y_j x_i − (η²/ε) x_j y_i) over j ≤ i to the label of token i, and has no SSD sublayer. The
second moves the query by −(η + ε) x_j x_3 z_j over the examples, by next to nothing else, and its LSA sublayer adds
η x_j (y_j x_i − x_j y_i). The query's label is then ⟨w_2, x_3⟩ + O(ε), a polynomial in ε, though η²/ε grows.
"""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, outer
from ..arrays.definition import definition
from ..layers import lsa
from ..layers.hybrid import Parameters

EXAMPLES = 2


@definition
def decays(xp: Any, eps: Array) -> Array:
    """1, 1, ε⁻³: shape (3,); ε is not 0."""
    return xp.stack([xp.asarray(1), xp.asarray(1), 1 / (eps * eps * eps)])


@definition
def small_mask(xp: Any, eps: Array) -> Array:
    """ε³ L for the mask L of `decays`, a polynomial in ε: (3, 3)."""
    cube = eps * eps * eps
    causal = lsa.causal_mask(xp, 3)
    last = xp.eye(3)[2]
    examples = outer(1 - last, last)
    return examples + cube * (causal - examples)


@definition
def layers(
    xp: Any, mask: Array, scale: Array, eta: Array, eps: Array, grown: Array
) -> list[Parameters]:
    """The two layers.

    Args:
        xp: namespace of the arrays to build.
        mask: L, (3, 3).
        scale: what S is multiplied by: ε³ for L itself, 1 for ε³ L.
        eta: step size η.
        eps: ε.
        grown: η²/ε.
    """
    feature, label = xp.eye(2)[0], xp.eye(2)[1]
    onto_label = EXAMPLES * outer(label, feature)
    causal = lsa.causal_mask(xp, 3)

    def attention(own: Array) -> Array:
        return eta * outer(label, feature) - own * outer(feature, label)

    moving = -EXAMPLES * scale * (eta + eps) * outer(feature, feature)
    return [
        Parameters(mask, xp.zeros((2, 2)), causal, onto_label, attention(grown)),
        Parameters(mask, moving, causal, onto_label, attention(eta)),
    ]
