"""The sources' own terms, and the claims about them: claims are told in our words, readers search for theirs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

TERMS: Mapping[str, Sequence[str]] = {
    # State-space models can learn in-context by gradient descent
    "local self-attention": (
        "gd-ssm.prop1",
        "gd-ssm.prop2",
        "gd-ssm.prop2-stride1",
        "gril.causal-window",
    ),
    "gradient accumulator, state as gradient": (
        "gd-ssm.prop1-state",
        "gd-ssm.a1-state",
        "gril.a1-state",
        "gril.a2-state",
    ),
    "scalar output, one-dimensional linear regression": (
        "gd-ssm.prop1",
        "gd-ssm.prop1-construction",
        "gril.a1-construction",
    ),
    "vector-valued, multi-dimensional linear regression": (
        "gd-ssm.prop2",
        "gd-ssm.prop2-construction",
        "gril.prop4.1",
    ),
    "multi-step gradient descent, several layers": (
        "gd-ssm.prop3",
        "gd-ssm.prop3-construction",
        "gril.propA.1",
        "gril.propA.1-construction",
    ),
    "non-linear regression, MLP after the layer": (
        "gd-ssm.prop4",
        "gd-ssm.a3-output",
        "gril.propA.2",
    ),
    "regularised loss, ridge, weight decay, L2 penalty": (
        "gd-ssm.a4-gradient",
        "gd-ssm.a4-construction",
        "gril.a5-construction",
        "gril.a5-gradient",
        "gril.reg",
    ),
    "linear self-attention as a recurrence, unmasked and causal": (
        "gd-ssm.forms",
        "gril.forms",
        "ssd.lsa-mask",
    ),
    # Learning in the recurrent state
    "multiplicative readout, multiplicative output": (
        "gril.prop4.1",
        "gril.def4.2",
        "gril.ablation-doubles",
        "gd-ssm.prop1-construction",
        "gd-ssm.prop2-construction",
    ),
    "sliding window, windowed cross-product": (
        "gril.prop4.1",
        "gril.def4.2",
        "gril.causal-window",
        "gril.w1",
        "gril.w3-minimal",
        "gril.w3-minimal-gd",
        "gril.ablation-doubles",
        "gd-ssm.prop2",
        "gd-ssm.prop2-stride1",
        "open.window-two",
    ),
    "window size three is minimal": ("gril.w3-minimal", "gril.w3-minimal-gd", "open.window-two"),
    "classification, softmax cross-entropy, logistic": (
        "gril.prop4.3",
        "gril.a6-softmax",
        "gril.a6-binary",
        "gril.a6-recursion",
        "gril.a6-jacobian",
        "gril.eq11",
    ),
    "output gate, gating": ("gril.eq2-match", "gril.params-gated"),
    "Long Range Arena": ("gril.table1-10", "gril.lra-mamba"),
    "Newton–Raphson": ("gril.table7", "lanes.jax.learners.newton-step"),
    "single-token memory, associative memory, fast weights": ("gril.w1",),
    "online gradient descent": ("gril.online-gd", "gril.longhorn"),
    # In-context SGD with hybrid Mamba-2 and LSA
    "state space duality, SSD layer, structured masked attention": (
        "ssd.thm4.1-construction",
        "ssd.thm4.1-eq4",
        "ssd.remark4.1-ssd",
    ),
    "one step of gradient descent by an SSD layer": (
        "ssd.thm4.1-construction",
        "ssd.thm4.1-sketch",
    ),
    "hybrid layer, SSD followed by LSA, stochastic gradient descent": (
        "ssd.thm5.1",
        "ssd.thm5.1-construction",
        "ssd.thm5.2",
        "ssd.thm5.2-construction",
    ),
    "mini-batch": ("ssd.thm5.2", "ssd.thm5.2-construction", "ssd.thm5.2-weights"),
    "example selection mask": ("ssd.thm5.1-mask", "ssd.thm5.2-mask", "open.mask-product"),
    "drift of the features": ("ssd.thm5.1-drift", "ssd.thm5.1-i1", "ssd.thm5.1-eq6"),
    # The textbook chapter
    "discretisation, forward Euler, zero-order hold, bilinear": (
        "ch9.eq9.8",
        "ch9.zoh",
        "ch9.bilinear",
    ),
    "Taylor feature map, kernelised attention": ("ch9.taylor",),
    "expressivity, circuit complexity, TC0": ("ch9.thm9.1", "ch9.thm9.1-rescale"),
    "linear transformer, in-context learning": ("ch9.icl",),
}
"""Terms as a source writes them, with the claims on whose pages they stand."""


def terms_of(id: str) -> list[str]:
    """The terms of a claim."""
    return [term for term, ids in TERMS.items() if id in ids]


def unknown(ids: Collection[str]) -> list[str]:
    """What is named here and is no claim."""
    return sorted({id for named in TERMS.values() for id in named} - set(ids))
