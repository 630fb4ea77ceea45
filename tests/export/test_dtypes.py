"""Exports in bfloat16 and float16: each number rounded once, and run in that format within the certificate."""

import importlib.util
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from scanproof.constructs.errors import UsageError
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import load
from scanproof.numeric.export.targets import TARGETS
from scanproof.numeric.export.tensors import bfloat16, pack_bfloat16, read
from scanproof.numeric.identify.identifying import identify

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

D, N = 4, 16
HALVES = [(t, d) for t in ("numpy", "jax", "torch") for d in TARGETS[t].dtypes if "16" in d]
ROWS = ("gril.prop4.1", "gd-ssm.prop1", "ssd.thm4.1", "linear-attention.one-step")


def made(out, id, target, dtype):
    return export(id, target=target, output=out, features=D, examples=N, targets=None, dtype=dtype)


def wanted(k):
    """A task, and the prediction of one step from 0 with η = 1/N."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (N + 1, D)), rng.uniform(-1, 1, (N, k))
    return x, y, x[-1] @ (x[:-1].T @ y) / N


@pytest.mark.long
def test_bfloat16_is_the_nearest_and_of_two_the_even():
    rng = np.random.default_rng(0)
    numbers = np.concatenate(
        [rng.standard_normal(2000) * 2.0 ** rng.integers(-99, 99, 2000), [0.0]]
    )
    found = bfloat16(numbers)
    bits = found.view(np.uint32)
    assert not (bits & 0xFFFF).any()
    for step in (-1, 1):  # neither neighbour is nearer
        other = ((bits.astype(np.int64) + step * 0x10000) & 0xFFFFFFFF).astype(np.uint32)
        beside = other.view(np.float32).astype(float)
        known = np.isfinite(beside) & (numbers != 0)
        nearer = np.abs(beside - numbers) < np.abs(found.astype(float) - numbers)
        assert not (nearer & known).any()
    # By way of float32 the first would be a tie, and be rounded down to the even 1.
    assert bfloat16(np.array([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1 + 3 * 2.0**-8])).tolist() == [
        1 + 2.0**-7, 1, 1 + 2.0**-6
    ]  # fmt: skip


def test_a_file_of_bfloat16_is_read_back_as_written_by_us_and_by_torch(tmp_path):
    arrays = {"b": np.array([[1, -2.5]], "f4"), "a": np.array(0.15625, "f4")}
    (tmp_path / "x").write_bytes(pack_bfloat16(arrays, {"format": "pt"}))
    found = read(tmp_path / "x")
    assert set(found.dtypes.values()) == {"bfloat16"} and found.metadata == {"format": "pt"}
    assert all((found.arrays[name] == arrays[name]).all() for name in arrays)
    torch = pytest.importorskip("torch")
    tensors = pytest.importorskip("safetensors.torch").load_file(tmp_path / "x")
    assert all(tensor.dtype is torch.bfloat16 for tensor in tensors.values())
    assert tensors["b"].tolist() == [[1, -2.5]] and tensors["a"].shape == ()


@pytest.mark.long
@pytest.mark.parametrize(("id", "target", "dtype"), [(i, *h) for i, h in zip(cycle(ROWS), HALVES)])
def test_the_weights_are_recognised_in_their_own_format(id, target, dtype, tmp_path):
    told = made(tmp_path / "out", id, target, dtype)
    loaded = load(tmp_path / "out")
    assert set(loaded.dtypes.values()) == {dtype} == {told["target"]["dtype"]}
    report = identify(tmp_path / "out")
    assert not report.contradictions and "1 step of gradient descent" in report.verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "dtype"), [*zip(ROWS, cycle(["bfloat16", "float16"]), strict=False)]
)
def test_torch_runs_them_within_the_certificate(id, dtype, tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file

    from scanproof.numeric.modules import recurrence

    told = made(tmp_path / "out", id, "torch", dtype)
    files = (load_file(tmp_path / "out" / f"{name}.safetensors") for name in ("model", "encoding"))
    module = recurrence.from_tensors(*files)
    x, y, exact = wanted(told["sizes"]["targets"])
    raw = TOKENISATIONS[told["tokens"]["name"]].tokens(x, y)
    with torch.no_grad():
        found = module.predict(torch.tensor(raw))
    assert found.dtype is getattr(torch, dtype)
    assert 0 < np.abs(found.double().numpy() - exact).max() <= told["certificate"]["absolute"]


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_jax_reads_them_in_their_format(dtype, tmp_path):
    pytest.importorskip("jax")
    from safetensors.flax import load_file

    made(tmp_path / "out", "gd-ssm.prop1", "jax", dtype)
    arrays = load_file(tmp_path / "out" / "model.safetensors")
    assert {str(array.dtype) for array in arrays.values()} == {dtype}
    assert float(arrays["layers.0.beta"]) in (1 / N, -1 / N)


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "target", "dtype"),
    [(i, *h) for i, h in zip(ROWS, 2 * [("numpy", "float16"), ("jax", "bfloat16")], strict=True)],
)
def test_numpy_runs_them_within_the_certificate(id, target, dtype, tmp_path):
    """float16 in float16; bfloat16, which it lacks, in float32, whose rounding is less."""
    told = made(tmp_path / "out", id, target, dtype)
    spec = importlib.util.spec_from_file_location("forward", tmp_path / "out" / "forward.py")
    assert spec is not None and spec.loader is not None
    forward = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(forward)
    x, y, exact = wanted(told["sizes"]["targets"])
    found = forward.predict(x, y)
    assert found.dtype == (np.float16 if dtype == "float16" else np.float32)
    assert 0 < np.abs(found.astype(float) - exact).max() <= told["certificate"]["absolute"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_step_size_that_would_become_another_is_refused(dtype, tmp_path):
    sizes: dict[str, Any] = {"features": 2, "examples": 12}
    with pytest.raises(UsageError, match=f"{dtype} does not hold exactly, such as .*0833.*1/16"):
        export("gd-ssm.prop1", target="torch", output=tmp_path / "out", dtype=dtype, **sizes)
    assert not (tmp_path / "out").exists()


def test_numbers_that_a_format_does_not_hold_are_refused(tmp_path):
    for step_size, why in ((10**6, "float16 does not hold"), ("1e-7", "too small for")):
        with pytest.raises(UsageError, match=why):
            export(
                "gd-ssm.prop1", target="torch", output=tmp_path / "out", features=2, examples=2,
                step_size=step_size, dtype="float16",
            )  # fmt: skip
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="numpy takes float64 or float32 or float16: NumPy has no"):
        made(tmp_path / "out", "gril.prop4.1", "numpy", "bfloat16")
