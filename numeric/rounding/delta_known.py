"""The bound of the delta rule's op for known numbers: what each rounding does, by the numbers themselves.

`delta_chunk` follows norms, which is all there is for values of which only the largest is known. Where all arrays are
known and in the op's one format, a chunk can be run in float64, and each line of `constructs.forms.wy` is off by so
many roundings of its magnitudes, entry by entry. With U the writes, X = (I + L)⁻¹, A the weights tril(Q Kᵀ),

    off(P) = γ_N |K| |S|ᵀ,    off(R) = β (off(P) + …),    off(L) = β γ_N |K| |K|ᵀ + …,
    Û − U = X (what R is off by) + X G + H,   |G| ≤ F |R̂| + off(L) |Û|,   |H| ≤ γ_C |X̂| |R̂|,

with F what the inversion leaves (`inverted`). What R is off by and G move the state by Zᵀ(·), Z = Xᵀ K, and the outputs
by A X (·): by these products as they are, in which X has cancelled, and not by those of their magnitudes. What a chunk
adds to the state reaches the outputs of a later one by the transitions between them, also as they are.

Magnitudes are those of a run in float64 and of how far the op's state may be from it, e ← ‖M‖ e + ‖added‖ row by row:
no transition M makes a row longer, for 0 ≤ β‖k‖² ≤ 2. That run may be off by as much, in its own format, so that e
counts twice. What it loses in the transitions is counted (`lost`); in the magnitudes `OUTWARD` has room for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arithmetic import OUTWARD, OWN, Format, gamma
from .delta_energy import ROOM, norm
from .delta_norms import frobenius, spectral_norm, substituted

WORK = 2**33
"""Multiplications of products of transitions, at most; beyond, norms are passed on."""
LARGEST = 2**35
"""Those of all else, about; beyond, nothing is followed."""
GENTLE = 2.0
"""β‖k‖², at most: up to there no step makes a row longer."""


class Tokens(NamedTuple):
    """Of one head, in float64."""

    v: np.ndarray
    """(T, D)."""
    k: np.ndarray
    """(T, N)."""
    q: np.ndarray
    """(T, N)."""
    beta: np.ndarray
    """(T,)."""

    def part(self, cut: slice) -> Tokens:
        """Some of the tokens."""
        return Tokens(*(field[cut] for field in self))


class Inverse(NamedTuple):
    """(I + L)⁻¹ as float64 has it, and what is known of it."""

    X: np.ndarray
    """(C, C)."""
    wrong: np.ndarray
    """How far its entries are from the exact ones, at most."""
    left: np.ndarray
    """F ≥ |(I + L̂) X̂ − I| for the X̂ of the op."""
    size: np.ndarray
    """At least |X̂|."""


def inverted(L: np.ndarray, off: np.ndarray, form: Format) -> Inverse | None:
    """The inverse of a chunk's I + L as the op has it, where L is off by `off`; None where too little is known of it.

    It substitutes, with sums in any order: (I + L̂) X̂ = I + F, |F_ti| ≤ γ_{t−i} (|L̂| |X̂|)_ti (Higham, 2nd ed.,
    Thm. 8.5). That is so on a CPU, and assumed elsewhere. Another algorithm has another `left`; nothing else rests on
    this.
    """
    C = len(L)
    matrix = np.eye(C) + L
    X = substituted(matrix)
    entries = gamma(C + 2, OWN.unit) * np.abs(matrix) + 2 * OWN.unit / form.unit * off
    residual = np.abs(matrix @ X - np.eye(C)) + entries @ np.abs(X)
    if not residual.sum(axis=1).max() < 0.5:
        return None
    wrong = 2 * np.abs(X) @ residual
    exact = np.abs(X) + wrong
    places = np.arange(C)
    terms = np.maximum(places[:, None] - places, 0)
    each = terms * form.unit / (1 - C * form.unit)
    sizes = np.abs(L) + off
    # X̂ = X + X (F − (L̂ − L) X̂), at most `exact` + moved |X̂|
    moved = exact @ (gamma(C, form.unit) * sizes + off)
    rows = moved.sum(axis=1, keepdims=True)
    share = rows.max()
    if not share < 0.5:
        return None
    size = exact + moved @ exact + 2 * share * rows * exact.max(axis=0)
    lost = 4 * C * form.tiny
    return Inverse(X, wrong, each * (sizes @ size) + lost, size + lost)


class _Chunk(NamedTuple):
    """What one chunk adds, and how it passes on what comes in."""

    state: np.ndarray
    """The state after it, in float64, (D, N)."""
    added: np.ndarray
    """To the error of that state, (D, N)."""
    outputs: np.ndarray
    """To that of its outputs, (C, D)."""
    transition: np.ndarray
    """M with e' = e M, (N, N)."""
    queries: np.ndarray
    """The queries that the incoming state meets, (C, N): o_t = S (q_t − …) + what does not depend on S."""
    lost: float
    """How far the transition and these queries, over ‖q_t‖, are from the exact ones in norm, at most."""


class Bounds(NamedTuple):
    """Bounds of |computed − exact|; infinite where nothing is known."""

    outputs: np.ndarray
    """(T, D)."""
    state: np.ndarray
    """Of the last state, (D, N)."""


def bounds(tokens: Tokens, state: np.ndarray, chunk: int, form: Format) -> Bounds:
    """What rounding does to the op's outputs and last state, where nothing leaves the format.

    Args:
        tokens: numbers of the format, none of them subnormal.
        state: S_0, (D, N), too.
        chunk: C.
        form: of all products and sums.
    """
    T, (D, N) = len(tokens.beta), state.shape
    nothing = Bounds(np.full((T, D), np.inf), np.full((D, N), np.inf))
    theta = tokens.beta * np.square(tokens.k).sum(axis=1)
    C = min(chunk, T)
    each = 8 * C * N * D + 8 * C * C * (C + N + D) + 8 * N**3
    if (
        not ((tokens.beta >= 0) & (theta <= GENTLE * (1 - 2.0**-40))).all()
        or T * each > C * LARGEST
    ):
        return nothing
    largest = max(np.abs(tokens.v).max(), np.abs(state).max())
    scale = 2.0 ** np.frexp(largest)[1] if largest > 0 else 1.0  # else squares leave float64
    tokens, state = tokens._replace(v=tokens.v / scale), state / scale
    form = form._replace(tiny=max(form.tiny, form.tiny / scale))
    whole = T // chunk * chunk
    cuts = [slice(t, t + chunk) for t in range(0, whole, chunk)]
    cuts += [slice(t, t + 1) for t in range(whole, T)]
    follow = len(cuts) ** 2 / 2 * N * N * C <= WORK
    error, chunks, found = np.zeros(D), [], []
    for cut in cuts:
        one = _chunk(tokens.part(cut), state, error, form, single=cut.start >= whole)
        if one is None:
            return nothing
        size = norm(np.abs(tokens.q[cut]))[:, None]
        carried = (norm(np.abs(one.queries))[:, None] + one.lost * size) * error
        if follow:
            through = _passed_on(chunks, one.queries, one.lost * size, error)
            carried = np.minimum(carried, through)
            chunks.append(one)
        found.append(one.outputs + carried)
        state, growth = one.state, float(spectral_norm(one.transition)) + one.lost
        error = (min(1.0, growth) * error + norm(one.added)) * ROOM
    last = np.broadcast_to(error[:, None], (D, N))
    if follow:
        last = np.minimum(last, _passed_on(chunks, np.eye(N), np.zeros((N, 1)), error).T)
    return Bounds(np.concatenate(found) * scale * OUTWARD, last * scale * OUTWARD)


def _passed_on(
    chunks: list[_Chunk], queries: np.ndarray, lost: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """What all that chunks added does to what queries read: (m, N), by how much they are off (m, 1) -> (m, D)."""
    found = np.zeros((len(queries), len(error)))
    size = norm(np.abs(queries))[:, None] + lost
    for one in reversed(chunks):
        found += np.abs(queries) @ one.added.T
        queries = queries @ one.transition.T
        lost = lost + one.lost * size
    return found + lost * error


def _chunk(
    tokens: Tokens, S: np.ndarray, error: np.ndarray, form: Format, *, single: bool
) -> _Chunk | None:
    """A chunk from a state that the op has with rows that are off by `error`."""
    v, k, q, beta = tokens
    (C, N), u, tiny = k.shape, form.unit, form.tiny
    error = 2 * error
    g_N, g_C, b = gamma(N, u), gamma(C, u), beta[:, None]
    K, Q, sizes = np.abs(k), np.abs(q), np.abs(S) + error[:, None]
    norms = norm(K)[:, None]

    G = np.tril(k @ k.T, -1)
    off_L = b * (g_N * (1 + u) + 2 * u) * np.tril(K @ K.T, -1) + 4 * (N + 2) * tiny * (1 + b)
    found = inverted(b * G, np.tril(off_L, -1), form)
    if found is None:
        return None
    X, wrong = found.X, found.wrong

    w = v - k @ S.T
    off_w = g_N * K @ sizes.T
    off_w = off_w + u * (np.abs(w) + norms * error + off_w) + 4 * (N + 2) * tiny
    r = b * w
    r_size = b * (np.abs(w) + norms * error)
    off_r = (1 + u) * b * off_w + u * r_size + 4 * tiny
    r_size = r_size + off_r
    U = X @ r
    # how the incoming state moves the writes, as a matrix
    reads = X @ (b * k)
    U_size = np.abs(U) + wrong @ np.abs(r) + norm(np.abs(reads))[:, None] * error
    summed = g_C * found.size @ r_size + 4 * (C + 2) * tiny
    # |Û| ≤ |U| + …: what is off by itself is at most this much of a size that is known
    made = off_r + found.left @ r_size
    U_size = U_size + (np.abs(X) + wrong) @ made + summed
    again = (np.abs(X) + wrong) @ off_L
    share = again.sum(axis=1).max()
    if not share < 0.5:
        return None
    U_size = U_size + 2 * again.sum(axis=1, keepdims=True) * U_size.max(axis=0)
    made = made + np.tril(off_L, -1) @ U_size

    weights = np.tril(q @ k.T)
    through_state = np.abs(X.T @ k) + wrong.T @ K
    through_outputs = np.abs(weights @ X) + np.tril(Q @ K.T) @ wrong
    direct = summed.T @ K + g_C * U_size.T @ K + 4 * (C + 2) * tiny
    after = S + U.T @ k
    transition = np.eye(N) - reads.T @ k
    reached = sizes + U_size.T @ K
    added = made.T @ through_state + direct
    added = added + u * (np.abs(after) + error[:, None] + 2 * added)
    if single:  # the step may take w kᵀ first, and then β
        added = added + 2 * u * U_size.T @ K + 4 * tiny * (1 + beta.max())
    in_chunk = np.tril(Q @ K.T)
    off_o = through_outputs @ made + in_chunk @ summed
    off_o = off_o + ((1 + g_N) * (1 + g_C) - 1) * in_chunk @ U_size + g_N * Q @ sizes.T
    off_o = off_o * (1 + u) + u * (Q @ reached.T)
    if single:  # read from the state after it
        off_o = off_o + Q @ added.T * (1 + g_N)
    off_o = off_o + 8 * (N + C + 4) * tiny * (1 + Q.sum(axis=1, keepdims=True))
    written = b * K
    each = wrong + gamma(2 * (C + N) + 16, OWN.unit) * np.abs(X)
    lost = frobenius(K.T @ each @ written) + gamma(N + 4, OWN.unit) * np.sqrt(N)
    places = np.where(Q.any(axis=1), norm(Q), 1.0)
    lost = max(lost, norm((in_chunk @ each @ written).T / places, 0).max() + 4 * OWN.unit)
    return _Chunk(after, added, off_o, transition, q - weights @ reads, float(lost))
