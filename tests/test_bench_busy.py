"""The delta op beside `lax.scan`, idle and busy: what keeps the cores busy ends, and a stall is not hidden."""

import subprocess
import sys
import time

import jax
import numpy as np
import pytest
from command_line import Run

from scanproof.numeric.bench import busy
from scanproof.numeric.bench.problem import Size
from scanproof.numeric.ops.delta import delta, longhorn


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One busy core, and as few calls as may be."""
    monkeypatch.setattr(busy, "SECONDS", 0)
    monkeypatch.setattr(busy, "cores", lambda: 1)


@pytest.mark.long
@pytest.mark.parametrize("op", [delta, longhorn])
def test_no_program_of_the_delta_op_on_a_cpu_calls_lapack_whose_threads_stall(op):
    """Nor does its derivative; nor does it solve a system in another way that XLA gives to LAPACK."""

    def loss(v, k, q, beta):
        run = op(v, k, q, beta, chunk=2)
        return run.outputs.sum() + run.final_state.sum()

    arrays = [np.ones(shape, np.float32) for shape in ((5, 2), (5, 3), (5, 3), (5,))]
    for program in (loss, jax.grad(loss, argnums=(0, 1, 2, 3))):
        text = jax.jit(program).lower(*arrays).as_text()
        assert "stablehlo.dot_general" in text
        assert "custom_call" not in text and "triangular_solve" not in text


@pytest.mark.long
def test_derivatives_of_every_order_are_those_of_the_triangular_solve():
    from scanproof.numeric.ops.delta import _line_by_line, _solved

    rng = np.random.default_rng(0)
    L = np.tril(rng.integers(-2, 3, (2, 4, 4)), -1).astype(np.float32)
    moved, weights = (np.tril(rng.integers(-2, 3, L.shape), -1).astype(np.float32) for _ in "ab")

    def twice(inverted):
        return jax.grad(lambda L: (jax.jvp(inverted, (L,), (moved,))[1] * weights).sum())(L)

    assert np.array_equal(np.tril(twice(_line_by_line()), -1), np.tril(twice(_solved), -1))


def test_what_keeps_the_cores_busy_ends_with_the_block_also_if_it_raises():
    with pytest.raises(KeyboardInterrupt), busy.busy(2) as processes:
        assert [process.poll() for process in processes] == [None, None]
        raise KeyboardInterrupt
    assert [process.returncode is not None for process in processes] == [True, True]


@pytest.mark.long
def test_what_keeps_a_core_busy_ends_when_the_command_is_killed():
    """The pipe is closed when the last process that has it has ended."""
    code = "import os; from scanproof.numeric.bench.busy import busy\nwith busy(1): os._exit(7)"
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=60)
    assert run.returncode == 7


def test_one_call_of_five_that_stalls_is_counted(short: None):
    calls: list[str] = []

    def delta_rule() -> None:
        calls.append("delta")
        time.sleep(0.1 if len(calls) % 10 == 6 else 0.0)

    def scan() -> None:
        calls.append("scan")
        time.sleep(0.01)

    programs = {"lax.scan, delta rule": scan, "delta": delta_rule, "another": lambda: 1 / 0}
    told: list[tuple[str, int, int]] = []
    found = busy.beside_scan(programs, lambda _: None, lambda *news: told.append(news))
    assert calls == 10 * ["scan", "delta"]
    assert [one["busy_cores"] for one in found] == [0, 1]
    assert [(done, of) for _, done, of in told] == [(0, 2), (1, 2)]
    assert [one["met"] for one in found] == [False, False]
    idle, beside = busy.as_lines(found)
    assert "nothing else started" in idle and "1 core kept busy" in beside
    assert "5 calls" in idle and idle.endswith("≥ 0.9 MISSED")


def test_the_command_times_short_and_long_sequences(run: Run, monkeypatch: pytest.MonkeyPatch):
    asked: list[list[Size]] = []

    def benchmark(sizes: list[Size], *rest: object) -> dict[str, object]:
        asked.append(sizes)
        raise KeyboardInterrupt

    monkeypatch.setattr("scanproof.numeric.bench.report.benchmark", benchmark)
    run("bench")
    run("bench", "--tokens", "7", "--features", "64,3")
    run("bench", "--tokens", "7")
    long, wide, short = Size(8, 4096, 64), Size(8, 2048, 128), Size(8, 1024, 64)
    assert asked[0] == [long, wide, short]
    assert asked[1] == [Size(8, 7, 64), Size(8, 7, 3)]
    assert asked[2] == [Size(8, 7, 64), Size(8, 7, 128)]
