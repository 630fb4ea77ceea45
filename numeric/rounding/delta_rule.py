"""The bound of the delta rule's op and of Longhorn's: rounding within a chunk, carried on by contraction.

Magnitudes cannot be read through this layer from token to token: |S| + β |S| |k| |k|ᵀ grows exponentially, while S is
multiplied by I − β k kᵀ, which makes no row longer if 0 ≤ β ‖k‖² ≤ 2. Keys and strengths are known, so that the exact
transitions M of the chunks are too, and their norms (`delta_norms`). Three runs are compared row by row, in norms:

- s: the exact one of the arrays as they are given, whose size the keys' own transitions bound;
- the exact map F of a chunk of the tokens as the op rounds them, linear but for what it writes;
- ŝ: what the op computes, ŝ' = F ŝ + Δ, where `delta_chunk` bounds Δ by κ ‖ŝ‖ + τ.

With e = ŝ − s, and d what the rounding of the tokens does to a chunk that starts at s,

    e' = M e + d + Δ,   ‖e'‖ ≤ (‖M‖ + κ) ‖e‖ + κ ‖s‖ + τ + ‖d‖.

d is an error of v − s k, of (v₁ − s k₁) − β₀/β₁ (v₀ − s k₀), and one of the key that is written, Σ u₀ (k₁ − k₀)ᵀ.
The tokens that fill no chunk are chunks of one. For the delta rule in one format, of arrays that are all known,
`delta_known` has a bound of each number by itself, and the less of both holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.forms import wy
from scanproof.constructs.layers import delta_rule

from ..jax_arrays import in_precision
from ..jax_backend import jax, platform, x64
from ..ops.delta import LAYERS, chunk_size
from ..precision import FLOAT64, Precision
from . import delta_known
from .arithmetic import OWN, format_of
from .delta_chunk import added, inverse, known, rounding, start, transition
from .delta_energy import Energy, norm
from .delta_norms import carried, norms_of_products, sizes
from .enclosed import Enclosed, error, low
from .inputs import Magnitude, given, shape_of
from .programs import ErrorBound, Traced, finished, formats

NUMBERS = 2**22
"""How many an array may have: fewer chunks are taken together if there are more."""


class _Tokens(NamedTuple):
    """Float64 arrays with one leading axis B for heads and sequences, or for the chunks of one head."""

    v: np.ndarray
    """|v|, (B, T, D), each axis 1 or full."""
    k: np.ndarray
    """k, (B, T, N)."""
    q: np.ndarray
    """‖q‖, (B, T)."""
    beta: np.ndarray
    """(B, T)."""


def delta(
    v: Any,
    k: Any,
    q: Any,
    beta: Any,
    *,
    layer: str = "delta",
    initial_state: Any = None,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """How far the delta op's outputs and final state can be from the exact values.

    Exact means: of the arrays as they are given here. Rounding them to the precision's dtypes is part of the bound.
    With β_t ‖k_t‖² > 2 the bound may grow without end, as the errors do.

    Args:
        v: values (…, T, D), or a `Magnitude`, as is q.
        k: keys (…, T, N); the bound needs them, for it rests on β_t ‖k_t‖².
        q: queries (…, T, N).
        beta: β_t, broadcasts to (…, T).
        layer: "delta" or "longhorn".
        initial_state: S_0, (…, D, N) or (D, N).
        chunk: the op's chunk.
        precision: "float64", "float32", "bfloat16" or a `Precision`.

    Returns:
        A `Scan` of `ErrorBound`s: `outputs` (…, T, D) and `final_state` (…, D, N).

    Raises:
        UsageError: if there is no such layer, or an argument does not fit.
    """
    if layer not in LAYERS:
        raise UsageError(f"bounds.delta(layer={layer!r}) expects one of {', '.join(LAYERS)}.")
    if isinstance(k, Magnitude) or isinstance(beta, Magnitude):
        raise UsageError(
            "bounds.delta() needs the keys and the strengths themselves: magnitudes of keys do not tell β‖k‖²."
        )
    numbers = formats(precision)[0]
    shape = shape_of(v)
    batch, D, N = shape[:-2], shape[-1], np.shape(k)[-1]
    state = np.zeros((D, N)) if initial_state is None else np.asarray(initial_state, np.float64)
    state = np.broadcast_to(state, (*batch, D, N)).reshape(-1, D, N)
    size = chunk_size(platform(), numbers, len(state), D, N) if chunk is None else chunk
    run = _Run(layer, numbers, size, (D, N))
    outputs, final = run.bounds(state, _tokens(numbers, v, k, q, beta, shape))
    if layer == "delta":
        outputs, final = _as_known(run, (v, k, q, beta), shape, state, (outputs, final))
    return Scan(
        None,
        ErrorBound(*(f.reshape(shape) for f in outputs)),
        ErrorBound(*(f.reshape(*batch, D, N) for f in final)),
    )


def _as_known(
    run: _Run,
    arrays: tuple[Any, ...],
    shape: tuple[int, ...],
    state: np.ndarray,
    found: tuple[ErrorBound, ErrorBound],
) -> tuple[ErrorBound, ErrorBound]:
    """The bounds, or those of `delta_known` where they are less: of known numbers that are of the op's one format."""
    _, inputs, accumulate = formats(run.numbers)
    if inputs != accumulate or any(isinstance(array, Magnitude) for array in arrays):
        return found
    form = format_of(accumulate)
    v, k, q, beta = (np.asarray(array, np.float64) for array in arrays)
    beta = np.broadcast_to(beta, shape[:-1]).reshape(len(state), -1)

    def of_heads(array: np.ndarray) -> np.ndarray:
        wide = np.broadcast_to(array, (*shape[:-1], array.shape[-1]))
        return wide.reshape(*beta.shape, -1)

    tokens = delta_known.Tokens(of_heads(v), of_heads(k), of_heads(q), beta)
    with np.errstate(all="ignore"):
        for array in (*tokens, state):
            whole = (array == 0) | (np.abs(array) >= form.tiny)
            if not (whole & (array == array.astype(accumulate))).all():
                return found
        known = [
            delta_known.bounds(delta_known.Tokens(*(f[h] for f in tokens)), one, run.size, form)
            for h, one in enumerate(state)
        ]
    outputs, final = (
        old._replace(bound=np.where(np.isfinite(old.bound), np.fmin(old.bound, new), old.bound))
        for old, new in zip(found, map(np.stack, zip(*known, strict=True)), strict=True)
    )  # an infinite bound is of numbers that may overflow
    return outputs, final


def _tokens(
    numbers: Precision, v: Any, k: Any, q: Any, beta: Any, shape: tuple[int, ...]
) -> tuple[_Tokens, _Tokens, _Tokens]:
    """The tokens as they are given, as the op rounds them, and by how much it does (of the keys, their norms)."""
    _, inputs, accumulate = formats(numbers)
    heads, T = int(np.prod(shape[:-2], dtype=int)), shape[-2]
    beta = np.broadcast_to(np.asarray(beta, np.float64), shape[:-1])

    def entered(array: Any, dtype: Any, last: int = 1) -> tuple[np.ndarray, ...]:
        """An array as it is given, as it is rounded, and by how much; with or without a last axis."""
        isolated = isinstance(array, Magnitude)
        value: Any = given(array, dtype, signed=not isolated)
        ends = (heads, T) + (1 if isolated else value.shape[-1],) * last
        wrong = np.broadcast_to(np.asarray(error(value)), np.shape(value.upper))
        wrong, flat = (
            np.broadcast_to(f, (*shape[:-2], *ends[1:])).reshape(ends) for f in (wrong, value.upper)
        )
        if isolated:
            return flat, flat + wrong, wrong
        rounded = flat.astype(dtype).astype(np.float64)
        flushed = np.abs(rounded) < format_of(dtype).tiny
        return flat, np.where(flushed, 0.0, rounded), wrong

    N = shape_of(q)[-1]
    arrays = *(entered(a, inputs) for a in (v, k, q)), entered(beta, accumulate, 0)
    exact, found, lost = (
        _Tokens(np.abs(v), k, norm(np.abs(q), 2) * np.sqrt(N / q.shape[-1]), strength)
        for v, k, q, strength in zip(*arrays, strict=True)
    )
    return exact, found, lost


class _Piece(NamedTuple):
    """What a group of chunks of one head does to the state, and what its outputs are off."""

    outputs: np.ndarray
    """(tokens, w)."""
    sizes: np.ndarray
    """‖s_t‖, (tokens, w)."""
    state: np.ndarray
    """The error of the outgoing state, (w,)."""
    size: np.ndarray
    """‖s‖ of the outgoing state."""


class _Run:
    """One run of the op, to be bounded."""

    def __init__(self, layer: str, numbers: Precision, size: int, state: tuple[int, int]) -> None:
        self.layer = LAYERS[layer]
        self.numbers = numbers
        self.size = size
        self.state = state
        self.programs: dict[Any, Traced] = {}

    def bounds(
        self, state: np.ndarray, tokens: tuple[_Tokens, _Tokens, _Tokens]
    ) -> tuple[ErrorBound, ErrorBound]:
        """The bounds of the outputs (B, T, D) and the final states (B, D, N)."""
        D, N = self.state
        heads = []
        for head, one in enumerate(state):
            lines = (_Tokens(*(field[head] for field in which)) for which in tokens)
            with x64(True), np.errstate(all="ignore"):
                heads.append(self.head(one, *lines))
        errors, reach, final, size = (np.stack(f) for f in zip(*heads, strict=True))
        outputs, final = (
            finished(Enclosed(shape, np.dtype(np.float64), large, None, wrong))
            for shape, large, wrong in (
                ((*errors.shape[:2], D), reach, errors),
                ((len(state), D, N), size[..., None], final[..., None]),
            )
        )
        return outputs, final

    def head(self, state: np.ndarray, exact: _Tokens, tokens: _Tokens, lost: _Tokens) -> Any:
        """Errors and sizes of the outputs (T, w), and of the final state's rows (w,)."""
        N = self.state[1]
        largest = max(np.abs(state).max(), exact.v.max())
        scale = 2.0 ** np.frexp(largest)[1] if largest > 0 else 1.0  # else squares leave float64
        own = format_of(self.numbers.accumulate)
        entered = np.abs(state - state.astype(self.numbers.accumulate).astype(np.float64))
        first = norm(entered, 1) + N * own.tiny
        size, wrong = norm(np.abs(state), 1) / scale, first / scale
        if exact.v.shape[-1] == 1 and (state == state[:1]).all():  # all rows are bounded alike
            size, wrong = size[:1], wrong[:1]
        exact, tokens, lost = (
            t._replace(v=np.broadcast_to(t.v / scale, (*t.v.shape[:-1], len(size))))
            for t in (exact, tokens, lost)
        )
        pieces = []
        for begin, count, length in self.groups(len(tokens.beta)):
            cut = slice(begin, begin + count * length)
            given_, rounded, missing = (
                _Tokens(*(f[cut].reshape(count, length, *f.shape[1:]) for f in which))
                for which in (exact, tokens, lost)
            )
            pieces.append(self.piece(given_, rounded, missing, size, wrong, scale))
            size, wrong = pieces[-1].size, pieces[-1].state
        outputs, rows = (np.concatenate(parts) for parts in list(zip(*pieces, strict=True))[:2])
        reach = rows * scale * exact.q[:, None] + OWN.tiny
        return outputs * scale, reach, wrong * scale, size * scale

    def groups(self, T: int) -> Iterator[tuple[int, int, int]]:
        """(first token, chunks, tokens a chunk): 2^m chunks at once, and then the tokens that fill none."""
        (D, N), C = self.state, self.size
        most = 2 ** max(4, int(np.log2(max(1, NUMBERS // max(N * N, C * C, C * D, C * N)))))
        whole = T // C
        for chunk in range(0, whole, most):
            yield chunk * C, min(most, whole - chunk), C
        for t in range(whole * C, T, most):
            yield t, min(most, T - t), 1

    def piece(
        self,
        exact: _Tokens,
        tokens: _Tokens,
        lost: _Tokens,
        size: np.ndarray,
        wrong: np.ndarray,
        scale: float,
    ) -> _Piece:
        """A group of chunks, arrays (n, C, …), from a state of norm `size` and its error."""
        numbers = self.numbers
        _, inputs, accumulate = formats(numbers)
        single = tokens.beta.shape[1] == 1 != self.size
        own = rounding(inputs, accumulate, mixed=not single)
        own = own._replace(tiny=max(own.tiny / scale, 2.0**-1000), largest=own.largest / scale)
        strengths, energy, found, norms = self.system(numbers, tokens, single)
        new = added(tokens.k, tokens.v, strengths, energy, found, own)
        one = start(tokens.v)
        if any(np.any(f) for f in lost):
            before, exactly, _, exact_norms = self.system(FLOAT64, exact, single)
            states = exactly.states(one, known(0 * exactly.norms, exact.v))
            moved = _moved(exact, lost, (before, strengths), (exactly, energy), states)
        else:
            exactly, states, exact_norms = energy, new.states, norms
            moved = 0 * states
        written = states[:, -1, 1:]
        gentle = exactly.gentle.all(axis=1)[:, None]
        s = sizes(size, exact_norms, written, np.where(gentle, written, np.inf))
        d = _at(moved, s[:-1, None])
        e = carried(wrong, norms, new.state[:, 0], _at(new.state, s[:-1]) + d[:, -1])
        computed = s[:-1] + e[:-1]
        own_growth = energy.states(one[:, :1], 0 * energy.norms[..., None])
        rows = own_growth * e[:-1, None] + d + _at(new.outputs, computed[:, None])
        s_t = np.where(gentle[:, None], np.hypot(s[:-1, None], states[..., 1:]), np.inf)
        s_t = np.fmin(s_t, _at(states, s[:-1, None]))
        q = tokens.q[..., None]
        outputs = q * rows + lost.q[..., None] * s_t + _at(new.plain, computed)[:, None]
        reached = _at(new.reached, computed)[:, None] * (1 + q)
        fits = new.fits.all() & (4 * reached < own.largest).all()
        outputs, e = np.where(fits, outputs, np.inf), np.where(fits, e, np.inf)
        off, reach = (
            np.broadcast_to(f, outputs.shape).reshape(-1, f.shape[-1]) for f in (outputs, s_t)
        )
        return _Piece(off, reach, e[-1], s[-1])

    def system(self, numbers: Precision, tokens: _Tokens, single: bool) -> Any:
        """The strengths, the energy and the system of chunks, and the norms of their transitions."""
        _, inputs, dtype = formats(numbers)
        values = (
            Enclosed(tokens.k.shape, inputs, tokens.k, tokens.k),
            Enclosed(tokens.beta.shape, dtype, tokens.beta, tokens.beta),
        )
        layer = self.layer

        def program(k: Any, beta: Any) -> Any:
            j = jax("bounds")
            nothing = j.numpy.zeros((*beta.shape, 1), dtype)
            token = delta_rule.Token(k.astype(dtype), nothing, nothing, beta)
            token = token._replace(beta=layer.strengths(token))
            coefficients = in_precision(wy.coefficients, numbers)
            return token.beta, j.vmap(coefficients)(token._replace(k=k))

        key = numbers.name, tokens.k.shape
        if key not in self.programs:
            self.programs[key] = Traced(program, values, wide=dtype == np.float64)
        strengths, L = self.programs[key].read(values)
        lower, upper = (
            np.broadcast_to(f, strengths.shape) for f in (low(strengths), strengths.upper)
        )
        energy = Energy(lower, upper, norm(np.abs(tokens.k), 2))
        found = inverse(L, energy.norms)
        if single:
            return strengths, energy, found, [energy.growth]
        M, wrong = transition(tokens.k, energy, found)
        return strengths, energy, found, norms_of_products(M, wrong, energy.growth)


def _moved(
    exact: _Tokens,
    lost: _Tokens,
    strengths: tuple[Enclosed, Enclosed],
    energies: tuple[Energy, Energy],
    states: np.ndarray,
) -> np.ndarray:
    """What rounding the tokens does to the rows after each token of a chunk: (n, C, cols), linear as `Added` is."""
    (before, after), (first, second) = strengths, energies
    one = start(exact.v)
    s = np.concatenate([one[:, None], states[:, :-1]], axis=1)
    key = norm(lost.k, 2)
    w = first.norms[..., None] * s + known(0 * key, exact.v)
    change = np.maximum(np.abs(after.upper - low(before)), np.abs(before.upper - low(after)))
    least = np.minimum(np.abs(after.upper), np.abs(low(after)))
    relative = change < least
    share = np.where(relative, change / np.where(relative, least, 1.0), 0.0)[..., None]
    values = share * w + key[..., None] * s + known(0 * key, lost.v + 0 * exact.v)
    places = np.where(first.norms > 0, first.norms, 1.0)
    turned = norm(key / places)[:, None] * first.writes(one, known(0 * key, exact.v), states)
    rest = (np.where(relative, 0.0, change) * second.norms)[..., None] * w
    direct = second.growth[:, None, None] * (turned[:, None] + rest.cumsum(axis=1))
    return second.states(0 * one, values) + direct


def _at(columns: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Bounds that are linear in ‖s‖, at ‖s‖ = `size`: (…, 1 + w), (…, w) -> (…, w)."""
    return columns[..., :1] * size + columns[..., 1:]
