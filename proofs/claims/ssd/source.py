"""The source that the rows of this folder speak of."""

from ...language.source import Source

ssd = Source(
    "ssd",
    "In-Context Stochastic Gradient Descent with Hybrid Mamba-2 and Linear Self-Attention",
    slips={
        "the factor that the gradient of the loss has, 2 or 2/n, is lost": (
            "ssd.thm4.1-construction",
            "ssd.thm4.1-appendix",
            "ssd.thm4.1-gradient",
            "ssd.thm4.1-sketch",
            "ssd.thm5.2-construction",
            "ssd.thm5.2-onestep",
        ),
        "what the query holds in the end is minus the prediction": (
            "ssd.thm5.1",
            "ssd.thm5.1-construction",
            "ssd.thm5.2-construction",
        ),
        "the scale: weights of size ε and a mask of size 1 make a step of size ε, not η": (
            "ssd.thm5.1-construction",
            "ssd.thm5.1-drift",
            "ssd.thm5.1-step",
        ),
        "P_Y = −1 adds the label updates of the two sublayers, where one is to cancel the other": (
            "ssd.thm5.1-dy",
            "ssd.thm5.2-construction",
        ),
        "the error of the second sublayer is O(ε), without the 1/n": (
            "ssd.thm5.1-e2",
            "ssd.thm5.1-vanish",
        ),
        "a mask with entries of its own for some examples is no product of decays": (
            "ssd.thm5.1-mask",
            "ssd.thm5.2-mask",
        ),
        "causal layers that move the labels alone do one step, not several": (
            "ssd.remark4.1-lsa",
            "ssd.remark4.1-lsa-construction",
        ),
        "Q depends on the context, so that it is no parameter; with fixed ones K ≥ 5 steps are out of reach": (
            "ssd.thm5.2",
            "ssd.thm5.2-weights",
        ),
        "the causal mask is transposed": ("ssd.lsa-mask",),
        "the sign of −(w·x − y) at w = 0": ("ssd.thm4.1-sketch-sign",),
        "the residual and the 1/n of eq. 4 are left out": ("ssd.thm4.1-eq4",),
        "of the entries marked * one is not free": ("ssd.thm4.1-stars",),
        "the feature block moves, too": ("ssd.thm4.1-features",),
        "B is left out of the products": ("ssd.thm5.1-dy",),
        "examples are counted from 1, and l mod n from 0": ("ssd.thm5.1-index",),
        "the absolute value of a sum for the sum of absolute values": ("ssd.thm5.1-eq6",),
        "v0 for u0 in a difference of products": ("ssd.thm5.1-three-terms-a",),
        "a sum of n + 1 terms is counted as n": ("ssd.thm5.1-i1",),
        "v0 for v in a difference of products": ("ssd.thm5.1-e2-expansion",),
        "tokens before example t do not see it": ("ssd.thm5.1-affine",),
        "the power of m, and that only the examples of S are summed": ("ssd.thm5.2-powers",),
        "a bound is printed as an equality": ("ssd.thm5.2-qnorm-eq",),
        "the residual is as large as what the steps after the first add": ("ssd.thm5.2-residual",),
    },
)
