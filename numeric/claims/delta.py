"""The delta op's program is the recurrence of the delta rule, for every length and every chunk."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import delta_rule
from scanproof.proofs.interpret.programs.program import program
from scanproof.proofs.language.statements import equal

from .chunked import CUT
from .source import READ, SMALL, as_given, flat, lanes


@lanes.claim(
    "lanes.jax.delta.chunks",
    says=(
        "delta, which inverts the systems of all chunks and then goes from chunk to chunk, is the recurrence of the "
        "delta rule over n·C tokens of one head, head by head as on a CPU or all heads at once"
    ),
    given={"v": "n C D", "k": "n C N", "q": "n C N", "beta": "n C", "S0": "D N"},
    sizes=SMALL,
    reading=READ + CUT,
)
def by_inverses(v, k, q, beta, S0):
    """The delta op on whole chunks, against the recurrence."""

    def op(head_by_head: bool) -> Any:
        def run_it(v: Any, k: Any, q: Any, beta: Any, S0: Any) -> Any:
            from ..ops.chunked import Plan
            from ..ops.delta import _DELTA, run
            from ..precision import FLOAT64

            tokens = delta_rule.Token(*map(flat, (k, v, q, beta)))
            outputs, state = run(_DELTA, tokens, S0, Plan(k.shape[1], 1, head_by_head), FLOAT64)
            return as_given(outputs, v), state

        return run_it

    wanted = scan_merged(delta_rule.step, None, S0, delta_rule.Token(k, v, q, beta))
    for head_by_head in (True, False):
        outputs, state = program(op(head_by_head))(v, k, q, beta, S0)
        yield equal(outputs, wanted.outputs, label="outputs")
        yield equal(state, wanted.final_state, label="final state")


lanes.unchecked(
    "lanes.jax.delta.longhorn",
    says="longhorn is delta with the strengths β_t / (1 + β_t ‖k_t‖²)",
    missing=(
        "the strengths of all tokens of all heads at once are taken of axes that a reshape joined, which is not read; "
        "`lanes.wy` shows that Longhorn's step is the delta rule's with these"
    ),
)
