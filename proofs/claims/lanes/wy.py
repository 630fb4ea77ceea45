"""The WY form of a chunk of the delta rule is the delta rule."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms import wy
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import delta_rule, longhorn

from ...language.statements import equal
from .source import lanes


@lanes.claim(
    "lanes.wy",
    says=(
        "n chunks of C tokens, each evaluated as S_0 + Σ_s u_s k_sᵀ and o_t = S_0 q_t + Σ_{s≤t} (k_s·q_t) u_s, "
        "where forward substitution solves u_t = β_t (v_t − S_0 k_t − Σ_{s<t} (k_s·k_t) u_s), make the outputs "
        "and the final state of S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) k_tᵀ, o_t = S_t q_t over n·C tokens; u = "
        "Y − W S_0ᵀ with factors that do not depend on S_0; the chunk's transition Π_t (I − β_t k_t k_tᵀ) is I − "
        "Wᵀ K; Longhorn is the case β_t / (1 + β_t ‖k_t‖²) for β_t"
    ),
    given={"k": "n C m", "v": "n C d", "q": "n C m", "beta": "n C", "S0": "d m"},
    sizes={"n": (1, 2), "C": (1, 2, 3), "d": (1, 2), "m": (1, 2)},
    reading=(
        "Any initial state and any strengths β_t. The transition is what the recurrence makes of the identity "
        "matrix when all values are 0. This, the system, the factors and Longhorn's step are shown for the first "
        "chunk and its first token, which stand for any."
    ),
)
def by_writes(k, v, q, beta, S0, xp, C, m):
    tokens = delta_rule.Token(k, v, q, beta)
    recurrence, lane = scan_merged(delta_rule.step, None, S0, tokens), wy.evaluate(S0, tokens)
    yield equal(lane.outputs, recurrence.outputs, label="outputs")
    yield equal(lane.final_state, recurrence.final_state, label="final state")

    chunk = map_leaves(lambda leaf: leaf[0], tokens)
    u = wy.writes(S0, chunk)
    solved = u + wy.coefficients(chunk) @ u
    yield equal(solved, wy.right_side(S0, chunk), label="the system that u solves")
    W, Y = wy.factors(chunk)
    yield equal(u, Y - W @ S0.T, label="u by the factors")
    silent = chunk._replace(v=xp.zeros((C, m)))
    transition = scan(delta_rule.step, None, xp.eye(m), silent).final_state
    yield equal(transition, xp.eye(m) - W.T @ chunk.k, label="the transition")

    token = map_leaves(lambda leaf: leaf[0], chunk)
    strength = token.beta / (1 + token.beta * (token.k @ token.k))
    _, output = delta_rule.step(None, S0, token._replace(beta=strength))
    yield equal(longhorn.step(None, S0, token)[1], output, label="Longhorn's step")
