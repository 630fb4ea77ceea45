"""The constructed weights in flash-linear-attention's own `DeltaNet`, exported, loaded and run.

Its kernels are Triton's: with a GPU they run there, without one on the CPU in Triton's interpreter, line by line
and with no change to the library.
"""

import importlib
import json
import os
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import scanproof
from scanproof.constructs.layers import fla_delta_net as definition
from scanproof.constructs.layouts import fla_delta_net
from scanproof.constructs.learners.further import delta_rule
from scanproof.constructs.tokens.separate import separate_tokens
from scanproof.numeric.export.exporting import export

os.environ.setdefault(
    "TRITON_INTERPRET", "1"
)  # read when fla is imported; undone if a GPU is there
WANTED = "the target fla-delta-net needs torch, flash-linear-attention, fla-core and triton"
torch = pytest.importorskip("torch", reason=WANTED)
if torch.cuda.is_available():
    del os.environ["TRITON_INTERPRET"]
triton = pytest.importorskip("triton", reason=WANTED)
pytest.importorskip("safetensors", reason=WANTED)
pytest.importorskip("fla.layers", reason=WANTED)
fla = importlib.import_module("fla")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Case(NamedTuple):
    """The options of an export."""

    features: int
    examples: int
    targets: int = 1
    step_size: str | None = None
    seed: int | None = None


CASES = [
    Case(4, 10),
    Case(8, 40, step_size="1/8"),
    Case(4, 16, step_size="0.49"),
    Case(3, 70, targets=3, seed=2),
    Case(16, 24, targets=2, step_size="1/16", seed=1),
    Case(1, 1, step_size="1"),
    Case(2, 5, step_size="1/1000", seed=3),
]


class Interpreter:
    """The driver of Triton's interpreter, which measures no configuration of a kernel: all of them do the same."""

    def get_benchmarker(self):
        return lambda call, quantiles: [0.0] * len(quantiles)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    if DEVICE == "cpu":
        triton.runtime.driver.set_active(Interpreter())
    yield
    torch.set_num_threads(threads)


def layer_of(settings: dict[str, Any]) -> Any:
    """The library's layer with the arguments of a config.json."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no convolutions
        made = fla.layers.DeltaNet(**fla_delta_net.arguments(settings))
    return made.to(DEVICE).eval()


class Loaded:
    """An export in the library's layer."""

    def __init__(self, out: Path, case: Case) -> None:
        self.manifest = export(
            "delta-net.one-pass", target="fla-delta-net", output=out, **case._asdict()
        )
        self.settings = json.loads((out / "config.json").read_text())
        self.layer = layer_of(self.settings)
        files = importlib.import_module("safetensors.torch")
        module = torch.nn.ModuleDict({"layers": torch.nn.ModuleList([self.layer])})
        module.load_state_dict(files.load_file(out / "model.safetensors"))
        self.encoding = importlib.import_module("safetensors.numpy").load_file(
            out / "encoding.safetensors"
        )

    def predictions(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """For tasks, (tasks, n + 1, d) and (tasks, n, k) -> (tasks, k)."""
        raw = np.stack([separate_tokens(*task) for task in zip(x, y, strict=True)])
        embeddings = raw @ self.encoding["encode.weight"].T + self.encoding["encode.bias"]
        stream = torch.tensor(np.float32(embeddings), device=DEVICE)
        with torch.no_grad():
            stream = stream + self.layer(stream)[0]
        return stream[:, -1].cpu().numpy().astype(float) @ self.encoding["readout.weight"].T

    def learned(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What one pass of the delta rule predicts, in float64."""
        learner = self.manifest["learner"]
        W0 = np.array([[float(Fraction(w)) for w in row] for row in learner["W0"]])
        eta = float(Fraction(learner["step_size"]))
        return np.stack([a[-1] @ delta_rule(W0, a[:-1], b, eta) for a, b in zip(x, y, strict=True)])


def tasks(loaded: Loaded, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Examples of the certificate's norm in random directions, a query that is no longer, and any targets."""
    rng, sizes = np.random.default_rng(seed), loaded.manifest["sizes"]
    domain = loaded.manifest["certificate"]["domain"]
    x = rng.standard_normal((count, sizes["examples"] + 1, sizes["features"]))
    x *= domain["norm"] / np.linalg.norm(x, axis=2, keepdims=True)
    x[:, -1] *= rng.uniform(0, 1, (count, 1))
    y = rng.uniform(-1, 1, (count, sizes["examples"], sizes["targets"])) * domain["target"]
    y[0] = domain["target"]
    return x, y


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_unchanged_layer_predicts_as_the_delta_rule_within_the_certificate(case, tmp_path):
    loaded = Loaded(tmp_path / "out", case)
    x, y = tasks(loaded, 4)
    got, expected = loaded.predictions(x, y), loaded.learned(x, y)
    certificate = loaded.manifest["certificate"]
    assert np.abs(got - expected).max() <= certificate["absolute"]
    assert certificate["absolute"] <= 1e-3 * certificate["attained"]
    assert np.abs(expected).max() > 1e3 * np.abs(got - expected).max()


def test_the_prediction_is_no_step_of_gradient_descent(tmp_path):
    loaded = Loaded(tmp_path / "out", Case(4, 10, step_size="1/8"))
    x, y = tasks(loaded, 3)
    descent = np.stack([a[-1] @ a[:-1].T @ b / 8 for a, b in zip(x, y, strict=True)])
    assert np.abs(loaded.predictions(x, y) - descent).max() > 1e-2


def test_fewer_examples_will_do_and_examples_of_another_norm_will_not(tmp_path):
    loaded = Loaded(tmp_path / "out", Case(4, 10, step_size="1/8"))
    x, y = tasks(loaded, 3)
    few = x[:, -4:], y[:, -3:]
    absolute = loaded.manifest["certificate"]["absolute"]
    assert np.abs(loaded.predictions(*few) - loaded.learned(*few)).max() <= absolute
    assert np.abs(loaded.predictions(x / 2, y) - loaded.learned(x / 2, y)).max() > 1e3 * absolute


def test_the_definition_is_the_layer_up_to_float32_rounding():
    torch.manual_seed(0)
    settings = {
        "hidden_size": 24,
        "expand_k": 4 / 3,
        "expand_v": 2.0,
        "num_heads": 2,
        "norm_eps": 1e-5,
        **fla_delta_net.FIXED,
    }
    module = layer_of(settings)
    state = {f"layers.0.{k}": v.double().cpu().numpy() for k, v in module.state_dict().items()}
    assert {k: v.shape for k, v in state.items()} == fla_delta_net.shapes(settings)
    layer = fla_delta_net.layer(settings, state)
    rows = np.random.default_rng(0).standard_normal((37, 24)).astype(np.float32)
    with torch.no_grad():
        got = module(torch.tensor(rows, device=DEVICE)[None])[0][0].cpu().numpy()
    eps = definition.Epsilons(np.float64(1e-6), np.float64(1e-5))
    expected = definition.mixer(layer, np.float64(rows), eps)
    # about 100 roundings on the way to an entry; they add up like independent ones
    assert np.abs(got - expected).max() <= 16 * 2.0**-24 * np.abs(expected).max()
    for key, array in fla_delta_net.tensors(layer).items():
        np.testing.assert_array_equal(array, state[key])


@pytest.mark.parametrize("field", sorted(fla_delta_net.FIELDS))
def test_another_number_in_a_tensor_is_another_learner(field, tmp_path):
    loaded = Loaded(tmp_path / "out", Case(4, 10, step_size="1/8"))
    weight = loaded.layer.get_parameter(fla_delta_net.FIELDS[field])
    with torch.no_grad():
        flat = weight.view(-1)
        flat[torch.nonzero(flat)[0]] *= 1.01
    x, y = tasks(loaded, 4)
    error = np.abs(loaded.predictions(x, y) - loaded.learned(x, y)).max()
    assert error > loaded.manifest["certificate"]["absolute"]


def test_conform_finds_its_layer_within_the_bound_in_every_way_that_it_offers(tmp_path):
    out = tmp_path / "export"
    export("delta-net.one-pass", target="fla-delta-net", output=out, features=2, examples=6)
    found = scanproof.conform(out)
    assert found.holds, found.rows
    ran = {row.way for row in found.rows if row.status == "within"}
    assert {"padded on the left", "a cache, in two halves", "a cache, token by token"} <= ran
