"""The recurrent op's program is the definition's recurrence, whatever the step and wherever the chunks are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scanproof.constructs.arrays.scan import leaves, map_leaves, scan
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import delta_rule, gd_ssm, gril, linear_attention, longhorn, ssd
from scanproof.proofs.doors.program import program
from scanproof.proofs.language.statements import Statement, equal

from .source import READ, SMALL, agree, as_given, flat, lanes, longer


def run(step: Callable[..., Any], parameters: Any, state: Any, tokens: Any, **options: Any) -> Any:
    """`recurrent` on n·C tokens given as (n, C, …), with chunks of C: (outputs (n, C, …), final state)."""

    def op(*arrays: Any) -> Any:
        from ..ops.recurrent import recurrent

        (own, start, toks), like = _trees((parameters, state, tokens), arrays), arrays[-1]
        found = recurrent(step, own, start, map_leaves(flat, toks), chunk=like.shape[1])
        return map_leaves(lambda one: as_given(one, like), found.outputs), found.final_state

    return program(op)(*leaves((parameters, state, tokens)))


def _trees(like: Any, arrays: Any) -> Any:
    rest = iter(arrays)
    return map_leaves(lambda _: next(rest), like)


def in_chunks(
    step: Callable[..., Any], parameters: Any, state: Any, tokens: Any
) -> Iterator[Statement]:
    """The op's outputs and final state are those of the recurrence."""
    wanted = scan_merged(step, parameters, state, tokens)
    return agree(run(step, parameters, state, tokens), wanted)


SAYS = "recurrent({}) is the recurrence over n·C tokens, run in chunks of C"
KEYS = {"q": "n C N", "k": "n C N", "v": "n C D", "S0": "D N"}


@lanes.claim(
    "lanes.jax.recurrent.linear-attention",
    says=SAYS.format("linear_attention.step"),
    given=KEYS,
    sizes=SMALL,
    reading=READ,
)
def linear(q, k, v, S0):
    """The recurrent op with the step of linear attention."""
    return in_chunks(linear_attention.step, None, S0, linear_attention.Token(q, k, v))


@lanes.claim(
    "lanes.jax.recurrent.normalised",
    says=SAYS.format("linear_attention.normalised_step"),
    given={"q": "n C N", "k": "n C N", "v": "n C D", "a": "N D", "b": "N"},
    sizes=SMALL,
    reading=READ,
)
def normalised(q, k, v, a, b):
    """The recurrent op with the step of normalised linear attention."""
    tokens = linear_attention.Token(q, k, v)
    return in_chunks(linear_attention.normalised_step, None, (a, b), tokens)


@lanes.claim(
    "lanes.jax.recurrent.ssd",
    says=SAYS.format("ssd.step") + ", any decays",
    given={"z": "n C D", "a": "n C", "b": "n C N", "c": "n C N", "H0": "D N"},
    sizes=SMALL,
    reading=READ,
)
def gated(z, a, b, c, H0):
    """The recurrent op with the step of the state-space duality."""
    return in_chunks(ssd.step, None, H0, ssd.Token(z, a, b, c))


@lanes.claim(
    "lanes.jax.recurrent.gril",
    says=SAYS.format("gril.step") + ", any gate, mixing, query and scale",
    given={
        **{"A": "f f", "Q": "w w", "query": "w", "beta": "", "count": "2"},
        **{"C": "n m f w", "t": "n m", "Z0": "f f"},
    },
    sizes={"n": (1, 2), "m": (1, 2), "f": (1, 2), "w": (1,)},
    reading=READ,
)
def block(A, Q, query, beta, count, C, t, Z0):
    """The recurrent op with the step of gril's block."""
    return in_chunks(gril.step, gril.Block(A, Q, query, beta, count), Z0, gril.Window(C, t))


@lanes.claim(
    "lanes.jax.recurrent.gd-ssm",
    says=SAYS.format("gd_ssm.step") + ", any maps",
    given={
        **{"Psi": "d e", "Theta": "d e", "beta": "", "count": "2"},
        **{"c": "n C e", "t": "n C", "z0": "d"},
    },
    sizes={"n": (1, 2), "C": (1, 2), "d": (1, 2), "e": (1,)},
    reading=READ,
)
def scalar(Psi, Theta, beta, count, c, t, z0):
    """The recurrent op with the scalar step of gd-ssm."""
    return in_chunks(gd_ssm.step, gd_ssm.Scalar(Psi, Theta, beta, count), z0, gd_ssm.Token(c, t))


@lanes.claim(
    "lanes.jax.recurrent.two-head",
    says=SAYS.format("gril.two_head_step") + ", any parameters",
    given={
        **{"Q": "w w", "Q2": "w w", "query": "w", "beta": "", "count": "2", "ridge": ""},
        **{"C": "n m f w", "t": "n m", "W": "n m f f", "Z0": "f f", "X0": "f f"},
    },
    sizes={"n": (1, 2), "m": (1, 2), "f": (1,), "w": (1,)},
    reading=READ,
)
def two_heads(Q, Q2, query, beta, count, ridge, C, t, W, Z0, X0):
    """The recurrent op with the step of gril's two heads."""
    layer = gril.TwoHead(Q, Q2, query, beta, count, ridge)
    return in_chunks(gril.two_head_step, layer, (Z0, X0), gril.WeightedWindow(C, t, W))


WRITES = {"k": "T N", "v": "T D", "q": "T N", "beta": "T", "S0": "D N"}
AT_ONCE = (
    " A state without a closed form is compared turn by turn, within one chunk of all T tokens."
)


def in_one_chunk(
    step: Callable[..., Any], S0: Any, tokens: delta_rule.Token
) -> Iterator[Statement]:
    """The recurrent op over one chunk of all tokens against the scan of the definition."""

    def op(S0: Any, *arrays: Any) -> Any:
        from ..ops.recurrent import recurrent

        own = delta_rule.Token(*arrays)
        found = recurrent(step, None, S0, own, chunk=own.k.shape[0])
        return found.outputs, found.final_state

    return agree(program(op)(S0, *tokens), scan(step, None, S0, tokens))


@lanes.claim(
    "lanes.jax.recurrent.delta-rule",
    says="recurrent(delta_rule.step) is the recurrence over T tokens",
    given=WRITES,
    sizes={"T": (1, 2), "D": (1, 2), "N": (1,)},
    reading=READ + AT_ONCE,
)
def delta(k, v, q, beta, S0):
    """The recurrent op with the delta rule, in one chunk."""
    return in_one_chunk(delta_rule.step, S0, delta_rule.Token(k, v, q, beta))


@lanes.claim(
    "lanes.jax.recurrent.longhorn",
    says="recurrent(longhorn.step) is the recurrence over T tokens",
    given=WRITES,
    sizes={"T": (1, 2), "D": (1, 2), "N": (1,)},
    reading=READ + AT_ONCE,
)
def implicit(k, v, q, beta, S0):
    """The recurrent op with Longhorn's step, in one chunk."""
    return in_one_chunk(longhorn.step, S0, delta_rule.Token(k, v, q, beta))


@lanes.claim(
    "lanes.jax.recurrent.delta-chunks",
    says=SAYS.format("delta_rule.step"),
    given={"k": "n C N", "v": "n C D", "q": "n C N", "beta": "n C", "S0": "D N"},
    sizes={"n": (1, 2), "C": (1, 2), "D": (1,), "N": (1,)},
    reading=READ,
)
def delta_in_chunks(k, v, q, beta, S0):
    """The recurrent op with the delta rule, in chunks."""
    return in_chunks(delta_rule.step, None, S0, delta_rule.Token(k, v, q, beta))


@lanes.claim(
    "lanes.jax.recurrent.remainder",
    says=(
        "recurrent(ssd.step) over n·C + r tokens, 1 ≤ r < C, in chunks of C, is the recurrence over n·C tokens and "
        "then over r more; and over r tokens alone, fewer than a chunk, the recurrence over them"
    ),
    given={
        **{"z": "n r+s D", "a": "n r+s", "b": "n r+s N", "c": "n r+s N"},
        **{"last_z": "r D", "last_a": "r", "last_b": "r N", "last_c": "r N", "H0": "D N"},
    },
    sizes={"n": (1, 2), "r": (1, 2), "s": (1,), "D": (1, 2), "N": (1,)},
    reading=READ + " C is r + s, with s ≥ 1.",
)
def remainder(z, a, b, c, last_z, last_a, last_b, last_c, H0):
    """The recurrent op on a length that is not a multiple of the chunk."""
    tokens, last = ssd.Token(z, a, b, c), ssd.Token(last_z, last_a, last_b, last_c)

    def op(H0: Any, *arrays: Any) -> Any:
        from ..ops.recurrent import recurrent

        tokens, last = ssd.Token(*arrays[:4]), ssd.Token(*arrays[4:])
        chunk, count = tokens.v.shape[1], tokens.v.shape[0] * tokens.v.shape[1]
        both = map_leaves(longer, tokens, last)
        found = recurrent(ssd.step, None, H0, both, chunk=chunk)
        short = recurrent(ssd.step, None, H0, last, chunk=chunk)
        outputs = found.outputs
        return (
            *(as_given(outputs[:count], tokens.v), outputs[count:], found.final_state),
            *(short.outputs, short.final_state),
        )

    first = scan_merged(ssd.step, None, H0, tokens)
    then = scan(ssd.step, None, first.final_state, last)
    alone = scan(ssd.step, None, H0, last)
    outputs, later, final, short, end = program(op)(H0, *tokens, *last)
    yield equal(outputs, first.outputs, label="outputs of the chunks")
    yield equal(later, then.outputs, label="outputs of the last r tokens")
    yield equal(final, then.final_state, label="final state")
    yield equal(short, alone.outputs, label="outputs of r tokens alone")
    yield equal(end, alone.final_state, label="final state after r tokens alone")


@lanes.claim(
    "lanes.jax.recurrent.heads",
    says="recurrent(linear_attention.step, batch=1) runs B heads, each as it would run alone",
    given={"q": "B T N", "k": "B T N", "v": "B T D", "S0": "B D N"},
    sizes={"B": (1, 2), "T": (1, 2), "D": (1, 2), "N": (1,)},
    reading=READ + " In one chunk.",
)
def heads(q, k, v, S0, B):
    """The recurrent op on B heads at once, against the recurrence of one of them."""

    def op(q: Any, k: Any, v: Any, S0: Any) -> Any:
        from ..ops.recurrent import recurrent

        tokens = linear_attention.Token(q, k, v)
        found = recurrent(linear_attention.step, None, S0, tokens, batch=1, chunk=q.shape[1])
        return found.outputs, found.final_state

    outputs, final = program(op)(q, k, v, S0)
    one = linear_attention.Token(q[B - 1], k[B - 1], v[B - 1])
    wanted = scan(linear_attention.step, None, S0[B - 1], one)
    return agree((outputs[B - 1], final[B - 1]), wanted)
