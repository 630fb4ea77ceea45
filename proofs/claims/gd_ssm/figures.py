"""The figures: trained models beside gradient descent (gd-ssm §4)."""

from __future__ import annotations

from ...expected.measuring import measuring
from .source import gd_ssm

READING = (
    "The figures print no numbers. Read are training runs as recorded here, beside the exact expected loss of the "
    "learner: f = N = 10, inputs from U(−1/2, 1/2)^f, ½ times the squared error, a mean over targets. Where it is "
    "recorded, predictions too are those of the explicit learner: sensitivities with a cosine of at least 0.99, a "
    "relative distance of at most 0.1."
)

gd_ssm.measured(
    "gd-ssm.fig1",
    where="Fig. 1, §4.1",
    says="scalar regression: the trained GD-SSM has the loss of one step of gradient descent",
    reading=READING,
    measured=measuring("gd-ssm.fig1"),
)

gd_ssm.measured(
    "gd-ssm.fig2",
    where="Fig. 2, §4.2",
    says="N-dimensional regression: the trained GD-SSM has the loss of one step of gradient descent",
    reading=READING,
    measured=measuring("gd-ssm.fig2"),
)

gd_ssm.measured(
    "gd-ssm.fig3",
    where="Fig. 3, §4.2",
    says=(
        "N-dimensional regression: the self-attention, recurrent and skip weights of the trained GD-SSM are those of "
        "the construction"
    ),
    reading=(
        "The trained block of Fig. 2. Q, A and q are compared with e_2 e_1ᵀ, ones and e_3; Q and q at norm 1 and with "
        "the better sign, for what is multiplied to one of them β divides by. A distance of at most 0.1 of the norm."
    ),
    measured=measuring("gd-ssm.fig3"),
)

gd_ssm.measured(
    "gd-ssm.fig4",
    where="Fig. 4, §4.2–4.3",
    says=(
        "two layers of GD-SSM reach the loss of two steps of gradient descent; one layer that of one step, which one "
        "layer of S5 does not reach"
    ),
    reading=READING,
    measured=measuring("gd-ssm.fig4"),
)

gd_ssm.measured(
    "gd-ssm.fig4b",
    where="Fig. 4B, §4.3",
    says=(
        "non-linear regression: with an MLP after it the trained GD-SSM reaches the loss of the construction with one, "
        "which is smaller than without an MLP"
    ),
    reading=(
        "Read as gril B.4 describes it: targets sin(Wᵀx), the recurrent layer fixed at the construction or trained, "
        "and a gated unit that is trained; f = N = 10, inputs from U(−1/2, 1/2)^f. One layer; losses within 5 %."
    ),
    measured=measuring("gd-ssm.fig4b"),
)
