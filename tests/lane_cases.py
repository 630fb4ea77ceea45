"""The forms of the fast lanes, each beside its loops; N tokens a chunk, k chunks."""

from collections.abc import Callable
from typing import Any

import lane_loops
import loops
import numpy as np
from agreement import Draw
from layer_cases import Case

from scanproof.constructs.arrays.rounded import growth
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.forms import chunked, prefix, wy
from scanproof.constructs.forms.merged import scan_merged
from scanproof.constructs.layers import delta_rule, linear_attention, ssd

WIDTH = 2


def gated(d: Draw, *shape: int, f: int) -> ssd.Token:
    return ssd.Token(d(*shape, f), d(*shape), d(*shape, WIDTH), d(*shape, WIDTH))


def gated_chunk(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(f, WIDTH), gated(d, N, f=f)


def gated_chunks(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(f, WIDTH), gated(d, k, N, f=f)


def keyed(d: Draw, *shape: int, f: int) -> delta_rule.Token:
    """Strengths with β ‖k‖² < 2, so that no write overshoots and the states do not grow from token to token."""
    keys = d(*shape, f)
    strengths = d.positive(*shape) / (1 + (keys * keys).sum(axis=-1))
    return delta_rule.Token(keys, d(*shape, WIDTH), d(*shape, f), strengths)


def keyed_chunk(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(WIDTH, f), keyed(d, N, f=f)


def keyed_chunks(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(WIDTH, f), keyed(d, k, N, f=f)


def summary(d: Draw, *shape: int, f: int) -> prefix.Summary:
    return prefix.Summary(d(*shape), d(*shape, f, WIDTH))


def attended(state: Any, q: Any, k: Any, v: Any) -> tuple[Any, Any]:
    after, parts = chunked.attend(None, state, linear_attention.Token(q, k, v))
    return after, parts.outputs


def lane(evaluate: Callable[..., Any], layer: Callable[..., Any], inputs: Any) -> Case:
    """The evaluation by chunks: states after the chunks, the last one, and the outputs."""

    def compute(state: Any, tokens: Any) -> tuple[Any, ...]:
        run = evaluate(state, tokens)
        return run.states, run.final_state, run.outputs

    def twin(state: Any, tokens: Any) -> tuple[Any, ...]:
        states = lane_loops.after_chunks(layer, state, tokens)
        return states, *lane_loops.merged(layer, state, tokens)

    return Case(compute, twin, inputs)


def merged_states(step: Callable[..., Any]) -> Callable[..., Any]:
    """The recurrence over all tokens, looked at as a lane is: after each chunk."""

    def evaluate(state: Any, tokens: Any) -> Any:
        run = scan_merged(step, None, state, tokens)
        return run._replace(states=run.states[:, -1])

    return evaluate


def all_prefixes(summaries: prefix.Summary) -> tuple[Any, Any]:
    xp = summaries.state.__array_namespace__()
    nothing = prefix.Summary(xp.ones(()), xp.zeros(summaries.state.shape[1:]))
    run = scan(prefix.exclusive_step, None, nothing, summaries)
    return run.final_state, run.outputs


LANE_CASES = {
    "merged recurrence": lane(merged_states(ssd.step), loops.ssd, gated_chunks),
    "merged delta rule": lane(merged_states(delta_rule.step), loops.delta_rule, keyed_chunks),
    "decays from the start": Case(
        chunked.decays_from_start, lane_loops.decays_from_start, lambda d, N, f, k: (d(N),)
    ),
    "outputs of the initial state": Case(
        chunked.read_initial_state, lane_loops.read_initial_state, gated_chunk
    ),
    "a chunk": Case(
        lambda state, chunk: chunked.step(None, state, chunk),
        lambda state, chunk: loops.ssd(None, state, chunk),
        gated_chunk,
    ),
    "a chunk without outputs": Case(
        lambda state, k, v: chunked.carry(None, state, linear_attention.Token(k, k, v)),
        lane_loops.carry,
        lambda d, N, f, k: (d(f, WIDTH), d(N, WIDTH), d(N, f)),
    ),
    "a chunk without a decay": Case(
        attended,
        lane_loops.attended,
        lambda d, N, f, k: (d(f, WIDTH), d(N, WIDTH), d(N, WIDTH), d(N, f)),
    ),
    "a chunk with decays, without outputs": Case(
        lambda state, k, v, left, whole: chunked.carry_decayed(
            None, state, chunked.Weighed(v, k, left, whole)
        ),
        lane_loops.carry_decayed,
        lambda d, N, f, k: (d(f, WIDTH), d(N, WIDTH), d(N, f), d(N), d()),
    ),
    "products of decays": Case(
        lambda decays: scan(chunked.times, None, 1 + 0 * decays[0], decays).states,
        lane_loops.decays_from_start,
        lambda d, N, f, k: (d(N),),
    ),
    "growth by roundings": Case(
        lambda u: growth(u, 3), lane_loops.growth, lambda d, N, f, k: (d(N),)
    ),
    "chunked evaluation": lane(chunked.evaluate, loops.ssd, gated_chunks),
    "composition of summaries": Case(
        prefix.compose,
        lane_loops.compose,
        lambda d, N, f, k: (summary(d, f=f), summary(d, f=f)),
    ),
    "applied summary": Case(
        prefix.applied, lane_loops.applied, lambda d, N, f, k: (summary(d, f=f), d(f, WIDTH))
    ),
    "fold of a shard": Case(prefix.fold, lane_loops.fold, lambda d, N, f, k: (gated(d, N, f=f),)),
    "exclusive prefixes": Case(
        all_prefixes,
        lambda summaries: lane_loops.prefixes(*summaries),
        lambda d, N, f, k: (summary(d, N, f=f),),
    ),
    "sharded evaluation": Case(
        lambda state, tokens: tuple(prefix.evaluate(state, tokens)),
        lambda state, tokens: (
            lane_loops.before_chunks(loops.ssd, state, tokens),
            *reversed(lane_loops.merged(loops.ssd, state, tokens)),
        ),
        gated_chunks,
    ),
    "a step of forward substitution": Case(
        lambda solved, equation: wy.substitution_step(None, solved, equation),
        lane_loops.substitution_step,
        lambda d, N, f, k: (d(N, f), wy.Equation(d(N), d(N), d(f))),
    ),
    "forward substitution": Case(
        wy.forward_substitution,
        lane_loops.solved,
        lambda d, N, f, k: (np.tril(d(N, N), -1), d(N, f)),
    ),
    "coefficients of the writes": Case(
        wy.coefficients,
        lambda chunk: lane_loops.coefficients(chunk.k, chunk.beta),
        lambda d, N, f, k: (keyed(d, N, f=f),),
    ),
    "right side of the writes": Case(wy.right_side, lane_loops.right_side, keyed_chunk),
    "writes of a chunk": Case(wy.writes, lane_loops.writes, keyed_chunk),
    "WY factors": Case(
        lambda chunk: tuple(wy.factors(chunk)),
        lane_loops.factors,
        lambda d, N, f, k: (keyed(d, N, f=f),),
    ),
    "a chunk of the delta rule": Case(
        lambda state, chunk: wy.step(None, state, chunk),
        lambda state, chunk: loops.delta_rule(None, state, chunk),
        keyed_chunk,
    ),
    "WY evaluation": lane(wy.evaluate, loops.delta_rule, keyed_chunks),
}
