"""`scanproof.load`: what lies in a folder predicts what explicit gradient descent would."""

import numpy as np
import pytest

import scanproof
from scanproof import UsageError

CASES = [
    ("gril.prop4.1", "numpy", {}),
    ("gril.propA.1", "jax", {"steps": 3}),
    ("ssd.thm4.1", "torch", {}),
    ("linear-attention.gd", "fla-linear-attention", {"steps": 2}),
    ("mamba2.gd", "hf-mamba2", {"steps": 2}),
    ("mamba2.gd-concatenated", "hf-mamba2", {"steps": 2}),
    ("mamba2.one-step-interleaved", "mamba-ssm", {}),
]
FEATURES, EXAMPLES = 3, 6


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "target", "options", "without_manifest"),
    [(*case, n % 2 == 1) for n, case in enumerate(CASES)],
)
def test_loaded_weights_predict_what_gradient_descent_does(
    id, target, options, without_manifest, tmp_path
):
    folder = tmp_path / "out"
    manifest = scanproof.export(
        id, target=target, output=folder, features=FEATURES, examples=EXAMPLES, **options
    )
    if without_manifest:
        (folder / "manifest.json").unlink()
    weights = scanproof.load(folder, tokens=manifest["tokens"]["name"])
    d, k = weights.sizes
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (5, EXAMPLES + 1, d)), rng.uniform(-1, 1, (5, EXAMPLES, k))
    W = np.zeros((5, d, k))
    for _ in range(manifest["sizes"]["steps"]):
        W = W - x[:, :-1].mT @ (x[:, :-1] @ W - y) / EXAMPLES
    expected = (x[:, -1:] @ W)[:, 0]
    got = weights.predict(x, y)
    bound = manifest["certificate"]["absolute"]
    assert np.abs(got - expected).max() <= bound
    # Products of one row and of several are rounded differently; the bound is that of either.
    assert np.abs(weights.predict(x[0], y[0]) - expected[0]).max() <= bound
    assert set(weights) == set(weights.tensors)


def test_data_of_other_shapes_are_refused(tmp_path):
    scanproof.export(
        "gril.prop4.1", target="numpy", output=tmp_path / "out", features=3, examples=4, targets=1
    )
    weights = scanproof.load(tmp_path / "out")
    x, y = np.zeros((5, 3)), np.zeros((4, 1))
    for wrong in ((x[:, :2], y), (x, y[:3]), (x, np.zeros((4, 2))), (x[None], y), (x[:1], y[:0])):
        with pytest.raises(UsageError, match=r"predict\(x, y\) expects x \(n \+ 1, 3\)"):
            weights.predict(*wrong)


def test_tokens_that_do_not_fit_are_refused(tmp_path):
    scanproof.export(
        "gril.prop4.1", target="numpy", output=tmp_path / "out", features=3, examples=4
    )
    with pytest.raises(UsageError, match="those that do: interleaved"):
        scanproof.load(tmp_path / "out", tokens="products")
