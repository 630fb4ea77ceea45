"""Functions at shifted places, sums over chunks in exponents, states inside functions: proved for all sizes."""

from itertools import product

import jax
import jax.numpy as jnp
import pytest

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.jaxpr.programs import equation
from scanproof.proofs.interpret.terms import total
from scanproof.proofs.kernel import index as declarations
from scanproof.proofs.kernel.errors import NotProved
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.rules import Rewriting, is_taken
from scanproof.proofs.kernel.term import LOG, Factor, Monomial, Term, apply, entry
from scanproof.proofs.readings.problem import problem
from scanproof.proofs.search.instances import by_pattern
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving

tanh, sigmoid = jnp.tanh, jax.nn.sigmoid


def outputs(step, start, *tokens):
    return jax.lax.scan(step, start, tokens)[1]


def neighbours(x):
    y = tanh(x)
    return y[1:] * y[:-1] + jax.nn.relu(x)[1:]


def neighbours_of_parts(x, sign=1):
    return jnp.maximum(x[1:], 0) + sign * tanh(x[:-1]) * tanh(x[1:])


def gated(x, b):
    """A linear recurrence, folded: its start is the first token, and its turns read the tokens after."""
    a = sigmoid(b)
    pairs = a, jnp.sqrt(1 - a * a) * x
    return jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), pairs)[1]


def gated_by_turns(x, b, square=True):
    def step(h, token):
        x, b = token
        a = sigmoid(b)
        h = a * h + jnp.sqrt(1 - (a * a if square else a)) * x
        return h, h

    return outputs(step, jnp.zeros(x.shape[1]), x, b)


def decayed(x, g):
    """Gates of 1/(1 + g²), whose positions come in another order than under the mask."""

    def step(h, token):
        x, g = token
        h = jnp.exp(-1 / (1 + g * g)) * h + x
        return h, h

    return outputs(step, jnp.zeros(x.shape[1]), x, g)


def decayed_by_a_mask(x, g, sign=-1):
    G = jnp.cumsum(sign / (1 + g * g), 0)
    causal = jnp.tril(jnp.ones((x.shape[0],) * 2, bool))[:, :, None]
    return jnp.einsum("tsd,sd->td", jnp.where(causal, jnp.exp(G[:, None] - G[None]), 0.0), x)


def keys(k, v, g):
    def step(S, token):
        k, v, g = token
        S = jnp.exp(g)[:, None] * S + jnp.outer(k, v)
        return S, k @ S

    return outputs(step, jnp.zeros((k.shape[1], v.shape[1])), k, v, g)


def keys_in_chunks(k, v, g, C=16, late=False):
    T = k.shape[0]
    causal = jnp.tril(jnp.ones((C, C), bool), -1 if late else 0)[:, :, None]

    def step(S, chunk):
        k, v, g = chunk
        G = jnp.cumsum(g, 0)
        A = jnp.einsum("id,jd,ijd->ij", k, k, jnp.where(causal, jnp.exp(G[:, None] - G[None]), 0.0))
        new = jnp.exp(G[-1])[:, None] * S + (k * jnp.exp(G[-1] - G)).T @ v
        return new, A @ v + (k * jnp.exp(G)) @ S

    chunks = [a.reshape(T // C, C, *a.shape[1:]) for a in (k, v, g)]
    return outputs(step, jnp.zeros((k.shape[1], v.shape[1])), *chunks).reshape(T, -1)


def two_layers(W, x):
    def step(s, token):
        a, b = s
        a = tanh(W @ a + token[0])
        b = tanh(W @ b + a)
        return (a, b), b * a

    zero = jnp.zeros(x.shape[1])
    return outputs(step, (zero, zero), x)


def two_layers_in_one(W, x, late=False):
    def step(s, token):
        a = tanh(W @ s[0] + token[0])
        b = tanh(W @ s[1] + (s[0] if late else a))
        return jnp.stack([a, b]), b * a

    return outputs(step, jnp.zeros((2, x.shape[1])), x)


CHUNKS = "k: 16*n d, v: 16*n e, g: 16*n d"
EQUAL = {
    "functions of neighbours": (neighbours, neighbours_of_parts, "x: n+1 d"),
    "a recurrence from the first token": (gated, gated_by_turns, "x: T d, b: T d"),
    "inverses under a mask": (decayed, decayed_by_a_mask, "x: T d, g: T d"),
    "chunks of sixteen": (keys, keys_in_chunks, CHUNKS),
    "two states in one": (two_layers, two_layers_in_one, "W: n n, x: T n"),
}
APART = {
    "a sign": (neighbours, lambda x: neighbours_of_parts(x, -1), "x: n+1 d"),
    "a root of another": (gated, lambda x, b: gated_by_turns(x, b, False), "x: T d, b: T d"),
    "growth": (decayed, lambda x, g: decayed_by_a_mask(x, g, 1), "x: T d, g: T d"),
    "a mask too short": (keys, lambda *a: keys_in_chunks(*a, late=True), CHUNKS),
    "a layer late": (two_layers, lambda *a: two_layers_in_one(*a, late=True), "W: n n, x: T n"),
}


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", EQUAL)
def test_two_programs_are_equal_at_all_sizes(name):
    left, right, shapes = EQUAL[name]
    found = prove(left, shapes=shapes, equals=right).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", APART)
def test_a_planted_bug_is_refuted(name):
    left, right, shapes = APART[name]
    assert prove(left, shapes=shapes, equals=right).result.verdict == "refuted"


def test_a_value_has_one_name_wherever_it_is_taken():
    with proving():
        n = size("N", 1)
        t, j = position("t", 0, n), position("j", 0, n)
        here = apply("tanh", entry("X", j, t), [t, j])
        later = apply("tanh", entry("X", t + 1, j), [t, j])
        first = apply("tanh", entry("X", 0, 1), [])
        every = [
            by_pattern(f) for one in (here, later, first) for m in one.parts for f in m.factors
        ]
        assert len({f.name for f in every}) == 1
        assert [f.at for f in every] == [(j, t), (t + 1, j), (Index(0), Index(1))]


def test_a_quotient_that_nothing_mentions_is_counted():
    """Σ_q Σ_t [2 q ≤ t < 2 q + 2] X[t] over q < N is Σ_t X[t] over t < 2 N."""
    with proving():
        n = size("N", 1)
        q, r, t = position("q", 0, n), position("r", 0, 2), position("t", 0, n * 2)
        chunks = simplified(total(total(entry("X", q * 2 + r), r), q))
        doubled = Monomial(
            2,
            frozenset([variable(-1), n - 1 - variable(-1)])
            | {variable(-2) - variable(-1) * 2, variable(-1) * 2 + 1 - variable(-2)},
            next(iter(entry("X", variable(1)).parts)).substitute({1: variable(-2)}, 0).factors,
        )
        assert (
            simplified(Term({doubled: 1}, chunks.scope)).parts
            == simplified(total(entry("X", t), t)).parts
        )


@pytest.mark.parametrize(("low", "high", "c"), list(product((-3, 0, 2), (-5, 1, 4, 7), (1, 2, 3))))
def test_multiples_between_two_ends_are_as_many_as_there_are_or_are_not_counted(low, high, c):
    with proving():
        j = variable(-1)
        guards = frozenset([j * c - low, -j * c + high])
        work = Rewriting(Term({Monomial(1, guards, ()): 1}))
        many = sum(low <= c * k <= high for k in range(-10, 10))
        if (high - low + 1) % c:
            with pytest.raises(NotProved):
                work.count(0, -1)
            return
        work.count(0, -1)
        found = sum(k for m, k in work.parts.values() if all(g.const >= 0 for g in m.guards))
        assert found == many


TAKEN = {
    "for each of n rows": (
        True,
        lambda x, v: jnp.log(jnp.broadcast_to(v, (len(x), len(v)))).sum(0),
    ),
    "for each of n − 1 rows": (
        False,
        lambda x, v: jnp.log(jnp.broadcast_to(v, (len(x) - 1, len(v)))).sum(0),
    ),
    "once for n m joined rows": (True, lambda x, v: _beside_joined(x, v)),
    "once for (n − 1) m joined rows": (False, lambda x, v: _beside_joined(x[1:], v)),
    "in n turns": (True, lambda x, v: jax.lax.scan(_with_a_logarithm(v), 0 * v, x)[0]),
    "in n − 1 turns": (False, lambda x, v: jax.lax.scan(_with_a_logarithm(v), 0 * v, x[1:])[0]),
}
"""Programs that take log(v) for each v, and whether they do so for all n ≥ 1."""


def _beside_joined(x, v):
    rows = jnp.outer(x, v).reshape(-1)
    return v + (rows * jnp.log(jnp.broadcast_to(v[0], rows.shape))).sum()


def _with_a_logarithm(v):
    return lambda sum, x: (sum + x * jnp.log(v), None)


@pytest.mark.parametrize("name", TAKEN)
def test_a_logarithm_is_known_to_be_taken_where_its_array_has_rows_and_its_loop_turns(name):
    always, program = TAKEN[name]
    statement = equation(program, lambda x, v: v, {"x": "n", "v": "m"}).statement
    with proving() as current:
        problem(statement, current)
        (name,) = (n for n, one in declarations.current.bodies.items() if one.name == LOG)
        (place,) = (order for order, _ in declarations.current.places[name].values())
        known = declarations.facts({v for e in place for v in e.variables()})
        assert is_taken(Factor(name, place), known) is always
