"""Checks of the sharded op that need many devices; run by `test_ops_sharded` in a process of its own.

Prints one JSON object: for each check an empty string, or what is wrong. The number of devices is the first argument;
they are the host's processor several times over. The others are the names of the checks.
"""

import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={sys.argv[1]}"
    os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from op_cases import exact_run, exactly, number_for

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.numeric import log_decays, x64
from scanproof.numeric import rounding as bounds
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.recurrent import recurrent
from scanproof.numeric.ops.sharded import sharded

D, N, CHUNK = 3, 2, 4
CHECKS: dict[str, Callable[[], None]] = {}


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS[function.__name__] = function
    return function


def mesh(devices: int, name: str = "sequence") -> Any:
    return jax.sharding.Mesh(np.asarray(jax.devices()[:devices]), (name,))


def draw(
    T: int, seed: int = 0, scale: float = 1.0, batch: tuple[int, ...] = (2,)
) -> dict[str, Any]:
    """v, k, q and an initial state; scaled values, and keys scaled the other way."""
    rng = np.random.default_rng(seed)
    v, k, q = (rng.normal(size=(*batch, T, n)) for n in (D, N, N))
    state = rng.normal(size=(*batch, D, N))
    return {"v": scale * v, "k": k / scale, "q": scale * q, "initial_state": state}


def decays(T: int, seed: int = 1, batch: tuple[int, ...] = (2,)) -> dict[str, Any]:
    """Decays in (0, 1), ones, zeros as resets, and one −inf."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(0, 1, (*batch, T)) ** 0.25
    a = np.where(rng.random(a.shape) < 1 / 8, 1, np.where(rng.random(a.shape) < 1 / 8, 0, a))
    log_decay, reset = log_decays(a)
    log_decay[(0,) * a.ndim] = -np.inf
    return {"log_decay": log_decay, "reset": np.zeros(a.shape, bool) if reset is None else reset}


def shares_of_bound(
    run: Any, tokens: dict[str, Any], precision: str = "float64", **options: Any
) -> list[float]:
    """|computed − exact| over the bound, the largest of each array of this process."""
    known = bounds.linear(**tokens, lane="sharded", chunk=CHUNK, precision=precision, **options)
    exact = exact_run("sharded", tokens)
    shares = []
    for name in ("outputs", "final_state"):
        limit, wanted, found = (getattr(of, name) for of in (known, exact, run))
        limit = limit.bound
        assert found.shape == wanted.shape
        assert limit.max() <= 2.0**-9 * max(1.0, np.abs(wanted).max()), "such a bound shows nothing"
        for shard in found.addressable_shards:
            gap = np.abs(exactly(number_for(tokens), shard.data) - wanted[shard.index])
            room = np.maximum(limit[shard.index], np.finfo(float).tiny)
            shares.append(float(np.max(gap / room)))
    return shares


def assert_right(
    run: Any, tokens: dict[str, Any], precision: str = "float64", **options: Any
) -> None:
    """Within the bound of the op of the exact value."""
    shares = shares_of_bound(run, tokens, precision, **options)
    assert max(shares) <= 1, f"{max(shares):.3g} times the bound"


def run_and_compare(tokens: dict[str, Any], devices: int) -> None:
    with x64():
        run = sharded(**tokens, mesh=mesh(devices), chunk=CHUNK, precision="float64")
    assert_right(run, tokens, mesh=mesh(devices))


@check
def lengths_that_eight_devices_share_evenly():
    run_and_compare(draw(16), 8)


@check
def lengths_that_they_do_not():
    run_and_compare({**draw(77), **decays(77)}, 8)  # shards of two chunks and two tokens


@check
def fewer_tokens_than_devices():
    run_and_compare({**draw(1), **decays(1)}, 8)
    run_and_compare({**draw(5), "log_decay": np.asarray(-0.5)}, 8)


@check
def neighbours_exchange_states_where_there_are_more_than_eight():
    run_and_compare({**draw(36), **decays(36)}, 9)


@check
def one_decay_for_all_tokens():
    run_and_compare({**draw(16), "log_decay": np.asarray([[-0.1], [0.1]])}, 8)


@check
def large_and_tiny_scales():
    run_and_compare(draw(16, scale=1e100), 8)
    run_and_compare(draw(16, scale=1e-100), 8)


@check
def float32():
    tokens = {**draw(37), **decays(37)}
    run = sharded(**tokens, mesh=mesh(8), chunk=CHUNK)
    assert run.outputs.dtype == np.float32
    assert_right(run, tokens, "float32", mesh=mesh(8))


@check
def whole_numbers_are_exact_in_bfloat16():
    rng = np.random.default_rng(0)
    v, k, q = (rng.integers(-2, 3, (2, 21, n)) for n in (D, N, N))
    run = sharded(v, k, q, mesh=mesh(8), precision="bfloat16")
    wanted = chunked(v, k, q)
    assert np.array_equal(run.final_state, wanted.final_state)
    # States are rounded to bfloat16 when they are read; these have at most 8 bits.
    assert np.abs(np.asarray(wanted.final_state)).max() < 256
    assert np.array_equal(run.outputs, wanted.outputs)


@check
def heads():
    tokens = {**draw(7, batch=(3, 8)), **decays(7, batch=(3, 8))}
    with x64():
        run = sharded(
            **tokens, axis="heads", chunk=CHUNK, mesh=mesh(8, "heads"), precision="float64"
        )
        wanted = chunked(**tokens, chunk=CHUNK, precision="float64")
    assert run.outputs.sharding.spec[1] == "heads"
    # The heads' products may be batched otherwise, so that equality is not promised.
    limit = bounds.linear(**tokens, chunk=CHUNK, precision="float64")
    for name in ("outputs", "final_state"):
        gap = np.abs(np.asarray(getattr(run, name)) - np.asarray(getattr(wanted, name)))
        assert np.all(gap <= 2 * getattr(limit, name).bound)


@check
def broadcast_gates_of_heads():
    tokens = {**draw(5, batch=(8,)), "log_decay": np.linspace(-1, 0, 8)[:, None]}
    tokens["reset"] = np.arange(5) == 3
    run, wanted = sharded(**tokens, axis="heads", mesh=mesh(8, "heads")), chunked(**tokens)
    limit = bounds.linear(**tokens)
    assert np.all(np.abs(np.asarray(run.outputs) - wanted.outputs) <= 2 * limit.outputs.bound)


@check
def what_is_distributed_stays_so():
    run = sharded(**draw(16), mesh=mesh(8))
    assert run.outputs.sharding.spec[1] == "sequence"
    assert {shard.data.shape for shard in run.outputs.addressable_shards} == {(2, 2, D)}
    assert run.final_state.is_fully_replicated


@check
def meshes_of_two_axes_and_of_the_context():
    v, k, q = (np.random.default_rng(i).integers(-3, 4, (2, 37, 3)) for i in range(3))
    wanted = chunked(v, k, q).outputs
    own = jax.make_mesh((2, 4), ("heads", "sequence"), devices=jax.devices()[:8])  # explicit axes
    for axis in ("heads", "sequence"):
        assert np.array_equal(sharded(v, k, q, mesh=own, axis=axis).outputs, wanted)
    with jax.set_mesh(own):
        assert np.array_equal(sharded(v, k, q).outputs, wanted)
        expect_refusal(
            r"expects the mesh of jax.set_mesh", {"v": v, "k": k, "q": q, "mesh": mesh(8)}
        )


@check
def under_jit_and_vmap():
    tokens = {name: array.astype(np.float32) for name, array in draw(13).items()}
    limit = bounds.linear(**tokens, lane="sharded", mesh=mesh(8)).outputs.bound
    wanted = np.asarray(sharded(**tokens, mesh=mesh(8)).outputs)

    def run(tokens):
        return sharded(**tokens, mesh=mesh(8)).outputs

    found = jax.jit(jax.vmap(run))(tokens)
    assert np.all(np.abs(np.asarray(found) - wanted) <= 2 * limit)


@check
def gradients_are_those_of_the_definition():
    """In whole numbers, which float64 computes exactly; resets and decays 1."""
    rng = np.random.default_rng(0)
    T, C = 27, 2
    v, k, q = (rng.integers(-3, 4, (T, n)).astype(float) for n in (D, N, N))
    state, reset = rng.integers(-3, 4, (D, N)).astype(float), rng.random(T) < 1 / 8
    assert reset.any()

    def by_op(v, k, q, state, log_decay, devices):
        run = sharded(
            *(v, k, q),
            log_decay=log_decay,
            reset=reset,
            initial_state=state,
            mesh=mesh(devices),
            chunk=C,
            precision="float64",
        )
        return (run.outputs**2).sum() + run.final_state.sum()

    def by_definition(v, k, q, state, log_decay):
        a = jax.numpy.where(reset, 0, jax.numpy.exp(log_decay))
        run = recurrent(ssd.step, None, state, ssd.Token(v, a, k, q))
        return (run.outputs**2).sum() + run.final_state.sum()

    places = (0, 1, 2, 3, 4)
    with x64():
        arrays = v, k, q, state, np.zeros(T)
        wanted = jax.jit(jax.grad(by_definition, places))(*arrays)
        for devices in (8, 9):  # shards of 2 chunks, and of one and a token
            found = jax.jit(jax.grad(by_op, places), static_argnums=5)(*arrays, devices)
            for got, want in zip(found, wanted, strict=True):
                assert np.any(want) and np.array_equal(got, want)


@check
def refusals():
    tokens = draw(8, batch=(6,))
    two_axes = jax.sharding.Mesh(np.asarray(jax.devices()[:8]).reshape(2, 4), ("a", "b"))
    for options, message in (
        ({"axis": "tokens"}, r"axis='tokens'\) expects 'sequence' or 'heads'"),
        ({"mesh": 8}, r"expects a jax.sharding.Mesh, got int"),
        ({"mesh": two_axes}, r"an axis of that name, or with one axis only, got axes 'a', 'b'"),
        (
            {"axis": "heads", "mesh": mesh(4, "heads")},
            r"cannot share 6 heads evenly among 4 devices; pass a mesh of 3, .*jax\.devices\(\)\[:3\]",
        ),
        ({"chunk": 0}, r"sharded\(chunk=0\) expects a whole number"),
        ({"k": tokens["q"][:, :4]}, r"sharded\(\) expects v .*got v \(6, 8, 3\), k \(6, 4, 2\)"),
        ({"v": tokens["v"] * np.nan}, r"sharded\(v=.*expects finite numbers"),
        ({"log_decay": np.full(8, np.nan)}, r"sharded\(log_decay=.*got NaN"),
        ({"log_decay": np.zeros(7)}, r"sharded\(log_decay=.*broadcasts to \(6, 8\).*got \(7,\)"),
        ({"reset": np.zeros(8)}, r"sharded\(reset=.*expects bool"),
        ({"initial_state": np.zeros((2, 3))}, r"sharded\(initial_state=.*values × keys"),
        (
            {**dict.fromkeys("vkq", np.broadcast_to(0.0, (10**12, 2))), "initial_state": None},
            r"needs .* GiB for a device's share of 1,000,000,000,000 tokens, and .* are free",
        ),
    ):
        expect_refusal(message, {**tokens, **options})
    single = {name: array[0] for name, array in tokens.items()}
    expect_refusal(r"expects an axis of heads", {**single, "axis": "heads"})


def expect_refusal(message: str, arguments: dict[str, Any]) -> None:
    try:
        sharded(**arguments)
    except UsageError as error:
        assert re.search(message, str(error)), str(error)
    else:
        raise AssertionError(f"not refused: {message}")


def main() -> None:
    found = {}
    for name in sys.argv[2:]:
        started = time.perf_counter()
        try:
            CHECKS[name]()
            found[name] = ""
        except Exception:
            found[name] = traceback.format_exc()
        print(f"{name}: {time.perf_counter() - started:.2f} s", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
