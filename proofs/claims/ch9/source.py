"""The source that the rows of this folder speak of."""

from ...language.source import Source

ch9 = Source(
    "ch9",
    "State-Space Models and Linear Transformers (a textbook chapter)",
    slips={
        "the input of step i is that of the time before it, x_{i−1}": ("ch9.eq9.8",),
        "the sign of an exponent: what was scaled by 2^{−e} is scaled so again": (
            "ch9.thm9.1-rescale",
        ),
        "½ in both factors makes ¼ in the product": ("ch9.taylor",),
    },
)
