"""The exclusive prefix of the shards' summaries gives each shard its initial state."""

from __future__ import annotations

from scanproof.constructs.forms import prefix
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import ssd

from ...language.statements import equal
from .source import lanes


@lanes.claim(
    "lanes.prefix",
    says=(
        "n shards of C tokens, each folded from zero into (A, H), the product of its decays and its last state: "
        "(A, H) ∘ (A', H') = (A'A, A'H + H') is associative with identity (1, 0); its exclusive prefixes, applied "
        "to the initial state, are the states before the shards; and local outputs plus the correction a_1 ⋯ a_t "
        "H c_t by these states make the outputs and the final state of H_t = a_t H_{t−1} + z_t ⊗ b_t, y_t = H_t "
        "c_t over n·C tokens"
    ),
    given={
        "z": "n C D",
        "a": "n C",
        "b": "n C N",
        "c": "n C N",
        "H0": "D N",
        "A": "3",
        "H": "3 D N",
    },
    sizes={"n": (1, 2, 3), "C": (1, 2, 3), "D": (1, 2), "N": (1, 2)},
    reading=(
        "Any initial state and any decays, zeros among them. Associative: for any three pairs, whether or not tokens "
        "make them."
    ),
)
def by_shards(z, a, b, c, H0, A, H, xp, n, D, N):
    one, two, three = (prefix.Summary(A[i], H[i]) for i in range(3))
    left = prefix.compose(prefix.compose(one, two), three)
    right = prefix.compose(one, prefix.compose(two, three))
    yield equal(left.decay, right.decay, label="associative, decays")
    yield equal(left.state, right.state, label="associative, states")
    identity = prefix.Summary(xp.ones(()), xp.zeros((D, N)))
    for side, composed in (
        ("left", prefix.compose(identity, one)),
        ("right", prefix.compose(one, identity)),
    ):
        yield equal(composed.decay, one.decay, label=f"identity on the {side}, decay")
        yield equal(composed.state, one.state, label=f"identity on the {side}, state")

    tokens = ssd.Token(z, a, b, c)
    recurrence, lane = scan_merged(ssd.step, None, H0, tokens), prefix.evaluate(H0, tokens)
    after = recurrence.states[:, -1]
    before = xp.concat([H0[None], after], axis=0)[:n]
    yield equal(lane.initial_states, before, label="states before the shards")
    yield equal(lane.outputs, recurrence.outputs, label="outputs")
    yield equal(lane.final_state, recurrence.final_state, label="final state")
