"""The chunked form of the gated linear recurrence is the recurrence."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.forms import chunked
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import linear_attention, ssd

from ...language.statements import equal
from .source import lanes


@lanes.claim(
    "lanes.chunked",
    says=(
        "n chunks of C tokens, each evaluated by masked matrices, y_t = a_1 ⋯ a_t H_0 c_t + Σ_{s≤t} a_{t:s} "
        "(b_s·c_t) z_s, and handing its last state to the next, make the outputs and the final state of H_t = a_t "
        "H_{t−1} + z_t ⊗ b_t, y_t = H_t c_t over n·C tokens; with a last chunk of r tokens, over n·C + r; with "
        "a_t = 1, those of linear attention"
    ),
    given={
        "z": "n C D",
        "a": "n C",
        "b": "n C N",
        "c": "n C N",
        "H0": "D N",
        "last_z": "r D",
        "last_a": "r",
        "last_b": "r N",
        "last_c": "r N",
    },
    sizes={"n": (1, 2, 3), "C": (1, 2, 3), "r": (1, 2), "D": (1, 2), "N": (1, 2)},
    reading=(
        "Any initial state and any decays, zeros among them. The recurrence over n·C + r tokens is the one over "
        "n·C tokens that goes on from its final state, token by token."
    ),
)
def by_chunks(z, a, b, c, H0, last_z, last_a, last_b, last_c, xp, n, C):
    tokens = ssd.Token(z, a, b, c)
    recurrence, lane = scan_merged(ssd.step, None, H0, tokens), chunked.evaluate(H0, tokens)
    yield equal(lane.outputs, recurrence.outputs, label="outputs")
    yield equal(lane.final_state, recurrence.final_state, label="final state")

    last = ssd.Token(last_z, last_a, last_b, last_c)
    longer = scan(ssd.step, None, recurrence.final_state, last)
    state, outputs = chunked.step(None, lane.final_state, last)
    yield equal(outputs, longer.outputs, label="outputs of the last r tokens")
    yield equal(state, longer.final_state, label="final state after n·C + r tokens")

    attention = scan_merged(linear_attention.step, None, H0, linear_attention.Token(c, b, z))
    lane = chunked.evaluate(H0, tokens._replace(decay=xp.ones((n, C))))
    yield equal(lane.outputs, attention.outputs, label="outputs of linear attention")
    yield equal(lane.final_state, attention.final_state, label="final state of linear attention")
