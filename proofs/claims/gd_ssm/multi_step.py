"""Several steps from several layers: Proposition 3 (gd-ssm A.2)."""

from __future__ import annotations

from scanproof.constructs.constructions.gd_ssm import PRINTED, PROP3
from scanproof.constructs.layers.multi_step import loop

from ...language.learns import learns_in_steps
from ...language.statements import equal
from .source import gd_ssm

GIVEN = {"x": "N+1 f", "y": "N f", "W0": "f f", "eta": ""}
SIZES = {"N": (1, 2, 3), "f": (1, 2, 3), "L": (1, 2)}
DEEP = {"N": (1, 2, 3), "f": (1, 2), "L": (1, 2, 3)}


gd_ssm.claim(
    "gd-ssm.prop3",
    where="Prop. 3",
    kind="existence",
    says="L layers (pairs of recurrences, window 3) give the prediction after L GD steps at the last token",
    given=GIVEN,
    sizes=DEEP,
    construction=PROP3,
    fixed=("eta",),
    reading="Witness: the printed heads with Δ_l W = −(η/N)(Z̃ W_{l−1} − Z) and o = (W_{l−1} + Δ_l W)ᵀ C_t q.",
)(learns_in_steps)


printed = gd_ssm.claim(
    "gd-ssm.prop3-construction",
    where="A.2",
    kind="construction",
    says=(
        "heads Z (as in prop2) and Z̃_t = Z̃_{t−1} + x_t x_tᵀ, Δ_l W = −(η/N)(W_{l−1}ᵀ Z̃ − Z), "
        "o^(l) = (W_{l−1} + Δ_l W) C_t q: layer l gives l steps, read at t = N"
    ),
    given=GIVEN,
    sizes=SIZES,
    construction=PRINTED,
    reading=(
        "With Q = e_1 e_2ᵀ the head Z is Σ x yᵀ, which belongs to W and not to Wᵀ; the formula mixes the two. "
        "At f = 1 nothing is seen of it."
    ),
)(learns_in_steps)


printed.amend(
    "transpose",
    "Δ_l W = −(η/N)(Z̃ W_{l−1} − Z), o^(l) = (W_{l−1} + Δ_l W)ᵀ C_t q",
    sizes=DEEP,
    construction=PROP3,
)


@gd_ssm.claim(
    "gd-ssm.a2-loop",
    where="A.2",
    kind="remark",
    says="looping one layer's output back does multiple steps",
    given=GIVEN,
    sizes=DEEP,
    construction=PROP3,
    reading=(
        "One mended layer, run L times over the same windows, is given the weights that it returned at the last "
        "token before."
    ),
)
def looped(construction, p, x, y, W0, eta, L):
    windows = construction.seen(x, y)
    weights, _ = loop(construction.layer.step, p, windows, W0, L).outputs
    return equal(weights[-1], construction.learner.after(x[:-1], y, eta, W0, L))
