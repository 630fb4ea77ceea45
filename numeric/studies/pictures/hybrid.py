"""Theorems 5.1 and 5.2 of ssd: what SSD ∘ LSA layers compute, against SGD and against K steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs import tokens
from scanproof.constructs.arrays.norms import norm
from scanproof.constructs.constructions.hybrid import theorem5_1_layers, theorem5_2
from scanproof.constructs.layers import hybrid
from scanproof.constructs.learners.descent import gradient_descent, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM, MEAN
from scanproof.proofs.language.source import Row

from .panel import NOTHING, Line, Panel, Picture
from .values import bounds_at

MENDED = ("scale", "sign")
"""Theorem 5.1's parameters with L_ti = 1 + ηn/ε and P_Y = +1."""
ETAS = tuple(2.0**-k for k in range(10, -1, -1))
CONTEXTS = 20
"""How many contexts are drawn; the largest error among them is shown."""
SAME = 1e-6
"""Two numbers that differ relatively by less are the same quantity."""


class Data(NamedTuple):
    """Examples and a query, with unit inputs: x of shape (n + 1, d), y of shape (n,) with |y_i| ≤ 1."""

    x: np.ndarray
    y: np.ndarray


def data(n: int, d: int, seed: int = 0) -> Data:
    """Unit inputs in random directions and labels y_i = w·x_i with ‖w‖ = 1; those of fewer examples come first."""
    rng = np.random.default_rng([seed, d])
    w, query = rng.normal(size=(2, d))
    x = np.concatenate([rng.normal(size=(n, d)), query[None]])
    x /= np.linalg.norm(x, axis=1)[:, None]
    return Data(x, x[:-1] @ w / np.linalg.norm(w))


def orthogonal(d: int, seed: int = 0) -> Data:
    """d orthogonal unit inputs; query and labels as in `data`."""
    x = data(d, d, seed).x
    x = np.concatenate([np.eye(d), x[-1:]])
    return Data(x, x[:-1] @ data(d, d, seed).x[0])


def in_turn(count: int, n: int) -> np.ndarray:
    """Rows e_1, …, e_n, e_1, … for `count` steps: (count, n)."""
    return np.eye(n)[np.arange(count) % n]


def layers(of: Data, count: int, eta: float, eps: float = 0.0, causal: bool = True) -> np.ndarray:
    """The tokens Z^0, …, Z^count of Theorem 5.1's mended layers, on the examples in turn: (count + 1, d + 1, n + 1)."""
    Z = tokens.labelled(of.x, of.y).T
    if count == 0:
        return Z[None]
    n = of.y.shape[0]
    chosen = np.concatenate([in_turn(count, n), np.zeros((count, 1))], axis=1)
    step, small = np.asarray(eta), np.asarray(eps)
    found = theorem5_1_layers(Z, chosen, step, small, MENDED, causal=causal)
    return np.concatenate([Z[None], found.states])


def sgd(of: Data, count: int, eta: float) -> np.ndarray:
    """⟨w_l, x_{n+1}⟩ for l = 0, …, count, w_l by SGD on the same examples in the same order."""
    n = of.y.shape[0]
    w = np.zeros(of.x.shape[1])
    found = [of.x[-1] @ w]
    for step in range(count):
        order = [step % n]
        w = stochastic_gradient_descent(HALF_SUM, w, of.x[:-1], of.y, np.asarray(eta), order)
        found.append(of.x[-1] @ w)
    return np.asarray(found)


def sgd_error(
    of: Data, count: int, eta: float, eps: float = 0.0, causal: bool = True
) -> np.ndarray:
    """|−y^l_{n+1} − ⟨w_l, x_{n+1}⟩| for l = 0, …, count: the label's slot holds minus the prediction."""
    return np.abs(-layers(of, count, eta, eps, causal)[:, -1, -1] - sgd(of, count, eta))


def drift(of: Data, count: int, eta: float) -> np.ndarray:
    """max_i ‖x_i^l − x_i^0‖ for l = 0, …, count."""
    features = layers(of, count, eta)[:, :-1]
    return norm((features - features[0]).mT).max(axis=1)


def batch_error(of: Data, m: int, eta: float, K: int) -> float:
    """|−y_{n+1} − ⟨w^(K), x_{n+1}⟩| after the one layer of Theorem 5.2, with its signs and its factor 2 mended."""
    p = theorem5_2(of.x, m, np.asarray(eta), K, MENDED)
    label = hybrid.layer(p, tokens.labelled(of.x, of.y).T)[-1, -1]
    return float(abs(-label - of.x[-1] @ batch_steps(of, m, eta, K)))


def batch_steps(of: Data, m: int, eta: float, K: int) -> np.ndarray:
    """w^(K): K steps on (1/m) Σ_{t ≤ m} (w·x_t − y_t)² from 0."""
    start = np.zeros(of.x.shape[1])
    return gradient_descent(MEAN, start, of.x[:m], of.y[:m], np.asarray(eta), K)


def later_steps(of: Data, m: int, eta: float, K: int) -> float:
    """What K steps differ by from one step of size Kη, at the query."""
    several, one = batch_steps(of, m, eta, K), batch_steps(of, m, K * eta, 1)
    return float(abs(of.x[-1] @ (several - one)))


def theorem51(row: Row) -> Picture:
    """Error against SGD over η, n and l, and the drift of the features over l."""
    n, d, rates, steps = 8, 8, (0.05, 0.1, 0.2), range(3 * 8 + 1)
    counts = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    over_eta: list[Line] = []
    for l in (2, 4, n):
        found = [_largest(sgd_error, n, d, l, eta).at(l) for eta in ETAS]
        where = [{"n": n, "d": d, "l": l, "eta": eta} for eta in ETAS]
        _add(over_eta, row, f"l = {l} layers", ETAS, found, where)
    at_eps = [_largest(sgd_error, n, d, n, eta, 1e-3).at(n) for eta in ETAS]
    over_eta += [Line(f"l = {n} layers, ε = 0.001", ETAS, _values(at_eps)), _slope_two(over_eta[0])]
    over_n, over_l, moved = [], [], []
    for eta in rates:
        name = f"η = {eta:g}"
        found = [_largest(sgd_error, k, d, k, eta).at(k) for k in counts]
        _add(
            over_n, row, name, counts, found, [{"n": k, "d": d, "l": k, "eta": eta} for k in counts]
        )
        where = [{"n": n, "d": d, "l": l, "eta": eta} for l in steps]
        for lines, quantity in ((over_l, sgd_error), (moved, drift)):
            every = _largest(quantity, n, d, len(steps) - 1, eta)
            _add(lines, row, name, steps, [every.at(l) for l in steps], where)
    free = _largest(sgd_error, n, d, len(steps) - 1, 0.1, 0.0, False)
    flat = [sgd_error(orthogonal(d, k), len(steps) - 1, 0.1) for k in range(CONTEXTS)]
    over_l.append(Line("η = 0.1, not causal", steps, free.value))
    over_l.append(Line("η = 0.1, orthogonal", steps, np.max(flat, axis=0)))
    error = "|−y(query) − ⟨w_l, x(query)⟩|"
    passes = [(k * n, f"pass {k}") for k in (1, 2, 3)]
    return Picture(
        row.claim.id,
        "Theorem 5.1: SSD ∘ LSA layers against SGD",
        f"The mended layers as ε → 0, if not said; layer l takes example l mod n, from w_0 = 0. Largest of {CONTEXTS} "
        f"contexts: unit inputs in random directions,\nd = {d}, n = {n} if not said, y_i = w·x_i, ‖w‖ = 1. Where a "
        "line has no point the error is 0; orthogonal examples have none in the first pass.",
        [
            Panel("Error over the step size", "step size η", error, over_eta, x_log=True),
            Panel("Error after one pass, l = n", "examples n", error, over_n),
            Panel("Error over layers", "layers l", error, over_l, marks=passes),
            Panel(
                "Drift of the features over layers",
                "layers l",
                "largest ‖x_i after l layers − x_i‖",
                moved,
                y_log=False,
                marks=passes,
            ),
        ],
    )


def theorem52(row: Row) -> Picture:
    """Error of one layer against K steps over η and over K."""
    n, d, m, many, rates, steps = 8, 8, 4, (1, 2, 4, 8), (0.01, 0.05, 0.2), range(1, 11)
    over_eta: list[Line] = []
    for K in many:
        found = [_largest(batch_error, n, d, m, eta, K) for eta in ETAS]
        where = [{"n": n, "d": d, "m": m, "K": K, "eta": eta} for eta in ETAS]
        _add(over_eta, row, f"K = {K}", ETAS, found, where)
    over_eta.append(_slope_two(over_eta[0]))
    over_K: list[Line] = []
    for eta in rates:
        found = [_largest(batch_error, n, d, m, eta, K) for K in steps]
        later = _values([_largest(later_steps, n, d, m, eta, K) for K in steps])
        where, place = [{"n": n, "d": d, "m": m, "K": K, "eta": eta} for K in steps], len(over_K)
        _add(over_K, row, f"η = {eta:g}", steps, found, where)
        words = "K steps − one of size Kη" if place == 0 else ""
        over_K.append(Line(words, steps, later, "beside", place))
    error = "|−y(query) − ⟨w^(K), x(query)⟩|"
    return Picture(
        row.claim.id,
        "Theorem 5.2: one SSD ∘ LSA layer against K steps",
        "The printed layer with its signs and its factor 2 mended, which depends on the context. Largest of "
        f"{CONTEXTS} contexts: unit inputs in random\ndirections, d = {d}, n = {n}, the batch is the first m = {m} "
        "examples, y_i = w·x_i, ‖w‖ = 1. Dash-dotted: how far K steps are from one of size Kη.",
        [
            Panel("Error over the step size", "step size η", error, over_eta, x_log=True),
            Panel("Error over the number of steps", "steps K", error, over_K),
        ],
    )


class Worst(NamedTuple):
    """The largest value over the contexts, entry by entry, and the context that has it."""

    value: Any
    context: Any

    def at(self, place: int) -> Worst:
        """The worst case at one place."""
        return Worst(self.value[place], self.context[place])


def _largest(quantity: Callable[..., Any], n: int, d: int, *rest: Any) -> Worst:
    found = np.asarray([quantity(data(n, d, k), *rest) for k in range(CONTEXTS)])
    return Worst(found.max(axis=0), found.argmax(axis=0))


def _values(found: Sequence[Worst]) -> list[float]:
    return [float(one.value) for one in found]


def _slope_two(line: Line) -> Line:
    """A line of slope 2 somewhat above the small end of another."""
    factor = 3 * line.y[0] / line.x[0] ** 2
    return Line("slope 2", line.x[:-3], [factor * x**2 for x in line.x[:-3]], "guide")


def _add(
    lines: list[Line],
    row: Row,
    label: str,
    x: Sequence[float],
    found: Sequence[Worst],
    where: Sequence[Mapping[str, Any]],
) -> None:
    """Add a line, and beside it what amendments of the row bound it by; the first bound of a panel has a name.

    Such a claim is of the kind bound, and asks for nothing but sizes n, d, l, s = n − l, m, r = n − m and K and symbols
    x, y, eta and eps (0). An entry of its left side has the value that is drawn, or this times 1 + ηC² with C = 1.
    """
    lines.append(Line(label, x, _values(found)))
    place = len(lines) - 1
    bounds = [_least_bound(row, worst, **at) for worst, at in zip(found, where, strict=True)]
    names = sorted({name for name, _ in bounds if name})
    if names:
        named = any(line.role == "bound" for line in lines)
        label = "" if named else f"bound: {', '.join(names)}"
        lines.append(Line(label, x, [value for _, value in bounds], "bound", place))


def _least_bound(row: Row, worst: Worst, *, eta: float, **sizes: int) -> tuple[str, float]:
    """The least of the amendments' right sides where the left side is the value of `worst`, and its name, or NaN.

    Where several entries of one amendment have that left side, as after layers that move nothing, it is the largest.
    """
    if not worst.value > NOTHING:
        return "", np.nan
    of = data(sizes["n"], sizes["d"], int(worst.context))
    at = {"x": of.x, "y": of.y, "eta": eta, "eps": 0.0}
    n = sizes["n"]
    sizes |= {"r": n - sizes.get("m", 0), "s": n - sizes.get("l", 0)}
    same: dict[str, float] = {}
    for claim in (one for one in row.amendments if one.kind == "bound"):
        for one in bounds_at(claim, sizes, at):
            for factor in (1.0, 1 + eta):
                if abs(one.left - factor * worst.value) < SAME * worst.value:
                    same[claim.id] = max(one.right / factor, same.get(claim.id, 0.0))
    value, id = min(((right, id) for id, right in same.items()), default=(np.nan, ""))
    return id.removeprefix(row.claim.id), value


PICTURES: dict[str, Callable[[Row], Picture]] = {"ssd.thm5.1": theorem51, "ssd.thm5.2": theorem52}
"""Rows with a picture of their own."""
