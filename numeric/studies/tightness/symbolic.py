"""The bound for any T and C beside the program's own: `python -m scanproof.numeric.studies.tightness.symbolic`.

The row `rounding.chunked-unit-gate` bounds the state of linear attention in n chunks of C tokens, whatever n and C are;
`linear` bounds the program that runs, at these numbers. What a run is off by is at most either. A second table has runs
of the rows with decays, outputs, a readout, and the delta rule.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from tabulate import tabulate

from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms.chunked import Parts, Weighed, attend, carry_decayed
from scanproof.constructs.layers import delta_rule, linear_attention
from scanproof.proofs.claims.rounding.chunked import lost_by_states, most_off
from scanproof.proofs.claims.rounding.delta_rule import most_added
from scanproof.proofs.claims.rounding.outputs import scores_off, with_errors

from ...ops.chunked import chunked
from ...rounding.chunked import linear
from ...rounding.in_format import in_format

UNIT = Fraction(1, 2**24)
"""u of float32."""
LEAST = Fraction(1, 2**126)
"""η of float32 where subnormal numbers are flushed to 0."""
SHAPES = ((64, 8), (256, 16), (1024, 32), (1024, 128), (4096, 64))


class Compared(NamedTuple):
    """Bounds of the last state's largest error over Σ_s |v_s| ⊗ |k_s| of its entry, in units of u, and a run."""

    symbolic: float
    """By the row, for all T and C."""
    numeric: float
    """Read from the program."""
    found: float
    """What a run in float32 was off by."""


def compared(T: int, C: int, seed: int = 0, D: int = 4, N: int = 4) -> Compared:
    """Both bounds of the chunked op's last state, and how far a float32 run of normal numbers is off.

    Args:
        T: tokens, a multiple of C.
        C: tokens a chunk.
        seed: of the numbers.
        D: the length of values.
        N: the length of keys.
    """
    rng = np.random.default_rng(seed)
    v, k, q = (rng.standard_normal((T, d)).astype(np.float32) for d in (D, N, N))
    exact = v.astype(np.float64).T @ k.astype(np.float64)
    sizes = np.abs(v.astype(np.float64)).T @ np.abs(k.astype(np.float64))
    run = np.asarray(chunked(v, k, q, chunk=C, precision="float32").final_state, np.float64)
    bound = linear(v, k, q, lane="chunked", chunk=C).final_state.bound
    once = 1 + UNIT
    most = np.vectorize(
        lambda size: float(
            most_off(Fraction(size), once**C, once ** (T // C), once, C, T // C, LEAST)
        )
    )(sizes)
    in_units = float(UNIT) * sizes
    return Compared(*(float((one / in_units).max()) for one in (most, bound, np.abs(run - exact))))


class Run(NamedTuple):
    """A proved bound and what a run is off by, in the units that the row's function says."""

    bound: float
    found: float


class Format(NamedTuple):
    """A format of numbers, one in which a run counts as exact, and the roundoff of the first."""

    narrow: np.dtype
    wide: np.dtype
    unit: float
    least: float


def format_of(name: str) -> Format:
    """bfloat16, float32 or float64; float64 is compared with NumPy's longdouble."""
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        return Format(np.dtype(bfloat16), np.dtype(np.float64), 2.0**-8, 2.0**-126)
    if name == "float32":
        return Format(np.dtype(np.float32), np.dtype(np.float64), 2.0**-24, 2.0**-126)
    return Format(np.dtype(np.float64), np.dtype(np.longdouble), 2.0**-53, 2.0**-1022)


def decayed(T: int, C: int, name: str, seed: int = 0) -> Run:
    """`rounding.chunked-scalar-decay`, decays multiplied one by one: the last state's worst entry, over u A."""
    form, rng, n = format_of(name), np.random.default_rng(seed), T // C
    v, k = (in_format(rng.standard_normal((n, C, 4)), form.narrow) for _ in range(2))
    a = in_format(rng.uniform(0.8, 1, (n, C)), form.narrow)

    def chunks(of: np.dtype) -> Weighed:
        decays, left = a.astype(of), in_format(np.ones((n, C)), of)
        for s in range(C - 2, -1, -1):
            left[:, s] = decays[:, s + 1] * left[:, s + 1]
        return Weighed(v.astype(of), k.astype(of), left, decays[:, 0] * left[:, 0])

    def last(tokens: Weighed) -> np.ndarray:
        start = in_format(np.zeros((4, 4)), tokens.v.dtype)
        return scan(carry_decayed, None, start, tokens).final_state

    exact, wide = chunks(form.wide), form.wide.type
    error = np.abs(last(chunks(form.narrow)).astype(wide) - last(exact))
    once = wide(1) + wide(form.unit)
    sizes = map_leaves(np.abs, exact)
    off = (once**C - 1, C * once**C * wide(form.least))
    more = sizes._replace(
        left=(1 + off[0]) * sizes.left + off[1], whole=(1 + off[0]) * sizes.whole + off[1]
    )
    ones = more._replace(v=sizes.v + 4, k=np.ones_like(sizes.k), left=np.ones_like(sizes.left))
    A = last(sizes)
    bound = once ** (C + 2 * n + 1) * (last(more) + wide(form.least) * last(ones)) - A
    return Run(*(float((one / (wide(form.unit) * A)).max()) for one in (bound, error)))


def attended(T: int, C: int, name: str, seed: int = 0) -> Run:
    """`rounding.chunked-outputs` with `rounding.chunked-unit-gate`: the last chunk's worst output, N = 4.

    Over u Σ_s |v_s| (|k_s|·|q_t|) of its entry.
    """
    form, rng, n, N = format_of(name), np.random.default_rng(seed), T // C, 4
    q, k, v = (in_format(rng.standard_normal((n, C, d)), form.narrow) for d in (N, N, 4))

    def last(*given: np.ndarray) -> Parts:
        start = in_format(np.zeros((4, N)), given[0].dtype)
        parts = scan(attend, None, start, linear_attention.Token(*given)).outputs
        return map_leaves(lambda part: part[-1], parts)

    wide = form.wide.type
    Q, K, V = (one.astype(wide) for one in (q, k, v))
    error = np.abs(last(q, k, v).outputs.astype(wide) - last(Q, K, V).outputs)
    sizes, u, least = last(abs(Q), abs(K), abs(V)), wide(form.unit), wide(form.least)
    ones = sizes._replace(
        within=np.cumsum(abs(V[-1]), axis=0), read=abs(Q[-1]).sum(axis=-1)[:, None]
    )
    once, before = 1 + u, n - 1
    e = once ** (C + before + 1) - 1, lost_by_states(once**C, once**before, C, before, least)
    r = scores_off(wide(1), u, N, wide(0)), scores_off(wide(0), u, N, least)
    bound = with_errors(sizes, ones, r, e, u, C, N, least) - sizes.outputs
    in_units = u * sizes.outputs
    return Run(*(float((one / in_units).max()) for one in (bound, error)))


def read_out(T: int, N: int, name: str, seed: int = 0) -> Run:
    """`rounding.readout` of the last state without a decay: the worst output, over u Σ_s |v_s| (|k_s|·|q|)."""
    form, rng = format_of(name), np.random.default_rng(seed)
    v, k, q = (in_format(rng.standard_normal((T, d)), form.narrow) for d in (4, N, N))

    def last(*given: np.ndarray) -> np.ndarray:
        tokens = linear_attention.Token(*given)
        start = in_format(np.zeros((4, N)), given[0].dtype)
        return scan(linear_attention.step, None, start, tokens).outputs[-1]

    wide = form.wide.type
    Q, K, V = (one.astype(wide) for one in (q, k, v))
    error = np.abs(last(q, k, v).astype(wide) - last(Q, K, V))
    A, once = last(abs(Q), abs(K), abs(V)), wide(1) + wide(form.unit)
    least = wide(form.least) * (2 * T * once ** (T + N + 1) * np.abs(Q[-1]).sum() + 2 * N * once**N)
    bound = (once ** (T + N + 2) - 1) * A + least
    return Run(*(float((one / (wide(form.unit) * A)).max()) for one in (bound, error)))


class Steps(NamedTuple):
    """A run of the delta rule: norms of rows, the largest of any."""

    states: np.ndarray
    """Of the states before each step, (T,)."""
    values: float
    """|v_d|."""
    added: np.ndarray
    """Of what each step added, (T,)."""
    end: float
    """Of what the last state is off by."""


def delta_steps(tokens: delta_rule.Token, form: Format) -> Steps:
    """What each step of the delta rule adds in a format, and all of them.

    Args:
        tokens: T tokens, which are rounded to the format before anything runs.
        form: the format, and the one in which a run counts as exact.
    """
    narrow = map_leaves(lambda one: in_format(one, form.narrow), tokens)
    exact = map_leaves(lambda one: one.astype(form.wide), narrow)
    T, N = tokens.k.shape
    start = in_format(np.zeros((tokens.v.shape[1], N)), form.narrow)
    computed = scan(delta_rule.step, None, start, narrow).states.astype(form.wide)
    before = np.concatenate([start.astype(form.wide)[None], computed[:-1]])
    after = [
        delta_rule.step(None, before[t], map_leaves(lambda one, t=t: one[t], exact))[0]
        for t in range(T)
    ]
    end = scan(delta_rule.step, None, start.astype(form.wide), exact).final_state

    def largest(rows: np.ndarray) -> np.ndarray:
        return np.sqrt((rows * rows).sum(axis=-1)).max(axis=-1)

    added = largest(computed - np.stack(after))
    return Steps(
        largest(before), float(abs(exact.v).max()), added, float(largest(computed[-1] - end))
    )


def drawn(T: int, N: int, seed: int) -> delta_rule.Token:
    """Normal values, keys of norm 1/1.02 (less than 1 when rounded as well), and strengths from 0 to 1."""
    rng = np.random.default_rng(seed)
    v, k, q = (rng.standard_normal((T, d)) for d in (4, N, N))
    k /= 1.02 * np.linalg.norm(k, axis=1)[:, None]
    return delta_rule.Token(k, v, q, rng.uniform(0, 1, T))


def delta(T: int, N: int, name: str, seed: int = 0) -> Run:
    """`rounding.delta-rule`: the worst row of the last state, over the largest ρ that a step of the run added."""
    steps = delta_steps(drawn(T, N, seed), format_of(name))
    return Run(float(T), float(steps.end / steps.added.max()))


def delta_step(T: int, N: int, name: str, seed: int = 0) -> Run:
    """`rounding.delta-step-rows`: the worst row that a step added, over u times the largest row and value."""
    form = format_of(name)
    steps = delta_steps(drawn(T, N, seed), form)
    return worst_step(steps, N, form)


def worst_step(steps: Steps, N: int, form: Format) -> Run:
    """ρ, and what was added, for the step that came nearest to its ρ, over u (σ + V)."""
    sizes = steps.states + steps.values
    most = np.asarray([rho(float(size), steps.values, N, form) for size in steps.states])
    t = int((steps.added / most).argmax())
    scale = form.unit * sizes[t]
    return Run(float(most[t] / scale), float(steps.added[t] / scale))


def rho(sigma: float, V: float, N: int, form: Format) -> float:
    """ρ of `rounding.delta-step-rows`, computed in fractions with √N rounded up."""
    root = Fraction(np.nextafter(np.sqrt(N), np.inf))
    sizes = (Fraction(sigma), Fraction(V), root, Fraction(form.unit), Fraction(form.least))
    return float(most_added(*sizes, N))


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m scanproof.numeric.studies.tightness.symbolic",
        description="Print the bound for all T and C beside the one read from the program, and a run.",
    ).parse_args()
    rows = [(T, C, C + T // C + 2, *compared(T, C)) for T, C in SHAPES]
    names = ("T", "C", "C + T/C + 2", "for all T and C", "of the program", "a run")
    print(tabulate(rows, names, tablefmt="github", floatfmt=".2f"))

    runs = [
        (row, name, *size, *run(*size, name))
        for row, run, size in (
            ("chunked-scalar-decay", decayed, (256, 16)),
            ("chunked-outputs", attended, (256, 16)),
            ("readout", read_out, (256, 16)),
            ("delta-rule", delta, (256, 16)),
        )
        for name in ("bfloat16", "float32", "float64")
    ]
    runs += [
        ("delta-step-rows", name, 256, 16, *delta_step(256, 16, name))
        for name in ("bfloat16", "float32", "float64")
    ]
    names = ("row", "format", "T", "C or N", "for all sizes", "a run")
    print()
    print(tabulate(runs, names, tablefmt="github", floatfmt=".2f"))
