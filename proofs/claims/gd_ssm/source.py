"""The source that the rows of this folder speak of."""

from ...language.source import Source

gd_ssm = Source(
    "gd-ssm",
    "State-space models can learn in-context by gradient descent",
    "2410.11687v2",
    slips={
        "the sign: the state sums up minus the gradient, and the step size β has a minus sign besides": (
            "gd-ssm.prop1-construction",
            "gd-ssm.prop1-every-token",
            "gd-ssm.prop1-state",
            "gd-ssm.prop2-construction",
            "gd-ssm.a1-state",
        ),
        "a transpose: Q = e_1 e_2ᵀ makes Σ x yᵀ where Σ y xᵀ is meant": (
            "gd-ssm.prop2-construction",
            "gd-ssm.prop2-input",
            "gd-ssm.prop3-construction",
            "gd-ssm.a4-construction",
        ),
        "the ½ of the loss is lost in its gradient": ("gd-ssm.a1-gradient", "gd-ssm.a4-gradient"),
        "the scale 1/N of the last token at every token t, where it is 1/t": (
            "gd-ssm.prop1-every-token",
        ),
        "the causal mask of linear attention is not written": ("gd-ssm.forms",),
        "Ψ and Θ as square matrices write to coordinates that do not meet": (
            "gd-ssm.prop1-diagonal",
        ),
        "windows over the interleaved stream are two tokens apart, not one": (
            "gd-ssm.prop2-stride1",
        ),
        "the linear statistic does not determine the gradient of a non-linear model": (
            "gd-ssm.prop4",
        ),
        "the step size over t is left out of the output": ("gd-ssm.a3-output",),
        "the penalty's gradient stands inside a bracket that is divided by N": (
            "gd-ssm.a4-construction",
        ),
    },
)
