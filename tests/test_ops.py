"""What all ops share: no error is larger than its bound, their accuracy, and that they work inside JAX's own loops."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases import (
    OPS,
    STEPS,
    assert_within,
    bound_of,
    exact_run,
    gate,
    number_for,
    numbers,
    run_op,
    strengths,
)

from scanproof.constructs.layers import delta_rule, linear_attention
from scanproof.numeric import recurrent, x64

SHAPES = {
    "odd": (7, 2, 3, 3),
    "one token": (1, 1, 1, 4),
    "long chunk": (5, 3, 2, 8),
    "even": (8, 2, 3, 4),
}
"""T, D, N and the chunk."""
SCALES = {
    "float32": (-70, -20, 0, 20),  # 2⁻⁷⁰ · 2⁻⁷⁰ is below the smallest normal number
    "bfloat16": (-70, -20, 0, 20),
    "float64": (-600, -40, 0, 200),
}
CASES = [
    ("recurrent", "float32", "with resets", "odd"),
    ("recurrent", "bfloat16", "scalar", "one token"),
    ("chunked", "float32", "one a head", "odd"),
    ("chunked", "float64", "one a token", "even"),
    ("chunked", "float32", "resets only", "one token"),
    ("chunked", "float32", "scalar with resets", "long chunk"),
    ("chunked", "bfloat16", "with resets", "odd"),
    ("streaming", "float32", "with resets", "odd"),
    ("sharded", "bfloat16", "unit", "odd"),
]


@pytest.mark.long
@pytest.mark.parametrize(("op", "precision", "kind", "shape"), CASES)
@settings(max_examples=8)
@given(data=st.data())
def test_no_run_is_further_from_the_exact_value_than_its_bound(op, precision, kind, shape, data):
    T, D, N, chunk = SHAPES[shape]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    scale = [data.draw(st.sampled_from(SCALES[precision])) for _ in range(4)]
    shapes = {"v": (T, D), "k": (T, N), "q": (T, N), "initial_state": (D, N)}
    inputs = {n: numbers(rng, s, *of) for s, (n, of) in zip(scale, shapes.items(), strict=True)}
    assert_run_within(op, precision, inputs | gate(rng, kind, T), chunk)


@pytest.mark.parametrize("kind", ["one a head", "scalar with resets"])
def test_chunks_are_the_recurrence_whatever_the_kind_of_decay(kind):
    T, D, N, chunk = SHAPES["odd"]
    rng = np.random.default_rng(0)
    shapes = {"v": (T, D), "k": (T, N), "q": (T, N), "initial_state": (D, N)}
    inputs = {n: numbers(rng, 0, *of) for n, of in shapes.items()} | gate(rng, kind, T)
    found, known = (run_op(op, "float64", inputs, chunk) for op in ("chunked", "recurrent"))
    assert np.allclose(found.outputs, known.outputs) and np.allclose(
        *(x.final_state for x in (found, known))
    )


DELTA_CASES = [
    ("delta", "float32", "odd"),
    ("delta", "float64", "even"),
    ("delta", "bfloat16", "one token"),
    ("longhorn", "float32", "long chunk"),
]


@pytest.mark.long
@pytest.mark.parametrize(("op", "precision", "shape"), DELTA_CASES)
@settings(max_examples=8)
@given(data=st.data())
def test_no_delta_rule_is_further_from_the_exact_value_than_its_bound(op, precision, shape, data):
    T, D, N, chunk = SHAPES[shape]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    tiny, large = (-60, 20) if precision != "float64" else (-500, 100)
    scale = data.draw(st.sampled_from([tiny, 0, large]))
    shapes = {"v": (T, D), "q": (T, N), "initial_state": (D, N)}
    inputs = {name: numbers(rng, scale, *of) for name, of in shapes.items()}
    keys = numbers(rng, data.draw(st.sampled_from([-13, -3, 0, 2, 13])), T, N)
    most = data.draw(st.sampled_from([0.5, 1.0, 2.2]))
    assert_run_within(op, precision, inputs | {"k": keys} | strengths(rng, keys, most), chunk)


def assert_run_within(op: str, precision: str, inputs: dict[str, np.ndarray], chunk: int) -> None:
    bound = bound_of(op, precision, inputs, chunk)
    exact, found = exact_run(op, inputs), run_op(op, precision, inputs, chunk)
    for name in ("outputs", "final_state"):
        got, known = getattr(found, name), getattr(bound, name)
        assert got.dtype == ("float64" if precision == "float64" else "float32")
        assert_within(got, getattr(exact, name), known.bound, number_for(inputs))


def as_one_uses(op: str, seed: int, T: int, d: int) -> dict[str, np.ndarray]:
    """Normal tokens of two heads, for the delta rule with unit keys."""
    rng = np.random.default_rng(seed)
    v, k, q = rng.normal(size=(3, 2, T, d))
    if op not in STEPS:
        return {"v": v, "k": k, "q": q}
    return {
        "v": v,
        "k": k / np.linalg.norm(k, axis=-1, keepdims=True),
        "q": q,
        "beta": rng.uniform(size=(2, T)),
    }


@pytest.mark.long
@pytest.mark.parametrize("op", ["chunked", "delta"])
def test_an_op_works_under_jit_and_vmap(op: str):
    inputs = {n: a.astype(np.float32) for n, a in as_one_uses(op, 7, 37, 3).items()}

    def run(inputs):
        return OPS[op](**inputs, chunk=4)[1:]

    nothing = np.zeros((2, 3, 3), np.float32)
    limits = bound_of(op, "float32", inputs | {"initial_state": nothing}, 4)[1:]
    each = jax.jit(jax.vmap(run))(inputs)
    for got, wanted, limit in zip(each, run(inputs), limits, strict=True):
        assert (np.abs(got - wanted) <= 2 * limit.bound).all()


@pytest.mark.long
@pytest.mark.parametrize(
    "op, T, d, precision, goal",
    [("chunked", 2048, 64, "bfloat16", 4e-3), ("delta", 512, 128, "float32", 1e-6)],
)
def test_an_op_is_as_accurate_as_it_must_be(op: str, T: int, d: int, precision: str, goal: float):
    """The relative root mean square of the error, against float64 on the same rounded inputs."""
    inputs = {
        n: np.asarray(jax.numpy.asarray(a, "float32" if n == "beta" else precision))
        for n, a in as_one_uses(op, 8, T, d).items()
    }
    found = np.asarray(OPS[op](**inputs, precision=precision).outputs, dtype=np.float64)
    v, k, q, *beta = (np.asarray(a, dtype=np.float64) for a in inputs.values())
    step, tokens = linear_attention.step, linear_attention.Token(q, k, v)
    if op == "delta":
        step, tokens = delta_rule.step, delta_rule.Token(k, v, q, *beta)
    with x64():
        exact = np.asarray(recurrent(step, None, np.zeros((2, d, d)), tokens, batch=1).outputs)
    assert 0 < np.linalg.norm(found - exact) <= goal * np.linalg.norm(exact)
