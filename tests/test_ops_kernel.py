"""The loops as GPU kernels: what they compute is what the loops compute; when they are chosen; that they compile."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanproof.constructs.layers import delta_rule
from scanproof.numeric import rounding as bounds
from scanproof.numeric import x64
from scanproof.numeric.jax_backend import platform
from scanproof.numeric.ops import chunked, delta, kernel
from scanproof.numeric.ops.chunked import Plan, plan
from scanproof.numeric.ops.inputs import linear_tokens
from scanproof.numeric.precision import BFLOAT16, FLOAT32, FLOAT64, Precision, matmul

HEADS, T, SIDE, C = 2, 54, 32, 16
"""Three chunks, and six tokens that are left over."""
IN_KERNEL, IN_LOOP = Plan(C, 1, False, in_kernel=True), Plan(C, 3, False)
GATES = ("one", "scalar", "a decay a token", "resets")
LAYERS = tuple(delta.LAYERS)


@pytest.fixture(autouse=True)
def every_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that no GPU has run yet, too."""
    monkeypatch.setenv(kernel.SWITCH, kernel.ALL)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels run on any device, by Pallas' interpreter, where otherwise their loops would."""
    monkeypatch.setattr(kernel, "run", functools.partial(kernel.run, interpret=True))
    monkeypatch.setattr(kernel, "standing_for", lambda plain, fast: fast)


@pytest.fixture
def shared(interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two programs share a head, forward and backward, with half of the rows of its state each."""
    monkeypatch.setattr(kernel, "programs", lambda *sizes: 2)


def program(layer: str) -> tuple[Any, tuple[Any, ...]]:
    """((plan, v, k, q, the rest, numbers) -> (outputs, final states), arrays in bfloat16)."""
    rng = np.random.default_rng(7)
    v, k, q = (
        jnp.asarray(rng.standard_normal((HEADS, T, SIDE)) / scale, jnp.bfloat16)
        for scale in (1, 6, 6)
    )
    start = jnp.asarray(rng.standard_normal((HEADS, SIDE, SIDE)), jnp.float32)
    if layer in LAYERS:
        beta = jnp.asarray(rng.random((HEADS, T)), jnp.float32)

        def compute(cut: Plan, *arrays: Any, numbers: Precision = BFLOAT16) -> Any:
            v, k, q, beta = arrays
            token = delta_rule.Token(k, v, q, beta)
            state = start.astype(numbers.accumulate)
            return delta.run(delta.LAYERS[layer], token, state, cut, numbers)

        return compute, (v, k, q, beta)
    decays = -rng.exponential(size=(HEADS, T))
    decays[rng.random(decays.shape) < 0.1] = -1000
    given = {
        "one": (None, None),
        "scalar": (-0.1, None),
        "a decay a token": (decays, None),
        "resets": (None, rng.random((HEADS, T)) < 0.1),
    }[layer]

    log_decay, reset = given

    def compute(cut: Plan, *arrays: Any, numbers: Precision = BFLOAT16) -> Any:
        v, k, q = arrays
        tokens = linear_tokens("test", numbers, v, k, q, log_decay, reset, start)
        return chunked.run(tokens, cut, numbers)

    return compute, (v, k, q)


def jitted(compute: Any) -> Any:
    """The program, compiled for a plan."""
    return jax.jit(compute, static_argnums=0)


@pytest.mark.short("longhorn")
@pytest.mark.parametrize("layer", ["resets", "longhorn"])
def test_a_kernel_computes_what_the_loop_does(layer: str, interpreted: None):
    compute, arrays = program(layer)
    run = jitted(compute)
    for found, wanted in zip(run(IN_KERNEL, *arrays), run(IN_LOOP, *arrays), strict=True):
        # Both round the same numbers at the same places; sums may be added up in another order.
        np.testing.assert_allclose(found, wanted, rtol=2e-2, atol=2e-2)
        assert np.linalg.norm(found - wanted) <= 2e-3 * np.linalg.norm(wanted)


@pytest.mark.long
@pytest.mark.parametrize("layer", ["a decay a token", "delta"])
def test_what_a_kernel_computes_is_within_the_bound_of_the_loop(layer: str, interpreted: None):
    compute, arrays = program(layer)
    known = bounds.a_priori(functools.partial(compute, IN_LOOP), *arrays)
    with x64():
        wide = functools.partial(compute, IN_LOOP, numbers=FLOAT64)
        exact = map(np.asarray, jax.jit(wide)(*(a.astype("float64") for a in arrays)))
    for found, wanted, bound in zip(jitted(compute)(IN_KERNEL, *arrays), exact, known, strict=True):
        assert (np.abs(np.asarray(found, np.float64) - wanted) <= bound.bound).all()
        assert np.isfinite(bound.bound).all()


def test_a_bound_reads_a_kernel_as_the_loop_that_it_stands_for(
    interpreted: None, monkeypatch: pytest.MonkeyPatch
):
    def here(plain: Any, fast: Any) -> Any:
        return lambda *trees: jax.lax.platform_dependent(*trees, cpu=fast, default=plain)

    compute, arrays = program("one")
    monkeypatch.setattr(kernel, "standing_for", here)
    both = (
        bounds.a_priori(functools.partial(compute, cut), *arrays) for cut in (IN_KERNEL, IN_LOOP)
    )
    for found, wanted in zip(*both, strict=True):
        np.testing.assert_array_equal(found.bound, wanted.bound)


def test_the_bound_of_six_products_of_parts_is_not_that_of_one():
    rng = np.random.default_rng(5)
    a, b = (rng.uniform(1, 2, (256, 1)).astype(np.float32) for _ in range(2))
    wide, parts = a.astype(float) @ b.T.astype(float), []
    for rest in (a, b):
        parts.append([])
        for _ in range(3):
            parts[-1].append(np.asarray(jnp.asarray(rest, jnp.bfloat16), np.float32))
            rest = rest - parts[-1][-1]
    of_a, of_b = ([part.astype(float) for part in one] for one in parts)
    six = np.sum([of_a[i] @ of_b[k].T for i in range(3) for k in range(3 - i)], axis=0)
    wrong = np.abs(six.astype(np.float32) - wide)
    by_parts, by_one = (
        bounds.a_priori(functools.partial(matmul, numbers, axes=(-1, -1)), a, b).bound
        for numbers in (kernel.products(FLOAT32), FLOAT32)
    )
    assert (wrong <= by_parts).all()
    assert (wrong > by_one).any()


def in_format(arrays: tuple[Any, ...], numbers: Precision) -> tuple[Any, ...]:
    """The arrays, those of bfloat16 as a precision has them."""
    return tuple(a.astype(numbers.inputs) if a.dtype == jnp.bfloat16 else a for a in arrays)


def loss(compute: Any, numbers: Precision) -> Any:
    """A loss of (plan, arrays) that depends on all outputs and final states."""

    def square(cut: Plan, *arrays: Any) -> Any:
        outputs, state = compute(cut, *arrays, numbers=numbers)
        return (outputs**2).sum() + (state**2).sum()

    return square


@pytest.mark.long
@pytest.mark.parametrize(
    ("layer", "numbers"),
    [("one", BFLOAT16), ("a decay a token", FLOAT32), ("delta", FLOAT32)],
)
def test_programs_that_share_a_head_compute_loss_and_gradients_of_the_loop(layer, numbers, shared):
    compute, arrays = program(layer)
    arrays = in_format(arrays, numbers)
    places = tuple(range(1, 1 + len(arrays)))
    run = jitted(jax.value_and_grad(loss(compute, numbers), argnums=places))
    # A gradient is rounded to the format by each program, their sum once more, and so is what enters a product.
    unit = 4 * 2.0**-8 if numbers is BFLOAT16 else T * 2.0**-24
    both = (jax.tree.leaves(run(cut, *arrays)) for cut in (IN_KERNEL, IN_LOOP))
    for found, wanted in zip(*both, strict=True):
        found, wanted = (np.asarray(a, np.float32) for a in (found, wanted))
        assert np.linalg.norm(wanted) > 0
        assert np.linalg.norm(found - wanted) <= unit * np.linalg.norm(wanted)


@pytest.mark.long
@pytest.mark.parametrize(
    ("layer", "numbers"),
    [("one", FLOAT32), ("scalar", BFLOAT16), ("resets", FLOAT32), (LAYERS[0], BFLOAT16)],
)
def test_forward_and_backward_compile_to_triton_for_a_gpu_that_is_not_there(layer, numbers):
    sharding = pytest.importorskip("jax.sharding")
    if not hasattr(sharding, "AbstractDevice"):
        pytest.skip("this JAX knows no abstract devices")
    if platform() == "gpu":
        pytest.skip("a GPU that is there is taken")
    compute, arrays = program(layer)
    arrays = in_format(arrays, numbers)
    gradients = jax.grad(loss(compute, numbers), argnums=tuple(range(1, 1 + len(arrays))))
    device = sharding.AbstractDevice("NVIDIA H100", 132, "gpu")
    with sharding.use_abstract_mesh(sharding.AbstractMesh((1,), ("x",), abstract_device=device)):
        traced = jax.jit(functools.partial(gradients, IN_KERNEL)).trace(*arrays)
        text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert text.count("xla.gpu.triton") == (4 if layer in LAYERS else 2)


def test_elsewhere_the_same_program_compiles_to_its_loop():
    compute, arrays = program("one")
    text = jax.jit(functools.partial(compute, IN_KERNEL)).lower(*arrays).as_text()
    assert platform() == "gpu" or "triton" not in text


@pytest.mark.skipif(platform() != "gpu", reason="a GPU is wanted")
@pytest.mark.parametrize("numbers", [BFLOAT16, FLOAT32], ids=["bfloat16", "float32"])
@pytest.mark.parametrize("layer", GATES + LAYERS)
def test_on_a_gpu_it_computes_what_the_loop_does(layer: str, numbers: Precision):
    compute, arrays = program(layer)
    arrays = in_format(arrays, numbers)
    unit = 2.0**-8 if numbers is BFLOAT16 else T * 2.0**-24
    run = jitted(functools.partial(compute, numbers=numbers))
    for found, wanted in zip(run(IN_KERNEL, *arrays), run(IN_LOOP, *arrays), strict=True):
        assert np.linalg.norm(found - wanted) <= unit * np.linalg.norm(wanted)
    places = tuple(range(1, 1 + len(arrays)))
    run = jitted(jax.grad(loss(compute, numbers), argnums=places))
    for found, wanted in zip(run(IN_KERNEL, *arrays), run(IN_LOOP, *arrays), strict=True):
        found, wanted = (np.asarray(a, np.float32) for a in (found, wanted))
        assert np.linalg.norm(found - wanted) <= 4 * unit * np.linalg.norm(wanted)


@pytest.mark.parametrize(
    ("where", "numbers", "heads", "sides", "chosen"),
    [
        ("gpu", BFLOAT16, 8, (64, 64), True),
        ("gpu", BFLOAT16, 512, (128, 64), True),
        ("gpu", BFLOAT16, 512, (128, 128), True),
        ("gpu", BFLOAT16, 2, (64, 64), True),
        ("gpu", BFLOAT16, 1, (64, 64), False),
        ("gpu", BFLOAT16, 1, (128, 64), True),
        ("gpu", BFLOAT16, 16, (64, 48), False),
        ("gpu", BFLOAT16, 16, (8, 64), False),
        ("gpu", BFLOAT16, 16, (64, 256), False),
        ("gpu", FLOAT32, 512, (64, 64), True),
        ("gpu", FLOAT32, 512, (128, 128), True),
        ("gpu", FLOAT64, 512, (64, 64), False),
        ("gpu", None, 512, (64, 64), False),
        ("tpu", BFLOAT16, 512, (64, 64), False),
        ("cpu", BFLOAT16, 512, (64, 64), False),
    ],
)
def test_a_kernel_is_chosen_where_it_is_faster(where, numbers, heads, sides, chosen):
    assert plan(4096, sides[0], sides[1], heads, where, numbers=numbers).in_kernel is chosen


@pytest.mark.parametrize(
    ("capability", "chunk", "chosen"),
    [
        *(("9.0", 16, True), ("9.0", 64, True), ("9.0", 128, False), ("9.0", 48, False)),
        *(("8.0", 64, True), ("8.9", 64, False), ("8.9", 16, True), ("7.5", 16, False)),
        *(("12.0", 16, True), ("gfx942", 16, False)),
    ],
)
def test_a_kernel_takes_no_more_memory_than_a_gpu_has(capability, chunk, chosen, monkeypatch):
    class Device:
        compute_capability = capability

    monkeypatch.setattr(jax, "local_devices", lambda: [Device()])
    assert plan(4096, 128, 128, 512, "gpu", chunk, numbers=BFLOAT16).in_kernel is chosen


@pytest.mark.parametrize(
    ("heads", "side", "reverse", "parts"),
    [
        (1, 64, False, 4),
        (16, 128, False, 8),
        (96, 128, False, 1),
        (96, 128, True, 4),
        (96, 64, True, 1),
    ],
)
def test_a_head_has_as_many_programs_as_a_gpu_has_multiprocessors(heads, side, reverse, parts):
    assert kernel.programs(heads, side, side, reverse) == parts


@pytest.mark.parametrize(("numbers", "chunk"), [(BFLOAT16, 64), (FLOAT32, 32)])
def test_a_kernel_of_float32_has_shorter_chunks(numbers, chunk):
    assert plan(4096, 64, 64, 8, "gpu", numbers=numbers).chunk == chunk


def test_what_no_gpu_has_run_is_served_where_that_is_wanted_alone(monkeypatch):
    def served() -> list[bool]:
        return [plan(4096, 64, 64, 8, "gpu", numbers=n).in_kernel for n in (BFLOAT16, FLOAT32)]

    assert (served(), kernel.programs(8, 64, 64)) == ([True, True], 4)
    monkeypatch.delenv(kernel.SWITCH)
    assert (served(), kernel.programs(8, 64, 64)) == ([True, False], 1)


@pytest.mark.long_cases("[True]")
@pytest.mark.parametrize("wanted", [True, False])
def test_a_derivative_is_a_kernel_where_that_is_wanted_alone(wanted, shared, monkeypatch):
    if not wanted:
        monkeypatch.delenv(kernel.SWITCH)
    used = []
    monkeypatch.setattr(
        kernel, "run", lambda *a, own=kernel.run, **k: used.append(k) or own(*a, **k)
    )
    compute, arrays = program("one")
    jax.grad(loss(compute, BFLOAT16), argnums=1)(IN_KERNEL, *arrays)
    assert [one["reverse"] for one in used] == ([False, True] if wanted else [])


def test_one_can_do_without_kernels(monkeypatch):
    monkeypatch.setenv(kernel.SWITCH, "0")
    assert not plan(4096, 64, 64, 512, "gpu", numbers=BFLOAT16).in_kernel


@pytest.mark.parametrize(
    ("numbers", "heads", "side", "chunk"),
    [(BFLOAT16, 8, 64, 16), (BFLOAT16, 1, 64, 64), (FLOAT32, 8, 64, 32)],
)
def test_only_kernels_take_the_shortest_chunks_of_the_delta_rule(numbers, heads, side, chunk):
    assert delta.chunk_size("gpu", numbers, heads, side, side) == chunk
