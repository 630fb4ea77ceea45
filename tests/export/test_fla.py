"""The constructed weights in flash-linear-attention's own `LinearAttention`, exported, loaded and run.

The layer's kernels are Triton's. With a GPU they run there. Without one they run on the CPU in Triton's interpreter,
line by line and with no change to the library, for a few tasks; for many the layer's kernel gives way to the library's
own `naive_recurrent_linear_attn`, all else being the layer's.
"""

import importlib
import inspect
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import linear_cases
import numpy as np
import pytest
from linear_cases import Tasks
from mamba2_cases import Case

import scanproof
from scanproof.constructs.constructions import linear_attention
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.layers import fla_linear_attention as definition
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.numeric.export.certificates.linear import bound_at
from scanproof.numeric.export.exporting import export
from scanproof.numeric.rounding.arithmetic import WIDE

os.environ.setdefault(
    "TRITON_INTERPRET", "1"
)  # read when fla is imported; undone if a GPU is there
WANTED = "the target fla-linear-attention needs torch, flash-linear-attention, fla-core and triton"
torch = pytest.importorskip("torch", reason=WANTED)
if torch.cuda.is_available():
    del os.environ["TRITON_INTERPRET"]
triton = pytest.importorskip("triton", reason=WANTED)
pytest.importorskip("safetensors", reason=WANTED)
pytest.importorskip("fla.layers", reason=WANTED)
fla = importlib.import_module("fla")

CLOSE = 2e-6
"""The distance to explicit gradient descent over its norm that an export in float32 keeps."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
RELEASE = tuple(int(part) for part in fla.__version__.split(".")[:2])
kernels = pytest.mark.skipif(
    DEVICE == "cpu" and RELEASE < (0, 6),
    reason="kernels of flash-linear-attention before 0.6 do not run in Triton's interpreter",
)

CASES = [
    Case(4, 10, 1),
    Case(8, 40, 3),
    Case(8, 16, 6, targets=2),
    Case(16, 64, 6),
    Case(16, 33, 2, targets=3),
    Case(1, 1, 1),
    Case(5, 13, 1, targets=2, in_one_block=True),
    Case(16, 64, 1, targets=2, tokens="concatenated", in_one_block=True),
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


@pytest.fixture
def naive(monkeypatch):
    """The library's own loop over tokens in the place of the layer's kernels."""
    layers = importlib.import_module("fla.layers.linear_attn")
    loop = importlib.import_module("fla.ops.linear_attn.naive").naive_recurrent_linear_attn
    known = inspect.signature(loop).parameters

    def recurrence(**given):
        assert not any(given[name] is not None for name in given.keys() - known)
        return loop(**{k: v for k, v in given.items() if k in known})

    for kernel in ("chunk", "fused_chunk", "fused_recurrent"):
        monkeypatch.setattr(layers, f"{kernel}_linear_attn", recurrence)


def instance(case: Case, grid: int | None = None) -> Instance:
    """The construction, from weights other than 0 where there are such models."""
    shape = (case.features, case.targets)
    W0 = np.random.default_rng(1).standard_normal(shape) / 2
    W0 = np.rint(W0 * grid) / grid if grid else W0
    from_zero = case.in_one_block and case.tokens == "labelled"
    return linear_attention.instance(
        np,
        case.features,
        case.steps,
        1 / case.examples,
        np.zeros(shape) if from_zero else W0,
        tokens=case.tokens,
        in_one_block=case.in_one_block,
    )


class Loaded:
    """An export in the library's layers, and what it was made from."""

    def __init__(
        self, folder: Path, case: Case, scale: Fraction = Fraction(1), dtype: str = "float32"
    ) -> None:
        self.case, self.made, self.dtype = case, instance(case), getattr(torch, dtype)
        if dtype == "bfloat16":
            self.made = instance(case, grid=16)
        folder.mkdir(exist_ok=True)
        export(
            "linear-attention.gd",
            target="fla-linear-attention",
            output=folder / "export",
            features=case.features,
            examples=case.examples,
            targets=case.targets,
            steps=case.steps,
            step_size=scale / case.examples,
            tokens=case.tokens,
            in_one_block=case.in_one_block,
            W0=self.made.W0,
            dtype=dtype,
        )
        settings = json.loads((folder / "export" / "config.json").read_text())
        arguments = fla_linear_attention.arguments(settings)
        layers = range(settings["num_hidden_layers"])
        self.layers = torch.nn.ModuleList(fla.layers.LinearAttention(**arguments) for _ in layers)
        self.layers.to(DEVICE, self.dtype).eval()
        module = torch.nn.ModuleDict({"layers": self.layers})
        module.load_state_dict(read("torch").load_file(folder / "export" / "model.safetensors"))
        self.encoding = read("numpy").load_file(folder / "export" / "encoding.safetensors")

    def embeddings(self, given: Tasks) -> np.ndarray:
        """The inputs that the encoding of the export makes of tasks, (tasks, T, M)."""
        tokens = TOKENISATIONS[self.case.tokens].tokens
        raw = np.stack([tokens(x, y) for x, y in zip(*given, strict=True)])
        return raw @ self.encoding["encode.weight"].T + self.encoding["encode.bias"]

    def streams(self, given: Tasks) -> list[np.ndarray]:
        """h ← h + layer(h), layer after layer: (tasks, T, M) after each."""
        stream = torch.tensor(self.embeddings(given), device=DEVICE).to(self.dtype)
        found = []
        with torch.no_grad():
            for layer in self.layers:
                stream = stream + forward(layer, stream)
                found.append(stream.cpu().double().numpy())
        return found

    def predictions(self, given: Tasks) -> np.ndarray:
        """(tasks, k)."""
        return self.streams(given)[-1][:, -1] @ self.encoding["readout.weight"].T

    def check(self, given: Tasks, bounded: int | None = None) -> None:
        """Against explicit gradient descent, and the first tasks against their bounds."""
        got, expected = self.predictions(given), explicit(self.made, given, self.case)
        assert np.linalg.norm(got - expected) <= CLOSE * np.linalg.norm(expected)
        model = fla_linear_attention.neutral_model(self.made)
        tasks = list(zip(*given, got, expected, strict=True))
        for x, y, predicted, wanted in tasks[:bounded]:
            assert (np.abs(predicted - wanted) <= bound_at(model, x, y)).all()

    def check_stored(self, given: Tasks) -> float:
        """Against the bounds for layers that store bfloat16; the largest part of one that is used."""
        got, expected = self.predictions(given), explicit(self.made, given, self.case)
        model, used = fla_linear_attention.neutral_model(self.made), 0.0
        for x, y, predicted, wanted in zip(*given, got, expected, strict=True):
            bound, off = bound_at(model, x, y, WIDE["bfloat16"]), np.abs(predicted - wanted)
            assert (off <= bound).all()
            used = max(used, float((off / bound).max()))
        return used


def read(kind: str) -> Any:
    """safetensors for a kind of arrays."""
    return importlib.import_module(f"safetensors.{kind}")


def forward(layer, stream):
    """What a layer puts out; releases before 0.5 return nothing else."""
    given = layer(stream)
    return given[0] if isinstance(given, tuple) else given


def tasks(case: Case, count: int, seed: int = 0) -> Tasks:
    """Inputs from U(−1, 1), targets Wᵀx with W from N(0, I)."""
    made = linear_cases.Case("", case.features, case.examples, case.steps, case.targets)
    return linear_cases.tasks(made, count, seed)


def explicit(made: Any, given: Tasks, case: Case) -> np.ndarray:
    return linear_cases.explicit(given.x, given.y, made.eta, made.W0, case.steps)


@kernels
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_unchanged_layers_predict_as_explicit_gradient_descent(case, tmp_path):
    Loaded(tmp_path, case).check(tasks(case, 2))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_so_they_do_with_the_librarys_naive_recurrence_on_hundreds_of_tasks(case, tmp_path, naive):
    Loaded(tmp_path, case).check(tasks(case, 300, seed=7), None if case == CASES[0] else 20)


@pytest.mark.parametrize("length", [1, 64, 65])
def test_any_number_of_examples_will_do_and_none_of_them_is_the_query(length, tmp_path, naive):
    loaded, case = Loaded(tmp_path, Case(4, 40, 3)), Case(4, length, 3)
    given = tasks(case, 8)
    loaded.check(given)
    labels = np.concatenate([given.y, np.zeros((8, 1, 1))], axis=1)
    with_query = Tasks(np.concatenate([given.x, given.x[:, -1:]], axis=1), labels)
    other = explicit(loaded.made, with_query, case)
    assert np.linalg.norm(loaded.predictions(given) - other) >= 1e-3 * np.linalg.norm(other)


HALVES = [
    Case(4, 16, 1),
    Case(6, 32, 3),
    Case(4, 8, 1, targets=2, tokens="concatenated", in_one_block=True),
    Case(1, 1, 1),
]
"""Cases whose step sizes bfloat16 holds."""


@kernels
@pytest.mark.parametrize("case", HALVES[:3], ids=str)
def test_the_unchanged_layers_in_bfloat16_stay_within_the_certificate_for_their_data(
    case, tmp_path
):
    Loaded(tmp_path, case, dtype="bfloat16").check_stored(tasks(case, 2))
    Loaded(tmp_path / "alike", case, dtype="bfloat16").check_stored(alike(case, 1))


@pytest.mark.parametrize("case", HALVES, ids=str)
def test_so_they_do_with_the_librarys_naive_recurrence_on_fifty_tasks(case, tmp_path, naive):
    loaded = Loaded(tmp_path, case, dtype="bfloat16")
    loaded.check_stored(tasks(case, 50, seed=7))
    assert loaded.check_stored(alike(case, 8)) >= 0.02  # so much of the bound is used


def alike(case: Case, count: int) -> Tasks:
    """Examples and queries that are all alike, of numbers that bfloat16 rounds by as much as it can, all up."""
    up = (1 + 2.0**-8 + 2.0**-20) * 2.0 ** np.arange(-count, 0).reshape(-1, 1, 1)
    x = np.broadcast_to(up, (count, case.examples + 1, case.features))
    return Tasks(x, np.broadcast_to(-1.5 * up[-1:], (count, case.examples, case.targets)))


@kernels
def test_weights_in_the_query_are_those_of_gradient_descent_after_every_layer(tmp_path):
    case = Case(6, 12, 4)
    loaded, given = Loaded(tmp_path, case), tasks(case, 3)
    W, x = np.broadcast_to(loaded.made.W0, (3, 6, 1)), given.x[:, :-1]
    for stream in loaded.streams(given)[:4]:
        W = W - loaded.made.eta * x.mT @ (x @ W - given.y)
        np.testing.assert_allclose(stream[:, -1, :6], W[..., 0], rtol=CLOSE, atol=CLOSE)


@kernels
@pytest.mark.parametrize("mode", ["chunk", "fused_chunk", "fused_recurrent"])
def test_the_definition_is_the_layer_up_to_float32_rounding(mode):
    torch.manual_seed(0)
    settings = {
        "num_hidden_layers": 1,
        "mode": mode,
        "hidden_size": 24,
        "expand_k": 4 / 3,
        "expand_v": 2.0,
        "num_heads": 2,
        "feature_map": "identity",
        "output_norm": "identity",
        "norm_q": False,
        "norm_k": False,
        "do_feature_map_norm": False,
    }
    module = fla.layers.LinearAttention(**fla_linear_attention.arguments(settings)).to(DEVICE)
    state = {f"layers.0.{k}": v.double().cpu().numpy() for k, v in module.state_dict().items()}
    assert {k: v.shape for k, v in state.items()} == fla_linear_attention.shapes(settings)
    (layer,) = fla_linear_attention.layers(settings, state)
    rows = np.random.default_rng(0).standard_normal((37, 24)).astype(np.float32)
    with torch.no_grad():
        got = forward(module, torch.tensor(rows, device=DEVICE)[None])[0].cpu().numpy()
    expected = definition.attention(layer, np.float64(rows))
    # about 100 roundings on the way to an entry; they add up like independent ones
    assert np.abs(got - expected).max() <= 16 * 2.0**-24 * np.abs(expected).max()
    model = neutral.Model("linear-attention", "labelled", (layer,), *[np.empty(0)] * 3)
    for key, array in fla_linear_attention.tensors(model).items():
        np.testing.assert_array_equal(array, state[key])


def test_half_the_step_size_is_told_from_the_whole(tmp_path, naive):
    case = CASES[6]
    half, given = Loaded(tmp_path, case, Fraction(1, 2)), tasks(case, 8)
    expected = explicit(half.made, given, case)
    np.testing.assert_allclose(2 * half.predictions(given), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("field", sorted(fla_linear_attention.PROJECTIONS))
def test_another_number_in_a_tensor_is_no_gradient_descent(field, tmp_path, naive):
    case = Case(4, 10, 2)
    loaded, given = Loaded(tmp_path, case), tasks(case, 8)
    weight = loaded.layers[1].get_parameter(fla_linear_attention.PROJECTIONS[field])
    with torch.no_grad():
        weight[np.unravel_index(int(weight.abs().argmax()), weight.shape)] *= 1.01
    expected = explicit(loaded.made, given, case)
    distance = np.linalg.norm(loaded.predictions(given) - expected)
    assert distance >= 1e-5 * np.linalg.norm(expected)


@kernels
def test_conform_finds_its_layers_within_the_bound_in_every_way_that_they_offer(tmp_path):
    out = tmp_path / "export"
    export("linear-attention.gd", target="fla-linear-attention", output=out, features=2, examples=6)
    found = scanproof.conform(out)
    assert found.holds, found.rows
    ran = {row.way for row in found.rows if row.status == "within"}
    assert {"padded on the left", "a cache, in two halves", "a cache, token by token"} <= ran
