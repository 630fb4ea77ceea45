"""Which program belongs to which statement: tokens, layer, parameters, learner and output, as data.

Every entry points at definitions. A row of the ledger that is not here has nothing to run: an identity without a
layer, a bound, a remark, or a claim about every layer there is.
"""

from __future__ import annotations

from scanproof.constructs.layers import delta_rule, gd_ssm, longhorn
from scanproof.constructs.learners.losses import (
    HALF_MEAN,
    HALF_SUM,
    MEAN,
    SUM,
    CrossEntropy,
)
from scanproof.constructs.constructions.gril import RIDGE_LOSS as RIDGE
from scanproof.constructs.constructions.gril import fading_ridge

from ..ops.delta import delta as delta_lane
from ..ops.delta import longhorn as longhorn_lane
from . import tokenising as cut
from .learning import BATCH, ONE_EXAMPLE, Implicit, OneOfMany, OnPart, Stochastic
from .machines import Online
from .program import ANY, Program
from .recipes import (
    LINK,
    NONLINEAR,
    ONE_FEATURE,
    TRANSFORMER,
    TWO_STEPS,
    attention,
    batch_weights,
    binary,
    block,
    classifier,
    example_weights,
    from_zero,
    leading_label,
    masked,
    query_label,
    scalar,
    semiseparable,
    ssd,
    stars,
    targets_only,
    theorem5_1,
    theorem5_2,
    two_heads,
    wide_start,
)
from .reverse import FULL_BATCHES, REVERSE_SGD

E = CrossEntropy()
LAST = {"every": False}

PROGRAMS: dict[str, Program] = {
    # gd-ssm and gril A.1: scalar targets
    "gd-ssm.prop1": scalar(**LAST),
    "gd-ssm.prop1-construction": scalar(**LAST),
    "gd-ssm.prop1-construction+sign": scalar(**LAST),
    "gd-ssm.prop1-every-token": scalar(),
    "gd-ssm.prop1-every-token+sign+scale": scalar(),
    "gd-ssm.prop1-diagonal": scalar(sign=-1, **LAST),
    "gd-ssm.prop1-diagonal+rectangular": scalar(sign=-1, **LAST),
    "gd-ssm.a3-output": scalar(NONLINEAR, extra=lambda settings, eta: LINK),
    "gd-ssm.a3-output+scale": scalar(NONLINEAR, extra=lambda settings, eta: LINK),
    "gril.a1-construction": scalar(**LAST),
    "gril.a1-construction+sign": scalar(**LAST),
    "gril.a1-construction+input-sign": scalar(**LAST),
    "gril.a1-construction+sign+scale": scalar(),
    "gril.propA.2+vanishing": scalar(NONLINEAR, LINK["b"]),
    # vector targets, one step
    "gd-ssm.prop2": block(cut.THREE, **LAST),
    "gd-ssm.prop2-construction": block(cut.THREE, **LAST),
    "gd-ssm.prop2-construction+transpose+sign": block(cut.THREE, **LAST),
    "gd-ssm.prop2-construction+transpose+sign+scale": block(cut.THREE),
    "gd-ssm.prop2-stride1+stride": block(cut.THREE, **LAST),
    "gd-ssm.prop2-stride1+embedding": block(
        cut.THREE_BY_ONE, read=targets_only, targets=ANY, **LAST
    ),
    "gril.prop4.1": block(cut.THREE),
    "gril.prop4.1-construction": block(cut.THREE),
    "gril.prop4.1-from0+index": block(cut.THREE_FROM_ZERO),
    "gril.embed": block(cut.THREE_EMBEDDED, read=targets_only, targets=ANY),
    "gril.eq2-match+ungated": block(cut.THREE),
    "gril.a2-construction": block(cut.THREE),
    "gril.a2-construction+scale": block(cut.THREE),
    "gril.a2-construction+last": block(cut.THREE, **LAST),
    "gril.w3-minimal-gd": block(cut.THREE),
    "gril.w3-minimal-gd+two-cycles": block(cut.TWO_BY_ONE, read=targets_only, targets=ANY),
    # several steps, ridge
    "gd-ssm.prop3": two_heads(),
    "gd-ssm.prop3-construction": two_heads(step=gd_ssm.two_head_step),
    "gd-ssm.prop3-construction+transpose": two_heads(),
    "gd-ssm.a2-loop": two_heads(),
    "gd-ssm.a4-construction": two_heads(RIDGE, gd_ssm.two_head_step),
    "gd-ssm.a4-construction+transpose+scale": two_heads(RIDGE),
    "gril.propA.1": two_heads(),
    "gril.propA.1-construction": two_heads(),
    "gril.propA.1-construction+transpose": two_heads(),
    "gril.propA.1-construction+transpose+scale": two_heads(),
    "gril.propA.1-construction+transpose+embedding": two_heads(
        tokens=cut.THREE_EMBEDDED, read=targets_only, W0=wide_start
    ),
    "gril.a3-loop": two_heads(),
    "gril.a5-construction": two_heads(RIDGE),
    "gril.a5-construction+transpose+scale": two_heads(RIDGE),
    "gril.a5-construction+transpose+loss": two_heads(fading_ridge),
    # classification
    "gril.prop4.3+logits+scale": classifier(E),
    "gril.prop4.3+logits+mean": classifier(CrossEntropy(mean=True)),
    "gril.prop4.3+start+scale": from_zero(E),
    "gril.prop4.3+start+mean": from_zero(CrossEntropy(mean=True)),
    "gril.prop4.3+binary+logits+scale": binary(),
    # online
    "gril.longhorn": Program(
        "prediction S_t x_{t+1} for the next input, from W0ᵀ",
        Online(longhorn.step, longhorn_lane),
        Implicit(),
        ANY,
        every=False,
    ),
    "gril.online-gd+current-state": Program(
        "prediction S_t x_{t+1} for the next input, from W0ᵀ",
        Online(delta_rule.step, delta_lane),
        Stochastic(),
        ANY,
        every=False,
    ),
    # ssd
    "ssd.thm4.1": ssd(MEAN),
    "ssd.thm4.1-construction": ssd(MEAN),
    "ssd.thm4.1-construction+factor": ssd(MEAN),
    "ssd.thm4.1-construction+loss": ssd(HALF_MEAN),
    "ssd.thm4.1-appendix": ssd(SUM, residual=False),
    "ssd.thm4.1-appendix+loss": ssd(HALF_SUM, residual=False),
    "ssd.thm4.1-stars+lower-left": ssd(HALF_SUM, residual=False, extra=stars),
    "ssd.remark4.1-ssd+free-mask": TWO_STEPS,
    "ssd.remark4.1-lsa+one-feature": ONE_FEATURE,
    "ssd.remark4.1-lsa-construction+mask": attention(MEAN),
    "ssd.thm5.1+one-layer": semiseparable(OneOfMany(*ONE_EXAMPLE), "t", example_weights),
    "ssd.thm5.1+reverse+sign": REVERSE_SGD,
    "ssd.thm5.1-construction+scale+sign": masked(
        OnPart(*ONE_EXAMPLE, sign=-1),
        theorem5_1(("scale",)),
        query_label,
        "minus the prediction for x_{n+1} after one step on example t, ε = 0",
        "t",
    ),
    "ssd.thm5.2+one-step": semiseparable(OneOfMany(*BATCH), "m", batch_weights),
    "ssd.thm5.2-construction+sign+factor+prediction": masked(
        OnPart(*BATCH, sign=-1),
        theorem5_2(("sign", "scale")),
        leading_label,
        "minus the prediction for x_{n+1} after K = L steps on the first m examples, without E",
        "m",
        steps=True,
    ),
    # ch9
    "ch9.icl": TRANSFORMER,
    # open
    "open.ssd-stack-any-accuracy": FULL_BATCHES,
}
"""By the id of a statement, as stated or amended."""
