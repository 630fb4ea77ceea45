"""Bounds for all sizes: true ones are proved, false ones never, and what is recorded is checked again."""

import inspect
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import claims
import numpy as np
import pytest

from scanproof import at_most, definition, iterate, scan
from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
from scanproof.constructs.layers.ssd import decay_mask
from scanproof.proofs.check.all_sizes import Proof
from scanproof.proofs.interpret.array import KernelArray, comprehension, symbol
from scanproof.proofs.interpret.bounds import problem_of
from scanproof.proofs.interpret.claims import Part
from scanproof.proofs.interpret.evaluate import Evaluator, at_index, positions
from scanproof.proofs.interpret.namespace import Namespace
from scanproof.proofs.interpret.session import Session
from scanproof.proofs.interpret.terms import indicator, number, total
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size
from scanproof.proofs.kernel.term import as_term, entry
from scanproof.proofs.language.statements import AtMost
from scanproof.proofs.search.all_sizes import prove
from scanproof.proofs.search.bounds import context, goals
from scanproof.proofs.search.bounds.majorant import planned
from scanproof.proofs.search.bounds.problems import Goal
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving

Body = Callable[..., Any]


claim = partial(claims.claim, kind="bound")


def proved(body: Body, given: dict[str, str], **fields: Any) -> bool:
    return isinstance(prove(claim(body, given, **fields)), Proof)


def scaled(sides: Body, share: Fraction | int) -> Body:
    """The claim left ≤ share · right, from a function that makes both sides."""

    def body(**values: Any):
        left, right = sides(**values)
        return at_most(left, right * share)

    body.__signature__ = inspect.signature(sides)  # type: ignore[attr-defined]
    return body


# True bounds, and the same with less on the right.

FEATURES = {"‖x‖ ≤ C": lambda x, C: at_most(norm(x), C)}
MATRIX = {"‖B‖ ≤ b": lambda B, b: at_most(operator_norm(B), b)}
LABELS = {"|y| ≤ D": lambda y, D: at_most(absolute(y), D)}
POSITIVE = {"η ≥ 0": lambda eta: at_most(0, eta)}
MATRIX_VECTOR = {"B": "k d", "x": "d", "b": "", "C": ""}
ATTENTION = {"x": "N f", "D": "N d", "q": "f", "eta": "", "C": "", "E": "", "c": ""}
ATTENDED = {
    **FEATURES,
    "‖d‖ ≤ E": lambda D, E: at_most(norm(D), E),
    "‖q‖ ≤ c": lambda q, c: at_most(norm(q), c),
}
MIXED = {"x": "n d", "L": "n n", "B": "d d", "C": "", "b": ""}
NEAR = {"x": "n d", "h": "n d", "B": "d d", "C": "", "b": "", "delta": ""}
CLOSE = {
    **FEATURES,
    **MATRIX,
    "‖h‖ ≤ C": lambda h, C: at_most(norm(h), C),
    "‖h − x‖ ≤ δ": lambda h, x, delta: at_most(norm(h - x), delta),
}
SUMS = {"Σ_j |L_ij| ≤ a": lambda L, a: at_most(absolute(L).sum(axis=1), a)}


def mixing(x, mask, B):
    """Σ_j L_ji ⟨x_i, B x_j⟩ x_j, tokens as rows."""
    return (x.T @ (mask * (x @ B @ x.T).T)).T


def matrix_vector(B, x, b, C):
    return norm(B @ x), b * C


def attention(x, D, q, eta, C, E, c, N):
    return norm(eta * (x @ q) @ D), absolute(eta) * E * C * c * N


def all_pairs(x, C, n):
    return absolute((x @ x.T).sum()), C**2 * n * n


def masked(x, L, B, C, b, n):
    return norm(mixing(x, L, B) / n), absolute(L).sum(axis=0) * b * C**3 / n


def unmasked(x, L, B, C, b):
    return norm(mixing(x, 1 - L, B)), absolute(1 - L).sum(axis=0) * b * C**3


def three_terms(x, h, B, C, b, delta, xp, n):
    every = xp.ones((n, n))
    return norm(mixing(h, every, B) - mixing(x, every, B)), 3 * b * C**2 * delta * n * every[0]


def identity(B, eta, b, xp, d):
    return operator_norm(xp.eye(d) - eta * B), 1 + absolute(eta) * b


def trace(B, b, xp, d):
    return absolute((B * xp.eye(d)).sum()), b * d


def causal(L, xp):
    return absolute(xp.tril(L).sum()), absolute(L).sum()


def one_of_many(y, eta):
    return absolute(eta * y[0]), eta * absolute(y).sum()


def row_sums(L, y, D, a):
    return absolute(L @ y), a * D


def selected(y, D, xp, m, r):
    """Weights 1 − n for the first m of n = m + r, 1 for the others."""
    weights = xp.concat([xp.ones((m,)) * (1 - (m + r)), xp.ones((r,))], axis=0)
    return absolute(weights @ y), (D * m) * (m + r - 1) + D * r


TRUE = {
    "matrix_vector": (matrix_vector, MATRIX_VECTOR, {**FEATURES, **MATRIX}),
    "attention": (attention, ATTENTION, ATTENDED),
    "all_pairs": (all_pairs, {"x": "n d", "C": ""}, FEATURES),
    "masked": (masked, MIXED, {**FEATURES, **MATRIX}),
    "unmasked": (unmasked, MIXED, {**FEATURES, **MATRIX}),
    "three_terms": (three_terms, NEAR, CLOSE),
    "identity": (identity, {"B": "d d", "eta": "", "b": ""}, MATRIX),
    "trace": (trace, {"B": "d d", "b": ""}, MATRIX),
    "causal": (causal, {"L": "n n"}, {}),
    "one_of_many": (one_of_many, {"y": "n", "eta": ""}, POSITIVE),
    "row_sums": (row_sums, {"L": "n n", "y": "n", "D": "", "a": ""}, {**LABELS, **SUMS}),
    "selected": (selected, {"y": "m+r", "D": ""}, LABELS),
}


@pytest.mark.short("[one_of_many]", "[row_sums]")
@pytest.mark.parametrize("name", TRUE)
def test_a_bound_is_proved_with_its_constant(name: str):
    sides, given, assuming = TRUE[name]
    assert proved(scaled(sides, 1), given, assuming=assuming)


@pytest.mark.short("causal", "selected")
@pytest.mark.parametrize("name", [*[*TRUE][::3], "causal", "selected"])
def test_a_bound_is_proved_with_no_smaller_constant(name: str):
    sides, given, assuming = TRUE[name]
    assert not proved(scaled(sides, Fraction(99, 100)), given, assuming=assuming)


@pytest.mark.long
def test_the_proof_names_its_schemas_and_hypotheses():
    found = prove(claim(scaled(attention, 1), ATTENTION, assuming=ATTENDED))
    assert isinstance(found, Proof)
    (entry,) = found.entries()
    assert entry["method"] == "bound-chain"
    assert {"triangle inequality", "Cauchy–Schwarz", "sum ≤ count · max"} <= set(entry["steps"])
    assert set(ATTENDED) <= set(entry["steps"])


# What must not be proved.


@pytest.mark.long
def test_the_sign_of_a_scalar_is_not_guessed():
    given = {"y": "n", "s": "", "D": ""}
    body = lambda y, s, D, n: at_most(absolute(s * y), s * D)  # noqa: E731
    assert not proved(body, given, assuming=LABELS)
    assert proved(body, given, assuming={**LABELS, "s ≥ 0": lambda s: at_most(0, s)})


def test_a_difference_is_not_smaller_than_the_difference_of_absolute_values():
    given = {"y": "n", "z": "n"}
    assert proved(lambda y, z: at_most(absolute(y - z), absolute(y) + absolute(z)), given)
    assert not proved(lambda y, z: at_most(absolute(y - z), absolute(y) - absolute(z)), given)
    assert not proved(lambda y, z: at_most(absolute(y) + absolute(z), absolute(y - z)), given)


@pytest.mark.long
def test_a_bound_of_some_entries_is_none_of_the_others():
    given = {"y": "n+1", "D": ""}
    some = {"|y_i| ≤ D": lambda y, D: at_most(absolute(y[1:]), D)}
    assert proved(lambda y, D, n: at_most(absolute(y[1:].sum()), n * D), given, assuming=some)
    assert not proved(lambda y, D, n: at_most(absolute(y[:-1].sum()), n * D), given, assuming=some)


def test_a_bound_of_rows_that_may_not_be_there_is_no_sign_of_its_right_side():
    given = {"x": "n d", "C": ""}
    body = lambda x, C: at_most(0, C)  # noqa: E731
    assert proved(body, given, sizes={"n": (1, 2)}, assuming=FEATURES)
    assert not proved(body, given, sizes={"n": (0, 1)}, assuming=FEATURES)


@pytest.mark.long
def test_a_truncated_matrix_is_not_bounded_by_the_matrix():
    given = {"B": "d d", "x": "d", "b": "", "C": ""}
    body = lambda B, x, b, C, xp: at_most(norm(xp.tril(B) @ x), b * C)  # noqa: E731
    assert not proved(body, given, assuming={**FEATURES, **MATRIX})
    columns = lambda B, x, b, C: at_most(norm(B[1:, :-1] @ x[1:]), b * C)  # noqa: E731
    larger = {"B": "d+1 d+1", "x": "d+1", "b": "", "C": ""}
    assert proved(columns, larger, assuming={**FEATURES, **MATRIX})


@pytest.mark.long
def test_a_triangle_of_ones_is_no_diagonal():
    def triangle(s, xp, d, *, over=False):
        ones = xp.tril(xp.ones((d, d)))
        return at_most(operator_norm((ones.T if over else ones) * s), absolute(s))

    def diagonal(s, xp, d):
        return at_most(operator_norm(xp.eye(d) * s), absolute(s))

    for body in (triangle, lambda s, xp, d: triangle(s, xp, d, over=True)):
        assert not proved(body, {"s": ""}, sizes={"d": (1, 2)})
    assert proved(diagonal, {"s": ""}, sizes={"d": (1, 2)})


@pytest.mark.long
def test_an_index_in_three_places_is_no_coordinate():
    given = {"x": "d", "u": "d", "v": "d", "C": ""}
    small = {
        **FEATURES,
        "‖u‖ ≤ C": lambda u, C: at_most(norm(u), C),
        "‖v‖ ≤ C": lambda v, C: at_most(norm(v), C),
    }
    body = lambda x, u, v, C, d: at_most(absolute((x * u * v).sum()), C**3 * d)  # noqa: E731
    assert proved(body, given, assuming=small)
    number = lambda x, u, C, xp, n: at_most(  # noqa: E731
        absolute((xp.ones((n,)) * x * u).sum()), C**2
    )
    assert proved(number, {"x": "n", "u": "n", "C": ""}, assuming=dict(list(small.items())[:2]))


@pytest.mark.long
def test_a_trace_is_as_large_as_the_dimension():
    given = {"B": "d d", "b": ""}
    body = lambda B, b, xp, d: at_most(absolute((B * xp.eye(d)).sum()), b)  # noqa: E731
    assert not proved(body, given, assuming=MATRIX)
    assert proved(body, given, sizes={"d": (1,)}, assuming=MATRIX) is False


@pytest.mark.long
def test_a_right_side_that_falls_with_time_is_no_bound():
    given = {"x": "d", "u": "d", "eta": "", "C": ""}
    body = lambda x, u, eta, C, l: at_most(norm(layered(x, u, eta, l)), C * (1 - eta) ** l)  # noqa: E731
    assert not proved(body, given, sizes={"l": (0, 1), "d": (1, 2)}, assuming=LAYERS)


# Layers.

LAYERS = {**FEATURES, **POSITIVE, "‖u‖ ≤ C": lambda u, C: at_most(norm(u), C)}
DEPTHS = {"l": (0, 1, 2), "d": (1, 2)}
STATE = {"x": "d", "u": "d", "eta": "", "C": ""}


@definition
def layer(x, u, eta):
    """x − η ⟨x, u⟩ u."""
    return x - eta * (x @ u) * u


def layered(x, u, eta, l):
    return iterate(lambda now: layer(now, u, eta), x, l)


def both(x, u, eta, C, l):
    growth = (1 + eta * C**2) ** l
    after = layered(x, u, eta, l)
    yield at_most(norm(after), C * growth)
    yield at_most(norm(after - x), C * (growth - 1))


def first_order(x, u, eta, C, l):
    return at_most(norm(layered(x, u, eta, l) - x), C * (eta * C**2 * l))


def cubic(x, u, eta, C, l):
    after = iterate(lambda z: z - eta * (z @ z) * (z @ u) * u, x, l)
    return at_most(norm(after), iterate(lambda r: r + eta * C**2 * r**3, C, l))


def growing(y, D, l):
    """y + 1 at each step."""
    return at_most(absolute(iterate(lambda z: z + 1, y, l)), D + l)


def unequal_lengths(x, u, eta, C, l, k):
    return at_most(norm(layered(x, u, eta, l)), C * (1 + eta * C**2) ** k)


def perturbed(x, u, v, eta, C, e, l):
    """A layer with an error of size e each time, against one without."""
    moved = iterate(lambda now: layer(now, u, eta) + v, x, l)
    growth = 1 + eta * C**2
    return at_most(norm(moved - layered(x, u, eta, l)), iterate(lambda r: growth * r + e, 0 * C, l))


def contracting(x, u, v, eta, C, e, l):
    moved = iterate(lambda now: layer(now, u, eta) + v, x, l)
    return at_most(norm(moved - layered(x, u, eta, l)), e * l)


@pytest.mark.short(5)
@pytest.mark.parametrize(
    ("body", "holds"),
    [(both, True), (first_order, False), (cubic, True)],
)
def test_layers_are_bounded_by_a_recurrence(body, holds):
    found = prove(claim(body, STATE, sizes=DEPTHS, assuming=LAYERS))
    assert isinstance(found, Proof) == holds
    if isinstance(found, Proof):
        assert "induction on layers" in found.entries()[0]["steps"]


@pytest.mark.long
def test_a_polynomial_in_the_number_of_layers_is_a_bound():
    assert proved(growing, {"y": "n", "D": ""}, sizes={"l": (0, 1), "n": (1, 2)}, assuming=LABELS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "short"), [(perturbed, False), (contracting, True), (contracting, False)]
)
def test_errors_of_layers_add_up(body, short):
    given = {**STATE, "v": "d", "e": ""}
    assuming = {**LAYERS, "‖v‖ ≤ e": lambda v, e: at_most(norm(v), e)}
    if short:
        assuming["ηC² ≤ 2"] = lambda eta, C: at_most(eta * C**2, 2)
    assert proved(body, given, sizes=DEPTHS, assuming=assuming) == (short or body is perturbed)


# Products and series.

DECAYS = {"|a| ≤ 1": lambda a: at_most(absolute(a), 1)}


def decaying(_, state, token):
    decay, value = token
    state = decay * state + value
    return state, state


def scanned(a, v, D, xp, T, d):
    last = scan(decaying, None, xp.zeros((d,)), (a, v)).final_state
    return at_most(norm(last), D * T)


def geometric(v, q, D, xp, T, d):
    last = scan(decaying, None, xp.zeros((d,)), (xp.ones((T,)) * q, v)).final_state
    return at_most(norm(last), D * (1 - q**T) / (1 - q))


def test_decays_are_bounded_by_what_bounds_each():
    sizes = {"T": (1, 2, 3)}
    body = lambda a: at_most(absolute(decay_mask(a)), 1)  # noqa: E731
    assert proved(body, {"a": "T"}, sizes=sizes, assuming=DECAYS)
    assert not proved(body, {"a": "T"}, sizes=sizes)
    columns = lambda a, T: at_most(absolute(decay_mask(a)).sum(axis=0), T)  # noqa: E731
    assert proved(columns, {"a": "T"}, sizes=sizes, assuming=DECAYS)
    power = lambda s, T, *, half=1: at_most(absolute((-2 * s) ** T), (2 * absolute(s)) ** T / half)  # noqa: E731
    assert proved(power, {"s": ""}, sizes=sizes)
    assert not proved(lambda s, T: power(s, T, half=2), {"s": ""}, sizes=sizes)


@pytest.mark.long
def test_a_scan_with_decays_is_bounded_by_a_sum_and_by_a_geometric_series():
    small = {"‖v‖ ≤ D": lambda v, D: at_most(norm(v), D)}
    sizes = {"T": (1, 2), "d": (1, 2)}
    given = {"a": "T", "v": "T d", "D": ""}
    assert proved(scanned, given, sizes=sizes, assuming={**small, **DECAYS})
    assert not proved(scanned, given, sizes=sizes, assuming=small)
    below_1 = {"0 ≤ q ≤ 1": lambda q: [at_most(0, q), at_most(q, 1)]}
    assert proved(
        geometric, {"v": "T d", "q": "", "D": ""}, sizes=sizes, assuming={**small, **below_1}
    )


@pytest.mark.long
def test_the_right_side_is_taken_at_the_time_of_the_left():
    sizes = {"l": (0, 1), "k": (0, 1), "d": (1, 2)}
    assert not proved(unequal_lengths, STATE, sizes=sizes, assuming=LAYERS)


# Squares.


def contraction(x, u, eta, C):
    after = layer(x, u, eta)
    return at_most((after * after).sum(), C**2)


@pytest.mark.long
def test_a_contraction_is_shown_by_squares():
    short = {"η‖u‖² ≤ 2": lambda u, eta: at_most(eta * (u * u).sum(), 2)}
    long = {"η‖u‖² ≤ 3": lambda u, eta: at_most(eta * (u * u).sum(), 3)}
    start = {"‖x‖² ≤ C²": lambda x, C: at_most((x * x).sum(), C**2)}
    found = prove(claim(contraction, STATE, assuming={**start, **POSITIVE, **short}))
    assert isinstance(found, Proof)
    assert found.entries()[0]["method"] == "sum-of-squares"
    assert not proved(contraction, STATE, assuming={**start, **POSITIVE, **long})
    assert not proved(contraction, STATE, assuming={**start, **short})


# Replay.


CONTRACTION = {
    **POSITIVE,
    "η‖u‖² ≤ 2": lambda u, eta: at_most(eta * (u * u).sum(), 2),
    "‖x‖² ≤ C²": lambda x, C: at_most((x * x).sum(), C**2),
}


# Random expressions, with numbers.

SHAPES = {
    "x": "nd",
    "z": "md",
    "B": "dd",
    "A": "kd",
    "u": "d",
    "y": "n",
    "L": "nn",
    "M": "nd",
    "s": "",
}
MEASURES = {
    "x": ("norm", "C"),
    "z": ("norm", "Z"),
    "B": ("operator", "b"),
    "A": ("operator", "a"),
    "u": ("norm", "U"),
    "y": ("absolute", "D"),
    "M": ("operator", "o"),
}
TAKES = {"absolute": 0, "norm": 1, "operator": 2}


class Expressions:
    """Random arrays of a given shape, made of symbols."""

    def __init__(self, rng: random.Random, sizes: dict[str, Index]) -> None:
        self.rng, self.sizes, self.xp = rng, sizes, Namespace()
        self.symbols = {n: symbol(n, [sizes[c] for c in s]) for n, s in SHAPES.items()}

    def draw(self, shape: str, depth: int) -> KernelArray:
        known = [one for n, one in self.symbols.items() if SHAPES[n] == shape]
        known += [one.T for n, one in self.symbols.items() if SHAPES[n] == shape[::-1] != shape]
        if known and (depth <= 0 or self.rng.random() < 0.2):
            return self.rng.choice(known)
        if depth <= -2:
            return self.xp.ones([self.sizes[c] for c in shape])
        return self.rng.choice([self.linear, self.entrywise, self.cut][: 3 if shape else 2])(
            shape, depth - 1
        )

    def linear(self, shape: str, depth: int) -> KernelArray:
        c = self.rng.choice("nmdk")
        if len(shape) == 2:
            return self.draw(shape[0] + c, depth) @ self.draw(c + shape[1], depth)
        if self.rng.random() < 0.3:
            return self.draw(shape + c, depth).sum(axis=len(shape))
        return self.draw(shape + c, depth) @ self.draw(c, depth)

    def entrywise(self, shape: str, depth: int) -> KernelArray:
        one, other = self.draw(shape, depth), self.draw(shape, depth - 1)
        kind = self.rng.randrange(4)
        if kind == 0:
            return one - other
        if kind == 1:
            return one + 2 * other
        return one * other if kind == 2 else one * self.draw("", depth)

    def cut(self, shape: str, depth: int) -> KernelArray:
        one = self.draw(shape, depth)
        zero = self.xp.zeros([1, *(self.sizes[c] for c in shape[1:])])
        if len(shape) == 2 and self.rng.random() < 0.6:
            lower = comprehension(one.dims, lambda i, j: one.entry([i, j]) * indicator(i - j))
            return self.rng.choice([lower, one - lower])
        return self.xp.concat([one[1:], zero], axis=0)


def hypotheses(symbols: dict[str, KernelArray]) -> list[Part]:
    found = []
    for name, (measure, bound) in MEASURES.items():
        left = symbols[name]
        dims = left.dims[: left.ndim - TAKES[measure]]
        right = comprehension(dims, lambda *_, bound=bound: entry(bound))
        found.append(Part(AtMost, left, right, measure=measure, condition=f"‖{name}‖ ≤ {bound}"))
    return found


def measured(values: Any, measure: str) -> Any:
    if measure == "absolute":
        return np.abs(values)
    return np.linalg.norm(values, axis=-1) if measure == "norm" else np.linalg.norm(values, 2)


def drawn(rng: random.Random, dims: dict[str, int]) -> dict[str, Any]:
    """Numbers for all symbols; the bounds are what the norms are."""
    data: dict[str, Any] = {}
    for name, shape in SHAPES.items():
        spots = tuple(dims[c] for c in shape)
        numbers = rng.choices([-1, -1, 0, 1, 1, 2], k=int(np.prod(spots)))
        data[name] = np.array(numbers, dtype=float).reshape(spots)
    for name, (measure, bound) in MEASURES.items():
        data[bound] = np.max(measured(data[name], measure))
    return data


class Compared:
    """A norm and what is said to be above it, by numbers."""

    def __init__(self, one: Goal, dims: Sequence[Index], own: Session) -> None:
        self.one, self.measure, self.dims, self.session = one, one.measure, dims, own

    def gaps(self, data: dict[str, Any], at: dict[int, int]):
        """(the norm, the right side) at every position."""

        def entries(name: str, place: tuple[Any, ...]) -> Any:
            if name == "abs":
                return abs(place[0])
            inside = all(0 <= i < n for i, n in zip(place, data[name].shape, strict=True))
            return float(data[name][place]) if inside else 10.0**6 * (-1) ** sum(place)

        evaluator = Evaluator(entries, self.session)
        shape = [at_index(d, at) for d in self.dims]
        inner = [e.terms[0][0] for e in self.one.ends]
        for place in positions([v for e in self.one.at for v in e.variables()], at):
            values = np.zeros(shape)
            for spot in np.ndindex(*shape):
                here = {**place, **dict(zip(inner, spot, strict=True))}
                values[spot] = evaluator.value(self.one.left, here)
            yield measured(values, self.measure), float(evaluator.value(self.one.right, place))


def violations(seed: int) -> tuple[int, int]:
    """How many comparisons a random expression had, and how many bounds of it were proved; a wrong one raises."""
    rng, compared, shown = random.Random(seed), 0, 0
    with proving() as own:
        sizes = {c: size(c, 1) for c in "nmdk"}
        expressions = Expressions(rng, sizes)
        given = hypotheses(expressions.symbols)
        here = context.begun(problem_of(given, []), given)
        if rng.random() < 0.6:
            one = contraction_of(rng, expressions.symbols)
        else:
            one = expressions.draw(rng.choice(["", "n", "d", "nd", "nd", "dd", "md", "kd"]), 3)
        if len(one.term.parts) > 12:
            return 0, 0
        measure = rng.choice(["absolute", "norm", "operator"][: one.ndim + 1])
        count = one.ndim - TAKES[measure]
        left, at, ends = simplified(one.term), one.at[:count], one.at[count:]
        kept = frozenset(rng.sample(sorted(SHAPES), rng.choice([0, 0, 0, 2])))
        try:
            measure = ("absolute", "norm", "operator")[len(ends)]
            number = planned(left, ends, measure, here.known, kept, rng.random() < 0.5)
            most = here.known.book.facts[number].right
        except KernelError:
            return 0, 0
        claims = [Goal(at, ends, left, most, measure)]
        for share in (Fraction(1, 2), Fraction(1)):
            goal = Goal(at, ends, left, most * share, measure)
            try:
                goals.shown(goal, here)
            except KernelError:
                continue
            claims.append(goal)
            shown += 1
        for _ in range(4):
            dims = {c: rng.choice([1, 2, 2, 3]) for c in "nmdk"}
            data = drawn(rng, dims)
            place = {sizes[c].terms[0][0]: n for c, n in dims.items()}
            for sides in claims:
                pairs = Compared(sides, one.dims[count:], own).gaps(data, place)
                for norm_, right in pairs:
                    assert norm_ <= right * (1 + 1e-9) + 1e-9, f"seed {seed}: {norm_} > {right}"
                    compared += 1
    return compared, shown


def contraction_of(rng: random.Random, symbols: dict[str, KernelArray]) -> KernelArray:
    """A product of entries, most indices in two places, summed over all but a few of them; guards join some."""
    names = rng.choices(sorted(SHAPES), k=rng.randrange(1, 5))
    waiting: dict[str, list[Index]] = {c: [] for c in "nmdk"}
    lengths = {c: symbols[name].dims[0] for c, name in zip("nmdk", "yzuA", strict=True)}
    used: list[tuple[str, Index]] = []
    term = as_term(1)
    for name in names:
        at = []
        for c in SHAPES[name]:
            if waiting[c] and rng.random() < 0.8:
                i = waiting[c].pop()
                if rng.random() < 0.1:
                    waiting[c].append(i)
            else:
                i = position("i", 0, lengths[c])
                used.append((c, i))
                waiting[c].insert(rng.randrange(len(waiting[c]) + 1), i)
            at.append(i + rng.choice([1, -1]) if rng.random() < 0.05 else i)
        term = term * entry(name, *at)
    alike = [(i, j) for c, i in used for d, j in used if c == d and i != j]
    for i, j in rng.sample(alike, min(len(alike), rng.choice([0, 0, 1, 2]))):
        term = term * indicator(*rng.choice([[i - j], [i - j, j - i], [i - j - 1]]))
    if used and rng.random() < 0.2:
        c, i = rng.choice(used)
        term = term * rng.choice([number(i), indicator(i - 1)])
    rng.shuffle(used)
    free = used[: rng.choice([0, 1, 1, 2])]
    for _, i in used[len(free) :]:
        term = total(term, i)
    return KernelArray([lengths[c] for c, _ in free], [i for _, i in free], simplified(term))


@pytest.mark.long
def test_no_random_expression_exceeds_its_majorant():
    found = [violations(seed) for seed in range(20)]
    assert sum(compared for compared, _ in found) > 100
    assert sum(shown for _, shown in found) > 10
