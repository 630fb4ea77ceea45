"""The source that the rows of this folder speak of."""

from ...language.source import Source

gril = Source(
    "gril",
    "Learning in the Recurrent State: Gradient Descent with Linear Recurrent Networks",
    "2410.11687v3",
    slips={
        "a transpose: Z = Σ y xᵀ stands where Σ x yᵀ is needed": (
            "gril.a2-state",
            "gril.propA.1-construction",
            "gril.a5-construction",
        ),
        "the sign: the state sums up minus the gradient, and the step size β has a minus sign besides": (
            "gril.a1-construction",
            "gril.a1-state",
            "gril.a2-state",
        ),
        "the causal mask of linear attention is not written": ("gril.forms",),
        "z_0 = 0 and w0 = 0 are taken for one condition": ("gril.eq5-z0",),
        "of tokens that are counted from 0, j + 1 are in the state, not j": ("gril.prop4.1-from0",),
        "the output gate is left in": ("gril.eq2-match",),
        "the scale η/N of the last token at every token t, where it is η/t": (
            "gril.a2-construction",
        ),
        "“coupled” for independent": ("gril.coupled",),
        "the penalty's gradient stands inside a bracket that is divided by N": (
            "gril.a5-construction",
        ),
        "the logits before the step are left out of the updated ones": ("gril.prop4.3",),
        "the scale of a mean, for a loss that is a sum": ("gril.prop4.3",),
        "x_i for its features φ(x_i)": ("gril.a6-softmax",),
        "two digits of a table are exchanged": ("gril.table1-10",),
    },
)
