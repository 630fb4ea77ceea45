"""The bound of the delta rule's lane and of Longhorn's: rounding within a chunk, carried on by contraction.

Magnitudes cannot be read through this layer from token to token: |S| + β |S| |k| |k|ᵀ grows exponentially, while S is
multiplied by I − β k kᵀ, which makes no row longer if 0 ≤ β ‖k‖² ≤ 2. So the lane's own program is read for one chunk,
from states as large as a lemma says, and tells what one chunk adds to the error; the same lemma says what the error of
the incoming state becomes.

For one row s of the state and one number v: with θ = β ‖k‖² in [0, 1] the new row s (I − β k kᵀ) + β v kᵀ has along k
the component (1 − θ) α + θ v / ‖k‖, whose square is at most (1 − θ) α² + θ v² / ‖k‖², so ‖s'‖² ≤ ‖s‖² + β v². For
other θ, ‖s'‖ ≤ ρ ‖s‖ + |β v| ‖k‖ with ρ = max(1, |1 − θ|).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.layers import delta_rule
from scanproof.constructs.layers import longhorn as longhorn_layer
from scanproof.constructs.scan import Scan
from scanproof.proofs.language.errors import UsageError

from ..delta import _DELTA, _LONGHORN, CHUNK
from ..delta import delta as delta_lane
from ..delta import longhorn as longhorn_lane
from ..jax_backend import jax, x64
from ..precision import Precision
from ..precision import precision as precision_of
from .arithmetic import OUTWARD, format_of
from .enclosed import Enclosed, Value, error
from .inputs import Magnitude, given
from .programs import Promise, Traced, promised
from .solving import spread

LANES = {"delta": delta_lane, "longhorn": longhorn_lane}
LAYERS = {"delta": _DELTA, "longhorn": _LONGHORN}
STEPS = {"delta": delta_rule.step, "longhorn": longhorn_layer.step}
GUESSES = 2.0**-16, 2.0**-8, 2.0**-3, 1.0
"""How far off the computed states may be, relative to the largest one: tried in turn, and checked."""


class _Tokens(NamedTuple):
    """Float64 arrays with one leading axis B for heads and sequences; magnitudes where only those are known."""

    z: np.ndarray
    """|v|, (B, T, D), each axis 1 or full, as of c."""
    b: np.ndarray
    """k, (B, T, N)."""
    c: np.ndarray
    """|q|."""
    beta: np.ndarray
    """(B, T), as the next two."""
    strengths: np.ndarray
    """What the layer makes of β."""
    norms: np.ndarray
    """‖k‖."""


def delta(
    z: Any,
    b: Any,
    c: Any,
    beta: Any,
    *,
    layer: str = "delta",
    initial_state: Any = None,
    chunk: int | None = None,
    precision: Any = "float32",
) -> Scan:
    """How far the delta lane's outputs and final state can be from the exact values.

    Exact means: of the arrays as they are given here. Rounding them to the precision's dtypes is part of the bound.
    With β_t ‖b_t‖² > 2 the bound may grow without end, as the errors do.

    Args:
        z: values (…, T, D), or a `Magnitude`, as is c.
        b: keys (…, T, N); the bound needs them, for it rests on β_t ‖b_t‖².
        c: queries (…, T, N).
        beta: β_t, broadcasts to (…, T).
        layer: "delta" or "longhorn".
        initial_state: S_0, (…, D, N) or (D, N).
        chunk: the lane's chunk.
        precision: "float64", "float32", "bfloat16" or a `Precision`.

    Returns:
        A `Scan` of `Promise`s: `outputs` (…, T, D) and `final_state` (…, D, N).

    Raises:
        UsageError: if there is no such layer, or an argument does not fit.
    """
    if layer not in LAYERS:
        raise UsageError(f"bounds.delta(layer={layer!r}) expects one of {', '.join(LAYERS)}.")
    if isinstance(b, Magnitude) or isinstance(beta, Magnitude):
        raise UsageError(
            "bounds.delta() needs the keys and the strengths themselves: magnitudes of keys do not tell β‖k‖²."
        )
    with x64(True):
        numbers = precision_of(precision)
    shape = tuple(z.shape if isinstance(z, Magnitude) else np.shape(z))
    batch, D, N = shape[:-2], shape[-1], np.shape(b)[-1]
    state = np.zeros((D, N)) if initial_state is None else np.asarray(initial_state, np.float64)
    state = np.broadcast_to(state, (*batch, D, N)).reshape(-1, D, N)
    exact, wrong = _tokens(layer, numbers, z, b, c, beta, shape)
    run = _Run(layer, numbers, CHUNK if chunk is None else chunk, (D, N), exact, wrong)
    outputs, final = run.bounds(state)
    return Scan(
        None,
        Promise(*(np.broadcast_to(f, (len(state), *shape[-2:])).reshape(shape) for f in outputs)),
        Promise(*(f.reshape(*batch, D, N) for f in final)),
    )


def _tokens(
    layer: str,
    numbers: Precision,
    z: Any,
    b: Any,
    c: Any,
    beta: Any,
    shape: tuple[int, ...],
) -> tuple[_Tokens, _Tokens]:
    """The tokens as the lane rounds them, and by how much it does."""
    inputs = np.dtype(jax("bounds").numpy.dtype(numbers.inputs))
    accumulate = np.dtype(numbers.accumulate)
    beta = np.broadcast_to(np.asarray(beta, np.float64), shape[:-1])
    found, lost = [], []
    for array, dtype in ((z, inputs), (b, inputs), (c, inputs), (beta, accumulate)):
        size = array.shape if isinstance(array, Magnitude) else np.shape(array)
        value: Any = given(array, dtype, signed=not isinstance(array, Magnitude))
        axes = 1 if array is beta else 2
        known = np.asarray(value.upper)
        flat = (
            known.reshape(-1, *known.shape[len(size) - axes :])
            if known.shape == size
            else known.reshape((1,) * (axes + 1))
        )
        error_ = np.broadcast_to(np.asarray(error(value)), known.shape).reshape(flat.shape)
        if isinstance(array, Magnitude):
            flat = flat + error_
        else:
            rounded = flat.astype(dtype).astype(np.float64)
            flat = np.where(np.abs(rounded) < format_of(dtype).tiny, 0.0, rounded)
        found.append(flat)
        lost.append(error_)
    zs, bs, cs, betas = found
    wrong_z, wrong_b, wrong_c, wrong_beta = lost
    token = delta_rule.Token(bs, zs, cs, betas)
    strengths = LAYERS[layer].strengths(token)
    norms = _norms(np.abs(bs), bs.shape[-1])
    nothing = np.zeros((1, 1))
    return (
        _Tokens(np.abs(zs), bs, np.abs(cs), betas, strengths, norms),
        _Tokens(wrong_z, wrong_b, wrong_c, wrong_beta, nothing, nothing),
    )


class _Run:
    """One run of the lane, to be bounded."""

    def __init__(
        self,
        layer: str,
        numbers: Precision,
        size: int,
        state: tuple[int, int],
        tokens: _Tokens,
        wrong: _Tokens,
    ) -> None:
        self.layer = layer
        self.numbers = numbers
        self.state = state
        self.exact = tokens
        self.wrong = wrong
        self.heads, self.length = tokens.beta.shape
        self.programs: dict[tuple[int, int], Traced] = {}
        self.core = self.length - self.length % size
        self.pieces = [(s, s + size) for s in range(0, self.core, size)]
        self.pieces += [(t, t + 1) for t in range(self.core, self.length)]

    def bounds(self, state: np.ndarray) -> tuple[Promise, Promise]:
        """The promises of the outputs (B, T, D) and the final states (B, D, N)."""
        N = self.state[1]
        sizes = self.sizes(_norms(np.abs(state), N))
        q = _norms(self.exact.c, N)
        entered = np.abs(state - state.astype(self.numbers.accumulate).astype(np.float64))
        first = _norms(entered, N) + N * format_of(self.numbers.accumulate).tiny
        moved, moved_outputs = self.moved_by_data(sizes, q)
        largest = sizes.max()
        small = 2.0**20 * self.length * format_of(self.numbers.accumulate).tiny
        for guess in GUESSES:
            slack = guess * largest + small
            errors, outputs, final = self.rounding(sizes + slack, first, q)
            if (errors <= slack).all():
                break
            hopeless = not (errors <= largest + small).all()  # with more slack the errors only grow
            if hopeless or guess == GUESSES[-1]:
                outputs = np.full_like(outputs, np.inf)
                final = np.full_like(final, np.inf)
                break
        outputs = outputs + moved_outputs
        final = final + moved[..., None]
        reach = sizes[:, 1:] * q[..., None]  # |o_t| ≤ ‖row of S_t‖ ‖q_t‖
        return (
            self.finished(outputs, reach),
            self.finished(
                np.broadcast_to(final, state.shape),
                np.broadcast_to(sizes[:, -1, :, None], state.shape),
            ),
        )

    def finished(self, bound: np.ndarray, size: np.ndarray) -> Promise:
        return promised(Enclosed(bound.shape, np.dtype(np.float64), size, None, bound))

    def sizes(self, rows: np.ndarray) -> np.ndarray:
        """Norms of the rows of the exact states before the first token and after each: (B, T + 1, D)."""
        strengths, norms, z = self.exact.strengths, self.exact.norms, self.exact.z
        scale = (
            max(rows.max(), z.max()) or 1.0
        )  # squares of very small or large numbers leave float64
        theta = strengths * norms**2
        if (rows == rows[..., :1]).all():  # all rows alike, as those of a zero state
            rows = rows[..., :1]
        written = z / scale * np.ones((self.heads, self.length, 1))
        width = max(rows.shape[-1], written.shape[-1])
        rows = np.broadcast_to(rows / scale, (self.heads, width))
        if (theta >= 0).all() and (theta <= 1).all():
            added = np.broadcast_to(
                strengths[..., None] * written**2, (self.heads, self.length, width)
            )
            squares = np.concatenate([rows[:, None] ** 2, added], axis=1).cumsum(axis=1)
            return self.outward(np.sqrt(squares), scale)
        found = [rows]
        grows = spread(strengths, norms)
        for t in range(self.length):
            gentle = (theta[:, t, None] >= 0) & (theta[:, t, None] <= 1)
            v, beta = written[:, t], np.abs(strengths[:, t, None])
            longer = grows[:, t, None] * rows + beta * v * norms[:, t, None]
            rows = np.where(gentle, np.sqrt(rows**2 + beta * v**2), longer)
            found.append(rows)
        return self.outward(np.stack(found, axis=1), scale)

    def outward(self, sizes: np.ndarray, scale: float) -> np.ndarray:
        """Scaled back, with what float64 may have lost."""
        return (sizes * (1 + self.length * 2.0**-48) + 2.0**-500 * sizes.max()) * scale

    def rounding(
        self, sizes: np.ndarray, first: np.ndarray, q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Errors that rounding makes, relative to the exact run on rounded inputs.

        Args:
            sizes: of the computed states, (B, T + 1, D).
            first: the error of the initial state's rows, (B, D).
            q: ‖q_t‖, (B, T) or (1, 1).

        Returns:
            The errors of the states' rows before each piece and at the end, of the outputs, and of the final states.
        """
        grows = np.log(spread(self.exact.strengths, self.exact.norms))
        q = np.broadcast_to(q, grows.shape)
        before, outputs, last = [first], [], first[..., None]
        for start, stop, out, state in self.local(sizes):
            growth = np.exp(np.cumsum(grows[:, start:stop], axis=1))
            carried = before[-1]
            outputs.append(out + growth[..., None] * q[:, start:stop, None] * carried[:, None])
            last = growth[:, -1, None, None] * carried[..., None] + state
            before.append(growth[:, -1, None] * carried + _norms(state, self.state[1]))
        return np.stack(before, axis=1), np.concatenate(outputs, axis=1), last

    def local(self, sizes: np.ndarray) -> Any:
        """(start, stop, errors of outputs, errors of the state) of each piece alone, from a state without error."""
        D, N = self.state
        many = max(1, 2**22 // (self.heads * D * N))
        for group in _groups(self.pieces, many):
            length = group[0][1] - group[0][0]
            pieces = _Tokens(*(self.pieces_of(field, group) for field in self.exact))
            begun = np.stack([sizes[:, s] for s, _ in group]).reshape(-1, 1, sizes.shape[-1])
            outputs, state = self.read(pieces, np.moveaxis(begun, 1, 2), length)
            outputs = np.moveaxis(outputs.reshape(len(group), self.heads, length, D), 0, 1)
            yield from (
                (s, e, outputs[:, i], state.reshape(len(group), self.heads, D, N)[i])
                for i, (s, e) in enumerate(group)
            )

    def pieces_of(self, field: np.ndarray, group: list[tuple[int, int]]) -> np.ndarray:
        """(B, T, …) -> (pieces · B, length, …), for pieces that follow one another."""
        if field.shape[:2] == (1, 1) != (self.heads, self.length):
            return field
        (start, first_stop), stop = group[0], group[-1][1]
        field = np.broadcast_to(field, (self.heads, self.length, *field.shape[2:]))[:, start:stop]
        parts = field.reshape(self.heads, len(group), first_stop - start, *field.shape[2:])
        return np.moveaxis(parts, 1, 0).reshape(-1, first_stop - start, *field.shape[2:])

    def tokens_of(self, field: np.ndarray, start: int, stop: int) -> np.ndarray:
        """(B, T, …) -> (B · tokens, …)."""
        if field.shape[:2] == (1, 1):
            return field[0]
        field = np.broadcast_to(field, (self.heads, *field.shape[1:]))[:, start:stop]
        return field.reshape(-1, *field.shape[2:])

    def read(
        self, tokens: _Tokens, sizes: np.ndarray, length: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Errors of the outputs and the final states of pieces of one length, (P, length, D) and (P, D, N)."""
        D, N = self.state
        count, run, numbers = len(sizes), LANES[self.layer], self.numbers
        inputs = np.dtype(jax("bounds").numpy.dtype(numbers.inputs))
        accumulate = np.dtype(numbers.accumulate)

        def value(field: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> Value:
            return Enclosed(shape, dtype, np.abs(field))

        token = delta_rule.Token(
            Enclosed((count, length, N), inputs, tokens.b, tokens.b),
            value(tokens.z, (count, length, D), inputs),
            value(tokens.c, (count, length, N), inputs),
            Enclosed((count, length), accumulate, tokens.beta, tokens.beta),
        )
        state = value(sizes, (count, D, N), accumulate)
        size = (
            length if length > 1 or self.core == self.length else 2
        )  # a single token may be a remainder

        def program(t: delta_rule.Token, state: Any) -> Any:
            found = run(t.v, t.k, t.q, t.beta, initial_state=state, chunk=size, precision=numbers)
            return found.outputs, found.final_state

        if (count, length) not in self.programs:
            wide = accumulate == np.float64
            self.programs[count, length] = Traced(program, (token, state), wide=wide)
        out, final = self.programs[count, length].read((token, state))
        return promised(out).bound, promised(final).bound

    def moved_by_data(self, sizes: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the rounding of the tokens does to the exact run: to the final states' rows and to the outputs.

        One token moves a state by what the definition, read in float64 with wrong tokens, says; contraction carries it.
        """
        D, N = self.state
        if not any(np.any(field) for field in self.wrong):
            return np.zeros((self.heads, D)), np.zeros((self.heads, 1, D))
        step, wide = STEPS[self.layer], np.dtype(np.float64)
        wrong_q = _norms(self.wrong.c, N)
        keys = self.exact.norms + _norms(self.wrong.b, N)
        theta = np.abs(self.exact.strengths) * keys**2 + np.abs(self.wrong.beta) * keys**2
        # ρ of the tokens as they were given: θ has moved by no more than this
        shift = theta - np.abs(self.exact.strengths) * self.exact.norms**2
        grows = np.maximum(
            spread(self.exact.strengths, self.exact.norms),
            np.abs(1 - self.exact.strengths * self.exact.norms**2) + shift,
        )
        carried, outputs = np.zeros((self.heads, D)), []
        width = max(sizes.shape[-1], self.exact.z.shape[-1])  # 1 if all rows are bounded alike
        many = max(1, 2**22 // (self.heads * width * N))
        programs: dict[int, Traced] = {}
        for start in range(0, self.length, many):
            stop = min(start + many, self.length)
            count = (stop - start) * self.heads

            exact, wrong = (
                _Tokens(*(self.tokens_of(field, start, stop) for field in tokens))
                for tokens in (self.exact, self.wrong)
            )
            token = delta_rule.Token(
                Enclosed((count, N), wide, np.abs(exact.b), None, wrong.b),
                Enclosed((count, D), wide, exact.z, None, wrong.z),
                Enclosed((count, N), wide, exact.c, None, wrong.c),
                Enclosed((count,), wide, exact.beta, exact.beta, wrong.beta),
            )
            begun = np.broadcast_to(
                sizes[:, start:stop], (self.heads, stop - start, sizes.shape[-1])
            )
            state = Enclosed((count, D, N), wide, begun.reshape(count, -1, 1))
            if count not in programs:
                each = jax("bounds").vmap(lambda s, t: step(None, s, t))
                programs[count] = Traced(each, (state, token), wide=True)
            after, _ = programs[count].read((state, token))
            moved = _norms(np.asarray(error(after)), N) * OUTWARD
            moved = np.broadcast_to(moved, (count, moved.shape[-1]))
            moved = moved.reshape(self.heads, stop - start, -1)
            for t in range(start, stop):
                carried = grows[:, t, None] * carried + moved[:, t - start]
                out = carried * (q + wrong_q)[..., t if q.shape[-1] > 1 else 0, None]
                row = sizes[:, t + 1] * wrong_q[..., t if wrong_q.shape[-1] > 1 else 0, None]
                outputs.append(out + row)
        return carried, np.stack(outputs, axis=1)


def _norms(sizes: np.ndarray, columns: int) -> np.ndarray:
    """√Σ x² along the last axis, of length 1 or `columns`, of numbers ≥ 0 whose squares may leave float64."""
    largest = sizes.max(axis=-1, keepdims=True)
    shares = sizes / np.where(largest > 0, largest, 1.0)
    squares = (shares * shares).sum(axis=-1) * (columns / sizes.shape[-1])
    return largest[..., 0] * np.sqrt(squares) * (1 + 2.0**-40)


def _groups(pieces: list[tuple[int, int]], many: int) -> Any:
    """Neighbouring pieces of one length, at most `many` together."""
    group: list[tuple[int, int]] = []
    for start, stop in pieces:
        if group and (len(group) == many or stop - start != group[0][1] - group[0][0]):
            yield group
            group = []
        group.append((start, stop))
    yield group
