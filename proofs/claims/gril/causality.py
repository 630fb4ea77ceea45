"""Left-padded windows keep a language model causal (gril App. F.2)."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import gril as layer
from scanproof.constructs.tokens import left_padded_windows

from ...language.statements import equal
from .source import gril


@gril.claim(
    "gril.causal-window",
    where="App. F.2",
    kind="remark",
    says=(
        "with the left-padded window (x_{t−2}, x_{t−1}, x_t) the computation is causal: "
        "output t depends on tokens ≤ t only"
    ),
    given={
        "x": "T f",
        "later": "T f",
        "A": "f f",
        "Q": "3 3",
        "q": "3",
        "beta": "",
    },
    sizes={"T": (1, 2, 3, 4), "f": (1, 2)},
    reading=(
        "For the block of Def. 4.2 with any A, Q, q, β: the outputs at 1..t stay the same when every token after t is "
        "replaced, for every t."
    ),
)
def causal_window(x, later, A, Q, q, beta, xp, T, f):
    block = layer.Block(A, Q, q, beta, xp.asarray((1, 0)))

    def outputs(stream):
        return scan(layer.step, block, xp.zeros((f, f)), left_padded_windows(stream, 3)).outputs

    unchanged = outputs(x)
    for t in each(1, T):
        changed = outputs(xp.concat([x[:t], later[t:]]))
        yield equal(changed[:t], unchanged[:t], ("t = ", t))
