"""The chunked lane against the definition that is proved, within bounds that are known before the run."""

from __future__ import annotations

import functools
import sys
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.constructs.arrays.scan import Scan, leaves, scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import linear_attention, ssd
from scanproof.numeric import chunked, recurrent, x64
from scanproof.numeric import rounding as bounds
from scanproof.numeric.ops import inputs
from scanproof.numeric.ops.chunked import Plan, plan, run
from scanproof.numeric.ops.inputs import linear_tokens
from scanproof.numeric.precision import precision as precision_of
from scanproof.numeric.rounding.running_error import EPSILON, ULPS, Bounded, bounded

HEADS, T, D, N, C = 2, 37, 3, 4, 4
"""Nine chunks, which the plan takes as three blocks or fewer, and a token that is left over."""


def tokens(seed: int, length: int = T, scale: float = 1.0) -> dict[str, np.ndarray]:
    """z, b, c and W0 ≠ 0; values and state by `scale`."""
    draw = np.random.default_rng(seed).normal
    return {
        "z": scale * draw(size=(HEADS, length, D)),
        "b": draw(size=(HEADS, length, N)),
        "c": draw(size=(HEADS, length, N)),
        "initial_state": scale * draw(size=(HEADS, D, N)),
    }


def gate(kind: str, seed: int, length: int = T) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed + 1)
    decays = -draw.exponential(size=(HEADS, length))
    some = draw.random((HEADS, length)) < 1 / 8
    return {
        "unit": {},
        "scalar": {"log_decay": np.asarray(-0.25)},
        "one a head": {"log_decay": np.asarray([[-0.25], [0.125]])},
        "one a token": {"log_decay": decays},
        "reset": {"log_decay": decays, "reset": some},
        "reset only": {"reset": some},
        "zero decay": {"log_decay": np.where(some, -np.inf, decays)},
        "all but zero": {"log_decay": np.where(some, -1e30, decays)},
    }[kind]


GATES = (
    "unit",
    "scalar",
    "one a head",
    "one a token",
    "reset",
    "reset only",
    "zero decay",
    "all but zero",
)


def definition(given: dict[str, Any]) -> tuple[Bounded, Bounded]:
    """Outputs and final states of `ssd.step` on arrays that know how far float64 is off, head by head."""
    z, b, c, state = (given[name] for name in ("z", "b", "c", "initial_state"))
    shape = z.shape[:2]
    log_decay = np.broadcast_to(np.asarray(given.get("log_decay", 0.0)), shape)
    reset = np.broadcast_to(np.asarray(given.get("reset", False)), shape)
    decays = np.where(reset, 0, np.exp(log_decay))
    outputs, states = [], []
    for h in range(len(z)):
        known = Bounded(decays[h], decays[h] * ULPS * EPSILON)
        token = ssd.Token(bounded(z[h]), known, bounded(b[h]), bounded(c[h]))
        found = scan(ssd.step, None, bounded(state[h]), token)
        outputs.append(found.outputs)
        states.append(found.final_state)
    stack = outputs[0].__array_namespace__().stack
    return stack(outputs), stack(states)


def assert_within(found: Scan, promised: Any, given: dict[str, Any]) -> None:
    """Outputs and state are as near to the exact values as was promised, and the promise says something."""
    pairs = ((found.outputs, promised.outputs), (found.final_state, promised.final_state))
    for (got, promise), exact in zip(pairs, definition(given), strict=True):
        gap = np.abs(np.asarray(got, dtype=np.float64) - exact.value)
        assert np.isfinite(promise.bound).all()
        assert promise.bound.max() < promise.magnitude.max()
        assert (gap <= promise.bound + exact.error).all(), (gap / promise.bound).max()


def lane(given: dict[str, Any], precision: str, chunk: int | None = C) -> tuple[Scan, Any]:
    with x64(precision == "float64"):
        found = chunked(**given, chunk=chunk, precision=precision)
    with np.errstate(invalid="ignore"):  # a zero decay's logarithm
        return found, bounds.linear(**given, chunk=chunk, precision=precision)


@pytest.mark.short(4)
@pytest.mark.parametrize("kind", GATES)
def test_lane_equals_the_definition_for_every_gate(kind: str):
    given = tokens(0) | gate(kind, 0)
    assert_within(*lane(given, "float32"), given)


@pytest.mark.short("float64")
@pytest.mark.parametrize("precision", ["float64", "bfloat16"])
def test_lane_equals_the_definition_in_every_precision(precision: str):
    given = tokens(1) | gate("reset", 1)
    found, promised = lane(given, precision)
    assert_within(found, promised, given)
    assert found.outputs.dtype == found.final_state.dtype == precision_of_outputs(precision)


def precision_of_outputs(precision: str) -> np.dtype:
    return np.dtype("float64" if precision == "float64" else "float32")


@pytest.mark.long_cases("8-8")
@pytest.mark.parametrize("length, chunk", [(1, C), (1, 1), (3, 8), (8, 8)])
def test_lane_equals_the_definition_for_short_sequences_and_long_chunks(length: int, chunk: int):
    given = tokens(2, length) | gate("one a token", 2, length)
    assert_within(*lane(given, "float32", chunk), given)


@pytest.mark.long
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), exponent=st.integers(-30, 30))
def test_lane_equals_the_definition_at_every_scale(seed: int, exponent: int):
    given = tokens(seed, scale=2.0**exponent) | gate("reset", seed)
    assert_within(*lane(given, "float32"), given)


def program(cut: Plan, given: dict[str, Any]) -> tuple[Any, Any]:
    """(program, arrays): the lane with a plan of its own, in float64."""
    numbers = precision_of("float64")
    names = sorted(given)

    def compute(*arrays: Any) -> Any:
        checked = linear_tokens("test", numbers, **dict(zip(names, arrays, strict=True)))
        return Scan(None, *run(checked, cut, numbers))

    return compute, tuple(given[name] for name in names)


@pytest.mark.long
def test_lane_for_accelerators_equals_the_definition():
    given = tokens(3) | gate("one a token", 3)
    with x64():
        compute, arrays = program(plan(T, D, N, HEADS, "gpu", C), given)
        found = jax.jit(compute)(*arrays)
        promised = bounds.a_priori(compute, *arrays, precision="float64")
    assert_within(found, promised, given)


def loss(compute: Any, weights: Any) -> Any:
    """A number in which every output and every entry of the final state counts."""

    def value(*arrays: Any) -> Any:
        found = compute(*arrays)
        return (found.outputs * weights[0]).sum() + (found.final_state * weights[1]).sum()

    return value


@pytest.mark.short("unit-cpu")
@pytest.mark.parametrize(
    "kind, where", [("unit", "cpu"), ("one a token", "cpu"), ("one a token", "gpu")]
)
def test_gradients_are_those_of_the_definition(kind: str, where: str):
    given = tokens(4) | gate(kind, 4)
    draw = np.random.default_rng(5).normal
    weights = draw(size=(HEADS, T, D)), draw(size=(HEADS, D, N))

    def by_definition(*arrays: Any) -> Any:
        named = dict(zip(sorted(given), arrays, strict=True))
        z, b, c, state = (named[name] for name in ("z", "b", "c", "initial_state"))
        decays = jax.numpy.exp(named["log_decay"]) if len(named) == 5 else np.ones((HEADS, T))
        token = ssd.Token(z, decays, b, c)
        return recurrent(ssd.step, None, state, token, batch=1, chunk=5)

    with x64():
        compute, arrays = program(plan(T, D, N, HEADS, where, C), given)
        every = tuple(range(len(arrays)))
        both = [jax.grad(loss(f, weights), every) for f in (compute, by_definition)]
        found, wanted = (jax.jit(f)(*arrays) for f in both)
        promises = [bounds.a_priori(f, *arrays, precision="float64") for f in both]
    for got, exact, *promised in zip(found, wanted, *promises, strict=True):
        bound = promised[0].bound + promised[1].bound
        assert np.isfinite(bound).all()
        assert bound.max() < np.abs(exact).max() / 2**24
        assert (np.abs(got - exact) <= bound).all()


@pytest.mark.short("gpu")
@pytest.mark.parametrize("where", ["cpu", "gpu"])
def test_backward_pass_keeps_at_most_one_state_per_chunk(where: str):
    given = tokens(6)
    with x64():
        compute, arrays = program(plan(T, D, N, HEADS, where, C), given)
        _, pull = jax.vjp(compute, *map(jax.numpy.asarray, arrays))
    kept = sum(leaf.size for leaf in jax.tree.leaves(pull))
    own = sum(array.size for array in arrays)
    states = HEADS * (T // C) * D * N
    ends = HEADS * 2 * D * N  # the states where the core and the rest begin
    # The tokens are kept in two cuts: those of the chunks, and those of the rest.
    assert kept <= 2 * own + states + ends


def largest(jaxpr: Any) -> int:
    """The size of the largest array in a jaxpr, loops included."""
    found = 0
    for equation in jaxpr.eqns:
        found = max([found, *(v.aval.size for v in equation.outvars)])
        for inner in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda p: hasattr(p, "eqns")
        ):
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                found = max(found, largest(inner))
    return found


@pytest.mark.short("gpu")
@pytest.mark.parametrize("where", ["cpu", "gpu"])
def test_no_array_holds_a_state_for_every_token(where: str):
    length, width = 4096, 64
    cut = plan(length, width, width, 1, where)
    numbers = precision_of("float32")
    array = jax.ShapeDtypeStruct((length, width), "float32")

    def compute(z: Any, b: Any, c: Any) -> Any:
        return run(linear_tokens("test", numbers, z, b, c), cut, numbers)

    size = largest(jax.make_jaxpr(compute)(array, array, array).jaxpr)
    assert length * width <= size <= length * max(width, cut.chunk, width * width // cut.chunk)
    compiled = jax.jit(compute).lower(array, array, array).compile().memory_analysis()
    assert compiled is not None
    assert compiled.temp_size_in_bytes < 4 * length * width * width / 4


def test_lane_works_under_vmap_and_jit():
    given = tokens(7)
    z, b, c = (given[name].astype(np.float32) for name in "zbc")
    run = functools.partial(chunked, chunk=C)
    both = run(z, b, c)
    each = jax.jit(jax.vmap(run))(z, b, c)
    for got, wanted in zip(leaves(each[1:]), leaves(both[1:]), strict=True):
        promised = bounds.linear(z, b, c, chunk=C)
        promise = promised.outputs if got.shape == z.shape else promised.final_state
        assert (np.abs(got - wanted) <= 2 * promise.bound).all()


@pytest.mark.short("bfloat16")
@pytest.mark.parametrize("precision, goal", [("float32", 1e-6), ("bfloat16", 4e-3)])
def test_lane_is_as_accurate_as_it_must_be(precision: str, goal: float):
    draw = np.random.default_rng(8).normal
    numbers = precision_of(precision)
    z, b, c = (
        np.asarray(jax.numpy.asarray(draw(size=(1, 2048, 64)), numbers.inputs)) for _ in range(3)
    )
    found = chunked(z, b, c, precision=precision).outputs
    wide = (np.asarray(a, dtype=np.float64) for a in (c, b, z))
    with x64():
        state = np.zeros((1, 64, 64))
        exact = recurrent(
            linear_attention.step, None, state, linear_attention.Token(*wide), batch=1
        ).outputs
    exact = np.asarray(exact)
    gap = np.linalg.norm(np.asarray(found, dtype=np.float64) - exact)
    assert 0 < gap <= goal * np.linalg.norm(exact)


def test_blocks_of_the_plan_fit():
    for length in (1, 63, 64, 640, 2048, 4096 + 64):
        for where in ("cpu", "gpu"):
            cut = plan(length, 64, 64, 8, where)
            n = length // cut.chunk
            assert cut.chunks >= 1 and (n == 0 or n % cut.chunks == 0)


WRONG = {
    "lengths differ": ({"b": np.ones((5, 2))}, r"equal leading axes, got z \(4, 3\), b \(5, 2\)"),
    "no token axis": ({"z": np.ones(3)}, r"z \(…, T, D\)"),
    "no token": (dict.fromkeys("zbc", np.ones((0, 2))), "at least one token"),
    "text": ({"z": np.array([["a"]])}, r"chunked\(z=...\) expects an array of real numbers"),
    "complex": ({"c": np.ones((4, 2), complex)}, r"chunked\(c=...\).*got complex128"),
    "ragged": ({"z": [[1.0], [1.0, 2.0]]}, r"chunked\(z=...\) expects an array"),
    "NaN": ({"z": np.full((4, 3), np.nan)}, r"chunked\(z=...\) expects finite numbers"),
    "infinite": ({"b": np.full((4, 2), np.inf)}, r"chunked\(b=...\) expects finite numbers"),
    "too large": (
        {"z": np.full((4, 3), -1e300)},
        r"numbers that float32 has, up to 3.4e\+38, got 1e\+300",
    ),
    "NaN decay": ({"log_decay": np.asarray(np.nan)}, r"chunked\(log_decay=...\)"),
    "infinite decay": ({"log_decay": np.asarray(np.inf)}, r"chunked\(log_decay=...\).*\+inf"),
    "decay shape": ({"log_decay": np.zeros(3)}, r"log_decay=.*broadcasts to \(4,\).*got \(3,\)"),
    "reset dtype": ({"reset": np.zeros(4)}, r"chunked\(reset=...\) expects bool"),
    "reset shape": ({"reset": np.zeros(3, bool)}, r"reset=.*broadcasts to \(4,\)"),
    "state shape": ({"initial_state": np.zeros((2, 3))}, r"initial_state=.*\(3, 2\), got \(2, 3\)"),
    "no chunk": ({"chunk": 0}, r"chunked\(chunk=0\) expects a whole number ≥ 1"),
    "half a chunk": ({"chunk": 2.5}, r"chunked\(chunk=2.5\)"),
    "unknown precision": ({"precision": "tf32"}, r"precision='tf32'.*allowed: float64, float32"),
    "no 64 bits": ({"precision": "float64"}, r"needs JAX with 64-bit types.*x64"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused_before_anything_compiles(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.modules[run.__module__], "_program", None)
    wrong, message = WRONG[name]
    given = {"z": np.ones((4, 3)), "b": np.ones((4, 2)), "c": np.ones((4, 2))} | wrong
    with pytest.raises(UsageError, match=message):
        chunked(**given)


def test_a_chunk_longer_than_the_sequence_takes_no_more_memory_than_one_token_after_the_other():
    tokens = np.random.default_rng(3).normal(size=(3, 5, 2)).astype(np.float32)
    one, long = (chunked(*tokens, chunk=chunk) for chunk in (6, 10**12))
    assert np.array_equal(one.outputs, long.outputs)


def test_what_does_not_fit_is_refused_with_what_would(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inputs, "free_memory", lambda: 2**20)
    array = np.broadcast_to(np.float32(1), (2**14, 64))
    with pytest.raises(
        UsageError, match=r"needs 1[0-9]\.\d MiB .* 1\.0 MiB are free: about 0\.0\d+ of"
    ):
        chunked(array, array, array)
