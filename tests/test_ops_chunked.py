"""The chunked op: its plans, its gradients and the memory that they take, and what it refuses."""

import sys
from typing import Any

import jax
import numpy as np
import pytest
from loops import WIDE
from op_cases import HEADS, assert_within, exact_run, numbers

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.numeric import chunked, recurrent, x64
from scanproof.numeric import rounding as bounds
from scanproof.numeric.jax_backend import platform
from scanproof.numeric.ops import inputs
from scanproof.numeric.ops.chunked import Plan, plan, run
from scanproof.numeric.ops.inputs import linear_tokens
from scanproof.numeric.precision import precision as precision_of

T, D, N, C = 37, 3, 4, 4
"""Nine chunks, and a token that is left over."""


def tokens(seed: int) -> dict[str, np.ndarray]:
    """v, k, q and an initial state that is not 0."""
    rng = np.random.default_rng(seed)
    shapes = {"v": (T, D), "k": (T, N), "q": (T, N), "initial_state": (D, N)}
    return {name: numbers(rng, 0, *shape) for name, shape in shapes.items()}


def decays(seed: int) -> dict[str, np.ndarray]:
    """One decay a token."""
    return {"log_decay": -np.random.default_rng(seed).exponential(size=(HEADS, T))}


def program(cut: Plan, given: dict[str, Any]) -> tuple[Any, Any]:
    """(program, arrays): the op with a plan of its own, in float64."""
    numbers = precision_of("float64")
    names = sorted(given)

    def compute(*arrays: Any) -> Any:
        checked = linear_tokens("test", numbers, **dict(zip(names, arrays, strict=True)))
        return Scan(None, *run(checked, cut, numbers))

    return compute, tuple(given[name] for name in names)


@pytest.mark.long
def test_the_plan_changes_nothing_but_rounding():
    given = tokens(3) | decays(3)
    with x64():
        compute, arrays = program(Plan(C, 3, True), given)
        found = jax.jit(compute)(*arrays)
        known = bounds.a_priori(compute, *arrays, precision="float64")
    for got, exact, bound in zip(
        found[1:], exact_run("chunked", given)[1:], known[1:], strict=True
    ):
        assert_within(got, exact, bound.bound, WIDE.mpf)


def loss(compute: Any, weights: Any) -> Any:
    """A number in which every output and every entry of the final state counts."""

    def value(*arrays: Any) -> Any:
        found = compute(*arrays)
        return (found.outputs * weights[0]).sum() + (found.final_state * weights[1]).sum()

    return value


@pytest.mark.short("unit-cpu")
@pytest.mark.parametrize("kind, where", [("unit", "cpu"), ("one a token", "gpu")])
def test_gradients_are_those_of_the_definition(kind: str, where: str):
    given = tokens(4) | (decays(4) if kind == "one a token" else {})
    draw = np.random.default_rng(5).normal
    weights = draw(size=(HEADS, T, D)), draw(size=(HEADS, D, N))

    def by_definition(*arrays: Any) -> Any:
        named = dict(zip(sorted(given), arrays, strict=True))
        v, k, q, state = (named[name] for name in ("v", "k", "q", "initial_state"))
        decays = jax.numpy.exp(named["log_decay"]) if len(named) == 5 else np.ones((HEADS, T))
        token = ssd.Token(v, decays, k, q)
        return recurrent(ssd.step, None, state, token, batch=1, chunk=5)

    with x64():
        compute, arrays = program(plan(T, D, N, HEADS, where, C), given)
        every = tuple(range(len(arrays)))
        both = [jax.grad(loss(f, weights), every) for f in (compute, by_definition)]
        found, wanted = (jax.jit(f)(*arrays) for f in both)
        known = [bounds.a_priori(f, *arrays, precision="float64") for f in both]
    for got, exact, one, other in zip(found, wanted, *known, strict=True):
        bound = one.bound + other.bound
        assert np.isfinite(bound).all()
        assert bound.max() < np.abs(exact).max() / 2**24
        assert (np.abs(got - exact) <= bound).all()


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("where", ["cpu", "gpu"])
def test_no_array_holds_a_state_for_every_token(where: str):
    length, width = 4096, 64
    cut = plan(length, width, width, 1, where)
    numbers = precision_of("float32")
    array = jax.ShapeDtypeStruct((length, width), "float32")

    def compute(v: Any, k: Any, q: Any) -> Any:
        return run(linear_tokens("test", numbers, v, k, q), cut, numbers)

    size = largest(jax.make_jaxpr(compute)(array, array, array).jaxpr)
    assert length * width <= size <= length * max(width, cut.chunk, width * width // cut.chunk)
    compiled = jax.jit(compute).lower(array, array, array).compile().memory_analysis()
    assert compiled is not None
    assert compiled.temp_size_in_bytes < 4 * length * width * width / 4


def test_blocks_of_the_plan_fit():
    for length in (1, 63, 64, 640, 2048, 4096 + 64):
        for where in ("cpu", "gpu"):
            cut = plan(length, 64, 64, 8, where)
            n = length // cut.chunk
            assert cut.chunks >= 1 and (n == 0 or n % cut.chunks == 0)


WRONG = {
    "lengths differ": ({"k": np.ones((5, 2))}, r"equal leading axes, got v \(4, 3\), k \(5, 2\)"),
    "no token axis": ({"v": np.ones(3)}, r"v \(…, T, D\)"),
    "no token": (dict.fromkeys("vkq", np.ones((0, 2))), "at least one token"),
    "text": ({"v": np.array([["a"]])}, r"chunked\(v=...\) expects an array of real numbers"),
    "complex": ({"q": np.ones((4, 2), complex)}, r"chunked\(q=...\).*got complex128"),
    "ragged": ({"v": [[1.0], [1.0, 2.0]]}, r"chunked\(v=...\) expects an array"),
    "NaN": ({"v": np.full((4, 3), np.nan)}, r"chunked\(v=...\) expects finite numbers"),
    "infinite": ({"k": np.full((4, 2), np.inf)}, r"chunked\(k=...\) expects finite numbers"),
    "too large": (
        {"v": np.full((4, 3), -1e300)},
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
    given = {"v": np.ones((4, 3)), "k": np.ones((4, 2)), "q": np.ones((4, 2))} | wrong
    with pytest.raises(UsageError, match=message):
        chunked(**given)


@pytest.mark.long
def test_a_chunk_longer_than_the_sequence_takes_no_more_memory_than_one_token_after_the_other():
    tokens = np.random.default_rng(3).normal(size=(3, 5, 2)).astype(np.float32)
    one, long = (chunked(*tokens, chunk=chunk) for chunk in (6, 10**12))
    assert np.array_equal(one.outputs, long.outputs)


@pytest.mark.skipif(platform() != "cpu", reason="the sizes are those of the cut on a CPU")
def test_what_does_not_fit_is_refused_with_what_would(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inputs, "free_memory", lambda: 2**20)
    array = np.broadcast_to(np.float32(1), (2**14, 64))
    with pytest.raises(
        UsageError, match=r"needs 1[0-9]\.\d MiB .* 1\.0 MiB are free: about 0\.0\d+ of"
    ):
        chunked(array, array, array)


def test_sizes_of_batched_tokens_are_their_last_axes():
    batch, (v, k) = (2, 5), (np.zeros((2, 5, T, D)), np.zeros((2, 5, T, N)))
    found = linear_tokens("test", precision_of("float32"), v, k, k)
    assert (found.batch, found.sizes) == (batch, (T, D, N))
