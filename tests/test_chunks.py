"""Programs that go chunk by chunk: proved to be those that go token by token where they are, and only there."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from claims import decided
from jax import lax

from scanproof import equal
from scanproof.constructs.errors import UsageError
from scanproof.constructs.forms.chunked import decays_from_start
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.program import program

# Token by token.


def keys_by_values(k, v):
    return k.T @ v


def written(k, v):
    """The state of linear attention after all tokens."""

    def step(S, token):
        k, v = token
        return S + jnp.outer(k, v), None

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (k, v))[0]


def attended(q, k, v):
    """The outputs of linear attention."""

    def step(S, token):
        q, k, v = token
        S = S + jnp.outer(k, v)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def masked(q, k, v):
    return jnp.tril(q @ k.T) @ v


def decayed(q, k, v, a):
    """With decays a of each token, or of each token and channel."""

    def step(S, token):
        q, k, v, a = token
        S = (a[:, None] if a.ndim else a) * S + jnp.outer(k, v)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, a))[1]


def retained(q, k, v, gamma):
    """Retention: one decay for all tokens."""

    def step(S, token):
        q, k, v = token
        S = gamma * S + jnp.outer(k, v)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v))[1]


def heads_masked(q, k, v):
    return jnp.tril(jnp.einsum("bhtd,bhsd->bhts", q, k)) @ v


# Chunk by chunk.


def cut(C, *arrays):
    return tuple(x.reshape(x.shape[0] // C, C, *x.shape[1:]) for x in arrays)


def chunk_sums(C):
    def run(k, v):
        step = lambda S, chunk: (S + chunk[0].T @ chunk[1], None)  # noqa: E731
        return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), cut(C, k, v))[0]

    return run


def sliced_sums(C):
    def run(k, v):
        def body(i, S):
            own, wrote = (lax.dynamic_slice_in_dim(x, i * C, C, 0) for x in (k, v))
            return S + own.T @ wrote

        return lax.fori_loop(0, k.shape[0] // C, body, jnp.zeros((k.shape[1], v.shape[1])))

    return run


def products_at_once(C):
    def run(k, v):
        return jax.vmap(lambda k, v: k.T @ v)(*cut(C, k, v)).sum(0)

    return run


def in_chunks(C, strict=False, late=False, lost=False):
    """Masked attention within a chunk, a state between chunks; each flag is a mistake."""

    def run(q, k, v):
        mask = jnp.tril(jnp.ones((C, C)), -1 if strict else 0)

        def step(S, chunk):
            q, k, v = chunk
            after = S + (k[:-1] if lost else k).T @ (v[:-1] if lost else v)
            return after, q @ (after if late else S) + ((q @ k.T) * mask) @ v

        start = jnp.zeros((q.shape[1], v.shape[1]))
        return lax.scan(step, start, cut(C, q, k, v))[1].reshape(v.shape)

    return run


def at_once(C, shifted=True):
    """States before each chunk by a running sum."""

    def run(q, k, v):
        Q, K, V = cut(C, q, k, v)
        each = jnp.einsum("ncd,nce->nde", K, V)
        before = jnp.cumsum(each, 0) - (each if shifted else 0)
        scores = jnp.einsum("ncd,nmd->ncm", Q, K)
        within = jnp.where(jnp.tril(jnp.ones((C, C), bool)), scores, 0.0)
        return (jnp.einsum("ncd,nde->nce", Q, before) + within @ V).reshape(v.shape)

    return run


def written_in_place(C):
    def run(q, k, v):
        def body(i, carry):
            S, out = carry
            a, b, w = (lax.dynamic_slice_in_dim(x, i * C, C, 0) for x in (q, k, v))
            rows = a @ S + jnp.tril(a @ b.T) @ w
            return S + b.T @ w, lax.dynamic_update_slice_in_dim(out, rows, i * C, 0)

        start = jnp.zeros((q.shape[1], v.shape[1])), jnp.zeros(v.shape)
        return lax.fori_loop(0, q.shape[0] // C, body, start)[1]

    return run


def three_chunks(q, k, v):
    C = q.shape[0] // 3
    S, out = jnp.zeros((q.shape[1], v.shape[1])), []
    for i in range(3):
        a, b, w = (x[i * C : (i + 1) * C] for x in (q, k, v))
        out.append(a @ S + jnp.tril(a @ b.T) @ w)
        S = S + b.T @ w
    return jnp.concatenate(out)


def heads_in_chunks(C):
    def run(q, k, v):
        b, h, T, _ = q.shape
        q, k, v = (x.reshape(b, h, T // C, C, x.shape[-1]) for x in (q, k, v))
        S = jnp.cumsum(jnp.swapaxes(k, -1, -2) @ v, 2)
        S = jnp.concatenate([jnp.zeros_like(S[:, :, :1]), S[:, :, :-1]], axis=2)
        scores = jnp.einsum("bhncd,bhnmd->bhncm", q, k)
        scores = jnp.where(jnp.triu(jnp.ones((C, C), bool), 1), 0.0, scores)
        return (q @ S + scores @ v).reshape(b, h, T, -1)

    return run


def between(a, first, last):
    """a_first … a_last, of a chunk's decays."""
    return jnp.prod(a[first : last + 1], 0)


def decayed_chunks(C, kept=True):
    """Products of decays within a chunk; without `kept` the state does not decay from chunk to chunk."""

    def run(q, k, v, a):
        def step(S, chunk):
            q, k, v, a = chunk
            spread = (lambda x: x) if a.ndim == 2 else (lambda x: x[:, None])
            rows = []
            for t in range(C):
                row = (q[t] * between(a, 0, t)) @ S
                for s in range(t + 1):
                    row = row + jnp.sum(q[t] * between(a, s + 1, t) * k[s]) * v[s]
                rows.append(row)
            left = jnp.stack([between(a, s + 1, C - 1) for s in range(C)])
            whole = between(a, 0, C - 1)
            whole = whole[:, None] if a.ndim == 2 else whole
            S = (whole * S if kept else S) + (spread(left) * k).T @ v
            return S, jnp.stack(rows)

        start = jnp.zeros((q.shape[1], v.shape[1]))
        return lax.scan(step, start, cut(C, q, k, v, a))[1].reshape(v.shape)

    return run


def by_ratios(C):
    """Keys divided by the decays so far, queries multiplied by them."""

    def run(q, k, v, a):
        def step(S, chunk):
            q, k, v, a = chunk
            b = jnp.cumprod(a, 0)
            q, k = q * b, k / b
            return b[-1][:, None] * (S + k.T @ v), q @ S + jnp.tril(q @ k.T) @ v

        start = jnp.zeros((q.shape[1], v.shape[1]))
        return lax.scan(step, start, cut(C, q, k, v, a))[1].reshape(v.shape)

    return run


def nested(C):
    """A scan over the chunks of scans over their tokens."""

    def run(q, k, v, a):
        def token(S, one):
            q, k, v, a = one
            S = a * S + jnp.outer(k, v)
            return S, q @ S

        start = jnp.zeros((q.shape[1], v.shape[1]))
        rows = lax.scan(lambda S, one: lax.scan(token, S, one), start, cut(C, q, k, v, a))[1]
        return rows.reshape(v.shape)

    return run


def dual(C, order=1):
    """Mamba-2's chunks: what each writes, the states between them, what each reads; −1 reads them backwards."""

    def run(q, k, v, a):
        Q, K, V, A = cut(C, q, k, v, a)
        none = jnp.zeros(A.shape[0])
        left = jnp.stack([jnp.prod(A[:, s + 1 :], 1) for s in range(C)], -1)
        row = lambda t: [jnp.prod(A[:, s + 1 : t + 1], 1) if s <= t else none for s in range(C)]  # noqa: E731
        L = jnp.stack([jnp.stack(row(t), -1) for t in range(C)], -2)
        within = jnp.einsum("cts,cse->cte", jnp.einsum("ctd,csd->cts", Q, K) * L, V)
        states = jnp.einsum("csd,cse->cde", K * left[..., None], V)
        step = lambda S, chunk: (chunk[1] * S + chunk[0], S)  # noqa: E731
        before = lax.scan(step, jnp.zeros(states.shape[1:]), (states, jnp.prod(A, 1)))[1][::order]
        across = jnp.einsum("ctd,cde->cte", Q * jnp.cumprod(A, 1)[..., None], before)
        return (within + across).reshape(v.shape)

    return run


def retained_chunks(C, late=0):
    """RetNet's chunks; `late` is a power too many."""

    def run(q, k, v, gamma):
        row = lambda t: [gamma ** (t - s) if s <= t else 0 * gamma for s in range(C)]  # noqa: E731
        D = jnp.stack([jnp.stack(row(t)) for t in range(C)])
        read = jnp.stack([gamma ** (t + 1 + late) for t in range(C)])
        left = jnp.stack([gamma ** (C - 1 - s) for s in range(C)])

        def step(S, chunk):
            q, k, v = chunk
            out = ((q @ k.T) * D) @ v + read[:, None] * (q @ S)
            return gamma**C * S + (left[:, None] * k).T @ v, out

        start = jnp.zeros((q.shape[1], v.shape[1]))
        return lax.scan(step, start, cut(C, q, k, v))[1].reshape(v.shape)

    return run


def padded(k, v):
    k, v = (jnp.pad(x, ((0, 1), (0, 0))) for x in (k, v))
    return chunk_sums(4)(k, v)


# Sums of sums.


def summed(x):
    return x.sum(0)


def summed_twice(C, off=0):
    return lambda x: x.reshape(x.shape[0] // C, C, -1)[:, off:].sum(1).sum(0)


def mean_of_means(C):
    return lambda x: x.reshape(x.shape[0] // C, C, -1).mean(1).mean(0)


class Case(NamedTuple):
    name: str
    one: Callable[..., Any]
    other: Callable[..., Any]
    given: dict[str, str]


def of(C, *more, r=""):
    """Arrays of C·n tokens, and others."""
    T = f"{C}*n{r}"
    shapes = {"q": f"{T} d", "k": f"{T} d", "v": f"{T} e"}
    channels = {"a": T} if "a" in more else {"a": f"{T} d"} if "channels" in more else {}
    return {**shapes, **channels, **({"gamma": ""} if "gamma" in more else {})}


def pair(C, r=""):
    return {"k": f"{C}*n{r} d", "v": f"{C}*n{r} e"}


PROVED = [
    Case("states over chunks of 2", chunk_sums(2), keys_by_values, pair(2)),
    Case("states over chunks of 64", chunk_sums(64), written, pair(64)),
    Case("slices in a loop", sliced_sums(4), keys_by_values, pair(4)),
    Case("products at once", products_at_once(4), written, pair(4)),
    Case("a padded last chunk", padded, keys_by_values, pair(4, "+3")),
    Case("a sum of sums", summed_twice(4), summed, {"x": "4*n d"}),
    Case("a mean of means", mean_of_means(4), lambda x: x.mean(0), {"x": "4*n d"}),
    Case("attention in chunks of 2", in_chunks(2), attended, of(2)),
    Case("attention in chunks of 4", in_chunks(4), masked, of(4)),
    Case("attention in chunks of 64", in_chunks(64), attended, of(64)),
    Case("running sums of states", at_once(4), attended, of(4)),
    Case("outputs written in place", written_in_place(2), attended, of(2)),
    Case("three chunks of any length", three_chunks, attended, of(3)),
    Case(
        "heads",
        heads_in_chunks(4),
        heads_masked,
        {"q": "b h 4*n d", "k": "b h 4*n d", "v": "b h 4*n e"},
    ),
    Case("decays", decayed_chunks(2), decayed, of(2, "a")),
    Case("decays of channels", decayed_chunks(2), decayed, of(2, "channels")),
    Case("ratios of decays", by_ratios(2), decayed, of(2, "channels")),
    Case("scans of scans", nested(2), decayed, of(2, "a")),
    Case("scans of scans of 16", nested(16), decayed, of(16, "a")),
    Case("state space duality", dual(2), decayed, of(2, "a")),
    Case("state space duality in chunks of 4", dual(4), decayed, of(4, "a")),
    Case("retention", retained_chunks(2), retained, of(2, "gamma")),
    Case("retention in chunks of 4", retained_chunks(4), retained, of(4, "gamma")),
]
FALSE = [
    Case("the last token of a sum lost", summed_twice(2, off=1), summed, {"x": "2*n d"}),
    Case("a strict mask", in_chunks(2, strict=True), attended, of(2)),
    Case("the state after the chunk", in_chunks(2, late=True), attended, of(2)),
    Case("a chunk's last token is not written", in_chunks(4, lost=True), attended, of(4)),
    Case("running sums one chunk on", at_once(2, shifted=False), attended, of(2)),
    Case("no decay over a chunk", decayed_chunks(2, kept=False), decayed, of(2, "a")),
    Case("states in the wrong order", dual(2, order=-1), decayed, of(2, "a")),
    Case("a power too many", retained_chunks(2, late=1), retained, of(2, "gamma")),
]


def _verdict(case):
    def body(**given):
        return equal(*(program(one)(*given.values()) for one in (case.one, case.other)))

    kind = inspect.Parameter.KEYWORD_ONLY
    names = [inspect.Parameter(n, kind) for n in case.given]
    body.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    sizes = {"n": (1, 2), "d": (1, 2), "e": (1,)}
    used = " ".join(case.given.values())
    return decided(body, case.given, sizes={n: r for n, r in sizes.items() if n in used})


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("case", PROVED, ids=lambda case: case.name)
def test_chunk_by_chunk_is_token_by_token(case):
    found = _verdict(case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
@pytest.mark.parametrize("case", FALSE, ids=lambda case: case.name)
def test_a_mistake_between_chunks_is_refuted(case):
    assert _verdict(case).verdict == "refuted"


# Chunks of any length.


def length_of(w, x):
    return x.shape[0] // w.shape[0], w.shape[0]


def any_chunks(q, k, v, w, strict=False):
    n, C = length_of(w, q)
    Q, K, V = (x.reshape(n, C, x.shape[1]) for x in (q, k, v))
    mask = jnp.tril(jnp.ones((C, C)), -1 if strict else 0)

    def step(S, chunk):
        q, k, v = chunk
        return S + k.T @ v, q @ S + ((q @ k.T) * mask) @ v

    start = jnp.zeros((q.shape[1], v.shape[1]))
    return lax.scan(step, start, (Q, K, V))[1].reshape(v.shape)


def any_scans(q, k, v, a, w):
    n, C = length_of(w, q)

    def token(S, one):
        q, k, v, a = one
        S = a * S + jnp.outer(k, v)
        return S, q @ S

    chunks = tuple(x.reshape(n, C, *x.shape[1:]) for x in (q, k, v, a))
    start = jnp.zeros((q.shape[1], v.shape[1]))
    rows = lax.scan(lambda S, one: lax.scan(token, S, one), start, chunks)[1]
    return rows.reshape(v.shape)


def any_sums(k, v, w):
    n, C = length_of(w, k)
    K, V = (x.reshape(n, C, x.shape[1]) for x in (k, v))
    step = lambda S, chunk: (S + chunk[0].T @ chunk[1], None)  # noqa: E731
    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (K, V))[0]


ANY = "q: n*C d, k: n*C d, v: n*C e, w: C"
SIZES = {"n": (1, 2), "C": (1, 2), "d": (1,), "e": (1,)}


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "other", "shapes"),
    [
        (any_sums, lambda k, v, w: k.T @ v, "k: n*C d, v: n*C e, w: C"),
        (any_sums, lambda k, v, w: written(k, v), "k: n*C d, v: n*C e, w: C"),
        (any_chunks, lambda q, k, v, w: attended(q, k, v), ANY),
        (any_scans, lambda q, k, v, a, w: decayed(q, k, v, a), ANY.replace("w:", "a: n*C, w:")),
    ],
)
def test_chunks_of_any_length_are_the_tokens(one, other, shapes):
    found = prove(one, shapes=shapes, equals=other, sizes=SIZES).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
def test_a_mistake_within_chunks_of_any_length_is_shown_on_the_arrays_that_the_program_takes():
    wrong = lambda q, k, v, w: any_chunks(q, k, v, w, strict=True)  # noqa: E731
    found = prove(wrong, shapes=ANY, equals=lambda q, k, v, w: attended(q, k, v), sizes=SIZES)
    assert found.result.verdict == "refuted"
    shown = found.result.counterexample
    assert shown is not None
    length = shown.sizes["n"] * shown.sizes["C"]
    assert len(shown.inputs["q"]) == len(shown.claimed) == len(shown.actual) == length
    assert not isinstance(shown.inputs["q"][0][0], list)


def test_a_definition_takes_no_product_of_sizes():
    with pytest.raises(UsageError, match="apart"):
        prove(lambda k: k.sum(0), shapes="k: n*C d", equals=decays_from_start)


@pytest.mark.long
def test_another_order_of_the_axes_of_a_long_one_is_not_taken_for_the_same():
    def turned(k, w):
        n, C = length_of(w, k)
        return jnp.swapaxes(k.reshape(n, C, -1), 0, 1).sum(1)

    def plain(k, w):
        n, C = length_of(w, k)
        return k.reshape(n, C, -1).sum(0)

    found = prove(turned, shapes="k: n*C d, w: C", equals=plain, sizes={"n": (1, 2), "C": (2,)})
    assert found.result.verdict == "proved"
    found = prove(
        lambda k, w: turned(k, w)[::-1], shapes="k: n*C d, w: C", equals=plain, sizes={"C": (2,)}
    )
    assert found.result.verdict == "refuted"


# Operations along an axis of n·C.


def flat(x):
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def sums_to_come(K):
    """Σ_{s ≥ t} of all tokens, backwards."""
    return lax.scan(lambda s, x: (s + x, s + x), jnp.zeros(K.shape[2]), flat(K), reverse=True)[1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(lambda K: flat(K).sum(0), lambda K: K.sum((0, 1)), id="sum"),
        pytest.param(lambda K: flat(K).mean(0), lambda K: K.mean(1).mean(0), id="mean"),
        pytest.param(lambda K: (flat(K).T @ flat(K)).T, lambda K: flat(K).T @ flat(K), id="gram"),
        pytest.param(
            lambda K: (flat(K) @ flat(K).T).sum(1).reshape(K.shape[:2]),
            lambda K: K @ K.sum((0, 1)),
            id="pairs",
        ),
        pytest.param(
            lambda K: (flat(K)[:, None, :] * flat(K)[:, :, None]).sum(0),
            lambda K: jnp.einsum("ncd,nce->de", K, K),
            id="new axes",
        ),
        pytest.param(
            lambda K: jnp.exp(flat(K) - 2 * flat(K)).reshape(K.shape),
            lambda K: jnp.exp(-K),
            id="entry by entry",
        ),
        pytest.param(
            lambda K: sums_to_come(K).reshape(K.shape)[:, 0],
            lambda K: jnp.flip(jnp.cumsum(jnp.flip(K.sum(1), 0), 0), 0),
            id="backwards",
        ),
    ],
)
def test_an_axis_of_chunks_is_read_as_theirs(one, other):
    body = lambda K: equal(program(one)(K), program(other)(K))  # noqa: E731
    found = decided(body, {"K": "n C d"}, sizes={"n": (1, 2, 3), "C": (1, 2, 3), "d": (1, 2)})
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            lambda K: flat(K).reshape(K.shape[1], K.shape[0], -1).sum(1)[0],
            lambda K: K.sum(1)[0],
            id="cut into chunks of another length",
        ),
        pytest.param(
            lambda K: flat(K).T @ flat(jnp.swapaxes(K, 0, 1)),
            lambda K: flat(K).T @ flat(K),
            id="tokens in two orders meet",
        ),
        pytest.param(
            lambda K: sums_to_come(K).reshape(K.shape),
            lambda K: jnp.flip(jnp.cumsum(jnp.flip(K, 1), 1), 1),
            id="sums to come of a chunk alone",
        ),
        pytest.param(
            lambda K: lax.scan(lambda s, x: (2 * s + x, None), jnp.zeros(K.shape[2]), flat(K))[0],
            lambda K: lax.scan(lambda s, x: (2 * s + x.sum(0), None), jnp.zeros(K.shape[2]), K)[0],
            id="a decay a chunk",
        ),
    ],
)
def test_what_is_not_so_along_an_axis_of_chunks_is_not_proved(one, other):
    body = lambda K: equal(program(one)(K), program(other)(K))  # noqa: E731
    found = decided(body, {"K": "n C d"}, sizes={"n": (1, 2, 3), "C": (1, 2, 3), "d": (1, 2)})
    assert (found.verdict, found.scope) != ("proved", "all-sizes")
