"""How large the construction is, and a gated realisation of linear attention (gril §1, §4.5)."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.arrays.size import entries
from scanproof.constructs.constructions.gril import prop4_1
from scanproof.constructs.layers import linear_attention, linear_recurrence

from ...language.statements import at_most, equal
from .source import gril


@gril.claim(
    "gril.params",
    where="§1, §4.5",
    kind="remark",
    says="the construction's parameters and state are O(f²)",
    given={"eta": ""},
    sizes={"f": tuple(range(1, 9))},
    reading=(
        "Counted in the arrays of Prop. 4.1: gate f², mixing 9, query 3, β and the two numbers that divide it, and a "
        "state of f². The sum is 2f² + 15, which is at most 17 f²."
    ),
)
def params(eta, xp, f):
    total = entries(prop4_1(xp, f, eta)) + entries(xp.zeros((f, f)))
    square = xp.asarray(f) ** 2
    yield equal(total, 2 * square + 15)
    yield at_most(total, 17 * square, "bound")


GATED = {"q": "T f", "k": "T f", "v": "T f"}
GATED_SIZES = {"T": (1, 2), "f": (1, 2, 3)}

params_gated = gril.unchecked(
    "gril.params-gated",
    where="§1, §4.5",
    says=(
        "a gated-recurrent realisation of linear attention can require O(f⁴) state-transition parameters "
        "for f×f regression"
    ),
    missing=(
        "the gated recurrent network of Zucchet et al., of which the source speaks without printing it; that a dense "
        "transition has f⁴ entries (+dense) and elementwise gates f² (+elementwise) does not show what is required"
    ),
)


@params_gated.restate(
    "dense",
    "the f² entries of the state with a dense transition matrix, of f⁴ entries, realise linear attention",
    given=GATED,
    sizes=GATED_SIZES,
    reading="The transition is the identity, as a general matrix.",
)
def dense(q, k, v, xp, T, f):
    transition = xp.eye(f * f)
    attention = scan(linear_attention.step, None, xp.zeros((f, f)), linear_attention.Token(q, k, v))
    inputs = xp.reshape(v[:, :, None] * k[:, None, :], (T, f * f, 1))
    stream = linear_recurrence.Token(transition=None, input=inputs, readout=xp.ones((T, 1)))
    gated = scan(linear_recurrence.matrix_step, transition, xp.zeros((f * f, 1)), stream)
    yield equal(xp.reshape(gated.states, (T, f, f)), attention.states, "states")
    yield equal(entries(transition), f**4, "transition parameters")


@params_gated.restate(
    "elementwise",
    "with elementwise gates the same recurrence has f² state-transition parameters",
    given=GATED,
    sizes=GATED_SIZES,
)
def elementwise(q, k, v, xp, T, f):
    gates = xp.ones((T, f, f))
    attention = scan(linear_attention.step, None, xp.zeros((f, f)), linear_attention.Token(q, k, v))
    stream = linear_recurrence.Token(gates, v[:, :, None] * k[:, None, :], q)
    gated = scan(linear_recurrence.step, None, xp.zeros((f, f)), stream)
    yield equal(gated.outputs, attention.outputs, "outputs")
    yield equal(entries(gates[0]), xp.asarray(f) ** 2, "transition parameters")
