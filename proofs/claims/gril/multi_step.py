"""Several steps from several layers: Proposition A.1 (gril §4.3, A.3)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.constructions.gril import PROP_A1, PROP_A1_EMBEDDED
from scanproof.constructs.layers.multi_step import loop

from ...language.learns import learns_in_steps
from ...language.statements import equal
from .linear_model import targets
from .source import gril

LINEAR = {"x": "N+1 f", "w": "f f", "W0": "f f", "eta": ""}
ANY_TARGETS = {"x": "N+1 f", "y": "N f", "W0": "f f", "eta": ""}
SIZES = {"L": (1, 2, 3)}
NARROW = {"f": (1, 2), "L": (1, 2, 3)}


gril.claim(
    "gril.propA.1",
    where="Prop. A.1",
    kind="existence",
    says=(
        "L diagonal linear recurrent layers with the windows as skip input give (Δ_L W)ᵀ x_{N+1}, where Δ_L W "
        "are the weights W0 after L steps of GD on D"
    ),
    given=ANY_TARGETS,
    sizes=SIZES,
    construction=PROP_A1,
    fixed=("eta",),
    corrections=("transpose",),
    reading=(
        "At the last token, the first at which a causal layer has seen D; any W0 that the first layer is given. "
        "Witness: the heads of A.3 with Q = e_1 e_2ᵀ. It does it for arbitrary targets."
    ),
)(learns_in_steps)


@gril.claim(
    "gril.propA.1-construction",
    where="A.3",
    kind="construction",
    says=(
        "Z as in Prop. 4.1 (Q = e_2 e_1ᵀ), Z̃ with Q̃ = e_1 e_1ᵀ, Δ_l W = −(η/N)(Z̃ W_{l−1} − Z), "
        "o^(l) = (W_{l−1} + Δ_l W)ᵀ C_t q: layer l gives l steps, at t = N"
    ),
    given=LINEAR,
    sizes={"N": (1, 2), "f": (1, 2), "L": (1, 2)},
    construction=PROP_A1,
    reading=(
        "Z “is the same as before”, Σ y xᵀ; what the update needs is Σ x yᵀ, of the shape of W. "
        "At f = 1 nothing is seen of it."
    ),
)
def propA_1_construction(construction, p, x, W0, eta, L, w=None, y=None):
    y = targets(x, w, y)
    return equal(construction.predictions(p, x, y, W0, L), construction.learned(x, y, eta, W0, L))


propA_1_construction.amend(
    "transpose",
    "the same with Q = e_1 e_2ᵀ, that is Z = Σ x yᵀ",
    given=ANY_TARGETS,
    sizes=SIZES,
    corrections=("transpose",),
)


@propA_1_construction.restate(
    "transpose+scale",
    "with Q = e_1 e_2ᵀ and η/t for η/N, layer l gives l steps on D_{1:t} at every token t",
    given=ANY_TARGETS,
    sizes=NARROW,
    corrections=("transpose", "scale"),
)
def propA_1_every_token(construction, p, x, y, W0, eta, L):
    every = construction._replace(every=True)
    return equal(every.predictions(p, x, y, W0, L), every.learned(x, y, eta, W0, L))


@propA_1_construction.restate(
    "transpose+embedding",
    "with Q = e_1 e_2ᵀ, inputs of size k and targets of any size l, padded with zeros as in footnote 1",
    given={"x": "N+1 k", "y": "N l", "W0": "k l", "eta": ""},
    sizes={"N": (1, 2), "k": (1, 2), "l": (1, 2), "L": (1, 2)},
    construction=PROP_A1_EMBEDDED,
    corrections=("transpose",),
)
def propA_1_embedded(construction, p, x, y, W0, eta, k, L):
    expected = tokens.padded(construction.learned(x, y, eta, W0, L)[None, :], k, 0)[0]
    return equal(construction.outputs(p, x, y, W0, L)[-1], expected)


@gril.claim(
    "gril.a3-loop",
    where="A.3",
    kind="remark",
    says=(
        "since each recurrent layer is performing the same operation, one could loop the output of a layer back to "
        "do multiple steps of GD"
    ),
    given=ANY_TARGETS,
    sizes=NARROW,
    construction=PROP_A1,
    corrections=("transpose",),
    reading=(
        "The layer with Q = e_1 e_2ᵀ runs L times over the windows, each time from the weights that it ended "
        "with: what is fed back is W_l, not the prediction alone. At the last token this must be L stacked "
        "layers, and L steps of GD."
    ),
)
def looped(construction, p, x, y, W0, eta, L):
    step, windows = construction.layer.step, construction.seen(x, y)
    output = loop(step, p, windows, W0, L).outputs[1][-1]
    yield equal(output, construction.predictions(p, x, y, W0, L), "L stacked layers")
    yield equal(output, construction.learned(x, y, eta, W0, L), "L steps")
