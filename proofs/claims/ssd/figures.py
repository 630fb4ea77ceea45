"""The figures: trained models, d = 10, n = 40, x, w ~ N(0, I) (ssd §4.2, §5.2)."""

from __future__ import annotations

from ...expected.measuring import measuring
from .source import ssd

READING = (
    "The figures print no numbers, only curves. Read are training runs as recorded here, at context sizes 10, 20, "
    "30 and 40; curves mirror one another if they differ by at most a quarter; the learners' rates, which are not "
    "printed, are those that are best at size 40, at which the models are trained, and the same at every size, as a "
    "model's weights are (the first runs were compared with rates chosen anew for each size, and disagreed at size "
    "10). One model is better than another if its mean over at least three seeds is, by more than both spreads. "
    "Full runs are trained as it is printed: Adam at 10⁻⁴, 300,000 tasks in batches of 64, each seen once, nothing "
    "clipped, of the bare layer in stacks: norms, convolutions and gates of Mamba-2's blocks are not in ssd's "
    "definitions. Not printed are how parameters begin, which is small and normal here, and how many rows S_B and S_C "
    "have in the experiments: here 128, the states of Mamba-2 unless it is told otherwise. With d + 1 rows, as in "
    "Def. 3.2, that one pass brought one layer at n = 40 to a loss of 4 to 6.5 only, from each of four beginnings. "
    "Nor is it printed where the decay begins, which one pass moves little: from 0.982 it came to 0.987, and one layer "
    "disagrees at size 10; from 0.9997, which is not what is recorded, its losses were 7.30, 3.72, 2.85 and 2.12."
)

for number, where, says in (
    (1, "§4.2", "the squared error of one-layer Mamba-2 closely mirrors that of one-step GD"),
    (
        2,
        "§4.2",
        "depths 1, 4, 8, 12: more layers do not lead to monotonic improvements; 12 layers are the best (said in §5.2)",
    ),
    (3, "§5.2", "the one-layer hybrid closely mimics multi-step SGD over the context sizes"),
    (4, "§5.2", "hybrid depths 1, 4, 8, 12: deeper is not always better, 4 layers are the best"),
):
    ssd.measured(
        f"ssd.fig{number}",
        where=f"Fig. {number}, {where}",
        says=says,
        reading=READING,
        measured=measuring(f"ssd.fig{number}"),
    )
